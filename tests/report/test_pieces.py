"""From detected pieces to points: kingdoms, ranges, missing facts, and pieces that the rules forbid.

Observations are made from notation, with pieces on squares and gems on crossings. No network runs.
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
from kdvision.report.pieces import find_played_variants
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import IMPOSSIBLE_LOG_PROBABILITY, KINDS, ClassProbabilities
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.image.photo import Photo
from tests.conftest import Run
from tests.kingdoms import fill_in, list_lines, make_plain_observation, png, table_photo

WITH_TOWNS = (*KINDS[:-1], "t", KINDS[-1])
PIECE_NAMES = ("", "knight", "tower", "queen", "building")

ANN = "t t l1 t / # f f . / m3 t f1 t"
BOB = "w1 m . / # t s / . t t"
TREASURE = "w1 f # / l g ."

Pieces = Mapping[str, tuple[str, float]]
NO_PIECES: Pieces = {}


def make_observation(
    text: str, pieces: Pieces = NO_PIECES, gems: Mapping[str, float] = {}, *, left: float = 40
) -> GridObservation:
    """Return the observation of a board with towns and pieces. A crossing has the name of its upper left square."""
    board, reading = Board.parse(text), ClassProbabilities.of(text, confidence=0.999, kinds=WITH_TOWNS)
    probabilities = np.full((board.height, board.width, len(PIECE_NAMES)), 1e-4)
    probabilities[..., 0] = 1 - 1e-4 * (len(PIECE_NAMES) - 1)
    for name, (kind, probability) in pieces.items():
        probabilities[Square.parse(name)][PIECE_NAMES.index(kind)] = probability
        probabilities[Square.parse(name)][0] = 1 - probability - 1e-4 * (len(PIECE_NAMES) - 2)
    crossings = np.full((board.height + 1, board.width + 1), IMPOSSIBLE_LOG_PROBABILITY)
    for name, probability in gems.items():
        square = Square.parse(name)
        crossings[square.row + 1, square.col + 1] = np.log(probability / (1 - probability))
    observation = make_plain_observation(reading, left=left)
    return replace(observation, pieces=np.log(probabilities), gems=crossings, piece_names=PIECE_NAMES)


@pytest.fixture
def observations(monkeypatch: pytest.MonkeyPatch) -> list[GridObservation]:
    """The observations in every photo of a test. Everything after the networks is the program's own code."""
    photo_observations: list[GridObservation] = []

    def read(photo: Photo, *, game: str, **options: object) -> list[KingdomReading]:
        return assemble_kingdoms(photo, photo_observations, game=game)

    monkeypatch.setattr(pipeline, "read", read)
    return photo_observations


# From a photo to the score.


def test_a_game_of_queendomino_is_found_and_scored_from_its_photo_and_its_file(
    run: Run, photo: Path, observations: list[GridObservation], tmp_path: Path
) -> None:
    """Each line has the points that a person at the table would count."""
    out = tmp_path / "match.toml"
    pieces = {"B2": ("knight", 0.98), "A1": ("building", 0.97), "D3": ("building", 0.95), "C2": ("tower", 0.9)}
    observations[:] = [make_observation(ANN, pieces), make_observation(BOB, {"C2": ("knight", 0.99)}, left=400)]
    result = run("score", photo, "--players", "Ann,Bob", "--game-file", out)
    assert result.code == 0 and "2 kingdoms · Queendomino" in " ".join(result.out.split())
    ann, bob = load_game(out).rounds[0].kingdoms
    assert (ann.knights, bob.knights) == ((Square(1, 1),), (Square(1, 2),))
    assert [building.square.name for building in ann.buildings] == ["A1", "D3"]
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
    game_result = json.loads(run("game", out, "--json").out)
    assert game_result["complete"]
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
    for kingdom, expected_kingdom in zip(game_result["rounds"][0]["kingdoms"], truth, strict=True):
        assert [(line["label"], line["points"]) for line in kingdom["lines"]] == list_lines(
            expected_kingdom, queendomino()
        )


