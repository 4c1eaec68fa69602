"""What a person should review, sorted by what it may change."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from typing import Any, Final, NamedTuple

from kdvision.batch.event import Event
from kdvision.batch.kingdoms import KingdomResult, Seating, is_same_kingdom
from kdvision.batch.photos import name_key, natural_key
from kdvision.batch.store.corrections import CorrectionFile
from kdvision.batch.store.folder import CORRECTIONS
from kdvision.batch.store.record import PhotoResult
from kdvision.text import count_noun

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


CHANGES: Final = {Impact.WINNER_UNKNOWN: "who wins", Impact.EVENT_WINNER: "points", Impact.PLACES: "points"}
"""What an item that is not about a single board may change."""


class Spot(NamedTuple):
    """What an item is about; 0 and "" stand for what is not known."""

    round: int = 0
    table: str = ""
    player: str = ""
    photo: str = ""
    kingdom: int = 0

    @property
    def seat_words(self) -> list[str]:
        """The round and the table in words, as far as they are known."""
        return [f"round {self.round}"] * bool(self.round) + [f"table {self.table}"] * bool(self.table)

    @classmethod
    def of_photo(cls, photo: PhotoResult, player: str = "") -> "Spot":
        """The spot of a whole photo."""
        return cls(photo.seat.round, photo.seat.table, player, photo.name)

    @classmethod
    def of_kingdom(cls, kingdom: KingdomResult) -> "Spot":
        """The spot of a kingdom."""
        return cls(kingdom.round, kingdom.table, kingdom.player, *kingdom.id)


@dataclass(frozen=True)
class ReviewItem:
    """One thing to review: why, and advice. `changes` says in words what depends on it.

    The other fields are those of an uncertain board. `stake` orders items of equal impact: the points in question times
    the probability of an error. `fixes` are possible corrections, such as `1:C3=w1`, by impact.
    """

    impact: Impact
    changes: str
    why: str
    advice: str
    spot: Spot
    kingdom: KingdomResult | None = None
    stake: float = 0.0
    points: int | None = None
    fixes: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key."""
        spot, photo = self.spot, natural_key(self.spot.photo)
        return -self.impact, -self.stake, spot.round, natural_key(spot.table), photo, spot.kingdom, self.why


def make_item(impact: Impact, why: str, advice: str, spot: Spot) -> ReviewItem:
    """An item that is not about a single board."""
    return ReviewItem(impact, CHANGES.get(impact, ""), why, advice, spot)


def list_seating_items(seating: Seating, event: Event) -> Iterator[ReviewItem]:
    """Yield items for kingdoms that do not count, have no player or are missing, and for photos without a kingdom."""
    for photo in seating.photos:
        if photo.name in seating.copies:
            yield _make_copy_item(photo, seating.copies[photo.name])
        elif photo.kingdoms and photo.seat.players and len(photo.seat.players) != len(photo.kingdoms):
            yield _make_count_item(photo, seating)
        elif photo.kingdoms and not photo.seat.players and (event.players or event.teams or event.rounds > 1):
            why = "the player of this kingdom is not known"
            yield make_item(Impact.WINNER_UNKNOWN, why, GIVE_PLAYERS, Spot.of_photo(photo))
    best = {(one.round, one.player): one for one in seating.counting}
    for one in seating.kingdoms:
        if one.player and not one.counts and not is_same_kingdom(best[one.round, one.player], one):
            yield _make_second_kingdom_item(best[one.round, one.player], one)
    for round_, table, player in seating.missing:
        yield _make_missing_item(round_, table, player, seating.photos)
    yield from _find_unlisted(seating.kingdoms, event)


def _make_copy_item(photo: PhotoResult, first: PhotoResult) -> ReviewItem:
    """The item of a photo that is the same file as another one."""
    other, spot = first.seat, Spot.of_photo(photo, ", ".join(photo.seat.players))
    why = f"it is the same file as {first.name}, and counts once"
    if photo.seat == other:
        return make_item(Impact.NOTHING, why, "nothing to do", spot)
    players = f" for {', '.join(other.players)}" if other.players else ""
    why += f", in round {other.round}{players}"
    return make_item(Impact.WINNER_UNKNOWN, why, "put the right photo in its place", spot)


