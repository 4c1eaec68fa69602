"""Flat pieces of cardboard in a picture: dominoes, castle tiles and backs, with edges, shadows and gloss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np

from kdvision.lab.arrays import Bytes, Floats32, Points, Rng
from kdvision.lab.games.layout import Tile
from kdvision.lab.render.camera import Camera
from kdvision.lab.render.objects.surface import Surface, repeat_channels, shade_colour
from kdvision.lab.render.raster import Vector

_MAX_SHEET_SIDE_PX = 3200


@dataclass(frozen=True)
class PrintStyle:
    """How the cards of one box are printed, cut and worn."""

    thickness: float  # squares
    tone: Floats32  # gain of each channel
    unevenness: float  # standard deviation of the cards' log brightness
    corner: float  # radius of the rounded corners, squares
    rim: float  # how much darker (below 0: lighter) the rim is
    edge: Floats32  # colour of the cut cardboard, 0 to 255
    warp: float  # standard deviation of a card's lean, radians
    age: float = 0.0  # 0 (new) to 1 (bleached, yellowed and stained)

    @classmethod
    def sample(cls, rng: Rng) -> PrintStyle:
        return cls(
            thickness=float(rng.uniform(0.02, 0.07)),
            tone=np.exp(rng.normal(0, 0.04, 3)).astype(np.float32),
            unevenness=float(rng.uniform(0.01, 0.05)),
            corner=float(rng.uniform(0.0, 0.06)),
            rim=float(rng.uniform(-0.35, 0.35)),
            edge=(rng.uniform(20, 230) * np.array([1.0, 0.93, 0.82]) * rng.uniform(0.85, 1.1, 3)).astype(np.float32),
            warp=float(rng.uniform(0.0, 0.05)),
            age=float(rng.uniform(0.3, 1.0)) if rng.random() < 0.2 else 0.0,
        )


@dataclass(frozen=True)
class Sheet:
    """All cards of a scene seen from above."""

    colours: Bytes  # (h, w, 4), premultiplied by alpha
    lean: Floats32  # (h, w, 2), radians
    place: Points  # (3, 3), takes the sheet's pixels to the table


def make_sheet(tiles: Sequence[Tile], faces: Sequence[Bytes], camera: Camera, style: PrintStyle, rng: Rng) -> Sheet:
    """Return the sheet of some tiles, with as many pixels as the camera can resolve."""
    outlines = np.concatenate([tile.compute_outline() for tile in tiles])
    low, high = outlines.min(0) - 0.3, outlines.max(0) + 0.3
    steps = np.stack([camera.project(outlines + np.array(step)) for step in ((0, 0), (1, 0), (0, 1))])
    lengths = np.linalg.norm(steps[1:] - steps[0], axis=-1)  # of the sides of squares, in pixels
    unit = float(np.clip(1.25 * np.percentile(lengths[np.isfinite(lengths)], 90), 12, 240))
    unit = min(unit, _MAX_SHEET_SIDE_PX / float((high - low).max()))
    width, height = (int(n) for n in np.ceil((high - low) * unit))
    colours, lean = np.zeros((height, width, 4), np.uint8), np.zeros((height, width, 2), np.float32)
    for tile, face in zip(tiles, faces, strict=True):
        corners = (tile.compute_outline() - low) * unit
        _stamp_card(colours, _make_card(face, tile, unit, style, rng), corners)
        cv2.fillConvexPoly(lean, corners.round().astype(np.int32), rng.normal(0, style.warp, 2).tolist())
    place = np.array([[1 / unit, 0, low[0]], [0, 1 / unit, low[1]], [0, 0, 1]])
    return Sheet(_apply_age(colours, unit, style.age, rng) if style.age else colours, lean, place)


def _make_card(face: Bytes, tile: Tile, unit: float, style: PrintStyle, rng: Rng) -> Bytes:
    """Return one card at the sheet's scale, (h, w, 4), premultiplied."""
    height, width = max(4, round(unit)), max(4, round(unit * tile.width))
    resized_face = np.asarray(cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA), np.float32)
    outline = np.zeros((height + 2, width + 2), np.uint8)  # with rounded corners
    radius = int(style.corner * height)
    cv2.rectangle(outline, (1 + radius, 1), (width - radius, height), 255, -1)
    cv2.rectangle(outline, (1, 1 + radius), (width, height - radius), 255, -1)
    for x, y in product((1 + radius, width - radius), (1 + radius, height - radius)):
        cv2.circle(outline, (x, y), radius, 255, -1, cv2.LINE_AA)
    mask = np.asarray(outline[1:-1, 1:-1] / 255, np.float32)
    patch = resized_face * (style.tone * np.float32(np.exp(rng.normal(0, style.unevenness))))
    if abs(style.rim) > 0.05:
        inner = np.asarray(cv2.GaussianBlur(mask, (0, 0), max(0.5, 0.025 * unit)), np.float32)
        patch *= 1 - style.rim * (1 - inner[..., None])
    return np.dstack([np.clip(patch, 0, 255) * mask[..., None], mask * 255]).astype(np.uint8)


