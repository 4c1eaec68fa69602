"""A score, a decision or a photo that arrives does not disturb what a person drags, types or has open.

The tests hold the response of the server, start to drag or to type, and release the response in the middle.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import (
    OpenPage,
    choose_photos,
    choose_rule,
    drop_handle,
    find_square,
    grab_handle,
    read_total,
    start_table,
    type_board,
    wait_for_answers,
)
from tests.paths import SAMPLES
from tests.phones import Phone
from tests.webserver import Client

TWO_KINGDOMS = json.loads((SAMPLES / "two-kingdoms.json").read_text("utf-8"))["kingdoms"]


@contextmanager
def hold_response(page: Page, url: str) -> Iterator[Callable[[], None]]:
    """Hold all requests to a URL. The function that this yields releases them and waits for the answer."""
    routes: list[Route] = []
    is_holding = True

    def handle(route: Route) -> None:
        if is_holding:
            routes.append(route)
        else:
            route.continue_()

    def release() -> None:
        nonlocal is_holding
        is_holding = False
        with page.expect_response(url):
            for route in routes:
                route.continue_()

    page.route(url, handle)
    yield release


def mark_node(element: Locator) -> None:
    """Mark a DOM node, so that `is_marked` tells whether it is still the same one."""
    element.evaluate("(node) => { node.marked = true; }")


def is_marked(element: Locator) -> bool:
    return bool(element.evaluate("(node) => node.marked === true"))


def test_an_answer_that_arrives_from_a_table_that_was_left_is_not_shown(open_page: OpenPage) -> None:
    page = open_page()
    with hold_response(page, "**/changes") as release:
        page.get_by_role("button", name="Tap an empty board").click()
        start_table(page)
        expect(page.locator(".toast")).to_contain_text("This is the new table")
        release()
    wait_for_answers(page)
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()


def test_each_place_keeps_its_kingdom_while_one_is_removed(open_page: OpenPage) -> None:
    page = open_page(boards=("w2 w / # f", "w1 w / # f", "w1 . / # f"))
    places = page.locator(".places b")
    expect(places).to_have_text(["Player 1", "4", "Player 2", "2", "Player 3", "1"])
    page.get_by_role("button", name="Player 1").click()
    page.route("**/changes", lambda route: None)
    page.get_by_role("button", name="Remove this kingdom").click()
    expect(page.locator(".tab-name")).to_have_count(2)
    expect(places).to_have_text(["Player 1", "4", "Player 2", "2", "Player 3", "1"])


def test_a_photo_that_waits_is_read_at_the_table_where_it_was_chosen(open_page: OpenPage) -> None:
    page = open_page()
    with hold_response(page, "**/photos?**") as release:
        choose_photos(page, "demo.jpg", "castle.jpg")
        expect(page.locator(".reading .picture")).to_be_visible()
        start_table(page)
        release()
        page.wait_for_selector("#progress:empty", state="attached")
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    expect(page.locator(".tab-name")).to_have_count(0)


def test_a_score_that_arrives_during_a_drag_leaves_the_corners(open_page: OpenPage) -> None:
    page = open_page(photo="two-kingdoms.jpg")
    with hold_response(page, "**/changes") as release:
        page.get_by_role("button", name="Remove this kingdom").click()
        page.get_by_role("button", name="Missed one").click()
        handle = page.get_by_role("button", name="Top left corner")
        mark_node(handle)
        grab_handle(page, 0)
        page.mouse.move(300, 500)
        before = handle.get_attribute("transform")
        release()
        wait_for_answers(page)
    assert is_marked(handle)
    expect(page.locator(".glass")).to_be_visible()
    assert handle.get_attribute("transform") == before
    drop_handle(page, TWO_KINGDOMS[0]["corners_tl_tr_br_bl_px"][0])
    expect(page.locator(".glass")).to_be_hidden()
    assert handle.get_attribute("transform") != before
    expect(handle).to_be_focused()


def test_a_photo_that_arrives_during_a_drag_leaves_the_corners(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    with hold_response(page, "**/photos?**") as release:
        choose_photos(page, "castle.jpg")
        page.get_by_role("button", name="Corners").click()
        handle = page.get_by_role("button", name="Top left corner")
        mark_node(handle)
        grab_handle(page, 0)
        release()
        page.wait_for_selector("#progress:empty", state="attached")
    expect(page.locator(".tab-name")).to_have_count(2)
    assert is_marked(handle)
    page.mouse.up()


def test_a_score_that_arrives_keeps_a_name_that_is_typed(open_page: OpenPage) -> None:
    page = open_page(boards=["w1 w / # f"])
    expect(page.locator("#total")).to_have_text("2")
    with hold_response(page, "**/changes") as release:
        find_square(page, "B2: forest").press("w")
        name = page.get_by_label("Name", exact=True)
        mark_node(name)
        name.press("End")
        name.press_sequentially(" Ann")
        release()
        expect(page.locator("#total")).to_have_text("3")
    assert is_marked(name)
    expect(name).to_have_value("Player 1 Ann")
    name.press("Enter")
    expect(page.locator(".tab-name")).to_have_text(["Player 1 Ann"])


def test_a_score_that_arrives_keeps_a_count_that_is_typed(open_page: OpenPage) -> None:
    page = open_page()
    choose_rule(page, "Game", "queendomino")
    type_board(page, "w1 w / # t")
    expect(page.locator("#total")).to_have_text("2")
    with hold_response(page, "**/changes") as release:
        find_square(page, "B2: town").press("w")
        count = page.get_by_label("Coins", exact=True)
        count.fill("12")
        release()
        expect(page.locator("#total")).to_have_text("3")
    expect(count).to_have_value("12")
    expect(count).to_be_focused()
    count.press("Enter")
    page.reload()
    expect(page.get_by_label("Coins", exact=True)).to_have_value("12")


def test_a_score_that_arrives_keeps_a_list_of_choices_open(open_page: OpenPage) -> None:
    """The select stays the same DOM node: only a node that is removed closes its list."""
    page = open_page(boards=["w1 w / # f"])
    expect(page.locator("#total")).to_have_text("2")
    with hold_response(page, "**/changes") as release:
        find_square(page, "B2: forest").press("w")
        castle = page.get_by_label("Castle", exact=True)
        mark_node(castle)
        castle.focus()
        release()
        expect(page.locator("#total")).to_have_text("3")
    assert is_marked(castle)
    expect(castle).to_be_focused()


def test_a_score_that_arrives_rebuilds_only_what_changed(open_page: OpenPage) -> None:
    """All squares of the board and of the photo stay the same DOM nodes."""
    page = open_page(photo="demo.jpg")
    before = read_total(page)
    count = "document.querySelectorAll('.square, .tap').length"
    page.evaluate("document.querySelectorAll('.square, .tap').forEach((node) => { node.marked = true; })")
    nodes = page.evaluate(count)
    find_square(page, "A1: grass").press("2")
    expect(page.locator("#total")).not_to_have_text(str(before))
    assert page.evaluate("[...document.querySelectorAll('.square, .tap')].filter((n) => n.marked).length") == nodes


def test_a_correction_counts_for_its_kingdom_when_a_photo_arrives(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    before = read_total(page)
    with hold_response(page, "**/photos?**") as release:
        choose_photos(page, "castle.jpg")
        find_square(page, "A1: grass").click()
        release()
        page.wait_for_selector("#progress:empty", state="attached")  # the tab may come before the answer
    expect(page.locator(".tab-name")).to_have_count(2)
    page.get_by_role("button", name="grass, 2 crowns").click()
    expect(page.locator("#total")).not_to_have_text(str(before))
    expect(page.get_by_label("Name", exact=True)).to_have_value("Player 1")
    expect(find_square(page, "A1: grass, 2 crowns")).to_be_visible()


def test_an_answer_to_a_question_that_another_phone_took_back_changes_nothing(
    open_page: OpenPage, server: Client
) -> None:
    page = open_page()
    phone = Phone(server, page.evaluate("JSON.parse(sessionStorage['kdvision-table'])"))
    phone.change("set_rules", rules={"variants": ["lost-treasures"]})
    phone.add("w1 w / # f", id="ann", pieces=[{"kind": "gem", "at": "0,0", "probability": 0.4}])
    page.get_by_role("button", name=re.compile("Check (it|them)")).click()
    with hold_response(page, "**/changes") as release:
        page.get_by_role("button", name="No", exact=True).click()
        board = {"op": "add_kingdom", "id": "ann", "board": "w1 w1 / # f"}
        assert phone.send({"op": "remove_kingdom", "kingdom": "ann"}, board).status == 200
        expect(find_square(page, "B1: wheat, 1 crown")).to_be_visible()
        release()


def test_a_reconnection_that_is_answered_late_leaves_the_new_table(open_page: OpenPage) -> None:
    page = open_page(boards=["w1 w / # f"])
    routes: list[Route] = []
    page.route("**/api/tables", lambda route: routes.append(route), times=1)
    with page.expect_request("**/api/tables"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    start_table(page)
    with page.expect_response("**/api/tables"):
        routes[0].continue_()
    page.wait_for_timeout(200)
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()


def test_corrections_that_wait_reach_the_table_that_was_left(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=["w1 w / # f"]), open_page()
    with hold_response(page, "**/changes") as release:
        find_square(page, "B2: forest").press("w")
        find_square(page, "A1: wheat").press("m")
        expect(find_square(page, "A1: mine")).to_be_visible()
        start_table(page)
        expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
        release()
    expect(find_square(other_page, "B2: wheat")).to_be_visible()
    expect(find_square(other_page, "A1: mine")).to_be_visible()


def test_changes_that_wait_for_a_table_that_was_left_outlive_a_reload(open_page: OpenPage) -> None:
    """A rule that was chosen there is added to the rules of that table."""
    page, other_page = open_page(boards=["w1 w / # f"]), open_page()
    choose_rule(page, "Middle Kingdom")
    summary = other_page.locator(".setup .summary")
    expect(summary).to_contain_text("Middle Kingdom")
    page.route("**/changes", lambda route: route.abort())
    find_square(page, "B2: forest").press("w")
    page.get_by_label("Harmony", exact=True).check()
    start_table(page)
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    page.unroute("**/changes")
    expect(find_square(other_page, "B2: wheat")).to_be_visible()
    expect(summary).to_contain_text("Harmony")
    expect(summary).to_contain_text("Middle Kingdom")


def test_a_refusal_of_a_table_that_was_left_names_this_table(open_page: OpenPage) -> None:
    page, other_page = open_page(boards=["w1 w / # f"]), open_page()
    table = page.evaluate("JSON.parse(sessionStorage['kdvision-table'])")
    with hold_response(page, "**/changes") as release:
        find_square(page, "B2: forest").press("w")
        other_page.get_by_role("button", name="Remove this kingdom").click()
        expect(page.locator(".points")).to_have_count(0)
        start_table(page)
        expect(page.locator(".toast")).to_contain_text("This is the new table")
        release()
    expect(page.locator(".toast")).to_contain_text(f"A change at table {table} is lost: this kingdom is not")
