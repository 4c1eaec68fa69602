"""Fusion of several observations of one kingdom: cells that are covered or glossy in one photo are read in another."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np
from scipy import ndimage
from scipy.special import log_softmax

from kdvision.game.board import Square, Terrain
from kdvision.game.legality import Problem
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.observe import MIN_WHOLE_SHARE
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY, NOTHING, ClassProbabilities
from kdvision.vision.detect.grid import Grid, compute_quads
from kdvision.vision.detect.lattice import Bounds
from kdvision.vision.geometry import Floats, Mask
from kdvision.vision.multiview.register import AlignedView, Alignment

MIN_VIEW_WEIGHT: Final = 0.02
"""Weight of a view of a cell that is covered or outside the photo."""

_View = tuple[GridObservation, Floats]
"""An observation on the fused grid, and how clear each cell (rows, cols) is."""


def fuse(first: GridObservation, other_views: Sequence[AlignedView]) -> tuple[GridObservation, list[Problem]]:
    """Return one observation of a kingdom, as it lies in the first photo, from all its views, and contradictions.

    The log-probabilities are a weighted sum, divided by the root of the total weight, because errors of different
    photos are not independent. Weights are relative to the clearest view of each cell. Borders are weighted by the less
    clear one of their squares. How much is visible comes from the photo that shows most of a cell.
    """
    if not other_views:
        return first, []
    nothing = first.probabilities.kinds.index(NOTHING)
    frame = _find_frame(first, other_views)
    grid = _extend_grid(first.grid, frame)
    aligned_views = [(first, Alignment(0, 0, 0, np.inf, 1.0)), *other_views]
    views = [_arrange_view(observation, alignment, frame, grid) for observation, alignment in aligned_views]
    observations = [observation for observation, _ in views]
    right = [view.border_log_odds[0] * np.minimum(weight[:, 1:], weight[:, :-1]) for view, weight in views]
    down = [view.border_log_odds[1] * np.minimum(weight[1:], weight[:-1]) for view, weight in views]
    share = np.stack([observation.visible_share for observation in observations])
    is_whole_in = share >= MIN_WHOLE_SHARE
    is_cut = ~is_whole_in & is_whole_in.any(axis=0)  # another photo shows the cell whole
    pieces = _average_views(np.where(is_cut[..., None], np.nan, [observation.pieces for observation in observations]))
    is_unseen = (pieces == IMPOSSIBLE_LOG_PROBABILITY).all(axis=2)
    pieces[is_unseen, 0] = 0.0  # nothing stands there
    probabilities = ClassProbabilities(_fuse_log_probs(views, nothing), first.probabilities.kinds)
    tile_beyond = np.stack([observation.tile_beyond for observation in observations])
    fused_observation = replace(
        observations[0],
        probabilities=probabilities,
        border_log_odds=(np.sum(right, axis=0) / np.sqrt(len(views)), np.sum(down, axis=0) / np.sqrt(len(views))),
        occlusion=np.where(is_cut, 1.0, [observation.occlusion for observation in observations]).min(axis=0),
        visible_share=share.max(axis=0),
        tile_beyond=np.take_along_axis(tile_beyond, share.argmax(axis=0)[None], axis=0)[0],
        pieces=log_softmax(pieces, axis=-1),
        gems=_average_views(np.stack([observation.gems for observation in observations])),
        colour=_fuse_colours(observations, probabilities),
    )
    return fused_observation, _describe_contradictions(views, nothing)


def _find_frame(first: GridObservation, other_views: Sequence[AlignedView], *, p_tile: float = 0.3) -> Bounds:
    """Return the rectangle in the first grid's rows and columns that holds this grid and all tiles of other photos.

    A cell with a tile is one where its probability is above `p_tile`.
    """
    places = [(0, 0), (first.probabilities.rows - 1, first.probabilities.cols - 1)]
    for other, alignment in other_views:
        tiles = np.argwhere(np.rot90(other.tile_probability, -alignment.turns) > p_tile)
        places += [(row + alignment.rows, col + alignment.cols) for row, col in tiles.tolist()]
    (top, left), (bottom, right) = np.min(places, axis=0).tolist(), np.max(places, axis=0).tolist()
    return Bounds(left, top, right + 1, bottom + 1)


def _arrange_view(observation: GridObservation, alignment: Alignment, frame: Bounds, grid: Grid) -> _View:
    """Return an observation turned like the first one, cut and padded to a frame; cells outside are uninformative."""
    rows, cols, kinds = np.rot90(observation.probabilities.log_probs, -alignment.turns).shape
    row, col = alignment.rows, alignment.cols
    margins = [(row - frame.top, frame.bottom - row - rows), (col - frame.left, frame.right - col - cols)]

    def place(values: Floats, outside: float) -> Floats:
        turned_values = np.rot90(values, -alignment.turns)
        inside = tuple(
            slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(margins, turned_values.shape, strict=False)
        )
        widths = [(max(a, 0), max(b, 0)) for a, b in margins] + [(0, 0)] * (turned_values.ndim - 2)
        return np.pad(turned_values[inside], widths, constant_values=outside)

    right, down = observation.border_log_odds
    if alignment.turns % 2:
        right, down = down, right
    share, gems = observation.visible_share, observation.gems
    clarity = np.minimum(1 - np.clip(observation.occlusion, 0, 1), share**4)
    view = replace(
        observation,
        grid=grid,
        probabilities=ClassProbabilities(
            place(observation.probabilities.log_probs, -np.log(kinds)), observation.probabilities.kinds
        ),
        border_log_odds=(place(right, 0.0), place(down, 0.0)),
        occlusion=place(observation.occlusion, 1.0),
        visible_share=place(share, 0.0),
        tile_beyond=place(observation.tile_beyond, 0.0),
        pieces=place(observation.pieces, np.nan),
        gems=place(np.where(gems == IMPOSSIBLE_LOG_PROBABILITY, np.nan, gems), np.nan),
    )
    return view, place(np.maximum(clarity, MIN_VIEW_WEIGHT), 0.0)


def _extend_grid(grid: Grid, frame: Bounds) -> Grid:
    """Return the grid with the further rows and columns of a frame, in the same perspective."""
    quads = compute_quads(grid.homography, frame)
    quads[-frame.top : grid.rows - frame.top, -frame.left : grid.cols - frame.left] = grid.quads
    return Grid(quads)


def _fuse_log_probs(views: Sequence[_View], nothing: int) -> Floats:
    """Return the fused log-probabilities (rows, cols, kinds).

    A view that shows nothing counts little where another one is certain of a tile: bare table does not look like a
    tile, but a tile under glare or cloth looks like bare table.
    """
    weight = np.stack([weight for _, weight in views])
    log_probs = np.stack([view.probabilities.log_probs for view, _ in views])
    shows_tile = _is_certain(np.delete(log_probs, nothing, axis=3), weight).any(axis=0)
    weight[(log_probs.argmax(axis=3) == nothing) & shows_tile] = MIN_VIEW_WEIGHT
    best = weight.max(axis=0)
    weight /= np.where(best > 0, best, 1.0)
    total = weight.sum(axis=0)
    fused_log_probs = np.einsum("nij,nijk->ijk", weight, log_probs) / np.sqrt(np.maximum(total, 1.0))[..., None]
    fused_log_probs[total == 0, nothing] = -IMPOSSIBLE_LOG_PROBABILITY  # no photo shows the cell
    return np.asarray(log_softmax(fused_log_probs, axis=-1))


def _fuse_colours(views: Sequence[GridObservation], probabilities: ClassProbabilities) -> str:
    """Return the player's colour in the views whose castle is that of the fused view; "" if they differ."""
    castle = probabilities.kinds.index(Terrain.CASTLE.value)
    cell = probabilities.log_probs[..., castle].argmax()
    colours = {view.colour for view in views if view.probabilities.log_probs[..., castle].argmax() == cell} - {""}
    return colours.pop() if len(colours) == 1 else ""


