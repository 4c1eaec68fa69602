"""Table, JSON object and overlay of results, from kingdoms made of notation."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kdvision.errors import PhotoError
from kdvision.game.board import Board, Square, Terrain
from kdvision.game.game import WINNER_UNKNOWN
from kdvision.game.legality import Problem
from kdvision.game.players import Players
from kdvision.game.rules import kingdomino, make_rule_set, queendomino
from kdvision.report import overlay
from kdvision.report.build import build_board_result, build_photo_result
from kdvision.report.overlay import AMBER, draw_overlay
from kdvision.report.pieces import GivenFacts
from kdvision.report.result import Result
from kdvision.report.symbols import COLOURS, GOLD, draw_crowns, draw_terrain
from kdvision.report.table import format_table
from kdvision.report.to_dict import result_to_dict
from kdvision.text import capitalise
from kdvision.vision.decide.decision import BoardFrame
from kdvision.vision.image.photo import Photo
from tests.kingdoms import FIVE, SMALL, make_doubt, make_reading, table_photo

BOX_PROBLEM = Problem((Square(0, 1), Square(0, 2)), "two squares that no domino of the box shows", "kingdomino/box")
KEYS = {"photo", "width", "height", "kingdoms", "standing", "error"}
KINGDOM_KEYS = {
    *("board", "corners", "points", "total", "lines", "largest", "crowns"),
    *("probability", "review", "doubts", "problems"),
}


def build_result(text: str = SMALL, **options: object) -> Result:
    return build_photo_result("table.png", (640, 480), [make_reading(text, **options)], kingdomino())  # type: ignore[arg-type]


def build_two_kingdoms() -> Result:
    readings = [make_reading(SMALL, place="left"), make_reading(FIVE, left=300, place="right")]
    return build_photo_result("table.png", (640, 480), readings, make_rule_set(variants=["middle-kingdom", "harmony"]))


# The JSON object.


def test_the_object_has_the_promised_names() -> None:
    data = result_to_dict(build_result(doubts=[make_doubt("B2", "f", "f1")], problems=[BOX_PROBLEM]))
    assert data.keys() >= KEYS
    (kingdom,) = data["kingdoms"]
    assert kingdom.keys() >= KINGDOM_KEYS
    assert kingdom["lines"][0].keys() >= {"label", "points", "clause", "squares", "terrain"}
    assert kingdom["doubts"][0].keys() >= {"square", "read", "probability", "instead", "points_if"}
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_the_object_holds_the_kingdom() -> None:
    data = result_to_dict(build_result())
    (kingdom,) = data["kingdoms"]
    assert (data["photo"], data["width"], data["height"], data["error"]) == ("table.png", 640, 480, None)
    assert kingdom["board"] == ["w1 w w", "# f f1", ". l l"]
    assert kingdom["corners"] == [[40, 60], [190, 60], [190, 210], [40, 210]]
    assert (kingdom["points"], kingdom["total"], kingdom["largest"], kingdom["crowns"]) == (5, 5, 3, 2)
    assert (kingdom["probability"], kingdom["review"]) == (0.97, False)
    assert [(line["points"], line["squares"]) for line in kingdom["lines"]] == [
        (3, ["A1", "B1", "C1"]),
        (2, ["B2", "C2"]),
        (0, ["B3", "C3"]),
    ]
    assert data["standing"] is None


def test_points_exclude_bonuses_and_the_total_includes_them() -> None:
    (small_kingdom, large_kingdom) = result_to_dict(build_two_kingdoms())["kingdoms"]
    assert (small_kingdom["points"], small_kingdom["total"]) == (5, 5)
    assert (large_kingdom["points"], large_kingdom["total"]) == (33, 33 + 5)
    assert {line["label"]: line["points"] for line in large_kingdom["lines"][-2:]} == {
        "Middle Kingdom": 0,
        "Harmony": 5,
    }


@pytest.mark.parametrize(
    ("square", "cell", "other_cell", "points"), [("B2", "f", "f1", 7), ("C2", "f1", "f", 3), ("B1", "w", ".", 3)]
)
def test_points_if_are_those_of_the_board_with_that_square_replaced(
    square: str, cell: str, other_cell: str, points: int
) -> None:
    (kingdom,) = result_to_dict(build_result(doubts=[make_doubt(square, cell, other_cell, 0.75)]))["kingdoms"]
    assert kingdom["doubts"] == [
        {
            "square": square,
            "read": cell,
            "probability": 0.75,
            "instead": other_cell,
            "points_if": points,
            "total_if": points,
            "changes_standing": None,
            "changes_winner": None,
        }
    ]
    assert kingdom["review"]


def test_a_doubt_on_an_empty_place_may_add_a_square() -> None:
    (kingdom,) = result_to_dict(build_result(doubts=[make_doubt("A3", ".", "l1", 0.6)]))["kingdoms"]
    assert kingdom["doubts"][0]["points_if"] == 5 + 3


def test_problems_name_their_squares() -> None:
    (kingdom,) = result_to_dict(build_result(problems=[BOX_PROBLEM]))["kingdoms"]
    assert kingdom["problems"] == [{"text": BOX_PROBLEM.text, "squares": ["B1", "C1"], "clause": "kingdomino/box"}]
    assert kingdom["review"]


def test_the_standing_numbers_kingdoms_from_1() -> None:
    standing = result_to_dict(build_two_kingdoms())["standing"]
    assert standing["winners"] == [2]
    assert [(place["place"], place["kingdom"], place["total"]) for place in standing["places"]] == [
        (1, 2, 38),
        (2, 1, 5),
    ]
    assert "38 to 5" in standing["reason"]


def test_nobody_wins_while_another_photo_may_show_a_kingdom_of_the_game() -> None:
    readings = [make_reading(text, left=left, place=str(left)) for text, left in ((FIVE, 40), (SMALL, 300))]
    facts = GivenFacts({0: {"coins": 150, "towns": 0}, 1: {"coins": 9, "towns": 0}})  # the Queen stays open
    final_result, early_result = (
        build_photo_result("table.png", (640, 480), readings, queendomino(side=7), facts=facts, is_over=is_over)
        for is_over in (True, False)
    )
    assert final_result.outlook == "kingdom 1 wins, whatever is still missing"
    assert early_result.outlook == WINNER_UNKNOWN


def test_typed_boards_make_the_same_object() -> None:
    typed_data, photo_data = (
        result_to_dict(build_board_result([Board.parse(SMALL)], kingdomino())),
        result_to_dict(build_result()),
    )
    assert typed_data.keys() == photo_data.keys()
    assert typed_data["kingdoms"][0].keys() == photo_data["kingdoms"][0].keys()
    assert typed_data["kingdoms"][0]["points"] == 5
    assert (typed_data["photo"], typed_data["kingdoms"][0]["corners"], typed_data["kingdoms"][0]["probability"]) == (
        None,
        None,
        1.0,
    )


def test_a_failed_photo_is_an_object_too() -> None:
    data = result_to_dict(Result("no.jpg", error=PhotoError("there is no file no.jpg", hint="check the path")))
    assert data.keys() == result_to_dict(build_result()).keys()
    assert (data["photo"], data["error"], data["hint"]) == ("no.jpg", "there is no file no.jpg", "check the path")
    assert (data["kingdoms"], data["width"]) == ([], None)


# The table.


def test_the_table_shows_board_territories_and_total() -> None:
    text = format_table(build_result())
    assert "A   B   C" in text
    assert " 1  w1  w   w" in text
    assert " 2  #   f   f1" in text
    assert " 3  .   l   l" in text
    words = [line.split() for line in text.replace("×", "x").splitlines()]
    assert any(line[-6:] == ["wheat", "3", "x", "1", "=", "3"] for line in words)
    assert any(line[-6:] == ["forest", "2", "x", "1", "=", "2"] for line in words)
    assert any(line[-2:] == ["total", "5"] for line in words)
    assert "without points: lake 2" in text


def test_the_table_shows_bonuses_and_standing() -> None:
    text = format_table(build_two_kingdoms())
    assert "kingdom 1 (left)" in text
    assert "kingdom 2 (right)" in text
    assert "Middle Kingdom" in text
    assert "Kingdom 2 wins on points, 38 to 5" in text


@pytest.mark.parametrize(
    "before, ending",
    [
        (None, "the total is 7: --fix 1:B2=f1"),
        (BoardFrame(Square(0, 0), Square(1, 1)), "the total is 7: add --fix 1:B2=f1"),
        (BoardFrame(Square(0, 0), Square(0, 1)), "the total is 7"),  # a correction has added row 2, so --fix refuses B2
        (BoardFrame(Square(1, 0), Square(2, 2)), "the total is 7"),  # A1 was A2: --fix would change another square
    ],
)
def test_the_option_that_corrects_a_doubtful_square_uses_the_names_that_it_takes(
    before: BoardFrame | None, ending: str
) -> None:
    reading = replace(make_reading(SMALL, doubts=[make_doubt("B2", "f", "f1")]), frame_before_fixes=before)
    text = format_table(build_photo_result("table.png", (640, 480), [reading], kingdomino()))
    (line,) = [line.strip() for line in text.splitlines() if "B2 looks like" in line]
    assert line.endswith(ending)


def test_the_table_names_doubts_and_problems() -> None:
    text = format_table(build_result(doubts=[make_doubt("B2", "f", "f1")], problems=[BOX_PROBLEM]))
    assert "f?" in text
    assert "? B2 looks like f (80 % sure); if it is f1, the total is 7: --fix 1:B2=f1" in text
    assert f"! {BOX_PROBLEM.text}" in text


def test_kingdoms_have_the_given_names_or_their_colours() -> None:
    readings = [replace(make_reading(SMALL, place="left"), colour="blue"), make_reading(FIVE, left=300, place="right")]
    result = build_photo_result("table.png", (640, 480), readings, kingdomino())
    assert result.standing is not None
    assert [place.player for place in result.standing.places] == ["kingdom 2", "blue"]
    assert "kingdom 1 (blue)" in format_table(result)
    assert "kingdom 2 (right)" in format_table(result)
    named_result = build_photo_result(
        "table.png", (640, 480), readings, kingdomino(), players=Players.parse("blue=Ann,pink=Bob")
    )
    assert "Ann: kingdom 1 (blue)" in format_table(named_result)
    assert [(k["player"], k["colour"], k["place"]) for k in result_to_dict(named_result)["kingdoms"]] == [
        ("Ann", "blue", "left"),
        (None, None, "right"),
    ]


@pytest.mark.parametrize(("earlier_count", "names"), [(0, ["Ann", "Bob"]), (1, ["Bob", ""]), (2, ["", ""])])
def test_names_in_order_go_on_over_photos(earlier_count: int, names: list[str]) -> None:
    readings = [make_reading(SMALL, place="left"), make_reading(FIVE, left=300, place="right")]
    players = Players.parse("Ann,Bob")
    result = build_photo_result(
        "table.png", (640, 480), readings, kingdomino(), players=players, first_number=earlier_count
    )
    assert [entry.player_name for entry in result.kingdoms] == names


def test_colours_are_optional() -> None:
    plain_text, coloured_text = format_table(build_two_kingdoms()), format_table(build_two_kingdoms(), colour=True)
    assert "\x1b" not in plain_text
    assert "\x1b[" in coloured_text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_keep_to_the_width(width: int) -> None:
    text = format_table(build_result(FIVE, doubts=[make_doubt("B2", "l1", "l")], problems=[BOX_PROBLEM]), width=width)
    assert max(map(len, text.splitlines())) <= width


# The overlay.


def find_changed_pixels(photo: Photo, result: Result) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return a mask of the pixels that the overlay changes."""
    return np.asarray((draw_overlay(photo, result) != photo.pixels).any(axis=2))


