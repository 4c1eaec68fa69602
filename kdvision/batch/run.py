"""A batch run: read the photos of a folder, store each result at once, and write the standings and the report.

A result is cached under the photo's content, the networks, the program and the options, so a photo is read once. A run
may be killed at any moment; the next one continues from there.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kdvision.batch.event import EVENT_FILE, Event, Rules, parse_event
from kdvision.batch.outcome import EventOutcome, evaluate_event, write_outcome
from kdvision.batch.photos import Failure, FolderContents, list_photos
from kdvision.batch.reading.job import Job, hash_inputs
from kdvision.batch.reading.workers import JobResults
from kdvision.batch.store.folder import (
    OUTPUT_FILES,
    RESULTS,
    SETTINGS,
    TABLE_CACHE,
    Data,
    ResultFolder,
    append_line,
    get_file_version,
    make_picture_name,
)
from kdvision.batch.store.record import CorrectionFile, PhotoReading, PhotoRecord, StoredFixes, load_records
from kdvision.errors import KdvisionError, NotationError
from kdvision.files import PHOTO_SUFFIXES
from kdvision.gamefile.read import read_text
from kdvision.text import join_words, quote_path

WATCH_INTERVAL_SECONDS: Final = 2.0
"""How often a watched folder is listed, and how old a file must be to be read: a younger one may still be arriving."""


@dataclass(frozen=True)
class BatchOptions:
    """The options of a run. `event` is an event file, by default the one in the folder; `rules` override its rules."""

    folder: Path
    out: Path
    event: Path | None = None
    rules: Rules | None = None
    force: bool = False

    @property
    def event_file(self) -> Path | None:
        """The event file, None without one."""
        path = self.event or self.folder / EVENT_FILE
        return path if self.event or os.path.exists(path) else None

    def find_foreign_file(self) -> Path | None:
        """Return a file in `out` that a first run would replace, or a photo that it would no longer read; None if none.

        A copy of an earlier run's folder may lack the hidden files; its results or corrections show what it is.
        """
        if os.path.exists(self.out / SETTINGS):
            return None  # the files are those of an earlier run
        out, folder = self.out.resolve(), self.folder.resolve()
        photos = () if folder.is_relative_to(out) else list_photos(folder).photos.values()
        files = [out / name for name in OUTPUT_FILES if os.path.lexists(out / name)]
        if files and (load_records(out)[0] or CorrectionFile(out).corrections):
            files = []
        files += [path for path in photos if path.resolve().is_relative_to(out)]
        return files[0] if files else None

    def save(self) -> None:
        """Store in `out` what a later review has to know."""
        rules = self.rules and {"variants": self.rules.variants, "side": self.rules.side}
        event = self.event_file and str(self.event_file.resolve())
        settings = {"folder": str(self.folder.resolve()), "event": event, "rules": rules}
        ResultFolder(self.out).save_json(SETTINGS, settings)

    @classmethod
    def load(cls, out: Path) -> "BatchOptions":
        """Return the options of the run that wrote into `out`; raise NotationError if there was none."""
        if not os.path.exists(out / SETTINGS):
            hint = "name a folder that kdvision batch has written, as it was given to -o"
            raise NotationError(f"{out} is not a folder of results", hint=hint)
        settings = ResultFolder(out).load_json(SETTINGS)
        if settings is None or not {"folder", "event", "rules"} <= settings.keys():
            raise NotationError(f"{out / SETTINGS} is damaged", hint="run kdvision batch again")
        rules = settings["rules"] and Rules(tuple(settings["rules"]["variants"]), settings["rules"]["side"])
        event = settings["event"] and Path(settings["event"])
        if event and not os.path.exists(event):
            hint = "put it back, or run kdvision batch with another one"
            raise NotationError(f"the event file {event} is not there any more", hint=hint)
        return cls(Path(settings["folder"]), out, event, rules)

    def load_event(self) -> Event:
        """Return the event as it is now; raise NotationError if its event file is not valid or has vanished.

        The last run of this folder into `out` may have used one. Without it, other rules would count.
        """
        path, last_settings = self.event_file, ResultFolder(self.out).load_json(SETTINGS) or {}
        if path is None and last_settings.get("event") and last_settings.get("folder") == str(self.folder.resolve()):
            hint = f"put it back, or name it with --event; to go on without it, make an empty file {EVENT_FILE} there"
            message = f"the last run used the event file {last_settings['event']}, and this one has none"
            raise NotationError(message, hint=hint)
        event = parse_event(read_text(path, description="an event file"), name=str(path)) if path else Event()
        return replace(event, name=event.name or self.folder.resolve().name, rules=self.rules or event.rules)


class BatchRun:
    """One run over a folder. The result folder must be locked, unless the results are only evaluated.

    `read_jobs` yields each job with its result. `on_progress` is called with the numbers of photos that are done, of
    all photos, and of failures.
    """

    def __init__(
        self,
        options: BatchOptions,
        read_jobs: Callable[[Iterable[Job]], JobResults],
        *,
        on_progress: Callable[[int, int, int], None] = lambda *_: None,
        on_message: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Load the results so far; raise NotationError for an invalid event file."""
        self.options, self.read_jobs = options, read_jobs
        self.on_progress, self.on_message = on_progress, on_message
        self.folder = ResultFolder(options.out)
        self.event = options.load_event()
        self.records, damaged_count = load_records(options.out)
        if damaged_count:
            on_message(f"{damaged_count} damaged lines in {RESULTS}: their photos are read again")
        self.readings = {} if options.force else self._index_readings()
        self.verdicts: Data = {} if options.force else self.folder.load_json(TABLE_CACHE) or {}
        self.failures: dict[str, Failure] = {}
        self._versions: dict[str, tuple[tuple[int, int] | None, Rules]] = {}
        self.corrections = CorrectionFile(options.out)

    def run(self) -> EventOutcome:
        """Read what is new in the folder, and write all files."""
        self.options.save()
        contents = list_photos(self.options.folder)
        reported_names = {EVENT_FILE, *(failure.name for failure in contents.failures)}
        names = [name for name in contents.others if name not in reported_names]
        if names:
            ellipsis = ", …" if len(names) > 3 else ""
            self.on_message(f"skipped, because their names are not those of photos: {', '.join(names[:3])}{ellipsis}")
        if not contents.photos:
            suffixes = join_words(sorted(PHOTO_SUFFIXES), "or")
            self.on_message(f"{self.options.folder} has no photos: name a folder with files that end in {suffixes}")
        while True:
            self.read_photos(contents.photos)
            outcome = self.finish(contents)
            if not self.corrections.reload():  # nobody has corrected in the meantime
                return outcome

    def watch(self, on_written: Callable[[EventOutcome], None]) -> None:
        """Run for ever: whenever photos, corrections or the event file change, read and write; then call `on_written`.

        If the folder is not there or the event file is not valid, that is reported once, and the run waits.
        """
        state: object = None
        while True:
            try:
                contents, self.event = list_photos(self.options.folder), self.options.load_event()
            except KdvisionError as error:
                message = "; ".join(filter(None, (str(error), error.hint)))
                if state != message:
                    self.on_message(message)
                state = message
            else:
                now = time.time()
                versions = {name: get_file_version(path) for name, path in contents.photos.items()}
                # A file that cannot be accessed is listed, because reading it reports the error.
                complete_versions = {
                    name: version
                    for name, version in versions.items()
                    if version is None or abs(now - version[1] / 1e9) > WATCH_INTERVAL_SECONDS
                }
                new_state = complete_versions, contents.failures, self.event
                if self.corrections.reload() or state != new_state:
                    state = new_state
                    self.options.save()  # the event file may be new
                    self._drop_old_readings(
                        {name: contents.photos[name] for name in versions.keys() - complete_versions}
                    )
                    self.read_photos({name: contents.photos[name] for name in complete_versions})
                    on_written(self.finish(contents))
            time.sleep(WATCH_INTERVAL_SECONDS)

    def evaluate(self, failures: Iterable[Failure] = ()) -> EventOutcome:
        """Return the outcome of all that was read and corrected so far."""
        return evaluate_event(self.event, self.records.values(), self.corrections, failures, self.verdicts)

    def stop(self) -> EventOutcome:
        """Write all files with what has been read and corrected so far, also while the folder is not there."""
        self.corrections.reload()
        try:
            contents = list_photos(self.options.folder)
        except KdvisionError:
            outcome = self._write(FolderContents({}, (), ()))
        else:
            self._drop_old_readings(contents.photos)
            outcome = self.finish(contents)
        return self.stop() if self.corrections.reload() else outcome

    def read_photos(self, photos: Mapping[str, Path]) -> None:
        """Read the photos that have no result yet; then those with fixed squares again, with these."""
        self._done_count, self._failure_count, self._photo_count = 0, 0, len(photos)
        self.failures.clear()
        self._read(self._iterate_new_jobs(photos))
        self._read(self._iterate_correction_jobs(photos))

    def finish(self, contents: FolderContents) -> EventOutcome:
        """Write all files.

        The record of a photo that is no longer there is kept, unless the photo is there under another name.
        """
        present_names = contents.photos.keys()
        hashes = {record.content for name, record in self.records.items() if name in present_names}
        self.records = {
            name: replace(record, gone=name not in present_names)
            for name, record in self.records.items()
            if name in present_names or (record.content and record.content not in hashes)
        }
        return self._write(contents)

    def _drop_old_readings(self, photos: Mapping[str, Path]) -> None:
        """Record each photo as not read yet whose file has changed since it was read."""
        for name in photos.keys() & self.records.keys():
            job = self._make_job(name, photos[name]) if self.records[name].content else None
            if job is not None and job.content != self.records[name].content:
                reading = _make_failure_record(_make_unread_failure(name)).reading
                self.records[name] = self.records[name].replace_content(job.content, reading)
                self._versions.pop(name, None)

    def apply_corrections(self) -> EventOutcome:
        """Read photos with fixed squares again, as far as they are there, and write all files."""
        try:
            contents = list_photos(self.options.folder)
        except KdvisionError as error:
            self.on_message(f"{error}. Corrected squares are changed, and nothing else is decided again")
            contents = FolderContents({}, (), ())
        self._drop_old_readings(contents.photos)
        photos = {name: path for name, path in contents.photos.items() if name in self.records}
        if any(
            record.reading.key not in ("", hash_inputs(record.content, self.event.find_photo_rules(name)))
            for name, record in self.records.items()
            if not record.gone
        ):
            command = f"kdvision batch {quote_path(self.options.folder)} -o {quote_path(self.options.out)}"
            self.on_message(f"the rules or the program have changed since the photos were read: run {command}")
        self._read(self._iterate_correction_jobs(photos))
        outcome = self._write(contents)
        return self.apply_corrections() if self.corrections.reload() else outcome

    def _write(self, contents: FolderContents) -> EventOutcome:
        # A file without a result may hide a kingdom that wins.
        for failure in (*map(_make_unread_failure, contents.photos), *contents.failures):
            self.records.setdefault(failure.name, _make_failure_record(failure))
        outcome = self.evaluate((*contents.failures, *self.failures.values()))
        write_outcome(self.folder, outcome)
        self.verdicts = outcome.verdicts
        self.records = {photo.name: photo for photo in outcome.photos}
        # The pictures of readings that are in no record any more are removed.
        self.readings = self._index_readings()
        return outcome

    def _index_readings(self) -> dict[str, PhotoReading]:
        """Return the readings of the records by their keys. Failures caused by the machine have none."""
        return {reading.key: reading for record in self.records.values() for reading in record.readings if reading.key}

    def _iterate_new_jobs(self, photos: Mapping[str, Path]) -> Iterator[Job]:
        """Yield jobs for unread photos. Photos whose result is cached are recorded as a side effect."""
        for name, path in photos.items():
            version = get_file_version(path), self.event.find_photo_rules(name)
            is_known = name in self.records and version[0] is not None and self._versions.get(name) == version
            job = None if is_known else self._make_job(name, path)
            if job is not None:
                self._versions[name] = version
            if job is None or self._use_cached(job):
                self._report_progress(name)
            else:
                yield job

    def _iterate_correction_jobs(self, photos: Mapping[str, Path]) -> Iterator[Job]:
        """Yield jobs for photos with fixed squares that were not read with these yet."""
        corrections = self.corrections.find_for_photos(self.records.values())
        for name, path in photos.items():
            record, fixed_squares = self.records[name], corrections[name].fixed_squares
            if not record.content or not fixed_squares or record.reading.error is not None:
                self.records[name] = replace(record, second_reading=None)
                continue
            job = self._make_job(name, path, fixed_squares)
            if job is not None and job.content == record.content and not self._use_cached(job):
                yield job

    def _make_job(self, photo: str, path: Path, fixed_squares: StoredFixes = ()) -> Job | None:
        """Return the job for a photo. If its file cannot be read, record that, keep an earlier result, return None."""
        from kdvision.vision.image.photo import MAX_FILE_BYTES

        try:
            with path.open("rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            reason = f"the photo cannot be read: {error.strerror}"
            advice = "check that it is a file you may read, and run again"
            if photo in self.records and self.records[photo].content:
                self.failures[photo] = Failure(photo, f"{reason}; its earlier result counts", advice)
            else:
                self.records[photo] = _make_failure_record(Failure(photo, reason, advice))
            return None
        content = hashlib.sha256(data).hexdigest()  # photos with the same hash are the same photo
        return Job(photo, content, data, self.event.find_photo_rules(photo), fixed_squares)

    def _use_cached(self, job: Job) -> bool:
        """Record the result of a job if it is cached, with the picture under the photo's name; return whether it is."""
        reading = self.readings.get(job.key)
        if reading is None:
            return False
        name = make_picture_name(job.photo, is_corrected=bool(job.fixed_squares))
        if reading.picture is not None and not (name == reading.picture and (self.folder.path / name).exists()):
            picture = self.folder.read(reading.picture)
            if picture is None:
                return False
            reading = reading._replace(picture=self._write_picture(job, picture))
        self._record(job, reading)
        return True

    def _write_picture(self, job: Job, picture: bytes) -> str:
        """Write a picture, and return its name. A reading whose picture it replaces is not cached any more."""
        name = make_picture_name(job.photo, is_corrected=bool(job.fixed_squares))
        self.folder.write(name, picture)
        self.readings = {key: reading for key, reading in self.readings.items() if reading.picture != name}
        return name

    def _read(self, jobs: Iterator[Job]) -> None:
        """Read photos, and write each result to disk: first its picture, then its record."""
        for job, result in self.read_jobs(jobs):
            name = None if result.picture is None else self._write_picture(job, result.picture)
            key = job.key if result.is_final else ""
            reading = PhotoReading.parse({**result.data, "key": key, "picture": name, "seen": result.observations})
            append_line(self.folder.path / RESULTS, self._record(job, reading).format_json_line())
            if key:
                self.readings[key] = reading
            if not job.fixed_squares:
                self._report_progress(job.photo)

    def _record(self, job: Job, reading: PhotoReading) -> PhotoRecord:
        # An earlier reading of other content under this name is dropped.
        record = self.records.get(job.photo)
        if record is None:
            record = PhotoRecord(job.photo, job.content, reading)
        elif record.content != job.content:
            record = record.replace_content(job.content, reading)
        elif job.fixed_squares:
            record = replace(record, second_reading=reading)
        else:
            record = replace(record, reading=reading, gone=False)
        self.records[job.photo] = record = replace(record, seat=self.event.find_seat(job.photo))
        return record

    def _report_progress(self, photo: str) -> None:
        self._done_count += 1
        self._failure_count += self.records[photo].reading.error is not None
        self.on_progress(self._done_count, self._photo_count, self._failure_count)


def _make_unread_failure(photo: str) -> Failure:
    return Failure(photo, "the photo is not read yet", "run kdvision batch again")


def _make_failure_record(failure: Failure) -> PhotoRecord:
    """Return the record of a photo of unknown content. It has no key, so that the next run reads the photo."""
    return PhotoRecord(failure.name, "", PhotoReading(error=failure.reason, hint=failure.advice))
