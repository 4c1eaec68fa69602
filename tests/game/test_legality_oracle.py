"""Legality against a slow oracle: every tiling, every order of play, every choice from the box."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product

import pytest

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import KINGDOMINO
from kdvision.game.dominoes import name_game_dominoes
from kdvision.game.game import find_table_problems
from kdvision.game.kingdom import Kingdom
from kdvision.game.legality import find_problems
from kdvision.game.rules import kingdomino

Tiling = tuple[tuple[Square, Square], ...]

BOX_FACES = Counter(frozenset([(str(d.left), 0), (str(d.right), int(d.left == d.right))]) for d in KINGDOMINO)
KINDS = ("w", "w", "f", "f", "l", "g", "w1", "f1", "l1", "g2", "m2", "s")


def get_face(board: Board, first: Square, second: Square) -> frozenset[tuple[str, int]]:
    return frozenset([(str(board[first]), 0), (str(board[second]), int(board[first] == board[second]))])


def list_tilings(squares: frozenset[Square]) -> Iterator[Tiling]:
    """Yield every way to pair the squares, whatever they show."""
    if not squares:
        yield ()
        return
    first = min(squares)
    for neighbour in (Square(first.row, first.col + 1), Square(first.row + 1, first.col)):
        if neighbour in squares:
            yield from (
                ((first, neighbour), *other_pairs) for other_pairs in list_tilings(squares - {first, neighbour})
            )


def has_legal_order(board: Board, tiling: Tiling) -> bool:
    return any(
        all(can_join(board, order[:place], order[place]) for place in range(len(order)))
        for order in list_orders(tiling)
    )


def list_orders(tiling: Tiling) -> Iterator[Tiling]:
    return permutations(tiling)


def can_join(board: Board, earlier_dominoes: Tiling, domino: tuple[Square, Square]) -> bool:
    earlier_squares = {square for pair in earlier_dominoes for square in pair}
    for square in domino:
        for step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            neighbour = Square(square.row + step[0], square.col + step[1])
            cell = board.get(neighbour)
            if cell is not None and cell.terrain is Terrain.CASTLE:
                return True
            if cell is not None and neighbour in earlier_squares and cell.terrain is board[square].terrain:
                return True
    return False


def list_readings(board: Board) -> list[Counter[frozenset[tuple[str, int]]]]:
    """Return the faces that each legal reading of a board takes from the box."""
    land = frozenset(square for square, cell in board.items() if cell.terrain is not Terrain.CASTLE)
    legal_readings = []
    for tiling in list_tilings(land):
        face_counts = Counter(get_face(board, *pair) for pair in tiling)
        if face_counts <= BOX_FACES and has_legal_order(board, tiling):
            legal_readings.append(face_counts)
    return legal_readings


def make_random_board(rng: random.Random) -> Board:
    """Return a board of three by three places: a castle, random squares and empty places."""
    words = rng.choices((*KINDS, "."), k=9)
    words[rng.randrange(9)] = "#"
    return Board.parse([" ".join(words[row : row + 3]) for row in (0, 3, 6)])


def make_legal_board(rng: random.Random) -> Board:
    while True:
        board = make_random_board(rng)
        if len(board) > 4 and list_readings(board):
            return board


@pytest.mark.parametrize("seed", range(4))
def test_one_board_is_clean_exactly_when_it_could_have_been_played(seed: int) -> None:
    rng = random.Random(seed)
    verdicts = Counter[bool]()
    for number in range(300):
        board = make_legal_board(rng) if number % 10 == 0 else make_random_board(rng)
        has_no_problems = not find_problems(board, KINGDOMINO)
        assert has_no_problems is bool(list_readings(board)), str(board)
        verdicts[has_no_problems] += 1
    assert min(verdicts.values()) >= 30


def test_two_boards_are_clean_exactly_when_one_box_could_lay_both() -> None:
    rng, rules = random.Random(11), kingdomino()
    verdicts = Counter[bool]()
    for _ in range(150):
        board, other_board = make_legal_board(rng), make_legal_board(rng)
        has_joint_reading = any(
            reading + other_reading <= BOX_FACES
            for reading, other_reading in product(list_readings(board), list_readings(other_board))
        )
        has_no_problems = not find_table_problems([Kingdom(board), Kingdom(other_board)], rules)
        assert has_no_problems is has_joint_reading, f"{board} and {other_board}"
        verdicts[has_no_problems] += 1
    assert min(verdicts.values()) >= 15


def test_readings_are_kept_exactly_where_the_others_have_one_too() -> None:
    rng = random.Random(5)
    pool = [make_legal_board(rng) for _ in range(150)]
    pool = [board for board in pool if len(list_readings(board)) > 1] + pool[:10]
    readings_by_board = {board: list_readings(board) for board in pool}
    cases = Counter[str]()
    for _ in range(600):
        boards = rng.choices(pool, k=rng.choice((2, 2, 3)))
        joint_readings = [
            joint_reading
            for joint_reading in product(*(readings_by_board[board] for board in boards))
            if sum(joint_reading, Counter()) <= BOX_FACES
        ]
        for place, (board, naming) in enumerate(zip(boards, name_game_dominoes(boards, KINGDOMINO), strict=True)):
            consistent_readings = [
                reading
                for reading in readings_by_board[board]
                if any(reading is joint_reading[place] for joint_reading in joint_readings)
            ]
            assert naming is not None
            count = len(consistent_readings)
            expected_counts = (count or naming.readings_alone, len(readings_by_board[board]))
            assert (naming.readings, naming.readings_alone) == expected_counts, str(boards)
            cases["apart" if not count else "narrowed" if count < naming.readings_alone else "as they are"] += 1
    assert len(cases) == 3
    assert min(cases.values()) >= 20, cases
