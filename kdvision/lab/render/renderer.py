"""Photos of scenes with their truth: tiles, pieces, table, camera and light put together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.lab.arrays import Bytes, Floats, Floats32, Points, Rng
from kdvision.lab.games.layout import Kingdom, Scene, make_rotation_matrix
from kdvision.lab.render import cards, light
from kdvision.lab.render.camera import Camera, fit_camera
from kdvision.lab.render.cards import PrintStyle
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects.occluders import place_occluders
from kdvision.lab.render.objects.surface import TableTop, paint, repeat_channels
from kdvision.lab.render.objects.table_tops import make_table_top
from kdvision.lab.render.raster import Mesh, Vector, draw_mesh, draw_shadow
from kdvision.vision.geometry import UNIT_SQUARE, apply_homography

ASPECT_RATIOS: Final = (1.0, 4 / 3, 16 / 9, 3 / 4, 9 / 16)
ASPECT_SHARES: Final = (0.2, 0.3, 0.1, 0.3, 0.1)
"""How often a photo has each of ASPECT_RATIOS."""
_MAX_TABLE_SIDE_PX: Final = 2000


class SceneArt(Protocol):
    """Where the pictures of tiles and the shapes of pieces come from."""

    def draw_tile(self, kind: str, name: int | str, rng: Rng) -> Bytes:
        """Return the picture of a `Tile`, RGB: (h, 2h, 3) for dominoes and backs, else (h, h, 3)."""

    def build_mesh(self, kind: str, colour: str, rng: Rng) -> Mesh:
        """Return the mesh of a `Piece`."""

    @property
    def scraps(self) -> Sequence[Bytes]:
        """Photographed surfaces for table tops, or nothing."""


@dataclass(frozen=True)
class RenderedSquare:
    """A square of a kingdom in a picture: its corners (4, 2) in pixels and the share of it that is hidden (0 to 1)."""

    corners: Points
    hidden_share: float


RenderedKingdom = Kingdom[RenderedSquare]
"""A kingdom in a picture. Squares whose middle lies outside the picture are on the board but not among `squares`."""


@dataclass(frozen=True)
class Picture:
    """A rendered photo (H, W, 3) RGB and its truth; `loose` are face-up squares of no kingdom, corners in pixels."""

    photo: Bytes
    kingdoms: tuple[RenderedKingdom, ...]
    loose: tuple[Points, ...]

    @property
    def quads(self) -> list[Points]:
        """The corners (4, 2) of all face-up squares."""
        return [*(square.corners for kingdom in self.kingdoms for square in kingdom.squares.values()), *self.loose]

    def transform(self, photo: Bytes, matrix: Floats) -> "Picture":
        """Return another photo with this truth; a homography (3, 3) takes this photo's pixels to those of the other."""

        def move(square: RenderedSquare) -> RenderedSquare:
            return replace(square, corners=apply_homography(matrix, square.corners))

        kingdoms = (replace(k, squares={s: move(square) for s, square in k.squares.items()}) for k in self.kingdoms)
        return Picture(photo, tuple(kingdoms), tuple(apply_homography(matrix, quad) for quad in self.loose))


def place_camera(scene: Scene, rng: Rng, *, size: int, fill: tuple[float, float] = (0.3, 1.0)) -> Camera:
    """Return a random camera on the scene; the picture's longer side is `size` pixels."""
    aspect = float(rng.choice(ASPECT_RATIOS, p=ASPECT_SHARES))
    width, height = (size, round(size / aspect)) if aspect >= 1 else (round(size * aspect), size)
    share = float(rng.uniform(*fill))
    room = max(0.0, 1 - share) / 2
    if rng.random() < 0.14:  # the picture's border cuts the kingdoms
        share, room = share * rng.uniform(1.1, 1.7), 0.2
    shift = (float(rng.uniform(-room, room)), float(rng.uniform(-room, room)))
    tilt_degrees = abs(rng.normal(0, 12)) if rng.random() < 0.5 else rng.uniform(0, 62)
    return fit_camera(
        scene.compute_outline(),
        tilt=float(np.radians(tilt_degrees)),
        azimuth=float(rng.uniform(0, 2 * np.pi)),
        roll=float(rng.normal(0, 0.08) if rng.random() < 0.7 else rng.uniform(0, 6.3)),
        focal=float(rng.uniform(0.65, 1.5)),
        width=width,
        height=height,
        fill=share,
        shift=shift,
        bend=float(rng.normal(0, 0.02)),
    )


