"""Evidence and review: which problems ask for a review by themselves, and how strong each is as evidence."""

import pytest

from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.game.legality import Problem
from kdvision.game.rules import GAME_KINGDOMINO
from kdvision.vision.assess.calibration import CONSTANT, Calibration
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.assess.warnings import (
    RIM_WARNING,
    WARNING_IDS,
    WARNING_TEXTS,
    forces_review,
    label_misreading,
    measure_warning_strengths,
)
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.decide.decide import decide
from kdvision.vision.find import Networks
from kdvision.vision.result import KingdomReading, build_reading
from tests.kingdoms import make_plain_observation

KINGDOM = Board.parse(". . . . . . / . w w1 f f . / . l l # . . / . . g g . . / . . . . . .")
ZERO_WEIGHT_CALIBRATION = Calibration(
    review_threshold=0.9, warning_weights={CONSTANT: 9.0, **dict.fromkeys(WARNING_IDS, 0.0)}
)
"""No evidence lowers a probability, so a review has another cause."""


def read_with_surroundings(
    surroundings: Surroundings, calibration: Calibration = ZERO_WEIGHT_CALIBRATION
) -> KingdomReading:
    reading = ClassProbabilities.of(KINGDOM, confidence=0.999)
    (decision,) = decide([reading], KINGDOMINO)
    return build_reading(make_plain_observation(reading), decision, surroundings, calibration, GAME_KINGDOMINO)


@pytest.mark.parametrize("warning", sorted(WARNING_IDS))
def test_only_facts_about_the_photo_ask_for_a_review(warning: str) -> None:
    facts = {"flawed", "cut", "beyond", "ends", "outside", "pictured"}
    assert forces_review(Problem((), "?", warning=warning)) == (warning in facts)


def test_every_warning_says_what_to_do() -> None:
    texts = [text for name, text in WARNING_TEXTS.items() if name != "copied"]  # a copy requires no action
    assert [text for text in (*texts, RIM_WARNING.text) if ": " not in text] == []


def test_a_problem_without_a_weight_asks_for_a_review_unless_it_is_an_illegal_play() -> None:
    assert forces_review(Problem((), "photo 2 is left out"))
    assert not forces_review(Problem((), "a domino touches nothing", is_rule_breach=True))


def test_a_damaged_file_asks_for_a_review_at_any_probability_and_tiles_elsewhere_do_not() -> None:
    assert not read_with_surroundings(Surroundings()).review
    assert not read_with_surroundings(Surroundings(crowded=True, unread=True, touched=True)).review
    reading = read_with_surroundings(Surroundings(damaged=True))
    assert reading.review and [problem.warning for problem in reading.problems] == ["flawed"]


def test_a_kingdom_that_may_be_a_picture_is_flagged_with_the_shipped_weights() -> None:
    calibration = Networks.load().calibration
    assert not read_with_surroundings(Surroundings(), calibration).review
    reading = read_with_surroundings(Surroundings(pictured=True), calibration)
    assert reading.review and [problem.warning for problem in reading.problems] == ["pictured"]


def test_problems_of_the_decision_are_evidence_of_a_misreading() -> None:
    assert label_misreading(Problem((), "?", "kingdomino/box", warning="contents")).warning == "contents"
    assert label_misreading(Problem((), "?", "kingdomino/grid")).warning == "illegal"
    for problem in (Problem((), "?", "kingdomino/grid", is_rule_breach=True), Problem((), "?")):
        assert label_misreading(problem) == problem


def test_several_unidentified_squares_are_one_piece_of_evidence() -> None:
    reading = read_with_surroundings(Surroundings())
    (decision,) = decide(
        [reading.observation.probabilities], KINGDOMINO, border_log_odds=[reading.observation.border_log_odds]
    )
    problems = [Problem((Square(0, 0), Square(0, 1)), "?", warning="unknown"), Problem((), "?", warning="rim")]
    strengths = measure_warning_strengths(problems, reading.observation, decision)
    assert strengths == {"unknown": 1.0, "rim": 1.0, "hidden": 0.0} and strengths.keys() <= WARNING_IDS
