"""Outlines drawn by hand: where a person says that a kingdom lies, for photos that the finder cannot make out.

The finder is asked all the same, but only inside: it tells how many squares there are and mends corners that were
drawn a little off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Self

import cv2
import numpy as np

from kdvision.errors import NotationError
from kdvision.game.legality import MAX_SIDE
from kdvision.vision.detect.grid import Grid, warp_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES, Lattice
from kdvision.vision.detect.refine import UNIT, detect_rectified, rectify
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier, log_softmax
from kdvision.vision.networks.detector import Detections, Floats, SquareDetector

EXPECTED: Final = (
    "X,Y X,Y X,Y X,Y, the corners in pixels clockwise from the top left, after 5x5: where the size is known"
)
OUTLINE: Final = re.compile(r"(?:(?P<rows>\d{1,2})\s*[x×]\s*(?P<cols>\d{1,2})\s*:)?(?P<corners>[^:]*)")
NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)"

LEAST_SIDE: Final = 8.0
"""Pixels along a square's side under which nothing can be read; the finder itself sees none under 11."""
BEYOND: Final = 0.02
"""So far beyond the photo's edge, in its longer sides, a corner may lie that a hand has drawn."""
DRAWN_OFF: Final = 0.45
"""So far from where they were drawn, in squares, the finder may move corners."""
UNSEEN: Final = 0.5
"""The evidence for a place that the finder was not asked about, or did not know what to say of: neither way."""

Point = tuple[float, float]


@dataclass(frozen=True)
class KingdomOutline:
    """Where a kingdom lies: `corners` in pixels of the upright photo, clockwise from the board's own top left.

    `rows` and `cols` are the board's, both or neither; without them the photo has to tell.
    """

    corners: tuple[Point, Point, Point, Point]
    rows: int | None = None
    cols: int | None = None

    def __post_init__(self) -> None:
        if (self.rows is None) != (self.cols is None):
            raise _error("an outline has rows and columns, or neither")
        if not all(1 <= side <= MAX_SIDE for side in (self.rows, self.cols) if side is not None):
            raise _error(f"a kingdom has at most {MAX_SIDE} x {MAX_SIDE} squares, not {self.rows} x {self.cols}")
        if not (_winding(self.corners) > 0).all():
            raise _error(f"the corners {self} are not those of a convex outline, clockwise")

    def __str__(self) -> str:
        return " ".join(f"{x:g},{y:g}" for x, y in self.corners)

    @classmethod
    def of(cls, given: KingdomOutline | Sequence[Sequence[float]]) -> KingdomOutline:
        """The outline of four points (x, y), in either direction from the board's top left; raises NotationError."""
        if isinstance(given, KingdomOutline):
            return given
        points = np.asarray(given, np.float64)
        if points.shape != (4, 2) or not np.isfinite(points).all():
            raise _error("an outline has four corners, each of two numbers")
        if (_winding(points) < 0).all():
            points = np.roll(points[::-1], 1, axis=0)
        first, second, third, fourth = ((float(x), float(y)) for x, y in points)
        return cls((first, second, third, fourth))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The outline of a text such as "100,80 520,90 530,500 90,490" or "5x5: 100,80 …"; raises NotationError."""
        match = OUTLINE.fullmatch(text.strip())
        pairs = re.findall(rf"({NUMBER})\s*,\s*({NUMBER})", match["corners"]) if match else []
        rest = re.sub(rf"{NUMBER}\s*,\s*{NUMBER}", "", match["corners"]) if match else text
        if match is None or len(pairs) != 4 or rest.strip(" ;"):
            raise _error(f"{text!r} is no outline")
        plain = KingdomOutline.of([[float(x), float(y)] for x, y in pairs])
        rows, cols = (int(match[name]) if match[name] else None for name in ("rows", "cols"))
        return cls(plain.corners, rows, cols)

    def check(self, photo: Photo) -> None:
        """Raise NotationError where the outline does not lie in the photo, or is too small to be read."""
        slack = BEYOND * max(photo.width, photo.height)
        for x, y in self.corners:
            if not (-slack <= x <= photo.width + slack and -slack <= y <= photo.height + slack):
                hint = f"corners are pixels of the upright photo, which has {photo.width} x {photo.height}"
                raise NotationError(f"the corner {x:g},{y:g} lies outside the photo", expected=EXPECTED, hint=hint)
        along, down = _sides(self.corners)
        if min(along / (self.cols or 3), down / (self.rows or 3)) < LEAST_SIDE:
            hint = f"take the photo from nearer: a square needs {LEAST_SIDE:g} pixels at least, 20 to be read well"
            raise NotationError(f"the outline {self} is too small to be read", expected=EXPECTED, hint=hint)
        if not (self.rows and self.cols) and not any(_possible(self)):
            hint = "draw it around all of the kingdom, or say its size: 5x5: and the corners"
            raise NotationError(f"the outline {self} is too long and thin for a kingdom", expected=EXPECTED, hint=hint)

    def matrix(self, rows: float, cols: float) -> Floats:
        """The homography (3, 3) from a lattice of so many rows and columns to pixels."""
        box = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(box, np.array(self.corners, np.float32)), np.float64)


def _error(message: str) -> NotationError:
    return NotationError(message, expected=EXPECTED, hint=f"write {EXPECTED}")


def _winding(corners: Sequence[Sequence[float]] | Floats) -> Floats:
    """The cross products (4,) of successive sides: all positive for a convex outline that runs clockwise."""
    points = np.asarray(corners, np.float64)
    side = np.roll(points, -1, axis=0) - points
    after = np.roll(side, -1, axis=0)
    return np.asarray(side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0])


def _sides(corners: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The mean lengths of the sides along the rows and down the columns."""
    points = np.asarray(corners, np.float64)
    lengths = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    return float(lengths[[0, 2]].mean()), float(lengths[[1, 3]].mean())


