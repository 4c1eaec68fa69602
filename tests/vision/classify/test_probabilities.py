"""Class probabilities made from notation: their board, their values, and rotation."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision.game.board import Board, Square
from kdvision.vision.classify.probabilities import KINDS, ClassProbabilities
from tests.kingdoms import get_probability, override_squares

BOARD = "w w1 . / f # l1"


def test_a_perfect_reading_gives_its_board() -> None:
    assert str(ClassProbabilities.of(BOARD).best) == BOARD
    assert get_probability(ClassProbabilities.of(BOARD, confidence=0.9), Square(0, 1), "w1") == pytest.approx(0.9)


def test_spoiled_squares_have_their_own_probabilities() -> None:
    reading = override_squares(ClassProbabilities.of(BOARD), {"B1": {"w": 0.6, "w1": 0.3}})
    assert str(reading.best) == "w w . / f # l1"
    assert get_probability(reading, Square(0, 1), "w1") == pytest.approx(0.3)
    assert np.exp(reading.log_probs).sum(axis=2) == pytest.approx(np.ones((2, 3)))


def test_an_unknown_square_is_anything() -> None:
    assert get_probability(ClassProbabilities.of("w ? #"), Square(0, 1), "m3") == pytest.approx(1 / len(KINDS))


@pytest.mark.parametrize("quarter_turns", [-1, 0, 1, 2, 3, 5])
def test_rotating_a_reading_rotates_its_board(quarter_turns: int) -> None:
    assert ClassProbabilities.of(BOARD).rotate(quarter_turns).best == Board.parse(BOARD).rotate(quarter_turns)


def test_certainty_has_probability_one() -> None:
    assert get_probability(ClassProbabilities.of(BOARD, confidence=1.0), Square(1, 1), "#") == 1


@pytest.mark.parametrize(
    ("values", "kinds", "complaint"),
    [
        (np.zeros((2, 3)), KINDS, "shape"),
        (np.zeros((2, 3, 4)), KINDS, "shape"),
        (np.zeros((0, 3, 18)), KINDS, "shape"),
        (np.log(np.full((1, 1, 18), 0.5)), KINDS, "sum to 1"),
        (np.log(np.full((1, 1, 2), 0.5)), ("w", "w"), "different"),
        (np.log(np.full((1, 1, 2), 0.5)), ("w", "#"), "different"),
    ],
)
def test_invalid_arrays_are_refused(values: NDArray[np.float64], kinds: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        ClassProbabilities(values, kinds)


def test_a_board_with_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        ClassProbabilities.of("t #")
