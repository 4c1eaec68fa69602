"""Kingdom readings: their probability, and when tiles and doubts beside the board force a review."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.game.kingdom import Kingdom, Token
from kdvision.game.rules import GAME_KINGDOMINO, make_rule_set
from kdvision.game.scoring import score
from kdvision.report.doubt_effects import compute_totals, list_alternatives
from kdvision.vision.assess.calibration import BoardWeights, Calibration
from kdvision.vision.assess.surroundings import Surroundings, mark_touching
from kdvision.vision.assess.warnings import RIM_WARNING
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import ClassProbabilities, compute_log_odds
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.result import KingdomReading, build_reading
from tests.kingdoms import make_grid, make_plain_observation, override_squares, table_photo

BOARD = ". . . . . . / . w w1 f f . / . l l # . . / . . g g . . / . . . . . ."
"""A castle and four dominoes with table around them."""


UNPROVED_TEXT = "not all alternatives could be examined: compare it with the table"


def read_board(
    shares_by_square: dict[str, dict[str, float]],
    *,
    board: str = BOARD,
    review_threshold: float = 0.9,
    board_weights: BoardWeights = Calibration.board_weights,
    is_proved: bool = True,
) -> KingdomReading:
    true_board = Board.parse(board)
    reading = override_squares(ClassProbabilities.of(true_board, confidence=0.999), shares_by_square)
    (decision,) = decide([reading], KINGDOMINO)
    return build_reading(
        make_plain_observation(reading),
        replace(decision, is_proved=is_proved),
        Surroundings(),
        Calibration(review_threshold=review_threshold, board_weights=board_weights),
        GAME_KINGDOMINO,
    )


def test_a_certain_kingdom_needs_no_review() -> None:
    reading = read_board({})
    assert not reading.review
    assert len(reading.board) == 9
    unproved_reading = read_board({}, is_proved=False)
    assert unproved_reading.review and [problem.text for problem in unproved_reading.problems] == [UNPROVED_TEXT]


@pytest.mark.parametrize(("presence", "needs_review"), [(0.7, False), (0.95, False), (0.99, True)])
def test_only_a_certain_tile_beside_the_board_is_odd(presence: float, needs_review: bool) -> None:
    """A lone place that looks somewhat like a tile is table, but a certain tile lacks its other half."""
    reading = read_board({"F3": {"w": presence, ".": 1 - presence}})
    assert len(reading.board) == 9
    assert (RIM_WARNING in reading.problems) == needs_review
    assert reading.review == needs_review


TRUNCATED_BOARD = ". . . . . . / . w w1 f f . / . l l # . . / . . g g . ."
"""The same board without the row of table below."""


@pytest.mark.parametrize(("presence", "share"), [(0.05, 1.0), (0.4, 0.6)])
def test_a_possible_domino_half_beyond_the_grid_lowers_the_probability(presence: float, share: float) -> None:
    """The decision considers no board with a domino that extends beyond the grid."""
    shares_by_square = {"B4": {"w": presence, ".": 1 - presence}}
    full_reading, truncated_reading = (
        read_board(shares_by_square, board=board, review_threshold=0.9) for board in (BOARD, TRUNCATED_BOARD)
    )
    assert full_reading.board == truncated_reading.board
    assert not full_reading.review
    assert truncated_reading.probability == pytest.approx(
        share * read_board({}, board=TRUNCATED_BOARD).probability, rel=0.02
    )
    assert truncated_reading.review == (RIM_WARNING in truncated_reading.problems) == (share < 1)
    assert sum(chance for _, chance in truncated_reading.runners_up) + truncated_reading.probability <= share + 1e-9


def test_a_doubt_beside_the_board_is_named_where_the_board_is_not_sure_enough() -> None:
    """The board's probability includes the chance of a domino below it, like doubts within the board."""
    shares_by_square = {"C5": {"s": 0.28, ".": 0.72}, "D5": {"s": 0.28, ".": 0.72}}
    accepted_reading, reading_for_review = (
        read_board(shares_by_square, review_threshold=review_threshold) for review_threshold in (0.0, 0.999)
    )
    assert accepted_reading.probability == reading_for_review.probability < 0.999
    assert not accepted_reading.review
    assert RIM_WARNING not in accepted_reading.problems
    assert reading_for_review.review
    assert RIM_WARNING in reading_for_review.problems


