"""`kdvision game` and `kdvision rules`: whole games from files, and the clauses they are scored by."""

import json
from pathlib import Path
from typing import Annotated

import typer

from kdvision.cli.options import text_on_stdin
from kdvision.cli.output import colour, width
from kdvision.errors import ExitCode

Clauses = Annotated[bool, typer.Option("--clauses", help="Name the rulebook clause of every line of the score.")]


def game(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A game file (TOML), or - for one on stdin.")],
    dominoes: Annotated[bool, typer.Option("--dominoes", help="Name the dominoes of every kingdom.")] = False,
    clauses: Clauses = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 6 where something is odd.")] = False,
) -> None:
    """Score a whole game from a file: players, boards, pieces, rounds; who wins and why.

    docs/rules.md shows what a game file looks like. What stands there as "?" is not known yet: points are a range then.
    """
    from kdvision.gamefile.model import load_game, parse_game
    from kdvision.report.game import format_game, game_to_dict

    name = "the game on stdin" if file == "-" else file
    played = parse_game(text_on_stdin(), name=name) if file == "-" else load_game(Path(file))
    if as_json:
        typer.echo(json.dumps(game_to_dict(played, name), ensure_ascii=False))
    else:
        typer.echo(format_game(played, name, dominoes=dominoes, clauses=clauses, width=width(), colour=colour()))
    if strict and (not played.finished or any(played.problems(table) for table in played.rounds)):
        typer.echo(f"kdvision: {name}: {'look at the problems' if played.finished else 'not all is told'}.", err=True)
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def rules(
    clause: Annotated[str | None, typer.Option(metavar="ID", help="Show one clause, as in kingdomino/value.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a clause, each on its own line.")
    ] = False,
) -> None:
    """List the rulebooks' clauses that scores and problems follow, in our own words."""
    from kdvision.game.rules import clauses

    known = clauses()
    if clause is not None and clause not in known:
        from difflib import get_close_matches

        close = get_close_matches(clause, known, n=3, cutoff=0.4)
        like = f"; did you mean {', '.join(close)}?" if close else "; kdvision rules lists them"
        raise typer.BadParameter(f"there is no clause {clause}{like}", param_hint="--clause")
    chosen = list(known.values()) if clause is None else [known[clause]]
    for entry in chosen:
        if as_json:
            typer.echo(json.dumps(entry.data(), ensure_ascii=False))
        else:
            typer.echo(str(entry))
