"""Who sat where: the kingdoms of all photos, each with its player, round and table, and what is odd about that.

Nothing is left out in silence: a kingdom that does not count, and a player without one, has a notice.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kdvision.batch import notices
from kdvision.batch.event import Event
from kdvision.batch.foreign import towns
from kdvision.batch.naming import Seat, in_order, key_of, natural
from kdvision.batch.notices import Notice
from kdvision.batch.observations import Seen
from kdvision.game.board import Board
from kdvision.game.kingdom import Kingdom


@dataclass(frozen=True)
class Sitting:
    """One photo as it counts: its kingdoms after corrections, what was read, and the seat it belongs to.

    `named` are the numbers of the kingdoms of which a person has said something.
    """

    photo: str
    content: str
    seat: Seat
    kingdoms: Sequence[Mapping[str, Any]]
    read: Sequence[Mapping[str, Any]]
    error: str | None = None
    picture: str | None = None
    width: int | None = None
    seen: Sequence[Seen | None] = ()
    named: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Entry:
    """One kingdom of a photo. `number` counts from 1; `player` is "" where nobody knows; `data` is its JSON object.

    `read` is that of the reading, None for a kingdom that only a person has named. `named` says that a person has said
    something of it, `settled` that the other kingdoms of its table have made it another board than was read.
    """

    photo: str
    number: int
    round: int
    table: str
    player: str
    data: Mapping[str, Any]
    read: Mapping[str, Any] | None
    alone: bool = True
    picture: str | None = None
    width: int | None = None
    counts: bool = True
    seen: Seen | None = None
    named: bool = False
    settled: bool = False

    @cached_property
    def board(self) -> Board:
        """The board that counts."""
        return Board.parse(self.data["board"])

    @property
    def label(self) -> str:
        """The player, or else the photo and the kingdom's number in it."""
        return self.player or (self.photo if self.alone else f"{self.photo}, kingdom {self.number}")

    @cached_property
    def kingdom(self) -> Kingdom:
        """The kingdom, its player called by the label."""
        return Kingdom(self.board, player=self.label)

    @property
    def foreign(self) -> bool:
        """True for a kingdom with towns: Kingdomino's rules do not tell what it is worth."""
        return bool(towns(self.board))

    @property
    def corrected(self) -> bool:
        """True where a person has changed what was read."""
        return self.read is None or (not self.settled and self.read["board"] != self.data["board"])


@dataclass(frozen=True)
class Seated:
    """All kingdoms of an event, the players who have none in some round, and notices.

    `missing` holds (round, table, player); the table is "" where nobody knows it. `unread` holds (round, table, photo)
    of photos that could not be read, where nobody knows whose kingdoms they show.
    """

    entries: tuple[Entry, ...]
    missing: tuple[tuple[int, str, str], ...]
    notices: tuple[Notice, ...]
    rounds: tuple[int, ...]
    unread: tuple[tuple[int, str, str], ...] = ()

    @property
    def counting(self) -> tuple[Entry, ...]:
        """The kingdoms that count."""
        return tuple(entry for entry in self.entries if entry.counts)


