"""Whether people could have laid a board: evidence of whether something at a kingdom's edge is a domino at all.

Dominoes touch the castle or their own terrain (kingdomino/connection). The search does not hold to that, because it is
broken on real tables, and what squares show is decided as they were read. But most players do keep it: of two outlines
that are nearly as likely, one with a domino that breaks the rule and one without, the latter is likelier.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import Deck
from kdvision.game.legality import problems
from kdvision.vision.decision.answers import Answer, Best
from kdvision.vision.decision.candidates import Catalogue, Frame, Ints
from kdvision.vision.reading import NOTHING

BROKEN: Final = 1.5
"""What it costs, in natural log units, that a kingdom breaks the rule: of 17 kingdoms on labelled photos 3 do."""


def board_of(catalogue: Catalogue, frame: Frame, labels: Ints) -> Board:
    """The board that the labels of a frame's squares (n,) show, in the frame of the reading."""
    shown = {Square(*divmod(index, frame.cols)): catalogue.kinds[label] for index, label in enumerate(labels.tolist())}
    cells = {square: Cell.parse(kind) for square, kind in shown.items() if kind != NOTHING}
    return Board(cells, height=frame.rows, width=frame.cols)


def breaks_the_rule(board: Board, deck: Deck) -> bool:
    """Whether the box could lay this board, but not by the rule of connection."""
    return any(problem.played for problem in problems(board.trimmed(), deck))


def keeping_the_rule(
    best: Best, others: Sequence[Answer], catalogue: Catalogue, deck: Deck
) -> tuple[Best, list[Answer]]:
    """The best answer and the others, by what they cost once breaking the rule has its price.

    Nothing changes where the best answer keeps the rule. Answers that show something else on a tile, and not only more
    tiles or fewer, stay as dear beside the best as they were: what squares show is not decided by the rule.
    """
    known: dict[tuple[int, bytes], float] = {}

    def price(labels: Ints) -> float:
        total = 0.0
        for number, frame in enumerate(catalogue.frames):
            own = labels[frame.start : frame.end]
            key = number, own.tobytes()
            if key not in known:
                known[key] = BROKEN * breaks_the_rule(board_of(catalogue, frame, own), deck)
            total += known[key]
        return total

    empty, whole = catalogue.kinds.index(NOTHING), price(best.labels)
    if not whole:
        return best, list(others)
    found: list[Answer] = [replace(best, loss=best.loss + whole)]
    for answer in others:
        outlines = (answer.labels == best.labels) | (answer.labels == empty) | (best.labels == empty)
        found.append(replace(answer, loss=answer.loss + (price(answer.labels) if outlines.all() else whole)))
    first = min(found, key=lambda answer: answer.loss)
    rest = [answer for answer in found if answer is not first]
    return best.led_by(first), rest
