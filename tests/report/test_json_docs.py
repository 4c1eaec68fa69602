"""docs/json.md names every field of the JSON, and no other."""

import json
import re
from collections.abc import Iterable
from typing import Any

from kdvision.errors import PhotoError
from kdvision.game.rules import kingdomino
from kdvision.report.build import build_photo_result
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.assess.calibration import Calibration
from tests.conftest import Run
from tests.kingdoms import make_doubt, make_reading
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")


def list_documented_names(heading: str) -> set[str]:
    """Return the names in the first column of the table below a heading, or of the table headed "of `heading`"."""
    start = PAGE.index(f"| of `{heading}`") if f"| of `{heading}`" in PAGE else PAGE.index(f"## {heading}\n")
    table = re.search(r"^\|.*\n\|---.*\n((?:\|.*\n)+)", PAGE[start:], re.MULTILINE)
    assert table is not None
    return {name for row in table[1].splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def make_object() -> dict[str, Any]:
    """Return an object with doubts, a standing, an inventory and a guarantee."""
    calibration = Calibration(unflagged=900, unflagged_wrong=1, wrong_at_most=0.005, upper=0.00526)
    readings = [
        make_reading("w m3 # / . . .", place="left", calibration=calibration, doubts=[make_doubt("A1", "w", "f")]),
        make_reading("w m3 # / . . .", place="right", left=300, calibration=calibration),
    ]
    return result_to_dict(build_photo_result("table.png", (640, 480), readings, kingdomino()))


def list_keys(rows: Iterable[dict[str, Any]]) -> set[str]:
    return {key for row in rows for key in row}


def test_the_object_and_its_kingdoms_are_documented() -> None:
    data = make_object()
    kingdom = data["kingdoms"][0]
    assert list_documented_names("The object") == data.keys()
    assert list_documented_names("`kingdoms`") == kingdom.keys()
    assert list_documented_names("lines") == list_keys(kingdom["lines"])
    assert list_documented_names("doubts") == list_keys(kingdom["doubts"])
    assert list_documented_names("`standing`") == data["standing"].keys()
    assert list_documented_names("box") == data["box"].keys()
    assert list_documented_names("promise") == data["promise"].keys()
    assert data["ask_first"].keys() == {*kingdom["doubts"][0], "kingdom", "verdict"}


def test_nested_fields_are_documented(run: Run) -> None:
    text = 'game = "queendomino"\n[[kingdom]]\nplayer = "Ann"\nboard = "# t t / w1 w g / . . l3"\ncoins = "?"\n'
    (kingdom,) = json.loads(run("game", "-", "--json", stdin=text.encode()).out)["rounds"][0]["kingdoms"]
    assert list_documented_names("missing") == list_keys(kingdom["missing"])
    assert list_documented_names("problems") == list_keys(kingdom["problems"])


def test_failed_views_are_documented() -> None:
    failed_view = "b.jpg", PhotoError("there is no file b.jpg")
    row = re.search(r"^\| `failed` \| (.*)", PAGE, re.MULTILINE)
    assert row is not None
    result = build_photo_result("a.jpg", (640, 480), [make_reading("w m3 # / . . .")], kingdomino())
    data = result_to_dict(type(result)(result.photo, kingdoms=result.kingdoms, failed_views=(failed_view,)))
    assert set(re.findall(r"`(\w+)`", row[1])) == data["failed"][0].keys()
