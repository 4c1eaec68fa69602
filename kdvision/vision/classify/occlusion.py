"""Occlusion: foreign objects on tiles, and the probability that something hides a tile on an empty-looking cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from scipy.special import expit

from kdvision.vision.classify.background import Background, compute_colour_distance
from kdvision.vision.classify.probabilities import compute_log_odds
from kdvision.vision.geometry import Floats, Mask
from kdvision.vision.networks.cells import CellPredictions

SIMILAR_FRACTION: Final = 3
"""1/3 of the empty cells must share a colour before it counts as background; patterned cloths have about two."""
MIN_COLOUR_DISTANCE: Final = 8.0
"""Colour distance (CIE L*a*b*, L* weighted) from which a cell does not show the background."""
MIN_OCCLUSION: Final = 1e-4
"""Floor on the cell network's occlusion probability."""


def find_foreign_objects(background: Background, features: Floats, log_odds: Floats) -> Mask:
    """Return which cells (rows, cols) show neither the background nor, for 90 % certain, a tile.

    One of the two networks sees no tile in the `features` (n, 3), and the `log_odds` (n,) without colour are not high.
    Plain wheat and water show little, but both networks call them tiles.
    """
    is_doubtful = (log_odds <= np.log(0.9 / 0.1)) & (features[:, :2].min(axis=1) <= 0)
    shape = background.cells.shape[:2]
    return np.asarray(find_covered(background, (log_odds <= 0).reshape(shape)) & is_doubtful.reshape(shape))


def find_covered(background: Background, empty: Mask) -> Mask:
    """Return which cells (rows, cols) show a tile or another object instead of the background."""
    differs = find_unusual_colours(background.cells, empty)
    return np.asarray(differs & (background.measure_distance(empty) > MIN_COLOUR_DISTANCE))


def find_unusual_colours(colours: Floats, empty: Mask) -> Mask:
    """Return which cells (rows, cols) have colours (rows, cols, 3) unlike those of most `empty` cells."""
    distance = compute_colour_distance(colours.reshape(-1, 3), colours[empty], SIMILAR_FRACTION)
    return np.asarray(distance.reshape(empty.shape) > MIN_COLOUR_DISTANCE)


def compute_occlusion_features(predictions: CellPredictions, features: Floats) -> Floats:
    """Return the evidence (n, 6) that something hides a tile on each cell.

    The tile features (n, 3) with an unknown colour as 0, whether the colour is unknown, the cell network's log-odds of
    an occlusion, and the entropy of the kinds in nats: an object looks like no kind of tile.
    """
    unknown = np.isnan(features[:, 2])
    entropy = -(np.exp(predictions.kind) * predictions.kind).sum(axis=1)
    colour = np.where(unknown, 0.0, features[:, 2])
    occlusion_log_odds = compute_log_odds(np.clip(predictions.hidden, MIN_OCCLUSION, 1))
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


def join_occlusion(occlusion: Floats, foreign_objects: Mask) -> Floats:
    """Return the occlusion probability (rows, cols), exactly 1 for foreign objects and at most 0.99 elsewhere."""
    return np.where(foreign_objects, 1.0, np.minimum(occlusion, 0.99))
