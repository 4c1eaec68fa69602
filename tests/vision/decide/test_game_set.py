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
from kdvision.vision.assess.warnings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import KINDS, Reading
from kdvision.vision.decide.decision import Decision, PlacedDomino
from kdvision.vision.decide.game_set import check_box, decide_game
from kdvision.vision.find import assemble_kingdoms
from tests.kingdoms import get_probability, make_plain_observation, override_squares, table_photo

WITH_TOWNS = (*KINDS[:-1], "t", KINDS[-1])

PLAIN = "w w w1 f / # g g ."
QUEENS = "t t l1 t / # f f . / m3 t f1 t"
"""t t, l1 t, f f, m3 t and f1 t: five dominoes of Queendomino's, the m3 t and f1 t among them in no other box."""
MIXED = "t t l1 t / # w m3 . / s m2 l g2 / g s2 t f1"
"""w m3, s m2, l g2 and g s2 are Kingdomino's alone, l1 t and t f1 Queendomino's."""


def make_observation(
    text: str, *, left: float = 40, spoiled: Mapping[str, Mapping[str, float]] = {}, kinds: tuple[str, ...] = WITH_TOWNS
) -> GridObservation:
    """What networks that know towns see of a board; `spoiled` squares have their own probabilities."""
    reading = override_squares(Reading.of(text, confidence=0.999, kinds=kinds), spoiled)
    return make_plain_observation(reading, left=left, side=30)


def assemble_one(seen: GridObservation, **asked: object) -> KingdomReading:
    (kingdom,) = assemble_kingdoms(table_photo(), [seen], **asked)  # type: ignore[arg-type]
    return kingdom


def test_the_boards_of_these_tests_are_legal_as_stated() -> None:
    for board, deck in ((PLAIN, KINGDOMINO), (QUEENS, QUEENDOMINO), (MIXED, ROYAL_WEDDING)):
        assert [problem.text for problem in find_problems(Board.parse(board), deck) if not problem.is_rule_breach] == []
    assert any(not problem.is_rule_breach for problem in find_problems(Board.parse(MIXED), QUEENDOMINO))


# Readings without towns.


def test_a_reading_without_a_kind_keeps_tiles_and_proportions() -> None:
    spoiled = {"A1": {"t": 0.5, "w": 0.3, "f": 0.1, ".": 0.05}}
    seen = override_squares(Reading.of("w # .", kinds=WITH_TOWNS), spoiled)
    plain = seen.of_deck(KINGDOMINO)
    assert plain.kinds == KINDS
    assert get_probability(plain, Square(0, 0), ".") == pytest.approx(0.05)
    ratio = get_probability(plain, Square(0, 0), "w") / get_probability(plain, Square(0, 0), "f")
    assert ratio == pytest.approx(3)
    assert get_probability(plain, Square(0, 0), "w") == pytest.approx(0.3 * 0.95 / 0.45)


def test_a_network_that_knows_towns_reads_plain_boards_as_one_that_does_not() -> None:
    """The kinds that are left have the numbers that a softmax without the town would have given."""
    rng = np.random.default_rng(2)
    logits, presence = rng.normal(0, 3, (4, 5, len(WITH_TOWNS) - 1)), rng.uniform(0.1, 1, (4, 5, 1))

    def reading(kinds: tuple[str, ...]) -> Reading:
        tiles = np.exp(logits[..., [n for n, kind in enumerate(WITH_TOWNS[:-1]) if kind in kinds]])
        shares = presence * tiles / tiles.sum(axis=2, keepdims=True)
        return Reading.of_probabilities(np.concatenate([shares, 1 - presence], axis=2), kinds)

    assert np.allclose(reading(WITH_TOWNS).of_deck(KINGDOMINO).log_probs, reading(KINDS).log_probs)
    assert reading(KINDS).of_deck(KINGDOMINO).kinds == KINDS


def test_a_certain_town_is_any_kind_without_towns() -> None:
    seen = Reading.of("t #", confidence=1.0, kinds=WITH_TOWNS).of_deck(KINGDOMINO)
    assert get_probability(seen, Square(0, 0), "w") == pytest.approx(1 / (len(KINDS) - 1))
    queens = Reading.of("t #", confidence=1.0, kinds=WITH_TOWNS)
    assert queens.of_deck(QUEENDOMINO) is queens


# Which game.


@pytest.mark.parametrize(("board", "game"), [(PLAIN, "kingdomino"), (QUEENS, "queendomino"), (MIXED, "royal-wedding")])
def test_the_photo_shows_which_game_is_played(board: str, game: str) -> None:
    read = assemble_one(make_observation(board))
    assert (str(read.board), read.game, read.review) == (board, game, False)


def test_towns_count_over_all_kingdoms_of_a_photo() -> None:
    observations = [
        make_observation("# t w / . f f"),
        make_observation("# t f / w w .", left=300),
        make_observation("t l w w / # . . .", left=500),
    ]
    assert {read.game for read in assemble_kingdoms(table_photo(), observations)} == {"queendomino"}
    (alone,) = assemble_kingdoms(table_photo(), observations[:1])
    assert alone.game == "kingdomino"


