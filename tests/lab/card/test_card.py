"""The model card says what the runs left, and nothing that they did not."""

from dataclasses import replace
from pathlib import Path

import pytest

from kdvision.evaluate.summary import Row, as_csv, rows_of
from kdvision.lab.card.card import Network, Runs, card, gathered
from kdvision.lab.card.card_extras import Extras, markdown
from kdvision.lab.card.plots import drawn_from, source_of
from kdvision.lab.experiments import dial_rows
from kdvision.lab.experiments.judged import Verdict
from tests.paths import MODELS

RESULTS = MODELS / "results"
ABOUT = {
    "input": "RGB bytes",
    "settings": {"seed": 1, "scenes": 4000},
    "temperatures": {"kind": 0.64},
    "held_out": {"kind_error_rendered": 0.0123},
    "outline": [0.9, 0.4, -0.1],
    "outline_wrong": {"cells": 0.02, "both": 0.011},
    "boards": {"temperature": 1.7, "sure": 0.913, "measured": 321, "right": 300},
}
ROW = Row(
    photo="23.jpg",
    room="beige-table",
    kingdoms=1,
    found=1,
    invented=0,
    shape=True,
    squares=49,
    before=47,
    after=49,
    exact=True,
    boards_exact=1,
    points_exact=True,
    score_error=0,
    review=False,
    silent=False,
    upright=True,
    probability=0.99,
    seconds=0.5,
    true="w # / l l",
    read="w # / l l",
)
WRONG = replace(ROW, photo="4.jpg", room="desk", after=46, exact=False, silent=True, points_exact=False, score_error=7)
FIRST = Network("cells", ABOUT, 2_145_392)


