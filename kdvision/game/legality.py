"""The problems of a board, each with its squares and a sentence, and where a domino may be laid on it.

A board with problems is scored all the same: players make mistakes and mix boxes, and a photo may be misread.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kdvision.game.board import MAX_BOARD_SIDE, Board, Cell, Square, Terrain, find_regions
from kdvision.game.deck import Deck, Face, index_deck
from kdvision.game.tiling import (
    Puzzle,
    Tiling,
    Undecided,
    find_overused_faces,
    find_tilings,
    find_unpaired,
    find_unreachable,
    make_puzzle,
)
from kdvision.text import join_words

MAX_SIDE: Final = 7
"""The largest number of rows and columns in the books."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with its squares (none if it is about the whole), a sentence, and the clause that is broken.

    `kingdom` is the kingdom's place in its game, from 0; None where the problem is about one board or the whole game.
    `is_rule_breach` is true where the box could lay the board: someone played against a rule, and nothing need be
    misread. `warning` is the id of a warning about the reading of a photo (vision/assess/warnings.py).
    """

    squares: tuple[Square, ...]
    text: str
    clause: str = ""
    kingdom: int | None = None
    is_rule_breach: bool = False
    warning: str = ""


class Placement(NamedTuple):
    """The squares of a domino's first and second half, and the `joints`: the board's squares that it may lie against.

    The squares count from the board's frame, so rows and columns may be negative. Without joints the domino fits here
    only if an unknown square is free or shows its terrain.
    """

    first: Square
    second: Square
    joints: tuple[Square, ...]


def find_problems(board: Board, deck: Deck, *, side: int = MAX_SIDE) -> tuple[Problem, ...]:
    """Return the problems of one kingdom's board, in no order; empty for a valid one.

    `deck` is the box it was played with, `side` the largest number of rows and columns.
    """
    problems = [*_check_shape(board, side)]
    cell_problems, detached_squares = [*_check_cells(board, deck)], _find_detached(board)
    problems += cell_problems
    if detached_squares:
        verb = "does" if len(detached_squares) == 1 else "do"
        text = f"{join_names(detached_squares)} {verb} not touch the rest of the kingdom"
        problems.append(Problem(detached_squares, text, "kingdomino/connection"))
    if not board.unknown:
        try:
            puzzle = make_puzzle(board, deck)
            problems += _check_dominoes(puzzle, overuses_cells=bool(cell_problems), detached_squares=detached_squares)
        except Undecided:
            text = "there are too many ways to lay dominoes here to look at them all"
            problems.append(Problem((), text, "kingdomino/box"))
    return tuple(problems)


def _check_shape(board: Board, side: int) -> Iterator[Problem]:
    castles = board.find_castles()
    if not castles and not board.unknown:
        yield Problem((), "there is no castle", "kingdomino/castle")
    if len(castles) > 1:
        text = f"there are {len(castles)} castles ({join_names(castles)}), and a kingdom has one"
        yield Problem(castles, text, "kingdomino/castle")
    yield from check_extent(board, side)
    if board.unknown:
        squares = tuple(sorted(board.unknown))
        yield Problem(squares, f"it is not known what lies on {join_names(squares)}; the dominoes are not checked")


def check_extent(board: Board, side: int) -> Iterator[Problem]:
    """Yield the problem of a board with more than `side` rows or columns."""
    rows, cols = board.extent
    if max(rows, cols) > side:
        clause = "kingdomino/mighty-duel" if side > 5 else "kingdomino/grid"
        text = f"the kingdom spans {rows} by {cols} squares, and at most {side} by {side} are allowed"
        yield Problem(tuple(board), text, clause)


def _check_cells(board: Board, deck: Deck) -> Iterator[Problem]:
    for cell, count, supply in find_overused_cells([board], deck):
        squares = tuple(square for square, other in board.items() if other == cell)
        text = f"the box has no square {cell} ({join_names(squares)})"
        if supply:
            text = f"{count} squares are {cell} ({join_names(squares)}), and the box has {supply}"
        yield Problem(squares, text, "kingdomino/box")


def find_overused_cells(boards: Sequence[Board], deck: Deck) -> Iterator[tuple[Cell, int, int]]:
    """Yield each cell that the boards have more often than the box, with both numbers."""
    supply = index_deck(deck).squares
    for cell, count in Counter(cell for board in boards for cell in board.values()).items():
        if cell.terrain is not Terrain.CASTLE and count > supply[cell]:
            yield cell, count, supply[cell]


def _find_detached(board: Board) -> tuple[Square, ...]:
    """Return the squares that are not connected with the castle, or with the largest part without one."""
    groups = [squares for _, squares in find_regions(dict.fromkeys([*board, *board.unknown], True))]
    castles = set(board.find_castles())
    main_group = max(groups, key=lambda squares: (not castles.isdisjoint(squares), len(squares)), default=())
    return tuple(sorted(square for squares in groups if squares is not main_group for square in squares))


def _check_dominoes(puzzle: Puzzle, *, overuses_cells: bool, detached_squares: tuple[Square, ...]) -> Iterator[Problem]:
    """Yield why the squares cannot be dominoes of the box, laid in some order (kingdomino/box, …/connection).

    If the box has too few squares of a kind (`overuses_cells`), no tiling is searched. The `detached_squares`, which do
    not touch the rest, are not reported twice. Raises Undecided.
    """
    has_cell = [puzzle.board[square] in puzzle.box.squares for square in puzzle.squares]
    single_squares = [
        square for square, row, fits in zip(puzzle.squares, puzzle.face, has_cell, strict=True) if fits and not row
    ]
    for square in single_squares:
        text = f"{square.name} ({puzzle.board[square]}) has no neighbour with which it makes a domino of the box"
        yield Problem((square,), text, "kingdomino/box")
    if single_squares or not all(has_cell):
        return
    if unpaired_squares := find_unpaired(puzzle):
        names = join_names(unpaired_squares)
        text = f"the squares cannot be paired into dominoes of the box: {names} would be left over"
        yield Problem(unpaired_squares, text, "kingdomino/box")
    elif not overuses_cells:
        best, unreachable_squares = _find_best_tiling(puzzle)
        if best is None:
            yield from _explain_untileable(puzzle)
        elif len(puzzle.board.find_castles()) == 1:
            yield from _explain_unbuildable(puzzle, best, unreachable_squares.difference(detached_squares))


def _find_best_tiling(puzzle: Puzzle) -> tuple[Tiling | None, frozenset[Square]]:
    """Return the tiling with the fewest squares that cannot have been laid (or None), and these squares."""
    best: tuple[Tiling | None, frozenset[Square]] = None, frozenset()
    for tiling in find_tilings(puzzle):
        unreachable_squares = find_unreachable(puzzle, tiling)
        if best[0] is None or len(unreachable_squares) < len(best[1]):
            best = tiling, unreachable_squares
        if not unreachable_squares:
            break
    return best


def _explain_untileable(puzzle: Puzzle) -> Iterator[Problem]:
    """Yield the dominoes that would be needed too often, or that there is no way at all."""
    overused_faces = [face for face, _ in find_overused_faces([puzzle])]
    for face in overused_faces:
        squares = tuple(sorted({puzzle.squares[i] for pair in puzzle.places[face] for i in pair}))
        domino, count = " ".join(map(str, puzzle.box.faces[face])), puzzle.box.supply[face]
        times = "once" if count == 1 else f"{count} times"
        text = f"the box has the domino {domino} {times}, and the kingdom needs more of it ({join_names(squares)})"
        yield Problem(squares, text, "kingdomino/box")
    if not overused_faces:
        text = "the squares cannot be covered with the dominoes of the box, each used once"
        yield Problem((), text, "kingdomino/box")


def _explain_unbuildable(puzzle: Puzzle, tiling: Tiling, unreachable_squares: frozenset[Square]) -> Iterator[Problem]:
    """Yield the problems of dominoes without any matching side, and of those that match only each other."""
    isolated_squares: list[Square] = []
    for pair in tiling:
        squares = tuple(sorted(puzzle.squares[i] for i in pair))
        if unreachable_squares.isdisjoint(squares):
            continue
        joints = {
            joint for square in squares for joint in find_joints(puzzle.board, square, puzzle.board[square].terrain)
        }
        if joints.difference(squares):
            isolated_squares += squares
        else:
            text = f"the domino on {join_names(squares)} touches neither the castle nor its own terrain"
            yield Problem(squares, text, "kingdomino/connection", is_rule_breach=True)
    if isolated_squares:
        text = f"in no order can the dominoes on {join_names(isolated_squares)} have been laid"
        yield Problem(tuple(sorted(isolated_squares)), text, "kingdomino/connection", is_rule_breach=True)


def find_placements(board: Board, domino: Face, *, side: int) -> tuple[Placement, ...]:
    """Return where a domino may be laid in a kingdom of at most `side` rows and columns, row by row.

    If its halves are equal, each pair of squares is listed once. Clauses: kingdomino/connection, kingdomino/grid,
    kingdomino/discard, kingdomino/must-lay.
    """
    top, left, bottom, right = board.bounds
    rows, cols = range(bottom - side + 1, top + side), range(left - side + 1, right + side)
    placements = []
    squares = (Square(row, col) for row in rows for col in cols)
    for first, second in ((square, other) for square in squares for other in square.list_neighbours()):
        height = max(bottom, first.row, second.row) - min(top, first.row, second.row)
        width = max(right, first.col, second.col) - min(left, first.col, second.col)
        is_repeated = domino[0] == domino[1] and second < first
        is_free = first not in board and second not in board
        if is_free and not is_repeated and max(height, width) < side:
            halves = zip((first, second), domino, strict=True)
            joints = {joint for square, cell in halves for joint in find_joints(board, square, cell.terrain)}
            other_unknown = board.unknown.difference((first, second))
            if joints or not other_unknown.isdisjoint((*first.list_neighbours(), *second.list_neighbours())):
                is_certain = other_unknown == board.unknown
                placements.append(Placement(first, second, tuple(sorted(joints)) if is_certain else ()))
    return tuple(placements)


def find_joints(board: Board, square: Square, terrain: Terrain) -> list[Square]:
    """Return the squares beside a square that this terrain may be laid against (kingdomino/connection)."""
    terrains = (terrain, Terrain.CASTLE)
    return [other for other in square.list_neighbours() if other in board and board[other].terrain in terrains]


def describe_square(square: Square) -> str:
    """Return the name of a square, or where it lies if the board has no name for it, such as "left of A2"."""
    max_index = MAX_BOARD_SIDE - 1
    anchor = Square(min(max(square.row, 0), max_index), min(max(square.col, 0), max_index))
    rows, cols = square.row - anchor.row, square.col - anchor.col
    steps = [(-rows, "above"), (rows, "below"), (-cols, "left of"), (cols, "right of")]
    words = [f"{count} {direction}" if count > 1 else direction for count, direction in steps if count > 0]
    return f"{' and '.join(words)} {anchor.name}" if words else anchor.name


def move_names(text: str, rows: int, cols: int) -> str:
    """Return a text with the names of squares that lie so many rows and columns further on."""

    def move_name(match: re.Match[str]) -> str:
        square = Square.parse(match[0])
        return describe_square(Square(square.row + rows, square.col + cols))

    return re.sub(r"\b[A-Z]([1-9]|1[0-9]|2[0-6])\b", move_name, text)


def join_names(squares: Sequence[Square]) -> str:
    """Return the squares' names as one phrase, at most eight of them in full."""
    names = [square.name for square in squares[:8]]
    return join_words(names) if len(squares) <= 8 else f"{', '.join(names)} and {len(squares) - 8} more"
