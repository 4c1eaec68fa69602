"""The truth of a rendered photo is the board as it lies in the photo."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from kdvision.game.board import Board, Square
from kdvision.game.scoring import score
from kdvision.lab.games.layout import KingdomLayout, LayoutNoise, lay_out
from kdvision.lab.games.play import play
from kdvision.lab.render.camera import Camera, fit_camera
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from scripts.sample_truth import describe_picture, find_pose

LAYOUT_NOISE = LayoutNoise(pitch=1.02, shift=0.01, twist=0.01, shear=0.0)


def make_layout(turn: float, at: tuple[float, float] = (0.0, 0.0)) -> KingdomLayout:
    rng = np.random.default_rng(8)
    kingdom = play(rng, players=2, side=5)[0]
    return lay_out(kingdom, rng, at=at, turn=np.radians(turn), colour="blue", noise=LAYOUT_NOISE)[0]


def render_kingdom(kingdom: KingdomLayout, camera: Camera) -> RenderedKingdom:
    squares = {square: RenderedSquare(camera.project(quad), 0.0) for square, quad in kingdom.squares.items()}
    return RenderedKingdom(kingdom.board, squares, kingdom.partner)


def aim_camera(*kingdoms: KingdomLayout) -> Camera:
    points = np.concatenate([quad for kingdom in kingdoms for quad in kingdom.squares.values()])
    return fit_camera(points, tilt=0.4, azimuth=-np.pi / 2, focal=1.0, width=800, height=600, fill=0.8, bend=-0.01)


@pytest.mark.parametrize(("turn", "quarter_turns"), [(0, 0), (30, 0), (80, 1), (100, 1), (180, 2), (-90, 3), (250, 3)])
def test_the_board_lies_as_in_the_photo(turn: float, quarter_turns: int) -> None:
    kingdom = make_layout(turn)
    turns, corners = find_pose(render_kingdom(kingdom, aim_camera(kingdom)))
    assert turns == quarter_turns
    board = kingdom.board.rotate(turns)
    assert board == kingdom.board.rotate(quarter_turns)
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    assert x0 + x3 < x1 + x2
    assert y0 + y1 < y2 + y3


def test_the_corners_frame_every_square() -> None:
    kingdom = make_layout(20)
    rendered_kingdom = render_kingdom(kingdom, aim_camera(kingdom))
    _, corners = find_pose(rendered_kingdom)
    edges = np.roll(corners, -1, axis=0) - corners
    for square in rendered_kingdom.squares.values():
        offsets = square.corners.mean(0) - corners
        assert (edges[:, 0] * offsets[:, 1] - edges[:, 1] * offsets[:, 0] > 0).all()


def test_kingdoms_are_written_from_left_to_right_with_their_points() -> None:
    left, right = make_layout(0, (-4.0, 0.0)), make_layout(90, (4.0, 0.5))
    camera = aim_camera(left, right)
    picture = Picture(
        np.zeros((600, 800, 3), np.uint8), (render_kingdom(right, camera), render_kingdom(left, camera)), ()
    )
    kingdoms = json.loads(json.dumps(describe_picture(picture)))["kingdoms"]
    assert [Board.parse(kingdom["board"]) for kingdom in kingdoms] == [left.board, right.board.rotate(1)]
    assert {kingdom["points"] for kingdom in kingdoms} == {score(left.board).total}
    assert kingdoms[0]["corners_tl_tr_br_bl_px"][1][0] < kingdoms[1]["corners_tl_tr_br_bl_px"][0][0]


def test_a_picture_without_kingdoms_has_an_empty_list() -> None:
    assert describe_picture(Picture(np.zeros((6, 8, 3), np.uint8), (), ())) == {"kingdoms": []}


@pytest.mark.parametrize("turn", [0, 80, 180, -90])
def test_pieces_and_gems_turn_with_the_board(turn: float) -> None:
    kingdom = make_layout(turn)
    (castle,) = kingdom.board.find_castles()
    rendered_kingdom = render_kingdom(kingdom, aim_camera(kingdom))
    kingdom_with_pieces = replace(rendered_kingdom, pieces={castle: "tower"}, gems=frozenset({castle}))
    (entry,) = describe_picture(Picture(np.zeros((600, 800, 3), np.uint8), (kingdom_with_pieces,), ()))["kingdoms"]
    (upright_castle,) = Board.parse(entry["board"]).find_castles()
    assert entry["pieces"] == {upright_castle.name: "tower"}
    (crossing,) = entry["gems"]
    first, last = (Square.parse(name) for name in crossing.split())
    assert (last.row - first.row, last.col - first.col) == (1, 1)
    assert first.row <= upright_castle.row <= last.row and first.col <= upright_castle.col <= last.col
    picture = Picture(np.zeros((600, 800, 3), np.uint8), (rendered_kingdom,), ())
    assert "pieces" not in describe_picture(picture)["kingdoms"][0]
