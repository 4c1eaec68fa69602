"""Reading one photo, in any process: bytes in, plain values and a small picture out.

This module knows no files, folders or players. So a photo gives the same result under any name and on any machine.
What the networks observed of each kingdom is packed into JSON values for a later joint decision.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import kdvision
from kdvision.batch.event import GAME, OTHER_KINGDOM_HAS_TOWNS, Rules, find_towns_problem
from kdvision.batch.store.folder import Data
from kdvision.batch.store.record import StoredFixes
from kdvision.errors import OUTLINE_HINT, KdvisionError, ModelError
from kdvision.game.board import Square
from kdvision.game.rules import GAME_AUTO, name_box
from kdvision.vision.networks.onnx import MODEL_NAMES, find_model, read_model_file, use_one_thread

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import ClassProbabilities

READER_VERSION: Final = 2
"""Increased when this version reads the same photo differently with the same networks."""

MIN_PICTURE_SIDE: Final = 960
"""Pixels of the longer side of a picture, if the photo has as many. Letters are legible."""

MAX_PICTURE_SIDE: Final = 1280
"""Pixels of the longer side of a picture. Most photos were decoded at such a size anyway."""

PICTURE_QUALITY: Final = 68
"""JPEG quality of a picture: crowns and letters stay sharp, in half the bytes of the usual quality."""


class Job(NamedTuple):
    """A photo to read: its name, its bytes and their hash, and how to read it."""

    photo: str
    content: str
    data: bytes
    rules: Rules = Rules()
    fixed_squares: StoredFixes = ()

    @property
    def key(self) -> str:
        return hash_inputs(self.content, self.rules, self.fixed_squares)


class JobResult(NamedTuple):
    """The result of a job: the JSON object of `score` (its `photo` null) and a JPEG with the score drawn in.

    `observations` are packed, one for each kingdom; `models` is the hash of the networks. `is_final` is false if the
    machine and not the photo caused a failure, so that another run may succeed.
    """

    data: Mapping[str, Any]
    picture: bytes | None = None
    models: str = ""
    is_final: bool = True
    observations: tuple[Mapping[str, Any], ...] = ()


class Observation(NamedTuple):
    """What the networks observed of one kingdom, as far as a joint decision needs it.

    `border_log_odds` are the log-odds that neighbours (right, down) are one domino, `side` is the side of a square in
    pixels, and `p_whole` the probability that no part of the kingdom was missed.
    """

    probabilities: "ClassProbabilities"
    border_log_odds: tuple[NDArray[np.float64], NDArray[np.float64]]
    calibration: "Calibration"
    side: float
    p_whole: float


@cache
def hash_models() -> str:
    """Return the hash of all model files; raise ModelError if one is missing or damaged."""
    digest = hashlib.sha256()
    for path in map(find_model, MODEL_NAMES):
        digest.update(path.name.encode() + read_model_file(path))
    return digest.hexdigest()[:16]


def hash_inputs(content: str, rules: Rules, fixed_squares: StoredFixes = ()) -> str:
    """Return the hash of all that a result depends on: content, networks, program and options."""
    options = {name: value for name, value in asdict(rules).items() if name != "tokens" or value}
    inputs = [content, hash_models(), kdvision.__version__, READER_VERSION, options, fixed_squares]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:32]


def read_photo(job: Job) -> JobResult:
    """Return the result of a job, whatever its photo is called.

    Errors of the photo are results, too. Raises only ModelError, which concerns all photos.
    """
    use_one_thread()
    try:
        return _read(job)
    except ModelError:
        raise
    except KdvisionError as error:
        return make_failed_result(error)
    except MemoryError:
        hint = "run again with fewer workers"
        return make_failed_result(KdvisionError("there was not enough memory for it", hint=hint))
    except Exception as error:  # noqa: BLE001  (an entry point: one photo must not end the run)
        words = " ".join(f"{type(error).__name__}: {error}".split())
        return make_failed_result(KdvisionError(f"the program failed on it ({words})", hint="please report this photo"))


def make_failed_result(error: KdvisionError) -> JobResult:
    """Return the result of a photo that could not be read."""
    hint = error.hint.replace(f"; {OUTLINE_HINT}", "") or None  # a batch has no outlines
    data: Data = {"kingdoms": [], "error": str(error), "hint": hint}
    return JobResult(data, models=hash_models(), is_final=type(error) is not KdvisionError)


def _read(job: Job) -> JobResult:
    from kdvision import pipeline
    from kdvision.files import encode_image
    from kdvision.report.build import build_photo_result
    from kdvision.report.overlay import draw_overlay
    from kdvision.report.pieces import GivenFacts
    from kdvision.report.to_dict import result_to_dict
    from kdvision.vision.image.photo import Photo, shrink

    photo, rules = Photo.open(job.data, name="the photo"), job.rules
    fixed_squares = {(number - 1, Square.parse(square)): cell for number, square, cell in job.fixed_squares}
    box = name_box(GAME_AUTO, rules.variants)
    readings = list(pipeline.read(photo, side=rules.side, fixed_squares=fixed_squares, game=box))
    for number, reading in enumerate(readings):
        if reading.game != GAME:  # the rules cannot score it, so it is to be reviewed
            problem = find_towns_problem(reading.board) or OTHER_KINGDOM_HAS_TOWNS
            readings[number] = replace(reading, problems=(problem, *reading.problems))
    result = build_photo_result(
        "",
        (photo.width, photo.height),
        readings,
        rules.choose_photo_rule_set(reading.board for reading in readings),
        facts=GivenFacts(tokens={number: rules.list_tokens(number + 1) for number in range(len(readings))}),
    )
    values = {**result_to_dict(result), "photo": None}
    for problem_values in (problem for kingdom in values["kingdoms"] for problem in kingdom["problems"]):
        # Options of `kdvision score` are no advice here.
        problem_values["text"] = re.sub(r" \([^()]*--[a-z][^()]*\)", "", problem_values["text"])
    pixels = photo.find_level(min(1.0, MIN_PICTURE_SIDE / max(photo.width, photo.height)))[0]
    factor = MAX_PICTURE_SIDE / max(pixels.shape[:2])
    overlay = draw_overlay(photo, result, shrink(pixels, factor)[0] if factor < 1 else pixels)
    picture = encode_image(overlay, ".jpg", quality=PICTURE_QUALITY)
    return JobResult(values, picture, hash_models(), observations=tuple(map(pack_observation, readings)))


def pack_observation(reading: "KingdomReading") -> dict[str, Any]:
    """Return the observation of a kingdom as JSON values."""
    probabilities, calibration = reading.observation.probabilities, reading.calibration
    to_right, down = reading.observation.border_log_odds
    arrays = {"log_probs": probabilities.log_probs, "right": to_right, "down": down}
    return {
        "rows": probabilities.rows,
        "cols": probabilities.cols,
        "kinds": " ".join(probabilities.kinds),
        "temperature": round(calibration.temperature, 4),
        "sure": round(calibration.review_threshold, 4),
        "belief": [round(weight, 4) for weight in (*calibration.board_weights, *calibration.rule_offsets)],
        "side": round(reading.observation.grid.side_pixels, 1),
        "whole": round(calibration.calibrate_warnings(reading.warning_strengths), 4),
        **{name: base64.b64encode(array.astype("<f2").tobytes()).decode() for name, array in arrays.items()},
    }


def unpack_observation(data: Data) -> Observation:
    """Return the observation that was packed; raise ValueError for invalid values."""
    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.probabilities import ClassProbabilities

    rows, cols, kinds = int(data["rows"]), int(data["cols"]), tuple(data["kinds"].split())
    log_probs, to_right, down = (
        np.frombuffer(base64.b64decode(data[name]), "<f2").astype(np.float64) for name in ("log_probs", "right", "down")
    )
    values = log_probs.reshape(rows, cols, len(kinds))
    values = values - np.logaddexp.reduce(values, axis=2, keepdims=True)  # normalise after rounding
    likelihood, cost, undersampling, constant, *rule_offsets = map(float, data["belief"])
    weights, offsets = (likelihood, cost, undersampling, constant), (rule_offsets[0], rule_offsets[1])
    return Observation(
        ClassProbabilities(values, kinds),
        (to_right.reshape(rows, cols - 1), down.reshape(rows - 1, cols)),
        Calibration(float(data["temperature"]), float(data["sure"]), weights, offsets),
        float(data["side"]),
        float(data.get("whole", 1.0)),  # missing in results of earlier versions
    )
