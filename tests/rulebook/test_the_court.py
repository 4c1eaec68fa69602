"""The Court, clause by clause."""

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdvision.errors import NotationError
from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Building, Gem, Kingdom, PlacedBuilding, Table, Token, TokenKind, count_crowns
from kdvision.game.open_facts import compute_range, list_open_facts
from kdvision.game.rules import kingdomino, make_rule_set, queendomino
from kdvision.game.rules.age_of_giants import GIANTS
from kdvision.game.rules.the_court import BUILDINGS, CHARACTERS, RESOURCE_TOKENS, THE_COURT, TILES
from kdvision.game.scoring import score
from kdvision.game.standing import rank_kingdoms
from kdvision.gamefile.model import parse_game
from kdvision.gamefile.write import write_game_text
from tests.conftest import Run
from tests.paths import SAMPLES

clause = pytest.mark.clause
RULES = THE_COURT.add_to(kingdomino())
GRASS_BOARD = "g g g / g g g / g g g"


def make_tokens(kind: TokenKind, words: Iterable[str]) -> tuple[Token, ...]:
    pairs = [word.partition(" ")[::2] for word in words]
    return tuple(Token(kind.key, Square.parse(square), name, kind.crowns[name]) for square, name in pairs)


def make_kingdom(text: str, *court: str, resources: str = "", player: str = "", **pieces: object) -> Kingdom:
    court_tokens = (*make_tokens(TILES, court), *make_tokens(RESOURCE_TOKENS, resources.split()))
    return Kingdom(Board.parse(text), player, tokens=court_tokens, **pieces)  # type: ignore[arg-type]


def list_points(kingdom: Kingdom) -> list[int]:
    """Return the points of the court's lines."""
    return [line.points for line in score(kingdom, RULES).lines if line.territory is None]


def list_problems(*kingdoms: Kingdom) -> list[str]:
    return [problem.text for problem in RULES.check_pieces(Table(kingdoms))]


@clause("court/gatherers")
@pytest.mark.parametrize(
    "name, terrain, word",
    [("Farmer", "w", "wheat"), ("Lumberjack", "f", "wood"), ("Fisherman", "l", "fish"), ("Shepherdess", "g", "sheep")],
)
def test_gatherers_count_their_resource(name: str, terrain: str, word: str) -> None:
    board = f"{terrain} m {terrain} / s s s / {terrain} s {terrain}"
    assert list_points(make_kingdom(board, f"B2 {name}")) == [3]
    gatherer_kingdom = make_kingdom(board, f"B2 {name}", resources="A1 C3")
    assert list_points(gatherer_kingdom) == [3 + 2 * 3]
    (line,) = (line for line in score(gatherer_kingdom, RULES).lines if line.clause == "court/gatherers")
    assert (line.label, line.squares) == (f"{name} on B2: 3 + 2 {word} × 3", (Square.parse("B2"),))
    other_letters = "w f l g".replace(terrain, "s")
    assert list_points(make_kingdom(f"{other_letters} / s s s s", f"B2 {name}", resources="A1 B1 C1")) == [3]


@clause("court/neighbours")
def test_the_eight_squares_around_count_and_no_others() -> None:
    neighbours = "A1 B1 C1 A2 C2 A3 B3 C3"
    assert list_points(make_kingdom(GRASS_BOARD, "B2 Shepherdess", resources=neighbours)) == [3 + 8 * 3]
    assert list_points(make_kingdom(GRASS_BOARD, "A1 Shepherdess", resources="B1 C1 A2 B2 C2 A3 B3 C3")) == [3 + 3 * 3]
    row = "g g g g g"
    assert list_points(make_kingdom(row, "A1 Shepherdess", resources="C1 D1 E1")) == [3]
    assert list_points(make_kingdom(row, "E1 Shepherdess", resources="A1 B1 C1 D1")) == [6]


