"""Tiles that two lattices claim go to the kingdom whose squares they meet; the other is read without them."""

import numpy as np
import pytest

from kdvision.vision.candidate import Candidate
from kdvision.vision.claims import each_its_own, lost, same_tiles, shared
from kdvision.vision.finder import Floats, Squares
from kdvision.vision.kinghood import SEEN
from kdvision.vision.lattice import Lattice, fit
from kdvision.vision.reading import KINDS, NOTHING, Reading
from kdvision.vision.sight import Sight
from kdvision.vision.steps import Place
from tests.test_lattice import seen, view

FIVE = [(col, row) for col in range(5) for row in range(5)]
BETWEEN = [(5, 1), (5, 2)]
"""Squares of the table that seem to lead from one kingdom to the other."""
TURN = 0.12


def beside(matrix: Floats) -> Floats:
    """The view of a kingdom that lies a square to the right, turned a little, its first square at column 6."""
    cos, sin = np.cos(TURN), np.sin(TURN)
    return np.asarray(matrix @ np.array([[cos, -sin, 6.4], [sin, cos, -0.2], [0, 0, 1.0]]))


def table(scores: float = 0.9) -> Squares:
    """Two kingdoms of 25 squares and what lies between them, in this order."""
    near = view(0.3, perspective=0.0001)
    parts = [seen(FIVE, near), seen(BETWEEN, near), seen(FIVE, beside(near))]
    centre, u, v = (np.concatenate([getattr(part, name) for part in parts]) for name in ("centre", "u", "v"))
    return Squares(centre, u, v, np.full(len(centre), scores))


def candidate(squares: Squares, members: dict[Place, int]) -> Candidate:
    matrix = fit(squares, members)
    assert matrix is not None
    return Candidate(Lattice(members, matrix), squares)


def left(squares: Squares, *, over: int = 5) -> Candidate:
    """The left kingdom's lattice, which goes on over so many tiles of the right one's first column."""
    own = {place: n for n, place in enumerate([*FIVE, *BETWEEN])}
    return candidate(squares, own | {(6, row): 27 + row for row in range(over)})


def right(squares: Squares, *, over: int = 0) -> Candidate:
    """The right kingdom's lattice, which goes on over so many tiles of the left one's last column."""
    own = {(col, row): 27 + n for n, (col, row) in enumerate(FIVE)}
    return candidate(squares, own | {(-2, row): 20 + row for row in range(over)})


def test_tiles_belong_to_the_kingdom_whose_squares_they_meet() -> None:
    squares = table()
    ours, theirs = left(squares), right(squares)
    assert shared(ours, theirs) == {(6, row): (0, row) for row in range(5)}
    assert lost(ours, theirs, shared(ours, theirs)) == {(6, row) for row in range(5)}
    assert lost(theirs, ours, shared(theirs, ours)) == frozenset()


def test_squares_between_two_kingdoms_go_to_one_of_them_and_tiles_to_their_own() -> None:
    """Where both lattices go on over all that lies between them, and over tiles of each other."""
    squares = table()
    ours, theirs = left(squares), right(squares, over=5)
    both = shared(ours, theirs)
    assert both.keys() == {(4, row) for row in range(5)} | {(6, row) for row in range(5)}
    assert lost(ours, theirs, both) == {(6, row) for row in range(5)}


def test_a_lattice_without_squares_of_its_own_has_no_tile() -> None:
    squares = table()
    ours = left(squares)
    part = candidate(squares, {place: n for n, place in enumerate(FIVE) if place[0] < 4})
    assert lost(ours, part, shared(ours, part)) == frozenset()
    assert lost(part, ours, shared(part, ours)) == part.lattice.members.keys()


def test_a_kingdom_beside_another_whose_lattice_goes_on_over_it_is_no_view_of_that() -> None:
    squares = table()
    ours = left(squares)
    small = candidate(squares, {(col, row): 27 + 5 * col + row for col in range(3) for row in range(5)})
    assert small.patch.on(ours)  # a third of it
    assert not same_tiles(small, ours)
    part = candidate(squares, {place: n for n, place in enumerate(FIVE) if place[0] < 4})
    assert same_tiles(part, ours) and same_tiles(ours, ours)


def sight(one: Candidate, castle: int) -> Sight:
    """What is seen on a lattice where each of its squares is wheat, but one, which is a castle."""
    grid = one.grid
    assert grid.evidence is not None
    chances = np.full((grid.rows, grid.cols, len(KINDS)), 0.0005)
    chances[..., KINDS.index(NOTHING)] = 0.99
    chances[grid.evidence > 0, KINDS.index(NOTHING)] = 0.0005
    chances[grid.evidence > 0, KINDS.index("w")] = 0.99
    away = np.linalg.norm(grid.quads.mean(axis=2) - one.squares.centre[castle], axis=-1)
    row, col = np.unravel_index(int(away.argmin()), away.shape)
    chances[row, col, [KINDS.index("w"), KINDS.index("#")]] = 0.0005, 0.99
    bonds = np.zeros((grid.rows, grid.cols - 1)), np.zeros((grid.rows - 1, grid.cols))
    return Sight(grid, Reading.of_probabilities(chances), bonds, np.zeros((grid.rows, grid.cols)))


@pytest.mark.parametrize("swapped", [False, True])
def test_a_kingdom_is_read_without_the_tiles_of_the_next(swapped: bool) -> None:
    squares = table()
    pairs = [(one, sight(one, castle)) for one, castle in ((left(squares), 12), (right(squares), 39))]
    assert [round(each.tiles) for _, each in pairs] == [32, 25]
    found = each_its_own(pairs[::-1] if swapped else pairs)
    assert sorted(int((each.presence > SEEN).sum()) for _, each in found) == [25, 27]
    for _, each in found:
        assert each.kingdom


def test_what_is_no_kingdom_takes_no_tiles() -> None:
    squares = table()
    ours, theirs = (left(squares), sight(left(squares), 12)), (right(squares), sight(right(squares), 39))
    nothing = np.full_like(theirs[1].reading.log_probs, -np.log(len(KINDS)))
    unread = Sight(theirs[1].grid, Reading(nothing), theirs[1].bonds, theirs[1].hidden)
    assert each_its_own([ours, (theirs[0], unread)])[0][1] is ours[1]
