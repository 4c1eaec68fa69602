"""What photos and taps become: the work behind the endpoints, done in worker threads by the engine itself."""

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
from kdvision.game.game import rules_of
from kdvision.game.rules import VARIANTS
from kdvision.pipeline import KingdomReading
from kdvision.report.build import build_photo_result
from kdvision.report.pieces import find_open_facts
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.decide.game_set import GAME_AUTO, GAME_KINGDOMINO
from kdvision.vision.detect.manual import KingdomOutline
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import shrink
from kdvision.vision.networks.onnx import load_model
from kdvision.web.limits import Line, Tell
from kdvision.web.response import status_of
from kdvision.web.tokens import packed, unpacked

NAME: Final = "the photo"
"""What messages call a photo: no name comes from a client."""

LONG_SIDE: Final = 2000
"""Pixels of the longer side of a picture made for the page: squares of a table of four still have eighty."""

SUFFIXES: Final = {b"\xff\xd8": ".jpg", b"\x89P": ".png", b"RI": ".webp", b"GI": ".gif", b"BM": ".bmp"}
"""How files of photos begin; what begins otherwise is called .heic, the only other kind that phones send."""


class Rules(NamedTuple):
    """The rules to score a photo by. If `side` is None or `game` is "auto", the photo decides."""

    side: int | None = None
    game: str = GAME_AUTO
    variants: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """The end of a job: HTTP status and the object to send."""

    status: int
    body: dict[str, Any]


class Named(NamedTuple):
    """A kingdom to decide again: the text of what was seen, and the squares of its grid that a person has named."""

    observation: str
    fixes: Mapping[Square, str]


@dataclass(frozen=True)
class Desk:
    """What the endpoints share: the lines before the workers, this run's secret, where photos are kept, if at all."""

    photos: Line
    taps: Line
    link: str | None = None
    keep: Path | None = None
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _kept: "count[int]" = field(default_factory=lambda: count(1))

    def read(self, content: bytes, rules: Rules, corners: Sequence[KingdomOutline], tell: Tell) -> Outcome:
        """Read a photo; a photo that cannot be read is an outcome too."""
        try:
            photo = Photo.open(content, name=NAME)
            self._keep(content)
            watch = lambda stage, _: tell({"stage": stage})  # noqa: E731
            reads = pipeline.read(photo, side=rules.side, corners=corners, game=rules.game, watch=watch)
        except KdvisionError as error:
            return Outcome(status_of(error), result_to_dict(Result(NAME, error=error)))
        result, variants = _scored((photo.width, photo.height), reads, rules)
        made = result_to_dict(result)
        observations = [{"sight": packed(read, self.secret), "squares": _squares(read)} for read in reads]
        made["kingdoms"] = [
            kingdom | _placed(read) | observation | {"untold": sorted(scored.kingdom.untold)}
            for kingdom, read, observation, scored in zip(
                made["kingdoms"], reads, observations, result.kingdoms, strict=True
            )
        ]
        return Outcome(200, made | {"variants": variants})

    def decide(self, kingdoms: Sequence[Named], rules: Rules) -> Outcome:
        """Decide again what was seen before, with what people have named; raises Refused and NotationError."""
        about = load_model("cells").about
        kinds, pieces = tuple(about["kinds"]), tuple(about.get("pieces", ()))
        seen = [unpacked(kingdom.observation, kinds, self.secret, pieces=pieces) for kingdom in kingdoms]
        fixed_squares = {
            (number, square): word for number, kingdom in enumerate(kingdoms) for square, word in kingdom.fixes.items()
        }
        reads = pipeline.decide_again(
            [one.observation for one in seen],
            around=[one.around for one in seen],
            side=rules.side,
            fixed_squares=fixed_squares,
            game=rules.game,
        )
        made = result_to_dict(_scored((0, 0), reads, rules)[0])["kingdoms"]
        return Outcome(200, {"kingdoms": [one | _placed(read) for one, read in zip(made, reads, strict=True)]})

    def picture(self, content: bytes) -> bytes:
        """A photo of any kind as an upright JPEG that every browser shows; raises PhotoError."""
        pixels = Photo.open(content, name=NAME).pixels
        factor = LONG_SIDE / max(pixels.shape[:2])
        return encode_image(shrink(pixels, factor)[0] if factor < 1 else pixels, ".jpg")

    def _keep(self, content: bytes) -> None:
        if self.keep is not None:
            suffix = SUFFIXES.get(content[:2], ".heic")
            stamp = time.strftime("%Y%m%d-%H%M%S")
            write_atomically(self.keep / f"photo-{stamp}-{next(self._kept):04}{suffix}", content)


def _scored(size: tuple[int, int], reads: Sequence[KingdomReading], rules: Rules) -> tuple[Result, list[str]]:
    """Return the score, with all facts open that no photo shows, and the variants that such facts are part of."""
    game = reads[0].game if reads else GAME_KINGDOMINO
    played, told = find_open_facts(reads, game, rules.variants)
    made = rules_of(game, [read.board for read in reads], side=rules.side, variants=played)
    with_facts = [variant.id for variant in VARIANTS if variant.id in played and variant.facts]
    return build_photo_result(NAME, size, reads, made, facts=told), with_facts


def _placed(read: KingdomReading) -> dict[str, Any]:
    """Where on its grid the board's A1 lies."""
    return {"origin": [read.start.row, read.start.col]}


def _squares(read: KingdomReading) -> list[list[list[int]]]:
    """The corners of every place of the grid, row by row: x and y from the top left, clockwise, in whole pixels."""
    assert read.observation is not None, "a kingdom read from a photo"
    quads = read.observation.grid.quads
    flat: list[list[list[int]]] = quads.round().astype(int).reshape(*quads.shape[:2], 8).tolist()
    return flat
