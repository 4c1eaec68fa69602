"""Pictures without a kingdom: photographed textures, and rendered tables with clutter or loose dominoes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from kdvision.errors import PhotoError
from kdvision.files import PHOTO_SUFFIXES
from kdvision.lab.experiments.experiment import Experiment, Row, count_crashes, number_scenes, read_picture
from kdvision.lab.experiments.factors import choose_drawn_art
from kdvision.lab.render.scene_factors import SceneFactors, make_rng
from kdvision.vision.image.photo import Photo

OBJECTS: Final[Mapping[str, Sequence[str]]] = {
    "clutter": ("face-down dominoes", "figures", "household objects", "paper"),
    "loose dominoes": ("offer", "face-up dominoes", "figures", "face-down dominoes"),
}
"""What lies on the rendered tables of each kind."""
SCENES: Final = 300
"""Rendered tables of each kind."""
MAX_TEXTURES: Final = 1200
FOLDERS: Final = {"textures": Path("tiles", "not_tile"), "photos": Path("no_kingdom")}
"""Folders of pictures below the data folder. On the photos, a kingdom that is flagged is no error."""


def draw_factors(number: int) -> SceneFactors:
    """Return a table without a kingdom; view and light vary as in ordinary photos."""
    rng = make_rng(number, "nothing")
    return SceneFactors(
        kingdoms=0,
        clutter=4,
        angle=float(rng.uniform(0, 60)),
        pixels=float(np.exp(rng.uniform(np.log(24), np.log(96)))),
        fill=float(rng.uniform(0.4, 0.95)),
        light=float(rng.beta(1.0, 2.2)),
        glare=float(rng.beta(1.0, 2.2)),
    )


def open_picture(data: Path, case: Row) -> Photo:
    if folder := FOLDERS.get(str(case["kind"])):
        return Photo.open(data / folder / str(case["picture"]))
    number, objects = int(case["picture"]), OBJECTS[str(case["kind"])]
    return Photo.open(draw_factors(number).render_picture(number, choose_drawn_art(number), objects=objects).photo)


def _list_pictures(data: Path, seed: int) -> Iterator[Row]:
    for kind, number in product(OBJECTS, number_scenes(seed, SCENES)):
        yield {"kind": kind, "picture": number}
    for kind, folder in FOLDERS.items():
        paths = sorted(path for path in (data / folder).glob("*") if path.suffix.lower() in PHOTO_SUFFIXES)
        for path in paths[:MAX_TEXTURES]:
            yield {"kind": kind, "picture": path.name}


def _measure_picture(data: Path, case: Row) -> list[Row]:
    try:
        photo = open_picture(data, case)
    except PhotoError:  # refused, for example because it is too small
        return [{"invented": 0, "silent_errors": 0, "errors": 0}]
    reading = read_picture(photo)
    silent_errors = sum(not kingdom.review for kingdom in reading.kingdoms)
    return [{"invented": len(reading.kingdoms), "silent_errors": silent_errors, "errors": count_crashes(reading.error)}]


EXPERIMENT: Final = Experiment(
    name="no_kingdom",
    question="How many kingdoms are invented in pictures that show none?",
    cases=_list_pictures,
    measure=_measure_picture,
    groups=("kind",),
    counts=("invented", "silent_errors", "errors"),
)
