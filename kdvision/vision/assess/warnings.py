"""Warnings about a decided board: evidence that something was missed, hidden or cut off.

Each warning is a sentence with the players' names of squares. It is evidence in the probability of the board, with a
weight that is fitted on rendered tables (`calibration.py`). Only facts about the photo force a review by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem, join_names
from kdvision.vision.assess.occlusion import compute_max_occlusion, find_hidden_squares
from kdvision.vision.assess.truncation import find_truncation
from kdvision.vision.classify.observation import P_TILE, GridObservation
from kdvision.vision.decide.decision import Decision
from kdvision.vision.image.decode import DAMAGE_WARNING

PHOTO_WARNINGS: Final = frozenset({"flawed", "cut", "beyond"})
"""Warnings about the photo itself, which always ask for a review: its file is damaged, or it cuts the kingdom."""
EVIDENCE_IDS: Final = PHOTO_WARNINGS | {
    *("castle", "contents", "covered", "crowded", "ends", "few", "hidden", "illegal", "overruled", "rim", "touched"),
    *("towns", "unknown", "unproved", "unread"),
}
"""The ids of all evidence, each of which has a weight in the calibration."""
INFORMATION_IDS: Final = frozenset({"copied"})
"""Warnings that are no evidence of a wrong board and are always shown."""
CONTENTS_CLAUSE: Final = "kingdomino/contents"
MIN_USUAL_SQUARES: Final = 5
"""A castle and two dominoes; smaller boards are mostly parts of a kingdom."""
RIM_WARNING: Final = Problem((), "something that may be a tile lies at the kingdom's edge", warning="rim")


class Surroundings(NamedTuple):
    """What else lies on the table.

    `crowded`: tiles beside the kingdom that do not join it. `unread`: tiles elsewhere that may be another kingdom.
    `touched`: another kingdom so close that a domino may belong to either. `damaged`: the photo's file is damaged.
    `copied`: the same kingdom is also there in small.
    """

    crowded: bool = False
    unread: bool = False
    touched: bool = False
    damaged: bool = False
    copied: bool = False


class BoardFrame(NamedTuple):
    """The first and the last square of a board on its grid."""

    first: Square
    last: Square

    @classmethod
    def of(cls, board: Board) -> BoardFrame:
        """Return the smallest rectangle around a board."""
        rows, cols = [square.row for square in board], [square.col for square in board]
        first = Square(min(rows, default=0), min(cols, default=0))
        return cls(first, Square(max(rows, default=0), max(cols, default=0)))

    def contains(self, square: Square) -> bool:
        """Return True if a square of the grid lies in the frame."""
        return self.first.row <= square.row <= self.last.row and self.first.col <= square.col <= self.last.col

    def to_board(self, square: Square) -> Square:
        """Return a square of the grid in the coordinates of the board."""
        return Square(square.row - self.first.row, square.col - self.first.col)

    def shift_problem(self, problem: Problem) -> Problem:
        """Return a problem with squares of the grid in the coordinates of the board."""
        return replace(problem, squares=tuple(map(self.to_board, problem.squares)))


def find_warnings(
    observation: GridObservation, decision: Decision, surroundings: Surroundings, frame: BoardFrame
) -> Iterator[Problem]:
    """Yield all warnings about one kingdom."""
    board = decision.board
    if any(Square(*cell) not in board for cell in np.argwhere(observation.is_certain_tile).tolist()):
        yield RIM_WARNING
    if observation.visible_share is not None and observation.tile_beyond is not None:
        truncation = find_truncation(board.keys(), observation.visible_share, observation.tile_beyond)
        yield from map(frame.shift_problem, truncation)
    if hidden := find_hidden_squares(board, observation.occlusion > P_TILE):
        inside = tuple(frame.to_board(square) for square in hidden if frame.contains(square))
        place = f"on {join_names(inside)}" if inside else "beside this kingdom"
        yield Problem(inside, f"something lies {place} that may hide a domino: look under it", warning="covered")
    if unknown := tuple(frame.to_board(square) for square in board if observation.is_unidentified[square]):
        yield Problem(unknown, f"what lies on {join_names(unknown)} may be no tile: see what it is", warning="unknown")
    if len(board) < MIN_USUAL_SQUARES:
        text = "hardly a domino is seen of this kingdom: see that it is all there"
        yield Problem((), text, warning="few")
    if observation.max_castle_probability <= P_TILE and board.castles():
        yield Problem((), "its castle is hardly seen: see that this is a kingdom", warning="castle")
    if not decision.proved:
        text = "not all alternatives could be examined: compare it with the table"
        yield Problem((), text, warning="unproved")
    yield from _find_surroundings_warnings(surroundings)


def _find_surroundings_warnings(surroundings: Surroundings) -> Iterator[Problem]:
    if surroundings.crowded:
        yield Problem((), "tiles lie beside this kingdom that do not join it", warning="crowded")
    if surroundings.touched:
        text = "another kingdom almost touches this one: see that each has its own dominoes"
        yield Problem((), text, warning="touched")
    if surroundings.copied:
        text = "a smaller copy of this kingdom, as on a screen or in a mirror, is left out"
        yield Problem((), text, warning="copied")
    if surroundings.damaged:
        yield Problem((), DAMAGE_WARNING, warning="flawed")
    if surroundings.unread:
        yield Problem((), "other tiles in the photo may be a kingdom, too: look", warning="unread")


def make_town_warning(squares: Iterable[Square]) -> Problem:
    """Return the warning that squares of a board may be towns, so that another game was played."""
    named = tuple(squares)
    text = f"something like a town lies on {join_names(named)}: say --game queendomino if it is one"
    return Problem(named, text, CONTENTS_CLAUSE, warning="towns")


def forces_review(problem: Problem) -> bool:
    """Return True if a problem asks for a review by itself: a fact about the photo, or one without a weight."""
    return not problem.played and (not problem.warning or problem.warning in PHOTO_WARNINGS)


def label_misreading(problem: Problem) -> Problem:
    """Return a problem of the decision as evidence of a misreading: "contents" or "illegal", or unchanged if played."""
    if problem.played or not problem.clause:
        return problem
    return replace(problem, warning="contents" if problem.clause == CONTENTS_CLAUSE else "illegal")


def measure_evidence(problems: Iterable[Problem], observation: GridObservation, decision: Decision) -> dict[str, float]:
    """Return the strength of each piece of evidence by its id.

    It is the number of squares for "unknown", the occlusion evidence for "hidden", and 1 for other warnings and for
    "overruled", a contradicted reading.
    """
    strengths = {
        problem.warning: float(len(problem.squares)) if problem.warning == "unknown" else 1.0
        for problem in problems
        if problem.warning and problem.warning not in INFORMATION_IDS
    }
    if decision.overruled:
        strengths["overruled"] = 1.0
    return strengths | {"hidden": compute_max_occlusion(decision.board, observation.occlusion)}
