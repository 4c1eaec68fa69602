"""Observations as bytes: the server stores them, so that it can decide again without the photo."""

from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from kdvision.pipeline import KingdomReading
from kdvision.vision.assess.warnings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.detect.grid import Grid

MIN_LOG_ODDS: Final = -30.0
"""Lower values, also minus infinity, are stored as this."""

MAX_COORDINATE: Final = 32_000
"""Pixels; corners are stored as 16-bit integers."""


ARRAYS: Final = ("occlusion", "visible_share", "tile_beyond", "pieces", "gems")
"""Fields of an observation that are stored under their names; all but the first may be missing."""


class SurroundedObservation(NamedTuple):
    """An observation, and what lies around its grid."""

    observation: GridObservation
    surroundings: Surroundings


def encode_observation(kingdom: KingdomReading) -> bytes:
    """The observation of a kingdom: logarithms with 11 bits, corners in whole pixels."""
    observation = kingdom.observation
    right, down = observation.border_log_odds
    floats = {"log_probs": observation.reading.log_probs, "right": right, "down": down}
    floats |= {name: array for name in ARRAYS if (array := getattr(observation, name)) is not None}
    arrays: dict[str, NDArray[Any]] = {
        name: np.maximum(array, MIN_LOG_ODDS).astype(np.float16) for name, array in floats.items()
    }
    corners = np.rint(np.clip(observation.grid.quads, -MAX_COORDINATE, MAX_COORDINATE)).astype(np.int16)
    arrays |= {"corners": corners, "around": np.array(kingdom.surroundings)}
    return msgspec.msgpack.encode({name: (one.dtype.str, one.shape, one.tobytes()) for name, one in arrays.items()})


def decode_observation(
    content: bytes, kinds: tuple[str, ...], *, piece_names: tuple[str, ...] = ()
) -> SurroundedObservation:
    """The observation of `encode_observation`, with the kinds and pieces of the network."""
    packed_arrays = msgspec.msgpack.decode(content)
    arrays = {
        name: np.frombuffer(data, dtype).reshape(shape).astype(np.float64)
        for name, (dtype, shape, data) in packed_arrays.items()
    }
    fields: dict[str, Any] = {name: arrays[name] for name in ARRAYS if name in arrays}
    if "pieces" in fields:
        fields |= {"pieces": log_softmax(fields["pieces"], axis=-1), "piece_names": piece_names}
    reading = Reading.of_probabilities(np.exp(arrays["log_probs"]), kinds)
    observation = GridObservation(Grid(arrays["corners"]), reading, (arrays["right"], arrays["down"]), **fields)
    return SurroundedObservation(observation, Surroundings(*map(bool, arrays["around"])))
