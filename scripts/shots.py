"""Make the pictures in docs/img, those of the page with a real browser: `python -m scripts.shots`."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.server import SAMPLES, start_server
from kdvision import pipeline
from kdvision.errors import KdvisionError
from kdvision.files import encode_image, write_atomically
from kdvision.game.rules import make_rule_set
from kdvision.report.build import build_photo_result
from kdvision.report.overlay import draw_overlay
from kdvision.vision.image.photo import Photo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OUT: Final = Path(__file__).parents[1] / "docs" / "img"
DEMO_SIDE: Final = 1000
"""Longer side of demo.jpg in pixels."""
PHONE: Final = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 1.5, "has_touch": True}
DESK: Final = {"viewport": {"width": 1280, "height": 860}, "device_scale_factor": 1}


def main() -> None:
    """Write docs/img/demo.jpg, docs/img/page-phone.jpg and docs/img/page-desk.jpg."""
    from playwright.sync_api import sync_playwright

    write_atomically(OUT / "demo.jpg", _draw_demo())

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise KdvisionError("Chromium was not found", hint="install the package chromium")
    with start_server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        home = f"http://127.0.0.1:{server.port}/"
        write_atomically(OUT / "page-phone.jpg", _join_side_by_side(_take_phone_shots(browser, home)))
        write_atomically(OUT / "page-desk.jpg", _convert_to_jpeg(_take_desk_shot(browser, home)))
        browser.close()


def _draw_demo() -> bytes:
    """The overlay of the demo photo."""
    photo = Photo.open(SAMPLES / "demo.jpg")
    result = build_photo_result(photo.name, (photo.width, photo.height), pipeline.read(photo), make_rule_set())
    return encode_image(draw_overlay(photo, result, photo.resize(DEMO_SIDE)), ".jpg", quality=84)


def _open_page(browser: Browser, home: str, photo: str, settings: dict[str, object], scheme: str) -> Page:
    page = browser.new_context(**settings, color_scheme=scheme).new_page()  # type: ignore[arg-type]
    page.request.post(f"{home}api/tables", data={"table": None, "new": True})
    page.goto(home)
    page.set_input_files("#files", SAMPLES / photo)
    page.wait_for_selector("#total")
    for number, name in enumerate(("Ann", "Bo", "Cleo", "Dan")[: page.locator(".tab:not(.add)").count()]):
        page.locator(".tab").nth(number).click()
        page.fill(".name", name)
        page.press(".name", "Enter")
    page.locator(".tab").first.click()
    page.get_by_role("button", name="Got it").click()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)
    return page


def _take_phone_shots(browser: Browser, home: str) -> list[bytes]:
    """Three screenshots of a phone: the photo, a square that is corrected, the points."""
    page = _open_page(browser, home, "two-kingdoms.jpg", PHONE, "light")
    first = page.screenshot()
    page.get_by_role("gridcell", name="B2: wheat").click()
    page.wait_for_timeout(300)
    second = page.screenshot()
    page.keyboard.press("Escape")
    page.locator(".points").evaluate("(node) => node.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(300)
    return [first, second, page.screenshot()]


def _take_desk_shot(browser: Browser, home: str) -> bytes:
    page = _open_page(browser, home, "four-kingdoms.jpg", DESK, "dark")
    return page.screenshot()


def _join_side_by_side(pictures: list[bytes]) -> bytes:
    from PIL import Image

    images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    gap, (width, height) = 24, images[0].size
    canvas = Image.new("RGB", (len(images) * (width + gap) - gap, height), "#d8d2c4")
    for number, image in enumerate(images):
        canvas.paste(image, (number * (width + gap), 0))
    return _encode_jpeg(canvas)


def _convert_to_jpeg(picture: bytes) -> bytes:
    from PIL import Image

    return _encode_jpeg(Image.open(io.BytesIO(picture)).convert("RGB"))


def _encode_jpeg(image: object) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=84, optimize=True)  # type: ignore[attr-defined]
    return out.getvalue()


if __name__ == "__main__":
    main()
