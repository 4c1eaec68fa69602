"""One game on several phones: shared, corrected, undone and watched by all; kept when a phone or the server stops."""

import re
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from kdvision.web.security import STATIC_FOLDER
from kdvision.web.server import Settings
from kdvision.web.table.storage import FILE_NAME
from tests.browser.conftest import (
    OpenPage,
    choose_photos,
    choose_rule,
    find_square,
    make_link,
    open_setup,
    read_total,
    start_game,
    start_table,
    type_board,
    upload_photo,
    wait_for_answers,
    write_photo_of_a_faint_gem,
)
from tests.browser.test_arrivals import hold_response
from tests.paths import SAMPLES
from tests.phones import Phone
from tests.webserver import Client, running_server

BOARD = "w1 w f / # f g"


def read_tab_names(page: Page) -> list[str]:
    """Return the names of the kingdoms as the tabs show them."""
    return page.locator(".tab-name").all_inner_texts()


def test_two_phones_play_one_game(open_page: OpenPage) -> None:
    ann, bo = open_page(phone=True), open_page()
    upload_photo(ann, "two-kingdoms.jpg")
    expect(bo.locator(".tab-name")).to_have_text(["Player 1", "Player 2"])
    expect(bo.locator(".card.photo")).to_contain_text("on another phone")
    before = read_total(bo)
    find_square(bo, "C1: grass").click()
    bo.get_by_role("button", name="forest", exact=True).click()
    expect(bo.locator("#total")).not_to_have_text(str(before))
    expect(bo.locator("#verdict")).not_to_contain_text("decided again")
    expect(ann.locator("#total")).to_have_text(bo.locator("#total").inner_text())
    expect(ann.locator(".square.flash, .toast").first).to_be_visible()
    find_square(ann, "C1: forest").click()
    ann.get_by_role("button", name="swamp", exact=True).click()  # the later change counts
    expect(find_square(bo, "C1: swamp")).to_be_visible()
    bo.get_by_role("button", name="Undo").first.click()
    bo.get_by_role("button", name="Undo").first.click()
    expect(ann.locator("#total")).to_have_text(str(before))


def receive_name_while_typing(page: Page, other_page: Page) -> Locator:
    """Select the name of a kingdom while another phone changes it to "Bo", and return its field."""
    name = page.get_by_label("Name", exact=True)
    name.select_text()
    other_page.get_by_label("Name", exact=True).fill("Bo")
    other_page.get_by_label("Name", exact=True).press("Enter")
    expect(page.locator(".tab-name")).to_have_text(["Bo"])
    return name


