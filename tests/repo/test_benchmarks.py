"""Benchmarks write their figures with the machine, and fail if a limit is exceeded."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from benchmarks import __main__ as command
from benchmarks import measurement, page, server, tables
from benchmarks.measurement import Measurement, get_processor, time_in_turns
from benchmarks.photos import decode_jpeg, enlarge_sample


def test_a_section_is_written_with_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, code in ((4.0, 0), (2.0, 1)):
        measurements = [Measurement("reading", 3.0, limit=limit)]
        monkeypatch.setattr(command, "SECTIONS", {"toy": lambda measurements=measurements: measurements})
        assert command.main(["toy", "--results", str(tmp_path)]) == code
    results = json.loads((tmp_path / "toy.json").read_text())
    assert results["machine"]["processor"] == get_processor() != ""
    assert results["measurements"] == [Measurement("reading", 3.0, limit=2.0)._asdict()]


@pytest.mark.parametrize(
    ("text", "instructions"),
    [
        (
            "processor\t: 0\nmodel name\t: Toy 1\nflags\t\t: fpu avx512_vnni avx2 avx_vnni\n",
            ["avx512_vnni", "avx_vnni"],
        ),
        ("processor\t: 0\nFeatures\t: fp asimddp\n", ["asimddp"]),
        ("processor\t: 0\n", []),
    ],
)
def test_the_machine_is_described_with_its_instructions_for_int8(
    text: str, instructions: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(measurement, "Path", lambda _: tmp_path / "cpuinfo")
    assert measurement.describe_machine()["int8_instructions"] == instructions


def test_results_stay_where_nothing_can_be_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.json").write_text("{}")
    monkeypatch.setattr(page, "find_chromium", lambda: None)
    assert command.main(["page", "--results", str(tmp_path)]) == 0
    assert "nothing can be measured here" in capsys.readouterr().out
    assert (tmp_path / "page.json").read_text() == "{}"


def test_each_of_several_sections_has_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A section that keeps its process on one core would change the figures of the next one."""
    codes, commands = {"rules": 1, "start": 0}, list[list[str]]()

    def run(arguments: list[str], **_: object) -> SimpleNamespace:
        commands.append(arguments)
        return SimpleNamespace(returncode=codes[arguments[-1]])

    monkeypatch.setattr("subprocess.run", run)
    assert command.main(["rules", "start", "--results", str(tmp_path)]) == 1
    codes["rules"] = -9  # killed
    assert command.main(["rules", "start"]) != 0
    del commands[2:]
    assert [arguments[-3:] for arguments in commands] == [["--results", str(tmp_path), name] for name in codes]


def test_an_exceeded_limit_is_marked() -> None:
    assert str(Measurement("a", 3.0, limit=2.0)).endswith("EXCEEDED")
    assert not Measurement("a", 3.0).exceeds_limit


def test_an_unknown_section_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        command.main(["rivers"])
    assert exit_info.value.code == 2
    assert "choose from rules" in capsys.readouterr().err


def test_a_table_that_no_phone_watches_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        tables.main(["--phones", "4", "--tables", "8"])
    assert exit_info.value.code == 2
    assert "fewer --tables" in capsys.readouterr().err


@pytest.mark.parametrize("benchmark", [server, tables])
@pytest.mark.parametrize("photos", ["0", "-1", "two"])
def test_a_number_below_one_is_wrong_usage(
    benchmark: ModuleType, photos: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmark", "--photos", photos])
    with pytest.raises(SystemExit) as exit_info:
        benchmark.main()
    assert exit_info.value.code == 2
    assert f"argument --photos: '{photos}' is not a number of at least 1" in capsys.readouterr().err


def test_an_error_of_one_phone_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def use_phone(_: object, photos: Sequence[object]) -> server.Tally:
        if len(photos) == 1:
            raise ConnectionError("reset by the server")
        return server.Tally()

    idle_server = nullcontext(SimpleNamespace(get_megabytes=lambda _: 0.0))
    monkeypatch.setattr(server, "start_server", lambda: idle_server)
    monkeypatch.setattr(server, "read_boards", lambda *_: [])
    monkeypatch.setattr(server, "use_phone", use_phone)
    monkeypatch.setattr("sys.argv", ["server", "--phones", "2", "--photos", "1"])
    with pytest.raises(ConnectionError):
        server.main()


@pytest.mark.parametrize("name", ["chromium-headless-shell", "google-chrome"])
def test_every_browser_of_the_tests_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KDVISION_CHROMIUM", raising=False)
    assert page.find_chromium() == str(tmp_path / name)


def test_calls_are_timed_in_turns() -> None:
    order: list[str] = []
    times = time_in_turns({name: lambda name=name: order.append(name) for name in "ab"}, runs=2)  # type: ignore[misc]
    assert order == list("abab") and times.keys() == {"a", "b"}


def test_samples_are_enlarged_to_photos_of_a_phone() -> None:
    data = enlarge_sample("demo", 3)
    height, width, _ = decode_jpeg(data).shape
    assert 2.9e6 < height * width < 3.1e6
    assert 0.15 < len(data) / (height * width) < 0.5
