"""The work behind the endpoints, done in worker threads: read photos, convert pictures, score games."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from starlette.responses import Response

from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.files import encode_image, write_atomically
from kdvision.game.board import Board
from kdvision.game.deck import parse_domino
from kdvision.game.game import choose_rule_set
from kdvision.game.rules import GAME_AUTO, find_only_game
from kdvision.gamefile.model import game_from_dict
from kdvision.gamefile.write import write_game_text
from kdvision.report.build import build_board_result, build_photo_result
from kdvision.report.fits import find_fits, fits_to_dict
from kdvision.report.game import format_game, game_to_dict
from kdvision.report.pieces import find_played_variants
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.image.photo import Photo, shrink
from kdvision.web.http import get_status, list_variants, make_json_response
from kdvision.web.limits import MAX_KINGDOM_SIDE, JobQueue, Refusal, Report
from kdvision.web.table.model import TableGame, TableRules
from kdvision.web.table.readings import make_reading
from kdvision.web.table.storage import StoredReading
from kdvision.web.table.tables import PhotoAnswer, Tables

log = logging.getLogger("kdvision.web")

PHOTO_NAME: Final = "the photo"
GAME_NAME: Final = "the game"
"""How messages call a photo and a game: no name comes from a client."""

TOML: Final = "application/toml"
TEXT: Final = "text/plain"

MAX_PICTURE_SIDE: Final = 2000
"""Pixels of a picture made for the page: with four kingdoms in it, a square still has eighty."""

SUFFIXES: Final = {b"\xff\xd8": ".jpg", b"\x89P": ".png", b"RI": ".webp", b"GI": ".gif", b"BM": ".bmp"}
"""Suffix by the first bytes of a photo; any other is .heic, the only other format that phones send."""


@dataclass(frozen=True)
class Service:
    """What the endpoints share: job queues, the tables, and the folder for photos, if they are kept."""

    photos: JobQueue
    quick_jobs: JobQueue
    link: str | None = None
    keep_folder: Path | None = None
    tables: Tables = field(default_factory=Tables)
    _photo_numbers: "count[int]" = field(default_factory=lambda: count(1))

    def read(
        self, content: bytes, options: Any, outlines: Sequence[KingdomOutline], report: Report = lambda _: None
    ) -> Response:
        """Read a photo with the options of a ReadQuery; what is wrong with the photo is part of the result."""
        variants = list_variants(options)
        game = options.game if options.game != GAME_AUTO else find_only_game(variants) or GAME_AUTO
        rules = TableRules(game, variants, options.side)
        result, variants = self._read_photo(content, rules, outlines, report)
        body = result_to_dict(result)
        if result.error is not None:
            return make_json_response(body, get_status(result.error))
        for kingdom, scored_kingdom in zip(body["kingdoms"], result.kingdoms, strict=True):
            # A building stands on its square, and only which one it is may be unknown.
            missing_items = {fact["item"] for fact in kingdom["missing"]}
            kingdom["untold"] = sorted(missing_items | scored_kingdom.kingdom.open_facts)
        return make_json_response(body | {"variants": variants})

    def read_at_table(
        self,
        content: bytes,
        game: TableGame,
        photo_id: str,
        outlines: Sequence[KingdomOutline],
        add: Callable[[Sequence[StoredReading], TableRules], PhotoAnswer],
        report: Report = lambda _: None,
    ) -> Response:
        """Read a photo by the rules of a game at a table, and `add` its kingdoms there, by the rules that it shows."""
        rules = replace(game.rules, game=GAME_AUTO) if game.is_open else game.rules
        result, variants = self._read_photo(content, rules, outlines, report)
        if result.error is not None:
            return make_json_response(result_to_dict(result), get_status(result.error))
        readings = [make_reading(scored_kingdom, photo_id) for scored_kingdom in result.kingdoms]
        answer = add(readings, replace(rules, game=result.game or game.rules.game, variants=variants))
        return make_json_response(replace(answer, width=result.width, height=result.height))

    def _read_photo(
        self, content: bytes, rules: TableRules, outlines: Sequence[KingdomOutline], report: Report
    ) -> tuple[Result, list[str]]:
        """Return the scored result and the variants that are played with; facts that no photo shows stay open."""
        try:
            photo = Photo.open(content, name=PHOTO_NAME)
            try:
                self._keep(content)
            except KdvisionError as error:
                log.warning("a photo was not kept: %s", error)
            readings = pipeline.read(
                photo,
                side=rules.side,
                corners=outlines,
                game=rules.box,
                report_towns=True,
                watch=lambda stage, output: report(_describe_progress(stage, output)),
            )
        except KdvisionError as error:
            return Result(PHOTO_NAME, error=error), []
        game = readings[0].game
        variants = find_played_variants(readings, game, rules.variants)
        rule_set = choose_rule_set(game, [reading.board for reading in readings], side=rules.side, variants=variants)
        result = build_photo_result(PHOTO_NAME, (photo.width, photo.height), readings, rule_set)
        return result, [*variants]

    def _keep(self, content: bytes) -> None:
        if self.keep_folder is not None:
            name = f"photo-{time.strftime('%Y%m%d-%H%M%S')}-{next(self._photo_numbers):04}"
            write_atomically(self.keep_folder / f"{name}{SUFFIXES.get(content[:2], '.heic')}", content)


def _describe_progress(stage: str, output: Any) -> dict[str, Any]:
    """Return a progress report; for the stage "squares" with the centres of the detections in pixels of the photo."""
    if stage != "squares" or not output:
        return {"stage": stage}
    detections = max(output, key=len)  # detections are made at several scales
    return {"stage": stage, "squares": detections.centre.round().astype(int).tolist()}


def convert_picture(content: bytes) -> Response:
    """Convert a photo of any format to an upright JPEG that every browser shows; raise PhotoError."""
    pixels = Photo.open(content, name=PHOTO_NAME).pixels
    factor = MAX_PICTURE_SIDE / max(pixels.shape[:2])
    jpeg = encode_image(shrink(pixels, factor)[0] if factor < 1 else pixels, ".jpg")
    return Response(jpeg, media_type="image/jpeg")


def score_game(game: Mapping[str, Any], accept: str) -> Response:
    """Return the score of a game, as `kdvision game` prints it: as JSON, as a table, or as the game file itself."""
    parsed_game = game_from_dict(game, name=GAME_NAME)
    if TOML in accept:
        return Response(write_game_text(parsed_game), media_type=TOML)
    if TEXT in accept:
        return Response(format_game(parsed_game, GAME_NAME), media_type=TEXT)
    return make_json_response(game_to_dict(parsed_game, GAME_NAME))


def answer_fits(body: Any) -> Response:
    """Return where a domino may be laid, as `kdvision fits --json` prints it; raise NotationError and Refusal."""
    board = Board.parse(body.board)
    rows, cols = board.extent
    if max(rows, cols) > MAX_KINGDOM_SIDE:
        hint = f"send a board with at most {MAX_KINGDOM_SIDE} of each"
        raise Refusal(422, f"the board has {rows} rows and {cols} columns", hint=hint)
    rule_set = choose_rule_set(body.game, [board], side=body.side, variants=list_variants(body))
    result = build_board_result([board], rule_set)
    (answer,) = find_fits(result, parse_domino(body.domino), side=body.side)
    return make_json_response(fits_to_dict(answer))
