"""What the networks see in training: shaken pictures, and the finder's answer for each output pixel."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.evaluate.corruptions import GAMMA, LINEAR
from kdvision.lab.train.examples import spoil
from kdvision.vision.networks.cells import PARTNERS
from kdvision.vision.networks.detector import PADDING, STRIDE, axes_of, encode_axes

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

SIDES = (11.0, 84.0)
"""The range of sides, in pixels, that the finder learns to see."""


def finder_target(quads: Floats, size: int) -> npt.NDArray[np.float32]:
    """Return the answer (9, size/8, size/8) for squares (n, 4, 2): in a square or not, then the vote, then its weight.

    The code of the axes is that of `vision.finder`; offsets are in half-sides. Large squares' votes weigh less, so that
    a small square counts as much as a large one.
    """
    cells = size // STRIDE
    target = np.zeros((9, cells, cells), np.float32)
    if not len(quads):
        return target
    centre, alpha, beta = axes_of(quads)
    y, x = np.mgrid[0:cells, 0:cells]
    here = ((x + 0.5) + 1j * (y + 0.5)) * STRIDE
    away = here.reshape(1, -1) - centre[:, None]
    a, b = alpha[:, None], beta[:, None]
    z = (np.conj(a) * away - b * np.conj(away)) / (np.abs(a) ** 2 - np.abs(b) ** 2)
    reach = np.maximum(np.abs(z.real), np.abs(z.imag))
    owner = reach.argmin(0)
    inside = reach.min(0) < 1
    size_of = np.abs(alpha)[owner]
    offset = -away[owner, np.arange(away.shape[1])] / size_of
    code = encode_axes(alpha, beta)[owner]
    votes = np.stack([inside, offset.real, offset.imag, *code.T, np.clip(16 / size_of, 0.3, 2.5)]) * inside
    target[:] = votes.reshape(9, cells, cells)
    return target


def finder_sample(
    photo: Bytes, quads: npt.NDArray[np.float32], rng: np.random.Generator, *, size: int
) -> tuple[Bytes, npt.NDArray[np.float32]]:
    """Return a random piece (size, size, 3) of a scene and its answer, scaled so that all sides of squares are seen."""
    height, width = photo.shape[:2]
    middles = quads.mean(1)
    corners = quads[((middles > 0) & (middles < (width, height))).all(-1)].astype(np.float64)
    side = float(np.median(np.linalg.norm(np.roll(corners, -1, 1) - corners, axis=-1))) if len(corners) else 40.0
    scale = float(np.clip(np.exp(rng.uniform(*np.log(SIDES))) / side, 0.3, 2.2))
    aim = (
        corners[rng.integers(len(corners))].mean(0)
        if len(corners) and rng.random() < 0.85
        else rng.uniform(0, 1, 2) * (width, height)
    )
    turn = np.array([[1.0, 0], [0, 1.0]])
    for _ in range(int(rng.integers(4))):
        turn = turn @ np.array([[0.0, -1], [1, 0]])
    if rng.random() < 0.5:
        turn = turn @ np.diag([-1.0, 1])
    offset = size / 2 + rng.uniform(-0.4, 0.4, 2) * size - scale * turn @ aim
    if rng.random() < 0.8:
        offset = _filled(offset, scale * turn @ np.array([[0.0, width, 0, width], [0, 0, height, height]]), size)
    matrix = np.concatenate([scale * turn, offset[:, None]], 1)
    method = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
    source = photo
    if scale < 0.7:  # warpAffine does not average: shrink first
        source = np.asarray(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=method), np.uint8)
        matrix = matrix @ np.diag([width / source.shape[1], height / source.shape[0], 1.0])
    piece = np.asarray(cv2.warpAffine(source, matrix, (size, size), borderValue=(PADDING,) * 3), np.uint8)
    if scale < 0.7:
        matrix = matrix @ np.diag([source.shape[1] / width, source.shape[0] / height, 1.0])
    placed = corners @ matrix[:, :2].T + matrix[:, 2]
    for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.15 else 0):
        piece = _shone(piece, rng)
    return retouched(piece, rng), finder_target(placed, size)


def _filled(offset: Floats, corners: Floats, size: int) -> Floats:
    """Return the offset (2,) moved so that a photo with these corners (2, 4) fills as much of the piece as it can."""
    low, high = corners.min(1) + offset, corners.max(1) + offset
    return np.asarray(offset + np.where(high - low > size, np.minimum(0, -low) + np.maximum(0, size - high), 0.0))


def retouched(piece: Bytes, rng: np.random.Generator) -> Bytes:
    """Return the picture in another tone, sometimes blurred, noisy or compressed again."""
    cast = float(rng.choice([0.06, 0.2, 0.45], p=[0.82, 0.12, 0.06]))  # some lamps no camera has balanced
    gain = np.exp(rng.normal(0, 0.12) + rng.normal(0, cast, 3))
    shift = rng.normal(0, 8)
    result = piece * gain + shift
    if rng.random() < 0.3:
        result = result + rng.normal(0, rng.uniform(2, 14), piece.shape)
    result8 = np.clip(result, 0, 255).astype(np.uint8)
    return spoil(result8, rng) if rng.random() < 0.25 else result8


def cell_batch(
    crops: Bytes, partner: npt.NDArray[np.int64], gems: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[Bytes, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return crops (n, 64, 64, 3) turned and retouched at random, and where partners and gems (n, 4) then lie."""
    turned, corners = partner.copy(), gems.copy()
    made = np.empty_like(crops)
    for i, crop in enumerate(crops):
        turn = int(rng.integers(4))
        if partner[i] >= 0:
            turned[i] = (partner[i] - turn) % PARTNERS  # np.rot90 takes the right-hand neighbour up
        corners[i] = np.roll(gems[i], -turn)  # and the top right corner to the left
        view = moved(np.rot90(crop, turn), rng) if rng.random() < 0.5 else np.rot90(crop, turn)
        if rng.random() < 0.1:
            view = _small(view, rng)
        made[i] = retouched(_shone(view, rng) if rng.random() < 0.2 else view, rng)
    return made, turned, corners


