"""Experiments: cases, sums, resumption after an interruption, and the files they write."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kdvision.errors import ModelError, NoKingdomFound, PhotoError
from kdvision.lab.experiments import __main__ as command
from kdvision.lab.experiments import experiment as module
from kdvision.lab.experiments.__main__ import EXPERIMENTS
from kdvision.lab.experiments.experiment import (
    Experiment,
    Row,
    count_crashes,
    format_csv,
    measure_cases,
    read_picture,
    run,
)
from kdvision.lab.experiments.labelled import trace_risk
from kdvision.pipeline import KingdomReading
from kdvision.vision.image.photo import Photo
from tests.kingdoms import table_photo
from tests.paths import ROOT, SHARED

DATA = SHARED / "data"


def list_numbers(_: Path, seed: int) -> Iterator[Row]:
    for number in range(6):
        yield {"kind": "odd" if number % 2 else "even", "number": 10 * seed + number}


def measure_case(_: Path, case: Row) -> Sequence[Row]:
    return [{"kingdoms": 2, "silent_errors": int(case["number"] == 3), "unflagged": 1}]


NUMBERS = Experiment(
    "numbers", "Which?", list_numbers, measure_case, ("kind",), ("kingdoms", "silent_errors", "unflagged")
)


def test_rows_are_added_up_by_group_with_coverage() -> None:
    rows = [{**case, **row} for case in list_numbers(DATA, 0) for row in measure_case(DATA, case)]
    assert NUMBERS.summarise(rows) == [
        {"kind": "even", "pictures": 3, "kingdoms": 6, "silent_errors": 0, "unflagged": 3, "coverage": "0.5000"},
        {"kind": "odd", "pictures": 3, "kingdoms": 6, "silent_errors": 1, "unflagged": 3, "coverage": "0.5000"},
    ]


def test_a_run_writes_its_table_and_how_it_was_made(tmp_path: Path) -> None:
    summary = run(NUMBERS, results=tmp_path / "results", work=tmp_path / "work", data=DATA, seed=0, workers=2)
    table = tmp_path / "results" / "numbers.csv"
    metadata = json.loads(table.with_suffix(".json").read_text())
    assert table.read_text() == format_csv(summary)
    assert [line["kind"] for line in csv.DictReader(table.read_text().splitlines())] == ["even", "odd"]
    assert (metadata["command"], metadata["cases"]) == ("python -m kdvision.lab.experiments numbers", 6)
    assert [row["number"] for row in metadata["silent_errors"]] == [3]
    assert set(metadata["models"]) == {"cells", "context", "detector"}


def test_the_table_of_an_earlier_run_stays_if_the_data_folder_has_no_case(tmp_path: Path) -> None:
    table = tmp_path / "photos.csv"
    table.write_text("earlier", encoding="utf-8")
    assert run(EXPERIMENTS["photos"], results=tmp_path, work=tmp_path / "work", data=tmp_path) == []
    assert table.read_text(encoding="utf-8") == "earlier"


def test_the_command_of_a_run_has_its_options(tmp_path: Path) -> None:
    run(NUMBERS, results=tmp_path, work=tmp_path, data=DATA, seed=2, is_quick=True)
    metadata = json.loads((tmp_path / "numbers.json").read_text())
    assert metadata["command"] == "python -m kdvision.lab.experiments numbers --quick --seed 2"


def test_risk_is_traced_from_the_most_probable_picture_on() -> None:
    rows: list[Row] = [
        {"family": "light", "probability": probability, "exact": is_exact, "unflagged": is_unflagged}
        for probability, is_exact, is_unflagged in (("0.2", 0, 0), ("0.99", 1, 1), ("0.97", 0, 1), ("0.9", 1, 0))
    ]
    rows.append({"family": "covered (adversarial)", "probability": "0.5", "exact": 0, "unflagged": 0})
    curve = trace_risk(rows)
    points = [(row["accepted"], row["wrong"], row["at_threshold"]) for row in curve if row["kind"] == "ordinary"]
    assert points == [(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 1, 0), (4, 2, 0), (2, 1, 1)]
    assert [row["coverage"] for row in curve if row["kind"] == "adversarial"][-2:] == ["1.0000", "0.0000"]


def test_a_quick_run_reads_the_same_part_every_time() -> None:
    experiment = Experiment("numbers", "", list_numbers, measure_case, ("kind",), (), quick_cases=3)
    quick_cases = experiment.list_cases(DATA, 0, is_quick=True)
    assert len(quick_cases) == 3 and quick_cases == experiment.list_cases(DATA, 0, is_quick=True)
    assert all(case in experiment.list_cases(DATA, 0) for case in quick_cases)


def measure_numbers(work: Path, calls: list[int], *, stop_at: int | None = None) -> list[Row]:
    def record(data: Path, case: Row) -> Sequence[Row]:
        if case["number"] == stop_at:
            raise KeyboardInterrupt
        calls.append(int(case["number"]))
        return measure_case(data, case)

    experiment = Experiment("numbers", "", list_numbers, record, ("kind",), ())
    cases = list(list_numbers(DATA, 0))
    return measure_cases(experiment, cases, work=work, data=DATA, workers=1)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    calls: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        measure_numbers(tmp_path, calls, stop_at=4)
    with (tmp_path / "numbers.jsonl").open("a") as file:
        file.write('{"case": "{\\"ki')  # a line torn by a kill
    rows = measure_numbers(tmp_path, calls)
    assert calls == [0, 1, 2, 3, 4, 5]
    assert [row["number"] for row in rows] == [0, 1, 2, 3, 4, 5]
    assert measure_numbers(tmp_path, calls) == rows and len(calls) == 6


def test_work_of_another_program_or_other_models_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    measure_numbers(tmp_path, calls)
    monkeypatch.setattr(module, "compute_program_digest", lambda: "another")
    measure_numbers(tmp_path, calls)
    assert len(calls) == 12


@pytest.mark.parametrize(
    ("failure", "crashes", "error"),
    [
        (NoKingdomFound("none"), 0, "NoKingdomFound: none"),
        (PhotoError("too dark"), 1, "PhotoError: too dark"),
        (ZeroDivisionError("division"), 1, "ZeroDivisionError: division"),
    ],
)
def test_errors_of_a_picture_are_part_of_its_reading(
    failure: Exception, crashes: int, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Photo) -> list[KingdomReading]:
        raise failure

    monkeypatch.setattr("kdvision.pipeline.read", fail)
    reading = read_picture(table_photo())
    assert (count_crashes(reading.error), reading.error) == (crashes, error)


def test_missing_models_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Photo) -> list[KingdomReading]:
        raise ModelError("the model is missing")

    monkeypatch.setattr("kdvision.pipeline.read", fail)
    with pytest.raises(ModelError):
        read_picture(table_photo())


def test_cases_differ_within_a_seed_and_between_seeds() -> None:
    for experiment in EXPERIMENTS.values():
        cases, same_cases, other_cases = (
            [json.dumps(case) for case in experiment.list_cases(DATA, seed)] for seed in (0, 0, 1)
        )
        assert cases == same_cases and len(set(cases)) == len(cases)
        if experiment.name not in ("photos", "pieces", "no_kingdom", "occluders"):  # which have photos in every seed
            assert not set(cases) & set(other_cases)


@pytest.mark.skipif(not DATA.is_dir(), reason="no shared data beside the checkout")
def test_the_numbers_of_cases_are_those_of_the_committed_results() -> None:
    """Other numbers would make figures of several versions incomparable."""
    counts = {name: len(experiment.list_cases(DATA, 0)) for name, experiment in EXPERIMENTS.items()}
    assert counts == {
        "photos": 57,
        "stress": 28 * 40,
        "factors": 654,
        "no_kingdom": 1805,
        "occluders": 252,
        "pieces": 325,
        "ablation": 80,
    }


def test_no_result_is_replaced_without_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "numbers", NUMBERS)
    results = tmp_path / "results"
    folders = ["--data", str(tmp_path / "data"), "--work", str(tmp_path / "work"), "--results", str(results)]
    with pytest.raises(SystemExit):
        command.main(["numbers", *folders])
    assert f"there is no data folder {tmp_path / 'data'}: name it with --data" in capsys.readouterr().err
    assert not results.exists()


@pytest.mark.parametrize(
    ("options", "models", "folder"),
    [
        ([], "", "models/results"),
        ([], str(ROOT / "models"), "out/results-seed0"),
        (["--seed", "2"], "", "out/results-seed2"),
        (["--quick", "--seed", "2"], "", "out/results-quick"),
    ],
)
def test_shipped_results_are_those_of_the_shipped_networks_and_of_the_first_seed(
    options: list[str], models: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KDVISION_MODELS", models)
    monkeypatch.setitem(EXPERIMENTS, "numbers", NUMBERS)
    monkeypatch.setattr(command, "write_plots", lambda _: None)
    monkeypatch.setattr(command, "write_card", lambda _: None)
    monkeypatch.chdir(tmp_path)
    command.main(["numbers", "--data", str(tmp_path), "--workers", "1", *options])
    assert [path.parent for path in tmp_path.rglob("numbers.csv")] == [tmp_path / folder]


def test_the_command_runs_the_named_experiments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "numbers", NUMBERS)
    options = ["--workers", "1", "--work", str(tmp_path / "work"), "--results", str(tmp_path / "results")]
    assert command.main(["numbers", "--quick", *options]) == 0
    assert "even" in capsys.readouterr().out
    assert [path.parent.name for path in (tmp_path / "work").rglob("numbers.jsonl")] == ["quick"]
    with pytest.raises(SystemExit):
        command.main(["rivers", "--quick"])
    assert "there is no experiment rivers" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["numbers", "--quick", "--seed", "-1"])
    assert "argument --seed: '-1' is not a number of at least 0" in capsys.readouterr().err
