"""From squares to kingdoms: one grid each, whichever way it lies, with its perspective, its holes and its crooked rows.

Seed and grow: the surest square claims the neighbours that lie where its own axes say, each of those claims its own,
and so on. What hangs together is one lattice. A homography is fitted to it, and a second look through the finder at the
kingdom straightened out, every square 48 pixels wide, mends both the fit and the squares that the first look missed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from skimage.measure import ransac
from skimage.transform import ProjectiveTransform

from kdvision.vision.finder import Finder, Floats, Squares, shrunk
from kdvision.vision.photo import Photo

Place = tuple[int, int]
"""Column and row on a lattice, counted from its seed."""

UNIT: Final = 48
"""Pixels of a square's side in the second look."""
MARGIN: Final = 2
"""Squares of table around the kingdom in the second look."""
TOLERANCE: Final = 0.35
"""How far from its predicted place a square may lie, in sides (notes: an inlier of a local fit; gaps reach a fifth)."""
CANDIDATES: Final = 10
"""So many lattices are looked at again: four kingdoms, the line on offer, and some that are none."""
LEAST: Final = 3
"""A castle and one domino: the smallest kingdom."""
MOST: Final = 11
"""More columns or rows than this are no kingdom but a pattern on the table."""

_NEIGHBOURS: Final = [(dc, dr) for dc in (-1, 0, 1) for dr in (-1, 0, 1) if (dc, dr) != (0, 0)]


@dataclass(frozen=True, eq=False)
class Grid:
    """One kingdom's places: `quads` (rows, cols, 4, 2), each square's corners from its top left, clockwise, in pixels.

    Row 0 is the top row as the kingdom lies in the upright photo. `evidence` (rows, cols), from 0 to 1, is how much of
    each place the finder takes for a square.
    """

    quads: Floats
    evidence: Floats | None = None

    @property
    def rows(self) -> int:
        return int(self.quads.shape[0])

    @property
    def cols(self) -> int:
        return int(self.quads.shape[1])

    def quad(self, square: tuple[int, int]) -> Floats:
        """Return one square's corners (4, 2)."""
        return np.asarray(self.quads[square[0], square[1]])

    @property
    def corners(self) -> Floats:
        """Return the whole grid's corners (4, 2): top left, top right, bottom right, bottom left."""
        return np.stack([self.quads[0, 0, 0], self.quads[0, -1, 1], self.quads[-1, -1, 2], self.quads[-1, 0, 3]])

    def part(self, rows: slice, cols: slice) -> Grid:
        """Return some of the rows and columns."""
        return Grid(self.quads[rows, cols], None if self.evidence is None else self.evidence[rows, cols])


@dataclass(frozen=True)
class Lattice:
    """Squares that hang together: each one's place and its index among the squares seen; and the fit.

    `matrix` (3, 3) takes lattice coordinates (column, row; a square's corners at whole numbers) to the photo's pixels.
    """

    members: dict[Place, int]
    matrix: Floats

    def bounds(self) -> tuple[int, int, int, int]:
        """Return the first column and row and the ones behind the last."""
        places = np.array(list(self.members))
        (left, top), (right, bottom) = places.min(0), places.max(0) + 1
        return int(left), int(top), int(right), int(bottom)


def lattices(squares: Squares) -> list[Lattice]:
    """Return the lattices that squares form, largest first; squares that fit nowhere are left out."""
    free = np.ones(len(squares), bool)
    found = []
    for seed in np.argsort(-squares.score, kind="stable"):
        if not free[seed]:
            continue
        members = _grow(squares, int(seed), free)
        free[list(members.values())] = False
        matrix = fit(squares, members) if len(members) >= LEAST else None
        if matrix is not None:
            found.append(Lattice(members, matrix))
    return sorted(found, key=lambda lattice: -len(lattice.members))


def _grow(squares: Squares, seed: int, free: npt.NDArray[np.bool_]) -> dict[Place, int]:
    """Claim squares from the seed outwards, the best fitting first."""
    axes = {seed: (squares.u[seed], squares.v[seed])}
    members: dict[Place, int] = {}
    taken = set()
    claims: list[tuple[float, int, Place, int, int]] = [(0.0, seed, (0, 0), seed, 0)]
    while claims:
        _, index, place, parent, turn = heapq.heappop(claims)
        if index in taken or place in members:
            continue
        members[place] = index
        taken.add(index)
        if index != parent:
            axes[index] = _turned(squares.u[index], squares.v[index], turn)
        for claim in _claims(squares, index, place, axes[index], free):
            if claim[1] not in taken:
                heapq.heappush(claims, claim)
    return members


