"""The cost of a photo and of a tap: the size of the upload and the number of requests. Times are in benchmarks/."""

from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import OpenPage, find_square, read_total
from tests.paths import SAMPLES

MAX_SIDE = 2000
"""Pixels of a photo that the page sends (photos.js)."""


def record_posts(page: Page) -> list[str]:
    """Return a list that grows by the path of each POST."""
    paths: list[str] = []

    def record_path(request: Request) -> None:
        if request.method == "POST":
            paths.append(request.url.partition("/api/")[2].partition("?")[0])

    page.on("request", record_path)
    return paths


@pytest.mark.parametrize("quality", [100, 60], ids=["many bytes", "few bytes"])
def test_a_large_photo_is_reduced_before_it_is_sent(open_page: OpenPage, tmp_path: Path, quality: int) -> None:
    large_photo = tmp_path / "large.jpg"
    Image.open(SAMPLES / "demo.jpg").resize((4032, 3024)).save(large_photo, quality=quality)
    assert (large_photo.stat().st_size > 1_500_000) == (quality == 100)  # smaller files may be sent unchanged
    page = open_page(phone=True, photo=large_photo)
    image = page.locator(".picture image").first
    size = image.get_attribute("width"), image.get_attribute("height")
    assert size == (str(MAX_SIDE), str(MAX_SIDE * 3 // 4))
    last_square = page.locator(".picture .tap").last.get_attribute("points") or ""
    assert max(map(int, last_square.split())) < MAX_SIDE  # in pixels of the photo that is shown


def test_a_correction_costs_one_request(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    before = read_total(page)
    paths = record_posts(page)
    find_square(page, "A1: grass").click()
    page.get_by_role("button", name="grass, 2 crowns").click()
    expect(page.locator("#total")).not_to_have_text(str(before))
    assert len(paths) == 1 and paths[0].endswith("/changes")
