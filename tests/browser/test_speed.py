"""How long people wait. The limits are loose, because machines of tests are busy; `pytest -s` prints the figures."""

import sys
import time
from pathlib import Path

from PIL import Image

from tests.browser.conftest import Open, type_board, upload
from tests.paths import SAMPLES

PHOTO_LIMIT, TAP_LIMIT = 15.0, 1.5
"""Seconds; what is aimed at on an idle machine is a tenth of it."""

WATCH = """(what) => new Promise((done) => {
    const start = performance.now();
    const { target, event } = what;
    const before = document.querySelector("#total")?.textContent;
    const seen = () => {
        const now = document.querySelector("#total")?.textContent;
        if (now !== undefined && now !== before) { done((performance.now() - start) / 1000); observer.disconnect(); }
    };
    const observer = new MutationObserver(seen);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    document.querySelector(target)[event]();
})"""


def test_from_a_photo_of_12_megapixels_to_points(open_page: Open, tmp_path: Path) -> None:
    large = tmp_path / "large.jpg"
    Image.open(SAMPLES / "demo.jpg").resize((4032, 3024)).save(large, quality=92)
    page = open_page(phone=True)
    start = time.perf_counter()
    upload(page, large)
    took = time.perf_counter() - start
    sys.stdout.write(f"\n12 MP, from the photo chosen to its points: {took:.2f} s\n")
    assert took < PHOTO_LIMIT


def test_from_a_tap_to_points(open_page: Open) -> None:
    page = open_page()
    upload(page, "demo.jpg")
    page.get_by_role("gridcell", name="A1: grass").click()
    took = page.evaluate(WATCH, {"target": 'dialog [aria-label="grass, 2 crowns"]', "event": "click"})
    type_board(page, "w w / # f")
    page.locator(".square").first.click()
    typed = page.evaluate(WATCH, {"target": 'dialog [aria-label="wheat, 1 crown"]', "event": "click"})
    sys.stdout.write(
        f"\nfrom a tap to points: {1000 * took:.0f} ms on a photo, {1000 * typed:.0f} ms on a typed board\n"
    )
    assert max(took, typed) < TAP_LIMIT
