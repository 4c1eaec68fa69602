"""What holds for every board and every piece on it, tried on random ones and against independent scorers."""

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
EVERYTHING = reduce(lambda rules, variant: variant.add_to(rules), VARIANTS, royal_wedding(side=7))
"""All variants together, whatever their games."""
TOKENS = [(kind.key, name, crowns) for kind in TOKEN_KINDS.values() for name, crowns in kind.crowns.items()]


@st.composite
def boards(draw: st.DrawFn, longest: int = 7) -> Board:
    height, width = draw(st.integers(1, longest)), draw(st.integers(1, longest))
    words = st.sampled_from(["w", "w1", "f", "l", "l2", "g", "s1", "m3", "t", ".", "#", "?"])
    rows = draw(st.lists(st.lists(words, min_size=width, max_size=width), min_size=height, max_size=height))
    return Board.parse([" ".join(row) for row in rows])


@st.composite
def kingdoms(draw: st.DrawFn) -> Kingdom:
    board = draw(boards())
    square = st.builds(Square, st.integers(0, board.height - 1), st.integers(0, board.width - 1))
    quarter = st.integers(0, 2)
    gem = st.builds(
        Gem,
        st.sampled_from(["ruby", "opal"]),
        square,
        st.tuples(quarter, quarter, quarter, quarter),
        st.none() | st.integers(0, 3),
        st.integers(0, 3),
    )
    token = st.builds(lambda of, at: Token(of[0], at, *of[1:]), st.sampled_from(TOKENS), square)
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


def turned(kingdom: Kingdom) -> Kingdom:
    """The kingdom a quarter clockwise, with everything on it."""
    height = kingdom.board.height

    def turn(gem: Gem) -> Gem:
        # The corner is told by the upper left square, which is the lower left one before the turn.
        corner = Square(gem.corner.row + 1, gem.corner.col).rotate(height)
        return replace(gem, corner=corner, turned=(gem.turned + 1) % 4)

    return moved(kingdom, kingdom.board.rotate(), lambda square: square.rotate(height), turn)


def mirrored(kingdom: Kingdom) -> Kingdom:
    """The kingdom as a mirror shows it; a mirrored gem has its left and right quarters exchanged."""
    last = kingdom.board.width - 1

    def move(square: Square) -> Square:
        return Square(square.row, last - square.col)

    def reflect(gem: Gem) -> Gem:
        lying = [gem.crowns[(place - gem.turned) % 4] for place in range(4)]
        skull = None if gem.skull is None else (1, 0, 3, 2)[(gem.skull + gem.turned) % 4]
        corner = move(Square(gem.corner.row, gem.corner.col + 1))
        return Gem(gem.kind, corner, (lying[1], lying[0], lying[3], lying[2]), skull)

    return moved(kingdom, kingdom.board.mirror(), move, reflect)


def moved(kingdom: Kingdom, board: Board, move: Callable[[Square], Square], move_gem: Callable[[Gem], Gem]) -> Kingdom:
    return replace(
        kingdom,
        board=board,
        buildings=tuple(replace(built, square=move(built.square)) for built in kingdom.buildings),
        knights=tuple(map(move, kingdom.knights)),
        tokens=tuple(replace(token, square=move(token.square)) for token in kingdom.tokens),
        gems=tuple(map(move_gem, kingdom.gems)),
    )


def outcome(kingdom: Kingdom) -> tuple[list[tuple[str, int]], int, int]:
    card = score(kingdom, EVERYTHING)
    # The Queen may stand on another one of equally large territories; the sum of her lines is the same.
    # The labels of tokens name their squares.
    lines = sorted(
        (re.sub(r" on [A-Z][0-9]+", "", line.label), line.points) for line in card.lines if line.territory is None
    )
    return [*lines, ("territories", card.points)], measure_largest(kingdom), count_crowns(kingdom)


@given(boards())
def test_notation_survives_a_round_trip(board: Board) -> None:
    assert Board.parse(str(board)) == board
    assert Board.parse(board.rows()) == board


@given(kingdoms())
def test_turning_changes_no_score(kingdom: Kingdom) -> None:
    assert outcome(turned(kingdom)) == outcome(kingdom)


@given(kingdoms())
def test_mirroring_changes_no_score(kingdom: Kingdom) -> None:
    assert outcome(mirrored(kingdom)) == outcome(kingdom)


@settings(max_examples=40)
@given(boards())
def test_turning_and_mirroring_change_no_problem(board: Board) -> None:
    def clauses(of: Board) -> list[str]:
        return sorted({problem.clause for problem in find_problems(of, ROYAL_WEDDING)})

    assert clauses(board) == clauses(board.rotate()) == clauses(board.mirror())


@given(kingdoms())
def test_territories_partition_the_land(kingdom: Kingdom) -> None:
    land = [square for square, cell in kingdom.board.items() if cell.terrain is not Terrain.CASTLE]
    covered = [square for territory in to_kingdom(kingdom).territories for square in territory.squares]
    assert sorted(covered) == sorted(land)
    for territory in to_kingdom(kingdom).territories:
        assert {kingdom.board[square].terrain for square in territory.squares} == {territory.terrain}