def _make_count_item(photo: PhotoResult, seating: Seating) -> ReviewItem:
    """The item of a photo with more or fewer kingdoms than players. Of one player, the largest kingdom counts."""
    shows, players = f"it shows {count_noun(len(photo.kingdoms), 'kingdom')}", photo.seat.players
    largest = next((one for one in seating.kingdoms if one.photo is photo and one.player), None)
    if largest is not None:
        why = f"{shows}, and {players[0]} has one: the largest counts"
        spot = Spot.of_photo(photo, players[0])._replace(kingdom=largest.number)
        return make_item(Impact.EVENT_WINNER, why, f"compare; or {GIVE_PLAYERS}", spot)
    why = f"{shows}, and these players should be in it: {', '.join(players)}"
    return make_item(Impact.WINNER_UNKNOWN, why, GIVE_PLAYERS, Spot.of_photo(photo))


def _make_second_kingdom_item(best: KingdomResult, other: KingdomResult) -> ReviewItem:
    """The item of a player with two different kingdoms in a round."""
    spot = Spot.of_kingdom(best)
    if other.table != best.table:
        here, there = (f"table {one.table} ({one.photo.name})" for one in (best, other))
        why = f"{best.player} has a kingdom at {here} and one at {there}"
        return make_item(Impact.WINNER_UNKNOWN, why, "correct one of them; the first counts", spot)
    points = f"{best.data['total']} and {other.data['total']} points"
    why = f"another photo of this kingdom, {other.photo.name}, was read differently: {points}"
    return make_item(Impact.EVENT_WINNER, why, "compare both; the more certain one counts", spot)


def _make_missing_item(round_: int, table: str, player: str, photos: Iterable[PhotoResult]) -> ReviewItem:
    """The item of a player without a kingdom, with the photo that should have shown it."""
    own = [one for one in photos if one.seat.round == round_ and player in one.seat.players]
    error = next((one.error for one in own if one.error is not None), None)
    why = f"{player} has no kingdom in round {round_}{f': {error}' if error else ''}"
    advice = "take the photo again, or type the board: kdvision review" if own else "find the photo, or take it"
    if any(one.kingdoms for one in own):
        advice = f"{GIVE_PLAYERS}; or take the photo again"
    spot = Spot(round_, table, player, own[0].name if own else "")
    return make_item(Impact.WINNER_UNKNOWN, why, advice, spot)


def _find_unlisted(kingdoms: Iterable[KingdomResult], event: Event) -> Iterator[ReviewItem]:
    """Yield items for rounds and players that the event file does not list."""
    listed = {name_key(name): name for name in event.players}
    for one in kingdoms:
        spot = Spot.of_kingdom(one)._replace(kingdom=0)
        if event.rounds and one.round > event.rounds:
            why = f"event.toml has {event.rounds} rounds: round {one.round} is in no total"
            yield make_item(Impact.WINNER_UNKNOWN, why, "correct the photo's folder or event.toml", spot)
        if listed and one.player and name_key(one.player) not in listed:
            close = get_close_matches(name_key(one.player), listed, n=1)
            like = f"; is it {listed[close[0]]}?" if close else ""
            why = f"{one.player} is not among the players of event.toml{like}"
            yield make_item(Impact.WINNER_UNKNOWN, why, "correct the photo's name or event.toml", spot)


def find_unmatched(event: Event, photos: Sequence[PhotoResult], corrections: CorrectionFile) -> Iterator[ReviewItem]:
    """Yield items for photos that are gone, and for corrections that cannot be applied."""
    present = {one.name for one in photos if not one.record.gone}
    for one in photos:
        if one.record.gone:
            why = "it is no longer in the folder; its result is kept in results.jsonl and does not count"
            yield make_item(Impact.NOTHING, why, "put it back if it should count", Spot(photo=one.name))
    for name in event.photos:
        if name not in present:
            why = "event.toml lists this photo, and it is not in the folder"
            yield make_item(Impact.PLACES, why, "correct its name", Spot(photo=name))
    for error in corrections.errors:
        why = f"a correction is not valid: {error}"
        yield make_item(Impact.PLACES, why, "correct that line or remove it", Spot(photo=CORRECTIONS))
    for other in corrections.without_photo(one.record.content for one in photos):
        why = f"the correction {other} is about another photo of this name, or one that is gone"
        advice = "correct it again if it still holds: kdvision review"
        yield make_item(Impact.NOTHING, why, advice, Spot(photo=other.photo))
