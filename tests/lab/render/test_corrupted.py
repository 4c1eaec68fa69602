"""Leaning figures, kings on kingdoms, and corruptions between two severities."""

import numpy as np
import pytest

from kdvision.evaluate.corruptions import CORRUPTIONS, SEVERITIES
from kdvision.lab.games.pieces import add_kings, lean_figures
from kdvision.lab.render.corrupted import corrupt_randomly
from kdvision.lab.render.objects.meshes import make_wooden_mesh
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scenes import make_scene


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_levels_are_interpolated_between_severities(name: str) -> None:
    corruption = CORRUPTIONS[name]
    assert tuple(map(corruption.interpolate_level, SEVERITIES)) == corruption.levels
    mild_level, middle_level, strong_level = (
        np.atleast_1d(corruption.interpolate_level(severity)) for severity in (1, 1.5, 2)
    )
    assert (np.minimum(mild_level, strong_level) <= middle_level).all()
    assert (middle_level <= np.maximum(mild_level, strong_level)).all()


def test_a_tipped_figure_rests_on_the_table_and_is_lower() -> None:
    king = make_wooden_mesh("king", "blue")
    tipped_king = king.tip(np.radians(60))
    assert tipped_king.triangles[..., 2].min() == pytest.approx(0)
    assert tipped_king.triangles[..., 2].max() < king.triangles[..., 2].max()
    sides = [np.linalg.norm(np.diff(mesh.triangles, axis=1), axis=-1) for mesh in (king, tipped_king)]
    assert sides[0] == pytest.approx(sides[1])


def test_kings_stand_on_squares_but_are_no_pieces_of_the_kingdom_and_some_figures_lean() -> None:
    king_count, leaning_count = 0, 0
    for seed in range(20):
        scene = make_scene(np.random.default_rng(seed), kingdoms=2, is_finished=True)
        piece_count = len(scene.pieces)
        add_kings(scene, np.random.default_rng(seed))
        lean_figures(scene, np.random.default_rng(seed))
        king_count += len(scene.pieces) - piece_count
        leaning_count += sum(piece.lean > 0 for piece in scene.pieces)
        assert not any(kingdom.pieces for kingdom in scene.kingdoms)
        for king in scene.pieces[piece_count:]:
            squares = [quad.mean(0) for kingdom in scene.kingdoms for quad in kingdom.squares.values()]
            assert np.linalg.norm(np.array(squares) - king.at, axis=1).min() < 0.75
    assert king_count > 5
    assert leaning_count > 5


def test_a_seed_is_always_corrupted_alike() -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (300, 400, 3), dtype=np.uint8)
    picture = Picture(pixels, (), (np.array([[50.0, 50], [110, 50], [110, 110], [50, 110]]),))
    first, second = (corrupt_randomly(picture, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first.photo, second.photo)
    assert not np.array_equal(first.photo, pixels)
