"""From pieces that are seen to points: kingdoms, ranges, what is asked for, and what the rules forbid.

What is seen is made from notation, with pieces on its squares and gems on its crossings; no network runs.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kdvision import pipeline
from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Building, Gem, Kingdom, PlacedBuilding
from kdvision.game.rules import kingdomino, queendomino
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.rules.queendomino import BUILDINGS
from kdvision.game.scoring import score
from kdvision.gamefile.model import load_game
from kdvision.pipeline import KingdomReading
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY, KINDS, Reading
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.image.photo import Photo
from tests.conftest import Run
from tests.kingdoms import fill_in, list_lines, make_plain_observation, png, table_photo

WITH_TOWNS = (*KINDS[:-1], "t", KINDS[-1])
NAMES = ("", "knight", "tower", "queen", "building")

ANN = "t t l1 t / # f f . / m3 t f1 t"
BOB = "w1 m . / # t s / . t t"
TREASURE = "w1 f # / l g ."

Pieces = Mapping[str, tuple[str, float]]
NONE: Pieces = {}


def observation(
    text: str, pieces: Pieces = NONE, gems: Mapping[str, float] = {}, *, left: float = 40
) -> GridObservation:
    """What networks that know towns and pieces see of a board: on squares and, by their upper left, on crossings."""
    board, reading = Board.parse(text), Reading.of(text, confidence=0.999, kinds=WITH_TOWNS)
    chances = np.full((board.height, board.width, len(NAMES)), 1e-4)
    chances[..., 0] = 1 - 1e-4 * (len(NAMES) - 1)
    for name, (kind, chance) in pieces.items():
        chances[Square.parse(name)][NAMES.index(kind)] = chance
        chances[Square.parse(name)][0] = 1 - chance - 1e-4 * (len(NAMES) - 2)
    crossings = np.full((board.height + 1, board.width + 1), IMPOSSIBLE_LOG_PROBABILITY)
    for name, chance in gems.items():
        square = Square.parse(name)
        crossings[square.row + 1, square.col + 1] = np.log(chance / (1 - chance))
    plain = make_plain_observation(reading, left=left)
    return replace(plain, pieces=np.log(chances), gems=crossings, piece_names=NAMES)


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> list[GridObservation]:
    """What every photo of this test shows; everything after the networks is the program's own."""
    observations: list[GridObservation] = []

    def read(photo: Photo, *, game: str, **asked: object) -> list[KingdomReading]:
        return assemble_kingdoms(photo, observations, game=game)

    monkeypatch.setattr(pipeline, "read", read)
    return observations


# From a photo to the score.


def test_a_game_of_queendomino_is_found_and_scored_from_its_photo_and_its_file(
    run: Run, photo: Path, eyes: list[GridObservation], tmp_path: Path
) -> None:
    """Line by line what a person with the table before them would count."""
    out = tmp_path / "match.toml"
    seen = {"B2": ("knight", 0.98), "A1": ("building", 0.97), "D3": ("building", 0.95), "C2": ("tower", 0.9)}
    eyes[:] = [observation(ANN, seen), observation(BOB, {"C2": ("knight", 0.99)}, left=400)]
    ran = run("score", photo, "--players", "Ann,Bob", "--game-file", out)
    assert ran.code == 0 and "2 kingdoms · Queendomino" in " ".join(ran.out.split())
    ann, bob = load_game(out).rounds[0].kingdoms
    assert (ann.knights, bob.knights) == ((Square(1, 1),), (Square(1, 2),))
    assert [built.square.name for built in ann.buildings] == ["A1", "D3"]
    assert "knights" not in ann.open_facts | bob.open_facts and "buildings" not in ann.open_facts | bob.open_facts
    text = out.read_text(encoding="utf-8")
    assert "# Seen: building on A1, knight on B2, tower on C2, building on D3." in text
    assert "Towns are not read" not in text and 'towns = "?"' not in text
    fill_in(
        out,
        *(('coins = "?"', "coins = 10"), ('towers = "?"', "towers = 2"), ('spare_knights = "?"', "spare_knights = 1")),
        *(
            ('queen = "?"', "queen = true"),
            ('at = "A1", name = "?"', 'at = "A1", crowns = 1'),
            ('at = "D3", name = "?"', 'at = "D3", per_knight = 1'),
        ),
        *(('coins = "?"', "coins = 4"), ('towers = "?"', "towers = 1"), ('spare_knights = "?"', "spare_knights = 0")),
        ('queen = "?"', "queen = false"),
    )
    told = json.loads(run("game", out, "--json").out)
    assert told["complete"]
    towns = Building(crowns=1), Building(per_knight=1)
    truth = [
        Kingdom(
            Board.parse(ANN),
            buildings=(PlacedBuilding(Square(0, 0), towns[0]), PlacedBuilding(Square(2, 3), towns[1])),
            knights=(Square(1, 1),),
            spare_knights=1,
            towers=2,
            coins=10,
            queen=True,
        ),
        Kingdom(Board.parse(BOB), knights=(Square(1, 2),), towers=1, coins=4),
    ]
    for kingdom, right in zip(told["rounds"][0]["kingdoms"], truth, strict=True):
        assert [(line["label"], line["points"]) for line in kingdom["lines"]] == list_lines(right, queendomino())


