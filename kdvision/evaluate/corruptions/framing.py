"""Framing: cropped and turned pictures, screenshots, panoramas, and pictures of screens."""

from typing import Final

import cv2
import numpy as np

from kdvision.evaluate.corruptions.pixels import MIN_SIDE_PIXELS, Pixels, resize, scale_down

# One entry for each severity.
CROPPED: Final = (0.12, 0.3, 0.5)
"""Share of the picture that is cut away at one side."""
TURN_DEGREES: Final = (10, 20, 40)
SCREENSHOT: Final = (0.9, 0.7, 0.5)
"""Share of a screen's width that the photo fills."""
SEAM_SQUARES: Final = (0.25, 0.5, 0.8)
"""Width of the strip that is lost where two parts of a panorama meet."""
INSET: Final = (0.25, 0.35, 0.45)
"""Share of the picture's side that a phone with a copy of the picture covers."""
MOIRE: Final = (0.06, 0.12, 0.2)


def crop(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Cut away one side of the picture; a kingdom there is cut as well."""
    turned = np.rot90(pixels, int(rng.integers(4)))
    return np.ascontiguousarray(turned[: max(MIN_SIDE_PIXELS, round(len(turned) * (1 - CROPPED[severity])))])


def rotate(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Turn the picture and fill its corners with black."""
    height, width = pixels.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.choice([-1, 1]) * TURN_DEGREES[severity]), 1.0)
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]]) @ turn.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    turn[:, 2] -= low
    size = (int(np.ceil(high[0] - low[0])), int(np.ceil(high[1] - low[1])))
    return np.asarray(cv2.warpAffine(pixels, turn, size, flags=cv2.INTER_LINEAR), np.uint8)


def take_screenshot(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Show the photo on a plain page with bars and lines of text."""
    share = SCREENSHOT[severity]
    small = scale_down(pixels, share)
    page = np.full(
        (round(small.shape[0] / share * 1.3), round(small.shape[1] / share), 3), rng.choice([18, 245]), np.uint8
    )
    top, left = (int(rng.integers(room + 1)) for room in np.subtract(page.shape[:2], small.shape[:2]))
    text, gap = [int(255 - page[0, 0, 0])] * 3, max(8, page.shape[0] // 30)
    for y in range(gap, page.shape[0], gap):
        end = (int(rng.uniform(0.3, 0.95) * page.shape[1]), y)
        cv2.line(page, (page.shape[1] // 20, y), end, text, max(1, gap // 6))
    page[top : top + small.shape[0], left : left + small.shape[1]] = small
    return page


def lose_seam(pixels: Pixels, cell_size: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Leave out a strip in the middle, as a panorama whose parts do not fit."""
    width = max(1, round(SEAM_SQUARES[severity] * cell_size))
    start = round(rng.uniform(0.4, 0.6) * pixels.shape[1])
    return np.concatenate([pixels[:, :start], pixels[:, start + width :]], axis=1)


def add_phone_with_copy(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Lay a phone into a corner whose screen shows the same picture."""
    copy = resize(pixels, INSET[severity])
    rim = max(4, len(copy) // 30)
    phone = np.pad(copy, ((rim, rim), (rim, rim), (0, 0)), constant_values=13)
    phone = phone[: pixels.shape[0], : pixels.shape[1]]
    top, left = (int(rng.choice([0, room])) for room in np.subtract(pixels.shape[:2], phone.shape[:2]))
    result = pixels.copy()
    result[top : top + phone.shape[0], left : left + phone.shape[1]] = phone
    return result


def photograph_screen(pixels: Pixels, _: float, severity: int, rng: np.random.Generator) -> Pixels:
    """Add moire and a bluish reflection, as a photo of a monitor has."""
    height, width = pixels.shape[:2]
    y, x = np.ogrid[:height, :width]
    angle, period = rng.uniform(0, np.pi), rng.uniform(4, 14)
    phases = np.array([0, 2, 4]) * np.pi / 3
    wave = np.sin((np.cos(angle) * x + np.sin(angle) * y)[..., None] * 2 * np.pi / period + phases)
    veil = 30 * (severity + 1) * np.clip(1 - (x / width + y / height), 0, 1)[..., None] * np.array([0.7, 0.85, 1.0])
    return np.asarray(np.clip(np.rint(pixels * (1 + MOIRE[severity] * wave) + veil), 0, 255), np.uint8)
