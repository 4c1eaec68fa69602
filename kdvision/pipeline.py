"""The whole journey on one page: a photo in, its kingdoms out.

Photo -> squares found -> a grid per kingdom -> squares read -> boards decided, all kingdoms of the photo together.
Nothing flows back. Scores are no part of it: `kdvision.game` makes them from the boards.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kdvision.errors import NoKingdomFound, NotationError
from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.game.legality import Problem
from kdvision.vision import lattice
from kdvision.vision.cells import CellReader
from kdvision.vision.finder import Finder
from kdvision.vision.lattice import Grid
from kdvision.vision.models import shipped
from kdvision.vision.photo import Photo, PhotoSource
from kdvision.vision.reading import Reading
from kdvision.vision.reconstruct import Decision, Doubt, decide

SURE: Final = 0.9
"""A board less probable than this is for a person to look at."""


Watch: TypeAlias = Callable[[str, Any], None]
"""Called after each stage with its name and what it made: for timings and debug pictures."""


@dataclass(frozen=True, eq=False)
class KingdomRead:
    """One kingdom of a photo: what was read, where it lies, and how sure that is.

    Row 0 of `board`, `grid` and `reading` is the top row as the kingdom lies in the upright photo. `probability` is
    that of the whole board; `review` is true where a person should look; `place` is in words ("left", "top right").
    """

    board: Board
    grid: Grid
    reading: Reading
    doubts: tuple[Doubt, ...]
    problems: tuple[Problem, ...]
    probability: float
    review: bool
    place: str
    dominoes: tuple[tuple[Any, ...], ...] = ()
    runners_up: tuple[tuple[Board, float], ...] = ()


def read(
    photo: PhotoSource,
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    watch: Watch | None = None,
) -> list[KingdomRead]:
    """The kingdoms of a photo (path, bytes, open file, RGB array or Photo), from the top left.

    `side` is the game's, 5 or 7, None to go by what the photo shows. `clamps` holds squares that a person has named,
    `{(0, Square(2, 1)): "w1"}`, kingdoms counted from 0, "." for a place without a tile. Raises PhotoError,
    NoKingdomFound, ModelError, and NotationError for a clamp on a square or kingdom that is not there.
    """
    seen = Photo.open(photo)
    tell = watch or (lambda *_: None)
    tell("photo", seen)
    grids = lattice.grids(seen, Finder(shipped("finder")))
    tell("lattice", grids)
    if not grids:
        raise NoKingdomFound(
            f"{seen.name} shows no kingdom",
            stage="lattice",
            hint="take the photo from above, with all of the kingdom in it",
        )
    _check_clamps(clamps or {}, grids)
    reader = CellReader(shipped("cells"))
    readings = [reader.read(seen.pixels, grid.quads)[0] for grid in grids]
    tell("cells", readings)
    decisions = decide(readings, KINGDOMINO, side=side, clamps=clamps)
    tell("decide", decisions)
    return [
        _kingdom(grid, reading, decision, place)
        for grid, reading, decision, place in zip(grids, readings, decisions, places(grids, seen), strict=True)
    ]


def _check_clamps(clamps: Mapping[tuple[int, Square], str], grids: Sequence[Grid]) -> None:
    for number, square in clamps:
        if not 0 <= number < len(grids):
            hint = f"kingdoms are numbered from 1 to {len(grids)}"
            raise NotationError(f"the photo shows no kingdom {number + 1}", expected=hint, hint=hint)
        rows, cols = grids[number].rows, grids[number].cols
        if not (square.row < rows and square.col < cols):
            hint = f"its squares are A1 to {Square(rows - 1, cols - 1).name}"
            raise NotationError(f"kingdom {number + 1} has no square {square.name}", expected=hint, hint=hint)


def _kingdom(grid: Grid, reading: Reading, decision: Decision, place: str) -> KingdomRead:
    review = bool(decision.doubts or decision.problems) or decision.probability < SURE
    return KingdomRead(
        decision.board,
        grid,
        reading,
        decision.doubts,
        decision.problems,
        decision.probability,
        review,
        place,
        decision.dominoes,
        decision.runners_up,
    )


def places(grids: Sequence[Grid], photo: Photo) -> list[str]:
    """Where each kingdom lies in the photo, in words; a single one is just "the photo"."""
    if len(grids) == 1:
        return ["the photo"]
    centres = [grid.corners.mean(axis=0) for grid in grids]
    return [_place(float(x) / photo.width, float(y) / photo.height) for x, y in centres]


def _place(x: float, y: float) -> str:
    """The words for a point of the photo, both coordinates from 0 to 1."""
    across = "left" if x < 0.4 else "right" if x > 0.6 else ""
    down = "top" if y < 0.4 else "bottom" if y > 0.6 else ""
    return " ".join(word for word in (down, across) if word) or "middle"
