"""Copies and pictures of kingdoms, because a screen, a mirror or a print lies on the table.

No box can lay the same kingdom twice, so one that shows the tiles of another is no kingdom of its own. A copy with
further tiles is left as a kingdom, and contradicts the other one: something may cover these tiles on the table. All
real tiles have one size, so a kingdom may be a picture if tiles elsewhere are much larger.

`multiview.register.align` compares two photos of one kingdom at every shift. Here the castles give the shift, a copy
may be mirrored, and its crowns may be too small to count, so terrains are compared once per turn.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from kdvision.vision.classify.observation import P_PRESENT, GridObservation
from kdvision.vision.geometry import Floats, Ints, compute_side_lengths


def find_copies(observations: Sequence[GridObservation]) -> list[tuple[GridObservation, GridObservation]]:
    """Return the pairs of a copy and the larger grid that shows the same kingdom."""
    with_castle = [observation for observation in observations if observation.max_castle_probability > P_PRESENT]
    pairs = (sorted(pair, key=lambda kingdom: kingdom.grid.side_pixels) for pair in combinations(with_castle, 2))
    return [(smaller, larger) for smaller, larger in pairs if is_copy(smaller, larger)]


def is_copy(copy: GridObservation, original: GridObservation) -> bool:
    """Return True if the terrains around the castle are those of the original, turned or mirrored, and no others.

    Fewer common tiles than `min_tiles` beside the castle may agree by chance.
    """
    min_tiles, min_share = 6, 0.75
    reach = max(*copy.is_tile.shape, *original.is_tile.shape)
    copy_terrains, original_terrains = (_list_terrains(observation, reach) for observation in (copy, original))

    def count_common(view: Ints) -> int:
        return int(((view == original_terrains) & (view > 0)).sum())

    views = [np.rot90(view, turn) for view in (copy_terrains, copy_terrains[:, ::-1]) for turn in range(4)]
    view = max(views, key=count_common)
    has_more = bool(((view > 0) & (original_terrains == 0)).any())
    return not has_more and count_common(view) >= max(min_tiles, min_share * np.count_nonzero(view))


def may_be_picture(observation: GridObservation, observations: Sequence[GridObservation]) -> bool:
    """Return True if the tiles of another grid are much larger, in the photo and in the plane of this grid.

    Perspective enlarges near tiles in the photo only. An inaccurate plane enlarges far tiles in the plane only. Fewer
    detections than `min_tiles` may be no tiles.
    """
    min_tiles, min_size_ratio = 5, 1.5

    def compare_sizes(quads: Floats) -> float:
        in_plane = observation.grid.to_grid_coordinates(quads.reshape(-1, 2)).reshape(quads.shape)
        sides = (compute_side_lengths(quads) / observation.grid.side_pixels, compute_side_lengths(in_plane))
        return float(min(np.median(lengths) for lengths in sides))

    tiles = (other.grid.quads[other.is_confident] for other in observations if other is not observation)
    return any(len(quads) >= min_tiles and compare_sizes(quads) > min_size_ratio for quads in tiles)


def _list_terrains(observation: GridObservation, reach: int) -> Ints:
    """Return the terrain of each tile within `reach` cells of the castle as a code; 0 is none or the castle."""
    codes = np.array([ord(kind[0]) for kind in observation.probabilities.kinds])
    terrains = np.where(observation.is_tile, codes[observation.probabilities.log_probs.argmax(axis=-1)], 0)
    row, col = observation.castle_cell
    terrains[row, col] = 0
    return np.pad(terrains, reach)[row : row + 2 * reach + 1, col : col + 2 * reach + 1]
