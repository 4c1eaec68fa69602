"""Several looks at one kingdom put together: what is covered or dazzled in one photo is read in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.game.board import Square
from kdvision.game.legality import Problem
from kdvision.vision.classify.observation import BorderLogOdds, GridObservation
from kdvision.vision.classify.pieces import NEVER
from kdvision.vision.classify.probabilities import NO_CHANCE, NOTHING, Reading
from kdvision.vision.detect.grid import Grid
from kdvision.vision.networks.cells import Floats, log_softmax

LEAST_GAIN: Final = 8.0
LEAST_SHARE: Final = 0.6
"""Two readings show one kingdom from this log-likelihood ratio on, if so many of the tiles that both show agree."""
THERE: Final = 0.3
"""From this probability of a tile on, a place beyond the first photo's grid is taken over from another photo."""
CERTAIN: Final = 0.95
"""Photos that are both surer than this of different things contradict each other."""
UNSEEN: Final = 0.02
"""The weight that is left to a look at a square that is covered, or outside the picture."""


@dataclass(frozen=True)
class Alignment:
    """How another reading lies on a first one: turned clockwise by quarters, then moved by rows and columns.

    `gain` is the log-likelihood ratio that they show one kingdom, `share` that of the tiles shown by both that agree.
    """

    turns: int
    rows: int
    cols: int
    gain: float
    share: float

    @property
    def good(self) -> bool:
        """Whether they show the same kingdom."""
        return self.gain >= LEAST_GAIN and self.share >= LEAST_SHARE


def fuse(first: GridObservation, others: Sequence[tuple[GridObservation, Alignment]]) -> GridObservation:
    """One sight of a kingdom as it lies in the first photo, from all photos that were matched with it.

    Looks count less where the square is covered or cut off, beside the best one there, which counts as in a photo by
    itself. Their log-probabilities are added and divided by the root of how many they are: what goes wrong in one photo
    goes wrong in another often enough that they are not independent.
    """
    seen = [_laid(observation, found) for observation, found in others]
    top, left, tall, wide = _room(first, seen)
    looks = [_padded(part, at, (top, left, tall, wide)) for part, at in [(_Part.of(first), (0, 0)), *seen]]
    weight = np.stack([look.weight for look in looks])
    weight = np.where(_outshone(looks, first.reading.kinds.index(NOTHING)), UNSEEN, weight)
    best = weight.max(axis=0)
    weight = weight / np.where(best > 0, best, 1.0)
    root = np.sqrt(np.maximum(weight.sum(axis=0), 1.0))
    log_probs = np.einsum("nij,nijk->ijk", weight, np.stack([look.log_probs for look in looks])) / root[..., None]
    log_probs[weight.sum(axis=0) == 0, first.reading.kinds.index(NOTHING)] = -NO_CHANCE  # where no photo reaches
    log_probs -= np.logaddexp.reduce(log_probs, axis=2, keepdims=True)
    observations, (inside, beyond) = [first, *(observation for observation, _ in others)], _edges(looks)
    return GridObservation(
        grid=_extended(first.grid, top, left, tall, wide),
        reading=Reading(log_probs, first.reading.kinds),
        border_log_odds=_bonds(looks),
        hidden=np.min([look.hidden for look in looks], axis=0),
        colour=next((observation.colour for observation in observations if observation.colour), ""),
        pieces=_pieces([look.pieces for look in looks]),
        gems=_mean([look.gems for look in looks]),
        piece_names=first.piece_names,
        inside=inside,
        beyond=beyond,
    )


def compute_shift(first: GridObservation, others: Sequence[tuple[GridObservation, Alignment]]) -> tuple[int, int]:
    """How many rows and columns lie before the first photo's own grid once the kingdom is seen in all photos."""
    top, left, _, _ = _room(first, [_laid(observation, found) for observation, found in others])
    return -top, -left


def _edges(looks: Sequence[_Part]) -> tuple[Floats | None, Floats | None]:
    """How much of each place the photo shows that shows most of it, and whether a tile lies there, as it says."""
    inside = np.stack([look.inside for look in looks])
    most = inside.argmax(axis=0)[None]
    if (inside.max(axis=0) >= 1).all():
        return None, None
    beyond = np.take_along_axis(np.stack([look.beyond for look in looks]), most, axis=0)[0]
    return inside.max(axis=0), beyond


def _pieces(looks: Sequence[Floats | None]) -> Floats | None:
    """The log-probabilities of all looks; the first piece is none, and nothing stands where no photo reaches."""
    mean = _mean(looks)
    if mean is None:
        return None
    mean[(mean == NEVER).all(axis=2), 0] = 0.0
    return log_softmax(mean)


