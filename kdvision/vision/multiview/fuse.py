"""Fusion of several observations of one kingdom: cells that are covered or glossy in one photo are read in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.vision.classify.observation import BorderLogOdds, GridObservation
from kdvision.vision.classify.pieces import NO_GEM_LOG_ODDS
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY, NOTHING, Reading
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import Floats, Mask
from kdvision.vision.networks.cells import log_softmax

MIN_GAIN_NATS: Final = 8.0
"""Log-likelihood ratio from which two readings show one kingdom."""
MIN_AGREEING_SHARE: Final = 0.6
"""Share of the tiles visible in both readings that must agree."""
P_TILE_ADDED: Final = 0.3
"""Probability of a tile from which a cell beyond the first photo's grid is added from another photo."""
P_CERTAIN: Final = 0.95
"""Photos that are both more certain than this of different kinds contradict each other."""
MIN_VIEW_WEIGHT: Final = 0.02
"""Weight of a view of a cell that is covered or outside the photo."""
MIN_CLEAR_WEIGHT: Final = 0.5
"""Weight from which a view shows a cell clearly."""


@dataclass(frozen=True)
class Alignment:
    """The alignment of another reading on a first one: clockwise quarter turns, then a shift by rows and columns.

    `gain` is the log-likelihood ratio that they show one kingdom, `share` the part of the tiles visible in both that
    agree.
    """

    turns: int
    rows: int
    cols: int
    gain: float
    share: float

    @property
    def is_same_kingdom(self) -> bool:
        """True if both show the same kingdom."""
        return self.gain >= MIN_GAIN_NATS and self.share >= MIN_AGREEING_SHARE


AlignedView = tuple[GridObservation, Alignment]


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
    pieces: Floats | None = None
    gems: Floats | None = None

    @classmethod
    def of(cls, observation: GridObservation) -> _View:
        weight = np.maximum(1 - np.clip(observation.occlusion, 0, 1), MIN_VIEW_WEIGHT)
        share, beyond = observation.visible_share, observation.tile_beyond
        if share is not None:
            weight = np.where(share < 1, np.minimum(weight, np.maximum(share**4, MIN_VIEW_WEIGHT)), weight)
        share = np.ones_like(weight) if share is None else share
        beyond = np.zeros_like(weight) if beyond is None else beyond
        log_probs, (right, down) = observation.reading.log_probs, observation.border_log_odds
        return cls(
            log_probs, right, down, observation.occlusion, weight, share, beyond, observation.pieces, observation.gems
        )

    def rotate(self) -> _View:
        """Return the view turned clockwise by a quarter."""
        turned: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        turned |= {"right": self.down, "down": self.right}
        turned = {name: None if part is None else np.rot90(part, -1) for name, part in turned.items()}
        return _View(**turned)

    def pad(self, at: tuple[int, int], frame: _Frame) -> _View:
        """Return the view in a frame; cells outside the view are uninformative, what exceeds the frame is cut."""
        at, shape = (at[0] - frame.top, at[1] - frame.left), (frame.rows, frame.cols)
        kinds = self.log_probs.shape[2]
        return _View(
            log_probs=_place(self.log_probs, at, shape, -np.log(kinds)),
            right=_place(self.right, at, (frame.rows, frame.cols - 1), 0.0),
            down=_place(self.down, at, (frame.rows - 1, frame.cols), 0.0),
            occlusion=_place(self.occlusion, at, shape, 1.0),
            weight=_place(self.weight, at, shape, 0.0),
            visible_share=_place(self.visible_share, at, shape, 0.0),
            tile_beyond=_place(self.tile_beyond, at, shape, 0.0),
            pieces=None if self.pieces is None else _place(self.pieces, at, shape, np.nan),
            gems=None if self.gems is None else _place(self.gems, at, (frame.rows + 1, frame.cols + 1), np.nan),
        )


