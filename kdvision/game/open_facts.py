"""Facts about a kingdom that are not known yet, and the range of its points until they are.

Photos do not show the coins, knights and towers beside a board, or the Queen's host. While a fact is open a kingdom has
no total, only a lower bound and, if the rules and the box give one, an upper bound.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from kdvision.game.board import Square, find_regions
from kdvision.game.kingdom import (
    KNIGHT_KEYS,
    TOWNS,
    UNKNOWN,
    UNKNOWN_BUILDING,
    Kingdom,
    PlacedBuilding,
    find_crossings,
    find_free_towns,
    list_crossing_squares,
    name_crossing,
)
from kdvision.game.legality import join_names
from kdvision.game.rules import TOKEN_KINDS
from kdvision.game.rules.queendomino import BUILDINGS, COINS, KNIGHTS, TOWERS, describe_building
from kdvision.game.rules.the_court import RESOURCE_TOKENS, TILES
from kdvision.game.scoring import Line, RuleSet, score

BOARD: Final = "board"

FACT_WORDS: Final = {
    TOWNS: ("which squares are towns", "how many squares of the board are towns; write t on each, with its crowns"),
    "coins": ("coins", "how many coins are left"),
    "towers": ("towers", "how many towers"),
    "queen": ("whether the Queen is here", "true where the Queen is at the end, else false; she is with one player"),
    "knights": ("knights on the board", 'on which squares knights stand; as in ["A1", "C3"], [] for none'),
    "spare_knights": ("knights beside the board", "how many knights stand beside the board"),
    **{key: (f"{kind.word}s on the board", "") for key, kind in TOKEN_KINDS.items()},
}
"""What an open fact is called, and the comment that asks for it in a game file, which words that of tokens itself."""


class LineSource(NamedTuple):
    """What the points of a line depend on.

    The line counts the open `facts`. `crown_effect` is 1 if a further crown can raise it, -1 if one can lower it, else
    0. Unless `is_on_board` the squares of the board do not matter.
    """

    facts: tuple[str, ...] = ()
    crown_effect: int = 0
    is_on_board: bool = True


LINE_SOURCES: Final = {
    "queendomino/wealth": LineSource(("coins",), is_on_board=False),
    "queendomino/tower-bonus": LineSource(("towers",), is_on_board=False),
    "queendomino/knight-bonus": LineSource(KNIGHT_KEYS, is_on_board=False),
    "queendomino/building-points": LineSource(is_on_board=False),
    "age-of-giants/folie-des-grandeurs": LineSource(crown_effect=1),
    "age-of-giants/bleak-king": LineSource(crown_effect=-1),
    "court/gatherers": LineSource((RESOURCE_TOKENS.key,)),
    "court/banker": LineSource((RESOURCE_TOKENS.key,)),
    "court/queen": LineSource((TILES.key,)),
    "court/captain": LineSource((TILES.key,)),
    "court/king": LineSource(crown_effect=1),
}
"""The sources of lines by clause, besides those of territories (crowns and the board) and of the board alone."""


class OpenFact(NamedTuple):
    """Something that is unknown: its key in the game file, the squares it is about, and its description."""

    key: str
    squares: tuple[Square, ...]
    text: str


class PointRange(NamedTuple):
    """The bounds of a kingdom's points, for the board as it is given; `maximum` is None without an upper bound.

    `lines` are the certain lines of the scorecard; their sum is `minimum`. Without `open_facts` both bounds are the
    total.
    """

    minimum: int
    maximum: int | None
    lines: tuple[Line, ...]
    open_facts: tuple[OpenFact, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether all facts that score are known."""
        return not self.open_facts

    def __str__(self) -> str:
        if self.maximum is None:
            return f"{self.minimum} or more"
        return f"{self.minimum} to {self.maximum}" if self.maximum > self.minimum else str(self.minimum)


