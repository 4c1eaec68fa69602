"""The Court: resources on squares, buildings that add crowns, and characters that score what lies around them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from kdvision.game.board import Cell, Square, Terrain
from kdvision.game.kingdom import TOWNS, Kingdom, Table, TokenKind
from kdvision.game.legality import Problem
from kdvision.game.rules.variant import Variant, check_each
from kdvision.game.scoring import Line, RuleSet
from kdvision.text import count_noun

RESOURCES: Final = {Terrain.WHEAT: "wheat", Terrain.FOREST: "wood", Terrain.LAKE: "fish", Terrain.GRASS: "sheep"}
"""The resource that a terrain brings (court/resources, court/squares)."""


class Character(NamedTuple):
    """A character: its own `points`, and `points_each` for every thing called `noun` on the eight squares around it."""

    clause: str
    points: int
    points_each: int = 0
    noun: str = ""
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
    clause="court/tokens",
)
RESOURCE_TOKENS: Final = TokenKind("resources", "resource", {"": 0}, count=59, clause="court/tokens")


def list_tile_lines(kingdom: Kingdom) -> Iterator[Line]:
    """Yield one line for each tile: the points of a character, which counts what lies around it (court/neighbours).

    A building has no points of its own: its crowns count in its territory (court/building-crowns).
    """
    tiles = kingdom.list_tokens(TILES.key)
    places = _find_things(kingdom) if tiles else {}
    for tile in tiles:
        location = f"on {tile.square.name}"
        if (character := CHARACTERS.get(tile.name)) is None:
            label = f"building {tile.name} {location}: {count_noun(tile.crowns, 'crown')} of its territory"
            yield Line(label, 0, "court/building-crowns", (tile.square,))
            continue
        counts = places.get(character.noun, {})
        count = sum([counts.get(square, 0) for square in tile.square.list_surroundings()])
        terms = [str(character.points)] if character.points else []
        if character.points_each:
            noun = character.noun
            phrase = f"{count} {noun}" if noun in RESOURCES.values() else count_noun(count, noun)
            terms.append(f"{phrase} × {character.points_each}")
        points = character.points + count * character.points_each
        yield Line(f"{tile.name} {location}: {' + '.join(terms)}", points, character.clause, (tile.square,))


def _find_things(kingdom: Kingdom) -> dict[str, Mapping[Square, int]]:
    """Return how many things lie on each square, by the words of `Character.noun` (court/king-crowns)."""
    places: dict[str, Counter[Square]] = defaultdict(Counter)
    for token in kingdom.tokens:
        words: tuple[str, ...] = ()
        if token.key == RESOURCE_TOKENS.key:
            cell = kingdom.board.get(token.square)
            words = (RESOURCES[cell.terrain], "resource") if cell and cell.terrain in RESOURCES else ()
        elif token.key == TILES.key and (character := CHARACTERS.get(token.name)):
            words = ("character", "warrior") if character.is_warrior else ("character",)
        for word in words:
            places[word][token.square] += 1
    return {**places, "crown": kingdom.crowns_on}


def check_tiles(table: Table, _rules: RuleSet) -> Iterator[Problem]:
    """Yield the tiles of which the game has more than the box."""
    tile_counts = Counter(tile.name for kingdom in table.kingdoms for tile in kingdom.list_tokens(TILES.key))
    for name, count in tile_counts.items():
        if count > (supply := BUILDINGS.get(name, 1)):
            clause = "court/buildings" if name in BUILDINGS else "court/characters"
            yield Problem((), f"the court tile {name} lies in the game {count} times, and the box has {supply}", clause)


@check_each
def check_places(kingdom: Kingdom) -> Iterator[Problem]:
    """Yield the tiles and resources that lie off their places."""
    if TOWNS in kingdom.open_facts:
        return
    built_on = {place.square for place in kingdom.buildings}
    token_counts = Counter((token.key, token.square) for token in kingdom.tokens)
    for token in kingdom.tokens:
        cell = kingdom.board.get(token.square)
        if cell is None or cell.terrain is Terrain.CASTLE or token.key not in THE_COURT.facts:
            continue
        is_tile = token.key == TILES.key
        kind, clause = (TILES, "court/place") if is_tile else (RESOURCE_TOKENS, "court/resources")
        needed_terrain = Cell.parse(token.name).terrain if token.name in BUILDINGS else cell.terrain
        fault = ""
        if cell.crowns:
            fault = f"{count_noun(cell.crowns, 'crown')}, and needs a square without"
        elif token_counts[token.key, token.square] > 1:
            fault, clause = "the square of another one", "court/squares"
        elif is_tile and token_counts[RESOURCE_TOKENS.key, token.square]:
            fault = "a resource, and needs a free square"
        elif is_tile and token.square in built_on:
            fault, clause = "a building, and needs a free square", "court/squares"
        elif needed_terrain is not cell.terrain:
            fault = f"{cell.terrain}, and is a building for {needed_terrain}"
        elif not is_tile and cell.terrain not in RESOURCES:
            fault = f"{cell.terrain}, which brings none"
        if fault:
            text = f"the {kind.describe(token)} on {token.square.name} lies on {fault}"
            yield Problem((token.square,), text, clause)


@check_each
def check_price(kingdom: Kingdom) -> Iterator[Problem]:
    """Yield the problem of more tiles than the resources that left the board can have paid for (court/price)."""
    if kingdom.board.unknown or not kingdom.open_facts.isdisjoint((TOWNS, RESOURCE_TOKENS.key)):
        return
    resource_squares = {token.square for token in kingdom.list_tokens(RESOURCE_TOKENS.key)}
    payments = Counter(
        cell.terrain
        for square, cell in kingdom.board.items()
        if cell.terrain in RESOURCES and not cell.crowns and square not in resource_squares
    )
    # Each tile takes two or more resources of different kinds.
    max_tiles = min(payments.total() // 2, payments.total() - max(payments.values(), default=0))
    tiles = len(kingdom.list_tokens(TILES.key))
    if tiles > max_tiles:
        verb = "lies" if tiles == 1 else "lie"
        text = f"{count_noun(tiles, TILES.word)} {verb} here, and the resources that left the board pay for {max_tiles}"
        yield Problem((), text, "court/price")


THE_COURT: Final[Variant] = Variant(
    "the-court",
    "The Court",
    help="The Court's resources, characters and buildings are played with.",
    clause="court/mix",  # whatever the other variants: court/variants
    rules=(list_tile_lines,),
    checks=(check_places, check_price, check_tiles),
    games=("kingdomino", "queendomino"),
    facts=(TILES.key, RESOURCE_TOKENS.key),
    tokens=(TILES, RESOURCE_TOKENS),
)
