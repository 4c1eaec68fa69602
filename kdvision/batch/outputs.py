"""The files that a run leaves for people and programs: all of them follow from what is held, and from nothing else."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from kdvision.batch import sheets
from kdvision.batch.corrections import Book, Fixes
from kdvision.batch.event import Event
from kdvision.batch.folder import Failure
from kdvision.batch.job import key_of
from kdvision.batch.joint import Boxes, settled
from kdvision.batch.naming import in_order
from kdvision.batch.notices import loose_ends
from kdvision.batch.pages import page_of
from kdvision.batch.record import Data, Held, counted
from kdvision.batch.result_folder import REPORT, Place
from kdvision.batch.review import Look, looks
from kdvision.batch.seating import Sitting, duplicates, seated
from kdvision.batch.standings import Boardroom, Ranking
from kdvision.report.page import render_page

SHEETS: Final = ("results.csv", "standings.csv", "review.csv", "errors.csv")


@dataclass(frozen=True)
class Written:
    """What a run came to: photos, kingdoms that count, what failed, what to look at, and every standing."""

    photos: int
    kingdoms: int
    failures: tuple[Failure, ...]
    looks: tuple[Look, ...]
    rankings: tuple[Ranking, ...]


@dataclass(frozen=True)
class Told:
    """What is known of all photos once corrections are made: these, sorted, and the kingdoms at their tables.

    `said` and `counts` are the corrections and what counts by them, by the photo; `same` are copies, and of which.
    """

    photos: tuple[Held, ...]
    said: Mapping[str, Fixes]
    counts: Mapping[str, Data]
    same: Mapping[str, str]
    sittings: tuple[Sitting, ...]
    room: Boardroom
    looks: tuple[Look, ...]
    failures: tuple[Failure, ...]

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """Every standing, the widest first."""
        return tuple(self.room.rankings())

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the line of each photo."""
        for one in self.photos:
            yield one.line(
                seat=self.room.event.seat(one.photo),
                fixes=self.said[one.photo],
                counted=self.counts.get(one.photo),
                same_as=self.same.get(one.photo),
            )


def told(
    event: Event, held: Iterable[Held], book: Book, failures: Iterable[Failure] = (), boxes: Boxes | None = None
) -> Told:
    """What follows from the photos that are held, the event and the corrections; `boxes` are tables known so far."""
    photos = tuple(sorted(held, key=lambda one: in_order(one.photo)))
    said = {one.photo: book.of(one.photo, one.content) for one in photos}
    found = ((one.photo, _counted(one, said[one.photo], event)) for one in photos)
    counts = {photo: counts for photo, counts in found if counts is not None}
    here = [one for one in photos if not one.gone]
    same = duplicates((one.photo, one.content) for one in here if one.photo in counts or one.reading.error is None)
    sittings = tuple(_sitting(one, event, counts.get(one.photo), said[one.photo]) for one in here)
    around = seated(sittings, same, event)
    more = (*around.notices, *loose_ends(event, photos, book))
    alone = Boardroom(replace(around, notices=more), event)
    room = replace(alone, seated=replace(alone.seated, entries=settled(alone, boxes or Boxes())))
    confirmed = {(photo, number): str(board) for photo, fixes in said.items() for number, board in fixes.boards.items()}
    broken = [
        Failure(sitting.photo, sitting.error, str(one.reading.data["hint"] or ""))
        for one, sitting in zip(here, sittings, strict=True)
        if sitting.error is not None
    ]
    rows = tuple(sorted({*broken, *failures}, key=lambda failure: in_order(failure.name)))
    return Told(photos, said, counts, same, sittings, room, tuple(looks(room, confirmed)), rows)


def write(place: Place, found: Told) -> Written:
    """Write every file but the lines, each whole or not at all, sorted so that the same photos give the same files."""
    rankings = found.rankings
    texts = (
        sheets.results(found.room.seated.entries),
        sheets.standings(rankings),
        sheets.review(found.looks),
        sheets.errors(found.failures),
    )
    for name, text in zip(SHEETS, texts, strict=True):
        place.write(name, text)
    place.write(REPORT, render_page(page_of(place, found.room, rankings, found.looks, found.failures)))
    place.keep_pictures(_pictures(found.photos))
    return Written(
        photos=len(found.sittings),
        kingdoms=len(found.room.seated.counting),
        failures=found.failures,
        looks=found.looks,
        rankings=rankings,
    )


def _counted(held: Held, fixes: Fixes, event: Event) -> Data | None:
    return (
        counted(held, fixes, key_of(held.content, event.rules, fixes.fixed_squares), event.rules)
        if fixes.said
        else None
    )


def _sitting(held: Held, event: Event, counts: Data | None, fixes: Fixes) -> Sitting:
    read = held.reading.data
    drawn = held.again if counts is not None and held.again is not None else held.reading
    return Sitting(
        photo=held.photo,
        content=held.content,
        seat=event.seat(held.photo),
        kingdoms=(counts or read)["kingdoms"],
        read=read["kingdoms"],
        error=read["error"] if counts is None else None,
        picture=drawn.picture or held.reading.picture,
        width=read["width"],
        seen=drawn.data["seen"],
        named=fixes.named,
    )


def _pictures(photos: Iterable[Held]) -> Iterator[str | None]:
    for one in photos:
        yield one.reading.picture
        yield one.again.picture if one.again is not None else None
