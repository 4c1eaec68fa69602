"""Weights that combine the evidence for a tile in a cell, and for a tile that something hides.

Both are logistic regressions on calibration scenes. `kdvision.vision.classify` reads them from cells.onnx.
"""

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from kdvision.lab.arrays import Floats
from kdvision.lab.calibrate.scenes import find_truth, render_scene
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.assess.missing import can_grow, find_neighbours
from kdvision.vision.classify.background import Background
from kdvision.vision.classify.observe import MIN_WHOLE_SHARE, classify_cells, compute_visible_share
from kdvision.vision.classify.occupancy import (
    compute_occlusion_features,
    compute_occlusion_probability,
    compute_tile_features,
    compute_tile_log_odds,
)
from kdvision.vision.detect.grid import build_grid
from kdvision.vision.detect.search import search_lattices, suppress_overlapping
from kdvision.vision.find import Networks, decide_boards, find_kingdoms
from kdvision.vision.image.photo import Photo

HIDDEN_TILE_COST: Final = 8.0
"""A hidden tile that is not reported costs as much as this many needless warnings."""
RIDGE: Final = 1e-6
"""Weight of the squared coefficients beside the mean log loss."""


def collect_tile_evidence(data: Path, seed: int) -> Floats:
    """Return for every cell of one scene's grids (n, 4): log-odds of both networks, colour distance, 1 for a tile."""
    picture = render_scene(data, seed)
    photo, networks = Photo.open(picture.photo), Networks.load()
    evidence = [np.zeros((0, 4))]
    for grid in map(build_grid, suppress_overlapping(search_lattices(photo, networks.detector)[1])):
        kinds, kingdom = find_truth(grid, picture)
        if kingdom is None:
            continue
        quads = grid.quads.reshape(-1, 4, 2)
        predictions = networks.classifier.classify(photo, quads)
        features = compute_tile_features(predictions, grid, Background.sample(photo, grid))
        centres, is_known = quads.mean(1), np.array(kinds) != "?"
        is_known &= ((centres > 0) & (centres < (photo.width, photo.height))).all(-1)
        evidence.append(np.column_stack([features, np.array(kinds) != "."])[is_known])
    return np.concatenate(evidence)


def collect_occlusion_evidence(data: Path, seed: int) -> Floats:
    """Return for the empty cells beside the boards of one scene (n, 7) the occlusion features, and 1 for a tile.

    Only cells count on which the board could grow and on which no tile of another kingdom lies.
    """
    picture = render_scene(data, seed, occluders=True)
    photo, networks = Photo.open(picture.photo), Networks.load()
    observations = split_kingdoms(find_kingdoms(photo, networks))[0]
    evidence = [np.zeros((0, 7))]
    for observation, decision in zip(observations, decide_boards(observations, Calibration())[1], strict=True):
        grid, share = observation.grid, compute_visible_share(observation.grid, photo)
        kinds, kingdom = find_truth(grid, picture)
        if kingdom is None:
            continue
        predictions = classify_cells(photo, networks.classifier, grid, share)
        tile_features = compute_tile_features(predictions, grid, Background.sample(photo, grid))
        features = compute_occlusion_features(predictions, tile_features)
        cells = [
            index
            for square in find_neighbours(decision.board, grid.rows, grid.cols)
            if kinds[index := square.row * grid.cols + square.col] != "?"
            and share[square] >= MIN_WHOLE_SHARE
            and can_grow(decision.board, square)
        ]
        evidence.append(np.column_stack([features, np.array(kinds) != "."])[cells])
    return np.concatenate(evidence)


def fit_tile_weights(cells: Floats) -> dict[str, object]:
    """Return the metadata `tile_weights_without_colour` and `tile_weights`, which `compute_tile_log_odds` reads.

    `tile_errors` holds the error rates of the cell network alone, of both networks, and with the colour.
    """
    features, is_tile = cells[:, :-1], cells[:, -1] > 0
    has_colour = ~np.isnan(features[:, 2])
    network_weights = {"tile_weights_without_colour": fit_logistic(features[:, :2], is_tile)}
    weights = {**network_weights, "tile_weights": fit_logistic(features[has_colour], is_tile[has_colour])}
    log_odds = {
        "cells": features[:, 0],
        "both": compute_tile_log_odds(features, network_weights),
        "all": compute_tile_log_odds(features, weights),
    }
    return {**weights, "tile_errors": {name: float(((x > 0) != is_tile).mean()) for name, x in log_odds.items()}}


def fit_occlusion_weights(cells: Floats) -> dict[str, object]:
    """Return the metadata `occlusion_weights`: the weights that `compute_occlusion_probability` reads.

    `occlusion_rates` holds the number of cells, the share of hidden tiles detected, and the share of false alarms.
    """
    features, is_tile = cells[:, :-1], cells[:, -1] > 0
    weights = fit_logistic(features, is_tile, tile_weight=HIDDEN_TILE_COST)
    is_detected = compute_occlusion_probability(features, {"occlusion_weights": weights}) > 0.5
    rates = {
        "places": len(cells),
        "hidden": float(is_detected[is_tile].mean()),
        "others": float(is_detected[~is_tile].mean()),
    }
    return {"occlusion_weights": weights, "occlusion_rates": rates}


def fit_logistic(features: Floats, is_tile: npt.NDArray[np.bool_], *, tile_weight: float = 1.0) -> list[float]:
    """Return the coefficients of a logistic regression, the constant last, rounded to four digits."""
    design = np.column_stack([features, np.ones(len(features))])
    model = LogisticRegression(C=1 / (2 * RIDGE * len(design)), fit_intercept=False, tol=1e-8, max_iter=1000)
    model.fit(design, is_tile, sample_weight=np.where(is_tile, tile_weight, 1.0))
    return [round(float(weight), 4) for weight in model.coef_[0]]
