"""Everything odd about a board, all at once: each problem with its squares and a plain sentence.

A problem never stops the scoring. The boards of real tables hold mistakes and mixed boxes, and a photo may be misread.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import Deck, Face
from kdvision.game.kingdom import Kingdom, to_kingdom
from kdvision.game.tiling import (
    Pair,
    Puzzle,
    Undecided,
    count_fewest,
    find_tilings,
    find_unpaired,
    find_unreachable,
    index_deck,
    make_puzzle,
)

MAX_SIDE: Final = 7
"""The longest side of any kingdom in the books."""

_TRIES: Final = 500
"""Tilings looked at for one that can be built in some order before the best of them is reported."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One oddity: its squares (none where it is about the whole), a sentence, and the clause it breaks.

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


def find_problems(kingdom: Kingdom | Board, deck: Deck, *, side: int = MAX_SIDE) -> tuple[Problem, ...]:
    """All that is odd about one kingdom, in no order; empty for a right one.

    `deck` is the box it was played with, `side` the most rows and columns allowed.
    """
    board = to_kingdom(kingdom).board
    too_many = tuple(_too_many(board, deck))
    detached = tuple(_detached(board))
    found = (*_castle(board), *_side(board, side), *_unknown(board), *too_many, *detached)
    apart = frozenset(square for problem in detached for square in problem.squares)
    return found + _dominoes(board, deck, counted_out=bool(too_many), apart=apart)


def _castle(board: Board) -> Iterator[Problem]:
    castles = board.castles()
    if not castles:
        yield Problem((), "there is no castle", "kingdomino/castle")
    if len(castles) > 1:
        text = f"there are {len(castles)} castles ({join_names(castles)}), and a kingdom has one"
        yield Problem(castles, text, "kingdomino/castle")


def _side(board: Board, side: int) -> Iterator[Problem]:
    rows, cols = board.extent
    if max(rows, cols) > side:
        clause = "kingdomino/mighty-duel" if side > 5 else "kingdomino/grid"
        text = f"the kingdom spans {rows} by {cols} squares, and at most {side} by {side} are allowed"
        yield Problem(tuple(board), text, clause)


def _unknown(board: Board) -> Iterator[Problem]:
    if board.unknown:
        squares = tuple(sorted(board.unknown))
        yield Problem(squares, f"it is not known what lies on {join_names(squares)}; the dominoes are not checked")


def _too_many(board: Board, deck: Deck) -> Iterator[Problem]:
    held = index_deck(deck).squares
    for cell, count in Counter(board.values()).items():
        if cell.terrain is not Terrain.CASTLE and count > held[cell]:
            squares = tuple(square for square, here in board.items() if here == cell)
            yield Problem(squares, _scarce(str(cell), squares, held[cell]), "kingdomino/box")


def _scarce(cell: str, squares: Sequence[Square], held: int) -> str:
    if not held:
        return f"the box has no square {cell} ({join_names(squares)})"
    return f"{len(squares)} squares are {cell} ({join_names(squares)}), and the box has {held}"


def _detached(board: Board) -> Iterator[Problem]:
    """Squares that do not hang together with the castle, or with the largest part where there is no one castle."""
    groups = _groups(board)
    if len(groups) < 2:
        return
    castles = board.castles()
    home = max(groups, key=lambda group: (not group.isdisjoint(castles), len(group)))
    squares = tuple(sorted(square for group in groups if group is not home for square in group))
    verb = "does" if len(squares) == 1 else "do"
    yield Problem(squares, f"{join_names(squares)} {verb} not touch the rest of the kingdom", "kingdomino/connection")


def _groups(board: Board) -> list[set[Square]]:
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


