"""Registration and fusion of several photos of one kingdom, with synthetic readings and with pictures."""

import json
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision import pipeline
from kdvision.errors import KdvisionError, NoKingdomFound, PhotoError
from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games.play import play
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import NOTHING, ClassProbabilities
from kdvision.vision.decide.decide import decide
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo
from kdvision.vision.multiview.fuse import fuse
from kdvision.vision.multiview.register import align, match_kingdoms
from tests.kingdoms import get_probability, make_plain_observation, override_squares
from tests.paths import SAMPLES
from tests.vision.decide.simulation import add_frame, make_noisy_reading


def make_observation(
    reading: ClassProbabilities, occlusion_by_square: dict[str, float] | None = None
) -> GridObservation:
    """Return the observation of a reading; `occlusion_by_square` is the probability that something covers a square."""
    occlusion = np.zeros((reading.rows, reading.cols))
    for name, share in (occlusion_by_square or {}).items():
        occlusion[Square.parse(name)] = share
    return replace(make_plain_observation(reading), occlusion=occlusion)


def play_kingdoms(seed: int, count: int = 2) -> list[Board]:
    return [kingdom.board for kingdom in play(np.random.default_rng(seed), players=4)][:count]


@pytest.mark.parametrize("turns", range(4))
def test_rotated_readings_are_aligned(turns: int) -> None:
    rng = np.random.default_rng(turns)
    (board,) = play_kingdoms(5, 1)
    first = make_observation(make_noisy_reading(add_frame(board, 5, 1), rng, accuracy=0.95))
    other = make_observation(make_noisy_reading(add_frame(board, 5, 0).rotate(-turns % 4), rng, accuracy=0.95))
    alignment = align(first, other)
    assert alignment.is_same_kingdom
    assert (alignment.turns, alignment.rows, alignment.cols) == (turns, 1, 1)


def test_different_kingdoms_do_not_match() -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        first, second = (
            make_observation(make_noisy_reading(add_frame(board, 5, 1), rng, accuracy=0.95))
            for board in play_kingdoms(seed)
        )
        assert not align(first, second).is_same_kingdom


def test_each_tile_that_agrees_adds_the_logarithm_of_16() -> None:
    """Three tiles that agree are the fewest that show one kingdom."""
    for board, is_same in (("w1 f", False), ("w1 f #", True)):
        observation = make_observation(ClassProbabilities.of(Board.parse(board), confidence=0.9999))
        alignment = align(observation, observation)
        assert alignment.gain == pytest.approx(len(Board.parse(board)) * np.log(16), rel=0.01)
        assert alignment.is_same_kingdom == is_same


def test_a_bare_table_does_not_match() -> None:
    kingdom, table = (
        make_observation(ClassProbabilities.of(board)) for board in (play_kingdoms(1, 1)[0], ". . . / . . .")
    )
    assert not align(kingdom, table).is_same_kingdom


@pytest.mark.parametrize("turns", [0, 1])
def test_a_photo_that_cuts_a_kingdom_shows_the_same_one_and_no_other(turns: int) -> None:
    """The other photo ends within the third column: it shows nothing of that column and those beyond it."""
    boards = [add_frame(board, 5, 1) for board in play_kingdoms(5)]
    full_view, foreign_view = (make_observation(ClassProbabilities.of(board, confidence=0.98)) for board in boards)
    is_cut = np.zeros((7, 4), bool)
    is_cut[:, 3] = True
    reading = ClassProbabilities(full_view.probabilities.log_probs[:, :4]).set_kind(is_cut, NOTHING).rotate(turns)
    partial_view = replace(make_observation(reading), visible_share=np.rot90(np.where(is_cut, 0.4, 1.0), -turns))
    assert align(full_view, partial_view).is_same_kingdom and align(partial_view, full_view).is_same_kingdom
    assert not align(foreign_view, partial_view).is_same_kingdom


