"""Whose kingdom it is: the player's colour, as the starting tile or the castle on it shows it.

A softmax regression over how the middle of the square differs from the stones at its edge, which are the same on every
tile, so that the light matters little. `kdvision.lab.train.player_colour` makes its weights from rendered squares.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.vision.networks.cells import CROP, INNER, log_softmax

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

WEIGHTS: Final = Path(__file__).with_name("player_colour.json")
BINS: Final = 12
"""Parts that the circle of hues is divided into."""
ZONES: Final = ((0.0, 0.45), (0.45, 0.8), (0.8, 1.01))
"""The square from its middle (0) to its edge (1): what stands on it, the crown of a starting tile, the stones."""
FLOOR: Final = 0.02
"""Light (1 is white) below which colours are noise."""
FULL: Final = 1.2
"""The difference, in log-chromaticity, from which a pixel's hue counts fully."""
FAR: Final = 4.0
"""No measure counts as further from the usual than so many standard deviations."""

_PLACES: Final = np.abs((np.arange(INNER) + 0.5) / INNER * 2 - 1)
_OUT: Final = np.maximum(_PLACES[:, None], _PLACES[None])


@dataclass(frozen=True, eq=False)
class PlayerColourClassifier:
    """The colours of players, and what tells them apart: `weights` (features + 1, colours), the last row constant.

    Features are taken by their distance from the `usual` in units of `spread`. A colour is told from the probability
    `sure` on.
    """

    colours: tuple[str, ...]
    usual: Floats
    spread: Floats
    weights: Floats
    sure: float

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> PlayerColourClassifier:
        """Return the livery in a file."""
        about = json.loads(path.read_text("utf-8"))
        usual, spread, weights = (np.array(about[name]) for name in ("usual", "spread", "weights"))
        return cls(tuple(about["colours"]), usual, spread, weights, float(about["sure"]))

    def chances(self, crop: Bytes) -> Floats:
        """Return the probability (colours,) of each colour for the crop (64, 64, 3) of a castle's square."""
        inputs = np.append(np.clip((compute_colour_features(crop) - self.usual) / self.spread, -FAR, FAR), 1.0)
        return np.exp(log_softmax(inputs @ self.weights))

    def colour(self, crop: Bytes) -> str:
        """Return the colour that the crop of a castle's square shows; "" where that is not certain."""
        chances = self.chances(crop)
        best = int(chances.argmax())
        return self.colours[best] if chances[best] >= self.sure else ""


@cache
def load_player_colours() -> PlayerColourClassifier:
    """Return the livery that travels with the program."""
    return PlayerColourClassifier.load()


def compute_colour_features(crop: Bytes) -> Floats:
    """Return what is measured of a square's crop (64, 64, 3).

    For each zone a histogram of the hues in which its pixels differ from the stones; and how the most different pixels
    differ, in colour and light.
    """
    edge = (CROP - INNER) // 2
    light = np.log((crop[edge : CROP - edge, edge : CROP - edge] / 255.0) ** 2.2 + FLOOR)
    red, blue = light[..., 0] - light[..., 1], light[..., 2] - light[..., 1]
    stones = ZONES[1][1] < _OUT
    bright = light.mean(axis=-1)
    usual = [_shares(plane[stones], 0.5)[0] for plane in (red, blue, bright)]
    red, blue, bright = red - usual[0], blue - usual[1], bright - usual[2]
    parts = [_hues(red, blue, (low <= _OUT) & (high > _OUT)) for low, high in ZONES]
    parts += [_most(red, blue, bright, high > _OUT) for _, high in ZONES[:2]]
    return np.concatenate([*parts, usual])


def _hues(red: Floats, blue: Floats, zone: npt.NDArray[np.bool_]) -> Floats:
    """The hues of a zone's differences, the larger counting more, as shares of the zone."""
    amount = np.minimum(np.hypot(red[zone], blue[zone]), FULL) / zone.sum()
    where = np.arctan2(blue[zone], red[zone]) / (2 * np.pi) % 1 * BINS
    low, share = where.astype(int) % BINS, where % 1
    counts = np.bincount(low, amount * (1 - share), BINS) + np.bincount((low + 1) % BINS, amount * share, BINS)
    return np.asarray(np.sqrt(counts))


def _most(red: Floats, blue: Floats, bright: Floats, zone: npt.NDArray[np.bool_]) -> Floats:
    """How the fifth of a zone that differs most from the stones does, and how light the zone is."""
    red, blue, bright = red[zone], blue[zone], bright[zone]
    amount = np.hypot(red, blue)
    most = amount >= _shares(amount, 0.8)[0]
    means = [plane[most].mean() for plane in (red, blue, bright)]
    return np.array([*means, *_shares(bright, 0.1, 0.5, 0.9), amount.mean()])


def _shares(values: Floats, *shares: float) -> list[float]:
    """The values that so large shares of all are no larger than, as `np.quantile`, which takes ten times longer."""
    order, last = np.sort(values), len(values) - 1
    low = [int(share * last) for share in shares]
    return [
        float(order[at] + (order[min(at + 1, last)] - order[at]) * (share * last - at))
        for at, share in zip(low, shares, strict=True)
    ]
