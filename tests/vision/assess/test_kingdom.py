"""The kingdom classifier: castles, patterns, rows on offer, and kingdoms that the photo cuts."""

from typing import cast

import numpy as np
import pytest

from kdvision.vision.assess.kingdom import (
    classify_grid,
    count_confident_squares,
    count_outside_offer,
    fills_offer,
    split_kingdoms,
)
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.geometry import Floats, Mask


def parse_mask(text: str) -> Mask:
    """Return the mask of rows of letters, true at each x."""
    return np.array([[letter == "x" for letter in row] for row in text.split("/")])


def make_border_log_odds(tiles: Mask, *, right: float = -1.0, down: float = -1.0) -> tuple[Floats, Floats]:
    return np.full(tiles[:, 1:].shape, right), np.full(tiles[1:].shape, down)


def make_castles(tiles: Mask, count: int) -> Floats:
    """Return the castle probabilities of a grid whose first `count` tiles are castles."""
    probability = np.zeros(tiles.shape)
    probability[tuple(cells[:count] for cells in np.nonzero(tiles))] = 0.9
    return probability


class ObservationStub:
    """What the classifier looks at of an observation."""

    def __init__(self, **values: object) -> None:
        self.__dict__ = values


def make_observation(
    is_confident: Mask, castle_probability: Floats, expected_tiles: float, *, is_cut: bool = False
) -> GridObservation:
    """Return an observation with what the classifier looks at."""
    return cast(
        GridObservation,
        ObservationStub(
            is_confident=is_confident,
            is_tile=is_confident,
            castle_probability=castle_probability,
            max_castle_probability=float(castle_probability.max()),
            expected_tiles=expected_tiles,
            border_log_odds=make_border_log_odds(is_confident),
            is_cut=is_cut,
        ),
    )


@pytest.mark.parametrize(("count", "is_kingdom"), [(0, False), (1, True), (2, True), (6, False), (12, False)])
def test_a_kingdom_has_one_castle_and_a_carpet_many(count: int, is_kingdom: bool) -> None:
    tiles = parse_mask("xxxx/xxxx/xxxx")
    assert count_confident_squares(make_observation(tiles, make_castles(tiles, count), 12.0)) == 12 - max(count - 1, 0)
    assert classify_grid(make_observation(tiles, make_castles(tiles, count), 12.0)).is_certain == is_kingdom


def test_a_castle_needs_a_domino_beside_it() -> None:
    assert classify_grid(make_observation(parse_mask("xxx"), make_castles(parse_mask("xxx"), 1), 3.0)).is_certain
    assert not classify_grid(make_observation(parse_mask("xx."), make_castles(parse_mask("xx."), 1), 2.6)).is_certain


def test_most_tiles_of_a_kingdom_are_confident() -> None:
    tiles = parse_mask("xxxxx")
    assert classify_grid(make_observation(tiles, make_castles(tiles, 1), 7.0)).is_certain
    assert not classify_grid(make_observation(tiles, make_castles(tiles, 1), 8.0)).is_certain


@pytest.mark.parametrize("tiles", ["xx/xx/xx/xx", "....../.xx.../.xx.../.xx...", "xx/xx", "xx/xx/xx/xx/xx/xx"])
def test_dominoes_side_by_side_are_an_offer(tiles: str) -> None:
    line = parse_mask(tiles)
    assert fills_offer(line, make_border_log_odds(line, right=1.0)) and fills_offer(
        line.T, make_border_log_odds(line.T, down=1.0)
    )
    assert not fills_offer(line, make_border_log_odds(line, right=-0.1))


@pytest.mark.parametrize("tiles", ["xx/xx/xx/x.", "xxx/xxx/xxx", "xx/xx/xx/.x/xx", "xxx", "..../...."])
def test_incomplete_or_wider_rectangles_are_no_offer(tiles: str) -> None:
    """A castle and dominoes are an odd number of squares."""
    places = parse_mask(tiles)
    assert not fills_offer(places, make_border_log_odds(places, right=1.0, down=1.0))


def test_tiles_outside_an_offer_are_counted() -> None:
    assert [
        count_outside_offer(parse_mask(text)) for text in ("xx/xx/xx/xx", "x", "xxxx/xxxx/xxxx", "xxxxx/xx..x", "...")
    ] == [*(0, 0, 4, 2, 0)]


