"""Observations as signed texts: the page keeps them and sends them back, so that the server needs no memory.

A token is valid for one run of the server. Nothing is unpacked before the signature is checked.
"""

import hashlib
from typing import Final, NamedTuple

import msgspec
import numpy as np
from itsdangerous import BadSignature, Signer
from itsdangerous.encoding import base64_decode, base64_encode
from numpy.typing import ArrayLike, NDArray

from kdvision.pipeline import KingdomReading, Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.detect.grid import Grid
from kdvision.vision.networks.cells import log_softmax
from kdvision.web.limits import Refusal

MAX_TOKEN_LENGTH: Final = 40_000
"""Characters. The largest grid, 13 by 13 cells, takes a third of that."""

MIN_LOG_ODDS: Final = -30.0
"""Lower values, also minus infinity, are stored as this."""

MAX_COORDINATE: Final = 32_000
"""Pixels; corners are stored as 16-bit integers."""


class SurroundedObservation(NamedTuple):
    """An observation, and what lies around its grid."""

    observation: GridObservation
    around: Surroundings


class _Payload(msgspec.Struct, array_like=True):
    """Arrays as their shape and little-endian 16-bit floats; corners as 16-bit integers."""

    around: tuple[bool, ...]
    corners: tuple[tuple[int, ...], bytes]
    arrays: dict[str, tuple[tuple[int, ...], bytes]]


def encode_token(kingdom: KingdomReading, secret: bytes) -> str:
    """The signed text of a kingdom's observation: logarithms with 11 bits, corners in whole pixels."""
    assert kingdom.observation is not None, "a kingdom read from a photo"
    observation = kingdom.observation
    right, down = observation.border_log_odds
    arrays = {"log_probs": observation.reading.log_probs, "right": right, "down": down}
    arrays["occlusion"] = observation.occlusion
    optional = {
        "visible_share": observation.visible_share,
        "tile_beyond": observation.tile_beyond,
        "pieces": observation.pieces,
        "gems": observation.gems,
    }
    arrays |= {name: array for name, array in optional.items() if array is not None}
    packed = {name: _pack(np.maximum(array, MIN_LOG_ODDS), "<f2") for name, array in arrays.items()}
    corners = np.rint(np.clip(observation.grid.quads, -MAX_COORDINATE, MAX_COORDINATE))
    payload = _Payload(tuple(map(bool, kingdom.surroundings)), _pack(corners, "<i2"), packed)
    return _signer(secret).sign(base64_encode(msgspec.msgpack.encode(payload))).decode()


def decode_token(
    token: str, kinds: tuple[str, ...], secret: bytes, *, piece_names: tuple[str, ...] = ()
) -> SurroundedObservation:
    """The observation in a token, with the kinds and pieces of the network; raises Refusal for any other text."""
    payload = msgspec.msgpack.decode(_checked_bytes(token, secret), type=_Payload)
    arrays = {name: _unpack(packed, "<f2") for name, packed in payload.arrays.items()}
    pieces = arrays.get("pieces")
    observation = GridObservation(
        Grid(_unpack(payload.corners, "<i2")),
        Reading.of_probabilities(np.exp(arrays["log_probs"]), kinds),
        (arrays["right"], arrays["down"]),
        arrays["occlusion"],
        arrays.get("visible_share"),
        arrays.get("tile_beyond"),
        pieces=None if pieces is None else log_softmax(pieces),
        gems=arrays.get("gems"),
        piece_names=() if pieces is None else piece_names,
    )
    return SurroundedObservation(observation, Surroundings(*payload.around))


def _checked_bytes(token: str, secret: bytes) -> bytes:
    try:
        if len(token) > MAX_TOKEN_LENGTH:
            raise BadSignature("too long")
        return base64_decode(_signer(secret).unsign(token))
    except (BadSignature, UnicodeError) as error:
        message = "this reading is not from this server, or the server was restarted"
        raise Refusal(410, message, hint="read the photo again") from error


def _signer(secret: bytes) -> Signer:
    return Signer(secret, salt="kdvision.observation", digest_method=hashlib.sha256)


def _pack(array: ArrayLike, dtype: str) -> tuple[tuple[int, ...], bytes]:
    values = np.asarray(array)
    return values.shape, values.astype(dtype).tobytes()


def _unpack(packed: tuple[tuple[int, ...], bytes], dtype: str) -> NDArray[np.float64]:
    shape, content = packed
    return np.frombuffer(content, dtype).astype(np.float64).reshape(shape)
