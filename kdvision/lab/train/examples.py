"""Training examples: rendered scenes for the detector, and crops of cells for the cell classifier.

Crops are cut from rendered scenes, or made of real crops, each surrounded by others as on a board.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product, starmap
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.game.board import Square
from kdvision.lab.arrays import Bytes, Floats, Floats32, Rng
from kdvision.lab.render.renderer import Picture, RenderedKingdom, measure_cover
from kdvision.lab.train.crop_folder import Crops
from kdvision.vision.classify.probabilities import KINDS, NOTHING
from kdvision.vision.geometry import UNIT_SQUARE, apply_homography
from kdvision.vision.networks.cells import CROP_PIXELS, SQUARE_PIXELS, prepare_crops

TILE_KINDS = (*(kind for kind in KINDS if kind != NOTHING), "t")
PIECES = ("", "knight", "tower", "queen", "building")
"""What stands on a square, apart from its own print; "" is nothing."""
PARTNER_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Right, down, left, up: the order of the partner outputs."""
UNKNOWN = -1
MAX_TILES, MAX_EMPTY_CELLS = 30, 16
"""Crops cut from one picture, at most."""

KIND, TILE, HIDDEN, PARTNER, PIECE, GEMS = *range(5), slice(5, 9)
"""Columns of labels: an index of TILE_KINDS; 0 or 1; 0 or 1; an index of PARTNER_STEPS; an index of PIECES; whether a
gem lies on each corner, clockwise from the top left."""
NO_TILE = (UNKNOWN, 0, 0, UNKNOWN, UNKNOWN, *[UNKNOWN] * 4)
"""Labels of an empty cell."""


class CellExamples(NamedTuple):
    """Crops (n, 64, 64, 3) with labels (n, 9), each UNKNOWN where it is not known."""

    crops: Bytes
    labels: npt.NDArray[np.int64]

    @classmethod
    def join(cls, groups: Iterable[CellExamples]) -> CellExamples:
        return cls(*map(np.concatenate, zip(*groups, strict=True)))


@dataclass(frozen=True)
class SceneExample:
    """A rendered photo as JPEG bytes, the corners (n, 4, 2) of all face-up squares in it, and crops cut from it."""

    jpeg: bytes
    quads: Floats32
    cells: CellExamples


def fit_board_homography(kingdom: RenderedKingdom) -> Floats:
    """Return the homography (3, 3) from board coordinates (column, row) to pixels; zeros if it cannot be fitted.

    It is fitted to the centres of the squares, because the corners of a tile begin anywhere.
    """
    board = np.array([(square.col + 0.5, square.row + 0.5) for square in kingdom.squares]).reshape(-1, 2)
    pixels = np.array([rendered_square.corners.mean(0) for rendered_square in kingdom.squares.values()]).reshape(-1, 2)
    matrix = cv2.findHomography(board, pixels, 0)[0] if len(board) >= 6 else None
    return np.zeros((3, 3)) if matrix is None else np.asarray(matrix, np.float64)


def cut_cell_examples(picture: Picture, rng: Rng) -> CellExamples:
    """Return crops of one picture: some of its squares, and empty cells beside and between them."""
    tiles: list[tuple[Floats, tuple[int, ...]]] = []
    empty_quads: list[Floats] = []
    mask = np.zeros(picture.photo.shape[:2], np.uint8)
    for corners in picture.quads:
        cv2.fillConvexPoly(mask, corners.astype(np.int32), 1)
    cover_mask = mask > 0
    for kingdom in picture.kingdoms:
        matrix = fit_board_homography(kingdom)
        if not matrix.any():
            continue
        for square, rendered_square in kingdom.squares.items():
            quad = _project_square(matrix, square)
            if not _is_inside(picture.photo, quad):
                continue  # a crop beyond the border is grey and shows nothing to learn
            corners = _align_corners(rendered_square.corners, quad[1] - quad[0])
            share = rng.uniform(0, 1)
            tiles.append((_jitter_quad(corners * share + quad * (1 - share), rng), _label_square(kingdom, square)))
        ring = starmap(Square, product(range(-1, kingdom.board.height + 1), range(-1, kingdom.board.width + 1)))
        neighbour_quads = [_project_square(matrix, square) for square in ring if square not in kingdom.squares]
        empty_quads += [quad for quad in neighbour_quads if _is_free(cover_mask, quad, 0.1)]
    empty_quads += _draw_random_quads(rng, cover_mask)
    selection = [tiles[i] for i in rng.permutation(len(tiles))[:MAX_TILES]]
    chosen_quads = [empty_quads[i] for i in rng.permutation(len(empty_quads))[:MAX_EMPTY_CELLS]]
    selection += [(_jitter_quad(quad, rng), NO_TILE) for quad in chosen_quads]
    crops = [prepare_crops(picture.photo, quad[None]) for quad, _ in selection]  # each at a scale of its own
    labels = np.array([label for _, label in selection], np.int64).reshape(-1, len(NO_TILE))
    return CellExamples(np.array(crops, np.uint8).reshape(-1, CROP_PIXELS, CROP_PIXELS, 3), labels)


def _align_corners(corners: Floats, right: Floats) -> Floats:
    """Return the corners (4, 2) rotated so that the first side runs along `right`."""
    left_middle = corners.mean(0) - right / 2
    middles = (corners + np.roll(corners, 1, 0)) / 2  # of the side that ends in each corner
    return np.roll(corners, -int(np.linalg.norm(middles - left_middle, axis=1).argmin()), 0)


