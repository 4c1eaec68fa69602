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
from kdvision.vision.assess.warnings import RIM_WARNING, Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading, compute_log_odds
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.result import KingdomReading, build_reading, mark_touching
from tests.kingdoms import make_grid, make_plain_observation, override_squares, table_photo

SEEN = ". . . . . . / . w w1 f f . / . l l # . . / . . g g . . / . . . . . ."
"""A castle and four dominoes amid table."""


GIVEN_UP = "not all alternatives could be examined: compare it with the table"


def read_with(
    spoiled: dict[str, dict[str, float]],
    *,
    board: str = SEEN,
    sure: float = 0.9,
    belief: BoardWeights = Calibration.board_weights,
    proved: bool = True,
) -> KingdomReading:
    seen = Board.parse(board)
    reading = override_squares(Reading.of(seen, confidence=0.999), spoiled)
    (decision,) = decide([reading], KINGDOMINO)
    return build_reading(
        make_plain_observation(reading),
        replace(decision, is_proved=proved),
        Surroundings(),
        Calibration(review_threshold=sure, board_weights=belief),
        GAME_KINGDOMINO,
    )


def test_a_certain_kingdom_needs_no_review() -> None:
    read = read_with({})
    assert not read.review
    assert len(read.board) == 9
    given_up = read_with({}, proved=False)
    assert given_up.review and [problem.text for problem in given_up.problems] == [GIVEN_UP]


@pytest.mark.parametrize(("presence", "asked"), [(0.7, False), (0.95, False), (0.99, True)])
def test_only_a_certain_tile_beside_the_board_is_odd(presence: float, asked: bool) -> None:
    """Tiles come in pairs, so what alone looks a little like one is table; what surely is one was half lost."""
    read = read_with({"F3": {"w": presence, ".": 1 - presence}})
    assert len(read.board) == 9
    assert (RIM_WARNING in read.problems) == asked
    assert read.review == asked


CUT_SHORT = ". . . . . . / . w w1 f f . / . l l # . . / . . g g . ."
"""The same, without a row of table below."""


@pytest.mark.parametrize(("presence", "share"), [(0.05, 1.0), (0.4, 0.6)])
def test_a_possible_domino_half_beyond_the_grid_lowers_the_probability(presence: float, share: float) -> None:
    """A domino that goes on where nobody looked is on no board that was weighed."""
    spoiled = {"B4": {"w": presence, ".": 1 - presence}}
    inside, half_out = (read_with(spoiled, board=board, sure=0.9) for board in (SEEN, CUT_SHORT))
    assert inside.board == half_out.board
    assert not inside.review
    assert half_out.probability == pytest.approx(share * read_with({}, board=CUT_SHORT).probability, rel=0.02)
    assert half_out.review == (RIM_WARNING in half_out.problems) == (share < 1)
    assert sum(chance for _, chance in half_out.runners_up) + half_out.probability <= share + 1e-9


def test_a_doubt_beside_the_board_is_named_where_the_board_is_not_sure_enough() -> None:
    """A domino may lie below: how likely that is stands in the board's probability, as for doubts within it."""
    maybe = {"C5": {"s": 0.28, ".": 0.72}, "D5": {"s": 0.28, ".": 0.72}}
    believed, asked = (read_with(maybe, sure=sure) for sure in (0.0, 0.999))
    assert believed.probability == asked.probability < 0.999
    assert not believed.review
    assert RIM_WARNING not in believed.problems
    assert asked.review
    assert RIM_WARNING in asked.problems


def test_the_calibration_corrects_the_board_probability() -> None:
    """The other boards have the rest, each its share of it."""
    maybe = {"C5": {"s": 0.28, ".": 0.72}, "D5": {"s": 0.28, ".": 0.72}}
    said, mended = read_with(maybe, sure=0.0), read_with(maybe, sure=0.0, belief=(0.5, 0.0, 0.0, -1.0))
    assert compute_log_odds(mended.probability) == pytest.approx(0.5 * compute_log_odds(said.probability) - 1)
    assert [board for board, _ in mended.runners_up] == [board for board, _ in said.runners_up]
    for read in (said, mended):
        shares = np.array([chance for _, chance in read.runners_up]) / (1 - read.probability)
        assert shares == pytest.approx([chance / (1 - said.probability) for _, chance in said.runners_up])


EDGE = ". . . . . . . / . w1 f . . . . / . w w # g1 w . / . . . . . . ."
"""A domino alone in an outer row, with the only crown of the wheat."""


@pytest.mark.parametrize("quarters", range(4))
def test_a_doubtful_domino_alone_in_an_outer_row_goes_as_a_whole(quarters: int) -> None:
    """Wherever the row lies, both halves are missing in the other board, and a giant stays on its square."""
    seen = Board.parse(EDGE).rotate(quarters)
    domino = {square: str(cell) for square, cell in seen.items() if str(cell) in ("w1", "f")}
    read = read_with({square.name: {kind: 0.8, ".": 0.2} for square, kind in domino.items()}, board=str(seen))
    assert [score(one.board).points for one in list_alternatives(read)] == [1, 1]
    (crown,) = (square for square, cell in read.board.items() if str(cell) == "g1")
    kingdom = Kingdom(read.board, tokens=(Token("giants", crown, "", -1),))
    boards = [(read.board, read.probability), *read.runners_up]
    totals = compute_totals(kingdom, boards, make_rule_set(variants=["age-of-giants"]))
    assert [one.total for one in totals[:2]] == [3, 0]


def make_observation(text: str, *, left: float = 40) -> GridObservation:
    """What is seen of a board with nothing around it."""
    board = Board.parse(text)
    return make_plain_observation(Reading.of(board, confidence=0.999), left=left)


@pytest.mark.parametrize(("gap", "told"), [(0.1, True), (0.3, True), (0.5, False), (1.0, False)])
@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_kingdoms_that_nearly_touch_are_both_reported(gap: float, told: bool, tilt: float) -> None:
    """One domino may have been given to the wrong one, and neither board shows it."""
    board = Board.parse("# w w / f f .")
    grids = [make_grid(board), make_grid(board, left=40 + (3 + gap) * 50), make_grid(board, left=800)]
    grids_askew = [replace(grid, quads=grid.quads * (1, 1 - tilt)) for grid in grids]
    seen, decisions = (
        [make_plain_observation(Reading.of(board), grid) for grid in grids_askew],
        [Decision(board, (), 1.0)],
    )
    around = mark_touching([Surroundings(), Surroundings(unread=True), Surroundings()], seen, decisions * 3)
    assert around == [Surroundings(touched=told), Surroundings(unread=True, touched=told), Surroundings()]


def test_a_kingdom_that_touches_another_needs_review() -> None:
    left, right = (make_observation("# w w1 / f f ."), make_observation("# l l / g g .", left=40 + 3.2 * 50))
    both = assemble_kingdoms(table_photo(), [left, right])
    assert all(read.review and any("touches" in problem.text for problem in read.problems) for read in both)
    (alone,) = assemble_kingdoms(table_photo(), [left])
    assert not any("touches" in problem.text for problem in alone.problems)
