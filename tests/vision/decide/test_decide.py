"""Deciding, tried without any network: readings made from notation and from played kingdoms, perfect and then spoiled.

An oracle that shares nothing with the integer programme lays every possible board on small grids.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import KINGDOMINO, Deck, Domino, faces
from kdvision.game.legality import find_problems
from kdvision.lab.games.play import play
from kdvision.vision.classify.probabilities import Reading
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

Laying = dict[Square, str]


def layings(squares: Sequence[Square], left: Mapping[tuple[Cell, Cell], int], placed: Laying) -> Iterator[Laying]:
    """Every way to fill the squares with nothing, castles, and dominoes that are left, as label and domino number."""
    if not squares:
        yield placed
        return
    first, rest = squares[0], squares[1:]
    yield from layings(rest, left, placed)
    yield from layings(rest, left, placed | {first: "#"})
    for second in rest:
        if second in (Square(first.row, first.col + 1), Square(first.row + 1, first.col)):
            remaining = [square for square in rest if square != second]
            for one, two in {pair for face in left for pair in (face, face[::-1])}:
                face = (one, two) if (one, two) in left else (two, one)
                if left[face]:
                    fewer = {**left, face: left[face] - 1}
                    labels = {first: f"{one} {second}", second: f"{two} {first}"}
                    yield from layings(remaining, fewer, placed | labels)


def stands(laying: Laying) -> bool:
    """Whether there is one castle and every domino joins it, directly or through dominoes, by like terrain."""
    castles = [square for square, label in laying.items() if label == "#"]
    if len(castles) != 1:
        return False
    joined, size = {castles[0]}, 0
    while len(joined) > size:
        size = len(joined)
        for square, label in laying.items():
            if square not in joined and any(
                near in joined and laying[near][0] in ("#", label[0]) for near in square.neighbours()
            ):
                partner = next(other for other in laying if f"{label.split(' ', 1)[1]}" == str(other))
                joined |= {square, partner}
    return len(joined) == len(laying)


def enumerate_boards(reading: Reading) -> dict[str, float]:
    """All boards that stand, each with its sum of log-probabilities."""
    squares = [Square(*at) for at in np.ndindex(reading.rows, reading.cols)]
    boards: dict[str, float] = {}
    for laying in layings(squares, faces(SMALL_DECK), {}):
        if stands(laying):
            shown = {square: laying.get(square, ".").split(" ")[0] for square in squares}
            rows = [[shown[Square(r, c)] for c in range(reading.cols)] for r in range(reading.rows)]
            value = sum(reading.log_probs[s][reading.kinds.index(kind)] for s, kind in shown.items())
            boards[" / ".join(" ".join(row) for row in rows)] = float(value)
    return boards


@pytest.mark.parametrize("seed", range(12))
def test_small_boards_are_the_likeliest_of_all_that_can_be_laid(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("foreign_domino", "single_square", "no_castle", "oversize", "larger_side", "detached_group"):
        monkeypatch.setattr(Penalties, name, 1000.0)
    rng = np.random.default_rng(seed)
    shape = [(2, 3), (3, 3), (1, 5), (3, 2)][seed % 4]
    reading = Reading.of_probabilities(rng.dirichlet(np.full(len(KINDS), 0.4), size=shape) + 1e-4, KINDS)
    (decision,) = decide([reading], SMALL_DECK, side=5)
    tried = enumerate_boards(reading)
    assert tried[str(decision.board)] == max(tried.values())


def read(board: str, spoiled: Mapping[str, Mapping[str, float]] = {}, side: int | None = 5) -> Decision:
    (decision,) = decide([override_squares(Reading.of(board), spoiled)], KINGDOMINO, side=side)
    return decision


GOOD = "w w f f . / l1 w # f . / l l g g . / . . s2 . ."


def test_a_certain_reading_is_decided_as_read() -> None:
    decision = read(GOOD)
    assert str(decision.board) == GOOD
    assert decision.probability > 0.99
    assert decision.doubts == () and decision.problems == () and decision.overruled_squares == ()
    assert decision.is_consistent and decision.probability >= 0.99


@pytest.mark.parametrize("scene", [(2, 7, 0), (4, 5, 0), (4, 5, 1), (3, 5, 2)])
def test_played_kingdoms_come_back_with_their_dominoes(scene: tuple[int, int, int]) -> None:
    players, side, ring = scene
    for kingdom in play(np.random.default_rng(sum(scene)), players=players, side=side):
        truth = add_frame(kingdom.board, side, ring)
        (decision,) = decide([Reading.of(truth)], KINGDOMINO, side=side)
        assert decision.board == truth
        assert decision.problems == ()
        covered = Counter(square for laid in decision.dominoes for square in laid.squares)
        assert set(covered) == {square for square, cell in truth.items() if cell.terrain is not Terrain.CASTLE}
        assert set(covered.values()) == {1}
        for laid in decision.dominoes:
            shown = sorted(str(truth[square]) for square in laid.squares)
            for number in laid.numbers:
                domino = next(d for d in KINGDOMINO if d.number == number)
                assert sorted([str(domino.left), str(domino.right)]) == shown


def test_the_box_corrects_a_square() -> None:
    """No domino of the box has two lakes with a crown each, so one of the two has none."""
    decision = read("l1 l1 / # .", {"B1": {"l1": 0.55, "l": 0.44}})
    assert str(decision.board) == "l1 l1 / # ." or decision.board[Square(0, 1)] != Cell.parse("l1")
    assert find_problems(decision.board, KINGDOMINO) == ()


def test_parity_removes_a_lone_false_square() -> None:
    decision = read("w w # / . w .", {"B2": {"w": 0.7, ".": 0.29}})
    assert str(decision.board) == "w w # / . . ."
    assert decision.doubts == ()  # alone it cannot be a tile


def test_a_castle_must_be_somewhere() -> None:
    decision = read("w w / s . / g g", {"A2": {"s": 0.6, "#": 0.3}})
    assert str(decision.board) == "w w / # . / g g"
    assert decision.problems == ()


def test_a_missing_castle_is_a_problem() -> None:
    decision = read("w w f f / g g l l")
    assert str(decision.board) == "w w f f / g g l l"
    assert any("castle" in problem.text for problem in decision.problems)
    assert not decision.is_consistent


def test_a_foreign_tile_is_kept_and_reported() -> None:
    homemade = "m3 m3 # w w"
    (decision,) = decide([Reading.of(homemade, confidence=0.999999)], KINGDOMINO, side=5)
    assert str(decision.board) == homemade
    assert decision.problems


def test_dominoes_that_two_kingdoms_cannot_both_have_are_reported() -> None:
    same = "w m3 # w w"
    readings = [Reading.of(same, confidence=0.999999)] * 2
    decisions = decide(readings, KINGDOMINO, side=5)
    assert [str(decision.board) for decision in decisions] == [same, same]
    assert any(decision.problems for decision in decisions)
    assert decide(readings[:1], KINGDOMINO, side=5)[0].problems == ()


def test_dominoes_that_only_their_borders_show_are_reported_by_their_squares() -> None:
    """The box has the rows as dominoes; the borders say that the columns are, and it has no domino of forest and swamp.

    There is no other kingdom that could have it.
    """
    borders = np.full((3, 3), -2.6), np.full((2, 4), 1.4)
    (decision,) = decide(
        [Reading.of(". . . . / . # w f / . . w s", confidence=0.999)], KINGDOMINO, border_log_odds=[borders]
    )
    assert [problem.text for problem in decision.problems] == [
        "the box has not enough of the dominoes that seem to lie on D2 and D3: compare them with the table"
    ]


def test_the_kingdoms_share_one_box() -> None:
    """Only one domino has three crowns: where two kingdoms seem to show it, the clearer one has it."""
    clear, unsure = (
        Reading.of("w m3 # w w"),
        override_squares(Reading.of("w m3 # w f"), {"B1": {"m3": 0.6, "m1": 0.39}}),
    )
    assert str(decide([unsure], KINGDOMINO)[0].board) == "w m3 # w f"
    assert str(decide([clear, unsure], KINGDOMINO)[1].board) == "w m1 # w f"


def test_deciding_against_a_confident_square_is_always_a_doubt() -> None:
    reading = override_squares(Reading.of("w w # / . w .", confidence=0.99999), {"B2": {"w": 0.999, ".": 0.00095}})
    (decision,) = decide([reading], KINGDOMINO)
    assert str(decision.board) == "w w # / . . ."
    assert [square.name for square in decision.overruled_squares] == ["B2"]
    assert [(doubt.square.name, doubt.read, doubt.instead) for doubt in decision.doubts] == [("B2", ".", "w")]
    assert not decision.is_consistent


def test_an_unsure_square_is_a_doubt_with_its_alternative() -> None:
    decision = read("w w # l l", {"E1": {"l": 0.7, "f": 0.29}})
    (doubt,) = decision.doubts
    assert (doubt.square.name, doubt.read, doubt.instead) == ("E1", "l", "f")
    assert 0.65 < doubt.probability < 0.75
    assert str(decision.runners_up[0][0]) == "w w # l f"
    assert decision.probability + decision.runners_up[0][1] == pytest.approx(1, abs=0.02)


def test_a_higher_temperature_is_less_sure() -> None:
    reading = override_squares(Reading.of("w w # l l"), {"E1": {"l": 0.8, "f": 0.19}})
    cold, warm = (decide([reading], KINGDOMINO, temperature=t)[0] for t in (1.0, 2.0))
    assert cold.board == warm.board and cold.probability > warm.probability + 0.05


def test_a_fixed_square_corrects_its_neighbour() -> None:
    """Told that B1 has a crown, its domino (w1 with w is not in the box) cannot end in plain wheat any more."""
    reading = override_squares(Reading.of("w w # l l"), {"A1": {"w": 0.6, "f": 0.39}})
    assert str(decide([reading], KINGDOMINO)[0].board) == "w w # l l"
    (decision,) = decide([reading], KINGDOMINO, fixed_squares={(0, Square(0, 1)): "w1"})
    assert str(decision.board) == "f w1 # l l"
    assert decision.overruled_squares == ()
    (emptied,) = decide([reading], KINGDOMINO, fixed_squares={(0, Square(0, 4)): "."})
    assert Square(0, 4) not in emptied.board


def test_a_fixed_square_may_name_a_kind_that_is_never_read() -> None:
    (decision,) = decide([Reading.of("w w # l l")], KINGDOMINO, fixed_squares={(0, Square(0, 0)): "t2"})
    assert str(decision.board[Square(0, 0)]) == "t2"
    assert decision.problems


def test_the_side_limits_the_board() -> None:
    wide = "w w # l l l l"
    assert str(read(wide, side=7).board) == wide
    assert str(read(wide, side=None).board) == wide
    faint = {name: {"l": 0.6, ".": 0.39} for name in ("F1", "G1")}
    assert str(read(wide, faint).board) == "w w # l l . ."


def test_one_kingdom_wider_than_five_makes_room_for_all() -> None:
    wide, faint = "f f # g g g g", {name: {"l": 0.6, ".": 0.39} for name in ("F1", "G1")}
    unsure = override_squares(Reading.of("w w # l l l l"), faint)
    assert str(decide([unsure], KINGDOMINO)[0].board) == "w w # l l . ."
    assert str(decide([Reading.of(wide), unsure], KINGDOMINO)[1].board) == "w w # l l l l"


def test_a_domino_beside_a_full_kingdom_of_five_is_reported_until_the_side_is_named() -> None:
    full = "g w1 g f l1 / g w w f1 f / g g1 g f1 # / w w g g w / l1 l1 l g1 w"
    kingdom = play(np.random.default_rng(0), players=2, side=7)[0]
    beside = " / ".join(row + (" f w" if "#" in row else " . .") for row in full.split(" / "))
    (problem,) = read(beside, side=None).problems
    assert problem.warning == "spare" and problem.squares == (Square(2, 5), Square(2, 6))
    assert problem.text.startswith("F3 and G3 may lie beside a kingdom of 5 by 5")
    (too_wide,) = read(beside, side=5).problems
    assert too_wide.clause == "kingdomino/grid" and not read(beside, side=7).problems
    assert not read(full, side=None).problems and not read(str(kingdom.board), side=None).problems
    two_wide = decide([Reading.of(beside), Reading.of(str(kingdom.board))], KINGDOMINO)
    assert not [problem for decision in two_wide for problem in decision.problems if problem.warning == "spare"]


def test_border_log_odds_join_the_halves_of_a_domino() -> None:
    """Three squares and two dominoes beside the castle: the drawn border tells which end is table."""
    reading = override_squares(Reading.of("w w w #"), {"A1": {"w": 0.5, ".": 0.5}, "C1": {"w": 0.5, ".": 0.5}})
    right = np.array([[0.0, 3.0, 0.0]])
    (decision,) = decide([reading], KINGDOMINO, border_log_odds=[(right, np.zeros((0, 4)))])
    assert str(decision.board) == ". w w #"


def test_a_detached_pair_must_be_clear_to_stay() -> None:
    faint = {name: {"l": 0.8, ".": 0.19} for name in ("A3", "B3")}
    assert str(read("w w # / . . . / l l .", faint).board) == "w w # / . . . / . . ."
    kept = read("w w # / . . . / l l .")
    assert str(kept.board) == "w w # / . . . / l l ."
    assert kept.problems


def test_a_detached_pair_must_be_clear_to_stay_without_a_castle_too() -> None:
    doubtful = {name: {"f": 0.85, ".": 0.149} for name in ("E1", "F1")}
    reading = override_squares(Reading.of("w w . . f f", confidence=0.9999999), doubtful)
    (decision,) = decide([reading], KINGDOMINO, side=7)
    assert str(decision.board) == "w w . . . ."


def test_a_board_that_breaks_the_connection_rule_is_kept_and_reported() -> None:
    """`l l` beside wheat alone joins nothing; `w l` is nearly as likely, but players do lay such things."""
    decision = read("# w w l l", {"D1": {"l": 0.55, "w": 0.44}, "E1": {"l": 0.55, "w": 0.44}})
    assert str(decision.board) == "# w w l l"
    assert any("touches neither" in problem.text for problem in decision.problems)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_rotated_readings_give_rotated_boards(quarters: int) -> None:
    rng = np.random.default_rng(7)
    reading = make_noisy_reading(add_frame(play(rng, players=4)[0].board, 5, 0), rng, accuracy=0.97)
    (one,), (other,) = (decide([r], KINGDOMINO, side=5) for r in (reading, reading.rotate(quarters)))
    assert other.board == one.board.rotate(quarters)
    assert other.probability == pytest.approx(one.probability, abs=0.05)


def test_the_same_readings_give_the_same_decision() -> None:
    rng = np.random.default_rng(3)
    readings = [make_noisy_reading(add_frame(k.board, 5, 1), rng, accuracy=0.95) for k in play(rng, players=3)]
    assert decide(readings, KINGDOMINO) == decide(readings, KINGDOMINO)


def test_deciding_corrects_many_boards_that_single_squares_get_wrong() -> None:
    """The share that is mended is below that of a long run, and too high for chance."""
    rng = np.random.default_rng(0)
    outcomes = [simulate(SCENES[0], rng) for _ in range(20)]
    raw = sum(outcome.raw == outcome.truths for outcome in outcomes)
    right = sum(outcome.decisions[0].board == outcome.truths[0] for outcome in outcomes)
    assert raw < 12 and right > raw + 3


def test_no_kingdoms_and_mixed_readings() -> None:
    assert decide([], KINGDOMINO) == []
    with pytest.raises(ValueError, match="same kinds"):
        decide([Reading.of("w w #"), Reading.of("w w #", kinds=KINDS)], KINGDOMINO)


def test_a_bare_table_and_noise_are_survived() -> None:
    (bare,) = decide([Reading.of(". . . / . . .")], KINGDOMINO)
    assert isinstance(bare.board, Board) and len(bare.board) <= 1
    rng = np.random.default_rng(5)
    (wild,) = decide([Reading.of_probabilities(rng.dirichlet(np.ones(18), (3, 4)))], KINGDOMINO)
    assert wild.probability < 0.5


def make_noise(rng: np.random.Generator, side: int, deviation: float) -> Reading:
    """Return the reading of a grid on which nothing lies, from normal logits with this standard deviation."""
    scores = rng.normal(0.0, deviation, (side, side, len(Reading.of(".").kinds)))
    return Reading.of_probabilities(np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True))


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_noise_on_a_large_grid_is_decided_without_search(noise: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """One linear programme is solved, and the answer is a board that the box can lay."""
    monkeypatch.setattr(BoardProgramme, "_run", None)
    (decision,) = decide([make_noise(np.random.default_rng(0), 9, noise)], KINGDOMINO)
    numbers = [set(domino.numbers) for domino in decision.dominoes]
    assert not decision.is_proved and decision.probability < 0.2
    assert len(numbers) > 10 and len(decision.board.castles()) == 1
    assert all(numbers.count(same) <= len(same) for same in numbers)


def test_noise_solves_a_limited_number_of_integer_programmes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the limit there are 13. The board stays, but it is not proved: some runners-up were not sought."""
    node_limits, run = list[int](), BoardProgramme._run

    def count_integer_runs(*args: Any, max_nodes: int | None = None) -> Any:
        node_limits.extend([] if max_nodes is None else [max_nodes])
        return run(*args, max_nodes=max_nodes)

    monkeypatch.setattr(BoardProgramme, "_run", count_integer_runs)
    (decision,) = decide([make_noise(np.random.default_rng(1), 4, 4.0)], KINGDOMINO, side=5)
    assert len(node_limits) == 8
    assert not decision.is_proved and len(decision.board.castles()) == 1


