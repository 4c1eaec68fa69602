"""Where a domino may be laid: examples, and brute force over all positions."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdvision.errors import NotationError
from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import Face, parse_domino
from kdvision.game.legality import describe_square, find_placements

SIDES = st.sampled_from([5, 7])
WORDS = st.sampled_from(["w", "w1", "f", "l", "t2", "#", ".", ".", ".", "?"])
ROWS = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=1, max_size=6)
)
BOARDS = ROWS.map(lambda rows: Board.parse([" ".join(row) for row in rows]))
CELLS = st.builds(Cell, st.sampled_from([Terrain.WHEAT, Terrain.FOREST, Terrain.LAKE, Terrain.TOWN]), st.integers(0, 2))
DOMINOES = st.tuples(CELLS, CELLS)

Halves = tuple[Square, Square]


def list_legal_places(board: Board, domino: Face, side: int) -> Iterator[Halves]:
    """Yield every place for a domino that the rules allow: try all positions."""
    squares = {*board, *board.unknown}  # unknown squares count for the side, too
    for row in range(-9, 16):
        for col in range(-9, 16):
            for row_step, col_step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                halves = Square(row, col), Square(row + row_step, col + col_step)
                kingdom_squares = squares | {*halves}
                height = max(s.row for s in kingdom_squares) - min(s.row for s in kingdom_squares) + 1
                width = max(s.col for s in kingdom_squares) - min(s.col for s in kingdom_squares) + 1
                is_within = board.keys().isdisjoint(halves) and height <= side and width <= side
                if is_within and any(
                    can_join(board, half, cell, halves) for half, cell in zip(halves, domino, strict=True)
                ):
                    yield halves


def can_join(board: Board, half: Square, cell: Cell, halves: Halves) -> bool:
    for square in {*board, *board.unknown} - {*halves}:
        is_adjacent = abs(square.row - half.row) + abs(square.col - half.col) == 1
        if is_adjacent and (square in board.unknown or board[square].terrain in (cell.terrain, Terrain.CASTLE)):
            return True
    return False


@given(board=BOARDS, domino=DOMINOES, side=SIDES)
def test_placements_are_all_places_that_the_rules_allow(board: Board, domino: Face, side: int) -> None:
    placements = [(placement.first, placement.second) for placement in find_placements(board, domino, side=side)]
    legal_places = set(list_legal_places(board, domino, side))
    assert len(placements) == len(set(placements))
    if domino[0] == domino[1]:
        assert {frozenset(halves) for halves in placements} == {frozenset(halves) for halves in legal_places}
        assert len(placements) == len(legal_places) // 2
    else:
        assert set(placements) == legal_places


@given(board=BOARDS, domino=DOMINOES, side=SIDES)
def test_joints_are_squares_of_the_board_that_match(board: Board, domino: Face, side: int) -> None:
    terrains = {domino[0].terrain, domino[1].terrain, Terrain.CASTLE}
    for first, second, joints in find_placements(board, domino, side=side):
        assert all(board[joint].terrain in terrains for joint in joints)
        assert all({first, second} & {*joint.list_neighbours()} for joint in joints)


@given(board=BOARDS, domino=DOMINOES, side=SIDES)
def test_turning_the_board_or_the_domino_changes_no_count(board: Board, domino: Face, side: int) -> None:
    count = len(find_placements(board, domino, side=side))
    assert len(find_placements(board.rotate(), domino, side=side)) == count
    assert len(find_placements(board, domino[::-1], side=side)) == count


def test_a_castle_alone_takes_every_domino_on_four_sides() -> None:
    castle = Board.parse("#")
    assert len(find_placements(castle, parse_domino("w f1"), side=5)) == 4 * 3 * 2
    assert len(find_placements(castle, parse_domino("w w"), side=5)) == 4 * 3


def test_only_an_unknown_square_leaves_no_joints() -> None:
    places = find_placements(Board.parse("# ? ? ? ?"), parse_domino("w f"), side=5)
    assert {bool(place.joints) for place in places} == {True, False}


@pytest.mark.parametrize(
    ("square", "words"),
    [
        (Square(1, 2), "C2"),
        (Square(-1, 2), "above C1"),
        (Square(-2, -1), "2 above and left of A1"),
        (Square(3, 27), "2 right of Z4"),
        (Square(26, 0), "below A26"),
    ],
)
def test_squares_outside_the_frame_are_described(square: Square, words: str) -> None:
    assert describe_square(square) == words


@pytest.mark.parametrize("text", ["", "w", "w f l", "# w", "w ?", "w/f", "w .", "w f10"])
def test_what_is_no_domino_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_domino(text)
