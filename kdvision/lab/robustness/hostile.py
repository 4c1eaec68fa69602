"""A corpus of broken and hostile picture files, and the ordeal of opening them all.

    python -m kdvision.lab.robustness.hostile            # open every file of the whole corpus; exits with 1 where one does harm
    python -m kdvision.lab.robustness.hostile --read     # and read and draw those that can be opened
    python -m kdvision.lab.robustness.hostile --out DIR  # write the files instead

What may come of a file is a picture or a PhotoError, within 5 seconds of processor time and a gigabyte.
"""

import argparse
import io
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from PIL import Image, ImageCms

from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.game.rules import kingdomino
from kdvision.lab.robustness.hostile_bombs import PNG, File, bombs, passes
from kdvision.lab.robustness.hostile_saved import changed, largest, saved
from kdvision.lab.robustness.memory import peak_so_far
from kdvision.report.build import build_photo_result
from kdvision.report.overlay import draw_overlay
from kdvision.vision.image.photo import Photo

SECONDS: Final = 5.0
MEGABYTES: Final = 1000.0
__all__ = ["File", "bombs", "changed", "corpus", "largest", "passes", "saved"]

KINDS: Final = ("JPEG", "progressive", "PNG", "WEBP", "TIFF", "HEIF", "GIF", "BMP", "AVIF")
"""What good files are broken; `progressive` is a JPEG in several passes."""


class Outcome(NamedTuple):
    """What came of a file: the picture's size or the error in words, and what it cost. `harm` is True for a bug."""

    name: str
    what: str
    seconds: float
    megabytes: float
    harm: bool

    def __str__(self) -> str:
        return f"{'HARM ' * self.harm}{self.name:<34}{self.seconds:7.2f} s{self.megabytes:7.0f} MB  {self.what}"


def corpus(*, step: int = 1024, flips: int = 200, size: tuple[int, int] = (320, 240)) -> Iterator[File]:
    """Yield every file: good ones cut at every `step` bytes, or with bytes turned over `flips` times; all others."""
    good = good_files(size)
    for kind, data in good.items():
        yield File(f"good.{kind.lower()}", data)
        yield from cut(kind.lower(), data, step)
        yield from flipped(kind.lower(), data, flips)
    yield from misnamed(good)
    yield from colours(scene(size))
    yield from animated(size)
    yield from bombs(good["JPEG"])
    yield from changed(good)
    yield from largest()


def good_files(size: tuple[int, int]) -> dict[str, bytes]:
    """A good file of each kind that can be written here."""
    return {kind: saved(scene(size), kind) for kind in KINDS if _writable(kind)}


def scene(size: tuple[int, int]) -> Image.Image:
    """Some picture that does not compress well: colours that run, with noise."""
    rng = np.random.default_rng(0)
    x, y = np.meshgrid(np.linspace(0, 200, size[0]), np.linspace(0, 200, size[1]))
    noise = rng.normal(0, 20, (size[1], size[0], 3))
    return Image.fromarray(np.clip(np.dstack([x, y, 200 - x]) + noise, 0, 255).astype(np.uint8))


def _writable(kind: str) -> bool:
    Image.init()
    return kind in ("progressive", "HEIF") or kind in Image.SAVE


def cut(name: str, data: bytes, step: int) -> Iterator[File]:
    """Yield the file cut short at every `step` bytes, and the last few."""
    for length in [*range(0, len(data), step), *range(len(data) - 3, len(data))]:
        yield File(f"cut-{length}.{name}", data[:length])


def flipped(name: str, data: bytes, count: int) -> Iterator[File]:
    """Yield the file with one to eight bytes turned into others, half the time near the beginning, always the same."""
    rng = np.random.default_rng(len(data))
    for number in range(count):
        turned = bytearray(data)
        reach = min(len(data), 600) if number % 2 else len(data)
        for place in rng.integers(0, reach, int(rng.integers(1, 9))):
            turned[place] ^= int(rng.integers(1, 256))
        yield File(f"flipped-{number}.{name}", bytes(turned))


