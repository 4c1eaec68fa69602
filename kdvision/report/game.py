"""A whole game as text, as plain values, and as a game file to fill in."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from kdvision.errors import KdvisionError, NotationError
from kdvision.game.dominoes import MAX_READINGS, Naming, name_game_dominoes
from kdvision.game.game import Game, describe_outlook, make_game
from kdvision.game.kingdom import TOWNS, UNKNOWN, UNKNOWN_BUILDING, Table
from kdvision.game.open_facts import close_queen
from kdvision.game.standing import rank_kingdoms
from kdvision.gamefile.model import parse_game
from kdvision.gamefile.write import write_game_text
from kdvision.report.pieces import describe_pieces
from kdvision.report.result import Result, ScoredKingdom
from kdvision.report.table import format_clauses, format_combined, format_table
from kdvision.report.to_dict import kingdom_to_dict, list_names, problem_to_dict, standing_to_dict
from kdvision.text import number_repeated, replace_controls

GAME_FILE_HEADER: Final = (
    'A game to fill in. Replace each "?" by its value; while a "?" is left, points are a range. A line that is removed',
    "counts as none. Compare the boards, and remove each question that is settled: nobody wins while one is left. Then",
    "run kdvision game with the name of this file.",
)


def build_round_results(game: Game, name: str) -> list[Result]:
    """Return one result for each round, with the game's name and the round's number."""
    has_rounds = len(game.rounds) > 1
    return [
        build_round_result(game, table, f"{name}, round {number}" if has_rounds else name)
        for number, table in enumerate(game.rounds, start=1)
    ]


def build_round_result(game: Game, table: Table, title: str) -> Result:
    """Return the result of one round with its problems."""
    problems = game.find_problems(table)
    rows = tuple(
        ScoredKingdom(kingdom, game.rule_set, tuple(problem for problem in problems if problem.kingdom == number))
        for number, kingdom in enumerate(table.kingdoms)
    )
    standing, outlook = None, ""
    if not game.has_round_result(table):
        outlook = describe_outlook(table, game.rule_set)
    elif len(rows) > 1:
        standing = rank_kingdoms(table.kingdoms, game.rule_set)
    shared_problems = tuple(problem for problem in problems if problem.kingdom is None)
    return Result(title, kingdoms=rows, standing=standing, outlook=outlook, shared_problems=shared_problems)


def format_game(
    game: Game, name: str, *, dominoes: bool = False, clauses: bool = False, width: int = 100, colour: bool = False
) -> str:
    """Return the text of a game; `dominoes` adds those of each kingdom, `clauses` the rulebook clause of each line."""
    texts = []
    for table, result in zip(game.rounds, build_round_results(game, name), strict=True):
        texts.append(format_table(result, width=width, colour=colour))
        if clauses:
            texts += [format_clauses(entry, width=width, colour=colour) for entry in result.kingdoms]
        if dominoes:
            kingdom_namings = zip(table.kingdoms, _name_dominoes(game, table), strict=True)
            texts += [replace_controls(_format_dominoes(kingdom.player, naming)) for kingdom, naming in kingdom_namings]
        texts += [f" ! {replace_controls(problem.text)}\n" for problem in result.shared_problems]
        texts += [f" {note}\n"] if (note := game.describe_missing_kingdoms(table)) else []
    if len(game.rounds) > 1 and game.has_result:
        texts.append(format_combined(Result(None, standing=game.standing), width=width, colour=colour))
    texts += [f" Dynasty: {replace_controls(game.outlook)}\n"] if game.outlook else []
    return "\n".join(text.rstrip("\n") for text in texts) + "\n"


def game_to_dict(game: Game, name: str) -> dict[str, Any]:
    """Return the game as one object of plain values; docs/rules.md describes it."""
    results = build_round_results(game, name)
    final_standing = game.standing if game.has_result else None
    return {
        "file": name,
        "rules": game.rule_set.name,
        "side": game.side,
        "complete": all(entry.point_range.is_exact for result in results for entry in result.kingdoms),
        "rounds": [
            {
                "kingdoms": [
                    {**kingdom_to_dict(entry), "player": entry.kingdom.player, **_naming_to_dict(naming)}
                    for entry, naming in zip(result.kingdoms, _name_dominoes(game, table), strict=True)
                ],
                "standing": result.standing and standing_to_dict(result.standing),
                "outlook": result.outlook or None,
                "problems": [problem_to_dict(problem) for problem in result.shared_problems],
                "note": game.describe_missing_kingdoms(table) or None,
            }
            for table, result in zip(game.rounds, results, strict=True)
        ],
        "outlook": game.outlook or None,
        "winners": [] if final_standing is None else [place.player for place in final_standing.winners],
        "standing": final_standing and standing_to_dict(final_standing),
    }


def _name_dominoes(game: Game, table: Table) -> tuple[Naming | None, ...]:
    return name_game_dominoes([kingdom.board for kingdom in table.kingdoms], game.rule_set.deck)


def _naming_to_dict(naming: Naming | None) -> dict[str, Any]:
    if naming is None:
        return {"dominoes": None, "readings": 0, "readings_alone": 0}
    dominoes = [
        {"squares": list_names(domino.squares), "numbers": list(domino.numbers), "sure": domino.is_sure}
        for domino in naming.dominoes
    ]
    return {"dominoes": dominoes, "readings": naming.readings, "readings_alone": naming.readings_alone}


def _format_dominoes(player: str, naming: Naming | None) -> str:
    if naming is None:
        return f" {player}: the dominoes cannot be named"
    count, fit = "", "fits" if naming.readings == 1 else "fit"
    if naming.readings < naming.readings_alone:
        count = f" ({naming.readings} of {naming.readings_alone} readings {fit} beside the other kingdoms)"
    elif naming.readings > 1:
        count = f" ({naming.readings}{' or more' * (naming.readings == MAX_READINGS)} readings fit)"
    return f" {player}'s dominoes{count}: {', '.join(map(str, naming.dominoes))}"


def format_game_file(
    results: Sequence[Result], kind: str, variants: Sequence[str], *, side: int | None, seats: int = 0
) -> str:
    """Return the text of a game file with the kingdoms of all photos, for the user to fill in.

    `kind` and `variants` are names as in game files. If the user gave no `side`, the file has none either; it has the
    number of `seats` if kingdoms are missing. Raises KdvisionError if the kingdoms cannot be one game.
    """
    rows = [entry for result in results for entry in result.kingdoms]
    names = number_repeated(
        entry.player_name or (entry.reading and entry.reading.colour) or f"kingdom {number}"
        for number, entry in enumerate(rows, start=1)
    )
    kingdoms = [replace(entry.kingdom, player=name) for entry, name in zip(rows, names, strict=True)]
    remarks = [
        [*_list_remarks(str(result.photo), number, entry)]
        for result in results
        for number, entry in enumerate(result.kingdoms, start=1)
    ]
    table = Table(close_queen(kingdoms), seats=seats if seats > len(kingdoms) else 0)
    game = _add_questions(make_game(kind, [table], side=side, variants=variants), rows)
    text = write_game_text(game, head=GAME_FILE_HEADER, remarks=remarks, has_side=side is not None)
    try:
        parse_game(text)
    except NotationError as error:
        reason = str(error).partition(": ")[2] or str(error)
        hint = "name only photos of one game"
        raise KdvisionError(f"these kingdoms cannot be one game: {reason}", hint=hint) from error
    return text


def _list_remarks(photo: str, number: int, entry: ScoredKingdom) -> Iterator[str]:
    """Yield what helps to compare the board with the table."""
    location = "" if entry.reading is None else f" ({entry.reading.colour or entry.reading.place})"
    yield f"Read from {photo}, kingdom {number}{location}."
    if TOWNS in entry.kingdom.open_facts:
        yield "Towns were not read: another terrain stands where one lies. Compare the board."
    if words := describe_pieces(entry.reading):
        yield f"Seen: {words}."
    if any(place.building == UNKNOWN_BUILDING for place in entry.kingdom.buildings):
        yield 'Write what each building gives in place of name = "?": name = "The Guardtower", points = 3, crowns = 1.'
    if any(gem.kind == UNKNOWN for gem in entry.kingdom.gems):
        yield "Write each gem's kind, and its crowns by quarter, clockwise from the token's top left."


def _add_questions(game: Game, entries: Sequence[ScoredKingdom]) -> Game:
    """Return the game with what is uncertain about its boards, except problems that are found when the file is read."""
    (table,) = game.rounds
    problem_texts, kingdoms = {problem.text for problem in game.find_problems(table)}, []
    for kingdom, entry in zip(table.kingdoms, entries, strict=True):
        questions = [replace_controls(text) for text in _list_questions(entry) if text not in problem_texts]
        kingdoms.append(replace(kingdom, questions=tuple(questions)))
    return replace(game, rounds=(replace(table, kingdoms=tuple(kingdoms)),))


def _list_questions(entry: ScoredKingdom) -> Iterator[str]:
    """Yield what is uncertain about the board, in sentences."""
    for doubt in entry.doubts:
        certainty = f"{100 * doubt.probability:.0f} % sure"
        yield f"{doubt.square.name} is {doubt.kind} ({certainty}), otherwise {doubt.other_kind}"
    if entry.reading is not None and entry.reading.review and not entry.doubts:
        yield f"this board is {100 * entry.probability:.0f} % sure: compare it"
    yield from (problem.text for problem in entry.problems if problem.kingdom is not None)