@clause("court/banker")
def test_the_banker_counts_all_resources() -> None:
    assert list_points(make_kingdom("w f / l g / s m", "A3 Banker", resources="A2 B2")) == [2 + 2 * 2]
    assert list_points(make_kingdom("w f g / l s g / s m g", "B2 Banker", resources="A1 B1 C1 A2 C2 C3")) == [2 + 6 * 2]
    assert list_points(make_kingdom("s s", "A1 Banker")) == [2]


@clause("court/king")
def test_the_king_counts_crowns() -> None:
    assert list_points(make_kingdom("w1 f2 / s m3", "A2 King")) == [6]
    assert list_points(make_kingdom("w f / s m", "A2 King")) == [0]
    (line,) = (line for line in score(make_kingdom("w1 s", "B1 King"), RULES).lines if line.clause == "court/king")
    assert line.label == "King on B1: 1 crown × 1"


@clause("court/king-crowns")
def test_the_king_counts_the_crowns_that_count_in_territories() -> None:
    building_kingdom = make_kingdom("w g / s m1", "B2 King", "A1 w1")
    assert sum(list_points(building_kingdom)) == 1
    gem = Gem("ruby", Square(0, 0), (1, 2, 0, 1))
    assert list_points(make_kingdom("w f / s g", "B2 King", gems=(gem,))) == [1 + 2 + 1]
    giants = make_tokens(GIANTS, ["A1", "B1"])
    king_kingdom = make_kingdom("w2 f1 / s g", "B2 King")
    assert list_points(replace(king_kingdom, tokens=(*king_kingdom.tokens, *giants))) == [1]
    town_building = PlacedBuilding(Square.parse("A1"), Building(crowns=1))
    rules = THE_COURT.add_to(queendomino())
    lines = score(make_kingdom("t t / s s", "B2 King", buildings=(town_building,), queen=True), rules).lines
    assert [line.points for line in lines if line.clause == "court/king"] == [1]


@clause("court/queen")
def test_the_queen_counts_characters() -> None:
    assert list_points(make_kingdom(GRASS_BOARD, "B2 Queen")) == [2]
    assert list_points(make_kingdom(GRASS_BOARD, "B2 Queen", "A1 Axe Warrior", "C3 Banker")) == [2 + 2 * 2, 3, 2]
    assert sum(list_points(make_kingdom(GRASS_BOARD, "B2 Queen", "A1 g1"))) == 2


@clause("court/captain")
def test_the_captain_counts_warriors() -> None:
    assert list_points(make_kingdom(GRASS_BOARD, "B2 Captain")) == [1]
    assert list_points(make_kingdom(GRASS_BOARD, "B2 Captain", "A1 Axe Warrior", "C3 Light Archery", "B1 Banker")) == [
        7,
        3,
        4,
        2,
    ]
    for square in ("A1", "C1", "A3", "C3", "B1"):
        assert list_points(make_kingdom(GRASS_BOARD, f"{square} Captain", "B2 Sword Warrior")) == [4, 3]


@clause("court/warriors")
def test_warriors_have_points_of_their_own() -> None:
    warriors = ("A1 Axe Warrior", "B1 Sword Warrior", "C1 Light Archery", "A2 Heavy Archery")
    warrior_kingdom = make_kingdom(GRASS_BOARD, *warriors, resources="B2 C2")
    assert list_points(warrior_kingdom) == [3, 3, 4, 4]
    assert "Heavy Archery on A2: 4" in [line.label for line in score(warrior_kingdom, RULES).lines]


@clause("court/building-crowns")
def test_the_crowns_of_buildings_count_in_their_territory() -> None:
    building_kingdom = make_kingdom("g g g / w w1 f", "B1 g2", "A2 w1")
    lines = score(building_kingdom, RULES).lines
    assert [(line.label, line.points) for line in lines] == [
        ("grass: 3 squares × 2 crowns", 6),
        ("wheat: 2 squares × 2 crowns", 4),
        ("forest: 1 square × 0 crowns", 0),
        ("building g2 on B1: 2 crowns of its territory", 0),
        ("building w1 on A2: 1 crown of its territory", 0),
    ]
    assert lines[-1].clause == "court/building-crowns"


