"""Players' names, by colour and by order."""

import pytest

from kdvision.errors import NotationError
from kdvision.game.players import COLOURS, MAX_NAME_CHARS, Players, make_names_unique


def test_names_by_colour() -> None:
    players = Players.parse("blue=Ann, Pink = Bob")
    assert [players.name_of(7, colour) for colour in ("blue", "pink", "green", "")] == ["Ann", "Bob", "", ""]


def test_names_in_order() -> None:
    players = Players.parse(" Ann , Bob Müller")
    assert [players.name_of(number, "blue") for number in range(3)] == ["Ann", "Bob Müller", ""]


def test_nobody_is_named_where_nobody_says_so() -> None:
    assert Players().name_of(0, "blue") == ""
    assert Players().describe_unmatched(["blue", ""]) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "''"),
        ("Ann,", "''"),
        ("Ann,blue=Bob", "at once"),
        ("blue=Ann=Bob", "neither way"),
        ("blue=", "''"),
        ("mauve=Ann", "'mauve'"),
        ("=Ann", "''"),
        ("blue=Ann,blue=Bob", "'blue' stands there twice"),
        ("blue=Ann,pink=Ann", "'Ann' stands there twice"),
        ("Ann,Ann", "'Ann' stands there twice"),
        ("A" * (MAX_NAME_CHARS + 1), "no name"),
        ("An\x1bn,Bob", "no name"),
        ("Ann\nBob", "no name of a player: it needs 1 to 40 characters, without line breaks"),
    ],
)
def test_malformed_lists_are_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message) as error_info:
        Players.parse(text)
    assert error_info.value.hint


@pytest.mark.parametrize(
    ("text", "colours", "message"),
    [
        ("Ann,Bob", ["", ""], ""),
        ("Ann,Bob,Cleo", ["blue", ""], "no kingdom for Cleo"),
        ("Ann,Bob,Cleo,Dan,Eve", ["blue", ""], "no kingdom for Cleo, Dan and Eve"),
        ("Ann", ["blue", ""], ""),
        ("blue=Ann", ["green", "blue"], ""),
        ("blue=Ann,red=Bob", ["green", "blue"], "no kingdom was seen to be red (Bob)"),
    ],
)
def test_players_without_a_kingdom_are_reported(text: str, colours: list[str], message: str) -> None:
    sentence = Players.parse(text).describe_unmatched(colours)
    assert message in sentence
    assert bool(sentence) == bool(message)


def test_every_colour_of_the_boxes_is_known() -> None:
    assert len(set(COLOURS)) == len(COLOURS) == 9


@pytest.mark.parametrize(
    ("names", "places", "unique_names"),
    [
        (["blue", "Ann"], ["left", "left"], ["blue", "Ann"]),
        (["blue", "Ann", "blue"], ["left", "middle", "right"], ["blue (left)", "Ann", "blue (right)"]),
        (["blue", "blue", "blue"], ["top", "top", "left"], ["blue (kingdom 1)", "blue (kingdom 2)", "blue (left)"]),
        ([], [], []),
    ],
)
def test_no_two_players_are_called_the_same(names: list[str], places: list[str], unique_names: list[str]) -> None:
    assert make_names_unique(names, places) == unique_names
