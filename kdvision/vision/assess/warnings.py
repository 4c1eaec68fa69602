"""What speaks against a board beside its squares: signs that something was missed, hidden or cut off.

Each is a sentence, with the names that a player gives squares; how much it says is learnt on rendered tables
(`calibration.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from kdvision.game.board import Square
from kdvision.game.legality import Problem, join_names
from kdvision.vision.classify.kingdom import SEEN
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.occlusion import compute_max_occlusion, find_hidden_squares
from kdvision.vision.classify.truncation import find_truncation
from kdvision.vision.decide.decision import Decision
from kdvision.vision.image.decode import DAMAGE_WARNING

CONTENTS: Final = "kingdomino/contents"
FEW: Final = 5
"""A castle and two dominoes: fewer tiles are rather what is left of a kingdom that was not seen whole."""
AT_ITS_EDGE: Final = Problem((), "something that may be a tile lies at the kingdom's edge", sign="rim")
"""What lies beyond the board's frame has no name there."""


class Surroundings(NamedTuple):
    """What else lies on the table: `crowded`, tiles beside the kingdom that do not join it; `unread`, tiles elsewhere
    that may be another kingdom; `touched`, another kingdom so near that a domino may be of either; `flawed`, all of it
    in a file that is damaged."""

    crowded: bool = False
    unread: bool = False
    touched: bool = False
    flawed: bool = False


class BoardFrame(NamedTuple):
    """The first and the last square of a board on its grid."""

    first: Square
    last: Square

    def holds(self, square: Square) -> bool:
        """Whether a square of the grid is one of the frame."""
        return self.first.row <= square.row <= self.last.row and self.first.col <= square.col <= self.last.col

    def name(self, square: Square) -> Square:
        """A square of the grid as the board calls it, whose A1 is the first."""
        return Square(square.row - self.first.row, square.col - self.first.col)

    def moved(self, problem: Problem) -> Problem:
        """A problem of squares of the grid, as the board calls them."""
        return replace(problem, squares=tuple(map(self.name, problem.squares)))


def find_warnings(
    observation: GridObservation, decision: Decision, around: Surroundings, frame: BoardFrame
) -> Iterator[Problem]:
    """Yield all signs of one kingdom."""
    board = decision.board
    if any(Square(*place) not in board for place in np.argwhere(observation.one_tile).tolist()):
        yield AT_ITS_EDGE
    if observation.inside is not None and observation.beyond is not None:
        yield from map(frame.moved, find_truncation(board.keys(), observation.inside, observation.beyond))
    if covered := find_hidden_squares(board, observation.hidden > SEEN):
        inner = tuple(frame.name(square) for square in covered if frame.holds(square))
        where = f"on {join_names(inner)}" if inner else "beside this kingdom"
        yield Problem(inner, f"something lies {where} that may hide a domino: look under it", sign="covered")
    if unknown := tuple(frame.name(square) for square in board if observation.unknown[square]):
        yield Problem(unknown, f"what lies on {join_names(unknown)} may be no tile: see what it is", sign="unknown")
    if len(board) < FEW:
        yield Problem((), "hardly a domino is seen of this kingdom: see that it is all there", sign="few")
    if observation.castle <= SEEN and board.castles():
        yield Problem((), "its castle is hardly seen: see that this is a kingdom", sign="castle")
    if not decision.proved:
        text = "what else it may show could not all be weighed: compare it with the table"
        yield Problem((), text, sign="unproved")
    yield from _beside(around)


def _beside(around: Surroundings) -> Iterator[Problem]:
    if around.crowded:
        yield Problem((), "tiles lie beside this kingdom that do not join it", sign="crowded")
    if around.touched:
        text = "another kingdom all but touches this one: see that each has its own dominoes"
        yield Problem((), text, sign="touched")
    if around.flawed:
        yield Problem((), DAMAGE_WARNING, sign="flawed")
    if around.unread:
        yield Problem((), "other tiles in the photo may be a kingdom, too: look", sign="unread")


def warn_of_towns(squares: Iterable[Square]) -> Problem:
    """The sign that squares, as the board calls them, may be towns: then another game was played."""
    named = tuple(squares)
    text = f"something like a town lies on {join_names(named)}: say --game queendomino if it is one"
    return Problem(named, text, CONTENTS, sign="towns")


def measure_warnings(told: Iterable[Problem], observation: GridObservation, decision: Decision) -> dict[str, float]:
    """Return how strong each sign is, by its name: how far places beside the board look as if they hid a domino
    (`covering.compute_max_occlusion`), and 1 for any other.

    That no box allows the board is one as well, and that the deck decided against what was plainly read.
    """
    found = {problem.sign: 1.0 for problem in told if problem.sign}
    odd = [problem for problem in decision.problems if not problem.played]
    if any(problem.clause not in ("", CONTENTS) for problem in odd):
        found["illegal"] = 1.0
    if any(problem.clause == CONTENTS for problem in odd):
        found["contents"] = 1.0
    if decision.overruled:
        found["overruled"] = 1.0
    return found | {"hidden": compute_max_occlusion(decision.board, observation.hidden)}
