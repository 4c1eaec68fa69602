"""From a tap on the page to the new points, in a browser at a quarter of the processor's speed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from benchmarks.measurement import Measurement
from benchmarks.server import SAMPLES, start_server
from kdvision.errors import KdvisionError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first installed one is used. The headless shell takes two thirds of the processor time of the others."""
CPU_SLOWDOWN: Final = 4
TAPS: Final = 30
MAX_TAP_MS: Final = 100
PHONE: Final = {"viewport": {"width": 390, "height": 740}, "has_touch": True, "is_mobile": True}

WATCH_TOTAL: Final = """() => {
    let start = 0, before = document.getElementById("total").textContent;
    window.times = [];
    document.addEventListener("click", () => (start = performance.now()), { capture: true });
    const look = () => {
        const total = document.getElementById("total")?.textContent;
        if (total === before) return;
        before = total;
        requestAnimationFrame(() => setTimeout(() => { times.push(performance.now() - start); window.resume?.(); }));
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
"""Records the milliseconds from each click to the frame that shows another total."""

WAIT_FOR_TIME: Final = "(count) => times.length >= count || new Promise((resume) => Object.assign(window, { resume }))"
"""Waits without polling, which would take processor time from the page."""


def find_chromium() -> str | None:
    """Return the path of Chromium, or what KDVISION_CHROMIUM names; None if it is not installed."""
    return os.environ.get("KDVISION_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def open_browser() -> "Iterator[tuple[Browser, str]]":
    """Run a server and a browser until the end of the block, with the page's address; raises KdvisionError."""
    from playwright.sync_api import sync_playwright

    if (chromium := find_chromium()) is None:
        raise KdvisionError("Chromium was not found", hint="install the package chromium-headless-shell or chromium")
    with start_server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser, f"http://127.0.0.1:{server.port}/"
        browser.close()


def measure_page() -> Iterator[Measurement]:
    """Yield the time from a tap to the points, for four kingdoms of one photo; nothing without Chromium."""
    if find_chromium() is None:
        return
    with open_browser() as (browser, home):
        page = browser.new_context(**PHONE).new_page()  # type: ignore[arg-type]
        page.goto(home)
        page.set_input_files("#files", SAMPLES / "four-kingdoms.jpg")
        page.wait_for_selector("#total")
        times = sorted(_measure_taps(page))
    yield Measurement("tap to points, median", times[len(times) // 2], limit=MAX_TAP_MS)
    yield Measurement("tap to points, slowest", times[-1])


def _measure_taps(page: "Page") -> list[float]:
    """Return the milliseconds of each correction, which alternates between two cells."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    page.evaluate(WATCH_TOTAL)
    for number in range(TAPS):
        page.get_by_role("gridcell", name="B1: ").tap()
        page.get_by_role("button", name="mine, 3 crowns" if number % 2 else "wheat", exact=True).tap()
        page.evaluate(WAIT_FOR_TIME, number + 1)
    times: list[float] = page.evaluate("times")
    return times
