"""The cell network: what each square shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.finder import shrunk
from kdvision.vision.models import Model
from kdvision.vision.photo import Photo

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

CROP: Final = 64
"""Pixels along a crop's side."""
INNER: Final = 40
"""Pixels along the square's own side in the middle of the crop; the rest shows its neighbours' edges."""
PARTNERS: Final = 4
BARE: Final = -8.0
"""The log-odds that a tile lies where the finder is sure that none does: what this network mostly says there, too."""
CERTAIN: Final = 4.0
"""Log-odds (98.2 %) from which one look at a square is enough."""


def prepare(pixels: Bytes, quads: Floats) -> Bytes:
    """Return the crops (n, 64, 64, 3) of squares (n, 4, 2), corners clockwise from top left, in an RGB picture.

    The runtime and training both come through here.
    """
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    if not len(quads):
        return np.zeros((0, CROP, CROP, 3), np.uint8)
    factor = _scale_for(quads)
    if factor < 0.9:
        pixels, (x, y) = shrunk(pixels, factor)
        quads = (quads + 0.5) * (x, y) - 0.5
    low = (CROP - INNER) / 2 - 0.5  # whole numbers are the middles of pixels
    high = low + INNER
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


def crops_of(photo: Photo, quads: Floats) -> Bytes:
    """Return the crops of squares (n, 4, 2) of a photo, cut from no larger a size of it than they need."""
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    if not len(quads):
        return prepare(np.zeros((1, 1, 3), np.uint8), quads)
    centre = quads.mean(axis=1, keepdims=True)
    pixels, part = photo.part(centre + 1.8 * (quads - centre), _scale_for(quads))
    return prepare(pixels, (quads + 0.5) * part.diagonal()[:2] + part[:2, 2] - 0.5)


def _scale_for(quads: Floats) -> float:
    """The scale at which squares have a fifth more pixels along their sides than in a crop."""
    sides = np.linalg.norm(np.roll(quads, -1, 1) - quads, axis=-1)
    return 1.2 * INNER / max(float(np.median(sides)), 1.0) if len(quads) else 1.0


def log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))


@dataclass(frozen=True)
class Look:
    """What the network says of n squares.

    `kind` (n, kinds - 1) log-probabilities of each kind of tile, if it is one; `presence` (n,) log-odds that it is one;
    `hidden` (n,) probability that a piece covers the square; `partner` (n, 4) log-probability that the domino's other
    half lies right, down, left, up.
    """

    kind: Floats
    presence: Floats
    hidden: Floats
    partner: Floats

    def beside(self, bare: npt.NDArray[np.bool_]) -> Look:
        """Return the look with what `bare` squares (all of them, n) show, for those that were not looked at."""
        count = len(bare)
        kind = np.full((count, self.kind.shape[1]), -np.log(self.kind.shape[1]))
        presence, hidden, partner = np.full(count, BARE), np.zeros(count), np.full((count, PARTNERS), -np.log(PARTNERS))
        kind[~bare], presence[~bare], hidden[~bare] = self.kind, self.presence, self.hidden
        partner[~bare] = self.partner
        return Look(kind, presence, hidden, partner)


class CellReader:
    """The cell network, ready to read; its file names its kinds (the last is no tile) and temperatures."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kinds: tuple[str, ...] = tuple(model.about["kinds"])
        self.temperature: dict[str, float] = dict(model.about["temperatures"])

    def look(self, photo: Photo, quads: Floats, *, turns: int = 4, bare: npt.NDArray[np.bool_] | None = None) -> Look:
        """Return what squares (n, 4, 2) of a photo show.

        Squares that leave a doubt are looked at again under up to `turns` quarter turns, and the looks averaged. Those
        known to be `bare` (n,) are not looked at.
        """
        if bare is not None and bare.any():
            return self.look(photo, quads[~bare], turns=turns).beside(bare)
        crops = crops_of(photo, quads)
        logits = self.model.run(crops).astype(np.float64)
        unsure = np.flatnonzero(~self._certain(logits)) if turns > 1 else np.zeros(0, np.intp)
        if len(unsure):
            logits[unsure] = (logits[unsure] + self._turned(crops[unsure], range(1, turns))) / turns
        return self._decode(logits)

    def _turned(self, crops: Bytes, turns: Iterable[int]) -> Floats:
        """Return the sum of the logits of crops that lie so many quarters anticlockwise, as if they lay upright."""
        turned = [np.rot90(crops, turn, (1, 2)) for turn in turns]
        logits = self.model.run(np.concatenate(turned)).astype(np.float64).reshape(len(turned), len(crops), -1)
        for turn, each in zip(turns, logits, strict=True):  # the right-hand partner lies up: undo that
            each[:, -PARTNERS:] = np.roll(each[:, -PARTNERS:], turn, axis=1)
        return np.asarray(logits.sum(axis=0))

    def _certain(self, logits: Floats) -> npt.NDArray[np.bool_]:
        """Return which squares are no tile beyond doubt, or one of a kind beyond doubt."""
        seen = self._decode(logits)
        no_tile, tile = seen.presence < -CERTAIN, seen.presence > CERTAIN
        return np.asarray(no_tile | (tile & (1 - np.exp(seen.kind.max(axis=1)) < np.exp(-CERTAIN))))

    def _decode(self, logits: Floats) -> Look:
        tiles = len(self.kinds) - 1
        return Look(
            kind=log_softmax(logits[:, :tiles] / self.temperature["kind"]),
            presence=logits[:, tiles] / self.temperature["presence"],
            hidden=1 / (1 + np.exp(-logits[:, tiles + 1])),
            partner=log_softmax(logits[:, -PARTNERS:] / self.temperature["partner"]),
        )
