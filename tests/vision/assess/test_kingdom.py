"""The kingdom classifier: castles, patterns, rows on offer, and kingdoms that the photo cuts."""

from typing import cast

import numpy as np
import pytest

from kdvision.vision.assess.kingdom import (
    classify_grid,
    count_evidence,
    count_outside_offer,
    fills_offer,
    split_kingdoms,
)
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.geometry import Floats, Mask


def mask(text: str) -> Mask:
    """Cells from rows of x and dots."""
    return np.array([[letter == "x" for letter in row] for row in text.split("/")])


def border_log_odds(tiles: Mask, *, right: float = -1.0, down: float = -1.0) -> tuple[Floats, Floats]:
    return np.full(tiles[:, 1:].shape, right), np.full(tiles[1:].shape, down)


def castles(tiles: Mask, count: int) -> Floats:
    """Castle probabilities: the first `count` of the tiles are castles."""
    probability = np.zeros(tiles.shape)
    probability[tuple(cells[:count] for cells in np.nonzero(tiles))] = 0.9
    return probability


class Observed:
    """What the classifier looks at of an observation."""

    def __init__(self, **values: object) -> None:
        self.__dict__ = values


def make_observation(
    confident: Mask, castle: Floats, expected_tiles: float, *, is_cut: bool = False
) -> GridObservation:
    """What the classifier looks at of an observation."""
    return cast(
        GridObservation,
        Observed(
            is_confident=confident,
            is_tile=confident,
            castle_probability=castle,
            max_castle_probability=float(castle.max()),
            expected_tiles=expected_tiles,
            border_log_odds=border_log_odds(confident),
            is_cut=is_cut,
        ),
    )


@pytest.mark.parametrize(("count", "one"), [(0, False), (1, True), (2, True), (6, False), (12, False)])
def test_a_kingdom_has_one_castle_and_a_carpet_many(count: int, one: bool) -> None:
    tiles = mask("xxxx/xxxx/xxxx")
    assert count_evidence(make_observation(tiles, castles(tiles, count), 12.0)) == 12 - max(count - 1, 0)
    assert classify_grid(make_observation(tiles, castles(tiles, count), 12.0)).is_certain == one


def test_a_castle_needs_a_domino_beside_it() -> None:
    assert classify_grid(make_observation(mask("xxx"), castles(mask("xxx"), 1), 3.0)).is_certain
    assert not classify_grid(make_observation(mask("xx."), castles(mask("xx."), 1), 2.6)).is_certain


def test_most_tiles_of_a_kingdom_are_confident() -> None:
    tiles = mask("xxxxx")
    assert classify_grid(make_observation(tiles, castles(tiles, 1), 7.0)).is_certain
    assert not classify_grid(make_observation(tiles, castles(tiles, 1), 8.0)).is_certain


@pytest.mark.parametrize("tiles", ["xx/xx/xx/xx", "....../.xx.../.xx.../.xx...", "xx/xx", "xx/xx/xx/xx/xx/xx"])
def test_dominoes_side_by_side_are_an_offer(tiles: str) -> None:
    line = mask(tiles)
    assert fills_offer(line, border_log_odds(line, right=1.0)) and fills_offer(
        line.T, border_log_odds(line.T, down=1.0)
    )
    assert not fills_offer(line, border_log_odds(line, right=-0.1))


@pytest.mark.parametrize("tiles", ["xx/xx/xx/x.", "xxx/xxx/xxx", "xx/xx/xx/.x/xx", "xxx", "..../...."])
def test_incomplete_or_wider_rectangles_are_no_offer(tiles: str) -> None:
    """A castle and dominoes are an odd number of squares."""
    places = mask(tiles)
    assert not fills_offer(places, border_log_odds(places, right=1.0, down=1.0))


def test_tiles_outside_an_offer_are_counted() -> None:
    assert [
        count_outside_offer(mask(text)) for text in ("xx/xx/xx/xx", "x", "xxxx/xxxx/xxxx", "xxxxx/xx..x", "...")
    ] == [*(0, 0, 4, 2, 0)]


