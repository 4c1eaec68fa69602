"""What nobody has told yet of a kingdom, and what its points lie between until somebody does.

Some facts no photo shows: coins, knights and towers beside the board, the Queen's host. Others were not read. As long
as one is missing a kingdom has no total, only a least and, where the rules and the box bound it, a most.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.kingdom import Kingdom, Territory
from kdvision.game.legality import join_names
from kdvision.game.pieces import TOWNS, UNKNOWN, UNKNOWN_BUILDING, Built, Gem
from kdvision.game.rules.queendomino_checks import BUILDINGS, COINS, KNIGHTS, TOWERS
from kdvision.game.scoring import Line, RuleSet, Scorecard, score

BOARD: Final = "board"
PLAIN: Final = {
    TOWNS: "which squares are towns",
    "coins": "coins",
    "towers": "towers",
    "queen": "whether the Queen is here",
    "knights": "knights on the board",
    "spare_knights": "knights beside the board",
}
_TOWERS: Final = ("towers",)
_KNIGHTS: Final = ("knights", "spare_knights")
_OFF_BOARD: Final = tuple(
    f"queendomino/{clause}" for clause in ("wealth", "building-points", "tower-bonus", "knight-bonus")
)
"""Clauses of points that are the same whatever the board shows."""


@dataclass(frozen=True, slots=True)
class OpenFact:
    """Something still to be told: the key of the game file, the squares it is about, and what it is in some words."""

    item: str
    squares: tuple[Square, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PointRange:
    """The points of a kingdom as far as they are known: at least and at most, None where nothing bounds them.

    `lines` are those of the scorecard that are certain; they sum to `least`. Where nothing is `list_open_facts`, both bounds
    are the total. They hold for the board as it is given: a square that was read wrong is no part of this.
    """

    least: int
    most: int | None
    lines: tuple[Line, ...]
    missing: tuple[OpenFact, ...] = ()

    @property
    def complete(self) -> bool:
        """True where all is told that scores."""
        return not self.missing

    def __str__(self) -> str:
        if self.most is None:
            return f"{self.least} or more"
        return f"{self.least} to {self.most}" if self.most > self.least else str(self.least)


def compute_range(kingdom: Kingdom, rule_set: RuleSet) -> PointRange:
    """What the points of a kingdom lie between, and what is still to be told."""
    lines, gaps = score(kingdom, rule_set).lines, list_open_facts(kingdom)
    certain = tuple(_certain(kingdom, lines)) if gaps else lines
    least = sum(line.points for line in certain)
    return PointRange(least, _most(kingdom, rule_set) if gaps else least, certain, gaps)


def has_open_facts(kingdom: Kingdom) -> bool:
    """True where pieces are still to be told, so that the kingdom has no total; squares not known do not count."""
    return any(gap.item != BOARD for gap in list_open_facts(kingdom))


def score_certain(kingdom: Kingdom, rule_set: RuleSet) -> Scorecard:
    """The scorecard; while pieces are still to be told, of the certain lines alone."""
    return Scorecard(compute_range(kingdom, rule_set).lines) if has_open_facts(kingdom) else score(kingdom, rule_set)


def close_queen(kingdoms: Sequence[Kingdom]) -> tuple[Kingdom, ...]:
    """The kingdoms of one game, none asked about the Queen once her host is told: there is one Queen."""
    if not any(kingdom.queen for kingdom in kingdoms):
        return tuple(kingdoms)
    return tuple(replace(kingdom, open_facts=kingdom.open_facts - {"queen"}) for kingdom in kingdoms)


def list_open_facts(kingdom: Kingdom) -> tuple[OpenFact, ...]:
    """All that is still to be told of a kingdom for its score, in the order of the game file.

    Towers and knights are left out where no building can count them, gems and buildings where they can lie nowhere.
    """
    return tuple(_missing(kingdom))


def _missing(kingdom: Kingdom) -> Iterator[OpenFact]:
    if unknown := tuple(sorted(kingdom.board.unknown)):
        yield OpenFact(BOARD, unknown, f"what lies on {join_names(unknown)}")
    idle = {*_TOWERS, *_KNIGHTS} - _counting(kingdom)
    yield from (OpenFact(key, (), PLAIN[key]) for key in PLAIN if key in kingdom.open_facts - idle)
    if "buildings" in kingdom.open_facts:
        if TOWNS in kingdom.open_facts:
            yield OpenFact("buildings", (), "buildings")
        elif free := find_free_towns(kingdom):
            yield OpenFact("buildings", free, f"buildings on {join_names(free)}")
    for built in kingdom.buildings:
        if built.building == UNKNOWN_BUILDING:
            yield OpenFact("buildings", (built.square,), f"which building stands on {built.square.name}")
    if "gems" in kingdom.open_facts and (corners := find_crossings(kingdom)):
        squares = tuple(sorted({square for corner in corners for square in _around(corner)}))
        yield OpenFact("gems", squares, f"gems between {', '.join(map(name_crossing, corners))}")
    for gem in kingdom.gems:
        if gem.kind == UNKNOWN:
            yield OpenFact("gems", gem.squares, f"which gem lies between {name_crossing(gem.corner)}")


def _counting(kingdom: Kingdom) -> set[str]:
    """Which of towers and knights some building counts, or one that is still to be told may count."""
    tiles = [built.building for built in kingdom.buildings]
    room = "buildings" in kingdom.open_facts and (TOWNS in kingdom.open_facts or bool(find_free_towns(kingdom)))
    if room or UNKNOWN_BUILDING in tiles:
        return {*_TOWERS, *_KNIGHTS}
    towers, knights = any(tile.per_tower for tile in tiles), any(tile.per_knight for tile in tiles)
    return {*(_TOWERS if towers else ()), *(_KNIGHTS if knights else ())}


def find_free_towns(kingdom: Kingdom) -> tuple[Square, ...]:
    """The town squares without a building that was told."""
    taken = {built.square for built in kingdom.buildings}
    return tuple(square for square in find_towns(kingdom.board) if square not in taken)


def find_towns(board: Board) -> tuple[Square, ...]:
    """The town squares of a board, from the top left."""
    return tuple(square for square, cell in board.items() if cell.terrain is Terrain.TOWN)


def find_crossings(kingdom: Kingdom) -> tuple[Square, ...]:
    """The corners where a gem can lie and none was told, each by the upper left of its four squares.

    Four different landscapes meet there (lost-treasures/discovery, lost-treasures/no-castle).
    """
    taken = {gem.corner for gem in kingdom.gems}
    return tuple(corner for corner in kingdom.board if corner not in taken and _discovery(kingdom.board, corner))


def name_crossing(corner: Square) -> str:
    """A crossing as game files call it: "B2 C3", two of its four squares."""
    return f"{corner.name} {Square(corner.row + 1, corner.col + 1).name}"


def _discovery(board: Board, corner: Square) -> bool:
    cells = [board.get(square) for square in _around(corner)]
    terrains = {cell.terrain for cell in cells if cell is not None} - {Terrain.CASTLE}
    return len(terrains) == len(cells)


def _around(corner: Square) -> tuple[Square, ...]:
    return Gem(UNKNOWN, corner).squares


def _certain(kingdom: Kingdom, lines: Sequence[Line]) -> Iterator[Line]:
    """The lines that no fact still missing can lower, with the points they have at least."""
    untold, exposed = kingdom.open_facts, _exposed(kingdom)
    for line in lines:
        land = line.territory
        sunk = land is not None and not land.cursed and not exposed.isdisjoint(line.squares)  # by a skull
        if sunk or (TOWNS in untold and line.clause not in _OFF_BOARD):
            continue
        if kingdom.board.unknown and land is None and line.clause not in _OFF_BOARD:
            continue  # one more square can take a bonus away
        if not _counted(line, untold):
            yield line
        elif line.points:
            yield replace(line, label=f"{line.label} or more")


def _counted(line: Line, untold: Collection[str]) -> bool:
    """Whether the line counts something of which not all is told."""
    counts = {
        "queendomino/wealth": ("coins",),
        "queendomino/tower-bonus": _TOWERS,
        "queendomino/knight-bonus": _KNIGHTS,
    }
    return any(key in untold for key in counts.get(line.clause, ()))


def _exposed(kingdom: Kingdom) -> set[Square]:
    """The squares of territories that a gem still to be told may point at, for better or, by a skull, for worse.

    So may a skull that lies there already, and any gem, by way of squares not known: they may join two territories.
    """
    board = kingdom.board
    near = {square for gem in kingdom.gems if gem.kind == UNKNOWN for square in gem.squares}
    if "gems" in kingdom.open_facts:
        near |= {square for corner in _possible_crossings(kingdom) for square in _around(corner)}
    if board.unknown:
        near |= {gem.skull_square for gem in kingdom.gems if gem.skull_square is not None}
    if not near:
        return set()
    found = set[Square]()
    for terrain in {land.terrain for land in kingdom.territories}:
        found |= _reached(near, board.unknown.union(s for s, cell in board.items() if cell.terrain is terrain))
    return found - board.unknown


def _reached(start: Collection[Square], within: Collection[Square]) -> set[Square]:
    """The squares that hang together, within these, with one of the first."""
    ahead = [square for square in start if square in within]
    found = set(ahead)
    for square in ahead:
        more = [near for near in square.neighbours() if near in within and near not in found]
        found.update(more)
        ahead += more
    return found


def _possible_crossings(kingdom: Kingdom) -> Iterator[Square]:
    """The crossings, and the corners that may turn out to be one, where a square there is not known."""
    yield from find_crossings(kingdom)
    board, taken = kingdom.board, {gem.corner for gem in kingdom.gems}
    touched = {Square(s.row - up, s.col - left) for s in board.unknown for up in (0, 1) for left in (0, 1)}
    for corner in touched - taken:
        cells = [board.get(square) for square in _around(corner) if square not in board.unknown]
        terrains = {cell.terrain for cell in cells if cell is not None} - {Terrain.CASTLE}
        if len(terrains) == len(cells):
            yield corner


def _most(kingdom: Kingdom, rule_set: RuleSet) -> int | None:
    """The points it has with the best that the box holds; None where the board or gems are not all known."""
    if TOWNS in kingdom.open_facts or kingdom.board.unknown or _exposed(kingdom):
        return None
    best = _at_best(kingdom)
    total = score(best, rule_set).total
    room = [built.square for built in kingdom.buildings if built.building == UNKNOWN_BUILDING]
    room += find_free_towns(kingdom) if "buildings" in kingdom.open_facts else ()
    if not room:
        return total
    used = Counter(built.building.effect for built in kingdom.buildings)
    at = max(room, key=lambda square: _size_at(kingdom.territories, square))
    worth: list[int] = []
    for tile in BUILDINGS:
        gained = score(replace(best, buildings=(*best.buildings, Built(at, tile))), rule_set).total - total
        worth += [gained] * (tile.count - used[tile.effect])
    return total + sum(sorted(worth, reverse=True)[: len(room)])


def _at_best(kingdom: Kingdom) -> Kingdom:
    """The kingdom with all coins, towers, knights and the Queen, as far as nobody has told of them."""
    untold = kingdom.open_facts
    knights = untold.intersection(_KNIGHTS)
    return replace(
        kingdom,
        coins=COINS if "coins" in untold else kingdom.coins,
        towers=TOWERS if "towers" in untold else kingdom.towers,
        spare_knights=max(kingdom.spare_knights, KNIGHTS - len(kingdom.knights)) if knights else kingdom.spare_knights,
        queen=kingdom.queen or "queen" in untold,
    )


def _size_at(lands: Sequence[Territory], square: Square) -> int:
    return next((len(land.squares) for land in lands if square in land.squares), 0)