def test_detected_gems_are_scored_from_the_file(
    run: Run, photo: Path, eyes: list[GridObservation], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    eyes[:] = [observation(TREASURE, gems={"A1": 0.98})]
    ran = run("score", photo, "--game-file", out)
    assert "Kingdomino, The Lost Treasures" in " ".join(ran.out.split())
    assert "? still missing: which gem lies between A1 B2" in ran.out
    gem = 'kind = "?", between = "A1 B2", crowns = [0, 0, 0, 0]'
    fill_in(out, (gem, 'kind = "ruby", between = "A1 B2", crowns = [1, 0, 0, 2]'))
    (told,) = json.loads(run("game", out, "--json").out)["rounds"][0]["kingdoms"]
    right = Kingdom(Board.parse(TREASURE), gems=(Gem("ruby", Square(0, 0), (1, 0, 0, 2)),))
    rules = LOST_TREASURES.add_to(kingdomino())
    assert [(line["label"], line["points"]) for line in told["lines"]] == list_lines(right, rules)


def test_points_are_a_range_that_holds_the_truth(run: Run, photo: Path, eyes: list[GridObservation]) -> None:
    eyes[:] = [observation(ANN, {"A1": ("building", 0.97), "B2": ("knight", 0.98)})]
    (read,) = json.loads(run("score", photo, "--json").out)["kingdoms"]
    kingdom = Kingdom(
        Board.parse(ANN), buildings=(PlacedBuilding(Square(0, 0), Building(points=5)),), knights=(Square(1, 1),)
    )
    assert read["least"] <= score(kingdom, queendomino()).total <= read["most"]
    assert {gap["item"] for gap in read["missing"]} == {"coins", "towers", "queen", "spare_knights", "buildings"}
    assert [gap["text"] for gap in read["missing"] if gap["item"] == "buildings"] == ["which building stands on A1"]


def test_json_table_and_picture_show_detected_pieces(
    run: Run, photo: Path, eyes: list[GridObservation], tmp_path: Path
) -> None:
    eyes[:] = [observation(ANN, {"B2": ("knight", 0.75), "D3": ("queen", 0.95)})]
    found = json.loads(run("score", photo, "--json").out)
    assert found["game"] == "queendomino"
    assert found["kingdoms"][0]["pieces"] == [
        {"kind": "knight", "square": "B2", "probability": 0.75},
        {"kind": "queen", "square": "D3", "probability": 0.95},
    ]
    assert found["kingdoms"][0]["gems"] == []
    assert "seen: knight on B2 (75 %), queen on D3" in run("score", photo).out
    plain, drawn = tmp_path / "plain.png", tmp_path / "drawn.png"
    assert run("score", photo, "--overlay", drawn).code == 0
    eyes[:] = [observation(ANN, {"D3": ("queen", 0.95)})]
    assert run("score", photo, "--overlay", plain).code == 0
    pictures = [Photo.open(path).pixels.astype(int) for path in (plain, drawn)]
    rows, cols, _ = np.nonzero(np.abs(pictures[0] - pictures[1]) > 8)
    quad = eyes[0].grid.quads[1, 1]
    on_board = rows > quad[0, 1]  # the range above the kingdom differs too
    assert on_board.any()
    assert rows[on_board].min() >= quad[0, 1] and cols[on_board].min() >= quad[0, 0] - 5
    assert rows[on_board].max() <= quad[2, 1] + 5 and cols[on_board].max() <= quad[2, 0] + 5


def test_the_queen_on_a_board_is_with_its_kingdom(run: Run, photo: Path, eyes: list[GridObservation]) -> None:
    eyes[:] = [observation(ANN), observation(BOB, {"C3": ("queen", 0.97)}, left=400)]
    ann, bob = json.loads(run("score", photo, "--json").out)["kingdoms"]
    assert "queen" not in {gap["item"] for gap in (*ann["missing"], *bob["missing"])}
    assert bob["crowns"] == 2
    ann, bob = json.loads(run("score", photo, "--queen", "1", "--game", "queendomino", "--json").out)["kingdoms"]
    assert (ann["crowns"], bob["crowns"]) == (6, 1)


def test_given_knights_are_those_on_the_board_and_beside_it(run: Run, photo: Path, eyes: list[GridObservation]) -> None:
    eyes[:] = [observation(ANN, {"B2": ("knight", 0.98), "A1": ("building", 0.97)})]
    rest = ("--knights", "1:3", "--coins", "0", "--towers", "0", "--queen", "0", "--json")
    (read,) = json.loads(run("score", photo, "--game", "queendomino", *rest).out)["kingdoms"]
    assert [gap["text"] for gap in read["missing"]] == ["which building stands on A1"]
    kingdom = Kingdom(Board.parse(ANN), knights=(Square(1, 1),), spare_knights=2)
    tiles = [replace(kingdom, buildings=(PlacedBuilding(Square(0, 0), tile),)) for tile in BUILDINGS]
    assert read["most"] == max(score(one, queendomino()).total for one in tiles)


def test_a_given_count_below_the_detected_one_counts_and_is_a_problem(
    run: Run, photo: Path, eyes: list[GridObservation]
) -> None:
    ann = {"B2": ("knight", 0.98), "A3": ("knight", 0.9), "C1": ("knight", 0.7), "C3": ("tower", 0.95)}
    eyes[:] = [observation(ANN, ann), observation(BOB, {"C3": ("queen", 0.97), "A1": ("knight", 0.95)}, left=400)]
    told = ("--game", "queendomino", "--coins", "1:0", "--coins", "2:0", "--queen", "0")
    counts = ("--knights", "1:2", "--knights", "2:1", "--towers", "1:0", "--towers", "2:0")
    first, second = json.loads(run("score", photo, *told, *counts, "--json").out)["kingdoms"]
    assert [one["text"] for one in first["problems"] if "given" in one["text"]] == [
        "2 knights were given, but the photo shows 3 (on C1, B2 and A3): the given number counts",
        "0 towers were given, but the photo shows 1 (on C3): the given number counts",
    ]
    assert [one["text"] for one in second["problems"] if "given" in one["text"]] == [
        "the Queen was given as being in no kingdom, but the photo shows her on C3: the given kingdom counts"
    ]
    assert first["review"] and second["review"]
    ran = run("score", photo, *told[:-1], "1", *counts)
    assert "! the Queen was given as being in kingdom 1, but the photo shows her on C3" in ran.out


def test_the_file_has_the_given_number_of_knights(
    run: Run, photo: Path, eyes: list[GridObservation], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    eyes[:] = [observation(ANN, {"B2": ("knight", 0.98), "A3": ("knight", 0.9), "C1": ("knight", 0.7)})]
    assert run("score", photo, "--game", "queendomino", "--knights", "1:2", "--game-file", out).code == 0
    (ann,) = load_game(out).rounds[0].kingdoms
    assert ([square.name for square in ann.knights], ann.spare_knights) == (["B2", "A3"], 0)
    ran = run("score", photo, "--game", "queendomino", "--knights", "1:1")
    assert "! 1 knight was given, but the photo shows 3 (on C1, B2 and A3): the given number counts" in ran.out


# What is not certain.


def test_an_uncertain_piece_is_an_open_fact(run: Run, photo: Path, eyes: list[GridObservation], tmp_path: Path) -> None:
    out = tmp_path / "match.toml"
    eyes[:] = [observation(ANN, {"B2": ("knight", 0.3), "A1": ("building", 0.7), "D3": ("knight", 0.97)})]
    ran = run("score", photo, "--game-file", out)
    assert "! a knight may stand on B2 (30 % sure): look" in ran.out
    assert "! a building may stand on A1 (70 % sure): look" in ran.out
    (ann,) = load_game(out).rounds[0].kingdoms
    assert ann.open_facts >= {"knights", "buildings"}
    assert (ann.knights, [built.square.name for built in ann.buildings]) == ((Square(2, 3),), ["A1"])
    assert 'knights = ["D3", "?"]' in out.read_text(encoding="utf-8")


def test_an_uncertain_gem_is_an_open_fact(run: Run, photo: Path, eyes: list[GridObservation]) -> None:
    eyes[:] = [observation(TREASURE, gems={"A1": 0.4})]
    ran = run("score", photo, "--lost-treasures")
    assert "! a gem may lie between A1 B2 (40 % sure): look" in ran.out
    assert "? still missing: gems between A1 B2" in ran.out
    assert "Lost Treasures" not in run("score", photo).out


# What the rules forbid.


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        ({"A2": ("knight", 0.95)}, "the knight on A2 stands on the castle"),
        ({"B2": ("building", 0.95)}, "the building on B2 does not stand on a town square"),
    ],
)
def test_pieces_where_the_rules_forbid_them_are_problems(
    run: Run, photo: Path, eyes: list[GridObservation], pieces: Pieces, told: str
) -> None:
    eyes[:] = [observation(ANN, pieces)]
    ran = run("score", photo, "--strict")
    assert f"! {told}" in ran.out and ran.code == 6


