"""The kingdoms of an event, each with its player, round and table.

Nothing is left out silently: `review.py` lists kingdoms that do not count or have no player.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, zip_longest

from kdvision.batch.event import Event, Rules, towns_problem
from kdvision.batch.photos import name_key, natural_key
from kdvision.batch.store.folder import Data
from kdvision.batch.store.record import PhotoRecord
from kdvision.game.board import Board
from kdvision.game.kingdom import Kingdom, find_towns
from kdvision.report.build import build_board_result
from kdvision.report.to_dict import kingdom_to_dict


@dataclass(frozen=True)
class KingdomResult:
    """One kingdom of a photo. `number` counts from 1; `player` is "" if not known.

    `data` is its JSON object after corrections and joint decisions, `data_read` the object as read, None for a kingdom
    that only a person has typed. `observation` is what the networks observed, packed, None if that is not known.
    `changed_by_table` is true if the joint decision of its table changed its board.
    """

    photo: PhotoRecord
    number: int
    data: Data
    data_read: Data | None
    observation: Data | None
    player: str = ""
    counts: bool = True
    changed_by_table: bool = False

    @property
    def id(self) -> tuple[str, int]:
        """The photo's name and the number."""
        return self.photo.name, self.number

    @property
    def round(self) -> int:
        """The round, from 1."""
        return self.photo.seat.round

    @property
    def table(self) -> str:
        """The table, "" if there is only one."""
        return self.photo.seat.table

    @cached_property
    def board(self) -> Board:
        """The board that counts."""
        return Board.parse(self.data["board"])

    @property
    def label(self) -> str:
        """The player, or else the photo and the kingdom's number in it."""
        name = self.photo.name
        return self.player or (name if len(self.photo.kingdoms) == 1 else f"{name}, kingdom {self.number}")

    @cached_property
    def kingdom(self) -> Kingdom:
        """The kingdom with its tokens, and with the label as its player."""
        return self.photo.rules.kingdom(self.board, self.number, self.label)

    @property
    def has_towns(self) -> bool:
        """True for a kingdom of another game, which Kingdomino's rules cannot score."""
        return bool(find_towns(self.board))

    @property
    def is_corrected(self) -> bool:
        """True if a person has changed what was read."""
        return self.data_read is None or (not self.changed_by_table and self.data_read["board"] != self.data["board"])


def kingdom_of_board(board: Board, number: int, rules: Rules) -> Data:
    """The JSON object of a photo's kingdom with this number, from 1, whose board was typed."""
    (scored,) = build_board_result([rules.kingdom(board, number)], rules.rule_set([board])).kingdoms
    problem = towns_problem(board)
    if problem is not None:  # the only one worth reporting: no domino of Kingdomino has towns
        scored = replace(scored, problems=(problem,))
    return kingdom_to_dict(scored)


