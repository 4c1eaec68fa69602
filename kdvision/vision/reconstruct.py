"""From probabilities to boards: the likeliest kingdoms that the box's dominoes can lay, and what is not certain there.

`decide` maximises one quantity, the sum of log-probabilities over all squares of all kingdoms in the photo, over the
boards which the deck can tile: each domino at most as often as the box has it, one castle a kingdom, inside the side,
joined to the castle by edges. Rules may bend, at a price: what no box explains is kept as it was read, and said.
Runners-up come from asking again with one square's label forbidden, and from their changes put together. The search
itself is in `decision`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import Deck, Face, face
from kdvision.game.legality import Problem, problems
from kdvision.vision.company import in_company
from kdvision.vision.decided import Decision, Doubt, Laid
from kdvision.vision.decision.answers import Answer, Best, best_answer
from kdvision.vision.decision.candidates import Bonds, Candidates, Floats, Frame, Ints, Prices
from kdvision.vision.decision.combined import combined
from kdvision.vision.decision.outlines import likeliest
from kdvision.vision.decision.rivals import rivals
from kdvision.vision.decision.scene import Scene
from kdvision.vision.decision.windows import SIDES
from kdvision.vision.playable import board_of, keeping_the_rule
from kdvision.vision.reading import Reading

FLOOR: Final = 1e-6
"""No kind is less likely than this: readers are never as sure as they say."""

CONFIDENT: Final = 0.98
"""A square read with more than this and decided otherwise is always a doubt."""

_CLAMPED: Final = 60.0


def decide(
    readings: Sequence[Reading],
    deck: Deck,
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    bonds: Sequence[Bonds | None] | None = None,
    prices: Prices | None = None,
    temperature: float = 1.0,
    doubtful: float = 0.01,
    slight: float = 0.002,
    most: int = 12,
) -> list[Decision]:
    """The likeliest boards of all kingdoms in a photo, decided together because they share one box.

    `side` limits rows and columns (None: 5, or 7 where the readings insist). `clamps` fixes squares, `{(0, Square(2,
    1)): "w1"}`. `bonds` is evidence of which neighbours are one domino, for each kingdom log-odds to the right (rows,
    cols - 1) and downwards (rows - 1, cols). `temperature` divides log-probabilities when losses become probabilities;
    a square is a doubt when something else has more than `doubtful`. Boards less than `slight` times as likely as the
    best are not looked for, and at most `most` squares are tried in each kingdom.
    """
    if not readings:
        return []
    if any(reading.kinds != readings[0].kinds for reading in readings):
        raise ValueError("readings of one photo have the same kinds")
    clamps, bonds, prices = clamps or {}, bonds or [None] * len(readings), prices or Prices()

    def question(numbers: Sequence[int]) -> _Question:
        own = {(numbers.index(n), square): kind for (n, square), kind in clamps.items() if n in numbers}
        return _Question([readings[n] for n in numbers], deck, side, own, [bonds[n] for n in numbers], prices)

    def ask(numbers: Sequence[int]) -> list[Decision]:
        return _decided(question(numbers), temperature=temperature, doubtful=doubtful, slight=slight, most=most)

    return in_company(readings, ask, lambda number: question([number]).against, foreign=prices.foreign_domino)


@dataclass(frozen=True)
class _Question:
    """Kingdoms to be decided together."""

    readings: Sequence[Reading]
    deck: Deck
    side: int | None
    clamps: Mapping[tuple[int, Square], str]
    bonds: Sequence[Bonds | None]
    prices: Prices

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """All kinds that squares may show: those the reader knows, and clamped ones."""
        known = self.readings[0].kinds
        return (*known, *dict.fromkeys(kind for kind in self.clamps.values() if kind not in known))

    @cached_property
    def losses(self) -> list[Floats]:
        """What each kind costs on each square (rows, cols, kinds), a kingdom each."""
        return [_losses(reading, number, self.kinds, self.clamps) for number, reading in enumerate(self.readings)]

    @cached_property
    def scene(self) -> Scene:
        """The pieces that could lie there."""
        return Scene.of(self.losses, self.kinds, self.deck, side=self.side, bonds=self.bonds, prices=self.prices)

    @property
    def against(self) -> float:
        """What speaks against the likeliest boards: strain, and the price of what no box has."""
        best, catalogue = best_answer(self.scene), self.scene.catalogue
        each = zip(self.losses, catalogue.frames, strict=True)
        strain = sum(_strain(losses, best.labels[frame.start : frame.end]) for losses, frame in each)
        foreign, lone, castle = catalogue.starts
        whole = ((best.chosen >= foreign) & (best.chosen < lone)).sum()
        halves = ((best.chosen >= lone) & (best.chosen < castle)).sum()
        return strain + self.prices.foreign_domino * float(whole + halves / 2)


def _decided(asked: _Question, *, temperature: float, doubtful: float, slight: float, most: int) -> list[Decision]:
    """Their likeliest boards; parameters as in `decide`."""
    scene, losses = asked.scene, asked.losses
    best, limit = best_answer(scene), -np.log(slight) * temperature
    others, left = rivals(scene, best, limit=limit, most=most)
    others += combined(scene, best, others, limit=limit)
    best, others = _cheapest_first(best, others)
    best, others = keeping_the_rule(best, others, scene.catalogue, asked.deck)
    best, others = _likeliest_outline_first(best, others, scene, temperature)
    answers = [best, *others]
    weights = np.exp((best.loss - np.array([answer.loss for answer in answers])) / temperature)
    unsearched = frozenset(scene.catalogue.owner[left].tolist())
    table = _Table(scene, losses, asked.deck, asked.side, best, answers, weights, doubtful, unsearched)
    return [_decision(table, number) for number in range(len(losses))]


def _cheapest_first(best: Best, others: list[Answer]) -> tuple[Best, list[Answer]]:
    """The best answer and the others; where one of these costs less, the search for the best was given up too early."""
    first = min(others, key=lambda answer: answer.loss, default=best)
    if first.loss >= best.loss:
        return best, others
    rest = [replace(best, exact=False), *(answer for answer in others if answer is not first)]
    return replace(best.led_by(first), exact=False), rest


def _likeliest_outline_first(
    best: Best, others: list[Answer], scene: Scene, temperature: float
) -> tuple[Best, list[Answer]]:
    """The answer with the likeliest outlines and the others."""
    answers = [best, *others]
    first = likeliest(answers, scene.catalogue, temperature=temperature)
    if first is best:
        return best, others
    rest = [answer for answer in answers if answer is not first]
    return best.led_by(first), rest


@dataclass(frozen=True)
class _Table:
    """All that is known once the photo is solved."""

    scene: Scene
    losses: Sequence[Floats]
    deck: Deck
    side: int | None
    best: Best
    answers: Sequence[Answer]
    weights: Floats
    doubtful: float
    unsearched: Collection[int]


def _losses(reading: Reading, number: int, kinds: tuple[str, ...], clamps: Mapping[tuple[int, Square], str]) -> Floats:
    """Minus the logarithms of the probabilities, none of them under the floor; clamped squares know what they are."""
    likely = np.full((reading.rows, reading.cols, len(kinds)), FLOOR)
    likely[..., : len(reading.kinds)] += np.exp(reading.log_probs)
    losses = np.asarray(-np.log(likely))
    for (kingdom, square), kind in clamps.items():
        if kingdom == number:
            losses[square] = _CLAMPED
            losses[square][kinds.index(kind)] = 0.0
    return losses


def _decision(table: _Table, number: int) -> Decision:
    frame = table.scene.catalogue.frames[number]
    ranked = _ranked(table, frame)
    total = sum(weight for _, weight in ranked)
    boards = [(board_of(table.scene.catalogue, frame, labels), weight / total) for labels, weight in ranked]
    doubts, overruled = _doubts(table, number, ranked)
    return Decision(
        board=boards[0][0],
        dominoes=_laid(table, frame),
        probability=boards[0][1],
        doubts=doubts,
        problems=_problems(table, frame, boards[0][0]),
        runners_up=tuple(boards[1:]),
        overruled=overruled,
        proved=table.best.exact and number not in table.unsearched,
        strain=_strain(table.losses[number], ranked[0][0]),
    )


def _ranked(table: _Table, frame: Frame) -> list[tuple[Ints, float]]:
    """The different boards of one kingdom as labels, each with the weight of its best answer, heaviest first."""
    boards: dict[bytes, tuple[Ints, float]] = {}
    for answer, weight in zip(table.answers, table.weights.tolist(), strict=True):
        labels = answer.labels[frame.start : frame.end]
        if weight > boards.get(labels.tobytes(), (labels, 0.0))[1]:
            boards[labels.tobytes()] = (labels, weight)
    own = table.best.labels[frame.start : frame.end].tobytes()
    return sorted(boards.values(), key=lambda board: (board[0].tobytes() != own, -board[1]))


def _doubts(
    table: _Table, number: int, ranked: Sequence[tuple[Ints, float]]
) -> tuple[tuple[Doubt, ...], tuple[Square, ...]]:
    """The squares that may be something else, likeliest to be wrong first, and those decided against the reading."""
    kinds, frame = table.scene.catalogue.kinds, table.scene.catalogue.frames[number]
    every, shown = table.losses[number].reshape(-1, len(kinds)), np.stack([labels for labels, _ in ranked])
    doubts, overruled = [], []
    for index in np.flatnonzero((shown != every.argmin(axis=1)).any(axis=0)).tolist():  # the rest is beyond doubt
        square, label, losses = Square(*divmod(index, frame.cols)), int(ranked[0][0][index]), every[index]
        others: dict[int, float] = {}
        for labels, weight in ranked:
            others[int(labels[index])] = max(others.get(int(labels[index]), 0.0), weight)
        total = sum(others.values())
        sure = others.pop(label) / total
        raw = int(losses.argmin())
        against = raw != label and np.exp(-losses[raw]) > CONFIDENT
        if against or sure < 1 - table.doubtful:
            instead = raw if against else max(others, key=lambda kind: others[kind])
            doubts.append(Doubt(square, kinds[label], sure, kinds[instead]))
        overruled += [square] if against else []
    return tuple(sorted(doubts, key=lambda doubt: doubt.probability)), tuple(overruled)


def _strain(losses: Floats, labels: Ints) -> float:
    """How much the losses (rows, cols, kinds) of these labels (rows * cols) exceed each square's least."""
    every = losses.reshape(-1, losses.shape[-1])
    return float((every[np.arange(len(every)), labels] - every.min(axis=1)).sum())


