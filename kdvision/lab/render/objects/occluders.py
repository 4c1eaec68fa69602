"""Objects that lie on kingdoms: hands, sheets, round things, sticks and cloths of any colour.

They are drawn flat, over the tiles and before the light, so that they are lit, blurred and cropped like the tiles. A
square below one keeps its label, so a network learns that it cannot know what is hidden.
"""

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from kdvision.lab.arrays import AnyFloats, Bytes, Floats32, Points, Rng
from kdvision.lab.render import light
from kdvision.lab.render.objects.surface import Surface, choose_colour, paint, sample_log_uniform
from kdvision.lab.render.objects.table_tops import make_patterned_top

Shape = Callable[[Floats32, Points, float, Rng], None]
"""Draws an object's shape in a mask (H, W), around a point, for squares with a side in pixels."""

_BESIDE_SHARE = 0.3  # of objects lie beside the kingdom and hide nothing
_SKIN = np.array([[244, 210, 182], [226, 176, 142], [196, 134, 98], [146, 92, 60], [88, 56, 40]], np.float32)


def place_occluders(
    picture: Bytes, reflectance: Floats32, cover: Bytes, squares: Sequence[Points], scraps: Sequence[Bytes], rng: Rng
) -> None:
    """Draw one to three objects on or beside the squares (4, 2 each) of a picture (H, W, 3); mark them in `cover`."""
    if not squares:
        return
    quads = np.array(squares)
    areas = [cv2.contourArea(quad.astype(np.float32)) for quad in quads]
    side, middle = float(np.sqrt(np.median(areas))), quads.mean((0, 1))
    for _ in range(int(rng.choice([1, 2, 3], p=[0.5, 0.3, 0.2]))):
        at = quads[rng.integers(len(quads))].mean(0) + 0.5 * side * rng.normal(size=2)
        if rng.random() < _BESIDE_SHARE:
            offset = at - middle
            reach = float(np.linalg.norm(quads.mean(1) - middle, axis=1).max()) + side * rng.uniform(0.8, 2)
            at = middle + offset / max(1.0, float(np.linalg.norm(offset))) * reach
        mask = np.zeros(picture.shape[:2], np.float32)
        draw_shape = SHAPES[int(rng.choice(len(SHAPES), p=_SHAPE_SHARES))]
        draw_shape(mask, at, side, rng)
        fill = _make_fill(picture, mask, draw_shape is _draw_hand, side, scraps, rng)
        opacity = cv2.GaussianBlur(mask, (0, 0), max(0.6, side * rng.uniform(0.005, 0.03)))
        lift = side * rng.uniform(0.02, 0.35)
        shift = np.array([[1, 0, lift * rng.normal()], [0, 1, lift * rng.normal()]])
        shadow_mask = cv2.warpAffine(mask, shift, mask.shape[::-1])
        shade = cv2.GaussianBlur(shadow_mask, (0, 0), max(0.7, lift * rng.uniform(0.3, 1.2))) * rng.uniform(0.1, 0.6)
        depth = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, 3) / (side * rng.uniform(0.1, 0.7))
        darkness = rng.uniform(0, 0.5)
        body = fill * (1 - darkness + darkness * np.sqrt(np.clip(depth, 0, 1)))[..., None]  # with rounded rims
        share = opacity[..., None] * (1 if rng.random() < 0.92 else rng.uniform(0.5, 0.9))  # glass is translucent
        background = picture * (1 - shade * (1 - opacity))[..., None]
        picture[:] = np.clip(background + (body - background) * share, 0, 255).astype(np.uint8)
        cover[mask > 0.5] = 255
        reflectance[mask > 0.5] = rng.uniform(0, 0.7)


