"""Make the pictures in docs/img, those of the page with a real browser: `python -m scripts.shots`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.page import open_browser
from benchmarks.server import SAMPLES
from kdvision import pipeline
from kdvision.files import encode_image, write_atomically
from kdvision.game.rules import make_rule_set
from kdvision.report.build import build_photo_result
from kdvision.report.overlay import draw_overlay
from kdvision.vision.image.photo import Photo
from kdvision.vision.image.srgb import Pixels

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OUT: Final = Path(__file__).parents[1] / "docs" / "img"
DEMO_SIDE: Final = 1000
"""Longer side of demo.jpg in pixels."""
PHONE: Final = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 1.5, "has_touch": True}
DESK: Final = {"viewport": {"width": 1280, "height": 860}, "device_scale_factor": 1}
GAP_PIXELS: Final = 24
"""Distance of the screenshots of a phone."""
GAP_COLOUR: Final = (216, 210, 196)
JPEG_QUALITY: Final = 84


def main() -> None:
    """Write docs/img/demo.jpg, docs/img/page-phone.jpg and docs/img/page-desk.jpg."""
    photo = Photo.open(SAMPLES / "demo.jpg")
    result = build_photo_result(photo.name, (photo.width, photo.height), pipeline.read(photo), make_rule_set())
    _write_jpeg("demo.jpg", draw_overlay(photo, result, photo.resize(DEMO_SIDE)))
    with open_browser() as (browser, home):
        shots = [Photo.open(shot).pixels for shot in _take_phone_shots(browser, home)]
        gap = np.full((shots[0].shape[0], GAP_PIXELS, 3), GAP_COLOUR, np.uint8)
        _write_jpeg("page-phone.jpg", np.hstack([shots[0], gap, shots[1], gap, shots[2]]))
        desk = _open_page(browser, home, "four-kingdoms.jpg", DESK, "dark").screenshot()
        _write_jpeg("page-desk.jpg", Photo.open(desk).pixels)


def _write_jpeg(name: str, pixels: Pixels) -> None:
    write_atomically(OUT / name, encode_image(pixels, ".jpg", quality=JPEG_QUALITY))


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
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)
    return page


def _take_phone_shots(browser: Browser, home: str) -> list[bytes]:
    """Return three screenshots of a phone: the photo, a square that is corrected, the points."""
    page = _open_page(browser, home, "two-kingdoms.jpg", PHONE, "light")
    first = page.screenshot()
    page.get_by_role("gridcell", name="B2: wheat").click()
    page.wait_for_timeout(300)
    second = page.screenshot()
    page.keyboard.press("Escape")
    page.locator(".points").evaluate("(node) => node.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(300)
    return [first, second, page.screenshot()]


if __name__ == "__main__":
    main()
