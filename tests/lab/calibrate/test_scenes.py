"""Calibration scenes: corrupted pictures keep their truth, and a missed kingdom makes its neighbours wrong."""

import numpy as np
import pytest

from kdvision.evaluate.corruptions import CORRUPTIONS
from kdvision.game.board import Board
from kdvision.lab.calibrate.scenes import CORRUPTED_SHARE, ObservedKingdom, ObservedScene, corrupt_by_seed, judge_boards
from kdvision.lab.render.corrupted import CALIBRATED_CORRUPTIONS, TRAINING_CORRUPTIONS, corrupt_picture
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.probabilities import ClassProbabilities
from tests.kingdoms import make_grid, make_plain_observation

BOARD = Board.parse(". . . . . . / . w w1 f f . / . l l # . . / . . g g . . / . . . . . .")


def make_picture() -> Picture:
    grid = make_grid(BOARD, side=60)
    squares = {square: RenderedSquare(grid.quads[square], 0.0) for square in BOARD}
    pixels = np.random.default_rng(0).integers(0, 255, (400, 500, 3), dtype=np.uint8)
    return Picture(pixels, (RenderedKingdom(BOARD, squares, {}),), (grid.quads[next(iter(BOARD))] + 200,))


@pytest.mark.parametrize("corruption", TRAINING_CORRUPTIONS)
def test_the_truth_is_scaled_with_the_picture(corruption: str) -> None:
    picture = make_picture()
    corrupted_picture = corrupt_picture(picture, corruption, 2, seed=1)
    scale = np.array(corrupted_picture.photo.shape[1::-1]) / picture.photo.shape[1::-1]
    assert (corruption in ("fewer pixels", "jpeg")) == bool(scale.max() < 1)
    for square, rendered_square in picture.kingdoms[0].squares.items():
        assert corrupted_picture.kingdoms[0].squares[square].corners == pytest.approx(rendered_square.corners * scale)
    assert corrupted_picture.loose[0] == pytest.approx(picture.loose[0] * scale)


def test_no_calibrated_corruption_hides_what_is_scored() -> None:
    assert not any(CORRUPTIONS[corruption].adversarial for corruption in CALIBRATED_CORRUPTIONS)


def test_a_share_of_all_seeds_is_corrupted_and_a_seed_always_alike() -> None:
    picture = make_picture()
    is_changed = [corrupt_by_seed(picture, seed) is not picture for seed in range(60)]
    assert np.mean(is_changed) == pytest.approx(CORRUPTED_SHARE, abs=0.15)
    seed = is_changed.index(True)
    assert np.array_equal(corrupt_by_seed(picture, seed).photo, corrupt_by_seed(picture, seed).photo)


def test_a_board_beside_a_missed_kingdom_is_wrong_if_tiles_show_that_one_may_be_there() -> None:
    observation = make_plain_observation(ClassProbabilities.of(BOARD, confidence=0.999))
    kingdom = ObservedKingdom(observation, Surroundings(unread=True), BOARD.trim())
    scene, scene_with_miss = (ObservedScene((kingdom,), missed_count) for missed_count in (0, 1))
    scene_without_evidence = ObservedScene((kingdom._replace(surroundings=Surroundings()),), missed_count=1)
    scenes = (scene, scene_with_miss, scene_without_evidence)
    assert [judge_boards(scene)[0].is_right for scene in scenes] == [True, False, True]
