"""Facts about a kingdom that are not known yet, and the range of its points until they are.

Photos do not show the coins, knights and towers beside a board, or the Queen's host. While a fact is open a kingdom has
no total, only a lower bound and, if the rules and the box give one, an upper bound.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kdvision.game.board import Square, find_regions
from kdvision.game.kingdom import (
    KNIGHT_KEYS,
    TOWER_KEYS,
    TOWNS,
    UNKNOWN,
    UNKNOWN_BUILDING,
    Kingdom,
    PlacedBuilding,
    corner_squares,
    find_crossings,
    find_free_towns,
    name_crossing,
)
from kdvision.game.legality import join_names
from kdvision.game.rules import TOKEN_KINDS
from kdvision.game.rules.queendomino import BUILDINGS, COINS, KNIGHTS, TOWERS
from kdvision.game.scoring import Line, RuleSet, Scorecard, score

BOARD: Final = "board"

WORDS: Final = {
    TOWNS: "which squares are towns",
    "coins": "coins",
    "towers": "towers",
    "queen": "whether the Queen is here",
    "knights": "knights on the board",
    "spare_knights": "knights beside the board",
    **{key: f"{kind.word}s on the board" for key, kind in TOKEN_KINDS.items()},
}
COUNTED_KEYS: Final = {
    "queendomino/wealth": ("coins",),
    "queendomino/tower-bonus": TOWER_KEYS,
    "queendomino/knight-bonus": KNIGHT_KEYS,
}
"""The facts that lines of these clauses count."""

UNBOUNDED_KEYS: Final = {TOWNS, *(key for key, kind in TOKEN_KINDS.items() if max(kind.crowns.values()) >= 0)}
"""Facts that can raise lines of the board without a known bound while they are open."""

COVERING_KEYS: Final = {key for key, kind in TOKEN_KINDS.items() if min(kind.crowns.values()) < 0}
"""Facts that can lower every line that counts crowns while they are open."""

CROWN_CLAUSES: Final = ("age-of-giants/folie-des-grandeurs", "court/king")
"""Clauses whose lines count crowns, besides those of territories."""

LOWERED_BY_CROWNS: Final = ("age-of-giants/bleak-king",)
"""Clauses whose lines a further crown can lower, so none is certain while a fact is open."""

OFF_BOARD_CLAUSES: Final = (*COUNTED_KEYS, "queendomino/building-points")
"""Clauses whose points do not depend on the board."""


@dataclass(frozen=True, slots=True)
class OpenFact:
    """Something that is unknown: its key in the game file, the squares it is about, and its description."""

    item: str
    squares: tuple[Square, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PointRange:
    """The bounds of a kingdom's points, for the board as it is given; `most` is None without an upper bound.

    `lines` are the certain lines of the scorecard; their sum is `least`. Without `missing` facts both bounds are the
    total.
    """

    least: int
    most: int | None
    lines: tuple[Line, ...]
    missing: tuple[OpenFact, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether all facts that score are known."""
        return not self.missing

    def __str__(self) -> str:
        if self.most is None:
            return f"{self.least} or more"
        return f"{self.least} to {self.most}" if self.most > self.least else str(self.least)


def compute_range(kingdom: Kingdom, rule_set: RuleSet) -> PointRange:
    """Return the bounds of a kingdom's points, and the facts that are open."""
    lines, missing = score(kingdom, rule_set).lines, list_open_facts(kingdom)
    certain = tuple(_select_certain_lines(kingdom, lines)) if missing else lines
    least = sum(line.points for line in certain)
    return PointRange(least, _compute_most(kingdom, rule_set) if missing else least, certain, missing)


def has_open_facts(kingdom: Kingdom) -> bool:
    """Return whether facts about pieces are open. Unknown squares do not count."""
    return any(fact.item != BOARD for fact in list_open_facts(kingdom))


def score_certain(kingdom: Kingdom, rule_set: RuleSet) -> Scorecard:
    """Return the scorecard; while facts about pieces are open, that of the certain lines."""
    if has_open_facts(kingdom):
        return Scorecard(compute_range(kingdom, rule_set).lines)
    return score(kingdom, rule_set)


def close_queen(kingdoms: Sequence[Kingdom]) -> tuple[Kingdom, ...]:
    """Return the kingdoms of one game. If one hosts the Queen, the question is open for none: there is one Queen."""
    if not any(kingdom.queen for kingdom in kingdoms):
        return tuple(kingdoms)
    return tuple(replace(kingdom, open_facts=kingdom.open_facts - {"queen"}) for kingdom in kingdoms)


def list_open_facts(kingdom: Kingdom) -> tuple[OpenFact, ...]:
    """Return the open facts that can change the score, in the order of the game file.

    Towers and knights are left out if no building counts them, gems and buildings if there is no place for them.
    """
    return tuple(_find_open_facts(kingdom))


