"""The problems of a board, each with its squares and a sentence.

A board with problems is scored all the same: players make mistakes and mix boxes, and a photo may be misread.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import Deck, index_deck
from kdvision.game.placements import find_joints
from kdvision.game.tiling import (
    Pair,
    Puzzle,
    Undecided,
    count_fewest,
    find_tilings,
    find_unpaired,
    find_unreachable,
    make_puzzle,
)
from kdvision.text import join_words

MAX_SIDE: Final = 7
"""The largest number of rows and columns in the books."""

_MAX_TILINGS: Final = 500
"""Tilings that are tried before the best of them is reported as not buildable."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with its squares (none if it is about the whole), a sentence, and the clause that is broken.

    `kingdom` is the kingdom's place in its game, from 0; None where the problem is about one board or the whole game.
    `played` is true where the box could lay the board: someone played against a rule, and nothing need be misread.
    `warning` is the id of a warning about the reading of a photo (vision/assess/warnings.py).
    """

    squares: tuple[Square, ...]
    text: str
    clause: str = ""
    kingdom: int | None = None
    played: bool = False
    warning: str = ""


def find_problems(board: Board, deck: Deck, *, side: int = MAX_SIDE) -> tuple[Problem, ...]:
    """Return the problems of one kingdom's board, in no order; empty for a valid one.

    `deck` is the box it was played with, `side` the largest number of rows and columns.
    """
    too_many = tuple(_find_scarce_cells(board, deck))
    detached = tuple(_find_detached(board))
    found = (*_check_castle(board), *_check_side(board, side), *_check_unknown(board), *too_many, *detached)
    apart = frozenset(square for problem in detached for square in problem.squares)
    return found + _check_dominoes(board, deck, counted_out=bool(too_many), apart=apart)


def _check_castle(board: Board) -> Iterator[Problem]:
    castles = board.castles()
    if not castles:
        yield Problem((), "there is no castle", "kingdomino/castle")
    if len(castles) > 1:
        text = f"there are {len(castles)} castles ({join_names(castles)}), and a kingdom has one"
        yield Problem(castles, text, "kingdomino/castle")


def _check_side(board: Board, side: int) -> Iterator[Problem]:
    rows, cols = board.extent
    if max(rows, cols) > side:
        clause = "kingdomino/mighty-duel" if side > 5 else "kingdomino/grid"
        text = f"the kingdom spans {rows} by {cols} squares, and at most {side} by {side} are allowed"
        yield Problem(tuple(board), text, clause)


def _check_unknown(board: Board) -> Iterator[Problem]:
    if board.unknown:
        squares = tuple(sorted(board.unknown))
        yield Problem(squares, f"it is not known what lies on {join_names(squares)}; the dominoes are not checked")


def _find_scarce_cells(board: Board, deck: Deck) -> Iterator[Problem]:
    held = index_deck(deck).squares
    for cell, count in Counter(board.values()).items():
        if cell.terrain is not Terrain.CASTLE and count > held[cell]:
            squares = tuple(square for square, here in board.items() if here == cell)
            text = f"the box has no square {cell} ({join_names(squares)})"
            if held[cell]:
                text = f"{count} squares are {cell} ({join_names(squares)}), and the box has {held[cell]}"
            yield Problem(squares, text, "kingdomino/box")


def _find_detached(board: Board) -> Iterator[Problem]:
    """Yield the problem of squares that are not connected with the castle, or with the largest part without one."""
    groups = _find_groups(board)
    if len(groups) < 2:
        return
    castles = board.castles()
    home = max(groups, key=lambda group: (not group.isdisjoint(castles), len(group)))
    squares = tuple(sorted(square for group in groups if group is not home for square in group))
    verb = "does" if len(squares) == 1 else "do"
    yield Problem(squares, f"{join_names(squares)} {verb} not touch the rest of the kingdom", "kingdomino/connection")


def _find_groups(board: Board) -> list[set[Square]]:
    left, groups = {*board, *board.unknown}, []
    while left:
        todo = [left.pop()]
        group = set(todo)
        while todo:
            near = left.intersection(todo.pop().neighbours())
            left -= near
            group |= near
            todo += near
        groups.append(group)
    return groups


def _check_dominoes(board: Board, deck: Deck, *, counted_out: bool, apart: frozenset[Square]) -> tuple[Problem, ...]:
    """Return why the squares cannot be dominoes of the box, laid in some order (kingdomino/box, …/connection).

    If the box has too few squares of a kind (`counted_out`), no tiling is searched. That squares lie `apart` is not
    reported twice.
    """
    if board.unknown:
        return ()
    of = make_puzzle(board, deck)
    lonely = tuple(_find_unmatched(board, of, deck))
    if lonely or counted_out:
        strange = any(board[square] not in index_deck(deck).number for square in of.squares)
        return lonely if lonely or strange else tuple(_find_left_over(of))
    try:
        return tuple(_check_tiling(board, of, deck, apart))
    except Undecided:
        return (Problem((), "there are too many ways to lay dominoes here to look at them all", "kingdomino/box"),)


def _check_tiling(board: Board, of: Puzzle, deck: Deck, apart: frozenset[Square]) -> Iterator[Problem]:
    best, stuck = _find_best_tiling(of, index_deck(deck).supply)
    if best is None:
        yield from _explain_untileable(of, deck)
    elif len(board.castles()) == 1:
        yield from _explain_unbuildable(board, of, best, {i for i in stuck if of.squares[i] not in apart})


def _find_unmatched(board: Board, of: Puzzle, deck: Deck) -> Iterator[Problem]:
    """Yield the problems of squares that make no domino of the box with any neighbour."""
    known = index_deck(deck).number
    for square, partners in zip(of.squares, of.face, strict=True):
        if not partners and board[square] in known:
            text = f"{square.name} ({board[square]}) has no neighbour with which it makes a domino of the box"
            yield Problem((square,), text, "kingdomino/box")


def _find_best_tiling(of: Puzzle, supply: Sequence[int]) -> tuple[tuple[Pair, ...] | None, frozenset[int]]:
    """Return the tiling with the fewest squares that cannot have been laid (or None), and these squares."""
    best: tuple[tuple[Pair, ...] | None, frozenset[int]] = None, frozenset()
    for number, tiling in enumerate(find_tilings(of, supply)):
        stuck = find_unreachable(of, tiling)
        if best[0] is None or len(stuck) < len(best[1]):
            best = tiling, stuck
        if not stuck or number == _MAX_TILINGS:
            break
    return best


def _explain_untileable(of: Puzzle, deck: Deck) -> Iterator[Problem]:
    """Yield why the squares are no dominoes of the box: some are left over, or a domino would be needed too often."""
    over = [*_find_left_over(of), *_find_overused(of, deck)]
    yield from over
    if not over:
        text = "the squares cannot be covered with the dominoes of the box, each used once"
        yield Problem((), text, "kingdomino/box")


def _find_left_over(of: Puzzle) -> Iterator[Problem]:
    over = find_unpaired(of)
    if over:
        text = f"the squares cannot be paired into dominoes of the box: {join_names(over)} would be left over"
        yield Problem(over, text, "kingdomino/box")


def _find_overused(of: Puzzle, deck: Deck) -> Iterator[Problem]:
    if find_unpaired(of):
        return
    faces, supply = index_deck(deck).faces, index_deck(deck).supply
    for face, places in of.places.items():
        if len(places) > supply[face] and count_fewest(of, face, supply[face]) > supply[face]:
            squares = tuple(sorted({of.squares[i] for pair in places for i in pair}))
            held = "once" if supply[face] == 1 else f"{supply[face]} times"
            domino = f"the box has the domino {faces[face][0]} {faces[face][1]} {held}"
            text = f"{domino}, and the kingdom needs more of it ({join_names(squares)})"
            yield Problem(squares, text, "kingdomino/box")


def _explain_unbuildable(board: Board, of: Puzzle, tiling: Sequence[Pair], stuck: set[int]) -> Iterator[Problem]:
    """Yield the problems of dominoes without any matching side, and of those that match only each other."""
    islands: list[Square] = []
    for pair in tiling:
        if stuck.isdisjoint(pair):
            continue
        squares = tuple(sorted(of.squares[i] for i in pair))
        if any(_matches(board, square, squares) for square in squares):
            islands += squares
        else:
            text = f"the domino on {join_names(squares)} touches neither the castle nor its own terrain"
            yield Problem(squares, text, "kingdomino/connection", played=True)
    if islands:
        text = f"in no order can the dominoes on {join_names(islands)} have been laid"
        yield Problem(tuple(sorted(islands)), text, "kingdomino/connection", played=True)


def _matches(board: Board, square: Square, domino: tuple[Square, ...]) -> bool:
    return any(near not in domino for near in find_joints(board, square, board[square].terrain))


def join_names(squares: Sequence[Square]) -> str:
    """Return the squares' names as one phrase, at most eight of them in full."""
    few = [square.name for square in squares[:8]]
    return join_words(few) if len(squares) <= 8 else f"{', '.join(few)} and {len(squares) - 8} more"
