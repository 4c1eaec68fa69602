"""Picture files in memory as decoders read them: not endlessly, and with damage noticed that a JPEG decoder hides.

After a wrong bit a decoder loses synchronisation and mostly reaches the last block too early or too late. The picture
then has shifted colours or displaced parts. libjpeg only warns about this on stderr, so the number of bytes that the
decoder asks for is counted instead. Damage after which the decoder synchronises again at the same block stays unseen.
"""

import io
import re
from collections.abc import Iterator


class BoundedReader(io.BytesIO):
    """A file in memory that raises ValueError after `max_reads` reads; 200 MB of PNG in 8 KB chunks need a quarter."""

    def __init__(self, data: bytes, *, max_reads: int = 300_000) -> None:
        super().__init__(data)
        self._reads_left = max_reads

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes, as `io.BytesIO.read` does."""
        self._reads_left -= 1
        if self._reads_left < 0:
            raise ValueError("it is made of too many pieces")
        return super().read(size)


class JpegReader(BoundedReader):
    """A file in memory; after decoding, `is_damaged` tells whether a baseline JPEG's coded data has a wrong length."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._end = _find_end_of_coded_data(data)
        tail = data[max(self._end - 64, 0) : max(self._end, 0)]
        # No decoder can finish without the last 2 bytes.
        self._last_offset = self._end - len(tail) + len(tail.rstrip(b"\x00\xff")) - 2
        self._reached_end, self._padding_bytes = False, 0

    @property
    def is_damaged(self) -> bool:
        """True if the decoder stopped before the data ended, or needed more than there is.

        An intact file may use 32 bytes of padding. Decoders read 8 bytes ahead, 16 here; some cameras omit a few.
        """
        return self._end >= 0 and (not self._reached_end or self._padding_bytes > 32)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes; the coded data is followed by ones, with which encoders pad the last byte."""
        position, padding = self.tell(), b"\xff\x00" * 4
        if self._end < 0 or size is None or size < 0 or position + size <= self._last_offset or position > self._end:
            return super().read(size)
        if position < self._last_offset:
            return super().read(self._last_offset - position)
        self._reached_end = True
        if position < self._end:
            return super().read(min(size, len(padding), self._end - position))
        if self._padding_bytes < 48:
            self._padding_bytes += len(padding)
            return padding
        return super().read(size)


def _find_end_of_coded_data(data: bytes) -> int:
    """Return the offset of the end marker of a baseline JPEG with one scan; -1 for other files."""
    components = b""
    for kind, start in iterate_jpeg_markers(data) if data.startswith(b"\xff\xd8") else ():
        if kind in (0xC0, 0xC1):  # start of a baseline frame
            components = data[start + 9 : start + 10]
        if kind == 0xDA:  # start of scan
            if data[start + 4 : start + 5] != components:
                return -1
            end = re.compile(rb"\xff\xd9").search(data, start)  # takes half the time of `bytes.find`
            return end.start() if end else -1
    return -1


def iterate_jpeg_markers(data: bytes, *, max_markers: int = 100_000) -> Iterator[tuple[int, int]]:
    """Yield kind and offset of each marker in a JPEG up to the end of the image; another picture may follow.

    Raises ValueError after `max_markers`: photos have hundreds, and each costs a microsecond.
    """
    marker = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")  # neither stuffing nor a restart (ITU T.81, B.1.1)
    position = 2
    for _ in range(max_markers):
        match = marker.search(data, position)
        if match is None or match[0] == b"\xff\xd9":  # end of image
            return
        yield match[0][1], match.start()
        position = match.end() + int.from_bytes(data[match.end() : match.end() + 2], "big")
    raise ValueError("it is made of too many pieces")
