"""Standings at each table, in each round and over all rounds. They say in words which tie-break decided."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from kdvision.batch.event import Event
from kdvision.batch.kingdoms import (
    KingdomResult,
    assign_players,
    differ_too_much,
    find_same_kingdoms,
    find_second_kingdoms,
)
from kdvision.batch.photos import NAMES_ROUND, ROUND, Seat, make_name_key, make_natural_key
from kdvision.batch.store.record import Correction, PhotoRecord
from kdvision.game.board import Board
from kdvision.game.kingdom import count_crowns, measure_largest
from kdvision.game.scoring import RuleSet
from kdvision.game.standing import POINTS, Contender, Place, make_contender, rank_contenders
from kdvision.report.build import show_same_kingdom
from kdvision.text import join_words

RESCORED_NOTE: Final = "scored with the side of the other kingdoms here"
TOWNS_NOTE: Final = "not scored correctly: it has towns"
SUMS: Final = ("total", "team")
"""Levels of rankings that add up the kingdoms of each player."""
MAX_NAMES: Final = 3
"""The most names in one sentence."""

Finding: TypeAlias = tuple[int, str, str]
"""The round and the table of a photo or player, and its name."""


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

    Its scope, `level`, is "total", "team", "round" or "table"; `title` names it.
    """

    level: str
    title: str
    rows: tuple[StandingRow, ...]
    verdict: str
    round: int
    table: str


