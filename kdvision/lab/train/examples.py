"""Training examples: rendered scenes for the finder, and crops of their squares for the cell network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.game.board import Square
from kdvision.lab.render.light import compress_jpeg
from kdvision.lab.render.renderer import Picture, RenderedKingdom
from kdvision.vision.classify.probabilities import KINDS, NOTHING
from kdvision.vision.networks.cells import CROP, prepare_crops

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

TILE_KINDS = (*(kind for kind in KINDS if kind != NOTHING), "t")
PIECES = ("", "knight", "tower", "queen", "building")
"""What lies or stands on a square of a kingdom; the first is nothing, or what the kind of the square tells."""
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))  # right, down, left, up: the order of the partner outputs
UNKNOWN = -1


@dataclass(frozen=True)
class CellExamples:
    """Crops (n, 64, 64, 3) and labels (n,): kind's index (or -1), a tile or not, hidden or not, partner (or -1), piece.

    `piece` is an index of PIECES (or -1); `gems` (n, 4) tells for each corner, clockwise from the top left, whether a
    gem lies there (or -1).
    """

    crops: Bytes
    kind: npt.NDArray[np.int64]
    tile: npt.NDArray[np.int64]
    hidden: npt.NDArray[np.int64]
    partner: npt.NDArray[np.int64]
    piece: npt.NDArray[np.int64]
    gems: npt.NDArray[np.int64]

    @classmethod
    def join(cls, parts: list[CellExamples]) -> CellExamples:
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True)
class SceneExample:
    """A rendered photo as JPEG bytes, the corners (n, 4, 2) of all face-up squares in it, and crops cut from it."""

    code: bytes
    quads: npt.NDArray[np.float32]
    cells: CellExamples

    def photo(self) -> Bytes:
        return np.asarray(cv2.imdecode(np.frombuffer(self.code, np.uint8), cv2.IMREAD_COLOR_RGB), np.uint8)


def lattice_of(kingdom: RenderedKingdom) -> Floats:
    """Return the homography (3, 3) from board coordinates (column, row; corners at whole numbers) to pixels."""
    board, pixels = [], []
    for square, seen in kingdom.squares.items():
        # a tile's own corners begin anywhere: put them in the board's order by the side that faces each neighbour
        board.append((square.col + 0.5, square.row + 0.5))
        pixels.append(seen.corners.mean(0))
    if len(board) < 6:
        return np.zeros((3, 3))
    matrix, _ = cv2.findHomography(np.array(board), np.array(pixels), 0)
    return np.zeros((3, 3)) if matrix is None else np.asarray(matrix, np.float64)


def _upright(corners: Floats, right: Floats) -> Floats:
    """Return the corners (4, 2) begun at the one that makes the first side run along `right`."""
    first = corners.mean(0) - right / 2
    sides = np.array([(np.roll(corners, -k, 0)[0] + np.roll(corners, -k, 0)[3]) / 2 - first for k in range(4)])
    return np.roll(corners, -int(np.linalg.norm(sides, axis=1).argmin()), 0)


def cell_examples(picture: Picture, rng: np.random.Generator, *, tiles: int = 30, others: int = 16) -> CellExamples:
    """Return crops of one picture: some of its squares, and places beside and between them that show none."""
    quads: list[Floats] = []
    labels: list[tuple[int, ...]] = []
    covered = _face_up(picture)
    nothing: list[Floats] = []
    for kingdom in picture.kingdoms:
        matrix = lattice_of(kingdom)
        if not matrix.any():
            continue
        for square, seen in kingdom.squares.items():
            quad = _on_lattice(matrix, square)
            if not _within(picture.photo, quad):
                continue  # a crop of what lies beyond the picture is grey and shows nothing to learn
            corners = _upright(seen.corners, quad[1] - quad[0])
            kind = TILE_KINDS.index(str(kingdom.board[square]))
            mostly = rng.uniform(0, 1)
            quads.append(_shaken(corners * mostly + quad * (1 - mostly), rng))
            hidden = int(seen.hidden > 0.5)
            labels.append((kind, 1, hidden, _partner(kingdom, square), *_on(kingdom, square, hidden)))
        nothing += [q for q in _around(kingdom, matrix) if _overlap(covered, q) < 0.1]
    nothing += _anywhere(rng, covered)
    keep = list(rng.permutation(len(quads))[:tiles])
    spare = [nothing[i] for i in rng.permutation(len(nothing))[:others]]
    chosen = [*(quads[i] for i in keep), *(_shaken(quad, rng) for quad in spare)]
    none = (UNKNOWN, 0, 0, UNKNOWN, UNKNOWN, *[UNKNOWN] * 4)
    truth = np.array([labels[i] for i in keep] + [none] * len(spare), np.int64).reshape(-1, len(none))
    crops = np.concatenate(
        [prepare_crops(picture.photo, quad[None]) for quad in chosen] or [np.zeros((0, CROP, CROP, 3), np.uint8)]
    )
    kind, tile, hidden, partner, piece = truth[:, :5].T
    return CellExamples(crops, kind, tile, hidden, partner, piece, truth[:, 5:])


def _partner(kingdom: RenderedKingdom, square: Square) -> int:
    other = kingdom.partner.get(square)
    return UNKNOWN if other is None else STEPS.index((other.row - square.row, other.col - square.col))


def _on(kingdom: RenderedKingdom, square: Square, hidden: int) -> Iterator[int]:
    """What lies on a square, and whether a gem does on each of its corners; unknown where something else hides it."""
    piece = kingdom.pieces.get(square, "")
    yield UNKNOWN if hidden and not piece else PIECES.index(piece)
    for row, col in ((-1, -1), (-1, 0), (0, 0), (0, -1)):
        yield UNKNOWN if hidden else int(Square(square.row + row, square.col + col) in kingdom.gems)


def _on_lattice(matrix: Floats, square: Square) -> Floats:
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]) + np.array([square.col, square.row])
    return np.asarray(cv2.perspectiveTransform(box[None], matrix)[0])


def _around(kingdom: RenderedKingdom, matrix: Floats) -> Iterator[Floats]:
    """The lattice's places without a tile: holes and the ring about the board."""
    rows, cols = kingdom.board.height, kingdom.board.width
    for row in range(-1, rows + 1):
        for col in range(-1, cols + 1):
            if Square(row, col) not in kingdom.squares:
                yield _on_lattice(matrix, Square(row, col))


