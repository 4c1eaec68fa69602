"""The report of an event in a real browser, opened from a file: shown, filtered and printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.batch.text_photos import make_photo, run_batch, write_files

pytest.importorskip("playwright", reason="playwright is not installed (pip install -e '.[dev]')")

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import record_problems

SMALL = "w1 w w / # f f1 / . l l"
HOSTILE_NAME = "<b>Zoë & 'co'"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of an event with every element."""
    files: dict[str, bytes | str] = {
        "round1/table1/ann.jpg": make_photo(SMALL, doubts=[("B2", "f", "f1", 0.8)]),
        "round1/table1/bo+cy.jpg": make_photo("# w1 w", "l l l1 / # . ."),
        f"round1/table2/{HOSTILE_NAME}.jpg": make_photo("# w1 w w"),
        "round2/table1/ann.jpg": make_photo("l l l l1 / # . . ."),
        "round2/table1/bo.jpg": b"broken",
        "event.toml": 'name = "The <cup> & more"\nvariants = ["harmony"]\n[[team]]\nname = "Reds"\nplayers = ["Ann"]',
    }
    folder = write_files(tmp_path_factory.mktemp("report"), files)
    run_batch(folder, folder / "out")
    return folder / "out" / "report.html"


@pytest.fixture(scope="module")
def blank_page(browser: Browser) -> Iterator[Page]:
    """The page in which every test opens the report, because a new page takes long."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture(params=[(390, 844, "light"), (390, 844, "dark"), (1280, 900, "light"), (1280, 900, "dark")])
def page(request: pytest.FixtureRequest, blank_page: Page, report: Path) -> Iterator[Page]:
    """The page on a phone and on a desktop, light and dark. It may log nothing and load nothing."""
    width, height, scheme = request.param
    blank_page.set_viewport_size({"width": width, "height": height})
    blank_page.emulate_media(color_scheme=scheme)
    problems: list[str] = []
    with record_problems(blank_page, problems, own_urls=("file:",)):
        blank_page.goto(report.as_uri())
        yield blank_page
        blank_page.goto("about:blank")
    assert problems == []


def test_it_opens_from_a_file_and_fits(page: Page) -> None:
    assert page.title() == "The <cup> & more"
    assert page.locator(".kingdom:visible").count() == 5
    assert page.locator("#failures").inner_text().count("round2/table1/bo.jpg") == 1
    assert page.get_by_role("heading", name=HOSTILE_NAME).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    is_loaded = page.locator(".kingdom img").evaluate_all("all => all.every((image) => image.naturalWidth > 0)")
    assert is_loaded and page.locator(".kingdom img").count() == 5


def test_filters_select_kingdoms(page: Page) -> None:
    kingdoms = page.locator(".kingdom:visible h3")
    page.locator("#find").fill("ANN")
    assert kingdoms.all_inner_texts() == ["Ann", "Ann"]
    page.locator("#round").select_option("2")
    assert kingdoms.all_inner_texts() == ["Ann"]
    page.locator("#find").fill("")
    page.locator("#round").select_option("")
    page.locator("#review").check()
    assert kingdoms.all_inner_texts() == ["Ann"]
    assert page.locator("#count").inner_text() == "1 of 5"
    page.locator("#review").uncheck()
    page.locator("#table").select_option("2")
    assert kingdoms.all_inner_texts() == [HOSTILE_NAME]


def test_each_point_leads_to_its_rule(page: Page) -> None:
    link = page.locator(".kingdom .lines a").first
    link.click()
    target = page.url.split("#")[1]
    expect(page.locator(f"#{target}")).to_be_visible()
    assert "A territory is worth its number of squares" in page.locator(".rules").inner_text()


def test_a_review_link_shows_its_kingdom_even_if_it_is_filtered_out(page: Page) -> None:
    page.locator("#find").fill("bo")
    page.locator(".review-items a").first.click()
    expect(page.locator(".kingdom:target")).to_be_visible()


def test_it_prints(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    page.goto(report.as_uri())
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator(".kingdom img").first.is_visible()
    page.close()