@pytest.mark.parametrize(
    ("name", "legible"), [("Zoë Müller", "Zoe Muller"), ("Zoe\u0308", "Zoe"), ("Иван", ""), ("Łukasz", "")]
)
def test_accents_and_names_that_the_font_lacks_are_left_out_of_labels(name: str, legible: str) -> None:
    drawings = [
        draw_overlay(
            table_photo(), build_photo_result("a.png", (640, 480), [make_reading(SMALL)], kingdomino(), players=players)
        )
        for players in (Players((name,)), Players((legible,)))
    ]
    assert (drawings[0] == drawings[1]).all()


def test_the_overlay_leaves_the_photo_alone() -> None:
    photo = table_photo()
    before = photo.pixels.copy()
    picture = draw_overlay(photo, build_result())
    assert picture.shape == photo.pixels.shape
    assert picture.dtype == np.uint8
    assert (photo.pixels == before).all()
    assert find_changed_pixels(photo, build_result()).any()


def has_colour(picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], colour: tuple[int, int, int]) -> bool:
    """Return whether at least ten pixels have exactly this colour."""
    return int((picture == colour).all(axis=2).sum()) >= 10


def test_squares_show_terrain_and_crowns() -> None:
    picture = draw_overlay(table_photo(grey=90), build_result())
    wheat, forest, lake = picture[60:110, 90:140], picture[110:160, 140:190], picture[160:210, 90:140]  # B1, C2 and B3
    assert [has_colour(wheat, colour) for colour in COLOURS.values()].count(True) == 1
    assert has_colour(wheat, COLOURS[Terrain.WHEAT])
    assert has_colour(forest, COLOURS[Terrain.FOREST]) and has_colour(forest, GOLD)
    assert has_colour(lake, COLOURS[Terrain.LAKE]) and not has_colour(lake, GOLD)


