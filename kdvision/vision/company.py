"""Kingdoms that cannot share a box: one seen twice, or two boxes on one table. They are read each by itself, and told.

Deciding kingdoms together mends squares, because no domino lies in two of them. Where one kingdom is there twice, as on
a screen beside the table, or the dominoes are of two boxes, that would change squares which are read right.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from kdvision.game.legality import Problem
from kdvision.vision.decided import Decision
from kdvision.vision.reading import NOTHING, Reading
from kdvision.vision.same import match

LIKE: Final = 0.7
"""The share of tiles that two readings have in common, from which on they are compared place by place."""
ALIKE: Final = 0.9
LEAST_ALIKE: Final = 20.0
"""Two readings are of one kingdom if so many of their tiles agree, and all in all speak for it so much: seven tiles."""
MIXED: Final = 7.0
"""What speaks so much (natural log units) against one box speaks of two: one photo in a thousand shows dominoes of two.

What each kingdom's own box leaves unexplained is taken off twice: where squares are misread, any box looks short.
"""

Ask = Callable[[Sequence[int]], list[Decision]]
"""Decides these of the kingdoms together."""
Weigh = Callable[[int], float]
"""What speaks against a kingdom's likeliest board where it has the box for itself: strain, and the price of dominoes of
no box. A small part of the time that it takes to decide it."""


def in_company(readings: Sequence[Reading], ask: Ask, weigh: Weigh, *, foreign: float) -> list[Decision]:
    """The decisions on all kingdoms: together, but for those that cannot come from one box.

    `foreign` is what a domino of no box costs there, in natural log units.
    """
    twins = copies(readings)
    firsts = [number for number in range(len(readings)) if number not in twins]
    found = dict(zip(firsts, _shared(firsts, ask, weigh, foreign), strict=True))
    for number, other in twins.items():
        found[number] = _told(ask([number])[0], f"this is kingdom {other + 1} once more: a picture of it?")
        found[other] = _told(found[other], f"kingdom {number + 1} is this one once more: a picture of it?")
    return [found[number] for number in range(len(readings))]


def copies(readings: Sequence[Reading]) -> dict[int, int]:
    """For each kingdom that is there before, in another place or turned, the first that it is the same as."""
    found: dict[int, int] = {}
    for number in range(1, len(readings)):
        for other in range(number):
            if other in found or not _like(readings[other], readings[number]):
                continue
            laid = match(readings[other], readings[number])
            if laid.share >= ALIKE and laid.gain >= LEAST_ALIKE:
                found[number] = other
                break
    return found


def _like(one: Reading, other: Reading) -> bool:
    """Whether two readings show about the same tiles, wherever they lie: worth to be laid on each other."""
    nothing = one.kinds.index(NOTHING)
    counts = [np.delete(np.exp(each.log_probs).sum(axis=(0, 1)), nothing) for each in (one, other)]
    return bool(np.minimum(*counts).sum() >= LIKE * np.maximum(*counts).sum())


def _shared(numbers: Sequence[int], ask: Ask, weigh: Weigh, foreign: float) -> list[Decision]:
    """The kingdoms decided together, unless that is far less likely than each by itself."""
    together = ask(numbers)
    against = sum(decision.strain + foreign * decision.foreign for decision in together)
    if len(numbers) < 2 or against < MIXED or not any(map(strange, together)):
        return together  # where no square is plain, the box is not what is short
    if against - 2 * sum(map(weigh, numbers)) < MIXED:
        return together
    text = "these kingdoms need dominoes that one box does not have: are two boxes mixed?"
    return [_told(decision, text) for number in numbers for decision in ask([number])]


def strange(decision: Decision) -> float:
    """How many confident squares were overruled, and how many dominoes of no box were needed."""
    return len(decision.overruled) + decision.foreign


def _told(decision: Decision, text: str) -> Decision:
    return replace(decision, problems=(*decision.problems, Problem((), text, "kingdomino/contents")))
