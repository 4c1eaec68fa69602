"""The likeliest boards of a photo: bounds first, then the integer programme over the pieces that the bounds leave."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from kdvision.vision.decision.attached import Group, to_be_joined
from kdvision.vision.decision.candidates import Floats, Ints, Mask
from kdvision.vision.decision.programme import cheapest
from kdvision.vision.decision.relaxed import EXACT, Relaxed, relaxed
from kdvision.vision.decision.scene import Scene

_REACH: Final = 2.0
_ROUNDS: Final = 12
_PIECES: Final = 1500
"""So many pieces, the likeliest, are looked at together; only readings that say next to nothing leave more."""


@dataclass(frozen=True)
class Answer:
    """The numbers of the chosen pieces, and for each square of all kingdoms, one after another, that of its kind."""

    labels: Ints
    loss: float
    chosen: Ints


@dataclass(frozen=True)
class Best(Answer):
    """The likeliest answer: what is known of all others, and the groups that had to be kept from lying detached.

    `exact` is false where the search was given up before it was proved the best.
    """

    known: Relaxed
    groups: tuple[Group, ...]
    exact: bool

    @property
    def gap(self) -> float:
        """How far the answer lies above the bound."""
        return self.loss - self.known.bound

    def led_by(self, first: Answer) -> "Best":
        """Another answer in the place of this one; what is known of all others stays."""
        return replace(self, labels=first.labels, loss=first.loss, chosen=first.chosen)


def best_answer(scene: Scene) -> Best:
    """The likeliest boards, all kingdoms joined to their castles where that costs less."""
    known = relaxed(scene)
    chosen = np.zeros(0, np.intp) if known.chosen is None else known.chosen
    loss, groups, reach = scene.loss(chosen), list[Group](), _REACH
    exact = loss - known.bound < EXACT
    for _ in range(_ROUNDS if not exact else 0):
        near = nearest(known.at_least, known.at_least <= reach, _PIECES)
        found = cheapest(scene, near, groups)
        if found is None:
            break
        here, fresh = scene.loss(found.chosen), fresh_groups(scene, found.chosen, groups)
        chosen, loss = (found.chosen, here) if here < loss else (chosen, loss)
        groups += fresh
        if not fresh:
            exact = found.proved and len(near) < _PIECES and loss < known.bound + reach
            if exact or not found.proved or len(near) == _PIECES:
                break
            reach = loss - known.bound + EXACT
    return Best(scene.labels(chosen), loss, chosen, known, tuple(groups), exact)


def nearest(at_least: Floats, allowed: Mask, most: int) -> Ints:
    """The numbers of these pieces; of more than `most` those with the lowest bounds."""
    near = np.flatnonzero(allowed)
    return near if len(near) <= most else np.sort(near[np.argsort(at_least[near], kind="stable")[:most]])


def fresh_groups(scene: Scene, chosen: Ints, groups: Sequence[Group]) -> list[Group]:
    """The groups among the chosen pieces that need a row and have none yet."""
    return [group for group in to_be_joined(scene.catalogue, scene.catalogue.pieces(chosen)) if group not in groups]
