"""What a person should know of an event beyond its kingdoms, each with what to do about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.batch.corrections import FILE, Book
from kdvision.batch.event import Event
from kdvision.batch.naming import key_of

if TYPE_CHECKING:
    from kdvision.batch.record import Held
    from kdvision.batch.seating import Entry, Sitting

UNKNOWN, WHICH, ODD, TOLD = 5, 4, 2, 0
"""Weights: a kingdom is missing or nobody knows whose it is; nobody knows which one counts; something is odd; no more
than to be told."""

NAME_IT: Final = "name its players in event.toml, under [[photo]]"


class Spot(NamedTuple):
    """What something is about, as far as it is known: 0 and "" stand for what is not."""

    round: int = 0
    table: str = ""
    player: str = ""
    photo: str = ""
    kingdom: int = 0


@dataclass(frozen=True)
class Notice:
    """Something a person should know of, with what to do; the heavier the more it may change."""

    weight: int
    why: str
    advice: str
    spot: Spot


def copy(sitting: "Sitting", first: "Sitting") -> Notice:
    """The notice of a photo that is the same file as another one."""
    seat, other = sitting.seat, first.seat
    mine, theirs = (", ".join(one.players) for one in (seat, other))
    why = f"it is the same file as {first.photo}, and counts once"
    if seat == other:
        return Notice(TOLD, why, "nothing to do", Spot(seat.round, seat.table, mine, sitting.photo))
    why += f", in round {other.round}{f' for {theirs}' if theirs else ''}"
    return Notice(UNKNOWN, why, "put the right photo in its place", Spot(seat.round, seat.table, mine, sitting.photo))


def nobody(sitting: "Sitting") -> Notice:
    """The notice of a photo whose kingdoms have no players."""
    spot = Spot(sitting.seat.round, sitting.seat.table, photo=sitting.photo)
    return Notice(UNKNOWN, "nobody told whose kingdom this is", NAME_IT, spot)


def other_number(sitting: "Sitting", players: Sequence[str], largest: "Entry | None") -> Notice:
    """The notice of a photo that shows more or fewer kingdoms than it has players; `largest` is the one that counts."""
    count, seat = len(sitting.kingdoms), sitting.seat
    shown = f"it shows {count} kingdom{'s' * (count != 1)}"
    if largest is not None:
        spot = Spot(seat.round, seat.table, players[0], sitting.photo, largest.number)
        return Notice(WHICH, f"{shown}, and {players[0]} has one: the largest counts", f"compare; or {NAME_IT}", spot)
    why = f"{shown}, and these should be in it: {', '.join(players)}"
    return Notice(UNKNOWN, why, NAME_IT, Spot(seat.round, seat.table, photo=sitting.photo))


def several(best: "Entry", other: "Entry") -> Notice:
    """The notice of a player with two kingdoms in a round that are not one."""
    spot = Spot(best.round, best.table, best.player, best.photo, best.number)
    if other.table != best.table:
        here, there = (f"table {entry.table} ({entry.photo})" for entry in (best, other))
        why = f"{best.player} has a kingdom at {here} and one at {there}"
        return Notice(UNKNOWN, why, "put one of them right; the first counts", spot)
    points = f"{best.data['total']} and {other.data['total']} points"
    why = f"another photo of this kingdom, {other.photo}, was read otherwise: {points}"
    return Notice(WHICH, why, "compare both; the surer one counts", spot)


def absent(round_: int, table: str, player: str, sittings: Iterable["Sitting"]) -> Notice:
    """The notice of a player without a kingdom, with the photo that should have shown it."""
    own = [one for one in sittings if one.seat.round == round_ and key_of(player) in map(key_of, one.seat.players)]
    why = f"{player} has no kingdom in round {round_}"
    error = next((one.error for one in own if one.error is not None), None)
    advice = "take the photo again, or type the board: kdvision review" if own else "look for the photo, or take it"
    if any(one.kingdoms for one in own):
        advice = f"{NAME_IT}; or take the photo again"
    spot = Spot(round_, table, player, own[0].photo if own else "")
    return Notice(UNKNOWN, f"{why}: {error}" if error else why, advice, spot)


def strangers(entries: Iterable["Entry"], event: Event) -> Iterator[Notice]:
    """What the event's file does not know: rounds beyond the last one, players who are not on its list."""
    known = {key_of(name): name for name in event.players}
    for entry in entries:
        spot = Spot(entry.round, entry.table, entry.player, entry.photo)
        if event.rounds and entry.round > event.rounds:
            why = f"event.toml knows {event.rounds} rounds: round {entry.round} is in no total"
            yield Notice(UNKNOWN, why, "put the photo's folder or event.toml right", spot)
        if known and entry.player and key_of(entry.player) not in known:
            close = get_close_matches(key_of(entry.player), known, n=1)
            like = f"; is it {known[close[0]]}?" if close else ""
            why = f"{entry.player} is not among the players of event.toml{like}"
            yield Notice(UNKNOWN, why, "put the photo's name or event.toml right", spot)


def loose_ends(event: Event, photos: Sequence["Held"], book: Book) -> Iterator[Notice]:
    """What was told of photos that are not there, and corrections that cannot be followed."""
    here = {one.photo for one in photos if not one.gone}
    for one in photos:
        if one.gone:
            why = "it is no longer in the folder; what was read is kept in results.jsonl and does not count"
            yield Notice(TOLD, why, "put it back if it should count", Spot(photo=one.photo))
    for name in event.photos:
        if name not in here:
            why = "event.toml tells of this photo, and it is not there"
            yield Notice(ODD, why, "put its name right", Spot(photo=name))
    for words in book.unclear:
        why = f"a correction cannot be followed: {words}"
        yield Notice(ODD, why, "put that line right or take it out", Spot(photo=FILE))
    for stray in book.strangers(one.content for one in photos):
        why = f"the correction {stray} is about another photo of this name, or one that is gone"
        yield Notice(TOLD, why, "correct again if it still holds: kdvision review", Spot(photo=stray.photo))


def names_of(told: Iterable[str]) -> Mapping[str, str]:
    """How each name is spelled, by its key: as it was told first."""
    names: dict[str, str] = {}
    for name in told:
        names.setdefault(key_of(name), name)
    return names
