"""Pieces and gems: from the predictions of squares to the pieces of a kingdom."""

from dataclasses import replace

import numpy as np
import pytest

from kdvision.game.board import Board, Square
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.pieces import find_gems, find_pieces, join_gem_evidence
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY, ClassProbabilities
from kdvision.vision.multiview.fuse import fuse
from kdvision.vision.multiview.register import Alignment
from tests.kingdoms import make_plain_observation

NAMES = ("", "knight", "tower", "queen", "building")


def make_piece_log_probabilities(rows: int, cols: int, pieces: dict[tuple[int, int], tuple[str, float]]) -> np.ndarray:
    """Return log-probabilities on a grid that is empty except for these pieces."""
    probabilities = np.full((rows, cols, len(NAMES)), 1e-6)
    probabilities[..., 0] = 1
    for place, (name, probability) in pieces.items():
        probabilities[place] = (1 - probability) / (len(NAMES) - 1)
        probabilities[place][NAMES.index(name)] = probability
    return np.asarray(np.log(np.maximum(probabilities, 1e-9)))


def test_four_squares_around_a_crossing_give_one_gem() -> None:
    corners = np.full((2, 2, 4), -5.0)
    corners[0, 0, 2], corners[0, 1, 3], corners[1, 1, 0], corners[1, 0, 1] = 8, 6, 4, 2  # all touch the middle
    gems = join_gem_evidence(corners, np.ones((2, 2), bool))
    assert gems[1, 1] == 5
    assert (np.delete(gems.ravel(), 4) == -5).all()


def test_only_tiles_count_for_gems() -> None:
    corners = np.zeros((2, 2, 4))
    corners[0, 0], corners[1, 1] = 4, 8
    gems = join_gem_evidence(corners, np.array([[True, False], [False, False]]))
    assert gems.tolist() == [
        [4, 4, IMPOSSIBLE_LOG_PROBABILITY],
        [4, 4, IMPOSSIBLE_LOG_PROBABILITY],
        [IMPOSSIBLE_LOG_PROBABILITY, IMPOSSIBLE_LOG_PROBABILITY, IMPOSSIBLE_LOG_PROBABILITY],
    ]


def test_gems_are_named_by_the_square_at_their_upper_left() -> None:
    gems = np.full((5, 6), IMPOSSIBLE_LOG_PROBABILITY)
    gems[2, 3], gems[3, 4], gems[1, 1] = 9, 0, 9  # the last lies at the board's corner, where no four squares meet
    first, second = find_gems(gems, Square(1, 1), Board.parse("w w w l / # f f l / l l f f"))
    assert (first.square.name, first.is_uncertain, second.square.name, second.is_uncertain) == ("B1", False, "C2", True)
    assert first.probability == pytest.approx(1, abs=1e-3) and second.probability == 0.5
    assert find_gems(gems, Square(1, 1), Board.parse("w w w")) == ()


def test_pieces_are_named_by_the_board_they_stand_on() -> None:
    pieces = make_piece_log_probabilities(
        4, 4, {(1, 1): ("knight", 0.99), (2, 2): ("building", 0.4), (0, 3): ("tower", 1.0)}
    )
    knight, building = find_pieces(pieces, NAMES, Square(1, 1), Board.parse("w w / # f"))
    assert (knight.kind, knight.square.name, knight.is_uncertain) == ("knight", "A1", False)
    assert (building.kind, building.square.name, building.is_uncertain) == ("building", "B2", True)
    assert knight.probability == pytest.approx(0.99) and building.probability == pytest.approx(0.4)


def test_pieces_need_more_evidence_where_they_are_rare() -> None:
    """The odds of 0.9995 to 0.000125, times exp(-7), are 7.3 to 1."""
    board = Board.parse("w w / # f")
    likely_pieces, certain_pieces = (make_piece_log_probabilities(2, 2, {(0, 0): ("knight", p)}) for p in (0.9, 0.9995))
    assert find_pieces(likely_pieces, NAMES, Square(0, 0), board)[0].is_present
    assert find_pieces(likely_pieces, NAMES, Square(0, 0), board, is_rare=True) == ()
    (knight,) = find_pieces(certain_pieces, NAMES, Square(0, 0), board, is_rare=True)
    assert knight.kind == "knight" and knight.probability == pytest.approx(7.3 / 8.3, abs=0.01)


def make_observation(text: str, pieces: np.ndarray, gems: np.ndarray) -> GridObservation:
    """Return the observation of a board with pieces on its squares and gems on its crossings."""
    return replace(make_plain_observation(ClassProbabilities.of(text)), pieces=pieces, gems=gems, piece_names=NAMES)


def test_two_photos_of_a_kingdom_give_the_same_pieces() -> None:
    """The second photo is rotated by a quarter turn and lacks the last column."""
    first = make_observation(
        "w w f / # l l", make_piece_log_probabilities(2, 3, {(0, 1): ("knight", 0.9)}), np.full((3, 4), -2.0)
    )
    gems = np.full((3, 3), 1.0)
    gems[1, 1] = 6
    second = make_observation("# w / l w", make_piece_log_probabilities(2, 2, {(1, 1): ("knight", 0.9)}), gems)
    fused_observation, _ = fuse(first, [(second, Alignment(turns=3, rows=0, cols=0, gain=9.0, share=1.0))])
    (knight,) = find_pieces(
        fused_observation.pieces, fused_observation.piece_names, Square(0, 0), Board.parse("w w f / # l l")
    )
    assert knight.square.name == "B1" and knight.probability == pytest.approx(0.9, abs=0.01)
    assert fused_observation.gems.tolist() == [[-0.5, -0.5, -0.5, -2], [-0.5, 2, -0.5, -2], [-0.5, -0.5, -0.5, -2]]


def test_a_piece_of_uncertain_kind_is_present_and_an_open_fact() -> None:
    board, probabilities = Board.parse("w # / . l"), np.full((2, 2, 4), 1e-6)
    probabilities[..., 0] = 1 - 3e-6
    probabilities[0, 0] = 0.2, 0.45, 0.3, 0.05
    probabilities[1, 0] = 0.01, 0.97, 0.01, 0.01  # on the bare table
    (piece,) = find_pieces(np.log(probabilities), ("", "knight", "tower", "queen"), Square(0, 0), board)
    assert (piece.kind, piece.square, piece.is_present, piece.is_uncertain) == ("knight", Square(0, 0), True, True)
    assert (piece.probability, piece.any_probability) == pytest.approx((0.45, 0.8))
