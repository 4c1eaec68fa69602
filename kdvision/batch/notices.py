"""What a person should know about an event apart from its kingdoms, each with advice."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.batch.corrections import CorrectionFile
from kdvision.batch.event import Event
from kdvision.batch.naming import name_key
from kdvision.batch.storage import CORRECTIONS

if TYPE_CHECKING:
    from kdvision.batch.record import PhotoRecord
    from kdvision.batch.seating import KingdomResult, PhotoResult

GIVE_PLAYERS: Final = "name its players in event.toml, under [[photo]]"


class Impact(IntEnum):
    """How much something may change. Review items are sorted by it."""

    WINNER_UNKNOWN = 5
    """A kingdom is missing, or its player is not known."""
    EVENT_WINNER = 4
    TABLE_WINNER = 3
    PLACES = 2
    POINTS = 1
    NOTHING = 0


class Spot(NamedTuple):
    """What a notice is about; 0 and "" stand for what is not known."""

    round: int = 0
    table: str = ""
    player: str = ""
    photo: str = ""
    kingdom: int = 0


@dataclass(frozen=True)
class Notice:
    """Something that a person should know, with advice."""

    impact: Impact
    why: str
    advice: str
    spot: Spot


def copy_notice(photo: "PhotoResult", first: "PhotoResult") -> Notice:
    """The notice for a photo that is the same file as another one."""
    seat, other = photo.seat, first.seat
    spot = Spot(seat.round, seat.table, ", ".join(seat.players), photo.photo)
    why = f"it is the same file as {first.photo}, and counts once"
    if seat == other:
        return Notice(Impact.NOTHING, why, "nothing to do", spot)
    players = f" for {', '.join(other.players)}" if other.players else ""
    why += f", in round {other.round}{players}"
    return Notice(Impact.WINNER_UNKNOWN, why, "put the right photo in its place", spot)


def unknown_player_notice(photo: "PhotoResult") -> Notice:
    """The notice for a photo whose kingdoms have no players."""
    spot = Spot(photo.seat.round, photo.seat.table, photo=photo.photo)
    return Notice(Impact.WINNER_UNKNOWN, "the player of this kingdom is not known", GIVE_PLAYERS, spot)


def kingdom_count_notice(photo: "PhotoResult", players: Sequence[str], largest: "KingdomResult | None") -> Notice:
    """The notice for a photo with more or fewer kingdoms than players; `largest` is the kingdom that counts, if any."""
    count, seat = len(photo.kingdoms), photo.seat
    shows = f"it shows {count} kingdom{'s' * (count != 1)}"
    if largest is not None:
        why = f"{shows}, and {players[0]} has one: the largest counts"
        spot = Spot(seat.round, seat.table, players[0], photo.photo, largest.number)
        return Notice(Impact.EVENT_WINNER, why, f"compare; or {GIVE_PLAYERS}", spot)
    why = f"{shows}, and these players should be in it: {', '.join(players)}"
    return Notice(Impact.WINNER_UNKNOWN, why, GIVE_PLAYERS, Spot(seat.round, seat.table, photo=photo.photo))


def second_kingdom_notice(best: "KingdomResult", other: "KingdomResult") -> Notice:
    """The notice for a player with two different kingdoms in a round."""
    spot = Spot(best.round, best.table, best.player, best.photo, best.number)
    if other.table != best.table:
        here, there = (f"table {one.table} ({one.photo})" for one in (best, other))
        why = f"{best.player} has a kingdom at {here} and one at {there}"
        return Notice(Impact.WINNER_UNKNOWN, why, "correct one of them; the first counts", spot)
    points = f"{best.data['total']} and {other.data['total']} points"
    why = f"another photo of this kingdom, {other.photo}, was read differently: {points}"
    return Notice(Impact.EVENT_WINNER, why, "compare both; the more certain one counts", spot)


def missing_kingdom_notice(round_: int, table: str, player: str, photos: Iterable["PhotoResult"]) -> Notice:
    """The notice for a player without a kingdom, with the photo that should have shown it."""
    own = [one for one in photos if one.seat.round == round_ and name_key(player) in map(name_key, one.seat.players)]
    error = next((one.error for one in own if one.error is not None), None)
    why = f"{player} has no kingdom in round {round_}{f': {error}' if error else ''}"
    advice = "take the photo again, or type the board: kdvision review" if own else "find the photo, or take it"
    if any(one.kingdoms for one in own):
        advice = f"{GIVE_PLAYERS}; or take the photo again"
    return Notice(Impact.WINNER_UNKNOWN, why, advice, Spot(round_, table, player, own[0].photo if own else ""))


def find_unlisted(kingdoms: Iterable["KingdomResult"], event: Event) -> Iterator[Notice]:
    """Yield notices for rounds and players that the event file does not list."""
    listed = {name_key(name): name for name in event.players}
    for one in kingdoms:
        spot = Spot(one.round, one.table, one.player, one.photo)
        if event.rounds and one.round > event.rounds:
            why = f"event.toml has {event.rounds} rounds: round {one.round} is in no total"
            yield Notice(Impact.WINNER_UNKNOWN, why, "correct the photo's folder or event.toml", spot)
        if listed and one.player and name_key(one.player) not in listed:
            close = get_close_matches(name_key(one.player), listed, n=1)
            like = f"; is it {listed[close[0]]}?" if close else ""
            why = f"{one.player} is not among the players of event.toml{like}"
            yield Notice(Impact.WINNER_UNKNOWN, why, "correct the photo's name or event.toml", spot)


def find_unmatched(event: Event, records: Sequence["PhotoRecord"], corrections: CorrectionFile) -> Iterator[Notice]:
    """Yield notices for photos that are gone, and for corrections that cannot be applied."""
    present = {one.photo for one in records if not one.gone}
    for one in records:
        if one.gone:
            why = "it is no longer in the folder; its result is kept in results.jsonl and does not count"
            yield Notice(Impact.NOTHING, why, "put it back if it should count", Spot(photo=one.photo))
    for name in event.photos:
        if name not in present:
            why = "event.toml lists this photo, and it is not in the folder"
            yield Notice(Impact.PLACES, why, "correct its name", Spot(photo=name))
    for error in corrections.errors:
        why = f"a correction is not valid: {error}"
        yield Notice(Impact.PLACES, why, "correct that line or remove it", Spot(photo=CORRECTIONS))
    for other in corrections.without_photo(one.content for one in records):
        why = f"the correction {other} is about another photo of this name, or one that is gone"
        yield Notice(
            Impact.NOTHING, why, "correct it again if it still holds: kdvision review", Spot(photo=other.photo)
        )