def test_a_name_that_arrives_does_not_change_the_one_that_is_being_typed(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    name = receive_name_while_typing(page, other_page)
    expect(name).to_have_value("Player 1")
    page.keyboard.type("Ann")
    name.press("Enter")
    expect(other_page.locator(".tab-name")).to_have_text(["Ann"])
    expect(name).to_have_value("Ann")


def test_a_name_that_arrives_is_shown_once_the_field_is_left(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    name = receive_name_while_typing(page, other_page)
    name.press("Enter")
    expect(name).to_have_value("Bo")
    expect(other_page.locator(".tab-name")).to_have_text(["Bo"])


def test_undo_of_a_message_takes_back_nothing_else(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD] * 2), open_page()
    page.get_by_role("button", name="Remove this kingdom").click()
    toast = page.locator(".toast").get_by_role("button", name="Undo")
    expect(toast).to_be_visible()
    expect(other_page.locator(".tab-name")).to_have_count(1)
    find_square(other_page, "A1: wheat").press("2")
    expect(find_square(page, "A1: wheat")).to_have_accessible_name(re.compile("wheat, 1 crown"))
    find_square(other_page, "A1: wheat").press("m")
    expect(find_square(page, "A1: mine")).to_be_visible()
    expect(page.locator(".toast", has_text="was removed")).to_have_count(0)
    expect(toast).to_be_visible()  # of the mine
    page.evaluate("""async () => {
        const [{ receive }, store] = await Promise.all([import("/table.js"), import("/store.js")]);
        const take = (by, deciding, cell) => {
            const next = structuredClone({ ...store.state.table, deciding });
            if (cell) next.game.rounds[0][0].cells["0,0"] = cell;
            receive({ ...next, revision: next.revision + 1, undo: { ...next.undo, step: next.undo.step + by } });
        };
        take(1, true, "s"); // a correction
        take(1, true); // another name
        take(0, false, "g"); // the decision after the correction
    }""")
    expect(page.locator(".toast")).to_contain_text("A1 (grass)")
    expect(toast).to_have_count(0)


def test_four_phones_and_a_large_screen(open_page: OpenPage) -> None:
    phones = [open_page(phone=True) for _ in range(4)]
    screen = open_page("/#watch")
    for number, phone in enumerate(phones):
        expect(phone.locator(".tab-name")).to_have_count(number)  # the first kingdom that arrives replaces the buttons
        type_board(phone, f"w{number % 2} w f / # f g".replace("w0", "w"))
        expect(phone.locator(".tab-name")).to_have_count(number + 1)
    expect(screen.locator(".boards figure")).to_have_count(4)
    for phone in phones:
        expect(phone.locator(".places li")).to_have_count(4)
    expect(screen.locator(".watch .verdict")).not_to_be_empty()
    phones[0].get_by_role("button", name="Menu").tap()
    expect(phones[0].locator("dialog")).to_contain_text("5 phones are at the table")


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_a_server_that_stops_and_starts_again_loses_nothing(open_page: OpenPage, tmp_path: Path) -> None:
    settings = Settings(port=find_free_port(), data=tmp_path)
    with running_server(settings):
        page, screen = open_page(port=settings.port, boards=[BOARD]), open_page("/#watch", port=settings.port)
        expect(page.locator("#total")).to_have_text("2")
        expect(screen.locator(".watch figure")).to_have_count(1)
    expect(screen.locator(".watch")).to_contain_text("The server does not answer")
    screen.context.close()
    expect(page.locator(".alerts")).to_contain_text("The server does not answer")
    find_square(page, "C1: forest").press("w")
    expect(find_square(page, "C1: wheat")).to_be_visible()
    choose_photos(page, "castle.jpg")
    expect(page.locator(".reading")).to_contain_text("The server does not answer")
    with running_server(settings):
        expect(page.locator(".tab-name")).to_have_count(2)
        page.wait_for_selector("#progress:empty", state="attached")
        page.get_by_role("button", name="Player 1").click()
        expect(page.locator("#total")).to_have_text("3")
        expect(page.locator(".alerts")).to_be_empty()
        page.reload()
        page.get_by_role("button", name="Player 1").click()
        expect(page.locator("#total")).to_have_text("3")
        page.context.close()


def test_a_photo_waits_for_the_server_however_long_it_is_away(open_page: OpenPage) -> None:
    script = re.sub(r"(MAX_BUSY_TRIES =) \d+", r"\1 1", (STATIC_FOLDER / "photos.js").read_text("utf-8"))
    page = open_page()
    page.route("**/photos.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
    page.reload()
    type_board(page, BOARD)
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    expect(page.locator(".alerts")).to_contain_text("The server does not answer")
    with page.expect_event("requestfailed", lambda request: "/photos?" in request.url):
        choose_photos(page, "castle.jpg")
    page.wait_for_event("requestfailed", lambda request: "/photos?" in request.url)
    page.context.set_offline(False)
    expect(page.locator(".tab-name")).to_have_count(2)


def test_further_photos_can_be_chosen_while_the_first_one_waits_for_the_server(open_page: OpenPage) -> None:
    page = open_page(phone=True)
    wait_for_answers(page)
    page.context.set_offline(True)
    choose_photos(page, "castle.jpg")
    expect(page.locator(".reading")).to_contain_text("The server does not answer")
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Choose photos").tap()
    chooser.value.set_files(SAMPLES / "demo.jpg")
    page.context.set_offline(False)
    expect(page.locator(".tab-name")).to_have_count(2)


def count_kept_photos(page: Page) -> int:
    """Return the number of photos that the browser keeps for the table of the page."""
    return int(
        page.evaluate("""async () => {
            const { loadPhotos } = await import("/storage.js");
            return (await loadPhotos(JSON.parse(sessionStorage["kdvision-table"]))).length;
        }""")
    )


def test_a_photo_is_not_kept_for_longer_than_a_day(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    page.evaluate("""async () => {
        const { loadPhotos, savePhoto } = await import("/storage.js");
        const [photo] = await loadPhotos(JSON.parse(sessionStorage["kdvision-table"]));
        await savePhoto({ ...photo, time: Date.now() - 2 * 86_400_000 });
    }""")
    page.reload()
    expect(page.locator("#total")).to_be_visible()
    page.evaluate("import('/photos.js').then(({ restorePhotos }) => restorePhotos())")
    expect(page.locator(".card.photo")).to_contain_text("no longer kept")
    page.evaluate("Date.now = () => 0")  # in 1970 no photo is old
    assert count_kept_photos(page) == 0


def test_a_photo_that_was_read_is_kept_for_a_day_however_many_follow(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    page.evaluate("""async () => {
        const { releasePhotos } = await import("/photos.js");
        const { savePhoto } = await import("/storage.js");
        const { state, update } = await import("/store.js");
        const readPhoto = { table: state.table.table, url: "blob:", isRead: true };
        const photos = Array.from({ length: 13 }, (_, number) => ({ ...readPhoto, id: `p${number}` }));
        await savePhoto(photos[0]);
        update({ photos: new Map(photos.map((photo) => [photo.id, photo])) });
        releasePhotos();
    }""")
    assert count_kept_photos(page) == 1


def test_a_page_shows_the_table_of_a_server_that_has_lost_the_last_steps(open_page: OpenPage, tmp_path: Path) -> None:
    """A power cut may cost the last steps; the page still shows a higher revision."""
    settings = Settings(port=find_free_port(), data=tmp_path)
    with running_server(settings):
        page = open_page(port=settings.port, boards=[BOARD] * 3)
        expect(page.locator(".tab b")).to_have_text(["2"] * 3)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database, database:
        database.execute("UPDATE tables SET revision = revision - 2, step = step - 2")
    with running_server(settings):
        expect(page.locator(".tab-name")).to_have_text(["Player 1"])
        find_square(page, "C1: forest").press("w")
        expect(page.locator("#total")).to_have_text("3")
        page.context.close()


def test_changes_that_wait_for_a_table_that_is_gone_are_kept_with_its_game_or_called_lost(open_page: OpenPage) -> None:
    settings = Settings(port=find_free_port())
    with running_server(settings):
        page = open_page(port=settings.port, boards=[BOARD])
        page.wait_for_function("() => localStorage['kdvision-games']?.includes('Player 1 2')")
        table = page.evaluate("JSON.parse(sessionStorage['kdvision-table'])")
    find_square(page, "C1: forest").press("w")
    expect(page.locator(".alerts")).to_contain_text("The server does not answer")
    with running_server(settings):
        toast = page.locator(".toast", has_text=f"The server does not have table {table} any more")
        toast.get_by_role("button", name="Earlier games").click()
        page.locator(".games button", has_text="Player 1").click()
        expect(page.locator("#total")).to_have_text("3")
        page.route("**/changes", lambda route: route.abort())
        with page.expect_event("requestfailed"):
            find_square(page, "C1: wheat").press("m")
        page.goto("about:blank")
    page.unroute("**/changes")
    with running_server(settings):
        page.goto(f"http://127.0.0.1:{settings.port}")
        expect(page.locator(".toast")).to_contain_text("The last changes of this phone are lost")
        page.context.close()


def test_a_change_that_is_refused_because_the_table_is_gone_is_kept_with_its_game(open_page: OpenPage) -> None:
    settings = Settings(port=find_free_port())
    with running_server(settings):
        page = open_page(port=settings.port, boards=[BOARD])
        page.wait_for_function("() => localStorage['kdvision-games']?.includes('Player 1 2')")
    with running_server(settings), hold_response(page, "**/api/tables") as release:
        with page.expect_response("**/changes"):
            find_square(page, "C1: forest").press("w")
        release()
        toast = page.locator(".toast", has_text="does not have table")
        toast.get_by_role("button", name="Earlier games").click()
        page.locator(".games button", has_text="Player 1").click()
        expect(page.locator("#total")).to_have_text("3")
        page.context.close()


def test_changes_for_a_table_that_was_left_and_is_gone_are_called_lost(open_page: OpenPage) -> None:
    settings = Settings(port=find_free_port())
    with running_server(settings):
        page = open_page(port=settings.port, boards=[BOARD])
        table = page.evaluate("JSON.parse(sessionStorage['kdvision-table'])")
        page.route("**/changes", lambda route: route.abort())
        find_square(page, "C1: forest").press("w")
        start_table(page)
    page.unroute("**/changes")
    with running_server(settings):
        expect(page.locator(".toast")).to_contain_text(f"A change at table {table} is lost")
        page.context.close()


def test_a_change_whose_answer_is_lost_counts_once(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD])
    lost_answers: list[APIResponse] = []

    def lose_answer(route: Route) -> None:
        lost_answers.append(route.fetch())
        route.abort()

    page.route("**/changes", lose_answer, times=1)
    page.get_by_role("button", name="Add a kingdom").click()
    with page.expect_response("**/changes"):
        page.get_by_role("button", name="Tap an empty board").click()
    expect(page.locator(".tab-name")).to_have_text(["Player 1", "Player 2"])
    page.route("**/changes", lose_answer, times=1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".tab-name")).to_have_text(["Player 1"])
    wait_for_answers(page)
    expect(page.locator(".toast", has_text="Somebody has changed the game since")).to_have_count(0)
    assert [answer.status for answer in lost_answers] == [200, 200]


def test_a_change_is_sent_again_once_the_phone_is_paired_again(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD])
    page.route("**/changes", lambda route: route.fulfill(status=401, json={"error": "not paired"}), times=1)
    page.get_by_label("Name", exact=True).fill("Zoë")
    with page.expect_navigation(), page.expect_response(lambda answer: answer.url.endswith("/changes") and answer.ok):
        page.get_by_label("Name", exact=True).press("Enter")
    expect(page.locator(".tab-name")).to_have_text(["Zoë"])


def test_a_phone_that_was_away_shows_the_game_of_now(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    expect(page.locator("#total")).to_have_text("2")
    page.context.set_offline(True)
    find_square(other_page, "C1: forest").press("w")
    expect(other_page.locator("#total")).to_have_text("3")
    page.context.set_offline(False)
    expect(page.locator("#total")).to_have_text("3")


CUT_STREAM = """window.EventSource = class extends EventSource {
    addEventListener(name, listener) { super.addEventListener(name, (event) => window.isCut || listener(event)); }
}"""
"""A stream that looks open and brings nothing while `isCut`, as after a long sleep of the phone."""


def test_a_phone_that_wakes_up_shows_the_game_of_now(open_page: OpenPage) -> None:
    page, other_page = open_page(locale="en-GB"), open_page()
    page.add_init_script(CUT_STREAM)
    page.reload()
    type_board(page, BOARD)
    page.evaluate("isCut = true")
    find_square(other_page, "C1: forest").press("w")
    expect(other_page.locator("#total")).to_have_text("3")
    expect(page.locator("#total")).to_have_text("2")
    page.evaluate("isCut = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#total")).to_have_text("3")


def test_a_phone_that_gets_no_new_table_still_follows_its_own(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    page.route("**/api/tables", lambda route: route.fulfill(status=503, json={"error": "too many tables"}), times=1)
    page.get_by_role("button", name="Menu").click()
    with page.expect_response("**/api/tables"):
        page.get_by_role("button", name="New table").click()
    expect(page.locator(".toast")).to_contain_text("Too many tables.")
    find_square(other_page, "C1: forest").press("w")
    expect(page.locator("#total")).to_have_text("3")
    expect(page.locator(".alerts")).to_be_empty()


def test_messages_are_shown_once_the_kingdom_of_an_open_sheet_was_removed(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD] * 2), open_page()
    find_square(page, "A1: wheat, 1 crown").click()
    expect(page.locator("dialog")).to_be_visible()
    other_page.get_by_role("button", name="Player 2").click()
    other_page.get_by_role("button", name="Remove this kingdom").click()
    expect(page.locator("dialog")).to_have_count(0)
    find_square(other_page, "C1: forest").press("w")
    expect(page.locator(".toast")).to_contain_text("Now changed")


def test_a_question_is_closed_once_another_phone_has_answered_it(open_page: OpenPage) -> None:
    doubt = {"at": "0,0", "read": "w1", "instead": "w", "probability": 0.9, "changes": {"0,0": "w"}}
    page, other_page = open_page(make_link([{"board": ["w1 w", "# f"], "doubts": [doubt]}])), open_page()
    for phone_page in (page, other_page):
        phone_page.get_by_role("button", name="Check it").click()
        expect(phone_page.locator("dialog")).to_contain_text("1 of 1")
    other_page.locator(".suspicion button").first.click()
    expect(page.locator("dialog")).to_have_count(0)


def test_what_a_phone_that_was_away_did_in_a_game_leaves_the_next_one(open_page: OpenPage, server: Client) -> None:
    """An undo takes back the change that waited, not the last step of another phone."""
    page, other_page = open_page(boards=[BOARD]), open_page()
    expect(other_page.locator("#total")).to_have_text("2")
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="New game").click()
    type_board(page, "# m")
    start_game(other_page)
    type_board(other_page, BOARD)
    page.context.set_offline(False)
    expect(page.locator(".toast")).to_contain_text("Another game is played at the table now")
    phone = Phone(server, page.evaluate("JSON.parse(sessionStorage['kdvision-table'])"))
    assert (phone.state["game"]["number"], phone.totals) == (2, [2])


