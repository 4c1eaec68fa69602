"""How well the shipped cell network reads squares of real photos that no training saw: `python -m kdvision.lab.experiments.crops`.

The crops of the data folder are split by photo as in training, and go by what they show where their folder is wrong
(`crop_folder.MISLABELLED`). Each held-out crop is read as on a board, squares of its own photo around it, through the
reader that people use. One row a crop that was misread goes into the CSV.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kdvision.files import write_atomically
from kdvision.game.board import Cell
from kdvision.lab.render.mosaics import mosaic
from kdvision.lab.train.crop_folder import Crops
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CROP, INNER, CellClassifier
from kdvision.vision.networks.onnx import load_model

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Misread:
    """A crop that was misread: its photo, what it shows, what was read and how probable that seemed."""

    photo: str
    kind: str
    read: str
    probability: float

    @property
    def crowns(self) -> bool:
        """Whether the crowns were miscounted too."""
        return Cell.parse(self.kind).crowns != Cell.parse(self.read).crowns


@dataclass(frozen=True)
class Tally:
    """How many crops of how many photos were read, and those misread."""

    photos: int
    squares: int
    misread: tuple[Misread, ...]

    def __str__(self) -> str:
        crowns = sum(one.crowns for one in self.misread)
        return (
            f"{self.squares} squares of {self.photos} photos: {1 - len(self.misread) / self.squares:.2%} right, "
            f"crowns {1 - crowns / self.squares:.2%}"
        )

    def csv(self) -> str:
        """One line a misread crop, then the totals."""
        lines = [f"{one.photo},{one.kind},{one.read},{one.probability:.4f}" for one in self.misread]
        total = f"all,{self.squares} squares,{len(self.misread)} wrong,{sum(one.crowns for one in self.misread)} crowns"
        return "\n".join(["photo,true,read,probability", *lines, total]) + "\n"


def measure(crops: Crops, reader: CellClassifier, *, seed: int = 7) -> Tally:
    """Return how the reader reads every crop once, in the middle of others of its photo."""
    rng = np.random.default_rng((seed, 23))
    rows = [(photo, kind, crop) for photo, kinds in sorted(crops.pictures.items()) for kind, crop in _each(kinds)]
    near = {photo: [c for few in kinds.values() for c in few] for photo, kinds in crops.pictures.items()}
    made = np.stack([mosaic(crop, near[photo], crops.scraps, rng) for photo, _, crop in rows])
    kind = reader.look(Photo(np.concatenate(list(made), axis=0)), _places(len(rows))).kind
    best = kind.argmax(1)
    misread = (
        Misread(photo, true, reader.kinds[int(read)], float(np.exp(kind[i, read])))
        for i, ((photo, true, _), read) in enumerate(zip(rows, best, strict=True))
        if reader.kinds[int(read)] != true
    )
    return Tally(len(crops.pictures), len(rows), tuple(misread))


def _each(kinds: dict[str, list[Bytes]]) -> Iterator[tuple[str, Bytes]]:
    for kind, crops in sorted(kinds.items()):
        for crop in crops:
            yield kind, crop


def _places(count: int) -> npt.NDArray[np.float64]:
    """The squares (count, 4, 2) in the middles of crops stacked below each other."""
    low = (CROP - INNER) / 2 - 0.5
    box = np.array([[low, low], [low + INNER, low], [low + INNER, low + INNER], [low, low + INNER]])
    return np.asarray(box[None] + np.arange(count)[:, None, None] * np.array([0.0, CROP]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with tiles/")
    parser.add_argument("--csv", type=Path, help="write the misread crops here")
    given = parser.parse_args()
    tally = measure(Crops.load(given.data / "tiles", mended=True).split()[1], CellClassifier(load_model("cells")))
    if given.csv:
        write_atomically(given.csv, tally.csv().encode())
    print(tally)


if __name__ == "__main__":
    main()