@pytest.mark.parametrize(
    ("tiles", "castle", "look"), [("xxxxx/xx..x", 0.0, True), ("xxx/xx.", 0.3, True), ("xxx/xx.", 0.2, False)]
)
def test_tiles_outside_an_offer_or_a_possible_castle_may_be_a_kingdom(tiles: str, castle: float, look: bool) -> None:
    places = mask(tiles)
    seen = make_observation(places, castles(places, 1) / 0.9 * castle, float(places.sum()))
    assert classify_grid(seen).is_possible == look


def test_a_confident_castle_needs_only_half_of_the_tiles_confident() -> None:
    places = mask("xxxxx/xx..x")
    for tiles, look in ((15.0, True), (17.0, False)):
        assert classify_grid(make_observation(places, castles(places, 1), tiles)).is_possible == look
        assert not classify_grid(make_observation(places, 0.5 * castles(places, 1), tiles)).is_possible


@pytest.mark.parametrize(
    ("tiles", "castle", "one"),
    [("?xxxx/x...x", 0.3, True), ("?xxxx/x...x", 0.2, False), ("?xxx/xxxx", 0.4, False), ("?xxx/xxxx", 0.6, True)],
)
def test_beside_a_kingdom_a_castle_need_not_be_confident(tiles: str, castle: float, one: bool) -> None:
    """With an improbable castle the tiles must not fit an offer."""
    chances = np.zeros(mask(tiles).shape)
    chances[0, 0] = castle
    assert classify_grid(make_observation(mask(tiles), chances, float(tiles.count("x")))).beside_others == one


def test_without_a_castle_more_tiles_than_an_askew_offer_are_a_kingdom() -> None:
    nowhere = np.zeros((4, 4))
    askew, more = mask("xxxx/xxxx/xxxx/...."), mask("xxxx/xxxx/xxxx/x...")
    assert not classify_grid(make_observation(askew, nowhere, 12.0)).can_be_alone
    assert classify_grid(make_observation(more, nowhere, 13.0)).can_be_alone
    unsure = make_observation(more, nowhere, 20.0, is_cut=True)  # most tiles are not confident
    assert not classify_grid(unsure).can_be_alone


def test_the_border_may_cut_off_a_castle_but_not_of_an_offer() -> None:
    nowhere = np.zeros((3, 5))
    for text, one in (("xxxx./xxxx./x....", False), ("xxxx./xxxx./xx...", True)):
        assert classify_grid(make_observation(mask(text), nowhere, 9.0, is_cut=True)).can_be_alone == one
        assert not classify_grid(make_observation(mask(text), nowhere, 9.0)).can_be_alone


def test_a_grid_without_a_castle_is_no_kingdom_beside_one_that_has_it() -> None:
    kingdom_tiles, others = mask("xxxx/xxxx/x..."), mask("xxxxx/xxxxx/x....")
    kingdom = make_observation(kingdom_tiles, castles(kingdom_tiles, 1), 9.0)
    castleless = make_observation(others, np.zeros(others.shape), 11.0)
    for one in (kingdom, castleless):
        one.__dict__["extent"] = (0.0, 0.0, 1.0, 1.0)
    assert split_kingdoms([castleless, kingdom]) == ([kingdom], [castleless])
    assert split_kingdoms([castleless]) == ([], [castleless])


def test_of_grids_that_may_hide_a_castle_the_largest_is_the_only_kingdom() -> None:
    smaller, larger = (
        make_observation(mask(f"xxxx/xxxx/xxxx/{row}"), np.zeros((4, 4)), count)
        for row, count in (("x...", 13.0), ("xxx.", 15.0))
    )
    larger.__dict__["extent"] = (0.0, 0.0, 1.0, 1.0)
    assert split_kingdoms([smaller, larger]) == ([larger], [smaller])
