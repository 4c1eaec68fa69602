"""What commands print, and the exit codes that results call for."""

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import typer

from kdvision.cli.options import ScoreOptions
from kdvision.errors import ExitCode, KdvisionError
from kdvision.game.players import make_names_unique
from kdvision.text import count_noun, replace_controls

if TYPE_CHECKING:
    from kdvision.report.result import Result

MAX_KINGDOMS: Final = 6
"""More kingdoms are not ranked as one game, unless its rules allow more players."""
LOG_COLUMNS: Final = 100
"""Line length where stdout is not a terminal."""
UNESCAPED_CONTROL: Final = re.compile("[\x7f-\x9f\u2028\u2029]")
"""The control characters and line separators that `json.dumps` does not escape."""


def print_result(result: "Result", options: ScoreOptions) -> None:
    """Print one result as a JSON line or as text; a failed photo has no text."""
    if options.as_json:
        from kdvision.report.to_dict import result_to_dict

        print_json(result_to_dict(result))
    elif result.error is None:
        from kdvision.report.table import format_table

        typer.echo(format_table(result, width=get_width(), colour=wants_colour()))


def print_clauses(result: "Result") -> None:
    """Print the rulebook clause of each line of the scores."""
    from kdvision.report.table import format_clauses

    for scored in result.kingdoms:
        typer.echo(format_clauses(scored, width=get_width(), colour=wants_colour()))


def print_combined_result(results: Sequence["Result"], options: ScoreOptions) -> None:
    """Print who wins over several photos, if their kingdoms can be one game. JSON has one object per photo only."""
    from kdvision.report.build import combine_kingdoms
    from kdvision.report.table import format_combined

    rows = [
        (scored, str(result.photo) if len(result.kingdoms) == 1 else f"{result.photo} {number}")
        for result in results
        for number, scored in enumerate(result.kingdoms, start=1)
    ]
    if options.as_json or len(results) == 1 or len(rows) < 2:
        return
    rules = options.make_rules([scored.board for scored, _ in rows])
    if len(rows) > max(MAX_KINGDOMS, rules.max_kingdoms):
        return
    if any(result.is_open for result in results):
        typer.echo(" Who wins is not known yet: facts are missing.")
        return
    kingdoms, places = zip(*rows, strict=True)
    players = make_names_unique([scored.player_name or place for scored, place in rows], places)
    game = combine_kingdoms(kingdoms, players, rules)
    typer.echo(format_combined(game, width=get_width(), colour=wants_colour()))
    for place in game.standing.places if game.standing is not None else ():
        alone = kingdoms[place.index]
        if place.total != alone.card.total:  # the whole game has another side
            print_line(
                f" ! {place.player} has {count_noun(place.total, 'point')} in this game and {alone.card.total} above:"
                f" the game is scored with side {rules.side}, the photo by itself with side {alone.rule_set.side}."
            )


def warn_of_absent_players(results: Sequence["Result"], options: ScoreOptions) -> None:
    """Print on stderr which of the named players have no kingdom in the photos."""
    colours = [scored.reading.colour for result in results for scored in result.kingdoms if scored.reading is not None]
    if colours and (warning := options.players.describe_unmatched(colours)):
        print_message(warning)


def exit_with_code(results: Sequence["Result"], options: ScoreOptions) -> None:
    """Exit with the code that the results call for; return if all is well."""
    failed = [result.error for result in results if result.error is not None]
    if failed:
        raise typer.Exit(ExitCode.PARTIAL_FAILURE if len(results) > 1 else failed[0].exit_code)
    if any(result.failed_views for result in results):
        raise typer.Exit(ExitCode.PARTIAL_FAILURE)
    if options.strict and any(result.review for result in results):
        for result in results:
            _list_kingdoms_to_check(result)
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def _list_kingdoms_to_check(result: "Result") -> None:
    for number, scored in enumerate(result.kingdoms, start=1):
        if scored.review:
            squares = [doubt.square.name for doubt in scored.doubts]
            squares += [square.name for problem in scored.problems for square in problem.squares]
            where = f" ({', '.join(dict.fromkeys(squares))})" if squares else ""
            print_message(f"{result.photo or 'typed'}: check kingdom {number}{where}")


def print_error(error: KdvisionError) -> None:
    """Print an error on stderr as one line: what is wrong, then what to do."""
    sentences = [text.strip().rstrip(".") for text in (str(error), error.hint) if text]
    print_message(". ".join([sentences[0], *(sentence[:1].upper() + sentence[1:] for sentence in sentences[1:])]))


def print_message(text: str) -> None:
    """Print a message on stderr as one line that starts with the program's name."""
    typer.echo(" ".join(replace_controls(f"kdvision: {text}.").split()), err=True)


def print_line(text: str) -> None:
    """Print a line on stdout without control characters, which a name may contain."""
    typer.echo(replace_controls(text))


def print_json(value: object) -> None:
    """Print a value as one line of JSON, with control characters escaped."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    typer.echo(UNESCAPED_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", line))


def wants_colour() -> bool:
    """True if stdout is a terminal that wants colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def get_width() -> int:
    """The number of columns to print in."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else LOG_COLUMNS
