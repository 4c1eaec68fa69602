"""A whole game as text and as JSON: its rounds as results, the dominoes named, who wins in the end."""

from typing import Any

from kdvision.game.dominoes import MANY, Naming, dominoes_together
from kdvision.game.game import Game, outlook
from kdvision.game.kingdom import Table
from kdvision.game.legality import Problem
from kdvision.report.result import Result, ScoredKingdom
from kdvision.report.table import format_clauses, format_standing, format_table
from kdvision.report.to_dict import problem_to_dict, result_to_dict, standing_to_dict


def build_round_results(game: Game, name: str) -> list[Result]:
    """Each round as a result, called by the game's name."""
    several = len(game.rounds) > 1
    names = [f"{name}, round {number}" if several else name for number in range(1, len(game.rounds) + 1)]
    return [_result(game, played, called) for played, called in zip(game.rounds, names, strict=True)]


def _result(game: Game, played: Table, name: str) -> Result:
    found = game.problems(played)
    rows = tuple(
        ScoredKingdom(
            one.kingdom, game.rule_set, one.card, tuple(problem for problem in found if problem.kingdom == number)
        )
        for number, one in enumerate(game.played(played))
    )
    if not game.is_decided(played):
        return Result(name, kingdoms=rows, outlook=outlook(played.kingdoms, game.rule_set, whole=game.entered(played)))
    return Result(name, kingdoms=rows, standing=game.round_standing(played) if len(rows) > 1 else None)


def format_game(
    game: Game, name: str, *, named: bool = False, explained: bool = False, width: int = 100, colour: bool = False
) -> str:
    """The text of a game; `named` adds the dominoes of each kingdom, `explained` the clause of each line."""
    parts = []
    for played, result in zip(game.rounds, build_round_results(game, name), strict=True):
        parts.append(format_table(result, width=width, colour=colour))
        if explained:
            parts += [format_clauses(scored, width=width, colour=colour) for scored in result.kingdoms]
        if named:
            parts += [_dominoes(*each) for each in zip(result.kingdoms, _namings(game, played), strict=True)]
        parts += [f" ! {problem.text}\n" for problem in list_shared_problems(game, played)]
        parts += [f" {note}\n"] if (note := game.note(played)) else []
    if len(game.rounds) > 1 and game.decided:
        parts.append(format_standing(game.standing, width=width, colour=colour))
    return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def list_shared_problems(game: Game, played: Table) -> list[Problem]:
    """The problems of a round that are about no kingdom alone."""
    return [problem for problem in game.problems(played) if problem.kingdom is None]


def game_to_dict(game: Game, name: str) -> dict[str, Any]:
    """The game as one object of plain values; docs/rules.md describes it."""
    rounds = [
        {
            "kingdoms": [
                {**shown, "player": kingdom.player, **_naming(named)}
                for kingdom, shown, named in zip(
                    played.kingdoms, result_to_dict(result)["kingdoms"], _namings(game, played), strict=True
                )
            ],
            "standing": result_to_dict(result)["standing"],
            "outlook": result.outlook or None,
            "problems": [problem_to_dict(problem) for problem in list_shared_problems(game, played)],
            "note": game.note(played) or None,
        }
        for played, result in zip(game.rounds, build_round_results(game, name), strict=True)
    ]
    last = game.standing if game.decided else None
    return {
        "file": name,
        "rules": game.rule_set.name,
        "side": game.side,
        "complete": all(kingdom["complete"] for one in rounds for kingdom in one["kingdoms"]),
        "rounds": rounds,
        "winners": [] if last is None else [place.player for place in last.winners],
        "standing": None if last is None else standing_to_dict(last),
    }


def _namings(game: Game, played: Table) -> tuple[Naming | None, ...]:
    return dominoes_together([kingdom.board for kingdom in played.kingdoms], game.rule_set.deck)


def _naming(naming: Naming | None) -> dict[str, Any]:
    if naming is None:
        return {"dominoes": None, "readings": 0, "readings_alone": 0}
    placed = [
        {"squares": [square.name for square in one.squares], "numbers": list(one.numbers), "sure": one.sure}
        for one in naming.placed
    ]
    return {"dominoes": placed, "readings": naming.readings, "readings_alone": naming.alone}


def _dominoes(scored: ScoredKingdom, naming: Naming | None) -> str:
    if naming is None:
        return f" {scored.kingdom.player}: the dominoes cannot be named"
    return f" {scored.kingdom.player}'s dominoes{_fits(naming)}: {', '.join(map(str, naming.placed))}"


def _fits(naming: Naming) -> str:
    """How many readings fit, where it is not just one."""
    if naming.readings < naming.alone:
        verb = "fits" if naming.readings == 1 else "fit"
        return f" ({naming.readings} of {naming.alone} readings {verb} beside the other kingdoms)"
    many = f"{MANY} or more" if naming.readings == MANY else f"{naming.readings}"
    return f" ({many} readings fit)" if naming.readings > 1 else ""
