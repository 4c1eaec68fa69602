"""Standings at each table, in each round and over all rounds, with the tie-break that decided in words."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final, NamedTuple

from kdvision.batch.event import Event
from kdvision.batch.kingdoms import KingdomResult, Seating
from kdvision.batch.photos import name_key, natural_key
from kdvision.game.board import Board
from kdvision.game.kingdom import count_crowns, measure_largest
from kdvision.game.scoring import RuleSet
from kdvision.game.standing import POINTS, Contender, Place, Standing, make_contender, rank_contenders
from kdvision.text import join_words

TOWNS_NOTE: Final = "not scored correctly: it has towns"
MAX_NAMES: Final = 3
"""The most names in one sentence."""


class Level(Enum):
    """The scope of a ranking, as written to standings.csv."""

    TOTAL = "total"
    TEAM = "team"
    ROUND = "round"
    TABLE = "table"


@dataclass(frozen=True)
class StandingRow:
    """One line of a ranking; `place` and `points` are None for a player without a kingdom there.

    `by_round` are the points of each round, None for a round without a kingdom; empty if there is only one round.
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
    """The rows of a ranking from first to last, its scope, and a sentence on who wins."""

    level: Level
    rows: tuple[StandingRow, ...]
    verdict: str
    round: int = 0
    table: str = ""

    @property
    def title(self) -> str:
        """The scope in words."""
        if self.level is Level.TABLE and self.table:
            return f"Round {self.round}, table {self.table}"
        return {Level.TOTAL: "All rounds", Level.TEAM: "Teams"}.get(self.level, f"Round {self.round}")


class Gaps(NamedTuple):
    """What keeps a ranking from having a winner.

    `missing` are players without a kingdom, `unread` unreadable photos without players, `with_towns` players whose
    kingdom cannot be scored.
    """

    missing: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    with_towns: tuple[str, ...] = ()

    def verdict(self, standing: Standing) -> str:
        """Who wins; or who leads, and what is missing."""
        first = {place.player for place in standing.winners}
        # A single kingdom has no rivals, and one that cannot be scored leads nobody.
        parts = [standing.reason] if len(standing.places) > 1 and first.isdisjoint(self.with_towns) else []
        if self.missing:
            what, are = ("a kingdom", "is") if len(self.missing) == 1 else ("kingdoms", "are")
            parts.append(f"{what} of {_join_names(self.missing)} {are} missing")
        if self.unread:
            parts.append(f"{_join_names(self.unread)} could not be read")
        if self.with_towns:
            parts.append(f"{_join_names(self.with_towns)} cannot be scored because of towns")
        return "; ".join(parts)