@clause("court/variants")
def test_variants_are_played_as_well_and_crowns_of_buildings_break_ties() -> None:
    rule_set = make_rule_set(variants=["harmony", "middle-kingdom", "lost-treasures", "the-court"])
    assert rule_set.name == "Kingdomino, Middle Kingdom, Harmony, The Lost Treasures, The Court"
    ann, bo = make_kingdom("g1 g . / w . .", "A2 w1", player="Ann"), make_kingdom("g1 g f1 / . . .", player="Bo")
    assert (count_crowns(ann), count_crowns(bo)) == (2, 2)
    assert rank_kingdoms([ann, bo], RULES).reason.startswith("Ann and Bo share the victory")
    cy = make_kingdom("g1 g / s s", "A2 Axe Warrior", player="Cy")
    di = make_kingdom("g1 g / m s", "B2 s1", "A2 Queen", player="Di")
    assert rank_kingdoms([cy, di], RULES).reason == "Di wins on crowns, 2 to 1"


@clause("court/mix")
def test_the_court_is_added_to_kingdomino_and_queendomino() -> None:
    assert [THE_COURT.fits(game) for game in ("kingdomino", "queendomino", "royal-wedding")] == [True, True, False]
    assert score(make_kingdom("w1 w", "B1 Farmer"), RULES).total == 2 + 3
    assert score(make_kingdom("w1 w", "B1 Farmer"), THE_COURT.add_to(queendomino())).total == 2 + 3
    assert score(make_kingdom("w1 w"), RULES).lines == score(make_kingdom("w1 w"), kingdomino()).lines


@clause("court/place")
@pytest.mark.parametrize(
    "tile_kingdom, text",
    [
        (make_kingdom("g1 g", "A1 Farmer"), "the court tile Farmer on A1 lies on 1 crown, and needs a square without"),
        (make_kingdom("g m2", "B1 King"), "the court tile King on B1 lies on 2 crowns, and needs a square without"),
        (
            make_kingdom("w g l", "A1 King", resources="A1"),
            "the court tile King on A1 lies on a resource, and needs a free square",
        ),
        (make_kingdom("w l g", "A1 f1"), "the court tile f1 on A1 lies on wheat, and is a building for forest"),
        (make_kingdom("# g", "A1 King"), "the court tile King on A1 is on the castle"),
        (make_kingdom("g .", "B1 King"), "the court tile King on B1 is on no domino"),
    ],
)
def test_a_tile_lies_on_a_free_square_of_its_terrain(tile_kingdom: Kingdom, text: str) -> None:
    assert text in list_problems(tile_kingdom)
    assert list_problems(make_kingdom("w l / ? ?", "A2 w1")) == []


@clause("court/squares")
def test_a_square_has_one_tile() -> None:
    assert (
        list_problems(make_kingdom("w l g s", "D1 King", "D1 Queen"))[0]
        == "the court tile King on D1 lies on the square of another one"
    )
    assert (
        list_problems(make_kingdom("w l g f", resources="A1 A1"))[0]
        == "the resource on A1 lies on the square of another one"
    )
    problems = RULES.check_pieces(Table((make_kingdom("w l g f", resources="A1 A1"),)))
    assert {(problem.clause, problem.squares, problem.kingdom) for problem in problems} == {
        ("court/squares", (Square.parse("A1"),), 0)
    }
    town_building = PlacedBuilding(Square.parse("A1"), Building(points=3))
    assert list_problems(make_kingdom("t g w", "A1 King", buildings=(town_building,))) == [
        "the court tile King on A1 lies on a building, and needs a free square"
    ]
    assert list_problems(make_kingdom("t g w", "A1 King")) == []
    assert list_problems(make_kingdom("t g w", resources="A1")) == [
        "the resource on A1 lies on town, which brings none"
    ]


