"""Small picture files that would cost minutes or gigabytes, written by hand because no encoder writes them."""

import struct
import zlib
from collections.abc import Iterator
from functools import partial
from itertools import product

from tests.robustness.hostile_files import ALMOST_TOO_LARGE, PNG, HostileFile


def make_bombs(jpeg: bytes) -> Iterator[HostileFile]:
    """Yield all bombs; those inside a JPEG are made from a good one."""
    yield from make_huge_sizes()
    yield from make_deflate_bombs()
    yield from make_slow_encodings()
    yield from make_jpeg_segments(jpeg)
    yield from make_png_chunks()
    yield from make_lying_directories(jpeg)


def make_huge_sizes() -> Iterator[HostileFile]:
    """Yield headers of huge or empty pictures without any content."""
    for width, height in ((60_000, 60_000), (65_535, 65_535), (2**31 - 1, 2**31 - 1), (1, 2**31 - 1), (0, 0), (64, 0)):
        name = f"huge-{width}x{height}"
        yield HostileFile(f"{name}.png", make_png(width, height, b""))
        yield HostileFile(f"{name}.bmp", make_bmp(width % 2**31, height % 2**31, b""))
        tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (273, 4, 1, 8)]
        yield HostileFile(f"{name}.tif", make_tiff(tags))
        yield HostileFile(f"{name}.ppm", b"P6 %d %d 255\n" % (width, height))
        if max(width, height) < 2**16:
            yield HostileFile(f"{name}.gif", make_gif(width, height, b"\x02\x01\x2c\x00"))
            yield HostileFile(f"{name}.jpg", make_jpeg_frame(width, height))
    yield HostileFile("huge.webp", b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff" * 6)
    yield HostileFile("long-digits.ppm", b"P6 " + b"9" * 500_000 + b" 5 255\n")


def make_deflate_bombs() -> Iterator[HostileFile]:
    """Yield small files that decompress to hundreds of megabytes."""
    for (kind, name, samples), depth in product(((0, "grey", 1), (2, "colour", 3), (6, "alpha", 4)), (8, 16)):
        yield HostileFile(f"bomb-{name}-{depth}.png", partial(_make_png_bomb, kind, samples, depth), is_slow=True)
    yield HostileFile("bomb-deflate.tif", _make_tiff_bomb, is_slow=True)
    rows, zeros = zlib.compress(b"\0" * 101 * 100), zlib.compress(bytes(20_000_000))
    yield HostileFile("bomb-text.png", make_png(100, 100, rows, extra=make_chunk(b"zTXt", b"Comment\0\0" + zeros)))
    yield HostileFile("bomb-profile.png", make_png(100, 100, rows, extra=make_chunk(b"iCCP", b"p\0\0" + zeros)))
    yield HostileFile("bomb-more-rows.png", make_png(100, 100, zeros))


def _make_png_bomb(kind: int, samples: int, depth: int) -> bytes:
    width, height = ALMOST_TOO_LARGE
    rows = zlib.compress(bytes(height * (1 + width * samples * depth // 8)))
    return make_png(width, height, rows, kind=kind, depth=depth)


def _make_tiff_bomb() -> bytes:
    width, height = ALMOST_TOO_LARGE
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1)]
    return make_tiff(tags, strip=zlib.compress(bytes(width * height)))


def make_slow_encodings() -> Iterator[HostileFile]:
    """Yield encodings that are decoded pixel by pixel."""
    yield HostileFile("slow-plain.ppm", lambda: b"P3 3000 3000 255\n" + b"0 " * 9_000_000)
    yield HostileFile("slow-plain-short.ppm", b"P3 8000 8000 255\n" + b"0 " * 1_000)
    yield HostileFile("slow-odd-range.ppm", lambda: b"P6 4000 4000 254\n" + bytes(48_000_000))
    yield HostileFile("slow-runs.bmp", lambda: make_bmp(4000, 4000, b"\x01\x07" * 4_000_000, compression=1, bits=8))
    yield HostileFile("slow-runs-endless.bmp", make_bmp(7000, 7000, b"\0\x02\0\0" * 100_000, compression=1, bits=8))
    yield HostileFile("slow-clear-codes.gif", make_gif(5000, 5000, b"\x08" + (b"\xff" + b"\x80" * 255) * 4000 + b"\0"))


def make_jpeg_segments(jpeg: bytes) -> Iterator[HostileFile]:
    """Yield JPEGs with too many segments before the picture, or too many passes over it."""
    segments = {
        "comments": lambda: b"\xff\xfe\0\x02" * 1_000_000,
        "fill-bytes": lambda: b"\xff" * 4_000_000,
        "junk-bytes": lambda: b"\0" * 4_000_000,
        "exif-many": lambda: make_segment(0xE1, b"Exif\0\0") * 900,
        "exif-few": lambda: make_segment(0xE1, b"Exif\0\0") * 90,
        "profile": lambda: b"".join(make_segment(0xE2, b"ICC_PROFILE\0" + bytes([n, 255])) for n in range(255)),
        "xmp": lambda: make_segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0", fill=b"<") * 200,
        "photoshop": lambda: make_segment(0xED, b"Photoshop 3.0\0" + b"8BIM\4\4\0\0\0\0\0\0" * 5000) * 50,
    }
    for name, make_segments in segments.items():
        yield HostileFile(
            f"{name}.jpg", partial(lambda make_segments: jpeg[:2] + make_segments() + jpeg[2:], make_segments)
        )
    yield HostileFile("comments-endless.jpg", lambda: jpeg[:2] + b"\xff\xfe\0\x02" * 2_000_000)
    yield HostileFile("comments-late.jpg", lambda: make_passes(800, 800, 1)[:-2] + b"\xff\xfe\0\x02" * 5_000_000)
    yield HostileFile("passes.jpg", lambda: make_passes(8000, 7900, 20_000))
    yield HostileFile("passes-allowed.jpg", lambda: make_passes(8000, 7900, 90), is_slow=True)


def make_png_chunks() -> Iterator[HostileFile]:
    """Yield PNGs of a million chunks."""
    rows = zlib.compress(b"\0" * 101 * 100)
    end = make_chunk(b"IEND", b"")
    yield HostileFile(
        "chunks-text.png", lambda: make_png(100, 100, rows, extra=make_chunk(b"tEXt", b"a\0b") * 1_000_000)
    )
    yield HostileFile(
        "chunks-unknown.png", lambda: make_png(100, 100, rows, extra=make_chunk(b"prVt", b"") * 1_000_000)
    )
    single_chunks = b"".join(make_chunk(b"IDAT", rows[i : i + 1]) for i in range(len(rows)))
    yield HostileFile("chunks-of-one-byte.png", make_png_header(100, 100) + single_chunks + end)
    empty_chunks = make_chunk(b"IDAT", b"") * 1_000_000
    yield HostileFile("chunks-empty.png", make_png_header(100, 100) + empty_chunks + make_chunk(b"IDAT", rows) + end)
    frame = make_chunk(b"fcTL", struct.pack(">6IHHBB", *[0] * 10))
    frames = make_chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0)) + frame * 50_000
    yield HostileFile("frames.png", make_png(100, 100, rows, extra=frames))


