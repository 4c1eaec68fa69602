"""The problems of a whole table: those of each kingdom, then those of all kingdoms against one box."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from kdvision.game.board import Board, Cell, Terrain
from kdvision.game.deck import Deck, index_deck
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem, find_problems
from kdvision.game.scoring import RuleSet, score
from kdvision.game.tiling import (
    Puzzle,
    Undecided,
    count_fewest,
    find_tilings,
    find_unreachable,
    make_puzzle,
)
from kdvision.text import count_noun

MAX_TILINGS: Final = 2_000
"""Tilings of single kingdoms that are tried before the search for a common box is given up."""


def find_table_problems(table: Table | Sequence[Kingdom], rule_set: RuleSet) -> tuple[Problem, ...]:
    """Return the problems of a table; `Problem.kingdom` is the kingdom that one is about, None for the whole table."""
    whole = table if isinstance(table, Table) else Table(tuple(table))
    alone = [
        replace(problem, kingdom=number)
        for number, kingdom in enumerate(whole.kingdoms)
        for problem in (
            *find_problems(kingdom.board, rule_set.deck, side=rule_set.side),
            *_check_claims(kingdom, rule_set),
        )
    ]
    pieces = [problem for check in rule_set.checks for problem in check(rule_set.with_seats(whole))]
    boards = [kingdom.board for kingdom in whole.kingdoms]
    odd = {problem.kingdom for problem in alone}
    shared = (
        []
        if any(problem.clause == "kingdomino/box" for problem in alone)
        else [*_check_shared_box(boards, odd, rule_set.deck)]
    )
    found = [*alone, *_check_number(boards, whole.seats, rule_set), *shared, *pieces]
    return tuple(replace(problem, clause=rule_set.own_clauses.get(problem.clause, problem.clause)) for problem in found)


def _check_claims(kingdom: Kingdom, rule_set: RuleSet) -> Iterator[Problem]:
    """Yield the problems of claims that are not earned, and of a wrong number of discarded dominoes."""
    for claim in kingdom.claims:
        line = next((line for line in score(kingdom, rule_set).lines if line.label == claim), None)
        if line is None:
            yield Problem((), f"{claim} is claimed, and it is not played", "kingdomino/mix")
        elif not line.points:
            yield Problem((), f"{claim} is claimed, and the board does not earn it", line.clause)
    laid = (len(kingdom.board) + len(kingdom.board.unknown) - len(kingdom.board.castles())) / 2
    drawn = (rule_set.side**2 - 1) // 2
    if kingdom.discarded is not None and laid + kingdom.discarded != drawn:
        text = f"dominoes laid here: {laid:g}, discarded: {kingdom.discarded}; a kingdom gets {drawn}"
        yield Problem((), text, "kingdomino/complete")


def _check_number(boards: Sequence[Board], seats: int, rule_set: RuleSet) -> Iterator[Problem]:
    """Yield the problems of more kingdoms than play together, and of more dominoes than they draw."""
    seats = seats or len(boards)
    if seats > rule_set.max_kingdoms:
        text = f"there are {seats} kingdoms, and {rule_set.name} is played with at most {rule_set.max_kingdoms}"
        yield Problem((), text, "kingdomino/in-play")
    drawn = rule_set.dominoes_drawn.get(seats)
    laid = sum(len(board) - len(board.castles()) for board in boards) // 2
    if drawn is not None and laid > drawn:
        text = f"{laid} dominoes lie in the kingdoms, and a game of {seats} kingdoms draws {drawn}"
        yield Problem((), text, "kingdomino/in-play")


def _check_shared_box(boards: Sequence[Board], odd: set[int | None], deck: Deck) -> Iterator[Problem]:
    """Yield why kingdoms that are valid one by one cannot have been laid from the same box."""
    if len(boards) < 2 or any(board.unknown for board in boards):
        return
    scarce = [*_find_scarce_cells(boards, deck)]
    yield from scarce
    if scarce:
        return
    try:
        if not _can_share_box(boards, odd, deck):
            yield from _explain_conflict(boards, deck)
    except Undecided:
        text = "there are too many ways to lay these kingdoms from one box to look at them all"
        yield Problem((), text, "kingdomino/box")


def _find_scarce_cells(boards: Sequence[Board], deck: Deck) -> Iterator[Problem]:
    held, used = index_deck(deck).squares, Counter[Cell]()
    for board in boards:
        used.update(board.values())
    for cell, count in used.items():
        if cell.terrain is not Terrain.CASTLE and count > held[cell]:
            text = f"the kingdoms together have {count_noun(count, 'square')} {cell}, and the box has {held[cell]}"
            yield Problem((), text, "kingdomino/box")


def _can_share_box(boards: Sequence[Board], odd: set[int | None], deck: Deck) -> bool:
    """Return whether all kingdoms can be tiled from one box, and all but the `odd` ones built in some order."""
    puzzles = [make_puzzle(board, deck) for board in boards]
    needs = [frozenset(of.places) for of in puzzles]
    later = [frozenset[int]().union(*needs[place:]) for place in range(len(boards) + 1)]
    dead: set[tuple[int, ...]] = set()
    tries = MAX_TILINGS

    def lay(place: int, supply: tuple[int, ...]) -> bool:
        nonlocal tries
        if place == len(boards):
            return True
        key = (place, *(count for face, count in enumerate(supply) if face in later[place]))
        if key in dead:
            return False
        for tiling in find_tilings(puzzles[place], supply):
            tries -= 1
            if tries < 0:
                raise Undecided
            rest = _subtract(supply, puzzles[place], tiling)
            if (place in odd or not find_unreachable(puzzles[place], tiling)) and lay(place + 1, rest):
                return True
        dead.add(key)
        return False

    return lay(0, index_deck(deck).supply)


def _subtract(supply: tuple[int, ...], of: Puzzle, tiling: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    used = Counter(of.face[i][j] for i, j in tiling)
    return tuple(count - used[face] for face, count in enumerate(supply))


def _explain_conflict(boards: Sequence[Board], deck: Deck) -> Iterator[Problem]:
    """Yield the dominoes that the kingdoms need too often, or that there is no way at all."""
    faces, supply = index_deck(deck).faces, index_deck(deck).supply
    puzzles = [make_puzzle(board, deck) for board in boards]
    named = False
    for face, held in enumerate(supply):
        needed = [count_fewest(of, face, held) for of in puzzles if face in of.places]
        if sum(needed) > held:
            named = True
            text = f"the kingdoms need {sum(needed)} dominoes {faces[face][0]} {faces[face][1]}, and the box has {held}"
            yield Problem((), text, "kingdomino/box")
    if not named:
        yield Problem((), "the kingdoms cannot all have been laid from one box", "kingdomino/box")
