"""Open facts, and the range of the points until they are known."""

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdvision.errors import NotationError
from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.game import Game, describe_outlook
from kdvision.game.kingdom import (
    QUEENDOMINO_FACTS,
    TOWNS,
    UNKNOWN,
    UNKNOWN_BUILDING,
    Gem,
    Kingdom,
    PlacedBuilding,
    find_crossings,
)
from kdvision.game.open_facts import compute_range, has_open_facts, list_open_facts
from kdvision.game.rules import TOKEN_KINDS, kingdomino, make_rule_set, queendomino
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.rules.queendomino import BUILDINGS
from kdvision.game.rules.the_court import THE_COURT
from kdvision.game.scoring import score
from kdvision.gamefile.model import parse_game
from kdvision.gamefile.write import write_game_text
from kdvision.report.result import ScoredKingdom
from tests.game.rules.simulated_games import KINDS

OPEN_GAME = '''
game = "queendomino"

[[kingdom]]
player = "Ann"
board = """
f1 f l1 t t
t t l1 l s1
# g w w1 t
f g1 w m m1
g2 g f1 t m3
"""
coins = "?"
towers = 3
queen = "?"
knights = ["A1", "?"]
spare_knights = "?"
buildings = [{ at = "D1", name = "The Sawmill" }, { at = "A2", per_tower = 1 }, { at = "E1", name = "?" }, "?"]

[[kingdom]]
player = "Bo"
board = "# t g"
coins = "?"
buildings = "?"

[[kingdom]]
player = "Cy"
board = "# m2 / . w"
towns = "?"
'''


