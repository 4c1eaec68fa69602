"""A kingdom: a board, the pieces on it and beside it, and its territories."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final, TypeAlias

from kdvision.game.board import Board, Square, Terrain, find_regions

JOKER: Final = "joker"
"""The kind of the one gem that stands for any other."""

TOWNS: Final = "towns"
QUEENDOMINO_FACTS: Final = (TOWNS, "coins", "towers", "queen", "knights", "spare_knights", "buildings")
"""What lies on or beside a kingdom of Queendomino, by its keys in game files."""

KNIGHT_KEYS: Final = ("knights", "spare_knights")

UNKNOWN: Final = "?"
"""Stands for an unknown value: a fact in a game file, a building's name, a gem's kind."""
GEM: Final = "gem"
"""The kind of a detected gem, among the kinds of piece."""

QUARTERS: Final = ("top left", "top right", "bottom right", "bottom left")
"""The quarters of a gem token, clockwise: the order of `Gem.crowns`."""


@dataclass(frozen=True, slots=True)
class Building:
    """A building tile by its effect at the end of the game.

    `crowns` count in the town territory it stands in. `points` are fixed. Each territory of the terrain `per_territory`
    is worth 2 points. `per_tower` and `per_knight` are points for each of those. `count` is the number of tiles of the
    box with this effect, whatever their names.
    """

    name: str = ""
    crowns: int = 0
    points: int = 0
    per_territory: Terrain | None = None
    per_tower: int = 0
    per_knight: int = 0
    count: int = 1


UNKNOWN_BUILDING: Final = Building(UNKNOWN)
"""A building of which only the square is known."""


@dataclass(frozen=True, slots=True)
class PlacedBuilding:
    """A building on its construction square."""

    square: Square
    building: Building


def list_crossing_squares(crossing: Square) -> tuple[Square, Square, Square, Square]:
    """Return the four squares around a crossing, clockwise from the upper left, which is `crossing`."""
    row, col = crossing
    return Square(row, col), Square(row, col + 1), Square(row + 1, col + 1), Square(row + 1, col)


@dataclass(frozen=True, slots=True)
class Gem:
    """A treasure token on a crossing, where four squares meet.

    `crossing` is the upper left of the four squares. `crowns` are the token's crowns by quarter, clockwise from the top
    left as printed. `skull` is the index of its skull quarter or None. `turned` is the number of quarter turns,
    clockwise, with which it was laid (lost-treasures/orientation).
    """

    kind: str
    crossing: Square
    crowns: tuple[int, int, int, int] = (0, 0, 0, 0)
    skull: int | None = None
    turned: int = 0

    @property
    def squares(self) -> tuple[Square, Square, Square, Square]:
        """The four squares around the crossing, clockwise from the upper left."""
        return list_crossing_squares(self.crossing)

    @property
    def skull_square(self) -> Square | None:
        """The square that the skull points at, None for a token without skull."""
        return None if self.skull is None else self.squares[(self.skull + self.turned) % 4]


@dataclass(frozen=True)
class TokenKind:
    """A kind of token that an expansion puts on squares.

    `key` is its list in game files ("giants"), `word` is what one is called ("giant"). `crowns` has the names that a
    token can have, "" for tokens without a name, each with the crowns that it adds to its square, or covers if
    negative. The box has `count` tokens. `clause` is about their number and places.
    """

    key: str
    word: str
    crowns: Mapping[str, int]
    count: int
    clause: str

    def describe(self, token: "Token") -> str:
        """Return what a token of this kind is called, such as "giant" or "court tile King"."""
        return f"{self.word} {token.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Token:
    """A token on a square: the `key` of its kind, its name if it has one, and the crowns that it adds to the square."""

    key: str
    square: Square
    name: str = ""
    crowns: int = 0

    def __str__(self) -> str:
        return f"{self.square.name} {self.name}".rstrip()


TokensByKey: TypeAlias = Mapping[str, Sequence[Token]]


def join_tokens(tokens: TokensByKey) -> tuple[Token, ...]:
    """Return the tokens of all kinds."""
    return tuple(chain.from_iterable(tokens.values()))


@dataclass(frozen=True, slots=True)
class Territory:
    """Connected squares of one terrain with the crowns on them; a skull curses it.

    Clauses: kingdomino/territory, kingdomino/value, kingdomino/no-crowns, lost-treasures/skull.
    """

    terrain: Terrain
    squares: tuple[Square, ...]
    crowns: int = 0
    is_cursed: bool = False

    @property
    def points(self) -> int:
        """Squares times crowns; 0 under a skull."""
        return 0 if self.is_cursed else len(self.squares) * self.crowns


@dataclass(frozen=True)
class Kingdom:
    """The kingdom of a player or team at the end of the game.

    `knights` stand on squares, `spare_knights` were not placed. `queen` is true for the Queen's host, which the board
    does not show. `discarded` is the number of discarded dominoes, `claims` are the bonuses that the player counts on,
    `towns` is the number of town squares; these three are compared with the board and do not score. `questions` say
    what a person has still to check.

    `tokens` are those of all expansions, in the order of the game file.

    `open_facts` are the keys of the facts that are unknown, or not known in full. The fields then hold what is known
    (`kdvision.game.open_facts`).
    """

    board: Board
    player: str = ""
    buildings: tuple[PlacedBuilding, ...] = ()
    knights: tuple[Square, ...] = ()
    spare_knights: int = 0
    towers: int = 0
    coins: int = 0
    queen: bool = False
    gems: tuple[Gem, ...] = ()
    tokens: tuple[Token, ...] = ()
    discarded: int | None = None
    claims: tuple[str, ...] = ()
    towns: int | None = None
    questions: tuple[str, ...] = ()
    open_facts: frozenset[str] = frozenset()

    @cached_property
    def territories(self) -> tuple[Territory, ...]:
        """The territories with all crowns on them, from the top left. Squares connect by their sides only."""
        crowns_on, skulls = self.crowns_on, {gem.skull_square for gem in self.gems}
        terrains = {s: cell.terrain for s, cell in self.board.items() if cell.terrain is not Terrain.CASTLE}
        territories = []
        for terrain, squares in find_regions(terrains):
            crowns = sum([crowns_on[square] for square in squares])
            territories.append(Territory(terrain, squares, crowns, not skulls.isdisjoint(squares)))
        if self.queen and territories:
            # One more crown on the largest, towns included (queendomino/queen). Of equally large ones the Queen takes
            # the best for her host (queendomino/queen-choice).
            largest = max(territories, key=lambda territory: (len(territory.squares), not territory.is_cursed))
            territories[territories.index(largest)] = replace(largest, crowns=largest.crowns + 1)
        return tuple(territories)

    @property
    def all_knights(self) -> int:
        """The number of knights, placed or not."""
        return len(self.knights) + self.spare_knights

    @cached_property
    def crowns_on(self) -> Mapping[Square, int]:
        """The crowns on each square of the board: printed ones, added ones, and without covered ones."""
        crowns = Counter({square: cell.crowns for square, cell in self.board.items()})
        for place in self.buildings:
            crowns[place.square] += place.building.crowns
        for gem in self.gems:
            for quarter, square in enumerate(gem.squares):
                crowns[square] += gem.crowns[(quarter - gem.turned) % 4]
        for token in self.tokens:
            crowns[token.square] += token.crowns
        return +crowns  # a square has no fewer than 0

    def list_tokens(self, key: str) -> tuple[Token, ...]:
        """Return the tokens of one kind, by its key in game files."""
        return tuple(token for token in self.tokens if token.key == key)


@dataclass(frozen=True)
class Table:
    """The kingdoms of one game or round, and the kinds of the gems that lie open beside the box.

    `seats` is the number of kingdoms that were played, 0 if it is not given.
    """

    kingdoms: tuple[Kingdom, ...]
    open_gems: tuple[str, ...] = ()
    seats: int = 0


def to_kingdom(kingdom: Kingdom | Board) -> Kingdom:
    """Return the kingdom itself, or a board as a kingdom without pieces."""
    return kingdom if isinstance(kingdom, Kingdom) else Kingdom(kingdom)


def measure_largest(kingdom: Kingdom) -> int:
    """Return the squares of the largest territory, crowned or not, cursed or not (lost-treasures/skull-ties)."""
    return max((len(territory.squares) for territory in kingdom.territories), default=0)


def count_crowns(kingdom: Kingdom) -> int:
    """Return the number of crowns: printed ones and those of gems, buildings and the Queen."""
    return sum(territory.crowns for territory in kingdom.territories)


def find_complete_square(kingdom: Kingdom, side: int) -> list[tuple[Square, ...]]:
    """Return all squares of a kingdom that fills `side` rows and columns without holes, else nothing.

    One of the squares is the castle, or can be, because it is unknown. Whether the kingdom is complete is the ruling
    kingdomino/complete.
    """
    board = kingdom.board
    is_full = len(board) + len(board.unknown) == side * side and board.extent == (side, side)
    castles = len(board.find_castles())
    return [tuple(board)] if is_full and (castles == 1 or (board.unknown and not castles)) else []


def find_free_towns(kingdom: Kingdom) -> tuple[Square, ...]:
    """Return the town squares without a known building."""
    built_on = {place.square for place in kingdom.buildings}
    return tuple(square for square in find_towns(kingdom.board) if square not in built_on)


def find_towns(board: Board) -> tuple[Square, ...]:
    """Return the town squares of a board, from the top left."""
    return tuple(square for square, cell in board.items() if cell.terrain is Terrain.TOWN)


def find_crossings(kingdom: Kingdom, *, unknown: Collection[Square] = ()) -> tuple[Square, ...]:
    """Return the crossings where a gem can lie and none is known, each by the upper left of its four squares.

    Four different landscapes meet there (lost-treasures/discovery, lost-treasures/no-castle). `unknown` squares may be
    any landscape.
    """
    with_gem, crossings = {gem.crossing for gem in kingdom.gems}, (*kingdom.board, *unknown)
    return tuple(c for c in crossings if c not in with_gem and can_hold_gem(kingdom.board, c, unknown=unknown))


def name_crossing(crossing: Square) -> str:
    """Return the name of a crossing in game files: "B2 C3", two of its four squares."""
    return f"{crossing.name} {Square(crossing.row + 1, crossing.col + 1).name}"


def can_hold_gem(board: Board, crossing: Square, *, unknown: Collection[Square] = ()) -> bool:
    """Return whether four landscapes meet at a crossing; `unknown` squares may be any landscape."""
    cells = [board.get(square) for square in list_crossing_squares(crossing) if square not in unknown]
    terrains = {cell.terrain for cell in cells if cell is not None} - {Terrain.CASTLE}
    return len(terrains) == len(cells)
