"""What was seen travels as text and comes back as it was, as far as it counts."""

from dataclasses import replace

import numpy as np
import pytest

from kdvision.game.board import Board, Square
from kdvision.pipeline import Calibration, KingdomReading, Surroundings, assemble_kingdoms, decide_again
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import KINDS, Reading
from kdvision.vision.networks.onnx import load_model
from kdvision.web.limits import Refused
from kdvision.web.tokens import LONGEST, packed, unpacked
from tests.kingdoms import grid_of, table_photo

KEY = b"k" * 32


def observation(text: str = ". . . . / . w w1 . / . # f . / . . . .") -> GridObservation:
    board = Board.parse(text)
    log_probs = Reading.of(board, confidence=0.97, spoiled={"B2": {"w": 0.7, "w1": 0.25}}).log_probs
    rng = np.random.default_rng(5)
    border_log_odds = rng.normal(size=(board.height, board.width - 1)), rng.normal(size=(board.height - 1, board.width))
    return GridObservation(
        grid_of(board, slant=0.2), Reading(log_probs), border_log_odds, np.zeros((board.height, board.width))
    )


def read(seen: GridObservation) -> KingdomReading:
    calibration = Calibration(**load_model("cells").about.get("boards", {}))
    (kingdom,) = assemble_kingdoms(table_photo(), [seen], calibration=calibration)
    return kingdom


def test_a_sight_comes_back_as_it_was() -> None:
    first = read(observation())
    assert first.observation is not None
    back = unpacked(packed(first, KEY), KINDS, KEY)
    assert back.around == Surroundings()
    assert np.abs(back.observation.reading.log_probs - first.observation.reading.log_probs).max() < 0.01
    for one, other in zip(back.observation.border_log_odds, first.observation.border_log_odds, strict=True):
        assert np.abs(one - other).max() < 0.01
    assert np.abs(back.observation.grid.quads - first.observation.grid.quads).max() <= 0.5
    assert back.observation.inside is None


def test_what_lies_at_the_edge_of_the_picture_comes_back_too() -> None:
    shape = (4, 4)
    seen, around = (
        replace(observation(), inside=np.full(shape, 0.5), beyond=np.full(shape, 0.25)),
        Surroundings(False, True, True, True),
    )
    back = unpacked(packed(replace(read(observation()), observation=seen, around=around), KEY), KINDS, KEY)
    assert back.around == around
    assert back.observation.inside is not None
    assert back.observation.beyond is not None
    assert (back.observation.inside == 0.5).all()
    assert (back.observation.beyond == 0.25).all()


def test_pieces_and_gems_come_back_too() -> None:
    names, rng = ("", "knight", "tower"), np.random.default_rng(3)
    chances = rng.dirichlet(np.ones(3), (4, 4))
    seen = replace(observation(), pieces=np.log(chances), gems=rng.normal(0, 4, (5, 5)), piece_names=names)
    text = packed(replace(read(observation()), observation=seen), KEY)
    back = unpacked(text, KINDS, KEY, pieces=names).observation
    assert back.pieces is not None and back.gems is not None and seen.gems is not None
    assert (back.piece_names, back.inside) == (names, None)
    assert np.abs(np.exp(back.pieces) - chances).max() < 0.01
    assert np.abs(back.gems - seen.gems).max() < 0.01


def test_what_comes_back_is_decided_alike() -> None:
    first = read(observation())
    assert first.observation is not None
    back = unpacked(packed(first, KEY), first.observation.reading.kinds, KEY)
    (again,) = decide_again([back.observation], around=[back.around])
    assert (again.board, again.start) == (first.board, first.start)
    assert [doubt.square for doubt in again.doubts] == [doubt.square for doubt in first.doubts]


def test_the_largest_grid_fits() -> None:
    rows = " / ".join(" ".join(["."] * 13) for _ in range(13))
    board = Board.parse(rows).replaced({Square(6, 6): Board.parse("#")[Square(0, 0)]})
    made = packed(replace(read(observation()), observation=observation(str(board))), KEY)
    assert len(made) < LONGEST / 2
    assert unpacked(made, KINDS, KEY).observation.grid.rows == 13


@pytest.mark.parametrize("change", [0, 1, 20, -1])
def test_any_change_is_refused(change: int) -> None:
    made = packed(read(observation()), KEY)
    place = change % len(made)
    other = made[:place] + ("x" if made[place] != "x" else "y") + made[place + 1 :]
    with pytest.raises(Refused):
        unpacked(other if change >= 0 else made[:-8], KINDS, KEY)


def test_another_key_is_refused() -> None:
    with pytest.raises(Refused) as raised:
        unpacked(packed(read(observation()), KEY), KINDS, b"o" * 32)
    assert raised.value.status == 410