def _mean(looks: Sequence[Floats | None]) -> Floats | None:
    """The mean of what the looks say that reach a place (not a number where one does not), NEVER where none does.

    What covers a square is what speaks of pieces, so that covered looks count as much as others.
    """
    known = [look for look in looks if look is not None]
    if len(known) < len(looks):
        return None
    values = np.stack(known)
    reach = ~np.isnan(values)
    total, count = np.where(reach, values, 0.0).sum(axis=0), reach.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), NEVER)


def _outshone(looks: Sequence[_Part], nothing: int) -> npt.NDArray[np.bool_]:
    """Where a look sees nothing (looks, rows, cols) and another one is certain of a tile.

    Bare table does not look like a tile, but a tile under glare or cloth looks like bare table.
    """
    bare = np.stack([look.log_probs.argmax(axis=2) == nothing for look in looks])
    likely = np.stack([np.delete(look.log_probs, nothing, axis=2).max(axis=2) for look in looks])
    sure = (likely > np.log(CERTAIN)) & (np.stack([look.weight for look in looks]) > 0.5)
    return np.asarray(bare & sure.any(axis=0))


@dataclass(frozen=True)
class _Part:
    """A sight as arrays, turned as the first one lies."""

    log_probs: Floats
    border_log_odds: BorderLogOdds
    hidden: Floats
    weight: Floats
    inside: Floats
    beyond: Floats
    pieces: Floats | None = None
    gems: Floats | None = None

    @classmethod
    def of(cls, observation: GridObservation) -> _Part:
        covered = np.clip(observation.hidden, 0, 1)
        weight = np.maximum(1 - covered, UNSEEN)
        if observation.inside is not None:
            weight = np.where(
                observation.inside < 1, np.minimum(weight, np.maximum(observation.inside**4, UNSEEN)), weight
            )
        inside = np.ones_like(weight) if observation.inside is None else observation.inside
        beyond = np.zeros_like(weight) if observation.beyond is None else observation.beyond
        seen = observation.reading.log_probs, observation.border_log_odds, observation.hidden
        return cls(*seen, weight, inside, beyond, observation.pieces, observation.gems)

    def rotate(self) -> _Part:
        """Turned clockwise by a quarter."""
        right, down = self.border_log_odds
        border_log_odds = np.rot90(down, -1), np.rot90(right, -1)
        pieces, gems = (None if part is None else np.rot90(part, -1) for part in (self.pieces, self.gems))
        places = (np.rot90(part, -1) for part in (self.hidden, self.weight, self.inside, self.beyond))
        hidden, weight, inside, beyond = places
        return _Part(np.rot90(self.log_probs, -1), border_log_odds, hidden, weight, inside, beyond, pieces, gems)


Placed = tuple[_Part, tuple[int, int]]


def _laid(observation: GridObservation, found: Alignment) -> Placed:
    part = _Part.of(observation)
    for _ in range(found.turns):
        part = part.rotate()
    return part, (found.rows, found.cols)


def _room(first: GridObservation, seen: Sequence[Placed]) -> tuple[int, int, int, int]:
    """The first row and column, and how many, of a frame that holds the first grid and all tiles of other photos.

    In the first grid's own rows and columns, so that the former are 0 or less.
    """
    rows, cols = [0, first.reading.rows - 1], [0, first.reading.cols - 1]
    nothing = first.reading.kinds.index(NOTHING)
    for part, (row, col) in seen:
        tiles = np.argwhere(1 - np.exp(part.log_probs[..., nothing]) > THERE)
        rows += (tiles[:, 0] + row).tolist()
        cols += (tiles[:, 1] + col).tolist()
    return min(rows), min(cols), max(rows) - min(rows) + 1, max(cols) - min(cols) + 1


def _padded(part: _Part, at: tuple[int, int], room: tuple[int, int, int, int]) -> _Part:
    """The part in a frame: places that it does not reach say nothing, what reaches beyond the frame is left out."""
    top, left, tall, wide = room
    row, col = at[0] - top, at[1] - left
    kinds = part.log_probs.shape[2]
    log_probs = _framed(part.log_probs, (row, col), (tall, wide), -np.log(kinds))
    border_log_odds = (
        _framed(part.border_log_odds[0], (row, col), (tall, wide - 1), 0.0),
        _framed(part.border_log_odds[1], (row, col), (tall - 1, wide), 0.0),
    )
    known = ((part.hidden, 1.0), (part.weight, 0.0), (part.inside, 0.0), (part.beyond, 0.0))
    hidden, weight, inside, beyond = (_framed(values, (row, col), (tall, wide), out) for values, out in known)
    pieces = None if part.pieces is None else _framed(part.pieces, (row, col), (tall, wide), np.nan)
    gems = None if part.gems is None else _framed(part.gems, (row, col), (tall + 1, wide + 1), np.nan)
    return _Part(log_probs, border_log_odds, hidden, weight, inside, beyond, pieces, gems)