def test_more_pieces_than_the_box_holds_are_a_problem(run: Run, photo: Path, eyes: list[GridObservation]) -> None:
    knights, other = {square.name: ("knight", 0.95) for square in Board.parse(ANN)}, "t f t t / # g t . / w t t l"
    eyes[:] = [observation(ANN, knights), observation(other, knights, left=400), observation(BOB, left=800)]
    assert "! there are 22" not in (ran := run("score", photo, "--knights", "3:1", "--game", "queendomino")).out
    assert "! there are 23 knights in the game, and the box has 22" in ran.out


def test_pieces_of_another_game_are_problems(run: Run, photo: Path, eyes: list[GridObservation]) -> None:
    eyes[:] = [observation(TREASURE, {"B1": ("knight", 0.9995), "A2": ("tower", 0.9)}, {"A1": 0.9})]
    ran = run("score", photo, "--strict")
    assert "a knight stands on B1, and Kingdomino has none: choose Queendomino (--game queendomino)" in ran.out
    assert "tower" not in ran.out and ran.code == 6
    eyes[:] = [observation("w1 f # / l f .", {}, {"A1": 0.9})]
    out = run("score", photo).out
    assert "a gem lies between A1 B2, and Kingdomino has none: choose The Lost Treasures (--lost-treasures)" in out
    eyes[:] = [observation(ANN, {}, {"A1": 0.9})]
    assert "a gem lies between A1 B2, and Queendomino has none" in run("score", photo).out