def test_undo_on_a_phone_that_is_away_takes_back_only_the_steps_that_it_shows(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD] * 2), open_page()
    points = [phone_page.locator(".tab b") for phone_page in (page, other_page)]
    expect(points[1]).to_have_text(["2", "2"])
    undo = page.get_by_role("button", name="Undo", exact=True)
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    expect(find_square(page, "C1: wheat")).to_be_visible()
    undo.click()  # its own change
    expect(find_square(page, "C1: forest")).to_be_visible()
    undo.click()  # the second kingdom
    find_square(other_page, "A1: wheat").press("m")
    expect(points[1]).to_have_text(["0", "2"])
    page.context.set_offline(False)
    expect(page.locator(".toast")).to_contain_text("Somebody has changed the game since")
    for tab_points in points:
        expect(tab_points).to_have_text(["0", "2"])
    with page.expect_response("**/changes"):
        undo.click()
    for tab_points in points:
        expect(tab_points).to_have_text(["2", "2"])
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    undo.click()
    undo.click()
    page.context.set_offline(False)
    for tab_points in points:
        expect(tab_points).to_have_text(["2"])


RECORD_CHANGES = """window.labels = [];
new MutationObserver((records) => labels.push(...records.map(({ target }) => target.ariaLabel)))
    .observe(document.querySelector(".grid"), { subtree: true, attributeFilter: ["aria-label", "class"] });"""
"""Records the squares of which the name or the class changes."""


def test_a_square_that_was_set_and_taken_back_on_a_phone_that_is_away_stays(open_page: OpenPage) -> None:
    """The server has the step for a moment, until it gets the undo."""
    page = open_page(boards=[BOARD])
    expect(page.locator("#total")).to_have_text("2")
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    page.click("#undo")
    expect(find_square(page, "C1: forest")).to_be_visible()
    page.evaluate(RECORD_CHANGES)
    page.context.set_offline(False)
    wait_for_answers(page)
    expect(page.locator("#redo")).to_be_enabled()
    assert page.evaluate("labels") == []