@given(kingdoms())
def test_adding_a_rule_adds_exactly_its_lines(kingdom: Kingdom) -> None:
    for rule_set in (kingdomino(), queendomino(), royal_wedding()):
        for rule in EVERYTHING.rules:
            more = replace(rule_set, rules=(*rule_set.rules, rule))
            assert score(kingdom, more).lines == (*score(kingdom, rule_set).lines, *rule(kingdom))


@given(kingdoms())
def test_a_scorecard_is_the_sum_of_its_lines(kingdom: Kingdom) -> None:
    card = score(kingdom, EVERYTHING)
    assert card.total == sum(line.points for line in card.lines)
    assert card.points == sum(territory.points for territory in to_kingdom(kingdom).territories)


def naive_points(kingdom: Kingdom) -> int:
    """The points of the territories, found by joining labels until nothing changes; no code of the rules is used."""
    cells = {(s.row, s.col): c for s, c in kingdom.board.items() if c.terrain.value != "#"}
    group = {place: number for number, place in enumerate(cells)}
    for _ in cells:
        for (row, col), cell in cells.items():
            for other in ((row + 1, col), (row, col + 1)):
                if other in cells and cells[other].terrain.value == cell.terrain.value:
                    group[row, col] = group[other] = min(group[row, col], group[other])
    extra = dict.fromkeys(cells, 0)
    for built in kingdom.buildings:
        if (place := (built.square.row, built.square.col)) in extra:
            extra[place] += built.building.crowns
    skulls = set()
    for gem in kingdom.gems:
        around = [(0, 0), (0, 1), (1, 1), (1, 0)]
        for quarter, count in enumerate(gem.crowns):
            down, right = around[(quarter + gem.turned) % 4]
            place = (gem.corner.row + down, gem.corner.col + right)
            if place in extra:
                extra[place] += count
            if quarter == gem.skull:
                skulls.add(place)
    for token in kingdom.tokens:
        if (place := (token.square.row, token.square.col)) in extra:
            extra[place] += token.crowns
    points, sizes = [], []
    for number in set(group.values()):
        members = [place for place in cells if group[place] == number]
        crowned = sum(max(0, cells[place].crowns + extra[place]) for place in members)
        cursed = bool(skulls & set(members))
        points.append(0 if cursed else len(members) * crowned)
        sizes.append((len(members), 0 if cursed else len(members)))
    # The Queen's crown adds the size of the largest territory, unless every one of that size is cursed.
    return sum(points) + (max(sizes, default=(0, 0))[1] if kingdom.queen else 0)


@settings(max_examples=200)
@given(kingdoms())
def test_a_naive_scorer_agrees(kingdom: Kingdom) -> None:
    assert score(kingdom).points == naive_points(kingdom)


def naive_quests(kingdom: Kingdom) -> dict[str, int]:
    """The points of the quests that count squares, by looking at every square; no code of the rules is used."""
    terrains = {(s.row, s.col): cell.terrain.name.lower() for s, cell in kingdom.board.items()}
    places = [*terrains, *((s.row, s.col) for s in kingdom.board.unknown)]
    rows, cols = {row for row, _ in places}, {col for _, col in places}
    points = {"Lost Corner": 0}
    for (row, col), terrain in terrains.items():
        in_corner = row in (min(rows), max(rows)) and col in (min(cols), max(cols))
        near_castle = any(
            terrains.get((row + down, col + right)) == "castle" for down in (-1, 0, 1) for right in (-1, 0, 1)
        )
        if terrain == "castle":
            points["Lost Corner"] += 20 * in_corner
        else:
            for name, counts in (("Four Corners", in_corner), ("Local Business", near_castle)):
                points[f"{name} ({terrain})"] = points.get(f"{name} ({terrain})", 0) + 5 * counts
    return points


@given(kingdoms())
def test_naive_quests_agree(kingdom: Kingdom) -> None:
    expected = naive_quests(kingdom)
    for line in score(kingdom, EVERYTHING).lines:
        if line.label.startswith(("Lost Corner", "Four Corners", "Local Business")):
            assert line.points == expected.get(line.label, 0), line.label


@settings(max_examples=200)
@given(boards())
def test_territories_are_the_regions_that_scikit_image_labels(board: Board) -> None:
    territories = to_kingdom(board).territories
    found = {(one.terrain, frozenset(map(tuple, one.squares)), one.crowns) for one in territories}
    expected = set()
    for terrain in LAND:
        mask, printed = _planes(board, terrain)
        regions = label(mask, connectivity=1)
        for number in range(1, int(regions.max()) + 1):
            squares = frozenset(map(tuple, np.argwhere(regions == number).tolist()))
            expected.add((terrain, squares, int(printed[regions == number].sum())))
    assert found == expected


def _planes(board: Board, terrain: Terrain) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    mask, printed = np.zeros((board.height, board.width), int), np.zeros((board.height, board.width), int)
    for (row, col), cell in board.items():
        if cell.terrain is terrain:
            mask[row, col], printed[row, col] = 1, cell.crowns
    return mask, printed