def misnamed(good: dict[str, bytes]) -> Iterator[File]:
    """Yield what is no picture but called one, heads of one kind on bodies of another, and pictures with a tail."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("photo.jpg", good["JPEG"])
    jpeg, page = good["JPEG"], b"<!doctype html><title>404</title><p>Not found" + b" " * 5000
    svg = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'
    laughs = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><svg>&b;</svg>'
    others = {"zip": packed.getvalue(), "html": page, "svg": svg, "laughs.svg": laughs, "empty": b"", "byte": b"\xff"}
    others |= {
        "nuls": bytes(100_000),
        "pdf": b"%PDF-1.7\n" + page,
        "ps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    }
    others |= {
        "gz": b"\x1f\x8b\x08" + bytes(500),
        "elf": b"\x7fELF" + bytes(500),
        "mp4": b"\0\0\0\x18ftypmp42" + bytes(999),
    }
    others |= {
        "heic-only-a-name": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(500),
        "avif": b"\0\0\0\x1cftypavif" + bytes(50),
    }
    others |= {"tail-of-zip": jpeg + packed.getvalue(), "tail-of-film": jpeg + b"\0\0\0\x18ftypmp42" + bytes(100_000)}
    others |= {
        "two": jpeg + jpeg,
        "soi": b"\xff\xd8",
        "sois": b"\xff\xd8\xff" * 10_000,
        "gif-script": b"GIF89a/*" + page,
    }
    for name, data in others.items():
        yield File(f"{name}.jpg", data)
    heads = {
        "JPEG": b"\xff\xd8\xff\xe0",
        "PNG": PNG,
        "GIF": b"GIF89a",
        "TIFF": b"II*\0",
        "BMP": b"BM",
        "WEBP": b"RIFF\0\0\0\0WEBP",
    }
    for head, magic in heads.items():
        for body, data in good.items():
            if body != head:
                yield File(f"{head}-on-{body}.jpg", magic + data[len(magic) :])


def colours(image: Image.Image) -> Iterator[File]:
    """Yield pictures in odd colours, and with colour profiles that do not fit or are none."""
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    broken = srgb[:128] + b"\xff" * 4 + srgb[132:]
    as_cmyk, as_grey = srgb[:16] + b"CMYK" + srgb[20:], srgb[:16] + b"GRAY" + srgb[20:]
    link = srgb[:12] + b"link" + srgb[16:]
    profiles = {
        "srgb": srgb,
        "lab": lab,
        "cut": srgb[:300],
        "broken": broken,
        "cmyk": as_cmyk,
        "grey": as_grey,
        "link": link,
    }
    profiles |= {"none": b"none", "zeros": bytes(4000), "swapped": srgb[::-1]}
    for name, profile in profiles.items():
        for mode, kind in (
            ("RGB", "JPEG"),
            ("L", "JPEG"),
            ("CMYK", "JPEG"),
            ("RGB", "PNG"),
            ("LA", "PNG"),
            ("P", "PNG"),
        ):
            yield File(f"profile-{name}-{mode}.{kind.lower()}", saved(image.convert(mode), kind, icc_profile=profile))
    for mode in ("1", "I;16", "F", "LAB", "CMYK", "YCbCr", "RGBA", "PA"):
        plain = (
            image.convert("L").convert(mode)
            if mode in ("1", "I;16", "F")
            else image.convert("RGBA" if mode == "PA" else "RGB")
        )
        yield File(f"mode-{mode.replace(';', '')}.tif", saved(plain if mode == "LAB" else plain.convert(mode), "TIFF"))
    grey = saved(image.convert("F"), "TIFF")
    for name, value in (("nan", np.nan), ("inf", np.inf), ("negative", -1e30), ("huge", 1e38)):
        odd = np.array(image.convert("F"))
        odd[::3] = value
        yield File(f"floats-{name}.tif", saved(Image.fromarray(odd), "TIFF"))
    yield File("floats.tif", grey)


def animated(size: tuple[int, int]) -> Iterator[File]:
    """Yield films, whose first is the picture."""
    frames = [Image.new("RGB", size, (n % 256, 90, 40)) for n in range(40)]
    for kind in ("GIF", "PNG", "WEBP", "TIFF"):
        yield File(f"film.{kind.lower()}", saved(frames[0], kind, save_all=True, append_images=frames[1:]))
    yield File("film.mpo", saved(scene(size), "MPO", save_all=True, append_images=frames[:5]))


def looked_at(file: File) -> str:
    """What all of a file's pixels are."""
    photo = Photo.open(file.data, name=file.name)
    return f"{photo.width} x {photo.height}, mean {photo.pixels.mean():.0f}"


def read(file: File) -> str:
    """What the program makes of a file that goes all the way, its picture drawn."""
    photo = Photo.open(file.data, name=file.name)
    reads = pipeline.read(photo)
    size = (photo.width, photo.height)
    draw_overlay(photo, build_photo_result(file.name, size, reads, kingdomino()))
    return f"{photo.width} x {photo.height}, {len(reads)} kingdoms"


def attempt(file: File, *, what_of: Callable[[File], str] = looked_at) -> Outcome:
    """Do this with the file, by default look at all of its pixels; nothing but a KdvisionError may come out instead."""
    file = file._replace(made=file.data)  # making it is not what is timed
    peak_so_far(reset=True)
    start, harm = time.process_time(), False
    try:
        what = what_of(file)
    except KdvisionError as error:
        what, harm = f"{type(error).__name__}: {error}", not error.hint or "\n" in str(error)
    except BaseException as error:  # noqa: BLE001  (that is what is looked for)
        what, harm = f"{type(error).__name__} escaped: {error}", True
    seconds, megabytes = time.process_time() - start, peak_so_far()
    return Outcome(file.name, what, seconds, megabytes, harm or seconds > SECONDS or megabytes > MEGABYTES)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the files here instead of opening them")
    parser.add_argument("--only", default="", metavar="TEXT", help="only files with this in their names")
    parser.add_argument("--all", action="store_true", help="tell of every file, not of harm alone")
    parser.add_argument("--read", action="store_true", help="read what can be opened, and draw it")
    parser.add_argument("--size", type=int, nargs=2, default=(320, 240), help="pixels of the good files")
    given = parser.parse_args(arguments)
    files = (file for file in corpus(size=(given.size[0], given.size[1])) if given.only in file.name)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        for file in files:
            (given.out / file.name).write_bytes(file.data)
        return 0
    outcomes = []
    for file in files:
        outcomes.append(attempt(file, what_of=read if given.read else looked_at))
        if given.all or outcomes[-1].harm:
            print(outcomes[-1], flush=True)
    harm = sum(outcome.harm for outcome in outcomes)
    slowest, most = max(one.seconds for one in outcomes), max(one.megabytes for one in outcomes)
    print(f"{len(outcomes)} files, {harm} did harm; at most {slowest:.2f} s and {most:.0f} MB")
    return int(harm > 0)


if __name__ == "__main__":
    sys.exit(main())
