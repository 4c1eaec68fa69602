"""Multi-scale search for the lattices of a photo, each refined, and suppression of overlapping hypotheses."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kdvision.vision.detect.grid import Grid, build_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import (
    MIN_KINGDOM_SQUARES,
    Component,
    find_components,
    find_overlapped,
    grow_components,
)
from kdvision.vision.detect.refine import refine
from kdvision.vision.geometry import compute_median
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import (
    COARSE_LONG_SIDE_PIXELS,
    FINE_LONG_SIDE_PIXELS,
    Detections,
    SquareDetector,
)

MAX_OVERLAP: Final = 0.3
"""A hypothesis that lies on a better one with more than this share of its squares shows the same tiles."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The refined hypotheses of a search, in the order of finding."""

    hypotheses: tuple[LatticeHypothesis, ...] = ()

    @cached_property
    def best_hypotheses(self) -> tuple[LatticeHypothesis, ...]:
        """The hypotheses after suppression, the largest weighted area first."""
        kept: list[LatticeHypothesis] = []
        for one in sorted(self.hypotheses, key=lambda one: -one.weighted_area):
            if not any(other.find_covered(one.squares.centre).mean() > MAX_OVERLAP for other in kept):
                kept.append(one)
        return tuple(kept)

    @property
    def is_certain(self) -> bool:
        """True if something was found and every square of it is certain.

        A single uncertain square may be the visible edge of a kingdom that this scale missed.
        """
        return bool(self.best_hypotheses) and all(one.is_certain for one in self.best_hypotheses)


def find_grids(photo: Photo, detector: SquareDetector) -> list[Grid]:
    """Return the grid of each lattice in a photo, with a rim of one cell."""
    return [build_grid(hypothesis) for hypothesis in search_lattices(photo, detector)[1].best_hypotheses]


def search_lattices(photo: Photo, detector: SquareDetector) -> tuple[list[Detections], SearchResult]:
    """Return the detections at the scales that were needed, finest first, and the lattices.

    The coarse scale suffices if all its squares are large and certain after refinement. Otherwise the fine scale is
    added; it alone counts if it is certain, because it shows small squares better.
    """
    coarse = detector.detect_photo(photo, COARSE_LONG_SIDE_PIXELS)
    components = find_components(coarse)
    early = _has_only_large(coarse, photo)
    result = refine_components(photo, detector, components) if early else SearchResult()
    if result.is_certain:
        return [coarse], result
    fine = detector.detect_photo(photo, FINE_LONG_SIDE_PIXELS)
    result = refine_components(photo, detector, find_components(fine), result)
    if not early and not result.is_certain:
        result = refine_components(photo, detector, components, result)
    return [fine, coarse], result


def _has_only_large(coarse: Detections, photo: Photo, *, min_score: float = 0.3, min_side_pixels: float = 20.0) -> bool:
    """Return True if every possible square of the coarse scale is large and connected to others.

    A detection of `min_score` may be a square. `min_side_pixels`, at the coarse scale, is twice what is visible there,
    so that nothing smaller is missed.
    """
    scale = COARSE_LONG_SIDE_PIXELS / max(photo.width, photo.height)
    possible = coarse.score > min_score
    if not possible.any() or compute_median(coarse.side[possible]) * scale < min_side_pixels:
        return False  # decided early, because small squares look like many
    grown = list(grow_components(coarse, ~find_overlapped(coarse)))
    return max(map(len, grown)) >= MIN_KINGDOM_SQUARES and all(
        part.squares.side.min() * scale > min_side_pixels
        if len(part) >= MIN_KINGDOM_SQUARES
        else part.squares.score.max() <= min_score
        for part in grown
    )


def refine_components(
    photo: Photo,
    detector: SquareDetector,
    components: Sequence[Component],
    known: SearchResult | None = None,
    *,
    max_components: int = 10,
) -> SearchResult:
    """Return the `known` hypotheses and those of the components, the largest components first, refined.

    `max_components` leaves room for four kingdoms, the dominoes on offer, and some false ones.
    """
    waiting = deque(sorted(components, key=lambda component: -component.weighted_area)[:max_components])
    found = list(known.hypotheses) if known else []
    while waiting:
        component = waiting.popleft()
        if any(_is_redundant(component, hypothesis) for hypothesis in found):
            continue
        fitted = LatticeHypothesis.fit(component)
        refined = None if fitted is None else refine(photo, detector, fitted)
        if refined is not None:
            _add(found, refined)
            rest = component.select(~refined.find_covered(component.squares.centre))  # it may have been two kingdoms
            if MIN_KINGDOM_SQUARES <= len(rest) < len(component):
                waiting += find_components(rest.squares)
    return SearchResult(tuple(found))


def _is_redundant(component: Component, hypothesis: LatticeHypothesis) -> bool:
    """Return True if a hypothesis already shows the component's squares and explains nearly all of their area."""
    return (
        hypothesis.find_covered(component.squares.centre, max_sides=0.6).mean() > MAX_OVERLAP
        and hypothesis.weighted_area > 0.8 * component.weighted_area
        and len(hypothesis) >= len(component)
    )


def _add(found: list[LatticeHypothesis], new: LatticeHypothesis) -> None:
    """Add a hypothesis; if it matches one before, the better of both stays, with the mean of the scores."""
    for n, one in enumerate(found):
        if new.matches(one):
            better, other = (new, one) if new.weighted_area > one.weighted_area else (one, new)
            found[n] = better.average_scores(other)
            return
    found.append(new)