def test_the_calibration_corrects_the_board_probability() -> None:
    """The other boards share the rest in their proportions."""
    shares_by_square = {"C5": {"s": 0.28, ".": 0.72}, "D5": {"s": 0.28, ".": 0.72}}
    raw_reading, corrected_reading = (
        read_board(shares_by_square, review_threshold=0.0),
        read_board(shares_by_square, review_threshold=0.0, board_weights=(0.5, 0.0, 0.0, -1.0)),
    )
    assert compute_log_odds(corrected_reading.probability) == pytest.approx(
        0.5 * compute_log_odds(raw_reading.probability) - 1
    )
    assert [board for board, _ in corrected_reading.runners_up] == [board for board, _ in raw_reading.runners_up]
    for reading in (raw_reading, corrected_reading):
        shares = np.array([chance for _, chance in reading.runners_up]) / (1 - reading.probability)
        assert shares == pytest.approx([chance / (1 - raw_reading.probability) for _, chance in raw_reading.runners_up])


EDGE_BOARD = ". . . . . . . / . w1 f . . . . / . w w # g1 w . / . . . . . . ."
"""A domino alone in an outer row, with the only crown of the wheat."""


@pytest.mark.parametrize("quarter_turns", range(4))
def test_a_doubtful_domino_alone_in_an_outer_row_goes_as_a_whole(quarter_turns: int) -> None:
    """On every side, the alternative board lacks both halves, and a giant stays on its square."""
    board = Board.parse(EDGE_BOARD).rotate(quarter_turns)
    domino = {square: str(cell) for square, cell in board.items() if str(cell) in ("w1", "f")}
    reading = read_board({square.name: {kind: 0.8, ".": 0.2} for square, kind in domino.items()}, board=str(board))
    assert [score(alternative.board).points for alternative in list_alternatives(reading)] == [1, 1]
    (crown,) = (square for square, cell in reading.board.items() if str(cell) == "g1")
    kingdom = Kingdom(reading.board, tokens=(Token("giants", crown, "", -1),))
    boards = [(reading.board, reading.probability), *reading.runners_up]
    totals = compute_totals(kingdom, boards, make_rule_set(variants=["age-of-giants"]))
    assert [total.total for total in totals[:2]] == [3, 0]


def make_observation(text: str, *, left: float = 40) -> GridObservation:
    """Return the observation of a board without a rim of table."""
    board = Board.parse(text)
    return make_plain_observation(ClassProbabilities.of(board, confidence=0.999), left=left)


@pytest.mark.parametrize(("gap", "is_touching"), [(0.1, True), (0.3, True), (0.5, False), (1.0, False)])
@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_kingdoms_that_nearly_touch_are_both_reported(gap: float, is_touching: bool, tilt: float) -> None:
    """A domino may be assigned to the wrong kingdom, and neither board shows that."""
    board = Board.parse("# w w / f f .")
    grids = [make_grid(board), make_grid(board, left=40 + (3 + gap) * 50), make_grid(board, left=800)]
    askew_grids = [replace(grid, quads=grid.quads * (1, 1 - tilt)) for grid in grids]
    observations, decisions = (
        [make_plain_observation(ClassProbabilities.of(board), grid) for grid in askew_grids],
        [Decision(board, (), 1.0)],
    )
    surroundings = mark_touching(
        [Surroundings(), Surroundings(unread=True), Surroundings()], observations, decisions * 3
    )
    assert surroundings == [
        Surroundings(touched=is_touching),
        Surroundings(unread=True, touched=is_touching),
        Surroundings(),
    ]


def test_a_kingdom_that_touches_another_needs_review() -> None:
    left, right = (make_observation("# w w1 / f f ."), make_observation("# l l / g g .", left=40 + 3.2 * 50))
    readings = assemble_kingdoms(table_photo(), [left, right])
    assert all(
        reading.review and any("touches" in problem.text for problem in reading.problems) for reading in readings
    )
    (single_reading,) = assemble_kingdoms(table_photo(), [left])
    assert not any("touches" in problem.text for problem in single_reading.problems)
