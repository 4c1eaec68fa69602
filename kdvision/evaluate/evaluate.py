"""How good the shipped models are: labelled photos through the very pipeline that people use, one row a photo.

The truth lies beside each photo, a JSON with its name: `{"kingdoms": [{"board": [rows], "points": …,
"corners_tl_tr_br_bl_px": …}]}`, row 0 at the top of the upright photo. The folder a photo lies in is its room: rooms
are what results differ by.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from kdvision.errors import KdvisionError, ModelError
from kdvision.evaluate.corruptions import SEVERITIES, WAYS, spoil
from kdvision.evaluate.match import Kingdom, matched
from kdvision.evaluate.summary import Row, as_csv, by_room, by_way
from kdvision.evaluate.workers import in_order
from kdvision.files import write_atomically
from kdvision.game.board import Board
from kdvision.game.scoring import score
from kdvision.vision.image.photo import Photo

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

FORMAT: Final = 'beside each photo lies a JSON of the same name: {"kingdoms": [{"board": ["w w1", "l #"]}]}'
SUFFIXES: Final = (".jpg", ".jpeg", ".png", ".webp", ".heic")
GUESS: Final = 60.0
"""Pixels of a square's side in a photo that cannot be opened, where it does not matter."""


Reader = Callable[[Photo], Sequence["KingdomReading"]]
"""Reads the kingdoms of a photo, as `kdvision.pipeline.read` does."""


@dataclass(frozen=True)
class Labelled:
    """A photo and its true kingdoms: boards, points, and the outlines in pixels where they are known."""

    path: Path
    boards: tuple[Board, ...]
    points: tuple[int, ...]
    corners: tuple[NDArray[np.float64] | None, ...]

    @property
    def room(self) -> str:
        """The name of the folder the photo lies in."""
        return self.path.resolve().parent.name


@dataclass(frozen=True)
class Report:
    """The rows, and as text the table by room (or by way of spoiling, under stress)."""

    rows: tuple[Row, ...]
    stress: bool = False

    def __str__(self) -> str:
        return by_way(self.rows) if self.stress else by_room(self.rows)


