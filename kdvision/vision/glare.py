"""The glare network: whether a tile lies where a lamp leaves nothing but white.

Such a place shows nothing of itself. What it is, is told by where the white ends: a lamp whitens a bright table further
out than the dark card beside it, and a card has an edge and a shadow. This network sees more of what lies around a
place than the cell network does, and was shown white places alone.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from kdvision.vision import models
from kdvision.vision.cells import Floats, crops_of
from kdvision.vision.models import Model
from kdvision.vision.photo import Photo

INNER: Final = 32
"""Pixels along the square's own side in the middle of the crop; half of each square around is seen."""
TURNS: Final = 4
ALONE: Final = (1.0, 0.0, 0.0, 0.0)


class Glare:
    """The glare network, ready to read.

    Its file says how what it sees is weighed with what the others say, `under_lamps`: weights of itself, the cell
    network and the finder, and a constant, by logistic regression on rendered tables under lamps (`lab/glare.py`).
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.weights = np.array(model.about.get("under_lamps", ALONE))

    def seen(self, photo: Photo, quads: Floats) -> Floats:
        """Return the log-odds (n,) of tiles on white places (n, 4, 2), the mean of four looks, turned by quarters."""
        crops = crops_of(photo, quads, inner=INNER)
        looks = [self.model.run(np.rot90(crops, turn, (1, 2)))[:, 0] for turn in range(TURNS)]
        return np.asarray(np.mean(looks, axis=0), np.float64)

    def odds(self, photo: Photo, quads: Floats, said: Floats) -> Floats:
        """Return the log-odds (n,) of tiles on white places, with what the other networks say (n, 2) of them."""
        return np.asarray(evidence(self.seen(photo, quads), said) @ self.weights)


def evidence(seen: Floats, said: Floats) -> Floats:
    """Return what is weighed of white places, (n, 4): what this network sees, the others' word, and 1.

    They were shown few such places, and take white amid tiles for a tile: only what they say against one counts.
    """
    return np.column_stack([seen, np.minimum(said, 0.0), np.ones(len(said))])


@cache
def shipped() -> Glare:
    """The shipped network, on one thread: white places are few."""
    return Glare(models.shipped("glare", 1))
