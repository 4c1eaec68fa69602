"""`kdvision look`: draws a picture of each stage, for photos that are read wrongly."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kdvision.cli.inputs import load_networks, open_photo, parse_outlines
from kdvision.cli.options import Corners
from kdvision.cli.output import print_line
from kdvision.errors import KdvisionError

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.report.symbols import Pixels
    from kdvision.vision.image.photo import Photo

PICTURE_SUFFIX: Final = ".jpg"


def look(
    photo: Annotated[str, typer.Argument(metavar="PHOTO", help="A photo, or - for one on stdin.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for the pictures; created if missing.")
    ],
    corners: Corners = None,
) -> None:
    """Draw a picture of each stage. Shows where the reading of a photo goes wrong.

    01-photo is the upright photo, 02-squares what looks like a tile, 03-lattices the grids (accepted ones in green,
    rejected ones in amber), 04-cells the likeliest content of each cell, 05-board the decided board. If no kingdom is
    found, the pictures end with the stage that failed.
    """
    from kdvision import pipeline

    outlines = parse_outlines(corners or ())
    load_networks()
    opened = open_photo(photo)
    _prepare_folder(out)
    readings = pipeline.read(opened, corners=outlines, watch=_make_watch(opened, out))
    _write_picture(_draw_boards(opened, readings), out, "board")


def _prepare_folder(folder: Path) -> None:
    """Create the folder, or remove the pictures of an earlier photo, which may have come further than this one."""
    from kdvision.files import check_writable
    from kdvision.report.stages import STAGES

    try:
        folder.mkdir(exist_ok=True)
        check_writable(folder)
        for stage in STAGES:
            _get_path(folder, stage).unlink(missing_ok=True)
    except OSError as error:
        text = f"the folder {folder} cannot be written to: {error.strerror}"
        raise KdvisionError(text, hint="choose a folder that you may write to") from error


def _make_watch(photo: "Photo", out: Path) -> Callable[[str, Any], None]:
    """A callback that writes the picture of each stage as it comes."""
    from kdvision.report.stages import draw_stage

    def write_stage(stage: str, output: Any) -> None:
        pixels = draw_stage(stage, output, photo)
        if pixels is not None:
            _write_picture(pixels, out, stage)

    return write_stage


def _get_path(out: Path, stage: str) -> Path:
    from kdvision.report.stages import STAGES

    return out / f"{STAGES.index(stage) + 1:02}-{stage}{PICTURE_SUFFIX}"


def _write_picture(pixels: "Pixels", out: Path, stage: str) -> None:
    """Write a stage's picture, and print its path."""
    from kdvision.files import encode_image, write_atomically

    path = _get_path(out, stage)
    write_atomically(path, encode_image(pixels, PICTURE_SUFFIX))
    print_line(str(path))


def _draw_boards(photo: "Photo", readings: "list[KingdomReading]") -> "Pixels":
    """The overlay of the score, in the size of the other pictures."""
    from kdvision.game.rules import infer_board_side, make_rule_set
    from kdvision.report.build import build_photo_result
    from kdvision.report.overlay import draw_overlay

    rules = make_rule_set(readings[0].game, side=infer_board_side([reading.board for reading in readings]))
    result = build_photo_result(photo.name, (photo.width, photo.height), readings, rules)
    return draw_overlay(photo, result)