def replace_texts(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@cache
def simulate_games(kind: str, count: int = 5) -> tuple[Game, ...]:
    rng = np.random.default_rng(20170727)
    return tuple(KINDS[kind](rng) for _ in range(count))


def forget_facts(kingdom: Kingdom, keys: frozenset[str], rng: np.random.Generator) -> Kingdom:
    """Return the kingdom with these facts open; a part of each list stays known."""
    known_pieces = {
        key: tuple(piece for piece in getattr(kingdom, key) if rng.random() < 0.3)
        for key in ("knights", *LOST_TREASURES.facts)
    }
    buildings = [
        building if rng.random() < 0.4 else PlacedBuilding(building.square, UNKNOWN_BUILDING)
        for building in kingdom.buildings
    ]
    gems = [
        gem if rng.random() < 0.8 else replace(gem, kind=UNKNOWN, crowns=(0,) * 4, skull=None)
        for gem in known_pieces["gems"]
    ]
    default_values: dict[str, Any] = {
        "coins": 0,
        "towers": 0,
        "queen": False,
        "spare_knights": 0,
        "knights": known_pieces["knights"],
    }
    default_values |= {
        "gems": tuple(gems),
        "buildings": tuple(building for building in buildings if rng.random() < 0.6),
        TOWNS: None,
    }
    tokens = tuple(token for token in kingdom.tokens if token.key not in keys or rng.random() < 0.3)
    forgotten_values = {key: default_values[key] for key in keys - TOKEN_KINDS.keys()}
    return replace(kingdom, **forgotten_values, tokens=tokens, open_facts=keys)


# The range of the points


FACTS = {
    "queendomino": QUEENDOMINO_FACTS,
    "royal wedding": QUEENDOMINO_FACTS,
    "lost treasures": LOST_TREASURES.facts,
    "the court": THE_COURT.facts,
}
"""The facts that are forgotten in games of each kind."""


@pytest.mark.parametrize("kind", FACTS)
def test_the_true_total_lies_between_whatever_is_forgotten(kind: str) -> None:
    rng, bounded_count = np.random.default_rng(5), 0
    for game in simulate_games(kind):
        for kingdom in game.rounds[0].kingdoms:
            total = score(kingdom, game.rule_set).total
            share = 0.45 if "queen" in FACTS[kind] else 0.9
            keys = frozenset(key for key in FACTS[kind] if rng.random() < share - 0.3 * (key == TOWNS))
            points_range = compute_range(forget_facts(kingdom, keys, rng), game.rule_set)
            assert points_range.minimum <= total
            assert points_range.maximum is None or total <= points_range.maximum
            assert sum(line.points for line in points_range.lines) == points_range.minimum
            bounded_count += points_range.maximum is not None and not points_range.is_exact
    assert bounded_count > 2 or "queen" not in FACTS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_without_open_facts_the_total_is_a_single_number(kind: str) -> None:
    for game in simulate_games(kind):
        for kingdom in game.rounds[0].kingdoms:
            points_range, card = compute_range(kingdom, game.rule_set), score(kingdom, game.rule_set)
            assert (points_range.minimum, points_range.maximum, points_range.open_facts) == (card.total, card.total, ())
            assert (points_range.lines, str(points_range)) == (card.lines, str(card.total))


def test_the_bounds_of_single_facts_are_those_of_the_box() -> None:
    base_kingdom = Kingdom(Board.parse("# t t / w1 w g"), "Ann")
    rules = queendomino()

    def compute_bounds(**facts: Any) -> tuple[int, int | None]:
        points_range = compute_range(replace(base_kingdom, **facts), rules)
        return points_range.minimum, points_range.maximum

    assert compute_bounds() == (2, 2)
    assert compute_bounds(open_facts=frozenset({"coins"})) == (2, 2 + 174 // 3)
    assert compute_bounds(open_facts=frozenset({"queen"})) == (2, 4)
    assert compute_bounds(open_facts=frozenset({"towers", "knights"})) == (2, 2)  # no building counts them
    archers = PlacedBuilding(Square(0, 1), replace(UNKNOWN_BUILDING, name="", per_knight=1))
    assert compute_bounds(buildings=(archers,), spare_knights=2, open_facts=frozenset({"knights"})) == (4, 2 + 22)
    assert compute_bounds(buildings=(PlacedBuilding(Square(0, 1), UNKNOWN_BUILDING),)) == (2, 2 + 5)  # a Statue
    assert compute_bounds(open_facts=frozenset({"buildings"})) == (2, 2 + 5 + 5)
    assert compute_bounds(open_facts=frozenset({TOWNS})) == (0, None)


def test_open_gems_may_curse_only_what_they_can_reach() -> None:
    board = Board.parse("w1 f s2 / l g # / . . m1")
    rules = LOST_TREASURES.add_to(kingdomino())
    points_range = compute_range(Kingdom(board, open_facts=frozenset(LOST_TREASURES.facts)), rules)
    assert [line.label for line in points_range.lines] == ["swamp: 1 square × 2 crowns", "mine: 1 square × 1 crown"]
    assert (points_range.minimum, points_range.maximum) == (3, None)
    assert [fact.text for fact in points_range.open_facts] == ["gems between A1 B2"]
    assert find_crossings(Kingdom(board)) == (Square(0, 0),)  # the castle is no landscape


def test_gems_and_buildings_without_a_place_are_no_open_facts() -> None:
    assert not has_open_facts(Kingdom(Board.parse("# w w"), open_facts=frozenset(LOST_TREASURES.facts)))
    assert not has_open_facts(Kingdom(Board.parse("# w w"), open_facts=frozenset({"buildings"})))
    open_facts = list_open_facts(Kingdom(Board.parse("# w w"), open_facts=frozenset({"buildings", TOWNS})))
    assert [fact.text for fact in open_facts] == ["which squares are towns", "buildings"]


def test_facts_that_no_building_counts_are_not_open() -> None:
    open_facts = frozenset({"towers", "knights", "spare_knights"})
    town_kingdom = Kingdom(Board.parse("# t t / w1 w g"), open_facts=open_facts)
    assert not has_open_facts(town_kingdom)
    tower_building, knight_building = (
        PlacedBuilding(Square(0, 1), replace(UNKNOWN_BUILDING, name="", per_tower=1)),
        replace(UNKNOWN_BUILDING, name="", per_knight=1),
    )
    assert [fact.key for fact in list_open_facts(replace(town_kingdom, buildings=(tower_building,)))] == ["towers"]
    buildings = (tower_building, PlacedBuilding(Square(0, 2), knight_building))
    assert [fact.key for fact in list_open_facts(replace(town_kingdom, buildings=buildings))] == [
        "towers",
        "knights",
        "spare_knights",
    ]
    assert has_open_facts(replace(town_kingdom, buildings=(PlacedBuilding(Square(0, 1), UNKNOWN_BUILDING),)))
    assert len(list_open_facts(replace(town_kingdom, open_facts=open_facts | {"buildings"}))) == 4


def test_squares_not_known_take_away_what_rests_on_the_whole_board() -> None:
    kingdom = Kingdom(Board.parse("w1 # ? / w g1 g"))
    points_range = compute_range(kingdom, make_rule_set(variants=["middle-kingdom", "harmony"]))
    assert (points_range.minimum, points_range.maximum) == (2 + 2, None)
    assert [fact.text for fact in points_range.open_facts] == ["what lies on C1"]
    assert not has_open_facts(kingdom)
    assert ScoredKingdom(kingdom, kingdomino()).card == score(kingdom, kingdomino())


def test_a_square_not_known_may_join_a_territory_to_one_under_a_skull() -> None:
    rules = LOST_TREASURES.add_to(kingdomino())
    skull = Gem("ruby", Square(0, 0), (0, 0, 0, 0), skull=0)  # on A1

    def compute_minimum(board: str, **facts: Any) -> int:
        return compute_range(Kingdom(Board.parse(board), **facts), rules).minimum

    assert compute_minimum("w1 ? w1 / f1 m s1", gems=(skull,)) == 2  # f1 and s1 alone: B1 may be wheat, too
    assert compute_minimum("w1 l w1 / f1 m s1", gems=(skull,)) == 3
    assert compute_minimum("? w1 w / f1 m s1", gems=(skull,)) == 1  # the skull's square is unknown: wheat or forest
    assert (
        compute_minimum("w1 f1 / ? s1 / m1 m", open_facts=frozenset(LOST_TREASURES.facts)) == 0
    )  # a gem can lie there once the square is known
    assert (
        compute_minimum("w1 f1 / ? f1 / m1 m", open_facts=frozenset(LOST_TREASURES.facts)) == 1 + 4 + 2
    )  # nowhere do four landscapes meet
    points_range = compute_range(Kingdom(Board.parse("w1 ? s1 / f m s1"), gems=(skull,)), rules)
    assert [line.label for line in points_range.lines if line.squares == (Square(0, 0),)] == [
        "wheat: 1 square × 1 crown, worth nothing under a skull"
    ]


WORDS = [".", "#", *(letter + crowns for letter in "wflgsmt" for crowns in ("", "1", "3"))]
"""The words for what an unknown square may hold."""


@st.composite
def partial_kingdoms(draw: st.DrawFn) -> tuple[Kingdom, list[Square]]:
    """Return a small kingdom of The Lost Treasures with unknown squares, and these squares; a gem may be unknown."""
    words = st.sampled_from(["w", "w1", "w2", "f1", "f", "l1", "g1", "#", "."])
    rows = draw(st.lists(st.lists(words, min_size=4, max_size=4), min_size=3, max_size=3))
    for row, col in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=2)):
        rows[row][col] = "?"
    corner = st.builds(Square, st.integers(0, 2), st.integers(0, 3))
    quarter_crowns = st.tuples(*[st.integers(0, 1)] * 4)
    gems = draw(
        st.lists(st.builds(Gem, st.just("ruby"), corner, quarter_crowns, st.none() | st.integers(0, 3)), max_size=2)
    )
    if draw(st.booleans()):
        gems.append(Gem(UNKNOWN, draw(corner)))
    board = Board.parse([" ".join(row) for row in rows])
    return Kingdom(
        board, gems=tuple(gems), open_facts=draw(st.sampled_from([frozenset(), frozenset(LOST_TREASURES.facts)]))
    ), sorted(board.unknown)


