"""Counting what comes of dominoes of two boxes."""

import numpy as np

from kdvision.game.board import Board
from kdvision.lab.experiments.mixed import Known, counted, twice
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.classify.probabilities import Reading
from tests.kingdoms import plain_sight

ONE, OTHER = "w w g2 w / # g f f / . g m w / . . s2 w", "w w g2 w / # l l f / . l m3 w / . . . ."
TRUST = Calibration(sure=0.9)


def shown(board: str) -> Known:
    return plain_sight(Reading.of(Board.parse(board), confidence=0.9999)), Board.parse(board).trimmed()


def test_kingdoms_are_counted_right_and_in_silence() -> None:
    one, (seen, _) = shown(ONE), shown(OTHER)
    wrong = seen, Board.parse(ONE.replace("g2", "g"))
    assert counted([one], TRUST)[:2] == (1, 1)
    assert counted([wrong], TRUST)[:2] == (1, 0)
    assert counted([wrong], Calibration(sure=1.1)) == (1, 0, 0)


def test_a_domino_is_shown_once_more_in_anothers_place() -> None:
    first = shown(ONE)
    made = twice(first, np.random.default_rng(0))
    assert made is not None
    seen, truth = made
    assert len(truth) == len(first[1]) and truth != first[1]
    assert counted([made], TRUST)[:2] == (1, 1)
    assert not np.array_equal(seen.reading.log_probs, first[0].reading.log_probs)


def test_small_kingdoms_are_left_out() -> None:
    assert twice(shown("# w / . w"), np.random.default_rng(0)) is None
