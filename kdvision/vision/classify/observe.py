"""All that the eyes say about one grid, put together for `decide`: reading, and which halves belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from kdvision.vision.classify.background import Background
from kdvision.vision.classify.context import ContextClassifier
from kdvision.vision.classify.kingdom import SEEN, Mask
from kdvision.vision.classify.observation import BorderLogOdds, GridObservation, join_occlusion, split_kingdoms
from kdvision.vision.classify.occlusion import compute_occlusion_features, compute_occlusion_probability, find_covered
from kdvision.vision.classify.pieces import join_gem_evidence
from kdvision.vision.classify.player_colour import load_player_colours
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.classify.truncation import WHOLE, compute_visible_share
from kdvision.vision.detect.grid import Grid
from kdvision.vision.detect.search import search_lattices
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier, CellPredictions, Floats, crop_squares
from kdvision.vision.networks.detector import SquareDetector

CELLS_ALONE: Final = (1.0, 0.0, 0.0)
UNINFORMED: Final = np.log(0.25)
"""The log-probability of each of four partners where nothing is known."""

DOUBTED: Final = float(np.log(0.9 / 0.1))
"""Log-odds of a tile up to which the networks together leave room for another thing: nine in ten."""
NEAR: Final = 4.0
"""Colours less far apart than this (CIE L*a*b*) hardly differ."""
FAR: Final = 60.0
"""Colours this far apart differ altogether."""


def find_kingdoms(
    photo: Photo,
    finder: SquareDetector,
    reader: CellClassifier,
    context: ContextClassifier | None = None,
    *,
    tell: Callable[[str, object], None] = lambda *_: None,
) -> list[GridObservation]:
    """Return what the networks see on every grid they find in a photo; with `context`, kingdoms beside each other.

    `tell` hears of the squares seen in each look, and of the lattices found.
    """
    looks, found = search_lattices(photo, finder)
    tell("squares", looks)
    tell("lattices", found)
    observations = [observe(photo, reader, candidate.grid) for candidate in found.kept]
    kingdoms = split_kingdoms(observations)[0] if context else []
    told = dict(zip(kingdoms, context.read(photo, kingdoms), strict=True)) if context else {}
    return [told.get(observation, observation) for observation in observations]


def observe(photo: Photo, reader: CellClassifier, grid: Grid, *, turns: int = 4) -> GridObservation:
    """Return what the networks see on a grid; places outside the picture show nothing."""
    share, about = compute_visible_share(grid, photo), reader.model.about
    seen = classify_cells(photo, reader, grid, share, turns=turns)
    table = Background.seen(photo, grid)
    said = compute_tile_features(seen, grid, table)
    odds = compute_tile_log_odds(said, about)
    log_probs = join_probabilities(seen, odds)
    centres = grid.middles.reshape(-1, 2)
    outside = ~((centres >= 0) & (centres < (photo.width, photo.height))).all(axis=-1)
    shape = (grid.rows, grid.cols)
    reading = Reading(log_probs.reshape(*shape, -1), reader.kinds).without(outside.reshape(shape))
    tile, whole_place = (odds > 0).reshape(shape), share >= WHOLE
    things = find_foreign_objects(table, said, compute_tile_log_odds(said, about, colour=False)) & tile & whole_place
    under = np.where(
        tile,
        seen.hidden.reshape(shape),
        whole_place * compute_occlusion_probability(compute_occlusion_features(seen, said), about).reshape(shape),
    )
    observation = GridObservation(grid, reading, _bonds(seen, shape), join_occlusion(under, things))
    if observation.castle > SEEN:
        observation = replace(
            observation,
            colour=load_player_colours().colour(crop_squares(photo, grid.quad(observation.castle_place)[None])[0]),
        )
    if reader.pieces:
        gems = join_gem_evidence(seen.gems.reshape(*shape, -1), observation.presence > SEEN)
        observation = replace(observation, pieces=seen.pieces.reshape(*shape, -1), gems=gems, piece_names=reader.pieces)
    if share.min() == 1:
        return observation
    beyond = np.where(outside, 1 / (1 + np.exp(-seen.presence)), 0.0)
    return replace(observation, inside=share, beyond=beyond.reshape(shape))


def classify_cells(
    photo: Photo, reader: CellClassifier, grid: Grid, share: Floats, *, turns: int = 4
) -> CellPredictions:
    """Return what the cell network sees on a grid, of whose places `share` (rows, cols) lies in the picture."""
    bare = None if grid.bare is None else (grid.bare & (share == 1)).reshape(-1)
    return reader.look(photo, grid.quads.reshape(-1, 4, 2), turns=turns, bare=bare)


def compute_tile_features(seen: CellPredictions, grid: Grid, table: Background) -> Floats:
    """Return what speaks for a tile at each place, (n, 3): cell network, finder, colour.

    Log-odds by each of the networks, and the logarithm of how far its colour is from the table's; not a number where
    that is not known, or the light has left nothing of it. Table is what neither network takes for tiles.
    """
    finder = compute_detector_log_odds(grid)
    bare = (seen.presence + finder <= 0).reshape(grid.rows, grid.cols)
    apart = np.where(table.white, np.nan, table.distance(bare))
    away = np.log1p(np.minimum(apart, FAR) / NEAR)
    return np.stack([seen.presence, finder, away.reshape(-1)], axis=1)


def compute_tile_log_odds(said: Floats, about: Mapping[str, Sequence[float]], *, colour: bool = True) -> Floats:
    """Return the log-odds (n,) that there is a tile, of what the witnesses say (n, 3), weighed together.

    The weights are in what the model file says of itself: `tabletop` (cell network, finder, colour, constant), and
    `compute_tile_log_odds`, those without colour, for places of which no colour is known. Both come from logistic regressions on
    held-out scenes; without them the cell network decides alone. `colour` false asks the networks alone everywhere.
    """
    cells, finder, constant = about.get("outline", CELLS_ALONE)
    alone = cells * said[:, 0] + finder * said[:, 1] + constant
    if "tabletop" not in about or not colour:
        return np.asarray(alone)
    *weights, constant = about["tabletop"]
    return np.asarray(np.where(np.isnan(said[:, 2]), alone, said @ np.array(weights) + constant))


def find_foreign_objects(table: Background, said: Floats, alone: Floats) -> Mask:
    """Return which places (rows, cols) show what is not the table, and maybe no tile either.

    Of what the witnesses say (n, 3) one network sees no tile, and together (`alone`, (n,)) they are not sure of one. A
    plain field or water is little to see, but both say tile.
    """
    doubted = (alone <= DOUBTED) & (said[:, :2].min(axis=1) <= 0)
    shape = table.places.shape[:2]
    return np.asarray(find_covered(table, (alone <= 0).reshape(shape)) & doubted.reshape(shape))


def compute_detector_log_odds(grid: Grid) -> Floats:
    """Return the finder's evidence for each place (n,) as log-odds, bounded."""
    share = np.zeros(grid.rows * grid.cols) if grid.evidence is None else grid.evidence.reshape(-1)
    return np.asarray(np.log((share + 0.05) / (1.05 - share)))


def join_probabilities(seen: CellPredictions, odds: Floats) -> Floats:
    """Return log-probabilities (n, kinds), no tile last, from each tile's kind and the log-odds that there is one."""
    return np.concatenate([seen.kind - np.logaddexp(0, -odds)[:, None], -np.logaddexp(0, odds)[:, None]], axis=1)


def _bonds(seen: CellPredictions, shape: tuple[int, int]) -> BorderLogOdds:
    """A domino on two squares explains what both say of their other half; other neighbours explain nothing.

    Both look at the one border between them, so what they say is one thing said twice, and the mean of it counts.
    """
    partner = np.maximum(seen.partner, -4.0).reshape(*shape, 4) - UNINFORMED
    right, down, left, up = (partner[..., k] for k in range(4))
    return (right[:, :-1] + left[:, 1:]) / 2, (down[:-1] + up[1:]) / 2