@settings(max_examples=150)
@given(partial_kingdoms(), st.randoms(use_true_random=False))
def test_no_possible_total_lies_below_the_least(partial_kingdom: tuple[Kingdom, list[Square]], rng: Random) -> None:
    kingdom, squares = partial_kingdom
    rules = LOST_TREASURES.add_to(make_rule_set(side=5, variants=["middle-kingdom", "harmony"]))
    points_range = compute_range(kingdom, rules)
    assert sum(line.points for line in points_range.lines) == points_range.minimum
    fillings = list(product(WORDS, repeat=len(squares)))
    for words in rng.sample(fillings, min(len(fillings), 60)):
        contents = {
            square: None if word == "." else Cell.parse(word) for square, word in zip(squares, words, strict=True)
        }
        complete_kingdom = replace(kingdom, board=kingdom.board.with_cells(contents))
        crossings = [gem.crossing for gem in kingdom.gems if gem.kind == UNKNOWN]
        crossings += find_crossings(complete_kingdom) if "gems" in kingdom.open_facts else ()
        skulls = [Gem("opal", crossing, skull=rng.randrange(4)) for crossing in crossings if rng.random() < 0.7]
        gems = (*(gem for gem in kingdom.gems if gem.kind != UNKNOWN), *skulls)
        assert points_range.minimum <= score(replace(complete_kingdom, gems=gems), rules).total


