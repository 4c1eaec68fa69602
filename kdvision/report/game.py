"""A whole game as text and as plain values: its rounds, its dominoes and its winner."""

from typing import Any

from kdvision.game.dominoes import MAX_READINGS, Naming, name_game_dominoes
from kdvision.game.game import Game, describe_outlook
from kdvision.game.kingdom import Table
from kdvision.report.result import Result, ScoredKingdom
from kdvision.report.table import format_clauses, format_standing, format_table
from kdvision.report.to_dict import kingdom_to_dict, list_names, problem_to_dict, standing_to_dict
from kdvision.text import replace_controls


def build_round_results(game: Game, name: str) -> list[Result]:
    """One result for each round, with the game's name and the round's number."""
    several = len(game.rounds) > 1
    return [
        build_round_result(game, table, f"{name}, round {number}" if several else name)
        for number, table in enumerate(game.rounds, start=1)
    ]


def build_round_result(game: Game, table: Table, title: str) -> Result:
    """The result of one round with its problems."""
    found = game.problems(table)
    rows = tuple(
        ScoredKingdom(kingdom, game.rule_set, tuple(problem for problem in found if problem.kingdom == number))
        for number, kingdom in enumerate(table.kingdoms)
    )
    standing, outlook = None, ""
    if not game.has_round_result(table):
        outlook = describe_outlook(table.kingdoms, game.rule_set, whole=game.has_all_kingdoms(table))
    elif len(rows) > 1:
        standing = game.rank_round(table)
    shared = tuple(problem for problem in found if problem.kingdom is None)
    return Result(title, kingdoms=rows, standing=standing, outlook=outlook, shared_problems=shared)


def format_game(
    game: Game, name: str, *, dominoes: bool = False, clauses: bool = False, width: int = 100, colour: bool = False
) -> str:
    """The text of a game; `dominoes` adds those of each kingdom, `clauses` the rulebook clause of each line."""
    parts = []
    for table, result in zip(game.rounds, build_round_results(game, name), strict=True):
        parts.append(format_table(result, width=width, colour=colour))
        if clauses:
            parts += [format_clauses(scored, width=width, colour=colour) for scored in result.kingdoms]
        if dominoes:
            named = zip(table.kingdoms, _name_dominoes(game, table), strict=True)
            parts += [replace_controls(_format_dominoes(kingdom.player, naming)) for kingdom, naming in named]
        parts += [f" ! {replace_controls(problem.text)}\n" for problem in result.shared_problems]
        parts += [f" {note}\n"] if (note := game.note(table)) else []
    if len(game.rounds) > 1 and game.has_result:
        parts.append(format_standing(game.standing, width=width, colour=colour))
    parts += [f" Dynasty: {replace_controls(game.outlook)}\n"] if game.outlook else []
    return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def game_to_dict(game: Game, name: str) -> dict[str, Any]:
    """The game as one object of plain values; docs/rules.md describes it."""
    results = build_round_results(game, name)
    final = game.standing if game.has_result else None
    return {
        "file": name,
        "rules": game.rule_set.name,
        "side": game.side,
        "complete": all(scored.extent.is_exact for result in results for scored in result.kingdoms),
        "rounds": [
            {
                "kingdoms": [
                    {**kingdom_to_dict(scored), "player": scored.kingdom.player, **_naming_to_dict(naming)}
                    for scored, naming in zip(result.kingdoms, _name_dominoes(game, table), strict=True)
                ],
                "standing": result.standing and standing_to_dict(result.standing),
                "outlook": result.outlook or None,
                "problems": [problem_to_dict(problem) for problem in result.shared_problems],
                "note": game.note(table) or None,
            }
            for table, result in zip(game.rounds, results, strict=True)
        ],
        "outlook": game.outlook or None,
        "winners": [] if final is None else [place.player for place in final.winners],
        "standing": final and standing_to_dict(final),
    }


def _name_dominoes(game: Game, table: Table) -> tuple[Naming | None, ...]:
    return name_game_dominoes([kingdom.board for kingdom in table.kingdoms], game.rule_set.deck)


def _naming_to_dict(naming: Naming | None) -> dict[str, Any]:
    if naming is None:
        return {"dominoes": None, "readings": 0, "readings_alone": 0}
    placed = [
        {"squares": list_names(one.squares), "numbers": list(one.numbers), "sure": one.sure} for one in naming.placed
    ]
    return {"dominoes": placed, "readings": naming.readings, "readings_alone": naming.alone}


def _format_dominoes(player: str, naming: Naming | None) -> str:
    if naming is None:
        return f" {player}: the dominoes cannot be named"
    count, fit = "", "fits" if naming.readings == 1 else "fit"
    if naming.readings < naming.alone:
        count = f" ({naming.readings} of {naming.alone} readings {fit} beside the other kingdoms)"
    elif naming.readings > 1:
        count = f" ({naming.readings}{' or more' * (naming.readings == MAX_READINGS)} readings fit)"
    return f" {player}'s dominoes{count}: {', '.join(map(str, naming.placed))}"
