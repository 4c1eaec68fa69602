"""Generated picture files that are broken or hostile, and the cost of opening one.

A file may give a picture or a KdvisionError with a hint, within MAX_SECONDS of processor time and MAX_MEGABYTES.
"""

import io
import struct
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import pillow_heif
from PIL import Image, ImageCms

from kdvision.errors import KdvisionError
from kdvision.vision.image.limits import MAX_PIXELS, MAX_WEBP_PIXELS, MAX_WHOLE_PIXELS
from kdvision.vision.image.photo import Photo
from tests.memory import get_peak_megabytes

MAX_SECONDS: Final = 5.0
MAX_MEGABYTES: Final = 800.0
"""The largest growth of the process. With the memory of a new process it stays below the gigabyte that
docs/reliability.md promises."""
FORMATS: Final = ("JPEG", "progressive", "PNG", "WEBP", "TIFF", "HEIF", "GIF", "BMP", "AVIF")
"""Formats of good files; `progressive` is a JPEG in several passes."""
PNG: Final = b"\x89PNG\r\n\x1a\n"
ALMOST_TOO_LARGE: Final = (7_900, 7_900)
"""A size just below the limit for files that are decoded as a whole."""


class HostileFile(NamedTuple):
    """A file that somebody may send. The content of a large file is made on demand. Only long runs open slow files."""

    name: str
    content: bytes | Callable[[], bytes]
    is_slow: bool = False

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return self.content if isinstance(self.content, bytes) else self.content()


class Outcome(NamedTuple):
    """The result of opening a file, which is the size of the picture or the error, and its cost. Harm is a bug."""

    name: str
    result: str
    seconds: float
    megabytes: float
    is_harmful: bool


def open_fully(file: HostileFile) -> str:
    """Decode all pixels of a file and describe them."""
    photo = Photo.open(file.data, name=file.name)
    return f"{photo.width} x {photo.height}, mean {photo.pixels.mean():.0f}"


def attempt(file: HostileFile, *, action: Callable[[HostileFile], str] = open_fully) -> Outcome:
    """Return the outcome of an action on a file; an escaped exception and an error without a hint are harmful."""
    file = file._replace(content=file.data)  # generating the file is not measured
    before, start = get_peak_megabytes(reset=True), time.process_time()
    try:
        result, is_harmful = action(file), False
    except KdvisionError as error:
        result, is_harmful = f"{type(error).__name__}: {error}", not error.hint or "\n" in str(error)
    except BaseException as error:  # noqa: BLE001 - the test looks for exactly these
        result, is_harmful = f"{type(error).__name__} escaped: {error}", True
    seconds, megabytes = time.process_time() - start, get_peak_megabytes() - before
    is_harmful |= seconds > MAX_SECONDS or megabytes > MAX_MEGABYTES
    return Outcome(file.name, result, seconds, megabytes, is_harmful)


# Files that an encoder wrote.


def make_picture(size: tuple[int, int]) -> Image.Image:
    """Return a picture that does not compress well: colour gradients with noise."""
    x, y = np.meshgrid(np.linspace(0, 200, size[0]), np.linspace(0, 200, size[1]))
    noise = np.random.default_rng(0).normal(0, 20, (size[1], size[0], 3))
    return Image.fromarray(np.clip(np.dstack([x, y, 200 - x]) + noise, 0, 255).astype(np.uint8))


def save(image: Image.Image, kind: str, **options: Any) -> bytes:
    """Return the picture as a file of one of the FORMATS."""
    pillow_heif.register_heif_opener()
    out = io.BytesIO()
    if kind == "progressive":
        exif = Image.Exif()
        exif[0x0112] = 6  # turned by a quarter
        options |= {"progressive": True, "exif": exif}
    image.save(out, "JPEG" if kind == "progressive" else kind, **options)
    return out.getvalue()


def make_good_files(size: tuple[int, int]) -> dict[str, bytes]:
    """Return a good file of each format that can be written on this system."""
    Image.init()
    kinds = [kind for kind in FORMATS if kind in ("progressive", "HEIF") or kind in Image.SAVE]
    return {kind: save(make_picture(size), kind) for kind in kinds}


def make_truncated_files(kind: str, data: bytes, step: int) -> Iterator[HostileFile]:
    """Yield the file cut at every `step` bytes and within its last three."""
    for length in [*range(0, len(data), step), *range(len(data) - 3, len(data))]:
        yield HostileFile(f"cut-{length}.{kind}", data[:length])