def _dominoes(board: Board, deck: Deck, *, counted_out: bool, apart: frozenset[Square]) -> tuple[Problem, ...]:
    """What keeps the squares from being dominoes of the box, laid in some order (kingdomino/box, …/connection).

    Where the box has too few squares of a kind anyway (`counted_out`) no way to lay dominoes is looked for; that
    squares lie `apart` is not said twice.
    """
    if board.unknown:
        return ()
    of = make_puzzle(board, deck)
    lonely = tuple(_lonely(board, of, deck))
    if lonely or counted_out:
        strange = any(board[square] not in index_deck(deck).number for square in of.squares)
        return lonely if lonely or strange else tuple(_left_over(of))
    try:
        return tuple(_laid(board, of, deck, apart))
    except Undecided:
        return (Problem((), "there are too many ways to lay dominoes here to look at them all", "kingdomino/box"),)


def _laid(board: Board, of: Puzzle, deck: Deck, apart: frozenset[Square]) -> Iterator[Problem]:
    best, stuck = _best_tiling(of, index_deck(deck).supply)
    if best is None:
        yield from _untileable(of, deck)
    elif len(board.castles()) == 1:
        yield from _unbuildable(board, of, best, {i for i in stuck if of.squares[i] not in apart})


def _lonely(board: Board, of: Puzzle, deck: Deck) -> Iterator[Problem]:
    """Squares the box knows, but not beside any of their neighbours."""
    known = index_deck(deck).number
    for square, partners in zip(of.squares, of.face, strict=True):
        if not partners and board[square] in known:
            text = f"{square.name} ({board[square]}) has no neighbour with which it makes a domino of the box"
            yield Problem((square,), text, "kingdomino/box")


def _best_tiling(of: Puzzle, supply: Sequence[int]) -> tuple[tuple[Pair, ...] | None, frozenset[int]]:
    """A tiling, if there is one, and the squares of it that cannot have been laid: as few as any tiling leaves."""
    best: tuple[tuple[Pair, ...] | None, frozenset[int]] = None, frozenset()
    for number, tiling in enumerate(find_tilings(of, supply)):
        stuck = find_unreachable(of, tiling)
        if best[0] is None or len(stuck) < len(best[1]):
            best = tiling, stuck
        if not stuck or number == _TRIES:
            break
    return best


def _untileable(of: Puzzle, deck: Deck) -> Iterator[Problem]:
    """Why the squares are no dominoes of the box: some stay over, or one domino would be needed too often."""
    over = [*_left_over(of), *_overused(of, deck)]
    yield from over
    if not over:
        text = "the squares cannot be covered with the dominoes of the box, each used once"
        yield Problem((), text, "kingdomino/box")


def _left_over(of: Puzzle) -> Iterator[Problem]:
    over = find_unpaired(of)
    if over:
        text = f"the squares cannot be paired into dominoes of the box: {join_names(over)} would be left over"
        yield Problem(over, text, "kingdomino/box")


def _overused(of: Puzzle, deck: Deck) -> Iterator[Problem]:
    if find_unpaired(of):
        return
    faces, supply = index_deck(deck).faces, index_deck(deck).supply
    for face, places in of.places.items():
        if len(places) > supply[face] and count_fewest(of, face, supply[face]) > supply[face]:
            squares = tuple(sorted({of.squares[i] for pair in places for i in pair}))
            yield Problem(squares, _domino(faces[face], supply[face], squares), "kingdomino/box")


def _domino(face: Face, held: int, squares: Sequence[Square]) -> str:
    count = "once" if held == 1 else f"{held} times"
    return (
        f"the box has the domino {face[0]} {face[1]} {count}, and the kingdom needs more of it ({join_names(squares)})"
    )


def _unbuildable(board: Board, of: Puzzle, tiling: Sequence[Pair], stuck: set[int]) -> Iterator[Problem]:
    """Dominoes without any matching side break the connection rule; others match only each other."""
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
    terrain = board[square].terrain
    near = (board.get(place) for place in square.neighbours() if place not in domino)
    return any(cell is not None and cell.terrain in (terrain, Terrain.CASTLE) for cell in near)


def join_names(squares: Sequence[Square]) -> str:
    """The squares' names as one phrase, at most eight of them in full."""
    few = [square.name for square in squares[:8]]
    if len(squares) > 8:
        return f"{', '.join(few)} and {len(squares) - 8} more"
    return few[0] if len(few) == 1 else f"{', '.join(few[:-1])} and {few[-1]}" if few else ""
