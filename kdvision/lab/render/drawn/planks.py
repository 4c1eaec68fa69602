"""The back of a domino: planks and a number."""

from __future__ import annotations

import cv2
import numpy as np

from kdvision.lab.render.drawn.canvas import Canvas, vary

Rng = np.random.Generator


def draw_back(canvas: Canvas, text: str, rng: Rng) -> None:
    """Cover a canvas two squares wide with four planks and a number."""
    canvas.wash([(88, 48, 26), (112, 64, 34), (136, 82, 44)], 0.5, rng)
    for plank in range(4):
        top = plank / 4
        canvas.shade([[(0, top), (2, top), (2, top + 0.25), (0, top + 0.25)]], float(rng.uniform(-0.06, 0.22)))
        for _ in range(26):
            x, y = rng.uniform(-0.2, 2), top + rng.uniform(0.02, 0.23)
            xs = np.linspace(0, rng.uniform(0.2, 0.7), 12)
            grain = np.stack([x + xs, y + 0.006 * np.sin(xs * 9 + rng.uniform(0, 6))], 1)
            canvas.line(grain, vary((92, 50, 26), rng, 12), 0.005)
        canvas.line([(0, top), (2, top)], (44, 24, 14), 0.014)
        for x in (0.05, 1.95):
            canvas.spot((x, top + 0.125), 0.014, (70, 62, 56), ink=(36, 26, 20))
    _write_number(canvas, text)


def _write_number(canvas: Canvas, text: str) -> None:
    face, scale = cv2.FONT_HERSHEY_COMPLEX, canvas.unit / 60
    heavy = round(canvas.unit / 26)
    (width, height), _ = cv2.getTextSize(text, face, scale, heavy)
    corner = (canvas.unit - width // 2, (canvas.unit + height) // 2)
    for grow, colour in ((round(canvas.unit / 22), (34, 20, 12)), (0, (240, 226, 196))):
        cv2.putText(canvas.pixels, text, corner, face, scale, colour, heavy + grow, cv2.LINE_AA)
