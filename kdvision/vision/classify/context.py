"""The context network: the terrain of each tile, given all other tiles of the photo.

All tiles of a photo lie in one light and come from one box, so that a yellow that may be wheat or dry grass is resolved
by confident squares. The network is a set transformer without positions: where tiles lie is left to the deck.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Self

import cv2
import numpy as np

from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.geometry import Floats, Ints
from kdvision.vision.image.photo import Photo
from kdvision.vision.image.srgb import Pixels
from kdvision.vision.networks.cells import CROP_PIXELS, SQUARE_PIXELS, crop_squares
from kdvision.vision.networks.onnx import Model


class TileFeatures(NamedTuple):
    """The context network's inputs for the tiles of one kingdom.

    `cells` (n,) are their positions on the grid, row by row. `log_probs` (n, kinds) of the kinds that the network knows
    sum to 1; `total` (n, 1) is the log-probability of these kinds together. `colours` (n, 6) are mean and standard
    deviation of the square's pixels in 8-bit CIE L*a*b*.
    """

    cells: Ints
    log_probs: Floats
    total: Floats
    colours: Floats

    @classmethod
    def of(cls, photo: Photo, observation: GridObservation, kinds: Sequence[str]) -> Self:
        """Return the features of an observation's tiles for these kinds."""
        cells = np.flatnonzero(observation.is_tile.reshape(-1))
        log_probs = observation.probabilities.log_probs.reshape(-1, len(observation.probabilities.kinds))[cells]
        log_probs = log_probs[:, [observation.probabilities.kinds.index(kind) for kind in kinds]]
        total = np.logaddexp.reduce(log_probs, axis=1, keepdims=True)
        colours = measure_colours(crop_squares(photo, observation.grid.quads.reshape(-1, 4, 2)[cells]))
        return cls(cells, log_probs - total, total, colours)

    def update(self, observation: GridObservation, kinds: Sequence[str], log_probs: Floats) -> GridObservation:
        """Return the observation with new log-probabilities (n, kinds) of its tiles; other kinds keep theirs."""
        grid_log_probs = observation.probabilities.log_probs.copy()
        columns = np.array([observation.probabilities.kinds.index(kind) for kind in kinds])
        grid_log_probs.reshape(-1, grid_log_probs.shape[-1])[self.cells[:, None], columns] = log_probs + self.total
        return replace(observation, probabilities=ClassProbabilities(grid_log_probs, observation.probabilities.kinds))


class ContextClassifier:
    """The context network; its metadata names the kinds that it knows."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kinds: tuple[str, ...] = tuple(model.metadata["kinds"])

    def classify(self, photo: Photo, observations: Sequence[GridObservation]) -> list[GridObservation]:
        """Return the observations of one photo with the terrain of all tiles classified together."""
        tiles = [TileFeatures.of(photo, observation, self.kinds) for observation in observations]
        if not any(len(features.cells) for features in tiles):
            return list(observations)
        tile_log_probs = self.model.run_inputs(
            log_probs=np.concatenate([features.log_probs for features in tiles]).astype(np.float32),
            colours=np.concatenate([features.colours for features in tiles]).astype(np.float32),
        ).astype(np.float64)
        tile_log_probs -= np.logaddexp.reduce(tile_log_probs, axis=1, keepdims=True)  # the network works in float32
        kingdom_log_probs = np.split(tile_log_probs, np.cumsum([len(features.cells) for features in tiles])[:-1])
        kingdoms = zip(observations, tiles, kingdom_log_probs, strict=True)
        return [features.update(observation, self.kinds, log_probs) for observation, features, log_probs in kingdoms]


def measure_colours(crops: Pixels) -> Floats:
    """Return mean and standard deviation (n, 6) of L*, a* and b* in the squares of crops (n, 64, 64, 3)."""
    colours, margin = np.empty((len(crops), 6)), (CROP_PIXELS - SQUARE_PIXELS) // 2
    for row, crop in zip(colours, crops, strict=True):
        lab = cv2.cvtColor(np.ascontiguousarray(crop[margin:-margin, margin:-margin]), cv2.COLOR_RGB2LAB)
        row[:] = np.concatenate(cv2.meanStdDev(lab))[:, 0]
    return colours
