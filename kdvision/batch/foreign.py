"""What a batch does not count, and its own words for what other doors have options for.

Photos of an event are scored by Kingdomino's rules. What a kingdom of another game would be worth, no photo shows.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.legality import Problem, names

ALONE: Final = "Kingdomino has none, and a batch counts by its rules alone"
BESIDE: Final = Problem((), f"another kingdom of the photo has towns: {ALONE}")

ELSEWHERE: Final = "score its photo with kdvision score, which goes by the game that it sees"
"""What to do about a kingdom of another game."""

OPTION: Final = re.compile(r": say --.*", re.DOTALL)
"""The end of a problem that names an option of `kdvision score`."""
TYPE_IT: Final = "where a kingdom can be made out by eye, type its board: kdvision review"


def towns(board: Board) -> tuple[Square, ...]:
    """The squares of a board that are towns, from the top left."""
    return tuple(sorted(square for square, cell in board.items() if cell.terrain is Terrain.TOWN))


def foreign(board: Board) -> Problem | None:
    """The problem of a board with towns; None for one without."""
    if not (squares := towns(board)):
        return None
    are = "towns lie" if len(squares) > 1 else "a town lies"
    return Problem(squares, f"{are} on {names(squares)}: {ALONE}", "kingdomino/contents")


def in_own_words(told: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object of a photo without advice that only other commands can follow."""
    kingdoms: Sequence[Mapping[str, Any]] = told["kingdoms"]
    return {
        **told,
        "hint": None if told["hint"] is None else _hint(told["hint"]),
        "kingdoms": [
            {**kingdom, "problems": [{**one, "text": OPTION.sub("", one["text"])} for one in kingdom["problems"]]}
            for kingdom in kingdoms
        ],
    }


def _hint(text: str) -> str:
    from kdvision.vision.assess.diagnosis import BY_HAND

    return text.replace(BY_HAND, TYPE_IT)
