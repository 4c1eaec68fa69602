"""`kdvision look`: a picture of each stage, for photos that are not read as they should be."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kdvision.cli.options import Corners, opened, outlines_of

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.report.drawing import Pixels
    from kdvision.vision.image.photo import Photo

SUFFIX: Final = ".jpg"


def look(
    photo: Annotated[str, typer.Argument(metavar="PHOTO", help="A photo, or - for one on stdin.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for the pictures; made if it is not there.")
    ],
    corners: Corners = None,
) -> None:
    """Draw what each stage of reading a photo makes of it, a numbered picture each.

    01-photo is the upright photo, 02-squares what looks like a tile, 03-lattices what hangs together (the rivals that
    lost in amber), 04-cells what each place shows, 05-board what is decided. Where no kingdom is found the pictures end
    with the stage that failed.
    """
    from kdvision import pipeline
    from kdvision.report.stages import STAGES

    outlines = outlines_of(corners or ())
    seen = opened(photo)
    _make(out)
    for stage in STAGES:  # of a photo that was looked at before; this one may not come as far
        _at(out, stage).unlink(missing_ok=True)
    reads = pipeline.read(seen, corners=outlines, watch=_drawing(seen, out))
    _put(_board(seen, reads), out, "board")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"{folder} cannot be made: {error.strerror}", param_hint="--out") from error


def _drawing(seen: "Photo", out: Path) -> Callable[[str, Any], None]:
    """A watch that writes the picture of each stage as it comes."""
    from kdvision.report.stages import draw_stage

    def draw(stage: str, made: Any) -> None:
        pixels = draw_stage(stage, made, seen)
        if pixels is not None:
            _put(pixels, out, stage)

    return draw


def _at(out: Path, stage: str) -> Path:
    """Where a stage's picture lies, under its number."""
    from kdvision.report.stages import STAGES

    return out / f"{STAGES.index(stage) + 1:02}-{stage}{SUFFIX}"


def _put(pixels: "Pixels", out: Path, stage: str) -> None:
    """Write a stage's picture under its number, and print where."""
    from kdvision.files import encode_image, write_atomically

    path = _at(out, stage)
    write_atomically(path, encode_image(pixels, SUFFIX))
    typer.echo(str(path))


def _board(seen: "Photo", reads: "list[KingdomReading]") -> "Pixels":
    """The overlay of a score, in the size of the other pictures."""
    from kdvision.game.rules import GAMES, infer_board_side
    from kdvision.report.build import build_photo_result
    from kdvision.report.overlay import draw_overlay
    from kdvision.report.stages import shrink_to_fit

    rules = GAMES[reads[0].game](side=infer_board_side([read.board for read in reads]))
    drawn = draw_overlay(seen, build_photo_result(seen.name, (seen.width, seen.height), reads, rules))
    return shrink_to_fit(drawn)
