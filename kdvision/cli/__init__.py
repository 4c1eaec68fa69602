"""The command line: `kdvision score`, `look`, `type`, `game`, `rules`, `batch`, `review`, `serve`, `evaluate`.

Results go to stdout, messages to stderr; every error leaves as one line and the exit code of its class. What a command
needs is imported when it runs, so that `--help` answers at once.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from kdvision import __version__
from kdvision.cli.batch import batch
from kdvision.cli.look import look
from kdvision.cli.options import (
    AsJson,
    Asked,
    Fixes,
    GameName,
    SizeOption,
    Strict,
    fixes_of,
    text_on_stdin,
)
from kdvision.cli.output import complain, counted, finish, put, put_clauses
from kdvision.cli.review import review
from kdvision.cli.rulebook import Clauses, game, rules
from kdvision.cli.score import score
from kdvision.cli.serve import serve
from kdvision.cli.streams import results_alone
from kdvision.cli.variant_options import check_variants, variant_options
from kdvision.errors import KdvisionError, NotationError
from kdvision.game.rules import board_variants

EPILOG: Final = (
    "Exit codes: 0 done, 1 something else went wrong, 2 wrong usage, 3 the photo cannot be opened or decoded, 4 no "
    "kingdom found, 5 text that is no board, square, outline or game file, 6 read but unsure (--strict), 7 some of "
    "several photos failed, 8 a model file is missing or unknown."
)

app = typer.Typer(
    name="kdvision", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


def main(args: Sequence[str] | None = None) -> None:
    """Run the program with these arguments (by default the process's) and exit with its code."""
    if args is None:
        results_alone()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without × shows a question mark, not a traceback
    try:
        app(args=args, prog_name="kdvision")
    except KdvisionError as error:
        complain(error)
        sys.exit(error.exit_code)
    except MemoryError:
        complain(
            KdvisionError("there is not enough memory for this", hint="close other programs, or use smaller photos")
        )
        sys.exit(KdvisionError.exit_code)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kdvision {__version__}")
        raise typer.Exit


@app.callback(epilog=EPILOG)
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """From a photo of a Kingdomino table to the right score, with every doubt named."""


app.command(epilog=EPILOG)(score)


@app.command("type", epilog=EPILOG)
@variant_options(board_variants())
def type_board(
    boards: Annotated[list[str], typer.Argument(metavar="BOARD", help="Boards in notation, or - for one on stdin.")],
    played: Annotated[
        GameName, typer.Option("--game", help="The game whose rules and dominoes count.")
    ] = GameName.KINGDOMINO,
    variants: tuple[str, ...] = (),
    size: SizeOption = None,
    as_json: AsJson = False,
    fix: Fixes = None,
    strict: Strict = False,
    clauses: Clauses = False,
) -> None:
    """Score boards typed by hand, as in "w w1 f / l # f1".

    w f l g s m are wheat, forest, lake, grass, swamp and mine, t a town, a digit their crowns, # the castle, . a place
    without a tile, ? one not known; / ends a row. Several boards are the kingdoms of one game. Coins, buildings,
    knights, towers and the Queen cannot be typed: they belong into a game file (kdvision game).
    """
    from kdvision.game.board import Board
    from kdvision.report.build import build_board_result, correct_board

    check_variants(variants, played.value)
    asked = Asked(size, variants, as_json, strict, played)
    typed = [Board.parse(text_on_stdin() if text == "-" else text) for text in boards]
    for number, square, word in fixes_of(fix or ()):
        if number >= len(typed):
            raise NotationError(f"there is no kingdom {number + 1}", hint=f"give a number from 1 to {len(typed)}")
        typed[number] = correct_board(typed[number], square, word)
    result = build_board_result(typed, asked.rules(typed))
    put(result, asked)
    if clauses and not as_json:
        put_clauses(result)
    if not as_json and (known := asked.untyped(typed)):
        typer.echo(f"kdvision: {known}.", err=True)
    finish([result], asked)


app.command(epilog=EPILOG)(look)
app.command(epilog=EPILOG)(game)
app.command(epilog=EPILOG)(rules)
app.command(epilog=EPILOG)(batch)
app.command(epilog=EPILOG)(review)
app.command(epilog=EPILOG)(serve)


@app.command(epilog=EPILOG)
def evaluate(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", exists=True, file_okay=False, help="Photos, each with a JSON of its truth beside it."
        ),
    ],
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a row a photo into this file.")] = None,
    stress: Annotated[bool, typer.Option("--stress", help="Make every photo hard in 24 ways first.")] = False,
    seed: Annotated[
        list[int] | None,
        typer.Option(min=0, metavar="N", help="With --stress: another draw of it; may be given several times."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Read in so many processes.")] = 1,
) -> None:
    """Measure the shipped models on labelled photos, by room, or by what made them hard."""
    if seed and not stress:
        raise typer.BadParameter("it draws what --stress does to photos: say --stress, too", param_hint="--seed")
    from kdvision.evaluate.evaluate import evaluate as evaluate_photos

    typer.echo(evaluate_photos(directory, csv=csv, stress=stress, seeds=seed or [0], workers=workers, progress=counted))
