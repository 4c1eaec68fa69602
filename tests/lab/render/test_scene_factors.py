"""Each scene factor has its effect and changes nothing else."""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.game.board import Terrain
from kdvision.lab.arrays import Points
from kdvision.lab.calibrate.scenes import DRAWN_BOXES
from kdvision.lab.experiments.factors import BOXES
from kdvision.lab.games.layout import KingdomLayout, Scene
from kdvision.lab.render.art.scene_art import EXTRA_TRAINING_BOXES, TRAINING_BOX_COUNT, DrawnSceneArt
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.objects.held_out_tops import HELD_OUT_TOPS
from kdvision.lab.render.objects.surface import paint
from kdvision.lab.render.scene_factors import SceneFactors, measure_square_side
from kdvision.lab.render.scenes import OTHER_OBJECTS
from tests.paths import ROOT

Bytes = NDArray[np.uint8]
SMALL_SCENE = SceneFactors(kingdoms=1, pixels=14, fill=0.9, clutter=0, castles=0, blur=0)


class GreyArt(DrawnArt):
    """A box with plain grey tiles."""

    def draw_tile(self, kind: str, name: int | str) -> Bytes:
        if kind == "castle":
            return np.full((16, 16, 3), 255, np.uint8)
        return np.full((16, 32, 3), 60 if kind == "back" else 5 * int(name), np.uint8)


GREY_ART = DrawnSceneArt(GreyArt())


def get_centres(kingdom: KingdomLayout) -> Points:
    return np.array([quad.mean(0) for quad in kingdom.squares.values()])


def measure_turns(scene: Scene) -> Points:
    """Return the degrees by which each tile of the only kingdom is turned against the median, without quarter turns."""
    turns = np.degrees([tile.turn for tile in scene.tiles])
    return np.asarray((turns - np.median((turns + 45) % 90 - 45) + 45) % 90 - 45)


def test_the_same_number_gives_the_same_photo() -> None:
    picture, same_picture, other_picture = (SMALL_SCENE.render_picture(number, GREY_ART) for number in (3, 3, 4))
    assert np.array_equal(picture.photo, same_picture.photo)
    assert str(picture.kingdoms[0].board) == str(same_picture.kingdoms[0].board) != str(other_picture.kingdoms[0].board)


def test_the_light_changes_no_square() -> None:
    picture, other_picture = (replace(SMALL_SCENE, light=light).render_picture(1, GREY_ART) for light in (0.0, 1.0))
    (first,), (second,) = picture.kingdoms, other_picture.kingdoms
    assert first.board == second.board
    assert all(np.array_equal(first.squares[s].corners, second.squares[s].corners) for s in first.board)
    assert not np.array_equal(picture.photo, other_picture.photo)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("angle", [0.0, 60.0])
def test_squares_have_the_wanted_side_and_lie_in_the_picture(number: int, angle: float) -> None:
    factors = SceneFactors(angle=angle, kingdoms=1 + number, pixels=20)
    scene = factors.build_scene(number)
    camera = factors.make_camera(scene, number)
    assert measure_square_side(camera, scene) == pytest.approx(20, rel=0.03)
    points = np.concatenate([camera.project(get_centres(kingdom)) for kingdom in scene.kingdoms])
    assert (points > 0).all() and (points < (camera.width, camera.height)).all()


def test_the_angle_is_the_cameras() -> None:
    scene = SMALL_SCENE.build_scene(0)
    for angle in (0.0, 45.0):
        matrix = replace(SMALL_SCENE, angle=angle).make_camera(scene, 0).matrix
        position = -np.linalg.inv(matrix[:, :3]) @ matrix[:, 3]
        offset = position[:2] - scene.compute_outline().mean(0)
        assert np.degrees(np.arctan2(np.linalg.norm(offset), position[2])) == pytest.approx(angle, abs=0.01)


def test_the_kingdoms_span_the_wanted_share() -> None:
    factors = SceneFactors(kingdoms=1, fill=0.3)
    scene = factors.build_scene(2)
    camera = factors.make_camera(scene, 2)
    share = np.ptp(camera.project(scene.compute_outline()), axis=0) / (camera.width, camera.height)
    assert share.max() == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("angle", [0.0, 4.0, 8.0])
def test_dominoes_are_turned_up_to_the_wanted_angle(angle: float) -> None:
    turns = np.concatenate(
        [np.abs(measure_turns(SceneFactors(kingdoms=1, twist=angle, clutter=0).build_scene(n))) for n in range(6)]
    )
    assert turns.max() <= 2 * angle + 1e-6  # the middle tile may be turned the other way
    assert turns.max() > 0.9 * angle - 1e-6


