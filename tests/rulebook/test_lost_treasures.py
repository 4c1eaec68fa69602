"""The Lost Treasures, clause by clause."""

from dataclasses import replace

import pytest

from kdvision.game.board import Board, Square
from kdvision.game.game import Game, find_table_problems
from kdvision.game.kingdom import JOKER, UNKNOWN, Gem, Kingdom, Table, count_crowns, measure_largest
from kdvision.game.rules import kingdomino, make_rule_set
from kdvision.game.rules.lost_treasures import LOST_TREASURES, has_all_gems
from kdvision.game.scoring import score
from kdvision.game.standing import rank_dynasty, rank_kingdoms

clause = pytest.mark.clause
RULES = LOST_TREASURES.add_to(kingdomino())
CROSSING = "w f / g l"
CORNER = Square(0, 0)
CROWNS = (1, 0, 0, 0)


def make_kingdom(text: str, *gems: Gem, player: str = "") -> Kingdom:
    return Kingdom(Board.parse(text), player, gems=gems)


def list_points(kingdom: Kingdom) -> list[int]:
    return [line.points for line in score(kingdom, RULES).lines]


def list_problems(*kingdoms: Kingdom, open_gems: tuple[str, ...] = ()) -> list[str]:
    return [problem.text for problem in RULES.check_pieces(Table(kingdoms, open_gems))]


@clause("lost-treasures/crowns")
def test_each_quarters_crowns_count_on_its_square() -> None:
    assert list_points(make_kingdom(CROSSING)) == [0, 0, 0, 0]
    assert list_points(make_kingdom(CROSSING, Gem("ruby", CORNER, (1, 2, 3, 0)))) == [1, 2, 0, 3]
    assert list_points(make_kingdom("w w f / g l f", Gem("ruby", Square(0, 1), (1, 2, 0, 0)))) == [2, 4, 0, 0]


@clause("lost-treasures/crowns")
def test_a_gem_without_crowns_is_not_yet_entered() -> None:
    """Without this problem, a gem that has only a kind would count 0."""
    assert list_problems(make_kingdom(CROSSING, Gem("ruby", CORNER, skull=1))) == [
        "the ruby gem between A1, B1, B2 and A2 has no crowns, and every gem has some"
    ]
    assert list_problems(make_kingdom(CROSSING, Gem(UNKNOWN, CORNER))) == []


@clause("lost-treasures/orientation")
@pytest.mark.parametrize(
    "turn_count, expected", [(0, [1, 2, 0, 3]), (1, [0, 1, 3, 2]), (2, [3, 0, 2, 1]), (3, [2, 3, 1, 0])]
)
def test_the_direction_decides_the_squares(turn_count: int, expected: list[int]) -> None:
    assert list_points(make_kingdom(CROSSING, Gem("ruby", CORNER, (1, 2, 3, 0), turned=turn_count))) == expected


@clause("lost-treasures/skull")
def test_a_skull_makes_its_territory_worthless() -> None:
    text = "w1 f1 / g1 l1 / g . / g ."
    assert list_points(make_kingdom(text, Gem("ruby", CORNER, (0, 0, 0, 2)))) == [1, 1, 9, 1]
    card = score(make_kingdom(text, Gem("ruby", CORNER, (0, 0, 0, 2), skull=3)), RULES)
    assert [line.points for line in card.lines] == [1, 1, 0, 1]
    assert card.lines[2].label == "grass: 3 squares × 3 crowns, worth nothing under a skull"
    assert card.lines[2].clause == "lost-treasures/skull"
    turned_kingdom = make_kingdom(text, Gem("ruby", CORNER, skull=2, turned=1))
    assert list_points(turned_kingdom) == [1, 1, 0, 1]


@clause("lost-treasures/skull-ties")
def test_a_skull_leaves_squares_and_crowns_for_ties() -> None:
    cursed_kingdom = make_kingdom("w1 f / g l / g .", Gem("ruby", CORNER, (2, 0, 0, 0), skull=3))
    assert (measure_largest(cursed_kingdom), count_crowns(cursed_kingdom)) == (2, 3)


