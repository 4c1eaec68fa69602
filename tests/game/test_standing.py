"""Who wins, and why, in words."""

from dataclasses import replace

from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Gem, Kingdom
from kdvision.game.rules import kingdomino
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.standing import Contender, Standing, rank_contenders, rank_dynasty, rank_kingdoms

STEPS = ("points", "the largest territory", "crowns")
GEMS = "five kinds of gem win at once"


def order(**keys: tuple[int, int, int]) -> Standing:
    return rank_contenders([Contender(player, numbers) for player, numbers in keys.items()], STEPS)


def places(found: Standing) -> dict[str, int]:
    return {place.player: place.place for place in found.places}


def test_points_come_first() -> None:
    found = order(ann=(24, 5, 6), bo=(30, 1, 1))
    assert places(found) == {"bo": 1, "ann": 2}
    assert found.reason == "bo wins on points, 30 to 24"
    assert [place.index for place in found.places] == [1, 0]


def test_then_the_largest_territory() -> None:
    assert order(ann=(24, 7, 7), bo=(24, 9, 2)).reason == "bo wins on the largest territory, 9 to 7"


def test_then_crowns() -> None:
    assert order(ann=(24, 7, 7), bo=(24, 7, 8)).reason == "bo wins on crowns, 8 to 7"


def test_then_the_victory_is_shared() -> None:
    found = order(ann=(24, 7, 7), bo=(24, 7, 7), cy=(3, 1, 1))
    assert places(found) == {"ann": 1, "bo": 1, "cy": 3}
    assert found.reason == "ann and bo share the victory: equal in points, the largest territory and crowns"
    assert [place.player for place in found.winners] == ["ann", "bo"]
    shared = "in points, the largest territory and crowns"
    assert [place.reason for place in found.places] == [
        f"equal to bo {shared}",
        f"equal to ann {shared}",
        "behind ann and bo on points, 3 to 24",
    ]


def test_a_place_behind_a_shared_one_says_why() -> None:
    found = order(ann=(24, 7, 7), bo=(24, 7, 7), cy=(24, 5, 9), di=(8, 4, 1))
    assert [place.reason for place in found.places[2:]] == [
        "on points, 24 to 8; behind ann and bo on the largest territory, 5 to 7",
        "",
    ]


def test_ties_further_down_are_broken_too() -> None:
    found = order(ann=(9, 5, 5), bo=(8, 3, 3), cy=(8, 4, 1), di=(8, 3, 3))
    assert places(found) == {"ann": 1, "cy": 2, "bo": 3, "di": 3}


def test_an_outright_win_beats_any_points() -> None:
    rich, lucky = Contender("ann", (99, 9, 9)), Contender("bo", (1, 1, 1), outright_reason=GEMS)
    found = rank_contenders([rich, lucky], STEPS)
    assert places(found) == {"bo": 1, "ann": 2}
    assert found.reason == "bo wins: five kinds of gem win at once"


def test_two_outright_wins_share_the_victory_whatever_their_points() -> None:
    poor, rich = (
        Contender("ann", (1, 1, 1), outright_reason=GEMS),
        Contender("bo", (99, 9, 9), outright_reason=GEMS),
    )
    found = rank_contenders([poor, Contender("cy", (200, 9, 9)), rich], STEPS)
    assert places(found) == {"ann": 1, "bo": 1, "cy": 3}
    assert [place.player for place in found.winners] == ["ann", "bo"]
    assert found.reason == "ann and bo share the victory: five kinds of gem win at once"
    assert [place.reason for place in found.winners] == [f"{GEMS}, shared with bo", f"{GEMS}, shared with ann"]


def test_kingdoms_with_five_kinds_of_gem_share_the_victory() -> None:
    rules = LOST_TREASURES.add_to(kingdomino())
    gems = tuple(Gem(kind, Square(0, 0)) for kind in ("ruby", "opal", "topaz", "emerald", "sapphire"))
    kingdoms = [Kingdom(Board.parse("w1 w / # w"), "ann", gems=gems), Kingdom(Board.parse("w1 #"), "bo", gems=gems)]
    found = rank_kingdoms([*kingdoms, Kingdom(Board.parse("w3 w / # w"), "cy")], rules)
    assert places(found) == {"ann": 1, "bo": 1, "cy": 3}
    assert {place.player: place.total for place in found.places} == {"ann": 3, "bo": 1, "cy": 9}
    assert [place.player for place in rank_dynasty([kingdoms, kingdoms], rules).winners] == ["ann", "bo"]


def test_the_first_round_won_outright_decides_a_dynasty() -> None:
    rules = LOST_TREASURES.add_to(kingdomino())
    gems = tuple(Gem(kind, Square(0, 0)) for kind in ("ruby", "opal", "topaz", "emerald", "sapphire"))
    ann, bo = Kingdom(Board.parse("w1 #"), "Ann"), Kingdom(Board.parse("w1 #"), "Bo")
    found = rank_dynasty([[ann, bo], [ann, replace(bo, gems=gems)], [replace(ann, gems=gems), bo]], rules)
    assert found.reason == "Bo wins: five kinds of gem win at once"


def test_one_kingdom_wins_without_a_reason() -> None:
    found = rank_kingdoms([Kingdom(Board.parse("w1 #"))], kingdomino())
    assert found.reason == "kingdom 1 wins"
    assert found.places[0].reason == ""


def test_no_kingdoms_have_no_winner() -> None:
    assert rank_contenders([], STEPS) == Standing((), "")