@dataclass(frozen=True)
class Standings:
    """All kingdoms of an event, and all photos in the folder, their players in one spelling; and their rankings.

    `spelling` gives each player's name by its key. Of identical photos all but one are copies: `original_by_copy` gives
    that one by the name of the copy. `gone_photos` were in the folder in an earlier run. `unmatched_corrections` are
    about none of all these photos.
    """

    event: Event
    photos: tuple[PhotoRecord, ...]
    kingdoms: tuple[KingdomResult, ...]
    spelling: Mapping[str, str]
    original_by_copy: Mapping[str, PhotoRecord]
    gone_photos: tuple[PhotoRecord, ...] = ()
    unmatched_corrections: tuple[Correction, ...] = ()

    @cached_property
    def counted_kingdoms(self) -> tuple[KingdomResult, ...]:
        return tuple(kingdom for kingdom in self.kingdoms if kingdom.counts)

    @cached_property
    def games(self) -> Mapping[tuple[int, str], tuple[KingdomResult, ...]]:
        """The kingdoms of each round and table. Kingdoms without a table are one game if they are few enough."""
        games: dict[tuple[int, str], list[KingdomResult]] = defaultdict(list)
        for kingdom in self.counted_kingdoms:
            games[kingdom.round, kingdom.table].append(kingdom)
        max_kingdoms = self.event.rules.choose_game_rule_set([]).max_kingdoms
        keys = sorted(games, key=lambda key: (key[0], make_natural_key(key[1])))
        return {key: tuple(games[key]) for key in keys if key[1] or len(games[key]) <= max_kingdoms}

    @cached_property
    def all_rounds(self) -> list[int]:
        """The rounds of the event file and of all photos."""
        photos = (*self.photos, *self.lost_photos)
        return sorted({photo.seat.round for photo in photos} | set(range(1, self.event.rounds + 1)))

    @cached_property
    def rounds(self) -> Mapping[int, tuple[KingdomResult, ...]]:
        """The kingdoms of each round that counts."""
        numbers = [number for number in self.all_rounds if number <= (self.event.rounds or number)]
        return {number: tuple(entry for entry in self.counted_kingdoms if entry.round == number) for number in numbers}

    @property
    def absent_rounds(self) -> list[str]:
        """The rounds between the first and the last one that counts of which there is no photo."""
        numbers = [*self.rounds] or [0]
        return [str(number) for number in range(numbers[0], numbers[-1]) if number not in self.rounds]

    @cached_property
    def unclear_rounds(self) -> list[str]:
        """The tables beside others that have the word for a round, as in "Round two", while no number gives a round."""
        tables = {kingdom.table for kingdom in self.counted_kingdoms if not ROUND.search(kingdom.photo.name)}
        is_only_table = len({kingdom.table for kingdom in self.counted_kingdoms}) == 1
        return [] if is_only_table else sorted(filter(NAMES_ROUND.search, tables), key=make_natural_key)

    @cached_property
    def unclear_groups(self) -> Mapping[tuple[int, str], list[str]]:
        """By round and table, folders of its photos that may be rounds or tables, because they differ."""
        groups = {
            key: {kingdom.photo.seat.group for kingdom in game if kingdom.photo.name not in self.event.photos}
            for key, game in self.games.items()
        }
        return {
            key: sorted(filter(None, names), key=make_natural_key) for key, names in groups.items() if len(names) > 1
        }

    @cached_property
    def tables(self) -> Mapping[tuple[int, str], str]:
        """The name of each table with a photo, by round and key of the name."""
        return {(photo.seat.round, make_name_key(photo.seat.table)): photo.seat.table for photo in self.photos}

    def find_table(self, seat: Seat) -> str:
        """Return the name of a seat's table, spelled as in the photos."""
        return self.tables.get((seat.round, make_name_key(seat.table)), seat.table)

    @cached_property
    def owners(self) -> set[tuple[int, str]]:
        """The players with a kingdom, by round and key of the name."""
        return {(kingdom.round, make_name_key(kingdom.player)) for kingdom in self.counted_kingdoms if kingdom.player}

    @cached_property
    def missing_players(self) -> list[Finding]:
        """The players who should have a kingdom in a round and have none.

        The players are those of the event file, or else, in an event of several rounds, all who are named anywhere; and
        the members of teams. The table is "" if it is not known.
        """
        event, absentees = self.event, []
        seats = [*(photo.seat for photo in self.photos), *event.seats]
        table_of = {(seat.round, make_name_key(name)): self.find_table(seat) for seat in seats for name in seat.players}
        players = [make_name_key(name) for name in event.players] or list(self.spelling) * (len(self.all_rounds) > 1)
        players += [make_name_key(name) for members in event.teams.values() for name in members]
        for round_ in self.all_rounds:
            keys = {*players, *(key for number, key in table_of if number == round_)}
            absent_keys = [key for key in keys if (round_, key) not in self.owners]
            absent_keys.sort(key=lambda key: make_natural_key(self.spelling[key]))
            absentees += [(round_, table_of.get((round_, key), ""), self.spelling[key]) for key in absent_keys]
        return absentees

    @cached_property
    def team_members(self) -> set[str]:
        """The players of all teams, by the keys of their names."""
        return {make_name_key(name) for names in self.event.teams.values() for name in names}

    @cached_property
    def unlisted_seats(self) -> list[tuple[PhotoRecord, str, str | None]]:
        """Each photo and player whom [[table]] seats elsewhere, with that table; None if it is a stranger's photo.

        A table without a name may be any table, so it contradicts no photo.
        """
        event, seats = self.event, list[tuple[PhotoRecord, str, str | None]]()
        for photo in self.photos:
            round_, table = photo.seat.round, make_name_key(photo.seat.table)
            for player in photo.seat.players:
                listed_table = event.table_of.get((round_, make_name_key(player)))
                is_stranger = listed_table is None and table and (round_, table) in event.tables
                if is_stranger or (listed_table and make_name_key(listed_table) != table):
                    seats.append((photo, player, listed_table))
        return seats

    @cached_property
    def conflicts(self) -> Mapping[str, list[Finding]]:
        """The photos and kingdoms that cannot all be in their places, by what is said about them."""
        copies = [copy for copy in self.photos if copy.name in self.original_by_copy and self.is_misplaced(copy)]
        seats = [(copy, seat) for copy in copies for seat in (copy.seat, self.original_by_copy[copy.name].seat)]
        for photo, _, table in self.unlisted_seats:
            seats += [(photo, photo.seat), (photo, replace(photo.seat, table=table or photo.seat.table))]
        second_pairs = [*find_second_kingdoms(self.kingdoms)]
        far_pairs = [pair for pair in second_pairs if pair[0].table != pair[1].table]
        different_pairs = [pair for pair in second_pairs if pair[0].table == pair[1].table and differ_too_much(*pair)]
        far_findings, different_findings = (
            [(kingdom.round, kingdom.table, kingdom.label) for pair in pairs for kingdom in pair]
            for pairs in (far_pairs, different_pairs)
        )
        equal_places = [(place, kingdom) for pair in self.equal_pairs for place in pair for kingdom in pair]
        return {
            "{} may be in the wrong place": [(seat.round, seat.table, copy.name) for copy, seat in seats],
            "kingdoms of {} lie at two tables": far_findings,
            "photos of {} show different kingdoms": different_findings,
            "the players of {} may be in another order": [
                (kingdom.round, kingdom.table, kingdom.photo.name) for kingdom, _ in self.moved_kingdoms
            ],
            "{} showed more kingdoms before": [
                (photo.seat.round, photo.seat.table, photo.name) for photo in self.shrunk_photos
            ],
            "{} show the same kingdom": [(place.round, place.table, kingdom.source) for place, kingdom in equal_places],
        }

    @cached_property
    def equal_pairs(self) -> list[tuple[KingdomResult, KingdomResult]]:
        """The pairs that must be one kingdom under two names, at two tables or in two rounds."""
        return list(find_same_kingdoms(self.counted_kingdoms))

    @property
    def unread_photos(self) -> list[Finding]:
        """The unreadable photos without players."""
        photos = (photo for photo in self.photos if photo.error is not None and not photo.seat.players)
        return [(photo.seat.round, photo.seat.table, photo.name) for photo in photos]

    @cached_property
    def lost_photos(self) -> list[PhotoRecord]:
        """The photos that are gone and may show a kingdom of the event that no other photo shows.

        Photos are renamed, moved, and taken again, often of another part of the table. So a gone photo is not lost if
        its picture or each of its kingdoms is still there, wherever that is, or if all its players have a photo in that
        round. If it has no players, any photo may be in its place, so its table needs as many kingdoms as with it; one
        that could not be read may have shown none, and was removed for that. A kingdom with towns belongs to another
        game, so its photo has its place elsewhere. A round beyond those of the event file is in no total.
        """
        if not self.gone_photos:
            return []  # comparing all kingdoms takes long in a large event
        pictures = {photo.picture_hash for photo in self.photos}
        kingdoms_by_photo = {photo.name: assign_players(photo) for photo in self.gone_photos}
        pairs = find_same_kingdoms((*self.counted_kingdoms, *chain.from_iterable(kingdoms_by_photo.values())))
        shown_ids = {second.id for first, second in pairs if second.photo.gone and not first.photo.gone}
        return [
            photo
            for photo in self.gone_photos
            if photo.seat.round <= (self.event.rounds or photo.seat.round)
            and photo.picture_hash not in pictures
            and not any(kingdom.has_towns for kingdom in kingdoms_by_photo[photo.name])
            and (
                bool(photo.seat.players)
                if photo.error is not None
                else not all(kingdom.id in shown_ids for kingdom in kingdoms_by_photo[photo.name] if kingdom.counts)
            )
            and not self._has_successor(photo)
        ]

    def _has_successor(self, photo: PhotoRecord) -> bool:
        """Return whether other photos are in the place of one that is gone, whatever they show."""
        seat, count = photo.seat, photo.table_kingdoms
        if seat.players:
            return self.seated_players.issuperset((seat.round, make_name_key(player)) for player in seat.players)
        return count is not None and self.count_table_kingdoms(photo) >= count

    @cached_property
    def seated_players(self) -> set[tuple[int, str]]:
        """The players of all photos, by round and key of the name."""
        return {(photo.seat.round, make_name_key(player)) for photo in self.photos for player in photo.seat.players}

    @cached_property
    def table_kingdoms(self) -> Counter[tuple[int, str]]:
        """The number of kingdoms by round and key of the table; an unreadable photo shows one or more."""
        seats = [kingdom.photo.seat for kingdom in self.counted_kingdoms]
        seats += [photo.seat for photo in self.photos if photo.error is not None and not photo.kingdoms]
        return Counter((seat.round, make_name_key(seat.table)) for seat in seats)

    @cached_property
    def shrunk_photos(self) -> list[PhotoRecord]:
        """The photos that were taken again, and with which their table has fewer kingdoms; not those with players."""
        return [
            photo
            for photo in self.photos
            if photo.error is None
            and not photo.seat.players
            and self.count_table_kingdoms(photo) < (photo.earlier_table_kingdoms or 0)
        ]

    @cached_property
    def moved_kingdoms(self) -> list[tuple[KingdomResult, Correction]]:
        """The kingdoms whose boards were given for another place in an earlier photo of the same name.

        Only photos whose players [[photo]] names count. That photo was taken from another side, or missed a kingdom,
        which was typed as the last one; so the new photo may show its players in another order.
        """
        boards = {(entry.photo, entry.kingdom): entry for entry in self.unmatched_corrections if entry.board}
        pairs = list[tuple[KingdomResult, Correction]]()
        for (name, number), correction in boards.items():
            board = Board.parse(correction.board)
            kingdoms = [
                kingdom
                for kingdom in self.kingdoms
                if (kingdom.photo.name == name and kingdom.photo.seat.has_listed_players and kingdom.player)
                and (show_same_kingdom(kingdom.board, board) or kingdom.board.equals_turned(board))
            ]
            if kingdoms and all(kingdom.number != number for kingdom in kingdoms):
                pairs.append((kingdoms[0], correction))
        return pairs

    def count_table_kingdoms(self, photo: PhotoRecord) -> int:
        """Return the number of kingdoms at the table of a photo."""
        return self.table_kingdoms[photo.seat.round, make_name_key(photo.seat.table)]

    @cached_property
    def absent_photos(self) -> list[Finding]:
        """The photos that are not in the folder and may show a kingdom that is not known.

        These are the lost ones, and those that the event file lists and no run has read. If all players of such a photo
        have a kingdom in that round, the photo was renamed or is a further one.
        """
        read_names = {photo.name for photo in (*self.photos, *self.gone_photos)}
        names = {*self.event.photos} - read_names | {photo.name for photo in self.lost_photos}
        photos = list[Finding]()
        for name in sorted(names, key=make_natural_key):
            seat = self.event.find_seat(name)
            players = {(seat.round, make_name_key(player)) for player in seat.players}
            if not players or not players <= self.owners:
                photos.append((seat.round, self.find_table(seat), name))
        return photos

    def is_misplaced(self, copy: PhotoRecord) -> bool:
        """Return whether a copy has another seat than its original, so that one of them is in the wrong place."""
        seat = self.original_by_copy[copy.name].seat
        return copy.seat not in (seat, replace(seat, players=()))

    def get_rule_set(self, kingdom: KingdomResult, board: Board | None = None) -> RuleSet:
        """Return the rules of the game of a kingdom, optionally as if it had another board."""
        game = self.games.get((kingdom.round, kingdom.table), (kingdom,))
        boards = [board or result.board if result is kingdom else result.board for result in game]
        return self.event.rules.choose_game_rule_set(boards)

    @cached_property
    def contenders(self) -> Mapping[tuple[str, int], Contender]:
        """The numbers of each kingdom that decide its place, by the rules of its game and by its id."""
        return {
            kingdom.id: make_contender(kingdom.kingdom, self.get_rule_set(kingdom), kingdom.number)
            for kingdom in self.counted_kingdoms
        }

    def list_points(self, contenders: Mapping[tuple[str, int], Contender]) -> dict[str, tuple[int | None, ...]]:
        """Return the points of each player in each round that counts, None for a round without a kingdom."""
        by_round = [
            {kingdom.player: contenders[kingdom.id].total for kingdom in kingdoms if kingdom.player}
            for kingdoms in self.rounds.values()
        ]
        players = dict.fromkeys(player for points in by_round for player in points)
        return {player: tuple(points.get(player) for points in by_round) for player in players}

    def add_up(self, contenders: Mapping[tuple[str, int], Contender]) -> list[Contender]:
        """Return each player with the sum of all rounds (kingdomino/dynasty); for one round, its contenders."""
        if len(self.rounds) == 1:
            return [contenders[kingdom.id] for kingdoms in self.rounds.values() for kingdom in kingdoms]
        return [_sum_contender(player, points) for player, points in self.list_points(contenders).items()]

    def add_up_teams(self, contenders: Mapping[tuple[str, int], Contender]) -> list[Contender]:
        """Return each team with the sum of its players' points."""
        if not self.event.teams:
            return []
        points = {make_name_key(player): by_round for player, by_round in self.list_points(contenders).items()}
        return [
            _sum_contender(team, [number for name in members for number in points.get(make_name_key(name), ())])
            for team, members in self.event.teams.items()
        ]

    @cached_property
    def rescored_ids(self) -> set[tuple[str, int]]:
        """The kingdoms that have other points in their game than in their photo alone, because its side is another."""
        kingdoms = self.counted_kingdoms
        return {entry.id for entry in kingdoms if self.contenders[entry.id].total != entry.data["total"]}

    @cached_property
    def places(self) -> Mapping[tuple[int, str], list[dict[str, int]]]:
        """The places that `rank_all` returns, by round and table."""
        keys = {(kingdom.round, kingdom.table) for kingdom in self.counted_kingdoms}
        return {key: self.rank_all(*key, self.contenders) for key in keys}

    def rank_all(
        self, round_: int, table: str, contenders: Mapping[tuple[str, int], Contender]
    ) -> list[dict[str, int]]:
        """Return the places in the event, of the teams, at a table and in its round, by player or team."""
        groups = self.games.get((round_, table), ()), self.rounds.get(round_, ())
        sums = self.add_up(contenders), self.add_up_teams(contenders)
        at_table_and_in_round = [[contenders[kingdom.id] for kingdom in group] for group in groups]
        return [*map(_rank_places, (*sums, *at_table_and_in_round))]

    @cached_property
    def rankings(self) -> list[Ranking]:
        """All rankings, the widest first."""
        all_kingdoms = [kingdom for kingdoms in self.rounds.values() for kingdom in kingdoms]
        rankings = [self._rank("total", all_kingdoms)] if len(self.rounds) > 1 else []
        rankings += [self._rank("team", all_kingdoms)] if self.event.teams and self.rounds else []
        for number, kingdoms in self.rounds.items():
            if kingdoms and kingdoms not in self.games.values():
                rankings.append(self._rank("round", kingdoms, number))
        return rankings + [self._rank("table", kingdoms, *key) for key, kingdoms in self.games.items()]

    def _list_contenders(self, level: str, kingdoms: Sequence[KingdomResult]) -> tuple[list[Contender], list[str]]:
        """Return a contender for each kingdom of a round or table, else for each sum; and in words what decides."""
        if level == "total":
            return self.add_up(self.contenders), [f"points of {len(self.rounds)} rounds"]
        if level == "team":
            return self.add_up_teams(self.contenders), ["points of all players"]
        steps = [POINTS, *(step.words for step in self.event.rules.choose_game_rule_set([]).tie_breaks)]
        return [self.contenders[kingdom.id] for kingdom in kingdoms], steps

    def _rank(
        self, level: str, kingdoms: Sequence[KingdomResult], round_: int = 0, table: str | None = None
    ) -> Ranking:
        """Return the ranking of kingdoms, or of the sums of their points.

        Nobody wins while a kingdom or a listed photo is missing, a photo without players is unread, a kingdom cannot be
        scored, or there are other gaps.
        """
        contenders, steps = self._list_contenders(level, kingdoms)
        rounds = [round_] if round_ else list(self.rounds)
        # A player or photo without a table may belong to the only table of the round.
        is_only_game = sum(number == round_ for number, _ in self.games) == 1
        tables = [table, ""] if is_only_game else [table]
        absentees = _list_names(self.missing_players, rounds, tables)
        unread_photos = _list_names(self.unread_photos, rounds, tables)
        absent_photos = _list_names(self.absent_photos, rounds, tables)
        if level == "team":
            absentees = [name for name in absentees if make_name_key(name) in self.team_members]
            players_by_photo = {
                name: {*map(make_name_key, self.event.find_seat(name).players)} for name in absent_photos
            }
            absent_photos = [name for name, keys in players_by_photo.items() if not keys or keys & self.team_members]
            kingdoms = [
                kingdom
                for kingdom in kingdoms
                if not kingdom.player or make_name_key(kingdom.player) in self.team_members
            ]
        with_towns = [*dict.fromkeys(kingdom.label for kingdom in kingdoms if kingdom.has_towns)]
        gaps = list(_list_missing(absentees, unread_photos, absent_photos, with_towns))
        gaps += self._find_gaps(level, kingdoms, rounds, table)
        standing = rank_contenders(contenders, steps, is_over=not gaps)
        if round_:
            rows = [self._make_row(place, kingdoms[place.index]) for place in standing.places]
        else:
            rows = [StandingRow(place.place, place.player, place.total, why=place.reason) for place in standing.places]
        if level == "total":
            points = self.list_points(self.contenders)
            rows = [self._add_rounds(row, points[row.player], has_towns=row.player in with_towns) for row in rows]
        if level != "team":
            by_round = " + ".join("-" * len(rounds)) if level == "total" else ""
            players = {row.player for row in rows}
            names = [name for name in absentees if name not in players]
            rows += [StandingRow(None, name, None, by_round, note="no kingdom") for name in names]
        # A single kingdom has no rivals, and a kingdom that cannot be scored does not lead.
        has_leader = len(standing.places) > 1 and {place.player for place in standing.winners}.isdisjoint(with_towns)
        verdict = "; ".join(filter(None, [standing.reason * has_leader, *gaps]))
        title = {"total": "All rounds", "team": "Teams"}.get(level, f"Round {round_}")
        if table is not None and (table or not is_only_game):
            title += f", table {table}" if table else ", no table"
        return Ranking(level, title, tuple(rows), verdict, round_, table or "")

    def _find_gaps(
        self, level: str, kingdoms: Sequence[KingdomResult], rounds: Sequence[int], table: str | None
    ) -> Iterator[str]:
        """Yield what is not known about the kingdoms of a ranking, although their photos are there."""
        limit = self.event.rules.choose_game_rule_set([]).max_kingdoms
        if level == "table" and len(kingdoms) > limit:
            yield f"at most {limit} kingdoms play at one table"
        if level == "table" and (groups := self.unclear_groups.get((rounds[0], table or ""))):
            yield f"{_join_names(groups)} may be {'rounds or tables' if len(groups) > 1 else 'a round or a table'}"
        if level in SUMS and self.absent_rounds:
            yield f"there is no photo of round {_join_names(self.absent_rounds)}"
        if level != "table" and self.unclear_rounds:
            yield f"{_join_names(self.unclear_rounds)} may be {'rounds' if len(self.unclear_rounds) > 1 else 'a round'}"
        names_by_gap = {gap: _list_names(conflicts, rounds, [table]) for gap, conflicts in self.conflicts.items()}
        if level == "team":  # players outside all teams score for none
            outsiders = {name for key, name in self.spelling.items() if key not in self.team_members}
            equal_pairs = (pair for pair in self.equal_pairs if outsiders.issuperset(entry.player for entry in pair))
            other_names = outsiders | {kingdom.source for pair in equal_pairs for kingdom in pair}
            names_by_gap = {
                gap: [name for name in names if name not in other_names] for gap, names in names_by_gap.items()
            }
        names_by_gap |= {
            "squares of {} are not known": [entry.label for entry in kingdoms if entry.board.unknown],
            "pieces of {} are not listed": [entry.label for entry in kingdoms if entry.lacks_tokens],
            "the player of {} is not known": [entry.label for entry in kingdoms if level in SUMS and not entry.player],
        }
        for gap, names in names_by_gap.items():
            if names:
                yield gap.format(_join_names([*dict.fromkeys(names)]))  # a player may have some in several rounds

    def _make_row(self, place: Place, kingdom: KingdomResult) -> StandingRow:
        note = "corrected" if kingdom.is_corrected else "to be reviewed" if kingdom.needs_review else ""
        notes = [TOWNS_NOTE if kingdom.has_towns else note, RESCORED_NOTE * (kingdom.id in self.rescored_ids)]
        territory_size, crowns = measure_largest(kingdom.kingdom), count_crowns(kingdom.kingdom)
        note = "; ".join(filter(None, notes))
        return StandingRow(place.place, place.player, place.total, "", territory_size, crowns, place.reason, note)

    def _add_rounds(self, row: StandingRow, points: Sequence[int | None], *, has_towns: bool) -> StandingRow:
        missing_rounds = [str(number) for number, total in zip(self.rounds, points, strict=True) if total is None]
        plural = "s" * (len(missing_rounds) > 1)
        notes = [f"no kingdom in round{plural} {join_words(missing_rounds)}"] * bool(missing_rounds)
        notes += [TOWNS_NOTE] * has_towns
        by_round = " + ".join("-" if total is None else str(total) for total in points)
        return row._replace(by_round=by_round, note="; ".join(notes))