def _claims(
    squares: Squares, index: int, place: Place, axes: tuple[Floats, Floats], free: npt.NDArray[np.bool_]
) -> Iterable[tuple[float, int, Place, int, int]]:
    u, v = axes
    side = squares.side[index]
    for dc, dr in _NEIGHBOURS:
        away = np.linalg.norm(squares.centre - (squares.centre[index] + 2 * (dc * u + dr * v)), axis=1) / side
        away[~free] = np.inf
        nearest = int(away.argmin())
        diagonal = 1.3 if dc and dr else 1.0
        if away[nearest] > TOLERANCE * diagonal or not 0.65 < squares.side[nearest] / side < 1.5:
            continue
        turn, cosine = _alignment(u, squares.u[nearest], squares.v[nearest])
        if cosine > 0.93:
            # diagonal steps only where no straight one leads: they are the less certain
            yield float(away[nearest]) + 0.5 * (diagonal > 1), nearest, (place[0] + dc, place[1] + dr), index, turn


def _alignment(axis: Floats, u: Floats, v: Floats) -> tuple[int, float]:
    """Return how many quarter turns make (u, v) lie along `axis`, and the cosine that is left."""
    turned = [_turned(u, v, turn)[0] for turn in range(4)]
    cosines = [float(axis @ t / (np.linalg.norm(axis) * np.linalg.norm(t) + 1e-9)) for t in turned]
    best = int(np.argmax(cosines))
    return best, cosines[best]


def _turned(u: Floats, v: Floats, turn: int) -> tuple[Floats, Floats]:
    return ((u, v), (v, -u), (-u, -v), (-v, u))[turn % 4]


def fit(squares: Squares, members: dict[Place, int]) -> Floats | None:
    """Return the homography (3, 3) from the lattice to pixels, robust against wrong members; None where none fits.

    Few squares, or a single row, cannot hold a perspective: there the squares' own axes join in, and it stays affine.
    """
    places = np.array(list(members), float) + 0.5
    chosen = list(members.values())
    side = float(np.median(squares.side[chosen]))
    if len(members) >= 8 and np.ptp(places, axis=0).min() >= 2:
        matrix = _projective(places, squares.centre[chosen], 0.2 * side)
    else:
        matrix = _affine(squares, places, chosen)
    return matrix if np.isfinite(matrix).all() and abs(np.linalg.det(matrix[:2, :2])) > 1 else None


def _projective(places: Floats, pixels: Floats, tolerance: float) -> Floats:
    """Fit by RANSAC (Fischler and Bolles, 1981); always the same for the same squares."""
    with np.errstate(all="ignore"):  # four places in a row, which some samples are, have no homography
        model, inliers = ransac((places, pixels), ProjectiveTransform, 4, tolerance, max_trials=200, rng=0)
    if inliers is None or not np.isfinite(model.params).all() or model.params[2, 2] == 0:
        return np.zeros((3, 3))
    return np.asarray(model.params / model.params[2, 2], np.float64)


def _affine(squares: Squares, places: Floats, chosen: list[int]) -> Floats:
    board, pixels = [*places], [*squares.centre[chosen]]
    offsets = places - places.mean(0)
    # axes are known up to a quarter turn: take the one that the places agree with
    rough = np.linalg.lstsq(offsets, squares.centre[chosen] - squares.centre[chosen].mean(0), rcond=None)[0].T
    rank2 = np.linalg.matrix_rank(offsets, tol=0.1) == 2
    for place, index in zip(places, chosen, strict=True):
        u, v = squares.u[index], squares.v[index]
        guide = rough[:, 0] if rank2 or np.ptp(places[:, 0]) > 0 else -_quarter(rough[:, 1])
        turn, _ = _alignment(guide, u, v)
        u, v = _turned(u, v, turn)
        for axis, step in ((u, (0.5, 0.0)), (v, (0.0, 0.5))):
            board += [place + step, place - step]
            pixels += [squares.centre[index] + axis, squares.centre[index] - axis]
    system = np.column_stack([board, np.ones(len(board))])
    solution = np.linalg.lstsq(system, np.array(pixels), rcond=None)[0].T
    return np.vstack([solution, [0, 0, 1]])


