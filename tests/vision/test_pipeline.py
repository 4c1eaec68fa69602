"""From observations to kingdoms: which grids are kingdoms, their frames, and the squares of fixes and doubts.

The observations come from notation, with a rim of table around it as on real grids; no network runs.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from kdvision import pipeline
from kdvision.errors import NoKingdomFound, NotationError
from kdvision.game.board import Board, Square
from kdvision.pipeline import KingdomReading, decide_again
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import ClassProbabilities, compute_log_odds
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.result import describe_places
from tests.kingdoms import make_grid, make_plain_observation, override_squares, table_photo

KINGDOM = "w w w1 f / # g g ."
OFFER = "w w / f f / l l / g g"


def make_observation(
    text: str,
    *,
    left: float = 40,
    top: float = 60,
    side: float = 30,
    shares_by_square: Mapping[str, Mapping[str, float]] = {},
) -> GridObservation:
    """Return the observation of a board with a rim of table; the names in `shares_by_square` ignore the rim."""
    board = Board.parse(text)
    blank = " ".join("." * (board.width + 2))
    board_with_rim = Board.parse(" / ".join([blank, *(f". {row} ." for row in board.format_rows()), blank]))
    shares_on_grid = {Square(s.row + 1, s.col + 1).name: shares for s, shares in _parse_names(shares_by_square)}
    reading = override_squares(ClassProbabilities.of(board_with_rim, confidence=0.999), shares_on_grid)
    return make_plain_observation(reading, make_grid(board_with_rim, left=left - side, top=top - side, side=side))


def _parse_names(shares_by_square: Mapping[str, Mapping[str, float]]) -> list[tuple[Square, Mapping[str, float]]]:
    return [(Square(int(name[1:]) - 1, ord(name[0]) - ord("A")), shares) for name, shares in shares_by_square.items()]


def assemble_one(observation: GridObservation, **options: object) -> KingdomReading:
    (kingdom,) = assemble_kingdoms(table_photo(), [observation], **options)  # type: ignore[arg-type]
    return kingdom


# Which grids are kingdoms.


def test_a_grid_with_a_castle_is_a_kingdom_and_others_are_not() -> None:
    kingdom, offer = make_observation(KINGDOM), make_observation(OFFER, left=400)
    assert split_kingdoms([offer, kingdom]) == ([kingdom], [offer])


def test_kingdoms_are_counted_from_left_to_right_however_few_pixels_up_one_lies() -> None:
    """Row by row: `score` and `batch` assign player names in this order."""
    for shift in (-9, 0, 9):
        left, right, below = (
            make_observation(KINGDOM, top=200 + shift),
            make_observation("w l w1 g / # s s .", left=400, top=200),
            make_observation("f f l l / # m1 m .", top=500),
        )
        assert split_kingdoms([below, right, left])[0] == [left, right, below]


def test_an_offer_alone_is_no_kingdom() -> None:
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [make_observation(OFFER)])


def test_an_empty_table_is_no_kingdom_and_the_error_says_what_to_do() -> None:
    with pytest.raises(NoKingdomFound) as error_info:
        assemble_kingdoms(table_photo(), [])
    assert error_info.value.hint


def test_a_lone_castle_is_no_kingdom() -> None:
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [make_observation("#")])


def test_many_tiles_without_a_castle_are_a_kingdom_whose_castle_is_hidden() -> None:
    observation = make_observation(
        "w w w1 f / ? g g f / l l f f / l l . .", shares_by_square={"A2": {".": 0.3, "w": 0.3, "#": 0.2}}
    )
    assert split_kingdoms([make_observation(OFFER, left=400), observation])[0] == [observation]


def test_unusual_layouts_without_a_castle_are_loose_dominoes() -> None:
    """Tiles are a kingdom if each domino joins its own terrain, or if the castle is clear."""
    legal_board, scattered_board = "w w w1 f / # g f f / g g f f / g g . .", "w w g f / # l l w / m1 m s s / f f . ."
    for board, castle_probability, is_kingdom in (
        (legal_board, 0.3, True),
        (scattered_board, 0.3, False),
        (scattered_board, 0.9, True),
    ):
        observation = make_observation(
            board, shares_by_square={"A2": {"#": castle_probability, ".": 0.9 - castle_probability}}
        )
        assert split_kingdoms([observation])[0] == [observation]
        try:
            assert bool(assemble_kingdoms(table_photo(), [observation])) == is_kingdom
        except NoKingdomFound:
            assert not is_kingdom


def test_an_offer_on_an_askew_lattice_is_no_kingdom() -> None:
    """On such a lattice its eight squares overlap up to twelve places, each of which looks like a tile."""
    offer = make_observation("w w f f / w l l f / g g s s")
    assert offer.is_confident.sum() == 12
    assert not split_kingdoms([offer])[0]


def test_a_faint_castle_makes_no_kingdom() -> None:
    """Kings on a line on offer, and shadows beside it, look like faint castles."""
    assert not split_kingdoms([make_observation("w w l / f f #", shares_by_square={"C2": {"#": 0.6, ".": 0.3}})])[0]


def test_a_castle_without_a_whole_domino_is_no_kingdom() -> None:
    assert not split_kingdoms([make_observation("# w w", shares_by_square={"C1": {"w": 0.5, ".": 0.5}})])[0]


@pytest.mark.parametrize("kind", [".", "w"])
def test_many_castles_are_the_pattern_of_a_carpet(kind: str) -> None:
    carpet = make_observation(" / ".join(["# # # # # #", f"# # # {kind} {kind} #"] * 3))
    assert carpet.max_castle_probability > 0.99 and carpet.expected_tiles >= 30
    assert not split_kingdoms([carpet])[0]


@pytest.mark.parametrize(("forest_probability", "is_kingdom"), [(0.85, True), (0.6, False)])
def test_a_castle_and_a_domino_are_a_kingdom_if_nothing_else_is_left(
    forest_probability: float, is_kingdom: bool
) -> None:
    """The grille looks like three squares without crowns. The box can lay two of them."""
    grille = make_observation(
        "# f f . / w . . .",
        shares_by_square={"C1": {"f": forest_probability, ".": 1 - forest_probability}, "A2": {"w": 0.75, ".": 0.25}},
    )
    assert split_kingdoms([grille])[0] == [grille]
    try:
        assert len(assemble_one(grille).board) == 3 and is_kingdom
    except NoKingdomFound:
        assert not is_kingdom


def test_tiles_that_no_box_holds_are_no_kingdom() -> None:
    grille = make_observation(" / ".join(["w w w w w w"] * 5))
    assert split_kingdoms([grille])[0] == [grille]
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [grille])
    (reading,) = assemble_kingdoms(table_photo(), [grille, make_observation(KINGDOM, left=600)])
    assert any("may be a kingdom, too" in problem.text for problem in reading.problems)


def test_a_kingdom_larger_than_it_should_be_is_still_one() -> None:
    text = "w w w1 f l g g / # g g f l s s / w f f g w w w / l l f1 g s f f"
    assert assemble_kingdoms(table_photo(), [make_observation(text)], side=5)


def test_a_second_castle_is_a_misreading() -> None:
    kingdom = make_observation("w w w1 f / # g g #")
    assert split_kingdoms([kingdom])[0] == [kingdom]


def test_a_kingdom_beside_others_is_one_though_its_castle_is_hidden() -> None:
    """A grid with more tiles than two lines on offer is a kingdom; two lines on offer are none."""
    kingdom = make_observation(KINGDOM)
    castleless_kingdom = make_observation(
        "w w w1 f f / ? g g f f / l l f f s / l l g g s", left=400, shares_by_square={"A2": {".": 0.3, "#": 0.2}}
    )
    two_lines = make_observation("w w f f / g g l l / s s w w / f f g g", left=800)
    assert split_kingdoms([castleless_kingdom, two_lines, kingdom]) == ([kingdom, castleless_kingdom], [two_lines])


def test_a_kingdom_whose_castle_is_truncated_is_a_kingdom() -> None:
    text = "w w w1 f / g g l l / s w w f"
    tiles, kingdom = make_observation(text, left=400), make_observation(KINGDOM)
    visible_share = np.ones(tiles.occlusion.shape)
    visible_share[-2:] = [[0.9], [0.0]]
    truncated_kingdom = replace(tiles, visible_share=visible_share)
    assert split_kingdoms([truncated_kingdom, kingdom])[0] == [kingdom, truncated_kingdom]
    assert split_kingdoms([tiles, kingdom])[0] == [kingdom]


def test_a_grid_of_uncertain_kinds_is_no_kingdom() -> None:
    """Parquet and patterned cloths look like this if something on them resembles a castle."""
    shares_by_square = {f"{col}{row}": {"w": 0.4, "s": 0.3, ".": 0.2} for col in "ABCD" for row in (1, 2, 3)}
    cloth = make_observation("# w w w / w w w w / w w w w", shares_by_square={**shares_by_square, "A1": {"#": 0.9}})
    assert cloth.max_castle_probability > 0.5 and cloth.expected_tiles > 8
    assert split_kingdoms([cloth, make_observation(KINGDOM, left=400)])[0][0].max_castle_probability > 0.99
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [cloth])


def test_kingdoms_come_from_the_top_left() -> None:
    upper_kingdom, lower_kingdom = (
        make_observation(KINGDOM, left=400, top=60),
        make_observation("# l l / w w .", left=40, top=300),
    )
    readings = assemble_kingdoms(table_photo(), [lower_kingdom, upper_kingdom])
    assert [str(reading.board) for reading in readings] == [KINGDOM, "# l l / w w ."]
    assert [reading.place for reading in readings] == ["top right", "bottom left"]


@pytest.mark.parametrize(("colours", "result"), [(("blue", "pink"), ["blue", "pink"]), (("blue", "blue"), ["", ""])])
def test_kingdoms_have_their_castles_colours_which_no_two_share(colours: tuple[str, str], result: list[str]) -> None:
    observations = [make_observation(KINGDOM), make_observation("# l l / w w .", left=400)]
    readings = assemble_kingdoms(
        table_photo(), [replace(s, colour=c) for s, c in zip(observations, colours, strict=True)]
    )
    assert [reading.colour for reading in readings] == result


def test_a_castle_that_is_elsewhere_after_all_has_no_colour() -> None:
    observation = replace(make_observation(KINGDOM, shares_by_square={"A2": {"#": 0.8, "w": 0.15}}), colour="blue")
    assert assemble_one(observation).colour == "blue"
    fixed_squares = {(0, Square.parse("A2")): "w", (0, Square.parse("D1")): "#"}
    assert assemble_one(observation, fixed_squares=fixed_squares).colour == ""


# The frame.


def test_the_board_is_trimmed_and_its_grid_and_reading_with_it() -> None:
    observation = make_observation(KINGDOM)
    reading = assemble_one(observation)
    assert str(reading.board) == KINGDOM
    assert (reading.grid.rows, reading.grid.cols) == (reading.probabilities.rows, reading.probabilities.cols) == (2, 4)
    assert reading.grid.corners.tolist() == [[40, 60], [160, 60], [160, 120], [40, 120]]
    assert str(reading.probabilities.best) == KINGDOM
    assert not reading.review


def test_dominoes_lie_on_the_squares_of_the_printed_board() -> None:
    reading = assemble_one(make_observation(KINGDOM))
    domino_squares = {square for domino in reading.dominoes for square in domino[1]}
    castle = Square.parse("A2")
    assert domino_squares | {castle} == set(reading.board)
    assert castle not in domino_squares


def test_doubts_have_the_names_of_the_printed_board() -> None:
    reading = assemble_one(make_observation(KINGDOM, shares_by_square={"C1": {"w1": 0.6, "w": 0.39}}))
    assert [(doubt.square.name, doubt.kind, doubt.other_kind) for doubt in reading.doubts] == [("C1", "w1", "w")]
    assert 0.5 < reading.doubts[0].probability < 0.7
    assert reading.review


def test_problems_name_the_squares_of_the_printed_board_in_word_and_place() -> None:
    reading = assemble_one(make_observation("# w w l l"))
    (problem,) = (problem for problem in reading.problems if "touches neither" in problem.text)
    assert "D1 and E1" in problem.text
    assert [square.name for square in problem.squares] == ["D1", "E1"]
    assert problem.is_rule_breach and not reading.review  # the play breaks a rule, but the reading may be right


def test_a_doubt_outside_the_frame_is_a_problem() -> None:
    """Two places beyond the edge may be a domino, and they have no names on the printed board."""
    shares_by_square = {name: {".": 0.7, "g": 0.29} for name in ("B3", "C3")}
    reading = assemble_one(make_observation("w w w1 f / # g g . / . . . .", shares_by_square=shares_by_square))
    assert str(reading.board) == KINGDOM
    assert reading.review
    assert any("edge" in problem.text for problem in reading.problems)
    assert all(
        doubt.square.row < reading.board.height and doubt.square.col < reading.board.width for doubt in reading.doubts
    )


def test_a_tile_without_a_place_on_the_board_is_reported() -> None:
    """Its other half may lie beyond the grid if the lattice lacks a row."""
    for probability, is_reported in ((0.99, True), (0.8, False)):
        observation = make_observation(
            "# w w . / . f f . / . . . l", shares_by_square={"D3": {"l": probability, ".": 1 - probability}}
        )
        (reading,) = assemble_kingdoms(table_photo(), [observation])
        assert str(reading.board) == "# w w / . f f"
        assert any("at the kingdom's edge" in problem.text for problem in reading.problems) == is_reported


def test_an_improbable_board_needs_review() -> None:
    assert not assemble_one(make_observation(KINGDOM), calibration=Calibration(review_threshold=0.5)).review
    assert assemble_one(make_observation(KINGDOM), calibration=Calibration(review_threshold=1.1)).review


def test_board_probability_combines_squares_and_warnings() -> None:
    calibration = Calibration(warning_weights={"": 0.0, "few": -1.0})
    large_reading, small_reading = (
        assemble_one(make_observation(KINGDOM), calibration=calibration),
        assemble_one(make_observation("# w w"), calibration=calibration),
    )
    assert large_reading.probability == pytest.approx(large_reading.board_probability / 2)
    assert small_reading.probability == pytest.approx(small_reading.board_probability / (1 + np.e))
    for reading in (large_reading, small_reading):
        assert reading.probability + sum(chance for _, chance in reading.runners_up) <= 0.5 + 1e-6


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (KINGDOM, set()),
        ("# w w", {"few"}),
        ("# w w . . l", {"few", "rim", "overruled"}),
        ("# l1 w s2 / . f m1 g2 / w w f f", {"illegal"}),
    ],
)
def test_every_warning_has_a_name_and_a_weight(text: str, names: set[str]) -> None:
    calibration = Calibration(warning_weights={"": 3.0, "few": -1.0, "rim": -2.0, "overruled": -0.5, "illegal": -4.0})
    reading = assemble_one(make_observation(text), calibration=calibration)
    assert {name for name, strength in reading.warning_strengths.items() if strength} == names
    odds = 3.0 + sum(calibration.warning_weights[name] for name in names)
    assert compute_log_odds(reading.probability / reading.board_probability) == pytest.approx(odds)


@pytest.mark.parametrize(("weight", "needs_review"), [(0.0, False), (-9.0, True)])
def test_a_warning_with_a_small_weight_forces_no_review(weight: float, needs_review: bool) -> None:
    """A board of a castle and a domino is flagged only if, by the weight, such boards are often incomplete."""
    reading = assemble_one(
        make_observation("# w w"),
        calibration=Calibration(review_threshold=0.9, warning_weights={"": 6.0, "few": weight}),
    )
    assert any("hardly a domino" in problem.text for problem in reading.problems) == reading.review == needs_review
    assert assemble_one(make_observation("# w w")).review  # the default calibration has no weight for it


def test_a_warning_without_a_fitted_weight_asks_for_review() -> None:
    observation = make_observation(KINGDOM, shares_by_square={"A2": {"#": 0.45, "w": 0.3, "f": 0.25}})
    calibration = Calibration(review_threshold=0.96, warning_weights={"": 6.0, "hidden": 0.0})
    (reading,) = assemble_kingdoms(
        table_photo(), [observation], outline_surroundings=[Surroundings()], calibration=calibration
    )
    assert reading.review and any("hardly seen" in problem.text for problem in reading.problems)


@pytest.mark.parametrize(("text", "needs_review"), [("# w w", True), ("# w w / . f f", False)])
def test_a_very_small_kingdom_needs_review(text: str, needs_review: bool) -> None:
    (reading,) = assemble_kingdoms(table_photo(), [make_observation(text)])
    assert any("hardly a domino" in problem.text for problem in reading.problems) == needs_review
    assert reading.review == needs_review


def test_a_kingdom_with_a_faint_castle_beside_another_is_read_and_needs_review() -> None:
    text = "# f f . / . f l l / . w l w1"
    faint_kingdom = make_observation(text, left=400, shares_by_square={"A1": {"#": 0.3, "w": 0.3, "f": 0.3}})
    first_reading, second_reading = assemble_kingdoms(table_photo(), [make_observation(KINGDOM), faint_kingdom])
    assert not first_reading.review
    assert str(second_reading.board) == text
    assert second_reading.review and any("hardly seen" in problem.text for problem in second_reading.problems)
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [faint_kingdom])


def test_tiles_without_a_castle_beside_a_kingdom_may_belong_to_it() -> None:
    """Also if they outnumber any line on offer, and are a kingdom of their own."""
    text = "w w w1 f f / ? g g f f / l l f f s / l l g g s"
    shares_by_square = {"A2": {".": 0.3, "#": 0.2}}
    for left, is_reported in ((165, True), (400, False)):
        first, second = assemble_kingdoms(
            table_photo(),
            [make_observation(KINGDOM), make_observation(text, left=left, shares_by_square=shares_by_square)],
        )
        assert any("tiles lie beside" in problem.text for problem in first.problems) == first.review == is_reported
        assert second.review


def test_two_photos_have_the_surroundings_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_observation(
        "w w f / ? g g / l l s", left=400, shares_by_square={"A2": {"#": 0.05, "w": 0.45, "f": 0.45}}
    )
    monkeypatch.setattr(pipeline, "find_kingdoms", lambda *_, **__: [make_observation(KINGDOM), other])
    (reading,) = pipeline.read_views([table_photo().pixels] * 2)
    assert reading.review and any("may be a kingdom, too" in problem.text for problem in reading.problems)


def test_a_kingdom_that_was_left_out_needs_review() -> None:
    """The winner depends on it. A line on offer is no kingdom."""
    shares_by_square = {"A2": {"#": 0.05, "w": 0.45, "f": 0.45}}
    for text, is_reported in (("w w f / ? g g / l l s", True), (OFFER, False)):
        (reading,) = assemble_kingdoms(
            table_photo(),
            [
                make_observation(KINGDOM),
                make_observation(text, left=400, shares_by_square=shares_by_square if is_reported else {}),
            ],
        )
        assert any("may be a kingdom, too" in problem.text for problem in reading.problems) == is_reported
        assert reading.review == is_reported


def test_a_faint_castle_counts_among_tiles_that_are_no_offer() -> None:
    shares = {"#": 0.55, ".": 0.4}
    assert split_kingdoms([make_observation("w w f / f # g / l l g", shares_by_square={"B2": shares})])[0]
    assert not split_kingdoms([make_observation("w w f f / l l g #", shares_by_square={"D2": shares})])[0]


def test_an_offer_beside_a_possible_castle_is_no_kingdom() -> None:
    """A diamond in a carpet looks like a castle. In a kingdom most dominoes touch their own terrain or the castle."""
    text = ". # . . / f1 l1 l1 w / w f f m3"
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [make_observation(text)])
    (reading, *other_readings) = assemble_kingdoms(
        table_photo(), [make_observation(KINGDOM), make_observation(text, left=400)]
    )
    assert not other_readings and any("may be a kingdom, too" in problem.text for problem in reading.problems)
    (outline_reading,) = assemble_kingdoms(
        table_photo(), [make_observation(text)], outline_surroundings=[Surroundings()]
    )
    assert str(outline_reading.board) == text and len(outline_reading.problems) > 1
    (kingdom_reading,) = assemble_kingdoms(table_photo(), [make_observation(". # . . / f l l g / f g g s")])
    assert kingdom_reading.board


def test_a_small_kingdom_that_breaks_every_rule_is_read() -> None:
    """People lay such boards to try the camera. The dominoes form no line on offer."""
    text = "w1 f1 # l1 f1 / l w l f w / w1 m g1 l1 f"
    reading = assemble_one(make_observation(text))
    assert str(reading.board) == text and not reading.review
    problem_squares = [square for problem in reading.problems for square in problem.squares]
    assert 2 * len(problem_squares) >= len(reading.board) - 1


def test_tiles_that_lie_beside_a_kingdom_are_named() -> None:
    near_offer, far_offer = make_observation(OFFER, left=40 + 4.6 * 30), make_observation(OFFER, left=500)
    for offer, is_reported in ((near_offer, True), (far_offer, False)):
        (reading,) = assemble_kingdoms(table_photo(), [make_observation(KINGDOM), offer])
        assert any("beside" in problem.text for problem in reading.problems) == is_reported
        assert reading.review == is_reported


# Fixes.


def test_a_fix_names_the_square_as_it_is_printed() -> None:
    """The rim of table shifts the squares on the grid, but not on the board that a person sees."""
    reading = assemble_one(make_observation(KINGDOM), fixed_squares={(0, Square.parse("C1")): "w"})
    assert str(reading.board) == "w w w f / # g g ."


def test_a_fixed_square_may_be_in_capitals_and_an_impossible_side_is_refused() -> None:
    reading = assemble_one(make_observation(KINGDOM), fixed_squares={(0, Square.parse("C1")): "W"})
    assert str(reading.board) == "w w w f / # g g ."
    with pytest.raises(NotationError, match="no side of 6 squares"):
        assemble_one(make_observation(KINGDOM), side=6)


def test_a_fixed_square_has_no_doubt() -> None:
    observation = make_observation(KINGDOM, shares_by_square={"C1": {"w1": 0.6, "w": 0.39}})
    reading = assemble_one(observation, fixed_squares={(0, Square.parse("C1")): "w"})
    assert str(reading.board) == "w w w f / # g g ."
    assert reading.doubts == ()


def test_a_corrected_castle_takes_the_colour_of_the_false_one_away() -> None:
    observation = replace(
        make_observation("w w w1 f # / # g g . .", shares_by_square={"A2": {"#": 0.8}}), colour="pink"
    )
    assert assemble_one(observation).colour == "pink"
    reading = assemble_one(observation, fixed_squares={(0, Square.parse("E1")): "."})
    assert (str(reading.board.trim()), reading.colour) == ("w w w1 f / # g g .", "")


def test_a_square_that_a_person_names_is_cut_no_longer() -> None:
    share = np.ones((4, 6))
    share[1, 1] = 0.7
    observation = replace(make_observation(KINGDOM), visible_share=share)
    for fixed_squares, is_cut in (({}, True), ({(0, Square.parse("A1")): "w"}, False)):
        problems = assemble_one(observation, fixed_squares=fixed_squares).problems
        assert ("cut" in [problem.warning for problem in problems]) == is_cut


@pytest.mark.parametrize(("side", "has_room"), [(None, False), (5, False), (7, True)])
def test_a_domino_may_be_hidden_beside_five_columns_in_a_game_of_seven(side: int | None, has_room: bool) -> None:
    occlusion = np.zeros((6, 7))
    occlusion[1:3, 6] = 0.9
    observation = replace(make_observation("w w w1 f f / # w l1 f f / . w l l . / . f l s s"), occlusion=occlusion)
    reading = assemble_one(observation, side=side)
    assert any(problem.warning == "covered" for problem in reading.problems) == has_room
    assert (reading.warning_strengths["hidden"] > 0) == has_room


def test_fixes_find_their_kingdom() -> None:
    observations = [make_observation(KINGDOM), make_observation("# l l / w w .", left=400)]
    readings = assemble_kingdoms(table_photo(), observations, fixed_squares={(1, Square.parse("C1")): "w"})
    assert [str(reading.board) for reading in readings] == [KINGDOM, "# l w / w w ."]


def test_a_square_can_be_fixed_as_empty() -> None:
    """The frame shrinks when its last column becomes empty, and the other squares keep their names."""
    reading = assemble_one(
        make_observation("w w w1 f f f / # g g . . ."), fixed_squares={(0, Square.parse(s)): "." for s in ("E1", "F1")}
    )
    assert str(reading.board) == KINGDOM
    assert reading.grid.cols == 4


def test_an_emptied_first_column_renames_no_other_square() -> None:
    """A person's next fix of B1 concerns the square that now has that name."""
    observation = make_observation("f f w w w1 f / . . # g g .")
    fixed_squares = {(0, Square.parse(s)): "." for s in ("A1", "B1")}
    reading = assemble_one(observation, fixed_squares=fixed_squares)
    assert str(reading.board) == ". . w w w1 f / . . # g g ."
    assert reading.grid.cols == 6
    second_reading = assemble_one(observation, fixed_squares=fixed_squares | {(0, Square.parse("D2")): "g1"})
    assert str(second_reading.board).split(" / ")[1] == ". . # g1 g ."


