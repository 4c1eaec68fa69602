"""Does a domino fit? The answer for a kingdom, and the places one after another."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage, choose_rule, type_board, wait_for_answers
from tests.browser.test_access import find_violations

FULL_BOARD = "w w w w w / w w w w w / w w # w w / w w w w . / w w w w ."


def ask_about_domino(page: Page, *halves: str) -> Locator:
    """Ask about a domino of these halves; return the card."""
    card = page.get_by_role("region", name="Does a domino fit?")
    if not card.get_by_role("button", name="Find its places").is_visible():
        card.locator("summary").first.click()
    for label, half in zip(("One half", "Other half"), halves, strict=True):
        card.get_by_label(label).select_option(half)
    card.get_by_role("button", name="Find its places").click()
    return card


def test_the_places_of_a_domino_are_shown_one_after_another(open_page: OpenPage) -> None:
    page = open_page(phone=True, boards=[FULL_BOARD])
    card = ask_about_domino(page, "l", "w1")
    expect(card).to_contain_text("It fits in 2 places within 5 × 5 squares, so it may not be discarded.")
    expect(card).to_contain_text("A domino that can be laid somewhere must be laid")
    expect(card.get_by_role("img", name="lake: E4; wheat, 1 crown: E5")).to_be_visible()
    expect(card.locator(".cell.marked")).to_have_count(2)
    assert find_violations(page) == []
    card.get_by_role("button", name="Next").click()
    expect(card).to_contain_text("Place 2 of 2")
    expect(card.get_by_role("img", name="lake: E5; wheat, 1 crown: E4")).to_be_visible()


def test_a_domino_that_fits_nowhere_must_be_discarded(open_page: OpenPage) -> None:
    page = open_page(boards=[FULL_BOARD])
    card = ask_about_domino(page, "l", "f")
    expect(card).to_contain_text("It fits nowhere within 5 × 5 squares, so it must be discarded.")
    expect(card.get_by_role("img")).to_have_count(0)


def test_an_answer_follows_the_variants_and_says_what_the_box_lacks(open_page: OpenPage) -> None:
    page = open_page()
    choose_rule(page, "Age of Giants")
    type_board(page, FULL_BOARD)
    card = ask_about_domino(page, "w1", "w1")
    expect(card).to_contain_text("The box of Kingdomino, Age of Giants has no domino w1 w1.")
    expect(card).to_contain_text("Age of Giants, Set-up")


def test_teams_lay_within_seven_squares_whatever_side_was_chosen(open_page: OpenPage) -> None:
    page = open_page(boards=[FULL_BOARD])
    choose_rule(page, "Game", "royal-wedding")
    page.get_by_label("Side", exact=True).select_option("5")
    page.get_by_label("Teams share a kingdom").check()
    wait_for_answers(page)
    expect(ask_about_domino(page, "l", "f")).to_contain_text("within 7 × 7 squares")


def test_an_answer_goes_away_with_the_board_that_it_is_about(open_page: OpenPage) -> None:
    page = open_page(boards=[FULL_BOARD])
    card = ask_about_domino(page, "l", "w1")
    expect(card).to_contain_text("It fits in 2 places")
    page.get_by_role("gridcell", name="D5: wheat").focus()
    page.keyboard.press("f")
    expect(card).not_to_contain_text("It fits")
    ask_about_domino(page, "l", "w1")
    expect(card).to_contain_text("It fits in 1 place")
