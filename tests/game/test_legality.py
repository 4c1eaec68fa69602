"""The problems of a board, each with its sentence."""

import random
from collections import Counter

import pytest

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING, count_faces, make_face
from kdvision.game.legality import find_problems, join_names

KINDS = ("w", "w1", "f", "f1", "l", "l1", "g", "g1", "g2", "s", "s1", "s2", "m", "m1", "m2", "m3", "t", "l2")
SIMULATED_BOARDS = [
    ". f f1 w w1 / f f f w1 g / w w f1 w m3 / f # w1 m . / f w f1 . .",
    "l1 l1 f f g / w f f f1 g / w # m1 w . / s1 s s w w / . s m2 l g2",
    "w g2 g f1 g / w g2 g g g / l1 l # l g1 / l l f f1 w / l l1 f f l1",
    ". g s l f1 f f / . s1 w1 l1 f f g / s s2 w l w1 s1 m / w s m2 m3 w w w1 / g s2 # w1 w w . / "
    ". s s f f1 w g / m2 w w f1 f1 w w1",
]


def list_problems(board: str, *, side: int = 7) -> list[str]:
    return [problem.text for problem in find_problems(Board.parse(board), KINGDOMINO, side=side)]


def test_a_legal_order_is_found_after_hundreds_of_tilings() -> None:
    board = Board.parse(
        ". t s1 g s2 g g / l1 l t g g g g / f g2 m2 g1 w f1 w / f w w w w w w / l l g2 w l1 w g1 / l1 l t # m2 w l / "
        "f . l l w f1 f1"
    )
    assert find_problems(board, ROYAL_WEDDING) == ()


@pytest.mark.parametrize("text", SIMULATED_BOARDS)
def test_boards_of_simulated_games_are_clean(text: str) -> None:
    assert list_problems(text) == []


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("w w", "there is no castle"),
        ("# w w #", "there are 2 castles (A1 and D1), and a kingdom has one"),
        ("# w w w f f f f l", "the kingdom spans 1 by 9 squares, and at most 7 by 7 are allowed"),
        ("# w ?", "it is not known what lies on C1; the dominoes are not checked"),
        ("f m1 # w m1", "2 squares are m1 (B1 and E1), and the box has 1"),
        ("# l2 w", "the box has no square l2 (B1)"),
        ("# w w / . . . / . f f", "B3 and C3 do not touch the rest of the kingdom"),
        ("f # m3 w", "A1 (f) has no neighbour with which it makes a domino of the box"),
        ("f w f / . # .", "the squares cannot be paired into dominoes of the box"),
        ("# w w f f", "the domino on D1 and E1 touches neither the castle nor its own terrain"),
        ("# w w f f / . . . f f", "in no order can the dominoes on D1, E1, D2 and E2 have been laid"),
        ("w m3 # / m3 . .", "2 squares are m3 (B1 and A2), and the box has 1"),
        ("w m2 # m2 w", "the box has the domino m2 w once, and the kingdom needs more of it (A1, B1, D1 and E1)"),
    ],
)
def test_each_oddity_has_its_sentence(text: str, sentence: str) -> None:
    assert any(line.startswith(sentence) for line in list_problems(text)), list_problems(text)


def test_all_problems_come_at_once() -> None:
    problems = find_problems(Board.parse("t # # . . . w w"), KINGDOMINO, side=5)
    assert [problem.clause for problem in problems] == [
        "kingdomino/castle",
        "kingdomino/grid",
        "kingdomino/box",
        "kingdomino/connection",
    ]


def test_squares_of_a_problem_are_named() -> None:
    (problem,) = find_problems(Board.parse("# w w / . . . / . f f"), KINGDOMINO)
    assert problem.squares == (Square(2, 1), Square(2, 2))


def test_long_lists_of_names_are_cut() -> None:
    assert join_names([]) == ""
    assert join_names([Square(0, 0)]) == "A1"
    assert join_names([Square(0, col) for col in range(10)]) == "A1, B1, C1, D1, E1, F1, G1, H1 and 2 more"


def test_a_huge_board_of_one_kind_is_reported_without_a_search() -> None:
    problem_texts = list_problems(" / ".join([" ".join("w" * 26)] * 26))
    assert problem_texts[:2] == [
        "there is no castle",
        "the kingdom spans 26 by 26 squares, and at most 7 by 7 are allowed",
    ]


def is_tileable(board: Board) -> bool:
    """Return whether dominoes of the box can cover the board: an independent search from the top left."""
    cells = {square: cell for square, cell in board.items() if cell.terrain is not Terrain.CASTLE}
    return can_cover(cells, Counter(count_faces(KINGDOMINO)))


def can_cover(cells: dict[Square, Cell], supply: Counter[tuple[Cell, Cell]]) -> bool:
    if not cells:
        return True
    first = min(cells)
    for neighbour in (Square(first.row, first.col + 1), Square(first.row + 1, first.col)):
        domino_face = make_face(cells[first], cells[neighbour]) if neighbour in cells else None
        if domino_face is not None and supply[domino_face]:
            supply[domino_face] -= 1
            other_cells = {square: cell for square, cell in cells.items() if square not in (first, neighbour)}
            if can_cover(other_cells, supply):
                return True
            supply[domino_face] += 1
    return False


@pytest.mark.parametrize("seed", range(4))
def test_any_changed_square_that_breaks_the_box_is_reported(seed: int) -> None:
    rng, board = random.Random(seed), Board.parse(SIMULATED_BOARDS[seed % len(SIMULATED_BOARDS)])
    kinds = [Cell.parse(text) for text in KINDS]
    verdicts = Counter[bool]()
    for _ in range(60):
        square = rng.choice([square for square in board if board[square].terrain is not Terrain.CASTLE])
        changed_board = board.with_cells({square: rng.choice([*kinds, None])})
        box_clauses = {problem.clause for problem in find_problems(changed_board, KINGDOMINO)} & {"kingdomino/box"}
        assert bool(box_clauses) is not is_tileable(changed_board), str(changed_board)
        verdicts[bool(box_clauses)] += 1
    assert verdicts[True] > 20
