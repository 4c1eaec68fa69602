"""The pictures of the experiments: one factor changes at a time, and equal cases give equal pictures."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kdvision import pipeline
from kdvision.errors import NoKingdomFound
from kdvision.game.board import Board, Square
from kdvision.game.kingdom import GEM
from kdvision.lab.experiments import ablation, factors, no_kingdom, occluders, pieces
from kdvision.lab.experiments.experiment import Reading, Row, read_picture
from kdvision.lab.experiments.factors import FACTORS, RANDOM, draw_factors, get_scene_factors, render_scene
from kdvision.lab.experiments.judge import judge
from kdvision.lab.experiments.occluders import OCCLUDERS, REACH_SIDES, cover
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from kdvision.lab.render.scene_factors import SceneFactors
from kdvision.pipeline import KingdomReading
from kdvision.vision import find
from kdvision.vision.classify.pieces import DetectedPiece
from kdvision.vision.detect import hypothesis
from kdvision.vision.image.photo import Photo
from tests.kingdoms import make_grid, make_reading
from tests.lab.render.test_scene_factors import GREY_ART
from tests.paths import SAMPLES, SHARED

DATA = SHARED / "data"


def test_a_factor_changes_one_thing() -> None:
    for title, factor in FACTORS.items():
        for setting in factor.settings:
            scene_factors = get_scene_factors({"factor": title, "setting": f"{setting}", "scene": 0})
            assert getattr(scene_factors, factor.field) == setting
            assert replace(scene_factors, **{factor.field: getattr(factor.middle, factor.field)}) == factor.middle


def test_a_case_names_its_scene_factors() -> None:
    case: Row = {"art": "drawn", "factor": "view angle, degrees", "setting": "45.0", "scene": 3}
    assert get_scene_factors(case) == SceneFactors(angle=45.0)
    assert get_scene_factors({**case, "factor": RANDOM, "setting": "up to 45 degrees"}) == draw_factors(3)


def test_random_factors_spread_angles_evenly() -> None:
    samples = [draw_factors(number) for number in range(80)]
    assert all(24 <= scene_factors.pixels <= 96 and 0 <= scene_factors.angle <= 60 for scene_factors in samples)
    assert sum(scene_factors.angle <= 45 for scene_factors in samples) == 60
    assert {scene_factors.kingdoms for scene_factors in samples} == {1, 2, 3, 4}


@pytest.mark.skipif(not DATA.is_dir(), reason="no shared data beside the checkout")
def test_scenes_show_the_art_that_is_named() -> None:
    small_factors = SceneFactors(kingdoms=1, pixels=14, fill=0.9, clutter=0, castles=0, blur=0)
    drawn_picture, scanned_picture = (
        render_scene(small_factors, 1, art, DATA) for art in (factors.DRAWN, factors.SCANS)
    )
    assert drawn_picture.kingdoms[0].board == scanned_picture.kingdoms[0].board
    assert not np.array_equal(drawn_picture.photo, scanned_picture.photo)


def test_tables_without_a_kingdom_hold_something_else() -> None:
    for number in range(3):
        for kind, objects in no_kingdom.OBJECTS.items():
            scene = no_kingdom.draw_factors(number).build_scene(number, objects=objects)
            assert not scene.kingdoms and scene.tiles + scene.pieces
            assert bool(scene.loose) <= (kind == "loose dominoes")


def test_equal_cases_give_equal_pictures() -> None:
    small_factors = replace(no_kingdom.draw_factors(1), pixels=16.0, fill=0.95)
    picture, same_picture = (
        small_factors.render_picture(1, GREY_ART, objects=no_kingdom.OBJECTS["clutter"]) for _ in range(2)
    )
    assert np.array_equal(picture.photo, same_picture.photo)


CENTRE, SIDE = np.array([300.0, 200.0]), 20.0
TABLE = np.full((400, 600, 3), (120, 60, 200), np.uint8)


@pytest.mark.parametrize("occluder", OCCLUDERS)
def test_an_object_covers_its_place_and_nothing_far_away(occluder: str) -> None:
    covered_table, second_table = (cover(TABLE, occluder, CENTRE, SIDE, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(covered_table, second_table)
    is_changed = np.abs(covered_table.astype(int) - TABLE).max(axis=2) > 20
    assert is_changed[190:210, 290:310].mean() > 0.25
    is_far = np.abs(np.mgrid[0:400, 0:600] - CENTRE[::-1, None, None]).max(axis=0) > REACH_SIDES * SIDE + 1
    assert not is_changed[is_far].any()


def test_an_object_at_the_border_is_cut_by_it() -> None:
    covered_table = cover(TABLE, "a phone", np.array([2.0, 3.0]), SIDE, np.random.default_rng(3))
    assert covered_table.shape == TABLE.shape and (covered_table[0, 0] != TABLE[0, 0]).any()


def test_a_photo_is_read_with_objects_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(occluders, "DRAWS_PER_PHOTO", 1)
    selection = {name: OCCLUDERS[name] for name in ("a hand", "a king", "a cloth")}
    monkeypatch.setattr(occluders, "OCCLUDERS", selection)
    rows = occluders._measure_photo(SAMPLES.name, f"{SAMPLES.name}/demo.jpg", SAMPLES.parent)
    assert [row["occluder"] for row in rows] == [occluders.NONE, *selection]
    assert rows[0]["exact"] and rows[0]["unflagged"]
    hidden_rows = [row for row in rows[1:] if row["occluder"] != "a king"]
    assert sum(int(row["exact"]) for row in hidden_rows) < len(hidden_rows)
    assert not any(row["silent_errors"] for row in hidden_rows)


def test_a_photo_whose_kingdom_is_hidden_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: Photo) -> list[KingdomReading]:
        raise NoKingdomFound("nothing looks like a kingdom")

    monkeypatch.setattr(pipeline, "read", read)
    (row,) = occluders._measure_photo(SAMPLES.name, f"{SAMPLES.name}/demo.jpg", SAMPLES.parent)
    assert (row["found"], row["silent_errors"], row["errors"]) == (0, 0, 0)


BOARD = "w1 t t / # f f1 / . l l"
B1, C1, A2, B3 = (Square.parse(name) for name in ("B1", "C1", "A2", "B3"))


def make_furnished_picture() -> Picture:
    """Return a picture with a building on B1, a knight on B3 and a gem between A1 and B2."""
    board = Board.parse(BOARD)
    grid = make_grid(board, left=40)
    quads = {square: RenderedSquare(grid.quads[square], 0.0) for square in board}
    kingdom = RenderedKingdom(board, quads, {}, {B1: "building", B3: "knight"}, frozenset({Square(0, 0)}))
    return Picture(np.zeros((600, 900, 3), np.uint8), (kingdom,), ())


def make_furnished_reading(
    *placements: tuple[str, Square, float], gems: tuple[Square, ...] = (), board: str = BOARD
) -> KingdomReading:
    plain_reading = make_reading(board.replace("t", "w"))
    return replace(
        plain_reading,
        board=Board.parse(board),
        pieces=tuple(DetectedPiece(*piece, piece[2]) for piece in placements),
        gems=tuple(DetectedPiece(GEM, corner, 0.9, 0.9) for corner in gems),
    )


def count_items(*readings: KingdomReading) -> dict[str, tuple[int, int, int]]:
    rows = pieces.count_items(make_furnished_picture(), readings)
    return {str(row["item"]): (int(row["there"]), int(row["found"]), int(row["extra"])) for row in rows}


def test_pieces_on_their_squares_and_gems_on_their_crossings_are_found() -> None:
    counts = count_items(make_furnished_reading(("building", B1, 0.99), ("knight", B3, 0.7), gems=(Square(0, 0),)))
    assert (counts["tiles"], counts["towns"]) == ((8, 8, 0), (2, 2, 0))
    assert counts["building"] == counts["knight"] == counts["gem"] == (1, 1, 0)
    assert counts["tower"] == counts["queen"] == (0, 0, 0)


def test_a_piece_elsewhere_is_missed_and_extra_and_an_unlikely_one_is_none() -> None:
    reading = make_furnished_reading(
        ("building", C1, 0.99), ("knight", B3, 0.3), ("tower", A2, 0.8), gems=(Square(1, 1),)
    )
    counts = count_items(reading)
    assert counts["building"] == counts["gem"] == (1, 0, 1)
    assert (counts["knight"], counts["tower"]) == ((1, 0, 0), (0, 0, 1))


def test_a_misread_town_is_missed_and_what_was_read_there_is_extra() -> None:
    counts = count_items(make_furnished_reading(board=BOARD.replace("t t", "t w")))
    assert (counts["tiles"], counts["towns"]) == ((8, 7, 1), (2, 1, 0))


def test_nothing_read_is_nothing_found() -> None:
    assert {counts[1:] for counts in count_items().values()} == {(0, 0)}


def test_pieces_in_photos_are_counted_by_square_or_by_number() -> None:
    piece_readings = [("knight", "C1"), ("knight", "B2"), ("knight", "A1"), ("tower", "A1")]
    assert pieces.count_pieces(piece_readings, "knight", ["C1", "B2", "C2"]) == {
        "item": "knight",
        "there": 3,
        "found": 2,
        "extra": 1,
    }
    assert pieces.count_pieces(piece_readings, "knight", 2)["found"] == 2
    assert pieces.count_pieces(piece_readings, "tower", 0)["extra"] == 1
    assert set(pieces.load_pieces_in_photos()["18.jpg"]) == {"knight"}


SMALL_SCENE_FACTORS = SceneFactors(
    kingdoms=1, pixels=30, fill=0.9, clutter=0, castles=0, blur=0, angle=0, light=0, glare=0, noise=0
)


@pytest.fixture(scope="module")
def small_picture() -> Picture:
    return render_scene(SMALL_SCENE_FACTORS, 1, factors.DRAWN, DATA)


@pytest.mark.parametrize("part", ablation.PARTS)
def test_the_program_runs_without_each_part(part: str, small_picture: Picture) -> None:
    with ablation.PARTS[part]():
        verdict = judge(small_picture, read_picture(small_picture.photo))
    assert (verdict["kingdoms"], verdict["errors"]) == (1, 0)
    assert verdict["found"] or part != "nothing"


def describe_kingdoms(photo: NDArray[np.uint8]) -> list[tuple[float, ...]]:
    """Return sums over probabilities, positions and border evidence, which differ between two readings."""
    descriptions: list[tuple[float, ...]] = []
    for reading in pipeline.read(photo):
        borders = sum(float(np.abs(log_odds).sum()) for log_odds in reading.observation.border_log_odds)
        sums = float(reading.probabilities.log_probs.sum()), float(reading.grid.quads.sum())
        descriptions.append((*sums, borders, reading.probability))
    return descriptions


def test_leaving_a_part_out_has_an_effect() -> None:
    """A part that was renamed fails here. The scene needs no splitting and no partition, so these have other checks."""
    tilted_scene = replace(SMALL_SCENE_FACTORS, angle=30, clutter=1, light=1, noise=1)
    photo = render_scene(tilted_scene, 2, factors.DRAWN, DATA).photo
    complete_description = describe_kingdoms(photo)
    for part in ablation.PARTS.keys() - {"nothing", "component splitting", "partition of close kingdoms"}:
        with ablation.PARTS[part]():
            assert describe_kingdoms(photo) != complete_description, part
    with ablation.PARTS["component splitting"]():
        assert vars(hypothesis)["split_component"](None) == [None]
    with ablation.PARTS["partition of close kingdoms"]():
        assert vars(find)["split_by_castles"](None) == vars(find)["remove_foreign_tiles"]([]) == []


def test_parts_are_back_after_they_were_left_out(small_picture: Picture) -> None:
    assert judge(small_picture, read_picture(small_picture.photo))["exact"] == 1


def test_removed_parts_keep_their_rows() -> None:
    rows = ablation.load_removed()
    columns = {*ablation.EXPERIMENT.groups, "pictures", *ablation.EXPERIMENT.counts, "coverage"}
    assert all(row.keys() == columns and row["kept"] == "no" and row["source"] for row in rows)
    assert not {row["left_out"] for row in rows} & ablation.PARTS.keys()


def test_a_refused_picture_is_no_silent_error() -> None:
    verdict = judge(make_furnished_picture(), Reading(error="NoKingdomFound: none"))
    assert (verdict["found"], verdict["silent_errors"], verdict["errors"]) == (0, 0, 0)
    assert judge(make_furnished_picture(), Reading())["silent_errors"] == 1
