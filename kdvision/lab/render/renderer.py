"""Pictures of scenes: tiles, pieces, table, camera and light put together, with the truth beside each picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.game.board import Board, Square
from kdvision.lab.games.layout import Piece, Points, Scene, rotation
from kdvision.lab.render import cards, light
from kdvision.lab.render.camera import Camera, frame
from kdvision.lab.render.cards import PrintStyle, Vector
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects import meshes
from kdvision.lab.render.objects.meshes import Mesh
from kdvision.lab.render.objects.table_tops import FloatImage, make_table_top

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


class Surface(Protocol):
    """Makes table tops, as `table_tops.make_table_top` does."""

    def __call__(
        self, rng: np.random.Generator, height: int, width: int, unit: float, *, scraps: Sequence[Bytes] = ()
    ) -> FloatImage:
        """Return a table top (height, width, 3), RGB 0 to 1; `unit` is a square's side in pixels."""


class OccluderPlacer(Protocol):
    """Lays things over what is drawn, as `occluders.place_occluders` does."""

    def __call__(
        self,
        picture: Bytes,
        gloss: Floats,
        cover: Bytes,
        squares: Sequence[Points],
        scraps: Sequence[Bytes],
        rng: np.random.Generator,
    ) -> None:
        """Draw on the picture (H, W, 3), about some of the squares (4, 2 each), and mark in `cover` what is hidden."""


class Art(Protocol):
    """Where the pictures of tiles and the shapes of pieces come from."""

    def tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:
        """Return a domino, back (h, 2h, 3) or castle tile (h, h, 3), RGB."""

    def mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        """Return a piece's mesh."""

    def scraps(self) -> Sequence[Bytes]:
        """Return photographed surfaces for table tops, or nothing."""


@dataclass(frozen=True)
class RenderedSquare:
    """One square of a kingdom in a picture: its corners (4, 2) in pixels and how much of it pieces hide (0 to 1)."""

    corners: Points
    hidden: float


@dataclass(frozen=True)
class RenderedKingdom:
    """A kingdom in a picture: its board, its squares, each square's other half, and what lies on squares and crossings.

    Squares whose middle lies outside the picture are on the board but not among `squares`. `pieces` and `gems` as in
    `laying.KingdomLayout`.
    """

    board: Board
    squares: dict[Square, RenderedSquare]
    partner: dict[Square, Square]
    pieces: Mapping[Square, str] = field(default_factory=dict)
    gems: frozenset[Square] = frozenset()


@dataclass(frozen=True)
class Picture:
    """A rendered photo (H, W, 3) RGB and its truth; `loose` are face-up squares of no kingdom, corners in pixels."""

    photo: Bytes
    kingdoms: tuple[RenderedKingdom, ...]
    loose: tuple[Points, ...]


def place_camera(
    scene: Scene,
    rng: np.random.Generator,
    *,
    size: int,
    fill: tuple[float, float] = (0.3, 1.0),
    tilt: float | None = None,
) -> Camera:
    """Return a random camera on the scene; the picture's longer side is `size` pixels."""
    aspect = float(rng.choice([1.0, 4 / 3, 16 / 9, 3 / 4, 9 / 16], p=[0.2, 0.3, 0.1, 0.3, 0.1]))
    width, height = (size, round(size / aspect)) if aspect >= 1 else (round(size * aspect), size)
    fills = float(rng.uniform(*fill))
    room = max(0.0, 1 - fills) / 2
    if rng.random() < 0.14:  # cut off by the picture's edge
        fills, room = fills * rng.uniform(1.1, 1.7), 0.2
    shift = (float(rng.uniform(-room, room)), float(rng.uniform(-room, room)))
    if tilt is None:
        tilt = float(np.radians(abs(rng.normal(0, 12)) if rng.random() < 0.5 else rng.uniform(0, 62)))
    return frame(
        scene.outline(),
        tilt=tilt,
        azimuth=float(rng.uniform(0, 2 * np.pi)),
        roll=float(rng.normal(0, 0.08) if rng.random() < 0.7 else rng.uniform(0, 6.3)),
        focal=float(rng.uniform(0.65, 1.5)),
        width=width,
        height=height,
        fill=fills,
        shift=shift,
        bend=float(rng.normal(0, 0.02)),
    )


def render(
    scene: Scene,
    camera: Camera,
    art: Art,
    rng: np.random.Generator,
    *,
    factors: PhotoFactors | None = None,
    made: PrintStyle | None = None,
    lamp: Vector | None = None,
    surface: Surface = make_table_top,
    gloss: float | None = None,
    occluders: OccluderPlacer | None = None,
) -> Picture:
    """Return the photo of a scene with its truth. Equal generators give equal pictures.

    `lamp` points from the table to the lamp (z 1); `surface` makes the table top; `gloss` is how much of a lamp it
    mirrors beside what a card does; `occluders` lays things over tiles. What is not given is drawn, but for things:
    there are none.
    """
    factors, made = factors or PhotoFactors.draw(rng), made or PrintStyle.draw(rng)
    lamp = lamp or (float(rng.normal(0, 0.6)), float(rng.normal(0, 0.6)), 1.0)
    picture = _table_top(scene, camera, art, rng, surface)
    shiny = np.full(picture.shape[:2], rng.uniform(0.1, 0.7) if gloss is None else gloss, np.float32)
    lean = np.zeros((*shiny.shape, 2), np.float32)
    if scene.tiles:
        sheet = cards.arrange(scene.tiles, [art.tile(t.kind, t.name, rng) for t in scene.tiles], camera, made, rng)
        lean = cards.lay(picture, shiny, sheet, camera, made, lamp, rng)
    cover = _stand_pieces(picture, shiny, scene.pieces, camera, art, rng, thickness=made.thickness, lamp=lamp)
    if occluders:
        squares = [camera.project(quad, made.thickness) for k in scene.kingdoms for quad in k.squares.values()]
        occluders(picture, shiny, cover, squares, art.scraps(), rng)
    seen, shine, hidden, slope = _through_lens(camera, picture, shiny, cover, lean)
    lit = light.illuminate(seen / np.float32(255), rng, factors.light)
    if rng.random() < 0.3 + 0.7 * factors.glare:
        lit = light.glare(lit, shine, rng, factors.glare, lean=slope)
    photo = light.expose(lit, rng, factors)
    kingdoms = (
        RenderedKingdom(k.board, _seen(k.squares, camera, hidden, made.thickness), k.partner, k.pieces, k.gems)
        for k in scene.kingdoms
    )
    loose = (camera.project(quad, made.thickness) for quad in scene.loose)
    return Picture(photo, tuple(kingdoms), tuple(quad for quad in loose if _inside(quad, camera)))