def compute_range(kingdom: Kingdom, rule_set: RuleSet) -> PointRange:
    """Return the bounds of a kingdom's points, and the facts that are open."""
    lines, open_facts = score(kingdom, rule_set).lines, list_open_facts(kingdom)
    certain_lines = tuple(_select_certain_lines(kingdom, lines)) if open_facts else lines
    minimum = sum(line.points for line in certain_lines)
    return PointRange(minimum, _compute_most(kingdom, rule_set) if open_facts else minimum, certain_lines, open_facts)


def has_open_facts(kingdom: Kingdom) -> bool:
    """Return whether facts about pieces are open. Unknown squares do not count."""
    return any(fact.key != BOARD for fact in list_open_facts(kingdom))


def close_queen(kingdoms: Sequence[Kingdom]) -> tuple[Kingdom, ...]:
    """Return the kingdoms of one game. If one hosts the Queen, the question is open for none: there is one Queen."""
    if not any(kingdom.queen for kingdom in kingdoms):
        return tuple(kingdoms)
    return tuple(replace(kingdom, open_facts=kingdom.open_facts - {"queen"}) for kingdom in kingdoms)


def has_one_queen(kingdoms: Sequence[Kingdom]) -> bool:
    """Return whether at most one kingdom of a game hosts the Queen; otherwise their points contradict each other."""
    return sum(kingdom.queen for kingdom in kingdoms) <= 1


def list_open_facts(kingdom: Kingdom) -> tuple[OpenFact, ...]:
    """Return the open facts that can change the score, in the order of the game file.

    Towers and knights are left out if no building counts them, gems and buildings if there is no place for them.
    """
    facts: list[OpenFact] = []
    if unknown_squares := tuple(sorted(kingdom.board.unknown)):
        facts.append(OpenFact(BOARD, unknown_squares, f"what lies on {join_names(unknown_squares)}"))
    keys, towns = kingdom.open_facts, find_free_towns(kingdom)
    may_have_buildings = "buildings" in keys and (TOWNS in keys or towns)
    tiles = [place.building for place in kingdom.buildings]
    if not may_have_buildings and UNKNOWN_BUILDING not in tiles:
        if not any(tile.per_tower for tile in tiles):
            keys -= {"towers"}
        if not any(tile.per_knight for tile in tiles):
            keys -= {*KNIGHT_KEYS}
    facts += [OpenFact(key, (), words) for key, (words, _) in FACT_WORDS.items() if key in keys]
    if may_have_buildings:
        sites, location = ((), "") if TOWNS in keys else (towns, f" on {join_names(towns)}")
        facts.append(OpenFact("buildings", sites, f"buildings{location}"))
    for place in kingdom.buildings:
        if place.building == UNKNOWN_BUILDING:
            facts.append(OpenFact("buildings", (place.square,), f"which building stands on {place.square.name}"))
    if "gems" in keys and (crossings := find_crossings(kingdom)):
        squares = tuple(sorted({square for crossing in crossings for square in list_crossing_squares(crossing)}))
        facts.append(OpenFact("gems", squares, f"gems between {', '.join(map(name_crossing, crossings))}"))
    for gem in kingdom.gems:
        if gem.kind == UNKNOWN:
            facts.append(OpenFact("gems", gem.squares, f"which gem lies between {name_crossing(gem.crossing)}"))
    return tuple(facts)


