"""The pieces of a kingdom besides its dominoes: buildings, gems and tokens. Facts only, no points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

from kdvision.game.board import Square, Terrain

JOKER: Final = "joker"
"""The kind of the one gem that stands for any other."""

TOWNS: Final = "towns"
QUEENDOMINO_FACTS: Final = (TOWNS, "coins", "towers", "queen", "knights", "spare_knights", "buildings")
"""What lies on or beside a kingdom of Queendomino, by its keys in game files."""

TOWER_KEYS: Final = ("towers",)
KNIGHT_KEYS: Final = ("knights", "spare_knights")

TREASURE_FACTS: Final = ("gems",)
"""What The Lost Treasures add to a kingdom, by its keys in game files."""

UNKNOWN: Final = "?"
"""Stands for an unknown value: a fact in a game file, a building's name, a gem's kind."""

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

    @property
    def effect(self) -> tuple[int, int, Terrain | None, int, int]:
        """What distinguishes the kinds of building: everything but name and count."""
        return self.crowns, self.points, self.per_territory, self.per_tower, self.per_knight


UNKNOWN_BUILDING: Final = Building(UNKNOWN)
"""A building of which only the square is known."""


@dataclass(frozen=True, slots=True)
class Built:
    """A building on its construction square."""

    square: Square
    building: Building


def corner_squares(corner: Square) -> tuple[Square, Square, Square, Square]:
    """Return the four squares around a corner, clockwise from the upper left, which is `corner`."""
    row, col = corner
    return Square(row, col), Square(row, col + 1), Square(row + 1, col + 1), Square(row + 1, col)


@dataclass(frozen=True, slots=True)
class Gem:
    """A treasure token on the corner where four squares meet.

    `corner` is the upper left of the four squares. `crowns` are the token's crowns by quarter, clockwise from the top
    left as printed. `skull` is the index of its skull quarter or None. `turned` is the number of quarter turns,
    clockwise, with which it was laid (lost-treasures/orientation).
    """

    kind: str
    corner: Square
    crowns: tuple[int, int, int, int] = (0, 0, 0, 0)
    skull: int | None = None
    turned: int = 0

    @property
    def squares(self) -> tuple[Square, Square, Square, Square]:
        """The four squares around the corner, clockwise from the upper left."""
        return corner_squares(self.corner)

    def crowns_by_square(self) -> dict[Square, int]:
        """Return the crowns that the token, as it lies, points at each of its four squares."""
        return {square: self.crowns[(place - self.turned) % 4] for place, square in enumerate(self.squares)}

    @property
    def skull_square(self) -> Square | None:
        """The square that the skull points at, None for a token without skull."""
        return None if self.skull is None else self.squares[(self.skull + self.turned) % 4]


@dataclass(frozen=True)
class TokenKind:
    """A kind of token that an expansion puts on squares.

    `key` is its list in game files ("giants"), `word` is what one is called ("giant"). `crowns` has the names that a
    token can have, "" for tokens without a name, each with the crowns that it adds to its square, or covers if
    negative. The box has `count` tokens.
    """

    key: str
    word: str
    crowns: Mapping[str, int]
    count: int

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
"""The tokens on one kingdom by the keys of their kinds."""


def join_tokens(tokens: TokensByKey) -> tuple[Token, ...]:
    """Return the tokens of all kinds."""
    return tuple(chain.from_iterable(tokens.values()))
