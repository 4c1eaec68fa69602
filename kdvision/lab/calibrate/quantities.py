"""Calibration per quantity: how well each kind of probability that the program computes agrees with the truth."""

from collections import defaultdict
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.game.rules import GAME_KINGDOMINO
from kdvision.game.scoring import score
from kdvision.lab.calibrate.reliability import compute_calibration_error
from kdvision.lab.calibrate.scenes import ObservedScene, is_same_board
from kdvision.text import format_csv
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import NOTHING, Reading
from kdvision.vision.decide.decide import decide
from kdvision.vision.result import build_reading

QUANTITIES: Final = (
    "kind of a tile",
    "tile or none",
    "square before the decision",
    "square decided",
    "board",
    "points",
)
MAX_OFFSET_SQUARES: Final = 3
"""How far a true board is moved to align it with a grid."""

Table = dict[str, npt.NDArray[np.float64]]
"""For each quantity an array (n, 2): stated probabilities, and 1.0 where they were right."""


def collect_quantities(scene: ObservedScene, calibration: Calibration) -> Table:
    """Return every probability stated in a scene, with whether it was right.

    Boards and points of kingdoms that the picture cuts count as wrong; their squares are left out.
    """
    rows_by_name: dict[str, list[npt.NDArray[np.float64]]] = defaultdict(list)

    def add(name: str, probability: npt.ArrayLike, right: npt.ArrayLike) -> None:
        rows_by_name[name].append(np.column_stack([np.ravel(probability), np.ravel(right)]).astype(np.float64))

    observations = [replace(one, reading=one.reading.of_deck(KINGDOMINO)) for one in scene.observations]
    decisions = decide(
        [observation.reading for observation in observations],
        KINGDOMINO,
        border_log_odds=[observation.border_log_odds for observation in observations],
        temperature=calibration.temperature,
    )
    for kingdom, observation, decision in zip(scene.kingdoms, observations, decisions, strict=True):
        truth = None if kingdom.truncated else kingdom.board
        reading = build_reading(observation, decision, kingdom.surroundings, calibration, GAME_KINGDOMINO)
        add("board", reading.probability, truth is not None and is_same_board(reading.board, truth))
        points = score(reading.board).points
        equal_shares = [probability for board, probability in reading.runners_up if score(board).points == points]
        add("points", reading.probability + sum(equal_shares), truth is not None and points == score(truth).points)
        if truth is None:
            continue
        aligned_truth = align_truth(truth, observation)
        for name, probability, right in _compare_cells(observation.reading, aligned_truth):
            add(name, probability, right)
        doubts = {doubt.square: doubt.probability for doubt in decision.doubts}
        squares = [Square(*at) for at in np.ndindex(observation.reading.rows, observation.reading.cols)]
        add(
            "square decided",
            [doubts.get(square, 1.0) for square in squares],
            [decision.board.get(square) == aligned_truth.get(square) for square in squares],
        )
    return {name: np.concatenate([np.zeros((0, 2)), *rows_by_name[name]]) for name in QUANTITIES}


def align_truth(truth: Board, observation: GridObservation) -> Board:
    """Return the true board on the grid of an observation, in the orientation and place that agree best with it."""
    best, rows, cols = observation.reading.best, observation.reading.rows, observation.reading.cols
    candidates = (
        {Square(s.row + down, s.col + right): cell for s, cell in rotated_truth.items()}
        for rotated_truth in map(truth.rotate, range(4))
        for down in range(-MAX_OFFSET_SQUARES, rows)
        for right in range(-MAX_OFFSET_SQUARES, cols)
    )
    cells = max(candidates, key=lambda cells: sum(best.get(square) == cell for square, cell in cells.items()))
    return Board({s: c for s, c in cells.items() if 0 <= s.row < rows and 0 <= s.col < cols}, height=rows, width=cols)


def _compare_cells(reading: Reading, truth: Board) -> list[tuple[str, npt.ArrayLike, npt.ArrayLike]]:
    """Return the three quantities that are stated of every cell before the decision."""
    p, kinds = np.exp(reading.log_probs), reading.kinds
    nothing = kinds.index(NOTHING)
    label = np.full(p.shape[:2], nothing)
    for square, cell in truth.items():
        label[square] = kinds.index(str(cell))
    p_tile, is_tile = 1 - p[..., nothing], label != nothing
    p_kind = np.delete(p, nothing, axis=2) / np.maximum(p_tile, 1e-12)[..., None]
    kind = np.delete(np.arange(len(kinds)), nothing)[p_kind.argmax(axis=2)]
    return [
        ("tile or none", np.maximum(p_tile, 1 - p_tile), (p_tile > 0.5) == is_tile),
        ("square before the decision", p.max(axis=2), p.argmax(axis=2) == label),
        ("kind of a tile", p_kind.max(axis=2)[is_tile], (kind == label)[is_tile]),
    ]


def format_quantities(scenes: list[Table]) -> str:
    """Return one CSV line per quantity: count, mean stated probability, share right, calibration error."""
    lines = []
    for name in QUANTITIES:
        rows = np.concatenate([np.zeros((0, 2)), *(scene[name] for scene in scenes)])
        figures = [*rows.mean(axis=0), compute_calibration_error(rows)] if len(rows) else []
        lines.append([name, len(rows), *([f"{figure:.4f}" for figure in figures] or ["", "", ""])])
    return format_csv(("quantity", "count", "mean_probability", "accuracy", "calibration_error"), lines)