def test_redo_on_a_phone_that_is_away_brings_back_only_what_it_took_back(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    redo = page.locator("#redo")
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    expect(redo).to_be_disabled()
    page.click("#undo")
    expect(find_square(page, "C1: forest")).to_be_visible()
    redo.click()
    expect(find_square(page, "C1: wheat")).to_be_visible()
    expect(redo).to_be_disabled()
    page.context.set_offline(False)
    for phone_page in (page, other_page):
        expect(phone_page.locator("#total")).to_have_text("3")
    page.click("#undo")
    expect(find_square(page, "C1: forest")).to_be_visible()
    wait_for_answers(page)
    expect(redo).to_be_enabled()
    redo.click()
    expect(find_square(page, "C1: wheat")).to_be_visible()
    wait_for_answers(page)
    expect(page.locator(".toast")).to_have_count(0)  # nobody else has changed a square
    page.click("#undo")
    wait_for_answers(page)
    expect(redo).to_be_enabled()
    page.context.set_offline(True)
    find_square(page, "A1: wheat").press("m")
    expect(redo).to_be_disabled()
    page.keyboard.press("Control+y")
    find_square(other_page, "A1: wheat").press("m")
    expect(other_page.locator("#total")).to_have_text("0")
    find_square(other_page, "B1: wheat").press("m")
    expect(other_page.get_by_role("gridcell", name="mine")).to_have_count(2)
    other_page.click("#undo")
    expect(other_page.get_by_role("gridcell", name="mine")).to_have_count(1)
    page.context.set_offline(False)
    expect(page.locator(".toast")).to_contain_text("changed the game since")
    for phone_page in (page, other_page):
        expect(phone_page.get_by_role("gridcell", name="mine")).to_have_count(1)


def test_a_rule_chosen_on_a_phone_that_was_away_leaves_the_other_rules(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    open_setup(page)
    page.context.set_offline(True)
    page.get_by_label("Harmony", exact=True).check()
    expect(page.locator(".alerts")).to_contain_text("The server does not answer")
    start_dynasty(other_page)
    other_page.get_by_label("Middle Kingdom", exact=True).check()
    type_board(other_page, BOARD)
    expect(other_page.locator("#total")).to_have_text("2")
    page.context.set_offline(False)
    expect(other_page.locator(".setup .summary")).to_contain_text("Harmony")
    for phone_page in (page, other_page):
        expect(phone_page.locator(".setup .summary")).to_contain_text("Harmony")
        expect(phone_page.locator(".setup .summary")).to_contain_text("Middle Kingdom")
        expect(phone_page.get_by_label("Dynasty")).to_be_checked()
    expect(other_page.get_by_role("button", name="Round 2")).to_have_attribute("aria-pressed", "true")
    expect(other_page.locator(".tab-name")).to_have_count(1)


def test_rules_that_the_version_before_has_stored_leave_the_other_rules(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD])
    table = start_dynasty(page)
    page.get_by_label("Middle Kingdom", exact=True).check()
    expect(page.locator(".setup .summary")).to_contain_text("Middle Kingdom")
    choices: list[dict[str, Any]] = [{"rules": {"side": 7}}, {"rules": {}, "variants": {"harmony": True}}]
    steps = [{"table": table, "changes": [{"op": "set_rules", **choice}]} for choice in choices]
    page.evaluate("(steps) => { sessionStorage['kdvision-waiting'] = JSON.stringify(steps); }", steps)
    page.reload()
    for phone_page in (page, open_page()):
        for text in ("Middle Kingdom", "Harmony", "7 × 7"):
            expect(phone_page.locator(".setup .summary")).to_contain_text(text)
        open_setup(phone_page)
        expect(phone_page.get_by_label("Dynasty")).to_be_checked()


def test_open_gems_that_two_phones_choose_at_once_are_all_kept(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    open_setup(page)
    page.get_by_label("The Lost Treasures", exact=True).check()
    open_setup(other_page)
    wait_for_answers(page)
    page.context.set_offline(True)
    for phone_page, gem in ((page, "red"), (other_page, "blue")):
        phone_page.locator(".setup .kinds").get_by_label(gem).check()
    page.context.set_offline(False)
    for phone_page in (page, other_page):
        for gem in ("red", "blue"):
            expect(phone_page.locator(".setup .kinds").get_by_label(gem)).to_be_checked()


def test_pieces_that_two_phones_enter_at_once_are_all_kept(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    choose_rule(page, "Game", "queendomino")
    expect(other_page.locator(".pieces")).to_be_visible()
    page.context.set_offline(True)
    for phone_page, name in ((page, "C1: forest"), (other_page, "B1: wheat")):
        find_square(phone_page, name).click()
        phone_page.get_by_label("A knight stands here").check()
        phone_page.keyboard.press("Escape")
        expect(find_square(phone_page, f"{name}, knight")).to_be_visible()
    page.context.set_offline(False)
    for phone_page in (page, other_page):
        for name in ("C1: forest, knight", "B1: wheat, knight"):
            expect(find_square(phone_page, name)).to_be_visible()


def test_a_game_that_another_phone_starts_is_announced(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    expect(other_page.locator("#total")).to_have_text("2")
    start_game(page)
    expect(other_page.locator(".toast")).to_contain_text("Another game is at the table now")


def test_a_game_that_this_phone_started_before_a_reload_is_not_announced(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD])
    page.route("**/changes", lambda route: route.abort())
    page.get_by_role("button", name="Menu").click()
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="New game").click()
    page.reload()
    expect(page.locator("#total")).to_have_text("2")
    page.unroute("**/changes")
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    expect(page.locator(".toast")).to_have_count(0)


def test_a_kingdom_that_another_phone_removes_is_announced(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD] * 2), open_page()
    other_page.get_by_role("button", name="Player 2").click()
    other_page.get_by_role("button", name="Remove this kingdom").click()
    toast = page.locator(".toast", has_text="Player 2 was removed")
    toast.get_by_role("button", name="Undo").click()
    for phone_page in (page, other_page):
        expect(phone_page.locator(".tab-name")).to_have_text(["Player 1", "Player 2"])


def test_all_phones_say_what_was_undone_and_bring_it_back(open_page: OpenPage) -> None:
    page, other_page = phones = open_page(boards=[BOARD]), open_page()
    expect(other_page.locator(".tab-name")).to_have_text(["Player 1"])
    type_board(other_page, "w2 w / # f")
    expect(page.locator(".tab-name")).to_have_text(["Player 1", "Player 2"])
    page.click("#undo")
    for phone_page in phones:
        expect(phone_page.locator(".toast")).to_contain_text("Undone: Player 2 was added")
    other_page.locator(".toast").get_by_role("button", name="Redo").click()
    for phone_page in phones:
        expect(phone_page.locator(".tab-name")).to_have_text(["Player 1", "Player 2"])
        expect(phone_page.locator(".toast")).to_have_count(0)
    find_square(other_page, "B2: forest").press("m")
    expect(page.locator(".toast")).to_contain_text("B2 (mine)")
    other_page.click("#undo")
    expect(page.locator(".toast")).to_contain_text("Undone: Player 2 B2 (mine)")
    choose_rule(other_page, "Harmony")
    expect(page.locator(".toast")).to_have_count(0)
    other_page.click("#undo")
    expect(page.locator(".toast")).to_contain_text("Undone: a choice of rules")
    start_game(other_page)
    other_page.click("#undo")
    for phone_page in phones:
        expect(phone_page.locator(".toast")).to_contain_text("Undone: a new game")
        expect(phone_page.locator(".tab-name")).to_have_text(["Player 1", "Player 2"])


def test_squares_that_left_the_board_are_named_as_they_lay(open_page: OpenPage, server: Client) -> None:
    page = open_page(boards=[BOARD])
    expect(page.locator("#total")).to_have_text("2")
    phone = Phone(server, page.evaluate("JSON.parse(sessionStorage['kdvision-table'])"))
    change = {"op": "set_square", "kingdom": phone.kingdoms[0]["id"], "cell": "."}
    assert phone.send(*({**change, "at": place} for place in ("0,0", "0,1", "1,0"))).status == 200
    expect(page.locator(".toast")).to_contain_text("Now changed: A1 (no tile), B1 (no tile), A2 (no tile).")


def test_a_retake_is_recognised(open_page: OpenPage) -> None:
    """A correction of the old board by an offline phone does not count for the new board."""
    page, offline_page = open_page(photo="two-kingdoms.jpg"), open_page()
    expect(offline_page.locator(".tab-name")).to_have_count(2)
    offline_page.context.set_offline(True)
    find_square(offline_page, "C1: grass").press("m")
    choose_photos(page, "two-kingdoms.jpg")
    question = page.locator(".notice", has_text="The same table again. Replace it?")
    expect(question).to_be_visible()
    question.get_by_role("button", name="Replace it").click()
    expect(question).to_have_count(0)
    expect(page.locator(".tab-name")).to_have_count(2)
    offline_page.context.set_offline(False)
    expect(offline_page.locator(".toast")).to_contain_text("has been read again since")
    expect(find_square(offline_page, "C1: grass")).to_be_visible()


def test_a_question_about_a_photo_is_seen_wherever_the_page_was_scrolled(open_page: OpenPage) -> None:
    page = open_page(phone=True, photo="demo.jpg")
    choose_rule(page, "Dynasty: three rounds")
    page.get_by_role("button", name="Round 2").click()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    choose_photos(page, "demo.jpg")
    expect(page.get_by_role("button", name="Add it to round 2")).to_be_in_viewport()


def test_a_dialog_for_a_kingdom_that_is_read_again_is_closed(open_page: OpenPage, server: Client) -> None:
    """Its gem would be saved for a crossing that lies elsewhere in the new photo."""
    page = open_page(photo="lost-treasures.jpg")
    page.locator(".crossing.taken").first.click()
    expect(page.get_by_role("button", name="Save")).to_be_visible()
    phone = Phone(server, page.evaluate("JSON.parse(sessionStorage['kdvision-table'])"))
    phone.change("set_kingdom", kingdom=phone.kingdoms[0]["id"], player="Ann")
    expect(page.locator(".tab-name")).to_have_text(["Ann"])
    expect(page.get_by_role("button", name="Save")).to_be_visible()
    answers = phone.photograph((SAMPLES / "lost-treasures.jpg").read_bytes(), "photo=two")["proposal"]["answers"]
    number = [answer["text"] for answer in answers].index("Replace Ann's")
    phone.change("answer_proposal", proposal="two", answer=number)
    expect(page.locator("dialog")).to_have_count(0)


def test_a_second_view_is_added_to_its_kingdom(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    page.get_by_label("Name", exact=True).fill("Anna")
    page.get_by_label("Name", exact=True).press("Enter")
    choose_photos(page, "demo.jpg")
    page.get_by_role("button", name="Add it to Anna's").click()
    expect(page.locator(".notice")).to_have_count(0)
    assert read_tab_names(page) == ["Anna"]


def test_each_kingdom_keeps_its_points_whatever_is_wrong(open_page: OpenPage) -> None:
    page = open_page(phone=True, boards=[BOARD] * 5)
    expect(page.locator(".tab b")).to_have_text(["2"] * 5)
    page.get_by_label("Name", exact=True).fill("Player 1")
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.locator(".alerts")).to_contain_text("Two kingdoms are called Player 1")
    choose_rule(page, "Side", "7")
    expect(page.locator(".tab b")).to_have_text(["2"] * 5)


def test_a_leader_is_no_winner_while_questions_are_open(open_page: OpenPage) -> None:
    """The link of the game takes the questions along."""
    page = open_page(photo="hard-light.jpg")
    find_square(page, "B4: wheat").click()
    page.get_by_role("button", name="wheat, 1 crown").click()
    expect(page.locator(".badge").first).to_be_visible()
    type_board(page, BOARD)
    expect(page.locator(".standing .verdict")).to_contain_text("to check")
    assert "wins" not in page.locator(".standing .verdict").inner_text()
    count = page.locator(".tab .badge").first.inner_text()
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.keyboard.press("Escape")
    start_table(page)
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    page.evaluate("(hash) => { location.hash = hash; }", link.partition("#")[2])
    expect(page.locator(".tab .badge").first).to_have_text(count)
    page.get_by_role("button", name=re.compile("Check (it|them)")).click()
    page.locator(".suspicion button").first.click()
    expect(page.locator(".tab .badge")).not_to_have_text([count])
    for _ in range(int(count.rstrip("?")) - 1):
        page.locator(".suspicion button").first.click()
    expect(page.locator(".review")).to_have_count(0)


def test_earlier_games_come_back_with_names_and_rules(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD])
    page.get_by_label("Name", exact=True).fill("Zoë")
    page.get_by_label("Name", exact=True).press("Enter")
    choose_rule(page, "Harmony")
    start_game(page)
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    expect(page.locator(".setup .summary")).to_contain_text("Harmony")
    page.get_by_role("button", name="Tap an empty board").click()
    expect(page.locator(".tab-name")).to_have_text(["Zoë"])
    page.get_by_role("gridcell", name="Edge beside A1").first.click()
    page.get_by_role("button", name="wheat, 1 crown").click()
    expect(page.locator("#total")).to_have_text("1")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Earlier games").click()
    page.locator(".games button").nth(1).click()
    expect(page.locator("#total")).to_have_text("2")
    expect(find_square(page, "C1: forest")).to_be_visible()


