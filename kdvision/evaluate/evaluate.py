"""Reads labelled photos with the whole pipeline and compares each with its label: one result per photo."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from operator import call
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from kdvision import pipeline
from kdvision.errors import KdvisionError, ModelError
from kdvision.evaluate.corruptions import CORRUPTIONS, SEVERITIES, corrupt
from kdvision.evaluate.corruptions.pixels import DEFAULT_CELL_PIXELS, CellLayout
from kdvision.evaluate.labels import LABEL_FORMAT, LabelledPhoto, list_labelled_photos
from kdvision.evaluate.summary import PhotoResult, format_csv
from kdvision.evaluate.workers import map_in_processes
from kdvision.files import write_atomically
from kdvision.game.board import Board, Square
from kdvision.game.scoring import score
from kdvision.pipeline import KingdomReading
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo

MAX_SHIFT_SQUARES: Final = 2
"""Boards are compared at all shifts up to this one: a missed row must not make every square wrong."""

Reader = Callable[[Photo], Sequence[KingdomReading]]
"""Reads the kingdoms of a photo, as `kdvision.pipeline.read` does."""


def evaluate(
    directory: Path,
    *,
    csv: Path | None = None,
    stress: bool = False,
    seeds: Sequence[int] = (0,),
    workers: int = 1,
    reader: Reader | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[PhotoResult]:
    """Return the results of all labelled photos below a directory.

    With `stress`, each photo is read under each corruption at 3 severities instead, once for each of the `seeds`. The
    results and their order do not depend on `workers`; with several workers the reader must pickle. `progress` is
    called after each photo with the number done and the number of all. `csv` is written at the end. Raises
    KdvisionError if there are no labelled photos.
    """
    reader, photos = reader or pipeline.read, list(list_labelled_photos(directory))
    if not photos:
        raise KdvisionError(f"{directory} holds no labelled photos", hint=LABEL_FORMAT)
    jobs = [partial(evaluate_photo, photo, reader=reader) for photo in photos]
    if stress:
        layouts = [*map_in_processes(partial(measure_cells, reader=reader), photos, workers=workers)]
        jobs = [
            partial(evaluate_corrupted, photo, name, severity, cells=cells, seed=seed, reader=reader)
            for seed in seeds
            for photo, cells in zip(photos, layouts, strict=True)
            for name in CORRUPTIONS
            for severity in SEVERITIES
        ]
    results: list[PhotoResult] = []
    for result in map_in_processes(call, jobs, workers=workers):
        results.append(result)
        progress(len(results), len(jobs))
    if csv is not None:
        write_atomically(csv, format_csv(results).encode())
    return results


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
    truth: LabelledPhoto, readings: Sequence[KingdomReading], *, seconds: float = 0.0, error: str = ""
) -> PhotoResult:
    """Return the result of one photo from its label and the kingdoms that were read."""
    matches = match_kingdoms(truth.boards, readings)
    found_matches = [match for match in matches if match is not None]
    is_complete = len(found_matches) == len(truth.boards) == len(readings)
    score_errors = [
        abs((score(match.board).points if match else 0) - points)
        for match, points in zip(matches, truth.points, strict=True)
    ]
    is_exact = is_complete and all(match.is_exact for match in found_matches)
    review = bool(error) or any(reading.review for reading in readings)
    return PhotoResult(
        photo=truth.path.name,
        room=truth.room,
        kingdoms=len(truth.boards),
        found=len(found_matches),
        invented=len(readings) - len(found_matches),
        shape=is_complete and all(match.has_same_shape for match in found_matches),
        squares=sum(len(board) for board in truth.boards),
        before=sum(match.raw_agreement for match in found_matches),
        after=sum(match.agreement for match in found_matches),
        exact=is_exact,
        boards_exact=sum(match.is_exact for match in found_matches),
        points_exact=is_complete and not any(score_errors),
        score_error=sum(score_errors),
        review=review,
        silent=not is_exact and not review,
        upright=all(match.quarter_turns == 0 for match in found_matches),
        probability=min((reading.probability for reading in readings), default=0.0),
        seconds=seconds,
        true=" | ".join(map(str, truth.boards)),
        read=" | ".join(str(reading.board.trim()) for reading in readings),
        error=error,
    )


@dataclass(frozen=True)
class Match:
    """A true kingdom and the kingdom that was read, with its board in the smallest frame.

    `quarter_turns` clockwise quarter turns bring the board that was read onto the truth; `has_same_shape` (same squares
    with a tile) and `is_exact` (same board) hold after them. `raw_agreement` and `agreement` count squares right before
    and after the decision.
    """

    board: Board
    quarter_turns: int
    raw_agreement: int
    agreement: int
    has_same_shape: bool
    is_exact: bool


def match_kingdoms(truths: Sequence[Board], readings: Sequence[KingdomReading]) -> list[Match | None]:
    """Return the match of each true kingdom or None; the assignment with the highest agreement counts."""
    matches = [[_match_reading(truth, reading) for reading in readings] for truth in truths]
    agreements = np.array([match.agreement for row in matches for match in row]).reshape(len(truths), len(readings))
    kingdom_matches: list[Match | None] = [None] * len(truths)
    for truth, index in zip(*linear_sum_assignment(agreements, maximize=True), strict=True):
        kingdom_matches[truth] = matches[truth][index] if matches[truth][index].agreement else None
    return kingdom_matches


def _match_reading(truth: Board, reading: KingdomReading) -> Match:
    """Return the match in the turn with the highest agreement; of equal turns, the smallest."""
    board = reading.board.trim()
    agreements = [_count_agreement(truth, board.rotate(quarter_turns)) for quarter_turns in range(4)]
    quarter_turns = agreements.index(max(agreements))
    rotated_board = board.rotate(quarter_turns)
    raw_agreement = _count_agreement(truth, reading.probabilities.best.rotate(quarter_turns))
    has_same_shape = rotated_board.keys() == truth.keys()
    return Match(board, quarter_turns, raw_agreement, agreements[quarter_turns], has_same_shape, rotated_board == truth)


def _count_agreement(truth: Board, board: Board) -> int:
    """Return the number of right squares minus the number of invented ones, at the shift where it is largest."""
    agreements = [0]
    for down, right in product(range(-MAX_SHIFT_SQUARES, MAX_SHIFT_SQUARES + 1), repeat=2):
        true_cells = [(cell, truth.get(Square(row + down, col + right))) for (row, col), cell in board.items()]
        agreements.append(sum((true_cell == cell) - (true_cell is None) for cell, true_cell in true_cells))
    return max(agreements)


def evaluate_corrupted(
    truth: LabelledPhoto, corruption: str, severity: int, *, cells: CellLayout, seed: int, reader: Reader
) -> PhotoResult:
    """Return the result of a photo under a corruption; `cells` is what `measure_cells` returns."""

    def open_corrupted(path: Path) -> Photo:
        pixels = Photo.open(path).pixels
        return Photo(corrupt(pixels, corruption, severity, cells=cells, name=truth.name, seed=seed), truth.name)

    result = evaluate_photo(truth, reader=reader, open_photo=open_corrupted)
    return replace(result, way=corruption, severity=severity)


def measure_cells(truth: LabelledPhoto, reader: Reader) -> CellLayout:
    """Return the mean side of all squares and the borders of the first kingdom's, else an estimate without borders."""
    try:
        photo = Photo.open(truth.path)
    except KdvisionError:
        return CellLayout(DEFAULT_CELL_PIXELS)
    with suppress(KdvisionError):
        if grids := [reading.grid for reading in reader(photo)]:
            areas = [cv2.contourArea(grid.corners.astype(np.float32)) / (grid.rows * grid.cols) for grid in grids]
            return CellLayout(float(np.mean(np.sqrt(areas))), *_measure_borders(grids[0]))
    side = 0.6 * min(photo.height, photo.width) / max(max(board.height, board.width) for board in truth.boards)
    return CellLayout(side)


def _measure_borders(grid: Grid) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the y of the borders of rows and the x of the borders of columns, each the mean along the border."""
    y, x = grid.quads[..., 1], grid.quads[..., 0]
    row_borders = [*y[:, :, :2].mean((1, 2)), y[-1, :, 2:].mean()]
    column_borders = [*x[:, :, [0, 3]].mean((0, 2)), x[:, -1, 1:3].mean()]
    return tuple(map(float, row_borders)), tuple(map(float, column_borders))
