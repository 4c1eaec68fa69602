"""Figures and gems are closed, stand on the table, and vary in size, colour and pose."""

from __future__ import annotations

import numpy as np
import pytest

from kdvision.lab.render.art.scene_art import make_piece_mesh
from kdvision.lab.render.objects import meshes, tokens
from tests.lab.render.sizes import measure_size

SIZES = {"knight": (0.3, 0.75), "tower": (0.3, 0.8), "queen": (0.85, 1.2), "gem": (0.33, 0.58)}
"""The least and greatest longest side of each piece, in squares."""


@pytest.mark.parametrize("kind", SIZES)
def test_pieces_are_closed_stand_on_the_table_and_have_their_size(kind: str) -> None:
    for seed in range(12):
        piece = tokens.MAKERS[kind](np.random.default_rng(seed))
        minimum, maximum = piece.triangles.min(axis=(0, 1)), piece.triangles.max(axis=(0, 1))
        assert minimum[2] == pytest.approx(0)
        assert (minimum + maximum)[:2] == pytest.approx((0, 0), abs=0.03)
        assert SIZES[kind][0] <= max(measure_size(piece)) <= SIZES[kind][1]
        a, b, c = piece.triangles.transpose(1, 0, 2)
        assert (np.cross(a, b) * c).sum() > 0  # the signed volume: faces point outwards


@pytest.mark.parametrize("kind", tokens._LYING_SHARE)
def test_some_figures_stand_and_some_lie(kind: str) -> None:
    rng = np.random.default_rng(5)
    sizes = [measure_size(tokens.MAKERS[kind](rng)) for _ in range(30)]
    lying_share = np.mean([height < min(width, depth) + 0.01 for width, depth, height in sizes])
    assert 0.15 < lying_share < 0.8


def test_knights_are_mostly_dark_and_towers_mostly_light_grey() -> None:
    rng = np.random.default_rng(6)
    knights = [tokens.MAKERS["knight"](rng).colours[0] for _ in range(60)]
    towers = [tokens.MAKERS["tower"](rng).colours[0] for _ in range(60)]
    assert np.median(knights) < 60 < 130 < np.median(towers)
    assert np.median(np.ptp(np.array(towers, int), axis=1)) < 20


def test_knights_are_slim_and_stout() -> None:
    """The width is half of the height with the shield in front, and equals it with the shield at the side."""
    rng = np.random.default_rng(8)
    shapes = []
    for _ in range(60):
        width, depth, height = measure_size(tokens.MAKERS["knight"](rng))
        shapes.append(width / max(depth, height))
    assert min(shapes) < 0.55
    assert max(shapes) > 0.95


def test_a_board_laid_flat_shows_its_front() -> None:
    picture = np.zeros((40, 20, 4), np.uint8)
    picture[..., 3] = 255
    picture[:20, :, 0] = 200  # the upper half is red
    board = tokens._make_printed_board(picture, height=1.0, thickness=0.1, edge=np.full(3, 90.0), rows=10)
    lying_board = board.topple(front_up=True)
    assert measure_size(lying_board) == pytest.approx((0.5, 1.0, 0.1))
    is_top = (lying_board.triangles[..., 2] > 0.09).all(axis=1)
    is_red = lying_board.colours[:, 0] > 150
    assert (is_top & is_red).sum() == is_top.sum() / 2


def test_no_two_gems_are_alike() -> None:
    rng = np.random.default_rng(7)
    faces = np.array([tokens.draw_gem(rng) for _ in range(12)], int)
    assert faces.shape == (12, 96, 96, 4)
    assert all(np.abs(faces[i] - faces[j]).mean() > 4 for i in range(12) for j in range(i))
    assert {0, 255} <= set(np.unique(faces[..., 3]))


def test_a_drawn_queen_has_a_crown_over_a_white_dress() -> None:
    queen = tokens.draw_queen(np.random.default_rng(8))
    crown, dress = queen[28:34, 72:88, :3].astype(int), queen[190:220, 72:88, :3]
    assert (crown[..., 0] > 2 * crown[..., 2]).mean() > 0.8
    assert dress.min(axis=2).mean() > 220
    assert queen[0, 0, 3] == 0


def test_a_knight_in_a_player_s_colour_is_plain_and_draws_no_random_number() -> None:
    rng, reference_rng = np.random.default_rng(9), np.random.default_rng(9)
    knight = make_piece_mesh("knight", "blue", rng)
    assert np.array_equal(knight.triangles, meshes.make_wooden_mesh("knight", "blue").triangles)
    assert rng.random() == reference_rng.random()
    assert max(measure_size(make_piece_mesh("knight", "", rng))) > 0