def duplicates(photos: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For each of the (photo, content) that is the same as an earlier one, by name, that one's name."""
    first: dict[str, str] = {}
    found = {}
    for photo, content in sorted(photos, key=lambda pair: in_order(pair[0])):
        if content and first.setdefault(content, photo) != photo:
            found[photo] = first[content]
    return found


def seated(sittings: Sequence[Sitting], same: Mapping[str, str], event: Event) -> Seated:
    """The kingdoms of these photos with their players; `same` are the photos that are copies, and of which."""
    names = _names(sittings, event)
    by_name = {sitting.photo: sitting for sitting in sittings}
    found: list[Notice] = [notices.copy(by_name[photo], by_name[first]) for photo, first in same.items()]
    entries: list[Entry] = []
    for sitting in sittings:
        if sitting.photo not in same and sitting.kingdoms:
            entries += _entries(sitting, names, event, found)
    entries = _chosen(entries, found)
    rounds = tuple(sorted({sitting.seat.round for sitting in sittings} | set(range(1, event.rounds + 1))))
    missing = tuple(_missing(entries, sittings, names, event, rounds))
    found += [notices.absent(*one, sittings) for one in missing]
    found += notices.strangers(entries, event)
    unread = tuple(
        (one.seat.round, one.seat.table, one.photo)
        for one in sittings
        if one.error is not None and not one.seat.players and one.photo not in same
    )
    return Seated(tuple(entries), missing, tuple(found), rounds, unread)


def _names(sittings: Sequence[Sitting], event: Event) -> Mapping[str, str]:
    """How each player's name is spelled: as the event's file does, else as the first photo does."""
    told = [*event.players, *(name for seat in event.seats for name in seat.players)]
    told += [name for members in event.teams.values() for name in members]
    return notices.names_of([*told, *(name for sitting in sittings for name in sitting.seat.players)])


def _entries(sitting: Sitting, names: Mapping[str, str], event: Event, found: list[Notice]) -> list[Entry]:
    """The kingdoms of one photo, each with its player if that can be told; else what is odd is `found`."""
    made = _unnamed(sitting)
    players = [names[key_of(name)] for name in sitting.seat.players]
    if len(players) == len(made):
        return [replace(entry, player=player) for entry, player in zip(made, players, strict=True)]
    if not players:
        found += [notices.nobody(sitting)] if event.players or event.teams or event.rounds > 1 else []
        return made
    largest = max(made, key=lambda entry: (len(entry.board), -entry.number)) if len(players) == 1 else None
    found.append(notices.other_number(sitting, players, largest))
    if largest is None:
        return made
    return [replace(one, player=players[0]) if one is largest else replace(one, counts=False) for one in made]


def _unnamed(sitting: Sitting) -> list[Entry]:
    seat = sitting.seat
    return [
        Entry(
            photo=sitting.photo,
            number=number,
            round=seat.round,
            table=seat.table,
            player="",
            data=data,
            read=sitting.read[number - 1] if number <= len(sitting.read) else None,
            alone=len(sitting.kingdoms) == 1,
            picture=sitting.picture,
            width=sitting.width,
            seen=sitting.seen[number - 1] if number <= len(sitting.seen) else None,
            named=number in sitting.named,
        )
        for number, data in enumerate(sitting.kingdoms, start=1)
    ]


def _chosen(entries: Sequence[Entry], found: list[Notice]) -> list[Entry]:
    """The same kingdoms, of those of one player in one round only one counting: the surest at the first table."""
    groups: dict[tuple[int, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.player and entry.counts:
            groups[entry.round, key_of(entry.player)].append(entry)
    losers = set()
    for group in groups.values():
        here = [entry for entry in group if entry.table == group[0].table]
        best = max(here, key=lambda entry: (entry.corrected, entry.data["probability"], -here.index(entry)))
        others = [entry for entry in group if entry is not best]
        losers |= {(entry.photo, entry.number) for entry in others}
        found += [notices.several(best, other) for other in others if not _one_kingdom(best, other)]
    return [replace(entry, counts=False) if (entry.photo, entry.number) in losers else entry for entry in entries]


def _one_kingdom(one: Entry, other: Entry) -> bool:
    """True for one kingdom of a table, seen from any side."""
    boards = one.board.trimmed(), other.board.trimmed()
    return one.table == other.table and any(boards[0].turned(quarters) == boards[1] for quarters in range(4))


def _missing(
    entries: Sequence[Entry],
    sittings: Sequence[Sitting],
    names: Mapping[str, str],
    event: Event,
    rounds: Sequence[int],
) -> Iterator[tuple[int, str, str]]:
    """Who should have a kingdom in a round and has none: round, table, player.

    Those who play are told, or else they are all who were named in any round of several.
    """
    there = {(entry.round, key_of(entry.player)) for entry in entries if entry.counts and entry.player}
    seats = [*(sitting.seat for sitting in sittings), *event.seats]
    tables = {(seat.round, key_of(name)): seat.table for seat in seats for name in seat.players}
    players = [key_of(name) for name in event.players] or (list(names) if len(rounds) > 1 else [])
    for round_ in rounds:
        due = {*players, *(key for number, key in tables if number == round_)}
        for key in sorted(due, key=lambda key: natural(names[key])):
            if (round_, key) not in there:
                yield round_, tables.get((round_, key), ""), names[key]
