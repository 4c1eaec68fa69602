"""Warnings about a decided board: evidence that something was missed, hidden or cut off.

Each warning is a sentence with the players' names of squares. All but `copied` are evidence in the probability of the
board, with weights that are fitted on rendered tables (`calibration.py`). Facts about the photo or its outline, and
problems that are no warnings, force a review by themselves.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from kdvision.game.board import Square
from kdvision.game.legality import Problem, join_names
from kdvision.vision.assess.missing import compute_hidden_evidence, find_hidden_squares, find_truncation
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.observation import P_PRESENT, GridObservation
from kdvision.vision.decide.decision import BoardFrame, Decision
from kdvision.vision.image.decode import DAMAGE_WARNING

RIM_WARNING: Final = Problem(
    (), "something that may be a tile lies at the kingdom's edge: see what it is", warning="rim"
)

WARNING_TEXTS: Final = {
    "few": "hardly a domino is seen of this kingdom: see that it is all there",
    "castle": "its castle is hardly seen: see that this is a kingdom",
    "unproved": "not all alternatives could be examined: compare it with the table",
    "crowded": "tiles lie beside this kingdom that do not join it: see whether they are part of it",
    "outside": "tiles lie just outside the outline: draw it around all of the kingdom",
    "touched": "another kingdom almost touches this one: see that each has its own dominoes",
    "copied": "a smaller copy of this kingdom, as on a screen or in a mirror, is left out",
    "pictured": "other tiles in the photo are larger: see that this kingdom is no print or screen",
    "flawed": DAMAGE_WARNING,
    "unread": "other tiles in the photo may be a kingdom, too: look",
}
"""The warnings without squares by their ids, in the order in which they are shown."""
WARNING_IDS: Final = (
    (WARNING_TEXTS.keys() - {"copied"})
    | {"beyond", "contents", "covered", "cut", "ends", "hidden"}
    | {"illegal", "overruled", "rim", "spare", "towns", "unknown"}
)
"""The ids of all evidence against a board, each of which has a weight in the calibration."""


def find_warnings(
    observation: GridObservation,
    decision: Decision,
    surroundings: Surroundings,
    frame: BoardFrame,
    possible_towns: Iterable[Square] = (),
) -> Iterator[Problem]:
    """Yield all warnings about one kingdom. The squares of `possible_towns` are those of its grid."""
    board, usual_squares = decision.board, 5  # a castle and two dominoes; smaller boards are mostly parts of a kingdom
    if any(Square(*cell) not in board for cell in np.argwhere(observation.is_certain_tile).tolist()):
        yield RIM_WARNING
    truncation = find_truncation(board.keys(), observation.visible_share, observation.tile_beyond, decision.side)
    yield from map(frame.shift_problem, truncation)
    if hidden_squares := find_hidden_squares(board, observation.occlusion > P_PRESENT, decision.side):
        inside = tuple(frame.to_board(square) for square in hidden_squares if frame.contains(square))
        place = f"on {join_names(inside)}" if inside else "beside this kingdom"
        yield Problem(inside, f"something lies {place} that may hide a domino: look under it", warning="covered")
    if unknown := tuple(frame.to_board(square) for square in board if observation.occlusion[square] >= 1):
        yield Problem(unknown, f"what lies on {join_names(unknown)} may be no tile: see what it is", warning="unknown")
    facts = {
        "few": len(board) < usual_squares,
        "castle": observation.max_castle_probability <= P_PRESENT and bool(board.find_castles()),
        "unproved": not decision.is_proved,
        "flawed": surroundings.damaged,
        **surroundings._asdict(),
    }
    yield from (Problem((), text, warning=name) for name, text in WARNING_TEXTS.items() if facts[name])
    if towns := tuple(frame.to_board(square) for square in possible_towns if square in board):
        advice = "choose Queendomino (--game queendomino) if it is one"
        text = f"something like a town lies on {join_names(towns)}: {advice}"
        yield Problem(towns, text, "kingdomino/box", warning="towns")


def forces_review(problem: Problem) -> bool:
    """Return True if a problem asks for a review by itself: a fact about photo or outline, or no warning at all.

    "ends", "outside" and "pictured" are such facts because calibration scenes have hardly any pictures cut along the
    edge of a tile, no drawn outlines and hardly any prints.
    """
    facts = ("flawed", "cut", "beyond", "ends", "outside", "pictured")
    return not problem.is_rule_breach and problem.warning in ("", *facts)


def label_misreading(problem: Problem) -> Problem:
    """Return the problem with a warning, by default "illegal"; unchanged if a rule is broken or it has no clause."""
    if problem.is_rule_breach or not problem.clause:
        return problem
    return replace(problem, warning=problem.warning or "illegal")


def measure_warning_strengths(
    problems: Iterable[Problem], observation: GridObservation, decision: Decision
) -> dict[str, float]:
    """Return the strength of each warning by its id.

    It is the occlusion evidence for "hidden", and 1 for warnings and for "overruled": the box contradicts a square.
    """
    strengths = {problem.warning: 1.0 for problem in problems if problem.warning in WARNING_IDS}
    if decision.overruled_squares:
        strengths["overruled"] = 1.0
    return strengths | {"hidden": compute_hidden_evidence(decision.board, observation.occlusion, decision.side)}