def build_grids(
    photo: Photo,
    finder: SquareDetector,
    reader: CellClassifier,
    outlines: Sequence[KingdomOutline | Sequence[Sequence[float]]],
) -> list[Grid]:
    """Return a grid for each outline, in their order, rows and columns as drawn; raises NotationError."""
    drawn = [KingdomOutline.of(outline) for outline in outlines]
    for outline in drawn:
        outline.check(photo)
    return [_grid(photo, finder, reader, outline) for outline in drawn]


def _grid(photo: Photo, finder: SquareDetector, reader: CellClassifier, outline: KingdomOutline) -> Grid:
    """The grid of one outline, mended by what the finder sees inside where that agrees with what was drawn."""
    if outline.rows is None or outline.cols is None:
        rows, cols = estimate_size(photo, finder, reader, outline)
    else:
        rows, cols = outline.rows, outline.cols
    drawn = Lattice({}, outline.matrix(rows, cols))
    seen = _inside(detect_rectified(photo, finder, drawn, (-1, -1, cols + 1, rows + 1)), rows, cols)
    if seen is None:
        grid = warp_grid(drawn, _none(), (0, 0, cols, rows))
        return Grid(grid.quads, np.full((rows, cols), UNSEEN))
    mended = warp_grid(seen.lattice, seen.squares, (0, 0, cols, rows))
    away = np.linalg.norm(mended.corners - np.array(outline.corners), axis=1).max()
    if away < DRAWN_OFF * min(length / n for length, n in zip(_sides(outline.corners), (cols, rows), strict=True)):
        return mended
    return warp_grid(Lattice(seen.lattice.members, drawn.matrix), seen.squares, (0, 0, cols, rows))


def _inside(seen: LatticeHypothesis | None, rows: int, cols: int) -> LatticeHypothesis | None:
    """What was seen, without the squares outside the outline; None where too little is left."""
    if seen is None:
        return None
    members = {(c, r): index for (c, r), index in seen.lattice.members.items() if 0 <= c < cols and 0 <= r < rows}
    return (
        LatticeHypothesis(Lattice(members, seen.lattice.matrix), seen.squares)
        if len(members) >= MIN_KINGDOM_SQUARES
        else None
    )