def test_the_rounded_relaxation_of_a_clear_reading_is_its_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoardProgramme, "_solve_columns", lambda *_, **__: None)
    decision = read(GOOD)
    assert str(decision.board) == GOOD and not decision.is_proved and decision.probability > 0.99


def test_the_correction_cost_counts_overruled_squares() -> None:
    """By how much less likely a kingdom's squares are as they were decided; a square that a person named is none."""
    clear, unsure = (
        Reading.of("w m3 # w w"),
        override_squares(Reading.of("w m3 # w f"), {"B1": {"m3": 0.6, "m1": 0.39}}),
    )
    assert [decision.correction_cost for decision in decide([clear], KINGDOMINO)] == [0.0]
    first, second = decide([clear, unsure], KINGDOMINO)
    assert (first.correction_cost, second.correction_cost) == pytest.approx((0.0, np.log(0.6 / 0.39)), abs=0.01)
    named = decide([clear, unsure], KINGDOMINO, fixed_squares={(1, Square(0, 1)): "m1"})
    assert named[1].correction_cost == 0.0


def test_a_board_without_all_runners_up_is_not_proved_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kingdoms may have the only mine with three crowns: what the one could be hangs on the other."""
    spoiled = {"B1": {"m3": 0.6, "m1": 0.39}}
    readings = [override_squares(Reading.of(board), spoiled) for board in ("w m3 # w w", "w m3 # w f")]
    weighed = decide(readings, KINGDOMINO)
    assert all(decision.is_proved and decision.probability < 0.7 for decision in weighed)
    solve = BoardProgramme._solve_columns
    monkeypatch.setattr(BoardProgramme, "_solve_columns", lambda *args, **loss: None if loss else solve(*args, **loss))
    given_up = decide(readings, KINGDOMINO)
    assert not any(decision.is_proved or decision.is_consistent for decision in given_up)


RIM = ". . . . . . / . w w f g . / . l # f l . / . l l w1 . . / . . . . . ."


@pytest.mark.parametrize("castle", [0.001, 0.0002])
def test_no_castle_is_invented_where_two_groups_have_none(castle: float) -> None:
    """Without a castle one group is home: only the other lies detached."""
    reading = override_squares(Reading.of("w w w f . .", confidence=0.9999999), {"F1": {".": 1 - castle, "#": castle}})
    (decision,) = decide([reading], KINGDOMINO, side=7)
    assert str(decision.board) == "w w w f . ." and decision.probability > 0.8
    assert any("no castle" in problem.text for problem in decision.problems)


def test_every_uncertain_square_has_its_alternative() -> None:
    """Four squares are uncertain, each in a domino of its own, so that four runners-up are needed."""
    pairs = (("A1", "w"), ("C1", "f"), ("A3", "l"), ("C3", "g"))
    spoiled = {name: {kind: 0.6, "w" if kind != "w" else "f": 0.39} for name, kind in pairs}
    decision = read(GOOD, spoiled)
    assert str(decision.board) == GOOD
    assert {doubt.square.name for doubt in decision.doubts} >= set(spoiled)


def test_an_alternative_is_found_where_an_empty_square_would_detach_tiles() -> None:
    """Without the wheat, the forest would lie detached, which costs too much; C1 may still be forest."""
    spoiled = {"B1": {"w": 0.7, ".": 0.3}, "C1": {"w": 0.5, ".": 0.4, "f": 0.1}}
    reading = override_squares(Reading.of("# w w f f / . . . . .", confidence=0.995), spoiled)
    (decision,) = decide([reading], KINGDOMINO, side=5)
    assert [(doubt.square.name, doubt.instead) for doubt in decision.doubts] == [("C1", "f")]
    assert decision.probability == pytest.approx(0.833, abs=0.01)


@pytest.mark.parametrize("accuracy", [0.99, 0.999])
def test_a_search_that_stops_early_misses_no_alternative(accuracy: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, stops = np.random.default_rng(3), list[bool]()
    readings = [make_noisy_reading(one.board, rng, accuracy=accuracy) for one in play(rng, players=2, side=5)]
    ask = BoardProgramme._may_differ

    def record(*args: Any) -> bool:
        stops.append(not ask(*args))
        return not stops[-1]

    monkeypatch.setattr(BoardProgramme, "_may_differ", record)
    early = decide(readings, KINGDOMINO)
    monkeypatch.setattr(BoardProgramme, "_may_differ", lambda *_: True)
    assert any(stops)
    for one, whole in zip(early, decide(readings, KINGDOMINO), strict=True):
        assert one.board == whole.board and one.is_proved == whole.is_proved
        assert one.probability == pytest.approx(whole.probability) and len(one.runners_up) == len(whole.runners_up)