def _is_certain(log_probs: Floats, weight: Floats) -> Mask:
    """Return which cells (…, rows, cols) a view shows clearly and as one of the kinds (…, rows, cols, kinds)."""
    min_probability, min_clear_weight = 0.95, 0.5
    return np.asarray((log_probs.max(axis=-1) > np.log(min_probability)) & (weight > min_clear_weight))


def _average_views(values: Floats) -> Floats:
    """Return the mean over the views (n, …) that are not NaN.

    It is IMPOSSIBLE_LOG_PROBABILITY where all are NaN, as for gems beside no tile. Covered cells count fully, because a
    piece covers its cell.
    """
    count = (~np.isnan(values)).sum(axis=0)
    return np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), IMPOSSIBLE_LOG_PROBABILITY)


def _describe_contradictions(views: Sequence[_View], nothing: int) -> list[Problem]:
    """Return the squares on which two photos certainly differ although nothing covers them.

    Two neighbouring squares with tiles where another photo shows the table are mostly a domino that was placed in
    between; a single one is mostly a tile under glare or an object.
    """
    certain_masks = [_is_certain(view.probabilities.log_probs, weight) for view, weight in views]
    kinds = [view.probabilities.log_probs.argmax(axis=2) for view, _ in views]
    tiles, table = np.zeros_like(certain_masks[0]), np.zeros_like(certain_masks[0])
    for (mask, view_kinds), (other_mask, other_kinds) in combinations(zip(certain_masks, kinds, strict=True), 2):
        differs = mask & other_mask & (view_kinds != other_kinds)
        empty = [differs & (kind == nothing) for kind in (view_kinds, other_kinds)]
        tiles |= differs & ~empty[0] & ~empty[1]
        for cells in empty:
            table |= cells & ndimage.binary_dilation(cells, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    return [
        Problem(
            tuple(Square(int(row), int(col)) for row, col in np.argwhere(mask)),
            f"the photos show {content} on {mask.sum()} square{'s' if mask.sum() > 1 else ''}{advice}",
        )
        for mask, content, advice in (
            (tiles, "different tiles", ""),
            (table, "a tile and the bare table", ": are all of them of the finished kingdom?"),
        )
        if mask.any()
    ]