def _through_lens(camera: Camera, *layers: npt.NDArray[np.generic]) -> list[Floats]:
    maps = camera.lens_maps()
    mode = {"interpolation": cv2.INTER_LINEAR, "borderMode": cv2.BORDER_REPLICATE}
    return [np.asarray(cv2.remap(layer, *maps, **mode), np.float32) for layer in layers]  # type: ignore[call-overload]


def _inside(corners: Points, camera: Camera) -> bool:
    """Whether the middle of a square lies in the picture: of others, not even half can be seen."""
    x, y = corners.mean(0)
    return bool(0 <= x < camera.width and 0 <= y < camera.height)


def _seen(squares: dict[Square, Points], camera: Camera, cover: Floats, z: float) -> dict[Square, RenderedSquare]:
    projected = {square: camera.project(quad, z) for square, quad in squares.items()}
    return {
        s: RenderedSquare(corners, _share(cover, corners))
        for s, corners in projected.items()
        if _inside(corners, camera)
    }


def _share(cover: Floats, corners: Points) -> float:
    x0, y0 = np.maximum(corners.min(0).astype(int), 0)
    x1, y1 = corners.max(0).astype(int) + 1
    window = cover[y0:y1, x0:x1]
    if not window.size:
        return 0.0
    mask = np.zeros(window.shape, np.uint8)
    cv2.fillConvexPoly(mask, (corners - (x0, y0)).astype(np.int32), 1)
    return float((window[mask > 0] > 127).mean()) if mask.any() else 0.0


def _table_top(scene: Scene, camera: Camera, art: Art, rng: np.random.Generator, surface: Surface) -> Bytes:
    outline = scene.outline()
    middle, reach = outline.mean(0), float(np.ptp(outline, axis=0).max()) / 2 + 1
    corners = np.array([[0, 0], [camera.width, 0], [camera.width, camera.height], [0, camera.height]], float)
    seen = cv2.perspectiveTransform(corners[None], np.linalg.inv(camera.plane(0.0)))[0]
    extent = float(np.clip(np.abs(seen - middle).max(), reach, 4 * reach))
    side = int(min(2000, 1.3 * max(camera.width, camera.height)))
    unit = side / (2 * extent)
    top = surface(rng, side, side, unit, scraps=art.scraps())
    # People lay kingdoms along the weave of a cloth and the lines of a mat, where those are the most misleading.
    turn = scene.tiles[0].turn if scene.tiles and rng.random() < 0.5 else rng.uniform(0, 6.3)
    place = np.eye(3)
    place[:2, :2] = rotation(turn) / unit
    place[:2, 2] = middle - rotation(turn) @ (extent, extent)
    top8 = (top * 255).astype(np.uint8)
    return _warp(top8, camera.plane(0.0) @ place, camera, cv2.BORDER_REFLECT_101)


def _warp(layer: Bytes, matrix: Points, camera: Camera, border: int = cv2.BORDER_CONSTANT) -> Bytes:
    size = (camera.width, camera.height)
    return np.asarray(cv2.warpPerspective(layer, matrix, size, flags=cv2.INTER_LINEAR, borderMode=border), np.uint8)


def _stand_pieces(
    picture: Bytes,
    gloss: Floats,
    pieces: Sequence[Piece],
    camera: Camera,
    art: Art,
    rng: np.random.Generator,
    *,
    thickness: float,
    lamp: tuple[float, float, float],
) -> Bytes:
    """Draw pieces from the far ones to the near ones; returns the mask (H, W) of what they cover."""
    cover = np.zeros(picture.shape[:2], np.uint8)
    lift = np.eye(4)
    lift[2, 3] = thickness
    matrix = camera.matrix @ lift
    depth = {id(p): float(matrix[2, :2] @ np.array(p.at)) for p in pieces}
    for piece in sorted(pieces, key=lambda p: -depth[id(p)]):
        mesh = art.mesh(piece.kind, piece.colour, rng)
        pose = {"at": piece.at, "turn": piece.turn, "scale": piece.size}
        fallen = meshes.shadow_mask(picture.shape[:2], mesh, matrix, light=lamp, **pose)  # type: ignore[arg-type]
        shade = cv2.GaussianBlur(fallen.astype(np.float32) / 255, (0, 0), rng.uniform(0.7, 4)) * rng.uniform(0.2, 0.6)
        picture[:] = picture * (1 - shade[..., None])
        mask = meshes.draw(picture, mesh, matrix, light=lamp, ambient=float(rng.uniform(0.35, 0.7)), **pose)  # type: ignore[arg-type]
        cover[mask > 0] = 255
        gloss[mask > 0] = 0.15
    return cover
