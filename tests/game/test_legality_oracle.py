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

Laid = tuple[tuple[Square, Square], ...]

HELD = Counter(frozenset([(str(d.left), 0), (str(d.right), int(d.left == d.right))]) for d in KINGDOMINO)
KINDS = ("w", "w", "f", "f", "l", "g", "w1", "f1", "l1", "g2", "m2", "s")


def shown(board: Board, one: Square, other: Square) -> frozenset[tuple[str, int]]:
    return frozenset([(str(board[one]), 0), (str(board[other]), int(board[one] == board[other]))])


def tilings(squares: frozenset[Square]) -> Iterator[Laid]:
    """Every way to pair the squares, whatever they show."""
    if not squares:
        yield ()
        return
    first = min(squares)
    for near in (Square(first.row, first.col + 1), Square(first.row + 1, first.col)):
        if near in squares:
            yield from (((first, near), *rest) for rest in tilings(squares - {first, near}))


def in_some_order(board: Board, laid: Laid) -> bool:
    return any(all(joins(board, order[:place], order[place]) for place in range(len(order))) for order in orders(laid))


def orders(laid: Laid) -> Iterator[Laid]:
    return permutations(laid)


def joins(board: Board, before: Laid, domino: tuple[Square, Square]) -> bool:
    placed = {square for pair in before for square in pair}
    for square in domino:
        for near in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            beside = Square(square.row + near[0], square.col + near[1])
            cell = board.get(beside)
            if cell is not None and cell.terrain is Terrain.CASTLE:
                return True
            if cell is not None and beside in placed and cell.terrain is board[square].terrain:
                return True
    return False


def readings(board: Board) -> list[Counter[frozenset[tuple[str, int]]]]:
    """What each legal reading of a board takes from the box."""
    land = frozenset(square for square, cell in board.items() if cell.terrain is not Terrain.CASTLE)
    taken = []
    for laid in tilings(land):
        used = Counter(shown(board, *pair) for pair in laid)
        if used <= HELD and in_some_order(board, laid):
            taken.append(used)
    return taken


def random_board(chance: random.Random) -> Board:
    """A castle with two to eight squares about it, in a frame of three by three."""
    words = chance.choices((*KINDS, "."), k=9)
    words[chance.randrange(9)] = "#"
    return Board.parse([" ".join(words[row : row + 3]) for row in (0, 3, 6)])


def sound_board(chance: random.Random) -> Board:
    while True:
        board = random_board(chance)
        if len(board) > 4 and readings(board):
            return board


@pytest.mark.parametrize("seed", range(4))
def test_one_board_is_clean_exactly_when_it_could_have_been_played(seed: int) -> None:
    chance = random.Random(seed)
    verdicts = Counter[bool]()
    for number in range(300):
        board = sound_board(chance) if number % 10 == 0 else random_board(chance)
        clean = not find_problems(board, KINGDOMINO)
        assert clean is bool(readings(board)), str(board)
        verdicts[clean] += 1
    assert min(verdicts.values()) >= 30


def test_two_boards_are_clean_exactly_when_one_box_could_lay_both() -> None:
    chance, rules = random.Random(11), kingdomino()
    verdicts = Counter[bool]()
    for _ in range(150):
        one, other = sound_board(chance), sound_board(chance)
        fits = any(mine + yours <= HELD for mine, yours in product(readings(one), readings(other)))
        clean = not find_table_problems([Kingdom(one), Kingdom(other)], rules)
        assert clean is fits, f"{one} and {other}"
        verdicts[clean] += 1
    assert min(verdicts.values()) >= 15


def test_readings_are_kept_exactly_where_the_others_have_one_too() -> None:
    chance = random.Random(5)
    pool = [sound_board(chance) for _ in range(150)]
    pool = [board for board in pool if len(readings(board)) > 1] + pool[:10]
    taken = {board: readings(board) for board in pool}
    cases = Counter[str]()
    for _ in range(600):
        boards = chance.choices(pool, k=chance.choice((2, 2, 3)))
        together = [every for every in product(*(taken[board] for board in boards)) if sum(every, Counter()) <= HELD]
        for place, (board, naming) in enumerate(zip(boards, name_game_dominoes(boards, KINGDOMINO), strict=True)):
            kept = [mine for mine in taken[board] if any(mine is every[place] for every in together)]
            assert naming is not None
            assert (naming.readings, naming.readings_alone) == (
                len(kept) or naming.readings_alone,
                len(taken[board]),
            ), str(boards)
            cases["apart" if not kept else "narrowed" if len(kept) < naming.readings_alone else "as they are"] += 1
    assert len(cases) == 3
    assert min(cases.values()) >= 20, cases
