"""How far whole boards can be believed: what the calibration learnt of them, which travels with the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.vision.networks.cells import INNER

Floats = npt.NDArray[np.float64]
Belief = tuple[float, float, float, float]

SHORT: Final = 1e-6
"""Nearer to nought or one no probability is taken to be."""
ALWAYS: Final = ""
"""What a regression's constant is called among the weights of signs."""
WEIGHED: Final = frozenset({"beyond", "cut", "ends", "covered", "unknown", "few", "rim", "crowded"})
"""The signs of which rendered tables show how often they mean something: for these alone nobody is asked about a board
that is sure enough all the same. Other signs speak of what is rendered never or hardly ever."""


def compute_log_odds(chance: npt.ArrayLike) -> Floats:
    """The log-odds of probabilities, finite also of nought and one."""
    likely = np.clip(np.asarray(chance, np.float64), SHORT, 1 - SHORT)
    return np.asarray(np.log(likely / (1 - likely)))


def smallness(side: npt.ArrayLike) -> Floats:
    """How many times larger the cell network looks at squares than a photo shows them, `side` pixels wide (logarithm).

    Nought where the photo shows more than the network looks at.
    """
    return np.asarray(np.maximum(0.0, np.log(INNER / np.asarray(side, np.float64))))


@dataclass(frozen=True)
class Calibration:
    """How far whole boards can be believed.

    A board less probable than `sure` is for a person to look at; `measured` boards stand behind that, `right` of them.
    Of the `unflagged` ones among them, `unflagged_wrong` were wrong. A share `wrong_at_most` is expected to be wrong
    at most, and with this confidence it is less than `upper` (lab/calibrate.py tells how); None where too few boards
    were measured to promise anything.

    `belief` is a logistic regression (Platt, 1999): weights of the log-odds that squares and deck give a board, of the
    strain of its decision, and of the smallness of its squares, and a constant. `rule` is added to the log-odds of
    boards on which a rule of play is broken, and of the others. `whole` is a logistic regression, too: how probable it
    is that what was read is all there is and lies as it was taken to lie, of what speaks against that beside the
    squares. It holds a weight for each sign, by its name, and a constant (ALWAYS); empty where nothing is known.
    """

    temperature: float = 1.0
    sure: float = 0.9
    belief: Belief = (1.0, 0.0, 0.0, 0.0)
    rule: tuple[float, float] = (0.0, 0.0)
    whole: Mapping[str, float] = field(default_factory=dict)
    measured: int = 0
    right: int = 0
    unflagged: int = 0
    unflagged_wrong: int = 0
    wrong_at_most: float | None = None
    upper: float | None = None
    confidence: float = 0.95

    def of_board(self, chance: float, *, correction_cost: float, side: float, broken: bool = False) -> float:
        """How probable a board is, whose squares and deck say `chance`.

        What the deck overruled (`correction_cost`) and what the photo shows small is wrong more often than they say, and so is a
        board that nobody could lay without breaking a rule (`broken`).
        """
        likely, strained, small, constant = self.belief
        odds = likely * compute_log_odds(chance) + strained * correction_cost + small * smallness(side) + constant
        odds += self.rule[0 if broken else 1]
        return float(1 / (1 + np.exp(-odds)))

    def of_whole(self, signs: Mapping[str, float]) -> float:
        """How probable it is that nothing was missed, hidden or cut off that `signs` speak of, each as strong as it is.

        1 where nothing is known of signs.
        """
        if not self.whole:
            return 1.0
        odds = self.whole[ALWAYS] + sum(self.whole.get(name, 0.0) * strength for name, strength in signs.items())
        return float(1 / (1 + np.exp(-odds)))

    def weighs(self, sign: str) -> bool:
        """Whether a board that is sure enough, this sign counted in, is given without a word of it."""
        return bool(self.whole) and sign in WEIGHED

    @property
    def promise(self) -> str:
        """What unflagged boards promise, in a sentence; nothing where nothing is promised."""
        if self.wrong_at_most is None:
            return ""
        wrong = f"{self.unflagged_wrong} of {self.unflagged} rendered ones"
        return (
            f"at most 1 in {1 / self.wrong_at_most:.0f} boards without a flag is expected to be wrong; so were {wrong}"
        )
