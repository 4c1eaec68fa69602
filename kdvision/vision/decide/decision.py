"""What was decided about one kingdom, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem

CONNECTION: Final = "kingdomino/connection"
SEVERAL: Final = 4
"""The squares of two dominoes."""


class PlacedDomino(NamedTuple):
    """A domino on the board: the numbers it may have (all with the same face), its two squares."""

    numbers: tuple[int | str, ...]
    squares: tuple[Square, Square]


@dataclass(frozen=True)
class Doubt:
    """A square that may be something else: what was decided and its probability, what it would be instead."""

    square: Square
    read: str
    probability: float
    instead: str


@dataclass(frozen=True)
class Decision:
    """One kingdom decided: its board in the frame of the reading, and all that is odd or unsure about it.

    `overruled` are squares on which the deck decided against a confident reading; each is among the doubts.
    `runners_up` are other boards with their probabilities, likeliest first. `proved` is false where the search for the
    likeliest board, or for what else its squares could be, was given up, as among many misread squares. `correction_cost` is
    what the deck had to overrule: how much likelier the squares were by themselves than as they were decided
    (logarithm).
    """

    board: Board
    dominoes: tuple[PlacedDomino, ...]
    probability: float
    doubts: tuple[Doubt, ...] = ()
    problems: tuple[Problem, ...] = ()
    runners_up: tuple[tuple[Board, float], ...] = ()
    overruled: tuple[Square, ...] = ()
    proved: bool = True
    correction_cost: float = 0.0

    @property
    def broken(self) -> bool:
        """Whether somebody broke a rule of play, if the board is right."""
        return any(problem.played for problem in self.problems)

    @property
    def scattered(self) -> bool:
        """Whether several dominoes, half of all or more, lie as nobody may lay them, as in a line on offer.

        A player may have laid one so.
        """
        stuck = {square for problem in self.problems if problem.clause == CONNECTION for square in problem.squares}
        return len(stuck) >= SEVERAL and len(self.board) - len(self.board.castles()) <= 2 * len(stuck)

    @property
    def foreign(self) -> float:
        """How many dominoes lie there that the box does not have, or not so often; a lone half counts as a half."""
        return max(len(self.board) - len(self.board.castles()) - 2 * len(self.dominoes), 0) / 2

    @property
    def of_the_box(self) -> frozenset[Square]:
        """The squares of castles and of dominoes that the box has."""
        return frozenset([*self.board.castles(), *(square for laid in self.dominoes for square in laid.squares)])

    def certain(self, at_least: float) -> bool:
        """Whether the board is at least this probable and nothing about it speaks of a misreading.

        Otherwise a person should look. What was played against a rule is told, but is no reason to.
        """
        misread = any(not problem.played for problem in self.problems)
        return self.probability >= at_least and self.proved and not misread and not self.overruled
