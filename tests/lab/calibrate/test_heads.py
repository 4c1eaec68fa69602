"""How far each kind of probability can be believed, on readings that know exactly how sure they are."""

import csv
import io

import numpy as np

from kdvision.game.board import Board
from kdvision.lab.calibrate.heads import HEADS, heads, placed, table
from kdvision.lab.calibrate.rehearsal import Seen
from kdvision.lab.games.drafts import play
from kdvision.pipeline import Calibration
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.result import ALONE
from tests.kingdoms import plain_sight as observation
from tests.vision.decide.simulation import framed, noisy


def test_the_truth_is_laid_where_it_is_seen() -> None:
    truth = Board.parse("w w # / . l1 f / . . f")
    for turns in range(4):
        there = framed(truth.turned(turns), 3, 1)
        assert placed(truth, observation(Reading.of(there, spoiled={"C3": {"g": 0.9}}))) == there


def test_readings_that_know_how_sure_they_are_have_little_error() -> None:
    rng = np.random.default_rng(0)
    seen = []
    for _ in range(12):
        boards = [framed(kingdom.board, 5, 1) for kingdom in play(rng, players=4)][:2]
        observations = tuple(observation(noisy(board, rng, accuracy=0.93)) for board in boards)
        seen.append(Seen(observations, (ALONE,) * 2, tuple(board.trimmed() for board in boards), (False, False)))
    said = heads(
        [*seen, Seen(seen[0].observations, (ALONE,) * 2, (None, seen[0].truth[1]), (False, True))], Calibration()
    )
    lines = {line["probability of"]: line for line in csv.DictReader(io.StringIO(table(said)))}
    assert list(lines) == list(HEADS)
    assert int(lines["board"]["how many"]) == 26  # two of no kingdom, and of one that the picture cuts
    assert int(lines["square, before deciding"]["how many"]) == 24 * 49
    for name in ("kind of a tile", "tile or none", "square, before deciding", "square, decided"):
        assert float(lines[name]["calibration error"]) < 0.03
    assert float(lines["points"]["right"]) >= float(lines["board"]["right"])
    assert float(lines["points"]["said on average"]) >= float(lines["board"]["said on average"])


def test_of_a_kingdom_that_the_picture_cuts_no_board_is_right() -> None:
    truth = Board.parse("w w # l l")
    seen = Seen((observation(Reading.of(truth, confidence=0.99)),), (ALONE,), (truth,), (True,))
    said = heads([seen], Calibration())
    assert said["board"].right == [False] and not said["square, decided"].right


def test_overconfident_readings_have_a_large_error() -> None:
    truth = Board.parse("w w # l l")
    wrong = [Reading.of("w f # l g", confidence=0.99)] * 20
    said = heads([Seen((observation(one),), (ALONE,), (truth,), (False,)) for one in wrong], Calibration())
    assert float(said["square, before deciding"].row[3]) > 0.3
