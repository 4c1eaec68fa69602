"""Pieces cover the pixels where they stand, lean away from the camera and cast shadows away from the light."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.lab.render.objects import household, meshes
from kdvision.lab.render.raster import Mesh, draw_mesh, draw_shadow
from tests.lab.render.sizes import measure_size
from tests.paths import SHARED

Floats = NDArray[np.float64]

TOP_CAMERA = np.array(
    [[1e6, 0, -150, 1.5e6], [0, -1e6, -150, 1.5e6], [0, 0, -1, 1e4]]
)  # so far that heights do not show
DATA = SHARED / "data" / "castle_3d"


def make_camera(x: float, y: float, z: float) -> Floats:
    """Return a camera at (x, y, z) that looks at the origin, which lies at pixel (150, 150)."""
    position = np.array([x, y, z])
    view_axis = -position / np.linalg.norm(position)
    right_axis = np.cross(view_axis, (0.0, 1.0, 0.0))
    right_axis /= np.linalg.norm(right_axis)
    rotation = np.stack([right_axis, np.cross(view_axis, right_axis), view_axis])
    intrinsics = np.array([[800.0, 0, 150], [0, 800.0, 150], [0, 0, 1]])
    return np.asarray(intrinsics @ np.column_stack([rotation, -rotation @ position]))


def make_box(width: float, height: float) -> Mesh:
    """Return a red box with a blue top."""
    h = width / 2
    ring = [(-h, -h), (h, -h), (h, h), (-h, h)]
    quads = [((*a, 0.0), (*b, 0.0), (*b, height), (*a, height)) for a, b in zip(ring, ring[1:] + ring[:1], strict=True)]
    quads.append(tuple((*corner, height) for corner in ring))  # type: ignore[arg-type]
    triangles = [[quad[i] for i in corners] for quad in quads for corners in ((0, 1, 2), (0, 2, 3))]
    colours = np.repeat([(200, 0, 0)] * 4 + [(0, 0, 200)], 2, axis=0)
    return Mesh(np.array(triangles), colours.astype(np.uint8))


def make_blank_image() -> NDArray[np.uint8]:
    return np.full((300, 300, 3), 255, dtype=np.uint8)


def compute_centre(mask: NDArray[np.bool_] | NDArray[np.uint8]) -> Floats:
    """Return the mean (x, y) of the pixels that are set."""
    return np.asarray(np.argwhere(mask).mean(axis=0)[::-1])


def test_a_box_seen_from_above_covers_its_base_and_nothing_else() -> None:
    image = make_blank_image()
    mask = draw_mesh(image, make_box(0.9, 0.5), TOP_CAMERA)
    rows, columns = np.nonzero(mask)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == pytest.approx((105, 195, 105, 195), abs=1.5)
    assert mask[106:194, 106:194].all()
    assert (image[150, 150] * (0, 0, 1) == image[150, 150]).all()  # only the blue top shows
    assert (image[:100] == 255).all()
    assert (image[:, 200:] == 255).all()


def test_a_placed_piece_is_moved_turned_and_scaled() -> None:
    mask = draw_mesh(make_blank_image(), make_box(0.5, 0.1).place((0.5, 0.5), np.pi / 4, 2.0), TOP_CAMERA)
    assert compute_centre(mask) == pytest.approx((200, 100), abs=1.0)
    assert np.ptp(np.nonzero(mask)[0]) == pytest.approx(100 * np.sqrt(2), abs=3)


def test_height_leans_away_from_a_tilted_camera() -> None:
    camera = make_camera(0, -6, 8)  # the viewer sits at the near edge, so the far edge is at the top of the picture
    low_mask = draw_mesh(make_blank_image(), make_box(0.8, 0.05), camera)
    high_mask = draw_mesh(make_blank_image(), make_box(0.8, 1.0), camera)
    assert high_mask.sum() > 1.3 * low_mask.sum()
    assert np.nonzero(high_mask)[0].min() < np.nonzero(low_mask)[0].min() - 20
    assert np.nonzero(high_mask)[0].max() == pytest.approx(np.nonzero(low_mask)[0].max(), abs=2)


def test_near_faces_hide_far_ones() -> None:
    image = make_blank_image()
    draw_mesh(image, make_box(0.8, 0.8), make_camera(0, -8, 4))
    column = image[:, 150]
    box_pixels = column[(column != 255).any(axis=1)]
    top, side = box_pixels[3], box_pixels[-3]
    assert tuple(top > 0) == (False, False, True)
    assert tuple(side > 0) == (True, False, False)


def test_faces_towards_the_light_are_brighter() -> None:
    camera = make_camera(0, -8, 4)
    bright_image, dim_image = make_blank_image(), make_blank_image()
    draw_mesh(bright_image, make_box(0.8, 0.8), camera, light=(0, -1, 0.2), ambient=0.3)
    draw_mesh(dim_image, make_box(0.8, 0.8), camera, light=(0, 1, 0.2), ambient=0.3)
    assert int(bright_image[145, 150, 0]) > 2 * int(dim_image[145, 150, 0])


@pytest.mark.parametrize("light", [(1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)])
def test_the_shadow_falls_away_from_the_light(light: tuple[float, float, float]) -> None:
    shadow = draw_shadow((300, 300), make_box(0.4, 0.6), TOP_CAMERA, light=light)
    offset = compute_centre(shadow) - 150
    assert offset == pytest.approx((-30 * light[0], 30 * light[1]), abs=3)  # y points up the table, rows go down
    assert set(np.unique(shadow)) == {0, 255}


def test_a_piece_outside_the_picture_or_behind_the_camera_leaves_no_trace() -> None:
    image = make_blank_image()
    assert not draw_mesh(image, make_box(0.9, 0.5).place((40.0, 0.0)), TOP_CAMERA).any()
    assert not draw_mesh(image, make_box(0.9, 0.5).place((0.0, -40.0)), make_camera(0, -6, 8)).any()
    assert (image == 255).all()


def test_castles_are_as_wide_as_a_square_open_in_the_middle_and_all_different() -> None:
    rng = np.random.default_rng(7)
    silhouettes = set()
    for colour in meshes.COLOURS:
        castle = meshes.make_castle_mesh(colour, rng)
        mask = draw_mesh(make_blank_image(), castle, TOP_CAMERA)
        width, depth, height = measure_size(castle)
        assert 0.6 < min(width, depth) <= max(width, depth) < 1.1
        assert 0.5 < height < 1.2
        assert not mask[140:160, 140:160].any()
        silhouettes.add(mask.tobytes())
    assert len(silhouettes) == len(meshes.COLOURS)


def test_the_same_seed_makes_the_same_castle() -> None:
    mesh, same_mesh = (meshes.make_castle_mesh("blue", np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(mesh.triangles, same_mesh.triangles)
    assert np.array_equal(mesh.colours, same_mesh.colours)


@pytest.mark.parametrize(
    "piece",
    [
        *(meshes.make_wooden_mesh(kind, "blue") for kind in ("king", "knight", "tower")),
        meshes.make_castle_mesh("red", np.random.default_rng(0)),
    ],
    ids=["king", "knight", "tower", "castle"],
)
def test_pieces_stand_on_the_table_with_their_faces_outwards(piece: Mesh) -> None:
    minimum, maximum = piece.triangles.min(axis=(0, 1)), piece.triangles.max(axis=(0, 1))
    assert minimum[2] == pytest.approx(0)
    assert (minimum + maximum)[:2] == pytest.approx((0, 0))
    a, b, c = piece.triangles.transpose(1, 0, 2)
    assert (np.cross(a, b) * c).sum() > 0  # the signed volume


def test_a_toppled_king_is_flat_and_still_has_its_faces_outwards() -> None:
    lying_king = meshes.make_wooden_mesh("king", "green").topple()
    assert measure_size(lying_king)[2] == pytest.approx(measure_size(meshes.make_wooden_mesh("king", "green"))[1])
    a, b, c = lying_king.triangles.transpose(1, 0, 2)
    assert (np.cross(a, b) * c).sum() > 0


def test_an_obj_file_stands_upright_in_the_colours_of_its_texture(tmp_path: Path) -> None:
    path = tmp_path / "flag.obj"
    path.write_text(
        "v 0 0 0\nv 2 0 0\nv 2 4 0\nv 0 4 0\nvt 0.1 0.9\nvt 0.9 0.9\nvt 0.1 0.1\nf 1/1 2/1/1 3/1 4/1\nf 3/2 2/2 1/2\n"
    )
    texture = np.array([[(250, 0, 0), (0, 250, 0)], [(0, 0, 250), (9, 9, 9)]], dtype=np.uint8)
    mesh = meshes.load_obj(path, texture, width=0.5, grain=0.05)
    assert measure_size(mesh) == pytest.approx((0.5, 0.0, 1.0))
    assert mesh.colours.tolist() == [[250, 0, 0], [250, 0, 0], [0, 250, 0]]


@pytest.mark.skipif(not DATA.is_dir(), reason="the models are in the data folder beside the checkout")
def test_the_models_of_the_data_folder_are_pieces_of_the_right_size() -> None:
    models = meshes.load_models(DATA)
    assert {name: len(pieces) for name, pieces in models.items()} == dict.fromkeys(
        ("castle", "king", "knight", "tower"), len(meshes.COLOURS)
    )
    assert measure_size(models["castle"][0])[0] == pytest.approx(0.9, abs=0.03)
    assert measure_size(models["king"][0])[0] == pytest.approx(0.4, abs=0.02)
    image = make_blank_image()
    assert draw_mesh(image, models["castle"][0], make_camera(1, -6, 8)).sum() > 3000


@pytest.mark.parametrize("kind", sorted(household.MAKERS))
def test_household_objects_stand_on_the_table_within_their_reach(kind: str) -> None:
    for seed in range(8):
        mesh = household.MAKERS[kind](np.random.default_rng(seed))
        corners = mesh.triangles.reshape(-1, 3)
        assert corners[:, 2].min() == pytest.approx(0)
        assert np.linalg.norm(corners[:, :2], axis=1).max() <= household.MAX_REACH_SQUARES[kind]
        mask = draw_mesh(make_blank_image(), mesh, TOP_CAMERA)
        assert mask.any()


def test_a_cup_shows_its_drink_and_hides_what_stands_behind() -> None:
    image = make_blank_image()
    mask = draw_mesh(image, household.MAKERS["cup"](np.random.default_rng(1)), TOP_CAMERA)
    assert mask[150, 150]
    assert mask.sum() > 10_000
