"""Decisions without any network: perfect and noisy readings from notation and from played kingdoms.

An oracle that shares nothing with the integer programme enumerates every possible board on small grids.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import KINGDOMINO, Deck, Domino, count_faces
from kdvision.game.legality import find_problems
from kdvision.lab.games.play import play
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.decide.ilp import BoardProgramme
from kdvision.vision.decide.placements import Penalties
from tests.kingdoms import override_squares
from tests.vision.decide.simulation import SCENES, add_frame, make_noisy_reading, simulate

KINDS = ("w", "w1", "l", "#", ".")
SMALL_DECK: Deck = tuple(
    Domino(number, Cell.parse(left), Cell.parse(right))
    for number, (left, right) in enumerate([("w", "w"), ("w", "l"), ("w1", "l"), ("l", "l")], start=1)
)

Layout = dict[Square, str]


def enumerate_layouts(
    squares: Sequence[Square], counts: Mapping[tuple[Cell, Cell], int], layout: Layout
) -> Iterator[Layout]:
    """Yield every way to fill the squares with nothing, castles and the remaining dominoes.

    A label is a kind, followed for a domino by the square of the other half.
    """
    if not squares:
        yield layout
        return
    first, other_squares = squares[0], squares[1:]
    yield from enumerate_layouts(other_squares, counts, layout)
    yield from enumerate_layouts(other_squares, counts, layout | {first: "#"})
    for second in other_squares:
        if second in (Square(first.row, first.col + 1), Square(first.row + 1, first.col)):
            remaining_squares = [square for square in other_squares if square != second]
            for first_cell, second_cell in {pair for face in counts for pair in (face, face[::-1])}:
                face = (first_cell, second_cell) if (first_cell, second_cell) in counts else (second_cell, first_cell)
                if counts[face]:
                    remaining_counts = {**counts, face: counts[face] - 1}
                    labels = {first: f"{first_cell} {second}", second: f"{second_cell} {first}"}
                    yield from enumerate_layouts(remaining_squares, remaining_counts, layout | labels)


def is_legal(layout: Layout) -> bool:
    """Return whether there is one castle, and each domino joins it directly or through dominoes of like terrain."""
    castles = [square for square, label in layout.items() if label == "#"]
    if len(castles) != 1:
        return False
    connected_squares, size = {castles[0]}, 0
    while len(connected_squares) > size:
        size = len(connected_squares)
        for square, label in layout.items():
            if square not in connected_squares and any(
                neighbour in connected_squares and layout[neighbour][0] in ("#", label[0])
                for neighbour in square.list_neighbours()
            ):
                partner = next(other for other in layout if f"{label.split(' ', 1)[1]}" == str(other))
                connected_squares |= {square, partner}
    return len(connected_squares) == len(layout)


def enumerate_boards(reading: ClassProbabilities) -> dict[str, float]:
    """Return all legal boards, each with its sum of log-probabilities."""
    squares = [Square(*place) for place in np.ndindex(reading.rows, reading.cols)]
    boards: dict[str, float] = {}
    for layout in enumerate_layouts(squares, count_faces(SMALL_DECK), {}):
        if is_legal(layout):
            kinds = {square: layout.get(square, ".").split(" ")[0] for square in squares}
            rows = [[kinds[Square(r, c)] for c in range(reading.cols)] for r in range(reading.rows)]
            value = sum(reading.log_probs[s][reading.kinds.index(kind)] for s, kind in kinds.items())
            boards[" / ".join(" ".join(row) for row in rows)] = float(value)
    return boards


@pytest.mark.parametrize("seed", range(12))
def test_small_boards_are_the_likeliest_of_all_that_can_be_laid(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("foreign_domino", "single_square", "no_castle", "oversize", "larger_side", "detached_group"):
        monkeypatch.setattr(Penalties, name, 1000.0)
    rng = np.random.default_rng(seed)
    shape = [(2, 3), (3, 3), (1, 5), (3, 2)][seed % 4]
    reading = ClassProbabilities.of_probabilities(rng.dirichlet(np.full(len(KINDS), 0.4), size=shape) + 1e-4, KINDS)
    (decision,) = decide([reading], SMALL_DECK, side=5)
    log_probabilities = enumerate_boards(reading)
    assert log_probabilities[str(decision.board)] == max(log_probabilities.values())


def decide_board(
    board: str, shares_by_square: Mapping[str, Mapping[str, float]] = {}, side: int | None = 5
) -> Decision:
    (decision,) = decide([override_squares(ClassProbabilities.of(board), shares_by_square)], KINGDOMINO, side=side)
    return decision


LEGAL_BOARD = "w w f f . / l1 w # f . / l l g g . / . . s2 . ."


def test_a_certain_reading_is_decided_as_read() -> None:
    decision = decide_board(LEGAL_BOARD)
    assert str(decision.board) == LEGAL_BOARD
    assert decision.probability > 0.99
    assert decision.doubts == () and decision.problems == () and decision.overruled_squares == ()
    assert decision.is_consistent and decision.probability >= 0.99


@pytest.mark.parametrize("scene", [(2, 7, 0), (4, 5, 0), (4, 5, 1), (3, 5, 2)])
def test_played_kingdoms_come_back_with_their_dominoes(scene: tuple[int, int, int]) -> None:
    players, side, margin = scene
    for kingdom in play(np.random.default_rng(sum(scene)), players=players, side=side):
        truth = add_frame(kingdom.board, side, margin)
        (decision,) = decide([ClassProbabilities.of(truth)], KINGDOMINO, side=side)
        assert decision.board == truth
        assert decision.problems == ()
        square_counts = Counter(square for placement in decision.dominoes for square in placement.squares)
        assert set(square_counts) == {square for square, cell in truth.items() if cell.terrain is not Terrain.CASTLE}
        assert set(square_counts.values()) == {1}
        for placement in decision.dominoes:
            true_kinds = sorted(str(truth[square]) for square in placement.squares)
            for number in placement.numbers:
                domino = next(d for d in KINGDOMINO if d.number == number)
                assert sorted([str(domino.left), str(domino.right)]) == true_kinds


def test_the_box_corrects_a_square() -> None:
    """No domino of the box has two lakes with a crown each, so one of the two lakes has no crown."""
    decision = decide_board("l1 l1 / # .", {"B1": {"l1": 0.55, "l": 0.44}})
    assert str(decision.board) == "l1 l1 / # ." or decision.board[Square(0, 1)] != Cell.parse("l1")
    assert find_problems(decision.board, KINGDOMINO) == ()


def test_parity_removes_a_lone_false_square() -> None:
    decision = decide_board("w w # / . w .", {"B2": {"w": 0.7, ".": 0.29}})
    assert str(decision.board) == "w w # / . . ."
    assert decision.doubts == ()  # a lone square cannot be a tile


def test_a_castle_must_be_somewhere() -> None:
    decision = decide_board("w w / s . / g g", {"A2": {"s": 0.6, "#": 0.3}})
    assert str(decision.board) == "w w / # . / g g"
    assert decision.problems == ()


def test_a_missing_castle_is_a_problem() -> None:
    decision = decide_board("w w f f / g g l l")
    assert str(decision.board) == "w w f f / g g l l"
    assert any("castle" in problem.text for problem in decision.problems)
    assert not decision.is_consistent


def test_a_foreign_tile_is_kept_and_reported() -> None:
    board = "m3 m3 # w w"
    (decision,) = decide([ClassProbabilities.of(board, confidence=0.999999)], KINGDOMINO, side=5)
    assert str(decision.board) == board
    assert decision.problems


def test_dominoes_that_two_kingdoms_cannot_both_have_are_reported() -> None:
    board = "w m3 # w w"
    readings = [ClassProbabilities.of(board, confidence=0.999999)] * 2
    decisions = decide(readings, KINGDOMINO, side=5)
    assert [str(decision.board) for decision in decisions] == [board, board]
    assert any(decision.problems for decision in decisions)
    assert decide(readings[:1], KINGDOMINO, side=5)[0].problems == ()


def test_dominoes_that_only_their_borders_show_are_reported_by_their_squares() -> None:
    """The rows are dominoes of the box, but the borders show that the columns are dominoes.

    The box has no domino of forest and swamp, and there is no other kingdom that could have it.
    """
    borders = np.full((3, 3), -2.6), np.full((2, 4), 1.4)
    (decision,) = decide(
        [ClassProbabilities.of(". . . . / . # w f / . . w s", confidence=0.999)], KINGDOMINO, border_log_odds=[borders]
    )
    assert [problem.text for problem in decision.problems] == [
        "the box has not enough of the dominoes that seem to lie on D2 and D3: compare them with the table"
    ]


def test_the_kingdoms_share_one_box() -> None:
    """Only one domino has three crowns. If two kingdoms seem to show it, the clearer one has it."""
    clear_reading, uncertain_reading = (
        ClassProbabilities.of("w m3 # w w"),
        override_squares(ClassProbabilities.of("w m3 # w f"), {"B1": {"m3": 0.6, "m1": 0.39}}),
    )
    assert str(decide([uncertain_reading], KINGDOMINO)[0].board) == "w m3 # w f"
    assert str(decide([clear_reading, uncertain_reading], KINGDOMINO)[1].board) == "w m1 # w f"


def test_deciding_against_a_confident_square_is_always_a_doubt() -> None:
    reading = override_squares(
        ClassProbabilities.of("w w # / . w .", confidence=0.99999), {"B2": {"w": 0.999, ".": 0.00095}}
    )
    (decision,) = decide([reading], KINGDOMINO)
    assert str(decision.board) == "w w # / . . ."
    assert [square.name for square in decision.overruled_squares] == ["B2"]
    assert [(doubt.square.name, doubt.kind, doubt.other_kind) for doubt in decision.doubts] == [("B2", ".", "w")]
    assert not decision.is_consistent


def test_an_unsure_square_is_a_doubt_with_its_alternative() -> None:
    decision = decide_board("w w # l l", {"E1": {"l": 0.7, "f": 0.29}})
    (doubt,) = decision.doubts
    assert (doubt.square.name, doubt.kind, doubt.other_kind) == ("E1", "l", "f")
    assert 0.65 < doubt.probability < 0.75
    assert str(decision.runners_up[0][0]) == "w w # l f"
    assert decision.probability + decision.runners_up[0][1] == pytest.approx(1, abs=0.02)


def test_a_higher_temperature_is_less_sure() -> None:
    reading = override_squares(ClassProbabilities.of("w w # l l"), {"E1": {"l": 0.8, "f": 0.19}})
    cold_decision, warm_decision = (decide([reading], KINGDOMINO, temperature=t)[0] for t in (1.0, 2.0))
    assert cold_decision.board == warm_decision.board and cold_decision.probability > warm_decision.probability + 0.05


def test_a_fixed_square_corrects_its_neighbour() -> None:
    """With a crown on B1, the other half of its domino cannot be wheat without a crown: the box has no w1 with w."""
    reading = override_squares(ClassProbabilities.of("w w # l l"), {"A1": {"w": 0.6, "f": 0.39}})
    assert str(decide([reading], KINGDOMINO)[0].board) == "w w # l l"
    (decision,) = decide([reading], KINGDOMINO, fixed_squares={(0, Square(0, 1)): "w1"})
    assert str(decision.board) == "f w1 # l l"
    assert decision.overruled_squares == ()
    (shorter_decision,) = decide([reading], KINGDOMINO, fixed_squares={(0, Square(0, 4)): "."})
    assert Square(0, 4) not in shorter_decision.board


def test_a_fixed_square_may_name_a_kind_that_is_never_read() -> None:
    (decision,) = decide([ClassProbabilities.of("w w # l l")], KINGDOMINO, fixed_squares={(0, Square(0, 0)): "t2"})
    assert str(decision.board[Square(0, 0)]) == "t2"
    assert decision.problems


def test_the_side_limits_the_board() -> None:
    wide_board = "w w # l l l l"
    assert str(decide_board(wide_board, side=7).board) == wide_board
    assert str(decide_board(wide_board, side=None).board) == wide_board
    shares_by_square = {name: {"l": 0.6, ".": 0.39} for name in ("F1", "G1")}
    assert str(decide_board(wide_board, shares_by_square).board) == "w w # l l . ."


def test_one_kingdom_wider_than_five_makes_room_for_all() -> None:
    wide_board, shares_by_square = "f f # g g g g", {name: {"l": 0.6, ".": 0.39} for name in ("F1", "G1")}
    uncertain_reading = override_squares(ClassProbabilities.of("w w # l l l l"), shares_by_square)
    assert str(decide([uncertain_reading], KINGDOMINO)[0].board) == "w w # l l . ."
    assert str(decide([ClassProbabilities.of(wide_board), uncertain_reading], KINGDOMINO)[1].board) == "w w # l l l l"


def test_a_domino_beside_a_full_kingdom_of_five_is_reported_until_the_side_is_named() -> None:
    full_board = "g w1 g f l1 / g w w f1 f / g g1 g f1 # / w w g g w / l1 l1 l g1 w"
    kingdom = play(np.random.default_rng(0), players=2, side=7)[0]
    board_with_spare = " / ".join(row + (" f w" if "#" in row else " . .") for row in full_board.split(" / "))
    (problem,) = decide_board(board_with_spare, side=None).problems
    assert problem.warning == "spare" and problem.squares == (Square(2, 5), Square(2, 6))
    assert problem.text.startswith("F3 and G3 may lie beside a kingdom of 5 by 5")
    (grid_problem,) = decide_board(board_with_spare, side=5).problems
    assert grid_problem.clause == "kingdomino/grid" and not decide_board(board_with_spare, side=7).problems
    assert not decide_board(full_board, side=None).problems and not decide_board(str(kingdom.board), side=None).problems
    decisions = decide([ClassProbabilities.of(board_with_spare), ClassProbabilities.of(str(kingdom.board))], KINGDOMINO)
    assert not [problem for decision in decisions for problem in decision.problems if problem.warning == "spare"]


def test_border_log_odds_join_the_halves_of_a_domino() -> None:
    """Either end of the row may be table. The border shows which two squares are the domino."""
    reading = override_squares(
        ClassProbabilities.of("w w w #"), {"A1": {"w": 0.5, ".": 0.5}, "C1": {"w": 0.5, ".": 0.5}}
    )
    right = np.array([[0.0, 3.0, 0.0]])
    (decision,) = decide([reading], KINGDOMINO, border_log_odds=[(right, np.zeros((0, 4)))])
    assert str(decision.board) == ". w w #"


def test_a_detached_pair_must_be_clear_to_stay() -> None:
    shares_by_square = {name: {"l": 0.8, ".": 0.19} for name in ("A3", "B3")}
    assert str(decide_board("w w # / . . . / l l .", shares_by_square).board) == "w w # / . . . / . . ."
    decision = decide_board("w w # / . . . / l l .")
    assert str(decision.board) == "w w # / . . . / l l ."
    assert decision.problems


def test_a_detached_pair_must_be_clear_to_stay_without_a_castle_too() -> None:
    shares_by_square = {name: {"f": 0.85, ".": 0.149} for name in ("E1", "F1")}
    reading = override_squares(ClassProbabilities.of("w w . . f f", confidence=0.9999999), shares_by_square)
    (decision,) = decide([reading], KINGDOMINO, side=7)
    assert str(decision.board) == "w w . . . ."


def test_a_board_that_breaks_the_connection_rule_is_kept_and_reported() -> None:
    """`l l` touches only wheat, so it connects to nothing. `w l` is nearly as likely, but players break this rule."""
    decision = decide_board("# w w l l", {"D1": {"l": 0.55, "w": 0.44}, "E1": {"l": 0.55, "w": 0.44}})
    assert str(decision.board) == "# w w l l"
    assert any("touches neither" in problem.text for problem in decision.problems)


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_rotated_readings_give_rotated_boards(quarter_turns: int) -> None:
    rng = np.random.default_rng(7)
    reading = make_noisy_reading(add_frame(play(rng, players=4)[0].board, 5, 0), rng, accuracy=0.97)
    (decision,), (rotated_decision,) = (
        decide([r], KINGDOMINO, side=5) for r in (reading, reading.rotate(quarter_turns))
    )
    assert rotated_decision.board == decision.board.rotate(quarter_turns)
    assert rotated_decision.probability == pytest.approx(decision.probability, abs=0.05)


def test_the_same_readings_give_the_same_decision() -> None:
    rng = np.random.default_rng(3)
    readings = [make_noisy_reading(add_frame(k.board, 5, 1), rng, accuracy=0.95) for k in play(rng, players=3)]
    assert decide(readings, KINGDOMINO) == decide(readings, KINGDOMINO)


def test_deciding_corrects_many_boards_that_single_squares_get_wrong() -> None:
    """The expected number of corrected boards is below that of a long run, and too high for chance."""
    rng = np.random.default_rng(0)
    outcomes = [simulate(SCENES[0], rng) for _ in range(20)]
    raw_count = sum(outcome.raw_boards == outcome.truths for outcome in outcomes)
    decided_count = sum(outcome.decisions[0].board == outcome.truths[0] for outcome in outcomes)
    assert raw_count < 12 and decided_count > raw_count + 3


def test_no_kingdoms_and_mixed_readings() -> None:
    assert decide([], KINGDOMINO) == []
    with pytest.raises(ValueError, match="same kinds"):
        decide([ClassProbabilities.of("w w #"), ClassProbabilities.of("w w #", kinds=KINDS)], KINGDOMINO)


def test_a_bare_table_and_noise_are_survived() -> None:
    (table_decision,) = decide([ClassProbabilities.of(". . . / . . .")], KINGDOMINO)
    assert isinstance(table_decision.board, Board) and len(table_decision.board) <= 1
    rng = np.random.default_rng(5)
    (noise_decision,) = decide([ClassProbabilities.of_probabilities(rng.dirichlet(np.ones(18), (3, 4)))], KINGDOMINO)
    assert noise_decision.probability < 0.5


def make_noise(rng: np.random.Generator, side: int, deviation: float) -> ClassProbabilities:
    """Return the reading of an empty grid from normal logits with this standard deviation."""
    scores = rng.normal(0.0, deviation, (side, side, len(ClassProbabilities.of(".").kinds)))
    return ClassProbabilities.of_probabilities(np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True))


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_noise_on_a_large_grid_is_decided_without_search(noise: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """One linear programme is solved, and the answer is a board that the box can lay."""
    monkeypatch.setattr(BoardProgramme, "_run", None)
    (decision,) = decide([make_noise(np.random.default_rng(0), 9, noise)], KINGDOMINO)
    number_sets = [set(domino.numbers) for domino in decision.dominoes]
    assert not decision.is_proved and decision.probability < 0.2
    assert len(number_sets) > 10 and len(decision.board.find_castles()) == 1
    assert all(number_sets.count(number_set) <= len(number_set) for number_set in number_sets)


def test_noise_solves_a_limited_number_of_integer_programmes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the limit there are 13. The board is the same, but not proved: the search skips some runners-up."""
    node_limits, run = list[int](), BoardProgramme._run

    def count_integer_runs(*args: Any, max_nodes: int | None = None) -> Any:
        node_limits.extend([] if max_nodes is None else [max_nodes])
        return run(*args, max_nodes=max_nodes)

    monkeypatch.setattr(BoardProgramme, "_run", count_integer_runs)
    (decision,) = decide([make_noise(np.random.default_rng(1), 4, 4.0)], KINGDOMINO, side=5)
    assert len(node_limits) == 8
    assert not decision.is_proved and len(decision.board.find_castles()) == 1


