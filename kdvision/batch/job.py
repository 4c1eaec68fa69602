"""What is done to one photo, wherever that is: its bytes in, plain values and a small picture out.

Nothing here knows files, folders or players, so the same photo gives the same result from any name and on any machine.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import kdvision
from kdvision.batch.event import Rules
from kdvision.batch.foreign import BESIDE, foreign, in_own_words
from kdvision.batch.observations import packed
from kdvision.errors import KdvisionError, ModelError, PhotoError

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.report.result import Result
    from kdvision.vision.image.photo import Photo
    from kdvision.vision.image.srgb import Pixels

FixedSquares: TypeAlias = tuple[tuple[int, str, str], ...]
"""Squares that a person has named: the kingdom, from 1, the square and what it shows, as texts."""

PICTURE_SIDE, PICTURE_MOST = 960, 1280
"""Pixels that the longer side of the picture with the score in it has at least, if the photo has as many, and at most.

Letters can be read, a thousand pictures fit a disk, and most photos were decoded at such a size anyway to be read.
"""
WAY: Final = 2
"""Raised where this version comes to read the same photo otherwise, with the same networks."""

PICTURE_QUALITY: Final = 68
"""That of its JPEG: crowns and letters stay sharp, and it takes half of what the usual quality does."""


class Job(NamedTuple):
    """One photo to read: what it is called here, its bytes and their hash, and how to read it."""

    photo: str
    content: str
    data: bytes
    rules: Rules = Rules()
    fixed_squares: FixedSquares = ()

    @property
    def key(self) -> str:
        """What the result depends on, and nothing else."""
        return key_of(self.content, self.rules, self.fixed_squares)


class Done(NamedTuple):
    """What came of a job: the JSON object of the result (its `photo` null), and a JPEG with the score drawn in.

    `seen` is what was seen of each kingdom, for the table to be decided together later; `models` is the hash of the
    networks that read it. A result that is not `lasting` says nothing of the photo itself: something was wrong with the
    machine, and another time may do better.
    """

    data: Mapping[str, Any]
    picture: bytes | None = None
    models: str = ""
    lasting: bool = True
    seen: tuple[Mapping[str, Any] | None, ...] = ()


def content_of(path: Path) -> bytes:
    """The bytes of a photo's file, at most one more than is ever read; raises PhotoError."""
    from kdvision.vision.image.photo import MAX_FILE_BYTES

    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        hint = "check that it is a file you may read, and run again"
        raise PhotoError(f"the photo cannot be read: {error.strerror}", hint=hint) from error


def hash_of(data: bytes) -> str:
    """The SHA-256 of a photo's bytes: photos of one hash are one photo."""
    return hashlib.sha256(data).hexdigest()


@cache
def models() -> str:
    """The hash of all networks as they lie there; raises ModelError where they do not."""
    from kdvision.vision.networks.onnx import model_path

    digest = hashlib.sha256()
    for path in sorted(model_path("finder").parent.glob("*.onnx")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def key_of(content: str, rules: Rules, fixed_squares: FixedSquares = ()) -> str:
    """The key of a result: content, networks, program and options in one hash."""
    asked = [content, models(), kdvision.__version__, WAY, asdict(rules), fixed_squares]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]


@cache
def prepare() -> None:
    """Make this process a good neighbour: one thread, because there are as many workers as cores."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "KDVISION_THREADS"):
        os.environ.setdefault(name, "1")
    import cv2

    cv2.setNumThreads(1)


def do(data: bytes, rules: Rules, fixed_squares: FixedSquares = ()) -> Done:
    """What comes of one photo; whatever is wrong with it is a result too. Raises ModelError: no photo is to blame."""
    prepare()
    try:
        return _read(data, rules, fixed_squares)
    except ModelError:
        raise
    except KdvisionError as error:
        return failed(error)
    except MemoryError:
        return failed(KdvisionError("there was not enough memory for it", hint="run again with fewer workers"))
    except Exception as error:  # noqa: BLE001  (a batch is a door: one photo must not end the night)
        words = " ".join(f"{type(error).__name__}: {error}".split())
        return failed(KdvisionError(f"the program failed on it ({words})", hint="please report this photo"))


def failed(error: KdvisionError) -> Done:
    """The result of a photo that could not be read; errors that are not the photo's own are no lasting ones."""
    from kdvision.report.result import Result
    from kdvision.report.to_dict import result_to_dict

    told = in_own_words(result_to_dict(Result(None, error=error)))
    return Done(told, None, models(), lasting=type(error) is not KdvisionError)


def _read(data: bytes, rules: Rules, fixed_squares: FixedSquares) -> Done:
    from kdvision import pipeline
    from kdvision.game.board import Square
    from kdvision.report.build import build_photo_result
    from kdvision.report.to_dict import result_to_dict
    from kdvision.vision.image.photo import Photo

    photo = Photo.open(data, name="the photo")
    named = {(number - 1, Square.parse(square)): cell for number, square, cell in fixed_squares}
    reads = [_flagged(read) for read in pipeline.read(photo, side=rules.side, fixed_squares=named)]
    result = build_photo_result("", (photo.width, photo.height), reads, rules.rule_set(read.board for read in reads))
    seen = tuple(packed(read) for read in reads)
    told = {**in_own_words(result_to_dict(result)), "photo": None}
    return Done(told, _picture(photo, result), models(), seen=seen)


def _flagged(read: "KingdomReading") -> "KingdomReading":
    """The kingdom with a problem where the photo shows another game than is counted by: then a person has to look."""
    if read.game == "kingdomino":
        return read
    return replace(read, problems=(foreign(read.board) or BESIDE, *read.problems), review=True)


def _picture(photo: "Photo", result: "Result") -> bytes:
    """The photo with its score drawn in, scaled down, as a JPEG."""
    from kdvision.files import encode_image
    from kdvision.report.overlay import draw_overlay
    from kdvision.vision.image.photo import Photo

    pixels = _shrunk(photo.scaled(min(1.0, PICTURE_SIDE / max(photo.width, photo.height)))[0])
    factors = pixels.shape[1] / photo.width, pixels.shape[0] / photo.height
    rows = tuple(
        scored if scored.reading is None else replace(scored, reading=_scaled(scored.reading, factors))
        for scored in result.kingdoms
    )
    return encode_image(draw_overlay(Photo(pixels), replace(result, kingdoms=rows)), ".jpg", quality=PICTURE_QUALITY)


def _shrunk(pixels: "Pixels") -> "Pixels":
    """The pixels, made fewer where there are more than anybody needs."""
    import cv2
    import numpy as np

    height, width = pixels.shape[:2]
    factor = PICTURE_MOST / max(height, width)
    if factor >= 1:
        return pixels
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _scaled(seen: "KingdomReading", factors: tuple[float, float]) -> "KingdomReading":
    """What was read, in a picture of another size."""
    return replace(seen, grid=replace(seen.grid, quads=(seen.grid.quads + 0.5) * factors - 0.5))
