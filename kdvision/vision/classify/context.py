"""The context network: which terrain each tile is, seen beside all other tiles of the photo.

They lie in one light and come from one box, so that a yellow which may be wheat or dry grass is told by the squares of
which it is plain. Crowns are counted on each square by itself, which is the cell network's work. This one does not know
where on a board a square lies: how people lay kingdoms is for the deck to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.vision.classify.kingdom import SEEN
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CROP, INNER, Floats, crop_squares
from kdvision.vision.networks.onnx import Model

RIM: Final = (CROP - INNER) // 2


@dataclass(frozen=True)
class TileFeatures:
    """The tiles of one kingdom: their `places` (n,) on its grid, counted row by row, and what is known of each.

    `log_probs` (n, kinds) of the kinds that the network knows, which sum to 1 over them; `share` (n, 1) the logarithm
    of how probable these are together; `colours` (n, 6) mean and standard deviation of the square's own pixels, CIE
    L*a*b* as OpenCV scales it to bytes.
    """

    places: npt.NDArray[np.intp]
    log_probs: Floats
    share: Floats
    colours: Floats

    @classmethod
    def of(cls, photo: Photo, observation: GridObservation, kinds: Sequence[str]) -> TileFeatures:
        """Return the tiles of a sight in its photo, by the kinds that are asked for."""
        places = np.flatnonzero(observation.presence.reshape(-1) > SEEN)
        rows = observation.reading.log_probs.reshape(-1, len(observation.reading.kinds))[places]
        rows = rows[:, [observation.reading.kinds.index(kind) for kind in kinds]]
        share = np.logaddexp.reduce(rows, axis=1, keepdims=True)
        return cls(places, rows - share, share, colours(crop_squares(photo, observation.grid.quads)[places]))

    def told(self, observation: GridObservation, kinds: Sequence[str], log_probs: Floats) -> GridObservation:
        """Return the sight with these log-probabilities (n, kinds) of its tiles; other kinds keep their share."""
        made = observation.reading.log_probs.copy()
        columns = np.array([observation.reading.kinds.index(kind) for kind in kinds])
        made.reshape(-1, made.shape[-1])[self.places[:, None], columns] = log_probs + self.share
        return replace(observation, reading=Reading(made, observation.reading.kinds))


class ContextClassifier:
    """The context network, ready to read; its file names the kinds it knows and its temperature."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kinds: tuple[str, ...] = tuple(model.about["kinds"])

    def read(self, photo: Photo, observations: Sequence[GridObservation]) -> list[GridObservation]:
        """Return the sights of one photo, whose tiles are read in each other's company; all else stays as it is."""
        tiles = [TileFeatures.of(photo, observation, self.kinds) for observation in observations]
        if not any(len(one.places) for one in tiles):
            return list(observations)
        parts = zip(observations, tiles, self._asked(tiles), strict=True)
        return [one.told(observation, self.kinds, log_probs) for observation, one, log_probs in parts]

    def _asked(self, tiles: Sequence[TileFeatures]) -> Iterator[Floats]:
        """The log-probabilities (n, kinds) of each kingdom's tiles, all of which the network sees at once."""
        said = self.model.ask(
            log_probs=np.concatenate([one.log_probs for one in tiles]).astype(np.float32),
            colours=np.concatenate([one.colours for one in tiles]).astype(np.float32),
        ).astype(np.float64)
        said -= np.logaddexp.reduce(said, axis=1, keepdims=True)  # as exact as the reading they go into
        yield from np.split(said, np.cumsum([len(one.places) for one in tiles])[:-1])


def colours(crops: npt.NDArray[np.uint8]) -> Floats:
    """Return mean and standard deviation (n, 6) of L*, a* and b* in the middles of crops (n, 64, 64, 3), as bytes."""
    made = np.empty((len(crops), 6))
    for row, crop in zip(made, crops, strict=True):
        lab = cv2.cvtColor(np.ascontiguousarray(crop[RIM:-RIM, RIM:-RIM]), cv2.COLOR_RGB2LAB)
        row[:] = np.concatenate(cv2.meanStdDev(lab))[:, 0]
    return made
