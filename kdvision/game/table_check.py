"""Everything odd about a whole table: each kingdom by itself, then all of them against one box."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from kdvision.game.board import Board, Cell, Terrain
from kdvision.game.deck import Deck
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem, find_problems
from kdvision.game.open_facts import has_open_facts
from kdvision.game.scoring import RuleSet, score
from kdvision.game.tiling import (
    Puzzle,
    Undecided,
    count_fewest,
    find_tilings,
    find_unreachable,
    index_deck,
    make_puzzle,
)

BUDGET: Final = 2_000
"""Ways to lay single kingdoms that are tried until all fit together, before the search is given up."""


def find_table_problems(table: Table | Sequence[Kingdom], rule_set: RuleSet) -> tuple[Problem, ...]:
    """All that is odd about a table under a rule set: `Problem.kingdom` tells which kingdom it is about, if one."""
    whole = table if isinstance(table, Table) else Table(tuple(table))
    alone = [
        replace(problem, kingdom=number)
        for number, kingdom in enumerate(whole.kingdoms)
        for problem in (*find_problems(kingdom, rule_set.deck, side=rule_set.side), *_claims(kingdom, rule_set))
    ]
    pieces = [problem for check in rule_set.checks for problem in check(rule_set.with_seats(whole))]
    boards = [kingdom.board for kingdom in whole.kingdoms]
    odd = {problem.kingdom for problem in alone}
    shared = (
        [] if any(problem.clause == "kingdomino/box" for problem in alone) else [*_shared(boards, odd, rule_set.deck)]
    )
    found = [*alone, *_in_play(boards, whole.seats, rule_set), *shared, *pieces]
    return tuple(replace(problem, clause=_own(problem.clause, rule_set)) for problem in found)


def needs_review(kingdom: Kingdom, problems: Sequence[Problem]) -> bool:
    """True where a person should check a typed kingdom: it has a problem, or facts about its pieces are missing."""
    return bool(problems) or has_open_facts(kingdom)


def _own(clause: str, rule_set: RuleSet) -> str:
    return rule_set.own_clauses.get(clause, clause)


def _claims(kingdom: Kingdom, rule_set: RuleSet) -> Iterator[Problem]:
    """Bonuses claimed but not earned, and dominoes said to be discarded that the board contradicts."""
    for claim in kingdom.claims:
        line = next((line for line in score(kingdom, rule_set).lines if line.label == claim), None)
        if line is None:
            yield Problem((), f"{claim} is claimed, and it is not played", "kingdomino/mix")
        elif not line.points:
            yield Problem((), f"{claim} is claimed, and the board does not earn it", line.clause)
    laid = (len(kingdom.board) + len(kingdom.board.unknown) - len(kingdom.board.castles())) / 2
    drawn = (rule_set.side**2 - 1) // 2
    if kingdom.discarded is not None and laid + kingdom.discarded > drawn:
        text = f"{laid:g} dominoes lie here and {kingdom.discarded} were discarded, and a kingdom gets {drawn}"
        yield Problem((), text, "kingdomino/complete")


def _in_play(boards: Sequence[Board], seats: int, rule_set: RuleSet) -> Iterator[Problem]:
    """More kingdoms than play together, and more dominoes than so many draw."""
    seats = seats or len(boards)
    if seats > rule_set.max_kingdoms:
        text = f"there are {seats} kingdoms, and {rule_set.name} is played with at most {rule_set.max_kingdoms}"
        yield Problem((), text, "kingdomino/in-play")
    drawn = rule_set.dominoes_drawn.get(seats)
    laid = sum(len(board) - len(board.castles()) for board in boards) // 2
    if drawn is not None and laid > drawn:
        text = f"{laid} dominoes lie in the kingdoms, and a game of {seats} kingdoms draws {drawn}"
        yield Problem((), text, "kingdomino/in-play")


def _shared(boards: Sequence[Board], odd: set[int | None], deck: Deck) -> Iterator[Problem]:
    """What kingdoms whose dominoes are right one by one cannot have taken from the same box."""
    if len(boards) < 2 or any(board.unknown for board in boards):
        return
    scarce = [*_too_many(boards, deck)]
    yield from scarce
    if scarce:
        return
    try:
        if not _lie_together(boards, odd, deck):
            yield from _contested(boards, deck)
    except Undecided:
        text = "there are too many ways to lay these kingdoms from one box to look at them all"
        yield Problem((), text, "kingdomino/box")


def _too_many(boards: Sequence[Board], deck: Deck) -> Iterator[Problem]:
    held, used = index_deck(deck).squares, Counter[Cell]()
    for board in boards:
        used.update(board.values())
    for cell, count in used.items():
        if cell.terrain is not Terrain.CASTLE and count > held[cell]:
            text = f"the kingdoms together have {count} squares {cell}, and the box has {held[cell]}"
            yield Problem((), text, "kingdomino/box")


def _lie_together(boards: Sequence[Board], odd: set[int | None], deck: Deck) -> bool:
    """Whether every kingdom can be tiled, and built unless it is `odd`, with what the others leave of the box."""
    puzzles = [make_puzzle(board, deck) for board in boards]
    needs = [frozenset(of.places) for of in puzzles]
    later = [frozenset[int]().union(*needs[place:]) for place in range(len(boards) + 1)]
    dead: set[tuple[int, ...]] = set()
    tries = BUDGET

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
            rest = _without(supply, puzzles[place], tiling)
            if (place in odd or not find_unreachable(puzzles[place], tiling)) and lay(place + 1, rest):
                return True
        dead.add(key)
        return False

    return lay(0, index_deck(deck).supply)


def _without(supply: tuple[int, ...], of: Puzzle, tiling: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    used = Counter(of.face[i][j] for i, j in tiling)
    return tuple(count - used[face] for face, count in enumerate(supply))


def _contested(boards: Sequence[Board], deck: Deck) -> Iterator[Problem]:
    """The dominoes that the kingdoms need more of than there are, or that there is no way at all."""
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
