"""Scenes with pieces: the pieces lie where the truth says, and the dominoes are those of the game."""

from __future__ import annotations

import numpy as np
import pytest

from kdvision.game.board import Square, Terrain
from kdvision.game.legality import find_problems
from kdvision.lab.arrays import Points
from kdvision.lab.games.layout import KingdomLayout, Scene
from kdvision.lab.games.pieces import DECKS, make_scene_with_pieces

SEEDS = range(10)


def make_kingdoms(game: str) -> list[tuple[Scene, KingdomLayout]]:
    scenes = [make_scene_with_pieces(np.random.default_rng(seed), game=game) for seed in SEEDS]
    return [(scene, kingdom) for scene in scenes for kingdom in scene.kingdoms]


def contains_point(quad: Points, point: tuple[float, float]) -> bool:
    """Return whether a point lies on a square."""
    return float(np.linalg.norm(quad.mean(0) - point)) < 0.5


@pytest.mark.parametrize("game", DECKS)
def test_boards_are_legal_and_scenes_are_seeded(game: str) -> None:
    for _, kingdom in make_kingdoms(game):
        assert find_problems(kingdom.board, DECKS[game], side=7) == ()
    scene, same_scene = (make_scene_with_pieces(np.random.default_rng(3), game=game) for _ in range(2))
    assert (scene.tiles, scene.pieces) == (same_scene.tiles, same_scene.pieces)


def test_buildings_stand_on_towns_and_figures_on_the_squares_of_the_truth() -> None:
    kinds = set[str]()
    for scene, kingdom in make_kingdoms("queendomino"):
        for square, kind in kingdom.pieces.items():
            kinds.add(kind)
            quad, terrain = kingdom.squares[square], kingdom.board[square].terrain
            assert terrain is not Terrain.CASTLE
            if kind == "building":
                assert terrain is Terrain.TOWN
                assert any(tile.kind == kind and contains_point(quad, tile.centre) for tile in scene.tiles)
            else:
                assert any(piece.kind == kind and contains_point(quad, piece.at) for piece in scene.pieces)
        assert not kingdom.gems
    assert kinds == {"knight", "tower", "queen", "building"}


def test_gems_lie_where_four_squares_meet() -> None:
    gem_count = 0
    for scene, kingdom in make_kingdoms("lost-treasures"):
        for row, col in kingdom.gems:
            centres = [
                kingdom.squares[Square(row + row_offset, col + col_offset)].mean(0)
                for row_offset in (0, 1)
                for col_offset in (0, 1)
            ]
            middle = np.mean(centres, axis=0)
            assert any(p.kind == "gem" and np.linalg.norm(middle - p.at) < 0.2 for p in scene.pieces)
            gem_count += 1
        assert not kingdom.pieces
    assert gem_count > 5