def test_one_box_holds_no_dominoes_twice() -> None:
    """Two kingdoms of Queendomino with three dominoes in common, which only the box of Kingdomino has once more."""
    one, two = "t t t t / # w1 m . / w1 s w1 g", "t t . . / # m w1 . / s w1 g w1"
    observations = [make_observation(one), make_observation(two, left=300)]
    reads = assemble_kingdoms(table_photo(), observations)
    assert {read.game for read in reads} == {"royal-wedding"}
    assert [str(read.board) for read in reads] == [one, two]


def test_a_possible_town_is_reported_and_needs_review() -> None:
    read = assemble_one(make_observation("w w w1 f / # g g .", spoiled={"C1": {"t": 0.7, "w1": 0.25}}))
    assert (str(read.board), read.game, read.review) == (PLAIN, "kingdomino", True)
    problem, _ = read.problems  # the picture has no colours either
    assert problem.text == "something like a town lies on C1: choose Queendomino (--game queendomino) if it is one"
    assert problem.squares == (Square(0, 2),)


@pytest.mark.parametrize("chance", [0.01, 0.2])
def test_an_improbable_town_is_none(chance: float) -> None:
    spoiled = {"C1": {"t": chance, "w1": 0.98 - chance}}
    read = assemble_one(make_observation(PLAIN, spoiled=spoiled))
    assert (read.game, read.problems) == ("kingdomino", ())


def test_a_game_that_is_named_is_the_game() -> None:
    read = assemble_one(make_observation(QUEENS), game="kingdomino")
    assert read.game == "kingdomino" and "t" not in str(read.board)
    assert not any("town" in problem.text for problem in read.problems)
    assert assemble_one(make_observation(PLAIN), game="royal-wedding").game == "royal-wedding"
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
    read = assemble_one(make_observation(board), game=f"{game}+age-of-giants")
    assert (str(read.board), read.game) == (board, "kingdomino")
    assert [numbers for numbers, _ in read.dominoes if "D" in numbers] == [("D",)]
    assert assemble_one(make_observation(board), game=game).probability < read.probability


def test_a_kind_that_no_network_knows_is_read_where_only_it_fits() -> None:
    seen = Reading.of("w1 #", confidence=0.96, kinds=WITH_TOWNS).of_deck((*KINGDOMINO, *DOMINOES))
    assert {*seen.kinds} - {*WITH_TOWNS} == {"w2", "f2", "l2"}
    assert get_probability(seen, Square(0, 0), "w2") == pytest.approx(0.96 / 6, rel=0.01)
    assert get_probability(seen, Square(0, 0), "w1") == pytest.approx(0.96 * 5 / 6, rel=0.01)
    read = assemble_one(make_observation("# w1 f1 f f / l l l l ."), game="kingdomino+age-of-giants")
    assert str(read.board) == "# w2 f1 f f / l l l l ."
    assert (49,) in [numbers for numbers, _ in read.dominoes]


def test_a_square_fixed_as_a_town_is_a_town() -> None:
    read = assemble_one(
        make_observation("w w w1 f / # f t .", spoiled={"C2": {"g": 0.6, "t": 0.3}}),
        fixed_squares={(0, Square(1, 2)): "t"},
    )
    assert (str(read.board), read.game) == ("w w w1 f / # f t .", "queendomino")


def test_plain_boards_are_decided_as_networks_without_towns_decide_them() -> None:
    spoiled = {"C1": {"w1": 0.6, "w": 0.3}, "B2": {"g": 0.7, "f": 0.2}}
    old, new = (
        assemble_one(make_observation(PLAIN, spoiled=spoiled, kinds=KINDS)),
        assemble_one(make_observation(PLAIN, spoiled=spoiled)),
    )
    assert (new.board, new.doubts[0].square, new.reading.kinds) == (old.board, old.doubts[0].square, KINDS)
    assert new.probability == pytest.approx(old.probability, abs=0.02)


def test_observations_can_be_decided_again_as_another_game() -> None:
    first = assemble_one(make_observation(QUEENS))
    (again,) = decide_again([first.observation], surroundings=[Surroundings()])
    assert (str(again.board), again.game) == (QUEENS, "queendomino")
    (plain,) = decide_again([first.observation], surroundings=[Surroundings()], game="kingdomino")
    assert (plain.game, plain.reading.kinds) == ("kingdomino", KINDS)


@pytest.mark.parametrize(("contradictions", "game"), [(2, "queendomino"), (3, "royal-wedding")])
def test_two_boxes_are_assumed_from_three_contradictions_on(contradictions: int, game: str) -> None:
    """The deck of Queendomino overrules these squares; both boxes together overrule none."""
    seen = Reading.of(QUEENS, kinds=WITH_TOWNS)

    def decide(readings: Sequence[Reading], deck: Deck) -> list[Decision]:
        overruled = [Square(0, n) for n in range(contradictions if deck == QUEENDOMINO else 0)]
        return [Decision(seen.best, (), 1.0, overruled_squares=tuple(overruled))] if deck else []

    def without_foreign(decisions: list[Decision]) -> list[Decision]:
        squares = [square for square in seen.best if square not in seen.best.castles()]
        dominoes = [
            PlacedDomino((n, 100 + n), pair) for n, pair in enumerate(zip(squares[::2], squares[1::2], strict=False))
        ]
        return [replace(one, dominoes=tuple(dominoes)) for one in decisions]

    played, _ = decide_game("auto", [seen], lambda *args: without_foreign(decide(*args)))
    assert played == game
