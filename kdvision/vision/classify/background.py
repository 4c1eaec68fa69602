"""The background model: the colours of the table, and how far each cell differs from them.

The networks know tiles; a domino unlike any that they were trained on still differs from the table. Cells with tiles do
not show the table.
"""

from typing import NamedTuple, Self

import cv2
import numpy as np

from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import UNIT_SQUARE, Floats, Mask, apply_homography, sample_quads
from kdvision.vision.image.photo import Photo


class Background(NamedTuple):
    """Median colours, CIE L*a*b*, of each cell of a grid (rows, cols, 3) and of the `surround`, cells around it (n, 3).

    NaN if nothing of a cell is visible.
    """

    cells: Floats
    surround: Floats

    @classmethod
    def sample(cls, photo: Photo, grid: Grid) -> Self:
        """Return the colours of a grid and its surround in a photo."""
        quads = np.concatenate([grid.quads.reshape(-1, 4, 2), list_surrounding_cells(grid)])
        colours = _sample_colours(photo, quads, grid.side_pixels)
        count = grid.rows * grid.cols
        return cls(colours[:count].reshape(grid.rows, grid.cols, 3), colours[count:])

    def measure_distance(self, empty: Mask) -> Floats:
        """Return the distance (rows, cols) of each cell's colour from the background.

        Background are the surround and the `empty` cells (rows, cols). A colour that an eighth of them share belongs to
        it; cloths have several. NaN if hardly any of it is visible.
        """
        return compute_colour_distance(self.cells, np.concatenate([self.cells[empty], self.surround]), 8)


def compute_colour_distance(colours: Floats, background: Floats, divisor: int) -> Floats:
    """Return the 1/`divisor` quantile of the distances of colours (…, 3) to background samples (m, 3).

    L* has less weight, because one table lies in light and shade. Two cells under one thing are alike, so that colours
    are compared with more than `min_similar`. NaN if the colour or almost all of the background is unknown.
    """
    lightness_weight, min_similar = 0.4, 2
    background = background[~np.isnan(background[:, 0])]
    rank = max(min_similar, len(background) // divisor)
    if rank >= len(background):
        return np.full(colours.shape[:-1], np.nan)
    distance = np.linalg.norm((colours[..., None, :] - background) * (lightness_weight, 1, 1), axis=-1)
    return np.asarray(np.partition(distance, rank, axis=-1)[..., rank])


def list_surrounding_cells(grid: Grid, margin: int = 4) -> Floats:
    """Return the cells (n, 4, 2) around a grid, `margin` rows and columns on each side, so that a pattern repeats."""
    rows, cols = np.mgrid[-margin : grid.rows + margin, -margin : grid.cols + margin].reshape(2, -1)
    outside = (rows < 0) | (rows >= grid.rows) | (cols < 0) | (cols >= grid.cols)
    corners = np.stack([cols[outside], rows[outside]], axis=1)[:, None] + UNIT_SQUARE
    matrix = grid.homography
    in_front = np.all(corners @ matrix[2, :2] + matrix[2, 2] > 0, axis=1)  # a steep table ends at its horizon
    return apply_homography(matrix, corners[in_front])


def _sample_colours(photo: Photo, quads: Floats, side: float) -> Floats:
    """Return the median colours (n, 3) of cells (n, 4, 2) with sides of `side` pixels.

    Things beside a tile reach over its edge, so only a share of its side is sampled.
    """
    samples, share = 8, 0.7
    positions = (np.arange(samples) + 0.5) / samples * share + (1 - share) / 2
    points = sample_quads(quads, positions)
    inside = np.asarray(((points >= 0) & (points < (photo.width, photo.height))).all(axis=-1))
    colours, is_visible = np.full((len(points), 3), np.nan), inside.any(axis=1)
    if not is_visible.any():
        return colours
    points, inside = points[is_visible], inside[is_visible]
    pixels, matrix = photo.crop(points, samples / side)
    x, y = np.moveaxis((apply_homography(matrix, points + 0.5) - 0.5).astype(np.float32), -1, 0)
    sampled_pixels = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = np.asarray(cv2.cvtColor(sampled_pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float64)
    lab[~inside] = np.nan
    lab.sort(axis=1)  # NaN comes last; nanmedian takes ten times as long
    count, row = inside.sum(axis=1), np.arange(len(lab))
    colours[is_visible] = (lab[row, (count - 1) // 2] + lab[row, count // 2]) / 2
    return colours
