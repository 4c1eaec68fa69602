"""What was seen travels as text and comes back as it was, as far as it counts."""

from dataclasses import replace

import numpy as np
import pytest

from kdvision.game.board import Board, Square
from kdvision.pipeline import Around, KingdomRead, Trust, decide_again, kingdoms_of
from kdvision.vision.classify.observation import Sight
from kdvision.vision.classify.probabilities import KINDS, Reading
from kdvision.vision.networks.onnx import shipped
from kdvision.web.limits import Refused
from kdvision.web.tokens import LONGEST, packed, unpacked
from tests.kingdoms import grid_of, table_photo

KEY = b"k" * 32


def sight(text: str = ". . . . / . w w1 . / . # f . / . . . .") -> Sight:
    board = Board.parse(text)
    log_probs = Reading.of(board, confidence=0.97, spoiled={"B2": {"w": 0.7, "w1": 0.25}}).log_probs
    rng = np.random.default_rng(5)
    bonds = rng.normal(size=(board.height, board.width - 1)), rng.normal(size=(board.height - 1, board.width))
    return Sight(grid_of(board, slant=0.2), Reading(log_probs), bonds, np.zeros((board.height, board.width)))


def read(seen: Sight) -> KingdomRead:
    trust = Trust(**shipped("cells").about.get("boards", {}))
    (kingdom,) = kingdoms_of(table_photo(), [seen], trust=trust)
    return kingdom


def test_a_sight_comes_back_as_it_was() -> None:
    first = read(sight())
    assert first.sight is not None
    back = unpacked(packed(first, KEY), KINDS, KEY)
    assert back.around == Around()
    assert np.abs(back.sight.reading.log_probs - first.sight.reading.log_probs).max() < 0.01
    for one, other in zip(back.sight.bonds, first.sight.bonds, strict=True):
        assert np.abs(one - other).max() < 0.01
    assert np.abs(back.sight.grid.quads - first.sight.grid.quads).max() <= 0.5
    assert back.sight.inside is None


def test_what_lies_at_the_edge_of_the_picture_comes_back_too() -> None:
    shape = (4, 4)
    seen, around = (
        replace(sight(), inside=np.full(shape, 0.5), beyond=np.full(shape, 0.25)),
        Around(False, True, True, True),
    )
    back = unpacked(packed(replace(read(sight()), sight=seen, around=around), KEY), KINDS, KEY)
    assert back.around == around
    assert back.sight.inside is not None
    assert back.sight.beyond is not None
    assert (back.sight.inside == 0.5).all()
    assert (back.sight.beyond == 0.25).all()


def test_pieces_and_gems_come_back_too() -> None:
    names, rng = ("", "knight", "tower"), np.random.default_rng(3)
    chances = rng.dirichlet(np.ones(3), (4, 4))
    seen = replace(sight(), pieces=np.log(chances), gems=rng.normal(0, 4, (5, 5)), piece_names=names)
    text = packed(replace(read(sight()), sight=seen), KEY)
    back = unpacked(text, KINDS, KEY, pieces=names).sight
    assert back.pieces is not None and back.gems is not None and seen.gems is not None
    assert (back.piece_names, back.inside) == (names, None)
    assert np.abs(np.exp(back.pieces) - chances).max() < 0.01
    assert np.abs(back.gems - seen.gems).max() < 0.01


def test_what_comes_back_is_decided_alike() -> None:
    first = read(sight())
    assert first.sight is not None
    back = unpacked(packed(first, KEY), first.sight.reading.kinds, KEY)
    (again,) = decide_again([back.sight], around=[back.around])
    assert (again.board, again.start) == (first.board, first.start)
    assert [doubt.square for doubt in again.doubts] == [doubt.square for doubt in first.doubts]


def test_the_largest_grid_fits() -> None:
    rows = " / ".join(" ".join(["."] * 13) for _ in range(13))
    board = Board.parse(rows).replaced({Square(6, 6): Board.parse("#")[Square(0, 0)]})
    made = packed(replace(read(sight()), sight=sight(str(board))), KEY)
    assert len(made) < LONGEST / 2
    assert unpacked(made, KINDS, KEY).sight.grid.rows == 13


@pytest.mark.parametrize("change", [0, 1, 20, -1])
def test_any_change_is_refused(change: int) -> None:
    made = packed(read(sight()), KEY)
    place = change % len(made)
    other = made[:place] + ("x" if made[place] != "x" else "y") + made[place + 1 :]
    with pytest.raises(Refused):
        unpacked(other if change >= 0 else made[:-8], KINDS, KEY)


def test_another_key_is_refused() -> None:
    with pytest.raises(Refused) as raised:
        unpacked(packed(read(sight()), KEY), KINDS, b"o" * 32)
    assert raised.value.status == 410