def test_a_problem_of_a_board_with_an_empty_first_column_names_its_squares() -> None:
    fixed_squares = {(0, Square.parse(name)): kind for name, kind in {"A1": ".", "B1": ".", "D2": "m3"}.items()}
    reading = assemble_one(make_observation("f f w w w1 f / . . # g g ."), fixed_squares=fixed_squares)
    texts_and_squares = [(problem.text, problem.squares) for problem in reading.problems if problem.squares]
    assert texts_and_squares and all(square.name in text for text, squares in texts_and_squares for square in squares)


def test_a_correction_that_renames_the_squares_is_marked_whatever_the_squares_show() -> None:
    """The other half of the forest on A1 lies above it, so A1 is a forest before and after the correction."""
    observation = make_observation(". . . . / . # g g / w w . .", shares_by_square={"A1": {".": 0.6, "f": 0.39}})
    reading = assemble_one(observation, fixed_squares={(0, Square.parse("A1")): "f"})
    assert (str(reading.board), reading.has_renamed_squares) == ("f . . . / f # g g / w w . .", True)
    assert not assemble_one(observation, fixed_squares={(0, Square.parse("B2")): "w1"}).has_renamed_squares


def test_runners_up_of_a_corrected_board_lie_in_its_frame() -> None:
    """Otherwise it does not show that resolving a doubt about one square corrects another."""
    shares_by_square = {"F2": {"s": 0.6, ".": 0.3}, "E2": {"g": 0.6, ".": 0.3}}
    observation = make_observation("f f w w w1 f / . . # g g s", shares_by_square=shares_by_square)
    reading = assemble_one(observation, fixed_squares={(0, Square.parse(s)): "." for s in ("A1", "B1")})
    assert any(".." not in str(board) and str(board).startswith(". . w w") for board, _ in reading.runners_up)
    assert all(str(board).startswith(". .") for board, _ in reading.runners_up)


