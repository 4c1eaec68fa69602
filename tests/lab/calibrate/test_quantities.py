"""The calibration per quantity, on readings whose probabilities are exact by construction."""

import csv
import io

import numpy as np

from kdvision.game.board import Board
from kdvision.lab.calibrate.quantities import QUANTITIES, align_truth, collect_quantities, format_quantities
from kdvision.lab.calibrate.scenes import ObservedKingdom, ObservedScene
from kdvision.lab.games.play import play
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.assess.warnings import Surroundings
from kdvision.vision.classify.probabilities import Reading
from tests.kingdoms import make_plain_observation as observe
from tests.kingdoms import override_squares
from tests.vision.decide.simulation import add_frame, make_noisy_reading


def find(reading: Reading, truth: Board) -> ObservedKingdom:
    return ObservedKingdom(observe(reading), Surroundings(), truth)


def test_the_truth_is_aligned_with_the_grid() -> None:
    truth = Board.parse("w w # / . l1 f / . . f")
    for turns in range(4):
        aligned = add_frame(truth.rotate(turns), 3, 1)
        assert align_truth(truth, observe(override_squares(Reading.of(aligned), {"C3": {"g": 0.9}}))) == aligned


def test_exact_probabilities_have_a_small_calibration_error() -> None:
    rng = np.random.default_rng(0)
    scenes = []
    for _ in range(12):
        boards = [add_frame(kingdom.board, 5, 1) for kingdom in play(rng, players=4)][:2]
        readings = [make_noisy_reading(board, rng, accuracy=0.93) for board in boards]
        pairs = zip(readings, boards, strict=True)
        scenes.append(ObservedScene(tuple(find(reading, board.trim()) for reading, board in pairs)))
    first, second = scenes[0].kingdoms
    unknown = ObservedScene((first._replace(board=None), second._replace(truncated=True)))
    text = format_quantities([collect_quantities(scene, Calibration()) for scene in [*scenes, unknown]])
    lines = {line["quantity"]: line for line in csv.DictReader(io.StringIO(text))}
    assert list(lines) == list(QUANTITIES)
    assert int(lines["board"]["count"]) == 26  # with the two of no kingdom and of a truncated one
    assert int(lines["square before the decision"]["count"]) == 24 * 49
    for name in ("kind of a tile", "tile or none", "square before the decision", "square decided"):
        assert float(lines[name]["calibration_error"]) < 0.03
    assert float(lines["points"]["accuracy"]) >= float(lines["board"]["accuracy"])
    assert float(lines["points"]["mean_probability"]) >= float(lines["board"]["mean_probability"])


def test_neither_board_nor_points_of_a_truncated_kingdom_are_right() -> None:
    truth = Board.parse("w w # l l")
    scene = ObservedScene((find(Reading.of(truth, confidence=0.99), truth)._replace(truncated=True),))
    found = collect_quantities(scene, Calibration())
    assert found["board"][:, 1].tolist() == found["points"][:, 1].tolist() == [0]
    assert not len(found["square decided"])


def test_overconfident_readings_have_a_large_calibration_error() -> None:
    truth = Board.parse("w w # l l")
    reading = Reading.of("w f # l g", confidence=0.99)
    scene = ObservedScene((find(reading, truth),))
    text = format_quantities([collect_quantities(scene, Calibration())] * 20)
    lines = {line["quantity"]: line for line in csv.DictReader(io.StringIO(text))}
    assert float(lines["square before the decision"]["calibration_error"]) > 0.3


def test_a_quantity_without_values_has_an_empty_row() -> None:
    assert {line["count"] for line in csv.DictReader(io.StringIO(format_quantities([])))} == {"0"}