def test_questions_about_pieces_are_answered_by_a_tap(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(phone=True, photo=write_photo_of_a_faint_gem(tmp_path))
    gems = page.get_by_role("button", name=re.compile("^Unnamed gem"))
    before = gems.count()
    page.get_by_role("button", name=re.compile("Check (it|them)")).tap()
    expect(page.locator("dialog .close-up")).to_be_visible()
    expect(page.locator("dialog")).to_contain_text("Does a gem lie between A4 and B5?")
    page.get_by_role("button", name="No", exact=True).tap()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".review", has_text="question")).to_have_count(0)
    expect(gems).to_have_count(before - 1)


def test_drawing_starts_with_all_handles_on_the_screen(open_page: OpenPage) -> None:
    page = open_page(phone=True)
    choose_photos(page, "no-kingdom.jpg")
    page.get_by_role("button", name="Draw it yourself").tap()
    handles = page.locator(".handle")
    expect(handles.first).to_be_focused()
    expect(handles).to_have_count(4)
    for handle in handles.all():
        expect(handle.locator(".ring")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Read here").tap()
    expect(page.get_by_role("alert")).to_contain_text("shows no tiles. Move its corners to those of the kingdom.")
    page.keyboard.press("Escape")
    expect(handles).to_have_count(0)


def refuse_photo(route: Route) -> None:
    """Answer as if a photo showed no kingdom."""
    route.fulfill(status=422, json={"error": "no kingdom found"})


def send_photo(page: Page, button: str) -> tuple[str, dict[str, str]]:
    """Tap a button that sends a photo, and return the table and the query of the request."""
    with page.expect_request("**/photos?**") as request:
        page.get_by_role("button", name=button).click()
    url = urlsplit(request.value.url)
    return url.path.split("/")[3], dict(parse_qsl(url.query))


def show_round(page: Page, number: int) -> None:
    """Show a round of the Dynasty."""
    tab = page.get_by_role("button", name=f"Round {number}")
    tab.click()
    expect(tab).to_have_attribute("aria-pressed", "true")


def start_dynasty(page: Page) -> str:
    """Choose a Dynasty, show its second round, and return the id of the table."""
    choose_rule(page, "Dynasty: three rounds")
    show_round(page, 2)
    return str(page.evaluate("JSON.parse(sessionStorage['kdvision-table'])"))


def test_drawn_corners_belong_to_the_round_and_game_where_they_were_drawn(open_page: OpenPage) -> None:
    page = open_page()
    table = start_dynasty(page)
    page.route("**/photos?**", refuse_photo)
    choose_photos(page, "no-kingdom.jpg")
    page.get_by_role("button", name="Draw it yourself").click()
    expect(page.locator(".handle")).to_have_count(4)
    alert = page.get_by_role("alert")
    starts: list[Callable[[], None]] = [
        lambda: show_round(page, 3),
        lambda: start_game(page),
        lambda: start_table(page),
    ]
    for start in starts:
        start()
        photo_table, query = send_photo(page, "Read here")
        assert (photo_table, query["game"], query["round"]) == (table, "1", "1")
        expect(alert).to_contain_text("No kingdom found")
        alert.get_by_role("button", name="Close").click()


def test_a_photo_that_failed_is_tried_again_in_its_round_or_in_the_game_of_now(open_page: OpenPage) -> None:
    page = open_page()
    table = start_dynasty(page)
    page.route("**/photos?**", refuse_photo)
    choose_photos(page, "no-kingdom.jpg")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("No kingdom found")
    show_round(page, 3)
    photo_table, query = send_photo(page, "Try again")
    assert (photo_table, query["game"], query["round"]) == (table, "1", "1")
    page.get_by_label("Dynasty").uncheck()
    expect(page.get_by_role("button", name="Round 2")).to_have_count(0)
    photo_table, query = send_photo(page, "Try again")
    assert (photo_table, query["game"], query["round"]) == (table, "1", "0")
    start_game(page)
    photo_table, query = send_photo(page, "Try again")
    assert (photo_table, query["game"], query["round"]) == (table, "2", "0")
    start_table(page)
    photo_table, query = send_photo(page, "Try again")
    assert (photo_table != table, query["game"], query["round"]) == (True, "1", "0")


def test_a_photo_that_is_tried_again_at_another_table_is_kept_there(open_page: OpenPage) -> None:
    page = open_page()
    page.route("**/photos?**", refuse_photo, times=1)
    choose_photos(page, "demo.jpg")
    expect(page.get_by_role("alert")).to_contain_text("No kingdom found")
    start_table(page)
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector("#total")
    page.wait_for_selector("#progress:empty", state="attached")
    assert count_kept_photos(page) == 1
    page.reload()
    expect(page.locator(".card.photo image").first).to_be_visible()


def test_corners_of_a_kingdom_that_was_removed_add_no_other(open_page: OpenPage) -> None:
    page, other_page = open_page(photo="demo.jpg"), open_page()
    page.get_by_role("button", name="Corners").click()
    other_page.get_by_role("button", name="Remove this kingdom").click()
    expect(page.locator(".tab-name")).to_have_count(0)
    page.get_by_role("button", name="Read here").click()
    expect(page.get_by_role("alert")).to_contain_text("This kingdom is not at the table any more")
    expect(page.locator(".tab-name")).to_have_count(0)


def test_names_boards_and_prints_fit(open_page: OpenPage) -> None:
    width = 320
    board = " / ".join(["w w1 f f l l g"] * 3 + ["w w1 f # l l g"] + ["w w1 f f l l g"] * 3)
    page = open_page(phone=True, viewport={"width": width, "height": 640}, boards=[board])
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for place in ("A1", "G7"):
        box = page.get_by_role("gridcell", name=f"{place}: ").bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width
    for name in ("W" * 40, "شهرزاد"):
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Name", exact=True).press("Enter")
        expect(page.locator(".tab-name")).to_have_text(name)
        assert page.evaluate("document.documentElement.scrollWidth") == width
    # Drawn before it is printed: the pictures of its terrains would not be loaded in time.
    expect(page.locator(".overview .small-board")).not_to_have_count(0)
    page.emulate_media(media="print")
    expect(page.locator(".overview .small-board")).to_be_visible()
    expect(page.locator(".tabs")).to_be_hidden()


def test_a_name_is_whole_beside_wide_points_on_a_small_phone(open_page: OpenPage) -> None:
    points = {"120": {"coins": 0}, "120+": {"coins": "?"}, "42+": {"coins": "?"}}
    boards = [["w1 w1 w1 w1 w1", "w1 w1 w1 w1 w1", "w # . . .", "w . . . ."]] * 2 + [["w1 w1 w1 w1 w1", "w1 w # . ."]]
    kingdoms = [{"board": board, "facts": facts} for board, facts in zip(boards, points.values(), strict=True)]
    page = open_page(make_link(kingdoms, game="queendomino"), phone=True, viewport={"width": 320, "height": 640})
    for number, text in enumerate(points):
        page.locator(".tab").nth(number).click()
        expect(page.locator(".who-card output")).to_have_text(text)
        assert page.locator(".who-card .name").evaluate("(node) => node.scrollWidth - node.clientWidth") == 0


def test_a_square_in_doubt_and_its_tab_fit_on_a_phone(open_page: OpenPage) -> None:
    doubt = {"at": "0,4", "read": "w1", "instead": "w", "probability": 0.9, "changes": {"0,4": "w"}}
    board = ["w1 w1 w1 w1 w1", "w1 w1 w1 w1 w1", "w # . . .", "w . . . ."]
    kingdom = {"player": "Player 1", "board": board, "facts": {"coins": "?"}, "doubts": [doubt]}
    page = open_page(make_link([kingdom], game="queendomino"), phone=True)
    expect(page.locator(".badge")).to_have_text("1?")
    expect(page.locator(".tab b")).to_have_text("120+")
    assert page.locator(".tab-name").evaluate("(node) => node.scrollWidth - node.clientWidth") == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_heads_of_a_dynasty_have_one_line_on_a_small_phone(open_page: OpenPage) -> None:
    page = open_page(phone=True, viewport={"width": 320, "height": 640})
    choose_rule(page, "Dynasty: three rounds")
    type_board(page, BOARD)
    page.get_by_label("Name", exact=True).fill("W" * 40)
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.locator(".dynasty tbody th")).to_have_text("W" * 40)
    heights = page.locator(".dynasty thead th").evaluate_all("""(heads) => heads.map((head) => {
        const text = document.createRange();
        text.selectNodeContents(head);
        return text.getBoundingClientRect().height;
    })""")
    assert len(set(heights)) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_a_phone_names_the_round_of_a_dynasty_above_the_ways_to_add_a_kingdom(open_page: OpenPage) -> None:
    """A photo counts for the round that is shown, and the buttons of the rounds are below."""
    page = open_page(phone=True)
    choose_rule(page, "Dynasty: three rounds")
    page.get_by_role("button", name="Round 2").click()
    expect(page.locator(".setup .summary")).to_have_text("Kingdomino · Round 2")