@dataclass(frozen=True)
class _Frame:
    """A rectangle in the first grid's rows and columns that holds this grid and all tiles of other photos."""

    top: int
    left: int
    rows: int
    cols: int

    @classmethod
    def enclose(cls, first: GridObservation, views: Sequence[tuple[_View, tuple[int, int]]]) -> _Frame:
        rows, cols = [0, first.reading.rows - 1], [0, first.reading.cols - 1]
        nothing = first.reading.kinds.index(NOTHING)
        for view, (row, col) in views:
            tiles = np.argwhere(1 - np.exp(view.log_probs[..., nothing]) > P_TILE_ADDED)
            rows += (tiles[:, 0] + row).tolist()
            cols += (tiles[:, 1] + col).tolist()
        return cls(min(rows), min(cols), max(rows) - min(rows) + 1, max(cols) - min(cols) + 1)


def fuse(first: GridObservation, others: Sequence[AlignedView]) -> GridObservation:
    """Return one observation of a kingdom, as it lies in the first photo, from all its views.

    The log-probabilities are a weighted sum, divided by the root of the total weight, because errors of different
    photos are not independent. Weights are relative to the clearest view of each cell.
    """
    aligned = [_align_view(observation, alignment) for observation, alignment in others]
    frame = _Frame.enclose(first, aligned)
    views = [view.pad(at, frame) for view, at in [(_View.of(first), (0, 0)), *aligned]]
    share, beyond = _fuse_borders(views)
    return GridObservation(
        grid=_extend_grid(first.grid, frame),
        reading=_fuse_readings(views, first.reading.kinds),
        border_log_odds=_fuse_border_log_odds(views),
        occlusion=np.min([view.occlusion for view in views], axis=0),
        colour=next((one.colour for one in (first, *(other for other, _ in others)) if one.colour), ""),
        pieces=_fuse_pieces([view.pieces for view in views]),
        gems=_average([view.gems for view in views]),
        piece_names=first.piece_names,
        visible_share=share,
        tile_beyond=beyond,
    )


def compute_shift(first: GridObservation, others: Sequence[AlignedView]) -> tuple[int, int]:
    """Return the rows and columns that the fused grid has before the first photo's own."""
    frame = _Frame.enclose(first, [_align_view(observation, alignment) for observation, alignment in others])
    return -frame.top, -frame.left


def find_contradictions(first: GridObservation, others: Sequence[AlignedView]) -> list[Problem]:
    """Return the squares of the first grid on which photos certainly differ although nothing covers them.

    Two neighbouring squares with tiles where another photo shows the table are mostly a domino that was placed in
    between; a single one is mostly a tile under glare or an object.
    """
    nothing, differing, added = first.reading.kinds.index(NOTHING), set[Square](), set[Square]()
    own, frame = _View.of(first), _Frame(0, 0, first.reading.rows, first.reading.cols)
    for observation, alignment in others:
        view, at = _align_view(observation, alignment)
        pair = (own, view.pad(at, frame))
        certain = [_is_certain(one.log_probs, one.weight) for one in pair]
        kinds = [one.log_probs.argmax(axis=2) for one in pair]
        differs = certain[0] & certain[1] & (kinds[0] != kinds[1])
        empty = [differs & (kind == nothing) for kind in kinds]
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


def _align_view(observation: GridObservation, alignment: Alignment) -> tuple[_View, tuple[int, int]]:
    """Return the view turned as the first one lies, and its position there."""
    view = _View.of(observation)
    for _ in range(alignment.turns):
        view = view.rotate()
    return view, (alignment.rows, alignment.cols)


def _fuse_readings(views: Sequence[_View], kinds: tuple[str, ...]) -> Reading:
    nothing = kinds.index(NOTHING)
    weight = np.stack([view.weight for view in views])
    weight = np.where(_find_outshone(views, nothing), MIN_VIEW_WEIGHT, weight)
    best = weight.max(axis=0)
    weight = weight / np.where(best > 0, best, 1.0)
    total = weight.sum(axis=0)
    log_probs = np.einsum("nij,nijk->ijk", weight, np.stack([view.log_probs for view in views]))
    log_probs /= np.sqrt(np.maximum(total, 1.0))[..., None]
    log_probs[total == 0, nothing] = -IMPOSSIBLE_LOG_PROBABILITY  # no photo shows the cell
    return Reading(log_probs - np.logaddexp.reduce(log_probs, axis=2, keepdims=True), kinds)


