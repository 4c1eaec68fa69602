"""Colours of drawn tiles."""

from __future__ import annotations

import numpy as np

Colour = tuple[int, int, int]  # RGB, 0 to 255

INK: Colour = (52, 36, 28)


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """Return a colour between two."""
    r, g, b = (round(a + (z - a) * share) for a, z in zip(one, other, strict=True))
    return r, g, b


def vary(colour: Colour, rng: np.random.Generator, amount: float = 10.0) -> Colour:
    """Return the colour with a random small change."""
    step = rng.normal(0, amount) + rng.normal(0, amount / 3, 3)
    r, g, b = np.clip(np.array(colour) + step, 0, 255).astype(int).tolist()
    return r, g, b


def lighten(colour: Colour, share: float = 0.3) -> Colour:
    """Return the colour mixed with white."""
    return mix(colour, (255, 255, 255), share)


def darken(colour: Colour, share: float = 0.3) -> Colour:
    """Return the colour mixed with ink."""
    return mix(colour, INK, share)
