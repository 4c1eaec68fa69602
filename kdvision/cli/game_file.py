"""`--game-file`: what was read as a game file, in which the user fills in the rest."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdvision.cli.options import GameName, ScoreOptions
from kdvision.cli.output import print_message
from kdvision.cli.output_paths import check_folder
from kdvision.errors import KdvisionError

if TYPE_CHECKING:
    from kdvision.report.result import Result

GameFile = Annotated[
    str | None,
    typer.Option("--game-file", metavar="OUT", help="Write a game file with what was read, to fill in the rest."),
]


def check_game_file(path: str | None) -> None:
    """Raise a usage error for a game file that exists already, or whose folder does not."""
    if path is None:
        return
    check_folder(Path(path).parent, "--game-file")
    if Path(path).exists():
        text = f"{path} exists and is not overwritten, as it may have been filled in; name another file"
        raise typer.BadParameter(text, param_hint="--game-file")


def find_common_options(options: Sequence[ScoreOptions]) -> ScoreOptions | None:
    """The options of all photos of one game; None if the photos show different games."""
    if len({one.game for one in options}) != 1:
        return None
    return max(options, key=lambda one: len(one.variants))  # one photo may show what the others do not


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
    from kdvision.report.game_file import format_game_file

    boards = [scored.board for result in results for scored in result.kingdoms]
    game, side = (options.game or GameName.KINGDOMINO).value, options.make_rules(boards).side
    text = format_game_file(results, game, options.variants, side=options.side, default_side=side)
    write_atomically(Path(path), text.encode())
    print_message(f"{path} was written. Fill it in, then run kdvision game {path}")
