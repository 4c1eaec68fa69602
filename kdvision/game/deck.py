"""The dominoes of the boxes: printed number, left square, right square."""

from collections import Counter
from functools import lru_cache
from typing import Final, NamedTuple

from kdvision.errors import NotationError
from kdvision.game.board import Cell, Terrain

EXPECTED_DOMINO: Final = "two landscapes with a digit for crowns, as in w f1"

Face = tuple[Cell, Cell]
"""The two cells of a domino in the order of their notation, whichever way it lies."""


class Domino(NamedTuple):
    """One domino with the number on its back, which has the letter of its box if boxes are mixed."""

    number: int | str
    left: Cell
    right: Cell


Deck = tuple[Domino, ...]


class DeckIndex(NamedTuple):
    """A deck by its faces: each face with the `numbers` of its dominoes and their count, the `supply`.

    `face_index` is the place in these tuples of the face of two cells, in either order. `squares` counts the squares of
    each cell.
    """

    faces: tuple[Face, ...]
    numbers: tuple[tuple[int | str, ...], ...]
    supply: tuple[int, ...]
    face_index: dict[Face, int]
    squares: Counter[Cell]


@lru_cache(maxsize=32)
def index_deck(deck: Deck) -> DeckIndex:
    """Return the index of a deck by its faces."""
    supply = count_faces(deck)
    numbers = (tuple(d.number for d in deck if make_face(d.left, d.right) == face) for face in supply)
    face_index = {face: index for index, face in enumerate(supply)}
    face_index |= {(second, first): index for (first, second), index in face_index.items()}
    return DeckIndex(tuple(supply), tuple(numbers), tuple(supply.values()), face_index, count_kinds(deck))


def make_face(first: Cell, second: Cell) -> Face:
    """Return the face of two cells: the cells in the order of their notation."""
    return (first, second) if str(first) <= str(second) else (second, first)


def parse_domino(text: str) -> Face:
    """Return the two cells of a domino written as "w f1", in this order; raise NotationError."""
    cells = [Cell.parse(word) for word in text.split()]
    if len(cells) != 2 or any(cell.terrain is Terrain.CASTLE for cell in cells):
        raise NotationError(f"{text!r} is no domino", expected=EXPECTED_DOMINO, hint=f"write {EXPECTED_DOMINO}")
    return cells[0], cells[1]


def count_faces(deck: Deck) -> Counter[Face]:
    """Return how many dominoes of the deck show each face."""
    return Counter(make_face(domino.left, domino.right) for domino in deck)


def count_kinds(deck: Deck) -> Counter[Cell]:
    """Return how many squares of the deck show each cell."""
    return Counter(cell for domino in deck for cell in (domino.left, domino.right))


def parse_deck(text: str) -> Deck:
    """Return the deck of a text with the number or letter and the two cells of each domino."""
    words = iter(text.split())
    return tuple(
        Domino(int(number) if number.isdigit() else number, Cell.parse(left), Cell.parse(right))
        for number, left, right in zip(words, words, words, strict=True)
    )


KINGDOMINO: Final[Deck] = parse_deck(
    """
     1 w  w     2 w  w     3 f  f     4 f  f     5 f  f     6 f  f
     7 l  l     8 l  l     9 l  l    10 g  g    11 g  g    12 s  s
    13 w  f    14 w  l    15 w  g    16 w  s    17 f  l    18 f  g
    19 w1 f    20 w1 l    21 w1 g    22 w1 s    23 w1 m    24 f1 w
    25 f1 w    26 f1 w    27 f1 w    28 f1 l    29 f1 g    30 l1 w
    31 l1 w    32 l1 f    33 l1 f    34 l1 f    35 l1 f    36 w  g1
    37 l  g1   38 w  s1   39 g  s1   40 m1 w    41 w  g2   42 l  g2
    43 w  s2   44 g  s2   45 m2 w    46 s  m2   47 s  m2   48 w  m3
    """
)
"""The 48 dominoes of Kingdomino, as numbered on their backs."""

QUEENDOMINO: Final[Deck] = parse_deck(
    """
     1 w  w     2 w  w     3 f  f     4 f  f     5 l  l     6 l  l
     7 g  g     8 g  g     9 s  s    10 w1 f    11 w1 l    12 w1 g
    13 w1 s    14 w1 m    15 f1 w    16 f1 w    17 f1 w    18 f1 l
    19 f1 g    20 l1 w    21 l1 f    22 l1 f    23 l1 f    24 g1 w
    25 s1 w    26 g2 w    27 g2 f    28 s2 w    29 s2 f    30 m2 w
    31 m2 w    32 t  f    33 t  l    34 t  l    35 t  g    36 t  g
    37 t  s    38 f1 t    39 l1 t    40 l1 t    41 g1 t    42 s1 t
    43 m1 t    44 m2 t    45 m3 t    46 t  t    47 t  t    48 t  t
    """
)
"""The 48 dominoes of Queendomino. Contents are certain; the printed numbers are inferred from their order."""


ROYAL_WEDDING: Final[Deck] = tuple(
    Domino(f"{letter}{domino.number}", domino.left, domino.right)
    for letter, deck in (("K", KINGDOMINO), ("Q", QUEENDOMINO))
    for domino in deck
)
"""Both boxes together: K1 to K48 and Q1 to Q48, as their backs differ."""
