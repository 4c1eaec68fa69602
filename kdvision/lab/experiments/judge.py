"""Compares kingdoms that were read with the truth of a rendered picture, square by square, by position."""

from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from kdvision.lab.experiments.experiment import Reading, Row, count_crashes
from kdvision.lab.render.renderer import Picture, RenderedKingdom
from kdvision.pipeline import KingdomReading

MAX_DISTANCE_SIDES: Final = 0.5
"""A square that was read is a true one if their centres are nearer than this."""
MIN_FOUND_SHARE: Final = 0.5
"""A kingdom is found if at least this share of its squares is."""


VERDICT_COUNTS: Final = (
    *("kingdoms", "found", "outlined", "exact", "silent_errors"),
    *("false_alarms", "unflagged", "invented", "errors"),
)


def judge(picture: Picture, reading: Reading) -> Row:
    """Return the counts of the kingdoms of one picture, VERDICT_COUNTS.

    Of the true kingdoms: `found`; `outlined`, with exactly the right squares; `exact`, with the right board;
    `silent_errors`, wrong, missed or invented and not flagged; `false_alarms`, exact and flagged; `unflagged`, found
    and given without a warning. A missed kingdom is silent if no other kingdom of the picture is flagged and no error
    was raised. `invented` kingdoms lie where there is none; one of them may be a missed one, so both count once.
    `errors` is 1 if the picture raised an unexpected error.
    """
    truths, readings = picture.kingdoms, reading.kingdoms
    matches = [[_match_reading(truth, kingdom) for kingdom in readings] for truth in truths]
    overlaps = np.array([[match[0] for match in row] for row in matches]).reshape(len(truths), len(readings))
    pairs = [
        (truth, index)
        for truth, index in zip(*linear_sum_assignment(-overlaps), strict=True)
        if overlaps[truth, index] >= MIN_FOUND_SHARE * len(truths[truth].squares)
    ]
    verdicts = [(*matches[truth][index][1:], readings[index].review) for truth, index in pairs]
    invented_kingdoms = [readings[index] for index in set(range(len(readings))) - {index for _, index in pairs}]
    is_flagged = bool(reading.error) or any(kingdom.review for kingdom in readings)
    silently_missed = 0 if is_flagged else len(truths) - len(verdicts)
    silently_invented = sum(not kingdom.review for kingdom in invented_kingdoms)
    counts = (
        len(truths),
        len(verdicts),
        sum(has_outline for has_outline, _, _ in verdicts),
        sum(is_exact for _, is_exact, _ in verdicts),
        sum(not is_exact and not review for _, is_exact, review in verdicts) + max(silently_missed, silently_invented),
        sum(is_exact and review for _, is_exact, review in verdicts),
        sum(not review for _, _, review in verdicts),
        len(invented_kingdoms),
        count_crashes(reading.error),
    )
    return dict(zip(VERDICT_COUNTS, counts, strict=True))


def _match_reading(truth: RenderedKingdom, reading: KingdomReading) -> tuple[int, bool, bool]:
    """Return how many squares of both lie together, whether all squares do, and whether all are right."""
    quads = np.array([square.corners for square in truth.squares.values()])
    side = float(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1).mean())
    centres = np.array([reading.grid.quads[square].mean(0) for square in reading.board]).reshape(-1, 2)
    distance = cdist(quads.mean(1), centres)
    assignment = zip(*linear_sum_assignment(np.minimum(distance, side)), strict=True)
    pairs = [(t, r) for t, r in assignment if distance[t, r] < MAX_DISTANCE_SIDES * side]
    true_cells, read_cells = [truth.board[square] for square in truth.squares], list(reading.board.values())
    has_outline = len(pairs) == len(true_cells) == len(read_cells)
    return len(pairs), has_outline, has_outline and all(true_cells[t] == read_cells[r] for t, r in pairs)
