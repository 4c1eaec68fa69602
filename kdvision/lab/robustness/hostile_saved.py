"""Picture files that an encoder wrote: of the largest size that is let in, and then changed where it counts."""

import io
import struct
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from PIL import Image

from kdvision.lab.robustness.hostile_bombs import File
from kdvision.vision.image.limits import MAX_PIXELS, MAX_WEBP_PIXELS, MAX_WHOLE_PIXELS

LARGEST: Final[tuple[tuple[str, str, str, int, dict[str, Any]], ...]] = (
    ("jpg", "JPEG", "RGB", MAX_PIXELS, {}),
    ("cmyk.jpg", "JPEG", "CMYK", MAX_PIXELS, {}),
    ("fine.jpg", "JPEG", "RGB", MAX_PIXELS, {"subsampling": 0}),
    ("progressive.jpg", "JPEG", "RGB", MAX_WHOLE_PIXELS, {"progressive": True}),
    ("webp", "WEBP", "RGB", MAX_WEBP_PIXELS, {"quality": 0, "method": 0}),
    ("lossless.webp", "WEBP", "RGBA", MAX_WEBP_PIXELS, {"lossless": True, "quality": 0, "method": 0}),
    ("gif", "GIF", "P", MAX_WHOLE_PIXELS, {}),
    ("lzw.tif", "TIFF", "RGBA", MAX_WHOLE_PIXELS, {"compression": "tiff_lzw"}),
    ("cmyk.tif", "TIFF", "CMYK", MAX_WHOLE_PIXELS, {"compression": "packbits"}),
)
"""The end of the name, the format, the mode, so many pixels, and the encoder's options."""


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    """The picture as a file of this kind."""
    import pillow_heif

    pillow_heif.register_heif_opener()
    out = io.BytesIO()
    more = {"progressive": True, "exif": _exif(6)} if kind == "progressive" else {}
    image.save(out, "JPEG" if kind == "progressive" else kind, **more, **options)
    return out.getvalue()


def _exif(orientation: int) -> Image.Exif:
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


def largest() -> Iterator[File]:
    """Yield pictures of one colour, as large as is let in: a file of some bytes, hundreds of megabytes of pixels."""
    for name, kind, mode, pixels, options in LARGEST:
        yield File(f"largest.{name}", partial(_plain, kind, mode, int(pixels**0.5), options), heavy=True)


def _plain(kind: str, mode: str, side: int, options: dict[str, Any]) -> bytes:
    return saved(Image.new(mode, (side, side)), kind, **options)


def changed(good: dict[str, bytes]) -> Iterator[File]:
    """Yield good files whose headers say something else: other kinds of JPEG, other sizes, frames off the picture."""
    jpeg = good["JPEG"]
    frame = jpeg.index(b"\xff\xc0")
    for kind in (0xC1, 0xC2, 0xC3, 0xC5, 0xC9, 0xCA, 0xCD, 0xCF):
        yield File(f"frame-{kind:x}.jpg", _patched(jpeg, frame + 1, bytes([kind])))
    for name, at, value in (
        ("12-bits", 4, b"\x0c"),
        ("no-height", 5, b"\0\0"),
        ("tall", 5, b"\xff\xff"),
        ("wide", 7, b"\xff\xff"),
        ("one-component", 9, b"\1"),
        ("four-components", 9, b"\4"),
        ("many-components", 9, b"\xff"),
        ("no-sampling", 11, b"\0"),
        ("odd-sampling", 11, b"\x43"),
        ("no-table", 12, b"\x07"),
    ):
        yield File(f"{name}.jpg", _patched(jpeg, frame + at, value))
    yield File("restarts.jpg", jpeg[:frame] + b"\xff\xdd\0\4\0\1" + jpeg[frame:])
    yield File("no-codes.jpg", jpeg.replace(b"\xff\xc4", b"\xff\xfe"))
    for name in ("HEIF", "AVIF"):
        data = good.get(name, b"")
        for size in (
            ((60_000, 60_000), (1, 1), (0, 0), (2**32 - 1, 2**32 - 1), (10_900, 10_900)) if b"ispe" in data else ()
        ):
            place = data.index(b"ispe") + 8
            yield File(f"says-{size[0]}.{name.lower()}", _patched(data, place, struct.pack(">II", *size)))
    if b"\x2c" in (gif := good.get("GIF", b"")):
        place = gif.index(b"\x2c\0\0\0\0")
        yield File(
            "frame-off-the-screen.gif", _patched(gif, place + 1, struct.pack("<HHHH", 60_000, 60_000, 9000, 9000))
        )
        yield File("frame-larger-than-screen.gif", _patched(gif, place + 5, struct.pack("<HH", 65_535, 65_535)))
    canvas = b"VP8X\x0a\0\0\0\x02\0\0\0" + b"\xff\x3f\0" * 2
    yield File("film-canvas.webp", b"RIFF" + struct.pack("<I", 4 + len(canvas)) + b"WEBP" + canvas)


def _patched(data: bytes, place: int, value: bytes) -> bytes:
    return data[:place] + value + data[place + len(value) :]