def _find_open_facts(kingdom: Kingdom) -> Iterator[OpenFact]:
    if unknown := tuple(sorted(kingdom.board.unknown)):
        yield OpenFact(BOARD, unknown, f"what lies on {join_names(unknown)}")
    keys, towns = kingdom.open_facts, find_free_towns(kingdom)
    may_have_buildings = "buildings" in keys and (TOWNS in keys or towns)
    tiles = [built.building for built in kingdom.buildings]
    if not may_have_buildings and UNKNOWN_BUILDING not in tiles:
        towers = TOWER_KEYS if any(tile.per_tower for tile in tiles) else ()
        knights = KNIGHT_KEYS if any(tile.per_knight for tile in tiles) else ()
        keys -= {*TOWER_KEYS, *KNIGHT_KEYS}.difference(towers, knights)
    yield from (OpenFact(key, (), WORDS[key]) for key in WORDS if key in keys)
    if may_have_buildings:
        sites, where = ((), "") if TOWNS in keys else (towns, f" on {join_names(towns)}")
        yield OpenFact("buildings", sites, f"buildings{where}")
    for built in kingdom.buildings:
        if built.building == UNKNOWN_BUILDING:
            yield OpenFact("buildings", (built.square,), f"which building stands on {built.square.name}")
    if "gems" in keys and (corners := find_crossings(kingdom)):
        squares = tuple(sorted({square for corner in corners for square in corner_squares(corner)}))
        yield OpenFact("gems", squares, f"gems between {', '.join(map(name_crossing, corners))}")
    for gem in kingdom.gems:
        if gem.kind == UNKNOWN:
            yield OpenFact("gems", gem.squares, f"which gem lies between {name_crossing(gem.corner)}")


def _select_certain_lines(kingdom: Kingdom, lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines that no open fact can lower, with their lowest points."""
    at_risk = _find_squares_at_risk(kingdom)
    for line in lines:
        land = line.territory
        may_be_cursed = land is not None and not land.cursed and not at_risk.isdisjoint(line.squares)
        counts_crowns = land is not None or line.clause in CROWN_CLAUSES
        may_be_covered = counts_crowns and not COVERING_KEYS.isdisjoint(kingdom.open_facts)
        # One more square can take a bonus away.
        may_change = TOWNS in kingdom.open_facts or (bool(kingdom.board.unknown) and land is None)
        may_change = may_change and line.clause not in OFF_BOARD_CLAUSES
        if may_be_cursed or may_be_covered or may_change or line.clause in LOWERED_BY_CROWNS:
            continue
        if kingdom.open_facts.isdisjoint(COUNTED_KEYS.get(line.clause, ())):
            yield line
        elif line.points:
            yield replace(line, label=f"{line.label} or more")


def _find_squares_at_risk(kingdom: Kingdom) -> set[Square]:
    """Return the squares of territories that an open gem may point at, with crowns or with a skull.

    Unknown squares may join two territories, so a territory that reaches a gem's corner or a skull through unknown
    squares is at risk too.
    """
    board = kingdom.board
    start = {square for gem in kingdom.gems if gem.kind == UNKNOWN for square in gem.squares}
    if "gems" in kingdom.open_facts:
        corners = find_crossings(kingdom, unknown=board.unknown)
        start.update(square for corner in corners for square in corner_squares(corner))
    if board.unknown:
        start |= {gem.skull_square for gem in kingdom.gems if gem.skull_square is not None}
    at_risk = set[Square]()
    for terrain in {land.terrain for land in kingdom.territories} if start else ():
        land = [square for square, cell in board.items() if cell.terrain is terrain]
        for _, squares in find_regions(dict.fromkeys([*board.unknown, *land], True)):
            at_risk.update(squares if not start.isdisjoint(squares) else ())
    return at_risk - board.unknown


def _compute_most(kingdom: Kingdom, rule_set: RuleSet) -> int | None:
    """Return the points with the best pieces of the box; None if facts without a known bound are open."""
    if not UNBOUNDED_KEYS.isdisjoint(kingdom.open_facts) or kingdom.board.unknown or _find_squares_at_risk(kingdom):
        return None
    is_open = kingdom.open_facts
    knights_left = KNIGHTS - len(kingdom.knights) if is_open.intersection(KNIGHT_KEYS) else 0
    best = replace(
        kingdom,
        coins=COINS if "coins" in is_open else kingdom.coins,
        towers=TOWERS if "towers" in is_open else kingdom.towers,
        spare_knights=max(kingdom.spare_knights, knights_left),
        queen=kingdom.queen or "queen" in is_open,
    )
    card = score(best, rule_set)
    if any(line.clause in LOWERED_BY_CROWNS for line in card.lines):
        return None
    places = [built.square for built in kingdom.buildings if built.building == UNKNOWN_BUILDING]
    places += find_free_towns(kingdom) if "buildings" in is_open else ()
    if not places:
        return card.total
    used = Counter(built.building.effect for built in kingdom.buildings)
    sizes = {square: len(land.squares) for land in kingdom.territories for square in land.squares}
    at = max(places, key=lambda square: sizes.get(square, 0))
    gains: list[int] = []
    for tile in BUILDINGS:
        built = replace(best, buildings=(*best.buildings, PlacedBuilding(at, tile)))
        gains += [score(built, rule_set).total - card.total] * (tile.count - used[tile.effect])
    return card.total + sum(sorted(gains, reverse=True)[: len(places)])
