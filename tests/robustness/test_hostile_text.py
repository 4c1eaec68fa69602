"""Arbitrary texts and bytes at every entry point: a result, or an error with a hint."""

import contextlib
import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kdvision.cli.inputs import parse_fixes
from kdvision.errors import KdvisionError, NotationError
from kdvision.game.board import Board
from kdvision.game.rules import list_board_variants, make_rule_set
from kdvision.game.scoring import score
from kdvision.gamefile.model import parse_game
from kdvision.report.build import build_board_result
from kdvision.report.game import format_game, game_to_dict
from kdvision.report.table import format_table
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.image.photo import Photo
from tests.gamefile.test_gamefile import GEMS, QUEEN
from tests.robustness.hostile_files import make_good_files
from tests.robustness.scale import IS_LONG

EXAMPLES = 20_000 if IS_LONG else 120
SEEDED_SETTINGS = settings(derandomize=not IS_LONG, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
NOTATION = st.text(alphabet="wfglsmt0123#.?/ \n\t;|x4\u00d7\u0661\ufeff\x00", max_size=80)
LINES = st.sampled_from([line for text in (QUEEN, GEMS) for line in text.splitlines()])
GOOD_FILES = make_good_files((96, 80))
HEADERS = [
    *(b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08", b"BM"),
    *(b"RIFF\xff\0\0\0WEBPVP8 ", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
    *(b"P6 99 99 255 ", b"P3 99 99 9 ", b"Pf 99 99 -1 "),
]


def check_error(error: KdvisionError) -> None:
    """Assert that an error says what is wrong in one line, and what to do."""
    assert error.exit_code > 0
    assert str(error).strip()
    assert "\n" not in str(error).strip()
    assert error.hint or "expected" in str(error), str(error)


def check_notation(text: str) -> None:
    """Parse, print, score and report a board typed by hand."""
    try:
        board = Board.parse(text)
    except KdvisionError as error:
        return check_error(error)
    assert Board.parse(str(board)) == board
    assert score(board, make_rule_set()).total >= 0
    result = build_board_result(
        [board, board], make_rule_set(variants=[variant.id for variant in list_board_variants()])
    )
    json.dumps(result_to_dict(result), allow_nan=False)
    assert format_table(result)
    return None


def check_game_file(text: str) -> None:
    """Read, score, rank and report a game file."""
    try:
        game = parse_game(text)
        assert format_game(game, "the game", dominoes=True, clauses=True, width=100)
        json.dumps(game_to_dict(game, "the game"))
    except KdvisionError as error:
        check_error(error)


def check_photo(content: bytes) -> None:
    """Open a picture file and decode all of its pixels."""
    try:
        photo = Photo.open(content)
        assert photo.pixels.shape == (photo.height, photo.width, 3)
    except KdvisionError as error:
        check_error(error)


@st.composite
def damaged_texts(draw: st.DrawFn, good_text: str) -> str:
    """Return a good text with lines left out, doubled or moved, and some characters replaced."""
    lines = draw(st.lists(st.one_of(st.sampled_from(good_text.splitlines()), LINES, st.text(max_size=20)), max_size=30))
    text = list("\n".join(lines if draw(st.booleans()) else good_text.splitlines()))
    for _ in range(draw(st.integers(0, 4))):
        if text:
            index = draw(st.integers(0, len(text) - 1))
            text[index] = draw(st.sampled_from([*"[]{}=\"'#,.-0139wt/\n", "\u00e9", "\x00", "", "9" * 30]))
    return "".join(text)


@SEEDED_SETTINGS
@given(st.one_of(NOTATION, st.text(max_size=60)))
@example("w w1 f / l # f1 / l l g")
@example("w" * 100_000)
@example("w " * 20_000)
@example("/ " * 20_000)
@example("w9999999999999999999999")
def test_notation(text: str) -> None:
    check_notation(text)


@SEEDED_SETTINGS
@given(st.one_of(damaged_texts(QUEEN), damaged_texts(GEMS), st.text(max_size=200)))
@example(QUEEN)
@example("kingdom = [" * 5000)
@example("a." * 5000 + "b = 1")
@example("[[kingdom]]\nboard = '''" + "w " * 3000 + "'''\n")
@example("[[kingdom]]\nboard = '#'\ncoins = " + "9" * 5000)
@example("[[kingdom]]\nboard = '#'\n" * 2000)
def test_game_files(text: str) -> None:
    check_game_file(text)


@SEEDED_SETTINGS
@given(st.text(alphabet="1290:ABZaz=.w#t3, -+x\u00d7e", max_size=40), st.sampled_from(["fix", "corners"]))
@example("1:C3=w" + "1" * 5000, "fix")
@example("1e999,1 2,2 3,3 4,4", "corners")
@example("9" * 400 + ",1 2,2 3,3 4,4", "corners")
def test_corrections_and_outlines(text: str, option: str) -> None:
    parsers: dict[str, Callable[[str], object]] = {
        "fix": lambda text: parse_fixes([text]),
        "corners": KingdomOutline.parse,
    }
    try:
        parsers[option](text)
    except NotationError as error:
        check_error(error)


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """Return bytes behind a good header, or a good file with parts overwritten, inserted or left out."""
    if draw(st.booleans()):
        return draw(st.sampled_from(HEADERS)) + draw(st.binary(max_size=300))
    data = bytearray(GOOD_FILES[draw(st.sampled_from(sorted(GOOD_FILES)))])
    for _ in range(draw(st.integers(1, 5))):
        start, length = draw(st.integers(0, len(data))), draw(st.integers(0, 40))
        data[start : start + length] = draw(st.binary(max_size=40))
    return bytes(data)


@settings(SEEDED_SETTINGS, max_examples=2 * EXAMPLES)
@given(damaged_files())
def test_changed_bytes_of_a_picture_file(content: bytes) -> None:
    check_photo(content)


@pytest.mark.parametrize("text", ["\x00", "\ud800", "w \ud800", "\U0010ffff" * 1000])
def test_characters_that_no_file_can_hold(text: str) -> None:
    for parser in (Board.parse, parse_game, KingdomOutline.parse):
        with contextlib.suppress(NotationError):
            parser(text)


def test_good_picture_files_are_no_finding() -> None:
    for content in GOOD_FILES.values():
        check_photo(content)


def test_an_error_without_a_hint_is_a_finding() -> None:
    with pytest.raises(AssertionError):
        check_error(KdvisionError("something is wrong"))