@pytest.mark.parametrize(("clamp", "message"), [((1, "A1"), "kingdom 2"), ((0, "E1"), "E1"), ((0, "A3"), "A3")])
def test_a_fix_off_the_board_says_what_there_is(clamp: tuple[int, str], message: str) -> None:
    with pytest.raises(NotationError, match=message) as error_info:
        assemble_one(make_observation(KINGDOM), fixed_squares={(clamp[0], Square.parse(clamp[1])): "w"})
    assert ("--corners" in error_info.value.hint) == (clamp[0] == 0)


def test_a_fix_names_any_square_of_a_drawn_outline_after_the_first() -> None:
    """An object may hide the last row, which the person can see."""
    observation, surroundings = make_observation("# g g . / w w . ."), [Surroundings()]
    last_square = Square(observation.grid.rows - 1, observation.grid.cols - 1)
    fixed_squares = {(0, Square.parse(name)): "w" for name in ("C2", "D2")}
    (reading,) = assemble_kingdoms(
        table_photo(), [observation], outline_surroundings=surroundings, fixed_squares=fixed_squares
    )
    assert str(reading.board) == "# g g . / w w w w"
    beyond = reading.frame.to_board(last_square._replace(row=last_square.row + 1))
    with pytest.raises(NotationError, match=f"has no square {beyond.name}"):
        assemble_kingdoms(
            table_photo(), [observation], outline_surroundings=surroundings, fixed_squares={(0, beyond): "w"}
        )


