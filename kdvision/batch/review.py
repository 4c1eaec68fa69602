"""What a person should look at, most decisive first: what could change who wins, then places, then points."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from kdvision.batch.foreign import ELSEWHERE
from kdvision.batch.naming import natural
from kdvision.batch.notices import ODD, UNKNOWN, WHICH, Notice, Spot
from kdvision.batch.seating import Entry
from kdvision.batch.standings import Boardroom, places
from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.kingdom import Kingdom
from kdvision.game.standing import Contender, contender
from kdvision.game.table_check import table_problems

COMPARE: Final = "compare it with the photo: kdvision review"

EVENT, TABLE, PLACES, POINTS, NOTHING = 4, 3, 2, 1, 0
"""How much another reading would change: who wins the event, who wins the table, places, points, nothing."""


@dataclass(frozen=True)
class Look:
    """One thing to look at. `changes` says in words what depends on it, `weight` how much that is.

    `stake` orders what weighs the same: the points in question times the chance of being wrong. `fixes` are what a
    correction may look like, `1:C3=w1`, the likeliest first.
    """

    weight: int
    changes: str
    why: str
    advice: str
    stake: float = 0.0
    spot: Spot = field(default_factory=Spot)
    points: int | None = None
    fixes: tuple[str, ...] = ()
    entry: Entry | None = None

    @property
    def order(self) -> tuple[Any, ...]:
        """What looks are sorted by."""
        spot = self.spot
        return -self.weight, -self.stake, spot.round, natural(spot.table), natural(spot.photo), spot.kingdom, self.why


class Effect(NamedTuple):
    """What another board would change: a weight, and words for it."""

    weight: int
    words: str


def looks(room: Boardroom, confirmed: Mapping[tuple[str, int], str]) -> list[Look]:
    """All that should be looked at; `confirmed` are the boards that a person has vouched for, by photo and kingdom."""
    judge = Judge(room)
    found = [_noticed(notice) for notice in (*room.seated.notices, *_shared(room))]
    for entry in room.seated.counting:
        if entry.foreign or confirmed.get((entry.photo, entry.number)) != str(entry.board):
            found += judge.look(entry)
    return sorted(found, key=lambda look: look.order)


class Judge:
    """Knows who stands where, and tells what another board would change about that."""

    def __init__(self, room: Boardroom) -> None:
        self.room = room
        self.totals = room.totals()
        self.total_places = dict(places(self.totals))
        self.contenders = {key: [room.contender(one) for one in own] for key, own in room.games.items()}

    def look(self, entry: Entry) -> Iterator[Look]:
        """Yield what is to be looked at in one kingdom: one thing with all its reasons, or nothing."""
        data = entry.data
        effects = [(self.effect(entry, _other(entry, doubt)), doubt) for doubt in data["doubts"]]
        effects.sort(key=lambda pair: (-pair[0].weight, pair[1]["probability"]))
        best = effects[0][0] if effects else Effect(NOTHING, "")
        if data["problems"] and best.weight < ODD:
            best = Effect(ODD, "points")
        if entry.foreign:
            best = Effect(UNKNOWN, "who wins")
        if not data["review"] and best.weight < TABLE:
            return
        reasons = [_doubt(doubt) for _, doubt in effects] + [problem["text"] for problem in data["problems"]]
        yield Look(
            weight=best.weight,
            changes=best.words,
            why="; ".join(reasons) or f"the whole board is only {100 * data['probability']:.1f} % sure",
            advice=_advice(entry),
            stake=max((_stake(data, doubt) for doubt in data["doubts"]), default=0.0),
            spot=Spot(entry.round, entry.table, entry.player, entry.photo, entry.number),
            points=data["total"],
            fixes=tuple(f"{entry.number}:{doubt['square']}={doubt['instead']}" for _, doubt in effects),
            entry=entry,
        )

    def effect(self, entry: Entry, other: Board) -> Effect:
        """What changes if a kingdom's board is another one."""
        then = self._then(entry, other)
        here = self.contenders.get((entry.round, entry.table), [])
        swapped = [then if one.player == entry.label else one for one in here]
        before, after = dict(places(here)), dict(places(swapped))
        total = self._total(entry, then)
        if _first(self.total_places) != _first(total):
            return Effect(EVENT, "who wins the event")
        if _first(before) != _first(after):
            table = f"table {entry.table} of round {entry.round}" if entry.table else f"round {entry.round}"
            return Effect(TABLE, f"who wins {table}")
        if before != after or self.total_places != total:
            return Effect(PLACES, "places")
        if then.total != self.room.contender(entry).total:
            return Effect(POINTS, "points")
        return Effect(NOTHING, "")

    def _then(self, entry: Entry, other: Board) -> Contender:
        return contender(Kingdom(other, player=entry.label), self.room.rule_set(entry, other), entry.number)

    def _total(self, entry: Entry, then: Contender) -> dict[str, int]:
        """The places over all rounds if one kingdom had other points."""
        if entry.round not in self.room.rounds:
            return self.total_places
        if len(self.room.rounds) == 1:
            return dict(places([then if one.player == entry.label else one for one in self.totals]))
        change = then.total - self.room.contender(entry).total
        moved = [
            replace(one, keys=(one.keys[0] + change,), total=one.total + change) if one.player == entry.label else one
            for one in self.totals
        ]
        return dict(places(moved))


def _noticed(notice: Notice) -> Look:
    words = {UNKNOWN: "who wins", WHICH: "points", ODD: "points"}
    return Look(notice.weight, words.get(notice.weight, ""), notice.why, notice.advice, spot=notice.spot)


def _shared(room: Boardroom) -> Iterator[Notice]:
    """What is odd about a table as a whole: one domino in two kingdoms, more of a terrain than its box holds."""
    for (round_, table), own in room.games.items():
        spot = Spot(round_, table, photo=own[0].photo)
        rule_set = room.rule_set(own[0])
        if len(own) > rule_set.most:
            why = f"{len(own)} kingdoms at one table, where at most {rule_set.most} play"
            yield Notice(ODD, why, "put the photos into folders of their tables", spot)
            continue
        for problem in table_problems([entry.kingdom for entry in own], rule_set):
            if problem.kingdom is None:
                yield Notice(ODD, f"over all kingdoms of the table: {problem.text}", "compare its photos", spot)


def _advice(entry: Entry) -> str:
    """What to do about a kingdom; one of another game no correction mends."""
    if entry.foreign:
        return ELSEWHERE
    if entry.data["pieces"] or entry.data["gems"]:
        return f"{COMPARE}; if another game was played, {ELSEWHERE}"
    return COMPARE


def _other(entry: Entry, doubt: Mapping[str, Any]) -> Board:
    return entry.board.replaced({Square.parse(doubt["square"]): parse_cell(doubt["instead"])})


def _stake(data: Mapping[str, Any], doubt: Mapping[str, Any]) -> float:
    """The points in question times the chance that they are."""
    return float(round(abs(doubt["total_if"] - data["total"]) * (1 - doubt["probability"]), 6))


def _doubt(doubt: Mapping[str, Any]) -> str:
    read, other = ("nothing" if word == "." else word for word in (doubt["read"], doubt["instead"]))
    sure = f"{100 * doubt['probability']:.0f} % sure"
    return f"{doubt['square']} is read as {read} ({sure}); as {other} the total is {doubt['total_if']}"


def _first(found: Mapping[str, int]) -> list[str]:
    return sorted(player for player, place in found.items() if place == 1)


def decisive(found: Sequence[Look]) -> list[Look]:
    """Those of the looks that may change something, as far as is known."""
    return [look for look in found if look.weight > NOTHING]