@pytest.mark.parametrize("width", [320, 1280])
def test_the_rounds_of_a_dynasty_stand_on_one_line(open_page: OpenPage, width: int) -> None:
    page = open_page(boards=[BOARD], viewport={"width": width, "height": 640})
    choose_rule(page, "Dynasty: three rounds")
    buttons = page.locator(".rounds button")
    expect(buttons).to_have_count(3)
    boxes = buttons.evaluate_all("(nodes) => nodes.map((node) => node.getBoundingClientRect())")
    assert {(box["top"], box["height"]) for box in boxes} == {(boxes[0]["top"], 44)}


def test_the_points_of_a_dynasty_have_one_line_on_a_small_phone(open_page: OpenPage) -> None:
    board = ["w3 w3 w3 w3 w3"] * 2 + ["w3 w3 # w3 w3"] + ["w3 w3 w3 w3 w3"] * 2
    kingdom = {"player": "W" * 40, "board": board}
    page = open_page(make_link([kingdom], [kingdom], [kingdom]), phone=True, viewport={"width": 320, "height": 640})
    expect(page.locator(".dynasty td")).to_have_text(["1728", "1728", "1728", "5184"])
    line_counts = page.locator(".dynasty td").evaluate_all("""(cells) => cells.map((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return new Set([...text.getClientRects()].map(({ top }) => top)).size;
    })""")
    assert set(line_counts) == {1}
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_an_option_of_the_command_line_stays_on_one_line(open_page: OpenPage) -> None:
    page = open_page(phone=True, viewport={"width": 320, "height": 640})
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Invite a phone").click()
    expect(page.locator("dialog")).to_contain_text("start kdvision serve --lan.")
    line_count = page.evaluate("""() => {
        const walker = document.createTreeWalker(document.querySelector("dialog"), NodeFilter.SHOW_TEXT);
        while (!walker.nextNode().data.includes("--lan"));
        const option = document.createRange();
        option.setStart(walker.currentNode, walker.currentNode.data.indexOf("--lan"));
        option.setEnd(walker.currentNode, option.startOffset + "--lan".length);
        return option.getClientRects().length;
    }""")
    assert line_count == 1


