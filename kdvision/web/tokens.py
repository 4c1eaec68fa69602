"""What was seen of a kingdom, as a text that a page can keep and send back, so that the server need not remember.

The text is signed with a key of this process: what comes back is what was sent, and nothing else is ever unpacked.
"""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from struct import Struct
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kdvision.pipeline import KingdomReading, Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.detect.grid import Grid
from kdvision.vision.networks.cells import log_softmax
from kdvision.web.limits import Refused

LONGEST: Final = 40_000
"""Characters; the largest grid that is read has 13 by 13 places and takes a third of that."""

_HEAD: Final = Struct("<BBB??????")
_MAC: Final = 16
_LEAST: Final = -30.0
"""Logarithms below this are as good as none."""

_FAR: Final = 32_000


class Seen(NamedTuple):
    """A sight, and what else lies on the table."""

    observation: GridObservation
    around: Surroundings


def packed(read: KingdomReading, key: bytes) -> str:
    """The text of what was seen of a kingdom: logarithms with 11 bits, corners in whole pixels."""
    assert read.observation is not None, "a kingdom read from a photo"
    observation = read.observation
    edges = [part for part in (observation.inside, observation.beyond) if part is not None]
    stand = [part for part in (observation.pieces, observation.gems) if part is not None]
    numbers = [observation.reading.log_probs, *observation.border_log_odds, observation.hidden, *edges, *stand]
    rows, cols = observation.grid.rows, observation.grid.cols
    head = _HEAD.pack(rows, cols, len(observation.reading.kinds), *read.around, bool(edges), bool(stand))
    body = head + b"".join(np.maximum(part, _LEAST).astype("<f2").tobytes() for part in numbers)
    body += np.rint(np.clip(observation.grid.quads, -_FAR, _FAR)).astype("<i2").tobytes()
    return urlsafe_b64encode(_sign(body, key) + body).decode().rstrip("=")


def unpacked(text: str, kinds: tuple[str, ...], key: bytes, *, pieces: tuple[str, ...] = ()) -> Seen:
    """What a text of `packed` holds, kinds and pieces being those of the network; raises Refused for any other."""
    body = _checked(text, key)
    rows, cols, count, *around, edges, stand = _HEAD.unpack_from(body)
    assert count == len(kinds), "signed by this process, so of this model"
    shapes = [(rows, cols, count), (rows, cols - 1), (rows - 1, cols), *[(rows, cols)] * (1 + 2 * edges)]
    shapes += [(rows, cols, len(pieces)), (rows + 1, cols + 1)] * stand
    start, parts = _HEAD.size, []
    for shape in shapes:
        size = int(np.prod(shape))
        parts.append(np.frombuffer(body, "<f2", size, start).astype(np.float64).reshape(shape))
        start += 2 * size
    quads = np.frombuffer(body, "<i2", rows * cols * 8, start).astype(np.float64).reshape(rows, cols, 4, 2)
    probabilities: NDArray[np.float64] = np.exp(parts[0])
    reading = Reading.of_probabilities(probabilities, kinds)
    inside, beyond = parts[4:6] if edges else (None, None)
    observation = GridObservation(Grid(quads), reading, (parts[1], parts[2]), parts[3], inside, beyond)
    if stand:
        observation = replace(observation, pieces=log_softmax(parts[-2]), gems=parts[-1], piece_names=pieces)
    return Seen(observation, Surroundings(*around))


def _checked(text: str, key: bytes) -> bytes:
    """The signed bytes of a text; raises Refused where the signature is not ours."""
    try:
        raw = urlsafe_b64decode(text[: LONGEST + 1].encode() + b"=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raw = b""
    if len(text) > LONGEST or not hmac.compare_digest(raw[:_MAC], _sign(raw[_MAC:], key)):
        raise Refused(410, "these readings are not of this server, or it was started anew", hint="read the photo again")
    return raw[_MAC:]


def _sign(body: bytes, key: bytes) -> bytes:
    return hmac.digest(key, body, "sha256")[:_MAC]
