"""What the command line prints, and the code it exits with."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import typer

from kdvision.cli.options import Asked
from kdvision.errors import ExitCode, KdvisionError

if TYPE_CHECKING:
    from kdvision.report.result import CombinedResult, Result, ScoredKingdom

MOST_KINGDOMS: Final = 6
"""More kingdoms than that are no one game, where the game that is played does not let more play together."""


def put(result: "Result", asked: Asked) -> None:
    """Print one result: its JSON line or its table; a failed photo has only the former."""
    if asked.as_json:
        from kdvision.report.to_dict import result_to_dict

        typer.echo(json.dumps(result_to_dict(result), ensure_ascii=False, allow_nan=False))
    elif result.error is None:
        from kdvision.report.table import format_table

        typer.echo(format_table(result, width=width(), colour=colour()))


def put_clauses(result: "Result") -> None:
    """Print by which clause of the rulebooks each line of the scores was earned."""
    from kdvision.report.table import format_clauses

    for scored in result.kingdoms:
        typer.echo(format_clauses(scored, width=width(), colour=colour()))


def put_together(results: Sequence["Result"], asked: Asked) -> None:
    """Print who wins over several photos, if their kingdoms can be those of one game; JSON keeps to each photo."""
    from kdvision.game.players import make_names_unique
    from kdvision.report.build import combine_kingdoms

    rows = [
        (scored, str(result.photo) if len(result.kingdoms) == 1 else f"{result.photo} {number}")
        for result in results
        for number, scored in enumerate(result.kingdoms, start=1)
    ]
    if asked.as_json or len(results) == 1 or len(rows) < 2:
        return
    rules = asked.rules([scored.board for scored, _ in rows])
    if len(rows) > max(MOST_KINGDOMS, rules.max_kingdoms):
        return
    if any(result.is_open for result in results):
        typer.echo(" Who wins is not known until the rest is told.")
        return
    kingdoms, places = zip(*rows, strict=True)
    players = make_names_unique([one.player_name or place for one, place in rows], places)
    game = combine_kingdoms(kingdoms, players, rules)
    if game is not None:
        from kdvision.report.table import format_combined

        typer.echo(format_combined(game, width=width(), colour=colour()))
        _put_other_totals(kingdoms, game)


def _put_other_totals(kingdoms: Sequence["ScoredKingdom"], game: "CombinedResult") -> None:
    """Print whose points differ from those above: the kingdoms of a game are all scored to one side."""
    for place in game.standing.places:
        alone = kingdoms[place.index]
        if place.total != alone.card.total:
            typer.echo(
                f" ! {place.player} has {place.total} points in this game and {alone.card.total} above:"
                f" bonuses go by the side of all its kingdoms, above by {alone.rule_set.side}."
            )


def put_absent(results: Sequence["Result"], asked: Asked) -> None:
    """Print on stderr who of the players that were named has no kingdom in the photos."""
    colours = [scored.reading.colour for result in results for scored in result.kingdoms if scored.reading is not None]
    if asked.players and colours and (told := asked.players.absent(colours)):
        typer.echo(f"kdvision: {told}.", err=True)


def finish(results: Sequence["Result"], asked: Asked) -> None:
    """Exit with the code that the results call for; return where all is well."""
    failed = [result.error for result in results if result.error is not None]
    if failed:
        raise typer.Exit(ExitCode.PARTIAL_FAILURE if len(results) > 1 else failed[0].exit_code)
    if any(result.failed_views for result in results):
        raise typer.Exit(ExitCode.PARTIAL_FAILURE)
    if asked.strict and any(result.review for result in results):
        for result in results:
            _name_kingdoms(result)
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def complain(error: KdvisionError) -> None:
    """Print an error on stderr: one line, what is wrong and what to do."""
    sentences = [text.strip().rstrip(".") for text in (str(error), error.hint) if text]
    text = ". ".join([sentences[0], *(sentence[:1].upper() + sentence[1:] for sentence in sentences[1:])])
    typer.echo(" ".join(f"kdvision: {text}.".split()), err=True)


def counted(done: int, of: int) -> None:
    """Tell a person who waits how far a run is: over one line of a terminal, now and then in a log."""
    if sys.stderr.isatty():
        typer.echo(f"\r{done} of {of} " + "\n" * (done == of), nl=False, err=True)
    elif done % 24 == 0:
        typer.echo(f"{done} of {of}", err=True)


def _name_kingdoms(result: "Result") -> None:
    for number, scored in enumerate(result.kingdoms, start=1):
        if scored.review:
            squares = [doubt.square.name for doubt in scored.doubts]
            squares += [square.name for problem in scored.problems for square in problem.squares]
            where = f" ({', '.join(dict.fromkeys(squares))})" if squares else ""
            typer.echo(f"kdvision: {result.photo or 'typed'}: look at kingdom {number}{where}.", err=True)


def colour() -> bool:
    """True for a terminal that wants colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """The columns to print in."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
