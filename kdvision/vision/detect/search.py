"""The grids of a photo: which lattices it shows, each looked at again, and which of rivals to keep.

Of lattices that lie on each other the one that covers most is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from kdvision.vision.detect.components import split_components
from kdvision.vision.detect.grid import Grid
from kdvision.vision.detect.hypothesis import SURE, Component, LatticeHypothesis, covered
from kdvision.vision.detect.lattice import (
    MIN_KINGDOM_SQUARES,
    Lattice,
    find_overlapped,
    fit_homography,
    grow_components,
)
from kdvision.vision.detect.neighbours import Place
from kdvision.vision.detect.refine import refine
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import LONG_SIDES, Detections, SquareDetector, median

CANDIDATES: Final = 10
"""So many lattices are looked at again: four kingdoms, the line on offer, and some that are none."""
LARGE: Final = 20.0
"""Pixels of a square's side in the coarse look, twice what shows there: others on the table may be further away."""
MAYBE: Final = 0.3
"""The score from which something may be a square."""
MUCH: Final = 0.3
"""A lattice of which more than this share lies on a better one is a view of the same tiles."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found: the candidates that were looked at twice, in the order of finding."""

    rivals: tuple[LatticeHypothesis, ...]

    @cached_property
    def kept(self) -> tuple[LatticeHypothesis, ...]:
        """The candidates that cover most, the best first, without those that lie on better ones."""
        kept: list[LatticeHypothesis] = []
        for candidate in sorted(self.rivals, key=lambda candidate: -candidate.covered):
            if not any(candidate.share_on(other) > MUCH for other in kept):
                kept.append(candidate)
        return tuple(kept)

    @property
    def clear(self) -> bool:
        """Whether something was found, and the finder is sure of every square of it.

        One square that is in doubt may be the nearest of a kingdom that this look lost.
        """
        return bool(self.kept) and all((one.squares.score[one.chosen] > SURE).all() for one in self.kept)


def find_grids(photo: Photo, finder: SquareDetector) -> list[Grid]:
    """Return the grids of a photo, one for each lattice of squares, with a rim of table around each."""
    return [candidate.grid for candidate in search_lattices(photo, finder)[1].kept]


def search_lattices(photo: Photo, finder: SquareDetector) -> tuple[list[Detections], SearchResult]:
    """Return the usual looks at a photo, as many as it needs, the finest first, and what was found in them.

    The coarse look is enough where all that it shows is large and, looked at again, beyond doubt. What it shows counts
    no more where the finer one leaves no doubt: there small squares are seen better.
    """
    (coarse,) = finder.find(photo, LONG_SIDES[1:])
    found = refine_components(photo, finder, find_components(coarse)) if _large(coarse, photo) else None
    if found is not None and found.clear:
        return [coarse], found
    (fine,) = finder.find(photo, LONG_SIDES[:1])
    finest = find_components(fine)
    seen = refine_components(photo, finder, finest, known=found)
    if found is None and not seen.clear:
        seen = refine_components(photo, finder, find_components(coarse), known=seen)
    return [fine, coarse], seen


def _large(coarse: Detections, photo: Photo) -> bool:
    """Whether every square of the coarse look that may be one hangs together with others, and is large in it."""
    scale = LONG_SIDES[1] / max(photo.width, photo.height)
    if not (coarse.score > MAYBE).any() or median(coarse.side[coarse.score > MAYBE]) * scale < LARGE:
        return False  # found out quickly: small squares look like many
    together = [index for members in grow_components(coarse) for index in members.values()]
    lost = (coarse.score > MAYBE) & ~find_overlapped(coarse)
    lost[together] = False
    return bool(together) and not lost.any() and float(coarse.side[together].min()) * scale > LARGE


def find_components(seen: Detections) -> list[Component]:
    """Return what hangs together among the squares of a look, none of it larger than a kingdom."""
    return [patch for members in grow_components(seen) for patch in _of_size(members, seen)]


def refine_components(
    photo: Photo, finder: SquareDetector, first: Sequence[Component], *, known: SearchResult | None = None
) -> SearchResult:
    """Return what the patches of a look are when they are looked at again, besides what is `known` already."""
    return SearchResult(tuple(_looked_at(photo, finder, first, known.rivals if known else ())))


def _looked_at(
    photo: Photo, finder: SquareDetector, first: Sequence[Component], known: Sequence[LatticeHypothesis]
) -> list[LatticeHypothesis]:
    """Return the lattices that are known, and those of patches, the largest first, looked at again."""
    waiting = deque(sorted(first, key=lambda patch: -patch.covered)[:CANDIDATES])
    found = list(known)
    while waiting:
        patch = waiting.popleft()
        if any(
            patch.on(one) and one.covered > 0.8 * patch.covered and len(one.chosen) >= len(patch.chosen)
            for one in found
        ):
            continue  # another look saw this kingdom
        matrix = fit_homography(patch.squares, patch.members)
        second = None if matrix is None else refine(photo, finder, Lattice(patch.members, matrix))
        if second is not None:
            _add(found, second)
            waiting += left_over(patch, second)
    return found


def _add(found: list[LatticeHypothesis], seen: LatticeHypothesis) -> None:
    """Add what was seen again, or where it is the same lattice as one before, what both looks say of it."""
    for n, one in enumerate(found):
        if seen.same_as(one):
            better, other = (seen, one) if seen.covered > one.covered else (one, seen)
            found[n] = better.agreed(other)
            return
    found.append(seen)


def left_over(patch: Component, seen: LatticeHypothesis) -> list[Component]:
    """Return what else hangs together in a patch that turned out to be two kingdoms, of which one was `seen` again."""
    free = np.zeros(len(patch.squares), bool)
    free[patch.chosen] = True
    free &= ~covered(patch.squares, seen.patch)
    if free.sum() < MIN_KINGDOM_SQUARES or free.sum() == len(patch.chosen):
        return []
    left = grow_components(patch.squares, among=free)
    return [part for members in left for part in _of_size(members, patch.squares)]


def _of_size(members: dict[Place, int], squares: Detections) -> list[Component]:
    return [Component(part, squares) for part in split_components(squares, members) if len(part) >= MIN_KINGDOM_SQUARES]
