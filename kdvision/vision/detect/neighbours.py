"""The neighbour graph: which detections lie where the axes of another one lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from kdvision.vision.geometry import Floats
from kdvision.vision.networks.detector import Complex, Detections

Place = tuple[int, int]
"""Column and row on a lattice."""

NEIGHBOUR_STEPS: Final = [(dc, dr) for dc in (-1, 0, 1) for dr in (-1, 0, 1) if (dc, dr) != (0, 0)]

_STEPS: Final = np.array(NEIGHBOUR_STEPS, float)
_MAX_GAP_SIDES: Final = 0.35 * np.where(_STEPS.all(axis=1), 1.3, 1.0)
"""For each step, the largest distance between edges, or corners, that meet; gaps between tiles reach 0.2 sides."""
_STEP_AFTER_TURN: Final = [
    [NEIGHBOUR_STEPS.index((a * dc - b * dr, b * dc + a * dr)) for dc, dr in NEIGHBOUR_STEPS]
    for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1))
]
"""For axes turned by each number of quarters, the step along the original axes that equals each step."""
Axis = TypeVar("Axis", Floats, Complex)
Indices = npt.NDArray[np.intp]
Link = tuple[float, int]
"""The gap in sides (infinite if the squares do not fit together), and the quarters by which the other's axes turn."""


class Bounds(NamedTuple):
    """A rectangle of places: the first column and row, and the ones after the last."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def cols(self) -> int:
        return self.right - self.left

    @property
    def rows(self) -> int:
        return self.bottom - self.top

    def expand(self, cells: int = 1) -> Bounds:
        """Return the rectangle with a rim of cells around it."""
        return Bounds(self.left - cells, self.top - cells, self.right + cells, self.bottom + cells)

    def contains(self, place: Place) -> bool:
        """Return True if the place lies in the rectangle."""
        col, row = place
        return self.left <= col < self.right and self.top <= row < self.bottom


class NeighbourGraph:
    """Links between the detections `among` (n,): for each square and step, the candidates, nearest first."""

    def __init__(self, squares: Detections, among: npt.NDArray[np.bool_]) -> None:
        away, side = squares.centre[None] - squares.centre[:, None], squares.side
        # Perspective changes sizes, so that a neighbour lies further from where one square's own axes lead.
        max_distance = 1.6 * _MAX_GAP_SIDES
        expected = 2 * (_STEPS @ np.stack([squares.axis_u, squares.axis_v], axis=1))
        furthest = np.abs(expected).max(axis=(1, 2)) + max_distance.max() * side
        one, other = np.nonzero((np.abs(away).max(axis=-1) <= furthest[:, None]) & among[:, None] & among)
        off = np.hypot(*np.moveaxis(away[one, other, None] - expected[one], -1, 0)) / side[one, None]
        at, step = np.nonzero(off <= max_distance)
        order = np.argsort(off[at, step], kind="stable")
        at, step = at[order], step[order]
        one, other = one[at], other[at]
        self._candidates: dict[tuple[int, int], list[tuple[int, tuple[Link, Link]]]] = {}
        links = zip(*(_measure_links(squares, one, other, step, turn) for turn in (0, 1)), strict=True)
        for index, number, near, both in zip(one.tolist(), step.tolist(), other.tolist(), links, strict=True):
            self._candidates.setdefault((index, number), []).append((near, both))

    def iterate_links(self, index: int, turn: int, free: Sequence[bool]) -> Iterable[tuple[float, int, Place, int]]:
        """Yield the links of a square, its axes turned by `turn` quarters, to the nearest `free` square of each step.

        Each is the gap, the other square, the step to it, and the quarters by which the other's axes turn.
        """
        half, odd = turn & 2, turn & 1
        for step, number in zip(NEIGHBOUR_STEPS, _STEP_AFTER_TURN[turn], strict=True):
            for near, links in self._candidates.get((index, number), ()):
                if free[near]:
                    gap, quarters = links[odd]
                    if gap < np.inf:
                        yield gap, near, step, quarters ^ half
                    break


def _measure_links(
    squares: Detections,
    one: Indices,
    other: Indices,
    step: Indices,
    turn: int,
    *,
    side_ratios: tuple[float, float] = (0.65, 1.5),
    min_axis_cosine: float = 0.93,
    diagonal_penalty_sides: float = 0.5,
) -> list[Link]:
    """Return the link of each pair of squares (n,), with the axes of `one` turned by 0 or 1 quarters.

    `step` (n,) is the index in NEIGHBOUR_STEPS that leads there along the axes before they are turned. Squares fit
    together if the ratio of their sides lies in `side_ratios` and the angle between their axes has a cosine of at least
    `min_axis_cosine`. `diagonal_penalty_sides` is added to the gap of diagonal links, which are less reliable.
    """
    centre, axes = _to_complex(squares.centre), (_to_complex(squares.axis_u), _to_complex(squares.axis_v))
    u, v = turn_axes(axes[0][one], axes[1][one], turn)
    theirs = np.stack([turn_axes(axes[0][other], axes[1][other], quarters)[0] for quarters in range(4)])
    cosines = (np.conj(u) * theirs).real / (np.abs(u) * np.abs(theirs) + 1e-9)
    quarters = cosines.argmax(axis=0)
    pairs = np.arange(len(one))
    # The axes of both squares lead to the edge or corner where they meet, also where perspective shortens steps.
    along, down = theirs[quarters, pairs], theirs[(quarters + 1) % 4, pairs]
    dc, dr = _STEPS[_STEP_AFTER_TURN[-turn]][step].T
    gap = np.abs(centre[other] - centre[one] - dc * (u + along) - dr * (v + down)) / squares.side[one]
    ratio, (smallest, largest) = squares.side[other] / squares.side[one], side_ratios
    fits = (ratio > smallest) & (ratio < largest) & (cosines[quarters, pairs] >= min_axis_cosine)
    penalty = diagonal_penalty_sides * _STEPS[step].all(axis=1)
    gap = np.where(fits & (gap <= _MAX_GAP_SIDES[step]), gap + penalty, np.inf)
    return list(zip(gap.tolist(), quarters.tolist(), strict=True))


def count_quarter_turns(axis: Floats, u: Floats, v: Floats) -> int:
    """Return the number of quarter turns after which the axes (u, v) lie best along `axis`."""
    along, across = (float(axis @ other) / (float(np.linalg.norm(other)) + 1e-9) for other in (u, v))
    return int(np.argmax((along, across, -along, -across)))


def turn_axes(u: Axis, v: Axis, turn: int) -> tuple[Axis, Axis]:
    """Return a square's axes, vectors or complex numbers, after `turn` quarter turns."""
    return ((u, v), (v, -u), (-u, -v), (-v, u))[turn % 4]


def _to_complex(points: Floats) -> Complex:
    return np.asarray(points[:, 0] + 1j * points[:, 1])
