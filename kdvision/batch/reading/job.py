"""Reading one photo, in any process: bytes in, plain values and a small picture out.

This module knows no files, folders or players. So a photo gives the same result under any name and on any machine.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any, Final, NamedTuple

import kdvision
from kdvision.batch.event import GAME, OTHER_KINGDOM_HAS_TOWNS, Rules, towns_problem
from kdvision.batch.reading.observation import pack_observation
from kdvision.batch.store.record import FixedSquares
from kdvision.errors import KdvisionError, ModelError

READER_VERSION: Final = 2
"""Raised when this version reads the same photo differently with the same networks."""

MIN_PICTURE_SIDE: Final = 960
"""Pixels of the longer side of a picture, if the photo has as many. Letters are legible."""

MAX_PICTURE_SIDE: Final = 1280
"""Pixels of the longer side of a picture. Most photos were decoded at such a size anyway."""

PICTURE_QUALITY: Final = 68
"""JPEG quality of a picture: crowns and letters stay sharp, in half the bytes of the usual quality."""

SCORE_OPTION: Final = re.compile(r": say --.*", re.DOTALL)
"""The end of a problem that names an option of `kdvision score`."""

TYPE_BOARD: Final = "if you can make out a kingdom, type its board: kdvision review"


class Job(NamedTuple):
    """A photo to read: its name, its bytes and their hash, and how to read it."""

    photo: str
    content: str
    data: bytes
    rules: Rules = Rules()
    fixed_squares: FixedSquares = ()

    @property
    def key(self) -> str:
        """The result key of this job."""
        return result_key(self.content, self.rules, self.fixed_squares)


class JobResult(NamedTuple):
    """The result of a job: the JSON object of `score` (its `photo` null) and a JPEG with the score drawn in.

    `observations` are packed, one for each kingdom; `models` is the hash of the networks. `final` is false if the
    machine and not the photo caused a failure, so that another run may succeed.
    """

    data: Mapping[str, Any]
    picture: bytes | None = None
    models: str = ""
    final: bool = True
    observations: tuple[Mapping[str, Any] | None, ...] = ()


@cache
def hash_models() -> str:
    """The hash of all model files; raises ModelError if one is missing or damaged."""
    from kdvision.vision.networks.onnx import MODEL_NAMES, find_model, read_model_file

    digest = hashlib.sha256()
    for path in map(find_model, MODEL_NAMES):
        digest.update(path.name.encode() + read_model_file(path))
    return digest.hexdigest()[:16]


def result_key(content: str, rules: Rules, fixed_squares: FixedSquares = ()) -> str:
    """The hash of all that a result depends on: content, networks, program and options."""
    options = {name: value for name, value in asdict(rules).items() if name != "tokens" or value}
    parts = [content, hash_models(), kdvision.__version__, READER_VERSION, options, fixed_squares]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@cache
def use_one_thread() -> None:
    """Limit this process to one thread, because there are as many processes as cores."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "KDVISION_THREADS"):
        os.environ.setdefault(name, "1")
    import cv2

    cv2.setNumThreads(1)


def read_photo(job: Job) -> JobResult:
    """The result of a job, whatever its photo is called.

    Errors of the photo are results, too. Raises only ModelError, which concerns all photos.
    """
    use_one_thread()
    try:
        return _read(job)
    except ModelError:
        raise
    except KdvisionError as error:
        return failed_result(error)
    except MemoryError:
        return failed_result(KdvisionError("there was not enough memory for it", hint="run again with fewer workers"))
    except Exception as error:  # noqa: BLE001  (an entry point: one photo must not end the run)
        words = " ".join(f"{type(error).__name__}: {error}".split())
        return failed_result(KdvisionError(f"the program failed on it ({words})", hint="please report this photo"))


def failed_result(error: KdvisionError) -> JobResult:
    """The result of a photo that could not be read."""
    from kdvision.report.result import Result
    from kdvision.report.to_dict import result_to_dict

    values = _adapt_advice(result_to_dict(Result(None, error=error)))
    return JobResult(values, None, hash_models(), final=type(error) is not KdvisionError)


def _read(job: Job) -> JobResult:
    from kdvision import pipeline
    from kdvision.files import encode_image
    from kdvision.game.board import Square
    from kdvision.game.rules import name_box
    from kdvision.report.build import build_photo_result
    from kdvision.report.overlay import draw_overlay
    from kdvision.report.pieces import GivenFacts
    from kdvision.report.to_dict import result_to_dict
    from kdvision.vision.decide.game_set import GAME_AUTO
    from kdvision.vision.image.photo import Photo, shrink

    photo, rules = Photo.open(job.data, name="the photo"), job.rules
    fixed = {(number - 1, Square.parse(square)): cell for number, square, cell in job.fixed_squares}
    box = name_box(GAME_AUTO, rules.variants)
    readings = list(pipeline.read(photo, side=rules.side, fixed_squares=fixed, game=box))
    for number, one in enumerate(readings):
        if one.game != GAME:  # the rules cannot score it, so it is to be reviewed
            problem = towns_problem(one.board) or OTHER_KINGDOM_HAS_TOWNS
            readings[number] = replace(one, problems=(problem, *one.problems))
    result = build_photo_result(
        "",
        (photo.width, photo.height),
        readings,
        rules.rule_set(one.board for one in readings),
        facts=GivenFacts(tokens=dict(enumerate(rules.tokens))),
    )
    values = {**_adapt_advice(result_to_dict(result)), "photo": None}
    pixels = photo.find_level(min(1.0, MIN_PICTURE_SIDE / max(photo.width, photo.height)))[0]
    factor = MAX_PICTURE_SIDE / max(pixels.shape[:2])
    drawn = draw_overlay(photo, result, shrink(pixels, factor)[0] if factor < 1 else pixels)
    picture = encode_image(drawn, ".jpg", quality=PICTURE_QUALITY)
    return JobResult(values, picture, hash_models(), observations=tuple(map(pack_observation, readings)))


def _adapt_advice(values: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object of a photo without advice that only `kdvision score` can follow."""
    from kdvision.vision.assess.diagnosis import OUTLINE_HINT

    kingdoms = [
        {**kingdom, "problems": [{**one, "text": SCORE_OPTION.sub("", one["text"])} for one in kingdom["problems"]]}
        for kingdom in values["kingdoms"]
    ]
    hint = values["hint"] and values["hint"].replace(OUTLINE_HINT, TYPE_BOARD)
    return {**values, "hint": hint, "kingdoms": kingdoms}