def test_the_rounded_relaxation_of_a_clear_reading_is_its_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoardProgramme, "_solve_columns", lambda *_, **__: None)
    decision = decide_board(LEGAL_BOARD)
    assert str(decision.board) == LEGAL_BOARD and not decision.is_proved and decision.probability > 0.99


def test_the_correction_cost_counts_overruled_squares() -> None:
    """The cost is the loss of log-probability by the decision. A square that a person fixes costs nothing."""
    clear_reading, uncertain_reading = (
        ClassProbabilities.of("w m3 # w w"),
        override_squares(ClassProbabilities.of("w m3 # w f"), {"B1": {"m3": 0.6, "m1": 0.39}}),
    )
    assert [decision.correction_cost for decision in decide([clear_reading], KINGDOMINO)] == [0.0]
    first, second = decide([clear_reading, uncertain_reading], KINGDOMINO)
    assert (first.correction_cost, second.correction_cost) == pytest.approx((0.0, np.log(0.6 / 0.39)), abs=0.01)
    decisions_with_fix = decide([clear_reading, uncertain_reading], KINGDOMINO, fixed_squares={(1, Square(0, 1)): "m1"})
    assert decisions_with_fix[1].correction_cost == 0.0


def test_a_board_without_all_runners_up_is_not_proved_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kingdoms may have the only mine with three crowns, so the alternatives of one depend on the other."""
    shares_by_square = {"B1": {"m3": 0.6, "m1": 0.39}}
    readings = [
        override_squares(ClassProbabilities.of(board), shares_by_square) for board in ("w m3 # w w", "w m3 # w f")
    ]
    decisions = decide(readings, KINGDOMINO)
    assert all(decision.is_proved and decision.probability < 0.7 for decision in decisions)
    solve = BoardProgramme._solve_columns
    monkeypatch.setattr(
        BoardProgramme, "_solve_columns", lambda *args, **options: None if options else solve(*args, **options)
    )
    unproved_decisions = decide(readings, KINGDOMINO)
    assert not any(decision.is_proved or decision.is_consistent for decision in unproved_decisions)


RIM = ". . . . . . / . w w f g . / . l # f l . / . l l w1 . . / . . . . . ."


@pytest.mark.parametrize("castle", [0.001, 0.0002])
def test_no_castle_is_invented_where_two_groups_have_none(castle: float) -> None:
    """Without a castle one group is the kingdom, and only the other is detached."""
    reading = override_squares(
        ClassProbabilities.of("w w w f . .", confidence=0.9999999), {"F1": {".": 1 - castle, "#": castle}}
    )
    (decision,) = decide([reading], KINGDOMINO, side=7)
    assert str(decision.board) == "w w w f . ." and decision.probability > 0.8
    assert any("no castle" in problem.text for problem in decision.problems)


def test_every_uncertain_square_has_its_alternative() -> None:
    """Four squares are uncertain, each in its own domino, so four runners-up are necessary."""
    pairs = (("A1", "w"), ("C1", "f"), ("A3", "l"), ("C3", "g"))
    shares_by_square = {name: {kind: 0.6, "w" if kind != "w" else "f": 0.39} for name, kind in pairs}
    decision = decide_board(LEGAL_BOARD, shares_by_square)
    assert str(decision.board) == LEGAL_BOARD
    assert {doubt.square.name for doubt in decision.doubts} >= set(shares_by_square)


def test_an_alternative_is_found_where_an_empty_square_would_detach_tiles() -> None:
    """Without the wheat, the forest would lie detached, which costs too much; C1 may still be forest."""
    shares_by_square = {"B1": {"w": 0.7, ".": 0.3}, "C1": {"w": 0.5, ".": 0.4, "f": 0.1}}
    reading = override_squares(ClassProbabilities.of("# w w f f / . . . . .", confidence=0.995), shares_by_square)
    (decision,) = decide([reading], KINGDOMINO, side=5)
    assert [(doubt.square.name, doubt.other_kind) for doubt in decision.doubts] == [("C1", "f")]
    assert decision.probability == pytest.approx(0.833, abs=0.01)


@pytest.mark.parametrize("accuracy", [0.99, 0.999])
def test_a_search_that_stops_early_misses_no_alternative(accuracy: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, stops = np.random.default_rng(3), list[bool]()
    readings = [make_noisy_reading(kingdom.board, rng, accuracy=accuracy) for kingdom in play(rng, players=2, side=5)]
    may_differ = BoardProgramme._may_differ

    def record(*args: Any) -> bool:
        stops.append(not may_differ(*args))
        return not stops[-1]

    monkeypatch.setattr(BoardProgramme, "_may_differ", record)
    early_decisions = decide(readings, KINGDOMINO)
    monkeypatch.setattr(BoardProgramme, "_may_differ", lambda *_: True)
    assert any(stops)
    for early_decision, full_decision in zip(early_decisions, decide(readings, KINGDOMINO), strict=True):
        assert early_decision.board == full_decision.board and early_decision.is_proved == full_decision.is_proved
        assert early_decision.probability == pytest.approx(full_decision.probability)
        assert len(early_decision.runners_up) == len(full_decision.runners_up)
