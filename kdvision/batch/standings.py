"""Who stands where: at each table, in each round, and over all rounds, with the tie-break that decided in words."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final

from kdvision.batch.event import Event, Rules
from kdvision.batch.missing import Gaps
from kdvision.batch.naming import key_of, natural
from kdvision.batch.seating import Entry, Seated
from kdvision.game.board import Board
from kdvision.game.kingdom import crowns, largest
from kdvision.game.scoring import RuleSet
from kdvision.game.standing import POINTS, Contender, Place, contender, ranked

TOWNS: Final = "not scored right: it has towns"
"""The note of a kingdom of another game."""


class Level(Enum):
    """What is ranked; the values are written into standings.csv."""

    TOTAL = "total"
    TEAM = "team"
    ROUND = "round"
    TABLE = "table"


@dataclass(frozen=True)
class Row:
    """One line of a standing; `place` and `points` are None for a player without a kingdom there.

    `by_round` are the points of each round, None for one without a kingdom; empty where there is only one round.
    """

    place: int | None
    player: str
    points: int | None
    why: str = ""
    by_round: tuple[int | None, ...] = ()
    largest: int | None = None
    crowns: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Ranking:
    """The rows of one standing from first to last, what it is about, and one sentence on who wins."""

    level: Level
    rows: tuple[Row, ...]
    verdict: str
    round: int = 0
    table: str = ""

    @property
    def title(self) -> str:
        """What it is about, in words."""
        if self.level is Level.TABLE:
            return f"Round {self.round}, table {self.table}" if self.table else f"Round {self.round}"
        return {Level.TOTAL: "All rounds", Level.TEAM: "Teams", Level.ROUND: f"Round {self.round}"}[self.level]


@dataclass(frozen=True)
class Boardroom:
    """All kingdoms that count, sorted into games, rounds and sums."""

    seated: Seated
    event: Event

    @property
    def rules(self) -> Rules:
        """What boards are scored by."""
        return self.event.rules

    @cached_property
    def games(self) -> Mapping[tuple[int, str], tuple[Entry, ...]]:
        """The kingdoms of each round and table. Kingdoms without a table are one game where they are few enough."""
        found: dict[tuple[int, str], list[Entry]] = defaultdict(list)
        for entry in self.seated.counting:
            found[entry.round, entry.table].append(entry)
        most = self.rules.of_game([]).most
        return {key: tuple(found[key]) for key in sorted(found, key=_by_table) if key[1] or len(found[key]) <= most}

    @cached_property
    def rounds(self) -> Mapping[int, tuple[Entry, ...]]:
        """The kingdoms of each round that counts, those without a player too."""
        last = self.event.rounds or max(self.seated.rounds, default=0)
        numbers = [number for number in self.seated.rounds if number <= last]
        return {n: tuple(entry for entry in self.seated.counting if entry.round == n) for n in numbers}

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Everybody with a kingdom in a round that counts."""
        return tuple(dict.fromkeys(entry.player for own in self.rounds.values() for entry in own if entry.player))

    def rule_set(self, entry: Entry, board: Board | None = None) -> RuleSet:
        """The rules of the game that a kingdom was played in, as if it had another board, if one is given."""
        own = self.games.get((entry.round, entry.table), (entry,))
        return self.rules.of_game([board or one.board if one is entry else one.board for one in own])

    def contender(self, entry: Entry) -> Contender:
        """The numbers of a kingdom that decide, by the rules of its own game."""
        return self._contenders[entry.photo, entry.number]

    @cached_property
    def _contenders(self) -> Mapping[tuple[str, int], Contender]:
        return {
            (one.photo, one.number): contender(one.kingdom, self.rule_set(one), one.number)
            for one in self.seated.counting
        }

    def rankings(self) -> list[Ranking]:
        """Every standing, the widest first."""
        made = []
        if len(self.rounds) > 1:
            made.append(self._total())
        if self.event.teams:
            made.append(self._teams())
        for number, own in self.rounds.items():
            if own and sum(key[0] == number for key in self.games) != 1:
                made.append(self._ranking(Level.ROUND, own, number))
        made += [self._ranking(Level.TABLE, own, *key) for key, own in self.games.items()]
        return made

    def points(self, player: str) -> tuple[int | None, ...]:
        """A player's points in each round that counts, None for one without a kingdom."""
        return tuple(own.get(player) for own in self._points.values())

    @cached_property
    def _points(self) -> Mapping[int, Mapping[str, int]]:
        return {
            number: {entry.player: self.contender(entry).total for entry in own if entry.player}
            for number, own in self.rounds.items()
        }

    def totals(self) -> list[Contender]:
        """Each player with the sum of all rounds (kingdomino/dynasty); in a single one with what decides there."""
        if len(self.rounds) == 1:
            return [self.contender(entry) for own in self.rounds.values() for entry in own]
        sums = {player: sum(points or 0 for points in self.points(player)) for player in self.players}
        return [Contender(player, (points,), points) for player, points in sums.items()]

    def _ranking(self, level: Level, entries: Sequence[Entry], round_: int, table: str = "") -> Ranking:
        """The kingdoms of a table or a round by the rulebook's tie-breaks; then those who have none there."""
        steps = (POINTS, *(step.words for step in self.rules.of_game([]).tie_breaks))
        gaps = self._gaps([round_], entries, table=None if level is Level.ROUND else table)
        found = ranked([self.contender(entry) for entry in entries], steps, over=gaps.none)
        rows = [_row(place, entries[place.index]) for place in found.places]
        rows += [Row(None, player, None, note="no kingdom") for player in gaps.missing]
        return Ranking(level, tuple(rows), gaps.verdict(found), round_, table)

    def _gaps(self, rounds: Collection[int], entries: Iterable[Entry], table: str | None = None) -> Gaps:
        """What stands between these kingdoms and a winner, in these rounds, at one table or at all of them."""
        missing, unread = (
            dict.fromkeys(who for number, where, who in told if number in rounds and table in (None, where))
            for told in (self.seated.missing, self.seated.unread)
        )
        foreign = dict.fromkeys(entry.label for entry in entries if entry.foreign)
        return Gaps(tuple(missing), tuple(unread), tuple(foreign))

    def _all_gaps(self) -> Gaps:
        """The same over all rounds that count."""
        return self._gaps(self.rounds, (entry for own in self.rounds.values() for entry in own))

    def _total(self) -> Ranking:
        """The sums of all rounds."""
        gaps = self._all_gaps()
        found = ranked(self.totals(), (f"points of {len(self.rounds)} rounds",), over=gaps.none)
        rows = []
        for place in found.places:
            by_round = self.points(place.player)
            without = [str(number) for number, own in zip(self.rounds, by_round, strict=True) if own is None]
            note = f"no kingdom in round {' and '.join(without)}" if without else ""
            if place.player in gaps.foreign:
                note = "; ".join(part for part in (note, TOWNS) if part)
            rows.append(Row(place.place, place.player, place.total, place.reason, by_round, note=note))
        nowhere = [name for name in dict.fromkeys(one[2] for one in self.seated.missing) if name not in self.players]
        rows += [Row(None, name, None, by_round=(None,) * len(self.rounds), note="no kingdom") for name in nowhere]
        return Ranking(Level.TOTAL, tuple(rows), gaps.verdict(found))

    def _teams(self) -> Ranking:
        """The sums of each team's players over all rounds."""
        keys = {key_of(name): name for name in self.players}
        sums = {
            team: sum(points or 0 for name in members for points in self.points(keys.get(key_of(name), name)))
            for team, members in self.event.teams.items()
        }
        gaps = self._all_gaps()
        members = {key_of(name) for own in self.event.teams.values() for name in own}
        missing, foreign = (tuple(who for who in own if key_of(who) in members) for own in (gaps.missing, gaps.foreign))
        gaps = gaps._replace(missing=missing, foreign=foreign)
        found = ranked(
            [Contender(team, (points,), points) for team, points in sums.items()],
            ("points of all players",),
            over=gaps.none,
        )
        rows = [Row(place.place, place.player, place.total, place.reason) for place in found.places]
        return Ranking(Level.TEAM, tuple(rows), gaps.verdict(found))


def _row(place: Place, entry: Entry) -> Row:
    kingdom, data = entry.kingdom, entry.data
    note = "corrected" if entry.corrected else "to be looked at" if data["review"] else ""
    if entry.foreign:
        note = TOWNS
    if place.total != data["total"]:
        note = "; ".join(part for part in (note, "by the side of the other kingdoms here") if part)
    return Row(
        place=place.place,
        player=place.player,
        points=place.total,
        why=place.reason,
        largest=largest(kingdom),
        crowns=crowns(kingdom),
        note=note,
    )


def _by_table(key: tuple[int, str]) -> tuple[int, object]:
    return key[0], natural(key[1])


def places(contenders: Iterable[Contender]) -> Iterator[tuple[str, int]]:
    """Yield each contender with the place: 1 is first, equal ones share."""
    ordered = sorted(contenders, key=lambda one: one.order, reverse=True)
    place = 0
    for number, one in enumerate(ordered, start=1):
        if number == 1 or one.order != ordered[number - 2].order:
            place = number
        yield one.player, place
