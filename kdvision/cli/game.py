"""`kdvision game` and `kdvision rules`: scores game files, and lists the rulebook clauses."""

from pathlib import Path
from typing import Annotated

import typer

from kdvision.cli.inputs import read_stdin_text
from kdvision.cli.options import Clauses
from kdvision.cli.output import get_width, print_json, print_message, wants_colour
from kdvision.errors import ExitCode


def game(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A game file (TOML), or - for one on stdin.")],
    dominoes: Annotated[bool, typer.Option("--dominoes", help="Name the dominoes of each kingdom.")] = False,
    clauses: Clauses = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 6 if there are problems.")] = False,
) -> None:
    """Score a whole game from a file. Prints each round, who wins and why.

    A game file has players, boards, pieces and rounds; docs/rules.md describes it. A value of "?" is not known yet, and
    points are a range until it is.
    """
    from kdvision.gamefile.model import load_game, parse_game
    from kdvision.report.game import format_game, game_to_dict

    name = "the game on stdin" if file == "-" else file
    played = parse_game(read_stdin_text(), name=name) if file == "-" else load_game(Path(file))
    if as_json:
        print_json(game_to_dict(played, name))
    else:
        text = format_game(played, name, dominoes=dominoes, clauses=clauses, width=get_width(), colour=wants_colour())
        typer.echo(text)
    if strict and (not played.has_all_facts or any(played.problems(table) for table in played.rounds)):
        print_message(f"{name}: {'there are problems' if played.has_all_facts else 'some facts are missing'}")
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def rules(
    clause: Annotated[str | None, typer.Option(metavar="ID", help="Show one clause, as in kingdomino/value.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per clause, each on its own line.")
    ] = False,
) -> None:
    """List the rulebook clauses in our own words. Lines of a score and problems refer to them."""
    from kdvision.game.rules import clauses

    known = clauses()
    if clause is not None and clause not in known:
        from difflib import get_close_matches

        close = get_close_matches(clause, known, n=3, cutoff=0.4)
        advice = f"did you mean {', '.join(close)}?" if close else "kdvision rules lists all of them"
        raise typer.BadParameter(f"there is no clause {clause}; {advice}", param_hint="--clause")
    for entry in known.values() if clause is None else [known[clause]]:
        if as_json:
            print_json(entry.data())
        else:
            typer.echo(str(entry))
