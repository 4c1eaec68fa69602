"""Labelled photos, as they are and under corruptions."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from kdvision import pipeline
from kdvision.evaluate.corruptions import CORRUPTIONS, SEVERITIES
from kdvision.evaluate.corruptions.pixels import CellLayout
from kdvision.evaluate.evaluate import evaluate_corrupted, evaluate_photo, measure_cells
from kdvision.evaluate.labels import LabelledPhoto, list_labelled_photos
from kdvision.evaluate.summary import PhotoResult
from kdvision.lab.experiments.experiment import Experiment, Row, count_crashes

SETS: Final = {"photos": "photos", "boards": "straightened boards", "queendomino": "photos of Queendomino"}
"""Folders of labelled photos, with their titles; no network was trained on any of them."""
COMPARED_ROOMS: Final = ("beige-table", "cutting-mat", "grey-carpet", "grey-table", "wooden-desk")
"""Rooms of the 28 photos that are corrupted and covered; rooms added later would change what figures mean."""
COVERAGE_STEPS: Final = 40
"""Points of a risk-coverage curve."""
PHOTO_COUNTS: Final = ("outlined", "exact", "silent_errors", "false_alarms", "unflagged", "invented", "errors")


@cache
def load_labels(folder: Path) -> dict[str, LabelledPhoto]:
    """Return the labelled photos below a folder by name; none if there is no such folder."""
    return {photo.name: photo for photo in list_labelled_photos(folder)} if folder.is_dir() else {}


def load_compared(folder: Path) -> dict[str, LabelledPhoto]:
    """Return the labelled photos below a folder without the rooms that were added later."""
    rooms = (*COMPARED_ROOMS, "boards")
    return {name: photo for name, photo in load_labels(folder).items() if photo.room in rooms}


def count_photo(result: PhotoResult) -> Row:
    return {
        "outlined": int(result.shape),
        "exact": int(result.exact),
        "silent_errors": int(result.silent),
        "false_alarms": int(result.false_alarm),
        "unflagged": int(not result.review),
        "invented": result.invented,
        "errors": count_crashes(result.error),
        "probability": f"{result.probability:.4f}",
    }


def trace_risk(rows: Sequence[Row]) -> list[Row]:
    """Return how many pictures are wrong among the most probable ones, by share of all; adversarial ones apart.

    The probability of a picture is that of its least probable kingdom, 0 without one. `at_threshold` marks the pictures
    that are not flagged, whatever flags them.
    """
    curve: list[Row] = []
    for kind, adversarial in (("ordinary", False), ("adversarial", True)):
        kind_rows = [row for row in rows if str(row["family"]).endswith("(adversarial)") == adversarial]
        ranked_rows = sorted(kind_rows, key=lambda row: -float(row["probability"]))
        unflagged_rows = [row for row in kind_rows if row["unflagged"]]
        counts = sorted({len(ranked_rows) * step // COVERAGE_STEPS for step in range(1, COVERAGE_STEPS + 1)})
        curve += [_count_wrong(kind, ranked_rows[:count], len(kind_rows)) for count in counts]
        curve.append(_count_wrong(kind, unflagged_rows, len(kind_rows)) | {"at_threshold": 1})
    return curve


def _count_wrong(kind: str, accepted_rows: Sequence[Row], total: int) -> Row:
    return {
        "kind": kind,
        "coverage": f"{len(accepted_rows) / max(1, total):.4f}",
        "accepted": len(accepted_rows),
        "wrong": sum(not row["exact"] for row in accepted_rows),
        "at_threshold": 0,
    }


def _list_photos(data: Path, _: int) -> Iterator[Row]:
    for name in SETS:
        for photo in load_labels(data / name).values():
            yield {"set": name, "room": photo.room, "photo": photo.name}


def _measure_photo(data: Path, case: Row) -> list[Row]:
    truth = load_labels(data / str(case["set"]))[str(case["photo"])]
    return [count_photo(evaluate_photo(truth, reader=pipeline.read))]


PHOTOS: Final = Experiment(
    name="photos",
    question="How many labelled photos, on which nothing was trained, are read right?",
    cases=_list_photos,
    measure=_measure_photo,
    groups=("set", "room"),
    counts=PHOTO_COUNTS,
    quick_cases=60,
)


def _list_corrupted(data: Path, seed: int) -> Iterator[Row]:
    """Yield each photo under each corruption, at severities that take turns; the next seed has the next severity."""
    for n, name in enumerate(load_compared(data / "photos")):
        for k, (title, corruption) in enumerate(CORRUPTIONS.items()):
            family = f"{corruption.family} (adversarial)" if corruption.adversarial else corruption.family
            severity = SEVERITIES[(n + k + seed) % len(SEVERITIES)]
            yield {"seed": seed, "family": family, "corruption": title, "severity": severity, "photo": name}


@cache
def _load_cells(truth_name: str, folder: Path) -> CellLayout:
    truth = load_labels(folder)[truth_name]
    return measure_cells(truth, pipeline.read)


def _measure_corrupted(data: Path, case: Row) -> list[Row]:
    folder = data / "photos"
    name = str(case["photo"])
    result = evaluate_corrupted(
        load_labels(folder)[name],
        str(case["corruption"]),
        int(case["severity"]),
        cells=_load_cells(name, folder),
        seed=int(case["seed"]),
        reader=pipeline.read,
    )
    return [count_photo(result)]


STRESS: Final = Experiment(
    name="stress",
    question="How many labelled photos are read right under each corruption of each family?",
    cases=_list_corrupted,
    measure=_measure_corrupted,
    groups=("family", "corruption", "severity"),
    counts=PHOTO_COUNTS,
    trace=trace_risk,
    quick_cases=40,
)