def assign_seats(
    photos: Iterable[PhotoRecord], event: Event, unmatched_corrections: Iterable[Correction] = ()
) -> Standings:
    """Return the kingdoms of these photos, as far as they are not gone, with their players.

    Names of players and tables are spelled as in the event file, or else as in the first photo that has them.
    """
    all_photos = tuple(photos)
    photos = tuple(photo for photo in all_photos if not photo.gone)
    groups = [event.players, *(seat.players for seat in event.seats), *event.teams.values()]
    names = [name for group in (*groups, *(photo.seat.players for photo in photos)) for name in group]
    spelling = {make_name_key(name): name for name in reversed(names)}
    new_photos = list[PhotoRecord]()
    tables = {(photo.seat.round, make_name_key(photo.seat.table)): photo.seat.table for photo in reversed(photos)}
    for photo in photos:
        players = tuple(spelling[make_name_key(name)] for name in photo.seat.players)
        table = tables[photo.seat.round, make_name_key(photo.seat.table)]
        new_photos.append(replace(photo, seat=replace(photo.seat, table=table, players=players)))
    read_photos = [photo for photo in new_photos if photo.content and photo.reading.error is None]
    # A copy often has the name of a camera, and the event file lists no tokens for it.
    sorted_photos = sorted(read_photos, key=lambda photo: (not photo.seat.players, not photo.rules.tokens))
    originals = {photo.picture_hash: photo for photo in reversed(sorted_photos)}
    copies = {photo.name: original for photo in read_photos if (original := originals[photo.picture_hash]) is not photo}
    counted_photos = [photo for photo in new_photos if photo.name not in copies]
    games: dict[tuple[int, str], list[KingdomResult]] = defaultdict(list)
    for photo in counted_photos:
        games[photo.seat.round, photo.seat.table] += assign_players(photo)
    seated_photos = [(photo, games[photo.seat.round, photo.seat.table]) for photo in counted_photos]
    kingdoms = [kingdom for photo, game in seated_photos for kingdom in assign_players(photo, game)]
    second_ids = {second.id for _, second in find_second_kingdoms(kingdoms)}
    kingdoms = [replace(kingdom, counts=False) if kingdom.id in second_ids else kingdom for kingdom in kingdoms]
    gone_photos = tuple(photo for photo in all_photos if photo.gone)
    return Standings(
        event, tuple(new_photos), tuple(kingdoms), spelling, copies, gone_photos, tuple(unmatched_corrections)
    )