def test_detected_gems_are_scored_from_the_file(
    run: Run, photo: Path, observations: list[GridObservation], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    observations[:] = [make_observation(TREASURE, gems={"A1": 0.98})]
    result = run("score", photo, "--game-file", out)
    assert "Kingdomino, The Lost Treasures" in " ".join(result.out.split())
    assert "? still missing: which gem lies between A1 B2" in result.out
    gem = 'kind = "?", between = "A1 B2", crowns = [0, 0, 0, 0]'
    fill_in(out, (gem, 'kind = "ruby", between = "A1 B2", crowns = [1, 0, 0, 2]'))
    (kingdom,) = json.loads(run("game", out, "--json").out)["rounds"][0]["kingdoms"]
    expected_kingdom = Kingdom(Board.parse(TREASURE), gems=(Gem("ruby", Square(0, 0), (1, 0, 0, 2)),))
    rules = LOST_TREASURES.add_to(kingdomino())
    assert [(line["label"], line["points"]) for line in kingdom["lines"]] == list_lines(expected_kingdom, rules)


def test_points_are_a_range_that_holds_the_truth(run: Run, photo: Path, observations: list[GridObservation]) -> None:
    observations[:] = [make_observation(ANN, {"A1": ("building", 0.97), "B2": ("knight", 0.98)})]
    (result,) = json.loads(run("score", photo, "--json").out)["kingdoms"]
    kingdom = Kingdom(
        Board.parse(ANN), buildings=(PlacedBuilding(Square(0, 0), Building(points=5)),), knights=(Square(1, 1),)
    )
    assert result["least"] <= score(kingdom, queendomino()).total <= result["most"]
    assert {gap["item"] for gap in result["missing"]} == {"coins", "towers", "queen", "spare_knights", "buildings"}
    assert [gap["text"] for gap in result["missing"] if gap["item"] == "buildings"] == ["which building stands on A1"]


def test_json_table_and_picture_show_detected_pieces(
    run: Run, photo: Path, observations: list[GridObservation], tmp_path: Path
) -> None:
    observations[:] = [make_observation(ANN, {"B2": ("knight", 0.75), "D3": ("queen", 0.95)})]
    result = json.loads(run("score", photo, "--json").out)
    assert result["game"] == "queendomino"
    assert result["kingdoms"][0]["pieces"] == [
        {"kind": "knight", "square": "B2", "probability": 0.75},
        {"kind": "queen", "square": "D3", "probability": 0.95},
    ]
    assert result["kingdoms"][0]["gems"] == []
    assert "seen: knight on B2 (75 %), queen on D3" in run("score", photo).out
    path_without_knight, path_with_knight = tmp_path / "plain.png", tmp_path / "drawn.png"
    assert run("score", photo, "--overlay", path_with_knight).code == 0
    observations[:] = [make_observation(ANN, {"D3": ("queen", 0.95)})]
    assert run("score", photo, "--overlay", path_without_knight).code == 0
    pictures = [Photo.open(path).pixels.astype(int) for path in (path_without_knight, path_with_knight)]
    rows, cols, _ = np.nonzero(np.abs(pictures[0] - pictures[1]) > 8)
    quad = observations[0].grid.quads[1, 1]
    on_board = rows > quad[0, 1]  # the range above the kingdom differs too
    assert on_board.any()
    assert rows[on_board].min() >= quad[0, 1] and cols[on_board].min() >= quad[0, 0] - 5
    assert rows[on_board].max() <= quad[2, 1] + 5 and cols[on_board].max() <= quad[2, 0] + 5


def test_the_queen_on_a_board_is_with_its_kingdom(run: Run, photo: Path, observations: list[GridObservation]) -> None:
    observations[:] = [make_observation(ANN), make_observation(BOB, {"C3": ("queen", 0.97)}, left=400)]
    ann, bob = json.loads(run("score", photo, "--json").out)["kingdoms"]
    assert "queen" not in {gap["item"] for gap in (*ann["missing"], *bob["missing"])}
    assert bob["crowns"] == 2
    ann, bob = json.loads(run("score", photo, "--queen", "1", "--game", "queendomino", "--json").out)["kingdoms"]
    assert (ann["crowns"], bob["crowns"]) == (6, 1)


def test_given_knights_are_those_on_the_board_and_beside_it(
    run: Run, photo: Path, observations: list[GridObservation]
) -> None:
    observations[:] = [make_observation(ANN, {"B2": ("knight", 0.98), "A1": ("building", 0.97)})]
    facts = ("--knights", "1:3", "--coins", "0", "--towers", "0", "--queen", "0", "--json")
    (result,) = json.loads(run("score", photo, "--game", "queendomino", *facts).out)["kingdoms"]
    assert [gap["text"] for gap in result["missing"]] == ["which building stands on A1"]
    kingdom = Kingdom(Board.parse(ANN), knights=(Square(1, 1),), spare_knights=2)
    kingdoms = [replace(kingdom, buildings=(PlacedBuilding(Square(0, 0), tile),)) for tile in BUILDINGS]
    assert result["most"] == max(score(candidate, queendomino()).total for candidate in kingdoms)


def test_a_given_count_below_the_detected_one_counts_and_is_a_problem(
    run: Run, photo: Path, observations: list[GridObservation]
) -> None:
    pieces = {"B2": ("knight", 0.98), "A3": ("knight", 0.9), "C1": ("knight", 0.7), "C3": ("tower", 0.95)}
    observations[:] = [
        make_observation(ANN, pieces),
        make_observation(BOB, {"C3": ("queen", 0.97), "A1": ("knight", 0.95)}, left=400),
    ]
    facts = ("--game", "queendomino", "--coins", "1:0", "--coins", "2:0", "--queen", "0")
    counts = ("--knights", "1:2", "--knights", "2:1", "--towers", "1:0", "--towers", "2:0")
    first, second = json.loads(run("score", photo, *facts, *counts, "--json").out)["kingdoms"]
    assert [problem["text"] for problem in first["problems"] if "given" in problem["text"]] == [
        "2 knights were given, but the photo shows 3 (on C1, B2 and A3): the given number counts",
        "0 towers were given, but the photo shows 1 (on C3): the given number counts",
    ]
    assert [problem["text"] for problem in second["problems"] if "given" in problem["text"]] == [
        "the Queen was given as being in no kingdom, but the photo shows her on C3: the given kingdom counts"
    ]
    assert first["review"] and second["review"]
    result = run("score", photo, *facts[:-1], "1", *counts)
    assert "! the Queen was given as being in kingdom 1, but the photo shows her on C3" in result.out


def test_the_file_has_the_given_number_of_knights(
    run: Run, photo: Path, observations: list[GridObservation], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    observations[:] = [make_observation(ANN, {"B2": ("knight", 0.98), "A3": ("knight", 0.9), "C1": ("knight", 0.7)})]
    assert run("score", photo, "--game", "queendomino", "--knights", "1:2", "--game-file", out).code == 0
    (ann,) = load_game(out).rounds[0].kingdoms
    assert ([square.name for square in ann.knights], ann.spare_knights) == (["B2", "A3"], 0)
    result = run("score", photo, "--game", "queendomino", "--knights", "1:1")
    assert "! 1 knight was given, but the photo shows 3 (on C1, B2 and A3): the given number counts" in result.out


# What is not certain.


def test_an_uncertain_piece_is_an_open_fact(
    run: Run, photo: Path, observations: list[GridObservation], tmp_path: Path
) -> None:
    out = tmp_path / "match.toml"
    observations[:] = [make_observation(ANN, {"B2": ("knight", 0.3), "A1": ("building", 0.7), "D3": ("knight", 0.97)})]
    result = run("score", photo, "--game-file", out)
    assert "! a knight may stand on B2 (30 % sure): look" in result.out
    assert "! a building may stand on A1 (70 % sure): look" in result.out
    (ann,) = load_game(out).rounds[0].kingdoms
    assert ann.open_facts >= {"knights", "buildings"}
    assert (ann.knights, [building.square.name for building in ann.buildings]) == ((Square(2, 3),), ["A1"])
    assert 'knights = ["D3", "?"]' in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(("gems", "variants"), [({"A1": 0.9}, ("lost-treasures",)), ({"A1": 0.7}, ()), ({}, ())])
def test_a_certain_gem_alone_adds_its_variant(gems: Mapping[str, float], variants: tuple[str, ...]) -> None:
    (reading,) = assemble_kingdoms(table_photo(), [make_observation(TREASURE, gems=gems)])
    assert len(reading.gems) == len(gems)
    assert find_played_variants([reading], "kingdomino", ()) == variants


def test_an_uncertain_gem_is_an_open_fact(run: Run, photo: Path, observations: list[GridObservation]) -> None:
    observations[:] = [make_observation(TREASURE, gems={"A1": 0.4})]
    result = run("score", photo, "--lost-treasures")
    assert "! a gem may lie between A1 B2 (40 % sure): look" in result.out
    assert "? still missing: gems between A1 B2" in result.out
    assert "Lost Treasures" not in run("score", photo).out


# What the rules forbid.


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ({"A2": ("knight", 0.95)}, "the knight on A2 stands on the castle"),
        ({"B2": ("building", 0.95)}, "the building on B2 does not stand on a town square"),
    ],
)
def test_pieces_where_the_rules_forbid_them_are_problems(
    run: Run, photo: Path, observations: list[GridObservation], pieces: Pieces, message: str
) -> None:
    observations[:] = [make_observation(ANN, pieces)]
    result = run("score", photo, "--strict")
    assert f"! {message}" in result.out and result.code == 6


