"""The cell network: what each square of a grid shows."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import cv2
import numpy as np
from scipy.special import expit, log_softmax

from kdvision.vision.geometry import UNIT_SQUARE, Floats, Mask, compute_side_lengths
from kdvision.vision.image.photo import Photo, shrink
from kdvision.vision.image.srgb import Pixels
from kdvision.vision.networks.detector import PADDING_RGB
from kdvision.vision.networks.onnx import Model

CROP_PIXELS: Final = 64
"""Side of a crop."""
SQUARE_PIXELS: Final = 40
"""Side of the square itself in the middle of the crop; the margin shows the edges of its neighbours."""
CERTAIN_LOG_ODDS: Final = 4.0
"""Log-odds (98.2 %) from which a cell is not classified again under rotation."""


def prepare_crops(pixels: Pixels, quads: Floats) -> Pixels:
    """Return crops (n, 64, 64, 3) of squares (n, 4, 2), corners clockwise from the top left, in an RGB picture.

    Runtime and training share this preprocessing.
    """
    factor = _compute_scale(quads)
    if factor < 0.9:
        pixels, (x, y) = shrink(pixels, factor)
        quads = (quads + 0.5) * (x, y) - 0.5
    margin = (CROP_PIXELS - SQUARE_PIXELS) / 2
    target = (margin + SQUARE_PIXELS * UNIT_SQUARE - 0.5).astype(np.float32)  # integers are pixel centres
    crops = np.empty((len(quads), CROP_PIXELS, CROP_PIXELS, 3), np.uint8)
    size, flags = (CROP_PIXELS, CROP_PIXELS), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for crop, quad in zip(crops, quads, strict=True):
        matrix = cv2.getPerspectiveTransform(target, quad.astype(np.float32))
        cv2.warpPerspective(pixels, matrix, size, dst=crop, flags=flags, borderValue=PADDING_RGB)
    return crops


def crop_squares(photo: Photo, quads: Floats) -> Pixels:
    """Return the crops of squares (…, 4, 2) of a photo, cut from the smallest pyramid level that suffices."""
    quads = quads.reshape(-1, 4, 2)
    if not len(quads):
        return np.empty((0, CROP_PIXELS, CROP_PIXELS, 3), np.uint8)
    centre = quads.mean(axis=1, keepdims=True)
    outline = centre + (CROP_PIXELS / SQUARE_PIXELS + 0.2) * (quads - centre)
    pixels, matrix = photo.crop(outline, _compute_scale(quads))
    return prepare_crops(pixels, (quads + 0.5) * matrix.diagonal()[:2] + matrix[:2, 2] - 0.5)


def _compute_scale(quads: Floats, *, oversampling: float = 1.2) -> float:
    """Return the scale at which squares have `oversampling` times the pixels that they have in a crop."""
    return oversampling * SQUARE_PIXELS / max(float(np.median(compute_side_lengths(quads))), 1.0)


def locate_heads(tiles: int, pieces: int) -> dict[str, slice]:
    """Return the columns of each head of a network for kinds of tiles and pieces, named as in `CellPredictions`."""
    sizes = {"kind": tiles, "presence": 1, "hidden": 1, "partner": 4, "pieces": pieces, "gems": 4}
    ends = np.cumsum([*sizes.values()]).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


def turn_logits_upright(logits: Floats, turn: int, heads: Mapping[str, slice]) -> Floats:
    """Return logits (n, …) of crops rotated anticlockwise by `turn` quarter turns, as if the crops were upright.

    `np.rot90` takes the right-hand neighbour up and the top right corner to the top left. Neighbours and corners are
    both listed clockwise, so each moves by one position a quarter.
    """
    turned_logits = np.array(logits)
    for head in (heads["partner"], heads["gems"]):
        turned_logits[:, head] = np.roll(logits[:, head], turn, axis=1)
    return turned_logits


class CellPredictions(NamedTuple):
    """The outputs of the cell network for n squares.

    `kind` (n, kinds - 1) log-probabilities of each kind of tile, given that there is one; `presence` (n,) log-odds of a
    tile; `hidden` (n,) probability that something covers the square; `partner` (n, 4) log-probability that the domino's
    other half lies right, down, left, up; `pieces` (n, pieces) log-probability of each piece, none first; `gems` (n, 4)
    log-odds of a gem on each corner, clockwise from the top left.
    """

    kind: Floats
    presence: Floats
    hidden: Floats
    partner: Floats
    pieces: Floats
    gems: Floats


class CellClassifier:
    """The cell network; its metadata names kinds (the last is no tile), pieces and temperatures."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kinds: tuple[str, ...] = tuple(model.metadata["kinds"])
        self.pieces: tuple[str, ...] = tuple(model.metadata["pieces"])
        self._heads = heads = locate_heads(len(self.kinds) - 1, len(self.pieces))
        self._temperature, self._empty_logits = np.ones(heads["gems"].stop), np.zeros(heads["gems"].stop)
        for name, temperature in model.metadata["temperatures"].items():
            self._temperature[heads[name]] = temperature
        empty_log_odds = -8.0
        self._empty_logits[heads["presence"]] = self._empty_logits[heads["gems"]] = empty_log_odds
        self._empty_logits[heads["pieces"]][:1] = -empty_log_odds  # none comes first
        self._empty_logits[heads["hidden"]] = -np.inf

    def classify(self, photo: Photo, quads: Floats, *, turns: int = 4, empty: Mask | None = None) -> CellPredictions:
        """Return predictions for squares (n, 4, 2) of a photo.

        Uncertain squares are classified under `turns` quarter turns and their logits averaged (test-time augmentation).
        Squares known to be `empty` (n,) are not classified.
        """
        nonempty_mask = np.ones(len(quads), bool) if empty is None else ~empty
        crops = crop_squares(photo, quads[nonempty_mask])
        logits = self.model.run(crops).astype(np.float64)
        uncertain = np.flatnonzero(~self._is_certain(logits))
        if turns > 1 and len(uncertain):
            rotated_crops = np.concatenate([np.rot90(crops[uncertain], turn, (1, 2)) for turn in range(1, turns)])
            rotated_logits = self.model.run(rotated_crops).astype(np.float64).reshape(turns - 1, len(uncertain), -1)
            upright_logits = [turn_logits_upright(x, n, self._heads) for n, x in enumerate(rotated_logits, start=1)]
            logits[uncertain] = (logits[uncertain] + np.sum(upright_logits, axis=0)) / turns
        scaled_logits = np.tile(self._empty_logits, (len(quads), 1))
        scaled_logits[nonempty_mask] = logits / self._temperature
        return self._decode(scaled_logits)

    def _is_certain(self, logits: Floats) -> Mask:
        """Return which squares surely show no tile, or surely one kind of tile and one kind of piece."""
        predictions, margin = self._decode(logits / self._temperature), np.exp(-CERTAIN_LOG_ODDS)
        one_kind, one_piece = (1 - np.exp(head.max(axis=1)) < margin for head in (predictions.kind, predictions.pieces))
        tile = predictions.presence > CERTAIN_LOG_ODDS
        return np.asarray((predictions.presence < -CERTAIN_LOG_ODDS) | (tile & one_kind & one_piece))

    def _decode(self, logits: Floats) -> CellPredictions:
        head = {name: logits[:, columns] for name, columns in self._heads.items()}
        return CellPredictions(
            kind=log_softmax(head["kind"], axis=-1),
            presence=head["presence"][:, 0],
            hidden=np.asarray(expit(head["hidden"][:, 0])),
            partner=log_softmax(head["partner"], axis=-1),
            pieces=log_softmax(head["pieces"], axis=-1),
            gems=head["gems"],
        )