def _quarter(vector: Floats) -> Floats:
    """Turn a quarter clockwise on the page (x right, y down)."""
    return np.array([-vector[1], vector[0]])


def grids(photo: Photo, finder: Finder) -> list[Grid]:
    """Return the grids of a photo, one for each lattice of squares, with a rim of table around each."""
    first = [(lattice, seen) for seen in finder.find(photo) for lattice in lattices(seen)]
    first.sort(key=lambda pair: -covered(*pair))
    found: list[tuple[Lattice, Squares]] = []
    for lattice, seen in first[:CANDIDATES]:
        known = [one for one in found if _same_place(lattice, seen, *one)]
        if any(covered(*one) > 0.8 * covered(lattice, seen) for one in known):
            continue  # both looks saw this kingdom
        second = look_again(photo, finder, lattice)
        if second is not None:
            found.append(second)
    kept: list[tuple[Lattice, Squares]] = []
    for lattice, squares in sorted(found, key=lambda pair: -covered(*pair)):
        if not any(_same_place(lattice, squares, *other) for other in kept):
            kept.append((lattice, squares))
    return [grid_of(lattice, squares) for lattice, squares in kept]


def covered(lattice: Lattice, squares: Squares) -> float:
    """Return the area (square pixels) that a lattice's squares cover, as far as the finder is sure of them.

    A wrong scale sees many squares where there are few, but is sure of none.
    """
    chosen = list(lattice.members.values())
    return float((squares.score[chosen] ** 2 * squares.side[chosen] ** 2).sum())


def look_again(photo: Photo, finder: Finder, lattice: Lattice) -> tuple[Lattice, Squares] | None:
    """Return the lattice as the finder sees it straightened out, with the squares in the photo's pixels.

    Looks once more where the kingdom turns out to be larger than the first look said.
    """
    squares: Squares | None = None
    for _ in range(3):
        left, top, right, bottom = lattice.bounds()
        if max(right - left, bottom - top) > MOST:
            return None
        flat, into = straightened(photo, lattice.matrix, (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN))
        near = finder.look(flat)
        members = _members(near, MARGIN, (left, top), lattice.members)
        if len(members) < LEAST:
            return None
        squares = near.moved(np.asarray(np.linalg.inv(into), np.float64))
        matrix = fit(squares, members)
        if matrix is None:
            return None
        grown = Lattice(members, matrix)
        done = _within(grown.bounds(), lattice.bounds())
        lattice = grown
        if done:
            break
    assert squares is not None
    return lattice, squares


