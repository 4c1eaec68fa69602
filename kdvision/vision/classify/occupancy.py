"""Occupancy: whether a tile, the bare table or another object lies on a cell, from both networks and the background."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import expit, logit

from kdvision.vision.classify.background import Background, compute_colour_distance
from kdvision.vision.classify.probabilities import compute_log_odds
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import Floats, Mask
from kdvision.vision.networks.cells import CellPredictions


def compute_tile_features(predictions: CellPredictions, grid: Grid, background: Background) -> Floats:
    """Return the evidence for a tile on each cell (n, 3): cell network, detector, colour.

    The first two are log-odds, the detector's bounded by `min_score`. The third is the logarithm of the colour distance
    to the background (CIE L*a*b*), NaN if it is unknown or the cell is saturated: colours hardly differ below `similar`
    and differ completely beyond `different`. Cells that both networks call empty are background samples.
    """
    min_score, similar, different = 0.05, 4.0, 60.0
    score = np.zeros(grid.rows * grid.cols) if grid.scores is None else grid.scores.reshape(-1)
    detector = logit((score + min_score) / (1 + 2 * min_score))
    empty = (predictions.presence + detector <= 0).reshape(grid.rows, grid.cols)
    is_saturated = background.cells[..., 0] > 99.0  # white, because a mirrored lamp has erased the colour
    distance = np.where(is_saturated, np.nan, background.measure_distance(empty))
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
    colourless_log_odds = cells * features[:, 0] + detector * features[:, 1] + constant
    if "tile_weights" not in metadata or not use_colour:
        return np.asarray(colourless_log_odds)
    *weights, constant = metadata["tile_weights"]
    return np.asarray(np.where(np.isnan(features[:, 2]), colourless_log_odds, features @ np.array(weights) + constant))


def find_foreign_objects(background: Background, features: Floats, log_odds: Floats) -> Mask:
    """Return which cells (rows, cols) show neither the background nor, with 90 % certainty, a tile.

    One of the two networks sees no tile in the `features` (n, 3), and the `log_odds` (n,) without colour are not high.
    Plain wheat and water show little, but both networks call them tiles.
    """
    is_doubtful = (log_odds <= np.log(0.9 / 0.1)) & (features[:, :2].min(axis=1) <= 0)
    shape = background.cells.shape[:2]
    return np.asarray(find_unlike_background(background, (log_odds <= 0).reshape(shape)) & is_doubtful.reshape(shape))


def find_unlike_background(background: Background, empty: Mask) -> Mask:
    """Return which cells (rows, cols) show a tile or another object instead of the background.

    Patterned cloths have about two colours, so less than a third of the `empty` cells share the colour of such a cell.
    """
    min_distance = 8.0  # CIE L*a*b*, L* weighted
    is_unusual = compute_colour_distance(background.cells, background.cells[empty], 3) > min_distance
    return np.asarray(is_unusual & (background.measure_distance(empty) > min_distance))


def compute_occlusion_features(predictions: CellPredictions, features: Floats) -> Floats:
    """Return the evidence (n, 6) that something hides a tile on each cell.

    The tile features (n, 3) with an unknown colour as 0, whether the colour is unknown, the cell network's log-odds of
    an occlusion, and the entropy of the kinds in nats: an object looks like no kind of tile.
    """
    unknown, min_occlusion = np.isnan(features[:, 2]), 1e-4
    entropy = -(np.exp(predictions.kind) * predictions.kind).sum(axis=1)
    colour = np.where(unknown, 0.0, features[:, 2])
    occlusion_log_odds = compute_log_odds(np.clip(predictions.hidden, min_occlusion, 1))
    return np.column_stack([features[:, :2], colour, unknown, occlusion_log_odds, entropy])


def compute_occlusion_probability(features: Floats, metadata: Mapping[str, Sequence[float]]) -> Floats:
    """Return the probability (n,) that something hides a tile, from features (n, 6).

    The logistic regression `occlusion_weights` in the model's metadata was fitted on held-out scenes with objects on
    kingdoms. Without it nothing is hidden.
    """
    if "occlusion_weights" not in metadata:
        return np.zeros(len(features))
    *weights, constant = metadata["occlusion_weights"]
    return np.asarray(expit(features @ np.array(weights) + constant))