@settings(max_examples=100)
@given(
    st.lists(st.lists(st.sampled_from(["w1", "w", "f1", "t", "m2", "#", "."]), min_size=4, max_size=4), min_size=3),
    st.tuples(st.integers(0, 2), st.integers(0, 3)),
    st.booleans(),
)
def test_nor_does_one_with_the_queen_and_buildings(rows: list[list[str]], place: tuple[int, int], queen: bool) -> None:
    rows = [list(row) for row in rows[:3]]
    rows[place[0]][place[1]] = "?"
    board = Board.parse([" ".join(row) for row in rows])
    towns = [square for square, cell in board.items() if cell.terrain is Terrain.TOWN]
    buildings = tuple(PlacedBuilding(square, tile) for square, tile in zip(towns, BUILDINGS[::3], strict=False))
    kingdom = Kingdom(board, queen=queen, buildings=buildings, towers=3, spare_knights=2)
    rules = make_rule_set("queendomino", variants=["middle-kingdom", "harmony"])
    minimum = compute_range(kingdom, rules).minimum
    for word in WORDS:
        cell = None if word == "." else Cell.parse(word)
        complete_kingdom = replace(kingdom, board=board.with_cells({Square(*place): cell}))
        assert minimum <= score(complete_kingdom, rules).total


# Game files with open facts


def test_an_open_file_says_what_is_missing() -> None:
    game = parse_game(OPEN_GAME)
    ann, bo, cy = game.rounds[0].kingdoms
    assert [fact.text for fact in list_open_facts(ann)] == [
        "coins",
        "whether the Queen is here",
        "knights on the board",
        "knights beside the board",
        "buildings on B2, E3 and D5",
        "which building stands on E1",
    ]
    assert [fact.text for fact in list_open_facts(bo)] == ["coins", "buildings on B1"]
    assert [fact.text for fact in list_open_facts(cy)] == ["which squares are towns"]
    assert (ann.knights, ann.towers, ann.coins) == ((Square(0, 0),), 3, 0)
    assert game.is_open(game.rounds[0])
    assert game.find_problems(game.rounds[0]) == ()
    assert ScoredKingdom(ann, game.rule_set).card.total == compute_range(ann, game.rule_set).minimum == 46


def test_an_open_file_is_written_and_read_back() -> None:
    game = parse_game(OPEN_GAME)
    assert parse_game(write_game_text(game)) == game
    text = write_game_text(game, head=["one\nline\x00"], remarks=[["of Ann"], [], ["of Cy"]], has_side=False)
    assert parse_game(text) == game
    assert text.startswith("# one line\n")
    assert text.index("# of Ann") < text.index('"Bo"') < text.index("# of Cy")


@pytest.mark.parametrize("kind", FACTS)
def test_open_games_survive_their_files(kind: str) -> None:
    rng = np.random.default_rng(11)
    for game in simulate_games(kind):
        keys = frozenset(FACTS[kind]) - {"towers", "queen"}
        kingdoms = tuple(forget_facts(kingdom, keys, rng) for kingdom in game.rounds[0].kingdoms)
        game = replace(game, rounds=(replace(game.rounds[0], kingdoms=kingdoms),))
        assert parse_game(write_game_text(game)) == game


def test_a_given_queen_is_no_open_fact_of_the_others() -> None:
    game = parse_game(replace_texts(OPEN_GAME, ('player = "Bo"', 'player = "Bo"\nqueen = true\ntowers = 4')))
    assert not any("queen" in kingdom.open_facts for kingdom in game.rounds[0].kingdoms)


