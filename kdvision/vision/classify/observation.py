"""Everything observed on one grid, before any decision."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import expit

from kdvision.game.board import Square, Terrain
from kdvision.vision.classify.probabilities import NOTHING, ClassProbabilities
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import Floats, Mask, compute_distances
from kdvision.vision.networks.cells import CERTAIN_LOG_ODDS

P_PRESENT: Final = 0.5
"""Probability from which something counts as present."""
P_CONFIDENT: Final = 0.7
"""Probability from which the kind of a cell counts as confident."""
MIN_VISIBLE_SHARE: Final = 0.2
"""Visible share of a cell, with its centre beyond the border, from which its contents can be judged."""

BorderLogOdds = tuple[Floats, Floats]
"""Log-odds that two neighbours are one domino: to the right (rows, cols - 1), downwards (rows - 1, cols)."""
BoundingBox = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""


@dataclass(frozen=True, eq=False)
class GridObservation:
    """What the networks and the background model say about one grid.

    `occlusion` (rows, cols) is the probability that something covers a tile, exactly 1 for an unidentified object.
    `visible_share` (rows, cols) is the part of each cell inside the photo, and `tile_beyond` (rows, cols) the
    probability of a tile on cells whose centre is outside, 0 on others. `pieces` (rows, cols, names) are
    log-probabilities of the pieces `piece_names`, the first of which is none; `gems` (rows + 1, cols + 1) are log-odds
    of a gem on each crossing. `colour` is the player's, read from the most probable castle, "" if unknown.
    """

    grid: Grid
    probabilities: ClassProbabilities
    border_log_odds: BorderLogOdds
    occlusion: Floats
    visible_share: Floats
    tile_beyond: Floats
    pieces: Floats
    gems: Floats
    piece_names: tuple[str, ...]
    colour: str = ""

    @cached_property
    def castle_probability(self) -> Floats:
        """The probability (rows, cols) of a castle."""
        return np.asarray(
            np.exp(self.probabilities.log_probs[..., self.probabilities.kinds.index(Terrain.CASTLE.value)])
        )

    @cached_property
    def max_castle_probability(self) -> float:
        """The probability of the most probable castle."""
        return float(self.castle_probability.max())

    @property
    def castle_cell(self) -> Square:
        """The cell of the most probable castle."""
        return Square(*divmod(int(self.castle_probability.argmax()), self.grid.cols))

    @cached_property
    def tile_probability(self) -> Floats:
        """The probability (rows, cols) of a tile."""
        return np.asarray(1 - np.exp(self.probabilities.log_probs[..., self.probabilities.kinds.index(NOTHING)]))

    @cached_property
    def is_tile(self) -> Mask:
        """Cells (rows, cols) on which a tile is more probable than none."""
        return np.asarray(self.tile_probability > P_PRESENT)

    @cached_property
    def expected_tiles(self) -> float:
        """The expected number of tiles."""
        return float(self.tile_probability.sum())

    @cached_property
    def kind_probability(self) -> Floats:
        """The probability (rows, cols) of the most probable kind of tile."""
        return np.asarray(np.exp(self.probabilities.log_probs[..., :-1]).max(axis=-1))

    @property
    def is_confident(self) -> Mask:
        """Cells (rows, cols) that show a tile of one kind with more than `P_CONFIDENT`."""
        return np.asarray(self.kind_probability > P_CONFIDENT)

    @property
    def is_certain_tile(self) -> Mask:
        """Cells (rows, cols) that certainly show a tile, and probably one kind.

        Other cells are for the decision to weigh.
        """
        return np.asarray((self.tile_probability > expit(CERTAIN_LOG_ODDS)) & (self.kind_probability > P_PRESENT))

    @cached_property
    def is_cut(self) -> bool:
        """True if the border of the photo cuts tiles, or certainly a tile whose centre is beyond it."""
        p_certain = 0.62
        is_partial = (self.visible_share > 0) & (self.visible_share < 1)
        is_tile_beyond = (self.tile_beyond > p_certain)[self.visible_share >= MIN_VISIBLE_SHARE]
        return bool((self.is_tile & is_partial).any() or is_tile_beyond.any())

    @property
    def bounding_box(self) -> BoundingBox:
        """The bounding box of the tiles in the photo; of the grid if there are none."""
        tiles = self.grid.quads[self.is_tile]
        corners = (tiles if len(tiles) else self.grid.quads).reshape(-1, 2)
        (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        return left, top, right, bottom

    def is_beside(self, other: "GridObservation") -> bool:
        """Return True if a confident tile of the other grid lies less than a square away from a tile of this one.

        That is so for centres less than `max_sides` apart.
        """
        max_sides = 1.7
        centres = (self.grid.centres[self.is_tile], other.grid.centres[other.is_confident])
        return bool((compute_distances(*map(self.grid.to_grid_coordinates, centres)) < max_sides).any())
