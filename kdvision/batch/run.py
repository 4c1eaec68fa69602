"""A batch run: read the photos of a folder, store each result at once, and write the standings and the report.

A result is cached under the photo's content, the networks and the options, so a photo is read once. A run may be killed
at any moment; the next one continues from there.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from kdvision.batch.event import EVENT_FILE
from kdvision.batch.joint import TableCache
from kdvision.batch.outcome import EventOutcome, evaluate_event, write_outcome
from kdvision.batch.photos import Failure, FolderContents, PhotoFile, list_photos
from kdvision.batch.reading.job import Job, JobResult, hash_content, load_content
from kdvision.batch.reading.workers import Executor
from kdvision.batch.store.corrections import CorrectionFile, FixedSquares, file_version
from kdvision.batch.store.folder import RESULTS, ResultFolder, append_line, picture_name
from kdvision.batch.store.options import BatchOptions
from kdvision.batch.store.record import PhotoRecord, PhotoResult, Reading, load_records
from kdvision.errors import KdvisionError, PhotoError

WATCH_INTERVAL_SECONDS: Final = 2.0
"""How often a watched folder is listed, and how old a file must be to be read: a younger one may still be arriving."""


class Progress(NamedTuple):
    """The progress of a run: photos done and in all, how many were read in this run, and how many failed."""

    done: int
    total: int
    read: int
    failed: int


class BatchRun:
    """One run over a folder. The result folder must be locked."""

    def __init__(
        self,
        options: BatchOptions,
        executor: Executor,
        *,
        on_progress: Callable[[Progress], None] = lambda _: None,
        on_message: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Load the results so far; raises NotationError for an invalid event file."""
        self.options, self.executor = options, executor
        self.on_progress, self.on_message = on_progress, on_message
        self.folder, self.corrections = ResultFolder(options.out), CorrectionFile(options.out)
        self.event = options.load_event()
        options.save()
        self.records, damaged = load_records(options.out)
        if damaged:
            on_message(f"{damaged} damaged lines in {RESULTS}: their photos are read again")
        self.readings = {} if options.force else _index_readings(self.records.values())
        self.tables = TableCache() if options.force else TableCache.load(self.folder)
        self.failures: dict[str, Failure] = {}
        self.progress = Progress(0, 0, 0, 0)
        self._versions: dict[str, tuple[int, int]] = {}
        self.corrections.reload()

    def close(self) -> None:
        """Stop the workers."""
        self.executor.close()

    def run(self) -> EventOutcome:
        """Read what is new in the folder, and write all files."""
        contents = self.list_folder()
        others = [name for name in contents.others if name != EVENT_FILE]
        if others:
            more = ", …" if len(others) > 3 else ""
            self.on_message(f"skipped, because their names are not those of photos: {', '.join(others[:3])}{more}")
        self.read_photos(contents.photos)
        while self.corrections.reload():  # somebody has corrected in the meantime
            self.read_photos(contents.photos)
        return self.finish(contents)

    def watch(self, on_written: Callable[[EventOutcome], None]) -> None:
        """Run for ever: whenever photos, corrections or the event file change, read and write; then `on_written`.

        If the folder is not there or the event file is not valid, that is reported once, and the run waits.
        """
        state: object = None
        message = ""
        while True:
            try:
                contents, event = self.list_folder(), self.options.load_event()
            except KdvisionError as error:
                if str(error) != message:
                    message = str(error)
                    self.on_message(message)
            else:
                message = ""
                photos = tuple(photo for photo in contents.photos if _age_seconds(photo.path) > WATCH_INTERVAL_SECONDS)
                versions = [(photo.name, file_version(photo.path)) for photo in photos]
                is_new = state != (versions, contents.failures, event)
                if self.corrections.reload() or is_new:
                    if (event.rules, event.tokens) != (self.event.rules, self.event.tokens):
                        self._versions.clear()  # all photos are checked again
                    self.event = event
                    self.read_photos(photos)
                    on_written(self.finish(contents._replace(photos=photos)))
                    state = versions, contents.failures, event
            time.sleep(WATCH_INTERVAL_SECONDS)

    def list_folder(self) -> FolderContents:
        """The photos in the folder; raises KdvisionError if it cannot be read."""
        return list_photos(self.options.folder, skip=self.options.out)

    def read_photos(self, photos: tuple[PhotoFile, ...]) -> None:
        """Read the photos that have no result yet; then those with fixed squares again, with these."""
        self.progress = Progress(0, len(photos), self.progress.read, 0)
        self.failures.clear()
        self._run(self._new_jobs(photos))
        self._run(self._correction_jobs(photos))

    def finish(self, contents: FolderContents) -> EventOutcome:
        """Write all files.

        The result of a photo that is no longer there is kept, unless the photo is there under another name.
        """
        names = {photo.name for photo in contents.photos}
        hashes = {record.content for name, record in self.records.items() if name in names}
        self.records = {
            name: replace(record, gone=name not in names)
            for name, record in self.records.items()
            if name in names or (record.reading.error is None and record.content not in hashes)
        }
        return self._write(contents.failures)

    def apply_corrections(self) -> EventOutcome:
        """Read photos with fixed squares again, as far as they are there, and write all files."""
        try:
            contents = self.list_folder()
        except KdvisionError as error:
            self.on_message(f"{error}: corrected squares are changed, and nothing else is decided again")
            return self._write(())
        self._run(self._correction_jobs(photo for photo in contents.photos if photo.name in self.records))
        return self._write(contents.failures)

    def _run(self, jobs: Iterator[Job]) -> None:
        for job, result in self.executor.run(jobs):
            self._store(job, result)

    def _write(self, failures: Iterable[Failure]) -> EventOutcome:
        unread = sorted((*failures, *self.failures.values()))
        outcome = evaluate_event(self.event, self.records.values(), self.corrections, unread, self.tables)
        write_outcome(self.folder, outcome)
        self.tables.save(self.folder)
        # The pictures of readings that are in no record any more are removed.
        self.readings = {
            key: one for key, one in _index_readings(self.records.values()).items() if key in self.readings
        }
        return outcome

    def _new_jobs(self, photos: Iterable[PhotoFile]) -> Iterator[Job]:
        """Yield jobs for unread photos. Photos whose result is cached are recorded as a side effect."""
        for photo in photos:
            version = file_version(photo.path)
            is_known = version is not None and self._versions.get(photo.name) == version
            job = None if is_known else self._make_job(photo)
            if job is not None and version is not None:
                self._versions[photo.name] = version
            if job is None or self._use_cached(job):
                self._report_progress(photo.name)
            else:
                yield job

    def _correction_jobs(self, photos: Iterable[PhotoFile]) -> Iterator[Job]:
        """Yield jobs for photos with fixed squares that were not read with these yet."""
        for photo in photos:
            record = self.records[photo.name]
            corrections = self.corrections.of_photo(record.photo, record.content)
            if not record.content or not corrections.fixed_squares or record.reading.error is not None:
                self.records[photo.name] = replace(record, again=None)
                continue
            job = self._make_job(photo, corrections.fixed_squares)
            if job is not None and job.content == record.content and not self._use_cached(job):
                yield job

    def _make_job(self, photo: PhotoFile, fixed_squares: FixedSquares = ()) -> Job | None:
        """The job for a photo; None if its file cannot be read, which is recorded."""
        try:
            data = load_content(photo.path)
        except PhotoError as error:
            self._record_unreadable(photo.name, error)
            return None
        return Job(photo.name, hash_content(data), data, self.event.photo_rules(photo.name), fixed_squares)

    def _record_unreadable(self, photo: str, error: PhotoError) -> None:
        """Record that a photo's file cannot be read. An earlier result stays."""
        if photo in self.records and self.records[photo].content:
            self.failures[photo] = Failure(photo, f"{error}; its earlier result counts", error.hint)
        else:
            self.records[photo] = PhotoRecord.of_unreadable(photo, error)

    def _use_cached(self, job: Job) -> bool:
        """True if the result of a job is cached; then it is recorded, with the picture under the photo's name."""
        reading = self.readings.get(job.key)
        if reading is None:
            return False
        name = picture_name(job.photo, corrected=bool(job.fixed_squares))
        if reading.picture is not None and not (name == reading.picture and (self.folder.path / name).exists()):
            picture = self.folder.read(reading.picture)
            if picture is None:
                return False
            self.folder.write(name, picture)
            reading = replace(reading, picture=name)
        self._record(job, reading)
        return True

    def _store(self, job: Job, result: JobResult) -> None:
        """Write a result to disk: first its picture, then its record."""
        name = None
        if result.picture is not None:
            name = picture_name(job.photo, corrected=bool(job.fixed_squares))
            self.folder.write(name, result.picture)
        key = job.key if result.final else ""
        reading = Reading.parse({**result.data, "key": key, "picture": name, "seen": result.observations})
        record = self._record(job, reading)
        append_line(self.folder.path / RESULTS, PhotoResult(record, self.event.seat(job.photo)).line())
        if key:
            self.readings[key] = reading
        if not job.fixed_squares:
            self.progress = self.progress._replace(read=self.progress.read + 1)
            self._report_progress(job.photo)

    def _record(self, job: Job, reading: Reading) -> PhotoRecord:
        """Record a reading. An earlier reading of other content under this name is dropped."""
        record = self.records.get(job.photo)
        if job.fixed_squares and record is not None:
            record = replace(record, again=reading)
        elif record is None or record.content != job.content:
            record = PhotoRecord(job.photo, job.content, reading)
        else:
            record = replace(record, reading=reading, gone=False)
        self.records[job.photo] = record
        return record

    def _report_progress(self, photo: str) -> None:
        record = self.records.get(photo)
        failed = record is not None and record.reading.error is not None
        done = self.progress.done + 1
        self.progress = self.progress._replace(done=done, failed=self.progress.failed + failed)
        self.on_progress(self.progress)


def _index_readings(records: Iterable[PhotoRecord]) -> dict[str, Reading]:
    """The readings of the records by their keys. Failures caused by the machine have none."""
    return {reading.key: reading for one in records for reading in one.readings if reading.key}


def _age_seconds(path: Path) -> float:
    """Seconds since the file was changed; infinite if it cannot be accessed, which reading it will report."""
    version = file_version(path)
    return float("inf") if version is None else time.time() - version[1] / 1e9
