"""Draw the page's terrain pictures as PNG from their SVG sources, in Chromium: `python -m scripts.draw_tile_pictures`.

Browsers paint a PNG much faster than an SVG, and a board shows some fifty of them.
"""

from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from benchmarks.page import find_chromium

TILES: Final = Path(__file__).resolve().parents[1] / "kdvision" / "web" / "static" / "tiles"
SIDE_PIXELS: Final = 192


def draw_tile_pictures() -> None:
    """Write a PNG beside each SVG; without a system Chromium, Playwright uses its own or says how to install it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": SIDE_PIXELS, "height": SIDE_PIXELS})
        for source in sorted(TILES.glob("*.svg")):
            drawing = source.read_text(encoding="utf-8")
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block; width: 100vw }}</style>{drawing}")
            page.screenshot(path=source.with_suffix(".png"), omit_background=True)
        browser.close()


if __name__ == "__main__":
    draw_tile_pictures()
