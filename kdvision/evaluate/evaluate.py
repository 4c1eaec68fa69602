"""Reads labelled photos with the whole pipeline and compares each with its label: one result a photo."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from kdvision.errors import KdvisionError, ModelError
from kdvision.evaluate.corruptions import CORRUPTIONS, SEVERITIES, corrupt
from kdvision.evaluate.labels import LABEL_FORMAT, LabelledPhoto, list_labelled_photos
from kdvision.evaluate.match import DecidedBoard, match_kingdoms
from kdvision.evaluate.summary import PhotoResult, format_csv, summarise_by_corruption, summarise_by_room
from kdvision.evaluate.workers import map_in_processes
from kdvision.files import write_atomically
from kdvision.game.scoring import score
from kdvision.vision.image.photo import Photo

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

DEFAULT_CELL_PIXELS: Final = 60.0
"""Side of a square assumed for a photo that cannot be opened: corruptions of it are never read."""

Reader = Callable[[Photo], Sequence["KingdomReading"]]
"""Reads the kingdoms of a photo, as `kdvision.pipeline.read` does."""


@dataclass(frozen=True)
class Report:
    """The results of all photos; as text, the summary by room, or by corruption under stress."""

    results: tuple[PhotoResult, ...]
    stress: bool = False

    def __str__(self) -> str:
        return summarise_by_corruption(self.results) if self.stress else summarise_by_room(self.results)


def evaluate(
    directory: Path,
    *,
    csv: Path | None = None,
    stress: bool = False,
    seeds: Sequence[int] = (0,),
    workers: int = 1,
    reader: Reader | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Report:
    """Return the results of all labelled photos below a directory.

    With `stress`, each photo is read under each corruption at 3 severities instead, once for each of the `seeds`. The
    results and their order do not depend on `workers`; with several workers the reader must pickle. `progress` is
    called after each photo with the number done and the number of all. `csv` is written at the end. Raises
    KdvisionError if there are no labelled photos.
    """
    reader, photos = reader or read_photo, list(list_labelled_photos(directory))
    if not photos:
        raise KdvisionError(f"{directory} holds no labelled photos", hint=LABEL_FORMAT)
    total = len(photos) * (len(CORRUPTIONS) * len(SEVERITIES) * len(seeds) if stress else 1)
    results = []
    for result in _evaluate_photos(photos, seeds=seeds if stress else (), workers=workers, reader=reader):
        results.append(result)
        progress(len(results), total)
    if csv is not None:
        write_atomically(csv, format_csv(results).encode())
    return Report(tuple(results), stress)


def _evaluate_photos(
    photos: Sequence[LabelledPhoto], *, seeds: Sequence[int], workers: int, reader: Reader
) -> Iterator[PhotoResult]:
    """Yield the results of the photos as they are or, if there are seeds, under each corruption."""
    if not seeds:
        yield from map_in_processes(partial(evaluate_photo, reader=reader), photos, workers=workers)
        return
    sizes = list(map_in_processes(partial(_measure_cell_size, reader=reader), photos, workers=workers))
    for seed in seeds:
        items = [(photo, size, name) for photo, size in zip(photos, sizes, strict=True) for name in CORRUPTIONS]
        for results in map_in_processes(partial(_evaluate_corrupted, reader=reader, seed=seed), items, workers=workers):
            yield from results


def read_photo(photo: Photo) -> Sequence["KingdomReading"]:
    """Return the kingdoms that the shipped models read in a photo."""
    from kdvision import pipeline

    return pipeline.read(photo)


def evaluate_photo(
    truth: LabelledPhoto, *, reader: Reader, open_photo: Callable[[Path], Photo] = Photo.open
) -> PhotoResult:
    """Return the result of one photo; an error of the photo is part of its result."""
    start = time.perf_counter()
    readings: Sequence[KingdomReading] = []
    error = ""
    try:
        photo = open_photo(truth.path)
        start = time.perf_counter()
        readings = reader(photo)
    except ModelError:
        raise  # the other photos would fail in the same way
    except KdvisionError as failure:
        error = f"{type(failure).__name__}: {failure}"
    return compare_with_label(truth, readings, seconds=time.perf_counter() - start, error=error)


def compare_with_label(
    truth: LabelledPhoto, readings: Sequence["KingdomReading"], *, seconds: float = 0.0, error: str = ""
) -> PhotoResult:
    """Return the result of one photo from its label and the kingdoms that were read."""
    boards = [DecidedBoard.from_reading(reading) for reading in readings]
    matches = match_kingdoms(truth.boards, truth.corners, boards)
    found = [match for match in matches if match is not None]
    complete = len(found) == len(truth.boards) == len(readings)
    score_errors = [
        abs((score(boards[match.index].board).points if match else 0) - points)
        for match, points in zip(matches, truth.points, strict=True)
    ]
    exact = complete and all(match.exact for match in found)
    review = bool(error) or any(reading.review for reading in readings)
    return PhotoResult(
        photo=truth.path.name,
        room=truth.room,
        kingdoms=len(truth.boards),
        found=len(found),
        invented=len(readings) - len(found),
        shape=complete and all(match.shape for match in found),
        squares=sum(len(board) for board in truth.boards),
        before=sum(match.raw_agreement for match in found),
        after=sum(match.agreement for match in found),
        exact=exact,
        boards_exact=sum(match.exact for match in found),
        points_exact=complete and not any(score_errors),
        score_error=sum(score_errors),
        review=review,
        silent=not exact and not review,
        upright=all(match.quarters == 0 for match in found),
        probability=min((reading.probability for reading in readings), default=0.0),
        seconds=seconds,
        true=" | ".join(map(str, truth.boards)),
        read=" | ".join(str(board.board) for board in boards),
        error=error,
    )


def _evaluate_corrupted(
    item: tuple[LabelledPhoto, float | None, str], *, reader: Reader, seed: int
) -> list[PhotoResult]:
    """Return the results of a photo under one corruption at each severity; `item` is photo, cell size, corruption."""
    truth, cell_size, corruption = item
    return [
        evaluate_corrupted(
            truth, corruption, severity, cell_size=cell_size or DEFAULT_CELL_PIXELS, seed=seed, reader=reader
        )
        for severity in SEVERITIES
    ]


def evaluate_corrupted(
    truth: LabelledPhoto, corruption: str, severity: int, *, cell_size: float, seed: int, reader: Reader
) -> PhotoResult:
    """Return the result of a photo under a corruption; `cell_size` is the side of a square in pixels."""

    def open_corrupted(path: Path) -> Photo:
        pixels = Photo.open(path).pixels
        return Photo(corrupt(pixels, corruption, severity, cell_size=cell_size, name=truth.name, seed=seed), truth.name)

    result = evaluate_photo(truth, reader=reader, open_photo=open_corrupted)
    return replace(result, way=corruption, severity=severity)


def _measure_cell_size(truth: LabelledPhoto, *, reader: Reader) -> float | None:
    """Return the side of a square in pixels, None for a photo that cannot be opened."""
    try:
        return measure_cell_size(truth, Photo.open(truth.path), reader)
    except ModelError:
        raise
    except KdvisionError:
        return None


def measure_cell_size(truth: LabelledPhoto, photo: Photo, reader: Reader) -> float:
    """Return the side of a square in pixels: from the label's corners, else from what is read, else an estimate."""
    sizes = [
        _cell_size(c, b.height, b.width) for c, b in zip(truth.corners, truth.boards, strict=True) if c is not None
    ]
    if not sizes:
        try:
            grids = [reading.grid for reading in reader(photo)]
        except KdvisionError:
            grids = []
        sizes = [_cell_size(np.asarray(grid.corners), grid.rows, grid.cols) for grid in grids]
    estimate = 0.6 * min(photo.height, photo.width) / max(max(b.height, b.width) for b in truth.boards)
    return float(np.mean(sizes)) if sizes else estimate


def _cell_size(corners: NDArray[np.float64], rows: int, cols: int) -> float:
    """Return the square root of the mean cell area (shoelace formula)."""
    (x, y), (u, v) = corners.T, np.roll(corners, -1, axis=0).T
    return float(np.sqrt(abs((x * v - u * y).sum()) / 2 / (rows * cols)))
