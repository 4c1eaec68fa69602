"""Truncation: tiles that the border of the photo cuts off, and kingdoms that go on beyond it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.vision.classify.growth import can_grow, find_neighbours
from kdvision.vision.classify.observation import MIN_VISIBLE_SHARE
from kdvision.vision.classify.observe import MIN_WHOLE_SHARE
from kdvision.vision.geometry import Floats

P_TILE_BEYOND_REVIEW: Final = 0.3
"""Probability of a tile beyond the border from which a person should look; partial tiles look less like tiles."""
MAX_UNRELIABLE_SHARE: Final = 0.3
"""Visible share of a cell below which most tiles look like none."""
MIN_HALF_VISIBLE_SHARE: Final = 0.5
"""Visible share of a cell below which it may hold the other half of a domino inside the photo."""
MIN_TILE_PROBABILITY: Final = 0.1
"""Border cells below this are ignored; empty tables reach it occasionally."""


def find_truncation(board: Collection[Square], visible_share: Floats, tile_beyond: Floats) -> tuple[Problem, ...]:
    """Return the warning about the border of the photo, if any.

    `visible_share` (rows, cols) is the part of each cell in the photo, `tile_beyond` (rows, cols) the probability of a
    tile on cells whose centre is outside.
    """
    neighbours = find_neighbours(board, *visible_share.shape)
    if any(
        visible_share[cell] >= MIN_VISIBLE_SHARE and tile_beyond[cell] > P_TILE_BEYOND_REVIEW for cell in neighbours
    ):
        return (Problem((), "the kingdom goes on beyond the picture's edge", warning="beyond"),)
    cut = tuple(sorted(square for square in board if visible_share[square] < MIN_WHOLE_SHARE))
    if cut:
        return (Problem(cut, "the picture's edge cuts tiles of this kingdom", warning="cut"),)
    if any(visible_share[cell] < MAX_UNRELIABLE_SHARE and can_grow(board, cell) for cell in neighbours):
        text = "the picture ends beside this kingdom: a tile beyond its edge would not be seen"
        return (Problem((), text, warning="ends"),)
    return ()


def compute_completeness(
    board: Collection[Square], tile_probability: Floats, visible_share: Floats | None = None
) -> float:
    """Return the probability that no domino straddles the border of the grid or of the photo.

    Such boards are not in the search space of the decision, so this factor accounts for them. `tile_probability` and
    `visible_share` are (rows, cols); None if all cells are visible.
    """
    rows, cols = tile_probability.shape
    invisible = np.zeros((rows, cols), bool) if visible_share is None else visible_share < MIN_HALF_VISIBLE_SHARE
    padded = np.pad(invisible, 1, constant_values=True)
    rim = [
        cell
        for cell in find_neighbours(board, rows, cols)
        if any(padded[cell.row + 1 + down, cell.col + 1 + right] for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)))
    ]
    probabilities = [tile_probability[cell] for cell in rim]
    risks = [
        p for p, cell in zip(probabilities, rim, strict=True) if p > MIN_TILE_PROBABILITY and can_grow(board, cell)
    ]
    return float(np.prod([1 - p for p in risks]))