# Deciding again.


def test_observations_can_be_decided_again() -> None:
    first_readings = assemble_kingdoms(
        table_photo(), [make_observation(KINGDOM), make_observation("# l l / w w .", left=400)]
    )
    observations = [reading.observation for reading in first_readings]
    assert [reading.frame.first for reading in first_readings] == [Square(1, 1), Square(1, 1)]
    second_readings = decide_again(observations, surroundings=[Surroundings(), Surroundings()])
    assert [str(reading.board) for reading in second_readings] == [str(reading.board) for reading in first_readings]
    surroundings = [Surroundings(), Surroundings(crowded=True, unread=True)]
    corrected_readings = decide_again(
        observations, surroundings=surroundings, fixed_squares={(1, Square.parse("D2")): "w"}
    )
    assert [str(reading.board) for reading in corrected_readings] == [KINGDOM, "# l w / w w ."]
    assert [reading.surroundings.crowded for reading in corrected_readings] == [False, True]
    assert corrected_readings[1].review


def test_a_tile_can_be_added_beyond_the_frame() -> None:
    """The grid's rim of table stays reachable, and a tile there moves the kingdom's first square."""
    (reading,) = decide_again(
        [make_observation("# g / w w")], surroundings=[Surroundings()], fixed_squares={(0, Square.parse("A3")): "w"}
    )
    assert (reading.frame.first, str(reading.board)) == (Square(1, 0), ". # g / w w w")


