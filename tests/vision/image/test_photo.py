"""Photos of every format from paths, bytes, open files and arrays."""

import io
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms

from kdvision import pipeline
from kdvision.errors import NoKingdomFound, PhotoError
from kdvision.vision.image.decode import EncodedImage
from kdvision.vision.image.limits import MAX_PIXELS, MIN_SIDE_PIXELS
from kdvision.vision.image.photo import Photo
from tests.paths import SAMPLES
from tests.robustness.bombs import make_png

pillow_heif.register_heif_opener()

HEIGHT, WIDTH = 96, 160
RED, GREEN, BLUE, GREY = (200, 40, 30), (30, 160, 60), (40, 60, 190), (120, 120, 120)
ORIENTATIONS = range(1, 9)


def draw_picture() -> Image.Image:
    """Return four blocks of colour, distinct under every rotation: red and green over blue and grey."""
    pixels = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    pixels[: HEIGHT // 2, : WIDTH // 2], pixels[: HEIGHT // 2, WIDTH // 2 :] = RED, GREEN
    pixels[HEIGHT // 2 :, : WIDTH // 2], pixels[HEIGHT // 2 :, WIDTH // 2 :] = BLUE, GREY
    return Image.fromarray(pixels)


def encode_image(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def store_rotated(image: Image.Image, orientation: int) -> Image.Image:
    """Return the pixels as a camera stores them: the rotation of EXIF 2.32 for this orientation makes them upright."""
    inverses: dict[int, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]] = {
        1: lambda a: a,
        2: lambda a: a[:, ::-1],
        3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1],
        5: lambda a: a.transpose(1, 0, 2),
        6: lambda a: np.rot90(a, 1),
        7: lambda a: a[::-1, ::-1].transpose(1, 0, 2),
        8: lambda a: np.rot90(a, -1),
    }
    return Image.fromarray(np.ascontiguousarray(inverses[orientation](np.asarray(image))))


def make_exif(orientation: int) -> Image.Exif:
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


def assert_shows_picture(photo: Photo, *, tolerance: int = 12) -> None:
    expected = np.asarray(draw_picture()).astype(int)
    assert photo.pixels.dtype == np.uint8
    assert photo.pixels.shape == expected.shape
    # Away from the edges of the blocks, where lossy formats smear.
    for row in (HEIGHT // 4, 3 * HEIGHT // 4):
        for col in (WIDTH // 4, 3 * WIDTH // 4):
            assert np.abs(photo.pixels[row, col].astype(int) - expected[row, col]).max() <= tolerance, (row, col)


def open_from_every_source(data: bytes, folder: Path) -> list[Photo]:
    path = folder / "photo"  # no suffix: the content shows the format
    path.write_bytes(data)
    with path.open("rb") as file:
        return [Photo.open(source) for source in (path, str(path), data, io.BytesIO(data), file)]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "HEIF", "BMP", "PPM"])
def test_a_picture_reads_the_same_open_from_every_source(kind: str, tmp_path: Path) -> None:
    photos = open_from_every_source(encode_image(draw_picture(), kind, quality=95), tmp_path)
    assert len({photo.pixels.tobytes() for photo in photos}) == 1
    assert_shows_picture(photos[0])


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_every_exif_orientation_is_applied(kind: str, orientation: int, tmp_path: Path) -> None:
    data = encode_image(store_rotated(draw_picture(), orientation), kind, exif=make_exif(orientation), quality=95)
    for photo in open_from_every_source(data, tmp_path):
        assert_shows_picture(photo)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("has_boxes", [True, False], ids=["turning boxes and EXIF", "EXIF alone"])
def test_heic_is_rotated_once(orientation: int, has_boxes: bool, tmp_path: Path) -> None:
    tags = make_exif(orientation)
    # For bytes the encoder also writes the file's own rotation boxes, as phones do.
    data = encode_image(
        store_rotated(draw_picture(), orientation), "HEIF", exif=tags.tobytes() if has_boxes else tags, quality=95
    )
    assert (b"irot" in data or b"imir" in data) == (has_boxes and orientation > 1)
    for photo in open_from_every_source(data, tmp_path):
        assert_shows_picture(photo)


def test_damaged_exif_leaves_a_good_picture_as_it_lies() -> None:
    data = encode_image(draw_picture(), "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01\x12", quality=95)
    assert_shows_picture(Photo.open(data))


def test_decoding_leaves_the_filters_of_warnings_which_threads_share(monkeypatch: pytest.MonkeyPatch) -> None:
    open_image, data, filters = Image.open, encode_image(draw_picture(), "JPEG"), [*warnings.filters]

    def check_filters(*args: Any, **options: Any) -> Image.Image:
        assert [*warnings.filters] == filters
        return open_image(*args, **options)

    monkeypatch.setattr(Image, "open", check_filters)
    assert_shows_picture(Photo.open(data))


def test_alpha_is_blended_with_white() -> None:
    image = draw_picture().convert("RGBA")
    image.putalpha(255)
    image.paste((0, 0, 0, 0), (0, 0, WIDTH // 2, HEIGHT // 2))
    pixels = Photo.open(encode_image(image, "PNG")).pixels
    assert tuple(pixels[2, 2]) == (255, 255, 255)
    assert tuple(pixels[2, -3]) == GREEN


def test_half_transparent_black_on_white_is_grey() -> None:
    data = encode_image(Image.new("RGBA", (HEIGHT, HEIGHT), (0, 0, 0, 128)), "PNG")
    assert tuple(Photo.open(data).pixels[5, 5]) == (127, 127, 127)


def test_a_picture_transparent_everywhere_keeps_its_colours() -> None:
    image = draw_picture().convert("RGBA")
    image.putalpha(0)
    assert_shows_picture(Photo.open(encode_image(image, "PNG")), tolerance=0)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "GIF"])
def test_palettes(kind: str) -> None:
    assert_shows_picture(Photo.open(encode_image(draw_picture().quantize(16), kind)), tolerance=4)


def test_palette_with_a_transparent_colour() -> None:
    image = draw_picture().quantize(16)
    palette_index = image.getpixel((2, 2))
    pixels = Photo.open(encode_image(image, "PNG", transparency=palette_index)).pixels
    assert tuple(pixels[2, 2]) == (255, 255, 255)
    assert np.abs(pixels[2, -3].astype(int) - GREEN).max() <= 4


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_grey_has_three_equal_channels(kind: str) -> None:
    pixels = Photo.open(encode_image(draw_picture().convert("L"), kind, quality=95)).pixels
    assert pixels.shape == (HEIGHT, WIDTH, 3)
    assert abs(int(pixels[-3, -3, 0]) - 120) <= 4
    assert np.ptp(pixels.astype(int), axis=2).max() <= 2


def test_black_and_white_bits() -> None:
    pixels = Photo.open(encode_image(Image.new("1", (HEIGHT, HEIGHT), 1), "PNG")).pixels
    assert (pixels == 255).all()


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_16_bit_grey_is_scaled_not_clipped(kind: str) -> None:
    ramp = np.tile(np.linspace(0, 65535, 256).astype(np.uint16), (HEIGHT, 1))
    pixels = Photo.open(encode_image(Image.fromarray(ramp), kind)).pixels
    assert np.abs(pixels[0, :, 0].astype(int) - np.arange(256)).max() <= 1


@pytest.mark.parametrize("kind", [np.uint16, np.float32])
def test_deep_grey_takes_as_little_memory_as_other_kinds(kind: type[np.number[Any]]) -> None:
    """The limits of pixels assume at most 12 bytes a pixel."""
    data = encode_image(Image.fromarray(np.ones((20_000, 256), kind)), "TIFF")
    tracemalloc.start()
    try:
        photo = Photo.open(data)
        assert tracemalloc.get_traced_memory()[1] < 12 * photo.width * photo.height
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("suffix", [".png", ".tiff"])
def test_16_bit_colour_is_scaled_not_clipped(suffix: str, channels: int) -> None:
    """OpenCV encodes, because Pillow has no mode for it."""
    ramp = np.linspace(0, 65535, 256).astype(np.uint16)
    deep_pixels = np.full((HEIGHT, 256, channels), 65535, np.uint16)
    deep_pixels[..., :3] = np.stack([ramp, ramp[::-1], ramp // 2], axis=1)
    pixels = Photo.open(cv2.imencode(suffix, deep_pixels[..., [2, 1, 0, 3][:channels]])[1].tobytes()).pixels
    expected = np.stack([np.arange(256), np.arange(255, -1, -1), np.arange(256) // 2], axis=1)
    assert np.abs(pixels[7].astype(int) - expected).max() <= 1


def test_cmyk_jpeg_as_adobe_writes_it() -> None:
    assert_shows_picture(Photo.open(encode_image(draw_picture().convert("CMYK"), "JPEG", quality=95)))


def test_cmyk_jpeg_without_adobes_marker_is_not_inverted() -> None:
    inverted_jpeg = encode_image(ImageChops.invert(draw_picture().convert("CMYK")), "JPEG", quality=95)
    start = inverted_jpeg.index(b"\xff\xee")
    jpeg_without_marker = (
        inverted_jpeg[:start] + inverted_jpeg[start + 2 + int.from_bytes(inverted_jpeg[start + 2 : start + 4], "big") :]
    )
    assert b"Adobe" not in jpeg_without_marker
    assert_shows_picture(Photo.open(jpeg_without_marker))


def test_cmyk_tiff() -> None:
    assert_shows_picture(Photo.open(encode_image(draw_picture().convert("CMYK"), "TIFF")), tolerance=4)


def test_a_cmyk_jpeg_is_rotated_too() -> None:
    data = encode_image(store_rotated(draw_picture(), 6).convert("CMYK"), "JPEG", exif=make_exif(6), quality=95)
    assert_shows_picture(Photo.open(data))


def make_swapped_profile() -> bytes:
    """Return the bytes of an RGB profile with swapped red and green, so that the conversion has an obvious effect."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = int.from_bytes(profile[128:132], "big")
    entries = {bytes(profile[132 + 12 * i : 136 + 12 * i]): 132 + 12 * i for i in range(count)}
    red, green = entries[b"rXYZ"], entries[b"gXYZ"]
    profile[red : red + 4], profile[green : green + 4] = b"gXYZ", b"rXYZ"
    return bytes(profile).replace("sRGB".encode("utf-16-be"), "swap".encode("utf-16-be"))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_an_embedded_profile_is_converted_to_srgb(kind: str) -> None:
    red, green, blue = draw_picture().split()
    swapped_image = Image.merge("RGB", (green, red, blue))
    assert_shows_picture(Photo.open(encode_image(swapped_image, kind, icc_profile=make_swapped_profile(), quality=95)))


def test_a_broken_profile_is_ignored() -> None:
    assert_shows_picture(Photo.open(encode_image(draw_picture(), "PNG", icc_profile=b"no profile at all")), tolerance=0)


def test_arrays_are_rgb_and_copied() -> None:
    array = np.array(draw_picture())
    photo = Photo.open(array)
    array[:] = 0
    assert_shows_picture(photo, tolerance=0)
    assert (photo.width, photo.height) == (WIDTH, HEIGHT)


@pytest.mark.parametrize(
    ("array", "value"),
    [
        (np.full((70, 80), 9, np.uint8), 9),
        (np.full((70, 80, 1), 9, np.uint8), 9),
        (np.full((70, 80, 3), 65535, np.uint16), 255),
        (np.full((70, 80), 257, ">u2"), 1),
        (np.full((70, 80, 3), 0.5), 128),
        (np.ones((70, 80), np.bool_), 255),
        (np.full((70, 80, 4), 77, np.uint8) | np.array([0, 0, 0, 255], np.uint8), 77),
    ],
)
def test_arrays_of_every_kind(array: NDArray[Any], value: int) -> None:
    pixels = Photo.open(array).pixels
    assert pixels.shape == (70, 80, 3)
    assert pixels.dtype == np.uint8
    assert (pixels == value).all()


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(5),
        np.zeros((70, 80, 2), np.uint8),
        np.full((70, 80), 2.0),
        np.full((70, 80), np.nan),
        np.zeros((70, 80), int),
    ],
)
def test_arrays_that_are_no_picture(array: NDArray[Any]) -> None:
    with pytest.raises(PhotoError):
        Photo.open(array)


def test_pixels_cannot_be_changed_and_a_photo_opens_as_itself() -> None:
    photo = Photo.open(encode_image(draw_picture(), "PNG"))
    assert Photo.open(photo) is photo
    with pytest.raises(ValueError, match="read-only"):
        photo.pixels[0, 0] = 0


def open_refused(source: str | Path | bytes | NDArray[Any]) -> PhotoError:
    with pytest.raises(PhotoError) as error_info:
        Photo.open(source)
    assert "\n" not in str(error_info.value)
    assert error_info.value.hint
    assert error_info.value.exit_code == 3
    return error_info.value


def test_a_missing_file(tmp_path: Path) -> None:
    assert "there is no file" in str(open_refused(tmp_path / "no.jpg"))


def test_a_folder(tmp_path: Path) -> None:
    assert "is a folder" in str(open_refused(tmp_path))


def test_text_renamed_to_jpg(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_text("w w1 / l #\n" * 50)
    assert "no picture" in str(open_refused(path))


def test_an_empty_file() -> None:
    assert "empty" in str(open_refused(b""))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "HEIF"])
@pytest.mark.parametrize("share", [0.15, 0.5, 0.9])
def test_a_file_cut_short(kind: str, share: float) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8))
    data = encode_image(noise, kind)
    open_refused(data[: int(len(data) * share)])


def test_one_pixel() -> None:
    assert "1 x 1 pixels" in str(open_refused(encode_image(Image.new("RGB", (1, 1)), "PNG")))
    open_refused(np.zeros((1, 1, 3), np.uint8))
    open_refused(np.zeros((MIN_SIDE_PIXELS - 1, 500, 3), np.uint8))


@pytest.mark.parametrize("side", [11_000, 60_000])
def test_a_decompression_bomb_is_refused_before_it_is_decoded(side: int) -> None:
    assert side * side > MAX_PIXELS
    assert "megapixels" in str(open_refused(make_png(side, side, b"")))


def test_a_file_with_too_many_bytes_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kdvision.vision.image.photo.MAX_FILE_BYTES", 1_000_000)
    path = tmp_path / "photo.png"
    path.write_bytes(bytes(1_000_001))
    assert "larger than 1 MB" in str(open_refused(path.read_bytes()))
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("the file is read"))
    assert "larger than 1 MB" in str(open_refused(path))


# Photos at reduced sizes.


def draw_gradient(width: int, height: int) -> NDArray[np.uint8]:
    """Return a picture whose colours give the place: red increases rightwards and green downwards."""
    x, y = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    return np.asarray(np.dstack([255 * x, 255 * y, np.full_like(x, 128)]) + 0.5, np.uint8)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize(("width", "height"), [(640, 480), (641, 483), (644, 486)])
def test_smaller_sizes_show_the_same_places(orientation: int, width: int, height: int) -> None:
    stored_image = store_rotated(Image.fromarray(draw_gradient(width, height)), orientation)
    photo = Photo.open(encode_image(stored_image, "JPEG", exif=make_exif(orientation), quality=98, subsampling=0))
    assert (photo.width, photo.height) == (width, height)
    for factor in (1.0, 0.4, 0.2, 0.1):
        pixels, level_factor = photo.find_level(factor)
        assert level_factor >= factor
        rows, cols = np.mgrid[2 : pixels.shape[0] - 2, 2 : pixels.shape[1] - 2]
        red_errors = pixels[rows, cols, 0] - 255 * (cols + 0.5) / level_factor / width
        green_errors = pixels[rows, cols, 1] - 255 * (rows + 0.5) / level_factor / height
        # a pixel of the photo is 0.4 (x) or 0.5 (y) steps of colour, and each halving rounds up by an eighth
        for errors in (red_errors, green_errors):
            assert abs(errors.mean()) < 0.5
            assert np.abs(errors).max() < 4


def test_a_jpeg_is_decoded_no_larger_than_needed() -> None:
    photo = Photo.open(encode_image(Image.fromarray(draw_gradient(4000, 3000)), "JPEG"))
    sizes = [photo.find_level(factor)[0].shape[:2] for factor in (0.01, 0.125, 0.13, 0.25, 0.3, 0.51)]
    assert sizes == [(375, 500), (375, 500), (750, 1000), (750, 1000), (1500, 2000), (3000, 4000)]
    assert photo.pixels.shape == (3000, 4000, 3)


def test_a_jpeg_is_decoded_once_for_the_usual_scales(monkeypatch: pytest.MonkeyPatch) -> None:
    scales: list[int] = []
    decode = EncodedImage.decode

    def record(file: EncodedImage, scale: int = 1) -> tuple[NDArray[np.uint8], bool]:
        scales.append(scale)
        return decode(file, scale)

    monkeypatch.setattr(EncodedImage, "decode", record)
    photo = Photo.open(encode_image(Image.fromarray(draw_gradient(4000, 3000)), "JPEG"))
    for factor in (640 / 4000, 320 / 4000, 0.5):
        photo.find_level(factor)
    assert scales == [2]


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_the_order_of_requests_changes_no_level(kind: str) -> None:
    data = encode_image(Image.fromarray(draw_gradient(1000, 760)), kind)
    first, second = Photo.open(data), Photo.open(data)
    assert second.pixels.shape == (760, 1000, 3)
    for factor in (0.1, 0.5, 1.0):
        assert (first.find_level(factor)[0] == second.find_level(factor)[0]).all()
        assert not first.find_level(factor)[0].flags.writeable


def test_a_truncated_jpeg_is_refused_on_opening() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (900, 1200, 3), dtype=np.uint8)
    data = encode_image(Image.fromarray(noise), "JPEG")
    for share in (0.5, 0.9, 0.99):
        open_refused(data[: int(len(data) * share)])


def test_a_crop_shows_its_points() -> None:
    photo = Photo.open(draw_gradient(1000, 800))
    points = np.array([[300.0, 200.0], [420.0, 260.0], [350.0, 400.0]])
    for factor in (1.0, 0.5, 0.2):
        pixels, matrix = photo.crop(points, factor)
        crop_points = points @ matrix[:2, :2].T + matrix[:2, 2]
        assert (crop_points >= 1).all()
        assert (crop_points <= np.array([pixels.shape[1], pixels.shape[0]]) - 1).all()
        assert pixels.shape[0] <= 200 * matrix[1, 1] + 5
        for (x, y), (col, row) in zip(points, crop_points, strict=True):
            colour = pixels[int(row), int(col)].astype(float)
            assert np.abs(colour[:2] - (255 * x / 1000, 255 * y / 800)).max() < 3


def test_a_crop_beyond_the_edge_is_never_empty() -> None:
    photo = Photo.open(draw_gradient(100, 80))
    for corner in ((-500.0, -500.0), (500.0, 500.0), (-500.0, 40.0)):
        pixels, _ = photo.crop(np.array([corner, np.add(corner, 20.0)]), 1.0)
        assert min(pixels.shape[:2]) >= 1


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_with_a_grey_edge_is_not_damaged(progressive: bool) -> None:
    """Decoders fill missing data with the same grey."""
    grey = Image.new("RGB", (300, 200), (128, 128, 128))
    assert Photo.open(encode_image(grey, "JPEG", progressive=progressive)).warnings == ()


def test_a_jpeg_with_a_thumbnail_is_not_damaged() -> None:
    """The thumbnail in the EXIF segment has an end marker of its own, before the coded data of the photo."""
    photo, exif = Image.open(SAMPLES / "demo.jpg"), b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"
    thumbnail = encode_image(photo.resize((64, 48)), "JPEG")
    assert Photo.open(encode_image(photo, "JPEG", exif=exif + thumbnail)).warnings == ()


def test_a_progressive_jpeg_that_ends_in_its_first_pass_is_damaged() -> None:
    content = encode_detailed_jpeg(progressive=True)
    with pytest.raises(PhotoError, match="ends early"):
        Photo.open(content[: len(content) // 20] + b"\xff\xd9")


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_jpeg_whose_data_ends_early_is_damaged(share: float) -> None:
    """The file has an end marker, so decoders fill the rest with grey and report nothing."""
    content = (SAMPLES / "demo.jpg").read_bytes()
    with pytest.raises(PhotoError, match="ends early"):
        Photo.open(content[: int(share * len(content))] + b"\xff\xd9")


def find_coded_data(photo: str) -> tuple[bytes, int]:
    """Return a sample's bytes, and where its coded data begins."""
    content = (SAMPLES / photo).read_bytes()
    return content, content.rindex(b"\xff\xda") + 14


@pytest.mark.parametrize(("harm", "min_share"), [("lost", 0.95), ("zeros", 0.75), ("other", 0.75)])
def test_most_damage_inside_a_jpeg_is_detected(harm: str, min_share: float) -> None:
    """Cards and transfers lose 512 bytes at once. Decoders continue with false colours and displaced parts."""
    content, start = find_coded_data("four-kingdoms.jpg")
    rng, warning_counts = np.random.default_rng(4), []
    for position in rng.integers(start, start + int(0.9 * (len(content) - start)), 20):
        replacement = {"zeros": bytes(512), "lost": b"", "other": rng.bytes(512)}[harm]
        try:
            warning_counts.append(
                len(Photo.open(content[:position] + replacement + content[position + 512 :]).warnings)
            )
        except PhotoError:
            warning_counts.append(1)
    assert np.mean(warning_counts) >= min_share and max(warning_counts) == 1


def test_damage_is_reported_once_for_every_kingdom() -> None:
    content, _ = find_coded_data("two-kingdoms.jpg")
    photo = Photo.open(content[:-20_000] + content[-19_000:])
    assert photo.pixels.shape == Photo.open(content).pixels.shape and len(photo.warnings) == 1
    for reading in pipeline.read(photo):
        assert reading.review and [problem.text for problem in reading.problems].count(photo.warnings[0]) == 1
        (second_reading,) = pipeline.decide_again([reading.observation], surroundings=[reading.surroundings])
        assert photo.warnings[0] in [problem.text for problem in second_reading.problems]


def test_damage_explains_why_no_kingdom_is_found() -> None:
    content, start = find_coded_data("no-kingdom.jpg")
    with pytest.raises(NoKingdomFound, match="its file is damaged"):
        pipeline.read(content[: start + 9_000] + content[start + 10_000 :])


def encode_detailed_jpeg(**options: object) -> bytes:
    """Return a picture full of detail as a JPEG."""
    pixels = np.random.default_rng(7).integers(0, 256, (203, 301, 3), dtype=np.uint8)
    return encode_image(Image.fromarray(cv2.resize(pixels, (1204, 812))), "JPEG", **options)


JPEG_OPTIONS: list[dict[str, object]] = [
    {},
    {"optimize": True},
    {"progressive": True},
    {"subsampling": 0, "quality": 100},
    {"quality": 5},
    {"restart_marker_blocks": 3},
    {"keep_rgb": True},
]


@pytest.mark.parametrize("options", JPEG_OPTIONS, ids=str)
def test_an_intact_jpeg_has_no_warning(options: dict[str, object]) -> None:
    content = encode_detailed_jpeg(**options)
    end = content.rindex(b"\xff\xd9")
    padded_contents = content[:end] + b"\xff" * 30 + content[end:], content[:end] + bytes(30) + content[end:]
    for data in (content, content + b"what a phone appends \xff\xd9" * 9, *padded_contents):
        photo = Photo.open(data)
        assert photo.warnings == ()
        assert np.array_equal(photo.pixels, np.asarray(Image.open(io.BytesIO(data))))


def test_intact_jpegs_of_every_size_have_no_warning() -> None:
    rng = np.random.default_rng(3)
    for side in range(64, 112):
        noise = Image.fromarray(rng.integers(0, 256, (side, 150 - side // 2, 3), dtype=np.uint8))
        assert Photo.open(encode_image(noise, "JPEG")).warnings == ()