def test_a_long_verdict_can_be_read_from_its_beginning(open_page: OpenPage) -> None:
    kingdoms = [{"player": f"{number}{'W' * 38}", "board": ["w1 w", "# f"]} for number in range(8)]
    page = open_page(make_link(kingdoms), phone=True, viewport={"width": 320, "height": 568})
    expect(page.locator("#verdict")).to_contain_text("share the lead")
    offset = page.locator("#verdict").evaluate("""(node) => {
        const text = document.createRange();
        text.selectNodeContents(node);
        return text.getBoundingClientRect().top - node.getBoundingClientRect().top;
    }""")
    assert offset >= 0


def test_undo_of_a_message_whose_answer_is_late_takes_back_nothing_else(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD] * 2), open_page()
    late_answers: list[tuple[Route, APIResponse]] = []
    page.route("**/changes", lambda route: late_answers.append((route, route.fetch())), times=1)
    page.get_by_role("button", name="Remove this kingdom").click()
    expect(other_page.locator(".tab-name")).to_have_count(1)
    find_square(other_page, "A1: wheat").press("m")
    expect(find_square(page, "A1: mine")).to_be_visible()
    ((route, answer),) = late_answers
    route.fulfill(response=answer)
    page.locator(".toast", has_text="was removed").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Somebody has changed the game since")


