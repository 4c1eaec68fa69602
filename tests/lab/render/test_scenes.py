"""Random scenes hold legal kingdoms without overlap and are the same for the same seed."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import pytest

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import KINGDOMINO
from kdvision.game.legality import find_problems
from kdvision.lab.arrays import Points
from kdvision.lab.games.layout import KingdomLayout, LayoutNoise, Scene, Tile, lay_out
from kdvision.lab.games.play import play
from kdvision.lab.render.scenes import MIN_KINGDOM_GAP_SQUARES, make_scene

SEEDS = range(12)
NO_NOISE = LayoutNoise(pitch=1.0, shift=0.0, twist=0.0, shear=0.0)


def get_centres(kingdom: KingdomLayout) -> Points:
    return np.array([quad.mean(0) for quad in kingdom.squares.values()])


def compute_distance(first: Points, second: Points) -> float:
    """Return the least distance between two sets of points."""
    return float(np.linalg.norm(first[:, None] - second[None], axis=2).min())


def list_contents(scene: Scene) -> list[object]:
    return [*(k.board for k in scene.kingdoms), *scene.tiles, *scene.pieces, np.array(scene.loose).tolist()]


@pytest.mark.parametrize("seed", SEEDS)
def test_boards_are_legal_and_every_square_lies_on_the_table(seed: int) -> None:
    scene = make_scene(np.random.default_rng(seed), kingdoms=1 + seed % 4)
    assert len(scene.kingdoms) == 1 + seed % 4
    for kingdom in scene.kingdoms:
        assert find_problems(kingdom.board, KINGDOMINO) == ()
        assert set(kingdom.squares) == set(kingdom.board)


@pytest.mark.parametrize("seed", SEEDS)
def test_kingdoms_and_loose_dominoes_keep_apart(seed: int) -> None:
    scene = make_scene(np.random.default_rng(seed), kingdoms=2 + seed % 3)
    groups = [get_centres(kingdom) for kingdom in scene.kingdoms]
    loose_centres = np.array([quad.mean(0) for quad in scene.loose])
    assert all(compute_distance(*pair) > MIN_KINGDOM_GAP_SQUARES for pair in combinations(groups, 2))
    assert not len(loose_centres) or all(
        compute_distance(loose_centres, group) > MIN_KINGDOM_GAP_SQUARES for group in groups
    )


def test_cards_may_touch_but_none_covers_another() -> None:
    for seed in SEEDS:
        is_covered = np.zeros((1200, 1200), np.uint8)
        for tile in make_scene(np.random.default_rng(seed)).tiles:
            core = np.array(tile.centre) + 0.7 * (tile.compute_outline() - tile.centre)
            mask = np.zeros_like(is_covered)
            cv2.fillConvexPoly(mask, ((core + 30) * 20).astype(np.int32), 1)
            assert not (is_covered & mask).any()
            is_covered |= mask


def test_each_domino_is_placed_once() -> None:
    for seed in SEEDS:
        numbers = [tile.name for tile in make_scene(np.random.default_rng(seed)).tiles if tile.kind == "domino"]
        assert len(numbers) == len(set(numbers))


def test_the_same_seed_makes_the_same_scene() -> None:
    scene, same_scene, other_scene = (make_scene(np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert list_contents(scene) == list_contents(same_scene)
    assert list_contents(scene) != list_contents(other_scene)


def test_scenes_hold_from_none_to_four_kingdoms_of_both_sizes_finished_or_not() -> None:
    scenes = [make_scene(np.random.default_rng(seed)) for seed in range(40)]
    sizes = {max(k.board.width, k.board.height) for scene in scenes for k in scene.kingdoms}
    assert {len(scene.kingdoms) for scene in scenes} == {0, 1, 2, 3, 4}
    assert {5, 7} <= sizes
    assert max(sizes) == 7
    assert any(scene.pieces for scene in scenes)
    assert any(tile.kind == "back" for scene in scenes for tile in scene.tiles)


def test_a_layout_without_noise_is_a_grid() -> None:
    (kingdom, _) = play(np.random.default_rng(3), players=2, side=5)
    layout, tiles = lay_out(kingdom, np.random.default_rng(0), at=(2.0, 1.0), turn=0.0, colour="pink", noise=NO_NOISE)
    assert tiles[0] == Tile("castle", "pink", tiles[0].centre, tiles[0].turn)
    assert get_centres(layout).mean(0) == pytest.approx((2.0, 1.0))
    first = Square(*min(layout.squares))
    for square, quad in layout.squares.items():
        step = quad.mean(0) - layout.squares[first].mean(0)
        assert step == pytest.approx((square.col - first.col, square.row - first.row), abs=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.4, 2.0])
def test_dominoes_show_the_cells_of_the_board_the_right_way_round(turn: float) -> None:
    (kingdom, _) = play(np.random.default_rng(4), players=2, side=5)
    layout, tiles = lay_out(kingdom, np.random.default_rng(0), at=(0.0, 0.0), turn=turn, colour="blue", noise=NO_NOISE)
    cells = {tuple(quad.mean(0).round(6)): layout.board[square] for square, quad in layout.squares.items()}
    for tile in tiles[1:]:
        domino = KINGDOMINO[int(tile.name) - 1]
        left, right = (tuple(half.mean(0).round(6)) for half in tile.compute_halves())
        assert (cells[left], cells[right]) == (domino.left, domino.right)


def test_partners_are_neighbours_and_the_castle_has_none() -> None:
    kingdom = make_scene(np.random.default_rng(1), kingdoms=1, is_finished=True).kingdoms[0]
    for square, other in kingdom.partner.items():
        assert kingdom.partner[other] == square
        assert abs(square.row - other.row) + abs(square.col - other.col) == 1
    (castle,) = set(kingdom.squares) - set(kingdom.partner)
    assert kingdom.board[castle].terrain is Terrain.CASTLE


def test_boards_turn_with_the_table() -> None:
    """A quarter turn on the table is a quarter turn of the board."""
    (kingdom, _) = play(np.random.default_rng(6), players=2, side=5)
    layout, _ = lay_out(kingdom, np.random.default_rng(0), at=(0.0, 0.0), turn=np.pi / 2, colour="blue", noise=NO_NOISE)
    spots = {tuple(quad.mean(0).round().astype(int)): layout.board[square] for square, quad in layout.squares.items()}
    left, top = (min(spot[axis] for spot in spots) for axis in (0, 1))
    board = Board({Square(int(y - top), int(x - left)): cell for (x, y), cell in spots.items()})
    assert str(board) == str(layout.board.rotate(1))
