"""From probabilities to boards: the likeliest kingdoms that the box's dominoes can lay, and what is not certain there.

`decide` maximises the sum of log-probabilities over all squares of all kingdoms in the photo, over the boards which the
deck can tile: each domino at most as often as the box has it, one castle a kingdom, inside the side, joined to the
castle by edges. Rules may bend, at a price. Runners-up come from solving again with one square's label forbidden.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import Deck, Face, face
from kdvision.game.legality import Problem, find_problems
from kdvision.vision.classify.probabilities import NOTHING, Reading
from kdvision.vision.decide.decision import Decision, Doubt, PlacedDomino
from kdvision.vision.decide.ilp import Model, Solution
from kdvision.vision.decide.placements import SIDES, BorderLogOdds, Floats, Frame, Ints, Penalties, list_placements

MIN_PROBABILITY: Final = 1e-6
"""No kind is less likely than this: readers are never as sure as they say."""
CONFIDENT: Final = 0.98
"""A square read with more than this and decided otherwise is always a doubt."""
FIXED_LOSS: Final = 60.0
"""What it costs (nats) to show anything but what a person has named."""


def decide(
    readings: Sequence[Reading],
    deck: Deck,
    *,
    side: int | None = None,
    fixed_squares: Mapping[tuple[int, Square], str] | None = None,
    border_log_odds: Sequence[BorderLogOdds | None] | None = None,
    prices: Penalties | None = None,
    temperature: float = 1.0,
    doubtful: float = 0.01,
    slight: float = 0.002,
    most: int = 12,
) -> list[Decision]:
    """The likeliest boards of all kingdoms in a photo, decided together because they share one box.

    `side` limits rows and columns (None: 5, or 7 where the readings insist). `fixed_squares` fixes squares, `{(0, Square(2,
    1)): "w1"}`. `border_log_odds` is evidence of which neighbours are one domino, for each kingdom log-odds to the right (rows,
    cols - 1) and downwards (rows - 1, cols). `temperature` divides log-probabilities when losses become probabilities;
    a square is a doubt when something else has more than `doubtful`. Boards less than `slight` times as likely as the
    best are not looked for, and at most `most` squares are tried in each kingdom.
    """
    if not readings:
        return []
    if any(reading.kinds != readings[0].kinds for reading in readings):
        raise ValueError("readings of one photo have the same kinds")
    fixed_squares = fixed_squares or {}
    kinds = (*readings[0].kinds, *dict.fromkeys(k for k in fixed_squares.values() if k not in readings[0].kinds))
    losses = [_losses(reading, number, kinds, fixed_squares) for number, reading in enumerate(readings)]
    pieces = list_placements(losses, border_log_odds or [None] * len(readings), deck, kinds, prices or Penalties())
    model = Model(pieces, side, prices or Penalties())
    best, others, left = model.solved(limit=-np.log(slight) * temperature, most=most)
    weights = np.exp((best.loss - np.array([one.loss for one in (best, *others)])) / temperature)
    found = []
    for number, frame in enumerate(pieces.frames):
        ranked = _ranked([best, *others], weights, frame)
        total = sum(weight for _, weight in ranked)
        boards = [(board_of(kinds, frame, labels), weight / total) for labels, weight in ranked]
        doubts, overruled = _doubts(losses[number], kinds, ranked, doubtful)
        every = losses[number].reshape(-1, len(kinds))
        correction_cost = every[np.arange(len(every)), ranked[0][0]] - every.min(axis=1)
        mine = _mine(model, best, frame)
        found.append(
            Decision(
                board=boards[0][0],
                dominoes=tuple(_laid(mine, kinds, deck)),
                probability=boards[0][1],
                doubts=doubts,
                problems=_problems(mine, boards[0][0], deck, side),
                runners_up=tuple(boards[1:]),
                overruled=overruled,
                proved=best.proved and number not in left,
                correction_cost=float(correction_cost.sum()),
            )
        )
    return found


def _losses(
    reading: Reading, number: int, kinds: tuple[str, ...], fixed_squares: Mapping[tuple[int, Square], str]
) -> Floats:
    """Minus the logarithms of the probabilities, none of them under the floor; clamped squares know what they are."""
    likely = np.full((reading.rows, reading.cols, len(kinds)), MIN_PROBABILITY)
    likely[..., : len(reading.kinds)] += np.exp(reading.log_probs)
    losses = np.asarray(-np.log(likely))
    for (kingdom, square), kind in fixed_squares.items():
        if kingdom == number:
            losses[square] = FIXED_LOSS
            losses[square][kinds.index(kind)] = 0.0
    return losses


def board_of(kinds: tuple[str, ...], frame: Frame, labels: Ints) -> Board:
    """The board that the labels of a frame's squares (n,) show, in the frame of the reading."""
    shown = {Square(*divmod(index, frame.cols)): kinds[label] for index, label in enumerate(labels.tolist())}
    cells = {square: Cell.parse(kind) for square, kind in shown.items() if kind != NOTHING}
    return Board(cells, height=frame.rows, width=frame.cols)