def _none() -> Detections:
    nothing = np.zeros((0, 2))
    return Detections(nothing, nothing, nothing, np.zeros(0))


# How many squares there are.


def estimate_size(
    photo: Photo, finder: SquareDetector, reader: CellClassifier, outline: KingdomOutline
) -> tuple[int, int]:
    """Return the rows and columns inside an outline: as the finder sees them, else as the squares read best."""
    seen = _flat_squares(photo, finder, outline)
    if len(seen) >= MIN_KINGDOM_SQUARES:
        return max(_near(seen), key=lambda size: measure_agreement(seen, *size))
    return max(_possible(outline), key=lambda size: _sense(photo, reader, outline, *size))


def _flat_squares(photo: Photo, finder: SquareDetector, outline: KingdomOutline) -> Detections:
    """The squares seen inside the outline when it is straightened out to a unit square; looked for at two sizes."""
    looks = []
    for units in (6, 10):
        flat, _ = rectify(photo, outline.matrix(units, units), (0, 0, units, units))
        near = finder.look(flat)
        looks.append(near.moved(np.diag([1 / (units * UNIT), 1 / (units * UNIT), 1.0])) if len(near) else near)
    return max(looks, key=lambda seen: float((seen.score**2 * seen.side**2).sum()) if len(seen) else 0.0)


def _extent(seen: Detections) -> tuple[Floats, Floats]:
    """Widths and heights (n,) of squares that lie straight, whichever of their axes is called u."""
    straight = np.abs(seen.u[:, 0]) > np.abs(seen.v[:, 0])
    return (
        2 * np.where(straight, np.abs(seen.u[:, 0]), np.abs(seen.v[:, 0])),
        2 * np.where(straight, np.abs(seen.v[:, 1]), np.abs(seen.u[:, 1])),
    )


def _near(seen: Detections) -> list[tuple[int, int]]:
    """The sizes not far from what the squares' own widths and heights say."""
    width, height = (1 / max(float(np.median(extent)), 1e-3) for extent in _extent(seen))
    return list(product(_counts(height), _counts(width)))


def _counts(about: float) -> list[int]:
    """The whole numbers of squares nearest to a fraction."""
    return [n for n in range(1, MAX_SIDE + 1) if abs(n - about) <= 1] or [int(np.clip(round(about), 1, MAX_SIDE))]


def measure_agreement(seen: Detections, rows: int, cols: int) -> float:
    """Return how well squares in a unit square lie on its division into rows and columns, the surest counting most."""
    width, height = _extent(seen)
    where = seen.centre * (cols, rows) - 0.5
    off = np.abs(where - np.round(where)).max(axis=1)
    stretch = np.maximum(np.abs(np.log(width * cols)), np.abs(np.log(height * rows)))
    return float((seen.score * np.exp(-((off / 0.15) ** 2) - (stretch / 0.2) ** 2)).sum())


def _possible(outline: KingdomOutline) -> Iterator[tuple[int, int]]:
    """The sizes whose squares would not look longer one way than a slanting view makes them."""
    along, down = _sides(outline.corners)
    for rows, cols in product(range(2, MAX_SIDE + 1), repeat=2):
        if 1 / 1.5 < (along / cols) / (down / rows) < 1.5:
            yield rows, cols


def _sense(photo: Photo, reader: CellClassifier, outline: KingdomOutline, rows: int, cols: int) -> float:
    """How sure the reader is, per square, of what it sees on a division: across two tiles it is not."""
    grid = warp_grid(Lattice({}, outline.matrix(rows, cols)), _none(), (0, 0, cols, rows))
    seen = reader.look(photo, grid.quads.reshape(-1, 4, 2), turns=1)
    presence = log_softmax(np.stack([seen.presence, np.zeros_like(seen.presence)], axis=-1))[:, 0]
    return float((seen.kind.max(axis=1) + presence + seen.partner.max(axis=1)).mean())
