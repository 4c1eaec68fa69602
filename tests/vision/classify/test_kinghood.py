"""Which grids are kingdoms, from what is plain on them: carpets, lines on offer and what the picture's edge cuts."""

import numpy as np
import pytest

from kdvision.vision.classify.kingdom import (
    Mask,
    beside_a_line,
    evidence_of,
    is_line,
    may_be_one,
    may_hide_its_castle,
    shows_one,
    shows_one_beside_others,
)


def mask(text: str) -> Mask:
    """Places from rows of x and dots."""
    return np.array([[letter == "x" for letter in row] for row in text.split("/")])


def border_log_odds(tiles: Mask, *, right: float = -1.0, down: float = -1.0) -> tuple[np.ndarray, np.ndarray]:
    return np.full(tiles[:, 1:].shape, right), np.full(tiles[1:].shape, down)


def castles(tiles: Mask, count: int) -> np.ndarray:
    """The first so many of the tiles are castles."""
    chances = np.zeros(tiles.shape)
    chances[tuple(place[:count] for place in np.nonzero(tiles))] = 0.9
    return chances


@pytest.mark.parametrize(("count", "one"), [(0, False), (1, True), (2, True), (6, False), (12, False)])
def test_a_kingdom_has_one_castle_and_a_carpet_many(count: int, one: bool) -> None:
    tiles = mask("xxxx/xxxx/xxxx")
    assert evidence_of(tiles, castles(tiles, count)) == 12 - max(count - 1, 0)
    assert shows_one(tiles, castles(tiles, count), 12.0) == one


def test_a_castle_needs_a_domino_beside_it() -> None:
    assert shows_one(mask("xxx"), castles(mask("xxx"), 1), 3.0)
    assert not shows_one(mask("xx."), castles(mask("xx."), 1), 2.6)


def test_most_of_a_kingdom_is_plain() -> None:
    tiles = mask("xxxxx")
    assert shows_one(tiles, castles(tiles, 1), 7.0) and not shows_one(tiles, castles(tiles, 1), 8.0)


@pytest.mark.parametrize("tiles", ["xx/xx/xx/xx", "....../.xx.../.xx.../.xx...", "xx/xx", "xx/xx/xx/xx/xx/xx"])
def test_dominoes_side_by_side_are_a_line(tiles: str) -> None:
    line = mask(tiles)
    assert is_line(line, border_log_odds(line, right=1.0)) and is_line(line.T, border_log_odds(line.T, down=1.0))
    assert not is_line(line, border_log_odds(line, right=-0.1))


@pytest.mark.parametrize("tiles", ["xx/xx/xx/x.", "xxx/xxx/xxx", "xx/xx/xx/.x/xx", "xxx", "..../...."])
def test_what_is_not_full_or_not_two_across_is_no_line(tiles: str) -> None:
    """A castle and dominoes are an odd number of squares."""
    places = mask(tiles)
    assert not is_line(places, border_log_odds(places, right=1.0, down=1.0))


def test_a_line_leaves_over_what_it_does_not_cover() -> None:
    assert [beside_a_line(mask(text)) for text in ("xx/xx/xx/xx", "x", "xxxx/xxxx/xxxx", "xxxxx/xx..x", "...")] == [
        *(0, 0, 4, 2, 0)
    ]


@pytest.mark.parametrize(
    ("tiles", "castle", "look"), [("xxxxx/xx..x", 0.0, True), ("xxx/xx.", 0.3, True), ("xxx/xx.", 0.2, False)]
)
def test_somebody_looks_at_what_lies_in_no_line_or_may_show_a_castle(tiles: str, castle: float, look: bool) -> None:
    places = mask(tiles)
    assert may_be_one(places, castles(places, 1) / 0.9 * castle, float(places.sum())) == look


def test_somebody_looks_at_a_plain_castle_amid_tiles_of_which_half_are_plain() -> None:
    places = mask("xxxxx/xx..x")
    for tiles, look in ((15.0, True), (17.0, False)):
        assert may_be_one(places, castles(places, 1), tiles) == look
        assert not may_be_one(places, 0.5 * castles(places, 1), tiles)


@pytest.mark.parametrize(
    ("tiles", "castle", "one"),
    [("?xxxx/x...x", 0.3, True), ("?xxxx/x...x", 0.2, False), ("?xxx/xxxx", 0.4, False), ("?xxx/xxxx", 0.6, True)],
)
def test_beside_a_kingdom_a_castle_need_not_be_plain(tiles: str, castle: float, one: bool) -> None:
    """But with one that is not even likely, the tiles lie as in no line."""
    chances = np.zeros(mask(tiles).shape)
    chances[0, 0] = castle
    assert shows_one_beside_others(mask(tiles), chances, float(tiles.count("x"))) == one


def test_without_a_castle_more_than_a_line_askew_is_a_kingdom() -> None:
    nowhere = np.zeros((4, 4))
    askew, more = mask("xxxx/xxxx/xxxx/...."), mask("xxxx/xxxx/xxxx/x...")
    assert not may_hide_its_castle(askew, nowhere, 12.0, cut=False)
    assert may_hide_its_castle(more, nowhere, 13.0, cut=False)
    assert not may_hide_its_castle(more, nowhere, 20.0, cut=True)  # most of it is not plain


def test_the_edge_may_have_cut_a_castle_off_but_not_off_a_line() -> None:
    nowhere = np.zeros((3, 5))
    for text, one in (("xxxx./xxxx./x....", False), ("xxxx./xxxx./xx...", True)):
        assert may_hide_its_castle(mask(text), nowhere, 9.0, cut=True) == one
        assert not may_hide_its_castle(mask(text), nowhere, 9.0, cut=False)