def _stamp_card(sheet: Bytes, card: Bytes, corners: Points) -> None:
    x0, y0 = np.maximum(np.floor(corners.min(0)).astype(int) - 2, 0)
    x1, y1 = np.minimum(np.ceil(corners.max(0)).astype(int) + 2, sheet.shape[1::-1])
    height, width = card.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height]], np.float32) - 0.5
    matrix = cv2.getAffineTransform(source, (corners[:3] - (x0, y0) - 0.5).astype(np.float32))
    stamp = np.asarray(cv2.warpAffine(card, matrix, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR), np.uint8)
    window = sheet[y0:y1, x0:x1]
    window[:] = cv2.add(cv2.multiply(window, cv2.merge([255 - stamp[..., 3]] * 4), scale=1 / 255), stamp)


def _apply_age(colours: Bytes, unit: float, age: float, rng: Rng) -> Bytes:
    """Return the sheet bleached, yellowed and stained, as an old or a home-printed box is."""
    height, width = colours.shape[:2]
    paint, alpha = colours[..., :3].astype(np.float32), colours[..., 3:].astype(np.float32)
    grey = paint.mean(-1, keepdims=True)
    paint = grey + (paint - grey) * (1 - age * rng.uniform(0.1, 0.75))
    paper = np.array([1.0, 0.94, 0.82], np.float32) ** np.float32(rng.uniform(0, 2 * age))
    fade = rng.uniform(0, 0.3 * age)
    paint = paint * (1 - fade) + fade * alpha * paper
    stains = Surface(rng, height, width, unit).make_fractal_noise(rng.uniform(0.1, 2))
    paint *= 1 - rng.uniform(0, 0.15 * age) * np.clip(stains, 0, 1)[..., None] * (1.3 - paper)
    return np.dstack([np.clip(paint, 0, alpha), alpha]).astype(np.uint8)


def draw_sheet(
    picture: Bytes, reflectance: Floats32, sheet: Sheet, camera: Camera, style: PrintStyle, lamp: Vector, rng: Rng
) -> Floats32:
    """Draw the cards of a sheet into a picture and their reflectance; return their lean (H, W, 2) in radians."""

    def project(
        layer: Bytes | Floats32, z: float, offset: Points | float = 0.0, flags: int = cv2.INTER_LINEAR
    ) -> Floats32:
        """Return a layer of the sheet as it is visible at height `z`, moved by an offset on the table."""
        move = np.eye(3)
        move[:2, 2] = offset
        matrix = camera.compute_plane_homography(z) @ move @ sheet.place
        return np.asarray(cv2.warpPerspective(layer, matrix, (camera.width, camera.height), flags=flags), np.float32)

    alpha = np.ascontiguousarray(sheet.colours[..., 3])
    shade = project(alpha, 0.0, -np.array(lamp[:2]) * style.thickness * rng.uniform(0.5, 2))
    shadow = cv2.GaussianBlur(shade, (0, 0), rng.uniform(0.6, 4)) * (rng.uniform(0.2, 0.7) / 255)
    result = picture * repeat_channels(1 - np.asarray(shadow, np.float32))
    edge = shade_colour(style.edge, np.ones(picture.shape[:2], np.float32))
    for share in (0.0, 0.4, 0.8):
        side = project(alpha, share * style.thickness) / np.float32(255)
        result += (edge * (0.7 + 0.3 * share) - result) * repeat_channels(side)
    face = project(sheet.colours, style.thickness)
    opacity = face[..., 3] / np.float32(255)
    picture[:] = np.clip(result * repeat_channels(1 - opacity) + face[..., :3], 0, 255)
    reflectance[:] = reflectance * (1 - opacity) + opacity
    return project(sheet.lean, style.thickness, flags=cv2.INTER_NEAREST)
