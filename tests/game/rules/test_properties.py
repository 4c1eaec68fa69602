"""Properties of every board and its pieces, tested on random boards and against independent scorers."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from skimage.measure import label

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import ROYAL_WEDDING
from kdvision.game.kingdom import Gem, Kingdom, PlacedBuilding, Token, count_crowns, measure_largest, to_kingdom
from kdvision.game.legality import find_problems
from kdvision.game.rules import TOKEN_KINDS, VARIANTS, kingdomino, queendomino, royal_wedding
from kdvision.game.rules.queendomino import BUILDINGS
from kdvision.game.scoring import score

LAND = [terrain for terrain in Terrain if terrain is not Terrain.CASTLE]
ALL_RULES = reduce(lambda rules, variant: variant.add_to(rules), VARIANTS, royal_wedding(side=7))
"""All variants together, whatever their games."""
TOKENS = [(kind.key, name, crowns) for kind in TOKEN_KINDS.values() for name, crowns in kind.crowns.items()]


@st.composite
def boards(draw: st.DrawFn, max_side: int = 7) -> Board:
    height, width = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    words = st.sampled_from(["w", "w1", "f", "l", "l2", "g", "s1", "m3", "t", ".", "#", "?"])
    rows = draw(st.lists(st.lists(words, min_size=width, max_size=width), min_size=height, max_size=height))
    return Board.parse([" ".join(row) for row in rows])


@st.composite
def kingdoms(draw: st.DrawFn) -> Kingdom:
    board = draw(boards())
    square = st.builds(Square, st.integers(0, board.height - 1), st.integers(0, board.width - 1))
    crown_count = st.integers(0, 2)
    gem = st.builds(
        Gem,
        st.sampled_from(["ruby", "opal"]),
        square,
        st.tuples(crown_count, crown_count, crown_count, crown_count),
        st.none() | st.integers(0, 3),
        st.integers(0, 3),
    )
    token = st.builds(
        lambda token_kind, place: Token(token_kind[0], place, *token_kind[1:]), st.sampled_from(TOKENS), square
    )
    return Kingdom(
        board,
        buildings=tuple(draw(st.lists(st.builds(PlacedBuilding, square, st.sampled_from(BUILDINGS)), max_size=4))),
        knights=tuple(draw(st.lists(square, max_size=3))),
        spare_knights=draw(st.integers(0, 5)),
        towers=draw(st.integers(0, 5)),
        coins=draw(st.integers(0, 40)),
        queen=draw(st.booleans()),
        gems=tuple(draw(st.lists(gem, max_size=3))),
        tokens=tuple(draw(st.lists(token, max_size=20))),
    )


def rotate_kingdom(kingdom: Kingdom) -> Kingdom:
    """Return the kingdom with all its pieces, turned a quarter clockwise."""
    height = kingdom.board.height

    def rotate_gem(gem: Gem) -> Gem:
        # The upper left square names the crossing. Before the turn, this square is the lower left one.
        crossing = Square(gem.crossing.row + 1, gem.crossing.col).rotate(height)
        return replace(gem, crossing=crossing, turned=(gem.turned + 1) % 4)

    return move_pieces(kingdom, kingdom.board.rotate(), lambda square: square.rotate(height), rotate_gem)


def mirror_kingdom(kingdom: Kingdom) -> Kingdom:
    """Return the mirrored kingdom; its gems have their left and right quarters exchanged."""
    last_col = kingdom.board.width - 1

    def mirror_square(square: Square) -> Square:
        return Square(square.row, last_col - square.col)

    def mirror_gem(gem: Gem) -> Gem:
        turned_crowns = [gem.crowns[(quarter - gem.turned) % 4] for quarter in range(4)]
        skull = None if gem.skull is None else (1, 0, 3, 2)[(gem.skull + gem.turned) % 4]
        crossing = mirror_square(Square(gem.crossing.row, gem.crossing.col + 1))
        return Gem(gem.kind, crossing, (turned_crowns[1], turned_crowns[0], turned_crowns[3], turned_crowns[2]), skull)

    return move_pieces(kingdom, kingdom.board.mirror(), mirror_square, mirror_gem)


def move_pieces(
    kingdom: Kingdom, board: Board, move_square: Callable[[Square], Square], move_gem: Callable[[Gem], Gem]
) -> Kingdom:
    return replace(
        kingdom,
        board=board,
        buildings=tuple(replace(building, square=move_square(building.square)) for building in kingdom.buildings),
        knights=tuple(map(move_square, kingdom.knights)),
        tokens=tuple(replace(token, square=move_square(token.square)) for token in kingdom.tokens),
        gems=tuple(map(move_gem, kingdom.gems)),
    )


def summarize_score(kingdom: Kingdom) -> tuple[list[tuple[str, int]], int, int]:
    card = score(kingdom, ALL_RULES)
    # The Queen may stand on another one of equally large territories; the sum of her lines is the same.
    # The labels of tokens name their squares.
    lines = sorted(
        (re.sub(r" on [A-Z][0-9]+", "", line.label), line.points) for line in card.lines if line.territory is None
    )
    return [*lines, ("territories", card.points)], measure_largest(kingdom), count_crowns(kingdom)


@given(boards())
def test_notation_survives_a_round_trip(board: Board) -> None:
    assert Board.parse(str(board)) == board
    assert Board.parse(board.format_rows()) == board


@given(kingdoms())
def test_turning_changes_no_score(kingdom: Kingdom) -> None:
    assert summarize_score(rotate_kingdom(kingdom)) == summarize_score(kingdom)


@given(kingdoms())
def test_mirroring_changes_no_score(kingdom: Kingdom) -> None:
    assert summarize_score(mirror_kingdom(kingdom)) == summarize_score(kingdom)


@settings(max_examples=40)
@given(boards())
def test_turning_and_mirroring_change_no_problem(board: Board) -> None:
    def list_clauses(candidate: Board) -> list[str]:
        return sorted({problem.clause for problem in find_problems(candidate, ROYAL_WEDDING)})

    assert list_clauses(board) == list_clauses(board.rotate()) == list_clauses(board.mirror())


@given(kingdoms())
def test_territories_partition_the_land(kingdom: Kingdom) -> None:
    land = [square for square, cell in kingdom.board.items() if cell.terrain is not Terrain.CASTLE]
    territory_squares = [square for territory in to_kingdom(kingdom).territories for square in territory.squares]
    assert sorted(territory_squares) == sorted(land)
    for territory in to_kingdom(kingdom).territories:
        assert {kingdom.board[square].terrain for square in territory.squares} == {territory.terrain}


@given(kingdoms())
def test_adding_a_rule_adds_exactly_its_lines(kingdom: Kingdom) -> None:
    for rule_set in (kingdomino(), queendomino(), royal_wedding()):
        for rule in ALL_RULES.rules:
            extended_rules = replace(rule_set, rules=(*rule_set.rules, rule))
            assert score(kingdom, extended_rules).lines == (*score(kingdom, rule_set).lines, *rule(kingdom))


@given(kingdoms())
def test_a_scorecard_is_the_sum_of_its_lines(kingdom: Kingdom) -> None:
    card = score(kingdom, ALL_RULES)
    assert card.total == sum(line.points for line in card.lines)
    assert card.points == sum(territory.points for territory in to_kingdom(kingdom).territories)


def compute_naive_points(kingdom: Kingdom) -> int:
    """Return the points of the territories: join labels until nothing changes, without code of the rules."""
    cells = {(s.row, s.col): c for s, c in kingdom.board.items() if c.terrain.value != "#"}
    group = {place: number for number, place in enumerate(cells)}
    for _ in cells:
        for (row, col), cell in cells.items():
            for other in ((row + 1, col), (row, col + 1)):
                if other in cells and cells[other].terrain.value == cell.terrain.value:
                    group[row, col] = group[other] = min(group[row, col], group[other])
    extra_crowns = dict.fromkeys(cells, 0)
    for building in kingdom.buildings:
        if (place := (building.square.row, building.square.col)) in extra_crowns:
            extra_crowns[place] += building.building.crowns
    skulls = set()
    for gem in kingdom.gems:
        corner_steps = [(0, 0), (0, 1), (1, 1), (1, 0)]
        for quarter, count in enumerate(gem.crowns):
            row_step, col_step = corner_steps[(quarter + gem.turned) % 4]
            place = (gem.crossing.row + row_step, gem.crossing.col + col_step)
            if place in extra_crowns:
                extra_crowns[place] += count
            if quarter == gem.skull:
                skulls.add(place)
    for token in kingdom.tokens:
        if (place := (token.square.row, token.square.col)) in extra_crowns:
            extra_crowns[place] += token.crowns
    points, sizes = [], []
    for number in set(group.values()):
        members = [place for place in cells if group[place] == number]
        crown_count = sum(max(0, cells[place].crowns + extra_crowns[place]) for place in members)
        is_cursed = bool(skulls & set(members))
        points.append(0 if is_cursed else len(members) * crown_count)
        sizes.append((len(members), 0 if is_cursed else len(members)))
    # The Queen's crown adds the size of the largest territory, unless every one of that size is cursed.
    return sum(points) + (max(sizes, default=(0, 0))[1] if kingdom.queen else 0)


@settings(max_examples=200)
@given(kingdoms())
def test_a_naive_scorer_agrees(kingdom: Kingdom) -> None:
    assert score(kingdom).points == compute_naive_points(kingdom)


def compute_naive_quests(kingdom: Kingdom) -> dict[str, int]:
    """Return the points of the quests that count squares: look at every square, without code of the rules."""

    terrains = {(s.row, s.col): cell.terrain.name.lower() for s, cell in kingdom.board.items()}
    places = [*terrains, *((s.row, s.col) for s in kingdom.board.unknown)]
    rows, cols = {row for row, _ in places}, {col for _, col in places}
    points = {"Lost Corner": 0}
    for (row, col), terrain in terrains.items():
        is_in_corner = row in (min(rows), max(rows)) and col in (min(cols), max(cols))
        is_near_castle = any(
            terrains.get((row + row_step, col + col_step)) == "castle"
            for row_step in (-1, 0, 1)
            for col_step in (-1, 0, 1)
        )
        if terrain == "castle":
            points["Lost Corner"] += 20 * is_in_corner
        else:
            for name, has_points in (("Four Corners", is_in_corner), ("Local Business", is_near_castle)):
                points[f"{name} ({terrain})"] = points.get(f"{name} ({terrain})", 0) + 5 * has_points
    return points


@given(kingdoms())
def test_naive_quests_agree(kingdom: Kingdom) -> None:
    expected = compute_naive_quests(kingdom)
    for line in score(kingdom, ALL_RULES).lines:
        if line.label.startswith(("Lost Corner", "Four Corners", "Local Business")):
            assert line.points == expected.get(line.label, 0), line.label


@settings(max_examples=200)
@given(boards())
def test_territories_are_the_regions_that_scikit_image_labels(board: Board) -> None:
    territories = to_kingdom(board).territories
    actual = {(t.terrain, frozenset(map(tuple, t.squares)), t.crowns) for t in territories}
    expected = set()
    for terrain in LAND:
        mask, crowns = make_planes(board, terrain)
        regions = label(mask, connectivity=1)
        for number in range(1, int(regions.max()) + 1):
            squares = frozenset(map(tuple, np.argwhere(regions == number).tolist()))
            expected.add((terrain, squares, int(crowns[regions == number].sum())))
    assert actual == expected


def make_planes(board: Board, terrain: Terrain) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    mask, crowns = np.zeros((board.height, board.width), int), np.zeros((board.height, board.width), int)
    for (row, col), cell in board.items():
        if cell.terrain is terrain:
            mask[row, col], crowns[row, col] = 1, cell.crowns
    return mask, crowns
