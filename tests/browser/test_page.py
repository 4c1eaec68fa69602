"""The page in a real browser: photos, corrections, games, sharing."""

import json
import re
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Download, Page, Route, expect

import kdvision
from kdvision import pipeline
from kdvision.gamefile.model import parse_game
from kdvision.pipeline import KingdomReading
from kdvision.vision.find import Watch
from kdvision.web.server import Settings
from tests.browser.conftest import (
    OpenPage,
    choose_photos,
    choose_rule,
    drop_handle,
    encode_text,
    find_square,
    grab_handle,
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
from tests.paths import SAMPLES
from tests.webserver import Client, running_server

TRUTH = json.loads((SAMPLES / "demo.json").read_text("utf-8"))["kingdoms"][0]
TIE = ("w1 w / # f", "f # / w w1")
"""Two boards that are equal in every tie-break."""


def read_board_rows(page: Page) -> list[str]:
    """Return the board as the page shows it, in notation."""
    lines = []
    for row in page.locator(".grid .row").all()[1:]:
        cells = []
        for cell_node in row.locator(".square").all():
            crowns = cell_node.locator(".crown").count()
            is_castle = "sq-castle" in (cell_node.get_attribute("class") or "")
            letter = cell_node.locator(".letter")
            cells.append("#" if is_castle else f"{letter.inner_text()}{crowns or ''}" if letter.count() else ".")
        lines.append(" ".join(cells))
    return lines


def test_a_sample_gets_the_right_score(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    assert (read_board_rows(page), read_total(page)) == (TRUTH["board"], TRUTH["points"])
    page.get_by_text("grass: 8 squares").click()
    expect(page.locator(".clause").first).to_contain_text("number of squares times the number of crowns")


def test_a_corrected_square_changes_the_score_and_can_be_undone(open_page: OpenPage) -> None:
    page = open_page(phone=True, photo="demo.jpg")
    before = read_total(page)
    find_square(page, "A1: grass").tap()
    page.get_by_role("button", name="grass, 2 crowns").tap()
    expect(page.locator("#total")).not_to_have_text(str(before))
    expect(find_square(page, "A1: grass, 2 crowns")).to_be_visible()
    page.get_by_role("button", name="Undo").first.tap()
    expect(page.locator("#total")).to_have_text(str(before))
    page.get_by_role("button", name="Redo").first.tap()
    expect(find_square(page, "A1: grass, 2 crowns")).to_be_visible()
    expect(page.locator("#total")).not_to_have_text(str(before))


def test_squares_that_depend_on_a_correction_change_too(open_page: OpenPage) -> None:
    """No domino has this square beside the other one, so the other half changes as well, and the page says so."""
    page = open_page(photo="hard-light.jpg")
    find_square(page, "B4: wheat").click()
    page.get_by_role("button", name="wheat, 1 crown").click()
    expect(page.locator(".toast")).to_contain_text("Now changed")
    expect(page.locator(".badge")).to_be_visible()


def test_the_next_square_can_be_tapped_at_any_moment(open_page: OpenPage) -> None:
    """While the sheet of another square is open, and in the same moment in which a choice closes it."""
    page = open_page(phone=True, boards=["# w / w w"])
    find_square(page, "A2: wheat").tap()
    expect(page.get_by_role("heading", name="Square A2")).to_be_visible()
    find_square(page, "B1: wheat").tap()
    expect(page.get_by_role("heading", name="Square B1")).to_be_visible()
    assert page.locator("dialog").count() == 1
    page.evaluate("""() => {
        document.querySelector('.option[aria-label="wheat, 1 crown"]').click();
        document.querySelector('.grid [data-place="1,0"]').click();
    }""")
    expect(page.get_by_role("heading", name="Square A2")).to_be_visible()
    expect(find_square(page, "B1: wheat, 1 crown")).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(find_square(page, "B1: wheat, 1 crown")).to_be_focused()


def test_questions_of_the_whole_table_follow_each_other(open_page: OpenPage) -> None:
    """The next question comes at once, while the decisions about the last answer are still on their way."""
    page = open_page(phone=True, photo="hard-light.jpg")
    find_square(page, "B4: wheat").tap()
    page.get_by_role("button", name="wheat, 1 crown").tap()
    expect(page.locator(".toast")).to_contain_text("Now changed")
    page.route("**/changes", lambda route: None)
    page.get_by_role("button", name=re.compile("Check (it|them)")).tap()
    count = page.locator("dialog .count")
    expect(count).to_contain_text(re.compile(r"1 of \d+ · Player 1"))
    expect(page.locator("dialog .close-up")).to_be_visible()
    for number in range(2, int(count.inner_text().split()[2]) + 1):
        page.locator(".suspicion button").first.tap()
        expect(count).to_contain_text(f"{number} of ")
    page.locator(".suspicion button").first.tap()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".badge")).to_have_count(0)


def test_a_kingdom_alone_is_shared_as_still_to_check(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    expect(page.locator("#verdict")).to_have_text(re.compile(r"^Player 1: \d+ points$"))
    find_square(page, "B2: wheat").press("1")
    expect(page.locator("#verdict")).to_have_text(re.compile(r"^Player 1: \d+ points; still to check$"))


def test_the_photo_shows_the_reading_and_can_be_tapped(open_page: OpenPage) -> None:
    page = open_page(photo="two-kingdoms.jpg")
    assert page.locator(".picture .kingdom").count() == 2
    page.get_by_role("button", name="Zoom out").click()
    page.locator(".picture .kingdom:not(.active) .tap").first.click()
    expect(page.locator(".tab[aria-current]")).to_contain_text("Player 2")
    page.locator(".picture .kingdom.active .tap").first.click()
    expect(page.get_by_role("heading", name="Square")).to_be_visible()


def test_a_kingdom_is_read_at_the_corners_that_were_dragged(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    page.get_by_role("button", name="Corners").click()
    handle = page.get_by_role("button", name="Top left corner")
    grab_handle(page, 0)
    page.mouse.move(300, 500)
    expect(page.locator(".glass")).to_be_visible()
    x, y = TRUTH["corners_tl_tr_br_bl_px"][0]
    drop_handle(page, [x + 2, y + 2])
    handle.press("ArrowLeft")
    page.get_by_label("Size of the kingdom").select_option("5x5")
    with page.expect_response("**/photos?**"):
        page.get_by_role("button", name="Read here").click()
    expect(page.locator(".handle")).to_have_count(0)
    assert read_board_rows(page) == TRUTH["board"]


def test_a_finger_drags_a_corner_and_not_the_page(open_page: OpenPage) -> None:
    page = open_page(phone=True, photo="demo.jpg")
    page.get_by_role("button", name="Missed one").tap()
    ring = page.locator(".handle .ring").first
    expect(page.locator(".handle").first).to_be_focused()
    start = ring.bounding_box()
    assert start is not None
    left, top = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    session = page.context.new_cdp_session(page)
    for offset in range(0, 60, 10):
        points = [{"x": left + offset, "y": top + offset}]
        session.send(
            "Input.dispatchTouchEvent", {"type": "touchMove" if offset else "touchStart", "touchPoints": points}
        )
    expect(page.locator(".glass")).to_be_visible()
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".glass")).to_have_count(0)
    end = ring.bounding_box()
    assert end is not None
    assert (round(end["x"] - start["x"]), round(end["y"] - start["y"])) == (50, 50)