def _find_outshone(views: Sequence[_View], nothing: int) -> Mask:
    """Return where a view shows nothing (views, rows, cols) while another one is certain of a tile.

    Bare table does not look like a tile, but a tile under glare or cloth looks like bare table.
    """
    empty = np.stack([view.log_probs.argmax(axis=2) == nothing for view in views])
    certain = [_is_certain(np.delete(view.log_probs, nothing, axis=2), view.weight) for view in views]
    return np.asarray(empty & np.any(certain, axis=0))


def _is_certain(log_probs: Floats, weight: Floats) -> Mask:
    return np.asarray((log_probs.max(axis=2) > np.log(P_CERTAIN)) & (weight > MIN_CLEAR_WEIGHT))


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


def _fuse_pieces(views: Sequence[Floats | None]) -> Floats | None:
    """Return the mean log-probabilities; nothing stands on cells that no photo shows."""
    mean = _average(views)
    if mean is None:
        return None
    mean[(mean == NO_GEM_LOG_ODDS).all(axis=2), 0] = 0.0
    return log_softmax(mean)


def _average(views: Sequence[Floats | None]) -> Floats | None:
    """Return the mean over the views that are not NaN, NO_GEM_LOG_ODDS if there are none; None if a view is missing.

    Covered cells count fully, because what covers them is what speaks of pieces.
    """
    known = [view for view in views if view is not None]
    if len(known) < len(views):
        return None
    values = np.stack(known)
    valid = ~np.isnan(values)
    total, count = np.where(valid, values, 0.0).sum(axis=0), valid.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), NO_GEM_LOG_ODDS)


def _place(values: Floats, at: tuple[int, int], shape: tuple[int, int], outside: float) -> Floats:
    """Return an array of this shape with the values from `at` on, as far as they fit, and `outside` elsewhere."""
    framed = np.full((*shape, *values.shape[2:]), outside)
    here = tuple(slice(max(a, 0), max(min(a + n, m), 0)) for a, n, m in zip(at, values.shape, shape, strict=False))
    there = tuple(slice(part.start - a, part.stop - a) for part, a in zip(here, at, strict=True))
    framed[here] = values[there]
    return framed


def _extend_grid(grid: Grid, frame: _Frame) -> Grid:
    """Return the grid with the further rows and columns of a frame, extrapolated linearly."""
    quads = grid.quads
    for axis, before, after in (
        (0, -frame.top, frame.top + frame.rows - grid.rows),
        (1, -frame.left, frame.left + frame.cols - grid.cols),
    ):
        quads = np.moveaxis(quads, axis, 0)
        for _ in range(before):
            quads = np.concatenate([_extrapolate(quads[0], quads[min(1, len(quads) - 1)], axis, -1)[None], quads])
        for _ in range(after):
            quads = np.concatenate([quads, _extrapolate(quads[-1], quads[max(len(quads) - 2, 0)], axis, 1)[None]])
        quads = np.moveaxis(quads, 0, axis)
    return Grid(np.ascontiguousarray(quads))


def _extrapolate(edge: Floats, inner: Floats, axis: int, direction: int) -> Floats:
    """Return the row of quads beyond an edge, in line with the row inside it or with the edge's own sides."""
    if np.array_equal(edge, inner):
        side = edge[:, 3] - edge[:, 0] if axis == 0 else edge[:, 1] - edge[:, 0]
        return np.asarray(edge + (side * direction)[:, None])
    return np.asarray(2 * edge - inner)


def _list_squares(mask: Mask) -> set[Square]:
    return {Square(int(row), int(col)) for row, col in np.argwhere(mask)}


def _find_pairs(mask: Mask) -> Mask:
    """Return the cells (rows, cols) of the mask that have a neighbour in it."""
    padded = np.pad(mask, 1)
    return mask & (padded[2:, 1:-1] | padded[:-2, 1:-1] | padded[1:-1, 2:] | padded[1:-1, :-2])