@clause("lost-treasures/discovery")
def test_a_gem_lies_between_four_different_terrains() -> None:
    assert list_problems(make_kingdom(CROSSING, Gem("ruby", CORNER, CROWNS))) == []
    assert list_problems(make_kingdom("w f / g g", Gem("ruby", CORNER, CROWNS))) == [
        "the ruby gem does not lie between four different terrains (A1, B1, B2 and A2)"
    ]
    for place in (Square(0, 1), Square(1, 0), Square(5, 5)):
        problem_texts = list_problems(make_kingdom(CROSSING, Gem("ruby", place, CROWNS)))
        assert "does not lie where four squares meet" in problem_texts[0]
    assert list_problems(make_kingdom(CROSSING, Gem("ruby", CORNER, CROWNS), Gem("opal", CORNER, CROWNS))) == [
        "2 gems lie between A1, B1, B2 and A2"
    ]


@clause("lost-treasures/no-castle")
def test_the_castle_is_no_terrain_for_a_gem() -> None:
    assert list_problems(make_kingdom("w # / g l", Gem("ruby", CORNER, CROWNS))) != []


@clause("lost-treasures/tokens")
def test_a_box_holds_sixteen_tokens() -> None:
    three_kingdoms = [make_kingdom(CROSSING, Gem("ruby", CORNER, CROWNS)) for _ in range(3)]
    assert list_problems(*three_kingdoms) == []
    assert list_problems(*three_kingdoms, open_gems=("ruby",)) == ["there are 4 ruby gems, and the box has 3"]
    joker_kingdoms = [make_kingdom(CROSSING, Gem(JOKER, CORNER, (1, 0, 0, 0))) for _ in range(2)]
    assert list_problems(*joker_kingdoms) == ["there are 2 joker gems, and the box has 1"]
    six_kingdoms = [make_kingdom(CROSSING, Gem(kind, CORNER, CROWNS)) for kind in "abcdef"]
    assert list_problems(*six_kingdoms) == [
        "there are 6 kinds of gem (a, b, c, d, e, f), and the box has 5 and a joker"
    ]


@clause("lost-treasures/tokens")
def test_gems_of_a_kind_are_alike() -> None:
    ruby, turned_ruby = Gem("ruby", CORNER, CROWNS, skull=2), Gem("ruby", CORNER, CROWNS, skull=2, turned=3)
    gems = (ruby, turned_ruby, Gem("opal", CORNER, CROWNS))
    assert list_problems(*(make_kingdom(CROSSING, gem) for gem in gems)) == []
    for different_ruby in (replace(ruby, skull=None), replace(ruby, crowns=(0, 1, 0, 0))):
        problem_texts = list_problems(make_kingdom(CROSSING, ruby), make_kingdom(CROSSING, different_ruby))
        assert problem_texts == ["the ruby gems differ in crowns or skull, and all gems of a kind are alike"]


@clause("lost-treasures/open")
def test_two_gems_lie_open() -> None:
    assert list_problems(make_kingdom(CROSSING), open_gems=("ruby", "opal")) == []
    assert list_problems(make_kingdom(CROSSING), open_gems=("ruby", "opal", "topaz")) == [
        "3 gems lie open beside the box, and there are never more than 2"
    ]


def make_gem_kingdom(*kinds: str, player: str = "") -> Kingdom:
    gems = tuple(Gem(kind, Square(0, place)) for place, kind in enumerate(kinds))
    return make_kingdom("w f", *gems, player=player)


