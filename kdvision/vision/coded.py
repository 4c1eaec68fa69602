"""Whether the coded data of a JPEG is as long as its picture needs: where not, something in it was lost or changed.

From a wrong bit on, a decoder reads codes that are none, and mostly comes to the last block too early or too late. What
it draws meanwhile looks like a picture, with colours shifted and parts displaced. libjpeg notices, and only warns,
where nobody hears it: "extraneous bytes before marker", "premature end of data segment". How much a decoder asks for
tells the same at no cost. A change after which the codes come right again at the very same block stays unseen.
"""

import re
from typing import Final

from kdvision.vision.limits import Metered

LAST: Final = 2
"""Bytes at the end of the coded data without which no decoder can have all of the picture."""

SPARE: Final = b"\xff\x00" * 24
"""What is handed out after the coded data, before its end is told: ones, the bits that fill up the last byte."""

AHEAD: Final = 32
"""Bytes of it that are no sign: decoders read 8 ahead, each of which is two here, and some cameras leave a few out."""

PIECE: Final = 8
"""Bytes handed out at a time, once it matters how many are asked for."""

SEQUENTIAL: Final = (0xC0, 0xC1)
SCAN: Final = 0xDA
END: Final = re.compile(rb"\xff\xd9")  # found in half the time that bytes.find takes
ALONE: Final = (0x01, *range(0xD0, 0xD9))
"""Markers without a segment; these and the others by ITU T.81, table B.1."""


class Coded(Metered):
    """A picture file in memory; once it was decoded, `flawed` says whether a JPEG's coded data has a wrong length."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._end = _end_of_coded(data)
        tail = data[max(self._end - 64, 0) : max(self._end, 0)]
        self._last = self._end - len(tail) + len(tail.rstrip(b"\x00\xff")) - LAST  # what fills up is no picture
        self._asked, self._spared = False, 0

    @property
    def flawed(self) -> bool:
        """Whether the decoder had its picture before the data ended, or still not when it had ended."""
        return self._end >= 0 and (not self._asked or self._spared > AHEAD)

    def read(self, size: int | None = -1, /) -> bytes:
        """Some of the file, as `io.BytesIO.read`; SPARE, which it has not, comes before the end of what is coded."""
        at = self.tell()
        if self._end < 0 or size is None or size < 0 or at + size <= self._last or at > self._end:
            return super().read(size)
        if at < self._last:
            return super().read(self._last - at)
        self._asked = True
        if at < self._end:
            return super().read(min(size, PIECE, self._end - at))
        if self._spared < len(SPARE):
            self._spared += PIECE
            return SPARE[:PIECE]
        return super().read(size)


def _end_of_coded(data: bytes) -> int:
    """Where the coded data of a JPEG of one pass ends; -1 for other files, and where no end is marked."""
    at, parts = 2, 0
    while data.startswith(b"\xff\xd8") and data[at : at + 1] == b"\xff" and at + 9 < len(data):
        kind = data[at + 1]
        if kind == 0xFF or kind in ALONE:
            at += 1 if kind == 0xFF else 2
            continue
        if kind in SEQUENTIAL:
            parts = data[at + 9]
        if kind == SCAN:
            found = END.search(data, at) if parts and data[at + 4] == parts else None
            return -1 if found is None else found.start()
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return -1
