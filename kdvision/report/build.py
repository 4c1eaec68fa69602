"""Builds results: kingdoms that were read or typed, scored, checked and ranked."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeVar

from kdvision.game.board import Board, Square
from kdvision.game.game import describe_outlook, find_table_problems
from kdvision.game.kingdom import Kingdom, Table, to_kingdom
from kdvision.game.legality import Problem, check_extent
from kdvision.game.open_facts import close_queen
from kdvision.game.players import NO_PLAYERS, Players, make_names_unique
from kdvision.game.scoring import RuleSet
from kdvision.report.doubt_effects import (
    ScoredDoubt,
    list_alternatives,
    list_possible_contents,
    rank_if_known,
    score_doubts,
)
from kdvision.report.pieces import NO_FACTS, GivenFacts, check_pieces, read_kingdom
from kdvision.report.result import Result, ScoredKingdom
from kdvision.text import capitalise

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

MIN_IDENTICAL_SQUARES: Final = 7
"""Equal boards with at least three dominoes and a castle are taken for the same kingdom."""
MAX_MISREAD_SHARE: Final = 1 / 8
"""The share of squares that may differ between two photos of the same kingdom, because one was misread."""

_Finding = TypeVar("_Finding", Problem, ScoredDoubt)


def build_photo_result(
    photo: str,
    size: tuple[int, int],
    readings: Sequence["KingdomReading"],
    rule_set: RuleSet,
    *,
    players: Players = NO_PLAYERS,
    first_number: int = 0,
    facts: GivenFacts = NO_FACTS,
    is_over: bool = True,
) -> Result:
    """Return the result of a photo of `size` (width, height).

    `first_number` is the number of its first kingdom, counted from 0 over all photos; `players` and `facts` go by these
    numbers. A kingdom without a player's name is called by its colour, else by its number; its place in the photo is
    added where two kingdoms would be called the same. `facts` are what the user said about pieces. Nobody wins unless
    the game `is_over`, so that no other photo shows a kingdom of it.
    """
    names = [players.name_of(number, reading.colour) for number, reading in enumerate(readings, start=first_number)]
    labels = [
        name or reading.colour or f"kingdom {number}"
        for number, (name, reading) in enumerate(zip(names, readings, strict=True), start=1)
    ]
    labels = make_names_unique(labels, [reading.place for reading in readings])
    labelled_readings = enumerate(zip(readings, labels, strict=True), start=first_number)
    kingdoms = close_queen([read_kingdom(*pair, rule_set, facts, number) for number, pair in labelled_readings])
    problems = check_pieces(kingdoms, readings, rule_set, facts, first_number)
    is_over &= players.count <= len(readings)  # else a kingdom is missing
    doubts = score_doubts(kingdoms, [*map(list_alternatives, readings)], rule_set, is_over=is_over)
    rows = tuple(
        ScoredKingdom(kingdom, rule_set, _select(problems, number), _select(doubts, number), reading, name)
        for number, (kingdom, reading, name) in enumerate(zip(kingdoms, readings, names, strict=True))
    )
    standing = rank_if_known(kingdoms, rule_set, is_over=is_over)
    table = Table(tuple(kingdoms), seats=0 if is_over else len(kingdoms) + 1)  # at least one kingdom is missing
    outlook = describe_outlook(table, rule_set) if standing is None else ""
    return Result(photo, *size, rows, standing, outlook=outlook)


def build_board_result(boards: Sequence[Board | Kingdom], rule_set: RuleSet, *, is_over: bool = True) -> Result:
    """Return the result of typed boards, taken as the kingdoms of one game, with their pieces if there are some.

    Nobody wins unless the game `is_over`, and all pieces that count are given. Each unknown square is a doubt, with the
    content that has the most important effect.
    """
    kingdoms = [replace(to_kingdom(board), player=f"kingdom {number}") for number, board in enumerate(boards, start=1)]
    problems = find_table_problems(kingdoms, rule_set)
    played_boards = [kingdom.board for kingdom in kingdoms]
    contents = [[*list_possible_contents(board, played_boards, rule_set.deck)] for board in played_boards]
    doubts: dict[tuple[int, Square], ScoredDoubt] = {}
    for doubt in score_doubts(kingdoms, contents, rule_set, is_over=is_over):
        doubts.setdefault((doubt.kingdom, doubt.square), doubt)
    rows = tuple(
        ScoredKingdom(kingdom, rule_set, _select(problems, number), _select(doubts.values(), number))
        for number, kingdom in enumerate(kingdoms)
    )
    standing = rank_if_known(kingdoms, rule_set, is_over=is_over)
    outlook = describe_outlook(Table(tuple(kingdoms)), rule_set) if standing is None else ""
    return Result(None, kingdoms=rows, standing=standing, outlook=outlook)


def combine_kingdoms(
    entries: Sequence[ScoredKingdom], players: Sequence[str], rule_set: RuleSet, *, is_over: bool = True
) -> Result:
    """Return the kingdoms of several photos as one game with these players, and the problems that no photo has alone.

    Nobody wins unless the game `is_over`: no kingdom is missing, and none is shown twice.
    """
    kingdoms = close_queen([replace(entry.kingdom, player=name) for entry, name in zip(entries, players, strict=True)])
    problems = [
        Problem((), f"{players[first]} and {players[second]} show the same kingdom: leave one of them out")
        for first, second in combinations(range(len(entries)), 2)
        if show_same_kingdom(entries[first].board, entries[second].board)
    ]
    is_over &= not problems
    doubts = score_doubts(kingdoms, [entry.doubts for entry in entries], rule_set, is_over=is_over)
    rows = tuple(
        replace(entry, kingdom=kingdom, rule_set=rule_set, doubts=_select(doubts, number), player_name=kingdom.player)
        for number, (entry, kingdom) in enumerate(zip(entries, kingdoms, strict=True))
    )
    problems += rule_set.check_pieces(Table(tuple(kingdoms)))
    for number, kingdom in enumerate(kingdoms):
        problems += [replace(problem, kingdom=number) for problem in check_extent(kingdom.board, rule_set.side)]
    new_problems = []
    for problem in problems:
        known_entries = entries if problem.kingdom is None else [entries[problem.kingdom]]
        if all(problem.text != known_problem.text for entry in known_entries for known_problem in entry.problems):
            name = "" if problem.kingdom is None else f"{players[problem.kingdom]}: "
            new_problems.append(replace(problem, text=f"{name}{problem.text}"))
    standing = rank_if_known(kingdoms, rule_set, is_over=is_over)
    result = Result(None, kingdoms=rows, standing=standing, shared_problems=tuple(new_problems))
    if result.inventory is None or not result.inventory.excess:
        return result
    excess = Problem((), capitalise(str(result.inventory)), "kingdomino/box")
    return replace(result, shared_problems=(*result.shared_problems, excess))


def show_same_kingdom(board: Board, other: Board) -> bool:
    """Return whether two boards of one game are so large and so equal that their photos must show one kingdom."""
    size = max(len(board), len(other))
    return size >= MIN_IDENTICAL_SQUARES and board.count_equal_squares(other) >= (1 - MAX_MISREAD_SHARE) * size


def _select(findings: Iterable[_Finding], number: int) -> tuple[_Finding, ...]:
    """Return the doubts of one kingdom, or its problems with those of the whole game."""
    return tuple(finding for finding in findings if finding.kingdom in (None, number))