def test_gaps_between_dominoes_grow_to_a_fifth_of_a_square() -> None:
    gaps = {}
    for angle in (0.0, 8.0):
        (kingdom,) = SceneFactors(kingdoms=1, twist=angle).build_scene(0).kingdoms
        steps = [
            np.linalg.norm(kingdom.squares[a].mean(0) - kingdom.squares[b].mean(0))
            for a, b in kingdom.partner.items()
            for b in [type(a)(a.row, a.col + 1)]
            if b in kingdom.squares and b != kingdom.partner[a]
        ]
        gaps[angle] = float(np.mean(steps)) - 1
    assert gaps[0.0] == pytest.approx(0.01, abs=0.02)
    assert gaps[8.0] == pytest.approx(0.2, abs=0.06)


@pytest.mark.parametrize("gap", [0.5, 1.0, 2.5])
def test_kingdoms_have_the_wanted_gap(gap: float) -> None:
    for number in range(3):
        kingdom, other_kingdom = SceneFactors(kingdoms=2, gap=gap).build_scene(number).kingdoms
        distance = np.linalg.norm(get_centres(kingdom)[:, None] - get_centres(other_kingdom)[None], axis=2).min()
        assert 1 + gap < distance < 1 + gap + 0.15


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_number_of_kingdoms_each_with_its_castle(count: int) -> None:
    scene = SceneFactors(kingdoms=count, castles=1.0).build_scene(5)
    assert len(scene.kingdoms) == count
    assert all(Terrain.CASTLE in {cell.terrain for cell in kingdom.board.values()} for kingdom in scene.kingdoms)
    assert sum(piece.kind == "castle" and piece.size == 0.95 for piece in scene.pieces) == count


@pytest.mark.parametrize("number", range(6))
def test_all_dominoes_come_from_one_box(number: int) -> None:
    tiles = SceneFactors(kingdoms=1 + number % 4).build_scene(number).tiles
    names = [tile.name for tile in tiles if tile.kind == "domino"]
    assert len(names) == len(set(names))


def test_clutter_adds_other_objects() -> None:
    bare_factors, cluttered_factors = (
        SceneFactors(clutter=0, castles=0),
        SceneFactors(clutter=len(OTHER_OBJECTS), castles=0),
    )
    counts = [
        [len(scene.tiles) + len(scene.pieces) for scene in map(factors.build_scene, range(4))]
        for factors in (bare_factors, cluttered_factors)
    ]
    tile_counts = [sum(len(k.partner) // 2 + 1 for k in bare_factors.build_scene(n).kingdoms) for n in range(4)]
    assert counts[0] == tile_counts
    assert all(cluttered_count > bare_count for bare_count, cluttered_count in zip(*counts, strict=True))


@pytest.mark.parametrize("name", HELD_OUT_TOPS)
def test_every_held_out_top_is_seeded_and_in_range(name: str) -> None:
    picture, same_picture = (paint(HELD_OUT_TOPS[name], np.random.default_rng(1), 90, 120, 20.0) for _ in range(2))
    assert picture.shape == (90, 120, 3) and picture.dtype == np.float32
    assert np.array_equal(picture, same_picture)
    assert picture.min() >= 0 and picture.max() <= 1 and picture.std() > 0.005


TRAINING_PACKAGES = ("kdvision.lab.train", "kdvision.lab.calibrate", "kdvision.lab.games", "kdvision.lab.render")
MEASURING_MODULES = {"kdvision.lab.render.objects.held_out_tops", "kdvision.lab.render.scene_factors"}


def find_modules(package: str) -> list[str]:
    """Return the modules below a package by their import path; none is imported."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    (folder,) = map(Path, spec.submodule_search_locations)
    return [".".join((package, *path.relative_to(folder).with_suffix("").parts)) for path in folder.rglob("*.py")]


@pytest.mark.parametrize("package", TRAINING_PACKAGES)
def test_training_imports_neither_held_out_tops_nor_scene_factors(package: str) -> None:
    modules = set(find_modules(package)) - MEASURING_MODULES
    assert len(modules) >= 3
    for module in modules:
        path = Path(*module.split(".")).with_suffix(".py")
        nodes = list(ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))))
        from_imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {str(node.module) for node in from_imports} | {
            f"{n.module}.{a.name}" for n in from_imports for a in n.names
        }
        assert not names & MEASURING_MODULES, module


def test_experiments_and_calibration_use_no_box_of_training() -> None:
    experiment_boxes = {TRAINING_BOX_COUNT + number for number in range(BOXES)}
    training_boxes = {*range(TRAINING_BOX_COUNT), *EXTRA_TRAINING_BOXES}
    assert training_boxes.isdisjoint(experiment_boxes)
    assert training_boxes.isdisjoint(DRAWN_BOXES)
    assert experiment_boxes.isdisjoint(DRAWN_BOXES)
