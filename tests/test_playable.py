"""A rule that players mostly keep tells of two outlines that are nearly as likely which is right, and nothing else."""

from collections.abc import Mapping

import pytest

from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.vision.decided import Decision
from kdvision.vision.playable import breaks_the_rule
from kdvision.vision.reading import Reading
from kdvision.vision.reconstruct import decide

BREAKS, KEEPS, WITHOUT = "# w w l l", "# w w w l", "# w w . ."


def unsure(board: str, chance: float) -> Reading:
    """The reading of a board whose last domino may be none."""
    spoiled = {f"{'ABCDE'[n]}1": {board.split()[n]: chance, ".": 0.98 - chance} for n in (3, 4)}
    return Reading.of(board, spoiled=spoiled)


def read(board: str, chance: float) -> Decision:
    (decision,) = decide([unsure(board, chance)], KINGDOMINO)
    return decision


@pytest.mark.parametrize(("board", "broken"), [(BREAKS, True), (KEEPS, False), (WITHOUT, False), ("# . w w", False)])
def test_dominoes_touch_their_own_terrain_or_the_castle(board: str, broken: bool) -> None:
    assert breaks_the_rule(Board.parse(board), KINGDOMINO) == broken


@pytest.mark.parametrize(
    ("board", "chance", "decided"),
    [
        (BREAKS, 0.6, WITHOUT),  # 0.9 log units for it: less than breaking the rule costs
        (BREAKS, 0.8, BREAKS),  # 3 log units
        (KEEPS, 0.6, KEEPS),
        (KEEPS, 0.4, WITHOUT),
    ],
)
def test_what_hardly_looks_like_a_domino_and_breaks_the_rule_is_none(board: str, chance: float, decided: str) -> None:
    assert str(read(board, chance).board) == decided


def test_a_board_that_breaks_the_rule_is_less_sure_and_the_other_one_runs_up() -> None:
    decision = read(BREAKS, 0.8)
    assert any("touches neither" in problem.text for problem in decision.problems)
    assert (str(decision.runners_up[0][0]), decision.probability < 0.85) == (WITHOUT, True)
    assert read(KEEPS, 0.8).probability > 0.9
    assert decision.probability + sum(chance for _, chance in decision.runners_up) == pytest.approx(1)


def test_a_domino_that_is_plain_stays_whatever_rule_it_breaks() -> None:
    decision = read(BREAKS, 0.97)
    assert str(decision.board) == BREAKS
    assert decision.probability > 0.95


@pytest.mark.parametrize("boards", [(BREAKS, KEEPS), (KEEPS, BREAKS)])
def test_of_several_kingdoms_each_keeps_the_rule_by_itself(boards: tuple[str, str]) -> None:
    found = decide([unsure(board, 0.6) for board in boards], KINGDOMINO)
    expected: Mapping[str, str] = {BREAKS: WITHOUT, KEEPS: KEEPS}
    assert [str(decision.board) for decision in found] == [expected[board] for board in boards]