def line_of(text: str, start: str) -> list[str]:
    """The words of the only table line that begins with a word."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {start} |")]
    return [word.strip() for word in line.strip("|").split("|")]


def folder(at: Path, **tables: list[Row]) -> Path:
    """A models folder without models, with these results."""
    (at / "results").mkdir()
    for name, rows in tables.items():
        (at / "results" / f"{name.replace('_', '-')}.csv").write_text(as_csv(rows))
    return at


def test_rows_come_back_from_their_table() -> None:
    assert rows_of(as_csv([ROW, WRONG])) == [ROW, WRONG]


def test_a_table_of_other_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="columns"):
        rows_of("photo,room\n1.jpg,desk\n")


def test_results_are_gathered_by_set_and_seed(tmp_path: Path) -> None:
    runs = gathered(folder(tmp_path, photos_seed1=[ROW, WRONG], photos_seed2=[ROW], boards_seed1=[ROW]))
    assert {name: sorted(seeds) for name, seeds in runs.results.items()} == {"boards": [1], "photos": [1, 2]}
    assert list(runs.results["photos"][1]) == [ROW, WRONG]


def test_the_shipped_seed_has_a_table_by_room() -> None:
    whole = card(Runs([FIRST], {"photos": {1: [ROW, WRONG], 2: [ROW, ROW]}}))
    text, others = whole.split("## Spread over seeds")
    assert "### photos" in text
    assert "### photos, seed 2" in others
    assert line_of(others, "all")[1:4] == ["2", "2 of 2", "0"]
    assert line_of(text, "beige-table")[1] == "1"
    assert line_of(text, "all")[1:4] == ["2", "2 of 2", "0"]
    assert line_of(whole, "desk/4.jpg")[1:] == ["3", "7", "no", ""]
    assert "beige-table/23.jpg" not in whole


def test_seeds_stand_beside_each_other() -> None:
    text = card(Runs([FIRST], {"photos": {1: [ROW, WRONG], 2: [ROW, ROW]}, "boards": {1: [ROW]}}))
    exact = [line for line in text.splitlines() if line.startswith("| photos | boards exact |")]
    assert exact == ["| photos | boards exact | 2 | 1 | 2 |"]
    assert "| boards | boards exact" not in text  # one seed has no spread


def test_photos_made_hard_are_told_by_the_way_and_severity() -> None:
    hard = [replace(ROW, way=way, severity=s, exact=s < 3) for way in ("glare", "dark") for s in (1, 2, 3)]
    hard[2] = replace(hard[2], shape=False, silent=True)
    text = card(Runs([FIRST], {"stress": {1: hard}}))
    assert line_of(text, "glare")[1:] == ["3", *["1 of 1"] * 2, "0 of 1", *["1 of 1"] * 2, *["0 of 1"] * 3, "1 of 1"]
    assert "the shape is right on 83.3 % (43.6 to 97.0), on 0 % in the worst cell; exact 4" in text
    assert "What they read wrong" not in text and "On photos\n" not in text


def test_dials_have_their_headlines_first() -> None:
    free = [dialled("anything", "", angle) for angle in (10.0, 30.0, 50.0)]
    text = card(Runs([FIRST], extras=Extras(dials={"drawn": [*free, dialled("angle", "45.0", 45.0)]})))
    assert line_of(text, "up to 45 degrees")[1:4] == ["2", "4", "100.0 (51.0 to 100.0)"]
    assert line_of(text, "45")[1:] == ["1", "2", "100.0 (34.2 to 100.0)", *["50.0 (9.5 to 90.5)"] * 4, "50.0", "0"]


def dialled(dial: str, setting: str, angle: float) -> dial_rows.Row:
    """A scene of two kingdoms, of which one is read right."""
    task = dial_rows.Task(dial, setting, 0, replace(dial_rows.MIDDLE, angle=angle))
    return dial_rows.Row(task, "drawn", "abc", Verdict(2, 2, 1, 1, 1, sure=1), 1.0, "", ((0.9, True), (0.5, False)))


def test_rooms_left_out_stand_beside_the_shipped_finder() -> None:
    results = {"photos": {1: [ROW, replace(WRONG, shape=False)]}}
    text = card(
        Runs([FIRST], results, extras=Extras(without={"wood": [replace(ROW, shape=False, exact=False), WRONG]}))
    )
    lines = [line for line in text.splitlines() if line.startswith("| wood |")]
    assert lines == [
        "| wood | beige-table | 1 | 1 (1) | 0 (1) | 0 (1) | 0 (0) |",
        "| wood | desk | 1 | 1 (1) | 1 (0) | 0 (0) | 1 (1) |",
    ]


def test_sections_appear_with_their_files(tmp_path: Path) -> None:
    models = folder(tmp_path, stress_seed1=[replace(ROW, way="glare", severity=1)], without_wood_woven=[ROW])
    bare = card(Runs([FIRST]))
    for name, content in {
        "calibration-boards.csv": "bin,right\n0.9,12\n",
        "calibration-boards.svg": "<svg/>",
        "ablation-deck.csv": "part,exact\nwithout the deck,20\n",
        "invented.csv": "picture,kind,kingdoms\n1,clutter,0\n2,clutter,1\n3,not_tile,0\n",
        "pieces.csv": "game,number,what,there,found,extra\nqueendomino,0,knight,3,2,0\nqueendomino,1,knight,1,1,1\n",
        "stress-seed1.svg": "<svg/>",
    }.items():
        (models / "results" / name).write_text(content)
    full = card(replace(gathered(models), networks=[FIRST]))
    for words in (
        "![stress seed1: success against severity](results/stress-seed1.svg)",
        "![calibration boards](results/calibration-boards.svg)",
        "| wood, woven | beige-table |",
        "| 0.9 | 12 |",
        "| without the deck | 20 |",
        "| clutter | 2 | 1 |",
        "| not_tile | 1 | 0 |",
        "| queendomino | knight | 4 | 3 | 1 | 75.0 % | 75.0 % |",
    ):
        assert words in full and words not in bare


def test_what_the_files_say_is_told() -> None:
    text = card(Runs([FIRST]))
    assert line_of(text, "`cells.onnx`")[1:] == ["RGB bytes", "2.15 MB", "1", ""]
    assert line_of(text, "kind error rendered")[1] == "1.23 %"
    assert line_of(text, "tile or none wrong, both networks")[1] == "1.10 %"
    assert (
        line_of(text, "rendered kingdoms right, of those that a person is asked about only where they are not sure")[1]
        == "300 of 321"
    )
    assert line_of(text, "scenes")[1] == "4000"


def test_the_file_tells_its_time() -> None:
    timed = replace(FIRST, about=ABOUT | {"settings": {"seed": 1, "minutes": 34.6}})
    assert line_of(card(Runs([timed])), "`cells.onnx`")[-1] == "35 min"


def test_nothing_is_told_that_was_not_run() -> None:
    text = card(Runs([Network("finder", {}, 4_400_000)], {"photos": {1: [ROW]}}))
    for absent in ("On photos", "Spread over seeds", "held out\n", "None"):
        assert absent not in text
    assert "Limits" in text


def test_other_seeds_say_how_they_were_trained() -> None:
    results = {"photos": {1: [ROW], 2: [ROW], 3: [ROW], 4: [ROW]}}
    trainings: dict[tuple[str, int], dict[str, object]] = {
        ("cells", 2): {"seed": 2, "scenes": 4000, "without": ""},
        ("cells", 3): {"seed": 3, "scenes": 900, "finder_steps": 7},
        ("cells", 5): {"seed": 5, "mosaics": 9},
    }
    results["photos"][5] = [ROW]
    text = card(Runs([FIRST], results, trainings))
    assert "- seed 2, cells: trained from nothing, all settings but the seed the same." in text
    assert "- seed 3, cells: trained from nothing, scenes 900 (shipped: 4000)." in text
    assert "- seed 4, cells: nothing tells that it was trained, or how." in text
    assert "- seed 5, cells: trained from nothing, scenes none (shipped: 4000), mosaics 9 (shipped: none)." in text


def test_tables_have_as_many_words_in_every_line() -> None:
    assert markdown(("a", "b"), [(1, None)]) == "| a | b |\n| --- | --- |\n| 1 |  |"


def test_the_shipped_card_is_the_one_the_files_give() -> None:
    """A card left behind by new models or results is an old card."""
    models = MODELS
    if not list(models.glob("*.onnx")):
        pytest.skip("no models: make model")
    assert (models / "README.md").read_text(encoding="utf-8") == card(gathered(models))


@pytest.mark.parametrize("picture", sorted(RESULTS.glob("*.svg")), ids=lambda path: path.name)
def test_shipped_plots_are_of_the_tables_beside_them(picture: Path) -> None:
    """A plot left behind by new results is an old plot: python -m kdvision.lab.card.plots draws them again."""
    source, table = drawn_from(picture.read_text(encoding="utf-8")), picture.with_suffix(".csv")
    assert source is None or source == source_of(table)