def test_the_winner_is_named_early_only_if_no_open_fact_can_change_it() -> None:
    text = replace_texts(OPEN_GAME, ('towns = "?"', "towns = 0"), ('coins = "?"\nbuildings = "?"', "coins = 9"))
    game = parse_game(text)
    table = game.rounds[0]
    assert game.is_open(table)
    assert describe_outlook(table, game.rule_set) == "Ann wins, whatever is still missing"
    assert describe_outlook(replace(table, kingdoms=table.kingdoms[:1]), game.rule_set) == ""
    undecided_text = "who wins is not known yet"
    assert describe_outlook(replace(table, seats=4), game.rule_set) == undecided_text
    five_kingdoms = (*table.kingdoms, *[table.kingdoms[-1]] * (5 - len(table.kingdoms)))
    assert describe_outlook(replace(table, kingdoms=five_kingdoms), game.rule_set) == undecided_text  # four may play
    assert describe_outlook(parse_game(OPEN_GAME).rounds[0], game.rule_set) == undecided_text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('coins = "?"', 'coins = ["?"]', "coins is ['?']; expected a whole number"),
        ('coins = "?"', 'coins = "??"', "coins is '??'; expected a whole number"),
        ('queen = "?"', 'queen = ["?"]', "queen is ['?']; expected true or false"),
        ('"A1", "?"', '"A1", "??"', "'??' is no square"),
        ("towers = 3", 'discarded = "?"', "discarded is '?'; expected a whole number"),
        ('name = "?"', 'name = "?", points = 9', "? that gives 9 points; expected one of"),
        ('game = "queendomino"', 'game = "kingdomino"', 'coins is no part of this game; expected game = "queendomino"'),
    ],
)
def test_only_what_can_be_left_open_may_be(old: str, new: str, message: str) -> None:
    with pytest.raises(NotationError) as error_info:
        parse_game(replace_texts(OPEN_GAME, (old, new)))
    assert message in str(error_info.value)


# Problems of games with open facts


def list_problems(text: str) -> list[str]:
    game = parse_game(text)
    return [problem.text for problem in game.find_problems(game.rounds[0])]


def test_towns_that_were_counted_have_to_be_on_the_board() -> None:
    assert "2 town squares were counted here, and the board has 0: write t on each" in list_problems(
        replace_texts(OPEN_GAME, ('towns = "?"', "towns = 2"))
    )


def test_more_pieces_than_the_box_holds_are_a_problem_despite_open_facts() -> None:
    tiles = ", ".join('{ at = "B1", name = "?" }' for _ in range(33))
    problem_texts = list_problems(
        replace_texts(
            OPEN_GAME,
            ('buildings = "?"', f'buildings = [{tiles}]\nknights = ["C1", "?"]\nspare_knights = 21\ntowers = 13'),
        )
    )
    assert "there are 36 buildings in the game, and the box has 32" in problem_texts
    assert "more than one building stands on B1" in problem_texts
    assert "there are 23 knights in the game, and the box has 22" in problem_texts
    assert "there are 16 towers in the game, and the box has 15" in problem_texts
    assert not [text for text in problem_texts if "? stands" in text]


def test_gems_of_unknown_kind_are_checked_against_the_rules() -> None:
    gems = ", ".join(f'{{ kind = "?", between = "{place}" }}' for place in ["A1 B2"] + ["B1 C2"] * 16)
    problem_texts = list_problems(
        'variants = ["lost-treasures"]\n[[kingdom]]\nplayer = "Ann"\n'
        f'board = "w f w / l g # / . . m"\ngems = [{gems}, "?"]\n[[kingdom]]\nboard = "# w w"\n'
    )
    assert "there are 17 gems in the game, and the box has 16" in problem_texts
    assert "16 gems lie between B1, C1, C2 and B2" in problem_texts
    assert any("does not lie between four different terrains" in text for text in problem_texts)


def test_boards_with_open_towns_are_not_checked_against_the_box() -> None:
    text = replace_texts(OPEN_GAME, ("# m2 / . w", "# m1 / m3 s2"))
    assert not list_problems(text)
    assert list_problems(text.replace('towns = "?"', ""))


