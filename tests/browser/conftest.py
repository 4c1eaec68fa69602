"""A real browser and a real server. Without a browser, the tests are skipped with the reason."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from benchmarks.page import BROWSERS, find_chromium
from kdvision.web.server import Settings
from tests.webserver import Client, running_server

pytest.importorskip("playwright", reason="playwright is not installed (pip install -e '.[dev]')")

from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from tests.paths import SAMPLES

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
DESK = {"viewport": {"width": 1280, "height": 900}}

TIMEOUT_MS = 30_000
"""For a busy machine; a test that passes does not wait for it."""

expect.set_options(timeout=TIMEOUT_MS)

BLANK_PATH = "/icons/icon.svg"
"""The address that an idle page shows. On another site, Chromium would start a new process for each test."""

KEEP_TOASTS = """(() => {
    const start = window.setTimeout;
    window.setTimeout = (run, delay, ...more) => ((delay ?? 0) < 5000 ? start(run, delay, ...more) : 0);
})()"""
"""Long timers never end, so that a toast is still there when a busy machine looks for it."""

JOIN_TABLE = """async (table) => {
    localStorage.clear();
    sessionStorage.clear();
    for (const { name } of await indexedDB.databases()) {
        await new Promise((done) => (indexedDB.deleteDatabase(name).onsuccess = done));
    }
    if (table) sessionStorage["kdvision-table"] = JSON.stringify(table);
}"""
"""Deletes the browser's data of earlier tests, and sets the table that the page joins."""

ADD_BOARD = """async (text) => {
    const { addBoard } = await import("/table.js");
    addBoard(text.split("/").map((row) => row.trim()));
}"""
"""Adds a kingdom as the dialog does in which a board is typed."""

EXPECTED_ERRORS = (
    r"the server responded with a status of (4|503)|net::ERR_(CONNECTION|EMPTY|INCOMPLETE|FAILED|INTERNET)|^not drawn: "
)
"""Messages about requests that fail on purpose, and about kingdoms that cannot be drawn."""

OpenPage = Callable[..., Page]


@pytest.fixture(scope="package")
def server() -> Iterator[Client]:
    """The server of all browser tests."""
    with running_server(Settings(port=0)) as client:
        yield client


@pytest.fixture(autouse=True)
def read_once(read_from_cache: None) -> None:
    """Most tests send the same few photos."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, or the one that KDVISION_CHROMIUM names."""
    executable_path = find_chromium()
    if executable_path is None:
        pytest.skip(f"no Chromium here: none of {', '.join(BROWSERS)} is on the path")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable_path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def idle_pages(browser: Browser) -> dict[bool, list[Page]]:
    """The blank pages of phones (True) and desktops (False). Tests reuse them, because a new page takes long."""
    return {True: [], False: []}


@pytest.fixture
def open_page(server: Client, browser: Browser, idle_pages: dict[bool, list[Page]]) -> Iterator[OpenPage]:
    """Open the page, `open_page(phone=True, boards=["w1 w / # f"])`, and add the kingdoms of a photo or of boards.

    No page may log an error or send a request to another server. All pages of a test join one new table. Pages with
    further options have a browser context of their own.
    """
    table = server.post("/api/tables", {"new": True}).json["table"]
    pages: list[tuple[Page, list[Page] | None]] = []
    problems: list[str] = []

    with ExitStack() as recording:

        def open_page(
            path: str = "/",
            *,
            photo: str | Path | None = None,
            boards: Sequence[str] = (),
            phone: bool = False,
            port: int | None = None,
            **options: Any,
        ) -> Page:
            origin = f"http://127.0.0.1:{port or server.port}"
            idle_list = None if options or port else idle_pages[phone]
            page = idle_list.pop() if idle_list else make_page(browser, (PHONE if phone else DESK) | options)
            pages.append((page, idle_list))
            recording.enter_context(record_problems(page, problems))
            if page.url != origin + BLANK_PATH:
                page.goto(origin + BLANK_PATH)
            page.evaluate(JOIN_TABLE, None if port else table)
            with page.expect_response("**/live") if boards else nullcontext():
                page.goto(origin + path)
            if photo is not None:
                upload_photo(page, photo)
            for board in boards:
                page.evaluate(ADD_BOARD, board)
            if boards:
                wait_for_answers(page)
            return page

        yield open_page
        for page, idle_list in pages:
            if idle_list is None or page.is_closed():
                page.context.close()
                continue
            page.unroute_all(behavior="ignoreErrors")
            page.context.clear_cookies()
            page.goto(f"http://127.0.0.1:{server.port}{BLANK_PATH}")
            idle_list.append(page)
    assert [problem for problem in problems if not re.search(EXPECTED_ERRORS, problem)] == []


