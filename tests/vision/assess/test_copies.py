"""Copies: a kingdom that is shown twice in one photo is read once, and one with smaller tiles may be a picture."""

from dataclasses import replace

import numpy as np
import pytest

from kdvision.game.board import Board
from kdvision.lab.games.play import play
from kdvision.vision.assess.copies import find_copies, may_be_picture
from kdvision.vision.assess.surroundings import describe_surroundings
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.geometry import apply_homography, fit_rectangle_homography
from tests.kingdoms import table_photo
from tests.vision.test_pipeline import make_observation

KINGDOM = Board.parse("w w1 f f . / l l # . . / . g g . .")
OTHER_KINGDOM = Board.parse("w1 w1 f l . / l f # s . / . g w . .")


@pytest.mark.parametrize("copy", [KINGDOM, KINGDOM.rotate(), KINGDOM.rotate(3), KINGDOM.mirror()])
def test_a_smaller_kingdom_of_the_same_tiles_is_a_copy(copy: Board) -> None:
    kingdom, smaller_kingdom = make_observation(str(KINGDOM)), make_observation(str(copy), left=600, side=20)
    assert find_copies([smaller_kingdom, kingdom]) == [(smaller_kingdom, kingdom)]
    (reading,) = assemble_kingdoms(table_photo(), [kingdom, smaller_kingdom])
    assert reading.board == KINGDOM.trim() and not reading.review
    assert [problem.warning for problem in reading.problems] == ["copied"]


def test_a_copy_may_lack_tiles_but_has_no_others() -> None:
    """Extra tiles of a copy may be real tiles that something covers in the kingdom itself."""
    kingdom = make_observation(str(KINGDOM))
    assert find_copies([kingdom, make_observation("w w1 f f . / . l # . . / . . . . .", side=20)]) == []  # five tiles
    assert find_copies([kingdom, make_observation("w w1 f f . / l l # . . / . g . . .", side=20)])
    assert not find_copies([kingdom, make_observation("w w1 f f . / l l # s s / . g g . .", side=20)])


def test_other_kingdoms_are_none() -> None:
    readings = assemble_kingdoms(
        table_photo(), [make_observation(str(KINGDOM)), make_observation(str(OTHER_KINGDOM), left=600)]
    )
    assert len(readings) == 2 and not any(
        reading.surroundings.copied or reading.surroundings.pictured for reading in readings
    )


@pytest.mark.parametrize(("side", "is_pictured"), [(15, True), (24, False)])
def test_a_kingdom_of_much_smaller_tiles_than_others_may_be_a_picture(side: int, is_pictured: bool) -> None:
    observations = [make_observation(str(KINGDOM)), make_observation(str(OTHER_KINGDOM), left=600, side=side)]
    assert [surroundings.pictured for surroundings in describe_surroundings(observations, observations)] == [
        False,
        is_pictured,
    ]


def test_a_loose_domino_and_perspective_make_no_picture() -> None:
    kingdom = make_observation(str(KINGDOM), side=20)
    assert may_be_picture(kingdom, [make_observation("w w1 f1 f", left=400, side=60)]) is False
    near_kingdom, far_kingdom = (make_observation(str(board), side=30) for board in (OTHER_KINGDOM, KINGDOM))
    homography = fit_rectangle_homography(800, 800, np.array([(250, 0), (550, 0), (800, 500), (0, 500)], float))
    near_kingdom, far_kingdom = (
        replace(
            observation,
            grid=replace(observation.grid, quads=apply_homography(homography, observation.grid.quads + shift)),
        )
        for observation, shift in ((near_kingdom, (0, 500)), (far_kingdom, (0, 0)))
    )
    assert near_kingdom.grid.side_pixels > 1.5 * far_kingdom.grid.side_pixels
    assert not may_be_picture(far_kingdom, [near_kingdom])


@pytest.mark.parametrize("side", [5, 7])
def test_kingdoms_of_one_game_are_never_copies(side: int) -> None:
    for seed in range(25):
        kingdoms = play(np.random.default_rng(seed), players=4 if side == 5 else 2, side=side)
        assert not find_copies([make_observation(str(k.board), side=20 + n) for n, k in enumerate(kingdoms)])
