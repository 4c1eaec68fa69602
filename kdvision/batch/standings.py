"""Standings at each table, in each round and over all rounds, with the tie-break that decided in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from kdvision.batch.kingdoms import KingdomResult, Seating
from kdvision.batch.photos import name_key
from kdvision.game.board import Board
from kdvision.game.kingdom import count_crowns, measure_largest
from kdvision.game.scoring import RuleSet
from kdvision.game.standing import POINTS, Contender, Place, Standing, make_contender, rank_contenders
from kdvision.text import join_words

TOWNS_NOTE: Final = "not scored correctly: it has towns"
MAX_NAMES: Final = 3
"""The most names in one sentence."""


class StandingRow(NamedTuple):
    """One line of a ranking; `place` and `points` are None for a player without a kingdom there.

    `by_round` are the points of each round, as in "5 + - + 6"; empty if there is only one round.
    """

    place: int | None
    player: str
    points: int | None
    by_round: str = ""
    largest: int | None = None
    crowns: int | None = None
    why: str = ""
    note: str = ""


@dataclass(frozen=True)
class Ranking:
    """The rows of a ranking from first to last, and a sentence on who wins.

    Its scope, `level`, is "total", "team", "round" or "table".
    """

    level: str
    rows: tuple[StandingRow, ...]
    verdict: str
    round: int = 0
    table: str = ""

    @property
    def title(self) -> str:
        """The scope in words."""
        if self.table:
            return f"Round {self.round}, table {self.table}"
        return {"total": "All rounds", "team": "Teams"}.get(self.level, f"Round {self.round}")


@dataclass(frozen=True)
class Standings:
    """What the kingdoms that count are worth, and their rankings."""

    seating: Seating

    def rule_set(self, kingdom: KingdomResult, board: Board | None = None) -> RuleSet:
        """The rules of the game of a kingdom, optionally as if it had another board."""
        game = self.seating.games.get((kingdom.round, kingdom.table), (kingdom,))
        boards = [board or one.board if one is kingdom else one.board for one in game]
        return self.seating.event.rules.game_rule_set(boards)

    @cached_property
    def contenders(self) -> Mapping[tuple[str, int], Contender]:
        """The numbers of each kingdom that decide its place, by the rules of its game and by its id."""
        return {one.id: make_contender(one.kingdom, self.rule_set(one), one.number) for one in self.seating.counting}

    @cached_property
    def points(self) -> Mapping[str, tuple[int | None, ...]]:
        """The points of each player in each round that counts, None for a round without a kingdom."""
        by_round = [
            {one.player: self.contenders[one.id].total for one in own if one.player}
            for own in self.seating.rounds.values()
        ]
        players = dict.fromkeys(player for own in by_round for player in own)
        return {player: tuple(own.get(player) for own in by_round) for player in players}

    @cached_property
    def totals(self) -> list[Contender]:
        """Each player with the sum of all rounds (kingdomino/dynasty); for one round, its contenders."""
        if len(self.seating.rounds) == 1:
            return [self.contenders[one.id] for own in self.seating.rounds.values() for one in own]
        return [sum_contender(player, points) for player, points in self.points.items()]

    @cached_property
    def total_places(self) -> dict[str, int]:
        """The place of each player over all rounds."""
        return rank_places(self.totals)

    @cached_property
    def rankings(self) -> list[Ranking]:
        """All rankings, the widest first."""
        event, rounds, games = self.seating.event, self.seating.rounds, self.seating.games
        rankings = []
        if len(rounds) > 1:
            rankings.append(self._rank("total", self.totals, [f"points of {len(rounds)} rounds"]))
        if event.teams:
            points = {name_key(player): own for player, own in self.points.items()}
            sums = [
                sum_contender(team, [own for name in members for own in points.get(name_key(name), ())])
                for team, members in event.teams.items()
            ]
            rankings.append(self._rank("team", sums, ["points of all players"]))
        steps = [POINTS, *(step.words for step in event.rules.game_rule_set([]).tie_breaks)]
        for number, own in rounds.items():
            if own and sum(key[0] == number for key in games) != 1:
                rankings.append(self._rank("round", [self.contenders[one.id] for one in own], steps, own, number))
        for (number, table), own in games.items():
            rankings.append(self._rank("table", [self.contenders[one.id] for one in own], steps, own, number, table))
        return rankings

    def _rank(
        self,
        level: str,
        contenders: Sequence[Contender],
        steps: Sequence[str],
        kingdoms: Sequence[KingdomResult] = (),
        round_: int = 0,
        table: str | None = None,
    ) -> Ranking:
        """The ranking of contenders, which are those of the `kingdoms` unless they sum up all rounds.

        Nobody wins while a kingdom is missing, a photo without players is unread, or a kingdom cannot be scored.
        """
        rounds = [round_] if round_ else list(self.seating.rounds)
        missing, unread = (
            dict.fromkeys(who for number, where, who in found if number in rounds and table in (None, where))
            for found in (self.seating.missing, self.seating.unread)
        )
        in_scope = kingdoms or [one for own in self.seating.rounds.values() for one in own]
        towns = dict.fromkeys(one.label for one in in_scope if one.has_towns)
        if level == "team":
            members = {name_key(name) for own in self.seating.event.teams.values() for name in own}
            missing, towns = ({who: None for who in own if name_key(who) in members} for own in (missing, towns))
        standing = rank_contenders(contenders, steps, over=not (missing or unread or towns))
        if kingdoms:
            rows = [_make_row(place, kingdoms[place.index]) for place in standing.places]
        else:
            rows = [StandingRow(one.place, one.player, one.total, why=one.reason) for one in standing.places]
        if level == "total":
            rows = [self._add_rounds(row, towns=row.player in towns) for row in rows]
        if level != "team":
            by_round = " + ".join("-" * len(rounds)) if level == "total" else ""
            absent = missing.keys() - {row.player for row in rows}
            rows += [StandingRow(None, who, None, by_round, note="no kingdom") for who in missing if who in absent]
        verdict = _write_verdict(standing, list(missing), list(unread), list(towns))
        return Ranking(level, tuple(rows), verdict, round_, table or "")

    def _add_rounds(self, row: StandingRow, *, towns: bool) -> StandingRow:
        """The row of a player over all rounds with the points of each round."""
        points = dict(zip(self.seating.rounds, self.points[row.player], strict=True))
        without = " and ".join(str(number) for number, own in points.items() if own is None)
        notes = [f"no kingdom in round {without}"] * bool(without) + [TOWNS_NOTE] * towns
        by_round = " + ".join("-" if own is None else str(own) for own in points.values())
        return row._replace(by_round=by_round, note="; ".join(notes))


def _make_row(place: Place, kingdom: KingdomResult) -> StandingRow:
    note = "corrected" if kingdom.is_corrected else "to be reviewed" if kingdom.data["review"] else ""
    notes = [TOWNS_NOTE if kingdom.has_towns else note]
    if place.total != kingdom.data["total"]:
        notes.append("scored with the side of the other kingdoms here")
    largest, crowns = measure_largest(kingdom.kingdom), count_crowns(kingdom.kingdom)
    words = "; ".join(filter(None, notes))
    return StandingRow(place.place, place.player, place.total, "", largest, crowns, place.reason, words)


def _write_verdict(standing: Standing, missing: Sequence[str], unread: Sequence[str], with_towns: Sequence[str]) -> str:
    """Who wins; or who leads, and what is missing."""
    first = {place.player for place in standing.winners}
    # A single kingdom has no rivals, and one that cannot be scored leads nobody.
    parts = [standing.reason] if len(standing.places) > 1 and first.isdisjoint(with_towns) else []
    if missing:
        what, are = ("a kingdom", "is") if len(missing) == 1 else ("kingdoms", "are")
        parts.append(f"{what} of {_join_names(missing)} {are} missing")
    if unread:
        parts.append(f"{_join_names(unread)} could not be read")
    if with_towns:
        parts.append(f"{_join_names(with_towns)} cannot be scored because of towns")
    return "; ".join(parts)


def _join_names(names: Sequence[str]) -> str:
    """The names in a sentence; of many, only the first."""
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} and {len(names) - MAX_NAMES + 1} more"
    return join_words(names)


def rank_places(contenders: Sequence[Contender]) -> dict[str, int]:
    """The place of each contender: 1 is first, equal ones share."""
    places: dict[tuple[bool | int, ...], int] = {}
    for number, order in enumerate(sorted((one.order for one in contenders), reverse=True), start=1):
        places.setdefault(order, number)
    return {one.player: places[one.order] for one in contenders}


def sum_contender(name: str, points: Iterable[int | None]) -> Contender:
    """A player or team with the sum of some points."""
    total = sum(number or 0 for number in points)
    return Contender(name, (total,), total)
