"""Names of players and files cannot run formulas in a spreadsheet, nor control a terminal or a page."""

import csv
import html
import io
import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdvision.report.table import render_text
from kdvision.text import format_csv, quote_path, replace_controls
from tests.batch.text_photos import TextPhotoReader, make_photo, read_csv, run_batch, write_files
from tests.conftest import Run

FORMULAS = ('=HYPERLINK("http://x.example")', "@SUM(1+1)", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "\r=1", " =1")
ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m\x00\u2028\u202e"

texts = st.text(st.characters() | st.sampled_from("=+-@\t\r\n\x00\x1b\x7f\x9b\u2028\u202e\ud800'\" ,"))


def has_control(text: str) -> bool:
    """Return whether there is a control character, or one that turns the direction of the line."""
    turns = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
    return any(
        unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(sign) in turns
        for sign in text
    )


@given(st.lists(st.lists(texts | st.integers() | st.floats(allow_nan=False) | st.none(), min_size=2, max_size=2)))
def test_no_cell_of_a_table_is_a_formula_or_has_control_characters(rows: list[list[object]]) -> None:
    content = format_csv(["a", "b"], rows)
    assert content.encode() and not has_control(content.replace("\n", ""))
    read_rows = list(csv.reader(io.StringIO(content)))
    assert len(read_rows) == len(rows) + 1
    for cells, input_cells in zip(read_rows[1:], rows, strict=True):
        for cell, value in zip(cells, input_cells, strict=True):
            if isinstance(value, str):
                assert not cell.lstrip().startswith(("=", "+", "-", "@"))
                assert cell.removeprefix("'") == replace_controls(value).removeprefix("'")
            else:
                assert cell == ("" if value is None else str(value))


@pytest.mark.skipif(sys.platform == "win32", reason="its shells have no common way to quote")
@pytest.mark.parametrize("name", ["photos(1)", "a b.jpg", "a&b", "it's.jpg", "$(reboot).jpg", '"`!\\', "Küche/1.jpg"])
def test_a_shell_takes_the_path_in_a_printed_command_for_one_argument(name: str) -> None:
    process = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {quote_path(name)}"], capture_output=True, text=True, check=True
    )
    assert process.stdout == f"{name}\n"


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert format_csv(["a"], [[text]]) == format_csv(["a"], [["'" + replace_controls(text)]])


@pytest.mark.parametrize("text", ["Ann", "w w1 / # -", "1 - 2", "李雷", "it's", "", "."])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert next(csv.reader(io.StringIO(format_csv([text], []))), [""]) in ([text], [])
    assert list(csv.reader(io.StringIO(format_csv(["a", "b"], [[text, -1.5]]))))[1] == [text, "-1.5"]


@given(texts)
def test_no_control_character_reaches_a_terminal_through_a_table(text: str) -> None:
    assert not has_control(render_text(text, width=80, colour=False).replace("\n", ""))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An event in which every name is hostile."""
    players = [*FORMULAS[:4], "Bo <script>", f"Ann{ESCAPES}"]
    tables = "".join(
        f"[[photo]]\nfile = {json.dumps(f'{number}.jpg')}\nplayers = [{quote_toml(player)}]\n"
        for number, player in enumerate(players)
    )
    doubts = [("B1", "w1", "w", 0.6)]
    files: dict[str, bytes | str] = {
        f"{number}.jpg": make_photo("# w1" + " w" * number, doubts=doubts) for number in range(len(players))
    }
    files["event.toml"] = f"name = {quote_toml('Cup' + ESCAPES)}\nrounds = 2\n{tables}"
    if sys.platform != "win32":
        files |= {"=1+1.jpg": b"broken", "\x1b[2J\n.jpg": make_photo("# w1"), "-2+3/@a.jpg": make_photo("# f f1")}
    return write_files(tmp_path / "photos", files)


def quote_toml(text: str) -> str:
    return '"' + "".join(f"\\u{ord(sign):04x}" for sign in text) + '"'


def test_hostile_names_are_harmless_in_every_file(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_batch(folder, out)
    for path in out.glob("*.csv"):
        assert not has_control(path.read_text(encoding="utf-8").replace("\n", "")), path.name
        cells = [cell for row in read_csv(path) for name, cell in row.items() if not is_number(cell)]
        assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == [], path.name
    names = {row["player"] for row in read_csv(out / "standings.csv")}
    assert names >= {f"'{name}" for name in FORMULAS[:4]}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert not has_control(page.replace("\n", ""))
    assert "<script>Bo" not in page and html.escape("Bo <script>") in page


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_hostile_names_are_harmless_in_a_terminal(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kdvision.batch.reading.workers.PoolExecutor", lambda *_: TextPhotoReader())
    out = tmp_path / "out"
    for command in (["batch", folder, "-o", out], ["review", out, "--all"]):
        result = run(*command, stdin=b"\n" * 200)
        assert result.code in (0, 7) and "Ann" in result.out
        assert not has_control((result.out + result.err).replace("\n", ""))


def test_hostile_names_are_harmless_in_a_game(run: Run, tmp_path: Path) -> None:
    player = quote_toml(f"Ann{ESCAPES}")
    path = tmp_path / "game.toml"
    path.write_text(f'[[kingdom]]\nplayer = {player}\nboard = "# w1"\n[[kingdom]]\nplayer = "Bo"\nboard = "# f"\n')
    for options in ([], ["--json"], ["--dominoes"], ["--clauses"]):
        result = run("game", path, *options)
        assert result.code == 0 and "Ann" in result.out
        assert not has_control((result.out + result.err).replace("\n", ""))
