"""What each part brings, counted on kingdoms made from notation: no network."""

import csv
import io

import numpy as np
import pytest

from kdvision.game.board import Board
from kdvision.lab.experiments.ablate import (
    BY_THEMSELVES,
    CELLS_ALONE,
    COLOURLESS,
    ONCE,
    PARTS,
    WHOLE,
    Case,
    by_kingdoms,
    by_squares,
    table,
    tallied,
)
from kdvision.lab.games.play import play
from kdvision.vision.classify.probabilities import Reading
from tests.kingdoms import plain_sight as observation
from tests.vision.decide.simulation import framed, noisy

LOOKS = (WHOLE, ONCE, CELLS_ALONE, COLOURLESS, BY_THEMSELVES)


def case(*readings: Reading, truth: list[Board]) -> Case:
    seen = tuple(observation(reading, 900.0 * number) for number, reading in enumerate(readings))
    return Case("made", dict.fromkeys(LOOKS, seen), tuple(truth))


def test_each_part_is_left_out_alone() -> None:
    """Two squares of four kingdoms are spoiled so that only the box, shared by all, knows better."""
    clear = Board.parse("w m3 # w w / . . . g g")
    mended = Board.parse("w m1 # f f / . . . l l")
    unsure = Reading.of(mended, spoiled={"B1": {"m3": 0.6, "m1": 0.39}})
    made = case(Reading.of(clear), unsure, truth=[clear, mended])
    right = {part: tallied([made], read).boards_right for part, read in PARTS.items()}
    assert right["nothing"] == 2
    assert right["joint kingdoms: each decided by itself"] == 1
    assert right["how many of each domino the box has"] == 1
    assert right["border evidence"] == 2


def test_what_is_missed_or_invented_counts_as_wrong() -> None:
    truth = Board.parse("w w # l l")
    found = tallied([case(Reading.of("w w # l l"), truth=[truth, truth])], by_squares)
    assert (found.squares, found.boards, found.boards_right) == (10, 2, 1)
    assert found.squares_right == 5
    nothing = tallied([Case("none", dict.fromkeys(LOOKS, ()), (truth,))], PARTS["nothing"])
    assert (nothing.squares, nothing.squares_right, nothing.boards_right) == (5, 0, 0)


@pytest.fixture(scope="module")
def games() -> list[Case]:
    made = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        boards = [framed(kingdom.board, 5, 1) for kingdom in play(rng, players=4)][: seed + 1]
        readings = [noisy(board, rng, accuracy=0.96) for board in boards]
        made.append(case(*readings, truth=[board.trimmed() for board in boards]))
    return made


def test_the_tables_have_a_line_for_each_part_and_each_number_of_kingdoms(games: list[Case]) -> None:
    lines = list(csv.DictReader(io.StringIO(table({"made": games[:1], "others": games[1:2]}))))
    assert [line["left out"] for line in lines] == list(PARTS)
    assert lines[0]["others: boards exact"].endswith("of 2")
    counted = list(csv.DictReader(io.StringIO(by_kingdoms(games))))
    assert [line["kingdoms"] for line in counted] == ["1", "2", "3"]
    for line in counted:
        assert float(line["squares after"].split()[0]) >= float(line["squares before"].split()[0])