def test_a_gem_that_touches_a_terrain_twice_is_a_problem(run: Run, photo: Path, eyes: list[GridObservation]) -> None:
    eyes[:] = [observation("w1 f # / l f .", {}, {"A1": 0.9})]
    assert "the gem does not lie between four different terrains" in run("score", photo, "--lost-treasures").out


def test_the_queen_in_one_photo_is_in_no_other(
    run: Run, photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(photo: Photo, **asked: object) -> list[KingdomReading]:
        seen = observation(ANN, {"A1": ("queen", 0.9995)}) if photo.width == 640 else observation(BOB)
        return assemble_kingdoms(photo, [seen])

    monkeypatch.setattr(pipeline, "read", read)
    other = tmp_path / "other.png"
    other.write_bytes(png(table_photo(700, 480).pixels))
    facts = [
        word for n in "12" for word in ("--coins", f"{n}:7", "--knights", f"{n}:1", "--towers", f"{n}:{2 - int(n)}")
    ]
    ran = run("score", photo, other, "--game", "queendomino", "--size", "7", *facts)
    assert "facts are missing" not in ran.out and " wins on points, " in " ".join(ran.out.split())


def test_photos_of_different_games_are_no_game_together(
    run: Run, photo: Path, tmp_path: Path, eyes: list[GridObservation]
) -> None:
    out = tmp_path / "match.toml"

    def read(photo: Photo, **asked: object) -> list[KingdomReading]:
        return assemble_kingdoms(photo, [observation(ANN if photo.width == 640 else TREASURE)])

    other = tmp_path / "other.png"
    other.write_bytes(png(table_photo(700, 480).pixels))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "read", read)
        ran = run("score", photo, other, "--game-file", out)
        strict_run = run("score", photo, other, "--strict", "--json")
    assert ran.code == 1 and not out.exists()
    assert "the photos show different games. Choose the game with --game." in ran.err
    assert "! Nobody wins: the photos show different games." in ran.out
    assert strict_run.code == 6 and "Nobody wins: the photos show different games." in strict_run.err