@clause("lost-treasures/immediate")
def test_five_kinds_win_at_once() -> None:
    assert has_all_gems(make_gem_kingdom("a", "b", "c", "d", "e"))
    assert not has_all_gems(make_gem_kingdom("a", "b", "c", "d", "d"))
    points_leader = make_kingdom("w2 w w / w w #", player="Ann")
    standing = rank_kingdoms([points_leader, make_gem_kingdom("a", "b", "c", "d", "e", player="Bo")], RULES)
    assert standing.reason == "Bo wins: five kinds of gem win at once"


@clause("lost-treasures/immediate")
def test_a_game_that_five_kinds_end_leaves_dominoes() -> None:
    winner = replace(make_gem_kingdom("a", "b", "c", "d", "e"), discarded=0)
    discards = [replace(make_kingdom("w f #"), discarded=count) for count in (0, 12)]

    def find_discard_problems(*kingdoms: Kingdom) -> list[int | None]:
        problems = find_table_problems(kingdoms, RULES)
        return [problem.kingdom for problem in problems if problem.clause == "kingdomino/complete"]

    assert find_discard_problems(winner, *discards) == [2]
    assert find_discard_problems(*discards) == [0, 1]


@clause("lost-treasures/joker")
def test_the_joker_stands_for_any_kind_and_has_one_crown() -> None:
    assert has_all_gems(make_gem_kingdom("a", "b", "c", "d", JOKER))
    assert not has_all_gems(make_gem_kingdom("a", "b", "c", JOKER))
    assert list_problems(make_kingdom(CROSSING, Gem(JOKER, CORNER, (0, 0, 1, 0)))) == []
    for wrong_joker in (
        Gem(JOKER, CORNER),
        Gem(JOKER, CORNER, (1, 1, 0, 0)),
        Gem(JOKER, CORNER, (1, 0, 0, 0), skull=2),
    ):
        assert list_problems(make_kingdom(CROSSING, wrong_joker)) == ["the joker has one crown and no skull"]


@clause("lost-treasures/mix")
@clause("lost-treasures/total")
def test_gems_mix_with_kingdominos_variants() -> None:
    rules = LOST_TREASURES.add_to(make_rule_set(variants=["middle-kingdom"]))
    card = score(make_kingdom("w f # g l / w l . . .", Gem("ruby", CORNER, (1, 1, 0, 0))), rules)
    assert rules.name == "Kingdomino, Middle Kingdom, The Lost Treasures"
    assert (card.points, card.total) == (2 + 1, 3)
    card = score(make_kingdom("w f . / w # w / . g g", Gem("ruby", CORNER, (1, 1, 0, 0))), rules)
    assert card.total == 2 + 1 + 10


@clause("lost-treasures/dynasty")
def test_an_immediate_victory_wins_the_dynasty() -> None:
    ann, bo = make_kingdom("w2 w w", player="Ann"), make_kingdom("w", player="Bo")
    gem_winner = make_gem_kingdom("a", "b", "c", "d", "e", player="Bo")
    standing = rank_dynasty([[ann, bo], [ann, gem_winner], [ann, bo]], RULES)
    assert standing.reason == "Bo wins: five kinds of gem win at once"


@clause("lost-treasures/dynasty")
def test_a_dynasty_won_outright_is_told_while_later_rounds_are_open() -> None:
    won_round = Table((make_kingdom("w", player="Ann"), make_gem_kingdom("a", "b", "c", "d", "e", player="Bo")))
    finished_round, open_round = (
        Table((make_kingdom("w", player="Ann"), make_kingdom(board, player="Bo"))) for board in ("w", "w ?")
    )

    def get_outlook(*rounds: Table) -> str:
        return Game("kingdomino", 5, rounds, ("lost-treasures",)).outlook

    sentence = "Bo wins, whatever is still missing: five kinds of gem win at once"
    assert (
        get_outlook(won_round, open_round, finished_round)
        == get_outlook(finished_round, won_round, open_round)
        == sentence
    )
    assert (
        get_outlook(open_round, won_round, finished_round)
        == get_outlook(finished_round, finished_round, open_round)
        == get_outlook(won_round, finished_round, finished_round)
        == ""
    )
