"""Maximum a posteriori decision: the most probable boards that the box can tile, and what is uncertain about them.

`decide` maximises one objective, the sum of log-probabilities over all squares of all kingdoms in a photo, minus
penalties for deviations from the rules. The boards use each domino at most as often as the box has it, have one castle,
fit the side and are connected. `ilp.py` solves it; runners-up forbid the decided kind of one square.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import Deck, index_deck
from kdvision.game.legality import Problem, find_problems
from kdvision.game.rules import SIDES
from kdvision.vision.classify.observation import BorderLogOdds
from kdvision.vision.classify.probabilities import MIN_PROBABILITY, NOTHING, Reading
from kdvision.vision.decide.decision import Decision, Doubt, PlacedDomino
from kdvision.vision.decide.ilp import BoardProgramme, Solution
from kdvision.vision.decide.placements import Frame, Ints, Penalties, Placements, list_placements
from kdvision.vision.geometry import Floats

P_CONFIDENT_READING: Final = 0.98
"""A square read with more than this and decided otherwise is always a doubt."""
FIXED_SQUARE_LOSS_NATS: Final = 60.0
"""Loss of any other kind on a square that a person has named."""
P_DOUBT: Final = 0.01
"""A square is a doubt if another kind has a higher probability."""
MIN_PROBABILITY_RATIO: Final = 0.002
"""Runners-up that are less probable than this, relative to the best, are not sought."""
MAX_DOUBTED_SQUARES: Final = 12
"""Squares of each kingdom for which a runner-up is sought."""


def decide(
    readings: Sequence[Reading],
    deck: Deck,
    *,
    side: int | None = None,
    fixed_squares: Mapping[tuple[int, Square], str] | None = None,
    border_log_odds: Sequence[BorderLogOdds | None] | None = None,
    penalties: Penalties | None = None,
    temperature: float = 1.0,
) -> list[Decision]:
    """Return the most probable boards of all kingdoms in a photo, decided jointly because they share one box.

    `side` limits rows and columns; None means 5, or 7 if the readings insist. `fixed_squares` are named by a person:
    `{(0, Square(2, 1)): "w1"}`. `border_log_odds` is the evidence that neighbours are one domino. `temperature` divides
    losses before they become probabilities.
    """
    if not readings:
        return []
    if any(reading.kinds != readings[0].kinds for reading in readings):
        raise ValueError("readings of one photo have the same kinds")
    fixed, penalties = fixed_squares or {}, penalties or Penalties()
    kinds = tuple(dict.fromkeys((*readings[0].kinds, *fixed.values())))
    losses = [_compute_losses(reading, number, kinds, fixed) for number, reading in enumerate(readings)]
    placements = list_placements(losses, border_log_odds or [None] * len(readings), deck, kinds, penalties)
    limit = -float(np.log(MIN_PROBABILITY_RATIO)) * temperature
    optimum = BoardProgramme(placements, side, penalties).solve(limit=limit, max_squares=MAX_DOUBTED_SQUARES)
    solutions = (optimum.best, *optimum.runners_up)
    weights = np.exp((optimum.best.loss - np.array([one.loss for one in solutions])) / temperature)
    decisions = []
    for number, frame in enumerate(placements.frames):
        ranked = _rank_boards(solutions, weights, frame)
        proved = optimum.best.proved and number not in optimum.unfinished
        chosen = _list_chosen(placements, optimum.best, frame)
        decisions.append(_make_decision(losses[number], kinds, frame, ranked, chosen, deck, side, proved=proved))
    return decisions


@dataclass(frozen=True)
class _Chosen:
    """A chosen placement on a kingdom's own grid."""

    squares: tuple[Square, ...]
    kinds: tuple[str, ...]
    has_face: bool
    is_foreign: bool


def _make_decision(
    losses: Floats,
    kinds: tuple[str, ...],
    frame: Frame,
    ranked: Sequence[tuple[Ints, float]],
    chosen: Sequence[_Chosen],
    deck: Deck,
    side: int | None,
    *,
    proved: bool,
) -> Decision:
    """Return the decision of one kingdom from its boards, ranked by weight."""
    total = sum(weight for _, weight in ranked)
    boards = [(make_board(kinds, frame, labels), weight / total) for labels, weight in ranked]
    doubts, overruled = _find_doubts(losses, kinds, ranked)
    flat = losses.reshape(-1, len(kinds))
    correction_cost = float((flat[np.arange(len(flat)), ranked[0][0]] - flat.min(axis=1)).sum())
    return Decision(
        board=boards[0][0],
        dominoes=tuple(_list_dominoes(chosen, deck)),
        probability=boards[0][1],
        doubts=doubts,
        problems=_find_problems(chosen, boards[0][0], deck, side),
        runners_up=tuple(boards[1:]),
        overruled=overruled,
        proved=proved,
        correction_cost=correction_cost,
    )