def test_an_empty_board_that_is_added_while_the_server_is_away_shows_at_once(open_page: OpenPage) -> None:
    page, other_page = open_page(phone=True), open_page()
    wait_for_answers(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="Tap an empty board").click()
    expect(page.locator(".tab-name")).to_have_text(["New kingdom"])
    page.get_by_role("gridcell", name="Edge beside A1").first.click()
    page.get_by_role("button", name="wheat", exact=True).click()
    expect(page.get_by_role("gridcell", name="wheat")).to_have_count(1)
    page.get_by_role("gridcell", name="castle").click()
    type_board(other_page, BOARD)
    wait_for_answers(other_page)
    page.context.set_offline(False)
    for phone_page in (page, other_page):
        expect(phone_page.locator(".tab-name")).to_have_text(["Player 1", "Player 2"])
    expect(page.locator("dialog")).to_be_visible()
    expect(page.locator(".tab[aria-current]")).to_contain_text("Player 2")
    other_page.get_by_role("button", name="Player 2").click()
    expect(other_page.get_by_role("gridcell", name="wheat")).to_have_count(1)


def test_a_board_that_is_typed_while_the_server_is_away_shows_at_once(open_page: OpenPage) -> None:
    page = open_page()
    wait_for_answers(page)
    page.context.set_offline(True)
    type_board(page, "W1 w / # f")
    find_square(page, "B2: forest").press("w")
    expect(find_square(page, "B2: wheat")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".tab")).to_contain_text(["Player 1", "Add"])
    expect(page.locator("#total")).to_have_text("3")


def test_a_board_that_is_refused_can_be_typed_on(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    expect(other_page.locator(".tab-name")).to_have_text(["Player 1"])
    page.context.set_offline(True)
    type_board(page, "w2 w / # f")
    find_square(page, "B2: forest").press("w")
    expect(find_square(page, "B2: wheat")).to_be_visible()
    start_game(other_page)
    page.context.set_offline(False)
    alert = page.get_by_role("alert").filter(has_text="Another game is played at the table now")
    alert.get_by_role("button", name="Try again").click()
    expect(page.locator("textarea")).to_have_value("w2 w\n# w")
    page.get_by_role("button", name="Add this kingdom").click()
    expect(alert).to_have_count(0)
    for phone_page in (page, other_page):
        expect(phone_page.locator("#total")).to_have_text("6")


def test_refused_boards_and_a_draft_are_kept_apart(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=[BOARD]), open_page()
    expect(other_page.locator(".tab-name")).to_have_text(["Player 1"])
    page.context.set_offline(True)
    type_board(page, "w2 w / # f")
    type_board(page, "g1 g / # m")
    page.click(".tab.add")
    page.get_by_role("button", name="Type a board").click()
    text, retries = page.locator("textarea"), page.get_by_role("button", name="Try again")
    text.fill("s1 s")
    page.keyboard.press("Escape")
    start_game(other_page)
    page.context.set_offline(False)
    expect(retries).to_have_count(2)
    page.reload()
    retries.nth(0).click()
    text.fill("w2 w\n# w")
    page.keyboard.press("Escape")
    retries.nth(1).click()
    expect(text).to_have_value("g1 g\n# m")
    page.get_by_role("button", name="Add this kingdom").click()
    expect(other_page.locator("#total")).to_have_text("2")
    expect(retries).to_have_count(1)
    retries.click()
    expect(text).to_have_value("w2 w\n# w")
    page.keyboard.press("Escape")
    page.click(".tab.add")
    page.get_by_role("button", name="Type a board").click()
    expect(text).to_have_value("s1 s")


def test_what_was_entered_in_a_tab_that_was_closed_is_sent_once_by_the_next_page(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD], locale="en-GB")
    expect(page.locator("#total")).to_have_text("2")
    url, is_away = page.url, True
    sent: list[str] = []

    def handle(route: Route) -> None:
        if is_away:
            route.abort()
        else:
            sent.append(route.request.post_data or "")
            route.continue_()

    page.context.route("**/changes", handle)
    with page.expect_event("requestfailed"):
        find_square(page, "C1: forest").press("w")
    open_tab = page.context.new_page()
    open_tab.goto(url)
    expect(open_tab.locator("#total")).to_have_text("2")  # it takes nothing from a tab that is open
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    is_away = False
    next_page = page.context.new_page()
    next_page.goto(url)
    for tab in (next_page, open_tab):
        expect(tab.locator("#total")).to_have_text("3")
    with open_tab.expect_response("**/changes"):
        find_square(open_tab, "A1: wheat").press("m")
    assert [re.findall('"cell":"."', text) for text in sent] == [['"cell":"w"'], ['"cell":"m"']]


def test_what_another_page_has_taken_from_a_hidden_tab_is_not_sent_twice(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD], locale="en-GB")
    expect(page.locator("#total")).to_have_text("2")
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.evaluate("localStorage['kdvision-waiting'] = '[]'")  # the other page
    page.context.set_offline(False)
    expect(find_square(page, "C1: forest")).to_be_visible()
    expect(page.locator("#undo")).to_be_enabled()
    expect(page.locator("#total")).to_have_text("2")


def test_what_is_entered_after_another_page_has_taken_the_earlier_changes_is_sent(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD], locale="en-GB")
    with hold_response(page, "**/changes") as release:
        with page.expect_request("**/changes"):
            find_square(page, "A1: wheat").press("m")
        page.evaluate("dispatchEvent(new Event('pagehide'))")
        next_page = page.context.new_page()
        next_page.goto(page.url)
        expect(find_square(next_page, "A1: mine")).to_be_visible()
        wait_for_answers(next_page)
        find_square(page, "B2: forest").press("s")
        expect(find_square(page, "B2: swamp")).to_be_visible()
        release()
    expect(find_square(next_page, "B2: swamp")).to_be_visible()


def test_a_duplicate_of_a_tab_sends_its_own_changes(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD], locale="en-GB")
    expect(page.locator("#total")).to_have_text("2")
    with page.context.expect_page() as opening:
        page.evaluate("() => { open('/'); }")  # with a copy of the session
    copy = opening.value
    with hold_response(copy, "**/changes") as release:
        with copy.expect_request("**/changes"):
            find_square(copy, "B2: forest").press("s")
        find_square(copy, "C1: forest").press("w")
        with page.expect_response("**/changes"):
            find_square(page, "A1: wheat").press("m")
        expect(find_square(copy, "A1: mine")).to_be_visible()
        release()
    for tab in (page, copy):
        for name in ("A1: mine", "B2: swamp", "C1: wheat"):
            expect(find_square(tab, name)).to_be_visible()


def test_points_without_the_changes_that_wait_for_the_server_say_so(open_page: OpenPage) -> None:
    page = open_page(boards=[BOARD] * 2)
    expect(page.locator("#verdict")).to_contain_text("share the victory")
    page.context.set_offline(True)
    find_square(page, "C1: forest").press("w")
    expect(page.locator("#verdict")).to_contain_text("The points do not count your last changes")
    page.context.set_offline(False)
    expect(page.locator("#verdict")).to_contain_text("Player 2 wins")
