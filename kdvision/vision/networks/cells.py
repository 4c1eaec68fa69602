"""The cell network: what each square of a grid shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from scipy import special

from kdvision.vision.geometry import UNIT_SQUARE, Floats, compute_median, compute_side_lengths
from kdvision.vision.image.photo import Photo, shrink
from kdvision.vision.networks.detector import PADDING_GREY
from kdvision.vision.networks.onnx import Model

Bytes = npt.NDArray[np.uint8]

CROP_PIXELS: Final = 64
"""Side of a crop."""
SQUARE_PIXELS: Final = 40
"""Side of the square itself in the middle of the crop; the margin shows the edges of its neighbours."""
PARTNER_COUNT: Final = 4
EMPTY_LOG_ODDS: Final = -8.0
"""Log-odds of a tile on cells that the detector found empty; the network's own answer there is about the same."""
CERTAIN_LOG_ODDS: Final = 4.0
"""Log-odds (98.2 %) from which a cell is not classified again under rotation."""


def prepare_crops(pixels: Bytes, quads: Floats) -> Bytes:
    """Return crops (n, 64, 64, 3) of squares (n, 4, 2), corners clockwise from the top left, in an RGB picture.

    Runtime and training share this preprocessing.
    """
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    crops = np.empty((len(quads), CROP_PIXELS, CROP_PIXELS, 3), np.uint8)
    if not len(quads):
        return crops
    factor = _compute_scale(quads)
    if factor < 0.9:
        pixels, (x, y) = shrink(pixels, factor)
        quads = (quads + 0.5) * (x, y) - 0.5
    margin = (CROP_PIXELS - SQUARE_PIXELS) / 2
    target = (margin + SQUARE_PIXELS * UNIT_SQUARE - 0.5).astype(np.float32)  # integers are pixel centres
    for crop, quad in zip(crops, quads, strict=True):
        cv2.warpPerspective(
            pixels,
            cv2.getPerspectiveTransform(target, quad.astype(np.float32)),
            (CROP_PIXELS, CROP_PIXELS),
            dst=crop,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(PADDING_GREY,) * 3,
        )
    return crops


def crop_squares(photo: Photo, quads: Floats) -> Bytes:
    """Return the crops of squares (n, 4, 2) of a photo, cut from the smallest pyramid level that suffices."""
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    if not len(quads):
        return prepare_crops(np.zeros((1, 1, 3), np.uint8), quads)
    centre = quads.mean(axis=1, keepdims=True)
    outline = centre + (CROP_PIXELS / SQUARE_PIXELS + 0.2) * (quads - centre)
    pixels, matrix = photo.crop(outline, _compute_scale(quads))
    return prepare_crops(pixels, (quads + 0.5) * matrix.diagonal()[:2] + matrix[:2, 2] - 0.5)


def _compute_scale(quads: Floats, *, oversampling: float = 1.2) -> float:
    """Return the scale at which squares have `oversampling` times the pixels that they have in a crop."""
    return oversampling * SQUARE_PIXELS / max(compute_median(compute_side_lengths(quads)), 1.0)


def log_softmax(logits: Floats) -> Floats:
    """Return log-probabilities along the last axis, which may be empty."""
    return np.asarray(special.log_softmax(logits, axis=-1)) if logits.shape[-1] else logits


@dataclass(frozen=True)
class OutputLayout:
    """Positions of the heads in the logits of one crop.

    A network without `pieces` (their names, "" first for none) has no head for gems either.
    """

    tiles: int
    pieces: tuple[str, ...] = ()

    @property
    def kind(self) -> slice:
        """One logit for each kind of tile."""
        return slice(0, self.tiles)

    @property
    def presence(self) -> int:
        """Log-odds of a tile."""
        return self.tiles

    @property
    def occlusion(self) -> int:
        """Log-odds that something covers the square."""
        return self.tiles + 1

    @property
    def partner(self) -> slice:
        """Position of the domino's other half: right, down, left, up."""
        return slice(self.tiles + 2, self.tiles + 2 + PARTNER_COUNT)

    @property
    def piece(self) -> slice:
        """One logit for each piece, none first."""
        return slice(self.partner.stop, self.partner.stop + len(self.pieces))

    @property
    def gem(self) -> slice:
        """Log-odds of a gem on each corner: top left, top right, bottom right, bottom left."""
        return slice(self.piece.stop, self.piece.stop + (4 if self.pieces else 0))


def turn_logits_upright(logits: Floats, turn: int, layout: OutputLayout) -> Floats:
    """Return logits (n, …) of crops rotated anticlockwise by `turn` quarters, as if the crops were upright.

    `np.rot90` takes the right-hand neighbour up and the top right corner to the top left. Neighbours and corners are
    both listed clockwise, so each moves by one position a quarter.
    """
    turned = np.array(logits)
    for head in (layout.partner, layout.gem):
        turned[:, head] = np.roll(logits[:, head], turn, axis=1)
    return turned


