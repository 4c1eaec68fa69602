"""The game of a photo: towns, their absence, and boxes that can or cannot hold a board."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from kdvision.errors import NotationError
from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO, QUEENDOMINO, ROYAL_WEDDING, Deck
from kdvision.game.legality import find_problems
from kdvision.game.rules.age_of_giants import DOMINOES
from kdvision.pipeline import KingdomReading, decide_again
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import KINDS, ClassProbabilities
from kdvision.vision.decide.decision import Decision, PlacedDomino
from kdvision.vision.decide.game_set import check_box, decide_game
from kdvision.vision.find import assemble_kingdoms
from tests.kingdoms import get_probability, make_plain_observation, override_squares, table_photo

KINDS_WITH_TOWN = (*KINDS[:-1], "t", KINDS[-1])

KINGDOMINO_BOARD = "w w w1 f / # g g ."
QUEENDOMINO_BOARD = "t t l1 t / # f f . / m3 t f1 t"
"""t t, l1 t, f f, m3 t and f1 t: five dominoes of Queendomino. No other box has m3 t and f1 t."""
ROYAL_WEDDING_BOARD = "t t l1 t / # w m3 . / s m2 l g2 / g s2 t f1"
"""Only Kingdomino has w m3, s m2, l g2 and g s2; only Queendomino has l1 t and t f1."""


def make_observation(
    text: str,
    *,
    left: float = 40,
    shares_by_square: Mapping[str, Mapping[str, float]] = {},
    kinds: tuple[str, ...] = KINDS_WITH_TOWN,
) -> GridObservation:
    """Return the observation of a board by networks that know towns; `shares_by_square` overrides probabilities."""
    reading = override_squares(ClassProbabilities.of(text, confidence=0.999, kinds=kinds), shares_by_square)
    return make_plain_observation(reading, left=left, side=30)


def assemble_one(observation: GridObservation, **options: object) -> KingdomReading:
    (kingdom,) = assemble_kingdoms(table_photo(), [observation], **options)  # type: ignore[arg-type]
    return kingdom


def test_the_boards_of_these_tests_are_legal_as_stated() -> None:
    for board, deck in (
        (KINGDOMINO_BOARD, KINGDOMINO),
        (QUEENDOMINO_BOARD, QUEENDOMINO),
        (ROYAL_WEDDING_BOARD, ROYAL_WEDDING),
    ):
        assert [problem.text for problem in find_problems(Board.parse(board), deck) if not problem.is_rule_breach] == []
    assert any(not problem.is_rule_breach for problem in find_problems(Board.parse(ROYAL_WEDDING_BOARD), QUEENDOMINO))


# Readings without towns.


def test_a_reading_without_a_kind_keeps_tiles_and_proportions() -> None:
    shares_by_square = {"A1": {"t": 0.5, "w": 0.3, "f": 0.1, ".": 0.05}}
    reading = override_squares(ClassProbabilities.of("w # .", kinds=KINDS_WITH_TOWN), shares_by_square)
    town_free_reading = reading.select_kinds(KINGDOMINO)
    assert town_free_reading.kinds == KINDS
    assert get_probability(town_free_reading, Square(0, 0), ".") == pytest.approx(0.05)
    ratio = get_probability(town_free_reading, Square(0, 0), "w") / get_probability(
        town_free_reading, Square(0, 0), "f"
    )
    assert ratio == pytest.approx(3)
    assert get_probability(town_free_reading, Square(0, 0), "w") == pytest.approx(0.3 * 0.95 / 0.45)


def test_a_network_that_knows_towns_reads_plain_boards_as_one_that_does_not() -> None:
    """The remaining kinds have the probabilities of a softmax without the town."""
    rng = np.random.default_rng(2)
    logits, presence = rng.normal(0, 3, (4, 5, len(KINDS_WITH_TOWN) - 1)), rng.uniform(0.1, 1, (4, 5, 1))

    def make_reading(kinds: tuple[str, ...]) -> ClassProbabilities:
        tiles = np.exp(logits[..., [n for n, kind in enumerate(KINDS_WITH_TOWN[:-1]) if kind in kinds]])
        shares = presence * tiles / tiles.sum(axis=2, keepdims=True)
        return ClassProbabilities.of_probabilities(np.concatenate([shares, 1 - presence], axis=2), kinds)

    assert np.allclose(make_reading(KINDS_WITH_TOWN).select_kinds(KINGDOMINO).log_probs, make_reading(KINDS).log_probs)
    assert make_reading(KINDS).select_kinds(KINGDOMINO).kinds == KINDS


def test_a_certain_town_is_any_kind_without_towns() -> None:
    town_free_reading = ClassProbabilities.of("t #", confidence=1.0, kinds=KINDS_WITH_TOWN).select_kinds(KINGDOMINO)
    assert get_probability(town_free_reading, Square(0, 0), "w") == pytest.approx(1 / (len(KINDS) - 1))
    reading = ClassProbabilities.of("t #", confidence=1.0, kinds=KINDS_WITH_TOWN)
    assert reading.select_kinds(QUEENDOMINO) is reading


# Which game.


@pytest.mark.parametrize(
    ("board", "game"),
    [(KINGDOMINO_BOARD, "kingdomino"), (QUEENDOMINO_BOARD, "queendomino"), (ROYAL_WEDDING_BOARD, "royal-wedding")],
)
def test_the_photo_shows_which_game_is_played(board: str, game: str) -> None:
    reading = assemble_one(make_observation(board))
    assert (str(reading.board), reading.game, reading.review) == (board, game, False)


def test_towns_count_over_all_kingdoms_of_a_photo() -> None:
    observations = [
        make_observation("# t w / . f f"),
        make_observation("# t f / w w .", left=300),
        make_observation("t l w w / # . . .", left=500),
    ]
    assert {each_reading.game for each_reading in assemble_kingdoms(table_photo(), observations)} == {"queendomino"}
    (reading,) = assemble_kingdoms(table_photo(), observations[:1])
    assert reading.game == "kingdomino"


def test_one_box_holds_no_dominoes_twice() -> None:
    """Two kingdoms share three dominoes of Queendomino. Only the box of Kingdomino has them once more."""
    first_board, second_board = "t t t t / # w1 m . / w1 s w1 g", "t t . . / # m w1 . / s w1 g w1"
    observations = [make_observation(first_board), make_observation(second_board, left=300)]
    readings = assemble_kingdoms(table_photo(), observations)
    assert {reading.game for reading in readings} == {"royal-wedding"}
    assert [str(reading.board) for reading in readings] == [first_board, second_board]


def test_a_possible_town_is_reported_and_needs_review() -> None:
    reading = assemble_one(make_observation("w w w1 f / # g g .", shares_by_square={"C1": {"t": 0.7, "w1": 0.25}}))
    assert (str(reading.board), reading.game, reading.review) == (KINGDOMINO_BOARD, "kingdomino", True)
    problem, _ = reading.problems  # the other problem: the picture has no colours
    assert problem.text == "something like a town lies on C1: choose Queendomino (--game queendomino) if it is one"
    assert problem.squares == (Square(0, 2),)


@pytest.mark.parametrize("probability", [0.01, 0.2])
def test_an_improbable_town_is_none(probability: float) -> None:
    shares_by_square = {"C1": {"t": probability, "w1": 0.98 - probability}}
    reading = assemble_one(make_observation(KINGDOMINO_BOARD, shares_by_square=shares_by_square))
    assert (reading.game, reading.problems) == ("kingdomino", ())


def test_a_game_that_is_named_is_the_game() -> None:
    reading = assemble_one(make_observation(QUEENDOMINO_BOARD), game="kingdomino")
    assert reading.game == "kingdomino" and "t" not in str(reading.board)
    assert not any("town" in problem.text for problem in reading.problems)
    assert assemble_one(make_observation(KINGDOMINO_BOARD), game="royal-wedding").game == "royal-wedding"
    with pytest.raises(NotationError, match="carcassonne"):
        check_box("carcassonne")
    with pytest.raises(NotationError, match="carcassonne"):
        check_box("kingdomino+carcassonne")
    with pytest.raises(NotationError, match="twice"):
        check_box("kingdomino+age-of-giants+age-of-giants")


# Expansions that add dominoes.


@pytest.mark.parametrize("game", ["kingdomino", "auto"])
def test_the_dominoes_of_an_expansion_can_be_read(game: str) -> None:
    board = "# m g g g / w1 f f f ."
    reading = assemble_one(make_observation(board), game=f"{game}+age-of-giants")
    assert (str(reading.board), reading.game) == (board, "kingdomino")
    assert [numbers for numbers, _ in reading.dominoes if "D" in numbers] == [("D",)]
    assert assemble_one(make_observation(board), game=game).probability < reading.probability


def test_a_kind_that_no_network_knows_is_read_where_only_it_fits() -> None:
    observed_reading = ClassProbabilities.of("w1 #", confidence=0.96, kinds=KINDS_WITH_TOWN).select_kinds(
        (*KINGDOMINO, *DOMINOES)
    )
    assert {*observed_reading.kinds} - {*KINDS_WITH_TOWN} == {"w2", "f2", "l2"}
    assert get_probability(observed_reading, Square(0, 0), "w2") == pytest.approx(0.96 / 6, rel=0.01)
    assert get_probability(observed_reading, Square(0, 0), "w1") == pytest.approx(0.96 * 5 / 6, rel=0.01)
    reading = assemble_one(make_observation("# w1 f1 f f / l l l l ."), game="kingdomino+age-of-giants")
    assert str(reading.board) == "# w2 f1 f f / l l l l ."
    assert (49,) in [numbers for numbers, _ in reading.dominoes]


def test_a_square_fixed_as_a_town_is_a_town() -> None:
    reading = assemble_one(
        make_observation("w w w1 f / # f t .", shares_by_square={"C2": {"g": 0.6, "t": 0.3}}),
        fixed_squares={(0, Square(1, 2)): "t"},
    )
    assert (str(reading.board), reading.game) == ("w w w1 f / # f t .", "queendomino")


def test_plain_boards_are_decided_as_networks_without_towns_decide_them() -> None:
    shares_by_square = {"C1": {"w1": 0.6, "w": 0.3}, "B2": {"g": 0.7, "f": 0.2}}
    town_free_reading, reading = (
        assemble_one(make_observation(KINGDOMINO_BOARD, shares_by_square=shares_by_square, kinds=KINDS)),
        assemble_one(make_observation(KINGDOMINO_BOARD, shares_by_square=shares_by_square)),
    )
    assert (reading.board, reading.doubts[0].square, reading.probabilities.kinds) == (
        town_free_reading.board,
        town_free_reading.doubts[0].square,
        KINDS,
    )
    assert reading.probability == pytest.approx(town_free_reading.probability, abs=0.02)


def test_observations_can_be_decided_again_as_another_game() -> None:
    first_reading = assemble_one(make_observation(QUEENDOMINO_BOARD))
    (second_reading,) = decide_again([first_reading.observation], surroundings=[Surroundings()])
    assert (str(second_reading.board), second_reading.game) == (QUEENDOMINO_BOARD, "queendomino")
    (kingdomino_reading,) = decide_again([first_reading.observation], surroundings=[Surroundings()], game="kingdomino")
    assert (kingdomino_reading.game, kingdomino_reading.probabilities.kinds) == ("kingdomino", KINDS)


@pytest.mark.parametrize(("contradictions", "game"), [(2, "queendomino"), (3, "royal-wedding")])
def test_two_boxes_are_assumed_from_three_contradictions_on(contradictions: int, game: str) -> None:
    """The deck of Queendomino overrules these squares; both boxes together overrule none."""
    reading = ClassProbabilities.of(QUEENDOMINO_BOARD, kinds=KINDS_WITH_TOWN)

    def decide(readings: Sequence[ClassProbabilities], deck: Deck) -> list[Decision]:
        overruled_squares = [Square(0, n) for n in range(contradictions if deck == QUEENDOMINO else 0)]
        return [Decision(reading.best, (), 1.0, overruled_squares=tuple(overruled_squares))] if deck else []

    def replace_dominoes(decisions: list[Decision]) -> list[Decision]:
        squares = [square for square in reading.best if square not in reading.best.find_castles()]
        dominoes = [
            PlacedDomino((n, 100 + n), pair) for n, pair in enumerate(zip(squares[::2], squares[1::2], strict=False))
        ]
        return [replace(decision, dominoes=tuple(dominoes)) for decision in decisions]

    chosen_game, _ = decide_game("auto", [reading], lambda *args: replace_dominoes(decide(*args)))
    assert chosen_game == game