@pytest.mark.parametrize(
    ("tiles", "castle_probability", "is_possible"),
    [("xxxxx/xx..x", 0.0, True), ("xxx/xx.", 0.3, True), ("xxx/xx.", 0.2, False)],
)
def test_tiles_outside_an_offer_or_a_possible_castle_may_be_a_kingdom(
    tiles: str, castle_probability: float, is_possible: bool
) -> None:
    places = parse_mask(tiles)
    observation = make_observation(places, make_castles(places, 1) / 0.9 * castle_probability, float(places.sum()))
    assert classify_grid(observation).is_possible == is_possible


def test_a_confident_castle_needs_only_half_of_the_tiles_confident() -> None:
    places = parse_mask("xxxxx/xx..x")
    for expected_tiles, is_possible in ((15.0, True), (17.0, False)):
        assert (
            classify_grid(make_observation(places, make_castles(places, 1), expected_tiles)).is_possible == is_possible
        )
        assert not classify_grid(make_observation(places, 0.5 * make_castles(places, 1), expected_tiles)).is_possible


@pytest.mark.parametrize(
    ("tiles", "probability", "is_kingdom"),
    [("?xxxx/x...x", 0.3, True), ("?xxxx/x...x", 0.2, False), ("?xxx/xxxx", 0.4, False), ("?xxx/xxxx", 0.6, True)],
)
def test_beside_a_kingdom_a_castle_need_not_be_confident(tiles: str, probability: float, is_kingdom: bool) -> None:
    """With an improbable castle the tiles must not fit an offer."""
    castle_probability = np.zeros(parse_mask(tiles).shape)
    castle_probability[0, 0] = probability
    assert (
        classify_grid(make_observation(parse_mask(tiles), castle_probability, float(tiles.count("x")))).beside_others
        == is_kingdom
    )


def test_without_a_castle_more_tiles_than_an_askew_offer_are_a_kingdom() -> None:
    castle_probability = np.zeros((4, 4))
    askew_offer, kingdom_tiles = parse_mask("xxxx/xxxx/xxxx/...."), parse_mask("xxxx/xxxx/xxxx/x...")
    assert not classify_grid(make_observation(askew_offer, castle_probability, 12.0)).can_be_alone
    assert classify_grid(make_observation(kingdom_tiles, castle_probability, 13.0)).can_be_alone
    observation = make_observation(kingdom_tiles, castle_probability, 20.0, is_cut=True)  # most tiles are not confident
    assert not classify_grid(observation).can_be_alone


def test_the_border_may_cut_off_a_castle_but_not_of_an_offer() -> None:
    castle_probability = np.zeros((3, 5))
    for text, is_kingdom in (("xxxx./xxxx./x....", False), ("xxxx./xxxx./xx...", True)):
        assert (
            classify_grid(make_observation(parse_mask(text), castle_probability, 9.0, is_cut=True)).can_be_alone
            == is_kingdom
        )
        assert not classify_grid(make_observation(parse_mask(text), castle_probability, 9.0)).can_be_alone


def test_a_grid_without_a_castle_is_no_kingdom_beside_one_that_has_it() -> None:
    kingdom_tiles, other_tiles = parse_mask("xxxx/xxxx/x..."), parse_mask("xxxxx/xxxxx/x....")
    kingdom = make_observation(kingdom_tiles, make_castles(kingdom_tiles, 1), 9.0)
    castleless_grid = make_observation(other_tiles, np.zeros(other_tiles.shape), 11.0)
    for grid in (kingdom, castleless_grid):
        grid.__dict__["bounding_box"] = (0.0, 0.0, 1.0, 1.0)
    assert split_kingdoms([castleless_grid, kingdom]) == ([kingdom], [castleless_grid])
    assert split_kingdoms([castleless_grid]) == ([], [castleless_grid])


def test_of_grids_that_may_hide_a_castle_the_largest_is_the_only_kingdom() -> None:
    small_grid, large_grid = (
        make_observation(parse_mask(f"xxxx/xxxx/xxxx/{row}"), np.zeros((4, 4)), count)
        for row, count in (("x...", 13.0), ("xxx.", 15.0))
    )
    large_grid.__dict__["bounding_box"] = (0.0, 0.0, 1.0, 1.0)
    assert split_kingdoms([small_grid, large_grid]) == ([large_grid], [small_grid])
