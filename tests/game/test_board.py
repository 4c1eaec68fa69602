"""Boards and their notation."""

import pickle

import pytest

from kdvision.errors import KdvisionError, NotationError
from kdvision.game.board import Board, Cell, Square, Terrain

TEXT = "w w1 f f f / l l1 # f1 m2 / l g s s m1 / g g2 s1 w w / g g w1 w w"


@pytest.mark.parametrize("text", [TEXT, "w", ". . / . w3", "? # / w ?", "t m3"])
def test_text_survives_parsing_and_printing(text: str) -> None:
    assert str(Board.parse(text)) == text


@pytest.mark.parametrize("text", ["w w1/l #", " w  w1 \n l # \n", "w w1 /\n l #", "W w1\r\nl #", "w w1\n\nl #"])
def test_rows_end_with_a_slash_or_a_line_break(text: str) -> None:
    assert Board.parse(text) == Board.parse(["w w1", "l #"])


def test_a_board_maps_squares_to_cells() -> None:
    board = Board.parse(". w1 / ? #")
    assert dict(board) == {Square(0, 1): Cell(Terrain.WHEAT, 1), Square(1, 1): Cell(Terrain.CASTLE)}
    assert board.unknown == {Square(1, 0)}
    assert (board.height, board.width, len(board)) == (2, 2, 2)
    assert Square(0, 0) not in board
    assert board.get(Square(0, 0)) is None
    assert board.find_castles() == (Square(1, 1),)


def test_squares_have_the_names_players_use() -> None:
    assert Square(2, 2).name == "C3"
    assert Square.parse("c3") == Square(2, 2)
    assert Square.parse("A10") == Square(9, 0)
    assert Square(1, 1).list_neighbours() == (Square(0, 1), Square(1, 2), Square(2, 1), Square(1, 0))


@pytest.mark.parametrize("name", ["", "3C", "C0", "C", "CC3", "C-1", "C99", "Ä1", "C٣"])
def test_other_names_are_no_squares(name: str) -> None:
    with pytest.raises(NotationError, match="is no square"):
        Square.parse(name)


@pytest.mark.parametrize(
    "text, row, column",
    [
        ("w x", 1, 2),
        ("w w / w10 w", 2, 1),
        ("w #1", 1, 2),
        ("w w²", 1, 2),
        ("w w / w", 2, None),
        ("w / / w", 2, None),
        ("", None, None),
        ("   ", None, None),
        (" ".join("w" * 27), None, None),
    ],
)
def test_malformed_text_says_where_and_what_was_expected(text: str, row: int | None, column: int | None) -> None:
    with pytest.raises(NotationError) as error_info:
        Board.parse(text)
    assert (error_info.value.row, error_info.value.column) == (row, column)
    assert error_info.value.expected
    assert isinstance(error_info.value, ValueError)
    assert isinstance(error_info.value, KdvisionError)
    assert error_info.value.exit_code == 5


def test_turning_goes_clockwise() -> None:
    assert str(Board.parse("w f / l g / s ?").rotate()) == "s l w / ? g f"
    assert str(Board.parse("w f / l g / s ?").mirror()) == "f w / g l / ? s"


def test_four_turns_and_two_mirrors_change_nothing() -> None:
    board = Board.parse(TEXT)
    assert board.rotate(4) == board.rotate(1).rotate(-1) == board.mirror().mirror() == board
    assert board.rotate(1) != board


def test_trimming_drops_empty_edges_only() -> None:
    board = Board.parse(". . . . / . w . # / . . . . / . ? . .")
    assert str(board.trim()) == "w . # / . . . / ? . ."
    assert board.extent == (3, 3)
    assert str(Board.parse(". .").trim()) == "."


def test_replacing_fills_empties_and_grows() -> None:
    board = Board.parse("w ? / # f")
    new_board = board.with_cells({Square(0, 1): Cell.parse("l1"), Square(0, 0): None, Square(2, 2): Cell.parse("g")})
    assert str(new_board) == ". l1 . / # f . / . . g"
    assert new_board.unknown == frozenset()


def test_boards_are_values() -> None:
    board = Board.parse(TEXT)
    assert hash(board) == hash(Board.parse(str(board)))
    assert pickle.loads(pickle.dumps(board)) == board
    assert board != Board.parse(TEXT.replace("m2", "m3"))
    assert Board.parse("w .") != Board.parse("w")
    assert Board.parse("w ?") != Board.parse("w .")


def test_squares_off_the_frame_are_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        Board({Square(-1, 0): Cell.parse("w")})
    with pytest.raises(ValueError, match="outside"):
        Board({Square(0, 5): Cell.parse("w")}, height=2, width=2)
