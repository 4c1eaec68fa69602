"""Multi-scale search for the lattices of a photo, each refined, and suppression of overlapping hypotheses."""

from collections import deque
from collections.abc import Sequence

from kdvision.vision.detect.hypothesis import LatticeHypothesis, find_hypotheses
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, Component, grow_components
from kdvision.vision.detect.refine import refine
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import FINE_LONG_SIDE_PIXELS, Detections, SquareDetector


def search_lattices(photo: Photo, detector: SquareDetector) -> tuple[list[Detections], list[LatticeHypothesis]]:
    """Return the detections at the scales that were needed, finest first, and the refined lattices.

    1. If all coarse squares are large, they are refined. If all are certain then, no other scale is needed.
    2. Otherwise the squares of the fine scale are refined, too.
    3. If step 1 refined nothing and the fine squares are not certain, the coarse ones are refined as well.
    """
    coarse = detector.detect_photo(photo, FINE_LONG_SIDE_PIXELS // 2)
    components = list(grow_components(coarse))
    hypotheses: list[LatticeHypothesis] = []
    if is_early := _has_only_large(components, photo):
        hypotheses = refine_hypotheses(photo, detector, find_hypotheses(components))
        if _is_certain(hypotheses):
            return [coarse], hypotheses
    fine = detector.detect_photo(photo, FINE_LONG_SIDE_PIXELS)
    hypotheses = refine_hypotheses(photo, detector, find_hypotheses(grow_components(fine)), hypotheses)
    if not is_early and not _is_certain(hypotheses):
        hypotheses = refine_hypotheses(photo, detector, find_hypotheses(components), hypotheses)
    return [fine, coarse], hypotheses


def _is_certain(hypotheses: Sequence[LatticeHypothesis], *, min_score: float = 0.8) -> bool:
    """Return True if there is a lattice and every square is certain.

    A single uncertain square may be the visible edge of a kingdom that this scale missed.
    """
    best = suppress_overlapping(hypotheses)
    return bool(best) and min(hypothesis.squares.score.min() for hypothesis in best) > min_score


def _has_only_large(components: Sequence[Component], photo: Photo) -> bool:
    """Return True if every possible square of the coarse scale is large and connected to others.

    A detection of `min_score` may be a square. `min_side_pixels`, at the coarse scale, is twice what is visible there,
    so that nothing smaller is missed.
    """
    min_score, min_side_pixels = 0.3, 20.0
    scale = FINE_LONG_SIDE_PIXELS // 2 / max(photo.width, photo.height)
    return max(map(len, components), default=0) >= MIN_KINGDOM_SQUARES and all(
        component.squares.side_pixels.min() * scale > min_side_pixels
        if len(component) >= MIN_KINGDOM_SQUARES
        else component.squares.score.max() <= min_score
        for component in components
    )


def refine_hypotheses(
    photo: Photo,
    detector: SquareDetector,
    hypotheses: Sequence[LatticeHypothesis],
    refined_lattices: Sequence[LatticeHypothesis] = (),
) -> list[LatticeHypothesis]:
    """Return `refined_lattices`, then the hypotheses, refined; the largest are refined first.

    `max_hypotheses` leaves room for four kingdoms, the dominoes on offer, and some false ones.
    """
    max_hypotheses = 10
    queue = deque(sorted(hypotheses, key=lambda hypothesis: -hypothesis.squares.weighted_area)[:max_hypotheses])
    lattices = [*refined_lattices]
    while queue:
        hypothesis = queue.popleft()
        # Another lattice may already show these squares and explain nearly all of their area.
        larger_lattices = (other for other in lattices if len(other) >= len(hypothesis))
        min_area = 0.8 * hypothesis.squares.weighted_area
        if any(hypothesis.overlaps(other) and other.fitted_area > min_area for other in larger_lattices):
            continue
        if lattice := refine(photo, detector, hypothesis):
            lattices.append(lattice)
            # The hypothesis may have been two kingdoms.
            remainder = hypothesis.select(~lattice.find_points_on_squares(hypothesis.squares.centre))
            if MIN_KINGDOM_SQUARES <= len(remainder) < len(hypothesis):
                queue += find_hypotheses(grow_components(remainder.squares))
    return lattices


def suppress_overlapping(hypotheses: Sequence[LatticeHypothesis]) -> list[LatticeHypothesis]:
    """Return the hypotheses that overlap no better one, the largest fitted area first."""
    kept_hypotheses: list[LatticeHypothesis] = []
    for hypothesis in sorted(hypotheses, key=lambda hypothesis: -hypothesis.fitted_area):
        if not any(map(hypothesis.overlaps, kept_hypotheses)):
            kept_hypotheses.append(hypothesis)
    return kept_hypotheses
