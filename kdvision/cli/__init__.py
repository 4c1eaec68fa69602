"""The command line: `kdvision score`, `type`, `fits`, `look`, `game`, `rules`, `batch`, `review`, `serve`, `evaluate`.

Results go to stdout, messages to stderr. An error is one line on stderr and the exit code of its class. Commands import
heavy packages when they run, so that `--help` is quick.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from kdvision import __version__
from kdvision.cli.batch import batch
from kdvision.cli.boards import fits, game, rules, type_boards
from kdvision.cli.diagnose import evaluate, look
from kdvision.cli.output import print_error
from kdvision.cli.review import review
from kdvision.cli.score import score
from kdvision.cli.serve import serve
from kdvision.cli.streams import separate_streams
from kdvision.errors import ExitCode, KdvisionError

EPILOG: Final = (
    "Exit codes: 0 success, 1 any other error, 2 wrong usage, 3 the photo cannot be opened or decoded, or is too "
    "small or too large, 4 no kingdom found, 5 text that is not a valid board, square, outline, correction, game or "
    "event file, 6 a person should check something (--strict), 7 at least one of several photos failed, 8 a model file "
    "is missing, damaged or unknown."
)

app = typer.Typer(
    name="kdvision", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


def main(args: Sequence[str] | None = None) -> None:
    """Run the program with these arguments (by default those of the process) and exit with its code."""
    if args is None:
        separate_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without × shows a question mark instead
    try:
        app(args=args, prog_name="kdvision")
    except KdvisionError as error:
        print_error(error)
        sys.exit(error.exit_code)
    except MemoryError:
        print_error(KdvisionError("there is not enough memory", hint="close other programs, or use smaller photos"))
        sys.exit(ExitCode.ERROR)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"kdvision {__version__}")
        raise typer.Exit


@app.callback(epilog=EPILOG)
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Scores photos of Kingdomino tables, and names every doubt."""


for command in (score, type_boards, fits, look, game, rules, batch, review, serve, evaluate):
    app.command("type" if command is type_boards else command.__name__, epilog=EPILOG)(command)
