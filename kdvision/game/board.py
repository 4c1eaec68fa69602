"""Boards and their notation: what a camera can see of a kingdom, as text.

Squares are separated by blanks, rows by `/` or a line break: `w f l g s m t` for the terrains, a digit for crowns,
`#` for the castle, `.` for nothing, `?` for a square that holds something unknown.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache, cached_property
from typing import Final, NamedTuple, Self, TypeVar

from kdvision.errors import NotationError
from kdvision.text import count_noun

MAX_BOARD_SIDE: Final = 26
"""The largest number of rows or columns: each column has a letter."""

EXPECTED_CELL: Final = "one of w f l g s m t with a digit for crowns, # (castle), . (nothing) or ? (not known)"
EXPECTED_SQUARE: Final = "a column letter and a row number, as in C3"

T = TypeVar("T")

_ROW_END: Final = re.compile(r"[ \t]*(?:/|\r?\n|\r)\s*")


class Terrain(Enum):
    """The landscapes and the castle of the starting tile, each with its letter in the notation."""

    WHEAT = "w"
    FOREST = "f"
    LAKE = "l"
    GRASS = "g"
    SWAMP = "s"
    MINE = "m"
    TOWN = "t"
    CASTLE = "#"

    # Members are singletons; hashing them by identity is several times faster than Enum's hash of the name.
    __hash__ = object.__hash__

    def __str__(self) -> str:
        return self.name.lower()


class Square(NamedTuple):
    """A place on a board: row 0 is the top row, column 0 the left one."""

    row: int
    col: int

    @property
    def name(self) -> str:
        """The square's name: column letter, then row number from the top, counted from 1 (`C3`)."""
        return f"{chr(ord('A') + self.col)}{self.row + 1}"

    def rotate(self, height: int) -> "Square":
        """Return the square after its board of `height` rows was rotated clockwise by a quarter."""
        return Square(self.col, height - 1 - self.row)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the square of a name such as `C3` or `c3`; raise NotationError."""
        match = re.fullmatch(r"([A-Za-z])([1-9][0-9]?)", text.strip(), re.ASCII)
        if match is None or int(match[2]) > MAX_BOARD_SIDE:
            raise NotationError(f"{text!r} is no square", expected=EXPECTED_SQUARE, hint=f"write {EXPECTED_SQUARE}")
        return cls(int(match[2]) - 1, ord(match[1].upper()) - ord("A"))

    @cache  # noqa: B019 - a square is a small value
    def list_neighbours(self) -> "tuple[Square, Square, Square, Square]":
        """Return the squares above, right, below and left, whether or not a board has them."""
        row, col = self
        return Square(row - 1, col), Square(row, col + 1), Square(row + 1, col), Square(row, col - 1)

    @cache  # noqa: B019
    def list_surroundings(self) -> "tuple[Square, ...]":
        """Return the eight squares around this one, row by row, whether or not a board has them."""
        squares = [Square(self.row + down, self.col + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        return tuple(square for square in squares if square != self)


class BoardAlignment(NamedTuple):
    """How squares lie on others: clockwise quarter turns around A1, then a shift by rows and columns."""

    quarter_turns: int
    rows: int = 0
    cols: int = 0

    def move(self, square: Square) -> Square:
        """Return the square on which a square lies."""
        for _ in range(self.quarter_turns):
            square = square.rotate(1)
        return Square(square.row + self.rows, square.col + self.cols)


def count_alignments(pairs: Iterable[tuple[Square, Iterable[Square]]]) -> Counter[BoardAlignment]:
    """Return for each alignment how many squares lie on one of the squares that `pairs` gives for them."""
    alignments = Counter[BoardAlignment]()
    for square, other_squares in pairs:
        for quarter_turns in range(4):
            row, col = BoardAlignment(quarter_turns).move(square)
            alignments.update(
                BoardAlignment(quarter_turns, other.row - row, other.col - col) for other in other_squares
            )
    return alignments


class Cell(NamedTuple):
    """What one square shows: a terrain and the crowns printed on it."""

    terrain: Terrain
    crowns: int = 0

    def __str__(self) -> str:
        return f"{self.terrain.value}{self.crowns or ''}"

    @classmethod
    @cache
    def parse(cls, text: str) -> "Cell":
        """Return the cell of a notation such as `w1`; raises NotationError, also for `.` and `?`, which name none."""
        match = re.fullmatch("(#)|([wflgsmt])([0-9]?)", text.lower(), re.ASCII)
        if match is None:
            raise NotationError(f"{text!r} is no square", expected=EXPECTED_CELL, hint=f"write {EXPECTED_CELL}")
        return Cell(Terrain(match[1] or match[2]), int(match[3] or 0))


def parse_cell(word: str) -> Cell | None:
    """Return the cell of a notation, None for "." (no tile); raises NotationError."""
    return None if word == "." else Cell.parse(word)


class Board(Mapping[Square, Cell]):
    """The squares of one kingdom that hold something, in a frame of rows and columns. Immutable and hashable.

    A square that is not a key is empty or `unknown`. Boards are equal if their notation is equal: the same cells in
    the same frame.
    """

    def __init__(
        self,
        cells: Mapping[Square, Cell],
        *,
        unknown: Iterable[Square] = (),
        height: int | None = None,
        width: int | None = None,
    ) -> None:
        """Make a board. Without `height` and `width` the frame is as small as possible. Raises ValueError."""
        self._cells: dict[Square, Cell] = {square: cells[square] for square in sorted(cells)}
        self.unknown: frozenset[Square] = frozenset(unknown).difference(self._cells)
        squares = [*self._cells, *self.unknown]
        self.height: int = height or max((square.row for square in squares), default=0) + 1
        self.width: int = width or max((square.col for square in squares), default=0) + 1
        outside_squares = [s for s in squares if not (0 <= s.row < self.height and 0 <= s.col < self.width)]
        if outside_squares or max(self.height, self.width) > MAX_BOARD_SIDE:
            frame = f"{self.height} x {self.width} (at most {MAX_BOARD_SIDE})"
            raise ValueError(f"squares {outside_squares} lie outside a frame of {frame}")

    @classmethod
    def parse(cls, text: str | Iterable[str]) -> Self:
        """Return the board of a text or of its rows; raise NotationError with row, column and what was expected."""
        grid = [row.split() for row in (_ROW_END.split(text.strip()) if isinstance(text, str) else text)]
        _check_frame(grid)
        cells, unknown = {}, []
        for row, words in enumerate(grid):
            for col, word in enumerate(words):
                if word == "?":
                    unknown.append(Square(row, col))
                elif word != ".":
                    try:
                        cells[Square(row, col)] = Cell.parse(word)
                    except NotationError as error:
                        text = f"row {row + 1}, column {col + 1}: {error}"
                        expected, hint = error.expected, error.hint
                        raise NotationError(text, row=row + 1, column=col + 1, expected=expected, hint=hint) from None
        return cls(cells, unknown=unknown, height=len(grid), width=len(grid[0]))

    def format_rows(self) -> tuple[str, ...]:
        """Return the notation, one text per row of the frame, from the top."""
        words = dict.fromkeys(self.unknown, "?") | {square: str(cell) for square, cell in self._cells.items()}
        cols = range(self.width)
        return tuple(" ".join(words.get(Square(row, col), ".") for col in cols) for row in range(self.height))

    def rotate(self, quarter_turns: int = 1) -> "Board":
        """Return the board rotated clockwise by a number of quarter turns, which may be negative."""
        if quarter_turns % 4 == 0:
            return self
        return self._move_squares(lambda s: s.rotate(self.height), self.width, self.height).rotate(
            quarter_turns % 4 - 1
        )

    def mirror(self) -> "Board":
        """Return the board with left and right exchanged."""
        return self._move_squares(lambda s: Square(s.row, self.width - 1 - s.col), self.height, self.width)

    def trim(self) -> "Board":
        """Return the board in the smallest frame, without empty rows or columns at the edges."""
        top, left, bottom, right = self.bounds
        return self._move_squares(lambda s: Square(s.row - top, s.col - left), bottom - top + 1, right - left + 1)

    def equals_turned(self, other: "Board") -> bool:
        """Return whether both boards have the same squares, in any frame and from any side."""
        return any(self.rotate(quarter_turns).trim() == other.trim() for quarter_turns in range(4))

    def count_equal_squares(self, other: "Board") -> int:
        """Return on how many squares both boards are equal, in the best frame and from the best side."""
        squares_by_cell = defaultdict[Cell, list[Square]](list)
        for square, cell in other.items():
            squares_by_cell[cell].append(square)
        counts = count_alignments((square, squares_by_cell.get(cell, ())) for square, cell in self.items())
        return max(counts.values(), default=0)

    def with_cells(self, changes: Mapping[Square, Cell | None]) -> "Board":
        """Return the board with other cells on some squares, None to empty one. The frame grows if necessary."""
        cells = {square: cell for square, cell in {**self._cells, **changes}.items() if cell is not None}
        height = max([self.height, *(square.row + 1 for square in cells)])
        width = max([self.width, *(square.col + 1 for square in cells)])
        return Board(cells, unknown=self.unknown - changes.keys(), height=height, width=width)

    @cached_property
    def bounds(self) -> tuple[int, int, int, int]:
        """Top row, left column, bottom row and right column of all squares, known or not; those of A1 without any."""
        rows, cols = zip(*([*self._cells, *self.unknown] or [Square(0, 0)]), strict=True)
        return min(rows), min(cols), max(rows), max(cols)

    @property
    def extent(self) -> tuple[int, int]:
        """Rows and columns of the smallest frame around all squares, known or not."""
        top, left, bottom, right = self.bounds
        return bottom - top + 1, right - left + 1

    def find_castles(self) -> tuple[Square, ...]:
        """Return the squares with a castle, from the top left; a valid board has exactly one."""
        return tuple(square for square, cell in self._cells.items() if cell.terrain is Terrain.CASTLE)

    def __getitem__(self, square: Square) -> Cell:
        return self._cells[square]

    def __iter__(self) -> Iterator[Square]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    # These are called very often; Mapping's versions are slower because they go through __getitem__ and exceptions.
    def __contains__(self, square: object) -> bool:
        return square in self._cells

    def items(self) -> ItemsView[Square, Cell]:
        return self._cells.items()

    def get(self, square: Square, default: Cell | None = None) -> Cell | None:  # type: ignore[override]
        return self._cells.get(square, default)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        has_same_frame = (self.height, self.width) == (other.height, other.width)
        return has_same_frame and self._cells == other._cells and self.unknown == other.unknown

    @cached_property
    def _hash(self) -> int:
        return hash((self.height, self.width, self.unknown, tuple(self._cells.items())))

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return " / ".join(self.format_rows())

    def __repr__(self) -> str:
        return f"Board.parse({str(self)!r})"

    def __reduce__(self) -> "tuple[object, tuple[str]]":
        return Board.parse, (str(self),)

    def _move_squares(self, move: Callable[[Square], Square], height: int, width: int) -> "Board":
        cells = {move(square): cell for square, cell in self._cells.items()}
        return Board(cells, unknown=map(move, self.unknown), height=height, width=width)


def find_regions(values: Mapping[Square, T]) -> Iterator[tuple[T, tuple[Square, ...]]]:
    """Yield each value with a group of squares that have it and are connected by their sides."""
    remaining_values = dict(values)
    for start, value in values.items():
        if remaining_values.pop(start, None) is None:
            continue
        region = [start]
        for square in region:
            for neighbour in square.list_neighbours():
                if remaining_values.get(neighbour) is value:
                    del remaining_values[neighbour]
                    region.append(neighbour)
        yield value, tuple(sorted(region))


def _check_frame(grid: list[list[str]]) -> None:
    if not grid or not any(grid):
        raise NotationError("the board is empty", expected="rows of squares such as w w1 f / l # f")
    width = len(grid[0])
    for number, words in enumerate(grid, start=1):
        if not words or len(words) != width:
            expected = f"{count_noun(width, 'square')}, as in row 1" if width else EXPECTED_CELL
            message = f"row {number} has {count_noun(len(words), 'square')}, expected {expected}"
            hint = "write . for a place without a tile"
            raise NotationError(message, row=number, expected=expected, hint=hint)
    if max(len(grid), width) > MAX_BOARD_SIDE:
        expected = f"at most {MAX_BOARD_SIDE} rows of at most {MAX_BOARD_SIDE} squares"
        message = f"the board has {len(grid)} rows of {width} squares, expected {expected}"
        raise NotationError(message, expected=expected)
