"""From probabilities to boards: the likeliest kingdoms that the box's dominoes can lay, and what is not certain there.

`decide` maximises one quantity, the sum of log-probabilities over all squares of all kingdoms in the photo, over the
boards which the deck can tile: each domino at most as often as the box has it, one castle a kingdom, inside the side,
joined to the castle by edges and by the connection rule. Rules may bend, at a price: what no box explains is kept as it
was read, and said. Runners-up come from solving again with one square's label forbidden.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import Deck, Face, face
from kdvision.game.legality import Problem, problems
from kdvision.vision.attached import broken
from kdvision.vision.candidates import Bonds, Floats, Frame, Ints, Mask, Prices
from kdvision.vision.programme import SIDES, Cut, Programme, Solution, build, solve
from kdvision.vision.reading import NOTHING, Reading

FLOOR: Final = 1e-6
"""No kind is less likely than this: readers are never as sure as they say."""

CONFIDENT: Final = 0.98
"""A square read with more than this and decided otherwise is always a doubt."""

_CLAMPED: Final = 60.0
_NEAR: Final = 0.5


class Laid(NamedTuple):
    """A domino on the board: the numbers it may have (all with the same face), its two squares."""

    numbers: tuple[int | str, ...]
    squares: tuple[Square, Square]


@dataclass(frozen=True)
class Doubt:
    """A square that may be something else: what was decided and its probability, what it would be instead."""

    square: Square
    read: str
    probability: float
    instead: str


@dataclass(frozen=True)
class Decision:
    """One kingdom decided: its board in the frame of the reading, and all that is odd or unsure about it.

    `overruled` are squares on which the deck decided against a confident reading; each is among the doubts.
    `runners_up` are other boards with their probabilities, likeliest first.
    """

    board: Board
    dominoes: tuple[Laid, ...]
    probability: float
    doubts: tuple[Doubt, ...] = ()
    problems: tuple[Problem, ...] = ()
    runners_up: tuple[tuple[Board, float], ...] = ()
    overruled: tuple[Square, ...] = ()

    def certain(self, at_least: float) -> bool:
        """Whether nothing is odd and the board is at least this probable; otherwise a person should look."""
        return self.probability >= at_least and not self.problems and not self.overruled


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
    rivals: int = 12,
) -> list[Decision]:
    """The likeliest boards of all kingdoms in a photo, decided together because they share one box.

    `side` limits rows and columns (None: 5, or 7 where the readings insist). `clamps` fixes squares, `{(0, Square(2,
    1)): "w1"}`. `bonds` is evidence of which neighbours are one domino, for each kingdom log-odds to the right (rows,
    cols - 1) and downwards (rows - 1, cols). `temperature` divides log-probabilities when losses become probabilities;
    a square is a doubt when something else has more than `doubtful`; at most `rivals` alternatives are solved.
    """
    if not readings:
        return []
    scene = _scene(readings, deck, clamps or {}, side=side, bonds=bonds, prices=prices or Prices())
    cuts: list[Cut] = []
    best = _solve(scene, cuts)
    found = [best, *_rivals(scene, best, cuts, limit=-np.log(doubtful) * temperature, most=rivals)]
    weights = np.exp((best.loss - np.array([answer.loss for answer in found])) / temperature)
    return [_decision(scene, number, found, weights, doubtful) for number in range(len(readings))]


@dataclass(frozen=True)
class _Scene:
    """What stays the same while a photo is decided. `losses` (squares, kinds) of all kingdoms one after another."""

    programme: Programme
    kinds: tuple[str, ...]
    losses: Floats
    deck: Deck
    side: int | None
    prices: Prices


@dataclass(frozen=True)
class _Answer:
    """A solution as labels: for each square the number of its kind."""

    labels: Ints
    loss: float
    solution: Solution


def _scene(
    readings: Sequence[Reading],
    deck: Deck,
    clamps: Mapping[tuple[int, Square], str],
    *,
    side: int | None,
    bonds: Sequence[Bonds | None] | None,
    prices: Prices,
) -> _Scene:
    kinds = readings[0].kinds
    if any(reading.kinds != kinds for reading in readings):
        raise ValueError("readings of one photo have the same kinds")
    kinds = (*kinds, *dict.fromkeys(kind for kind in clamps.values() if kind not in kinds))
    losses = [_losses(reading, len(kinds)) for reading in readings]
    for (number, square), kind in clamps.items():
        losses[number][square] = _CLAMPED
        losses[number][square][kinds.index(kind)] = 0.0
    bonds = bonds or [None] * len(readings)
    programme = build(losses, kinds, deck, side=side, bonds=bonds, prices=prices)
    return _Scene(programme, kinds, np.concatenate([x.reshape(-1, len(kinds)) for x in losses]), deck, side, prices)


def _losses(reading: Reading, kinds: int) -> Floats:
    """Minus the logarithms of the probabilities, none of them under the floor; kinds not read are at the floor."""
    likely = np.full((reading.rows, reading.cols, kinds), FLOOR)
    likely[..., : len(reading.kinds)] += np.exp(reading.log_probs)
    return np.asarray(-np.log(likely))


def _solve(
    scene: _Scene, cuts: list[Cut], *, banned: Mask | None = None, bonus: Floats | None = None, rounds: int = 6
) -> _Answer:
    """The best answer that keeps the kingdoms in one piece; the cuts it took are added to `cuts`."""
    solution = solve(scene.programme, cuts=cuts, banned=banned, bonus=bonus)
    for _ in range(rounds):
        known = {(cut.pieces.tobytes(), cut.coefficients.tobytes()) for cut in cuts}
        fresh = [
            cut
            for cut in broken(scene.programme, solution, scene.kinds, scene.prices)
            if (cut.pieces.tobytes(), cut.coefficients.tobytes()) not in known
        ]
        if not fresh:
            break
        cuts += fresh
        solution = solve(scene.programme, cuts=cuts, banned=banned, bonus=bonus)
    return _Answer(_labels(scene, solution), solution.loss, solution)


def _labels(scene: _Scene, solution: Solution) -> Ints:
    pieces, chosen = scene.programme.pieces, solution.chosen
    labels = np.full(len(scene.losses), scene.kinds.index(NOTHING))
    labels[pieces.first[chosen]] = pieces.kind[chosen]
    two = chosen[pieces.second[chosen] >= 0]
    labels[pieces.second[two]] = pieces.other[two]
    return labels


def _rivals(scene: _Scene, best: _Answer, cuts: list[Cut], *, limit: float, most: int) -> list[_Answer]:
    """Other answers that lose at most `limit` more: for each unsure square the best one that shows another kind there.

    Squares come in the order of the bounds which the duals give; where the bound is above the limit, or an answer found
    before is about as good as the bound, nothing need be solved.
    """
    bounds, found = _bounds(scene, best), list[_Answer]()
    for square in np.argsort(bounds, kind="stable").tolist():
        if bounds[square] > limit or len(found) >= most:
            break
        others = [answer.loss for answer in found if answer.labels[square] != best.labels[square]]
        if min(others, default=np.inf) > best.loss + bounds[square] + _NEAR:
            answer = _without(scene, cuts, square, int(best.labels[square]))
            found.append(answer)
    return [answer for answer in found if answer.loss <= best.loss + limit]


def _bounds(scene: _Scene, best: _Answer) -> Floats:
    """For each square a lower bound on what it costs to show anything else there."""
    pieces, at_least = scene.programme.pieces, best.solution.at_least
    bounds = np.where(best.labels == scene.kinds.index(NOTHING), np.inf, best.solution.if_empty)
    for where, shown in ((pieces.first, pieces.kind), (pieces.second, pieces.other)):
        other = (where >= 0) & (shown != best.labels[where])
        np.minimum.at(bounds, where[other], at_least[other])
    return np.maximum(bounds, 0.0)


def _without(scene: _Scene, cuts: list[Cut], square: int, label: int) -> _Answer:
    """The best answer in which the square shows anything but this kind."""
    pieces = scene.programme.pieces
    if scene.kinds[label] != NOTHING:
        return _solve(scene, cuts, banned=pieces.showing(square, label), rounds=2)
    answer = _solve(scene, cuts, bonus=np.where(pieces.covering(square), _CLAMPED, 0.0), rounds=2)
    return replace(answer, loss=answer.loss + _CLAMPED)


def _decision(scene: _Scene, number: int, found: Sequence[_Answer], weights: Floats, doubtful: float) -> Decision:
    frame = scene.programme.frames[number]
    part = slice(frame.start, frame.end)
    likeliest: dict[bytes, tuple[Ints, float]] = {}
    for answer, weight in zip(found, weights.tolist(), strict=True):
        labels = answer.labels[part]
        likeliest[labels.tobytes()] = max(
            likeliest.get(labels.tobytes(), (labels, 0.0)), (labels, weight), key=lambda pair: pair[1]
        )
    ranked = sorted(likeliest.values(), key=lambda pair: -pair[1])
    total = sum(weight for _, weight in ranked)
    boards = [(_board(scene, frame, labels), weight / total) for labels, weight in ranked]
    doubts, overruled = _doubts(scene, frame, found[0], ranked, doubtful)
    return Decision(
        board=boards[0][0],
        dominoes=_laid(scene, frame, found[0].solution),
        probability=boards[0][1],
        doubts=doubts,
        problems=_problems(scene, frame, found[0].solution, boards[0][0]),
        runners_up=tuple(boards[1:]),
        overruled=overruled,
    )


def _doubts(
    scene: _Scene, frame: Frame, best: _Answer, ranked: Sequence[tuple[Ints, float]], doubtful: float
) -> tuple[tuple[Doubt, ...], tuple[Square, ...]]:
    """The squares that may be something else, likeliest to be wrong first, and those decided against the reading."""
    doubts, overruled = [], []
    losses = scene.losses[frame.start : frame.end]
    for index, label in enumerate(best.labels[frame.start : frame.end].tolist()):
        others: dict[int, float] = {}
        for labels, weight in ranked:
            others[int(labels[index])] = max(others.get(int(labels[index]), 0.0), weight)
        sure = others.pop(label) / sum([1.0, *others.values()])
        raw = int(losses[index].argmin())
        against = raw != label and np.exp(-losses[index, raw]) > CONFIDENT
        instead = raw if against else max(others, key=lambda kind: others[kind], default=-1)
        square = Square(*divmod(index, frame.cols))
        if against or sure < 1 - doubtful:
            doubts.append(Doubt(square, scene.kinds[label], sure, scene.kinds[instead]))
        if against:
            overruled.append(square)
    return tuple(sorted(doubts, key=lambda doubt: doubt.probability)), tuple(overruled)


def _board(scene: _Scene, frame: Frame, labels: Ints) -> Board:
    shown = {Square(*divmod(index, frame.cols)): scene.kinds[label] for index, label in enumerate(labels.tolist())}
    cells = {square: Cell.parse(kind) for square, kind in shown.items() if kind != NOTHING}
    return Board(cells, height=frame.rows, width=frame.cols)


def _squares(frame: Frame, scene: _Scene, piece: int) -> tuple[Square, ...]:
    pieces = scene.programme.pieces
    numbers = [int(number) for number in (pieces.first[piece], pieces.second[piece]) if number >= 0]
    return tuple(Square(*divmod(number - frame.start, frame.cols)) for number in numbers)


def _mine(scene: _Scene, frame: Frame, solution: Solution) -> list[int]:
    first = scene.programme.pieces.first
    return [piece for piece in solution.chosen.tolist() if frame.start <= first[piece] < frame.end]


def _laid(scene: _Scene, frame: Frame, solution: Solution) -> tuple[Laid, ...]:
    """The deck's dominoes on this board, each with all numbers of its face."""
    numbers: dict[Face, list[int | str]] = {}
    for domino in scene.deck:
        numbers.setdefault(domino.face, []).append(domino.number)
    laid, pieces = [], scene.programme.pieces
    for piece in _mine(scene, frame, solution):
        if pieces.face[piece] >= 0:
            one, two = (Cell.parse(scene.kinds[kind]) for kind in (pieces.kind[piece], pieces.other[piece]))
            first, second = _squares(frame, scene, piece)
            laid.append(Laid(tuple(numbers[face(one, two)]), (first, second)))
    return tuple(sorted(laid, key=lambda domino: domino.squares))


def _problems(scene: _Scene, frame: Frame, solution: Solution, board: Board) -> tuple[Problem, ...]:
    """What is odd about the board itself, else what is odd about it in this company."""
    found = problems(board, scene.deck, side=scene.side or SIDES[-1])
    pieces = scene.programme.pieces
    foreign = [piece for piece in _mine(scene, frame, solution) if pieces.foreign[piece]]
    if found or not foreign:
        return found
    squares = tuple(square for piece in foreign for square in _squares(frame, scene, piece))
    return (Problem(squares, "the box has not enough dominoes for this and the other kingdoms", "kingdomino/contents"),)
