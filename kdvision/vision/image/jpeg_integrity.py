"""Damage in a JPEG that still decodes: the decoder asks for more or less entropy-coded data than the file has.

After a wrong bit a decoder loses synchronisation and mostly reaches the last block too early or too late. The picture
then has shifted colours or displaced parts. libjpeg only warns about this on stderr, so the number of bytes that the
decoder asks for is counted instead. Damage after which the decoder synchronises again at the same block stays unseen.
"""

import re
from typing import Final

from kdvision.vision.image.limits import BoundedReader

PADDING: Final = b"\xff\x00" * 24
"""Bytes that the decoder gets after the end of the coded data: ones, as encoders pad the last byte."""

MAX_PADDING_BYTES: Final = 32
"""Padding bytes that an intact file may use. Decoders read 8 bytes ahead, 16 here; some cameras omit a few."""

CHUNK_BYTES: Final = 8
"""Bytes handed out at a time near the end of the data."""

FINAL_BYTES: Final = 2
"""Bytes at the end of the coded data without which no decoder has the whole picture."""

_BASELINE: Final = (0xC0, 0xC1)
_START_OF_SCAN: Final = 0xDA
_END_OF_IMAGE: Final = re.compile(rb"\xff\xd9")
_STANDALONE: Final = (0x01, *range(0xD0, 0xD9))
"""Markers without a segment (ITU T.81, table B.1)."""


class JpegReader(BoundedReader):
    """A file in memory; after decoding, `is_damaged` tells whether a baseline JPEG's coded data has a wrong length."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._end = _find_end_of_coded_data(data)
        tail = data[max(self._end - 64, 0) : max(self._end, 0)]
        self._last = self._end - len(tail) + len(tail.rstrip(b"\x00\xff")) - FINAL_BYTES
        self._reached_end, self._padding_bytes = False, 0

    @property
    def is_damaged(self) -> bool:
        """True if the decoder stopped before the data ended, or needed more than there is."""
        return self._end >= 0 and (not self._reached_end or self._padding_bytes > MAX_PADDING_BYTES)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes; `PADDING` comes between the coded data and the end marker."""
        position = self.tell()
        if self._end < 0 or size is None or size < 0 or position + size <= self._last or position > self._end:
            return super().read(size)
        if position < self._last:
            return super().read(self._last - position)
        self._reached_end = True
        if position < self._end:
            return super().read(min(size, CHUNK_BYTES, self._end - position))
        if self._padding_bytes < len(PADDING):
            self._padding_bytes += CHUNK_BYTES
            return PADDING[:CHUNK_BYTES]
        return super().read(size)


def _find_end_of_coded_data(data: bytes) -> int:
    """Return the offset of the end marker of a baseline JPEG with one scan; -1 for other files."""
    position, components = 2, 0
    while data.startswith(b"\xff\xd8") and data[position : position + 1] == b"\xff" and position + 9 < len(data):
        kind = data[position + 1]
        if kind == 0xFF or kind in _STANDALONE:
            position += 1 if kind == 0xFF else 2
            continue
        if kind in _BASELINE:
            components = data[position + 9]
        if kind == _START_OF_SCAN:
            one_scan = components and data[position + 4] == components
            end = _END_OF_IMAGE.search(data, position) if one_scan else None
            return -1 if end is None else end.start()
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return -1
