"""The kingdoms of an event, each with its player, round and table.

Nothing is left out silently: `review.py` lists kingdoms that do not count or have no player.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kdvision.batch.event import Event
from kdvision.batch.photos import name_key, natural_key, photo_key
from kdvision.batch.store.folder import Data
from kdvision.batch.store.record import PhotoResult
from kdvision.game.board import Board
from kdvision.game.kingdom import Kingdom, find_towns


@dataclass(frozen=True)
class KingdomResult:
    """One kingdom of a photo. `number` counts from 1; `player` is "" if not known.

    `data` is its JSON object after corrections and joint decisions. `changed_by_table` is true if the joint decision of
    its table changed its board.
    """

    photo: PhotoResult
    number: int
    data: Data
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

    @property
    def data_read(self) -> Data | None:
        """The object as read, None for a kingdom that only a person has typed."""
        return _nth(self.photo.record.reading.kingdoms, self.number)

    @property
    def observation(self) -> Data | None:
        """What the networks observed, packed; None if that is not known."""
        return _nth(self.photo.last_reading.seen, self.number)

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
    def has_correction(self) -> bool:
        """True if a person has corrected or confirmed it."""
        return self.number in self.photo.corrections.kingdoms

    @property
    def is_corrected(self) -> bool:
        """True if a person has changed what was read."""
        return self.data_read is None or (not self.changed_by_table and self.data_read["board"] != self.data["board"])


@dataclass(frozen=True)
class Seating:
    """All kingdoms of an event, and the players without a kingdom in some round.

    `photos` are all photos in the folder, their players in one spelling. `missing` holds (round, table, player), the
    table "" if it is not known. `copies` are the originals of identical photos, by the name of the copy.
    """

    kingdoms: tuple[KingdomResult, ...]
    photos: tuple[PhotoResult, ...]
    missing: tuple[tuple[int, str, str], ...]
    rounds: tuple[int, ...]
    copies: Mapping[str, PhotoResult]

    @property
    def counting(self) -> tuple[KingdomResult, ...]:
        """The kingdoms that count."""
        return tuple(one for one in self.kingdoms if one.counts)

    @property
    def unread(self) -> Iterator[tuple[int, str, str]]:
        """Yields (round, table, photo) of each unreadable photo without players."""
        for one in self.photos:
            if one.error is not None and not one.seat.players:
                yield one.seat.round, one.seat.table, one.name


def assign_seats(photos: Iterable[PhotoResult], event: Event) -> Seating:
    """The kingdoms of these photos with their players."""
    spelling = _collect_names(photos := tuple(photos), event)
    photos = tuple(_spell_players(photo, spelling) for photo in photos)
    copies = _find_copies(photos)
    assigned = [one for photo in photos if photo.name not in copies for one in _assign_players(photo)]
    kingdoms = _choose_kingdoms(assigned)
    rounds = tuple(sorted({one.seat.round for one in photos} | set(range(1, event.rounds + 1))))
    missing = tuple(_find_missing(kingdoms, photos, spelling, event, rounds))
    return Seating(tuple(kingdoms), photos, missing, rounds, copies)


def _spell_players(photo: PhotoResult, spelling: Mapping[str, str]) -> PhotoResult:
    players = tuple(spelling[name_key(name)] for name in photo.seat.players)
    return replace(photo, seat=replace(photo.seat, players=players))


def _find_copies(photos: Iterable[PhotoResult]) -> dict[str, PhotoResult]:
    """For the name of each photo that is the same file as an earlier one, the earlier one."""
    first: dict[str, PhotoResult] = {}
    copies = {}
    for photo in sorted(photos, key=lambda one: photo_key(one.name)):
        content = photo.record.content
        if content and photo.error is None and first.setdefault(content, photo) is not photo:
            copies[photo.name] = first[content]
    return copies


def _nth(values: Sequence[Data | None], number: int) -> Data | None:
    return values[number - 1] if number <= len(values) else None


def _collect_names(photos: Sequence[PhotoResult], event: Event) -> Mapping[str, str]:
    """The spelling of each player's name, by its key: as in the event file, else as in the first photo."""
    names = [*event.players, *(name for seat in event.seats for name in seat.players)]
    names += [name for members in event.teams.values() for name in members]
    names += [name for photo in photos for name in photo.seat.players]
    return {name_key(name): name for name in reversed(names)}


def _assign_players(photo: PhotoResult) -> list[KingdomResult]:
    """The kingdoms of one photo, each with its player if that is clear: of one player, the largest counts."""
    kingdoms = [KingdomResult(photo, number, data) for number, data in enumerate(photo.kingdoms, start=1)]
    players = photo.seat.players
    if len(players) == len(kingdoms):
        return [replace(one, player=player) for one, player in zip(kingdoms, players, strict=True)]
    if len(players) != 1 or not kingdoms:
        return kingdoms
    largest = max(kingdoms, key=lambda one: (len(one.board), -one.number))
    return [replace(one, player=players[0]) if one is largest else replace(one, counts=False) for one in kingdoms]


def _choose_kingdoms(kingdoms: Sequence[KingdomResult]) -> list[KingdomResult]:
    """The same kingdoms, but only one counts for each player and round.

    At the player's first table, a kingdom that a person corrected is preferred, then the more probable one.
    """
    groups: dict[tuple[int, str], list[KingdomResult]] = defaultdict(list)
    for one in kingdoms:
        if one.player and one.counts:
            groups[one.round, one.player].append(one)
    excluded = set()
    for group in groups.values():
        here = [one for one in group if one.table == group[0].table]
        best = max(here, key=lambda one: (one.is_corrected, one.data["probability"]))  # the first of equal ones
        excluded |= {one.id for one in group if one is not best}
    return [replace(one, counts=False) if one.id in excluded else one for one in kingdoms]


def is_same_kingdom(one: KingdomResult, other: KingdomResult) -> bool:
    """True if two photos show the same board of a table, from any side."""
    boards = one.board.trim(), other.board.trim()
    return one.table == other.table and any(boards[0].rotate(quarters) == boards[1] for quarters in range(4))


def _find_missing(
    kingdoms: Sequence[KingdomResult],
    photos: Sequence[PhotoResult],
    spelling: Mapping[str, str],
    event: Event,
    rounds: Sequence[int],
) -> Iterator[tuple[int, str, str]]:
    """Yield (round, table, player) for each player who should have a kingdom in a round and has none.

    The players are those of the event file, or else, in an event of several rounds, all who are named anywhere.
    """
    present = {(one.round, name_key(one.player)) for one in kingdoms if one.counts and one.player}
    seats = [*(photo.seat for photo in photos), *event.seats]
    table_of = {(seat.round, name_key(name)): seat.table for seat in seats for name in seat.players}
    players = [name_key(name) for name in event.players] or (list(spelling) if len(rounds) > 1 else [])
    for round_ in rounds:
        expected = {*players, *(key for number, key in table_of if number == round_)}
        for key in sorted(expected, key=lambda key: natural_key(spelling[key])):
            if (round_, key) not in present:
                yield round_, table_of.get((round_, key), ""), spelling[key]
