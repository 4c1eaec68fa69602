"""The cell network: what each square shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.detector import median, shrink
from kdvision.vision.networks.onnx import Model

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

CROP: Final = 64
"""Pixels along a crop's side."""
INNER: Final = 40
"""Pixels along the square's own side in the middle of the crop; the rest shows its neighbours' edges."""
PARTNERS: Final = 4
CORNERS: Final = 4
BARE: Final = -8.0
"""The log-odds that a tile lies where the finder is sure that none does: what this network mostly says there, too."""
CERTAIN: Final = 4.0
"""Log-odds (98.2 %) from which one look at a square is enough."""


def prepare_crops(pixels: Bytes, quads: Floats, *, inner: int = INNER) -> Bytes:
    """Return the crops (n, 64, 64, 3) of squares (n, 4, 2), corners clockwise from top left, in an RGB picture.

    Each square's own side has `inner` pixels. The runtime and training both come through here.
    """
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    if not len(quads):
        return np.zeros((0, CROP, CROP, 3), np.uint8)
    factor = _scale_for(quads, inner)
    if factor < 0.9:
        pixels, (x, y) = shrink(pixels, factor)
        quads = (quads + 0.5) * (x, y) - 0.5
    low = (CROP - inner) / 2 - 0.5  # whole numbers are the middles of pixels
    high = low + inner
    target = np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)
    crops = np.empty((len(quads), CROP, CROP, 3), np.uint8)
    for crop, quad in zip(crops, quads, strict=True):
        matrix = cv2.getPerspectiveTransform(target, quad.astype(np.float32))
        cv2.warpPerspective(
            pixels,
            matrix,
            (CROP, CROP),
            dst=crop,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(114, 114, 114),
        )
    return crops


def crop_squares(photo: Photo, quads: Floats, *, inner: int = INNER) -> Bytes:
    """Return the crops of squares (n, 4, 2) of a photo, cut from no larger a size of it than they need."""
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    if not len(quads):
        return prepare_crops(np.zeros((1, 1, 3), np.uint8), quads)
    centre = quads.mean(axis=1, keepdims=True)
    pixels, part = photo.crop(centre + (CROP / inner + 0.2) * (quads - centre), _scale_for(quads, inner))
    return prepare_crops(pixels, (quads + 0.5) * part.diagonal()[:2] + part[:2, 2] - 0.5, inner=inner)


def _scale_for(quads: Floats, inner: int) -> float:
    """The scale at which squares have a fifth more pixels along their sides than in a crop."""
    sides = np.linalg.norm(np.roll(quads, -1, 1) - quads, axis=-1)
    return 1.2 * inner / max(median(sides), 1.0) if len(quads) else 1.0


def log_softmax(logits: Floats) -> Floats:
    """Return log-probabilities along the last axis, which may be empty."""
    if not logits.shape[-1]:
        return logits
    shifted = logits - logits.max(-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))


@dataclass(frozen=True)
class OutputLayout:
    """Where in the network's row of logits for one crop each part lies: slices, in the order of the row.

    A network without `pieces` (their names, "" first, for none) has no corners for gems either.
    """

    tiles: int
    pieces: tuple[str, ...] = ()

    @property
    def kind(self) -> slice:
        """One logit for each kind of tile."""
        return slice(0, self.tiles)

    @property
    def presence(self) -> int:
        """Log-odds that there is a tile."""
        return self.tiles

    @property
    def hidden(self) -> int:
        """Log-odds that something covers the square."""
        return self.tiles + 1

    @property
    def partner(self) -> slice:
        """Where the domino's other half lies: right, down, left, up."""
        return slice(self.tiles + 2, self.tiles + 2 + PARTNERS)

    @property
    def piece(self) -> slice:
        """One logit for each piece that may stand there, none first."""
        return slice(self.partner.stop, self.partner.stop + len(self.pieces))

    @property
    def gem(self) -> slice:
        """Log-odds of a gem on each corner: top left, top right, bottom right, bottom left."""
        return slice(self.piece.stop, self.piece.stop + (CORNERS if self.pieces else 0))


def turn_logits_upright(logits: Floats, turn: int, row: OutputLayout) -> Floats:
    """Return the logits (n, …) of crops that lay `turn` quarters anticlockwise, as if they had lain upright.

    `np.rot90` takes the right-hand neighbour up and the top right corner to the top left. Both neighbours and corners
    are listed clockwise, so each moves by one place a quarter.
    """
    turned = np.array(logits)
    for part in (row.partner, row.gem):
        turned[:, part] = np.roll(logits[:, part], turn, axis=1)
    return turned