def _face_up(picture: Picture) -> Bytes:
    mask = np.zeros(picture.photo.shape[:2], np.uint8)
    for quad in [*(s.corners for k in picture.kingdoms for s in k.squares.values()), *picture.loose]:
        cv2.fillConvexPoly(mask, quad.astype(np.int32), 1)
    return mask


def _overlap(mask: Bytes, quad: Floats) -> float:
    if not _within(mask, quad) or np.abs(quad).max() > 1e4:
        return 1.0
    here = np.zeros_like(mask)
    cv2.fillConvexPoly(here, quad.astype(np.int32), 1)
    return float(mask[here > 0].mean()) if here.any() else 1.0


def _within(photo: Bytes, quad: Floats) -> bool:
    """Return whether the middle of a square (4, 2) is in the picture."""
    centre = quad.mean(0)
    return bool(((centre > 0) & (centre < photo.shape[1::-1])).all())


def bare_places(quads: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the places (m, 4, 2) beside squares (n, 4, 2) where none lies, and beside how many squares each (m,)."""
    middles, sides = quads.mean(1), (quads + np.roll(quads, -1, 1)) / 2
    half = np.linalg.norm(sides - middles[:, None], axis=2)
    found = (quads[:, None] + 2 * (sides - middles[:, None])[:, :, None]).reshape(-1, 4, 2)
    centres, reach = found.mean(1), half.reshape(-1)
    found_bare = np.linalg.norm(centres[:, None] - middles[None], axis=2).min(1, initial=np.inf) > reach
    found, centres, reach = found[found_bare], centres[found_bare], reach[found_bare]
    alike = np.linalg.norm(centres[:, None] - centres[None], axis=2) < reach[:, None]
    first = alike.argmax(axis=1) == np.arange(len(found)) if len(found) else np.zeros(0, bool)
    return found[first], alike.sum(axis=1)[first]


def _anywhere(rng: np.random.Generator, covered: Bytes) -> list[Floats]:
    """Places on the table at random, often on clutter."""
    height, width = covered.shape
    found = []
    for _ in range(6):
        side, turn = rng.uniform(15, 90), rng.uniform(0, 1.6)
        box = cv2.boxPoints(((rng.uniform(0, width), rng.uniform(0, height)), (side, side), np.degrees(turn))).astype(
            np.float64
        )
        if _overlap(covered, box) < 0.05:
            found.append(box)
    return found


def _shaken(quad: Floats, rng: np.random.Generator) -> Floats:
    """Return the square (4, 2) as a lattice fit would give it: a little off, a little too large."""
    side = float(np.linalg.norm(quad[2] - quad[0])) / np.sqrt(2)
    centre = quad.mean(0)
    moved = centre + (quad - centre) * rng.uniform(0.95, 1.09)
    return np.asarray(moved + side * (rng.normal(0, 0.035, 2) + rng.normal(0, 0.015, (4, 2))))


def spoil(crop: Bytes, rng: np.random.Generator) -> Bytes:
    """Return a crop with one more JPEG round trip or blur, as small squares in a poor photo have."""
    if rng.random() < 0.5:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.3, 1.6)), np.uint8)
    return compress_jpeg(crop, int(rng.integers(25, 90))) if rng.random() < 0.4 else crop