def make_lying_directories(jpeg: bytes) -> Iterator[HostileFile]:
    """Yield EXIF and TIFF directories that are endless, circular, deep or empty, and impossible orientations."""
    entry = struct.Struct("<HHII").pack
    directories = {
        "many": struct.pack("<H", 65_535) + entry(270, 2, 4, 0) * 5_400,
        "huge": struct.pack("<H", 3) + entry(274, 3, 2**32 - 1, 8) + entry(270, 2, 2**31, 8),
        "circle": struct.pack("<H", 2) + entry(0x8769, 4, 1, 8) + entry(0x014A, 4, 1, 8) + struct.pack("<I", 8),
        "deep": b"".join(b"\1\0" + entry(0x8769, 4, 1, 8 + 18 * (n + 1)) + bytes(4) for n in range(3000)),
        "none": b"",
        **{f"turned-{turn}": b"\1\0" + struct.pack("<HHIHH", 274, 3, 1, turn, 0) + bytes(4) for turn in (0, 9, 65_535)},
    }
    for name, directory in directories.items():
        exif = b"Exif\0\0II*\0\x08\0\0\0" + directory
        head = b"\xff\xe1" + struct.pack(">H", min(len(exif) + 2, 65_535))
        yield HostileFile(f"exif-{name}.jpg", jpeg[:2] + head + exif[:65_533] + jpeg[2:])
        yield HostileFile(f"directory-{name}.tif", b"II*\0\x08\0\0\0" + directory)
    strips = [(256, 4, 1, 64), (257, 4, 1, 2**20), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (278, 3, 1, 1)]
    yield HostileFile("strips.tif", make_tiff([*strips, (273, 4, 2**20, 8), (279, 4, 2**20, 8)]))


