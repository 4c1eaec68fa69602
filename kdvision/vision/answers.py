"""The likeliest boards of a photo and their nearest rivals: the programme solved again and again.

A rival shows another kind on some square. The duals of the best answer bound what that costs at least, so only squares
that could matter are solved. With several kingdoms, each is solved alone first, with the dominoes the others leave it;
what they could only change together is solved for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kdvision.vision.attached import broken
from kdvision.vision.candidates import Floats, Ints, Mask, Prices
from kdvision.vision.programme import Programme
from kdvision.vision.reading import NOTHING
from kdvision.vision.solver import Cut, Solution, solve, solve_with

_NEAR: Final = 0.7
_TOGETHER: Final = 12
_HOPELESS: Final = 2.0
_ENOUGH: Final = 4.0
"""Rivals that together weigh so many times what the best answer does end the search: it is hardly ever right."""
_CUTTING_ROUNDS: Final = 6


@dataclass(frozen=True)
class Scene:
    """A programme, and (squares, kinds) the `losses` it is made of: minus the log of each kind's probability.

    `cuts` collects the rules about whole kingdoms that some answer broke.
    """

    programme: Programme
    losses: Floats
    kinds: tuple[str, ...]
    prices: Prices
    cuts: list[Cut] = field(default_factory=list)

    def only(self, keep: Mask, *, used: Ints | None = None) -> "Scene":
        """The scene with these pieces alone, and so many dominoes of each face lying elsewhere."""
        return Scene(self.programme.only(keep, used=used), self.losses, self.kinds, self.prices)


@dataclass(frozen=True)
class Answer:
    """A choice of pieces as labels: for each square of all kingdoms, one after another, the number of its kind."""

    labels: Ints
    loss: float


@dataclass(frozen=True)
class Best(Answer):
    """The likeliest answer, with its solution."""

    solution: Solution


def best_answer(scene: Scene) -> Best:
    """The likeliest boards, all kingdoms in one piece; the cuts it took are kept in the scene."""
    for _ in range(_CUTTING_ROUNDS):
        solution = solve(scene.programme, scene.cuts)
        if not _more_cuts(scene, solution.chosen):
            break
    return Best(_labels(scene, solution.chosen), solution.loss, solution)


def rivals(scene: Scene, best: Best, *, limit: float, most: int) -> list[Answer]:
    """Answers that lose at most `limit` more than the best one: for unsure squares the best that shows another kind.

    At most `most` squares are tried in each kingdom, the least certain first. Nothing is solved for a square where the
    bound is above the limit, where the reading itself is certain (beyond twice the limit), or where an answer found
    before is about as good as the bound.
    """
    near, bounds = best.solution.at_least <= limit, _bounds(scene, best)
    close, frames = scene.only(near), scene.programme.frames
    if len(frames) == 1:
        return _rivals(close, best, bounds, [], limit=limit, most=most)
    alone = [rival for number in range(len(frames)) for rival in _alone(scene, best, near, number, limit, most)]
    return alone + _rivals(close, best, bounds, alone, limit=limit, most=_TOGETHER)


def _alone(scene: Scene, best: Best, near: Mask, number: int, limit: float, most: int) -> list[Answer]:
    """Rivals in which only one kingdom differs."""
    pieces, frame, programme = scene.programme.pieces, scene.programme.frames[number], scene.programme
    mine = (pieces.first >= frame.start) & (pieces.first < frame.end)
    chosen = best.solution.chosen
    others = chosen[~mine[chosen] & (pieces.face[chosen] >= 0)]
    stock = programme.stock
    local = scene.only(near & mine, used=np.bincount(pieces.face[others], minlength=stock.stop - stock.start))
    own = best_answer(local)
    found = _rivals(local, own, _bounds(local, own), [], limit=limit, most=most)
    numbers = np.arange(len(best.labels))
    here = (numbers >= frame.start) & (numbers < frame.end)
    return [Answer(np.where(here, a.labels, best.labels), best.loss + a.loss - own.loss) for a in found]


def _rivals(
    scene: Scene, best: Answer, bounds: Floats, known: Sequence[Answer], *, limit: float, most: int
) -> list[Answer]:
    found: list[Answer] = []
    tried = 0
    unsure = bounds + _gaps(scene, best)
    for square in np.argsort(unsure, kind="stable").tolist():
        weight = sum(np.exp(best.loss - rival.loss) for rival in found)
        if tried >= most or weight > _ENOUGH or unsure[square] > _HOPELESS * limit:
            break
        others = [a.loss for a in (*known, *found) if a.labels[square] != best.labels[square]]
        if bounds[square] <= limit and min(others, default=np.inf) > best.loss + bounds[square] + _NEAR:
            tried += 1
            answer = _without(scene, square, int(best.labels[square]), at_most=best.loss + limit)
            found += [answer] if answer else []
    return found


def _gaps(scene: Scene, best: Answer) -> Floats:
    """For each square how much less likely the next kind is, by its own reading; 0 where another one is likelier."""
    squares = np.arange(len(best.labels))
    others = scene.losses.copy()
    others[squares, best.labels] = np.inf
    return np.asarray(np.maximum(others.min(axis=1) - scene.losses[squares, best.labels], 0.0))


def _bounds(scene: Scene, best: Best) -> Floats:
    """For each square a lower bound on what it costs to show anything else there."""
    pieces, at_least = scene.programme.pieces, best.solution.at_least
    bounds = np.where(best.labels == scene.kinds.index(NOTHING), np.inf, best.solution.if_empty)
    for where, shown in ((pieces.first, pieces.kind), (pieces.second, pieces.other)):
        other = (where >= 0) & (shown != best.labels[where])
        np.minimum.at(bounds, where[other], at_least[other])
    return np.maximum(bounds, 0.0)


def _without(scene: Scene, square: int, label: int, *, at_most: float) -> Answer | None:
    """The best answer in which the square shows anything but this kind; None where it costs more than `at_most`."""
    pieces, empty = scene.programme.pieces, scene.kinds[label] == NOTHING
    banned = np.zeros(len(pieces.cost), bool) if empty else pieces.showing(square, label)
    must, rounds = square if empty else None, 0
    while found := solve_with(scene.programme, scene.cuts, banned=banned, must=must, at_most=at_most):
        rounds += 1
        if rounds == _CUTTING_ROUNDS or not _more_cuts(scene, found[0]):
            return Answer(_labels(scene, found[0]), found[1])
    return None


def _more_cuts(scene: Scene, chosen: Ints) -> bool:
    """Whether the chosen pieces break a rule about whole kingdoms that no cut states yet; now one does."""
    known = {cut.name for cut in scene.cuts}
    fresh = [cut for cut in broken(scene.programme, chosen, scene.kinds, scene.prices) if cut.name not in known]
    scene.cuts.extend(fresh)
    return bool(fresh)


def _labels(scene: Scene, chosen: Ints) -> Ints:
    pieces = scene.programme.pieces
    labels = np.full(scene.programme.frames[-1].end, scene.kinds.index(NOTHING))
    labels[pieces.first[chosen]] = pieces.kind[chosen]
    two = chosen[pieces.second[chosen] >= 0]
    labels[pieces.second[two]] = pieces.other[two]
    return labels
