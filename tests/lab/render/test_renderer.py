"""The truth of a rendered picture agrees with the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.game.board import Cell
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games.layout import LayoutNoise, Piece, Scene, lay_out
from kdvision.lab.games.play import play
from kdvision.lab.render import renderer
from kdvision.lab.render.art.scene_art import DRAWN_SIDE_PX, DrawnSceneArt, make_piece_mesh
from kdvision.lab.render.camera import Camera, fit_camera
from kdvision.lab.render.cards import PrintStyle
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects.surface import Surface
from kdvision.lab.render.raster import Mesh
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scenes import make_scene

Bytes = NDArray[np.uint8]
EASY = PhotoFactors(0.0, 0.0, 0.0, 0.0, 0.0)
CLEAN = PrintStyle(
    thickness=0.03,
    tone=np.ones(3, np.float32),
    unevenness=0.0,
    corner=0.0,
    rim=0.0,
    edge=np.full(3, 90, np.float32),
    warp=0.0,
)
SWATCHES = {
    "w": (230, 190, 30),
    "f": (0, 240, 0),
    "l": (0, 120, 250),
    "g": (0, 240, 200),
    "s": (250, 30, 60),
    "m": (110, 0, 250),
    "#": (250, 250, 250),
}


class Swatches:
    """Art with one plain colour for each terrain, so that a pixel identifies the tile."""

    def tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:
        if kind == "castle":
            return self.square(Cell.parse("#"))
        domino = KINGDOMINO[int(name) - 1]
        return np.hstack([self.square(cell) for cell in (domino.left, domino.right)])

    def square(self, cell: Cell) -> Bytes:
        return np.full((32, 32, 3), SWATCHES[cell.terrain.value], np.uint8)

    def mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        return make_piece_mesh(kind, colour, rng)

    scraps: Sequence[Bytes] = ()


def grey(surface: Surface) -> NDArray[np.floating]:
    return np.full((*surface.shape, 3), 0.5)


def one_kingdom(seed: int = 3, *, castle: float = 0.0) -> Scene:
    """Return a finished kingdom; `castle` is the size of the standing castle, 0 for none."""
    rng = np.random.default_rng(seed)
    kingdom = play(rng, players=2, side=5)[0]
    laid, tiles = lay_out(
        kingdom, rng, at=(0.0, 0.0), turn=0.3, colour="blue", noise=LayoutNoise(1.02, 0.01, 0.01, 0.0)
    )
    pieces = [Piece("castle", "blue", tiles[0].centre, 0.2, castle)] if castle else []
    return Scene([laid], tiles, pieces)


def view(scene: Scene, *, tilt: float = 0.5, bend: float = -0.02, fill: float = 0.9) -> Camera:
    outline = scene.outline()
    return fit_camera(outline, tilt=tilt, azimuth=1.2, focal=1.0, width=480, height=400, fill=fill, bend=bend)


def render_scene(scene: Scene, camera: Camera, seed: int = 0) -> Picture:
    rng = np.random.default_rng(seed)
    return renderer.render(scene, camera, Swatches(), rng, factors=EASY, print_style=CLEAN, table_top=grey)


def hue(colour: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(colour / np.linalg.norm(colour))


def nearest(pixel: NDArray[np.float64], light: NDArray[np.float64]) -> str:
    """Return the terrain of the nearest hue under a light; brightness is ignored because of shadows."""
    return max(SWATCHES, key=lambda name: float(hue(np.array(SWATCHES[name]) * light) @ hue(pixel)))


@pytest.mark.parametrize("seed", range(6))
def test_the_middle_of_every_square_has_its_tiles_colour(seed: int) -> None:
    scene = one_kingdom(seed)
    picture = render_scene(scene, view(scene), seed)
    (kingdom,) = picture.kingdoms
    assert set(kingdom.squares) == set(kingdom.board)
    pixels = {s: middle_colour(picture.photo, seen.corners) for s, seen in kingdom.squares.items()}
    castle = next(square for square, cell in kingdom.board.items() if str(cell) == "#")
    light = pixels[castle] / 250  # the castle tile is white
    assert {s: nearest(pixel, light) for s, pixel in pixels.items()} == {
        s: cell.terrain.value for s, cell in kingdom.board.items()
    }


def middle_colour(photo: Bytes, corners: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y = corners.mean(0).astype(int)
    return np.asarray(photo[y - 2 : y + 3, x - 2 : x + 3].mean((0, 1)))


def test_corners_lie_where_the_card_ends() -> None:
    """Just inside a corner of the kingdom's outline lies a tile, just outside the table."""
    scene = one_kingdom()
    picture = render_scene(scene, view(scene))
    (kingdom,) = picture.kingdoms
    middle = np.mean([seen.corners.mean(0) for seen in kingdom.squares.values()], axis=0)
    corners = np.concatenate([seen.corners for seen in kingdom.squares.values()])
    far = corners[np.argsort(-np.linalg.norm(corners - middle, axis=1))[:4]]
    table = picture.photo[:12, :12].reshape(-1, 3).mean(0)
    for corner in far:
        way = (corner - middle) / np.linalg.norm(corner - middle)
        inside, outside = (picture.photo[tuple((corner + step * way).astype(int)[::-1])] for step in (-4, 7))
        assert np.abs(outside - table).max() < 45
        assert np.abs(inside - table).max() > 30