@pytest.mark.parametrize("terrain", Terrain)
def test_every_terrain_has_a_symbol_of_its_own(terrain: Terrain) -> None:
    pictures = {}
    for other in Terrain:
        canvas = np.zeros((64, 64, 3), np.uint8)
        draw_terrain(canvas, np.array([32.0, 32.0]), 60, other)
        pictures[other] = canvas
    assert has_colour(pictures[terrain], COLOURS[terrain])
    is_ink = {other: (canvas != COLOURS[other]).any(axis=2) for other, canvas in pictures.items()}
    assert not any((is_ink[other] == is_ink[terrain]).all() for other in Terrain if other is not terrain)


def test_crowns_are_counted() -> None:
    widths = []
    for count in range(4):
        canvas = np.zeros((40, 200, 3), np.uint8)
        draw_crowns(canvas, np.array([100.0, 20.0]), 30, count)
        widths.append(int((canvas == GOLD).all(axis=2).any(axis=0).sum()))
    assert widths[0] == 0
    assert widths[1] * np.array([1, 2, 3]) == pytest.approx(widths[1:], rel=0.1)


def test_a_large_photo_is_drawn_smaller() -> None:
    photo = table_photo(4000, 3000)
    result = build_photo_result("table.png", (4000, 3000), [make_reading(SMALL, side=300)], kingdomino())
    assert draw_overlay(photo, result).shape == (1200, 1600, 3)
    assert draw_overlay(photo, result, photo.resize(800)).shape == (600, 800, 3)


