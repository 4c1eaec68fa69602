"""The decision about one kingdom: its board, its probability, and everything uncertain or irregular about it."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem


class BoardFrame(NamedTuple):
    """The first and the last square of a board on its grid."""

    first: Square = Square(0, 0)
    last: Square = Square(0, 0)

    @classmethod
    def of(cls, board: Board, before: "BoardFrame | None" = None) -> Self:
        """Return the smallest rectangle around a board that begins no later than `before`."""
        top, left, bottom, right = board.bounds
        first = Square(top, left) if before is None else before.first
        return cls(Square(min(top, first.row), min(left, first.col)), Square(bottom, right))

    @property
    def slices(self) -> tuple[slice, slice]:
        """The rows and columns of the frame, to cut it out of an array over the grid."""
        return slice(self.first.row, self.last.row + 1), slice(self.first.col, self.last.col + 1)

    def contains(self, square: Square) -> bool:
        """Return True if a square of the grid lies in the frame."""
        return self.first.row <= square.row <= self.last.row and self.first.col <= square.col <= self.last.col

    def to_board(self, square: Square) -> Square:
        """Return a square of the grid in the coordinates of the board."""
        return Square(square.row - self.first.row, square.col - self.first.col)

    def to_grid(self, square: Square) -> Square:
        """Return a square of the board in the coordinates of the grid."""
        return Square(square.row + self.first.row, square.col + self.first.col)

    def crop(self, board: Board) -> Board:
        """Return a board of the grid in this frame; its first rows and columns may be empty."""
        last_square = self.to_board(self.last)
        cells = {self.to_board(square): cell for square, cell in board.items()}
        return Board(cells, height=last_square.row + 1, width=last_square.col + 1)

    def shift_problem(self, problem: Problem) -> Problem:
        """Return a problem with squares of the grid in the coordinates of the board."""
        return replace(problem, squares=tuple(map(self.to_board, problem.squares)))


class PlacedDomino(NamedTuple):
    """A domino on the board: the numbers it may have, all with the same face, and its two squares."""

    numbers: tuple[int | str, ...]
    squares: tuple[Square, Square]


@dataclass(frozen=True)
class Doubt:
    """An uncertain square: its decided `kind`, the probability of that, and the most probable `other_kind`."""

    square: Square
    kind: str
    probability: float
    other_kind: str


@dataclass(frozen=True)
class Decision:
    """The decided board of one kingdom, in the frame of the reading.

    On `overruled_squares` the deck contradicts a confident reading; each is among the doubts. `runners_up` are other
    boards with their probabilities, most probable first. `is_proved` is false if the search for the best board or for
    the alternatives of its squares was stopped at a limit. `correction_cost` is the log-probability that the deck gives
    up: that of the most probable kinds minus that of the decided ones. `side` is that of the game if a person named it.
    """

    board: Board
    dominoes: tuple[PlacedDomino, ...]
    probability: float
    doubts: tuple[Doubt, ...] = ()
    problems: tuple[Problem, ...] = ()
    runners_up: tuple[tuple[Board, float], ...] = ()
    overruled_squares: tuple[Square, ...] = ()
    is_proved: bool = True
    correction_cost: float = 0.0
    side: int | None = None

    @property
    def breaks_rule(self) -> bool:
        """True if a rule of play is broken, assuming that the board is right."""
        return any(problem.is_rule_breach for problem in self.problems)

    @property
    def is_scattered(self) -> bool:
        """True if two dominoes or more, and at least half of all, do not connect; a player may misplace one."""
        detached_groups = [problem.squares for problem in self.problems if problem.clause == "kingdomino/connection"]
        loose, tiles = len(set().union(*detached_groups)), len(self.board) - len(self.board.find_castles())
        return loose >= 4 and tiles <= 2 * loose  # two dominoes have four squares

    @property
    def foreign_dominoes(self) -> float:
        """The number of dominoes that the box does not have, or not so often; a single square counts as a half."""
        return len(self.board.keys() - self.box_squares) / 2

    @property
    def box_squares(self) -> frozenset[Square]:
        """The squares of castles and of dominoes that the box has."""
        return frozenset(
            [*self.board.find_castles(), *(square for domino in self.dominoes for square in domino.squares)]
        )

    @property
    def is_consistent(self) -> bool:
        """True if nothing suggests a misreading: solved to the end, nothing overruled, no problem but illegal plays."""
        seems_misread = any(not problem.is_rule_breach for problem in self.problems)
        return self.is_proved and not seems_misread and not self.overruled_squares
