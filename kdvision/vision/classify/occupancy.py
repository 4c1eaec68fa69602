"""Occupancy: the log-odds that a cell shows a tile, from the cell network, the detector and the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from scipy.special import logit

from kdvision.vision.classify.background import Background
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import Floats
from kdvision.vision.networks.cells import CellPredictions

CELL_NETWORK_ONLY: Final = (1.0, 0.0, 0.0)
"""Weights of cell network, detector and constant for a model without fitted weights."""
SIMILAR_COLOUR_DISTANCE: Final = 4.0
DIFFERENT_COLOUR_DISTANCE: Final = 60.0
"""Colour distances (CIE L*a*b*) at which colours hardly differ, and beyond which they differ altogether."""
_MIN_DETECTOR_SCORE: Final = 0.05


def compute_tile_features(predicted: CellPredictions, grid: Grid, background: Background) -> Floats:
    """Return the evidence for a tile on each cell (n, 3): cell network, detector, colour.

    The first two are log-odds; the third is the logarithm of the colour distance to the background, NaN if it is
    unknown or the cell is saturated. Cells that both networks call empty are background samples.
    """
    detector = compute_detector_log_odds(grid)
    empty = (predicted.presence + detector <= 0).reshape(grid.rows, grid.cols)
    distance = np.where(background.is_saturated, np.nan, background.measure_distance(empty))
    colour = np.log1p(np.minimum(distance, DIFFERENT_COLOUR_DISTANCE) / SIMILAR_COLOUR_DISTANCE)
    return np.stack([predicted.presence, detector, colour.reshape(-1)], axis=1)


def compute_tile_log_odds(
    features: Floats, metadata: Mapping[str, Sequence[float]], *, use_colour: bool = True
) -> Floats:
    """Return the log-odds (n,) of a tile from features (n, 3) by logistic regressions fitted on held-out scenes.

    The model's metadata holds the weights: `tile_weights` (cell network, detector, colour, constant), and
    `tile_weights_without_colour` for cells whose colour is unknown. Without them the cell network decides alone.
    """
    cells, detector, constant = metadata.get("tile_weights_without_colour", CELL_NETWORK_ONLY)
    colourless = cells * features[:, 0] + detector * features[:, 1] + constant
    if "tile_weights" not in metadata or not use_colour:
        return np.asarray(colourless)
    *weights, constant = metadata["tile_weights"]
    return np.asarray(np.where(np.isnan(features[:, 2]), colourless, features @ np.array(weights) + constant))


def compute_detector_log_odds(grid: Grid) -> Floats:
    """Return the detector's score of each cell (n,) as bounded log-odds."""
    score = np.zeros(grid.rows * grid.cols) if grid.evidence is None else grid.evidence.reshape(-1)
    return np.asarray(logit((score + _MIN_DETECTOR_SCORE) / (1 + 2 * _MIN_DETECTOR_SCORE)))


def join_probabilities(predicted: CellPredictions, log_odds: Floats) -> Floats:
    """Return log-probabilities (n, kinds), no tile last, from the kinds of tiles and the log-odds (n,) of a tile."""
    tile, no_tile = -np.logaddexp(0, -log_odds)[:, None], -np.logaddexp(0, log_odds)[:, None]
    return np.concatenate([predicted.kind + tile, no_tile], axis=1)