def test_a_kingdom_can_be_removed_and_restored(open_page: OpenPage) -> None:
    page = open_page(photo="two-kingdoms.jpg")
    first_total = read_total(page)
    page.get_by_role("button", name="Remove this kingdom").click()
    expect(page.locator(".tab:not(.add)")).to_have_count(1)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".tab:not(.add)")).to_have_count(2)
    assert read_total(page) == first_total
    page.get_by_role("button", name="Missed one").click()
    expect(page.locator(".handle")).to_have_count(4)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".handle")).to_have_count(0)


def draw_kingdom(page: Page, corners: list[list[float]]) -> None:
    """Draw a kingdom of 5 by 5 that was missed, and read it."""
    page.get_by_role("button", name="Missed one").click()
    for number, corner in enumerate(corners):
        grab_handle(page, number)
        drop_handle(page, corner)
    page.get_by_label("Size of the kingdom").select_option("5x5")
    page.get_by_role("button", name="Read here").click()


def test_a_kingdom_that_was_missed_is_read_where_it_is_drawn(open_page: OpenPage) -> None:
    truth = json.loads((SAMPLES / "two-kingdoms.json").read_text("utf-8"))["kingdoms"][0]
    page = open_page(photo="two-kingdoms.jpg")
    page.locator(".tab", has_text=str(truth["points"])).click()
    page.get_by_role("button", name="Remove this kingdom").click()
    draw_kingdom(page, truth["corners_tl_tr_br_bl_px"])
    expect(page.locator(".tab:not(.add)")).to_have_count(2)
    expect(page.locator("#total")).to_have_text(str(truth["points"]))
    assert read_board_rows(page) == truth["board"]