def test_more_pieces_than_the_box_holds_are_a_problem(
    run: Run, photo: Path, observations: list[GridObservation]
) -> None:
    knights, other_board = {square.name: ("knight", 0.95) for square in Board.parse(ANN)}, "t f t t / # g t . / w t t l"
    observations[:] = [
        make_observation(ANN, knights),
        make_observation(other_board, knights, left=400),
        make_observation(BOB, left=800),
    ]
    assert "! there are 22" not in (result := run("score", photo, "--knights", "3:1", "--game", "queendomino")).out
    assert "! there are 23 knights in the game, and the box has 22" in result.out


def test_pieces_of_another_game_are_problems(run: Run, photo: Path, observations: list[GridObservation]) -> None:
    observations[:] = [make_observation(TREASURE, {"B1": ("knight", 0.9995), "A2": ("tower", 0.9)}, {"A1": 0.9})]
    result = run("score", photo, "--strict")
    assert "a knight stands on B1, and Kingdomino has none: choose Queendomino (--game queendomino)" in result.out
    assert "tower" not in result.out and result.code == 6
    observations[:] = [make_observation("w1 f # / l f .", {}, {"A1": 0.9})]
    out = run("score", photo).out
    assert "a gem lies between A1 B2, and Kingdomino has none: choose The Lost Treasures (--lost-treasures)" in out
    observations[:] = [make_observation(ANN, {}, {"A1": 0.9})]
    assert "a gem lies between A1 B2, and Queendomino has none" in run("score", photo).out


