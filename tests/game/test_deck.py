"""The contents of the boxes, as the rulebook's back page lists them."""

import pytest

from kdvision.game.board import Cell
from kdvision.game.deck import KINGDOMINO, QUEENDOMINO, Domino, count_faces, count_kinds, make_face


@pytest.mark.clause("kingdomino/box")
def test_kingdomino_holds_what_its_back_page_counts() -> None:
    contents = "21 w, 5 w1, 16 f, 6 f1, 12 l, 6 l1, 10 g, 2 g1, 2 g2, 6 s, 2 s1, 2 s2, 1 m, 1 m1, 3 m2, 1 m3"
    counts = (entry.split() for entry in contents.split(", "))
    assert count_kinds(KINGDOMINO) == {Cell.parse(cell): int(count) for count, cell in counts}


@pytest.mark.parametrize("deck", [KINGDOMINO, QUEENDOMINO])
def test_boxes_hold_48_dominoes_numbered_from_1(deck: tuple[Domino, ...]) -> None:
    assert [domino.number for domino in deck] == list(range(1, 49))


def test_queendomino_holds_twenty_town_squares() -> None:
    cell_counts = count_kinds(QUEENDOMINO)
    assert cell_counts[Cell.parse("t")] == 20
    assert sum(cell_counts.values()) == 96


def test_faces_forget_which_way_a_domino_lies() -> None:
    first, second = Cell.parse("w"), Cell.parse("m3")
    assert make_face(first, second) == make_face(second, first)
    assert count_faces(KINGDOMINO)[make_face(first, second)] == 1
    assert count_faces(KINGDOMINO)[make_face(Cell.parse("f"), Cell.parse("f"))] == 4