def test_a_photo_that_ends_before_a_cell_says_nothing_about_it() -> None:
    """In the other photo an object covers two squares of a column, and another column has a knight and a gem."""
    board = Board.parse(". . . . . . . / . w w1 f f . . / . l l # g . . / . g1 l . g . . / . . . . . . .")
    observation = make_observation(ClassProbabilities.of(board, confidence=0.999))
    visible_share, occlusion, shape = np.ones((5, 7)), np.zeros((5, 7)), (5, 7, 2)
    visible_share[:, 4:], occlusion[1:3, 5] = 0, 0.95
    pieces, gems = np.log(np.full(shape, [0.95, 0.05])), np.full((6, 8), -12.0)
    truncated_observation = replace(observation, visible_share=visible_share, pieces=pieces, gems=gems)
    knight_pieces, knight_gems = pieces.copy(), gems.copy()
    knight_pieces[2, 4], knight_gems[2, 4] = np.log([0.05, 0.95]), 4.0
    second_observation = replace(observation, occlusion=occlusion, pieces=knight_pieces, gems=knight_gems)
    fused_observation, _ = fuse(truncated_observation, [(second_observation, align(observation, second_observation))])
    assert (fused_observation.occlusion[1:3, 5] == 0.95).all()
    assert np.exp(fused_observation.pieces[2, 4, 1]) == pytest.approx(0.95)
    assert fused_observation.gems[2, 4] == 4.0


def test_a_square_under_glare_is_read_in_another_photo() -> None:
    """Glare hides B1 and C1 in the first photo. The second one, from the left, shows a castle on A2."""
    board = Board.parse("w w f f / l1 w # . / g g . .")
    shares = {name: {"w": 0.06, "m1": 0.3, "s": 0.3} for name in ("B1", "C1")}
    first = make_observation(override_squares(ClassProbabilities.of(board, confidence=0.995), shares))
    other = make_observation(
        override_squares(ClassProbabilities.of(board, confidence=0.995), {"A2": {"#": 0.9}}).rotate(), {"B1": 0.95}
    )
    alignment = align(first, other)
    assert alignment.is_same_kingdom and alignment.turns == 3
    fusion, _ = fuse(first, [(other, alignment)])
    assert fusion.probabilities.best == board
    (decision,) = decide([fusion.probabilities], KINGDOMINO, border_log_odds=[fusion.border_log_odds])
    assert decision.board == board and decision.is_consistent and decision.probability >= 0.95
    assert decide([first.probabilities], KINGDOMINO)[0].probability < 0.95


def test_contradictions_are_named_on_the_fused_grid() -> None:
    """The first photo lacks the first column: its D1 is E1 on the fused grid."""
    full_board, partial_board = (
        Board.parse("w w f f g / l l1 w # . / g g . s s"),
        Board.parse("w f f g / l1 w # . / g . s s"),
    )
    contradicting_board = full_board.with_cells({Square.parse("E1"): Cell.parse("m1")})
    first, second = (
        make_observation(ClassProbabilities.of(board, confidence=0.999))
        for board in (partial_board, contradicting_board)
    )
    views, unmatched_observations = match_kingdoms([first], [second])
    fused_observation, problems = fuse(first, [views[0]])
    assert unmatched_observations == []
    assert fused_observation.probabilities.cols == 5
    assert [square.name for problem in problems for square in problem.squares] == ["E1"]


@pytest.mark.parametrize("first_stage", [0, 1])
def test_a_domino_placed_between_the_photos_is_reported(first_stage: int) -> None:
    """The problem names squares of the complete kingdom, whichever photo shows it."""
    stages = [". . f f g / l l1 w # . / g g . s s", "w w f f g / l l1 w # . / g g . s s"]
    first, other = (
        make_observation(ClassProbabilities.of(Board.parse(stages[stage]), confidence=0.999))
        for stage in (first_stage, 1 - first_stage)
    )
    _, (problem,) = fuse(first, [(other, align(first, other))])
    assert [square.name for square in problem.squares] == ["A1", "B1"]
    assert problem.text.startswith("the photos show a tile and the bare table on 2 squares")


def test_contradictions_do_not_depend_on_the_order_of_three_photos() -> None:
    """A hand covers two squares in one of them."""
    stages = ["w w f f g / l l1 w # . / g g . s s", ". . f f g / l l1 w # . / g g . s s"]
    full_view, view_without_domino = (
        make_observation(ClassProbabilities.of(Board.parse(text), confidence=0.999)) for text in stages
    )
    covered_view = make_observation(full_view.probabilities, {"A1": 0.95, "B1": 0.95})
    for first, *others in permutations((full_view, view_without_domino, covered_view)):
        _, (problem,) = fuse(first, [(other, align(first, other)) for other in others])
        assert [square.name for square in problem.squares] == ["A1", "B1"]


