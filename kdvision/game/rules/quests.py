"""The quests of Age of Giants: 17 tiles, of which two are drawn and count for all (age-of-giants/quests).

Harmony and Middle Kingdom are two of the tiles, and the variants of the same names score them
(age-of-giants/old-quests). Quests and giants can each be played alone (age-of-giants/alone), and the quests of a
Dynasty stay the same (age-of-giants/dynasty).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from kdvision.game.board import Square, Terrain
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem
from kdvision.game.rules.harmony import HARMONY
from kdvision.game.rules.middle_kingdom import MIDDLE_KINGDOM
from kdvision.game.rules.variant import Group, Variant
from kdvision.game.scoring import Line, RuleSet
from kdvision.text import count_noun

QUESTS_DRAWN: Final = 2
GAMES: Final = ("kingdomino", "queendomino")
TERRAINS: Final = tuple(terrain for terrain in Terrain if terrain not in (Terrain.TOWN, Terrain.CASTLE))

MIN_BLEAK_SQUARES: Final = 5
BLEAK_TERRAINS: Final = (Terrain.WHEAT, Terrain.FOREST, Terrain.GRASS, Terrain.LAKE)

DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps from square to square along rows, columns and both diagonals."""

Found = Sequence[tuple[Square, ...]]
"""What earns the points of a quest: the squares of each corner, territory or line."""


@dataclass(frozen=True)
class Quest:
    """A rule that gives `points` for each thing that `find` finds."""

    label: str
    points: int
    clause: str
    find: Callable[[Kingdom], Found]

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """Yield one line, of 0 points if nothing is found."""
        found = self.find(kingdom)
        squares = tuple(sorted({square for squares in found for square in squares}))
        yield Line(self.label, self.points * len(found), self.clause, squares)


def find_corners(kingdom: Kingdom) -> set[Square]:
    """Return the corners of the smallest rectangle around the kingdom (age-of-giants/corners)."""
    if kingdom.board.bounds is None:
        return set()
    top, left, bottom, right = kingdom.board.bounds
    return {Square(row, col) for row in (top, bottom) for col in (left, right)}


def find_lost_corner(kingdom: Kingdom) -> Found:
    """Return the castle if it lies in a corner."""
    corners = find_corners(kingdom)
    return [(square,) for square in kingdom.board.castles() if square in corners]


def find_corners_of(terrain: Terrain, kingdom: Kingdom) -> Found:
    """Return the corner squares of a terrain."""
    return _select_terrain(kingdom, find_corners(kingdom), terrain)


def find_local_business(terrain: Terrain, kingdom: Kingdom) -> Found:
    """Return the squares of a terrain among the eight around the castle."""
    around = {square for castle in kingdom.board.castles() for square in castle.surroundings()}
    return _select_terrain(kingdom, around, terrain)


def find_bleak_territories(kingdom: Kingdom) -> Found:
    """Return the large territories of common terrains without a crown. The Queen is none: she lies on no square."""
    return [
        territory.squares
        for territory in replace(kingdom, queen=False).territories
        if territory.terrain in BLEAK_TERRAINS and not territory.crowns and len(territory.squares) >= MIN_BLEAK_SQUARES
    ]


def find_crown_lines(kingdom: Kingdom) -> Found:
    """Return as many lines of three crowned squares as possible, two of which share at most one square.

    Lines that share two squares lie in one row, column or diagonal. There, lines that begin at every second square of a
    run of crowned squares are the most that there can be (age-of-giants/lines).
    """
    crowned = kingdom.crowns_on.keys() & kingdom.board.keys()
    lines = []
    for down, across in DIRECTIONS:
        for start in crowned:
            if (start.row - down, start.col - across) in crowned:
                continue
            run, following = [start], Square(start.row + down, start.col + across)
            while following in crowned:
                run.append(following)
                following = Square(following.row + down, following.col + across)
            lines += [tuple(run[first : first + 3]) for first in range(0, len(run) - 2, 2)]
    return lines


def _select_terrain(kingdom: Kingdom, squares: set[Square], terrain: Terrain) -> Found:
    cells = {square: kingdom.board.get(square) for square in squares}
    return [(square,) for square, cell in cells.items() if cell is not None and cell.terrain is terrain]


def check_quests(_table: Table, *, count: int) -> Iterator[Problem]:
    """Yield the problem of more or fewer quests than are drawn, Harmony and Middle Kingdom counted."""
    if count != QUESTS_DRAWN:
        verb = "is" if count == 1 else "are"
        text = f"{count_noun(count, 'quest')} {verb} played, and a game has {QUESTS_DRAWN}"
        yield Problem((), text, "age-of-giants/quests")


def _make_quest(id: str, name: str, points: int, help: str, clause: str, find: Callable[[Kingdom], Found]) -> Variant:
    def add_quest(rule_set: RuleSet) -> RuleSet:
        rules = (*rule_set.rules, Quest(name, points, clause, find))
        check = partial(check_quests, count=sum(getattr(rule, "label", "") in QUEST_NAMES for rule in rules))
        others = [one for one in rule_set.checks if getattr(one, "func", None) is not check_quests]
        return replace(rule_set, rules=rules, checks=(*others, check))

    return Variant(id, name, help, clause, add_quest, games=GAMES, has_claim=True, group="quest")


def _make_terrain_quests(
    id: str, name: str, help: str, clause: str, find: Callable[[Terrain, Kingdom], Found]
) -> Iterator[Variant]:
    for terrain in TERRAINS:
        yield _make_quest(
            f"{id}-{terrain}", f"{name} ({terrain})", 5, help.format(terrain), clause, partial(find, terrain)
        )


QUESTS: Final = (
    _make_quest(
        "lost-corner",
        "Lost Corner",
        20,
        "Add 20 points for a castle in a corner of its kingdom.",
        "age-of-giants/lost-corner",
        find_lost_corner,
    ),
    _make_quest(
        "bleak-king",
        "Bleak King",
        10,
        "Add 10 points for each territory of wheat, forest, grass or lake with 5 squares or more and no crown.",
        "age-of-giants/bleak-king",
        find_bleak_territories,
    ),
    _make_quest(
        "folie-des-grandeurs",
        "Folie des grandeurs",
        10,
        "Add 10 points for each line of three crowned squares.",
        "age-of-giants/folie-des-grandeurs",
        find_crown_lines,
    ),
    *_make_terrain_quests(
        "four-corners",
        "Four Corners",
        "Add 5 points for each corner of the kingdom that is {}.",
        "age-of-giants/four-corners",
        find_corners_of,
    ),
    *_make_terrain_quests(
        "local-business",
        "Local Business",
        "Add 5 points for each {} square around the castle.",
        "age-of-giants/local-business",
        find_local_business,
    ),
)
"""The quests that are variants of their own: all but Harmony and Middle Kingdom."""

QUEST_GROUP: Final = Group(QUESTS_DRAWN, (HARMONY, MIDDLE_KINGDOM, *QUESTS))
"""All 17 quests."""

QUEST_NAMES: Final = frozenset(quest.name for quest in QUEST_GROUP.variants)
