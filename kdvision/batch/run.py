"""A night on one page: the photos of a folder, read by a crew, each safe as soon as it is read, then files for people.

What was read before is not read again: a result is known by the photo's content, the networks, and the options. So a
run may be killed at any moment, and the next one goes on where it ended.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kdvision.batch.corrections import Book
from kdvision.batch.event import FILE, Event
from kdvision.batch.folder import Failure, Found, Shot, walk
from kdvision.batch.job import Done, FixedSquares, Job, content_of, hash_of
from kdvision.batch.joint import Boxes
from kdvision.batch.journal import Journal
from kdvision.batch.options import Plan
from kdvision.batch.outputs import Written, told, write
from kdvision.batch.pool import Crew
from kdvision.batch.record import Held, Reading, unreadable
from kdvision.batch.result_folder import CORRECTED, RESULTS, SCORED, Place, picture_name
from kdvision.errors import KdvisionError, PhotoError


class Progress(NamedTuple):
    """How far a run is: photos looked at and in all, how many were read in this run, and how many of all failed."""

    done: int
    total: int
    read: int
    failed: int


class Night:
    """One run over a folder: what is known of its photos, and where that is kept. The folder `out` must be held."""

    def __init__(
        self,
        plan: Plan,
        crew: Crew,
        *,
        tell: Callable[[Progress], None] = lambda _: None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Look at what was read before; raises NotationError for a mistake in the event's file."""
        self.plan, self.crew, self.tell, self.say = plan, crew, tell, say
        self.place, self.book = Place(plan.out), Book(plan.out)
        self.event = plan.told()
        self.place.remember(plan.memo())
        self.journal = Journal(plan.out / RESULTS)
        if self.journal.damaged:
            say(f"{self.journal.damaged} damaged lines in {RESULTS}: their photos are read again")
        self.held = {held.photo: held for held in _held(self.journal)}
        self.known = {} if plan.force else _known(self.held.values())
        self.boxes = Boxes({} if plan.force else self.place.tables())
        self.failures: dict[str, Failure] = {}
        self.read = 0
        self._looked: dict[str, tuple[int, int]] = {}
        self.book.refreshed()

    def close(self) -> None:
        """Send the crew home and close the files."""
        self.crew.close()
        self.journal.close()

    def once(self) -> Written:
        """Read what is new in the folder, and write all files."""
        found = walk(self.plan.folder, leave=self.plan.out)
        if others := [name for name in found.others if name != FILE]:
            more = ", …" if len(others) > 3 else ""
            self.say(f"left out, because their names are not those of photos: {', '.join(others[:3])}{more}")
        self.look(found.photos)
        while self.book.refreshed():  # somebody has corrected meanwhile
            self.look(found.photos)
        return self.finish(found)

    def follow(self, event: Event) -> None:
        """Go on by what the event's file says now; photos to be scored by other rules are looked at again."""
        if event.rules != self.event.rules:
            self._looked.clear()
        self.event = event

    def look(self, shots: tuple[Shot, ...]) -> None:
        """Read those of the photos that were not read before; then, with the squares that people have named, again."""
        self._total, self._done, self._failed = len(shots), 0, 0
        self.failures.clear()
        for job, done in self.crew.work(self._jobs(shots)):
            self._keep(job, done)
        for job, done in self.crew.work(self._second_jobs(shots)):
            self._keep(job, done)

    def finish(self, found: Found) -> Written:
        """Write all files from what is known by now.

        What was read in a photo that is no longer there is kept, unless the photo is there under another name.
        """
        present = {shot.name for shot in found.photos}
        contents = {held.content for name, held in self.held.items() if name in present}
        self.held = {
            name: replace(held, gone=name not in present)
            for name, held in self.held.items()
            if name in present or (held.reading.error is None and held.content not in contents)
        }
        return self._written(found.failures)

    def again(self) -> Written:
        """Follow what people have said of photos that were read, as far as these are there; and write all files."""
        try:
            found = walk(self.plan.folder, leave=self.plan.out)
        except KdvisionError as error:
            self.say(f"{error}: corrected squares are changed as they are said, and nothing is decided anew")
            return self._written(())
        shots = tuple(shot for shot in found.photos if shot.name in self.held)
        for job, done in self.crew.work(self._second_jobs(shots)):
            self._keep(job, done)
        return self._written(found.failures)

    def _written(self, failures: Iterable[Failure]) -> Written:
        closed = sorted((*failures, *self.failures.values()))
        found = told(self.event, self.held.values(), self.book, closed, self.boxes)
        spans = self.journal.replace(found.lines())
        self.held = {one.photo: one.kept(self.journal, span) for one, span in zip(found.photos, spans, strict=True)}
        # What is known and held no more lies nowhere now.
        self.known = {key: reading for key, reading in _known(self.held.values()).items() if key in self.known}
        written = write(self.place, found)
        self.place.keep_tables(self.boxes.kept())
        return written

    def _jobs(self, shots: tuple[Shot, ...]) -> Iterator[Job]:
        """Yield what is to be read; photos that are known take their place on the way."""
        for shot in shots:
            stamp = stamp_of(shot.path)
            job = None if stamp is not None and self._looked.get(shot.name) == stamp else self._job(shot)
            if job is not None and stamp is not None:
                self._looked[shot.name] = stamp
            if job is not None and not self._is_known(job):
                yield job
            else:
                self._tell(shot.name)

    def _second_jobs(self, shots: tuple[Shot, ...]) -> Iterator[Job]:
        """Yield the photos of which people have named squares, to be decided again with these."""
        for shot in shots:
            held = self.held[shot.name]
            fixed_squares = self.book.of(held.photo, held.content).fixed_squares if held.content else ()
            if not fixed_squares or held.reading.error is not None:
                self.held[shot.name] = replace(held, again=None)
                continue
            job = self._job(shot, fixed_squares)
            if job is not None and job.content == held.content and not self._is_known(job):
                yield job

    def _job(self, shot: Shot, fixed_squares: FixedSquares = ()) -> Job | None:
        """The job that a photo is; None where its file cannot be read, which is noted."""
        try:
            data = content_of(shot.path)
        except PhotoError as error:
            self._unreadable(shot.name, error)
            return None
        return Job(shot.name, hash_of(data), data, self.event.rules, fixed_squares)

    def _unreadable(self, photo: str, error: PhotoError) -> None:
        """Note that a photo's file cannot be read; what was read when it could be stays."""
        if photo in self.held and self.held[photo].content:
            error = PhotoError(f"{error}; what was read before counts", hint=error.hint)
            self.failures[photo] = Failure(photo, str(error), error.hint)
        else:
            self.held[photo] = unreadable(photo, error)

    def _is_known(self, job: Job) -> bool:
        """Whether a photo was read before; then that is noted."""
        known = self._known(job)
        if known is not None:
            self._hold(job, known)
        return known is not None

    def _known(self, job: Job) -> Reading | None:
        """The reading of a photo that was read before, its picture under the photo's present name."""
        known = self.known.get(job.key)
        if known is None or known.picture is None:
            return known
        name = _picture(job)
        if name == known.picture and (self.place.path / name).exists():
            return known
        content = self.place.picture(known.picture)
        if content is None:
            return None
        self.place.write(name, content)
        return replace(known, picture=name)

    def _keep(self, job: Job, done: Done) -> None:
        """Make a result safe: first its picture, then its line."""
        name = None
        if done.picture is not None:
            name = _picture(job)
            self.place.write(name, done.picture)
        self._hold(job, Reading.made(job.key if done.lasting else "", done.data, name, done.seen))
        held = self.held[job.photo]
        held = held.kept(self.journal, self.journal.append(held.line(seat=self.event.seat(job.photo))))
        self.held[job.photo] = held
        if done.lasting:
            self.known[job.key] = _known([held])[job.key]
        if not job.fixed_squares:
            self.read += 1
            self._tell(job.photo)

    def _hold(self, job: Job, reading: Reading) -> None:
        """Note what is known of a photo; what was held of another content under its name is forgotten."""
        held = self.held.get(job.photo)
        if job.fixed_squares and held is not None:
            self.held[job.photo] = replace(held, again=reading)
        elif held is None or held.content != job.content:
            self.held[job.photo] = Held(job.photo, job.content, reading)
        else:
            self.held[job.photo] = replace(held, reading=reading, gone=False)

    def _tell(self, photo: str) -> None:
        self._done += 1
        self._failed += self.held[photo].reading.error is not None if photo in self.held else 0
        self.tell(Progress(self._done, self._total, self.read, self._failed))


def _held(journal: Journal) -> Iterator[Held]:
    """Yield what the lines of this version hold, in their order; it stays in the journal."""
    for span in journal.spans:
        line = journal.line(span)
        if _whole(line):
            yield Held.of(line, journal, span)


def _whole(line: Mapping[str, Any]) -> bool:
    """True for a line that this version has written."""
    return all(name in line for name in ("photo", "content", "key", "picture", "kingdoms", "error"))


def _known(held: Iterable[Held]) -> dict[str, Reading]:
    """The readings by their keys."""
    readings = [reading for one in held for reading in (one.reading, one.again) if reading is not None]
    return {reading.key: reading for reading in readings if reading.key}


def _picture(job: Job) -> str:
    return picture_name(job.photo, CORRECTED if job.fixed_squares else SCORED)


def stamp_of(path: Path) -> tuple[int, int] | None:
    """What changes with a file; None where it cannot be asked."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
