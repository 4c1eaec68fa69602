"""Cells beside a board on which it could go on within the frame of a game."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kdvision.game.board import Square
from kdvision.game.rules import SIDES


def find_neighbours(board: Collection[Square], rows: int, cols: int) -> list[Square]:
    """Return the cells of a grid that touch the board's squares and are none of them, in order."""
    around = {near for square in board for near in square.neighbours()} - set(board)
    return sorted(cell for cell in around if 0 <= cell.row < rows and 0 <= cell.col < cols)


def can_grow(board: Collection[Square], cell: Square) -> bool:
    """Return True if a tile on a cell beside the board would leave it in the frame of a game.

    The game is the smallest that allows the board (kingdomino/mighty-duel): a board as wide as that allows has no
    further column, and one as high no further row.
    """
    spans = [(min(lines), max(lines)) for lines in ([s.row for s in board], [s.col for s in board])]
    longest = max(last - first + 1 for first, last in spans)
    side = min((side for side in SIDES if side >= longest), default=longest)
    outside = [not first <= index <= last for (first, last), index in zip(spans, (cell.row, cell.col), strict=True)]
    return not any(out and last - first + 1 >= side for out, (first, last) in zip(outside, spans, strict=True))


def iterate_domino_places(board: Collection[Square], rows: int, cols: int) -> Iterator[tuple[Square, Square]]:
    """Yield the cells on which one more domino could lie: one beside the board, and one beside that."""
    for cell in find_neighbours(board, rows, cols):
        if can_grow(board, cell):
            grown = {*board, cell}
            for other in find_neighbours([cell], rows, cols):
                if other not in grown and can_grow(grown, other):
                    yield cell, other