def test_a_gem_that_touches_a_terrain_twice_is_a_problem(
    run: Run, photo: Path, observations: list[GridObservation]
) -> None:
    observations[:] = [make_observation("w1 f # / l f .", {}, {"A1": 0.9})]
    assert "the gem does not lie between four different terrains" in run("score", photo, "--lost-treasures").out


def test_the_queen_in_one_photo_is_in_no_other(
    run: Run, photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(photo: Photo, **options: object) -> list[KingdomReading]:
        observation = make_observation(ANN, {"A1": ("queen", 0.9995)}) if photo.width == 640 else make_observation(BOB)
        return assemble_kingdoms(photo, [observation])

    monkeypatch.setattr(pipeline, "read", read)
    other_photo = tmp_path / "other.png"
    other_photo.write_bytes(png(table_photo(700, 480).pixels))
    facts = [
        word for n in "12" for word in ("--coins", f"{n}:7", "--knights", f"{n}:1", "--towers", f"{n}:{2 - int(n)}")
    ]
    result = run("score", photo, other_photo, "--game", "queendomino", "--size", "7", *facts)
    assert "facts are missing" not in result.out and " wins on points, " in " ".join(result.out.split())


def test_photos_of_different_games_are_no_game_together(
    run: Run, photo: Path, tmp_path: Path, observations: list[GridObservation]
) -> None:
    out = tmp_path / "match.toml"

    def read(photo: Photo, **options: object) -> list[KingdomReading]:
        return assemble_kingdoms(photo, [make_observation(ANN if photo.width == 640 else TREASURE)])

    other_photo = tmp_path / "other.png"
    other_photo.write_bytes(png(table_photo(700, 480).pixels))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "read", read)
        result = run("score", photo, other_photo, "--game-file", out)
        strict_result = run("score", photo, other_photo, "--strict", "--json")
    assert result.code == 1 and not out.exists()
    assert "the photos show different games. Choose the game with --game." in result.err
    assert "! Nobody wins: the photos show different games." in result.out
    assert strict_result.code == 6 and "Nobody wins: the photos show different games." in strict_result.err