@dataclass(frozen=True)
class Seating:
    """All kingdoms of an event, and all photos in the folder, their players in one spelling.

    `spelling` gives each player's name by its key. `copies` are the originals of identical photos, by the name of the
    copy.
    """

    event: Event
    photos: tuple[PhotoRecord, ...]
    kingdoms: tuple[KingdomResult, ...]
    spelling: Mapping[str, str]
    copies: Mapping[str, PhotoRecord]

    @cached_property
    def counting(self) -> tuple[KingdomResult, ...]:
        """The kingdoms that count."""
        return tuple(one for one in self.kingdoms if one.counts)

    @cached_property
    def games(self) -> Mapping[tuple[int, str], tuple[KingdomResult, ...]]:
        """The kingdoms of each round and table. Kingdoms without a table are one game if they are few enough."""
        games: dict[tuple[int, str], list[KingdomResult]] = defaultdict(list)
        for one in self.counting:
            games[one.round, one.table].append(one)
        most = self.event.rules.game_rule_set([]).max_kingdoms
        keys = sorted(games, key=lambda key: (key[0], natural_key(key[1])))
        return {key: tuple(games[key]) for key in keys if key[1] or len(games[key]) <= most}

    @cached_property
    def all_rounds(self) -> list[int]:
        """The rounds of the event file and of all photos."""
        return sorted({one.seat.round for one in self.photos} | set(range(1, self.event.rounds + 1)))

    @cached_property
    def rounds(self) -> Mapping[int, tuple[KingdomResult, ...]]:
        """The kingdoms of each round that counts."""
        numbers = [number for number in self.all_rounds if number <= (self.event.rounds or number)]
        return {number: tuple(one for one in self.counting if one.round == number) for number in numbers}

    @cached_property
    def missing(self) -> list[tuple[int, str, str]]:
        """(round, table, player) of each player who should have a kingdom in a round and has none.

        The players are those of the event file, or else, in an event of several rounds, all who are named anywhere. The
        table is "" if it is not known.
        """
        event, missing = self.event, []
        present = {(one.round, name_key(one.player)) for one in self.counting if one.player}
        seats = [*(photo.seat for photo in self.photos), *event.seats]
        table_of = {(seat.round, name_key(name)): seat.table for seat in seats for name in seat.players}
        players = [name_key(name) for name in event.players] or list(self.spelling) * (len(self.all_rounds) > 1)
        for round_ in self.all_rounds:
            expected = {*players, *(key for number, key in table_of if number == round_)}
            absent = [key for key in expected if (round_, key) not in present]
            absent.sort(key=lambda key: natural_key(self.spelling[key]))
            missing += [(round_, table_of.get((round_, key), ""), self.spelling[key]) for key in absent]
        return missing

    @property
    def unread(self) -> list[tuple[int, str, str]]:
        """(round, table, photo) of each unreadable photo without players."""
        failed = (one for one in self.photos if one.error is not None and not one.seat.players)
        return [(one.seat.round, one.seat.table, one.name) for one in failed]


def assign_seats(photos: Iterable[PhotoRecord], event: Event) -> Seating:
    """The kingdoms of these photos with their players. A name is spelled as in the event file, or else first."""
    photos = tuple(photos)
    groups = [event.players, *(seat.players for seat in event.seats), *event.teams.values()]
    names = [name for group in (*groups, *(photo.seat.players for photo in photos)) for name in group]
    spelling = {name_key(name): name for name in reversed(names)}
    spelled, kingdoms = list[PhotoRecord](), list[KingdomResult]()
    first, copies = dict[str, PhotoRecord](), dict[str, PhotoRecord]()
    for photo in photos:
        players = tuple(spelling[name_key(name)] for name in photo.seat.players)
        spelled.append(photo := replace(photo, seat=replace(photo.seat, players=players)))
        if photo.content and photo.error is None and first.setdefault(photo.content, photo) is not photo:
            copies[photo.name] = first[photo.content]
        else:
            kingdoms += _assign_players(photo)
    second = {other.id for _, other in find_second_kingdoms(kingdoms)}
    kingdoms = [replace(one, counts=False) if one.id in second else one for one in kingdoms]
    return Seating(event, tuple(spelled), tuple(kingdoms), spelling, copies)


def _assign_players(photo: PhotoRecord) -> list[KingdomResult]:
    """The kingdoms of one photo, each with its player if that is clear: of one player, the largest counts."""
    players, stored = photo.seat.players, zip_longest(photo.kingdoms, photo.reading.kingdoms, photo.last_reading.seen)
    numbered = enumerate(islice(stored, len(photo.kingdoms)), start=1)
    kingdoms = [KingdomResult(photo, number, *values) for number, values in numbered]
    if len(players) == len(kingdoms):
        return [replace(one, player=player) for one, player in zip(kingdoms, players, strict=True)]
    if len(players) != 1 or not kingdoms:
        return kingdoms
    largest = max(kingdoms, key=lambda one: (len(one.board), -one.number))
    return [replace(one, player=players[0]) if one is largest else replace(one, counts=False) for one in kingdoms]


def find_second_kingdoms(kingdoms: Iterable[KingdomResult]) -> Iterator[tuple[KingdomResult, KingdomResult]]:
    """Yield the kingdom that counts and another one for each further kingdom of a player in a round.

    At the player's first table, a kingdom that a person corrected is preferred, then the more probable one.
    """
    groups: dict[tuple[int, str], list[KingdomResult]] = defaultdict(list)
    for one in kingdoms:
        if one.player:
            groups[one.round, one.player].append(one)
    for group in groups.values():
        here = [one for one in group if one.table == group[0].table]
        best = max(here, key=lambda one: (one.is_corrected, one.data["probability"]))  # the first of equal ones
        yield from ((best, one) for one in group if one is not best)
