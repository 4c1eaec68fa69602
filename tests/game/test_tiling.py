"""The search for tilings against numbers that are known."""

from functools import partial

import pytest

from kdvision.game import legality
from kdvision.game.board import Board, Cell
from kdvision.game.deck import KINGDOMINO, Domino, index_deck
from kdvision.game.tiling import (
    UNLIMITED,
    Undecided,
    count_fewest,
    find_tilings,
    find_unpaired,
    find_unreachable,
    make_puzzle,
)

WHEAT = Cell.parse("w")
WHEATS = tuple(Domino(number, WHEAT, WHEAT) for number in range(1, 41))
"""A box of plain wheat: only the shape of a board matters."""


def wheat(rows: int, cols: int, *, without: tuple[tuple[int, int], ...] = ()) -> Board:
    return Board.parse([" ".join("." if (row, col) in without else "w" for col in range(cols)) for row in range(rows)])


@pytest.mark.parametrize("rows, cols, count", [(1, 2, 1), (2, 2, 2), (2, 5, 8), (3, 3, 0), (4, 4, 36), (6, 6, 6728)])
def test_every_tiling_is_found_once(rows: int, cols: int, count: int) -> None:
    found = list(find_tilings(make_puzzle(wheat(rows, cols), WHEATS)))
    assert len(found) == count
    assert len({frozenset(frozenset(pair) for pair in tiling) for tiling in found}) == count


def test_supply_is_kept() -> None:
    board = Board.parse("f w / f w")
    both = list(find_tilings(make_puzzle(board, KINGDOMINO)))
    assert len(both) == 1  # upright f f and w w; the box has f w only once
    assert len(list(find_tilings(make_puzzle(board, KINGDOMINO), supply=[UNLIMITED] * 60))) == 2


def test_a_search_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(Undecided):
        list(find_tilings(make_puzzle(wheat(6, 6), WHEATS), budget=20))


def test_a_board_with_too_many_ways_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legality, "find_tilings", partial(find_tilings, budget=3))
    board = Board.parse("w w w w / w w w w / # w w .")
    (problem,) = legality.find_problems(board, WHEATS)
    assert problem.text == "there are too many ways to lay dominoes here to look at them all"


def test_a_board_without_a_tiling_is_rejected_at_once() -> None:
    board = wheat(8, 8, without=((0, 0), (7, 7)))
    found = [problem.text for problem in legality.find_problems(board, WHEATS, side=8)]
    assert found[0] == "there is no castle"
    assert found[1].startswith("the squares cannot be paired into dominoes of the box")


def test_squares_that_stay_over() -> None:
    assert find_unpaired(make_puzzle(wheat(4, 4), WHEATS)) == ()
    assert len(find_unpaired(make_puzzle(wheat(3, 3), WHEATS))) == 1
    assert len(find_unpaired(make_puzzle(wheat(8, 8, without=((0, 0), (7, 7))), WHEATS))) == 2


def test_the_fewest_dominoes_of_a_face() -> None:
    of = make_puzzle(Board.parse("w w f / w w f / # . ."), KINGDOMINO)
    face_index = index_deck(KINGDOMINO).face_index
    wheats, mixed = face_index[WHEAT, WHEAT], face_index[WHEAT, Cell.parse("f")]
    assert count_fewest(of, wheats, 2) == 1
    assert count_fewest(of, mixed, 1) == 0


def test_what_no_order_can_have_laid() -> None:
    of = make_puzzle(Board.parse("# w w f f"), KINGDOMINO)
    (tiling,) = find_tilings(of)
    assert [square.name for square in sorted(find_unreachable(of, tiling))] == ["D1", "E1"]
