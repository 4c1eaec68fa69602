"""The kingdoms of a table beside each other: they share a box, so each tells what the others cannot hold.

Every photo is read by itself, and what was read in it stays. Where the table's kingdoms decided together are the same
boards, the doubts that the box has settled are none any more; where one of them is another board, a person is told.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from kdvision.batch.event import Rules
from kdvision.batch.seen import View, unpacked
from kdvision.batch.standings import Boardroom
from kdvision.batch.tables import Entry
from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO

if TYPE_CHECKING:
    from kdvision.vision.reconstruct import Decision

KNOWN: Final = 0.9999
"""How sure a board is that a person has named."""

OTHER: Final = "the other kingdoms of the table leave no such dominoes in the box: this one is likelier another board"


def settled(room: Boardroom) -> tuple[Entry, ...]:
    """All kingdoms, each with the doubts that are left once those of its table are decided together."""
    most = room.rules.of_game([]).most
    better: dict[tuple[str, int], Entry] = {}
    for own in room.games.values():
        if 2 <= len(own) <= most:
            better |= {(entry.photo, entry.number): entry for entry in _table(own, room.rules)}
    return tuple(better.get((entry.photo, entry.number), entry) for entry in room.seated.entries)


def _table(own: Sequence[Entry], rules: Rules) -> Iterator[Entry]:
    """Yield those of a table's kingdoms of which the others tell something."""
    if not all(entry.corrected or entry.seen for entry in own):
        return
    views = tuple(str(entry.board) if entry.corrected else json.dumps(entry.seen, sort_keys=True) for entry in own)
    sure, decisions = _decided(views, rules.side)
    for entry, decision in zip(own if decisions else (), decisions, strict=True):
        if not entry.corrected and not entry.data["problems"]:
            yield replace(entry, data=_data(entry, decision, sure, rules))


@lru_cache(maxsize=1024)
def _decided(views: tuple[str, ...], side: int | None) -> tuple[float, "tuple[Decision, ...]"]:
    """From when on a board is sure, and the kingdoms decided together; none where they cannot be compared.

    Remembered, because a folder that is watched is looked at again and again.
    """
    from kdvision.vision.reconstruct import decide

    seen = [unpacked(json.loads(view)) for view in views if view.startswith("{")]
    if not seen:
        return 1.0, ()
    trust, kinds = seen[0], seen[0].reading.kinds
    try:
        every = [unpacked(json.loads(view)) if view.startswith("{") else _named(view, kinds, trust) for view in views]
        found = decide(
            [view.reading.of_deck(KINGDOMINO) for view in every],
            KINGDOMINO,
            side=side,
            bonds=[view.bonds for view in every],
            temperature=trust.temperature,
        )
    except ValueError:  # a board with squares that no network knows, or networks of two kinds
        return 1.0, ()
    return trust.sure, tuple(found)


def _named(board: str, kinds: tuple[str, ...], trust: View) -> View:
    """A board that a person has named, as if it had been seen; raises ValueError for squares of other kinds."""
    import numpy as np

    from kdvision.vision.reading import Reading

    reading = Reading.of(board, confidence=KNOWN, kinds=kinds)
    bonds = np.zeros((reading.rows, reading.cols - 1)), np.zeros((reading.rows - 1, reading.cols))
    return trust._replace(reading=reading, bonds=bonds)


def _data(entry: Entry, decision: "Decision", sure: float, rules: Rules) -> Mapping[str, Any]:
    """The kingdom's object with what the table says of it."""
    data, board = entry.data, decision.board.trimmed()
    if str(board) != str(entry.board):
        return {**data, "review": True, **_otherwise(entry, board, decision.probability, rules)}
    left = {doubt.square: doubt.probability for doubt in decision.doubts}
    top = min((square.row for square in decision.board), default=0)
    first = min((square.col for square in decision.board), default=0)
    names = {Square(square.row - top, square.col - first).name: chance for square, chance in left.items()}
    doubts = [
        {**one, "probability": round(names[one["square"]], 4)} for one in data["doubts"] if one["square"] in names
    ]
    return {
        **data,
        "probability": round(decision.probability, 4),
        "review": data["review"] and not decision.certain(sure),
        "doubts": sorted(doubts, key=lambda one: one["probability"]),
    }


def _otherwise(entry: Entry, board: Board, probability: float, rules: Rules) -> dict[str, Any]:
    """Doubts and problems of a kingdom that is likelier another board: its squares first, as they are likelier."""
    from kdvision.game.scoring import score

    if (board.height, board.width) != (entry.board.height, entry.board.width):
        return {"problems": [*entry.data["problems"], {"text": OTHER, "squares": [], "clause": None}]}
    squares = [square for square in sorted({*board, *entry.board}) if board.get(square) != entry.board.get(square)]
    doubts = []
    for square in squares:
        other = entry.board.replaced({square: board.get(square)})
        card = score(other, rules.rule_set([other]))
        words = {"read": str(entry.board.get(square) or "."), "instead": str(board.get(square) or ".")}
        chance = {"probability": round(1 - probability, 4), "points_if": card.points, "total_if": card.total}
        doubts.append({"square": square.name, **words, **chance, "changes_standing": None, "changes_winner": None})
    names = {square.name for square in squares}
    others = [doubt for doubt in entry.data["doubts"] if doubt["square"] not in names]
    problem = {"text": OTHER, "squares": sorted(names), "clause": "kingdomino/contents"}
    return {"doubts": [*doubts, *others], "problems": [*entry.data["problems"], problem]}
