"""Outlines that a person draws around a kingdom, for photos in which the detector finds none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Self

import numpy as np

from kdvision.errors import NotationError
from kdvision.game.legality import MAX_SIDE
from kdvision.vision.geometry import Floats, compute_side_lengths
from kdvision.vision.image.photo import Photo

Point = tuple[float, float]


@dataclass(frozen=True)
class KingdomOutline:
    """A kingdom's `corners` in pixels of the upright photo, clockwise from the board's own top left.

    `rows` and `cols` are the board's; both are None if they are to be estimated from the photo.
    """

    corners: tuple[Point, Point, Point, Point]
    rows: int | None = None
    cols: int | None = None

    def __post_init__(self) -> None:
        if (self.rows is None) != (self.cols is None):
            raise _make_error("an outline has rows and columns, or neither")
        if not all(1 <= side <= MAX_SIDE for side in (self.rows, self.cols) if side is not None):
            raise _make_error(f"a kingdom has at most {MAX_SIDE} x {MAX_SIDE} squares, not {self.rows} x {self.cols}")
        if not (_compute_turns(np.asarray(self.corners)) > 0).all():
            raise _make_error(f"the corners {self} are not those of a convex outline, clockwise")

    def __str__(self) -> str:
        return " ".join(f"{x:g},{y:g}" for x, y in self.corners)

    @classmethod
    def of(cls, outline: "KingdomOutline | Sequence[Sequence[float]]") -> "KingdomOutline":
        """Return the outline of four points (x, y), in either direction; raise NotationError."""
        if isinstance(outline, KingdomOutline):
            return outline
        try:
            points = np.asarray(outline, np.float64)
        except (TypeError, ValueError, OverflowError):
            points = np.empty(0)
        if points.shape != (4, 2) or not np.isfinite(points).all():
            raise _make_error("an outline has four corners, each of two numbers")
        if (_compute_turns(points) < 0).all():
            points = np.roll(points[::-1], 1, axis=0)
        first, second, third, fourth = ((float(x), float(y)) for x, y in points)
        return cls((first, second, third, fourth))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the outline of a text such as "100,80 520,90 530,500 90,490", or "5x5: …"; raise NotationError."""
        number = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))"
        size, point = r"(?:(\d{1,2})\s*[x×]\s*(\d{1,2})\s*:)?\s*", rf"{number}\s*,\s*{number}"
        match = re.fullmatch(size + r"[\s;]+".join([point] * 4), text.strip(" \n\t;"))
        if match is None:
            raise _make_error(f"{text!r} is no outline")
        rows, cols, *numbers = match.groups()
        outline = KingdomOutline.of(np.array(numbers, np.float64).reshape(4, 2).tolist())
        return cls(outline.corners, *(int(side) if side else None for side in (rows, cols)))

    def check(self, photo: Photo) -> None:
        """Raise NotationError if the outline lies outside the photo, is too small or has an impossible shape."""
        slack = 0.02 * max(photo.width, photo.height)  # hands draw a little beyond
        for x, y in self.corners:
            if not (-slack <= x <= photo.width + slack and -slack <= y <= photo.height + slack):
                hint = f"corners are pixels of the upright photo, which has {photo.width} x {photo.height}"
                raise _make_error(f"the corner {x:g},{y:g} lies outside the photo", hint)
        along, down = self.sides
        min_squares, min_side_pixels = 3, 8  # along a side of a kingdom of unknown size; the detector needs 11 pixels
        if min(along / (self.cols or min_squares), down / (self.rows or min_squares)) < min_side_pixels:
            hint = f"take the photo from nearer: a square needs at least {min_side_pixels} pixels, better 20"
            raise _make_error(f"the outline {self} is too small to be read", hint)
        if not (self.rows and self.cols) and not any(self.iterate_sizes()):
            hint = "draw it around all of the kingdom, or give its size: 5x5: and the corners"
            raise _make_error(f"the outline {self} is too long and thin for a kingdom", hint)

    @property
    def sides(self) -> tuple[float, float]:
        """The mean lengths of the sides along the rows and down the columns, in pixels."""
        left, top, right, bottom = compute_side_lengths(np.asarray(self.corners, np.float64)).tolist()
        return (top + bottom) / 2, (left + right) / 2

    def iterate_sizes(self, *, max_aspect_ratio: float = 1.5) -> Iterator[tuple[int, int]]:
        """Yield the rows and columns whose squares would have an aspect ratio that is possible under perspective."""
        along, down = self.sides
        for rows, cols in product(range(2, MAX_SIDE + 1), repeat=2):
            if 1 / max_aspect_ratio < (along / cols) / (down / rows) < max_aspect_ratio:
                yield rows, cols


def _make_error(message: str, hint: str = "") -> NotationError:
    syntax = "X,Y X,Y X,Y X,Y, the corners in pixels clockwise from the top left, after 5x5: if the size is known"
    return NotationError(message, expected=syntax, hint=hint or f"write {syntax}")


def _compute_turns(points: Floats) -> Floats:
    """Return the cross products (4,) of successive sides: all positive for a clockwise convex outline."""
    side = np.roll(points, -1, axis=0) - points
    after = np.roll(side, -1, axis=0)
    return np.asarray(side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0])
