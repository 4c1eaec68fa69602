"""Observations as bytes: the server stores them, so that it can decide again without the photo."""

from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.detect.grid import Grid

MIN_LOG_ODDS: Final = -30.0
"""Lower values, also minus infinity, are stored as this."""

MAX_COORDINATE: Final = 32_000
"""Pixels; corners are stored as 16-bit integers."""

ARRAYS: Final = ("occlusion", "visible_share", "tile_beyond", "pieces", "gems")
"""Fields of an observation that are stored under their names."""


class SurroundedObservation(NamedTuple):
    """An observation, and what lies around its grid."""

    observation: GridObservation
    surroundings: Surroundings


def encode_observation(observation: GridObservation, surroundings: Surroundings) -> bytes:
    """Encode an observation and what lies around its grid: logarithms with 11 bits, corners in whole pixels."""
    right, down = observation.border_log_odds
    floats = {"log_probs": observation.probabilities.log_probs, "right": right, "down": down}
    floats |= {name: getattr(observation, name) for name in ARRAYS}
    arrays: dict[str, NDArray[Any]] = {
        name: np.maximum(array, MIN_LOG_ODDS).astype(np.float16) for name, array in floats.items()
    }
    corners = np.rint(np.clip(observation.grid.quads, -MAX_COORDINATE, MAX_COORDINATE)).astype(np.int16)
    arrays |= {"corners": corners, "around": np.array(surroundings)}
    packed_arrays = {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in arrays.items()}
    return msgspec.msgpack.encode(packed_arrays)


def decode_observation(
    content: bytes, kinds: tuple[str, ...], *, piece_names: tuple[str, ...]
) -> SurroundedObservation:
    """Return what `encode_observation` has encoded, with the kinds and pieces of the network.

    The previous version stored `visible_share` and `tile_beyond` only for grids that the border of the photo cuts.
    """
    packed_arrays = msgspec.msgpack.decode(content)
    arrays = {
        name: np.frombuffer(data, dtype).reshape(shape).astype(np.float64)
        for name, (dtype, shape, data) in packed_arrays.items()
    }
    occlusion, pieces = arrays["occlusion"], log_softmax(arrays["pieces"], axis=-1)
    observation = GridObservation(
        grid=Grid(arrays["corners"]),
        probabilities=ClassProbabilities.of_probabilities(np.exp(arrays["log_probs"]), kinds),
        border_log_odds=(arrays["right"], arrays["down"]),
        occlusion=occlusion,
        visible_share=arrays.get("visible_share", np.ones_like(occlusion)),
        tile_beyond=arrays.get("tile_beyond", np.zeros_like(occlusion)),
        pieces=pieces,
        gems=arrays["gems"],
        piece_names=piece_names,
    )
    return SurroundedObservation(observation, Surroundings(*map(bool, arrays["around"])))