@dataclass(frozen=True)
class CellPredictions:
    """The outputs of the cell network for n squares.

    `kind` (n, kinds - 1) log-probabilities of each kind of tile, given that there is one; `presence` (n,) log-odds of a
    tile; `hidden` (n,) probability that something covers the square; `partner` (n, 4) log-probability that the domino's
    other half lies right, down, left, up; `pieces` (n, pieces) log-probability of each piece, none first; `gems` (n, 4)
    log-odds of a gem on each corner, clockwise from the top left. The last two have no columns if the network has no
    such heads.
    """

    kind: Floats
    presence: Floats
    hidden: Floats
    partner: Floats
    pieces: Floats
    gems: Floats

    def insert_empty(self, empty: npt.NDArray[np.bool_]) -> CellPredictions:
        """Return predictions for all cells: these where `empty` (n,) is false, those of bare table elsewhere."""
        bare = CellPredictions(
            kind=np.full(self.kind.shape[1], -np.log(self.kind.shape[1])),
            presence=np.array(EMPTY_LOG_ODDS),
            hidden=np.array(0.0),
            partner=np.full(PARTNER_COUNT, -np.log(PARTNER_COUNT)),
            pieces=log_softmax(np.where(np.arange(self.pieces.shape[1]) == 0, -EMPTY_LOG_ODDS, 0.0)),
            gems=np.full(self.gems.shape[1], EMPTY_LOG_ODDS),
        )

        def merge(predicted: Floats, otherwise: Floats) -> Floats:
            values = np.broadcast_to(otherwise, (len(empty), *otherwise.shape)).copy()
            values[~empty] = predicted
            return values

        names = [field.name for field in fields(self)]
        return CellPredictions(**{name: merge(getattr(self, name), getattr(bare, name)) for name in names})


class CellClassifier:
    """The cell network; its metadata names kinds (the last is no tile), pieces and temperatures."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kinds: tuple[str, ...] = tuple(model.metadata["kinds"])
        self.pieces: tuple[str, ...] = tuple(model.metadata.get("pieces", ()))
        self.layout = OutputLayout(len(self.kinds) - 1, self.pieces)
        self.temperature: dict[str, float] = dict(model.metadata["temperatures"])

    def classify(
        self, photo: Photo, quads: Floats, *, turns: int = 4, empty: npt.NDArray[np.bool_] | None = None
    ) -> CellPredictions:
        """Return predictions for squares (n, 4, 2) of a photo.

        Uncertain squares are classified under `turns` quarter turns and their logits averaged (test-time augmentation).
        Squares known to be `empty` (n,) are not classified.
        """
        if empty is not None and empty.any():
            return self.classify(photo, quads[~empty], turns=turns).insert_empty(empty)
        crops = crop_squares(photo, quads)
        logits = self.model.run(crops).astype(np.float64)
        unsure = np.flatnonzero(~self._is_certain(logits)) if turns > 1 else np.zeros(0, np.intp)
        if len(unsure):
            logits[unsure] = (logits[unsure] + self._sum_rotated(crops[unsure], range(1, turns))) / turns
        return self._decode(logits)

    def _sum_rotated(self, crops: Bytes, turns: Iterable[int]) -> Floats:
        """Return the sum of the logits of crops under each number of quarter turns."""
        rotated = [np.rot90(crops, turn, (1, 2)) for turn in turns]
        logits = self.model.run(np.concatenate(rotated)).astype(np.float64).reshape(len(rotated), len(crops), -1)
        upright = [turn_logits_upright(each, turn, self.layout) for turn, each in zip(turns, logits, strict=True)]
        return np.asarray(np.sum(upright, axis=0))

    def _is_certain(self, logits: Floats) -> npt.NDArray[np.bool_]:
        """Return which squares surely show no tile, or surely one kind of tile and one kind of piece."""
        predicted, margin = self._decode(logits), np.exp(-CERTAIN_LOG_ODDS)
        one_kind = 1 - np.exp(predicted.kind.max(axis=1)) < margin
        if self.pieces:
            one_kind &= 1 - np.exp(predicted.pieces.max(axis=1)) < margin
        tile = predicted.presence > CERTAIN_LOG_ODDS
        return np.asarray((predicted.presence < -CERTAIN_LOG_ODDS) | (tile & one_kind))

    def _decode(self, logits: Floats) -> CellPredictions:
        layout, temperature = self.layout, self.temperature
        return CellPredictions(
            kind=log_softmax(logits[:, layout.kind] / temperature["kind"]),
            presence=logits[:, layout.presence] / temperature["presence"],
            hidden=np.asarray(special.expit(logits[:, layout.occlusion])),
            partner=log_softmax(logits[:, layout.partner] / temperature["partner"]),
            pieces=log_softmax(logits[:, layout.piece] / temperature.get("pieces", 1.0)),
            gems=logits[:, layout.gem] / temperature.get("gems", 1.0),
        )
