"""Dominoes that an object beside a board may hide."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from kdvision.game.board import Square
from kdvision.vision.classify.growth import iterate_domino_places
from kdvision.vision.classify.occlusion import MIN_OCCLUSION
from kdvision.vision.classify.probabilities import compute_log_odds
from kdvision.vision.geometry import Floats, Mask

NO_EVIDENCE_LOG_ODDS: Final = -4.0
"""Log-odds of an occlusion up to which there is no evidence of one: one cell in 55."""


def find_hidden_squares(board: Collection[Square], is_covered: Mask) -> list[Square]:
    """Return the cells beside a board that are covered (rows, cols) together with a neighbour, enough for a domino."""
    pairs = iterate_domino_places(board, *is_covered.shape)
    return list(dict.fromkeys(cell for cell, other in pairs if is_covered[cell] and is_covered[other]))


def compute_max_occlusion(board: Collection[Square], occlusion: Floats) -> float:
    """Return the strongest evidence for a domino hidden beside the board, 0 for none.

    That is the log-odds above NO_EVIDENCE_LOG_ODDS of the less occluded one of two cells; `occlusion` (rows, cols) are
    probabilities.
    """
    log_odds = compute_log_odds(np.clip(occlusion, MIN_OCCLUSION, 1 - MIN_OCCLUSION))
    pairs = iterate_domino_places(board, *occlusion.shape)
    evidence = (float(min(log_odds[cell], log_odds[other])) for cell, other in pairs)
    return max([NO_EVIDENCE_LOG_ODDS, *evidence]) - NO_EVIDENCE_LOG_ODDS
