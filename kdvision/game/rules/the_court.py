"""The Court: resources on squares, buildings that add crowns, and characters that score what lies around them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem
from kdvision.game.pieces import TOWNS, Token, TokenKind
from kdvision.game.rules.tokens import check_tokens, describe_token
from kdvision.game.rules.variant import Variant
from kdvision.game.scoring import Line, RuleSet
from kdvision.text import count_noun

RESOURCES: Final = {Terrain.WHEAT: "wheat", Terrain.FOREST: "wood", Terrain.LAKE: "fish", Terrain.GRASS: "sheep"}
"""The resource that a terrain brings (court/resources, court/squares)."""

RESOURCES_PER_TILE: Final = 2
"""The smallest price of a tile, in resources of different kinds (court/price)."""


@dataclass(frozen=True, slots=True)
class Character:
    """A character: its own `points`, and `each` for every thing called `counted` on the eight squares around it."""

    clause: str
    points: int
    each: int = 0
    counted: str = ""
    is_warrior: bool = False


CHARACTERS: Final = {
    "Farmer": Character("court/gatherers", 3, 3, "wheat"),
    "Lumberjack": Character("court/gatherers", 3, 3, "wood"),
    "Fisherman": Character("court/gatherers", 3, 3, "fish"),
    "Shepherdess": Character("court/gatherers", 3, 3, "sheep"),
    "Banker": Character("court/banker", 2, 2, "resource"),
    "King": Character("court/king", 0, 1, "crown"),
    "Queen": Character("court/queen", 2, 2, "character"),
    "Captain": Character("court/captain", 1, 3, "warrior", is_warrior=True),
    "Axe Warrior": Character("court/warriors", 3, is_warrior=True),
    "Sword Warrior": Character("court/warriors", 3, is_warrior=True),
    "Light Archery": Character("court/warriors", 4, is_warrior=True),
    "Heavy Archery": Character("court/warriors", 4, is_warrior=True),
}
"""The characters by name; the box has each once (court/characters)."""

BUILDINGS: Final = {"w1": 3, "f1": 3, "l1": 3, "g1": 1, "g2": 1, "s1": 1, "s2": 1}
"""The buildings as terrain and crowns in notation, with the number of each in the box (court/buildings)."""

TILES: Final = TokenKind(
    "court",
    "court tile",
    {**dict.fromkeys(CHARACTERS, 0), **{name: Cell.parse(name).crowns for name in BUILDINGS}},
    count=len(CHARACTERS) + sum(BUILDINGS.values()),
)
RESOURCE_TOKENS: Final = TokenKind("resources", "resource", {"": 0}, count=59)


@dataclass(frozen=True)
class CourtTiles:
    """The points of the characters, which count the eight squares around them (court/neighbours).

    The crowns of buildings count in their territories (court/building-crowns).
    """

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """Yield one line for each tile; that of a building has no points of its own."""
        tiles = kingdom.list_tokens(TILES.key)
        places = _find_things(kingdom) if tiles else {}
        for tile in tiles:
            where = f"on {tile.square.name}"
            if (character := CHARACTERS.get(tile.name)) is None:
                label = f"building {tile.name} {where}: {count_noun(tile.crowns, 'crown')} of its territory"
                yield Line(label, 0, "court/building-crowns", (tile.square,))
                continue
            things = places.get(character.counted, {})
            count = sum([things.get(square, 0) for square in tile.square.surroundings()])
            parts = [str(character.points)] if character.points else []
            parts += [f"{_count_noun(count, character.counted)} × {character.each}"] if character.each else []
            points = character.points + count * character.each
            yield Line(f"{tile.name} {where}: {' + '.join(parts)}", points, character.clause, (tile.square,))


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}" if noun in RESOURCES.values() else count_noun(count, noun)


def _find_things(kingdom: Kingdom) -> dict[str, Mapping[Square, int]]:
    """Return how many things lie on each square, by the words of `Character.counted` (court/king-crowns)."""
    places: dict[str, Counter[Square]] = defaultdict(Counter)
    for token in kingdom.tokens:
        for word in _name_things(kingdom.board, token):
            places[word][token.square] += 1
    return {**places, "crown": kingdom.crowns_on}


def _name_things(board: Board, token: Token) -> tuple[str, ...]:
    """Return the words under which characters count a token."""
    if token.key == RESOURCE_TOKENS.key:
        cell = board.get(token.square)
        return (RESOURCES[cell.terrain], "resource") if cell is not None and cell.terrain in RESOURCES else ()
    if token.key == TILES.key and (character := CHARACTERS.get(token.name)):
        return ("character", "warrior") if character.is_warrior else ("character",)
    return ()


def check_court(table: Table) -> Iterator[Problem]:
    """Yield problems: tiles and resources off their places, more tiles than were paid for or than the box has."""
    yield from check_tokens(table, TILES, "court/tokens")
    yield from check_tokens(table, RESOURCE_TOKENS, "court/tokens")
    for number, kingdom in enumerate(table.kingdoms):
        if TOWNS not in kingdom.open_facts:
            yield from _check_places(number, kingdom)
            yield from _check_price(number, kingdom)
    used = Counter(tile.name for kingdom in table.kingdoms for tile in kingdom.list_tokens(TILES.key))
    for name, count in used.items():
        if count > (held := BUILDINGS.get(name, 1)):
            clause = "court/buildings" if name in BUILDINGS else "court/characters"
            yield Problem((), f"the court tile {name} lies in the game {count} times, and the box has {held}", clause)


def _check_places(number: int, kingdom: Kingdom) -> Iterator[Problem]:
    built_on = {built.square for built in kingdom.buildings}
    taken = Counter((token.key, token.square) for token in kingdom.tokens)
    for token in kingdom.tokens:
        cell = kingdom.board.get(token.square)
        if cell is None or cell.terrain is Terrain.CASTLE or token.key not in THE_COURT.facts:
            continue
        is_tile = token.key == TILES.key
        kind, clause = (TILES, "court/place") if is_tile else (RESOURCE_TOKENS, "court/resources")
        if cell.crowns:
            fault = f"{count_noun(cell.crowns, 'crown')}, and needs a square without"
        elif taken[token.key, token.square] > 1:
            fault, clause = "the square of another one", "court/squares"
        elif is_tile and taken[RESOURCE_TOKENS.key, token.square]:
            fault = "a resource, and needs a free square"
        elif is_tile and token.square in built_on:
            fault, clause = "a building, and needs a free square", "court/squares"
        else:
            fault = _find_wrong_terrain(token, cell.terrain)
        if fault:
            text = f"the {describe_token(kind, token)} on {token.square.name} lies on {fault}"
            yield Problem((token.square,), text, clause, number)


def _find_wrong_terrain(token: Token, terrain: Terrain) -> str:
    """Return the terrain on which a token may not lie, in words; empty if it may."""
    if token.key == RESOURCE_TOKENS.key:
        return "" if terrain in RESOURCES else f"{terrain}, which brings none"
    own = Cell.parse(token.name).terrain if token.name in BUILDINGS else terrain
    return "" if own is terrain else f"{terrain}, and is a building for {own}"


def _check_price(number: int, kingdom: Kingdom) -> Iterator[Problem]:
    """Yield the problem of more tiles than the resources that left the board can have paid for (court/price)."""
    if kingdom.board.unknown or RESOURCE_TOKENS.key in kingdom.open_facts:
        return
    kept = {token.square for token in kingdom.list_tokens(RESOURCE_TOKENS.key)}
    spent = Counter(
        cell.terrain
        for square, cell in kingdom.board.items()
        if cell.terrain in RESOURCES and not cell.crowns and square not in kept
    )
    # Each tile takes two or more resources of different kinds.
    paid = min(spent.total() // RESOURCES_PER_TILE, spent.total() - max(spent.values(), default=0))
    tiles = len(kingdom.list_tokens(TILES.key))
    if tiles > paid:
        verb = "lies" if tiles == 1 else "lie"
        text = f"{count_noun(tiles, TILES.word)} {verb} here, and the resources that left the board pay for {paid}"
        yield Problem((), text, "court/price", number)


def add_court(rule_set: RuleSet) -> RuleSet:
    """Return the rule set with the court, whatever its other variants (court/mix, court/variants)."""
    return replace(rule_set, rules=(*rule_set.rules, CourtTiles()), checks=(*rule_set.checks, check_court))


THE_COURT: Final[Variant] = Variant(
    "the-court",
    "The Court",
    help="The Court's resources, characters and buildings are played with.",
    clause="court/mix",
    change=add_court,
    games=("kingdomino", "queendomino"),
    facts=(TILES.key, RESOURCE_TOKENS.key),
    tokens=(TILES, RESOURCE_TOKENS),
)
