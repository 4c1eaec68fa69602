"""The standing: the order of the players, with the reasons in words."""

from dataclasses import replace

from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Gem, Kingdom
from kdvision.game.rules import kingdomino
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.standing import Contender, Standing, rank_contenders, rank_dynasty, rank_kingdoms

STEPS = ("points", "the largest territory", "crowns")
GEMS = "five kinds of gem win at once"


def rank_players(**keys: tuple[int, int, int]) -> Standing:
    return rank_contenders([Contender(player, numbers) for player, numbers in keys.items()], STEPS)


def map_places(standing: Standing) -> dict[str, int]:
    return {place.player: place.place for place in standing.places}


def test_points_come_first() -> None:
    standing = rank_players(ann=(24, 5, 6), bo=(30, 1, 1))
    assert map_places(standing) == {"bo": 1, "ann": 2}
    assert standing.reason == "bo wins on points, 30 to 24"
    assert [place.index for place in standing.places] == [1, 0]


def test_then_the_largest_territory() -> None:
    assert rank_players(ann=(24, 7, 7), bo=(24, 9, 2)).reason == "bo wins on the largest territory, 9 to 7"


def test_then_crowns() -> None:
    assert rank_players(ann=(24, 7, 7), bo=(24, 7, 8)).reason == "bo wins on crowns, 8 to 7"


def test_then_the_victory_is_shared() -> None:
    standing = rank_players(ann=(24, 7, 7), bo=(24, 7, 7), cy=(3, 1, 1))
    assert map_places(standing) == {"ann": 1, "bo": 1, "cy": 3}
    assert standing.reason == "ann and bo share the victory: equal in points, the largest territory and crowns"
    assert [place.player for place in standing.winners] == ["ann", "bo"]
    tie_reason = "in points, the largest territory and crowns"
    assert [place.reason for place in standing.places] == [
        f"equal to bo {tie_reason}",
        f"equal to ann {tie_reason}",
        "behind ann and bo on points, 3 to 24",
    ]


def test_a_place_behind_a_shared_one_says_why() -> None:
    standing = rank_players(ann=(24, 7, 7), bo=(24, 7, 7), cy=(24, 5, 9), di=(8, 4, 1))
    assert [place.reason for place in standing.places[2:]] == [
        "on points, 24 to 8; behind ann and bo on the largest territory, 5 to 7",
        "",
    ]


def test_ties_further_down_are_broken_too() -> None:
    standing = rank_players(ann=(9, 5, 5), bo=(8, 3, 3), cy=(8, 4, 1), di=(8, 3, 3))
    assert map_places(standing) == {"ann": 1, "cy": 2, "bo": 3, "di": 3}


def test_an_outright_win_beats_any_points() -> None:
    points_leader, gem_winner = Contender("ann", (99, 9, 9)), Contender("bo", (1, 1, 1), outright_reason=GEMS)
    standing = rank_contenders([points_leader, gem_winner], STEPS)
    assert map_places(standing) == {"bo": 1, "ann": 2}
    assert standing.reason == "bo wins: five kinds of gem win at once"


def test_two_outright_wins_share_the_victory_whatever_their_points() -> None:
    first_gem_winner, second_gem_winner = (
        Contender("ann", (1, 1, 1), outright_reason=GEMS),
        Contender("bo", (99, 9, 9), outright_reason=GEMS),
    )
    standing = rank_contenders([first_gem_winner, Contender("cy", (200, 9, 9)), second_gem_winner], STEPS)
    assert map_places(standing) == {"ann": 1, "bo": 1, "cy": 3}
    assert [place.player for place in standing.winners] == ["ann", "bo"]
    assert standing.reason == "ann and bo share the victory: five kinds of gem win at once"
    assert [place.reason for place in standing.winners] == [f"{GEMS}, shared with bo", f"{GEMS}, shared with ann"]


def test_kingdoms_with_five_kinds_of_gem_share_the_victory() -> None:
    rules = LOST_TREASURES.add_to(kingdomino())
    gems = tuple(Gem(kind, Square(0, 0)) for kind in ("ruby", "opal", "topaz", "emerald", "sapphire"))
    kingdoms = [Kingdom(Board.parse("w1 w / # w"), "ann", gems=gems), Kingdom(Board.parse("w1 #"), "bo", gems=gems)]
    standing = rank_kingdoms([*kingdoms, Kingdom(Board.parse("w3 w / # w"), "cy")], rules)
    assert map_places(standing) == {"ann": 1, "bo": 1, "cy": 3}
    assert {place.player: place.total for place in standing.places} == {"ann": 3, "bo": 1, "cy": 9}
    assert [place.player for place in rank_dynasty([kingdoms, kingdoms], rules).winners] == ["ann", "bo"]


def test_the_first_round_won_outright_decides_a_dynasty() -> None:
    rules = LOST_TREASURES.add_to(kingdomino())
    gems = tuple(Gem(kind, Square(0, 0)) for kind in ("ruby", "opal", "topaz", "emerald", "sapphire"))
    ann, bo = Kingdom(Board.parse("w1 #"), "Ann"), Kingdom(Board.parse("w1 #"), "Bo")
    standing = rank_dynasty([[ann, bo], [ann, replace(bo, gems=gems)], [replace(ann, gems=gems), bo]], rules)
    assert standing.reason == "Bo wins: five kinds of gem win at once"


def test_one_kingdom_wins_without_a_reason() -> None:
    standing = rank_kingdoms([Kingdom(Board.parse("w1 #"))], kingdomino())
    assert standing.reason == "kingdom 1 wins"
    assert standing.places[0].reason == ""


def test_no_kingdoms_have_no_winner() -> None:
    assert rank_contenders([], STEPS) == Standing((), "")
