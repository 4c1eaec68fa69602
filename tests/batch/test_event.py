"""The event file: its values, and every contradiction with its line."""

import re
from pathlib import Path

import pytest

from kdvision.batch.event import Event, Rules, parse_event
from kdvision.batch.photos import Seat
from kdvision.batch.run import BatchOptions
from kdvision.errors import NotationError
from kdvision.game.board import Board

FULL_EVENT = """
name = "Spring Cup"
variants = ["harmony", "middle-kingdom"]
side = 5
rounds = 3
dynasty = true
players = ["Ann", "Bo", "Zoë", "Di"]

[[team]]
name = "Reds"
players = ["ann", "Di"]

[[table]]
round = 1
table = 3
players = ["Ann", "Bo"]

[[photo]]
file = "IMG_0012.jpg"
round = 2
table = "B"
players = ["zoe\u0308", "Di"]
"""


def test_every_key_is_read() -> None:
    event = parse_event(FULL_EVENT)
    assert (event.name, event.rounds, event.dynasty) == ("Spring Cup", 3, True)
    assert event.rules == Rules(("harmony", "middle-kingdom"), 5)
    assert event.teams == {"Reds": ("Ann", "Di")}
    assert event.tables == {(1, "3"): Seat(1, "3", ("Ann", "Bo"))}
    assert event.photos == {"IMG_0012.jpg": Seat(2, "B", ("Zoë", "Di"))}


def test_rules_follow_the_file_and_else_the_boards() -> None:
    rule_set = parse_event(FULL_EVENT).rules.choose_photo_rule_set([])
    assert rule_set.name.endswith("Middle Kingdom, Harmony")
    long_board = Board.parse("# w w w w w")
    assert [Rules().choose_photo_rule_set([board]).side for board in (long_board, Board.parse("#"))] == [7, 5]


def test_seats_come_from_the_file_then_from_names_then_from_tables() -> None:
    event = parse_event(FULL_EVENT)
    assert event.find_seat("IMG_0012.jpg") == Seat(2, "B", ("Zoë", "Di"))
    assert event.find_seat("round1/table3/Bo.jpg") == Seat(1, "3", ("Bo",))
    assert event.find_seat("round1/table3.jpg") == Seat(1, "3", ("Ann", "Bo"))
    assert Event().find_seat("round1/table3.jpg") == Seat(1, "3")


def test_tables_and_files_have_one_name_in_any_case_and_unicode_form() -> None:
    event = parse_event(
        '[[table]]\ntable = "a"\nplayers = ["Bo", "Di"]\n'
        '[[photo]]\nfile = "Zoe\u0308-7.jpg"\ntable = "A"\nplayers = ["Bo"]\n[[photo.kingdom]]'
    )
    assert event.find_seat("table-a.jpg") == Seat(1, "A", ("Bo", "Di"))
    assert event.find_seat("Zo\u00eb-7.jpg") == Seat(1, "A", ("Bo",)) == event.seats[0]
    assert event.find_photo_rules("Zo\u00eb-7.jpg").tokens == ({},)


def test_a_photo_entry_overrides_only_the_keys_it_gives() -> None:
    event = parse_event('[[photo]]\nfile = "round2/table5/IMG_1.jpg"\nplayers = ["Ann"]')
    assert event.find_seat("round2/table5/IMG_1.jpg") == Seat(2, "5", ("Ann",))


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ("rounds = 2\ndynasty = true", "rounds", "a Dynasty of 2 rounds"),
        ("rounds = 0", "rounds", "rounds is 0"),
        ('players = ["Ann", "Bo", "ann"]', "players 3", "ann is listed twice"),
        ('game = "queendomino"', "game", "one of kingdomino"),
        ('variants = ["lost-treasures"]', "variants 1", "one of middle-kingdom, harmony"),
        ("side = 6", "side", "5 or 7"),
        ('plyers = ["Ann"]', "plyers", "plyers is no part of an event file"),
        (
            'players = ["Ann"]\n[[team]]\nname = "Reds"\nplayers = ["Bo"]',
            "team 1, players 1",
            "Bo is not among the players",
        ),
        ('[[team]]\nplayers = ["Ann"]\n[[team]]\nplayers = ["Ann"]', "team 2, players 1", "Ann is in team 1 too"),
        (
            '[[team]]\nname = "A"\nplayers = ["Bo"]\n[[team]]\nname = "a"\nplayers = ["Cy"]',
            "team 2, name",
            "two teams are called a",
        ),
        ('[[team]]\nname = "Reds"', "team 1", "Reds has no players"),
        ('[[table]]\ntable = 1\nplayers = ["A", "B", "C", "D", "E"]', "table 1, players 5", "a table of 5"),
        ("[[table]]\ntable = 1", "table 1", "a table without players"),
        (
            '[[table]]\ntable = 1\nplayers = ["A"]\n[[table]]\ntable = "1"\nplayers = ["B"]',
            "table 2",
            "is listed twice",
        ),
        (
            '[[table]]\ntable = 1\nplayers = ["A"]\n[[table]]\ntable = 2\nplayers = ["A"]',
            "table 2, players",
            "A sits at table 1",
        ),
        ('rounds = 2\n[[table]]\nround = 3\nplayers = ["A"]', "table 1, round", "round is 3"),
        ('[[photo]]\nplayers = ["A"]', "photo 1", "a photo without its file"),
        ('[[photo]]\nfile = "a.jpg"\n[[photo]]\nfile = "./a.jpg"', "photo 2, file", "a.jpg is listed twice"),
        (
            '[[table]]\ntable = 1\nplayers = ["A"]\n[[photo]]\nfile = "x.jpg"\ntable = 2\nplayers = ["A"]',
            "photo 1",
            "A is at table 2 here and at table 1",
        ),
        ("rounds = [", "line 1", "no TOML"),
    ],
)
def test_contradictions_are_reported_with_their_path(text: str, path: str, words: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_event(text)
    assert words in str(error.value)
    assert re.match(rf"event\.toml(, line \d+)?, {path}:", str(error.value))
    assert error.value.exit_code == 5


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "event.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(NotationError, match=r"not a text in UTF-8"):
        BatchOptions(tmp_path, tmp_path / "out").load_event()
