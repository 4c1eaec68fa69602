"""The seat of a photo, from its name."""

import pytest

from kdvision.batch.photos import Seat, clean_name, make_name_key, make_natural_key, parse_seat


@pytest.mark.parametrize(
    ("name", "round_", "table", "players"),
    [
        ("round1/table3/ann.jpg", 1, "3", ["ann"]),
        ("Round 2/Table 03/Ann_Lee.HEIC", 2, "3", ["Ann Lee"]),
        ("round1-table3-ann.jpg", 1, "3", ["ann"]),
        ("Round 1, table 3, Ann.jpg", 1, "3", ["Ann"]),
        ("runde_2/tisch b/jörg.png", 2, "B", ["jörg"]),
        ("table4/round2/李雷.png", 2, "4", ["李雷"]),
        ("table1-round2-ann.jpg", 2, "1", ["ann"]),
        ("table3 round2/ann.jpg", 2, "3", ["ann"]),
        ("saturday/round1/table2/ann.jpg", 1, "2", ["ann"]),
        ("Round2Table3/ann.jpg", 2, "3", ["ann"]),
        ("tisch3runde2-ann.jpg", 2, "3", ["ann"]),
        ("Round #2/Table #3/ann.jpg", 2, "3", ["ann"]),
        # The words may follow the player or stand in the middle.
        ("ann-round2-table3.jpg", 2, "3", ["ann"]),
        ("Ann Lee, table 3, round 2.jpg", 2, "3", ["Ann Lee"]),
        ("ann_round2_bo.jpg", 2, "", ["ann bo"]),
        ("Spring Cup Round 2/table 3/ann.jpg", 2, "3", ["ann"]),
        ("IMG_0012 table b.jpg", 1, "B", []),
        ("turntable 3.jpg", 1, "", ["turntable 3"]),
        # Several players in one photo, several photos of one player.
        ("round1/table3/ann+bo + cy.jpg", 1, "3", ["ann", "bo", "cy"]),
        ("round1/table3/ann (2).jpg", 1, "3", ["ann"]),
        ("round1/table3/ann (2) (1) (3).jpg", 1, "3", ["ann"]),
        ("round1/table3/ann/IMG_0012.jpg", 1, "3", ["ann"]),
        # No player.
        ("round1/table3.jpg", 1, "3", []),
        ("round1/table3/IMG_0012.jpg", 1, "3", []),
        ("round1/table3/20240131_123456.jpg", 1, "3", []),
        ("round1/table3/IMG_E0012.JPG", 1, "3", []),
        ("round1/table3/_DSC0012.JPG", 1, "3", []),
        ("round1/table3/P1010012.JPG", 1, "3", []),
        ("round1/table3/image (2).jpg", 1, "3", []),
        ("round1/table3/FB_IMG_1706700000000.jpg", 1, "3", []),
        ("round1/table3/GOPR0012.JPG", 1, "3", []),
        ("round1/table3/5DAB3A0C-1B2C-4D5E-8F90-ABCDEF012345.jpg", 1, "3", []),
        ("round1/table3/WhatsApp Image 2024-01-31 at 12.34.56 (1).jpeg", 1, "3", []),
        ("round1/table3/WhatsApp Bild 2024-01-31 um 12.34.56.jpeg", 1, "3", []),
        ("round1/table3/PXL_20240131_123456789~2.jpg", 1, "3", []),
        ("round1/table3/Foto 31.01.24, 12 34 56.jpg", 1, "3", []),
        ("round1/table3/_MG_0012.JPG", 1, "3", []),
        ("round1/table3/CIMG0012.JPG", 1, "3", []),
        ("round1/table3/R0000012.JPG", 1, "3", []),
        ("round1/table3/gopr0012.jpg", 1, "3", []),
        ("round1/table3/dji_0012.jpg", 1, "3", []),
        ("round1/table3/anna0012.jpg", 1, "3", ["anna0012"]),
        # Without words the folder is the table.
        ("ann.jpg", 1, "", ["ann"]),
        ("friday/ann.jpg", 1, "friday", ["ann"]),
        ("round2/blue/ann.jpg", 2, "blue", ["ann"]),
        ("round2/ann.jpg", 2, "", ["ann"]),
        ("round2 red/ann.jpg", 2, "red", ["ann"]),
        ("round1 red/ann/x.jpg", 1, "red", ["ann"]),
        ("round1 red/table3/ann.jpg", 1, "3", ["ann"]),
        ("saturday/round1/ann.jpg", 1, "", ["ann"]),
        ("Runde 1 Gruppe A/ann.jpg", 1, "Gruppe A", ["ann"]),
        ("round–2 — Table—3/ann.jpg", 2, "3", ["ann"]),
        # What only begins like a word is a name; numbers can be players.
        ("tableau.jpg", 1, "", ["tableau"]),
        ("roundabout/12.jpg", 1, "roundabout", ["12"]),
        ("round0/ann.jpg", 1, "round0", ["ann"]),
    ],
)
def test_names_give_seats(name: str, round_: int, table: str, players: list[str]) -> None:
    assert parse_seat(name) == Seat(round_, table, tuple(players))


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("saturday/round1/table2/ann.jpg", "saturday"),
        ("R1/blue/ann.jpg", "R1"),
        ("R1/table2-ann.jpg", "R1"),
        ("round1 red/table3/ann.jpg", "red"),
        ("round1/table2/ann/old/IMG_0012.jpg", "ann"),
        ("round1/table2/ann.jpg", ""),
    ],
)
def test_folders_that_give_no_seat_are_known(name: str, group: str) -> None:
    assert parse_seat(name).group == group


def test_unicode_forms_and_case_of_a_name_are_one_player() -> None:
    decomposed_name, composed_name = "Jo\u0308rg", "Jörg"
    assert parse_seat(f"{decomposed_name}.jpg").players == (composed_name,)
    assert make_name_key("JÖRG_m") == make_name_key(f"{decomposed_name} M") == make_name_key(clean_name("jörg  m"))


def test_invisible_characters_make_no_other_player() -> None:
    """A name that is pasted from a chat can have them."""
    assert parse_seat("\u2066Round\u200b 2\u2069/\ufeffann\u200b.jpg") == parse_seat("Round 2/ann.jpg")
    assert parse_seat("ann (2)\u200e.jpg").players == ("ann",)
    assert parse_seat("\u200bIMG_0012.jpg").players == parse_seat("\u200b.jpg").players == ()
    assert clean_name("Jo\u200b\u0308rg\u00ad") == "J\u00f6rg"


def test_joiners_stay_in_a_name_and_make_no_other_player() -> None:
    """Persian and Indian scripts need them."""
    name = "\u0645\u06cc\u200c\u062e\u0648\u0627"
    assert parse_seat(f"{name}.jpg").players == (name,)
    assert make_name_key(name) == make_name_key(name.replace("\u200c", ""))


def test_numbers_sort_naturally() -> None:
    names = ["table10/a", "table9/b", "Table2", "table9/a"]
    assert sorted(names, key=make_natural_key) == ["Table2", "table9/a", "table9/b", "table10/a"]
    names = ["1" * 5000, "10", "09", "9"]
    assert sorted(names, key=make_natural_key) == ["09", "9", "10", "1" * 5000]
