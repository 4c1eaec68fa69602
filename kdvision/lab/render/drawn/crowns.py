"""The crowns of drawn tiles."""

from __future__ import annotations

import numpy as np

from kdvision.lab.render.drawn.canvas import Canvas
from kdvision.lab.render.drawn.colours import INK, Colour
from kdvision.lab.render.drawn.shapes import shift_points

_RIM: Colour = (255, 255, 252)
_GOLD: Colour = (250, 196, 40)
_BRONZE: Colour = (150, 96, 16)

# A crown about a quarter of a square wide, its middle at the origin.
_BODY = np.array(
    [(-0.088, 0.068), (-0.104, -0.044), (-0.046, 0.006), (0.0, -0.074), (0.046, 0.006), (0.104, -0.044), (0.088, 0.068)]
)
_TIPS = [(-0.104, -0.050), (0.0, -0.082), (0.104, -0.050)]
_BAND = [(-0.088, 0.068), (-0.093, 0.034), (0.093, 0.034), (0.088, 0.068)]
_GEMS: list[tuple[float, Colour]] = [(-0.054, (214, 46, 46)), (0.0, (60, 120, 214)), (0.054, (214, 46, 46))]


def draw_crown(canvas: Canvas, x: float, y: float) -> None:
    """Draw a golden crown with a white rim, its middle at (x, y)."""
    body = shift_points(_BODY, x, y)
    closed = np.concatenate([body, body[:1]])
    tips = [(x + u, y + v) for u, v in _TIPS]
    for width, colour in ((0.056, INK), (0.044, _RIM)):
        canvas.shape(body, colour)
        canvas.line(closed, colour, width)
        for tip in tips:
            canvas.spot(tip, 0.013 + width / 2, colour)
    canvas.shape(body, _GOLD)
    canvas.shape(shift_points([*_BODY[:4], (0.0, 0.068)], x, y), (255, 220, 104))
    canvas.line(closed, _BRONZE, 0.010)
    canvas.shape(shift_points(_BAND, x, y), (226, 150, 26), ink=_BRONZE, width=0.007)
    for shift, gem in _GEMS:
        canvas.spot((x + shift, y + 0.051), 0.011, gem)
    for tip in tips:
        canvas.spot(tip, 0.016, (255, 222, 96), ink=_BRONZE, width=0.007)