@contextmanager
def record_problems(page: Page, problems: list[str], own_urls: tuple[str, ...] = ()) -> Iterator[None]:
    """Record what a page logs, and its requests to other places than `own_urls`, if given, until the end of the block.

    On pages of the server, its Content-Security-Policy refuses such requests, and the browser logs them.
    """

    def record_request(request: Request) -> None:
        if not request.url.startswith((*own_urls, "data:", "about:")):
            problems.append(request.url)

    listeners: dict[str, Callable[[Any], None]] = {
        "pageerror": lambda error: problems.append(str(error)),
        "console": lambda message: problems.append(message.text),
        **({"request": record_request} if own_urls else {}),
    }
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload]
    yield
    for event, listener in listeners.items():
        page.remove_listener(event, listener)


def make_page(browser: Browser, options: dict[str, Any]) -> Page:
    """Return a page in a browser context of its own."""
    context = browser.new_context(**options)
    context.set_default_timeout(TIMEOUT_MS)
    context.add_init_script(KEEP_TOASTS)
    return context.new_page()


def wait_for_answers(page: Page) -> None:
    """Wait until the page has joined its table, and the server has answered all changes."""
    page.wait_for_function("() => localStorage['kdvision-waiting'] === '[]'")


def choose_photos(page: Page, *photos: str | Path) -> None:
    """Choose photos (by name from the samples)."""
    if page.locator(".tab.add").count():
        page.click(".tab.add")
    page.set_input_files("#files", [SAMPLES / photo for photo in photos])


def upload_photo(page: Page, photo: str | Path) -> None:
    """Choose a photo (by name from the samples) and wait until it is scored."""
    choose_photos(page, photo)
    page.wait_for_selector("#total")
    page.wait_for_selector("#progress:empty", state="attached")


def write_photo_of_a_faint_gem(folder: Path) -> Path:
    """Write a photo of two gems and return its path. The page asks about the pale gem between A4 and B5."""
    pixels = cv2.imread(str(SAMPLES / "lost-treasures.jpg"))
    assert pixels is not None
    mask = cv2.circle(np.zeros(pixels.shape[:2], np.uint8), (487, 852), 60, 255, -1)
    picture = cv2.addWeighted(pixels, 0.8, cv2.inpaint(pixels, mask, 5, cv2.INPAINT_TELEA), 0.2, 0)
    cv2.imwrite(str(folder / "faint.jpg"), picture)
    return folder / "faint.jpg"


def read_total(page: Page) -> int:
    """Return the points that the page shows for the selected kingdom."""
    return int(page.locator("#total").inner_text())


def encode_text(text: str) -> str:
    """Return a text as in a link."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def make_link(*rounds: Sequence[Any], **rules: Any) -> str:
    """Return the path of a link that contains a game."""
    return f"/#game={encode_text(json.dumps({'rules': rules, 'rounds': rounds}))}"


def type_board(page: Page, text: str) -> None:
    """Add a kingdom by typing its board."""
    if page.locator(".tab.add").count():
        page.click(".tab.add")
    page.get_by_role("button", name="Type a board").click()
    page.fill("textarea", text)
    page.get_by_role("button", name="Add this kingdom").click()
    page.wait_for_selector("dialog", state="detached")


def open_setup(page: Page) -> None:
    """Open the rules of the game."""
    setup = page.locator(".setup:not(.fits) > details")
    if setup.get_attribute("open") is None:
        setup.locator("> summary").click()


def choose_rule(page: Page, rule: str, option: str | None = None) -> None:
    """Choose a rule of the game: an option of a list, or a box."""
    open_setup(page)
    control = page.get_by_label(rule, exact=True)
    if option is None:
        control.check()
    else:
        control.select_option(option)


def start_table(page: Page) -> None:
    """Start another table, and wait until the page follows it."""
    page.get_by_role("button", name="Menu").click()
    with page.expect_response("**/live"):
        page.get_by_role("button", name="New table").click()


def start_game(page: Page) -> None:
    """Start another game at the table."""
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="New game").click()
    expect(page.locator(".toast")).to_contain_text("New game started")


def find_square(page: Page, name: str) -> Any:
    """Return a square of the board by its name."""
    return page.get_by_role("gridcell", name=name)


def grab_handle(page: Page, number: int) -> None:
    """Press the mouse on a handle of the corners; 0 is the top left one, then clockwise."""
    box = page.locator(".handle .ring").nth(number).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()


def drop_handle(page: Page, point: list[float]) -> None:
    """Move the handle that is grabbed to a point of the photo, in its pixels, and release the mouse."""
    screen_point = page.evaluate(
        """([x, y]) => {
            const point = new DOMPoint(x, y).matrixTransform(document.querySelector(".picture").getScreenCTM());
            return [point.x, point.y];
        }""",
        point,
    )
    page.mouse.move(*screen_point, steps=2)
    page.mouse.up()