def test_a_fix_off_the_grid_is_reported() -> None:
    with pytest.raises(NotationError, match="E5"):
        decide_again(
            [make_observation("# g / w w")], surroundings=[Surroundings()], fixed_squares={(0, Square.parse("E5")): "w"}
        )


def test_what_read_refuses_or_rewrites_is_treated_the_same_when_it_is_decided_again() -> None:
    observations, surroundings, castle = [make_observation("# g / w w")], [Surroundings()], Square.parse("B2")
    first, second = (
        decide_again(observations, surroundings=surroundings, fixed_squares={(0, Square.parse("C2")): text})[0]
        for text in ("g", "G0")
    )
    assert (str(first.board), first.probability) == (str(second.board), second.probability)
    for number in (1, -1):
        with pytest.raises(NotationError, match=f"no kingdom {number + 1}"):
            decide_again(observations, surroundings=surroundings, fixed_squares={(number, castle): "w"})
    with pytest.raises(NotationError, match="no side of 6 squares"):
        decide_again(observations, surroundings=surroundings, side=6)


# Stages and descriptions.


def test_stages_are_reported_in_order() -> None:
    stages: list[str] = []
    assemble_kingdoms(table_photo(), [make_observation(KINGDOM)], watch=lambda name, _: stages.append(name))
    assert stages == ["cells", "decide"]


@pytest.mark.parametrize(
    ("at", "words"),
    [((60, 60), "top left"), ((300, 60), "top"), ((560, 400), "bottom right"), ((300, 220), "middle")],
)
def test_places_are_described_in_words(at: tuple[float, float], words: str) -> None:
    board = Board.parse("# w w")
    grids = [make_grid(board, left=at[0] - 30, top=at[1] - 10, side=20), make_grid(board, left=0, top=0)]
    assert describe_places(grids, table_photo())[0] == words
