"""Rendered scenes with one factor changed at a time, and with all factors at random.

The tables are those of `HELD_OUT_TOPS`, and the dominoes a set drawn for this alone or scans of real ones. No
training saw these tables and drawn sets; it saw the scans.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from kdvision.lab.experiments.experiment import Experiment, Row, number_scenes, read_picture
from kdvision.lab.experiments.judge import VERDICT_COUNTS, judge
from kdvision.lab.render.art.folder_art import FolderArt
from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, DrawnSceneArt, get_drawn_box
from kdvision.lab.render.objects.held_out_tops import HELD_OUT_TOPS
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scene_factors import SceneFactors, make_rng

DRAWN: Final = "drawn"
SCANS: Final = "scans"
RANDOM: Final = "all at random"
"""The factor of scenes in which all factors are drawn at random."""
BOXES: Final = 3
"""Sets of drawn dominoes, from the first seed that training does not use."""
SCENES_PER_SETTING: Final = 3
RANDOM_SCENES: Final = {DRAWN: 300, SCANS: 150}
MIDDLE: Final = SceneFactors()


@dataclass(frozen=True)
class Factor:
    """One field of the scene factors, its settings, and the values of the other fields."""

    field: str
    settings: tuple[float, ...] | tuple[str, ...]
    middle: SceneFactors = MIDDLE


FACTORS: Final[Mapping[str, Factor]] = {
    "view angle, degrees": Factor("angle", (0.0, 15.0, 30.0, 45.0, 60.0)),
    "pixels per square": Factor("pixels", (12.0, 16.0, 20.0, 24.0, 32.0, 48.0, 64.0, 96.0)),
    "share of the picture": Factor("fill", (0.95, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1), replace(MIDDLE, kingdoms=1)),
    "kingdoms": Factor("kingdoms", (1, 2, 3, 4)),
    "squares between kingdoms": Factor("gap", (0.5, 0.75, 1.0, 1.5, 2.5)),
    "degrees askew": Factor("twist", (0.0, 2.0, 4.0, 6.0, 8.0)),
    "uneven, tinted, dim light": Factor("light", (0.0, 0.25, 0.5, 0.75, 1.0)),
    "glare": Factor("glare", (0.0, 0.25, 0.5, 0.75, 1.0)),
    "blur, in squares": Factor("blur", (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)),
    "heaps of clutter": Factor("clutter", (0, 1, 2, 4, 6)),
    "share of castles that stand": Factor("castles", (0.0, 0.5, 1.0)),
    "table": Factor("table", tuple(HELD_OUT_TOPS)),
}
"""All factors by title."""


def draw_factors(number: int) -> SceneFactors:
    """Return all factors at random, as in ordinary photos; angles are spread evenly up to 60 degrees."""
    rng = make_rng(number, "anything")
    light, glare, blur, noise, jpeg = (float(v) for v in rng.beta(1.0, 2.2, 5))
    return SceneFactors(
        angle=60 * ((number + 0.5) * 0.6180339887498949 % 1),
        pixels=float(np.exp(rng.uniform(np.log(24), np.log(96)))),
        fill=float(rng.uniform(0.4, 0.95)),
        kingdoms=1 + number % 4,
        gap=float(rng.uniform(0.9, 2.5)),
        twist=float(rng.uniform(0, 2) if rng.random() < 0.6 else rng.uniform(2, 8)),
        light=light,
        glare=glare,
        blur=0.05 * blur,
        noise=noise,
        jpeg=jpeg,
        clutter=int(rng.integers(0, 5)),
        castles=0.4,
    )


def render_scene(factors: SceneFactors, number: int, art: str, data: Path) -> Picture:
    """Return the picture of a scene and its truth, in "drawn" dominoes or those of a source of the data folder."""
    scene_art = choose_drawn_art(number) if art == DRAWN else DrawnSceneArt(FolderArt(data, art))
    return factors.render_picture(number, scene_art)


def choose_drawn_art(number: int) -> DrawnSceneArt:
    """Return the drawn dominoes of scene `number`, which no training uses."""
    return DrawnSceneArt(get_drawn_box(TRAINING_BOX_COUNT + number % BOXES))


def _list_scenes(data: Path, seed: int) -> Iterator[Row]:
    for art in (DRAWN, SCANS) if data.is_dir() else (DRAWN,):
        for number in number_scenes(seed, RANDOM_SCENES[art]):
            setting = "45 to 60 degrees" if draw_factors(number).angle > 45 else "up to 45 degrees"
            yield {"art": art, "factor": RANDOM, "setting": setting, "scene": number}
    for title, factor in FACTORS.items():
        for value, number in product(factor.settings, number_scenes(seed, SCENES_PER_SETTING)):
            yield {"art": DRAWN, "factor": title, "setting": f"{value}", "scene": number}


def get_scene_factors(case: Row) -> SceneFactors:
    if case["factor"] == RANDOM:
        return draw_factors(int(case["scene"]))
    factor = FACTORS[str(case["factor"])]
    setting: Any = next(setting for setting in factor.settings if f"{setting}" == case["setting"])
    return replace(factor.middle, **{factor.field: setting})


def _measure_scene(data: Path, case: Row) -> list[Row]:
    picture = render_scene(get_scene_factors(case), int(case["scene"]), str(case["art"]), data)
    return [judge(picture, read_picture(picture.photo))]


EXPERIMENT: Final = Experiment(
    name="factors",
    question="Which rendered scenes are read right, and which factor makes reading fail?",
    cases=_list_scenes,
    measure=_measure_scene,
    groups=("art", "factor", "setting"),
    counts=VERDICT_COUNTS,
    quick_cases=16,
)
