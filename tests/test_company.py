"""Kingdoms that cannot share a box: read as far as it goes, and told; never repaired in silence."""

import numpy as np
import pytest

from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.drafts import play
from kdvision.lab.simulate import framed, noisy
from kdvision.vision.company import copies
from kdvision.vision.decided import Decision
from kdvision.vision.reading import Reading
from kdvision.vision.reconstruct import decide


def boards(seed: int, players: int = 4) -> list[Board]:
    return [framed(kingdom.board, 5, 1) for kingdom in play(np.random.default_rng(seed), players=players)]


def said(decision: Decision) -> str:
    return "; ".join(problem.text for problem in decision.problems)


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_a_picture_of_a_kingdom_beside_it_is_read_and_told(turns: int) -> None:
    first, second, *_ = boards(3)
    seen = [Reading.of(board, confidence=0.9999) for board in (first, second, first.turned(turns))]
    decisions = decide(seen, KINGDOMINO, side=5)
    assert [decision.board for decision in decisions] == [first, second, first.turned(turns)]
    assert "kingdom 1 once more" in said(decisions[2]) and "kingdom 3 is this one once more" in said(decisions[0])
    assert not decisions[1].problems
    assert not any(decision.certain(0.5) for decision in (decisions[0], decisions[2]))


def test_two_boxes_on_one_table_are_told_and_nothing_is_repaired() -> None:
    """One kingdom of each of two games: the same rich dominoes lie in both."""
    one, two = "w m3 # g2 w / . . f f . / . . s2 w .", "s m2 # l g2 / w m3 . . . / f f s2 w ."
    three = "m3 w # w g2 / . . s m2 . / . . w s2 ."
    seen = [Reading.of(board, confidence=0.999) for board in (one, two, three)]
    decisions = decide(seen, KINGDOMINO, side=5)
    assert [str(decision.board) for decision in decisions] == [one, two, three]
    assert all("two boxes" in said(decision) for decision in decisions)
    assert not any(decision.certain(0.5) for decision in decisions)


def test_two_boxes_are_told_where_few_dominoes_give_them_away() -> None:
    """Two games at one table, four kingdoms of each: whatever they have in common is read as it lies."""
    right = 0
    for seed in range(6):
        mixed = [boards(2 * seed)[0], boards(2 * seed + 1)[0]]
        decisions = decide([Reading.of(board, confidence=0.9999) for board in mixed], KINGDOMINO, side=5)
        for decision, board in zip(decisions, mixed, strict=True):
            right += decision.board == board
            assert decision.board == board or not decision.certain(0.5)
    assert right >= 11


def test_a_domino_that_the_box_has_once_may_lie_there_twice() -> None:
    """A tile of another box, or a homemade one, is kept as it was read, and told."""
    board = "w m3 # g2 w / m3 . f f . / w . s2 w ."
    (decision,) = decide([Reading.of(board, confidence=0.9999)], KINGDOMINO, side=5)
    assert str(decision.board) == board
    assert decision.problems and decision.foreign == 1


def test_a_misread_square_is_still_mended_in_company() -> None:
    rng = np.random.default_rng(1)
    truth = boards(1)
    decisions = decide([noisy(board, rng, accuracy=0.97) for board in truth], KINGDOMINO, side=5)
    assert not any("box" in said(decision) for decision in decisions)
    assert sum(decision.board == board for decision, board in zip(decisions, truth, strict=True)) >= 3


def test_kingdoms_of_one_game_are_no_copies() -> None:
    rng = np.random.default_rng(2)
    for seed in range(4):
        assert copies([noisy(board, rng, accuracy=0.95) for board in boards(seed)]) == {}


@pytest.mark.parametrize("board", ["w m3 # t2 w", "m3 m3 # w w / . . g g .", "w2 l2 # f3 f"])
def test_tiles_of_no_box_are_kept_as_read_and_told(board: str) -> None:
    """`t2`, a town, is of another box; two mines of three crowns on one domino are homemade."""
    kinds = (*Reading.of("#").kinds, "t2", "w2", "l2", "f3")
    (decision,) = decide([Reading.of(board, confidence=0.999999, kinds=kinds)], KINGDOMINO, side=5)
    assert str(decision.board) == board
    assert decision.problems and not decision.certain(0.5)
