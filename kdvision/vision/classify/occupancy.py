"""Occupancy: the log-odds that a cell shows a tile, from the cell network, the detector and the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import logit

from kdvision.vision.classify.background import Background
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import Floats
from kdvision.vision.networks.cells import CellPredictions


def compute_tile_features(predictions: CellPredictions, grid: Grid, background: Background) -> Floats:
    """Return the evidence for a tile on each cell (n, 3): cell network, detector, colour.

    The first two are log-odds, the detector's bounded by `min_score`. The third is the logarithm of the colour distance
    to the background (CIE L*a*b*), NaN if it is unknown or the cell is saturated: colours hardly differ below `similar`
    and do altogether beyond `different`. Cells that both networks call empty are background samples.
    """
    min_score, similar, different = 0.05, 4.0, 60.0
    score = np.zeros(grid.rows * grid.cols) if grid.evidence is None else grid.evidence.reshape(-1)
    detector = logit((score + min_score) / (1 + 2 * min_score))
    empty = (predictions.presence + detector <= 0).reshape(grid.rows, grid.cols)
    distance = np.where(background.is_saturated, np.nan, background.measure_distance(empty))
    colour = np.log1p(np.minimum(distance, different) / similar)
    return np.stack([predictions.presence, detector, colour.reshape(-1)], axis=1)


def compute_tile_log_odds(
    features: Floats, metadata: Mapping[str, Sequence[float]], *, use_colour: bool = True
) -> Floats:
    """Return the log-odds (n,) of a tile from features (n, 3) by logistic regressions fitted on held-out scenes.

    The model's metadata holds the weights: `tile_weights` (cell network, detector, colour, constant), and
    `tile_weights_without_colour` for cells whose colour is unknown. Without them the cell network decides alone.
    """
    cells, detector, constant = metadata.get("tile_weights_without_colour", (1.0, 0.0, 0.0))
    colourless = cells * features[:, 0] + detector * features[:, 1] + constant
    if "tile_weights" not in metadata or not use_colour:
        return np.asarray(colourless)
    *weights, constant = metadata["tile_weights"]
    return np.asarray(np.where(np.isnan(features[:, 2]), colourless, features @ np.array(weights) + constant))
