"""Tiles that may be missing from a decided board: hidden by an object, or cut off by the border of the photo."""

from collections.abc import Collection, Iterator

import numpy as np
from scipy import ndimage

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.game.rules import SIDES
from kdvision.vision.classify.observation import MIN_VISIBLE_SHARE
from kdvision.vision.classify.observe import MIN_WHOLE_SHARE
from kdvision.vision.classify.probabilities import compute_log_odds
from kdvision.vision.geometry import Floats, Mask


def find_neighbours(board: Collection[Square], rows: int, cols: int) -> list[Square]:
    """Return the cells of a grid that touch the board's squares and are none of them, in order."""
    neighbours = {cell for square in board for cell in square.list_neighbours()} - set(board)
    return sorted(cell for cell in neighbours if 0 <= cell.row < rows and 0 <= cell.col < cols)


def can_grow(board: Collection[Square], cell: Square, side: int | None = None) -> bool:
    """Return True if a tile on a cell beside the board would leave it in the frame of a game.

    The game has the `side` that a person named, or is the smallest that allows the board (kingdomino/mighty-duel).
    """
    longest_side, grown_side = (
        max(max(lines) - min(lines) + 1 for lines in zip(*squares, strict=True)) for squares in (board, [*board, cell])
    )
    game_side = min((size for size in SIDES if size >= max(longest_side, side or 0)), default=longest_side)
    return bool(grown_side <= game_side)


def iterate_domino_places(
    board: Collection[Square], shape: tuple[int, ...], side: int | None = None
) -> Iterator[tuple[Square, Square]]:
    """Yield the cells on which one more domino could lie: one beside the board, and one beside that."""
    for cell in find_neighbours(board, *shape):
        if can_grow(board, cell, side):
            grown_board = {*board, cell}
            for other in find_neighbours([cell], *shape):
                if other not in grown_board and can_grow(grown_board, other, side):
                    yield cell, other


def find_hidden_squares(board: Collection[Square], is_covered: Mask, side: int | None = None) -> list[Square]:
    """Return the cells beside a board that are covered (rows, cols) together with a neighbour, enough for a domino."""
    pairs = iterate_domino_places(board, is_covered.shape, side)
    return list(dict.fromkeys(cell for cell, other in pairs if is_covered[cell] and is_covered[other]))


def compute_hidden_evidence(board: Collection[Square], occlusion: Floats, side: int | None = None) -> float:
    """Return the strongest evidence for a domino hidden beside the board, 0 for none.

    That is the log-odds above `no_evidence`, one cell in 55, of the less occluded one of two cells; `occlusion`
    (rows, cols) are probabilities.
    """
    no_evidence, max_occlusion = -4.0, 1 - 1e-4
    log_odds = compute_log_odds(np.minimum(occlusion, max_occlusion))
    pairs = iterate_domino_places(board, occlusion.shape, side)
    evidence = (float(min(log_odds[cell], log_odds[other])) for cell, other in pairs)
    return max([no_evidence, *evidence]) - no_evidence


def find_truncation(
    board: Collection[Square], visible_share: Floats, tile_beyond: Floats, side: int | None = None
) -> tuple[Problem, ...]:
    """Return the warning about the border of the photo, if any.

    `visible_share` (rows, cols) is the part of each cell in the photo, `tile_beyond` (rows, cols) the probability of a
    tile on cells whose centre is outside. Partial tiles look less like tiles, and most below `unreliable_share` of a
    cell like none.
    """
    p_review, unreliable_share = 0.3, 0.3
    neighbours = find_neighbours(board, *visible_share.shape)
    if any(visible_share[cell] >= MIN_VISIBLE_SHARE and tile_beyond[cell] > p_review for cell in neighbours):
        return (Problem((), "the kingdom goes on beyond the picture's edge: take all of it", warning="beyond"),)
    if cut_tiles := tuple(sorted(square for square in board if visible_share[square] < MIN_WHOLE_SHARE)):
        return (Problem(cut_tiles, "the picture's edge cuts tiles of this kingdom: take all of it", warning="cut"),)
    if any(visible_share[cell] < unreliable_share and can_grow(board, cell, side) for cell in neighbours):
        text = "the picture ends beside this kingdom: see that no tile lies beyond its edge"
        return (Problem((), text, warning="ends"),)
    return ()


def compute_completeness(
    board: Collection[Square], tile_probability: Floats, visible_share: Floats, side: int | None = None
) -> float:
    """Return the probability that no domino straddles the border of the grid or of the photo.

    Such boards are not in the search space of the decision, so this factor accounts for them. `tile_probability` and
    `visible_share` are (rows, cols). A cell of which less than half is visible may hold the other half of a domino;
    empty tables reach `min_probability` occasionally.
    """
    min_probability, rows, cols = 0.1, *tile_probability.shape
    structure = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    is_rim = ndimage.binary_dilation(np.pad(visible_share < 0.5, 1, constant_values=True), structure)[1:-1, 1:-1]
    rim_cells = [cell for cell in find_neighbours(board, rows, cols) if is_rim[cell] and can_grow(board, cell, side)]
    return float(np.prod([1 - p for p in (tile_probability[cell] for cell in rim_cells) if p > min_probability]))
