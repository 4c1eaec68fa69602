"""Noise and colours for table tops and other surfaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np

from kdvision.lab.arrays import AnyFloats, Floats32, Rng

TILE_COLOURS: tuple[tuple[float, float, float], ...] = (
    *((0.93, 0.76, 0.10), (0.16, 0.30, 0.09), (0.10, 0.42, 0.80), (0.50, 0.72, 0.15)),
    *((0.66, 0.56, 0.42), (0.15, 0.13, 0.12), (0.62, 0.55, 0.45), (0.75, 0.32, 0.22)),
)
"""Mean colours of the printed terrains. Tables in these colours resemble tiles most, so many have one of them."""


@dataclass(frozen=True)
class Surface:
    """A surface to be painted: height and width in pixels, a square's side in pixels, and where numbers come from.

    Lengths given to its methods are in squares.
    """

    rng: Rng
    height: int
    width: int
    unit: float

    @property
    def shape(self) -> tuple[int, int]:
        return self.height, self.width

    @cached_property
    def pixels(self) -> tuple[AnyFloats, AnyFloats]:
        """The row (height, 1) and the column (1, width) of each pixel."""
        y, x = np.ogrid[: self.height, : self.width]
        return y.astype(np.float32), x.astype(np.float32)

    def make_noise(self, size: float, *, stretch: float = 1.0) -> Floats32:
        """Return smooth noise (height, width) of mean about 0 with bumps of `size`, `stretch` times longer in x.

        For bumps that are longer in y, transpose the noise of the turned surface.
        """
        cell = size * self.unit
        if cell < 1.5 and stretch == 1.0:
            return self.rng.standard_normal(self.shape, dtype=np.float32)
        rows = max(2, int(self.height / max(cell, 1.0)) + 2)
        columns = max(2, int(self.width / max(cell * stretch, 1.0)) + 2)
        seeds_shape = (min(rows, self.height + 2), min(columns, self.width + 2))
        seeds = self.rng.standard_normal(seeds_shape, dtype=np.float32)
        noise = cv2.resize(seeds, (self.width, self.height), interpolation=cv2.INTER_CUBIC)
        return noise.astype(np.float32, copy=False)

    def make_fractal_noise(self, size: float, *, stretch: float = 1.0) -> Floats32:
        """Return several octaves of noise (height, width), coarse to fine, each weaker by a random factor."""
        falloff = self.rng.uniform(0.4, 0.9)
        total = np.zeros(self.shape, np.float32)
        pixels, weight = replace(self, unit=1.0), 1.0
        cell = size * self.unit
        while cell >= 1.0 and weight > 0.05:
            total += weight * pixels.make_noise(cell, stretch=stretch)
            weight *= falloff
            cell /= self.rng.uniform(1.8, 3.0)
        return total

    def turn(self) -> Surface:
        return replace(self, height=self.width, width=self.height)


TableTop = Callable[[Surface], AnyFloats]
"""Paints a table top: RGB (height, width, 3); values beyond 0 and 1 are cut off."""


def paint(table_top: TableTop, rng: Rng, height: int, width: int, unit: float) -> Floats32:
    """Return a table top (height, width, 3), RGB 0 to 1; `unit` is a square's side in pixels."""
    return np.clip(np.asarray(table_top(Surface(rng, height, width, unit)), np.float32), 0, 1)


def repeat_channels(mask: Floats32) -> Floats32:
    """Return a mask (height, width) as (height, width, 3), because NumPy broadcasts so short an axis slowly."""
    return np.asarray(cv2.merge([mask] * 3), np.float32)


def shade_colour(colour: Sequence[float] | AnyFloats, light: AnyFloats) -> Floats32:
    """Return a colour (3,), or one for each pixel (height, width, 3), under light (height, width)."""
    gain = np.asarray(light, np.float32)
    return np.asarray(cv2.merge([gain * channel for channel in np.moveaxis(np.asarray(colour, np.float32), -1, 0)]))


def choose_colour(rng: Rng) -> AnyFloats:
    """Return a random colour (3,), RGB 0 to 1: a terrain's, a grey, a brown or any hue."""
    kind = rng.random()
    if kind < 0.35:
        base = np.array(TILE_COLOURS[rng.integers(len(TILE_COLOURS))])
        return np.clip(base * rng.uniform(0.7, 1.25) + rng.normal(0, 0.04, 3), 0.02, 1)
    if kind < 0.6:
        return np.clip(rng.uniform(0.05, 0.98) + rng.normal(0, 0.03, 3), 0.02, 1)
    if kind < 0.8:  # wood and leather
        return np.clip(np.array([0.75, 0.5, 0.3]) * rng.uniform(0.3, 1.3) * rng.uniform(0.85, 1.1, 3), 0, 1)
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0.1, 0.9), rng.uniform(0.15, 1.0)]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0])


def sample_log_uniform(rng: Rng, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))