def test_corners_begin_at_the_top_left_of_the_printed_half_and_run_clockwise() -> None:
    scene = one_kingdom()
    (kingdom,) = render_scene(scene, view(scene)).kingdoms
    for square, other in kingdom.partner.items():
        a, b, c, d = kingdom.squares[square].corners
        (x1, y1), (x2, y2) = b - a, d - a
        assert x1 * y2 - y1 * x2 > 0
        along = kingdom.squares[other].corners.mean(0) - kingdom.squares[square].corners.mean(0)
        right = (b + c - a - d) / 2
        assert abs(float(along @ right)) > 0.8 * np.linalg.norm(along) * np.linalg.norm(right)


def test_the_same_seed_takes_the_same_photo() -> None:
    scene = one_kingdom(castle=1.0)
    one, again, other = (render_scene(scene, view(scene), seed).photo for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_a_standing_castle_hides_its_tile_and_a_taller_one_more() -> None:
    hidden = []
    for size in (0.0, 0.5, 1.0, 1.6):
        scene = one_kingdom(castle=size)
        (kingdom,) = render_scene(scene, view(scene, tilt=0.9)).kingdoms
        hidden.append(sum(seen.hidden for seen in kingdom.squares.values()))
    assert hidden[0] == 0
    assert hidden == sorted(hidden)
    assert hidden[1] > 0.2
    assert hidden[3] > 1.0  # it leans over a neighbour


def test_a_hidden_square_shows_the_piece() -> None:
    bare, built = one_kingdom(), one_kingdom(castle=1.0)
    without, (kingdom,) = render_scene(bare, view(bare)).photo, render_scene(built, view(built)).kingdoms
    photo = render_scene(built, view(built)).photo
    for seen in kingdom.squares.values():
        if seen.hidden > 0.9:
            assert np.abs(middle_colour(photo, seen.corners) - middle_colour(without, seen.corners)).max() > 20
    assert any(seen.hidden > 0.5 for seen in kingdom.squares.values())


def test_squares_outside_the_picture_are_left_out() -> None:
    scene = one_kingdom()
    camera = view(scene, fill=1.8)
    (kingdom,) = render_scene(scene, camera).kingdoms
    middles = {s: camera.project(quad, CLEAN.thickness).mean(0) for s, quad in scene.kingdoms[0].squares.items()}
    assert set(kingdom.squares) == {s for s, (x, y) in middles.items() if 0 <= x < 480 and 0 <= y < 400}
    assert 0 < len(kingdom.squares) < len(kingdom.board)


def test_an_empty_table_is_a_picture_without_truth() -> None:
    picture = render_scene(Scene(), view(Scene()))
    assert picture.photo.shape == (400, 480, 3)
    assert picture.kingdoms == ()
    assert picture.loose == ()


@pytest.mark.parametrize("seed", range(6))
def test_random_scenes_are_rendered_in_drawn_art(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scene = make_scene(rng)
    scene.tiles = scene.tiles[:12]  # drawing a whole box is slow
    scene.kingdoms = []
    camera = renderer.place_camera(scene, rng, size=240)
    picture = renderer.render(scene, camera, DrawnSceneArt(BOX), rng)
    assert max(picture.photo.shape) == 240
    assert picture.photo.dtype == np.uint8
    assert picture.photo.std() > 3
    assert all(quad.shape == (4, 2) for quad in picture.loose)


BOX = DrawnArt(1, side=32)


def test_drawn_art_has_every_card_and_piece() -> None:
    art, rng = DrawnSceneArt(DrawnArt(2, side=DRAWN_SIDE_PX)), np.random.default_rng(0)
    assert art.tile("domino", 20, rng).shape == art.tile("back", 20, rng).shape == (DRAWN_SIDE_PX, 2 * DRAWN_SIDE_PX, 3)
    assert art.tile("castle", "pink", rng).shape == (DRAWN_SIDE_PX, DRAWN_SIDE_PX, 3)
    assert all(len(art.mesh(kind, "blue", rng).triangles) for kind in ("castle", "king", "knight", "tower", "cup"))
    assert art.scraps == ()


def test_random_cameras_see_the_kingdom() -> None:
    scene = one_kingdom()
    for seed in range(40):
        camera = renderer.place_camera(scene, np.random.default_rng(seed), size=320, fill=(0.5, 0.9))
        x, y = camera.project(scene.outline()).mean(0)
        assert max(camera.width, camera.height) == 320
        assert -32 < x < camera.width + 32
        assert -32 < y < camera.height + 32


def test_the_print_style_changes_the_photo_and_not_the_truth() -> None:
    scene = one_kingdom()
    worn = replace(CLEAN, rim=0.35, corner=0.06, unevenness=0.05, age=1.0)
    one, other = (
        renderer.render(
            scene, view(scene), Swatches(), np.random.default_rng(0), factors=EASY, print_style=made, table_top=grey
        )
        for made in (CLEAN, worn)
    )
    assert np.abs(one.photo.astype(int) - other.photo).max() > 30
    for square, seen in one.kingdoms[0].squares.items():
        assert np.array_equal(seen.corners, other.kingdoms[0].squares[square].corners)
