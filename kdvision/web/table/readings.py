"""From the readings of photos to kingdoms at a table: make, combine and decide them again."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Kingdom as PlayedKingdom
from kdvision.game.pieces import UNKNOWN
from kdvision.pipeline import KingdomReading, decide_again
from kdvision.report.doubt_effects import list_alternatives
from kdvision.report.result import ScoredKingdom
from kdvision.vision.find import Networks
from kdvision.vision.multiview.fuse import fuse
from kdvision.vision.multiview.register import align
from kdvision.vision.result import add_problems
from kdvision.web.limits import Refusal
from kdvision.web.table.model import (
    PieceDoubt,
    Seen,
    SquareDoubt,
    TableKingdom,
    cells_of,
    format_place,
    parse_place,
)
from kdvision.web.table.observations import SurroundedObservation, decode_observation, encode_observation
from kdvision.web.table.storage import StoredReading

LIST_FACTS: Final = ("knights", "buildings", "gems")
"""Facts whose pieces a photo shows; further ones may be unknown."""


class NewReading(NamedTuple):
    """A kingdom of a photo with the encoded observation; its `seen.reading` is its id."""

    kingdom: TableKingdom
    observation: bytes

    @property
    def id(self) -> str:
        """The id of the reading."""
        return self.kingdom.reading

    @property
    def stored_reading(self) -> StoredReading:
        """The reading as it is stored."""
        return StoredReading(self.observation, msgspec.json.encode(self.kingdom))


def make_reading(scored: ScoredKingdom, photo: str) -> NewReading:
    """The kingdom as a photo shows it, not yet at a table."""
    reading = scored.reading
    assert reading is not None and reading.observation is not None, "read from a photo"
    seen = Seen(
        reading=secrets.token_hex(8),
        photo=photo,
        squares=describe_grid(reading),
        first=[0, 0],
        pieces=[
            PieceDoubt(one.kind, _shift(one.squares[0], reading), round(one.probability, 4))
            for one in reading.uncertain
        ],
        **_review_data(reading, (0, 0)),
    )
    cells, facts = cells_of(scored.board, reading.start), _list_facts(scored.kingdom, reading)
    kingdom = TableKingdom("", "", reading.colour or "", cells, facts, seen=seen)
    return NewReading(kingdom, encode_observation(reading))


def describe_grid(reading: KingdomReading) -> list[list[list[int]]]:
    """The corners of every cell of the grid, row by row: x and y clockwise from the top left, in whole pixels."""
    assert reading.observation is not None, "a kingdom read from a photo"
    quads = reading.observation.grid.quads
    corners: list[list[list[int]]] = quads.round().astype(int).reshape(*quads.shape[:2], 8).tolist()
    return corners


def _list_facts(kingdom: PlayedKingdom, reading: KingdomReading) -> dict[str, Any]:
    """The pieces on a kingdom, and "?" for each fact that the photo does not show in full."""
    shown: dict[str, list[Any]] = {
        "knights": [_shift(square, reading) for square in kingdom.knights],
        "buildings": [{"at": _shift(built.square, reading), "name": UNKNOWN} for built in kingdom.buildings],
        "gems": [{"kind": UNKNOWN, "between": _name_crossing(gem.corner, reading)} for gem in kingdom.gems],
    }
    facts: dict[str, Any] = {key: UNKNOWN for key in sorted(kingdom.open_facts) if key not in LIST_FACTS}
    facts |= {key: pieces + [UNKNOWN] * (key in kingdom.open_facts) for key, pieces in shown.items()}
    if kingdom.queen:
        facts["queen"] = True
    return {key: value for key, value in facts.items() if value}


def _shift(square: Square, reading: KingdomReading) -> str:
    return format_place(square.row + reading.start.row, square.col + reading.start.col)


def _name_crossing(corner: Square, reading: KingdomReading) -> str:
    return f"{_shift(corner, reading)} {_shift(Square(corner.row + 1, corner.col + 1), reading)}"


def _review_data(reading: KingdomReading, first: tuple[int, int], fixes: Collection[str] = ()) -> dict[str, Any]:
    """The fields of `Seen` that a decision determines; `first` is the place of the grid's first cell.

    Squares that a person has set are in doubt no longer.
    """
    row, col = reading.start.row + first[0], reading.start.col + first[1]
    doubts = [
        SquareDoubt(
            format_place(doubt.square.row + row, doubt.square.col + col),
            doubt.read,
            doubt.instead,
            round(doubt.probability, 4),
            _compare_boards(reading.board, doubt.board, (row, col)),
        )
        for doubt in list_alternatives(reading)
    ]
    return {
        "probability": round(reading.probability, 4),
        "review": reading.review,
        "problems": [problem.text for problem in reading.problems],
        "doubts": [doubt for doubt in doubts if doubt.at not in fixes],
    }


def _compare_boards(board: Board, other: Board, first: tuple[int, int]) -> dict[str, str]:
    """The squares of another board where it differs, "." for no tile."""
    before, after = cells_of(board, first), cells_of(other, first)
    return {place: after.get(place, ".") for place in {**before, **after} if before.get(place) != after.get(place)}


def decode_reading(stored: StoredReading) -> SurroundedObservation:
    """The observation of a stored reading; raises Refusal if networks of other classes made it."""
    cells = Networks.load().classifier
    try:
        return decode_observation(stored.observation, cells.kinds, piece_names=cells.pieces)
    except ValueError as error:
        message = "this kingdom was read by another version of the program"
        raise Refusal(409, message, hint="take the photo again") from error


def decide_kingdoms(
    kingdoms: Sequence[TableKingdom], observations: Sequence[SurroundedObservation], *, side: int | None, game: str
) -> list[TableKingdom]:
    """The kingdoms, decided together, with the squares that people have set."""
    readings = _decide(kingdoms, observations, side=side, game=game)
    return [_with_decision(kingdom, reading) for kingdom, reading in zip(kingdoms, readings, strict=True)]


def _decide(
    kingdoms: Sequence[TableKingdom], observations: Sequence[SurroundedObservation], *, side: int | None, game: str
) -> list[KingdomReading]:
    fixed = {
        (number, Square(*place)): cell
        for number, (kingdom, seen) in enumerate(zip(kingdoms, observations, strict=True))
        for place, cell in _fixes_on_grid(kingdom, seen).items()
    }
    return decide_again(
        [one.observation for one in observations],
        surroundings=[one.around for one in observations],
        side=side,
        fixed_squares=fixed,
        game=game,
    )


def _fixes_on_grid(kingdom: TableKingdom, seen: SurroundedObservation) -> Mapping[tuple[int, int], str]:
    """The squares that people have set, by row and column of the observation's grid."""
    first, grid = _first_place(kingdom), seen.observation.grid
    places = {parse_place(place): cell for place, cell in kingdom.fixes.items() if cell != UNKNOWN}
    shifted = {(row - first[0], col - first[1]): cell for (row, col), cell in places.items()}
    return {(row, col): cell for (row, col), cell in shifted.items() if 0 <= row < grid.rows and 0 <= col < grid.cols}