def render(
    scene: Scene,
    camera: Camera,
    art: SceneArt,
    rng: Rng,
    *,
    factors: PhotoFactors | None = None,
    print_style: PrintStyle | None = None,
    lamp: Vector | None = None,
    table_top: TableTop | None = None,
    occluders: bool = False,
) -> Picture:
    """Return the photo of a scene with its truth. Equal generators give equal pictures.

    `lamp` points from the table to the lamp (z 1). What is None is random. With `occluders`, things lie on kingdoms.
    """
    factors, style = factors or PhotoFactors.sample(rng), print_style or PrintStyle.sample(rng)
    lamp = lamp or (float(rng.normal(0, 0.6)), float(rng.normal(0, 0.6)), 1.0)
    picture = _draw_table(scene, camera, table_top or partial(make_table_top, scraps=art.scraps), rng)
    reflectance = np.full(picture.shape[:2], rng.uniform(0.1, 0.7), np.float32)  # of the table; a card has 1
    lean = np.zeros((*reflectance.shape, 2), np.float32)
    if scene.tiles:
        faces = [art.draw_tile(tile.kind, tile.name, rng) for tile in scene.tiles]
        sheet = cards.make_sheet(scene.tiles, faces, camera, style, rng)
        lean = cards.draw_sheet(picture, reflectance, sheet, camera, style, lamp, rng)
    cover = _draw_pieces(picture, reflectance, scene, camera.lift(style.thickness), art, lamp, rng)
    if occluders:
        corners = [camera.project(quad, style.thickness) for k in scene.kingdoms for quad in k.squares.values()]
        place_occluders(picture, reflectance, cover, corners, art.scraps, rng)
    maps = camera.compute_lens_maps()
    layers = [
        cv2.remap(np.asarray(layer), *maps, interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for layer in (picture, reflectance, cover, lean)
    ]
    view, reflectance, distorted_cover, lean = (np.asarray(layer, np.float32) for layer in layers)
    image = light.add_illumination(view / np.float32(255), rng, factors.light)
    if rng.random() < 0.3 + 0.7 * factors.glare:
        image = light.add_glare(image, reflectance, rng, factors.glare, lean=lean)
    photo = light.expose(image, rng, factors)
    is_covered = distorted_cover > 127
    kingdoms = []
    for kingdom in scene.kingdoms:
        quads = {square: camera.project(quad, style.thickness) for square, quad in kingdom.squares.items()}
        squares = {
            square: RenderedSquare(quad, measure_cover(is_covered, quad))
            for square, quad in quads.items()
            if _is_inside(quad, camera)
        }
        kingdoms.append(RenderedKingdom(kingdom.board, squares, kingdom.partner, kingdom.pieces, kingdom.gems))
    loose_quads = (camera.project(quad, style.thickness) for quad in scene.loose)
    return Picture(photo, tuple(kingdoms), tuple(quad for quad in loose_quads if _is_inside(quad, camera)))


def _is_inside(corners: Points, camera: Camera) -> bool:
    """Return whether the middle of a square lies in the picture; otherwise less than half of it is visible."""
    x, y = corners.mean(0)
    return bool(0 <= x < camera.width and 0 <= y < camera.height)


def measure_cover(cover: npt.NDArray[np.bool_], corners: Points) -> float:
    """Return the share of a square (4, 2) that a mask (H, W) covers."""
    x0, y0 = np.maximum(corners.min(0).astype(int), 0)
    x1, y1 = corners.max(0).astype(int) + 1
    window = cover[y0:y1, x0:x1]
    if not window.size:
        return 0.0
    mask = np.zeros(window.shape, np.uint8)
    cv2.fillConvexPoly(mask, (corners - (x0, y0)).astype(np.int32), 1)
    return float(window[mask > 0].mean()) if mask.any() else 0.0


def _draw_table(scene: Scene, camera: Camera, table_top: TableTop, rng: Rng) -> Bytes:
    outline = scene.compute_outline()
    middle, reach = outline.mean(0), float(np.ptp(outline, axis=0).max()) / 2 + 1
    size, matrix = (camera.width, camera.height), camera.compute_plane_homography(0.0)
    visible_corners = apply_homography(np.linalg.inv(matrix), UNIT_SQUARE * size)
    extent = float(np.clip(np.abs(visible_corners - middle).max(), reach, 4 * reach))
    side = int(min(_MAX_TABLE_SIDE_PX, 1.3 * max(camera.width, camera.height)))
    unit = side / (2 * extent)
    top = paint(table_top, rng, side, side, unit)
    # Half of the tables are parallel to the tiles: the weave of a cloth and the lines of a mat mislead most then.
    turn = scene.tiles[0].turn if scene.tiles and rng.random() < 0.5 else rng.uniform(0, 6.3)
    place = np.eye(3)
    place[:2, :2] = make_rotation_matrix(turn) / unit
    place[:2, 2] = middle - make_rotation_matrix(turn) @ (extent, extent)
    pixels = (top * 255).astype(np.uint8)
    return np.asarray(cv2.warpPerspective(pixels, matrix @ place, size, borderMode=cv2.BORDER_REFLECT_101), np.uint8)


def _draw_pieces(
    picture: Bytes, reflectance: Floats32, scene: Scene, matrix: Points, art: SceneArt, lamp: Vector, rng: Rng
) -> Bytes:
    """Draw a scene's pieces from the far ones to the near ones; return the mask (H, W) of what they cover."""
    cover = np.zeros(picture.shape[:2], np.uint8)
    for piece in sorted(scene.pieces, key=lambda piece: -float(matrix[2, :2] @ np.array(piece.at))):
        mesh = art.build_mesh(piece.kind, piece.colour, rng)
        mesh = (mesh.tip(piece.lean) if piece.lean else mesh).place(piece.at, piece.turn, piece.size)
        shadow = draw_shadow(picture.shape[:2], mesh, matrix, light=lamp)
        shade = cv2.GaussianBlur(shadow.astype(np.float32) / 255, (0, 0), rng.uniform(0.7, 4)) * rng.uniform(0.2, 0.6)
        picture[:] = picture * repeat_channels(1 - shade)
        mask = draw_mesh(picture, mesh, matrix, light=lamp, ambient=float(rng.uniform(0.35, 0.7)))
        cover[mask] = 255
        reflectance[mask] = 0.15
    return cover
