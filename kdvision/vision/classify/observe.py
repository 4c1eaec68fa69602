"""Observation of a grid: both networks, the background and the heads for pieces, joined into one value."""

from dataclasses import replace
from typing import Final

import numpy as np
from scipy.special import expit

from kdvision.vision.classify.background import Background
from kdvision.vision.classify.observation import P_PRESENT, BorderLogOdds, GridObservation
from kdvision.vision.classify.occupancy import (
    compute_occlusion_features,
    compute_occlusion_probability,
    compute_tile_features,
    compute_tile_log_odds,
    find_foreign_objects,
)
from kdvision.vision.classify.pieces import join_gem_evidence
from kdvision.vision.classify.player_colour import load_colour_classifier
from kdvision.vision.classify.probabilities import NOTHING, ClassProbabilities
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import Floats, sample_quads
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier, CellPredictions, crop_squares

MIN_WHOLE_SHARE: Final = 0.75
"""Visible share from which a cell counts as whole; less may hide crowns. Boards cut flush show more."""


def observe(photo: Photo, classifier: CellClassifier, grid: Grid) -> GridObservation:
    """Return the observation of a grid; cells outside the photo show nothing."""
    share, metadata, shape = compute_visible_share(grid, photo), classifier.model.metadata, (grid.rows, grid.cols)
    predictions = classify_cells(photo, classifier, grid, share)
    background = Background.sample(photo, grid)
    features = compute_tile_features(predictions, grid, background)
    log_odds = compute_tile_log_odds(features, metadata)
    outside = np.asarray(~((grid.centres >= 0) & (grid.centres < (photo.width, photo.height))).all(axis=-1))
    tile, no_tile = -np.logaddexp(0, -log_odds)[:, None], -np.logaddexp(0, log_odds)[:, None]
    log_probs = np.concatenate([predictions.kind + tile, no_tile], axis=1).reshape(*shape, -1)
    reading = ClassProbabilities(log_probs, classifier.kinds).set_kind(outside, NOTHING)
    is_tile, is_whole = (log_odds > 0).reshape(shape), share >= MIN_WHOLE_SHARE
    colourless_log_odds = compute_tile_log_odds(features, metadata, use_colour=False)
    is_foreign = find_foreign_objects(background, features, colourless_log_odds) & is_tile & is_whole
    occlusion_features = compute_occlusion_features(predictions, features)
    hidden_probability = compute_occlusion_probability(occlusion_features, metadata).reshape(shape)
    occlusion = np.where(is_tile, predictions.hidden.reshape(shape), is_whole * hidden_probability)
    occlusion = np.where(is_foreign, 1.0, np.minimum(occlusion, 0.99))  # 1 is an unidentified object
    observation = GridObservation(
        grid=grid,
        probabilities=reading,
        border_log_odds=compute_border_log_odds(predictions, shape),
        occlusion=occlusion,
        visible_share=share,
        tile_beyond=np.where(outside, expit(predictions.presence).reshape(shape), 0.0),
        pieces=predictions.pieces.reshape(*shape, -1),
        gems=join_gem_evidence(predictions.gems.reshape(*shape, -1), is_tile & ~outside),
        piece_names=classifier.pieces,
    )
    if observation.max_castle_probability <= P_PRESENT:
        return observation
    crop = crop_squares(photo, grid.quads[observation.castle_cell][None])[0]
    return replace(observation, colour=load_colour_classifier().classify(crop))


def classify_cells(photo: Photo, classifier: CellClassifier, grid: Grid, share: Floats) -> CellPredictions:
    """Return the predictions for all cells of a grid, of which `share` (rows, cols) is visible."""
    empty = None if grid.is_empty is None else (grid.is_empty & (share == 1)).reshape(-1)
    return classifier.classify(photo, grid.quads.reshape(-1, 4, 2), empty=empty)


def compute_visible_share(grid: Grid, photo: Photo) -> Floats:
    """Return the share (rows, cols) of each cell that lies in the photo."""
    share, size = np.ones((grid.rows, grid.cols)), (photo.width, photo.height)
    is_cut = ~((grid.quads >= 0) & (grid.quads < size)).all(axis=(2, 3))
    if is_cut.any():
        samples_per_side = 12
        points = sample_quads(grid.quads[is_cut], (np.arange(samples_per_side) + 0.5) / samples_per_side)
        share[is_cut] = ((points >= 0) & (points < size)).all(axis=-1).mean(axis=1)
    return share


def compute_border_log_odds(predictions: CellPredictions, shape: tuple[int, int]) -> BorderLogOdds:
    """Return the log-odds that neighbours are one domino, relative to no knowledge.

    Both halves see the one border between them, so that their mean counts, not their sum.
    """
    min_log_probability, uniform = -4.0, float(np.log(1 / 4))
    partner = np.maximum(predictions.partner, min_log_probability).reshape(*shape, 4) - uniform
    right, down, left, up = (partner[..., k] for k in range(4))
    return (right[:, :-1] + left[:, 1:]) / 2, (down[:-1] + up[1:]) / 2
