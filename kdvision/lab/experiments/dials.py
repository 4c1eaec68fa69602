"""Which photos are read and which are not: `python -m kdvision.lab.experiments.dials`, rendered scenes with every factor as a dial.

One dial is turned while the others stay in the middle (`staging.SceneFactors`); "anything" turns them all at once. The tables
are those of `surfaces`, the dominoes a box drawn for this alone, or one set of a data folder: scenes that no training
saw, the sets of the folder only if a training left that one out. A row a scene goes into DIR/dials-ART.csv. A run that
was broken off goes on where it stopped; rows of other models or of stages that are now others are measured again.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.errors import ModelError
from kdvision.evaluate.workers import completed
from kdvision.files import encode_image, write_atomically
from kdvision.lab.experiments.dial_rows import (
    ANYTHING,
    DIALS,
    Key,
    Row,
    Task,
    as_csv,
    key_of,
    rows_of,
    summary,
    told_of,
)
from kdvision.lab.experiments.judged import believed, judge
from kdvision.lab.render.art.folder_art import ArtSet, FolderArt
from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, DrawnSceneArt, get_drawn_box
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scene_factors import SceneFactors, make_rng
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.onnx import model_path

Bytes = npt.NDArray[np.uint8]

BOXES: Final = 3
"""So many boxes of drawn dominoes, from the first seed that training does not use."""


def anything(number: int) -> SceneFactors:
    """Return a stage with every dial turned at random, as photos come; angles spread evenly up to 60 degrees."""
    rng = make_rng(number, "anything")
    light, glare, blur, noise, jpeg = (float(v) for v in rng.beta(1.0, 2.2, 5))
    return SceneFactors(
        angle=60 * ((number + 0.5) * 0.6180339887498949 % 1),
        pixels=float(np.exp(rng.uniform(np.log(24), np.log(96)))),
        fill=float(rng.uniform(0.4, 0.95)),
        kingdoms=1 + number % 4,
        gap=float(rng.uniform(0.9, 2.5)),
        crooked=float(rng.uniform(0, 2) if rng.random() < 0.6 else rng.uniform(2, 8)),
        light=light,
        glare=glare,
        blur=0.05 * blur,
        noise=noise,
        jpeg=jpeg,
        clutter=int(rng.integers(0, 5)),
        castles=0.4,
    )


def tasks(names: Iterable[str], *, scenes: int, free: int) -> Iterator[Task]:
    """The tasks of some dials, so many scenes a setting, and `free` scenes with everything turned."""
    for name in names:
        if name == ANYTHING:
            yield from (Task(name, "", number, anything(number)) for number in range(free))
            continue
        for setting in DIALS[name].settings:
            stage = DIALS[name].at(setting)
            yield from (Task(name, f"{setting}", number, stage) for number in range(scenes))


@dataclass(frozen=True)
class OneSource:
    """One set of dominoes of a data folder, as an `ArtSet`."""

    folder: FolderArt
    source: str

    def domino(self, number: int) -> Bytes:
        """Return the face of a domino, (h, 2h, 3)."""
        return self.folder.domino(number, self.source)

    def castle(self, colour: str) -> Bytes:
        """Return a starting tile, (h, h, 3)."""
        return self.folder.castle(colour, self.source)

    def back(self, number: int) -> Bytes:
        """Return a back, (h, 2h, 3)."""
        return self.folder.back(number)


@dataclass(frozen=True)
class Bench:
    """What a process needs for reading scenes: "drawn" art or a source of the data folder, and which models these are.

    Drawn dominoes are of boxes that training does not draw.
    """

    art: str
    models: str
    data: Path

    def picture(self, task: Task) -> Picture:
        """Return the photo of a scene with its truth."""
        if self.art == "drawn":
            box: ArtSet = get_drawn_box(TRAINING_BOX_COUNT + task.number % BOXES)
        else:
            box = OneSource(_folder(self.data), self.art)
        return task.stage.picture(task.number, DrawnSceneArt(box))

    def row(self, task: Task) -> Row:
        """Render a scene, read it through the program that people use, and judge it."""
        from kdvision import pipeline

        picture = self.picture(task)
        start, reads, error = time.perf_counter(), list[pipeline.KingdomReading](), ""
        try:
            reads = pipeline.read(Photo.open(picture.photo))
        except ModelError:
            raise  # the other scenes would do no better
        except Exception as failure:  # noqa: BLE001 - a crash is a row too, and the worst there can be: others go on
            error = f"{type(failure).__name__}: {failure}"
        verdict = judge(picture, reads, error=bool(error))
        seconds = time.perf_counter() - start
        return Row(task, self.art, self.models, verdict, seconds, error, tuple(believed(picture, reads)))


@cache
def _folder(data: Path) -> FolderArt:
    """One data folder, whose pictures are read once a process."""
    return FolderArt(data)


def fingerprint() -> str:
    """Return what tells the models in use from others."""
    digest = hashlib.sha256()
    for name in ("finder", "cells", "context"):
        digest.update(model_path(name).read_bytes())
    return digest.hexdigest()[:10]


def measure(
    wanted: Sequence[Task],
    path: Path,
    bench: Bench,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Row]:
    """Return the rows of the tasks, in their order, measuring those that the file lacks; it is kept up to date."""
    work = {key_of(task, bench.art, bench.models): task for task in wanted}
    rows = rows_of(path.read_text(encoding="utf-8")) if path.is_file() else []
    known = {row.key: row for row in rows if row.models == bench.models and _stands(row.task)}

    def save(made: Mapping[Key, Row]) -> None:
        write_atomically(path, as_csv(made.values()).encode())

    made = completed(bench.row, work, known, save=save, workers=workers, progress=progress)
    return [made[key] for key in work]


def _stands(task: Task) -> bool:
    """Whether the dials stand at this setting as they did when the task was made."""
    stages = {anything(task.number)} if task.dial == ANYTHING else set[SceneFactors]()
    if dial := DIALS.get(task.dial):
        stages = {dial.at(setting) for setting in dial.settings if f"{setting}" == task.setting}
    return told_of(task.stage) in {told_of(stage) for stage in stages}


def show(wanted: Iterable[Task], bench: Bench, folder: Path) -> None:
    """Write the pictures of some tasks, to look at."""
    folder.mkdir(parents=True, exist_ok=True)
    for task in wanted:
        name = "-".join(word for word in (task.dial, task.setting, str(task.number)) if word)
        write_atomically(folder / f"{name}.jpg", encode_image(bench.picture(task).photo, ".jpg"))


def _say(done: int, of: int) -> None:
    if done % 10 == 0 or done == of:
        print(f"{done} of {of} scenes", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("models/results"), help="the folder for dials-ART.csv")
    parser.add_argument("--art", choices=["drawn", "scans", "photos", "squares"], default="drawn")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of the other art")
    parser.add_argument("--dials", nargs="+", choices=[*DIALS, ANYTHING], default=[ANYTHING, *DIALS])
    parser.add_argument("--scenes", type=int, default=30, help="scenes a setting")
    parser.add_argument("--anything", type=int, default=400, help="scenes with everything turned")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--show", type=Path, metavar="DIR", help="write the pictures here instead of reading them")
    given = parser.parse_args()
    wanted = list(tasks(given.dials, scenes=given.scenes, free=given.anything))
    bench = Bench(given.art, fingerprint(), given.data)
    if given.show:
        show(wanted, bench, given.show)
        return
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / f"dials-{given.art}.csv"
    print(summary(measure(wanted, path, bench, workers=given.workers, progress=_say)))


if __name__ == "__main__":
    main()