def _first_place(kingdom: TableKingdom) -> tuple[int, int]:
    assert kingdom.seen is not None, "read from a photo"
    return kingdom.seen.first[0], kingdom.seen.first[1]


def _with_decision(kingdom: TableKingdom, reading: KingdomReading) -> TableKingdom:
    """The kingdom with a new decision. Squares that people have set stay, also those outside the grid."""
    assert kingdom.seen is not None, "read from a photo"
    first = _first_place(kingdom)
    cells = cells_of(reading.board, (reading.start.row + first[0], reading.start.col + first[1])) | kingdom.fixes
    return replace(
        kingdom,
        cells={place: cell for place, cell in cells.items() if cell != "."},
        seen=replace(kingdom.seen, **_review_data(reading, first, kingdom.fixes)),
    )


def join_readings(kingdom: TableKingdom, stored: StoredReading, further: StoredReading, *, game: str) -> NewReading:
    """The kingdom as two photos show it; raises Refusal if the further one shows another kingdom."""
    assert kingdom.seen is not None, "read from a photo"
    one, two = decode_reading(stored), decode_reading(further)
    alignment = align(one.observation.reading, two.observation.reading)
    if not alignment.is_same_kingdom:
        raise Refusal(422, f"this photo does not show {kingdom.player}'s kingdom", hint="add it as a new kingdom")
    fused, problems = fuse(one.observation, [(two.observation, alignment)])
    # Fusing adds rows and columns before the first ones; places stay as they are.
    (row, col), *_ = np.argwhere((fused.grid.quads == one.observation.grid.quads[0, 0]).all(axis=(2, 3))).tolist()
    first = [kingdom.seen.first[0] - row, kingdom.seen.first[1] - col]
    moved = replace(kingdom, seen=replace(kingdom.seen, first=first, reading=secrets.token_hex(8)))
    reading = _decide([moved], [SurroundedObservation(fused, one.around)], side=None, game=game)[0]
    made = _with_decision(moved, add_problems(reading, problems))
    assert made.seen is not None, "as before"
    made = replace(made, checked=False, seen=replace(made.seen, squares=describe_grid(reading)))
    return NewReading(made, encode_observation(reading))