def make_odd_colours(image: Image.Image) -> Iterator[HostileFile]:
    """Yield pictures in unusual modes, with impossible values, and with colour profiles that do not fit."""
    srgb, lab = (ImageCms.ImageCmsProfile(ImageCms.createProfile(name)).tobytes() for name in ("sRGB", "LAB"))
    profiles = {
        **{"srgb": srgb, "lab": lab, "cut": srgb[:300], "none": b"none", "zeros": bytes(4000), "swapped": srgb[::-1]},
        "broken": srgb[:128] + b"\xff" * 4 + srgb[132:],
        "link": srgb[:12] + b"link" + srgb[16:],
        **{name: srgb[:16] + name.encode() + srgb[20:] for name in ("CMYK", "GRAY")},
    }
    modes = [("RGB", "JPEG"), ("L", "JPEG"), ("CMYK", "JPEG"), ("RGB", "PNG"), ("LA", "PNG"), ("P", "PNG")]
    for name, profile in profiles.items():
        for mode, kind in modes:
            data = save(image.convert(mode), kind, icc_profile=profile)
            yield HostileFile(f"profile-{name}-{mode}.{kind.lower()}", data)
    for mode in ("1", "I;16", "F", "LAB", "CMYK", "YCbCr", "RGBA", "PA"):
        source = {"1": "L", "I;16": "L", "F": "L", "PA": "RGBA"}.get(mode, "RGB")
        converted_image = image.convert(source) if mode == "LAB" else image.convert(source).convert(mode)
        yield HostileFile(f"mode-{mode.replace(';', '')}.tif", save(converted_image, "TIFF"))
    for name, value in (("nan", np.nan), ("inf", np.inf), ("negative", -1e30), ("huge", 1e38), ("plain", 0.0)):
        floats = np.array(image.convert("F"))
        floats[::3] = value
        yield HostileFile(f"floats-{name}.tif", save(Image.fromarray(floats), "TIFF"))


def make_animations(size: tuple[int, int]) -> Iterator[HostileFile]:
    """Yield files of several frames; the first one is the picture."""
    frames = [Image.new("RGB", size, (number % 256, 90, 40)) for number in range(40)]
    for kind in ("GIF", "PNG", "WEBP", "TIFF"):
        yield HostileFile(f"film.{kind.lower()}", save(frames[0], kind, save_all=True, append_images=frames[1:]))
    yield HostileFile("film.mpo", save(make_picture(size), "MPO", save_all=True, append_images=frames[:5]))


def make_largest_files() -> Iterator[HostileFile]:
    """Yield pictures of one colour at the largest accepted size: small files, hundreds of megabytes of pixels."""
    webp: dict[str, Any] = {"quality": 0, "method": 0}
    for name, kind, mode, pixels, options in (
        ("jpg", "JPEG", "RGB", MAX_PIXELS, {}),
        ("cmyk.jpg", "JPEG", "CMYK", MAX_WHOLE_PIXELS, {}),
        ("fine.jpg", "JPEG", "RGB", MAX_PIXELS, {"subsampling": 0}),
        ("progressive.jpg", "JPEG", "RGB", MAX_WHOLE_PIXELS, {"progressive": True}),
        ("webp", "WEBP", "RGB", MAX_WEBP_PIXELS, webp),
        ("lossless.webp", "WEBP", "RGBA", MAX_WEBP_PIXELS, {**webp, "lossless": True}),
        ("gif", "GIF", "P", MAX_WHOLE_PIXELS, {}),
        ("lzw.tif", "TIFF", "RGBA", MAX_WHOLE_PIXELS, {"compression": "tiff_lzw"}),
        ("cmyk.tif", "TIFF", "CMYK", MAX_WHOLE_PIXELS, {"compression": "packbits"}),
    ):
        yield HostileFile(
            f"largest.{name}", partial(_save_single_colour, kind, mode, int(pixels**0.5), options), is_slow=True
        )


def _save_single_colour(kind: str, mode: str, side: int, options: dict[str, Any]) -> bytes:
    return save(Image.new(mode, (side, side)), kind, **options)


# Good files with other headers, and other files with names of pictures.