def _select_certain_lines(kingdom: Kingdom, lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines that no open fact can lower, with their lowest points."""
    at_risk, open_crowns = _find_squares_at_risk(kingdom), _list_open_crowns(kingdom)
    # Open buildings stand on towns, whose crowns lower no line.
    may_add_crowns = bool(at_risk) or max(open_crowns, default=0) > 0
    for line in lines:
        territory = line.territory
        source = LINE_SOURCES.get(line.clause, LineSource(crown_effect=int(territory is not None)))
        may_be_cursed = territory is not None and not territory.is_cursed and not at_risk.isdisjoint(line.squares)
        may_be_covered = source.crown_effect > 0 and min(open_crowns, default=0) < 0
        # One more square can take a bonus away.
        may_change = TOWNS in kingdom.open_facts or (bool(kingdom.board.unknown) and territory is None)
        may_be_crowned = source.crown_effect < 0 and may_add_crowns
        if may_be_cursed or may_be_covered or may_be_crowned or (may_change and source.is_on_board):
            continue
        if kingdom.open_facts.isdisjoint(source.facts):
            yield line
        elif line.points:
            yield replace(line, label=f"{line.label} or more")


def _list_open_crowns(kingdom: Kingdom) -> list[int]:
    return [crowns for key, kind in TOKEN_KINDS.items() if key in kingdom.open_facts for crowns in kind.crowns.values()]


def _find_squares_at_risk(kingdom: Kingdom) -> set[Square]:
    """Return the squares of territories that an open gem may point at, with crowns or with a skull.

    Unknown squares may join two territories, so a territory that reaches a gem's crossing or a skull through unknown
    squares is at risk too.
    """
    board = kingdom.board
    start = {square for gem in kingdom.gems if gem.kind == UNKNOWN for square in gem.squares}
    if "gems" in kingdom.open_facts:
        crossings = find_crossings(kingdom, unknown=board.unknown)
        start.update(square for crossing in crossings for square in list_crossing_squares(crossing))
    if board.unknown:
        start |= {gem.skull_square for gem in kingdom.gems if gem.skull_square is not None}
    at_risk = set[Square]()
    for terrain in {territory.terrain for territory in kingdom.territories} if start else ():
        terrain_squares = [square for square, cell in board.items() if cell.terrain is terrain]
        for _, squares in find_regions(dict.fromkeys([*board.unknown, *terrain_squares], True)):
            at_risk.update(squares if not start.isdisjoint(squares) else ())
    return at_risk - board.unknown


def _compute_most(kingdom: Kingdom, rule_set: RuleSet) -> int | None:
    """Return the points with the best pieces of the box; None if facts without a known bound are open."""
    open_facts, open_crowns = kingdom.open_facts, _list_open_crowns(kingdom)
    is_unbounded = TOWNS in open_facts or max(open_crowns, default=-1) >= 0
    if is_unbounded or kingdom.board.unknown or _find_squares_at_risk(kingdom):
        return None
    knights_left = KNIGHTS - len(kingdom.knights) if open_facts.intersection(KNIGHT_KEYS) else 0
    best_kingdom = replace(
        kingdom,
        coins=COINS if "coins" in open_facts else kingdom.coins,
        towers=TOWERS if "towers" in open_facts else kingdom.towers,
        spare_knights=max(kingdom.spare_knights, knights_left),
        queen=kingdom.queen or "queen" in open_facts,
    )
    card = score(best_kingdom, rule_set)
    crown_effects = [LINE_SOURCES.get(line.clause, LineSource()).crown_effect for line in card.lines]
    if min(crown_effects, default=0) < 0 and min(open_crowns, default=0) < 0:
        return None
    places = [place.square for place in kingdom.buildings if place.building == UNKNOWN_BUILDING]
    places += find_free_towns(kingdom) if "buildings" in open_facts else ()
    if not places:
        return card.total
    if any(crown_effects) or kingdom.tokens:
        return None  # crowns of several buildings together may bring more than each by itself
    effects = Counter(describe_building(place.building) for place in kingdom.buildings)
    sizes = {square: len(territory.squares) for territory in kingdom.territories for square in territory.squares}
    site = max(places, key=lambda square: sizes.get(square, 0))
    gains: list[int] = []
    for tile in BUILDINGS:
        trial_kingdom = replace(best_kingdom, buildings=(*best_kingdom.buildings, PlacedBuilding(site, tile)))
        gains += [score(trial_kingdom, rule_set).total - card.total] * (tile.count - effects[describe_building(tile)])
    return card.total + sum(sorted(gains, reverse=True)[: len(places)])
