"""`kdvision look` and `kdvision evaluate`: where the reading of a photo goes wrong, and how often."""

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdvision.cli.inputs import load_networks, open_photo, parse_path
from kdvision.cli.options import Corners, ScoreOptions
from kdvision.cli.output import ProgressDisplay, make_usage_error, print_line
from kdvision.errors import KdvisionError
from kdvision.files import PHOTO_SUFFIXES, check_writable, encode_image, is_folder_name, write_atomically

if TYPE_CHECKING:
    from kdvision.vision.image.srgb import Pixels


def look(
    photo: Annotated[str, typer.Argument(metavar="PHOTO", help="A photo, or - for one on stdin.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", parser=parse_path, metavar="DIR", help="The folder for the pictures; created if missing."
        ),
    ],
    corners: Corners = None,
) -> None:
    """Draw a picture of each stage. Shows where the reading of a photo goes wrong.

    01-photo is the upright photo, 02-squares what looks like a tile, 03-lattices the grids (in amber if a better one
    overlaps them, else in green), 04-cells the likeliest content of each cell. If a kingdom is found, 05-board shows
    its decided board.
    """
    from kdvision import pipeline
    from kdvision.report.overlay import draw_overlay
    from kdvision.report.stages import STAGES, draw_stage
    from kdvision.vision.detect.outline import KingdomOutline

    outlines = [KingdomOutline.parse(text) for text in corners or ()]
    upright_photo = open_photo(photo)
    paths = {stage: out / f"{number:02}-{stage}.jpg" for number, stage in enumerate(STAGES, start=1)}
    if photo != "-" and any(os.path.exists(path) and path.samefile(photo) for path in paths.values()):
        raise make_usage_error(f"{photo} would be overwritten: name another folder", "--out")
    try:
        out.mkdir(parents=True, exist_ok=True)
        check_writable(out)
        for path in paths.values():
            path.unlink(missing_ok=True)  # the pictures of an earlier photo may show more stages
    except OSError as error:
        text = f"the folder {out} cannot be written to: {error.strerror}"
        raise KdvisionError(text, hint="choose a folder that you may write to") from error

    def write_picture(stage: str, pixels: "Pixels | None") -> None:
        if pixels is not None:
            write_atomically(paths[stage], encode_image(pixels, ".jpg"))
            print_line(str(paths[stage]))

    def watch(stage: str, output: object) -> None:
        write_picture(stage, draw_stage(stage, output, upright_photo))

    readings = pipeline.read(upright_photo, corners=outlines, watch=watch)
    result = ScoreOptions().score_photo(photo, upright_photo, readings)
    write_picture("board", draw_overlay(upright_photo, result))


def evaluate(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", exists=True, file_okay=False, help="Photos, each with a JSON file of its true boards."
        ),
    ],
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Write one row per photo to this file.")] = None,
    stress: Annotated[bool, typer.Option("--stress", help="Corrupt every photo in 120 ways first.")] = False,
    seed: Annotated[
        list[int] | None, typer.Option(min=0, metavar="N", help="With --stress: the random seed. Repeatable.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="The number of processes.")] = 1,
) -> None:
    """Measure accuracy on labelled photos. Prints the figures by room, or by corruption with --stress.

    A room is a folder: photos of one room look more alike than photos of several.
    """
    if seed and not stress:
        raise make_usage_error("seeds need --stress as well", "--seed")
    from kdvision.evaluate.evaluate import evaluate as evaluate_photos
    from kdvision.evaluate.summary import summarise

    if csv is not None:
        if not csv or is_folder_name(csv):
            raise make_usage_error(f"{csv or '.'} names a folder, not a file", "--csv")
        if Path(csv).suffix.lower() in (*PHOTO_SUFFIXES, ".json"):
            raise make_usage_error(f"{csv} is the name of a photo or a label: choose one that ends in .csv", "--csv")
        check_writable(Path(csv).parent)
    out = Path(csv) if csv else None
    load_networks()
    with closing(ProgressDisplay()) as display:
        results = evaluate_photos(
            directory, csv=out, stress=stress, seeds=seed or [0], workers=workers, progress=display.update
        )
    typer.echo(summarise(results))
