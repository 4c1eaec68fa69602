"""Accessibility: axe-core finds nothing, targets are large enough, and small phones show everything."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, choose_rule, open_setup, type_board, upload_photo

MIN_TARGET_PIXELS = 43.5
"""44 pixels, less rounding."""

DISPLAYS = [(True, "light"), (False, "dark")]


def find_violations(page: Page) -> list[str]:
    """Return the findings of axe-core as texts."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {violation['help']} ({node['html'][:120]})"
        for violation in violations
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize(("phone", "scheme"), DISPLAYS, ids=[f"{'phone' if p else 'desktop'}-{s}" for p, s in DISPLAYS])
def test_axe_finds_nothing(open_page: OpenPage, phone: bool, scheme: str) -> None:
    page = open_page(phone=phone, color_scheme=scheme, reduced_motion="reduce")
    open_setup(page)
    assert find_violations(page) == []
    upload_photo(page, "two-kingdoms.jpg")
    assert find_violations(page) == []
    page.locator(".tab").nth(1).click()
    page.get_by_role("gridcell", name="A4: grass, 2 crowns").click()
    assert find_violations(page) == []
    page.get_by_role("button", name="forest", exact=True).click()
    page.wait_for_selector(".review")
    page.get_by_role("button", name="Share").click()
    assert find_violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Corners").click()
    assert find_violations(page) == []


def test_axe_finds_nothing_among_pieces(open_page: OpenPage) -> None:
    page = open_page(phone=True)
    choose_rule(page, "The Lost Treasures")
    type_board(page, "w f / l g")
    page.get_by_role("button", name="Place a gem").click()
    assert find_violations(page) == []
    page.get_by_role("button", name="Crossing of").click()
    assert find_violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_label("Game", exact=True).select_option("queendomino")
    page.wait_for_selector(".pieces")
    assert find_violations(page) == []


def test_a_phone_of_320_pixels_shows_everything_also_with_large_text(open_page: OpenPage) -> None:
    page = open_page(phone=True, viewport={"width": 320, "height": 640}, reduced_motion="reduce")
    open_setup(page)
    upload_photo(page, "two-kingdoms.jpg")
    page.get_by_label("Name", exact=True).fill("A name of no less than forty letters, so")
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.locator(".tab-name").first).to_contain_text("forty")
    for font in ("100%", "200%"):
        page.evaluate("(font) => { document.documentElement.style.fontSize = font; }", font)
        assert find_violations(page) == []
        for selector in (".tools", "#verdict", ".who-card", ".board", ".points", ".standing"):
            box = page.locator(selector).bounding_box()
            assert box is not None and box["x"] >= -0.5 and box["x"] + box["width"] <= 320.5, selector
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        page.locator(".square").first.tap()
        assert find_violations(page) == []
        assert page.evaluate("document.querySelector('dialog').scrollWidth") <= 320
        page.keyboard.press("Escape")


def test_a_small_phone_shows_everything_with_large_targets(open_page: OpenPage) -> None:
    width = 320
    page = open_page(phone=True, viewport={"width": width, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    type_board(page, "w1 w f f l / w w f f l / # w f f l / w w f f l / w w f f l")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator(".square").nth(3).click()
    small_targets = page.evaluate(
        """(least) => [...document.querySelectorAll("button, select, input, summary, label.button")]
            .filter((node) => node.checkVisibility() && !node.matches(".sr-only, [type=checkbox]"))
            .filter((node) => Math.min(...["width", "height"].map((s) => node.getBoundingClientRect()[s])) < least)
            .map((node) => node.outerHTML.slice(0, 100))""",
        MIN_TARGET_PIXELS,
    )
    assert small_targets == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_terrains_differ_by_more_than_colour(open_page: OpenPage) -> None:
    page = open_page(boards=["w f l g / s m # ."])
    letters = page.locator(".square .letter").all_inner_texts()
    pictures = page.evaluate(
        "[...document.querySelectorAll('.square')].map((s) => getComputedStyle(s).backgroundImage)"
    )
    assert {letter for letter in letters if letter.isalpha()} == set("wflgsm")
    assert len({picture for picture in pictures if picture != "none"}) == 7


def test_animations_respect_reduced_motion(open_page: OpenPage) -> None:
    page = open_page(reduced_motion="reduce", boards=["w1 w / # f"])
    page.evaluate("document.querySelector('.square').classList.add('flash')")
    assert page.evaluate("getComputedStyle(document.querySelector('.square')).animationName") == "none"


def test_the_page_can_be_installed(open_page: OpenPage) -> None:
    page = open_page()
    errors = page.context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in errors if error["errorId"] != "in-incognito"] == []
