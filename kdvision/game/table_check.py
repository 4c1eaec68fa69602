"""The problems of a whole table: those of each kingdom, then those of all kingdoms against one box."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from kdvision.game.board import Board
from kdvision.game.deck import Deck, index_deck
from kdvision.game.dominoes import MAX_READINGS, filter_readings
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem, find_problems, find_scarce_cells
from kdvision.game.scoring import RuleSet, score
from kdvision.game.tiling import Puzzle, Undecided, find_legal_tilings, find_overused, find_tilings, make_puzzle
from kdvision.text import count_noun


def find_table_problems(table: Table | Sequence[Kingdom], rule_set: RuleSet) -> tuple[Problem, ...]:
    """Return the problems of a table; `Problem.kingdom` is the kingdom that one is about, None for the whole table."""
    whole = table if isinstance(table, Table) else Table(tuple(table))
    boards = [kingdom.board for kingdom in whole.kingdoms]
    found: list[Problem] = []
    for number, kingdom in enumerate(whole.kingdoms):
        own = (*find_problems(kingdom.board, rule_set.deck, side=rule_set.side), *_check_claims(kingdom, rule_set))
        found += [replace(problem, kingdom=number) for problem in own]
    odd = {problem.kingdom for problem in found}
    can_share = all(problem.clause != "kingdomino/box" for problem in found)
    found += _check_number(boards, whole.seats, rule_set)
    if can_share and len(boards) > 1 and not any(board.unknown for board in boards):
        found += _check_shared_box(boards, odd, rule_set.deck)
    found += rule_set.check_pieces(whole)
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
    """Yield why kingdoms that the box can lay one by one cannot have been laid from the same box.

    Only the kingdoms without a problem, those that are not `odd`, need have been laid in some order.
    """
    scarce = [*find_scarce_cells(boards, deck)]
    for cell, count, held in scarce:
        text = f"the kingdoms together have {count_noun(count, 'square')} {cell}, and the box has {held}"
        yield Problem((), text, "kingdomino/box")
    index, puzzles = index_deck(deck), [make_puzzle(board, deck) for board in boards]
    try:
        if scarce or _can_share_box(puzzles, odd, index.supply):
            return
        overused = [*find_overused(puzzles, index.supply)]
    except Undecided:
        text = "there are too many ways to lay these kingdoms from one box to look at them all"
        yield Problem((), text, "kingdomino/box")
        return
    for face, needed in overused:
        domino, held = " ".join(map(str, index.faces[face])), index.supply[face]
        text = f"the kingdoms need {needed} dominoes {domino}, and the box has {held}"
        yield Problem((), text, "kingdomino/box")
    if not overused:
        yield Problem((), "the kingdoms cannot all have been laid from one box", "kingdomino/box")


def _can_share_box(puzzles: Sequence[Puzzle], odd: set[int | None], supply: tuple[int, ...]) -> bool:
    finders = [find_tilings if number in odd else find_legal_tilings for number in range(len(puzzles))]
    ways = [[*islice(find(of, supply), MAX_READINGS)] for find, of in zip(finders, puzzles, strict=True)]
    can_share = any(filter_readings(puzzles, ways, supply))
    if not can_share and max(map(len, ways)) == MAX_READINGS:
        raise Undecided
    return can_share