def _list_missing(
    absentees: Sequence[str], unread_photos: Sequence[str], absent_photos: Sequence[str], with_towns: Sequence[str]
) -> Iterator[str]:
    """Yield what is missing for a ranking."""
    if absentees:
        noun, verb = ("a kingdom", "is") if len(absentees) == 1 else ("kingdoms", "are")
        yield f"{noun} of {_join_names(absentees)} {verb} missing"
    if unread_photos:
        yield f"{_join_names(unread_photos)} could not be read"
    if absent_photos:
        yield f"{_join_names(absent_photos)} could not be found"
    if with_towns:
        yield f"{_join_names(with_towns)} cannot be scored because of towns"


def _list_names(findings: Iterable[Finding], rounds: Sequence[int], tables: Sequence[str | None]) -> list[str]:
    """Return the names of what is found in these rounds at these tables, each once; None stands for all tables."""
    names = (name for number, table, name in findings if number in rounds and (None in tables or table in tables))
    return [*dict.fromkeys(names)]


def _join_names(names: Sequence[str]) -> str:
    """Return the names as one phrase; if there are many, only the first are named."""
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} and {len(names) - MAX_NAMES + 1} more"
    return join_words(names)


def _rank_places(contenders: Sequence[Contender]) -> dict[str, int]:
    """Return the place of each contender, from 1. Equal contenders share a place."""
    orders = sorted(contender.order for contender in contenders)
    return {contender.player: 1 + len(orders) - bisect_right(orders, contender.order) for contender in contenders}


def _sum_contender(name: str, points: Iterable[int | None]) -> Contender:
    """Return a player or team with the sum of some points."""
    return Contender(name, (sum(number or 0 for number in points),))
