"""Picture files built to cost minutes or gigabytes, written by hand because no encoder would."""

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

PNG: Final = b"\x89PNG\r\n\x1a\n"
HUGE: Final = (60_000, 60_000)
"""A size nobody could hold."""
ALLOWED: Final = (7_900, 7_900)
"""A size just under the limit for files that are decoded whole."""


class File(NamedTuple):
    """A file that somebody may send as a photo; `heavy` ones are left out where there is little time."""

    name: str
    made: bytes | Callable[[], bytes]
    heavy: bool = False

    @property
    def data(self) -> bytes:
        """The bytes of the file, those of large ones made when they are wanted."""
        return self.made if isinstance(self.made, bytes) else self.made()


def bombs(jpeg: bytes) -> Iterator[File]:
    """Yield them all; those that hide in a JPEG are made from a good one."""
    yield from giants()
    yield from deflated()
    yield from slow_ways()
    yield from segments(jpeg)
    yield from chunks()
    yield from directories(jpeg)


# Sizes.


def giants() -> Iterator[File]:
    """Yield headers that promise more pixels than anybody has, with nothing behind them."""
    for width, height in (HUGE, (65_535, 65_535), (2**31 - 1, 2**31 - 1), (1, 2**31 - 1), (0, 0), (64, 0)):
        size = f"{width}x{height}"
        yield File(f"giant-{size}.png", png(width, height, b""))
        yield File(f"giant-{size}.bmp", bmp(width % 2**31, height % 2**31, b""))
        yield File(f"giant-{size}.tif", tiff([(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (273, 4, 1, 8)]))
        yield File(f"giant-{size}.ppm", b"P6 %d %d 255\n" % (width, height))
        if max(width, height) < 2**16:
            yield File(f"giant-{size}.gif", gif(width, height, b"\x02\x01\x2c\x00"))
            yield File(f"giant-{size}.jpg", jpeg_frame(width, height))
    yield File("giant.webp", b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff" * 6)
    yield File("giant-long-digits.ppm", b"P6 " + b"9" * 500_000 + b" 5 255\n")


def deflated() -> Iterator[File]:
    """Yield small files that unpack to very much."""
    for kind, name, samples in ((0, "grey", 1), (2, "colour", 3), (6, "alpha", 4), (4, "grey-alpha", 2)):
        for depth in (8, 16):
            yield File(f"bomb-{name}-{depth}.png", partial(_unpacking, kind, samples, depth), heavy=True)
    yield File("bomb-deflate.tif", _unpacking_tiff, heavy=True)
    body, much = zlib.compress(b"\0" * 101 * 100), zlib.compress(bytes(20_000_000))
    yield File("bomb-text.png", png(100, 100, body, extra=chunk(b"zTXt", b"Comment\0\0" + much)))
    yield File("bomb-profile.png", png(100, 100, body, extra=chunk(b"iCCP", b"p\0\0" + much)))
    yield File("bomb-more-rows.png", png(100, 100, much))


def _unpacking(kind: int, samples: int, depth: int) -> bytes:
    width, height = ALLOWED
    return png(width, height, zlib.compress(bytes(height * (1 + width * samples * depth // 8))), kind=kind, depth=depth)


def _unpacking_tiff() -> bytes:
    width, height = ALLOWED
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1)]
    return tiff(tags, strip=zlib.compress(bytes(width * height)))


def slow_ways() -> Iterator[File]:
    """Yield files in ways of storing that are decoded pixel by pixel."""
    yield File("slow-plain.ppm", b"P3 3000 3000 255\n" + b"0 " * 9_000_000)
    yield File("slow-plain-short.ppm", b"P3 8000 8000 255\n" + b"0 " * 1_000)
    yield File("slow-odd-range.ppm", b"P6 4000 4000 254\n" + bytes(48_000_000))
    yield File("slow-runs.bmp", bmp(4000, 4000, b"\x01\x07" * 4_000_000, compression=1, bits=8))
    yield File("slow-runs-without-end.bmp", bmp(7000, 7000, b"\0\x02\0\0" * 100_000, compression=1, bits=8))
    yield File("slow-clear-codes.gif", gif(5000, 5000, b"\x08" + (b"\xff" + b"\x80" * 255) * 4000 + b"\0"))


# Metadata.


def segments(jpeg: bytes) -> Iterator[File]:
    """Yield JPEGs with too many segments before the picture, or too many passes over it."""
    empty, full = b"\xff\xfe\0\x02", b"\xff\xe1\xff\xff" + b"Exif\0\0".ljust(65_533, b"\0")
    yield File("comments.jpg", lambda: jpeg[:2] + empty * 1_000_000 + jpeg[2:])
    yield File("comments-without-end.jpg", lambda: jpeg[:2] + empty * 2_000_000)
    yield File("fill-bytes.jpg", jpeg[:2] + b"\xff" * 4_000_000 + jpeg[2:])
    yield File("junk-bytes.jpg", jpeg[:2] + b"\0" * 4_000_000 + jpeg[2:])
    yield File("exif-segments.jpg", lambda: jpeg[:2] + full * 900 + jpeg[2:])
    yield File("exif-few-segments.jpg", lambda: jpeg[:2] + full * 90 + jpeg[2:])
    profile = b"".join(
        b"\xff\xe2\xff\xff" + (b"ICC_PROFILE\0" + bytes([n, 255])).ljust(65_533, b"\1") for n in range(255)
    )
    yield File("profile-segments.jpg", jpeg[:2] + profile + jpeg[2:])
    xmp = b"\xff\xe1\xff\xff" + b"http://ns.adobe.com/xap/1.0/\0".ljust(65_533, b"<")
    yield File("xmp.jpg", jpeg[:2] + xmp * 200 + jpeg[2:])
    photoshop = (
        b"\xff\xed\xff\xff" + (b"Photoshop 3.0\0" + b"8BIM\4\4\0\0\0\0\0\0" * 5000).ljust(65_533, b"\0")[:65_533]
    )
    yield File("photoshop.jpg", jpeg[:2] + photoshop * 50 + jpeg[2:])
    yield File("passes.jpg", passes(8000, 7900, 20_000))
    yield File("passes-allowed.jpg", passes(8000, 7900, 90), heavy=True)


def chunks() -> Iterator[File]:
    """Yield PNGs of very many chunks."""
    body = zlib.compress(b"\0" * 101 * 100)
    yield File("chunks.png", lambda: png(100, 100, body, extra=chunk(b"tEXt", b"a\0b") * 1_000_000))
    yield File("chunks-unknown.png", lambda: png(100, 100, body, extra=chunk(b"prVt", b"") * 1_000_000))
    pieces = b"".join(chunk(b"IDAT", body[i : i + 1]) for i in range(len(body)))
    yield File("chunks-of-one-byte.png", PNG + _header(100, 100) + pieces + chunk(b"IEND", b""))
    empty = chunk(b"IDAT", b"") * 1_000_000
    yield File("chunks-empty.png", PNG + _header(100, 100) + empty + chunk(b"IDAT", body) + chunk(b"IEND", b""))
    frames = (
        chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0)) + chunk(b"fcTL", struct.pack(">6IHHBB", *[0] * 10)) * 50_000
    )
    yield File("frames.png", png(100, 100, body, extra=frames))


def directories(jpeg: bytes) -> Iterator[File]:
    """Yield EXIF and TIFF directories that lie about themselves: endless, circular, deep."""
    many = struct.pack("<H", 65_535) + struct.pack("<HHII", 270, 2, 4, 0) * 5_400
    huge = struct.pack("<H", 3) + struct.pack("<HHII", 274, 3, 2**32 - 1, 8) + struct.pack("<HHII", 270, 2, 2**31, 8)
    circle = struct.pack("<H", 2) + struct.pack("<HHII", 0x8769, 4, 1, 8) + struct.pack("<HHII", 0x014A, 4, 1, 8)
    circle += struct.pack("<I", 8)
    deep = b"".join(
        struct.pack("<H", 1) + struct.pack("<HHII", 0x8769, 4, 1, 8 + 18 * (n + 1)) + bytes(4) for n in range(3000)
    )
    for name, directory in (("many", many), ("huge", huge), ("circle", circle), ("deep", deep), ("none", b"")):
        exif = b"Exif\0\0II*\0\x08\0\0\0" + directory
        segment = b"\xff\xe1" + struct.pack(">H", min(len(exif) + 2, 65_535)) + exif[:65_533]
        yield File(f"exif-{name}.jpg", jpeg[:2] + segment + jpeg[2:])
        yield File(f"directory-{name}.tif", b"II*\0\x08\0\0\0" + directory)
    for orientation in (0, 9, 65_535):
        exif = b"Exif\0\0II*\0\x08\0\0\0\1\0" + struct.pack("<HHIHH", 274, 3, 1, orientation, 0) + bytes(4)
        yield File(
            f"exif-turned-{orientation}.jpg",
            jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:],
        )
    strips = [(256, 4, 1, 64), (257, 4, 1, 2**20), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (278, 3, 1, 1)]
    yield File("strips.tif", tiff([*strips, (273, 4, 2**20, 8), (279, 4, 2**20, 8)]))


# Writing.


def chunk(kind: bytes, body: bytes) -> bytes:
    """A PNG chunk."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _header(width: int, height: int, depth: int = 8, kind: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))


def png(width: int, height: int, body: bytes, *, kind: int = 0, depth: int = 8, extra: bytes = b"") -> bytes:
    """A PNG around deflated rows."""
    return PNG + _header(width, height, depth, kind) + extra + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def bmp(width: int, height: int, body: bytes, *, compression: int = 0, bits: int = 24) -> bytes:
    """A BMP around its rows."""
    palette = bytes(range(256)) * 4 if bits == 8 else b""
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, 0, 0, 0, 0, 0) + palette
    return b"BM" + struct.pack("<IHHI", 14 + len(info) + len(body), 0, 0, 14 + len(info)) + info + body


def tiff(tags: list[tuple[int, int, int, int]], strip: bytes = b"") -> bytes:
    """A little-endian TIFF of one directory, its strip behind it where there is one."""
    at = 8 + 2 + 12 * (len(tags) + 2 * bool(strip)) + 4
    tags = sorted([*tags, *([(273, 4, 1, at), (279, 4, 1, len(strip))] if strip else [])])
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return b"II*\0\x08\0\0\0" + directory + bytes(4) + strip


def gif(width: int, height: int, body: bytes) -> bytes:
    """A GIF of one frame around its LZW blocks (the code size comes first)."""
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0)
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + frame + body + b"\x3b"


def jpeg_frame(width: int, height: int, kind: int = 0xC0) -> bytes:
    """The beginning of a grey JPEG, up to where its tables and scans would come."""
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0"
    return (
        b"\xff\xd8\xff\xdb\0\x43\0" + b"\1" * 64 + b"\xff" + bytes([kind]) + struct.pack(">H", len(frame) + 2) + frame
    )


def passes(width: int, height: int, count: int) -> bytes:
    """A progressive JPEG that says in few bytes, over and over, that nothing changes."""
    table = b"\xff\xc4\0\x14\x10\1" + bytes(15) + b"\xe0"  # one code: the end of bands for 16384 blocks and more
    dc = b"\xff\xc4\0\x14\0\1" + bytes(15) + b"\0"
    blocks = -(-width // 8) * -(-height // 8)
    first = b"\xff\xda\0\x08\1\1\0\0\0\0" + bytes(-(-blocks // 8))
    scan = b"\xff\xda\0\x08\1\1\0\1\x3f\0" + b"\x00" * (-(-blocks // 16_384) * 2 + 2)
    return jpeg_frame(width, height, 0xC2) + dc + table + first + scan * count + b"\xff\xd9"
