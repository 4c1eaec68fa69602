"""Lattices that may be kingdoms: how much of the photo they cover as they were seen, and what two looks agree on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.detect.grid import Grid, build_grid
from kdvision.vision.detect.lattice import Lattice
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.networks.detector import Detections, Floats, median

Mask = npt.NDArray[np.bool_]
Bounds = tuple[int, int, int, int]
"""The first column and row, and the ones behind the last."""

COVERED: Final = 0.7
"""A square lies on a tile whose middle is nearer than so many sides: halves of two tiles look like a square."""
SURE: Final = 0.8
"""The score from which something is a square."""
SAME: Final = 0.35
"""Two looks show the same square where its middles in them lie nearer than so many sides."""


@dataclass(frozen=True, eq=False)
class Component:
    """Squares that hang together, each at its place, among those of one look, in the photo's pixels."""

    members: dict[Place, int]
    squares: Detections

    @cached_property
    def chosen(self) -> list[int]:
        """Which of the squares are members."""
        return list(self.members.values())

    @cached_property
    def middles(self) -> Floats:
        """The members' middles (n, 2)."""
        return self.squares.centre[self.chosen]

    @cached_property
    def side(self) -> float:
        """The side of a typical member."""
        return median(self.squares.side[self.chosen])

    @cached_property
    def covered(self) -> float:
        """The area (square pixels) that the members cover, as far as the finder is sure of them.

        A wrong scale sees many squares where there are few, but is sure of none.
        """
        return float((self.squares.score[self.chosen] ** 2 * self.squares.side[self.chosen] ** 2).sum())

    def on(self, other: Component | LatticeHypothesis) -> bool:
        """Whether many of the members lie on members of the other."""
        theirs = other if isinstance(other, Component) else other.patch
        near = np.linalg.norm(self.middles[:, None] - theirs.middles[None], axis=2).min(1) < 0.6 * theirs.side
        return bool(near.mean() > 0.3)


@dataclass(frozen=True, eq=False)
class LatticeHypothesis:
    """A lattice that may be a kingdom, and the squares that its members are among, in the photo's pixels.

    `bare` are places of which the finder is sure that nothing lies there.
    """

    lattice: Lattice
    squares: Detections
    bare: frozenset[Place] = frozenset()

    @cached_property
    def patch(self) -> Component:
        """The members."""
        return Component(self.lattice.members, self.squares)

    @property
    def chosen(self) -> list[int]:
        """Which of the squares are members."""
        return self.patch.chosen

    @cached_property
    def covered(self) -> float:
        """The area (square pixels) that the members cover, as far as the finder is sure of them and they fit.

        A lattice of too few columns or too many has squares whose corners are not those of their places.
        """
        corners = self.squares.corners[self.chosen]
        back = np.linalg.inv(self.lattice.matrix)
        seen = cv2.perspectiveTransform(corners.reshape(1, -1, 2), back).reshape(corners.shape)
        off = np.abs(np.abs(seen - np.array(list(self.lattice.members))[:, None] - 0.5) - 0.5)
        fits = np.clip(1 - 2 * np.linalg.norm(off, axis=-1).mean(axis=1), 0, 1)
        return float((fits * self.squares.score[self.chosen] ** 2 * self.squares.side[self.chosen] ** 2).sum())

    def same_as(self, other: LatticeHypothesis) -> bool:
        """Whether every square that is surely seen in one of them is seen in the other, too."""
        return all(
            (_beside(one, two).min(axis=1) < SAME)[one.squares.score[one.chosen] > SURE].all()
            for one, two in ((self, other), (other, self))
        )

    def share_on(self, other: LatticeHypothesis) -> float:
        """The share of the members that lie on members of the other."""
        apart = np.linalg.norm(self.patch.middles[:, None] - other.patch.middles[None], axis=2).min(axis=1)
        return float((apart < COVERED * other.patch.side).mean())

    def agreed(self, other: LatticeHypothesis) -> LatticeHypothesis:
        """Return this lattice, each square of it as sure as it is in both looks on the mean."""
        apart, score = _beside(self, other), self.squares.score.copy()
        theirs = other.squares.score[other.chosen][apart.argmin(axis=1)] * (apart.min(axis=1) < SAME)
        score[self.chosen] = (score[self.chosen] + theirs) / 2
        return replace(self, squares=replace(self.squares, score=score))

    @cached_property
    def grid(self) -> Grid:
        """The grid, with a rim of table around it."""
        return build_grid(self.lattice, self.squares, bare=self.bare)


def _beside(one: LatticeHypothesis, other: LatticeHypothesis) -> Floats:
    """Return how far (n, m) the members of one lie from those of another, in sides of the former."""
    apart = np.linalg.norm(one.patch.middles[:, None] - other.patch.middles[None], axis=2)
    return np.asarray(apart / one.squares.side[one.chosen][:, None])


def covered(squares: Detections, patch: Component) -> Mask:
    """Return which squares (n,) lie on members of a patch."""
    away = np.linalg.norm(squares.centre[:, None] - patch.middles[None], axis=2).min(axis=1)
    return np.asarray(away < COVERED * patch.side)
