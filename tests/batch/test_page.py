"""The text of the report page: it is complete and self-contained, and escapes every name."""

import re
import sys
from html import unescape
from pathlib import Path

import pytest

from kdvision.game.rules import load_clauses
from tests.batch.text_photos import make_photo, run_batch, write_files

SMALL = "w1 w w / # f f1 / . l l"
HOSTILE_NAME = '<script>alert(1)<|script> & "co"'

ODD_NAMES = pytest.mark.skipif(sys.platform == "win32", reason="files there have no such names")


def write_page(tmp_path: Path, files: dict[str, bytes | str]) -> str:
    run_batch(write_files(tmp_path / "photos", files), tmp_path / "out")
    return (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@ODD_NAMES
def test_names_are_escaped_wherever_they_stand(tmp_path: Path) -> None:
    broken_photo, toml = (
        f"round1/{HOSTILE_NAME}2.jpg",
        f"name = '{HOSTILE_NAME}'\n[[team]]\nname = '{HOSTILE_NAME}'\nplayers = ['{HOSTILE_NAME}']",
    )
    files: dict[str, bytes | str] = {
        f"round1/{HOSTILE_NAME}.jpg": make_photo(SMALL),
        broken_photo: b"x",
        "event.toml": toml,
    }
    text = write_page(tmp_path, files)
    assert HOSTILE_NAME not in text and "<script>alert" not in text
    assert unescape(text).count(HOSTILE_NAME) > 5


def test_the_page_is_self_contained(tmp_path: Path) -> None:
    text = write_page(tmp_path, {"ann.jpg": make_photo(SMALL), "bo.jpg": make_photo("# w1")})
    addresses = re.findall(r"""(?:src|href)=["']([^"']+)""", text)
    assert addresses
    assert all(address.startswith(("#", "data:image/webp;base64,", "overlays/")) for address in addresses)
    assert "default-src 'none'" in text and "@import" not in text and "url(" not in text


def test_every_point_has_its_rule(tmp_path: Path) -> None:
    text = write_page(tmp_path, {"ann.jpg": make_photo(SMALL), "event.toml": 'variants = ["middle-kingdom"]'})
    notes = dict(re.findall(r'<li id="rule-(\d+)">([^<]+)', text))
    rule_numbers = set(re.findall(r'href="#rule-(\d+)"', text))
    assert rule_numbers == notes.keys() == {"1"}
    assert unescape(notes["1"]).strip() == load_clauses()["kingdomino/value"].text
    assert "without points: lake 2" in text


def test_sentences_begin_with_a_capital_unless_they_begin_with_a_file_name(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {
        "table1/IMG_1.jpg": make_photo(SMALL),
        "table1/IMG_2.jpg": make_photo("# w1"),
        "table2/ann.jpg": b"broken",
    }
    text = write_page(tmp_path, files)
    assert "<p>table1/IMG_1.jpg wins on points, 5 to 1.</p>" in text
    assert "<p>Ann has no kingdom in round 1" in text


@ODD_NAMES
def test_pictures_with_odd_names_are_found(tmp_path: Path) -> None:
    text = write_page(tmp_path, {"table 1/ann #1%?.jpg": make_photo(SMALL)})
    (address,) = re.findall(r'href="(overlays/[^"]+)"', text)
    assert "%20" in address and "#" not in address.removeprefix("overlays/") and "?" not in address


def test_a_damaged_picture_is_left_out_of_the_page(tmp_path: Path) -> None:
    folder, out = write_files(tmp_path / "photos", {"ann.jpg": make_photo(SMALL)}), tmp_path / "out"
    run_batch(folder, out)
    (out / "overlays" / "ann.jpg-score.jpg").write_bytes(b"not a picture")
    run_batch(folder, out)
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "<h3>ann</h3>" in text and "<img" not in text


def test_a_kingdom_has_the_points_and_lines_of_its_game(tmp_path: Path) -> None:
    """Ann's kingdom makes the game one of 7 by 7, in which Bo's full 5 by 5 earns no Harmony."""
    full_board = "# w w w w / f f f f f / w w w w w / f f f f f / w w l1 w w"
    photos = {"ann.jpg": make_photo("# w1 w w w w"), "bo.jpg": make_photo(full_board)}
    text = write_page(tmp_path, {**photos, "event.toml": 'variants = ["harmony"]'})
    assert re.findall(r'<span class="total">(\d+)', text) == re.findall(r'points">(\d+)', text) == ["5", "1"]
    assert "<tr><td>Harmony" not in text and "<li>Scored with the side of the other kingdoms here</li>" in text


def test_a_kingdom_has_all_reasons_to_review_it(tmp_path: Path) -> None:
    photos = {
        "ann.jpg": make_photo(SMALL, doubts=[("B2", "f", "f1", 0.8)]),
        "ann (2).jpg": make_photo("w1 w w / # f f"),
    }
    text = write_page(tmp_path, dict(photos))
    assert "<li>Another photo of this kingdom, ann (2).jpg, was read differently" in text
    assert "<li>B2 is read as f (80 % sure)" in text