def _mine(table: _Table, frame: Frame) -> Candidates:
    """The pieces of one kingdom."""
    first = table.scene.catalogue.pieces(table.best.chosen).first
    return table.scene.catalogue.pieces(table.best.chosen[(first >= frame.start) & (first < frame.end)])


def _squares(frame: Frame, numbers: Ints) -> tuple[Square, ...]:
    return tuple(Square(*divmod(number - frame.start, frame.cols)) for number in numbers.tolist())


def _laid(table: _Table, frame: Frame) -> tuple[Laid, ...]:
    """The deck's dominoes on this board, each with all numbers of its face."""
    numbers = _numbers(table.deck)
    kinds, pieces, laid = table.scene.catalogue.kinds, _mine(table, frame), []
    for at in np.flatnonzero(pieces.face >= 0).tolist():
        one, two = Cell.parse(kinds[pieces.kind[at]]), Cell.parse(kinds[pieces.other[at]])
        first, second = _squares(frame, np.array([pieces.first[at], pieces.second[at]]))
        laid.append(Laid(numbers[face(one, two)], (first, second)))
    return tuple(sorted(laid, key=lambda domino: domino.squares))


@lru_cache(maxsize=8)
def _numbers(deck: Deck) -> dict[Face, tuple[int | str, ...]]:
    """The numbers of the dominoes with each face."""
    found: dict[Face, tuple[int | str, ...]] = {}
    for domino in deck:
        found[domino.face] = (*found.get(domino.face, ()), domino.number)
    return found


def _problems(table: _Table, frame: Frame, board: Board) -> tuple[Problem, ...]:
    """What is odd about the board itself, else what is odd about it in this company.

    The sentences name squares as players do, from the board's own first row and column, not from the grid's.
    """
    top, left = min((s.row for s in board), default=0), min((s.col for s in board), default=0)
    found = tuple(
        replace(problem, squares=tuple(Square(row + top, col + left) for row, col in problem.squares))
        for problem in problems(board.trimmed(), table.deck, side=table.side or SIDES[-1])
    )
    pieces = _mine(table, frame)
    strange = pieces.foreign
    squares = _squares(frame, np.concatenate([pieces.first[strange], pieces.second[strange & (pieces.second >= 0)]]))
    if found or not squares:
        return found
    text = "the box has not enough dominoes for this and the other kingdoms"
    return (Problem(tuple(sorted(squares)), text, "kingdomino/contents"),)
