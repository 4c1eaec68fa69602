"""The player's colour, from the starting tile or the castle on it.

A softmax regression on how the middle of the square differs in colour from the stones at its edge. These are the same
on every starting tile, so that the light matters little. `kdvision.lab.train` fits the weights on rendered squares.
"""

import json
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from scipy.special import softmax

from kdvision.vision.geometry import Floats
from kdvision.vision.image.srgb import Pixels
from kdvision.vision.networks.cells import CROP_PIXELS, SQUARE_PIXELS

WEIGHTS: Final = Path(__file__).with_name("player_colour.json")


class PlayerColourClassifier(NamedTuple):
    """A softmax regression: `weights` (features + 1, colours), the last row constant, on standardised features.

    A colour is returned from the probability `threshold` on.
    """

    colours: tuple[str, ...]
    mean: Floats
    scale: Floats
    weights: Floats
    threshold: float

    def compute_probabilities(self, crop: Pixels) -> Floats:
        """Return the probability (colours,) of each colour for the crop (64, 64, 3) of a castle's square."""
        return np.asarray(softmax(standardise(compute_colour_features(crop), self.mean, self.scale) @ self.weights))

    def classify(self, crop: Pixels) -> str:
        """Return the colour in the crop of a castle's square; "" if it is not certain."""
        probabilities = self.compute_probabilities(crop)
        best = int(probabilities.argmax())
        return self.colours[best] if probabilities[best] >= self.threshold else ""


def standardise(features: Floats, mean: Floats, scale: Floats, *, max_deviation: float = 4.0) -> Floats:
    """Return features (…, n) as clipped standard scores, followed by a 1 for the constant (…, n + 1)."""
    scores = np.clip((features - mean) / scale, -max_deviation, max_deviation)
    return np.insert(scores, scores.shape[-1], 1.0, axis=-1)


@cache
def load_colour_classifier(path: Path = WEIGHTS) -> PlayerColourClassifier:
    """Return the classifier in a JSON file, by default the shipped one."""
    parameters = json.loads(path.read_text("utf-8"))
    mean, scale, weights = (np.array(parameters[name]) for name in ("usual", "spread", "weights"))
    return PlayerColourClassifier(tuple(parameters["colours"]), mean, scale, weights, float(parameters["sure"]))


def compute_colour_features(crop: Pixels) -> Floats:
    """Return the features of a crop (64, 64, 3).

    For each zone, what stands on the square, the crown of the tile and the stones at its edge, a histogram of the hues
    in which its pixels differ from the stones, and statistics of the pixels that differ most. Below a linear light of
    `min_light` (1 is white) colours are noise.
    """
    min_light, piece_share, crown_share = 0.02, 0.45, 0.8
    offsets = np.abs((np.arange(SQUARE_PIXELS) + 0.5) / SQUARE_PIXELS * 2 - 1)
    from_centre = np.maximum.outer(offsets, offsets)  # from 0 to 1 at the edge
    piece, middle = from_centre < piece_share, from_centre < crown_share
    edge = (CROP_PIXELS - SQUARE_PIXELS) // 2
    light = np.log((crop[edge:-edge, edge:-edge] / 255.0) ** 2.2 + min_light)
    planes = np.stack([light[..., 0] - light[..., 1], light[..., 2] - light[..., 1], light.mean(axis=-1)])
    reference = np.median(planes[:, ~middle], axis=1)
    red, blue, bright = planes - reference[:, None, None]
    histograms = [_compute_hue_histogram(red[zone], blue[zone]) for zone in (piece, middle & ~piece, ~middle)]
    statistics = [_describe_most_different(red[zone], blue[zone], bright[zone]) for zone in (piece, middle)]
    return np.concatenate([*histograms, *statistics, reference])


def _compute_hue_histogram(red: Floats, blue: Floats) -> Floats:
    """Return the square roots of the hue shares of a zone's differences, weighted by chromaticity.

    From a difference in log-chromaticity of `full_chromaticity` on, a pixel's hue counts fully.
    """
    bins, full_chromaticity = 12, 1.2
    weight = np.minimum(np.hypot(red, blue), full_chromaticity) / len(red)
    position = np.arctan2(blue, red) / (2 * np.pi) % 1 * bins
    lower_bin, share = position.astype(int) % bins, position % 1
    counts = np.bincount(lower_bin, weight * (1 - share), bins)
    return np.asarray(np.sqrt(counts + np.bincount((lower_bin + 1) % bins, weight * share, bins)))


def _describe_most_different(red: Floats, blue: Floats, bright: Floats) -> Floats:
    """Return the mean difference of the fifth of a zone that differs most, and the zone's brightness quantiles."""
    chromaticity = np.hypot(red, blue)
    is_most_different = chromaticity >= np.quantile(chromaticity, 0.8)
    means = [plane[is_most_different].mean() for plane in (red, blue, bright)]
    return np.array([*means, *np.quantile(bright, (0.1, 0.5, 0.9)), chromaticity.mean()])
