"""The search for tilings, compared with known numbers."""

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
WHEAT_DOMINOES = tuple(Domino(number, WHEAT, WHEAT) for number in range(1, 41))
"""A box of wheat without crowns: only the shape of a board matters."""


def make_wheat_board(rows: int, cols: int, *, holes: tuple[tuple[int, int], ...] = ()) -> Board:
    return Board.parse([" ".join("." if (row, col) in holes else "w" for col in range(cols)) for row in range(rows)])


@pytest.mark.parametrize("rows, cols, count", [(1, 2, 1), (2, 2, 2), (2, 5, 8), (3, 3, 0), (4, 4, 36), (6, 6, 6728)])
def test_every_tiling_is_found_once(rows: int, cols: int, count: int) -> None:
    tilings = list(find_tilings(make_puzzle(make_wheat_board(rows, cols), WHEAT_DOMINOES)))
    assert len(tilings) == count
    assert len({frozenset(frozenset(pair) for pair in tiling) for tiling in tilings}) == count


def test_supply_is_kept() -> None:
    board = Board.parse("f w / f w")
    tilings = list(find_tilings(make_puzzle(board, KINGDOMINO)))
    assert len(tilings) == 1  # upright f f and w w; the box has f w only once
    assert len(list(find_tilings(make_puzzle(board, KINGDOMINO), supply=[UNLIMITED] * 60))) == 2


def test_a_search_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(Undecided):
        list(find_tilings(make_puzzle(make_wheat_board(6, 6), WHEAT_DOMINOES), budget=20))


def test_a_board_with_too_many_ways_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legality, "find_tilings", partial(find_tilings, budget=3))
    board = Board.parse("w w w w / w w w w / # w w .")
    (problem,) = legality.find_problems(board, WHEAT_DOMINOES)
    assert problem.text == "there are too many ways to lay dominoes here to look at them all"


def test_a_board_without_a_tiling_is_rejected_at_once() -> None:
    board = make_wheat_board(8, 8, holes=((0, 0), (7, 7)))
    problem_texts = [problem.text for problem in legality.find_problems(board, WHEAT_DOMINOES, side=8)]
    assert problem_texts[0] == "there is no castle"
    assert problem_texts[1].startswith("the squares cannot be paired into dominoes of the box")


def test_squares_that_stay_over() -> None:
    assert find_unpaired(make_puzzle(make_wheat_board(4, 4), WHEAT_DOMINOES)) == ()
    assert len(find_unpaired(make_puzzle(make_wheat_board(3, 3), WHEAT_DOMINOES))) == 1
    assert len(find_unpaired(make_puzzle(make_wheat_board(8, 8, holes=((0, 0), (7, 7))), WHEAT_DOMINOES))) == 2


def test_the_fewest_dominoes_of_a_face() -> None:
    puzzle = make_puzzle(Board.parse("w w f / w w f / # . ."), KINGDOMINO)
    face_index = index_deck(KINGDOMINO).face_index
    wheat_face, mixed_face = face_index[WHEAT, WHEAT], face_index[WHEAT, Cell.parse("f")]
    assert count_fewest(puzzle, wheat_face, 2) == 1
    assert count_fewest(puzzle, mixed_face, 1) == 0


def test_what_no_order_can_have_laid() -> None:
    puzzle = make_puzzle(Board.parse("# w w f f"), KINGDOMINO)
    (tiling,) = find_tilings(puzzle)
    assert [square.name for square in sorted(find_unreachable(puzzle, tiling))] == ["D1", "E1"]
