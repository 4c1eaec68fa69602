"""Copies: a kingdom that is shown twice in one photo is read once."""

import numpy as np
import pytest

from kdvision.game.board import Board
from kdvision.lab.games.play import play
from kdvision.vision.assess.copies import find_copies
from kdvision.vision.find import assemble_kingdoms
from tests.kingdoms import table_photo
from tests.vision.test_pipeline import make_observation

KINGDOM = Board.parse("w w1 f f . / l l # . . / . g g . .")
OTHER = Board.parse("w1 w1 f l . / l f # s . / . g w . .")


@pytest.mark.parametrize("copy", [KINGDOM, KINGDOM.rotate(), KINGDOM.rotate(3), KINGDOM.mirror()])
def test_a_smaller_kingdom_of_the_same_tiles_is_a_copy(copy: Board) -> None:
    original, smaller = make_observation(str(KINGDOM)), make_observation(str(copy), left=600, side=20)
    assert find_copies([smaller, original]) == [(smaller, original)]
    (read,) = assemble_kingdoms(table_photo(), [original, smaller])
    assert read.board == KINGDOM.trim() and not read.review
    assert [problem.warning for problem in read.problems] == ["copied"]


def test_a_copy_may_lack_tiles_but_has_no_others() -> None:
    """What a copy shows beside the kingdom may be covered on the table."""
    original = make_observation(str(KINGDOM))
    assert find_copies([original, make_observation("w w1 f f . / . l # . . / . . . . .", side=20)]) == []  # five tiles
    assert find_copies([original, make_observation("w w1 f f . / l l # . . / . g . . .", side=20)])
    assert not find_copies([original, make_observation("w w1 f f . / l l # s s / . g g . .", side=20)])


def test_other_kingdoms_are_none() -> None:
    reads = assemble_kingdoms(table_photo(), [make_observation(str(KINGDOM)), make_observation(str(OTHER), left=600)])
    assert len(reads) == 2 and not any(problem.warning == "copied" for read in reads for problem in read.problems)


@pytest.mark.parametrize("side", [5, 7])
def test_kingdoms_of_one_game_are_never_copies(side: int) -> None:
    for seed in range(25):
        kingdoms = play(np.random.default_rng(seed), players=4 if side == 5 else 2, side=side)
        assert not find_copies([make_observation(str(one.board), side=20 + n) for n, one in enumerate(kingdoms)])
