"""Rivals put together: two doubts far apart are four boards, not three."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from kdvision.vision.decision.answers import Answer, Best
from kdvision.vision.decision.candidates import Ints
from kdvision.vision.decision.scene import Scene

_MOST: Final = 40
"""So many answers are made for each kingdom."""


class _Change(NamedTuple):
    """What an answer takes away from the best one's pieces, what it lays instead, and what that costs."""

    gone: frozenset[int]
    laid: frozenset[int]
    price: float


def combined(scene: Scene, best: Best, answers: Sequence[Answer], *, limit: float) -> list[Answer]:
    """The answers that make several of these changes in one kingdom and still lose at most `limit` more than the best.

    Exact in what they lose; the box has their dominoes.
    """
    changes = [_change(best, answer) for answer in sorted(answers, key=lambda answer: answer.loss)]
    differ = [best.labels != answer.labels for answer in sorted(answers, key=lambda answer: answer.loss)]
    found: dict[frozenset[int], Answer] = {}
    for frame in scene.catalogue.frames:
        mine = [change for change, where in zip(changes, differ, strict=True) if where[frame.start : frame.end].any()]
        found |= _kingdom(scene, best, mine, limit)
    return list(found.values())


def _change(best: Best, answer: Answer) -> _Change:
    before, after = frozenset(best.chosen.tolist()), frozenset(answer.chosen.tolist())
    return _Change(before - after, after - before, answer.loss - best.loss)


def _kingdom(scene: Scene, best: Best, changes: Sequence[_Change], limit: float) -> dict[frozenset[int], Answer]:
    """One kingdom's changes put together, cheapest first."""
    whole = frozenset(best.chosen.tolist())
    grown: list[tuple[frozenset[int], float, int]] = [(whole, 0.0, 0)]
    found: dict[frozenset[int], Answer] = {}
    for change in changes:
        for pieces, price, count in list(grown):
            if len(found) >= _MOST or price + change.price > limit or not change.gone <= pieces:
                continue
            new = (pieces - change.gone) | change.laid
            if count == 0:
                grown.append((new, change.price, 1))
            elif answer := _answer(scene, best, new, limit):
                grown.append((new, answer.loss - best.loss, count + 1))
                found[new] = answer
    return found


def _answer(scene: Scene, best: Best, pieces: frozenset[int], limit: float) -> Answer | None:
    """The pieces as an answer, if they can lie together and cost no more than the limit allows."""
    chosen: Ints = np.array(sorted(pieces), np.intp)
    covered = scene.catalogue.pieces(chosen).covered
    if len(np.unique(covered)) < len(covered) or (scene.used(chosen) > scene.catalogue.stock).any():
        return None
    loss = scene.loss(chosen)
    return Answer(scene.labels(chosen), loss, chosen) if loss <= best.loss + limit else None
