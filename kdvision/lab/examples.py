"""Training examples: rendered scenes for the finder, crops of their squares and of real photos for the cell network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.game.board import Square
from kdvision.lab import furnished, scenes, synth, tables
from kdvision.lab.busy import busy
from kdvision.lab.crop_folder import Crops
from kdvision.lab.light import jpeg
from kdvision.lab.sources import MANY_BOXES
from kdvision.lab.synth import Picture, Seen, SeenKingdom
from kdvision.lab.workshop import Workshop
from kdvision.vision.cells import CROP, prepare
from kdvision.vision.reading import KINDS, NOTHING

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

SCENE_SIZE = 640
TILE_KINDS = (*(kind for kind in KINDS if kind != NOTHING), "t")
PIECES = ("", "knight", "tower", "queen", "building")
"""What lies or stands on a square of a kingdom; the first is nothing, or what the kind of the square tells."""
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))  # right, down, left, up: the order of the partner outputs
UNKNOWN = -1
WORLDS = {"scenes": (), "pieces": (23,), "busy": (29,)}
"""What is trained on, and the words that each adds to its seeds.

Plain tables; tables of games with pieces on squares or crossings; tables full of shapes and colours, on which more
kingdoms lie, and more of them of many drawn boxes.
"""
BUSY_DRAWN = 0.35


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


def lattice_of(kingdom: SeenKingdom) -> Floats:
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
        [prepare(picture.photo, quad[None]) for quad in chosen] or [np.zeros((0, CROP, CROP, 3), np.uint8)]
    )
    kind, tile, hidden, partner, piece = truth[:, :5].T
    return CellExamples(crops, kind, tile, hidden, partner, piece, truth[:, 5:])


def _partner(kingdom: SeenKingdom, square: Square) -> int:
    other = kingdom.partner.get(square)
    return UNKNOWN if other is None else STEPS.index((other.row - square.row, other.col - square.col))


def _on(kingdom: SeenKingdom, square: Square, hidden: int) -> Iterator[int]:
    """What lies on a square, and whether a gem does on each of its corners; unknown where something else hides it."""
    piece = kingdom.pieces.get(square, "")
    yield UNKNOWN if hidden and not piece else PIECES.index(piece)
    for row, col in ((-1, -1), (-1, 0), (0, 0), (0, -1)):
        yield UNKNOWN if hidden else int(Square(square.row + row, square.col + col) in kingdom.gems)


def _on_lattice(matrix: Floats, square: Square) -> Floats:
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]) + np.array([square.col, square.row])
    return np.asarray(cv2.perspectiveTransform(box[None], matrix)[0])


def _around(kingdom: SeenKingdom, matrix: Floats) -> Iterator[Floats]:
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
    height, width = mask.shape
    centre = quad.mean(0)
    if not ((centre > 0) & (centre < (width, height))).all() or np.abs(quad).max() > 1e4:
        return 1.0
    here = np.zeros_like(mask)
    cv2.fillConvexPoly(here, quad.astype(np.int32), 1)
    return float(mask[here > 0].mean()) if here.any() else 1.0


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


def rectified(picture: Picture, rng: np.random.Generator) -> Picture:
    """Return one kingdom seen straight from above, cut flush with its outline or with a rim of table.

    People crop their photos, and the finder's second look sees every kingdom so.
    """
    kingdom = picture.kingdoms[rng.integers(len(picture.kingdoms))]
    matrix = lattice_of(kingdom)
    middle = np.array([kingdom.board.width, kingdom.board.height]) / 2
    if not matrix.any():
        return picture
    side = float(
        np.clip(
            np.median([np.ptp(s.corners, axis=0).mean() for s in kingdom.squares.values()]) * rng.uniform(0.8, 1.4),
            16,
            110,
        )
    )
    margin = rng.normal(0, 0.06, 2) if rng.random() < 0.4 else rng.uniform(0, 2.5, 2)
    size = ((2 * middle + 2 * margin) * side).round().astype(int)
    place = np.array([[side, 0, margin[0] * side], [0, side, margin[1] * side], [0, 0, 1.0]])
    moved = place @ np.linalg.inv(matrix)
    photo = np.asarray(
        cv2.warpPerspective(picture.photo, moved, (int(size[0]), int(size[1])), borderValue=(114, 114, 114)), np.uint8
    )

    def move(quad: Floats) -> Floats:
        return np.asarray(cv2.perspectiveTransform(quad[None].astype(np.float64), moved)[0])

    kingdoms = tuple(
        replace(k, squares={s: Seen(move(seen.corners), seen.hidden) for s, seen in k.squares.items()})
        for k in picture.kingdoms
    )
    return Picture(photo, kingdoms, tuple(move(quad) for quad in picture.loose))


_workshop: Workshop | None = None


def _start(folder: Path) -> None:
    global _workshop  # one set of art a worker process
    cv2.setNumThreads(1)
    _workshop = Workshop(folder, Crops.load(folder / "tiles").split()[0])


def make_example(seed: tuple[int, ...], *, world: str = "scenes") -> SceneExample:
    """Return the scene of one seed in one of the WORLDS, rendered and cut; equal seeds give equal examples."""
    assert _workshop is not None
    rng = np.random.default_rng(seed)
    picture = _busy(rng, _workshop) if world == "busy" else _plain(rng, _workshop, pieces=world == "pieces")
    if picture.kingdoms and rng.random() < 0.25:
        picture = rectified(picture, rng)
    quads = [*(s.corners for k in picture.kingdoms for s in k.squares.values()), *picture.loose]
    code = cv2.imencode(".jpg", picture.photo[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 96])[1].tobytes()
    return SceneExample(code, np.array(quads, np.float32).reshape(-1, 4, 2), cell_examples(picture, rng))


def _plain(rng: np.random.Generator, workshop: Workshop, *, pieces: bool) -> Picture:
    scene = furnished.deal(rng) if pieces else scenes.deal(rng)
    return synth.render(scene, synth.snap(scene, rng, size=SCENE_SIZE), workshop.mixture(rng), rng)


def _busy(rng: np.random.Generator, workshop: Workshop) -> Picture:
    scene = scenes.deal(rng, kingdoms=int(rng.choice(5, p=[0.08, 0.37, 0.2, 0.15, 0.2])))
    art = workshop.mixture(rng, drawn=BUSY_DRAWN, boxes=MANY_BOXES)
    return synth.render(scene, synth.snap(scene, rng, size=SCENE_SIZE), art, rng, surface=busy)


class _Told(Exception):
    """Enough is known of a scene; the rest of it need not be rendered."""


def surfaces_of(seed: tuple[int, ...]) -> tuple[str, ...]:
    """Return the kinds of surface that the scene of one seed lies on, in a fraction of the time of `make_example`."""
    assert _workshop is not None
    rng, noted = np.random.default_rng(seed), list[str]()
    scene = scenes.deal(rng)

    def told(rng: np.random.Generator, height: int, width: int, unit: float, *, scraps: Sequence[Bytes] = ()) -> Any:
        tables.table(rng, height, width, unit, scraps=scraps, noted=noted)
        raise _Told

    with suppress(_Told):
        synth.render(scene, synth.snap(scene, rng, size=SCENE_SIZE), _workshop.mixture(rng), rng, surface=told)
    return tuple(noted)


def all_surfaces(folder: Path, *, seed: int, count: int, workers: int = 2) -> list[tuple[str, ...]]:
    """Return the kinds of surface of the scenes that `make_examples` makes, in the same order."""
    with get_context("spawn").Pool(workers, _start, (folder,)) as pool:
        return pool.map(surfaces_of, [(seed, n) for n in range(count)], chunksize=8)


def make_examples(
    folder: Path, *, seed: int, count: int, world: str = "scenes", workers: int = 2
) -> Iterator[SceneExample]:
    """Yield `count` examples from the art in `folder`, in order, made by several processes, of one of the WORLDS."""
    seeds = [(seed, *WORLDS[world], n) for n in range(count)]
    with get_context("spawn").Pool(workers, _start, (folder,)) as pool:
        yield from pool.imap(partial(make_example, world=world), seeds, chunksize=8)


def spoil(crop: Bytes, rng: np.random.Generator) -> Bytes:
    """Return a crop with one more JPEG round trip or blur, as small squares in a poor photo have."""
    if rng.random() < 0.5:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.3, 1.6)), np.uint8)
    return jpeg(crop, int(rng.integers(25, 90))) if rng.random() < 0.4 else crop
