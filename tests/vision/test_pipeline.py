"""From what is seen on grids to kingdoms: which grids are kingdoms, how they are framed, how fixes and doubts move.

What is seen is made from notation, with a rim of table around it as grids have it; no network runs.
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
from kdvision.vision.assess.warnings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading, compute_log_odds
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.result import describe_places
from tests.kingdoms import make_grid, make_plain_observation, override_squares, table_photo

KINGDOM = "w w w1 f / # g g ."
OFFER = "w w / f f / l l / g g"


def make_observation(
    text: str, *, left: float = 40, top: float = 60, side: float = 30, spoiled: Mapping[str, Mapping[str, float]] = {}
) -> GridObservation:
    """What is seen of a board with a rim of table around it; `spoiled` squares are named without the rim."""
    board = Board.parse(text)
    blank = " ".join("." * (board.width + 2))
    framed = Board.parse(" / ".join([blank, *(f". {row} ." for row in board.rows()), blank]))
    moved = {Square(s.row + 1, s.col + 1).name: shares for s, shares in _named(spoiled)}
    reading = override_squares(Reading.of(framed, confidence=0.999), moved)
    return make_plain_observation(reading, make_grid(framed, left=left - side, top=top - side, side=side))


def _named(spoiled: Mapping[str, Mapping[str, float]]) -> list[tuple[Square, Mapping[str, float]]]:
    return [(Square(int(name[1:]) - 1, ord(name[0]) - ord("A")), shares) for name, shares in spoiled.items()]


def assemble_one(seen: GridObservation, **asked: object) -> KingdomReading:
    (kingdom,) = assemble_kingdoms(table_photo(), [seen], **asked)  # type: ignore[arg-type]
    return kingdom


# Which grids are kingdoms.


def test_a_grid_with_a_castle_is_a_kingdom_and_others_are_not() -> None:
    kingdom, offer = make_observation(KINGDOM), make_observation(OFFER, left=400)
    assert split_kingdoms([offer, kingdom]) == ([kingdom], [offer])


def test_kingdoms_are_counted_from_left_to_right_however_few_pixels_up_one_lies() -> None:
    """Row by row: `score` and `batch` give the names that they are told in this order."""
    for up in (-9, 0, 9):
        left, right, below = (
            make_observation(KINGDOM, top=200 + up),
            make_observation("w l w1 g / # s s .", left=400, top=200),
            make_observation("f f l l / # m1 m .", top=500),
        )
        assert split_kingdoms([below, right, left])[0] == [left, right, below]


def test_an_offer_alone_is_no_kingdom() -> None:
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [make_observation(OFFER)])


def test_an_empty_table_is_no_kingdom_and_the_error_says_what_to_do() -> None:
    with pytest.raises(NoKingdomFound) as raised:
        assemble_kingdoms(table_photo(), [])
    assert raised.value.hint


def test_a_lone_castle_is_no_kingdom() -> None:
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [make_observation("#")])


def test_many_tiles_without_a_castle_are_a_kingdom_whose_castle_is_hidden() -> None:
    covered = make_observation("w w w1 f / ? g g f / l l f f / l l . .", spoiled={"A2": {".": 0.3, "w": 0.3, "#": 0.2}})
    assert split_kingdoms([make_observation(OFFER, left=400), covered])[0] == [covered]


def test_unusual_layouts_without_a_castle_are_loose_dominoes() -> None:
    """Tiles are a kingdom where each domino joins its own terrain, and also where the castle is seen."""
    lawful, thrown = "w w w1 f / # g f f / g g f f / g g . .", "w w g f / # l l w / m1 m s s / f f . ."
    for board, castle, read in ((lawful, 0.3, True), (thrown, 0.3, False), (thrown, 0.9, True)):
        covered = make_observation(board, spoiled={"A2": {"#": castle, ".": 0.9 - castle}})
        assert split_kingdoms([covered])[0] == [covered]
        try:
            assert bool(assemble_kingdoms(table_photo(), [covered])) == read
        except NoKingdomFound:
            assert not read


def test_an_offer_on_an_askew_lattice_is_no_kingdom() -> None:
    """There its eight squares lie on up to twelve places, each of which looks like a tile."""
    askew = make_observation("w w f f / w l l f / g g s s")
    assert askew.is_confident.sum() == 12
    assert not split_kingdoms([askew])[0]


def test_a_faint_castle_makes_no_kingdom() -> None:
    """So do kings on a line on offer, and shadows beside it."""
    assert not split_kingdoms([make_observation("w w l / f f #", spoiled={"C2": {"#": 0.6, ".": 0.3}})])[0]


def test_a_castle_without_a_whole_domino_is_no_kingdom() -> None:
    assert not split_kingdoms([make_observation("# w w", spoiled={"C1": {"w": 0.5, ".": 0.5}})])[0]


@pytest.mark.parametrize("rest", [".", "w"])
def test_many_castles_are_the_pattern_of_a_carpet(rest: str) -> None:
    carpet = make_observation(" / ".join(["# # # # # #", f"# # # {rest} {rest} #"] * 3))
    assert carpet.max_castle_probability > 0.99 and carpet.expected_tiles >= 30
    assert not split_kingdoms([carpet])[0]


@pytest.mark.parametrize(("plainly", "left"), [(0.85, True), (0.6, False)])
def test_a_castle_and_a_domino_are_a_kingdom_if_nothing_else_is_left(plainly: float, left: bool) -> None:
    """A grille looked like three plain squares, of which the box could lay two."""
    grille = make_observation(
        "# f f . / w . . .", spoiled={"C1": {"f": plainly, ".": 1 - plainly}, "A2": {"w": 0.75, ".": 0.25}}
    )
    assert split_kingdoms([grille])[0] == [grille]
    try:
        assert len(assemble_one(grille).board) == 3 and left
    except NoKingdomFound:
        assert not left


def test_tiles_that_no_box_holds_are_no_kingdom() -> None:
    grille = make_observation(" / ".join(["w w w w w w"] * 5))
    assert split_kingdoms([grille])[0] == [grille]
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [grille])
    (read,) = assemble_kingdoms(table_photo(), [grille, make_observation(KINGDOM, left=600)])
    assert any("may be a kingdom, too" in problem.text for problem in read.problems)


def test_a_kingdom_larger_than_it_should_be_is_still_one() -> None:
    large = "w w w1 f l g g / # g g f l s s / w f f g w w w / l l f1 g s f f"
    assert assemble_kingdoms(table_photo(), [make_observation(large)], side=5)


def test_a_second_castle_is_a_misreading() -> None:
    kingdom = make_observation("w w w1 f / # g g #")
    assert split_kingdoms([kingdom])[0] == [kingdom]


def test_a_kingdom_beside_others_is_one_though_its_castle_is_hidden() -> None:
    """More tiles than two lines on offer have are a kingdom; those lines are none."""
    plain = make_observation(KINGDOM)
    hidden = make_observation(
        "w w w1 f f / ? g g f f / l l f f s / l l g g s", left=400, spoiled={"A2": {".": 0.3, "#": 0.2}}
    )
    two_lines = make_observation("w w f f / g g l l / s s w w / f f g g", left=800)
    assert split_kingdoms([hidden, two_lines, plain]) == ([plain, hidden], [two_lines])


def test_a_kingdom_whose_castle_is_truncated_is_a_kingdom() -> None:
    text = "w w w1 f / g g l l / s w w f"
    tiles, plain = make_observation(text, left=400), make_observation(KINGDOM)
    inside = np.ones(tiles.occlusion.shape)
    inside[-2:] = [[0.9], [0.0]]
    at_the_edge = replace(tiles, visible_share=inside)
    assert split_kingdoms([at_the_edge, plain])[0] == [plain, at_the_edge]
    assert split_kingdoms([tiles, plain])[0] == [plain]


def test_a_grid_of_uncertain_kinds_is_no_kingdom() -> None:
    """So do parquet and patterned cloths, with something on them that looks like a castle."""
    vague = {f"{col}{row}": {"w": 0.4, "s": 0.3, ".": 0.2} for col in "ABCD" for row in (1, 2, 3)}
    cloth = make_observation("# w w w / w w w w / w w w w", spoiled={**vague, "A1": {"#": 0.9}})
    assert cloth.max_castle_probability > 0.5 and cloth.expected_tiles > 8
    assert split_kingdoms([cloth, make_observation(KINGDOM, left=400)])[0][0].max_castle_probability > 0.99
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [cloth])


def test_kingdoms_come_from_the_top_left() -> None:
    upper, lower = make_observation(KINGDOM, left=400, top=60), make_observation("# l l / w w .", left=40, top=300)
    reads = assemble_kingdoms(table_photo(), [lower, upper])
    assert [str(read.board) for read in reads] == [KINGDOM, "# l l / w w ."]
    assert [read.place for read in reads] == ["top right", "bottom left"]


@pytest.mark.parametrize(("colours", "told"), [(("blue", "pink"), ["blue", "pink"]), (("blue", "blue"), ["", ""])])
def test_kingdoms_have_their_castles_colours_which_no_two_share(colours: tuple[str, str], told: list[str]) -> None:
    observations = [make_observation(KINGDOM), make_observation("# l l / w w .", left=400)]
    reads = assemble_kingdoms(table_photo(), [replace(s, colour=c) for s, c in zip(observations, colours, strict=True)])
    assert [read.colour for read in reads] == told


def test_a_castle_that_is_elsewhere_after_all_has_no_colour() -> None:
    seen = replace(make_observation(KINGDOM, spoiled={"A2": {"#": 0.8, "w": 0.15}}), colour="blue")
    assert assemble_one(seen).colour == "blue"
    assert assemble_one(seen, fixed_squares={(0, Square.parse("A2")): "w", (0, Square.parse("D1")): "#"}).colour == ""


# The frame.


def test_the_board_is_trimmed_and_its_grid_and_reading_with_it() -> None:
    seen = make_observation(KINGDOM)
    read = assemble_one(seen)
    assert str(read.board) == KINGDOM
    assert (read.grid.rows, read.grid.cols) == (read.reading.rows, read.reading.cols) == (2, 4)
    assert read.grid.corners.tolist() == [[40, 60], [160, 60], [160, 120], [40, 120]]
    assert str(read.reading.best) == KINGDOM
    assert not read.review


def test_dominoes_lie_on_the_squares_of_the_printed_board() -> None:
    read = assemble_one(make_observation(KINGDOM))
    covered = {square for laid in read.dominoes for square in laid[1]}
    castle = Square.parse("A2")
    assert covered | {castle} == set(read.board)
    assert castle not in covered


def test_doubts_have_the_names_of_the_printed_board() -> None:
    read = assemble_one(make_observation(KINGDOM, spoiled={"C1": {"w1": 0.6, "w": 0.39}}))
    assert [(doubt.square.name, doubt.read, doubt.instead) for doubt in read.doubts] == [("C1", "w1", "w")]
    assert 0.5 < read.doubts[0].probability < 0.7
    assert read.review


def test_problems_name_the_squares_of_the_printed_board_in_word_and_place() -> None:
    read = assemble_one(make_observation("# w w l l"))
    (problem,) = (problem for problem in read.problems if "touches neither" in problem.text)
    assert "D1 and E1" in problem.text
    assert [square.name for square in problem.squares] == ["D1", "E1"]
    assert problem.is_rule_breach and not read.review  # a rule was broken, but nothing need be misread


def test_a_doubt_outside_the_frame_is_a_problem() -> None:
    """Two places beyond the edge may be a domino: no square of the printed board names them."""
    faint = {name: {".": 0.7, "g": 0.29} for name in ("B3", "C3")}
    read = assemble_one(make_observation("w w w1 f / # g g . / . . . .", spoiled=faint))
    assert str(read.board) == KINGDOM
    assert read.review
    assert any("edge" in problem.text for problem in read.problems)
    assert all(d.square.row < read.board.height and d.square.col < read.board.width for d in read.doubts)


def test_a_tile_without_a_place_on_the_board_is_reported() -> None:
    """Its other half may lie beyond the grid, where a lattice has lost a row."""
    for chance, told in ((0.99, True), (0.8, False)):
        lone = make_observation("# w w . / . f f . / . . . l", spoiled={"D3": {"l": chance, ".": 1 - chance}})
        (read,) = assemble_kingdoms(table_photo(), [lone])
        assert str(read.board) == "# w w / . f f"
        assert any("at the kingdom's edge" in problem.text for problem in read.problems) == told


def test_an_improbable_board_needs_review() -> None:
    assert not assemble_one(make_observation(KINGDOM), calibration=Calibration(review_threshold=0.5)).review
    assert assemble_one(make_observation(KINGDOM), calibration=Calibration(review_threshold=1.1)).review


def test_board_probability_combines_squares_and_warnings() -> None:
    doubting = Calibration(warning_weights={"": 0.0, "few": -1.0})
    plain, small = (
        assemble_one(make_observation(KINGDOM), calibration=doubting),
        assemble_one(make_observation("# w w"), calibration=doubting),
    )
    assert plain.probability == pytest.approx(plain.board_probability / 2)
    assert small.probability == pytest.approx(small.board_probability / (1 + np.e))
    for read in (plain, small):
        assert read.probability + sum(chance for _, chance in read.runners_up) <= 0.5 + 1e-6


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
    doubting = Calibration(warning_weights={"": 3.0, "few": -1.0, "rim": -2.0, "overruled": -0.5, "illegal": -4.0})
    read = assemble_one(make_observation(text), calibration=doubting)
    assert {name for name, strength in read.warning_strengths.items() if strength} == names
    odds = 3.0 + sum(doubting.warning_weights[name] for name in names)
    assert compute_log_odds(read.probability / read.board_probability) == pytest.approx(odds)


@pytest.mark.parametrize(("weight", "told"), [(0.0, False), (-9.0, True)])
def test_a_warning_with_a_small_weight_forces_no_review(weight: float, told: bool) -> None:
    """A board of a castle and a domino is told for that where such boards were often less than all of it."""
    read = assemble_one(
        make_observation("# w w"),
        calibration=Calibration(review_threshold=0.9, warning_weights={"": 6.0, "few": weight}),
    )
    assert any("hardly a domino" in problem.text for problem in read.problems) == read.review == told
    assert assemble_one(make_observation("# w w")).review  # nothing is known of it


def test_a_warning_without_a_fitted_weight_asks_for_review() -> None:
    faint = make_observation(KINGDOM, spoiled={"A2": {"#": 0.45, "w": 0.3, "f": 0.25}})
    calibration = Calibration(review_threshold=0.96, warning_weights={"": 6.0, "hidden": 0.0})
    (read,) = assemble_kingdoms(table_photo(), [faint], outline_surroundings=[Surroundings()], calibration=calibration)
    assert read.review and any("hardly seen" in problem.text for problem in read.problems)


@pytest.mark.parametrize(("text", "few"), [("# w w", True), ("# w w / . f f", False)])
def test_a_very_small_kingdom_needs_review(text: str, few: bool) -> None:
    (read,) = assemble_kingdoms(table_photo(), [make_observation(text)])
    assert any("hardly a domino" in problem.text for problem in read.problems) == few
    assert read.review == few


def test_a_kingdom_with_a_faint_castle_beside_another_is_read_and_needs_review() -> None:
    text = "# f f . / . f l l / . w l w1"
    faint = make_observation(text, left=400, spoiled={"A1": {"#": 0.3, "w": 0.3, "f": 0.3}})
    plain, hardly = assemble_kingdoms(table_photo(), [make_observation(KINGDOM), faint])
    assert not plain.review
    assert str(hardly.board) == text
    assert hardly.review and any("hardly seen" in problem.text for problem in hardly.problems)
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [faint])


def test_tiles_without_a_castle_beside_a_kingdom_may_belong_to_it() -> None:
    """Also where they are more than any line on offer, and so are called a kingdom of their own."""
    hidden = "w w w1 f f / ? g g f f / l l f f s / l l g g s"
    faint = {"A2": {".": 0.3, "#": 0.2}}
    for left, beside in ((165, True), (400, False)):
        first, second = assemble_kingdoms(
            table_photo(), [make_observation(KINGDOM), make_observation(hidden, left=left, spoiled=faint)]
        )
        assert any("tiles lie beside" in problem.text for problem in first.problems) == first.review == beside
        assert second.review


def test_two_photos_have_the_surroundings_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_observation("w w f / ? g g / l l s", left=400, spoiled={"A2": {"#": 0.05, "w": 0.45, "f": 0.45}})
    monkeypatch.setattr(pipeline, "find_kingdoms", lambda *_, **__: [make_observation(KINGDOM), other])
    (read,) = pipeline.read_views([table_photo().pixels] * 2)
    assert read.review and any("may be a kingdom, too" in problem.text for problem in read.problems)


def test_a_kingdom_that_was_left_out_needs_review() -> None:
    """Who wins depends on it. A line on offer is none."""
    faint = {"A2": {"#": 0.05, "w": 0.45, "f": 0.45}}
    for other, told in (("w w f / ? g g / l l s", True), (OFFER, False)):
        (read,) = assemble_kingdoms(
            table_photo(), [make_observation(KINGDOM), make_observation(other, left=400, spoiled=faint if told else {})]
        )
        assert any("may be a kingdom, too" in problem.text for problem in read.problems) == told
        assert read.review == told


def test_a_faint_castle_counts_among_tiles_that_are_no_offer() -> None:
    odds = {"#": 0.55, ".": 0.4}
    assert split_kingdoms([make_observation("w w f / f # g / l l g", spoiled={"B2": odds})])[0]
    assert not split_kingdoms([make_observation("w w f f / l l g #", spoiled={"D2": odds})])[0]


def test_an_offer_beside_a_possible_castle_is_no_kingdom() -> None:
    """A diamond in a carpet looks so. In a kingdom most dominoes touch their own terrain or the castle."""
    line = ". # . . / f1 l1 l1 w / w f f m3"
    with pytest.raises(NoKingdomFound):
        assemble_kingdoms(table_photo(), [make_observation(line)])
    (read, *others) = assemble_kingdoms(table_photo(), [make_observation(KINGDOM), make_observation(line, left=400)])
    assert not others and any("may be a kingdom, too" in problem.text for problem in read.problems)
    (named,) = assemble_kingdoms(table_photo(), [make_observation(line)], outline_surroundings=[Surroundings()])
    assert str(named.board) == line and len(named.problems) > 1
    (kingdom,) = assemble_kingdoms(table_photo(), [make_observation(". # . . / f l l g / f g g s")])
    assert kingdom.board


def test_a_small_kingdom_that_breaks_every_rule_is_read() -> None:
    """As people lay it who have a camera to try and no game to play: it lies in no line."""
    text = "w1 f1 # l1 f1 / l w l f w / w1 m g1 l1 f"
    read = assemble_one(make_observation(text))
    assert str(read.board) == text and not read.review
    stuck = [square for problem in read.problems for square in problem.squares]
    assert 2 * len(stuck) >= len(read.board) - 1


def test_tiles_that_lie_beside_a_kingdom_are_named() -> None:
    near, far = make_observation(OFFER, left=40 + 4.6 * 30), make_observation(OFFER, left=500)
    for offer, told in ((near, True), (far, False)):
        (read,) = assemble_kingdoms(table_photo(), [make_observation(KINGDOM), offer])
        assert any("beside" in problem.text for problem in read.problems) == told
        assert read.review == told


# Fixes.


def test_a_fix_names_the_square_as_it_is_printed() -> None:
    """The rim of table around the kingdom moves squares on the grid, not on the board that a person sees."""
    read = assemble_one(make_observation(KINGDOM), fixed_squares={(0, Square.parse("C1")): "w"})
    assert str(read.board) == "w w w f / # g g ."


def test_a_fixed_square_may_be_in_capitals_and_an_impossible_side_is_refused() -> None:
    read = assemble_one(make_observation(KINGDOM), fixed_squares={(0, Square.parse("C1")): "W"})
    assert str(read.board) == "w w w f / # g g ."
    with pytest.raises(NotationError, match="no side of 6 squares"):
        assemble_one(make_observation(KINGDOM), side=6)


def test_a_fixed_square_has_no_doubt() -> None:
    unsure = make_observation(KINGDOM, spoiled={"C1": {"w1": 0.6, "w": 0.39}})
    read = assemble_one(unsure, fixed_squares={(0, Square.parse("C1")): "w"})
    assert str(read.board) == "w w w f / # g g ."
    assert read.doubts == ()


def test_a_corrected_castle_takes_the_colour_of_the_false_one_away() -> None:
    seen = replace(make_observation("w w w1 f # / # g g . .", spoiled={"A2": {"#": 0.8}}), colour="pink")
    assert assemble_one(seen).colour == "pink"
    read = assemble_one(seen, fixed_squares={(0, Square.parse("E1")): "."})
    assert (str(read.board.trim()), read.colour) == ("w w w1 f / # g g .", "")


def test_a_square_that_a_person_names_is_cut_no_longer() -> None:
    share = np.ones((4, 6))
    share[1, 1] = 0.7
    seen = replace(make_observation(KINGDOM), visible_share=share)
    for fixed_squares, is_cut in (({}, True), ({(0, Square.parse("A1")): "w"}, False)):
        problems = assemble_one(seen, fixed_squares=fixed_squares).problems
        assert ("cut" in [problem.warning for problem in problems]) == is_cut


@pytest.mark.parametrize(("side", "has_room"), [(None, False), (5, False), (7, True)])
def test_a_domino_may_be_hidden_beside_five_columns_in_a_game_of_seven(side: int | None, has_room: bool) -> None:
    occlusion = np.zeros((6, 7))
    occlusion[1:3, 6] = 0.9
    seen = replace(make_observation("w w w1 f f / # w l1 f f / . w l l . / . f l s s"), occlusion=occlusion)
    read = assemble_one(seen, side=side)
    assert any(problem.warning == "covered" for problem in read.problems) == has_room
    assert (read.warning_strengths["hidden"] > 0) == has_room


def test_fixes_find_their_kingdom() -> None:
    observations = [make_observation(KINGDOM), make_observation("# l l / w w .", left=400)]
    reads = assemble_kingdoms(table_photo(), observations, fixed_squares={(1, Square.parse("C1")): "w"})
    assert [str(read.board) for read in reads] == [KINGDOM, "# l w / w w ."]


def test_a_square_can_be_fixed_as_empty() -> None:
    """Where the last of a column goes the frame shrinks, and squares keep the names they have in it."""
    read = assemble_one(
        make_observation("w w w1 f f f / # g g . . ."), fixed_squares={(0, Square.parse(s)): "." for s in ("E1", "F1")}
    )
    assert str(read.board) == KINGDOM
    assert read.grid.cols == 4


def test_an_emptied_first_column_renames_no_other_square() -> None:
    """What a person says next of B1 is said of the square that is called so now."""
    seen = make_observation("f f w w w1 f / . . # g g .")
    gone = {(0, Square.parse(s)): "." for s in ("A1", "B1")}
    read = assemble_one(seen, fixed_squares=gone)
    assert str(read.board) == ". . w w w1 f / . . # g g ."
    assert read.grid.cols == 6
    assert (
        str(assemble_one(seen, fixed_squares=gone | {(0, Square.parse("D2")): "g1"}).board).split(" / ")[1]
        == ". . # g1 g ."
    )


def test_a_problem_of_a_board_with_an_empty_first_column_names_its_squares() -> None:
    fixed_squares = {(0, Square.parse(name)): kind for name, kind in {"A1": ".", "B1": ".", "D2": "m3"}.items()}
    read = assemble_one(make_observation("f f w w w1 f / . . # g g ."), fixed_squares=fixed_squares)
    named = [(problem.text, problem.squares) for problem in read.problems if problem.squares]
    assert named and all(square.name in text for text, squares in named for square in squares)


def test_a_correction_that_renames_the_squares_is_marked_whatever_the_squares_show() -> None:
    """The other half of the forest on A1 lies above it, so A1 is a forest before and after."""
    seen = make_observation(". . . . / . # g g / w w . .", spoiled={"A1": {".": 0.6, "f": 0.39}})
    read = assemble_one(seen, fixed_squares={(0, Square.parse("A1")): "f"})
    assert (str(read.board), read.has_new_names) == ("f . . . / f # g g / w w . .", True)
    assert not assemble_one(seen, fixed_squares={(0, Square.parse("B2")): "w1"}).has_new_names


def test_runners_up_of_a_corrected_board_lie_in_its_frame() -> None:
    """Else a doubt about one square is not seen to mend another with it."""
    doubtful = {"F2": {"s": 0.6, ".": 0.3}, "E2": {"g": 0.6, ".": 0.3}}
    seen = make_observation("f f w w w1 f / . . # g g s", spoiled=doubtful)
    read = assemble_one(seen, fixed_squares={(0, Square.parse(s)): "." for s in ("A1", "B1")})
    assert any(".." not in str(board) and str(board).startswith(". . w w") for board, _ in read.runners_up)
    assert all(str(board).startswith(". .") for board, _ in read.runners_up)


@pytest.mark.parametrize(("clamp", "says"), [((1, "A1"), "kingdom 2"), ((0, "E1"), "E1"), ((0, "A3"), "A3")])
def test_a_fix_off_the_board_says_what_there_is(clamp: tuple[int, str], says: str) -> None:
    with pytest.raises(NotationError, match=says) as raised:
        assemble_one(make_observation(KINGDOM), fixed_squares={(clamp[0], Square.parse(clamp[1])): "w"})
    assert ("--corners" in raised.value.hint) == (clamp[0] == 0)


# Deciding again.


def test_observations_can_be_decided_again() -> None:
    first = assemble_kingdoms(table_photo(), [make_observation(KINGDOM), make_observation("# l l / w w .", left=400)])
    observations = [read.observation for read in first]
    assert [read.start for read in first] == [Square(1, 1), Square(1, 1)]
    same = decide_again(observations, surroundings=[Surroundings(), Surroundings()])
    assert [str(read.board) for read in same] == [str(read.board) for read in first]
    told = [Surroundings(), Surroundings(crowded=True, unread=True)]
    fixed = decide_again(observations, surroundings=told, fixed_squares={(1, Square.parse("D2")): "w"})
    assert [str(read.board) for read in fixed] == [KINGDOM, "# l w / w w ."]
    assert [read.surroundings.crowded for read in fixed] == [False, True]
    assert fixed[1].review


def test_a_tile_can_be_added_beyond_the_frame() -> None:
    """The grid's rim of table stays reachable, and the kingdom's first square moves with what lies there."""
    (read,) = decide_again(
        [make_observation("# g / w w")], surroundings=[Surroundings()], fixed_squares={(0, Square.parse("A3")): "w"}
    )
    assert (read.start, str(read.board)) == (Square(1, 0), ". # g / w w w")


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


# Watching, and words.


def test_stages_are_reported_in_order() -> None:
    told: list[str] = []
    assemble_kingdoms(table_photo(), [make_observation(KINGDOM)], watch=lambda name, _: told.append(name))
    assert told == ["cells", "decide"]


@pytest.mark.parametrize(
    ("at", "words"),
    [((60, 60), "top left"), ((300, 60), "top"), ((560, 400), "bottom right"), ((300, 220), "middle")],
)
def test_places_are_described_in_words(at: tuple[float, float], words: str) -> None:
    board = Board.parse("# w w")
    grids = [make_grid(board, left=at[0] - 30, top=at[1] - 10, side=20), make_grid(board, left=0, top=0)]
    assert describe_places(grids, table_photo())[0] == words