@dataclass(frozen=True)
class CellPredictions:
    """What the network says of n squares.

    `kind` (n, kinds - 1) log-probabilities of each kind of tile, if it is one; `presence` (n,) log-odds that it is one;
    `hidden` (n,) probability that a piece covers the square; `partner` (n, 4) log-probability that the domino's other
    half lies right, down, left, up. `pieces` (n, pieces) log-probability of what stands there, nothing first; `gems`
    (n, 4) log-odds of a gem on each corner, clockwise from the top left; both without columns where the network does
    not know of pieces.
    """

    kind: Floats
    presence: Floats
    hidden: Floats
    partner: Floats
    pieces: Floats
    gems: Floats

    def beside(self, bare: npt.NDArray[np.bool_]) -> CellPredictions:
        """Return the look with what `bare` squares (all of them, n) show, for those that were not looked at."""
        nothing = CellPredictions(
            kind=np.full(self.kind.shape[1], -np.log(self.kind.shape[1])),
            presence=np.array(BARE),
            hidden=np.array(0.0),
            partner=np.full(PARTNERS, -np.log(PARTNERS)),
            pieces=log_softmax(np.where(np.arange(self.pieces.shape[1]) == 0, -BARE, 0.0)),
            gems=np.full(self.gems.shape[1], BARE),
        )

        def put(seen: Floats, otherwise: Floats) -> Floats:
            values = np.broadcast_to(otherwise, (len(bare), *otherwise.shape)).copy()
            values[~bare] = seen
            return values

        return CellPredictions(
            **{part.name: put(getattr(self, part.name), getattr(nothing, part.name)) for part in fields(self)}
        )


class CellClassifier:
    """The cell network, ready to read; its file names kinds (the last is no tile), pieces and temperatures."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kinds: tuple[str, ...] = tuple(model.about["kinds"])
        self.pieces: tuple[str, ...] = tuple(model.about.get("pieces", ()))
        self.row = OutputLayout(len(self.kinds) - 1, self.pieces)
        self.temperature: dict[str, float] = dict(model.about["temperatures"])

    def look(
        self, photo: Photo, quads: Floats, *, turns: int = 4, bare: npt.NDArray[np.bool_] | None = None
    ) -> CellPredictions:
        """Return what squares (n, 4, 2) of a photo show.

        Squares that leave a doubt are looked at again under up to `turns` quarter turns, and the looks averaged. Those
        known to be `bare` (n,) are not looked at.
        """
        if bare is not None and bare.any():
            return self.look(photo, quads[~bare], turns=turns).beside(bare)
        crops = crop_squares(photo, quads)
        logits = self.model.run(crops).astype(np.float64)
        unsure = np.flatnonzero(~self._certain(logits)) if turns > 1 else np.zeros(0, np.intp)
        if len(unsure):
            logits[unsure] = (logits[unsure] + self._turned(crops[unsure], range(1, turns))) / turns
        return self._decode(logits)

    def _turned(self, crops: Bytes, turns: Iterable[int]) -> Floats:
        """Return the sum of the logits of crops that lie so many quarters anticlockwise, as if they lay upright."""
        turned = [np.rot90(crops, turn, (1, 2)) for turn in turns]
        logits = self.model.run(np.concatenate(turned)).astype(np.float64).reshape(len(turned), len(crops), -1)
        back = [turn_logits_upright(each, turn, self.row) for turn, each in zip(turns, logits, strict=True)]
        return np.asarray(np.sum(back, axis=0))

    def _certain(self, logits: Floats) -> npt.NDArray[np.bool_]:
        """Return which squares are no tile beyond doubt, or one of a kind beyond doubt, whatever stands on it."""
        seen = self._decode(logits)
        no_tile, tile = seen.presence < -CERTAIN, seen.presence > CERTAIN
        sure = 1 - np.exp(seen.kind.max(axis=1)) < np.exp(-CERTAIN)
        if self.pieces:
            sure &= 1 - np.exp(seen.pieces.max(axis=1)) < np.exp(-CERTAIN)
        return np.asarray(no_tile | (tile & sure))

    def _decode(self, logits: Floats) -> CellPredictions:
        row, warmth = self.row, self.temperature
        return CellPredictions(
            kind=log_softmax(logits[:, row.kind] / warmth["kind"]),
            presence=logits[:, row.presence] / warmth["presence"],
            hidden=1 / (1 + np.exp(-logits[:, row.hidden])),
            partner=log_softmax(logits[:, row.partner] / warmth["partner"]),
            pieces=log_softmax(logits[:, row.piece] / warmth.get("pieces", 1.0)),
            gems=logits[:, row.gem] / warmth.get("gems", 1.0),
        )