@dataclass(frozen=True)
class EventStandings:
    """The kingdoms that count, grouped into games and rounds, and their rankings."""

    seating: Seating
    event: Event

    @cached_property
    def games(self) -> Mapping[tuple[int, str], tuple[KingdomResult, ...]]:
        """The kingdoms of each round and table. Kingdoms without a table are one game if they are few enough."""
        games: dict[tuple[int, str], list[KingdomResult]] = defaultdict(list)
        for one in self.seating.counting:
            games[one.round, one.table].append(one)
        most = self.event.rules.game_rule_set([]).max_kingdoms
        keys = sorted(games, key=lambda key: (key[0], natural_key(key[1])))
        return {key: tuple(games[key]) for key in keys if key[1] or len(games[key]) <= most}

    @cached_property
    def rounds(self) -> Mapping[int, tuple[KingdomResult, ...]]:
        """The kingdoms of each round that counts."""
        last = self.event.rounds or max(self.seating.rounds, default=0)
        numbers = [number for number in self.seating.rounds if number <= last]
        return {number: tuple(one for one in self.seating.counting if one.round == number) for number in numbers}

    @cached_property
    def players(self) -> tuple[str, ...]:
        """All players with a kingdom in a round that counts."""
        return tuple(dict.fromkeys(one.player for own in self.rounds.values() for one in own if one.player))

    def rule_set(self, kingdom: KingdomResult, board: Board | None = None) -> RuleSet:
        """The rules of the game of a kingdom, optionally as if it had another board."""
        game = self.games.get((kingdom.round, kingdom.table), (kingdom,))
        return self.event.rules.game_rule_set([board or one.board if one is kingdom else one.board for one in game])

    @cached_property
    def contenders(self) -> Mapping[tuple[str, int], Contender]:
        """The numbers of each kingdom that decide its place, by the rules of its game and by its id."""
        return {one.id: make_contender(one.kingdom, self.rule_set(one), one.number) for one in self.seating.counting}

    def rankings(self) -> list[Ranking]:
        """All rankings, the widest first."""
        rankings = []
        if len(self.rounds) > 1:
            rankings.append(self._rank_total())
        if self.event.teams:
            rankings.append(self._rank_teams())
        for number, own in self.rounds.items():
            if own and sum(key[0] == number for key in self.games) != 1:
                rankings.append(self._rank(Level.ROUND, own, number))
        return rankings + [self._rank(Level.TABLE, own, *key) for key, own in self.games.items()]

    def points(self, player: str) -> tuple[int | None, ...]:
        """A player's points in each round that counts, None for a round without a kingdom."""
        return tuple(own.get(player) for own in self._points.values())

    @cached_property
    def _points(self) -> Mapping[int, Mapping[str, int]]:
        return {
            number: {one.player: self.contenders[one.id].total for one in own if one.player}
            for number, own in self.rounds.items()
        }

    def totals(self) -> list[Contender]:
        """Each player with the sum of all rounds (kingdomino/dynasty); for one round, its contenders."""
        if len(self.rounds) == 1:
            return [self.contenders[one.id] for own in self.rounds.values() for one in own]
        return [_sum_contender(player, self.points(player)) for player in self.players]

    def _rank(self, level: Level, kingdoms: Sequence[KingdomResult], round_: int, table: str = "") -> Ranking:
        """The kingdoms of a table or a round by the rulebook's tie-breaks, then players without a kingdom there."""
        steps = (POINTS, *(step.words for step in self.event.rules.game_rule_set([]).tie_breaks))
        gaps = self._find_gaps([round_], kingdoms, table=None if level is Level.ROUND else table)
        standing = rank_contenders([self.contenders[one.id] for one in kingdoms], steps, over=not any(gaps))
        rows = [_row(place, kingdoms[place.index]) for place in standing.places]
        rows += [StandingRow(None, player, None, note="no kingdom") for player in gaps.missing]
        return Ranking(level, tuple(rows), gaps.verdict(standing), round_, table)

    def _find_gaps(self, rounds: Collection[int], kingdoms: Iterable[KingdomResult], table: str | None = None) -> Gaps:
        """The gaps of these kingdoms in these rounds, at one table or at all of them."""
        missing, unread = (
            dict.fromkeys(who for number, where, who in found if number in rounds and table in (None, where))
            for found in (self.seating.missing, self.seating.unread)
        )
        with_towns = dict.fromkeys(one.label for one in kingdoms if one.has_towns)
        return Gaps(tuple(missing), tuple(unread), tuple(with_towns))

    def _find_total_gaps(self) -> Gaps:
        return self._find_gaps(self.rounds, (one for own in self.rounds.values() for one in own))

    def _rank_total(self) -> Ranking:
        gaps = self._find_total_gaps()
        standing = rank_contenders(self.totals(), (f"points of {len(self.rounds)} rounds",), over=not any(gaps))
        rows = []
        for place in standing.places:
            by_round = self.points(place.player)
            without = [str(number) for number, own in zip(self.rounds, by_round, strict=True) if own is None]
            notes = [f"no kingdom in round {' and '.join(without)}"] * bool(without)
            notes += [TOWNS_NOTE] * (place.player in gaps.with_towns)
            row = StandingRow(place.place, place.player, place.total, place.reason, by_round, note="; ".join(notes))
            rows.append(row)
        absent = dict.fromkeys(player for _, _, player in self.seating.missing if player not in self.players)
        rows += [
            StandingRow(None, name, None, by_round=(None,) * len(self.rounds), note="no kingdom") for name in absent
        ]
        return Ranking(Level.TOTAL, tuple(rows), gaps.verdict(standing))

    def _rank_teams(self) -> Ranking:
        """The teams by the sum of their players' points over all rounds."""
        spelling = {name_key(name): name for name in self.players}
        teams = [
            _sum_contender(team, (p for name in members for p in self.points(spelling.get(name_key(name), name))))
            for team, members in self.event.teams.items()
        ]
        members = {name_key(name) for own in self.event.teams.values() for name in own}
        gaps = self._find_total_gaps()
        missing, with_towns = (
            tuple(who for who in own if name_key(who) in members) for own in (gaps.missing, gaps.with_towns)
        )
        gaps = gaps._replace(missing=missing, with_towns=with_towns)
        standing = rank_contenders(teams, ("points of all players",), over=not any(gaps))
        rows = tuple(StandingRow(place.place, place.player, place.total, place.reason) for place in standing.places)
        return Ranking(Level.TEAM, rows, gaps.verdict(standing))


def rank_places(contenders: Sequence[Contender]) -> dict[str, int]:
    """The place of each contender: 1 is first, equal ones share."""
    places: dict[tuple[bool | int, ...], int] = {}
    for number, order in enumerate(sorted((one.order for one in contenders), reverse=True), start=1):
        places.setdefault(order, number)
    return {one.player: places[one.order] for one in contenders}


def _sum_contender(name: str, points: Iterable[int | None]) -> Contender:
    total = sum(number or 0 for number in points)
    return Contender(name, (total,), total)


def _row(place: Place, kingdom: KingdomResult) -> StandingRow:
    note = "corrected" if kingdom.is_corrected else "to be reviewed" if kingdom.data["review"] else ""
    notes = [TOWNS_NOTE if kingdom.has_towns else note]
    if place.total != kingdom.data["total"]:
        notes.append("scored with the side of the other kingdoms here")
    return StandingRow(
        place=place.place,
        player=place.player,
        points=place.total,
        why=place.reason,
        largest=measure_largest(kingdom.kingdom),
        crowns=count_crowns(kingdom.kingdom),
        note="; ".join(filter(None, notes)),
    )


def _join_names(names: Sequence[str]) -> str:
    """The names in a sentence; of many, only the first."""
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} and {len(names) - MAX_NAMES + 1} more"
    return join_words(names)