def test_the_colour_is_that_of_the_castle_that_counts() -> None:
    board, false_castle = Board.parse("w w f f / l1 w # . / g g . ."), {"C2": {"#": 0.3, ".": 0.6}, "A3": {"#": 0.6}}
    first = make_observation(override_squares(ClassProbabilities.of(board, confidence=0.999), false_castle))
    other = make_observation(ClassProbabilities.of(board, confidence=0.999))
    for colours, fused_colour in ((("pink", "blue"), "blue"), (("pink", ""), "")):
        first_view, second_view = (
            replace(view, colour=colour) for view, colour in zip((first, other), colours, strict=True)
        )
        assert fuse(first_view, [(second_view, align(first_view, second_view))])[0].colour == fused_colour
    first_view, second_view = (replace(other, colour=colour) for colour in ("pink", "blue"))
    assert fuse(first_view, [(second_view, align(first_view, second_view))])[0].colour == ""


def test_a_contradiction_names_its_square_until_a_person_has_named_it(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board.parse("w w f f g / l l1 w # . / g g . s s")
    contradicting_board = board.with_cells({Square.parse("C1"): Cell.parse("m1")})
    views = {
        grey: make_observation(ClassProbabilities.of(stage, confidence=0.999))
        for grey, stage in ((50, board), (90, contradicting_board))
    }
    monkeypatch.setattr(pipeline, "find_kingdoms", lambda photo, *_, **__: [views[int(photo.pixels[0, 0, 0])]])
    photos = [np.full((480, 640, 3), grey, np.uint8) for grey in views]
    (reading,) = pipeline.read_views(photos)
    assert "the photos show different tiles on 1 square (C1)" in [problem.text for problem in reading.problems]
    (reading,) = pipeline.read_views(photos, fixed_squares={(0, Square.parse("C1")): "f"})
    assert not any("the photos show" in problem.text for problem in reading.problems)


def test_a_contradiction_is_found_again_when_a_correction_adds_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tile that a person enters on A1 has its other half above it, so the square C2 becomes C3."""
    board = Board.parse(". . . . . / . # g g . / w w l l s / . . f f s")
    uncertain_squares = {name: {".": 0.6, "f": 0.39} for name in ("A1", "A2")}
    first = override_squares(ClassProbabilities.of(board, confidence=0.999), uncertain_squares)
    other = ClassProbabilities.of(board.with_cells({Square.parse("C3"): Cell.parse("m1")}), confidence=0.999)
    views = {50: make_observation(first), 90: make_observation(other)}
    monkeypatch.setattr(pipeline, "find_kingdoms", lambda photo, *_, **__: [views[int(photo.pixels[0, 0, 0])]])

    def find_contradictions(**kinds: str) -> list[str]:
        fixed_squares = {(0, Square.parse(name)): kind for name, kind in kinds.items()}
        photos = [np.full((480, 640, 3), grey, np.uint8) for grey in views]
        (reading,) = pipeline.read_views(photos, fixed_squares=fixed_squares)
        return [problem.text for problem in reading.problems if "the photos show" in problem.text]

    assert find_contradictions(A1="f") == ["the photos show different tiles on 1 square (C3)"]
    assert find_contradictions(A1="f", C2="l") == []
    assert find_contradictions(A1="f", C3="f") == ["the photos show different tiles on 1 square (C3)"]


def test_a_single_missing_square_is_not_reported() -> None:
    stages = [". w f f g / l l1 w # . / g g . s s", "w w f f g / l l1 w # . / g g . s s"]
    first, other = (make_observation(ClassProbabilities.of(Board.parse(text), confidence=0.999)) for text in stages)
    assert fuse(first, [(other, align(first, other))])[1] == []


def test_covered_squares_have_no_weight() -> None:
    board = Board.parse("w w # l l")
    first = make_observation(override_squares(ClassProbabilities.of(board), {"A1": {"f": 0.98}}), {"A1": 1.0})
    other = make_observation(ClassProbabilities.of(board))
    fused_observation, _ = fuse(first, [(other, align(first, other))])
    assert fused_observation.probabilities.best == board
    assert fused_observation.occlusion.max() == 0


def test_fused_log_probabilities_are_not_summed_in_full() -> None:
    rng = np.random.default_rng(3)
    (board,) = play_kingdoms(3, 1)
    views = [make_observation(make_noisy_reading(add_frame(board, 5, 0), rng, accuracy=0.9)) for _ in range(3)]
    single_boards = [view.probabilities.best for view in views]
    fused_observation, _ = fuse(views[0], [(view, align(views[0], view)) for view in views[1:]])

    def count_errors(result: Board) -> int:
        return sum(result.get(square) != cell for square, cell in add_frame(board, 5, 0).items())

    assert count_errors(fused_observation.probabilities.best) < min(map(count_errors, single_boards))
    log_probability_sum = sum(view.probabilities.log_probs for view in views)
    assert fused_observation.probabilities.log_probs.max() <= 0
    assert np.abs(fused_observation.probabilities.log_probs).sum() < np.abs(log_probability_sum).sum()


def test_the_grid_is_extended_by_tiles_of_other_photos() -> None:
    board = Board.parse("w w # l l / s . . . .")
    first, other = make_observation(ClassProbabilities.of("w # l l")), make_observation(ClassProbabilities.of(board))
    fused_observation, _ = fuse(first, [(other, align(first, other))])
    assert fused_observation.probabilities.best == board
    assert (fused_observation.grid.rows, fused_observation.grid.cols) == (2, 5)
    expected_centres = np.stack(np.meshgrid(range(-1, 4), range(2)), axis=-1).reshape(-1, 2) + 0.5
    assert np.allclose(first.grid.to_grid_coordinates(fused_observation.grid.centres.reshape(-1, 2)), expected_centres)


def test_border_log_odds_are_rotated_with_the_cells() -> None:
    board = Board.parse("w w # / f f .")
    first = make_observation(ClassProbabilities.of(board))
    rotated_observation = make_observation(ClassProbabilities.of(board).rotate())
    right, down = rotated_observation.border_log_odds
    down[0, 1] = 3.0  # A1 and B1 of the first, which form a column at the right of the rotated one
    fused_observation, _ = fuse(
        first, [(replace(rotated_observation, border_log_odds=(right, down)), align(first, rotated_observation))]
    )
    assert (
        fused_observation.border_log_odds[0][0, 0] > 2
        and np.count_nonzero(fused_observation.border_log_odds[0]) == 1
        and not fused_observation.border_log_odds[1].any()
    )


# With pictures: a sample with an object or glare on one of its squares, also as a photo from the left.


def cover_square(square: Square, colour: tuple[int, int, int], turns: int) -> NDArray[np.uint8]:
    photo = Photo.open(SAMPLES / "demo.jpg")
    quad = read_sample_grid().quads[square]
    pixels = photo.pixels.copy()
    x, y = quad.mean(axis=0)
    cv2.circle(pixels, (int(x), int(y)), int(0.75 * np.linalg.norm(quad[1] - quad[0])), colour, -1, cv2.LINE_AA)
    return np.ascontiguousarray(np.rot90(pixels, turns))


@cache
def read_sample_grid() -> Grid:
    (kingdom,) = pipeline.read(SAMPLES / "demo.jpg")
    return kingdom.grid


def test_two_photos_are_read_better_than_each_alone() -> None:
    truth = Board.parse(json.loads((SAMPLES / "demo.json").read_text(encoding="utf-8"))["kingdoms"][0]["board"])
    photos = [cover_square(Square(2, 0), (90, 60, 50), 0), cover_square(Square(2, 2), (90, 60, 50), 1)]
    failures: list[tuple[int, KdvisionError]] = []
    (fused_reading,) = pipeline.read_views(
        [*photos, SAMPLES / "holes.jpg", SAMPLES / "none.jpg"], on_failure=lambda *failure: failures.append(failure)
    )
    problems = [problem.text for problem in fused_reading.problems]
    assert len(problems) == 2 and fused_reading.review
    assert problems[0].endswith("holes.jpg, shows another kingdom, and is left out") and "no file" in problems[1]
    assert [(number, type(error)) for number, error in failures] == [(3, PhotoError)]
    readings = [pipeline.read(photo)[0] for photo in photos]

    def count_errors(board: Board) -> int:
        rotated_boards = [board.rotate(turns) for turns in range(4)]
        return min(
            sum(rotated_board.get(square) != truth.get(square) for square in {*rotated_board, *truth.trim()})
            for rotated_board in rotated_boards
        )

    assert count_errors(fused_reading.board) < min(count_errors(reading.board) for reading in readings)
    assert fused_reading.probability > max(reading.probability for reading in readings)


def test_a_duplicate_photo_counts_once_and_is_reported(tmp_path: Path) -> None:
    photo, copied_file = cover_square(Square(0, 3), (252, 252, 250), 0), tmp_path / "copy.jpg"
    (single_reading,) = pipeline.read(photo)
    (duplicate_reading,) = pipeline.read_views([photo, photo.copy()])
    assert np.array_equal(duplicate_reading.probabilities.log_probs, single_reading.probabilities.log_probs)
    assert duplicate_reading.board == single_reading.board
    assert [problem.text for problem in duplicate_reading.problems if problem not in single_reading.problems] == [
        "photo 2 of the kingdom is the same picture as photo 1, and counts once"
    ]
    start, end = (SAMPLES / "demo.jpg").read_bytes().split(b"\xff\xdb", 1)
    copied_file.write_bytes(start + b"\xff\xfe\0\x07Sent." + b"\xff\xdb" + end)  # with a comment
    files = [SAMPLES / "demo.jpg", copied_file, SAMPLES / "demo.jpg"]
    (reading,) = pipeline.read_views([photo, *files])
    expected_reading = pipeline.read_views([photo, files[0]])[0]
    assert reading.probability == expected_reading.probability
    assert len(reading.problems) == len(expected_reading.problems) + 2


def test_a_further_photo_without_a_kingdom_is_a_failure() -> None:
    failures: list[tuple[int, KdvisionError]] = []
    (reading,) = pipeline.read_views(
        [SAMPLES / "demo.jpg", SAMPLES / "no-kingdom.jpg"], on_failure=lambda *failure: failures.append(failure)
    )
    ((number, error),) = failures
    assert (number, type(error)) == (1, NoKingdomFound)
    assert reading.review and [problem.text for problem in reading.problems] == [
        f"photo 2 of the kingdom is left out: {error}"
    ]


def test_a_kingdom_that_only_a_further_photo_shows_is_reported() -> None:
    """One photo shows the left half of a table with two kingdoms, the other the complete table."""
    pixels = Photo.open(SAMPLES / "two-kingdoms.jpg").pixels
    left, right = pipeline.read(pixels)
    middle_column = int((left.grid.corners[:, 0].max() + right.grid.corners[:, 0].min()) / 2)
    left_pixels = np.ascontiguousarray(pixels[:, :middle_column])
    (reading,) = pipeline.read_views([left_pixels, pixels])
    assert reading.board == left.board and reading.review
    assert "photo 2 of the kingdom, array, also shows a kingdom not found in photo 1: read it by itself" in [
        problem.text for problem in reading.problems
    ]
    assert not any(
        "not found" in problem.text
        for reading in pipeline.read_views([pixels, left_pixels])
        for problem in reading.problems
    )


def test_a_grid_that_one_photo_rejects_is_no_kingdom_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    photo = SAMPLES / "two-kingdoms.jpg"
    left, right = pipeline.read(photo)
    monkeypatch.setattr(
        "kdvision.vision.find.is_still_kingdom", lambda _, decision: str(decision.board.trim()) != str(left.board)
    )
    (single_reading,) = pipeline.read(photo)
    (reading,) = pipeline.read_views([photo, SAMPLES / "demo.jpg"])
    assert reading.board == single_reading.board == right.board and reading.surroundings == single_reading.surroundings


@pytest.mark.parametrize("min_probability", [0.6, 0.9])
def test_a_tile_under_glare_is_outvoted_by_a_photo_that_shows_it(min_probability: float) -> None:
    """One photo clearly shows bare table where another clearly shows a tile: glare looks like bare table."""
    board = Board.parse("w w f f / l1 w # . / g g . .")
    glare = {"A3": {".": 0.999, "g": 0.0005}}
    first = make_observation(override_squares(ClassProbabilities.of(board, confidence=0.995), glare))
    other = make_observation(ClassProbabilities.of(board, confidence=0.96))
    fused_observation, _ = fuse(first, [(other, align(first, other))])
    assert get_probability(fused_observation.probabilities, Square.parse("A3"), "g") > min_probability