@clause("court/resources")
def test_resources_lie_on_four_terrains_without_crowns() -> None:
    assert list_problems(make_kingdom("w f l g", resources="A1 B1 C1 D1")) == []
    assert list_problems(make_kingdom("w1 f", resources="A1")) == [
        "the resource on A1 lies on 1 crown, and needs a square without"
    ]
    for letter, terrain in (("s", "swamp"), ("m", "mine")):
        text = f"the resource on A1 lies on {terrain}, which brings none"
        assert list_problems(make_kingdom(f"{letter} f", resources="A1")) == [text]
    assert list_problems(make_kingdom("# f", resources="A1 C1")) == [
        "the resource on A1 is on the castle",
        "the resource on C1 is on no domino",
    ]


@clause("court/price")
def test_tiles_are_paid_with_two_different_resources() -> None:
    assert list_problems(make_kingdom("w f s s", "C1 King")) == []
    unpaid_text = "1 court tile lies here, and the resources that left the board pay for 0"
    assert list_problems(make_kingdom("w f s s", "C1 King", resources="A1")) == [unpaid_text]
    assert list_problems(make_kingdom("w w s s", "C1 King")) == [unpaid_text]
    assert list_problems(make_kingdom("w w f f s s", "E1 King", "F1 Queen")) == []
    assert list_problems(make_kingdom("w w w f s s", "E1 King", "F1 Queen")) == [
        "2 court tiles lie here, and the resources that left the board pay for 1"
    ]
    assert list_problems(make_kingdom("w w s s", "C1 King", open_facts=frozenset({"resources"}))) == []


@clause("court/buildings")
@pytest.mark.parametrize("name, count", [("w1", 3), ("f1", 3), ("l1", 3), ("g1", 1), ("g2", 1), ("s1", 1), ("s2", 1)])
def test_the_box_has_thirteen_buildings(name: str, count: int) -> None:
    assert BUILDINGS[name] == count
    kingdoms = [make_kingdom(f"{name[0]} w f", f"A1 {name}") for _ in range(count + 1)]
    assert list_problems(*kingdoms[:count]) == []
    text = f"the court tile {name} lies in the game {count + 1} times, and the box has {count}"
    assert list_problems(*kingdoms) == [text]


@clause("court/characters")
@pytest.mark.parametrize("name", CHARACTERS)
def test_each_character_is_there_once(name: str) -> None:
    text = f"the court tile {name} lies in the game 2 times, and the box has 1"
    single_kingdom, double_kingdom = (
        make_kingdom("w w f f s s", *tiles) for tiles in ([f"E1 {name}"], [f"E1 {name}", f"F1 {name}"])
    )
    assert list_problems(single_kingdom, single_kingdom) == [text]
    assert list_problems(double_kingdom) == [text]
    assert list_problems(single_kingdom) == []


@clause("court/tokens")
def test_the_box_has_59_resources_and_25_tiles() -> None:
    assert (len(CHARACTERS), sum(BUILDINGS.values()), TILES.count, RESOURCE_TOKENS.count) == (12, 13, 25, 59)
    row = " ".join(["w"] * 20)
    full_kingdom = make_kingdom(row, resources=" ".join(f"{chr(65 + col)}1" for col in range(20)))
    assert list_problems(full_kingdom, full_kingdom) == []
    assert list_problems(full_kingdom, full_kingdom, full_kingdom) == [
        "there are 60 resources in the game, and the box has 59"
    ]


COURT_GAME = """
variants = ["the-court"]

[[kingdom]]
player = "Ann"
board = "w f g # / f w s s"
court = ["C2 Farmer", "D2 s1"]
resources = ["A1", "B2"]
"""


