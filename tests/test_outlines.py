"""What lies there is decided before what it shows: a domino of which a lamp leaves nothing may be any, and is one."""

import numpy as np
import pytest

from kdvision.game.deck import KINGDOMINO
from kdvision.vision.decided import Decision
from kdvision.vision.decision.answers import Answer
from kdvision.vision.decision.candidates import Catalogue, Prices
from kdvision.vision.decision.outlines import likeliest
from kdvision.vision.decision.scene import Scene
from kdvision.vision.reading import KINDS, NOTHING, Reading
from kdvision.vision.reconstruct import decide

TILES = [kind for kind in KINDS if kind != NOTHING]


def dazzled(chance: float) -> Decision:
    """Decide a castle and two dominoes of which the second is white: a tile of any kind, so probable."""
    white = {kind: chance / len(TILES) for kind in TILES} | {NOTHING: 1 - chance}
    (decision,) = decide([Reading.of("# w w l l", spoiled={"D1": white, "E1": white})], KINGDOMINO)
    return decision


@pytest.mark.parametrize(("chance", "tiles"), [(0.9, 5), (0.8, 5), (0.5, 3), (0.3, 3)])
def test_a_domino_that_may_be_any_is_one_where_all_together_are_likelier_than_none(chance: float, tiles: int) -> None:
    decision = dazzled(chance)
    assert len(decision.board) == tiles
    assert str(decision.board).startswith("# w w")


def test_nobody_is_told_that_it_is_sure_and_that_there_may_be_none_is_told() -> None:
    decision = dazzled(0.8)
    assert decision.probability < 0.2
    assert "# w w . ." in [str(board) for board, _ in decision.runners_up]
    assert decision.runners_up[0][1] > decision.probability  # none is likelier than any one domino
    assert {doubt.square for doubt in decision.doubts} >= {(0, 3), (0, 4)}
    total = decision.probability + sum(chance for _, chance in decision.runners_up)
    assert total == pytest.approx(1)


def catalogue(kingdoms: int) -> Catalogue:
    """Grids of a row of two squares."""
    losses = [np.zeros((1, 2, len(KINDS)))] * kingdoms
    return Scene.of(losses, KINDS, KINGDOMINO, side=5, bonds=[None] * kingdoms, prices=Prices()).catalogue


def answer(labels: str, chance: float) -> Answer:
    numbers = np.array([KINDS.index(kind) for kind in labels.split()])
    return Answer(numbers, -float(np.log(chance)), np.zeros(0, np.intp))


def test_of_the_likeliest_outline_the_likeliest_board_comes_first() -> None:
    none, few, more = answer(". .", 0.4), answer("w w", 0.25), answer("l l", 0.35)
    assert likeliest([none, few, more], catalogue(1), temperature=1.0) is more
    assert likeliest([none, few], catalogue(1), temperature=1.0) is none
    assert likeliest([none, few, more], catalogue(1), temperature=0.05) is none  # what is likeliest is all but sure


def test_each_of_several_kingdoms_has_its_likeliest_outline() -> None:
    """What the one shows in other answers says nothing of the other."""
    sure, other = answer("w w . .", 0.4), answer("w w l l", 0.3)
    rest = [answer("w w f f", 0.2), answer("l l . .", 0.1)]
    assert likeliest([sure, other, *rest], catalogue(2), temperature=1.0) is other
    swapped = [answer(". . w w", 0.4), answer("l l w w", 0.3), answer("f f w w", 0.2), answer(". . l l", 0.1)]
    assert likeliest(swapped, catalogue(2), temperature=1.0) is swapped[1]


def test_a_board_likelier_than_not_stays() -> None:
    rng = np.random.default_rng(0)
    pairs = [f"{a} {b}" for a in ("w", "l", ".") for b in ("w", "l", ".")]
    for _ in range(50):
        chances = np.concatenate([[0.51], 0.49 * rng.dirichlet(np.ones(len(pairs) - 1))])
        answers = [answer(pair, chance) for pair, chance in zip(rng.permutation(pairs), chances, strict=True)]
        assert likeliest(answers, catalogue(1), temperature=1.0) is answers[0]