def moved(crop: Bytes, rng: np.random.Generator) -> Bytes:
    """Return the crop as a fit of the lattice that was a little off would have cut it: no crop is seen twice alike."""
    side = crop.shape[0]
    matrix = cv2.getRotationMatrix2D(((side - 1) / 2, (side - 1) / 2), rng.normal(0, 2.5), rng.uniform(0.95, 1.06))
    matrix[:, 2] = matrix[:, 2] + rng.normal(0, 0.015 * side, 2)
    flags, border = cv2.INTER_LINEAR, cv2.BORDER_REPLICATE
    return np.asarray(cv2.warpAffine(np.ascontiguousarray(crop), matrix, (side, side), flags=flags, borderMode=border))


def _small(crop: Bytes, rng: np.random.Generator) -> Bytes:
    """Return the crop as a camera from further away would have taken it, fewer pixels a square."""
    side = crop.shape[0]
    few = int(side * rng.uniform(0.3, 0.8))
    small = cv2.resize(crop, (few, few), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (side, side), interpolation=cv2.INTER_LINEAR), np.uint8)


def _shone(picture: Bytes, rng: np.random.Generator) -> Bytes:
    """Return the picture (h, w, 3) with a patch of mirrored light, white or coloured: a veil, or light on top of light.

    A lamp in a glossy card adds its light to the card's and may leave nothing but white.
    """
    height, width = picture.shape[:2]
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None] - rng.uniform(0, 1)
    x = np.linspace(0, 1, width, dtype=np.float32)[None] - rng.uniform(0, 1)
    angle = rng.uniform(0, np.pi)
    along, across = np.cos(angle) * x + np.sin(angle) * y, np.cos(angle) * y - np.sin(angle) * x
    spread = np.exp(rng.uniform(np.log(0.04), np.log(0.5), 2))
    patch = np.exp(-((along / spread[0]) ** 2) - (across / spread[1]) ** 2)[..., None]
    hue = np.clip(rng.uniform(0.7, 1.1) * np.exp(rng.normal(0, 0.2, 3)), 0.2, 1.0).astype(np.float32)
    if rng.random() < 0.5:
        veil = patch * np.float32(rng.uniform(0.2, 0.85))
        return np.asarray(picture * (1 - veil) + 255 * hue * veil, np.uint8)
    light = LINEAR[picture] + patch * hue * np.float32(rng.uniform(0.15, 1.0))
    return np.asarray(255 * np.clip(light, 0, 1) ** np.float32(1 / GAMMA), np.uint8)