def test_a_game_file_has_tiles_and_resources() -> None:
    game = parse_game(COURT_GAME)
    (ann,) = game.rounds[0].kingdoms
    assert [str(token) for token in ann.tokens] == ["C2 Farmer", "D2 s1", "A1", "B2"]
    assert score(ann, game.rule_set).total == 2 + 3 + 3
    assert parse_game(write_game_text(game)) == game
    assert parse_game(COURT_GAME.replace("C2 Farmer", "c2  the FARMER")) == game


def test_tiles_and_resources_can_be_open() -> None:
    game = parse_game(COURT_GAME.replace('["A1", "B2"]', '["A1", "?"]').replace('"D2 s1"]', '"?"]'))
    (ann,) = game.rounds[0].kingdoms
    assert ann.open_facts == {"court", "resources"}
    assert [fact.text for fact in list_open_facts(ann)] == ["court tiles on the board", "resources on the board"]
    assert str(compute_range(ann, game.rule_set)) == "3 or more"
    (farmer,) = [line.label for line in compute_range(ann, game.rule_set).lines if line.clause == "court/gatherers"]
    assert farmer == "Farmer on C2: 3 + 0 wheat × 3 or more"
    bleak_kingdom = make_kingdom("w w w w w", open_facts=frozenset({"court"}))
    rules = THE_COURT.add_to(make_rule_set(variants=["bleak-king", "harmony"]))
    assert (score(bleak_kingdom, rules).total, str(compute_range(bleak_kingdom, rules))) == (10, "0 or more")
    assert parse_game(write_game_text(game)) == game


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('"D2 s1"', '"D2 mill"', "line 7, kingdom 1, court 2: the court tile 'mill' is not known; expected a square"),
        ('"D2 s1"', '"D2"', "line 7, kingdom 1, court 2: a court tile without its name; expected a square"),
        ('"D2 s1"', '"99 s1"', "line 7, kingdom 1, court 2: '99' is no square"),
        ('"D2 s1"', "7", "line 7, kingdom 1, court 2: court has 7; expected texts in quotes"),
        ('"B2"]', '"B2 wheat"]', "line 8, kingdom 1, resources 2: the resource 'wheat' is not known; expected"),
        ('["the-court"]', "[]", "line 7, kingdom 1, court: court is no part of this game; expected variants"),
        (
            "variants",
            'game = "royal-wedding"\nvariants',
            "line 3, variants: The Court cannot be added to royal-wedding",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_place(old: str, new: str, message: str) -> None:
    assert old in COURT_GAME
    with pytest.raises(NotationError) as error_info:
        parse_game(COURT_GAME.replace(old, new), name="match.toml")
    assert str(error_info.value).startswith(f"match.toml, {message}")


def test_typed_boards_take_tiles_and_resources(run: Run) -> None:
    board = "w f g # / f w s s"
    output = json.loads(
        run("type", board, board, "--court", "1: C2 Farmer, D2 s1", "--resources", "2:B2", "--json").out
    )
    assert [kingdom["total"] for kingdom in output["kingdoms"]] == [2 + 3, 0]
    assert output["kingdoms"][0]["rules"] == "Kingdomino, The Court"
    for text, message in (
        ("1: C2 Farm", "--court, court 1: the court tile 'Farm' is not known"),
        ("4: C2 Farmer", "there is no kingdom 4"),
        ("x: C2 Farmer", "'x: C2 Farmer' is not a list of squares. Write KINGDOM:SQUARES, as in --court 1:C3"),
        ("1:?", "'1:?' is not a list of squares"),
    ):
        result = run("type", board, "--court", text)
        assert result.code == 5
        assert message in result.err


def test_photos_take_tiles_and_leave_open_what_is_not_given(run: Run) -> None:
    photo = SAMPLES / "demo.jpg"
    (complete_kingdom,) = json.loads(run("score", photo, "--court", "1: B2 Farmer", "--resources", "1:", "--json").out)[
        "kingdoms"
    ]
    assert complete_kingdom["total"] == 34 + 3
    (open_kingdom,) = json.loads(run("score", photo, "--court", "1: B2 Farmer", "--json").out)["kingdoms"]
    assert (open_kingdom["total"], open_kingdom["least"], [fact["item"] for fact in open_kingdom["missing"]]) == (
        None,
        37,
        ["resources"],
    )


NAIVE_POINTS = {
    "Farmer": (3, 3, {"w"}),
    "Lumberjack": (3, 3, {"f"}),
    "Fisherman": (3, 3, {"l"}),
    "Shepherdess": (3, 3, {"g"}),
    "Banker": (2, 2, {"w", "f", "l", "g"}),
    "Axe Warrior": (3, 0, set()),
    "Sword Warrior": (3, 0, set()),
    "Light Archery": (4, 0, set()),
    "Heavy Archery": (4, 0, set()),
}
WARRIORS = {"Captain", "Axe Warrior", "Sword Warrior", "Light Archery", "Heavy Archery"}


def compute_naive_points(
    rows: list[list[str]], court: dict[tuple[int, int], str], resources: set[tuple[int, int]]
) -> int:
    """Return the points of the characters, computed from the notation without code of the rules."""

    total = 0
    for (row, col), name in court.items():
        for neighbour_row in range(len(rows)):
            for neighbour_col in range(len(rows[0])):
                if max(abs(neighbour_row - row), abs(neighbour_col - col)) != 1:
                    continue
                word, tile = rows[neighbour_row][neighbour_col], court.get((neighbour_row, neighbour_col), "")
                if name in NAIVE_POINTS:
                    total += NAIVE_POINTS[name][1] * (
                        (neighbour_row, neighbour_col) in resources and word[0] in NAIVE_POINTS[name][2]
                    )
                elif name == "King":
                    total += sum(
                        int(crown_word[1:] or 0) for crown_word in (word, tile) if crown_word[:1] in set("wflgsm")
                    )
                elif name == "Queen":
                    total += 2 * (tile.istitle())
                elif name == "Captain":
                    total += 3 * (tile in WARRIORS)
        total += NAIVE_POINTS.get(name, (0,))[0] + {"Queen": 2, "Captain": 1}.get(name, 0)
    return total


@st.composite
def played_boards(draw: st.DrawFn) -> tuple[list[list[str]], dict[tuple[int, int], str], set[tuple[int, int]]]:
    height, width = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    words = st.sampled_from(["w", "f", "l", "g", "s", "m", "w1", "f1", "l2", "g2", "m3", "#", "."])
    rows = draw(st.lists(st.lists(words, min_size=width, max_size=width), min_size=height, max_size=height))
    land = [(r, c) for r in range(height) for c in range(width) if rows[r][c] not in "#."]
    order = draw(st.permutations(land))
    names = draw(st.permutations([*CHARACTERS, *BUILDINGS]))
    count = draw(st.integers(0, min(len(order), len(names))))
    free_squares = order[count:]
    return (
        rows,
        dict(zip(order[:count], names, strict=False)),
        set(free_squares[: draw(st.integers(0, len(free_squares)))]),
    )


@settings(max_examples=200)
@given(played_boards())
def test_a_naive_scorer_agrees(game: tuple[list[list[str]], dict[tuple[int, int], str], set[tuple[int, int]]]) -> None:
    rows, court, resources = game
    court_kingdom = make_kingdom(
        " / ".join(" ".join(row) for row in rows),
        *(f"{Square(*place).name} {name}" for place, name in court.items()),
        resources=" ".join(Square(*place).name for place in resources),
    )
    assert sum(list_points(court_kingdom)) == compute_naive_points(rows, court, resources)


def test_many_tokens_are_checked_in_a_moment() -> None:
    crowded_kingdom = make_kingdom("g g g", *["A1 King"] * 20_000, resources=" ".join(["B1"] * 20_000))
    assert len(list_problems(crowded_kingdom)) > 40_000