def make_misnamed_files(good_files: dict[str, bytes]) -> Iterator[HostileFile]:
    """Yield files that are not pictures, pictures followed by other data, and headers of one format on another."""
    zip_buffer = io.BytesIO()
    with zipfile.ZipFile(zip_buffer, "w") as archive:
        archive.writestr("photo.jpg", good_files["JPEG"])
    jpeg, page = good_files["JPEG"], b"<!doctype html><title>404</title><p>Not found" + b" " * 5000
    contents = {
        "zip": zip_buffer.getvalue(),
        "html": page,
        "svg": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
        "laughs.svg": b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><svg>&b;</svg>',
        **{"empty": b"", "byte": b"\xff", "nuls": bytes(100_000), "pdf": b"%PDF-1.7\n" + page},
        "ps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        **{"gz": b"\x1f\x8b\x08" + bytes(500), "elf": b"\x7fELF" + bytes(500)},
        "mp4": b"\0\0\0\x18ftypmp42" + bytes(999),
        "heic-header": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(500),
        "avif-header": b"\0\0\0\x1cftypavif" + bytes(50),
        "zip-behind": jpeg + zip_buffer.getvalue(),
        "film-behind": jpeg + b"\0\0\0\x18ftypmp42" + bytes(100_000),
        **{"two": jpeg + jpeg, "soi": b"\xff\xd8", "sois": b"\xff\xd8\xff" * 10_000, "gif-script": b"GIF89a/*" + page},
    }
    yield from (HostileFile(f"{name}.jpg", data) for name, data in contents.items())
    heads = {"JPEG": b"\xff\xd8\xff\xe0", "PNG": PNG, "GIF": b"GIF89a", "TIFF": b"II*\0", "BMP": b"BM"}
    for head, magic in {**heads, "WEBP": b"RIFF\0\0\0\0WEBP"}.items():
        for body, data in good_files.items():
            if body != head:
                yield HostileFile(f"{head}-on-{body}.jpg", magic + data[len(magic) :])


def make_changed_headers(good_files: dict[str, bytes]) -> Iterator[HostileFile]:
    """Yield good files whose headers claim another JPEG type, another size, or a frame outside the picture."""
    jpeg = good_files["JPEG"]
    frame = jpeg.index(b"\xff\xc0")
    for kind in (0xC1, 0xC2, 0xC3, 0xC5, 0xC9, 0xCA, 0xCD, 0xCF):
        yield HostileFile(f"frame-{kind:x}.jpg", _patch(jpeg, frame + 1, bytes([kind])))
    for name, at, value in (
        *(("12-bits", 4, b"\x0c"), ("no-height", 5, b"\0\0"), ("tall", 5, b"\xff\xff"), ("wide", 7, b"\xff\xff")),
        *(("one-component", 9, b"\1"), ("four-components", 9, b"\4"), ("many-components", 9, b"\xff")),
        *(("no-sampling", 11, b"\0"), ("odd-sampling", 11, b"\x43"), ("no-table", 12, b"\x07")),
    ):
        yield HostileFile(f"{name}.jpg", _patch(jpeg, frame + at, value))
    yield HostileFile("restarts.jpg", jpeg[:frame] + b"\xff\xdd\0\4\0\1" + jpeg[frame:])
    yield HostileFile("no-codes.jpg", jpeg.replace(b"\xff\xc4", b"\xff\xfe"))
    sizes = ((60_000, 60_000), (1, 1), (0, 0), (2**32 - 1, 2**32 - 1), (10_900, 10_900))
    for name in ("HEIF", "AVIF"):
        data = good_files.get(name, b"")
        for size in sizes if b"ispe" in data else ():
            content = _patch(data, data.index(b"ispe") + 8, struct.pack(">II", *size))
            yield HostileFile(f"size-{size[0]}.{name.lower()}", content)
    gif = good_files["GIF"]
    at = gif.index(b"\x2c\0\0\0\0")
    frame_position = struct.pack("<HHHH", 60_000, 60_000, 9000, 9000)
    yield HostileFile("frame-off-screen.gif", _patch(gif, at + 1, frame_position))
    yield HostileFile("frame-too-large.gif", _patch(gif, at + 5, struct.pack("<HH", 65_535, 65_535)))
    canvas = b"VP8X\x0a\0\0\0\x02\0\0\0" + b"\xff\x3f\0" * 2
    yield HostileFile("canvas.webp", b"RIFF" + struct.pack("<I", 4 + len(canvas)) + b"WEBP" + canvas)


def _patch(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]