def _ranked(answers: Sequence[Solution], weights: Floats, frame: Frame) -> list[tuple[Ints, float]]:
    """The different boards of one kingdom as labels, each with the weight of its best answer, the decided one first."""
    boards: dict[bytes, tuple[Ints, float]] = {}
    for answer, weight in zip(answers, weights.tolist(), strict=True):
        labels = answer.labels[frame.start : frame.end]
        if weight > boards.get(labels.tobytes(), (labels, 0.0))[1]:
            boards[labels.tobytes()] = (labels, weight)
    return sorted(boards.values(), key=lambda board: -board[1])


def _doubts(
    losses: Floats, kinds: tuple[str, ...], ranked: Sequence[tuple[Ints, float]], doubtful: float
) -> tuple[tuple[Doubt, ...], tuple[Square, ...]]:
    """The squares that may be something else, likeliest to be wrong first, and those decided against the reading."""
    every, shown = losses.reshape(-1, len(kinds)), np.stack([labels for labels, _ in ranked])
    doubts, overruled = [], []
    for index in np.flatnonzero((shown != every.argmin(axis=1)).any(axis=0)).tolist():  # the rest is beyond doubt
        square, label = Square(*divmod(index, losses.shape[1])), int(ranked[0][0][index])
        others: dict[int, float] = {}
        for labels, weight in ranked:
            others[int(labels[index])] = max(others.get(int(labels[index]), 0.0), weight)
        total = sum(others.values())
        sure, raw = others.pop(label) / total, int(every[index].argmin())
        against = raw != label and np.exp(-every[index][raw]) > CONFIDENT
        if against or sure < 1 - doubtful:
            instead = raw if against else max(others, key=lambda kind: others[kind])
            doubts.append(Doubt(square, kinds[label], sure, kinds[instead]))
        overruled += [square] if against else []
    return tuple(sorted(doubts, key=lambda doubt: doubt.probability)), tuple(overruled)


class _Piece(NamedTuple):
    squares: tuple[Square, ...]
    kinds: tuple[int, ...]
    face: int
    foreign: bool


def _mine(model: Model, best: Solution, frame: Frame) -> list[_Piece]:
    """The pieces of one kingdom."""
    p, found = model.pieces, []
    for n in best.chosen.tolist():
        if frame.start <= p.first[n] < frame.end:
            both = [(p.first[n], p.kind[n])] + ([(p.second[n], p.other[n])] if p.second[n] >= 0 else [])
            squares = tuple(Square(*divmod(int(s) - frame.start, frame.cols)) for s, _ in both)
            found.append(_Piece(squares, tuple(int(k) for _, k in both), int(p.face[n]), bool(p.foreign[n])))
    return found


def _laid(pieces: Sequence[_Piece], kinds: tuple[str, ...], deck: Deck) -> list[PlacedDomino]:
    """The deck's dominoes on this board, each with all numbers of its face."""
    numbers, laid = _numbers(deck), []
    for piece in pieces:
        if piece.face >= 0:
            one, two = (Cell.parse(kinds[kind]) for kind in piece.kinds)
            laid.append(PlacedDomino(numbers[face(one, two)], (piece.squares[0], piece.squares[1])))
    return sorted(laid, key=lambda domino: domino.squares)


@lru_cache(maxsize=8)
def _numbers(deck: Deck) -> dict[Face, tuple[int | str, ...]]:
    """The numbers of the dominoes with each face."""
    found: dict[Face, tuple[int | str, ...]] = {}
    for domino in deck:
        found[domino.face] = (*found.get(domino.face, ()), domino.number)
    return found


def _problems(pieces: Sequence[_Piece], board: Board, deck: Deck, side: int | None) -> tuple[Problem, ...]:
    """What is odd about the board itself, else what is odd about it in this company.

    The sentences name squares as players do, from the board's own first row and column, not from the grid's.
    """
    top, left = min((s.row for s in board), default=0), min((s.col for s in board), default=0)
    found = tuple(
        replace(problem, squares=tuple(Square(row + top, col + left) for row, col in problem.squares))
        for problem in find_problems(board.trim(), deck, side=side or SIDES[-1])
    )
    squares = sorted(square for piece in pieces if piece.foreign for square in piece.squares)
    if found or not squares:
        return found
    text = "the box has not enough dominoes for this and the other kingdoms"
    return (Problem(tuple(squares), text, "kingdomino/contents"),)