def _make_fill(
    picture: Bytes, mask: Floats32, is_skin: bool, side: float, scraps: Sequence[Bytes], rng: Rng
) -> Floats32:
    """Return what the object looks like (H, W, 3), RGB 0 to 255: skin, a print, a photo, one colour."""
    height, width = mask.shape
    surface, kind = Surface(rng, height, width, side), rng.random()
    if is_skin and kind < 0.8:
        tone = rng.uniform(0, len(_SKIN) - 1)
        ink = np.array([np.interp(tone, range(len(_SKIN)), _SKIN[:, c]) for c in range(3)]) + rng.normal(0, 8, 3)
        return _add_grain(ink, surface)
    if kind < 0.2:
        return 255 * paint(make_patterned_top, rng, height, width, side * rng.uniform(0.2, 1.2))
    if kind < 0.3 and scraps:
        scrap = scraps[int(rng.integers(len(scraps)))]
        return np.asarray(cv2.resize(scrap, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    if kind < 0.5:  # a colour of the picture: an object like the table or like a tile
        row, col = int(rng.integers(height)), int(rng.integers(width))
        reach = max(2, int(side / 4))
        patch = picture[max(0, row - reach) : row + reach, max(0, col - reach) : col + reach]
        return _add_grain(patch.reshape(-1, 3).mean(0) + rng.normal(0, 5, 3), surface)
    if kind < 0.65:  # white paper, black plastic
        return _add_grain(np.full(3, rng.choice([rng.uniform(200, 250), rng.uniform(8, 50)])), surface)
    return _add_grain(np.array(choose_colour(rng)) * 255, surface)


def _add_grain(ink: AnyFloats, surface: Surface) -> Floats32:
    """Return one colour (height, width, 3), a little uneven, sometimes with lines of writing."""
    rng, side = surface.rng, surface.unit
    grain = surface.make_fractal_noise(rng.uniform(0.05, 0.5)) * rng.uniform(0, 8)
    fill = np.asarray(ink, np.float32) + np.asarray(grain, np.float32)[..., None]
    if rng.random() < 0.15:
        turn, pitch = rng.uniform(0, np.pi), side * rng.uniform(0.08, 0.3)
        y, x = surface.pixels
        along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
        has_words = np.sin(along / pitch * rng.uniform(0.5, 3) + np.sin(across / pitch)) > rng.uniform(-0.8, 0.3)
        is_ink = ((across / pitch) % 1 < rng.uniform(0.2, 0.5)) & has_words
        fill[is_ink] += rng.choice([-1, 1]) * rng.uniform(40, 150)
    return np.asarray(np.clip(fill, 0, 255), np.float32)


def _draw_hand(mask: Floats32, at: Points, side: float, rng: Rng) -> None:
    """Draw a hand in proportion to the squares, its fingers around the point."""
    palm, heading = side * rng.uniform(0.7, 1.3), rng.uniform(0, 2 * np.pi)
    back = palm * rng.uniform(0, 2.2)
    light.draw_hand(mask, at - back * np.array([np.cos(heading), np.sin(heading)]), palm, heading, rng)


def _draw_sheet(mask: Floats32, at: Points, side: float, rng: Rng) -> None:
    size = side * np.exp(rng.uniform(np.log(0.4), np.log(4), 2))
    box = cv2.boxPoints((at.tolist(), size.tolist(), float(rng.uniform(0, 360))))
    box = box + rng.normal(0, 0.04 * side, (4, 2))  # perspective
    cv2.fillPoly(mask, [np.rint(box).astype(np.int32)], 1.0, cv2.LINE_AA)


def _draw_round(mask: Floats32, at: Points, side: float, rng: Rng) -> None:
    """Draw a cup, a coaster, a coin or a pawn: an ellipse, or a standing cylinder."""
    across = side * sample_log_uniform(rng, 0.2, 1.6)
    axes = (int(across) + 1, int(across * rng.uniform(0.5, 1)) + 1)
    turn, height = float(rng.uniform(0, 180)), side * rng.uniform(0, 1.2) * (rng.random() < 0.5)
    step = np.array([np.cos(rng.uniform(0, 2 * np.pi)), -1.0]) * height
    for share in np.linspace(0, 1, 6):
        cv2.ellipse(mask, [int(c) for c in at + share * step], axes, turn, 0, 360, 1.0, -1, cv2.LINE_AA)


def _draw_stick(mask: Floats32, at: Points, side: float, rng: Rng) -> None:
    heading, points = rng.uniform(0, 2 * np.pi), [at]
    for _ in range(int(rng.integers(1, 5))):
        points.append(points[-1] + side * rng.uniform(0.7, 2.5) * np.array([np.cos(heading), np.sin(heading)]))
        heading += rng.normal(0, 0.5)
    middle = np.mean(points, axis=0) - at
    stroke = np.rint(np.array(points) - middle).astype(np.int32)
    cv2.polylines(mask, [stroke], False, 1.0, max(1, int(side * rng.uniform(0.08, 0.5))), cv2.LINE_AA)


def _draw_cloth(mask: Floats32, at: Points, side: float, rng: Rng) -> None:
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    reach = side * sample_log_uniform(rng, 0.4, 2.2) * np.ones(60)
    for wave in range(2, 7):
        reach *= np.exp(rng.normal(0, 0.5 / wave) * np.sin(wave * angle + rng.uniform(0, 2 * np.pi)))
    outline = at + reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 1.0, cv2.LINE_AA)


SHAPES: tuple[Shape, ...] = (_draw_hand, _draw_sheet, _draw_round, _draw_stick, _draw_cloth)
_SHAPE_SHARES = (0.3, 0.25, 0.2, 0.1, 0.15)
