"""The work behind the endpoints, done in worker threads: read photos, decide kingdoms again, convert pictures."""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.files import encode_image, write_atomically
from kdvision.game.board import Square
from kdvision.game.game import choose_rule_set
from kdvision.game.rules import VARIANTS
from kdvision.pipeline import KingdomReading
from kdvision.report.build import build_photo_result
from kdvision.report.pieces import find_open_facts
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.decide.game_set import GAME_AUTO, GAME_KINGDOMINO
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.find import Networks
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import shrink
from kdvision.web.limits import JobQueue, Report
from kdvision.web.response import status_of
from kdvision.web.tokens import decode_token, encode_token

PHOTO_NAME: Final = "the photo"
"""How messages call a photo: no name comes from a client."""

MAX_PICTURE_SIDE: Final = 2000
"""Pixels of a picture made for the page: with four kingdoms in it, a square still has eighty."""

SUFFIXES: Final = {b"\xff\xd8": ".jpg", b"\x89P": ".png", b"RI": ".webp", b"GI": ".gif", b"BM": ".bmp"}
"""Suffix by the first bytes of a photo; any other is .heic, the only other format that phones send."""


class ReadOptions(NamedTuple):
    """How a photo is scored: the side (None: as it shows), the game ("auto": as it shows) and the variants."""

    side: int | None = None
    game: str = GAME_AUTO
    variants: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """The result of a job: HTTP status and response body."""

    status: int
    body: dict[str, Any]


class FixedObservation(NamedTuple):
    """A kingdom to decide again: the token of its observation, and the squares of its grid that a person has named."""

    token: str
    fixes: Mapping[Square, str]


@dataclass(frozen=True)
class Service:
    """What the endpoints share: job queues, the secret of this run, and the folder for photos, if they are kept."""

    photos: JobQueue
    quick_jobs: JobQueue
    link: str | None = None
    keep_folder: Path | None = None
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _photo_numbers: "count[int]" = field(default_factory=lambda: count(1))

    def read(self, content: bytes, options: ReadOptions, outlines: Sequence[KingdomOutline], report: Report) -> Outcome:
        """Read a photo; an error of the photo is an outcome too."""
        try:
            photo = Photo.open(content, name=PHOTO_NAME)
            self._keep(content)
            readings = pipeline.read(
                photo,
                side=options.side,
                corners=outlines,
                game=options.game,
                watch=lambda stage, _: report({"stage": stage}),
            )
        except KdvisionError as error:
            return Outcome(status_of(error), result_to_dict(Result(PHOTO_NAME, error=error)))
        result, variants = _score((photo.width, photo.height), readings, options)
        body = result_to_dict(result)
        body["kingdoms"] = [
            kingdom
            | _origin_data(reading)
            | {
                "sight": encode_token(reading, self.secret),
                "squares": _grid_data(reading),
                "untold": sorted(scored.kingdom.open_facts),
            }
            for kingdom, reading, scored in zip(body["kingdoms"], readings, result.kingdoms, strict=True)
        ]
        return Outcome(200, body | {"variants": variants})

    def decide(self, kingdoms: Sequence[FixedObservation], options: ReadOptions) -> Outcome:
        """Decide observations again with the fixed squares; raises Refusal and NotationError."""
        cells = Networks.load().classifier
        decoded = [decode_token(one.token, cells.kinds, self.secret, piece_names=cells.pieces) for one in kingdoms]
        fixed_squares = {
            (number, square): cell for number, kingdom in enumerate(kingdoms) for square, cell in kingdom.fixes.items()
        }
        readings = pipeline.decide_again(
            [one.observation for one in decoded],
            surroundings=[one.around for one in decoded],
            side=options.side,
            fixed_squares=fixed_squares,
            game=options.game,
        )
        result, _ = _score((0, 0), readings, options)
        decided = result_to_dict(result)["kingdoms"]
        return Outcome(
            200, {"kingdoms": [one | _origin_data(reading) for one, reading in zip(decided, readings, strict=True)]}
        )

    def convert_picture(self, content: bytes) -> bytes:
        """A photo of any format as an upright JPEG that every browser shows; raises PhotoError."""
        pixels = Photo.open(content, name=PHOTO_NAME).pixels
        factor = MAX_PICTURE_SIDE / max(pixels.shape[:2])
        return encode_image(shrink(pixels, factor)[0] if factor < 1 else pixels, ".jpg")

    def _keep(self, content: bytes) -> None:
        if self.keep_folder is not None:
            suffix = SUFFIXES.get(content[:2], ".heic")
            stamp = time.strftime("%Y%m%d-%H%M%S")
            write_atomically(self.keep_folder / f"photo-{stamp}-{next(self._photo_numbers):04}{suffix}", content)


def _score(size: tuple[int, int], readings: Sequence[KingdomReading], options: ReadOptions) -> tuple[Result, list[str]]:
    """The scored result, and the variants that need facts beside the board; facts that no photo shows stay open."""
    game = readings[0].game if readings else GAME_KINGDOMINO
    played, facts = find_open_facts(readings, game, options.variants)
    rule_set = choose_rule_set(game, [reading.board for reading in readings], side=options.side, variants=played)
    with_facts = [variant.id for variant in VARIANTS if variant.id in played and variant.facts]
    return build_photo_result(PHOTO_NAME, size, readings, rule_set, facts=facts), with_facts


def _origin_data(reading: KingdomReading) -> dict[str, Any]:
    """The cell of the grid that is the board's A1."""
    return {"origin": [reading.start.row, reading.start.col]}


def _grid_data(reading: KingdomReading) -> list[list[list[int]]]:
    """The corners of every cell of the grid, row by row: x and y clockwise from the top left, in whole pixels."""
    assert reading.observation is not None, "a kingdom read from a photo"
    quads = reading.observation.grid.quads
    corners: list[list[list[int]]] = quads.round().astype(int).reshape(*quads.shape[:2], 8).tolist()
    return corners