def _label_square(kingdom: RenderedKingdom, square: Square) -> tuple[int, ...]:
    """Return a tile's labels; piece and gems are UNKNOWN where something hides them."""
    is_hidden, partner_square = kingdom.squares[square].hidden_share > 0.5, kingdom.partner.get(square)
    partner = (
        PARTNER_STEPS.index((partner_square.row - square.row, partner_square.col - square.col))
        if partner_square
        else UNKNOWN
    )
    piece = kingdom.pieces.get(square, "")
    corners = [Square(square.row + row, square.col + col) for row, col in ((-1, -1), (-1, 0), (0, 0), (0, -1))]
    gems = [UNKNOWN if is_hidden else int(corner in kingdom.gems) for corner in corners]
    kind = TILE_KINDS.index(str(kingdom.board[square]))
    return kind, 1, int(is_hidden), partner, UNKNOWN if is_hidden and not piece else PIECES.index(piece), *gems


def _project_square(matrix: Floats, square: Square) -> Floats:
    return apply_homography(matrix, np.add(UNIT_SQUARE, (square.col, square.row)))


def _is_free(cover_mask: npt.NDArray[np.bool_], quad: Floats, max_cover: float) -> bool:
    """Return whether a square (4, 2) lies in the picture, and tiles cover at most a share of it."""
    is_drawable = _is_inside(cover_mask, quad) and np.abs(quad).max() < 1e4
    return bool(is_drawable and measure_cover(cover_mask, quad) < max_cover)


def _is_inside(photo: npt.NDArray[np.generic], quad: Floats) -> bool:
    centre = quad.mean(0)
    return bool(((centre > 0) & (centre < photo.shape[1::-1])).all())


def _draw_random_quads(rng: Rng, cover_mask: npt.NDArray[np.bool_]) -> list[Floats]:
    """Return random squares of the table, often on clutter."""
    height, width = cover_mask.shape
    quads = []
    for _ in range(6):
        side, angle = rng.uniform(15, 90), rng.uniform(0, 1.6)
        centre = (rng.uniform(0, width), rng.uniform(0, height))
        quad = cv2.boxPoints((centre, (side, side), np.degrees(angle))).astype(np.float64)
        if _is_free(cover_mask, quad, 0.05):
            quads.append(quad)
    return quads


def _jitter_quad(quad: Floats, rng: Rng) -> Floats:
    """Return the square (4, 2) as a lattice fit would give it: slightly displaced, slightly too large."""
    side = float(np.linalg.norm(quad[2] - quad[0])) / np.sqrt(2)
    centre = quad.mean(0)
    scaled_quad = centre + (quad - centre) * rng.uniform(0.95, 1.09)
    return np.asarray(scaled_quad + side * (rng.normal(0, 0.035, 2) + rng.normal(0, 0.015, (4, 2))))


def make_mosaics(crops: Crops, rng: Rng, count: int) -> CellExamples:
    """Return examples of real crops, each in the middle of crops that could lie beside it."""
    photos, kinds = sorted(crops.pictures), sorted(crops.by_kind)
    mosaics = np.empty((count, CROP_PIXELS, CROP_PIXELS, 3), np.uint8)
    labels = np.tile(np.array(NO_TILE, np.int64), (count, 1))
    for i in range(count):
        name = photos[rng.integers(len(photos))]
        similar_crops = crops.find_matching(name)
        is_bare = rng.random() < 0.15
        # half by photo, so that frequent kinds stay frequent; half by kind, so that rare ones occur
        kind = str(rng.choice(sorted(crops.pictures[name]))) if rng.random() < 0.5 else str(rng.choice(kinds))
        pool = crops.scraps if is_bare else similar_crops[kind]
        neighbours = [crop for crops_of_kind in similar_crops.values() for crop in crops_of_kind]
        mosaics[i] = _make_mosaic(pool[rng.integers(len(pool))], neighbours, crops.scraps, rng)
        if not is_bare:
            labels[i, [KIND, TILE]] = TILE_KINDS.index(kind), 1
            labels[i, PIECE:] = 0  # no crop shows a piece or a gem
    return CellExamples(mosaics, labels)


def _make_mosaic(middle: Bytes, neighbours: list[Bytes], scraps: tuple[Bytes, ...], rng: Rng) -> Bytes:
    """Return a crop (64, 64, 3) of a square surrounded by other squares or bare table."""
    side = SQUARE_PIXELS + int(rng.integers(-2, 3))
    canvas = np.empty((3 * side, 3 * side, 3), np.uint8)
    for row, col in np.ndindex(3, 3):
        if row == col == 1:
            crop = middle
        else:
            crop = (
                neighbours[rng.integers(len(neighbours))] if rng.random() < 0.75 else scraps[rng.integers(len(scraps))]
            )
            crop = np.rot90(crop, int(rng.integers(4)))
        method = cv2.INTER_AREA if crop.shape[0] > side else cv2.INTER_LINEAR
        square = cv2.resize(crop, (side, side), interpolation=method)
        canvas[row * side : (row + 1) * side, col * side : (col + 1) * side] = square
    top, left = (3 * side - CROP_PIXELS) // 2 + rng.integers(-2, 3, 2)
    return canvas[top : top + CROP_PIXELS, left : left + CROP_PIXELS]
