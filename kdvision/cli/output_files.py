"""The files that `--overlay` and `--game-file` write: checks their paths, and writes the game file."""

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from kdvision.cli.options import ScoreOptions
from kdvision.cli.output import print_message
from kdvision.errors import KdvisionError

if TYPE_CHECKING:
    from kdvision.report.result import Result

OVERLAY_SUFFIX: Final = "-score.jpg"
"""The end of an overlay's file name in a folder, after the photo's name."""


def check_game_file(path: str | None) -> None:
    """Raise a usage error for a game file that exists already, or whose folder does not."""
    if path is None:
        return
    _check_folder(Path(path).parent, "--game-file")
    if Path(path).exists():
        text = f"{path} exists and is not overwritten, as it may have been filled in; name another file"
        raise typer.BadParameter(text, param_hint="--game-file")


def write_game_file(path: str | None, results: Sequence["Result"], options: ScoreOptions | None) -> None:
    """Write the game file, unless a photo failed. `options` is None for photos of different games."""
    if path is None:
        return
    if options is None:
        hint = "choose the game with --game"
        raise KdvisionError(f"{path} was not written: the photos show different games", hint=hint)
    if failed := [result.photo for result in results if result.error is not None]:
        print_message(f"{path} was not written, because {failed[0]} failed")
        return
    from kdvision.files import write_atomically
    from kdvision.report.game import format_game_file

    side = options.make_rules([entry.board for result in results for entry in result.kingdoms]).side
    text = format_game_file(results, options.board_game, options.variants, side=options.size, default_side=side)
    write_atomically(Path(path), text.encode())
    print_message(f"{path} was written. Fill it in, then run kdvision game {path}")


def find_overlay_paths(photos: Sequence[str], overlay: str | None, views: Sequence[str] = ()) -> list[Path | None]:
    """The path of each photo's overlay, None without one.

    `views` are further photos of the same kingdoms. Raises a usage error if a path is impossible or would overwrite a
    photo, and KdvisionError if the folder cannot be written to.
    """
    from kdvision.files import IMAGE_FORMATS

    if overlay is None:
        return [None] * len(photos)
    out = Path(overlay)
    is_folder = overlay.endswith(("/", "\\")) or os.path.isdir(overlay)  # noqa: PTH112  (False where it may not look)
    if not is_folder and len(photos) > 1:
        raise _usage_error(f"{len(photos)} photos need a folder for their pictures, not the file {overlay}")
    _check_folder(out if is_folder else out.parent, "--overlay")
    if not is_folder and out.suffix.lower() not in IMAGE_FORMATS:
        *others, last = IMAGE_FORMATS
        raise _usage_error(f"{out} must end in {', '.join(others)} or {last}")
    paths = _name_in_folder(photos, out) if is_folder else [out]
    for photo in [*photos, *views]:
        for path in paths:
            if photo != "-" and path.exists() and Path(photo).exists() and path.samefile(photo):
                raise _usage_error(f"{path} is one of the photos and would be overwritten")
    return [*paths]


def _usage_error(text: str) -> typer.BadParameter:
    return typer.BadParameter(text, param_hint="--overlay")


def _name_in_folder(photos: Sequence[str], folder: Path) -> list[Path]:
    """One name for each photo, with a number added where two photos have the same name."""
    names: list[str] = []
    for photo in photos:
        stem = "stdin" if photo == "-" else Path(photo).stem
        candidates = chain([stem], (f"{stem} {number}" for number in count(2)))
        names.append(next(name for name in candidates if name not in names))
    return [folder / f"{name}{OVERLAY_SUFFIX}" for name in names]


def _check_folder(folder: Path, option: str) -> None:
    """Raise a usage error if the folder of an output file is missing, KdvisionError if it cannot be written to."""
    from kdvision.files import check_writable

    try:
        with suppress(PermissionError):
            next(folder.iterdir(), None)
    except (FileNotFoundError, NotADirectoryError):
        raise typer.BadParameter(f"there is no folder {folder}", param_hint=option) from None
    check_writable(folder)
