"""The nearest rivals of the best answer: boards that show something else on some square, and cost little more.

Bounds tell which squares could matter. Rivals of one kingdom, with the dominoes that the others leave it, come out of
sweeps for all squares at once (`single.py`). Where that needs a domino twice or leaves squares detached, or where
several kingdoms could change together for less, the integer programme is asked.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from kdvision.vision.decision.answers import Answer, Best, fresh_groups, nearest
from kdvision.vision.decision.candidates import Floats, Ints, Mask
from kdvision.vision.decision.lists import Lists
from kdvision.vision.decision.programme import cheapest
from kdvision.vision.decision.relaxed import ascend
from kdvision.vision.decision.scene import Scene
from kdvision.vision.decision.single import Alone, every_domino, one_a_square
from kdvision.vision.reading import NOTHING

_NEAR: Final = 0.7
_ENOUGH: Final = 3.0
_TOGETHER: Final = 60
_ROUNDS: Final = 15
_TRADE: Final = 4.6
"""So many rivals are looked for among kingdoms that trade dominoes, in so many rounds of prices, up to this loss."""
_HARD: Final = 3
_CUTS: Final = 4
_PIECES: Final = 250
_NODES: Final = 5
"""So many rivals are left to the integer programme, in so many rounds, out of so many pieces, branching so often."""


def rivals(scene: Scene, best: Best, *, limit: float, most: int) -> tuple[list[Answer], Ints]:
    """Answers that lose at most `limit` more than the best one, and squares for which the search was given up.

    For an unsure square these are the best answer that shows another kind, and those with each domino that could lie
    there; what else a square could be for which it was given up is not known. At most `most` squares are looked at in
    each kingdom, the least certain first; none where the bound is above the limit, or the reading itself is certain
    (beyond twice the limit).
    """
    bounds = _bounds(scene, best, limit)
    squares = _unsure(scene, best, bounds, limit, most)
    if not len(squares):
        return [], squares
    near = best.known.at_least <= limit + best.gap
    lists = Lists.of(scene.catalogue).only(near)
    alone = Alone(scene, best)
    found = dict(one_a_square(alone, lists, squares, limit))
    trade = min(limit, _TRADE)
    if hard := _hard(scene, best, found, squares, bounds, trade)[:_TOGETHER]:
        for square, answer in _together(scene, best, lists, np.array(hard), bounds, trade):
            found[square] = min(answer, found.get(square, answer), key=lambda known: known.loss)
    still = _hard(scene, best, found, squares, bounds, trade)
    for square in still[:_HARD]:
        if solved := _solved(scene, best, near, square):
            found[square] = min(solved, found.get(square, solved), key=lambda known: known.loss)
    left = np.array(still[_HARD:], np.intp)
    answers = [*found.values(), *every_domino(alone, lists, squares, limit)]
    different = {answer.labels.tobytes(): answer for answer in sorted(answers, key=lambda one: -one.loss)}
    return [answer for answer in different.values() if answer.loss <= best.loss + limit], left


def _hard(scene: Scene, best: Best, found: dict[int, Answer], squares: Ints, bounds: Floats, limit: float) -> list[int]:
    """The squares for which an answer could be well below those that are found, the lowest bound first.

    None of kingdoms whose rivals outweigh the best answer already: it is hardly ever right there.
    """
    weights = np.zeros(len(scene.catalogue.frames))
    for square, answer in found.items():
        weights[scene.catalogue.owner[square]] += np.exp(best.loss - answer.loss)
    open_ = squares[(bounds[squares] <= limit) & (weights[scene.catalogue.owner[squares]] < _ENOUGH)]
    hard = [s for s in open_.tolist() if best.loss + bounds[s] + _NEAR < _least(best, found, s)]
    return sorted(hard, key=lambda square: float(bounds[square]))


def _least(best: Best, found: dict[int, Answer], square: int) -> float:
    """What the cheapest of the answers costs that shows something else on the square."""
    return min((a.loss for a in found.values() if a.labels[square] != best.labels[square]), default=np.inf)


def _bounds(scene: Scene, best: Best, limit: float) -> Floats:
    """For each square a lower bound on what it costs to show anything else there; infinite beyond the limit."""
    known, empty = best.known, scene.catalogue.kinds.index(NOTHING)
    near = np.flatnonzero(known.at_least <= limit + best.gap)
    pieces = scene.catalogue.pieces(near)
    bounds = np.where(best.labels == empty, np.inf, known.if_empty)
    for where, shown in ((pieces.first, pieces.kind), (pieces.second, pieces.other)):
        other = (where >= 0) & (shown != best.labels[where])
        np.minimum.at(bounds, where[other], known.at_least[near][other])
    return np.maximum(bounds - best.gap, 0.0)


def _unsure(scene: Scene, best: Best, bounds: Floats, limit: float, most: int) -> Ints:
    """The squares to look at, least certain first."""
    each = np.arange(len(best.labels))
    others = scene.losses.copy()
    others[each, best.labels] = np.inf
    unsure = bounds + np.maximum(others.min(axis=1) - scene.losses[each, best.labels], 0.0)
    order = np.argsort(unsure, kind="stable")
    order = order[(bounds[order] <= limit) & (unsure[order] <= 2 * limit)]
    owner = scene.catalogue.owner[order]
    rank = np.array([int((owner[:n] == kingdom).sum()) for n, kingdom in enumerate(owner)], np.intp)
    return np.asarray(order[rank < most])


def _together(
    scene: Scene, best: Best, lists: Lists, squares: Ints, bounds: Floats, limit: float
) -> Iterator[tuple[int, Answer]]:
    """Answers in which a square shows something else and kingdoms trade dominoes; `bounds` rise to what is proved."""
    windows = np.flatnonzero(best.known.window <= limit + best.gap)
    prices = np.repeat(best.known.prices, len(squares), axis=0)
    enough = best.loss + limit
    found = ascend(
        scene, lists.without(squares, best.labels), prices, windows, rounds=_ROUNDS, enough=enough, reach=limit + 1
    )
    bounds[squares] = np.maximum(bounds[squares], found.bound - best.loss)
    for square, chosen, loss in zip(squares.tolist(), found.chosen, found.loss.tolist(), strict=True):
        labels = best.labels if chosen is None else scene.labels(chosen)
        if chosen is not None and labels[square] != best.labels[square]:
            yield square, Answer(labels, loss, chosen)


def _solved(scene: Scene, best: Best, near: Mask, square: int) -> Answer | None:
    """The cheapest answer of all that shows something else on the square, by the integer programme."""
    label, empty = int(best.labels[square]), scene.catalogue.kinds.index(NOTHING)
    numbers = nearest(best.known.at_least, near, _PIECES)
    pieces = scene.catalogue.pieces(numbers)
    shows = ((pieces.first == square) & (pieces.kind == label)) | ((pieces.second == square) & (pieces.other == label))
    groups = list(best.groups)
    answer = None
    for _ in range(_CUTS):
        found = cheapest(scene, numbers[~shows], groups, must=square if label == empty else None, nodes=_NODES)
        if found is None:
            break
        answer = Answer(scene.labels(found.chosen), scene.loss(found.chosen), found.chosen)
        fresh = fresh_groups(scene, found.chosen, groups)
        groups += fresh
        if not fresh:
            break
    return answer
