"""Territories against an independent oracle: scikit-image's labelling of connected regions of equal value."""

import numpy as np
import pytest
from skimage.measure import label

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.kingdom import to_kingdom

TERRAINS = [terrain for terrain in Terrain if terrain is not Terrain.CASTLE]
NOTHING = -1


@pytest.mark.parametrize("seed", range(40))
def test_territories_are_the_regions_that_scikit_image_labels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    terrain = rng.integers(NOTHING, rng.integers(1, len(TERRAINS)) + 1, rng.integers(1, 8, 2))
    board = Board(
        {Square(int(r), int(c)): Cell(TERRAINS[terrain[r, c]]) for r, c in np.argwhere(terrain != NOTHING)},
        height=terrain.shape[0],
        width=terrain.shape[1],
    )
    regions = label(terrain, background=NOTHING, connectivity=1)
    expected = {frozenset(map(tuple, np.argwhere(regions == n).tolist())) for n in range(1, regions.max() + 1)}
    assert {frozenset(map(tuple, territory.squares)) for territory in to_kingdom(board).territories} == expected
