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
IDEAL_FACTORS = PhotoFactors(0.0, 0.0, 0.0, 0.0, 0.0)
CLEAN_PRINT = PrintStyle(
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

    def draw_tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:
        if kind == "castle":
            return self.paint_square(Cell.parse("#"))
        domino = KINGDOMINO[int(name) - 1]
        return np.hstack([self.paint_square(cell) for cell in (domino.left, domino.right)])

    def paint_square(self, cell: Cell) -> Bytes:
        return np.full((32, 32, 3), SWATCHES[cell.terrain.value], np.uint8)

    def build_mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        return make_piece_mesh(kind, colour, rng)

    scraps: Sequence[Bytes] = ()


def paint_grey(surface: Surface) -> NDArray[np.floating]:
    return np.full((*surface.shape, 3), 0.5)


def make_kingdom_scene(seed: int = 3, *, castle: float = 0.0) -> Scene:
    """Return a finished kingdom; `castle` is the size of the standing castle, 0 for none."""
    rng = np.random.default_rng(seed)
    kingdom = play(rng, players=2, side=5)[0]
    layout, tiles = lay_out(
        kingdom, rng, at=(0.0, 0.0), turn=0.3, colour="blue", noise=LayoutNoise(1.02, 0.01, 0.01, 0.0)
    )
    pieces = [Piece("castle", "blue", tiles[0].centre, 0.2, castle)] if castle else []
    return Scene([layout], tiles, pieces)


def aim_camera(scene: Scene, *, tilt: float = 0.5, bend: float = -0.02, fill: float = 0.9) -> Camera:
    outline = scene.compute_outline()
    return fit_camera(outline, tilt=tilt, azimuth=1.2, focal=1.0, width=480, height=400, fill=fill, bend=bend)


def render_scene(scene: Scene, camera: Camera, seed: int = 0) -> Picture:
    rng = np.random.default_rng(seed)
    return renderer.render(
        scene, camera, Swatches(), rng, factors=IDEAL_FACTORS, print_style=CLEAN_PRINT, table_top=paint_grey
    )


def compute_hue(colour: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(colour / np.linalg.norm(colour))


def find_nearest_terrain(pixel: NDArray[np.float64], light: NDArray[np.float64]) -> str:
    """Return the terrain of the nearest hue under a light; brightness is ignored because of shadows."""
    return max(SWATCHES, key=lambda name: float(compute_hue(np.array(SWATCHES[name]) * light) @ compute_hue(pixel)))


@pytest.mark.parametrize("seed", range(6))
def test_the_middle_of_every_square_has_its_tiles_colour(seed: int) -> None:
    scene = make_kingdom_scene(seed)
    picture = render_scene(scene, aim_camera(scene), seed)
    (kingdom,) = picture.kingdoms
    assert set(kingdom.squares) == set(kingdom.board)
    pixels = {
        s: get_middle_colour(picture.photo, rendered_square.corners) for s, rendered_square in kingdom.squares.items()
    }
    castle = next(square for square, cell in kingdom.board.items() if str(cell) == "#")
    light = pixels[castle] / 250  # the castle tile is white
    assert {s: find_nearest_terrain(pixel, light) for s, pixel in pixels.items()} == {
        s: cell.terrain.value for s, cell in kingdom.board.items()
    }


def get_middle_colour(photo: Bytes, corners: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y = corners.mean(0).astype(int)
    return np.asarray(photo[y - 2 : y + 3, x - 2 : x + 3].mean((0, 1)))


def test_corners_lie_where_the_card_ends() -> None:
    """A tile lies just inside each outer corner of the kingdom, and the table just outside."""
    scene = make_kingdom_scene()
    picture = render_scene(scene, aim_camera(scene))
    (kingdom,) = picture.kingdoms
    middle = np.mean([square.corners.mean(0) for square in kingdom.squares.values()], axis=0)
    corners = np.concatenate([square.corners for square in kingdom.squares.values()])
    outer_corners = corners[np.argsort(-np.linalg.norm(corners - middle, axis=1))[:4]]
    table = picture.photo[:12, :12].reshape(-1, 3).mean(0)
    for corner in outer_corners:
        direction = (corner - middle) / np.linalg.norm(corner - middle)
        inner_pixel, outer_pixel = (
            picture.photo[tuple((corner + step * direction).astype(int)[::-1])] for step in (-4, 7)
        )
        assert np.abs(outer_pixel - table).max() < 45
        assert np.abs(inner_pixel - table).max() > 30


def test_corners_begin_at_the_top_left_of_the_printed_half_and_run_clockwise() -> None:
    scene = make_kingdom_scene()
    (kingdom,) = render_scene(scene, aim_camera(scene)).kingdoms
    for square, other in kingdom.partner.items():
        a, b, c, d = kingdom.squares[square].corners
        (x1, y1), (x2, y2) = b - a, d - a
        assert x1 * y2 - y1 * x2 > 0
        step = kingdom.squares[other].corners.mean(0) - kingdom.squares[square].corners.mean(0)
        right_axis = (b + c - a - d) / 2
        assert abs(float(step @ right_axis)) > 0.8 * np.linalg.norm(step) * np.linalg.norm(right_axis)


def test_the_same_seed_takes_the_same_photo() -> None:
    scene = make_kingdom_scene(castle=1.0)
    photo, same_photo, other_photo = (render_scene(scene, aim_camera(scene), seed).photo for seed in (1, 1, 2))
    assert np.array_equal(photo, same_photo)
    assert not np.array_equal(photo, other_photo)


def test_a_standing_castle_hides_its_tile_and_a_taller_one_more() -> None:
    hidden_areas = []
    for size in (0.0, 0.5, 1.0, 1.6):
        scene = make_kingdom_scene(castle=size)
        (kingdom,) = render_scene(scene, aim_camera(scene, tilt=0.9)).kingdoms
        hidden_areas.append(sum(square.hidden_share for square in kingdom.squares.values()))
    assert hidden_areas[0] == 0
    assert hidden_areas == sorted(hidden_areas)
    assert hidden_areas[1] > 0.2
    assert hidden_areas[3] > 1.0  # it leans over a neighbour


def test_a_hidden_square_shows_the_piece() -> None:
    bare_scene, castle_scene = make_kingdom_scene(), make_kingdom_scene(castle=1.0)
    bare_photo, (kingdom,) = (
        render_scene(bare_scene, aim_camera(bare_scene)).photo,
        render_scene(castle_scene, aim_camera(castle_scene)).kingdoms,
    )
    photo = render_scene(castle_scene, aim_camera(castle_scene)).photo
    for square in kingdom.squares.values():
        if square.hidden_share > 0.9:
            colours = (get_middle_colour(image, square.corners) for image in (photo, bare_photo))
            assert np.abs(np.subtract(*colours)).max() > 20
    assert any(square.hidden_share > 0.5 for square in kingdom.squares.values())


def test_squares_outside_the_picture_are_left_out() -> None:
    scene = make_kingdom_scene()
    camera = aim_camera(scene, fill=1.8)
    (kingdom,) = render_scene(scene, camera).kingdoms
    middles = {s: camera.project(quad, CLEAN_PRINT.thickness).mean(0) for s, quad in scene.kingdoms[0].squares.items()}
    assert set(kingdom.squares) == {s for s, (x, y) in middles.items() if 0 <= x < 480 and 0 <= y < 400}
    assert 0 < len(kingdom.squares) < len(kingdom.board)


def test_an_empty_table_is_a_picture_without_truth() -> None:
    picture = render_scene(Scene(), aim_camera(Scene()))
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
    assert (
        art.draw_tile("domino", 20, rng).shape
        == art.draw_tile("back", 20, rng).shape
        == (DRAWN_SIDE_PX, 2 * DRAWN_SIDE_PX, 3)
    )
    assert art.draw_tile("castle", "pink", rng).shape == (DRAWN_SIDE_PX, DRAWN_SIDE_PX, 3)
    assert all(
        len(art.build_mesh(kind, "blue", rng).triangles) for kind in ("castle", "king", "knight", "tower", "cup")
    )
    assert art.scraps == ()


def test_random_cameras_see_the_kingdom() -> None:
    scene = make_kingdom_scene()
    for seed in range(40):
        camera = renderer.place_camera(scene, np.random.default_rng(seed), size=320, fill=(0.5, 0.9))
        x, y = camera.project(scene.compute_outline()).mean(0)
        assert max(camera.width, camera.height) == 320
        assert -32 < x < camera.width + 32
        assert -32 < y < camera.height + 32


def test_the_print_style_changes_the_photo_and_not_the_truth() -> None:
    scene = make_kingdom_scene()
    worn_print = replace(CLEAN_PRINT, rim=0.35, corner=0.06, unevenness=0.05, age=1.0)
    clean_picture, worn_picture = (
        renderer.render(
            scene,
            aim_camera(scene),
            Swatches(),
            np.random.default_rng(0),
            factors=IDEAL_FACTORS,
            print_style=style,
            table_top=paint_grey,
        )
        for style in (CLEAN_PRINT, worn_print)
    )
    assert np.abs(clean_picture.photo.astype(int) - worn_picture.photo).max() > 30
    for square, rendered_square in clean_picture.kingdoms[0].squares.items():
        assert np.array_equal(rendered_square.corners, worn_picture.kingdoms[0].squares[square].corners)