def _framed(values: Floats, at: tuple[int, int], shape: tuple[int, int], outside: float) -> Floats:
    """An array of this shape with the values from `at` on, as far as they fit, and one value everywhere else."""
    frame = np.full((*shape, *values.shape[2:]), outside)
    here = tuple(slice(max(a, 0), max(min(a + n, m), 0)) for a, n, m in zip(at, values.shape, shape, strict=False))
    there = tuple(slice(part.start - a, part.stop - a) for part, a in zip(here, at, strict=True))
    frame[here] = values[there]
    return frame


def _bonds(looks: Sequence[_Part]) -> BorderLogOdds:
    """The evidence of all looks, each weighed by the worse seen of the two squares."""
    across, down = [], []
    for look in looks:
        across.append(look.border_log_odds[0] * np.minimum(look.weight[:, 1:], look.weight[:, :-1]))
        down.append(look.border_log_odds[1] * np.minimum(look.weight[1:], look.weight[:-1]))
    root = np.sqrt(len(looks))
    return np.sum(across, axis=0) / root, np.sum(down, axis=0) / root


def _extended(grid: Grid, top: int, left: int, tall: int, wide: int) -> Grid:
    """The grid with as many more rows and columns around it, each as far from the last as that from the one before."""
    quads = grid.quads
    for axis, before, after in (
        (0, -top, top + tall - grid.rows),
        (1, -left, left + wide - grid.cols),
    ):
        quads = np.moveaxis(quads, axis, 0)
        for _ in range(before):
            quads = np.concatenate([_next(quads[0], quads[min(1, len(quads) - 1)], axis, -1)[None], quads])
        for _ in range(after):
            quads = np.concatenate([quads, _next(quads[-1], quads[max(len(quads) - 2, 0)], axis, 1)[None]])
        quads = np.moveaxis(quads, 0, axis)
    return Grid(np.ascontiguousarray(quads))


def _next(edge: Floats, inner: Floats, axis: int, way: int) -> Floats:
    """The squares beyond the edge of a grid, in line with the last two rows (or with the edge alone)."""
    if edge is inner or np.array_equal(edge, inner):
        step = (edge[:, 3] - edge[:, 0] if axis == 0 else edge[:, 1] - edge[:, 0]) * way
        return np.asarray(edge + step[:, None])
    return np.asarray(2 * edge - inner)


def find_contradictions(first: GridObservation, looks: Sequence[tuple[GridObservation, Alignment]]) -> list[Problem]:
    """The squares, in the first grid, on which photos are certain of different things that nothing covers.

    Two squares side by side with tiles where another photo shows the table are mostly a domino that was laid since; a
    single one is a tile that glare or a thing hides.
    """
    mine, nothing = _Part.of(first), first.reading.kinds.index(NOTHING)
    differ, laid_since = set[Square](), set[Square]()
    for observation, laid in looks:
        part, at = _laid(observation, laid)
        other = _padded(part, at, (0, 0, first.reading.rows, first.reading.cols))
        sure = [(look.log_probs.max(axis=2) > np.log(CERTAIN)) & (look.weight > 0.5) for look in (mine, other)]
        shown = mine.log_probs.argmax(axis=2), other.log_probs.argmax(axis=2)
        unlike = sure[0] & sure[1] & (shown[0] != shown[1])
        bare = [unlike & (kind == nothing) for kind in shown]
        for found, where in (
            (differ, unlike & ~bare[0] & ~bare[1]),
            (laid_since, _side_by_side(bare[0]) | _side_by_side(bare[1])),
        ):
            found |= {Square(int(row), int(col)) for row, col in np.argwhere(where)}
    return [
        Problem(tuple(sorted(found)), f"the photos show {what} on {len(found)} square{'s' * (len(found) > 1)}{advice}")
        for found, what, advice in (
            (differ, "different tiles", ""),
            (laid_since, "a tile and the bare table", ": are all of them of the finished kingdom?"),
        )
        if found
    ]


def _side_by_side(there: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Those places (rows, cols) that have another one to the right or left of them, above or below."""
    padded = np.pad(there, 1)
    return there & (padded[2:, 1:-1] | padded[:-2, 1:-1] | padded[1:-1, 2:] | padded[1:-1, :-2])