def test_a_drawn_kingdom_that_is_there_already_is_reported(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    draw_kingdom(page, TRUTH["corners_tl_tr_br_bl_px"])
    expect(page.locator(".toast")).to_contain_text("is at the table already")
    expect(page.locator(".tab-name")).to_have_count(1)


def test_several_photos_are_one_game(open_page: OpenPage) -> None:
    """One box holds the dominoes of both, so deciding them together changes neither."""
    page = open_page()
    choose_photos(page, "demo.jpg", "hard-light.jpg")
    expect(page.locator(".tab:not(.add)")).to_have_count(2)
    other_points = json.loads((SAMPLES / "hard-light.json").read_text("utf-8"))["kingdoms"][0]["points"]
    expect(page.locator(".places")).to_contain_text(str(other_points))
    expect(page.locator(".places")).to_contain_text(str(TRUTH["points"]))
    assert page.locator(".picture .kingdom").count() == 1


def test_details_stay_open_when_the_page_is_updated(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    page.get_by_text("grass: 8 squares").click()
    expect(page.locator(".square.dim")).to_have_count(17)
    choose_rule(page, "Harmony")
    expect(page.locator("#total")).not_to_have_text(str(TRUTH["points"]))
    expect(page.get_by_label("Middle Kingdom", exact=True)).to_be_visible()
    expect(page.locator(".clause").first).to_be_visible()
    page.locator(".setup:not(.fits) > details > summary").press("Enter")
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator("#total")).to_have_text(str(TRUTH["points"]))
    expect(page.get_by_label("Middle Kingdom", exact=True)).to_be_hidden()


def test_a_score_line_highlights_its_squares_only_while_its_kingdom_is_shown(open_page: OpenPage) -> None:
    page = open_page(boards=TIE)
    page.get_by_text("wheat: 2 squares").click()
    expect(page.locator(".square.dim")).to_have_count(2)
    for player in ("Player 1", "Player 2"):
        page.get_by_role("button", name=player).click()
        expect(page.get_by_label("Name", exact=True)).to_have_value(player)
    expect(page.locator(".square.dim")).to_have_count(0)


def test_a_link_contains_the_whole_game(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    page.get_by_label("Name").fill("Zoë & friends")
    page.get_by_label("Name").press("Enter")
    type_board(page, "w2 w / # .")
    choose_rule(page, "Harmony")
    expect(page.locator("#standing")).to_contain_text("Zoë & friends wins on points, 39 to 4")  # Harmony has arrived
    standing = page.locator("#standing").inner_text()
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link", exact=True).input_value()
    other_page = open_page(link.partition("/#")[2].join(["/#", ""]), phone=True)
    expect(other_page.locator("#standing")).to_contain_text("Zoë & friends wins on points, 39 to 4")
    assert other_page.locator("#standing").inner_text() == standing
    assert read_board_rows(other_page) == TRUTH["board"]
    assert "#" not in other_page.url


def save_file(page: Page, button: str) -> Download:
    """Save the game by a button of the dialog that shares it."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return download.value


def test_facts_of_other_rules_are_not_saved(open_page: OpenPage) -> None:
    """The server would refuse the whole game because of them."""
    page = open_page(boards=["w1 w / # f"])
    choose_rule(page, "Game", "queendomino")
    page.get_by_role("button", name="Coins: one more").click()
    page.get_by_label("Game", exact=True).select_option("kingdomino")
    page.get_by_label("The Lost Treasures", exact=True).check()
    page.get_by_label("red", exact=True).check()
    page.get_by_label("The Lost Treasures", exact=True).uncheck()
    page.get_by_role("button", name="Share").click()
    assert "coins" not in save_file(page, "Save game file").path().read_text("utf-8")


def test_a_knight_without_a_tile_can_be_removed(open_page: OpenPage) -> None:
    page = open_page(boards=["w1 w f / # f f"])
    choose_rule(page, "Game", "queendomino")
    find_square(page, "B1: wheat").click()
    page.get_by_label("A knight stands here").check()
    page.get_by_role("button", name="no tile").click()
    expect(page.locator(".points .problems")).to_contain_text("stands on no domino")
    find_square(page, "B1: no tile").click()
    page.get_by_label("A knight stands here").click()
    expect(page.locator(".points .problems")).not_to_contain_text("stands on no domino")


def test_the_game_can_be_saved(open_page: OpenPage) -> None:
    """The files leave out a knight whose tile was removed."""
    kingdom = {"player": "Ann", "board": ["w1 w", "# f"], "facts": {"knights": ["0,1", "-1,0"]}}
    page = open_page(make_link([kingdom], game="queendomino"))
    page.get_by_role("button", name="Share").click()
    files = {
        "Save JSON": ("kdvision.json", b'"total"'),
        "Save game file": ("kdvision.toml", b'knights = ["B1"]'),
        "Save picture": ("kdvision.png", b"\x89PNG"),
    }
    for button, (name, content) in files.items():
        download = save_file(page, button)
        assert download.suggested_filename == name and content in download.path().read_bytes()


def test_a_saved_game_says_what_is_left_to_check(open_page: OpenPage) -> None:
    doubt = {"at": "0,0", "read": "w1", "instead": "w", "probability": 0.9, "changes": {"0,0": "w"}}
    gem = {"kind": "gem", "at": "0,0", "probability": 0.4}  # which Kingdomino without The Lost Treasures does not have
    kingdoms = [
        {"player": "Ann", "board": ["w1 w", "# f"], "doubts": [doubt], "pieces": [gem]},
        {"player": "Bo", "board": ["# l1", "l l"]},
    ]
    page = open_page(make_link(kingdoms))
    page.get_by_role("button", name="Share").click()
    result = json.loads(save_file(page, "Save JSON").path().read_text("utf-8"))
    (round_result,) = result["rounds"]
    assert [len(kingdom["doubts"]) for kingdom in round_result["kingdoms"]] == [1, 0]
    assert (result["winners"], result["standing"], round_result["standing"]) == ([], None, None)
    assert round_result["outlook"] == "Bo leads on points, 3 to 2; 1 square to check"
    (table,) = parse_game(save_file(page, "Save game file").path().read_text("utf-8")).rounds
    assert [kingdom.questions for kingdom in table.kingdoms] == [("A1: wheat, 1 crown, or maybe wheat",), ()]


def test_a_kingdom_that_is_uncertain_as_a_whole_is_saved_as_such(open_page: OpenPage) -> None:
    """Also if its own photo is certain, or asks only for a piece that is no part of the game."""
    page = open_page()
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    questions = page.evaluate("""async () => {
        const [{ toGameFile }, store] = await Promise.all([import("/link.js"), import("/store.js")]);
        store.update({ points: new Map([["k", { score: { review: true } }]]) });
        const ask = (review, pieces) => {
            const seen = { reading: "r", review, doubts: [], pieces, problems: [] };
            const kingdom = { id: "k", player: "Ann", cells: { "0,0": "#" }, facts: {}, seen };
            return toGameFile({ rules: store.state.game.rules, rounds: [[kingdom]] }, [], false).kingdom[0].questions;
        };
        return [ask(false, []), ask(true, [{ kind: "gem", at: "0,0", probability: 0.4 }])];
    }""")
    assert questions == [["the photo left this board uncertain"]] * 2


def test_a_game_that_is_saved_while_squares_are_decided_again_says_so(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    page.evaluate("""async () => {
        const [{ receive }, { state }] = await Promise.all([import("/table.js"), import("/store.js")]);
        const next = structuredClone({ ...state.table, revision: state.table.revision + 1, deciding: true });
        receive({ ...next, game: { ...next.game, deciding: [0] } });
    }""")
    expect(page.locator("#verdict")).to_have_text(re.compile("; still to check$"))
    page.get_by_role("button", name="Share").click()
    result = json.loads(save_file(page, "Save JSON").path().read_text("utf-8"))
    assert result["rounds"][0]["kingdoms"][0]["review"]
    (table,) = parse_game(save_file(page, "Save game file").path().read_text("utf-8")).rounds
    assert table.kingdoms[0].questions == ("the squares are being decided again",)
    link = page.get_by_label("Link", exact=True).input_value()
    other_page = open_page(link.partition("/#")[2].join(["/#", ""]))
    expect(other_page.locator(".review")).to_contain_text("the squares are being decided again")


def test_a_saved_game_takes_an_open_question_about_a_photo_along(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    choose_photos(page, "demo.jpg")
    expect(page.get_by_role("button", name="Ignore this photo")).to_be_visible()
    page.get_by_role("button", name="Share").click()
    (table,) = parse_game(save_file(page, "Save game file").path().read_text("utf-8")).rounds
    (question,) = table.kingdoms[0].questions
    assert "kingdom again. Add it to" in question


def test_a_dynasty_with_open_gems_can_be_saved(open_page: OpenPage) -> None:
    rounds = [[{"player": name, "board": ["w1 w", "# f"]} for name in ("Ann", "Bo")]] * 3
    page = open_page(make_link(*rounds, variants=["lost-treasures"], open_gems=["red"]))
    page.get_by_role("button", name="Share").click()
    assert len(json.loads(save_file(page, "Save JSON").path().read_text("utf-8"))["rounds"]) == 3
    tables = parse_game(save_file(page, "Save game file").path().read_text("utf-8")).rounds
    assert [table.open_gems for table in tables] == [("red",)] * 3


def test_the_game_is_copied_as_text_over_plain_http(open_page: OpenPage) -> None:
    """Browsers offer no clipboard there: the page selects the text in a box that keeps its lines, and copies that."""
    page = open_page(boards=TIE)
    page.evaluate("""() => {
        Object.defineProperty(navigator, "clipboard", { value: undefined });
        document.execCommand = () => { window.copied = document.activeElement.value; return true; };
    }""")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy as text").click()
    expect(page.locator(".toast")).to_contain_text("Copied")
    text = page.evaluate("copied")
    assert text.splitlines()[:2] == ["Player 1: 2", "Player 2: 2"]
    assert "share the victory" in text
    assert "#game=" in text


def test_a_link_cannot_insert_markup(open_page: OpenPage) -> None:
    name = "<img src=x onerror=alert(1)>"
    page = open_page(make_link([{"player": name, "board": ["w w", "# f"]}]))
    expect(page.locator(".tab-name")).to_have_text(name)
    assert page.locator("img[src=x]").count() == 0


def test_a_possible_queen_is_asked_for_by_her_name(open_page: OpenPage) -> None:
    kingdom = {"board": ["w w", "# f"], "pieces": [{"kind": "queen", "at": "0,1", "probability": 0.6}]}
    page = open_page(make_link([kingdom], game="queendomino"))
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("heading", name="Is there a Queen?")).to_be_visible()
    expect(page.locator("dialog")).to_contain_text("Does a Queen stand on B1?")


def test_a_broken_link_is_reported_and_changes_nothing(open_page: OpenPage) -> None:
    page = open_page(boards=["w1 w / # f"])
    for game in (
        "abc",
        '{"rounds": 5, "rules": {}}',
        '{"rounds": [[{"board": 1}]], "rules": {}}',
        '{"rounds": [], "rules": {"game": "chess"}}',
        '{"rounds": [[{"player": "Ann", "board": ["wInfinity <b>", "# f"]}]], "rules": {}}',
        '{"kingdoms": [[{"board": ["w"]}]], "rules": {}}',
    ):
        page.evaluate("(hash) => { location.hash = hash; }", f"game={encode_text(game)}")
        expect(page.locator(".toast")).to_contain_text("contains no valid game")
        page.reload()
    expect(page.locator("#total")).to_have_text("2")


def test_a_reload_keeps_the_game(open_page: OpenPage) -> None:
    page = open_page(boards=["w1 w / # f"])
    page.reload()
    expect(page.locator("#total")).to_have_text("2")


# Errors.


def test_a_warning_stays_in_a_link_and_goes_when_the_kingdom_is_confirmed(open_page: OpenPage, tmp_path: Path) -> None:
    with Image.open(SAMPLES / "two-kingdoms.jpg") as photo:
        photo.crop((0, 0, photo.width * 4 // 5, photo.height)).save(tmp_path / "cut.jpg")
    page = open_page(photo=tmp_path / "cut.jpg")
    page.get_by_role("button", name=re.compile("^Player 2")).click()
    expect(page.locator(".points .problems")).to_contain_text("goes on beyond the picture's edge")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.keyboard.press("Escape")
    with page.expect_request("**/changes") as request:
        page.get_by_role("button", name="It is right").click()
    assert '"reading":"' in str(request.value.post_data) and '"board":["' in str(request.value.post_data)
    expect(page.locator(".points .problems")).to_have_count(0)
    page.evaluate("(hash) => { location.hash = hash; }", link.partition("#")[2])
    expect(page.locator("#verdict")).to_contain_text("still to check: Player 2")
    page.get_by_role("button", name=re.compile("^Player 2")).click()
    expect(page.locator(".review")).to_contain_text("Please check: the kingdom goes on beyond the picture's edge")
    page.get_by_role("button", name="It is right").click()
    expect(page.locator("#verdict")).to_have_text("Player 1 wins on points, 36 to 20.")


def test_a_photo_without_a_kingdom_is_reported(open_page: OpenPage) -> None:
    page = open_page(phone=True)
    choose_photos(page, "no-kingdom.jpg")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("no kingdom")
    expect(alert).to_contain_text("no castle was found among them")
    alert.get_by_role("button", name="Close").tap()
    expect(alert).to_have_count(0)


def test_a_file_that_is_not_an_image_is_reported(open_page: OpenPage, tmp_path: Path) -> None:
    text = tmp_path / "notes.jpg"
    text.write_text("no picture")
    page = open_page()
    choose_photos(page, text)
    expect(page.get_by_role("alert")).to_contain_text("no picture of a kind that can be read")


@pytest.mark.parametrize("is_away", [False, True], ids=["there", "away"])
def test_a_picture_that_the_browser_cannot_show_is_read(open_page: OpenPage, tmp_path: Path, is_away: bool) -> None:
    """HEIC, the format of iPhones, in a browser that does not support it. It waits for a server that is away."""
    import pillow_heif

    heic = tmp_path / "demo.heic"
    try:
        small_image = Image.open(SAMPLES / "demo.jpg").resize((800, 600))
        pillow_heif.from_pillow(small_image).save(heic, quality=80)
    except (RuntimeError, ValueError) as error:
        pytest.skip(f"this pillow-heif writes no HEIC: {error}")
    page = open_page()
    if is_away:
        page.route("**/api/picture", lambda route: route.abort(), times=1)
    upload_photo(page, heic)
    assert read_total(page) == TRUTH["points"]
    assert page.locator(".picture > image").count() == 1


def test_an_error_in_a_typed_board_is_reported(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("button", name="Type a board").click()
    page.fill("textarea", "w w / x")
    page.get_by_role("button", name="Add this kingdom").click()
    expect(page.locator("dialog .toast")).to_contain_text("Row 2")
    assert page.locator("textarea").input_value() == "w w / x"


def test_a_typed_board_is_kept_until_it_is_accepted(open_page: OpenPage) -> None:
    page = open_page()
    button, text = page.get_by_role("button", name="Type a board"), page.locator("textarea")
    button.click()
    text.fill("w " * 26 + "#")
    page.keyboard.press("Escape")
    expect(text).to_have_count(0)
    page.reload()
    button.click()
    expect(text).to_have_value("w " * 26 + "#")
    page.get_by_role("button", name="Add this kingdom").click()
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(text).to_have_value("w " * 26 + "#")
    text.fill("w1 #")
    page.get_by_role("button", name="Add this kingdom").click()
    expect(page.locator("#total")).to_have_text("1")
    page.click(".tab.add")
    button.click()
    expect(text).to_have_value("")


def test_games_that_cannot_be_listed_are_not_called_missing(open_page: OpenPage) -> None:
    page = open_page()
    page.route("**/api/games", lambda route: route.abort())
    page.get_by_role("button", name="Earlier games").click()
    expect(page.locator("dialog .toast")).to_contain_text("The server does not answer")
    expect(page.get_by_text("No game is kept here yet.")).to_have_count(0)


def test_a_copy_of_a_game_is_offered_only_if_the_server_does_not_list_it(open_page: OpenPage) -> None:
    page = open_page(boards=["w1 w / # f"])
    page.wait_for_function("() => localStorage['kdvision-games']?.includes('Player 1 2')")
    copies = page.locator(".games button", has_text="on this device")
    routes: list[Route] = []
    page.route("**/api/games", lambda route: routes.append(route), times=1)
    page.get_by_role("button", name="Menu").click()
    with page.expect_request("**/api/games"):
        page.get_by_role("button", name="Earlier games").click()
    expect(page.get_by_role("heading", name="Earlier games")).to_be_visible()
    assert copies.count() == 0
    routes[0].continue_()
    expect(page.locator(".games button", has_text="Player 1").first).to_be_visible()
    assert copies.count() == 0
    page.keyboard.press("Escape")
    page.route("**/api/games", lambda route: route.abort())
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Earlier games").click()
    expect(copies).to_have_count(1)


def test_a_picture_that_cannot_be_drawn_is_reported_and_can_be_drawn_later(open_page: OpenPage) -> None:
    page = open_page()
    page.route("**/tiles/*.png", lambda route: route.abort())
    page.reload()
    type_board(page, "w1 w / # f")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Save picture").click()
    expect(page.locator("dialog .toast")).to_contain_text("The server does not answer")
    page.unroute("**/tiles/*.png")
    with page.expect_download():
        page.get_by_role("button", name="Save picture").click()


def test_pictures_of_squares_are_there_while_the_server_is_away(open_page: OpenPage) -> None:
    page = open_page()
    page.wait_for_function(
        """() => {
            const names = performance.getEntriesByType("resource").map(({ name }) => name);
            return new Set(names.filter((name) => name.includes("/tiles/"))).size === 8;
        }"""
    )
    wait_for_answers(page)
    failed_paths: list[str] = []
    page.on("requestfailed", lambda request: failed_paths.append(request.url))
    page.context.set_offline(True)
    page.get_by_role("button", name="Tap an empty board").click()
    expect(page.get_by_role("gridcell", name="castle")).to_be_visible()
    page.get_by_role("button", name="Share").click()
    with page.expect_download():
        page.get_by_role("button", name="Save picture").click()
    page.context.set_offline(False)
    assert [path for path in failed_paths if "/tiles/" in path] == []


# By keyboard.


def test_a_board_is_corrected_by_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page(boards=["w w / # f"])
    for _ in range(40):
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
        page.keyboard.press("Tab")
    expect(find_square(page, "A1: wheat")).to_be_focused()
    page.keyboard.press("1")
    expect(page.locator("#total")).to_have_text("2")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("w")
    expect(find_square(page, "B2: wheat")).to_be_focused()
    expect(page.locator("#total")).to_have_text("3")
    expect(page.locator("#live")).to_contain_text("B2 is wheat. Player 1 has 3 points.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="wheat", exact=True)).to_be_focused()
    page.keyboard.press("m")
    expect(find_square(page, "B2: mine")).to_be_focused()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.locator("#total")).to_have_text("2")
    page.keyboard.press("Control+y")
    expect(page.locator("#total")).to_have_text("3")


def test_a_tile_can_be_added_at_the_edge(open_page: OpenPage) -> None:
    page = open_page(phone=True, boards=["w1 w / # f"])
    page.get_by_role("button", name="Squares at the edge").tap()
    page.get_by_role("gridcell", name="Edge beside A1").nth(1).tap()
    page.get_by_role("button", name="wheat", exact=True).tap()
    expect(page.locator("#total")).to_have_text("3")
    assert read_board_rows(page)[1] == ". w . ."


# Games.


def test_a_message_names_a_setting_of_the_page_instead_of_an_option(open_page: OpenPage) -> None:
    page = open_page(boards=("# w w f f f", " / ".join(["w w w w w", "w w # w w", *["f f f f f"] * 3])))
    expect(page.locator(".points .problems")).to_contain_text("scored as 7 by 7: choose side 5 if that was played.")


def test_the_pieces_of_queendomino_count(open_page: OpenPage) -> None:
    page = open_page()
    choose_rule(page, "Game", "queendomino")
    type_board(page, "w w / # t")
    page.get_by_label("Coins", exact=True).fill("7")
    page.get_by_label("Coins", exact=True).press("Enter")
    expect(page.locator("#total")).to_have_text("2")
    page.get_by_label("The Queen is here").check()
    expect(page.locator("#total")).to_have_text("4")
    page.get_by_role("button", name="Towers: one more").click()
    find_square(page, "B2: town").click()
    page.get_by_label("A knight stands here").check()
    page.get_by_label("Building").select_option("The Statue: 5 points")
    page.keyboard.press("Escape")
    expect(page.locator("#total")).to_have_text("9")
    expect(find_square(page, "B2: town, building, knight")).to_be_visible()


def test_a_building_that_a_program_gives_as_text_is_shown(open_page: OpenPage) -> None:
    kingdom = {"board": ["w t", "# f"], "facts": {"buildings": ["0,1 The Statue"]}}
    page = open_page(make_link([kingdom], game="queendomino"))
    expect(page.locator(".built")).to_contain_text("The Statue: 5 points")


def test_a_kingdom_that_cannot_be_drawn_leaves_the_rest_of_the_page(open_page: OpenPage) -> None:
    page = open_page(boards=["w1 w / # t"] * 2)
    choose_rule(page, "Game", "queendomino")
    expect(page.locator(".pieces")).to_be_visible()
    wait_for_answers(page)
    page.get_by_role("button", name="Player 1").click()
    page.evaluate("""async () => {
        const [{ receive }, { state }] = await Promise.all([import("/table.js"), import("/store.js")]);
        const next = structuredClone(state.table);
        next.game.rounds[0][0].facts = { buildings: [null], gems: 5 };
        next.game.rounds[0][0].cells["0,0"] = "w2";
        receive({ ...next, revision: next.revision + 0.5 });
    }""")
    alert = page.get_by_role("alert").filter(has_text="This part cannot be shown")
    expect(alert).to_have_count(1)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Player 1")
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("dialog")).to_contain_text("Earlier games")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Player 2").click()
    expect(alert).to_have_count(0)
    page.get_by_role("button", name="Player 1").click()
    expect(alert).to_have_count(1)
    page.click("#undo")
    expect(alert).to_have_count(0)
    expect(find_square(page, "A1: wheat, 1 crown")).to_be_visible()


def test_a_gem_lies_on_a_crossing_and_points(open_page: OpenPage) -> None:
    page = open_page(phone=True)
    choose_rule(page, "The Lost Treasures")
    type_board(page, "w f / l g")
    page.get_by_role("button", name="Place a gem").tap()
    page.get_by_role("button", name="Crossing of A1, B1, B2 and A2").tap()
    kinds = page.locator("dialog .kind")
    expect(kinds.first).to_be_visible()
    heights = kinds.evaluate_all("(labels) => labels.map((label) => label.offsetHeight)")
    assert {*heights} == {44}, "each colour stands on one line"
    page.locator("dialog").get_by_label("red", exact=True).check()
    page.get_by_role("button", name="Towards A1").tap()
    page.get_by_role("button", name="Towards A1: 1 crown").tap()
    page.get_by_role("button", name="Turn it").tap()
    expect(page.get_by_role("button", name="Towards B1: 2 crowns")).to_be_visible()
    page.get_by_role("button", name="Save").tap()
    expect(page.locator("#total")).to_have_text("2")
    expect(page.locator(".lines")).to_contain_text(["forest: 1 square × 2 crowns"])
    expect(page.get_by_role("button", name="red gem")).to_be_visible()


def test_giants_quests_and_court_tiles_are_entered_by_tap(open_page: OpenPage) -> None:
    page = open_page(phone=True)
    open_setup(page)
    for variant in ("Age of Giants", "The Court"):
        page.get_by_label(variant, exact=True).check()
    page.get_by_text("Quest: 2 are drawn for a game").tap()
    page.get_by_label("Lost Corner").check()
    type_board(page, "w1 w2 f / # f g")
    expect(page.locator("#total")).to_have_text("26")
    find_square(page, "B1: wheat, 2 crowns").tap()
    page.get_by_label("Giant", exact=True).select_option("1")
    page.keyboard.press("Escape")
    expect(page.locator("#total")).to_have_text("24")
    expect(find_square(page, "B1: wheat, 2 crowns, giant")).to_be_visible()
    find_square(page, "C1: forest").tap()
    page.get_by_label("Court tile", exact=True).select_option("Farmer")
    page.keyboard.press("Escape")
    expect(page.locator("#total")).to_have_text("27")
    expect(page.locator(".tokens")).to_contain_text("Court tile: 1")
    farmer = page.locator(".lines li").filter(has_text="Farmer on C1")
    expect(farmer).to_contain_text("Kingdomino: The Court, Characters, from one source, which is not the rulebook")


def play_dynasty(page: Page, *rounds: list[str]) -> None:
    """Choose a Dynasty, and type the boards of its rounds."""
    choose_rule(page, "Dynasty: three rounds")
    for number, boards in enumerate(rounds, start=1):
        page.get_by_role("button", name=f"Round {number}").click()
        for board in boards:
            type_board(page, board)


def test_a_dynasty_sums_three_rounds(open_page: OpenPage) -> None:
    page = open_page()
    play_dynasty(page, *[["w1 w / # f", "w1 . / # f"]] * 3)
    expect(page.locator("#standing")).to_contain_text("Player 1 wins on points of 3 rounds, 6 to 3")
    expect(page.locator(".dynasty")).to_contain_text("Player 12226")


def test_rounds_that_end_with_a_dynasty_can_be_restored(open_page: OpenPage) -> None:
    page = open_page(make_link(*[[{"player": "Ann", "board": ["w1 w", "# f"]}]] * 3))
    other_page = open_page()
    for phone_page in (page, other_page):
        expect(phone_page.locator(".dynasty")).to_be_visible()
    open_setup(page)
    page.get_by_label("Dynasty").uncheck()
    toast = page.locator(".toast", has_text="The other rounds were removed")
    expect(other_page.locator(".toast")).to_contain_text("The other rounds were removed")
    toast.get_by_role("button", name="Undo").click()
    expect(page.locator(".dynasty tbody tr td")).to_have_text(["2", "2", "2", "6"])


def test_a_dynasty_shows_who_comes_later_and_which_sum_is_open(open_page: OpenPage) -> None:
    page = open_page()
    play_dynasty(page, ["w1 w / # f", "# f"], ["w1 w / # f", "# f", "g2 g / # g"], ["# w", "# f"])
    expect(page.locator(".standing .verdict")).to_contain_text("Player 3 leads on points of 3 rounds, 6 to 4")
    expect(page.locator(".places li.first")).to_contain_text("Player 3")
    type_board(page, "w1 w / # ?")
    expect(page.locator(".dynasty")).to_contain_text("Player 3–62+8+")


def test_names_of_a_dynasty_that_differ_in_case_are_one_player(open_page: OpenPage) -> None:
    rounds = [[{"player": name, "board": ["w1 w", "# f"]}] for name in ("Ann", "ann", "ANN")]
    page = open_page(make_link(*rounds))
    expect(page.locator(".dynasty tbody tr")).to_have_text(["Ann2226"])


def test_the_round_that_is_played_is_shown_after_a_reload_and_on_a_large_screen(open_page: OpenPage) -> None:
    page, screen = open_page(), open_page("/#watch")
    choose_rule(page, "Dynasty: three rounds")
    for number, board in enumerate(("w1 w / # f", "g2 g / # l", "# l"), start=1):
        page.get_by_role("button", name=f"Round {number}").click()
        type_board(page, board)
        expect(screen.locator(".overview .small-board")).to_have_attribute("aria-label", board)
    page.reload()
    expect(page.get_by_role("button", name="Round 3")).to_have_attribute("aria-pressed", "true")
    start_game(page)
    expect(page.get_by_role("button", name="Round 1")).to_have_attribute("aria-pressed", "true")


def test_the_printed_table_is_that_of_the_round_on_the_screen(open_page: OpenPage) -> None:
    page = open_page()
    boards = ("w1 w / # f", "g2 g / # l")
    play_dynasty(page, *([board] for board in boards))
    for number, board in enumerate(boards, start=1):
        page.get_by_role("button", name=f"Round {number}").click()
        expect(page.locator(".print-only .small-board")).to_have_attribute("aria-label", board)


# Phones in the network.


def test_the_link_with_the_key_pairs_a_phone(open_page: OpenPage) -> None:
    with running_server(
        Settings(port=0, lan=True, key="ABCD-2345"), link="http://192.168.1.5:8000/#key=ABCD-2345"
    ) as lan_client:
        page = open_page("/", phone=True, port=lan_client.port)
        page.get_by_label("Key").fill("wrong")
        page.get_by_role("button", name="Pair").tap()
        expect(page.get_by_role("alert")).to_contain_text("not the key")
        page.goto(f"http://127.0.0.1:{lan_client.port}/?again#key=ABCD-2345")
        expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
        assert "key" not in page.url
        page.get_by_role("button", name="Menu").tap()
        page.get_by_role("button", name="Invite a phone").tap()
        expect(page.locator(".qr")).to_be_visible()


def test_a_shared_game_survives_the_pairing(open_page: OpenPage, server: Client) -> None:
    source = open_page(boards=["w1 w / # f"])
    source.get_by_role("button", name="Share").click()
    game = source.get_by_label("Link", exact=True).input_value().partition("#")[2]
    with running_server(Settings(port=0, lan=True, key="ABCD-2345")) as lan_client:
        page = open_page(f"/#{game}", phone=True, port=lan_client.port)
        page.get_by_label("Key").fill("abcd2345")
        page.get_by_role("button", name="Pair").tap()
        expect(page.locator("#total")).to_have_text("2")


# Facts that no photo shows are unknown until a person enters them.


def test_points_of_queendomino_are_a_range_until_all_facts_are_entered(open_page: OpenPage) -> None:
    page = open_page(photo="queendomino.jpg")
    expect(page.locator("#total")).to_have_text(re.compile(r"^\d+ to \d+$"))
    expect(page.locator(".points")).to_contain_text("Missing: coins; towers")
    expect(page.locator(".tab b")).to_have_text(re.compile(r"^\d+\+$"))
    page.get_by_label("Coins", exact=True).fill("9")
    page.get_by_label("Coins", exact=True).blur()
    for key in ("Towers", "Knights beside the board"):
        page.get_by_label(f"{key}: none").click()
    page.get_by_role("button", name="The Queen is not here").click()
    for pieces in ("knights on the board", "buildings"):
        no_more = page.get_by_role("button", name=f"No more {pieces}")
        if no_more.count():
            no_more.click()
    for _ in range(page.locator(".built select").count()):
        page.locator(".built select").first.select_option(index=2)
    expect(page.locator("#total")).to_have_text(re.compile(r"^\d+$"))
    expect(page.locator(".points")).not_to_contain_text("Missing:")


def test_gems_in_the_photo_have_to_be_named(open_page: OpenPage) -> None:
    page = open_page(photo="lost-treasures.jpg", phone=True)
    expect(page.locator(".setup .summary")).to_contain_text("The Lost Treasures")
    expect(page.locator("#total")).to_have_text(re.compile("or more$"))
    gems = page.get_by_role("button", name=re.compile("^Unnamed gem"))
    before = gems.count()
    assert before
    gems.first.click()
    expect(page.get_by_role("button", name="Save")).to_be_in_viewport(ratio=1)
    page.locator("dialog").get_by_label("blue", exact=True).check()
    with page.expect_request("**/changes") as request:
        page.get_by_role("button", name="Save").click()
    assert '"reading":"' in str(request.value.post_data)
    expect(gems).to_have_count(before - 1)


def test_the_photo_marks_only_questions_of_the_game(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(photo=write_photo_of_a_faint_gem(tmp_path))
    expect(page.locator(".picture .warn")).to_have_count(1)
    open_setup(page)
    page.get_by_label("The Lost Treasures", exact=True).uncheck()
    expect(page.locator(".picture .warn")).to_have_count(0)


# Several photos at once.


def test_the_other_photos_are_read_if_one_fails(open_page: OpenPage) -> None:
    page = open_page()
    choose_photos(page, "demo.jpg", "no-kingdom.jpg", "castle.jpg")
    expect(page.locator(".tab-name")).to_have_count(2)
    expect(page.locator("#progress")).to_be_empty()
    error = page.get_by_role("alert").filter(has_text="Photo 2 of 3")
    expect(error).to_be_visible()
    error.get_by_role("button", name="Draw it yourself").click()
    expect(page.get_by_role("button", name="Top left corner")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Top left corner")).to_have_count(0)
    expect(error).to_be_visible()


COUNT_OBJECT_URLS = """() => {
    const [create, revoke] = [URL.createObjectURL, URL.revokeObjectURL];
    window.objectUrls = new Set();
    URL.createObjectURL = (blob) => { const url = create.call(URL, blob); objectUrls.add(url); return url; };
    URL.revokeObjectURL = (url) => { objectUrls.delete(url); revoke.call(URL, url); };
}"""


def count_photos(page: Page) -> int:
    """Return the number of photos that the browser keeps for the page."""
    return int(page.evaluate("objectUrls.size"))


def test_a_photo_can_be_cancelled_until_the_server_reads_it(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After that its kingdoms reach the table, whatever the phone does."""
    original_read, is_shown = pipeline.read, Event()

    def read_later(*args: Any, watch: Watch, **options: Any) -> list[KingdomReading]:
        watch("photo", None)
        is_shown.wait(60)  # also if the test fails, its process ends
        return original_read(*args, watch=watch, **options)

    monkeypatch.setattr(pipeline, "read", read_later)
    page = open_page(phone=True)
    cancel = page.get_by_role("button", name="Cancel")
    page.route("**/photos?**", lambda route: None, times=1)
    with page.expect_request("**/photos?**"):
        choose_photos(page, "demo.jpg")
    cancel.tap()
    expect(page.locator("#progress")).to_be_empty()
    choose_photos(page, "demo.jpg")
    expect(page.locator("#progress")).to_contain_text("Looking for kingdoms")
    expect(cancel).to_have_count(0)
    is_shown.set()
    expect(page.locator("#total")).to_have_text(str(TRUTH["points"]))


def test_photos_that_are_not_needed_are_released(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate(COUNT_OBJECT_URLS)
    choose_photos(page, "no-kingdom.jpg")
    alert = page.get_by_role("alert")
    requests: list[Route] = []
    for _ in range(2):
        expect(alert).to_contain_text("no kingdom")
        assert count_photos(page) == 1, "a kingdom can be drawn on it"
        page.route("**/photos?**", lambda route: requests.append(route), times=1)
        with page.expect_request("**/photos?**"):
            alert.get_by_role("button", name="Try again").click()
        expect(alert).to_have_count(0)
        requests.pop().continue_()
    expect(alert).to_contain_text("no kingdom")
    alert.get_by_role("button", name="Close").click()
    assert count_photos(page) == 0
    choose_photos(page, "no-kingdom.jpg")
    alert.get_by_role("button", name="Draw it yourself").click()
    expect(page.locator(".handle").first).to_be_focused()
    page.get_by_role("button", name="Cancel").click()
    assert count_photos(page) == 1
    alert.get_by_role("button", name="Close").click()
    assert count_photos(page) == 0
    page.route("**/photos?**", lambda route: None)
    with page.expect_request("**/photos?**"):
        choose_photos(page, "castle.jpg")
    assert count_photos(page) == 1
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#progress .card")).to_have_count(0)
    assert count_photos(page) == 0


def test_photos_that_undo_may_need_are_kept(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate(COUNT_OBJECT_URLS)
    upload_photo(page, "demo.jpg")
    page.get_by_role("button", name="Remove this kingdom").click()
    expect(page.locator("#total")).to_have_count(0)
    assert count_photos(page) == 1
    page.click("#undo")
    expect(page.locator(".card.photo image").first).to_be_visible()


def test_drawing_on_another_photo_starts_again_there(open_page: OpenPage) -> None:
    page = open_page()
    choose_photos(page, "demo.jpg", "no-kingdom.jpg", "castle.jpg")
    expect(page.locator(".tab-name")).to_have_count(2)
    page.get_by_role("button", name="Draw it yourself").click()
    page.locator(".tab-name").nth(1).click()
    address = page.locator(".table .card.photo image").first.get_attribute("href")
    page.get_by_role("button", name="Missed one").click()
    expect(page.locator(".card.photo")).to_have_count(1)
    assert page.locator(".card.photo image").first.get_attribute("href") == address
    expect(page.locator(".handle")).to_have_count(4)


def test_a_reload_keeps_photos_and_those_that_are_being_read(open_page: OpenPage) -> None:
    page = open_page(photo="demo.jpg")
    page.route("**/photos?**", lambda route: None)
    with page.expect_request("**/photos?**"):
        choose_photos(page, "castle.jpg")
    expect(page.locator(".reading .picture")).to_be_visible()
    page.unroute("**/photos?**")
    page.reload()
    expect(page.locator(".tab-name")).to_have_count(2)
    for player in ("Player 1", "Player 2"):
        page.get_by_role("button", name=player).click()
        expect(page.locator(".card.photo .tint").first).to_be_visible()
    assert page.locator(".card.notice[role=alert]").count() == 0


def test_a_reload_keeps_the_photos_that_wait_for_their_turn(open_page: OpenPage, tmp_path: Path) -> None:
    """A photo that was cancelled, or cannot be shown, does not come back."""
    page = open_page()
    (tmp_path / "notes.jpg").write_text("no picture")
    choose_photos(page, tmp_path / "notes.jpg")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    page.route("**/photos?**", lambda route: None)
    with page.expect_request("**/photos?**"):
        choose_photos(page, "demo.jpg", "castle.jpg", "two-kingdoms.jpg")
    with page.expect_request("**/photos?**"):
        page.get_by_role("button", name="Cancel").click()
    page.unroute("**/photos?**")
    page.reload()
    expect(page.locator(".tab-name")).to_have_count(3)
    expect(page.locator("#progress")).to_be_empty()
    assert page.get_by_role("alert").count() == 0
    assert page.locator(".tab-name").count() == 3


def leave_photo_at_table(page: Page) -> str:
    """Upload a photo, start another table and reload the page; return the name of the photo's table."""
    upload_photo(page, "demo.jpg")
    table = str(page.evaluate("JSON.parse(sessionStorage['kdvision-table'])"))
    start_table(page)
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    page.reload()
    return table


def test_an_earlier_game_of_another_table_has_its_photo(open_page: OpenPage) -> None:
    page = open_page()
    table = leave_photo_at_table(page)
    page.get_by_role("button", name="Earlier games").click()
    page.locator(".games button", has_text=f"table {table}").click()
    expect(page.locator(".picture")).to_be_visible()


def test_a_link_to_another_table_shows_its_photo(open_page: OpenPage) -> None:
    page = open_page()
    table = leave_photo_at_table(page)
    expect(page.get_by_role("heading", name="Score your table")).to_be_visible()
    page.evaluate("(table) => { location.hash = `table=${table}`; }", table)
    expect(page.locator(".picture")).to_be_visible()


def test_the_tap_after_a_typed_name_reaches_its_target(open_page: OpenPage) -> None:
    page = open_page(photo="two-kingdoms.jpg")
    page.get_by_label("Name", exact=True).fill("Ann")
    page.get_by_role("button", name="Player 2").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Player 2")
    expect(page.locator(".tab-name").first).to_have_text("Ann")


def test_castles_have_the_colours_in_the_photo(open_page: OpenPage) -> None:
    page = open_page(photo="four-kingdoms.jpg")
    colours = [kingdom.colour for kingdom in kdvision.read(SAMPLES / "four-kingdoms.jpg")]
    dots = [dot.get_attribute("style") or "" for dot in page.locator(".tab .dot").all()]
    assert any(colours)
    assert all(not colour or f"var(--{colour})" in dot for colour, dot in zip(colours, dots, strict=True))
    assert len(set(dots)) == len(dots)
