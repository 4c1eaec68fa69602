"""The kingdoms of a table beside each other: they share a box, so each tells what the others cannot hold.

Every photo is read by itself, and what was read in it is kept. Where the table's kingdoms decided together are the same
boards, the doubts that the box has settled are none any more. Where one of them is another board for certain, that one
counts, unless a person has said something of it; and whoever runs the event is told of every board that differs.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import kdvision
from kdvision.batch.event import Rules
from kdvision.batch.observations import View, unpacked
from kdvision.batch.record import typed
from kdvision.batch.seating import Entry
from kdvision.batch.standings import Boardroom
from kdvision.errors import NotationError
from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.game.kingdom import Kingdom
from kdvision.report.doubt_effects import compute_totals
from kdvision.report.to_dict import total_to_dict

if TYPE_CHECKING:
    from kdvision.vision.decide.decision import Decision

KNOWN: Final = 0.9999
"""How sure a board is that a person has named."""

SETTLED: Final = "the box of the table holds no such dominoes beside those of the others: it was read otherwise"
OTHER: Final = "the other kingdoms of the table leave no such dominoes in the box: this one is likelier another board"


OF_PHOTO: Final = ("corners", "place", "colour", "player", "pieces", "gems")
"""What a kingdom's object tells of where it lies and what was seen on it, whatever its squares are."""


class Verdict(NamedTuple):
    """One kingdom of a table decided with the others: its board, how sure that is, and how sure each doubted square is.

    Boards have nothing around them, and squares are called by their names in the first. `others` are boards that it may
    have instead, and how likely each is.
    """

    board: str
    probability: float
    certain: bool
    doubts: Mapping[str, float]
    others: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(cls, value: Any) -> "Verdict":
        """What was kept of one; raises ValueError or TypeError for what is none."""
        board, probability, certain, doubts, others = value
        told = tuple((str(Board.parse(other)), float(share)) for other, share in others)
        return cls(str(Board.parse(board)), float(probability), bool(certain), {**doubts}, told)


