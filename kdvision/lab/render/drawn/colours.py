"""Colours of drawn tiles: RGB, 0 to 255."""

from kdvision.lab.arrays import Rng

Colour = tuple[int, int, int]

INK: Colour = (52, 36, 28)
WHITE: Colour = (255, 255, 255)


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Return a colour between two."""
    r, g, b = (round(a + (z - a) * share) for a, z in zip(first, second, strict=True))
    return r, g, b


def vary(colour: Colour, rng: Rng, amount: float = 10.0) -> Colour:
    """Return the colour with a random small change."""
    steps = rng.normal(0, amount) + rng.normal(0, amount / 3, 3)
    r, g, b = (int(min(max(channel + step, 0), 255)) for channel, step in zip(colour, steps.tolist(), strict=True))
    return r, g, b


def lighten(colour: Colour, share: float = 0.3) -> Colour:
    return mix(colour, WHITE, share)


def darken(colour: Colour, share: float = 0.3) -> Colour:
    return mix(colour, INK, share)


def choose(rng: Rng, *colours: Colour) -> Colour:
    return colours[int(rng.integers(len(colours)))]
