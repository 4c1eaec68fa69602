"""Fusion of several observations of one kingdom: cells that are covered or glossy in one photo are read in another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy import ndimage

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.vision.classify.observation import BorderLogOdds, GridObservation
from kdvision.vision.classify.pieces import NO_GEM_LOG_ODDS
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY, NOTHING, Reading
from kdvision.vision.detect.grid import Grid
from kdvision.vision.detect.lattice import Bounds
from kdvision.vision.geometry import Floats, Mask
from kdvision.vision.multiview.register import AlignedView
from kdvision.vision.networks.cells import log_softmax

MIN_VIEW_WEIGHT: Final = 0.02
"""Weight of a view of a cell that is covered or outside the photo."""


@dataclass(frozen=True)
class _View:
    """An observation as arrays in the orientation of the first one; `weight` (rows, cols) is how clear a cell is."""

    log_probs: Floats
    right: Floats
    down: Floats
    occlusion: Floats
    weight: Floats
    visible_share: Floats
    tile_beyond: Floats
    pieces: Floats | None
    gems: Floats | None

    @classmethod
    def of(cls, observation: GridObservation) -> _View:
        weight = np.maximum(1 - np.clip(observation.occlusion, 0, 1), MIN_VIEW_WEIGHT)
        share, beyond = observation.visible_share, observation.tile_beyond
        if share is not None:
            weight = np.where(share < 1, np.minimum(weight, np.maximum(share**4, MIN_VIEW_WEIGHT)), weight)
        return cls(
            observation.reading.log_probs,
            *observation.border_log_odds,
            observation.occlusion,
            weight,
            np.ones_like(weight) if share is None else share,
            np.zeros_like(weight) if beyond is None else beyond,
            observation.pieces,
            observation.gems,
        )

    def rotate(self, quarters: int) -> _View:
        """Return the view rotated clockwise by quarter turns."""
        turned = self._map(lambda _, part: np.rot90(part, -quarters))
        return replace(turned, right=turned.down, down=turned.right) if quarters % 2 else turned

    def place(self, row: int, col: int, frame: Bounds) -> _View:
        """Return the view with its first cell at a place of the first grid, cut and padded to a frame.

        Cells outside the view are uninformative.
        """
        rows, cols, kinds = self.log_probs.shape
        margins = (row - frame.top, frame.bottom - row - rows), (col - frame.left, frame.right - col - cols)
        outside = {"log_probs": -np.log(kinds), "occlusion": 1.0, "pieces": np.nan, "gems": np.nan}
        return self._map(lambda name, part: _pad(part, margins, outside.get(name, 0.0)))

    def _map(self, function: Callable[[str, Floats], Floats]) -> _View:
        """Return the view with a function of its name and values applied to each array."""
        return replace(self, **{name: function(name, part) for name, part in vars(self).items() if part is not None})


def _pad(values: Floats, margins: Sequence[tuple[int, int]], outside: float) -> Floats:
    """Return an array with `outside` added before and after its first axes; negative margins cut values off."""
    inside = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(margins, values.shape, strict=False))
    widths = [(max(a, 0), max(b, 0)) for a, b in margins] + [(0, 0)] * (values.ndim - len(margins))
    return np.pad(values[inside], widths, constant_values=outside)


def fuse(first: GridObservation, others: Sequence[AlignedView]) -> tuple[GridObservation, list[Problem]]:
    """Return one observation of a kingdom, as it lies in the first photo, from all its views, and contradictions.

    The log-probabilities are a weighted sum, divided by the root of the total weight, because errors of different
    photos are not independent. Weights are relative to the clearest view of each cell.
    """
    if not others:
        return first, []
    nothing = first.reading.kinds.index(NOTHING)
    aligned = [(_View.of(other).rotate(alignment.turns), alignment.rows, alignment.cols) for other, alignment in others]
    frame = _find_frame(first, aligned, nothing)
    views = [view.place(row, col, frame) for view, row, col in [(_View.of(first), 0, 0), *aligned]]
    share, beyond = _fuse_borders(views)
    fused = GridObservation(
        grid=_extend_grid(first.grid, frame),
        reading=Reading(_fuse_log_probs(views, nothing), first.reading.kinds),
        border_log_odds=_fuse_border_log_odds(views),
        occlusion=np.min([view.occlusion for view in views], axis=0),
        colour=next((one.colour for one in (first, *(other for other, _ in others)) if one.colour), ""),
        pieces=_fuse_pieces(views),
        gems=_average([view.gems for view in views]),
        piece_names=first.piece_names,
        visible_share=share,
        tile_beyond=beyond,
    )
    return fused, _describe_contradictions(views, nothing)


def _find_frame(
    first: GridObservation, aligned: Sequence[tuple[_View, int, int]], nothing: int, *, p_tile: float = 0.3
) -> Bounds:
    """Return the rectangle in the first grid's rows and columns that holds this grid and all tiles of other photos.

    A cell with a tile is one where its probability is above `p_tile`.
    """
    rows, cols = [0, first.reading.rows - 1], [0, first.reading.cols - 1]
    for view, row, col in aligned:
        tiles = np.argwhere(1 - np.exp(view.log_probs[..., nothing]) > p_tile)
        rows += (tiles[:, 0] + row).tolist()
        cols += (tiles[:, 1] + col).tolist()
    return Bounds(min(cols), min(rows), max(cols) + 1, max(rows) + 1)


def _extend_grid(grid: Grid, frame: Bounds) -> Grid:
    """Return the grid with the further rows and columns of a frame, extrapolated linearly."""
    quads = grid.quads
    for axis, before, after in (
        (0, -frame.top, frame.bottom - grid.rows),
        (1, -frame.left, frame.right - grid.cols),
    ):
        for side in [0] * before + [1] * after:
            widths = np.zeros((quads.ndim, 2), int)
            widths[axis, side] = 1
            quads = np.pad(quads, widths, mode="reflect", reflect_type="odd")
    return Grid(quads)


def _fuse_log_probs(views: Sequence[_View], nothing: int) -> Floats:
    weight = np.stack([view.weight for view in views])
    weight = np.where(_find_outshone(views, nothing), MIN_VIEW_WEIGHT, weight)
    best = weight.max(axis=0)
    weight = weight / np.where(best > 0, best, 1.0)
    total = weight.sum(axis=0)
    log_probs = np.einsum("nij,nijk->ijk", weight, np.stack([view.log_probs for view in views]))
    log_probs /= np.sqrt(np.maximum(total, 1.0))[..., None]
    log_probs[total == 0, nothing] = -IMPOSSIBLE_LOG_PROBABILITY  # no photo shows the cell
    return np.asarray(log_probs - np.logaddexp.reduce(log_probs, axis=2, keepdims=True))


def _find_outshone(views: Sequence[_View], nothing: int) -> Mask:
    """Return where a view shows nothing (views, rows, cols) while another one is certain of a tile.

    Bare table does not look like a tile, but a tile under glare or cloth looks like bare table.
    """
    empty = np.stack([view.log_probs.argmax(axis=2) == nothing for view in views])
    certain = [_is_certain(np.delete(view.log_probs, nothing, axis=2), view.weight) for view in views]
    return np.asarray(empty & np.any(certain, axis=0))


def _is_certain(
    log_probs: Floats, weight: Floats, *, min_probability: float = 0.95, min_clear_weight: float = 0.5
) -> Mask:
    """Return which cells (rows, cols) a view shows clearly and as one of the kinds (rows, cols, kinds)."""
    return np.asarray((log_probs.max(axis=2) > np.log(min_probability)) & (weight > min_clear_weight))


def _fuse_borders(views: Sequence[_View]) -> tuple[Floats | None, Floats | None]:
    """Return visible share and tiles beyond of the photo that shows most of each cell; None if all is visible."""
    share = np.stack([view.visible_share for view in views])
    if (share.max(axis=0) >= 1).all():
        return None, None
    most = share.argmax(axis=0)[None]
    return share.max(axis=0), np.take_along_axis(np.stack([view.tile_beyond for view in views]), most, axis=0)[0]


def _fuse_border_log_odds(views: Sequence[_View]) -> BorderLogOdds:
    """Return the evidence of all views, each weighted by the less clear one of the two squares."""
    right = [view.right * np.minimum(view.weight[:, 1:], view.weight[:, :-1]) for view in views]
    down = [view.down * np.minimum(view.weight[1:], view.weight[:-1]) for view in views]
    root = np.sqrt(len(views))
    return np.sum(right, axis=0) / root, np.sum(down, axis=0) / root


def _fuse_pieces(views: Sequence[_View]) -> Floats | None:
    """Return the mean log-probabilities; nothing stands on cells that no photo shows."""
    mean = _average([view.pieces for view in views])
    if mean is None:
        return None
    mean[(mean == NO_GEM_LOG_ODDS).all(axis=2), 0] = 0.0
    return log_softmax(mean)


def _average(parts: Sequence[Floats | None]) -> Floats | None:
    """Return the mean over the views that are not NaN, NO_GEM_LOG_ODDS if there are none; None if a view is missing.

    Covered cells count fully, because what covers them is what speaks of pieces.
    """
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    values = np.stack(known)
    valid = ~np.isnan(values)
    total, count = np.where(valid, values, 0.0).sum(axis=0), valid.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), NO_GEM_LOG_ODDS)


def _describe_contradictions(views: Sequence[_View], nothing: int) -> list[Problem]:
    """Return the squares on which the first photo and another certainly differ although nothing covers them.

    Two neighbouring squares with tiles where another photo shows the table are mostly a domino that was placed in
    between; a single one is mostly a tile under glare or an object.
    """
    certain = [_is_certain(view.log_probs, view.weight) for view in views]
    kinds = [view.log_probs.argmax(axis=2) for view in views]
    differing, added = set[Square](), set[Square]()
    for other_certain, other_kinds in zip(certain[1:], kinds[1:], strict=True):
        differs = certain[0] & other_certain & (kinds[0] != other_kinds)
        empty = [differs & (kind == nothing) for kind in (kinds[0], other_kinds)]
        differing |= _list_squares(differs & ~empty[0] & ~empty[1])
        added |= _list_squares(_find_pairs(empty[0]) | _find_pairs(empty[1]))
    return [
        Problem(tuple(sorted(found)), f"the photos show {what} on {len(found)} square{'s' * (len(found) > 1)}{advice}")
        for found, what, advice in (
            (differing, "different tiles", ""),
            (added, "a tile and the bare table", ": are all of them of the finished kingdom?"),
        )
        if found
    ]


def _list_squares(mask: Mask) -> set[Square]:
    return {Square(int(row), int(col)) for row, col in np.argwhere(mask)}


def _find_pairs(mask: Mask) -> Mask:
    """Return the cells (rows, cols) of the mask that have a neighbour in it."""
    return np.asarray(mask & ndimage.binary_dilation(mask, [[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
