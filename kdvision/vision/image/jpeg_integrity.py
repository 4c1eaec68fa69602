"""Damage in a JPEG that still decodes: the decoder asks for more or less entropy-coded data than the file has.

After a wrong bit a decoder loses synchronisation and mostly reaches the last block too early or too late. The picture
then has shifted colours or displaced parts. libjpeg only warns about this on stderr, so the number of bytes that the
decoder asks for is counted instead. Damage after which the decoder synchronises again at the same block stays unseen.
"""

from typing import Final

from kdvision.vision.image.limits import BoundedReader, iterate_jpeg_markers

PADDING: Final = b"\xff\x00" * 4
"""What the decoder gets at a time after the end of the coded data: ones, as encoders pad the last byte."""
MAX_PADDING_BYTES: Final = 32
"""Padding bytes that an intact file may use. Decoders read 8 bytes ahead, 16 here; some cameras omit a few."""


class JpegReader(BoundedReader):
    """A file in memory; after decoding, `is_damaged` tells whether a baseline JPEG's coded data has a wrong length."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._end = _find_end_of_coded_data(data)
        tail = data[max(self._end - 64, 0) : max(self._end, 0)]
        self._last = self._end - len(tail) + len(tail.rstrip(b"\x00\xff")) - 2  # no decoder has all without 2 bytes
        self._reached_end, self._padding_bytes = False, 0

    @property
    def is_damaged(self) -> bool:
        """True if the decoder stopped before the data ended, or needed more than there is."""
        return self._end >= 0 and (not self._reached_end or self._padding_bytes > MAX_PADDING_BYTES)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes; `PADDING`, six times, comes between the coded data and the end marker."""
        position = self.tell()
        if self._end < 0 or size is None or size < 0 or position + size <= self._last or position > self._end:
            return super().read(size)
        if position < self._last:
            return super().read(self._last - position)
        self._reached_end = True
        if position < self._end:
            return super().read(min(size, len(PADDING), self._end - position))
        if self._padding_bytes < 6 * len(PADDING):
            self._padding_bytes += len(PADDING)
            return PADDING
        return super().read(size)


def _find_end_of_coded_data(data: bytes) -> int:
    """Return the offset of the end marker of a baseline JPEG with one scan; -1 for other files."""
    components = b""
    for kind, start in iterate_jpeg_markers(data) if data.startswith(b"\xff\xd8") else ():
        if kind in (0xC0, 0xC1):  # start of a baseline frame
            components = data[start + 9 : start + 10]
        if kind == 0xDA:  # start of scan
            return data.find(b"\xff\xd9", start) if data[start + 4 : start + 5] == components else -1
    return -1
