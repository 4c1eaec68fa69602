"""Training samples: augmented crops of scenes with the detector's targets, and augmented batches of cell crops."""

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import Dataset

from kdvision.evaluate.corruptions.pixels import GAMMA, LINEAR, encode_jpeg
from kdvision.lab.arrays import Bytes, Floats, Floats32, Rng
from kdvision.lab.axes import compute_axes, encode_axes
from kdvision.lab.train.examples import GEMS, PARTNER, PARTNER_STEPS, PIECES, TILE_KINDS, CellExamples, SceneExample
from kdvision.vision.geometry import compute_side_lengths
from kdvision.vision.networks.detector import PADDING_RGB, STRIDE_PIXELS

SIDE_RANGE_PIXELS = (11.0, 84.0)
"""Sides of the squares on which the detector is trained."""
ON_SQUARE_SHARE = 0.85
"""Share of the samples that are centred near a square."""
COLOUR_FILTER_SHARE = 0.15
"""Share of the samples whose hues and saturation are changed, as the filters of phones do."""


class DetectorSamples(Dataset[tuple[Tensor, Tensor]]):
    """Random crops of rendered scenes with their targets, two in a row per scene; a function of seed and index."""

    def __init__(self, scenes: list[SceneExample], *, seed: int, length: int, size: int) -> None:
        self.scenes, self.seed, self.length, self.size = scenes, seed, length, size
        self.last_picture: tuple[int, Bytes] | None = None

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        rng = np.random.default_rng((self.seed, 11, index))
        number = int(np.random.default_rng((self.seed, 12, index // 2)).integers(len(self.scenes)))
        if self.last_picture is None or self.last_picture[0] != number:  # decoding takes longer than cropping
            code = np.frombuffer(self.scenes[number].jpeg, np.uint8)
            self.last_picture = (number, np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR_RGB), np.uint8))
        crop, target = make_detector_sample(self.last_picture[1], self.scenes[number].quads, rng, size=self.size)
        return torch.from_numpy(crop.transpose(2, 0, 1).copy()), torch.from_numpy(target)


class CellBatches(Dataset[tuple[Tensor, Tensor]]):
    """Batches of augmented crops, in which rare kinds are over-represented; a function of seed and index."""

    def __init__(self, examples: CellExamples, *, seed: int, length: int, batch: int) -> None:
        self.examples, self.seed, self.length, self.batch = examples, seed, length, batch
        empty_group, gem_group = len(TILE_KINDS), len(TILE_KINDS) + len(PIECES)
        kind, tile, _, _, piece = examples.labels[:, :5].T
        groups = np.where(piece > 0, empty_group + piece, np.where(tile > 0, kind, empty_group))
        groups = np.where((examples.labels[:, GEMS] > 0).any(axis=1), gem_group, groups)
        weight = np.maximum(np.bincount(groups, minlength=gem_group + 1), 1.0) ** -0.5
        weight[empty_group] *= 1.5  # most errors are made on empty cells
        self.cumulative = np.cumsum(weight[groups]) / weight[groups].sum()

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        rng = np.random.default_rng((self.seed, 13, index))
        picks = np.searchsorted(self.cumulative, rng.random(self.batch))
        crops, labels = augment_cells(self.examples.crops[picks], self.examples.labels[picks], rng)
        return torch.from_numpy(crops.transpose(0, 3, 1, 2).copy()), torch.from_numpy(labels)


def make_detector_target(quads: Floats, size: int) -> Floats32:
    """Return the target (9, size/8, size/8) for squares (n, 4, 2): inside a square, vote (7), weight of the vote.

    The code of the axes is that of `vision.networks.detector`; offsets are in half-sides. The votes of large squares
    weigh less, so that squares of all sizes count alike.
    """
    cells = size // STRIDE_PIXELS
    if not len(quads):
        return np.zeros((9, cells, cells), np.float32)
    centre, alpha, beta = compute_axes(quads)
    y, x = np.mgrid[0:cells, 0:cells]
    displacement = (((x + 0.5) + 1j * (y + 0.5)) * STRIDE_PIXELS).reshape(1, -1) - centre[:, None]
    a, b = alpha[:, None], beta[:, None]
    z = (np.conj(a) * displacement - b * np.conj(displacement)) / (np.abs(a) ** 2 - np.abs(b) ** 2)
    reach = np.maximum(np.abs(z.real), np.abs(z.imag))
    owner, is_inside = reach.argmin(0), reach.min(0) < 1
    half_side = np.abs(alpha)[owner]
    offset = -displacement[owner, np.arange(displacement.shape[1])] / half_side
    axes = encode_axes(alpha, beta)[owner]
    planes = np.stack([is_inside, offset.real, offset.imag, *axes.T, np.clip(16 / half_side, 0.3, 2.5)]) * is_inside
    return np.asarray(planes.reshape(9, cells, cells), np.float32)


def make_detector_sample(photo: Bytes, quads: Floats32, rng: Rng, *, size: int) -> tuple[Bytes, Floats32]:
    """Return a random crop (size, size, 3) of a scene, scaled, turned, mirrored and retouched, with its target."""
    height, width = photo.shape[:2]
    centres = quads.mean(1)
    visible_quads = quads[((centres > 0) & (centres < (width, height))).all(-1)].astype(np.float64)
    side = float(np.median(compute_side_lengths(visible_quads))) if len(visible_quads) else 40.0
    scale = float(np.clip(np.exp(rng.uniform(*np.log(SIDE_RANGE_PIXELS))) / side, 0.3, 2.2))
    if len(visible_quads) and rng.random() < ON_SQUARE_SHARE:
        aim = visible_quads[rng.integers(len(visible_quads))].mean(0)
    else:
        aim = rng.uniform(0, 1, 2) * (width, height)
    turn = scale * np.linalg.matrix_power(np.array([[0.0, -1], [1, 0]]), int(rng.integers(4)))
    if rng.random() < 0.5:
        turn = turn @ np.diag([-1.0, 1])
    offset = size / 2 + rng.uniform(-0.4, 0.4, 2) * size - turn @ aim
    if rng.random() < 0.8:
        corners = turn @ np.array([[0.0, width, 0, width], [0, 0, height, height]])
        low, high = corners.min(1) + offset, corners.max(1) + offset  # the photo fills as much as it can
        offset = offset + np.where(high - low > size, np.minimum(0, -low) + np.maximum(0, size - high), 0.0)
    placed_quads = visible_quads @ turn.T + offset
    matrix = np.concatenate([turn, offset[:, None]], 1)
    if scale < 0.7:  # warpAffine does not average, so the photo is reduced first
        photo = np.asarray(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        matrix = matrix @ np.diag([width / photo.shape[1], height / photo.shape[0], 1.0])
    crop = np.asarray(cv2.warpAffine(photo, matrix, (size, size), borderValue=PADDING_RGB), np.uint8)
    for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.15 else 0):
        crop = _add_reflection(crop, rng)
    return retouch(crop, rng), make_detector_target(placed_quads, size)


def augment_cells(crops: Bytes, labels: npt.NDArray[np.int64], rng: Rng) -> tuple[Bytes, npt.NDArray[np.int64]]:
    """Return crops (n, 64, 64, 3) turned and retouched at random, with labels (n, 9) that match."""
    labels, augmented_crops = labels.copy(), np.empty_like(crops)
    for i, crop in enumerate(crops):
        turns = int(rng.integers(4))
        if labels[i, PARTNER] >= 0:
            labels[i, PARTNER] = (labels[i, PARTNER] - turns) % len(PARTNER_STEPS)  # np.rot90 moves the right one up
        labels[i, GEMS] = np.roll(labels[i, GEMS], -turns)  # and the top right corner to the left
        crop = np.rot90(crop, turns)
        if rng.random() < 0.5:
            crop = jitter(crop, rng)
        if rng.random() < 0.1:  # from further away, with fewer pixels per square
            side = crop.shape[0]
            small_crop = cv2.resize(crop, (int(side * rng.uniform(0.3, 0.8)),) * 2, interpolation=cv2.INTER_AREA)
            crop = np.asarray(cv2.resize(small_crop, (side, side), interpolation=cv2.INTER_LINEAR), np.uint8)
        if rng.random() < 0.2:
            crop = _add_reflection(crop, rng)
        augmented_crops[i] = retouch(crop, rng)
    return augmented_crops, labels


def retouch(picture: Bytes, rng: Rng) -> Bytes:
    """Return the picture in another tone, sometimes blurred, noisy or compressed again."""
    cast = float(rng.choice([0.06, 0.2, 0.45], p=[0.82, 0.12, 0.06]))  # white balance fails under some lamps
    gain = np.exp(rng.normal(0, 0.12) + rng.normal(0, cast, 3))
    result = picture * gain + rng.normal(0, 8)
    if rng.random() < COLOUR_FILTER_SHARE:
        result = result @ make_colour_filter(rng)
    if rng.random() < 0.3:
        result = result + rng.normal(0, rng.uniform(2, 14), picture.shape)
    output: Bytes = np.clip(result, 0, 255).astype(np.uint8)
    if rng.random() < 0.25:
        if rng.random() < 0.5:
            output = np.asarray(cv2.GaussianBlur(output, (0, 0), rng.uniform(0.3, 1.6)), np.uint8)
        if rng.random() < 0.4:
            output = encode_jpeg(output, int(rng.integers(25, 90)))
    return output


def make_colour_filter(rng: Rng) -> Floats:
    """Return a matrix (3, 3) that turns the hues of RGB pixels (…, 3) and changes their saturation."""
    angle, saturation = rng.normal(0, 0.35), np.exp(rng.normal(0, 0.35))
    grey = np.full((3, 3), 1 / 3)
    across = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / np.sqrt(3)
    return np.asarray(grey + saturation * (np.cos(angle) * (np.eye(3) - grey) + np.sin(angle) * across))


def jitter(crop: Bytes, rng: Rng) -> Bytes:
    """Return the crop as a slightly wrong lattice fit would have cut it."""
    side = crop.shape[0]
    matrix = cv2.getRotationMatrix2D(((side - 1) / 2, (side - 1) / 2), rng.normal(0, 2.5), rng.uniform(0.95, 1.06))
    matrix[:, 2] = matrix[:, 2] + rng.normal(0, 0.015 * side, 2)
    flags, border = cv2.INTER_LINEAR, cv2.BORDER_REPLICATE
    return np.asarray(cv2.warpAffine(np.ascontiguousarray(crop), matrix, (side, side), flags=flags, borderMode=border))


def _add_reflection(picture: Bytes, rng: Rng) -> Bytes:
    """Return the picture (h, w, 3) with a patch of light, white or coloured, that covers it or is added to it."""
    height, width = picture.shape[:2]
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None] - rng.uniform(0, 1)
    x = np.linspace(0, 1, width, dtype=np.float32)[None] - rng.uniform(0, 1)
    angle = rng.uniform(0, np.pi)
    along, across = np.cos(angle) * x + np.sin(angle) * y, np.cos(angle) * y - np.sin(angle) * x
    extent = np.exp(rng.uniform(np.log(0.04), np.log(0.5), 2))
    patch = np.exp(-((along / extent[0]) ** 2) - (across / extent[1]) ** 2)[..., None]
    hue = np.clip(rng.uniform(0.7, 1.1) * np.exp(rng.normal(0, 0.2, 3)), 0.2, 1.0).astype(np.float32)
    if rng.random() < 0.5:
        opacity = patch * np.float32(rng.uniform(0.2, 0.85))
        return np.asarray(picture * (1 - opacity) + 255 * hue * opacity, np.uint8)
    light = LINEAR[picture] + patch * hue * np.float32(rng.uniform(0.15, 1.0))
    return np.asarray(255 * np.clip(light, 0, 1) ** np.float32(1 / GAMMA), np.uint8)
