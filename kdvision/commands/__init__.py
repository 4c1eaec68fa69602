"""The command line: `kdvision score`, `look`, `type`, `game`, `rules`, `batch`, `review`, `serve`, `evaluate`.

Results go to stdout, messages to stderr; every error leaves as one line and the exit code of its class. What a command
needs is imported when it runs, so that `--help` answers at once.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision import __version__
from kdvision.commands.asked import (
    Asked,
    Corners,
    Fix,
    GameName,
    PlayersOption,
    Size,
    fixes_of,
    opened,
    outlines_of,
    players_of,
    targets_of,
    text_on_stdin,
)
from kdvision.commands.batch import batch
from kdvision.commands.look import look
from kdvision.commands.output import complain, counted, finish, put, put_absent, put_clauses, put_together
from kdvision.commands.review import review
from kdvision.commands.rulebook import Clauses, game, rules
from kdvision.commands.serve import serve
from kdvision.commands.streams import results_alone
from kdvision.errors import KdvisionError, ModelError, NotationError

if TYPE_CHECKING:
    from kdvision.report.result import Result
    from kdvision.vision.outline import Outline
    from kdvision.vision.photo import Photo

EPILOG: Final = (
    "Exit codes: 0 done, 1 something else went wrong, 2 wrong usage, 3 the photo cannot be opened or decoded, 4 no "
    "kingdom found, 5 text that is no board, square, outline or game file, 6 read but unsure (--strict), 7 some of "
    "several photos failed, 8 a model file is missing or unknown."
)

app = typer.Typer(
    name="kdvision", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)

MiddleKingdom = Annotated[bool, typer.Option("--middle-kingdom", help="Add 10 points for a castle in the middle.")]
Harmony = Annotated[bool, typer.Option("--harmony", help="Add 5 points for a complete kingdom.")]
SizeOption = Annotated[Size | None, typer.Option("--size", help="The game's side; by default what the board shows.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a photo, each on its own line.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 6 where a person should look.")]
Fixes = Annotated[
    list[str] | None,
    typer.Option("--fix", metavar="K:SQUARE=CELL", help="Correct a square, as in 1:C3=w1; may be given again."),
]


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


@app.command(epilog=EPILOG)
def score(
    photos: Annotated[list[str], typer.Argument(metavar="PHOTO", help="Photos, or - for one on stdin.")],
    middle_kingdom: MiddleKingdom = False,
    harmony: Harmony = False,
    size: SizeOption = None,
    overlay: Annotated[
        str | None,
        typer.Option(metavar="OUT", help="Draw the score on the photo: a .png, .jpg or .webp file, or a folder."),
    ] = None,
    as_json: AsJson = False,
    fix: Fixes = None,
    corners: Corners = None,
    players: PlayersOption = None,
    strict: Strict = False,
    same: Annotated[bool, typer.Option("--same", help="All photos show the same kingdom: read them together.")] = False,
) -> None:
    """Score the kingdoms in photos: boards, territories, bonuses, total, and who wins.

    Of several photos those that fail are named on stderr and the others go on. Several kingdoms, in one photo or one in
    each, are ranked as one game. With --overlay FOLDER each picture is called PHOTO-score.jpg.

    With --same every photo shows the same kingdoms, from any side: what is dazzled or covered in one is read in
    another. Board, picture and corrections are those of the first photo.
    """
    asked = Asked(size, middle_kingdom, harmony, as_json, strict, players=players_of(players))
    fixes = fixes_of(fix or ())
    if fixes and len(photos) > 1 and not same:
        raise typer.BadParameter("squares can be corrected in one photo at a time", param_hint="--fix")
    outlines = outlines_of(corners or ())
    if outlines and len(photos) > 1:
        raise typer.BadParameter("outlines can be drawn in one photo at a time", param_hint="--corners")
    if same and len(photos) < 2:
        raise typer.BadParameter("name two photos of the kingdom or more", param_hint="--same")
    photos, also = (photos[:1], photos[1:]) if same else (photos, [])
    results: list[Result] = []
    for photo, target in zip(photos, targets_of(photos, overlay), strict=True):
        before = sum(len(result.kingdoms) for result in results)
        results.append(_scored(photo, target, fixes, outlines, asked, before, also))
        put(results[-1], asked)
    put_together(results, asked)
    put_absent(results, asked)
    finish(results, asked)


@app.command("type", epilog=EPILOG)
def type_board(
    boards: Annotated[list[str], typer.Argument(metavar="BOARD", help="Boards in notation, or - for one on stdin.")],
    played: Annotated[
        GameName, typer.Option("--game", help="The game whose rules and dominoes count.")
    ] = GameName.KINGDOMINO,
    middle_kingdom: MiddleKingdom = False,
    harmony: Harmony = False,
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
    from kdvision.report.result import corrected, of_boards

    asked = Asked(size, middle_kingdom, harmony, as_json, strict, played)
    typed = [Board.parse(text_on_stdin() if text == "-" else text) for text in boards]
    for number, square, word in fixes_of(fix or ()):
        if number >= len(typed):
            raise NotationError(f"there is no kingdom {number + 1}", hint=f"give a number from 1 to {len(typed)}")
        typed[number] = corrected(typed[number], square, word)
    result = of_boards(typed, asked.rules(typed))
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
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Read in so many processes.")] = 1,
) -> None:
    """Measure the shipped models on labelled photos, by room, or by what made them hard."""
    from kdvision.lab import evaluate as lab

    typer.echo(lab.run(directory, csv=csv, stress=stress, workers=workers, progress=counted))


def _scored(
    photo: str,
    target: Path | None,
    fixes: Sequence[Fix],
    outlines: Sequence["Outline"],
    asked: Asked,
    before: int,
    also: Sequence[str] = (),
) -> "Result":
    """The result of one photo, its overlay written; a photo that fails is a result too, with its error.

    `also` are further photos of the same kingdoms.
    """
    from kdvision import pipeline
    from kdvision.game.players import NOBODY
    from kdvision.report.result import Result, of_photo

    try:
        seen = opened(photo)
        clamps = {(number, square): word for number, square, word in fixes}
        if also:
            reads = pipeline.read_same(
                [seen, *(opened(one) if one == "-" else one for one in also)], side=asked.side, clamps=clamps
            )
        else:
            reads = pipeline.read(seen, side=asked.side, clamps=clamps, corners=outlines)
    except (ModelError, NotationError):
        raise  # not this photo's fault: the others would do no better
    except KdvisionError as error:
        complain(error)
        return Result(photo, error=error)
    rules = asked.rules([read.board for read in reads])
    result = of_photo(photo, (seen.width, seen.height), reads, rules, players=asked.players or NOBODY, before=before)
    if target is not None:
        _draw(seen, result, target)
    return result


def _draw(seen: "Photo", result: "Result", target: Path) -> None:
    from kdvision.files import encoded, write_whole
    from kdvision.report.overlay import overlay

    write_whole(target, encoded(overlay(seen, result), target.suffix))