def make_segment(marker: int, content: bytes, *, fill: bytes = b"\0") -> bytes:
    """Return a JPEG segment of the largest size that begins with some content."""
    return bytes([0xFF, marker]) + b"\xff\xff" + content[:65_533].ljust(65_533, fill)


def make_chunk(kind: bytes, content: bytes) -> bytes:
    """Return a PNG chunk."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def make_png_header(width: int, height: int, depth: int = 8, kind: int = 0) -> bytes:
    """Return the beginning of a PNG."""
    return PNG + make_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))


def make_png(width: int, height: int, rows: bytes, *, kind: int = 0, depth: int = 8, extra: bytes = b"") -> bytes:
    """Return a PNG around deflated rows."""
    return make_png_header(width, height, depth, kind) + extra + make_chunk(b"IDAT", rows) + make_chunk(b"IEND", b"")


def make_bmp(width: int, height: int, rows: bytes, *, compression: int = 0, bits: int = 24) -> bytes:
    """Return a BMP around its rows."""
    palette = bytes(range(256)) * 4 if bits == 8 else b""
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, 0, 0, 0, 0, 0) + palette
    return b"BM" + struct.pack("<IHHI", 14 + len(info) + len(rows), 0, 0, 14 + len(info)) + info + rows


def make_tiff(tags: list[tuple[int, int, int, int]], strip: bytes = b"") -> bytes:
    """Return a little-endian TIFF of one directory, followed by its strip."""
    at = 8 + 2 + 12 * (len(tags) + 2 * bool(strip)) + 4
    tags = sorted([*tags, *([(273, 4, 1, at), (279, 4, 1, len(strip))] if strip else [])])
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return b"II*\0\x08\0\0\0" + directory + bytes(4) + strip


def make_gif(width: int, height: int, blocks: bytes) -> bytes:
    """Return a GIF of one frame around its LZW blocks."""
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0)
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + frame + blocks + b"\x3b"


def make_jpeg_frame(width: int, height: int, kind: int = 0xC0) -> bytes:
    """Return the beginning of a grey JPEG, up to its tables and scans."""
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0"
    table = b"\xff\xdb\0\x43\0" + b"\1" * 64
    return b"\xff\xd8" + table + bytes([0xFF, kind]) + struct.pack(">H", len(frame) + 2) + frame


def make_passes(width: int, height: int, count: int) -> bytes:
    """Return a progressive JPEG that says in few bytes, `count` times, that nothing changes."""
    ac_table = b"\xff\xc4\0\x14\x10\1" + bytes(15) + b"\xe0"  # one code: end of bands for 16384 blocks
    dc_table = b"\xff\xc4\0\x14\0\1" + bytes(15) + b"\0"
    blocks = -(-width // 8) * -(-height // 8)
    first_scan = b"\xff\xda\0\x08\1\1\0\0\0\0" + bytes(-(-blocks // 8))
    scan = b"\xff\xda\0\x08\1\1\0\1\x3f\0" + bytes(-(-blocks // 16_384) * 2 + 2)
    return make_jpeg_frame(width, height, 0xC2) + dc_table + ac_table + first_scan + scan * count + b"\xff\xd9"