class Boxes:
    """Tables that were decided, by what was seen of their kingdoms: to decide them again would come to the same.

    `known` is what was kept of them before. What cannot be understood there is decided again.
    """

    def __init__(self, known: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._known, self._used = known, dict[str, tuple[Verdict, ...]]()

    def verdicts(self, views: tuple[str, ...], side: int | None) -> tuple[Verdict, ...]:
        """The kingdoms decided together; none where they cannot be compared."""
        asked = json.dumps([kdvision.__version__, side, views])
        key = hashlib.sha256(asked.encode()).hexdigest()[:32]
        if key not in self._used:
            found = self._remembered(key)
            self._used[key] = _decided(views, side) if found is None else found
        return self._used[key]

    def kept(self) -> Mapping[str, tuple[Verdict, ...]]:
        """What was asked for since this was asked last, in the order of the keys: all that is worth keeping."""
        self._known, self._used = dict(sorted(self._used.items())), {}
        return self._known

    def _remembered(self, key: str) -> tuple[Verdict, ...] | None:
        try:
            return tuple(map(Verdict.of, self._known[key]))
        except (KeyError, TypeError, ValueError, NotationError):
            return None


def settled(room: Boardroom, boxes: Boxes) -> tuple[Entry, ...]:
    """All kingdoms, each with the doubts that are left once those of its table are decided together."""
    most = room.rules.of_game([]).most
    better: dict[tuple[str, int], Entry] = {}
    for own in room.games.values():
        if 2 <= len(own) <= most:
            better |= {(entry.photo, entry.number): entry for entry in _table(own, room.rules, boxes)}
    return tuple(better.get((entry.photo, entry.number), entry) for entry in room.seated.entries)


def _table(own: Sequence[Entry], rules: Rules, boxes: Boxes) -> Iterator[Entry]:
    """Yield those of a table's kingdoms of which the others tell something."""
    if all(entry.corrected for entry in own) or not all(entry.corrected or entry.seen for entry in own):
        return
    if any(entry.foreign for entry in own):  # of another box
        return
    views = tuple(str(entry.board) if entry.corrected else json.dumps(entry.seen, sort_keys=True) for entry in own)
    verdicts = boxes.verdicts(views, rules.side)
    for entry, verdict in zip(own if verdicts else (), verdicts, strict=True):
        if not entry.corrected and not entry.data["problems"]:
            yield _judged(entry, verdict, rules)


def _decided(views: tuple[str, ...], side: int | None) -> tuple[Verdict, ...]:
    """The kingdoms decided together; none where they cannot be compared."""
    from kdvision.vision.decide.decide import decide

    seen = {view: unpacked(json.loads(view)) for view in views if view.startswith("{")}
    anyone = next(iter(seen.values()))
    try:
        every = [seen[view] if view in seen else _named(view, anyone) for view in views]
        found = decide(
            [view.reading.of_deck(KINGDOMINO) for view in every],
            KINGDOMINO,
            side=side,
            border_log_odds=[view.border_log_odds for view in every],
            temperature=anyone.calibration.temperature,
        )
    except ValueError:  # a board with squares that no network knows, or networks of two kinds
        return ()
    return tuple(_verdict(decision, view) for decision, view in zip(found, every, strict=True))


def _verdict(decision: "Decision", view: View) -> Verdict:
    from kdvision.vision.assess.calibration import SHORT

    top = min((square.row for square in decision.board), default=0)
    first = min((square.col for square in decision.board), default=0)
    left = {doubt.square: doubt.probability for doubt in decision.doubts}
    names = {Square(square.row - top, square.col - first).name: float(chance) for square, chance in left.items()}
    board_probability = view.calibration.of_board(
        decision.probability, correction_cost=decision.correction_cost, side=view.side, broken=decision.broken
    )
    chance = board_probability * view.whole
    certain = chance >= view.calibration.sure and decision.certain(0.0)
    scale = view.whole * (1 - board_probability) / max(1 - decision.probability, SHORT)
    shares = ((str(board.trimmed()), round(scale * share, 4)) for board, share in decision.runners_up)
    others = tuple((board, share) for board, share in shares if share)
    return Verdict(str(decision.board.trimmed()), chance, certain, names, others)


def _named(board: str, other: View) -> View:
    """A board that a person has named, as if it had been seen; raises ValueError for squares that the `other`
    does not know."""
    import numpy as np

    from kdvision.vision.classify.probabilities import Reading

    reading = Reading.of(board, confidence=KNOWN, kinds=other.reading.kinds)
    border_log_odds = np.zeros((reading.rows, reading.cols - 1)), np.zeros((reading.rows - 1, reading.cols))
    return other._replace(reading=reading, border_log_odds=border_log_odds)


def _judged(entry: Entry, verdict: Verdict, rules: Rules) -> Entry:
    """The kingdom with what the table says of it."""
    board = Board.parse(verdict.board)
    if board == entry.board:
        return replace(entry, data=_surer(entry.data, verdict, rules))
    if (board.height, board.width) != (entry.board.height, entry.board.width):
        return replace(entry, data=_odd(_unlikely(entry, verdict, rules), OTHER, []))
    names = sorted(square.name for square in _apart(entry.board, board))
    if verdict.certain and not entry.named:
        doubts = list(_doubts(board, entry.board, verdict.probability, rules))
        kept = {name: entry.data[name] for name in OF_PHOTO}
        counts = _believed(
            {**typed(board, rules), **kept, "doubts": doubts}, verdict.probability, verdict.others, rules
        )
        return replace(entry, data=_odd(counts, SETTLED, names), settled=True)
    doubts = list(_doubts(entry.board, board, 1 - verdict.probability, rules))
    doubts += [doubt for doubt in entry.data["doubts"] if doubt["square"] not in names]
    return replace(entry, data=_odd({**_unlikely(entry, verdict, rules), "doubts": doubts}, OTHER, names))


def _surer(data: Mapping[str, Any], verdict: Verdict, rules: Rules) -> Mapping[str, Any]:
    """The object of a kingdom whose board the table confirms."""
    names = verdict.doubts
    doubts = [
        {**one, "probability": round(names[one["square"]], 4)} for one in data["doubts"] if one["square"] in names
    ]
    sure = {
        **data,
        "review": data["review"] and not verdict.certain,
        "doubts": sorted(doubts, key=lambda one: one["probability"]),
    }
    return _believed(sure, verdict.probability, verdict.others, rules)


def _unlikely(entry: Entry, verdict: Verdict, rules: Rules) -> Mapping[str, Any]:
    """The object of a kingdom that stays as it was read, though the table takes another board for likelier."""
    own = str(entry.board.trimmed())
    rest = max(0.0, 1 - verdict.probability - sum(share for _, share in verdict.others))
    others = [(verdict.board, verdict.probability), *(one for one in verdict.others if one[0] != own)]
    return _believed(entry.data, dict(verdict.others).get(own, rest), others, rules)


def _believed(
    data: Mapping[str, Any], chance: float, others: Sequence[tuple[str, float]], rules: Rules
) -> Mapping[str, Any]:
    """The object of a kingdom with how likely its board and its totals are, as the table has it."""
    board, rule_set = Board.parse(data["board"]), replace(rules, side=data["side"]).rule_set([])
    first, *rest = compute_totals(
        Kingdom(board), [(board, chance), *((Board.parse(o), p) for o, p in others)], rule_set
    )
    return {
        **data,
        "probability": round(chance, 4),
        "points_probability": round(min(first.probability, 1.0), 4),
        "alternatives": [total_to_dict(one) for one in rest],
    }


def _odd(data: Mapping[str, Any], text: str, squares: Sequence[str]) -> Mapping[str, Any]:
    """The object of a kingdom that a person should look at, because of the other kingdoms."""
    problem = {"text": text, "squares": list(squares), "clause": "kingdomino/contents" if squares else None}
    return {**data, "review": True, "problems": [*data["problems"], problem]}


def _apart(one: Board, other: Board) -> list[Square]:
    """The squares on which two boards of one size differ."""
    return [square for square in sorted({*one, *other}) if one.get(square) != other.get(square)]


def _doubts(board: Board, other: Board, probability: float, rules: Rules) -> Iterator[dict[str, Any]]:
    """Yield the squares of a board, which is so probable, that are another cell on the other one."""
    from kdvision.game.scoring import score

    for square in _apart(board, other):
        changed = board.replaced({square: other.get(square)})
        card = score(changed, rules.rule_set([changed]))
        yield {
            "square": square.name,
            "read": str(board.get(square) or "."),
            "probability": round(probability, 4),
            "instead": str(other.get(square) or "."),
            "points_if": card.points,
            "total_if": card.total,
            "changes_standing": None,
            "changes_winner": None,
        }
