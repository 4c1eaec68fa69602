"""The quests of Age of Giants: 17 tiles, of which two are drawn and count for all (age-of-giants/quests).

Harmony and Middle Kingdom are two of the tiles, and the variants of the same names score them
(age-of-giants/old-quests). Quests and giants can each be played alone (age-of-giants/alone), and the quests of a
Dynasty stay the same (age-of-giants/dynasty).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count, takewhile
from typing import Final

from kdvision.game.board import Square, Terrain
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem
from kdvision.game.rules.harmony import HARMONY
from kdvision.game.rules.middle_kingdom import MIDDLE_KINGDOM
from kdvision.game.rules.variant import Bonus, Group, Groups, Variant
from kdvision.game.scoring import RuleSet
from kdvision.text import count_noun

QUESTS_DRAWN: Final = 2
TERRAINS: Final = tuple(terrain for terrain in Terrain if terrain not in (Terrain.TOWN, Terrain.CASTLE))


def find_corners(kingdom: Kingdom, _side: int, *, terrain: Terrain) -> Groups:
    """Return the squares of a terrain in corners of the smallest rectangle (age-of-giants/corners)."""
    top, left, bottom, right = kingdom.board.bounds
    return _select_terrain(kingdom, {Square(row, col) for row in (top, bottom) for col in (left, right)}, terrain)


def find_local_business(kingdom: Kingdom, _side: int, *, terrain: Terrain) -> Groups:
    """Return the squares of a terrain among the eight around the castle."""
    squares = {square for castle in kingdom.board.find_castles() for square in castle.list_surroundings()}
    return _select_terrain(kingdom, squares, terrain)


def find_bleak_territories(kingdom: Kingdom, _side: int) -> Groups:
    """Return the large territories of common terrains without a crown. The Queen is none: she lies on no square."""
    min_squares, terrains = 5, (Terrain.WHEAT, Terrain.FOREST, Terrain.GRASS, Terrain.LAKE)
    territories = (replace(kingdom, queen=False) if kingdom.queen else kingdom).territories
    return [
        territory.squares
        for territory in territories
        if territory.terrain in terrains and not territory.crowns and len(territory.squares) >= min_squares
    ]


def find_crown_lines(kingdom: Kingdom, _side: int) -> Groups:
    """Return as many lines of three crowned squares as possible, two of which share at most one square.

    Lines that share two squares lie in one row, column or diagonal. There, lines that begin at every second square of a
    run of crowned squares are the most that there can be (age-of-giants/lines).
    """
    crown_squares = kingdom.crowns_on.keys() & kingdom.board.keys()
    lines = []
    for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):  # along rows, columns and both diagonals
        for start in crown_squares:
            if (start.row - down, start.col - across) not in crown_squares:
                steps = (Square(start.row + n * down, start.col + n * across) for n in count())
                run = tuple(takewhile(crown_squares.__contains__, steps))
                lines += [run[first : first + 3] for first in range(0, len(run) - 2, 2)]
    return lines


def _select_terrain(kingdom: Kingdom, squares: set[Square], terrain: Terrain) -> Groups:
    cells = {square: kingdom.board.get(square) for square in squares}
    return [(square,) for square, cell in cells.items() if cell is not None and cell.terrain is terrain]


def check_quests(_table: Table, rule_set: RuleSet) -> Iterator[Problem]:
    """Yield the problem of more or fewer quests than are drawn, Harmony and Middle Kingdom counted."""
    quests = sum(isinstance(rule, Bonus) and rule.variant in QUEST_GROUP.variants for rule in rule_set.rules)
    if quests != QUESTS_DRAWN:
        verb = "is" if quests == 1 else "are"
        text = f"{count_noun(quests, 'quest')} {verb} played, and a game has {QUESTS_DRAWN}"
        yield Problem((), text, "age-of-giants/quests")


def _make_quest(
    clause: str, name: str, points: int, help: str, find_groups: Callable[[Kingdom, int], Groups], suffix: str = ""
) -> Variant:
    return Variant(
        clause.partition("/")[2] + suffix,
        name,
        help,
        clause,
        points=points,
        find_groups=find_groups,
        checks=(check_quests,),
        games=("kingdomino", "queendomino"),
        group="quest",
    )


def _make_terrain_quests(clause: str, name: str, help: str, find_groups: Callable[..., Groups]) -> Iterator[Variant]:
    for terrain in TERRAINS:
        find_squares = partial(find_groups, terrain=terrain)
        yield _make_quest(clause, f"{name} ({terrain})", 5, help.format(terrain), find_squares, f"-{terrain}")


QUESTS: Final = (
    _make_quest(
        "age-of-giants/lost-corner",
        "Lost Corner",
        20,
        "Add 20 points for a castle in a corner of its kingdom.",
        partial(find_corners, terrain=Terrain.CASTLE),
    ),
    _make_quest(
        "age-of-giants/bleak-king",
        "Bleak King",
        10,
        "Add 10 points for each territory of wheat, forest, grass or lake with 5 squares or more and no crown.",
        find_bleak_territories,
    ),
    _make_quest(
        "age-of-giants/folie-des-grandeurs",
        "Folie des grandeurs",
        10,
        "Add 10 points for each line of three crowned squares.",
        find_crown_lines,
    ),
    *_make_terrain_quests(
        "age-of-giants/four-corners",
        "Four Corners",
        "Add 5 points for each corner of the kingdom that is {}.",
        find_corners,
    ),
    *_make_terrain_quests(
        "age-of-giants/local-business",
        "Local Business",
        "Add 5 points for each {} square around the castle.",
        find_local_business,
    ),
)
"""The quests that are variants of their own: all but Harmony and Middle Kingdom."""

QUEST_GROUP: Final = Group(QUESTS_DRAWN, (HARMONY, MIDDLE_KINGDOM, *QUESTS))
"""All 17 quests."""