def test_a_piece_may_lie_on_a_square_that_is_unknown() -> None:
    gem = 'variants = ["lost-treasures"]\n[[kingdom]]\nboard = "{}"\n'
    gem += 'gems = [{{ kind = "ruby", between = "A1 B2", crowns = [1, 0, 0, 0] }}]'
    building = 'game = "queendomino"\n[[kingdom]]\nboard = "{}"\nbuildings = ["A2 The Statue"]'
    for text, count in (("w f # / ? s l", 0), ("w f # / . s l", 1), ("w f # / ? w l", 1)):
        assert sum("gem" in words for words in list_problems(gem.format(text))) == count
    for text, count in (("w f # / ? t t", 0), ("w f # / w t t", 1)):
        assert sum("building" in words for words in list_problems(building.format(text))) == count


def test_no_gem_is_expected_at_an_unknown_square() -> None:
    assert find_crossings(Kingdom(Board.parse("w f / g s"))) == (Square(0, 0),)
    assert find_crossings(Kingdom(Board.parse("w f / ? s"))) == ()


def test_open_giants_can_only_lower_the_points_except_of_the_bleak_king() -> None:
    kingdom = Kingdom(Board.parse("# w1 w w1 / . w w ."), open_facts=frozenset({"giants"}))
    points_range = compute_range(kingdom, make_rule_set(variants=["age-of-giants", "lost-corner"]))
    assert (points_range.minimum, points_range.maximum, str(points_range)) == (20, 30, "20 to 30")
    assert [(line.label, line.points) for line in points_range.lines] == [("Lost Corner", 20)]
    points_range = compute_range(kingdom, make_rule_set(variants=["age-of-giants", "bleak-king"]))
    assert (points_range.minimum, points_range.maximum) == (0, None)


def test_the_bleak_king_is_certain_where_no_crown_is_open() -> None:
    kingdom = Kingdom(Board.parse("# w w w / . w w t"), open_facts=frozenset({"coins", "queen"}))
    points_range = compute_range(kingdom, make_rule_set("queendomino", variants=["bleak-king"]))
    assert (points_range.minimum, points_range.maximum) == (10, 10 + 174 // 3 + 5)  # Bleak King counts no Queen


@pytest.mark.parametrize("kind", ["age of giants", "the court"])
def test_the_points_with_all_tokens_lie_within_the_range_without_some(kind: str) -> None:
    rng = np.random.default_rng(45)
    for _ in range(60):
        game = KINDS[kind](rng)
        kinds = sorted(TOKEN_KINDS.keys() & game.rule_set.facts)
        for kingdom in game.rounds[0].kingdoms:
            keys = frozenset(kinds[i] for i in rng.permutation(len(kinds))[: rng.integers(1, len(kinds) + 1)])
            tokens = tuple(token for token in kingdom.tokens if token.key not in keys)
            points_range = compute_range(replace(kingdom, tokens=tokens, open_facts=keys), game.rule_set)
            total = score(kingdom, game.rule_set).total
            assert points_range.minimum <= total
            assert points_range.maximum is None or total <= points_range.maximum


def test_crowns_of_two_open_buildings_may_earn_more_than_each_by_itself() -> None:
    """Folie des grandeurs counts three crowns in a row: with two buildings, Ann can still overtake Bo."""
    text = """
game = "queendomino"
variants = ["folie-des-grandeurs", "harmony"]
kingdoms = 3
side = 5
[[kingdom]]
player = "Ann"
board = "# t t w1 / g f f w / g l l w"
buildings = BUILDINGS
[[kingdom]]
player = "Bo"
board = "# w1 w w w / w w w w w / . . w w w / . . w w ."
[[kingdom]]
player = "Cy"
board = "# w w"
"""

    games = [
        parse_game(text.replace("BUILDINGS", buildings)) for buildings in ('["B1 1 crown", "C1 1 crown"]', '["?"]')
    ]
    open_range = compute_range(games[1].rounds[0].kingdoms[0], games[1].rule_set)
    assert score(games[0].rounds[0].kingdoms[0], games[0].rule_set).total == 17
    assert open_range.minimum <= 17 and (open_range.maximum is None or open_range.maximum >= 17)
