"""Texts and bytes that no person would send, at every door that takes any: an error with advice, or an answer.

`python -m kdvision.lab.robustness.fuzz` goes on for as long as one likes, guided by what code is reached.
"""

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kdvision.cli.inputs import parse_fixes
from kdvision.errors import KdvisionError, NotationError
from kdvision.game.board import Board
from kdvision.gamefile.model import parse_game
from kdvision.lab.robustness import fuzz, hostile
from kdvision.vision.detect.manual import KingdomOutline
from tests.gamefile.test_gamefile import GEMS, QUEEN

SEEDED = settings(deadline=None, derandomize=True, max_examples=120, suppress_health_check=list(HealthCheck))
NOTATION = st.text(alphabet="wfglsmt0123#.?/ \n\t;|x4\u00d7\u0661\ufeff\x00", max_size=80)
LINES = st.sampled_from([line for text in (QUEEN, GEMS) for line in text.splitlines()])


@st.composite
def spoiled(draw: st.DrawFn, good: str) -> str:
    """A good text, lines of it left out, doubled or moved, some characters turned into others."""
    lines = draw(st.lists(st.one_of(st.sampled_from(good.splitlines()), LINES, st.text(max_size=20)), max_size=30))
    text = list("\n".join(lines if draw(st.booleans()) else good.splitlines()))
    for _ in range(draw(st.integers(0, 4))):
        if text:
            place = draw(st.integers(0, len(text) - 1))
            text[place] = draw(st.sampled_from([*"[]{}=\"'#,.-0139wt/\n", "\u00e9", "\x00", "", "9" * 30]))
    return "".join(text)


@SEEDED
@given(st.one_of(NOTATION, st.text(max_size=60)))
@example("w" * 100_000)
@example("w " * 20_000)
@example("/ " * 20_000)
@example("w9999999999999999999999")
def test_notation(text: str) -> None:
    fuzz.notation(text.encode())


@SEEDED
@given(st.one_of(spoiled(QUEEN), spoiled(GEMS), st.text(max_size=200)))
@example("kingdom = [" * 5000)
@example("a." * 5000 + "b = 1")
@example("[[kingdom]]\nboard = '''" + "w " * 3000 + "'''\n")
@example("[[kingdom]]\nboard = '#'\ncoins = " + "9" * 5000)
@example("[[kingdom]]\nboard = '#'\n" * 2000)
def test_game_files(text: str) -> None:
    fuzz.game(text.encode())


@SEEDED
@given(st.text(alphabet="1290:ABZaz=.w#t3, -+x\u00d7e", max_size=40), st.sampled_from(["fix", "corners"]))
@example("1:C3=w" + "1" * 5000, "fix")
@example("1e999,1 2,2 3,3 4,4", "corners")
@example("9" * 400 + ",1 2,2 3,3 4,4", "corners")
def test_corrections_and_outlines(text: str, door: str) -> None:
    doors: dict[str, Callable[[str], object]] = {
        "fix": lambda text: parse_fixes([text]),
        "corners": KingdomOutline.parse,
    }
    try:
        doors[door](text)
    except NotationError as error:
        fuzz.answered(error)


GOOD = hostile.good_files((96, 80))
HEADS = [
    b"\xff\xd8\xff\xe0",
    b"\x89PNG\r\n\x1a\n",
    b"GIF89a",
    b"II*\0\x08\0\0\0",
    b"MM\0*\0\0\0\x08",
    b"BM",
    b"P6 99 99 255 ",
]
HEADS += [b"RIFF\xff\0\0\0WEBPVP8 ", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", b"P3 99 99 9 ", b"Pf 99 99 -1 "]


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Bytes behind a good beginning, or a good file with pieces of it overwritten, moved or left out."""
    if draw(st.booleans()):
        return draw(st.sampled_from(HEADS)) + draw(st.binary(max_size=300))
    data = bytearray(GOOD[draw(st.sampled_from(sorted(GOOD)))])
    for _ in range(draw(st.integers(1, 5))):
        place, length = draw(st.integers(0, len(data))), draw(st.integers(0, 40))
        data[place : place + length] = draw(st.binary(max_size=40))
    return bytes(data)


@settings(SEEDED, max_examples=200)
@given(files())
def test_picture_files(content: bytes) -> None:
    fuzz.photo(content)


@pytest.mark.parametrize("text", ["\x00", "\ud800", "w \ud800", "\U0010ffff" * 1000])
def test_characters_that_no_file_can_hold(text: str) -> None:
    for door in (Board.parse, parse_game, KingdomOutline.parse):
        with contextlib.suppress(NotationError):
            door(text)


@pytest.mark.parametrize("name", list(fuzz.TARGETS))
def test_good_inputs_are_no_finding(name: str) -> None:
    for content in fuzz.seeds(name):
        fuzz.TARGETS[name](content)


def test_an_error_that_leaves_a_person_alone_is_a_finding() -> None:
    with pytest.raises(AssertionError):
        fuzz.answered(KdvisionError("something is wrong"))


def test_the_fuzzer_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["rivers"]) == 2
    assert "notation|game|photo" in capsys.readouterr().err
