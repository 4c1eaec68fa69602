"""What the table looks like, and how far each place of a grid is from that. Where tiles lie, it is not seen.

The networks know tiles; a domino unlike any they were shown is still not the table. So colour is a witness beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kdvision.vision.detect.grid import Grid
from kdvision.vision.detect.hypothesis import Mask
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import Floats

POINTS: Final = 8
"""So many points along each side of a place are looked at."""
INNER: Final = 0.7
"""They lie in the middle of the place, so far out: what lies beside it reaches over its edge."""
DEPTH: Final = 0.4
"""Lightness counts less than half: one table lies in light and shade."""
DOMINO: Final = 2
"""No fewer places than that are compared: two places under one thing are like each other."""
AROUND: Final = 4
"""So many squares further the table goes on, as a pattern does that repeats."""
PATTERN: Final = 8
"""What an eighth of all places without tiles is like belongs to the table, one of its colours at least."""
WHITE: Final = 99.0
"""Where a lamp is mirrored nothing but white is left, L* of 100, and what lies there has no colour."""


@dataclass(frozen=True)
class Background:
    """Typical colours, CIE L*a*b*: of each place of a grid (rows, cols, 3), and of those `around` it (n, 3).

    Not a number where nothing is seen.
    """

    places: Floats
    around: Floats

    @classmethod
    def seen(cls, photo: Photo, grid: Grid) -> Background:
        """Return the colours about a grid: the median of each channel; of places that the picture cuts, what is in."""
        quads = np.concatenate([grid.quads.reshape(-1, 4, 2), extend_grid(grid)])
        found = _typical(photo, quads, grid.side)
        here = grid.rows * grid.cols
        return cls(found[:here].reshape(grid.rows, grid.cols, 3), found[here:])

    def distance(self, bare: Mask) -> Floats:
        """Return how far each place's colour (rows, cols) is from the table's: that of an eighth of it is nearer.

        The table is what lies around and the places that are `bare` (rows, cols). Not a number where hardly any of it
        is seen.
        """
        table = np.concatenate([self.places[bare], self.around])
        return compute_colour_distance(self.places.reshape(-1, 3), table, PATTERN).reshape(bare.shape)

    @property
    def white(self) -> Mask:
        """Which places (rows, cols) the light has left white."""
        return np.asarray(self.places[..., 0] > WHITE)


def compute_colour_distance(seen: Floats, table: Floats, share: int) -> Floats:
    """Return how far colours (n, 3) are from those of a table (m, 3): one in `share` of these is as near.

    Lightness counts by `DEPTH`. Not a number where the colour, or hardly any of the table, is known.
    """
    table = table[~np.isnan(table[:, 0])]
    like = max(DOMINO, len(table) // share)
    if like >= len(table):
        return np.full(len(seen), np.nan)
    away = np.linalg.norm((seen[:, None] - table[None]) * (DEPTH, 1, 1), axis=2)
    return np.asarray(np.partition(away, like, axis=1)[:, like])


def extend_grid(grid: Grid) -> Floats:
    """Return the places (n, 4, 2) around a grid, `AROUND` rows and columns, as if it went on there."""
    rows, cols = np.mgrid[-AROUND : grid.rows + AROUND, -AROUND : grid.cols + AROUND].reshape(2, -1)
    new = (rows < 0) | (rows >= grid.rows) | (cols < 0) | (cols >= grid.cols)
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    corners = np.stack([cols[new], rows[new]], axis=1)[:, None] + box
    matrix = grid.homography
    before = (corners @ matrix[2, :2] + matrix[2, 2] > 0).all(axis=1)  # the camera: a steep table ends at its horizon
    if not before.any():
        return np.zeros((0, 4, 2))
    return np.asarray(cv2.perspectiveTransform(corners[before].reshape(1, -1, 2), matrix).reshape(-1, 4, 2))


def _typical(photo: Photo, quads: Floats, side: float) -> Floats:
    """The typical colours (n, 3) of places (n, 4, 2), whose sides are `side` pixels long."""
    along = (np.arange(POINTS) + 0.5) / POINTS * INNER + (1 - INNER) / 2
    across, down = np.meshgrid(along, along)
    weights = np.stack([(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down], -1)
    points = np.einsum("ijk,nkd->nijd", weights, quads).reshape(-1, POINTS**2, 2)
    inside = ((points >= 0) & (points < (photo.width, photo.height))).all(axis=-1)
    found, some = np.full((len(points), 3), np.nan), inside.any(axis=1)
    if not some.any():
        return found
    points, inside = points[some], inside[some]
    pixels, into = photo.crop(points, POINTS / side)
    at = cv2.perspectiveTransform((points + 0.5).reshape(1, -1, 2), into).reshape(points.shape) - 0.5
    x, y = np.moveaxis(at.astype(np.float32), -1, 0)
    seen = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = np.asarray(cv2.cvtColor(seen.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float64)
    whole = inside.all(axis=1)
    lab[~inside] = np.nan
    shades = np.median(lab, axis=1)
    shades[~whole] = np.nanmedian(lab[~whole], axis=1)
    found[some] = shades
    return found