def _within(inner: tuple[int, int, int, int], outer: tuple[int, int, int, int]) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def straightened(
    photo: Photo, matrix: Floats, bounds: tuple[int, int, int, int]
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Return part of a lattice as a flat picture, 48 pixels a square, and the homography from the photo to it."""
    left, top, right, bottom = bounds
    centre = np.array([[(left + right) / 2, (top + bottom) / 2]])
    corners = cv2.perspectiveTransform(
        (centre + np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]))[None], matrix
    )[0]
    side = float(np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1).mean())
    pixels, scale = (photo.pixels, (1.0, 1.0)) if side < 1.4 * UNIT else shrunk(photo.pixels, 1.2 * UNIT / side)
    into = np.array([[UNIT, 0, -left * UNIT], [0, UNIT, -top * UNIT], [0, 0, 1.0]]) @ np.linalg.inv(matrix)
    size = ((right - left) * UNIT, (bottom - top) * UNIT)
    flat = cv2.warpPerspective(
        pixels,
        into @ np.diag([1 / scale[0], 1 / scale[1], 1.0]),
        size,
        flags=cv2.INTER_LINEAR,
        borderValue=(114, 114, 114),
    )
    return np.asarray(flat, np.uint8), into


def _members(near: Squares, margin: int, origin: Place, before: dict[Place, int]) -> dict[Place, int]:
    """Return which squares of a straightened picture lie on the lattice and hang together with it."""
    where = near.centre / UNIT - 0.5
    place = np.round(where).astype(int)
    off = np.abs(where - place).max(1) if len(near) else np.zeros(0)
    _, cosine = (
        zip(*(_alignment(np.array([1.0, 0.0]), u, v) for u, v in zip(near.u, near.v, strict=True)), strict=True)
        if len(near)
        else ((), ())
    )
    fits = (off < 0.3) & (np.abs(np.log(near.side / UNIT)) < 0.3) & (np.array(cosine) > 0.96)
    best: dict[Place, int] = {}
    for index in np.argsort(-near.score, kind="stable"):
        if fits[index]:
            best.setdefault(
                (int(place[index, 0]) - margin + origin[0], int(place[index, 1]) - margin + origin[1]), int(index)
            )
    return _joined(best, before)


def _joined(best: dict[Place, int], before: dict[Place, int]) -> dict[Place, int]:
    """Keep what touches, by a side or a corner, the part that shares most places with the lattice before."""
    left = set(best)
    parts: list[set[Place]] = []
    while left:
        part, edge = set(), [left.pop()]
        while edge:
            col, row = edge.pop()
            part.add((col, row))
            near = {(col + dc, row + dr) for dc, dr in _NEIGHBOURS} & left
            left -= near
            edge += near
        parts.append(part)
    most = max(parts, key=lambda part: (len(part & before.keys()), len(part), sorted(part)), default=set())
    return {place: best[place] for place in sorted(most)}


def _same_place(lattice: Lattice, squares: Squares, other: Lattice, theirs: Squares) -> bool:
    """Whether most of a lattice's squares lie on squares of another."""
    ours, rival = squares.centre[list(lattice.members.values())], theirs.centre[list(other.members.values())]
    side = float(np.median(theirs.side[list(other.members.values())]))
    near = np.linalg.norm(ours[:, None] - rival[None], axis=2).min(1) < 0.6 * side
    return bool(near.mean() > 0.3)


def grid_of(lattice: Lattice, squares: Squares, *, rim: int = 1) -> Grid:
    """Return the lattice's grid with a rim of table, its rows and columns as they lie in the upright photo.

    Each place is bent by how far its own and the neighbouring squares lie off the fit.
    """
    left, top, right, bottom = lattice.bounds()
    cols, rows = np.arange(left - rim, right + rim), np.arange(top - rim, bottom + rim)
    bend, evidence = _bend(lattice, squares, cols, rows)
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    places = np.stack(np.meshgrid(cols, rows), -1).astype(float)
    board = places[:, :, None, :] + box + bend[:, :, None, :]
    quads = cv2.perspectiveTransform(board.reshape(1, -1, 2), lattice.matrix).reshape(board.shape)
    return _uprighted(quads, evidence)


def _bend(
    lattice: Lattice, squares: Squares, cols: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return each place's shift (rows, cols, 2) in squares and the finder's evidence (rows, cols)."""
    off = np.zeros((len(rows), len(cols), 2))
    known = np.zeros((len(rows), len(cols)))
    back = np.linalg.inv(lattice.matrix)
    for (col, row), index in lattice.members.items():
        seen = cv2.perspectiveTransform(squares.centre[index].reshape(1, 1, 2), back)[0, 0]
        here = (row - rows[0], col - cols[0])
        off[here] = np.clip(seen - (col + 0.5, row + 0.5), -0.3, 0.3)
        known[here] = squares.score[index]
    kernel = np.array([[0.15, 0.3, 0.15], [0.3, 1.5, 0.3], [0.15, 0.3, 0.15]])
    total = cv2.filter2D(off * known[..., None], -1, kernel, borderType=cv2.BORDER_CONSTANT)
    weight = cv2.filter2D(known, -1, kernel, borderType=cv2.BORDER_CONSTANT)
    return total / np.maximum(weight, 0.3)[..., None], known


def _uprighted(quads: Floats, evidence: Floats) -> Grid:
    """Turn rows and columns by quarters until columns run rightwards in the photo."""
    along, down = (quads[:, :, 1] - quads[:, :, 0]).mean((0, 1)), (quads[:, :, 3] - quads[:, :, 0]).mean((0, 1))
    turn = int(np.round(np.arctan2(along[1] - down[0], along[0] + down[1]) / (np.pi / 2))) % 4
    # columns that run down the photo (turn 1) become rows: np.rot90 clockwise, and each square's corners follow
    turned = np.rot90(quads, -turn, (0, 1))
    return Grid(np.ascontiguousarray(np.roll(turned, turn, axis=2)), np.ascontiguousarray(np.rot90(evidence, -turn)))