def run(
    directory: Path,
    *,
    csv: Path | None = None,
    stress: bool = False,
    seeds: Sequence[int] = (0,),
    workers: int = 1,
    reader: Reader | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Report:
    """Read every labelled photo under the directory and compare; with `stress` each one spoiled in 24 ways instead.

    It is so spoiled for each of the `seeds`, one after another: each is another draw of how.
    The rows and their order are the same whatever the number of `workers`; with more than one the reader must pickle.
    `progress` is told after each row how many are done of how many. `csv` is written whole at the end. Raises
    KdvisionError where there is no labelled photo.
    """
    reader, photos = reader or _read, list(labelled(directory))
    if not photos:
        raise KdvisionError(f"{directory} holds no labelled photos", hint=FORMAT)
    rows, of = [], len(photos) * (len(WAYS) * len(SEVERITIES) * len(seeds) if stress else 1)
    for row in _rows(photos, seeds=seeds if stress else (), workers=workers, reader=reader):
        rows.append(row)
        progress(len(rows), of)
    if csv is not None:
        write_atomically(csv, as_csv(rows).encode())
    return Report(tuple(rows), stress)


def _rows(photos: Sequence[Labelled], *, seeds: Sequence[int], workers: int, reader: Reader) -> Iterator[Row]:
    """The rows of the photos as they are, or, where there are seeds, made hard by each."""
    if not seeds:
        yield from in_order(partial(_plain_row, reader=reader), photos, workers=workers)
        return
    sides = list(in_order(partial(_side_or_none, reader=reader), photos, workers=workers))
    for seed in seeds:
        hard = ((photo, side, way) for photo, side in zip(photos, sides, strict=True) for way in WAYS)
        for rows in in_order(partial(_spoiled_rows, reader=reader, seed=seed), hard, workers=workers):
            yield from rows


def _read(photo: Photo) -> Sequence["KingdomReading"]:
    from kdvision import pipeline

    return pipeline.read(photo)


def labelled(directory: Path) -> Iterator[Labelled]:
    """The labelled photos under a directory, by path; other JSON files are passed over.

    Raises KdvisionError for a JSON beside a photo that is no truth.
    """
    for path in sorted(directory.rglob("*.json")):
        photo = next((path.with_suffix(suffix) for suffix in SUFFIXES if path.with_suffix(suffix).is_file()), None)
        if photo is None:
            continue
        try:
            truth = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(truth, dict) and truth.get("kingdoms"):
                yield _labelled(photo, truth["kingdoms"])
        except (ValueError, KeyError, TypeError) as error:
            raise KdvisionError(f"{path} is no truth of a photo: {error}", hint=FORMAT) from error


def _labelled(photo: Path, kingdoms: Sequence[Mapping[str, Any]]) -> Labelled:
    boards = tuple(Board.parse(kingdom["board"]).trimmed() for kingdom in kingdoms)
    points = (kingdom.get("points") for kingdom in kingdoms)
    corners = (kingdom.get("corners_tl_tr_br_bl_px") for kingdom in kingdoms)
    return Labelled(
        photo,
        boards,
        tuple(score(b).points if p is None else int(p) for b, p in zip(boards, points, strict=True)),
        tuple(None if c is None else np.asarray(c, dtype=np.float64) for c in corners),
    )


def _row(truth: Labelled, reader: Reader, opened: Callable[[Path], Photo]) -> Row:
    """Read one photo and compare; a photo that cannot be read is a row too."""
    start = time.perf_counter()
    reads: Sequence[KingdomReading] = []
    error = ""
    try:
        photo = opened(truth.path)
        start = time.perf_counter()
        reads = reader(photo)
    except ModelError:
        raise  # not this photo's fault: the others would do no better
    except KdvisionError as failure:
        error = f"{type(failure).__name__}: {failure}"
    return compare(truth, reads, seconds=time.perf_counter() - start, error=error)


def compare(truth: Labelled, reads: Sequence["KingdomReading"], *, seconds: float = 0.0, error: str = "") -> Row:
    """The row of one photo: what was read beside what is true."""
    kingdoms = [Kingdom.of(read) for read in reads]
    pairs = matched(truth.boards, truth.corners, kingdoms)
    found = [pair for pair in pairs if pair is not None]
    whole = len(found) == len(truth.boards) == len(reads)
    misses = [
        abs((score(kingdoms[pair.read].board).points if pair else 0) - points)
        for pair, points in zip(pairs, truth.points, strict=True)
    ]
    exact, review = whole and all(pair.exact for pair in found), bool(error) or any(read.review for read in reads)
    return Row(
        photo=truth.path.name,
        room=truth.room,
        kingdoms=len(truth.boards),
        found=len(found),
        invented=len(reads) - len(found),
        shape=whole and all(pair.shape for pair in found),
        squares=sum(len(board) for board in truth.boards),
        before=sum(pair.before for pair in found),
        after=sum(pair.after for pair in found),
        exact=exact,
        boards_exact=sum(pair.exact for pair in found),
        points_exact=whole and not any(misses),
        score_error=sum(misses),
        review=review,
        silent=not exact and not review,
        upright=all(pair.quarters == 0 for pair in found),
        probability=min((read.probability for read in reads), default=0.0),
        seconds=seconds,
        true=" | ".join(map(str, truth.boards)),
        read=" | ".join(str(kingdom.board) for kingdom in kingdoms),
        error=error,
    )


def _plain_row(truth: Labelled, *, reader: Reader) -> Row:
    return _row(truth, reader, Photo.open)


def _spoiled_rows(work: tuple[Labelled, float | None, str], *, reader: Reader, seed: int) -> list[Row]:
    """The rows of a photo made hard in one way, at each severity; `work` is photo, side of a square, way."""
    truth, side, way = work
    name = f"{truth.room}/{truth.path.name}"

    def opened(path: Path, severity: int) -> Photo:
        photo = Photo.open(path)
        return Photo(spoil(photo.pixels, way, severity, square=side or GUESS, name=name, seed=seed), name)

    rows = (_row(truth, reader, partial(opened, severity=severity)) for severity in SEVERITIES)
    return [replace(row, way=way, severity=severity) for row, severity in zip(rows, SEVERITIES, strict=True)]


def _side_or_none(truth: Labelled, *, reader: Reader) -> float | None:
    """The side of a square, None for a photo that cannot be opened: that is told when it is read."""
    try:
        return square_side(truth, Photo.open(truth.path), reader)
    except ModelError:
        raise
    except KdvisionError:
        return None


def square_side(truth: Labelled, photo: Photo, reader: Reader) -> float:
    """The side of a square in pixels: from the true outlines, else as the reader sees it, else a guess."""
    sides = [_side(c, b.height, b.width) for c, b in zip(truth.corners, truth.boards, strict=True) if c is not None]
    if not sides:
        try:
            grids = [read.grid for read in reader(photo)]
        except KdvisionError:
            grids = []
        sides = [_side(np.asarray(grid.corners), grid.rows, grid.cols) for grid in grids]
    guess = 0.6 * min(photo.height, photo.width) / max(max(b.height, b.width) for b in truth.boards)
    return float(np.mean(sides)) if sides else guess


def _side(corners: NDArray[np.float64], rows: int, cols: int) -> float:
    """The side of a square of the same area as the outline's squares."""
    (x, y), (u, v) = corners.T, np.roll(corners, -1, axis=0).T
    return float(np.sqrt(abs((x * v - u * y).sum()) / 2 / (rows * cols)))