def test_nothing_is_drawn_far_from_the_kingdom() -> None:
    is_changed = find_changed_pixels(table_photo(), build_result())
    assert not is_changed[:, 330:].any()
    assert not is_changed[260:].any()
    assert not is_changed[165:205, 45:85].any(), "A3 holds no tile"


def test_doubtful_squares_are_framed_in_amber() -> None:
    def count_amber(result: Result) -> int:
        return int((draw_overlay(table_photo(), result) == AMBER).all(axis=2).sum())

    assert count_amber(build_result()) == 0
    assert count_amber(build_result(doubts=[make_doubt("B2", "f", "f1")])) > 100
    assert count_amber(build_result(doubts=[make_doubt("A3", ".", "l1")])) > 100


@pytest.mark.parametrize(("width", "height", "side"), [(200, 150, 12), (600, 450, 30), (1600, 1200, 300)])
def test_drawing_grows_with_the_squares(width: int, height: int, side: float) -> None:
    photo = table_photo(width, height)
    result = build_photo_result("table.png", (width, height), [make_reading(SMALL, side=side)], kingdomino())
    share = find_changed_pixels(photo, result)[60 : int(60 + 3 * side), 40 : int(40 + 3 * side)].mean()
    assert share > 0.3


@pytest.mark.parametrize(("variants", "label"), [((), "33 points"), (("harmony",), "33 + 5 = 38 points")])
def test_the_total_names_the_points_that_no_territory_has(
    variants: tuple[str, ...], label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels: list[str] = []
    monkeypatch.setattr(overlay, "draw_label", lambda _canvas, _centre, text, *_: labels.append(text))
    result = build_photo_result("x", (640, 480), [make_reading(FIVE)], make_rule_set(variants=variants))
    draw_overlay(table_photo(), result)
    assert label in labels


def test_a_kingdom_at_the_edge_keeps_its_total_in_the_picture() -> None:
    photo = Photo.open(np.full((300, 300, 3), 90, np.uint8))
    reading = make_reading(SMALL, left=-20, side=100)
    assert draw_overlay(photo, build_photo_result("x", (300, 300), [reading], kingdomino())).shape == (300, 300, 3)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ann wins", "Ann wins"),
        ("photos/ann.jpg wins", "photos/ann.jpg wins"),
        ("a/b (2).jpg", "a/b (2).jpg"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_unless_it_begins_with_a_file_name(text: str, sentence: str) -> None:
    assert capitalise(text) == sentence
