"""Where a domino may be laid on a board: beside the castle or its own terrain, on free squares within the side."""

from collections.abc import Iterator
from typing import NamedTuple

from kdvision.game.board import MAX_SIDE, Board, Square, Terrain
from kdvision.game.deck import Face


class Placement(NamedTuple):
    """The squares of a domino's first and second half, and the `joints`: the board's squares that it may lie against.

    The squares count from the board's frame, so rows and columns may be negative. Without joints the domino touches
    unknown squares only, and may lie here if one of them shows its terrain.
    """

    first: Square
    second: Square
    joints: tuple[Square, ...]


def find_placements(board: Board, domino: Face, *, side: int) -> tuple[Placement, ...]:
    """Return where a domino may be laid in a kingdom of at most `side` rows and columns, row by row.

    If its halves are equal, each pair of squares is listed once. Clauses: kingdomino/connection, kingdomino/grid,
    kingdomino/discard, kingdomino/must-lay.
    """
    first_cell, second_cell = domino
    taken = {*board, *board.unknown}
    placements = []
    for first, second in _list_free_pairs(board, side):
        near = {*first.neighbours(), *second.neighbours()}
        joints = {*find_joints(board, first, first_cell.terrain), *find_joints(board, second, second_cell.terrain)}
        is_repeated = first_cell == second_cell and second < first
        if not is_repeated and taken.isdisjoint((first, second)) and (joints or near & board.unknown):
            placements.append(Placement(first, second, tuple(sorted(joints))))
    return tuple(placements)


def find_joints(board: Board, square: Square, terrain: Terrain) -> list[Square]:
    """Return the squares beside a square that this terrain may be laid against (kingdomino/connection)."""
    return [near for near in square.neighbours() if near in board and board[near].terrain in (terrain, Terrain.CASTLE)]


def describe_square(square: Square) -> str:
    """Return the name of a square, or where it lies if the board has no name for it, such as "left of A2"."""
    last = MAX_SIDE - 1
    named = Square(min(max(square.row, 0), last), min(max(square.col, 0), last))
    rows, cols = square.row - named.row, square.col - named.col
    steps = [(-rows, "above"), (rows, "below"), (-cols, "left of"), (cols, "right of")]
    words = [f"{count} {where}" if count > 1 else where for count, where in steps if count > 0]
    return f"{' and '.join(words)} {named.name}" if words else named.name


def _list_free_pairs(board: Board, side: int) -> Iterator[tuple[Square, Square]]:
    """Yield each two neighbouring squares, in both orders, with which the kingdom stays within the side."""
    top, left, bottom, right = board.bounds or (0, 0, 0, 0)
    rows, cols = range(bottom - side + 1, top + side), range(left - side + 1, right + side)
    for first in (Square(row, col) for row in rows for col in cols):
        for second in first.neighbours():
            height = max(bottom, first.row, second.row) - min(top, first.row, second.row)
            width = max(right, first.col, second.col) - min(left, first.col, second.col)
            if max(height, width) < side:
                yield first, second
