"""A whole game as text and as plain values: its rounds, its dominoes and its winner."""

from collections.abc import Sequence
from typing import Any

from kdvision.game.dominoes import MAX_READINGS, Naming, name_game_dominoes
from kdvision.game.game import Game, describe_outlook
from kdvision.game.kingdom import Table
from kdvision.game.legality import Problem
from kdvision.report.result import Result, ScoredKingdom
from kdvision.report.table import format_clauses, format_standing, format_table
from kdvision.report.to_dict import problem_to_dict, result_to_dict, standing_to_dict
from kdvision.text import replace_controls


def build_round_results(game: Game, name: str) -> list[Result]:
    """One result for each round, with the game's name and the round's number."""
    several = len(game.rounds) > 1
    names = [f"{name}, round {number}" if several else name for number in range(1, len(game.rounds) + 1)]
    return [
        build_round_result(game, table, title, game.problems(table))
        for table, title in zip(game.rounds, names, strict=True)
    ]


def build_round_result(game: Game, table: Table, title: str, found: Sequence[Problem]) -> Result:
    """The result of one round with the problems that were found."""
    rows = tuple(
        ScoredKingdom(kingdom, game.rule_set, tuple(problem for problem in found if problem.kingdom == number))
        for number, kingdom in enumerate(table.kingdoms)
    )
    if not game.has_round_result(table):
        sentence = describe_outlook(table.kingdoms, game.rule_set, whole=game.has_all_kingdoms(table))
        return Result(title, kingdoms=rows, outlook=sentence)
    return Result(title, kingdoms=rows, standing=game.rank_round(table) if len(rows) > 1 else None)


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
            parts += [
                replace_controls(_format_dominoes(scored, naming))
                for scored, naming in zip(result.kingdoms, _name_dominoes(game, table), strict=True)
            ]
        parts += [f" ! {replace_controls(problem.text)}\n" for problem in list_shared_problems(game, table)]
        parts += [f" {note}\n"] if (note := game.note(table)) else []
    if len(game.rounds) > 1 and game.has_result:
        parts.append(format_standing(game.standing, width=width, colour=colour))
    parts += [f" Dynasty: {replace_controls(game.outlook)}\n"] if game.outlook else []
    return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def list_shared_problems(game: Game, table: Table) -> list[Problem]:
    """The problems of a round that do not belong to a single kingdom."""
    return [problem for problem in game.problems(table) if problem.kingdom is None]


def game_to_dict(game: Game, name: str) -> dict[str, Any]:
    """The game as one object of plain values; docs/rules.md describes it."""
    rounds = [
        _round_to_dict(game, table, result)
        for table, result in zip(game.rounds, build_round_results(game, name), strict=True)
    ]
    final = game.standing if game.has_result else None
    return {
        "file": name,
        "rules": game.rule_set.name,
        "side": game.side,
        "complete": all(kingdom["complete"] for one in rounds for kingdom in one["kingdoms"]),
        "rounds": rounds,
        "outlook": game.outlook or None,
        "winners": [] if final is None else [place.player for place in final.winners],
        "standing": None if final is None else standing_to_dict(final),
    }


def _round_to_dict(game: Game, table: Table, result: Result) -> dict[str, Any]:
    made = result_to_dict(result)
    return {
        "kingdoms": [
            {**values, "player": kingdom.player, **_naming_to_dict(naming)}
            for kingdom, values, naming in zip(
                table.kingdoms, made["kingdoms"], _name_dominoes(game, table), strict=True
            )
        ],
        "standing": made["standing"],
        "outlook": result.outlook or None,
        "problems": [problem_to_dict(problem) for problem in list_shared_problems(game, table)],
        "note": game.note(table) or None,
    }


def _name_dominoes(game: Game, table: Table) -> tuple[Naming | None, ...]:
    return name_game_dominoes([kingdom.board for kingdom in table.kingdoms], game.rule_set.deck)


def _naming_to_dict(naming: Naming | None) -> dict[str, Any]:
    if naming is None:
        return {"dominoes": None, "readings": 0, "readings_alone": 0}
    placed = [
        {"squares": [square.name for square in one.squares], "numbers": list(one.numbers), "sure": one.sure}
        for one in naming.placed
    ]
    return {"dominoes": placed, "readings": naming.readings, "readings_alone": naming.alone}


def _format_dominoes(scored: ScoredKingdom, naming: Naming | None) -> str:
    if naming is None:
        return f" {scored.kingdom.player}: the dominoes cannot be named"
    return f" {scored.kingdom.player}'s dominoes{_count_readings(naming)}: {', '.join(map(str, naming.placed))}"


def _count_readings(naming: Naming) -> str:
    """How many readings of the board fit, if there is more than one."""
    if naming.readings < naming.alone:
        verb = "fits" if naming.readings == 1 else "fit"
        return f" ({naming.readings} of {naming.alone} readings {verb} beside the other kingdoms)"
    many = f"{MAX_READINGS} or more" if naming.readings == MAX_READINGS else f"{naming.readings}"
    return f" ({many} readings fit)" if naming.readings > 1 else ""