def _compute_losses(
    reading: Reading, number: int, kinds: tuple[str, ...], fixed_squares: Mapping[tuple[int, Square], str]
) -> Floats:
    """Return negative log-probabilities (rows, cols, kinds) with a floor on the probability and fixed squares."""
    probabilities = np.full((reading.rows, reading.cols, len(kinds)), MIN_PROBABILITY)
    probabilities[..., : len(reading.kinds)] += np.exp(reading.log_probs)
    losses = np.asarray(-np.log(probabilities))
    for (kingdom, square), kind in fixed_squares.items():
        if kingdom == number:
            losses[square] = FIXED_SQUARE_LOSS_NATS
            losses[square][kinds.index(kind)] = 0.0
    return losses


def make_board(kinds: tuple[str, ...], frame: Frame, labels: Ints) -> Board:
    """Return the board that the labels (n,) of a frame's squares show, in the frame of the reading."""
    shown = {Square(*divmod(index, frame.cols)): kinds[label] for index, label in enumerate(labels.tolist())}
    cells = {square: Cell.parse(kind) for square, kind in shown.items() if kind != NOTHING}
    return Board(cells, height=frame.rows, width=frame.cols)


def _rank_boards(solutions: Sequence[Solution], weights: Floats, frame: Frame) -> list[tuple[Ints, float]]:
    """Return the distinct boards of one kingdom as labels, each with the weight of its best solution, best first."""
    boards: dict[bytes, tuple[Ints, float]] = {}
    for solution, weight in zip(solutions, weights.tolist(), strict=True):
        labels = solution.labels[frame.start : frame.end]
        if weight > boards.get(labels.tobytes(), (labels, 0.0))[1]:
            boards[labels.tobytes()] = (labels, weight)
    return sorted(boards.values(), key=lambda board: -board[1])


def _find_doubts(
    losses: Floats, kinds: tuple[str, ...], ranked: Sequence[tuple[Ints, float]]
) -> tuple[tuple[Doubt, ...], tuple[Square, ...]]:
    """Return the uncertain squares, least probable first, and those decided against a confident reading."""
    flat, shown = losses.reshape(-1, len(kinds)), np.stack([labels for labels, _ in ranked])
    doubts, overruled = [], []
    for index in np.flatnonzero((shown != flat.argmin(axis=1)).any(axis=0)).tolist():
        square, label = Square(*divmod(index, losses.shape[1])), int(ranked[0][0][index])
        weights: dict[int, float] = {}
        for labels, weight in ranked:
            weights[int(labels[index])] = max(weights.get(int(labels[index]), 0.0), weight)
        total = sum(weights.values())
        probability, raw = weights.pop(label) / total, int(flat[index].argmin())
        contradicts = raw != label and np.exp(-flat[index][raw]) > P_CONFIDENT_READING
        if contradicts or probability < 1 - P_DOUBT:
            alternative = raw if contradicts else max(weights, key=lambda kind: weights[kind])
            doubts.append(Doubt(square, kinds[label], probability, kinds[alternative]))
        overruled += [square] if contradicts else []
    return tuple(sorted(doubts, key=lambda doubt: doubt.probability)), tuple(overruled)


def _list_chosen(p: Placements, best: Solution, frame: Frame) -> list[_Chosen]:
    """Return the chosen placements of one kingdom."""
    chosen = []
    for n in best.chosen.tolist():
        if frame.start <= p.first[n] < frame.end:
            cells = [(p.first[n], p.kind_a[n])] + ([(p.second[n], p.kind_b[n])] if p.second[n] >= 0 else [])
            squares = tuple(Square(*divmod(int(square) - frame.start, frame.cols)) for square, _ in cells)
            chosen.append(_Chosen(squares, tuple(p.kinds[kind] for _, kind in cells), p.face[n] >= 0, p.is_foreign[n]))
    return chosen


def _list_dominoes(chosen: Sequence[_Chosen], deck: Deck) -> list[PlacedDomino]:
    """Return the deck's dominoes on this board, each with all numbers of its face."""
    index, dominoes = index_deck(deck), []
    for placement in chosen:
        if placement.has_face:
            one, two = (Cell.parse(kind) for kind in placement.kinds)
            numbers = index.numbers[index.number[one][two]]
            dominoes.append(PlacedDomino(numbers, (placement.squares[0], placement.squares[1])))
    return sorted(dominoes, key=lambda domino: domino.squares)


def _find_problems(chosen: Sequence[_Chosen], board: Board, deck: Deck, side: int | None) -> tuple[Problem, ...]:
    """Return the problems of the board itself, else of the board together with the other kingdoms.

    Messages name squares from the board's own first row and column.
    """
    top, left = min((s.row for s in board), default=0), min((s.col for s in board), default=0)
    found = tuple(
        replace(problem, squares=tuple(Square(row + top, col + left) for row, col in problem.squares))
        for problem in find_problems(board.trim(), deck, side=side or SIDES[-1])
    )
    foreign = sorted(square for placement in chosen if placement.is_foreign for square in placement.squares)
    if found or not foreign:
        return found
    text = "the box has not enough dominoes for this and the other kingdoms"
    return (Problem(tuple(foreign), text, "kingdomino/contents"),)
