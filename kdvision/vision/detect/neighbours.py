"""Which squares lie where another's own axes lead: the steps from each to its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from kdvision.vision.networks.detector import Complex, Detections, Floats

Place = tuple[int, int]
"""Column and row on a lattice, counted from its seed."""

TOLERANCE: Final = 0.35
"""How far apart edges that meet may lie, in sides (gaps reach a fifth)."""

NEIGHBOURS: Final = [(dc, dr) for dc in (-1, 0, 1) for dr in (-1, 0, 1) if (dc, dr) != (0, 0)]
_STEPS: Final = np.array(NEIGHBOURS, float)
SLANT: Final = 1.6
"""So much further off a neighbour may lie from where the axes of one square alone lead, under a slanting view."""
_REACH: Final = TOLERANCE * np.where(_STEPS.all(axis=1), 1.3, 1.0)
_UNTURNED: Final = [
    [NEIGHBOURS.index((a * dc - b * dr, b * dc + a * dr)) for dc, dr in NEIGHBOURS]
    for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1))
]
"""For axes turned by so many quarters, what each step along them is along the axes before."""
Axis = TypeVar("Axis", Floats, Complex)
Indices = npt.NDArray[np.intp]
Link = tuple[float, int]
"""How far off the square claimed lies, infinitely where it fits badly; the quarters by which its axes are turned."""


class NeighbourGraph:
    """For each square `among` all, which others of those lie where its axes lead, nearest first."""

    def __init__(self, squares: Detections, among: npt.NDArray[np.bool_]) -> None:
        away, side = squares.centre[None] - squares.centre[:, None], squares.side
        led = 2 * (_STEPS @ np.stack([squares.u, squares.v], axis=1))
        furthest = np.abs(led).max(axis=(1, 2)) + SLANT * _REACH.max() * side
        one, other = np.nonzero((np.abs(away).max(axis=-1) <= furthest[:, None]) & among[:, None] & among)
        off = np.hypot(*np.moveaxis(away[one, other, None] - led[one], -1, 0)) / side[one, None]
        at, step = np.nonzero(off <= SLANT * _REACH)
        order = np.argsort(off[at, step], kind="stable")
        at, step = at[order], step[order]
        one, other = one[at], other[at]
        self._near: dict[tuple[int, int], list[tuple[int, tuple[Link, Link]]]] = {}
        claimed = zip(*(_claimed(squares, one, other, step, turn) for turn in (0, 1)), strict=True)
        for index, number, near, claims in zip(one.tolist(), step.tolist(), other.tolist(), claimed, strict=True):
            self._near.setdefault((index, number), []).append((near, claims))

    def claims(self, index: int, turn: int, free: Sequence[bool]) -> Iterable[tuple[float, int, Place, int]]:
        """Yield what a square, its axes turned by quarters, claims of the `free` ones.

        How far off it lies, its index, the step to it, and the quarters by which its own axes are to be turned.
        """
        half, odd = turn & 2, turn & 1
        for place, number in zip(NEIGHBOURS, _UNTURNED[turn], strict=True):
            for near, claims in self._near.get((index, number), ()):
                if free[near]:
                    apart, quarters = claims[odd]
                    if apart < np.inf:
                        yield apart, near, place, quarters ^ half
                    break


def _claimed(squares: Detections, one: Indices, other: Indices, step: Indices, turn: int) -> list[Link]:
    """Return what `one` of each pair of squares (n,), its axes turned by 0 or 1 quarters, claims of the `other`.

    `step` (n,) is the one of NEIGHBOURS that leads there along the axes before they are turned.
    """
    centre, axes = _complex(squares.centre), (_complex(squares.u), _complex(squares.v))
    u, v = turn_axes(axes[0][one], axes[1][one], turn)
    theirs = np.stack([turn_axes(axes[0][other], axes[1][other], quarters)[0] for quarters in range(4)])
    cosines = (np.conj(u) * theirs).real / (np.abs(u) * np.abs(theirs) + 1e-9)
    quarters = cosines.argmax(axis=0)
    pairs = np.arange(len(one))
    # the axes of both lead to the edge or corner where they meet, also where perspective shortens steps
    along, down = theirs[quarters, pairs], theirs[(quarters + 1) % 4, pairs]
    dc, dr = _STEPS[_UNTURNED[-turn]][step].T  # the same step, along the axes as they are turned
    apart = np.abs(centre[other] - centre[one] - dc * (u + along) - dr * (v + down)) / squares.side[one]
    fits = (np.abs(squares.side[other] / squares.side[one] - 1.075) < 0.425) & (cosines[quarters, pairs] >= 0.93)
    # diagonal steps only where no straight one leads: they are the less certain
    off = np.where(fits & (apart <= _REACH[step]), apart + 0.5 * _STEPS[step].all(axis=1), np.inf)
    return list(zip(off.tolist(), quarters.tolist(), strict=True))


def count_quarter_turns(axis: Floats, u: Floats, v: Floats) -> int:
    """Return how many quarter turns make (u, v) lie along `axis`, as nearly as any do."""
    along, across = (float(axis @ other) / (float(np.linalg.norm(other)) + 1e-9) for other in (u, v))
    return int(np.argmax((along, across, -along, -across)))


def turn_axes(u: Axis, v: Axis, turn: int) -> tuple[Axis, Axis]:
    """Return a square's axes, vectors or complex numbers, after so many quarter turns."""
    return ((u, v), (v, -u), (-u, -v), (-v, u))[turn % 4]


def _complex(points: Floats) -> Complex:
    return np.asarray(points[:, 0] + 1j * points[:, 1])
