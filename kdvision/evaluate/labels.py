"""Labelled photos: a photo and, in a JSON file of the same name, the true board of each kingdom.

The JSON reads `{"kingdoms": [{"board": [rows], "points": 49}]}`. Row 0 is at the top of the upright photo; points are
optional.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kdvision.errors import KdvisionError
from kdvision.files import PHOTO_SUFFIXES
from kdvision.game.board import Board
from kdvision.game.scoring import score

LABEL_FORMAT: Final = 'beside each photo lies a JSON of the same name: {"kingdoms": [{"board": ["w w1", "l #"]}]}'


@dataclass(frozen=True)
class LabelledPhoto:
    """A photo and its true kingdoms: boards and points."""

    path: Path
    boards: tuple[Board, ...]
    points: tuple[int, ...]

    @property
    def room(self) -> str:
        """The name of the photo's folder: photos of one room differ less than photos of several."""
        return self.path.resolve().parent.name

    @property
    def name(self) -> str:
        """The room and the file name, which tell the photo from all others of a data set."""
        return f"{self.room}/{self.path.name}"


def list_labelled_photos(directory: Path) -> Iterator[LabelledPhoto]:
    """Yield the labelled photos below a directory, sorted by path.

    JSON files without a photo, and labels without a kingdom, are skipped. Raises KdvisionError for a JSON file beside a
    photo that is not a label.
    """
    for path in sorted(filter(Path.is_file, directory.rglob("*.json"))):
        siblings = (file for file in sorted(path.parent.iterdir()) if file.stem == path.stem)
        photo = next((file for file in siblings if file.suffix.lower() in PHOTO_SUFFIXES and file.is_file()), None)
        if photo is None:
            continue
        try:
            label = json.loads(path.read_text(encoding="utf-8-sig"))
            kingdoms = (label.get("kingdoms") if isinstance(label, dict) else None) or []
            boards = [Board.parse(kingdom["board"]).trim() for kingdom in kingdoms]
            given_points = [kingdom.get("points") for kingdom in kingdoms]
            points = [score(b).points if p is None else int(p) for b, p in zip(boards, given_points, strict=True)]
            if kingdoms:
                yield LabelledPhoto(photo, tuple(boards), tuple(points))
        except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:
            raise KdvisionError(f"{path} is not a label of a photo: {error}", hint=LABEL_FORMAT) from error
