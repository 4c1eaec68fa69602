"""The model card holds the figures of the committed results."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from kdvision.lab.card.card import (
    Table,
    describe_cell_columns,
    format_card,
    format_photos,
    format_table,
    format_training,
    list_outdated,
    load_descriptions,
    load_metadata,
    load_tables,
)
from kdvision.lab.card.plots import PLOTS
from kdvision.lab.experiments.__main__ import EXPERIMENTS
from kdvision.lab.experiments.experiment import compute_model_digests
from kdvision.lab.model_file import update_metadata
from kdvision.lab.run import PACKAGE
from kdvision.vision.networks.onnx import Model
from tests.lab.card.sources import get_source
from tests.paths import MODELS

MAX_LINES, MAX_WORDS = 200, 1500
RESULTS = MODELS / "results"

pytestmark = pytest.mark.skipif(not list(MODELS.glob("*.onnx")), reason="no models: make model")


def list_words(text: str) -> list[str]:
    return [word for word in text.split() if any(map(str.isalnum, word))]


def make_photo_row(name: str, pictures: int, exact_count: int) -> Mapping[str, str]:
    counts = {
        "pictures": pictures,
        "exact": exact_count,
        "silent_errors": 1,
        "false_alarms": 2,
        "unflagged": 3,
        "invented": 0,
    }
    return {"set": name, "room": "desk", **{key: str(value) for key, value in counts.items()}}


def test_the_shipped_card_is_the_one_that_the_results_give() -> None:
    """`python -m kdvision.lab.card.card` writes it again."""
    assert (MODELS / "README.md").read_text(encoding="utf-8") == format_card(MODELS)
    assert (RESULTS / "training.csv").read_text(encoding="utf-8") == format_training(load_metadata(MODELS))


def test_the_card_is_short() -> None:
    text = (MODELS / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    assert len(list_words(text)) <= MAX_WORDS


@pytest.mark.parametrize("name", [*(plot.table for plot in PLOTS), "stress-coverage"])
def test_the_shipped_plots_show_the_committed_tables(name: str) -> None:
    from kdvision.lab.card.plots import describe_source

    table = RESULTS / f"{name}.csv"
    assert get_source(table.with_suffix(".svg").read_text(encoding="utf-8")) == describe_source(table)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_committed_result_with_its_description(name: str) -> None:
    experiment, description = EXPERIMENTS[name], load_descriptions(MODELS)[name]
    assert description["question"] == experiment.question
    assert description["command"] == f"python -m kdvision.lab.experiments {name}"
    assert {"seed", "cases", "models", "silent_errors"} <= description.keys()
    assert {*experiment.groups, "pictures", *experiment.counts} <= load_tables(MODELS)[name][0].keys()


def test_sets_are_added_up_in_terms_of_selective_classification() -> None:
    stress = [{**make_photo_row("x", 10, 9), "family": family} for family in ("lens", "cut (adversarial)")]
    tables: dict[str, Table] = {
        "photos": [make_photo_row("photos", 4, 3), make_photo_row("photos", 6, 5)],
        "stress": stress,
    }
    lines = format_photos(tables).splitlines()
    assert lines[2] == "| photos | 10 | 8 | 2 | 4 | 60.0 % | 0 |"
    assert lines[3] == "| photos under corruptions | 10 | 9 | 1 | 2 | 30.0 % | 0 |"
    assert lines[4] == "| photos cut, covered or altered | 10 | 9 | 1 | 2 | 30.0 % | 0 |"


def test_results_of_other_models_are_named() -> None:
    assert list_outdated({"stress": {"models": {"cells": "0"}}, "notes": {}}, MODELS) == ["stress"]


def test_results_are_compared_with_the_models_of_the_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(MODELS / "cells.onnx", tmp_path)
    update_metadata(tmp_path / "cells.onnx", {"x": 1})
    monkeypatch.setenv("KDVISION_MODELS", str(tmp_path))
    assert list_outdated({"stress": {"models": compute_model_digests(MODELS)}}, MODELS) == []


def test_every_column_of_the_cell_network_is_explained() -> None:
    columns = Model(MODELS / "cells.onnx").session.get_outputs()[0].shape[1]
    text = describe_cell_columns(load_metadata(MODELS)["cells"])
    assert text.startswith("0–17 kind of tile (logits); 18 a tile or none")
    assert text.endswith(f"29–{columns - 1} gem on each corner, clockwise from top left (log-odds)")


def test_training_settings_and_errors_are_listed() -> None:
    metadata = {"settings": {"seed": 1, "rate": 0.002}, "held_out": {"kind_error": 0.012345}}
    lines = format_training({"cells": metadata}).splitlines()
    assert lines[1:] == ["cells,settings,seed,1", "cells,settings,rate,0.002", "cells,held_out,kind_error,0.01235"]


def test_empty_cells_are_empty() -> None:
    assert format_table(("a", "b"), [(1, "")]) == "| a | b |\n| --- | --- |\n| 1 |  |"


def test_the_card_says_how_many_photos_of_pieces_training_used() -> None:
    source = (PACKAGE / "lab/render/art/queendomino_photos.toml").read_text(encoding="utf-8")
    assert len(set(re.findall(r'photo = "(\d+)"', source))) == 9
    assert "training used prints cut from nine\nof these" in (MODELS / "README.md").read_text(encoding="utf-8")
