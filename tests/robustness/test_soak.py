"""The soak run: a few photos of it for real, and that it sees a leak and a changed answer."""

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.bench_photos import SAMPLES
from kdvision.errors import KdvisionError
from kdvision.lab.robustness import soak
from kdvision.lab.robustness.broken import BROKEN


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one sample."""
    folder = tmp_path_factory.mktemp("samples")
    shutil.copy(SAMPLES / "demo.jpg", folder)
    return folder


def test_a_few_photos_hold_no_more_in_the_end(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "SIZES", (0.5,))
    moments = list(soak.soak(soak.photos(10, samples=demo)))
    assert [moment.photo for moment in moments[:3]] == ["demo x 0.5", "demo x 0.5 turned", "demo x 0.5"]
    assert moments[-1].photo == "cut short"
    assert soak.changed(moments) == []
    assert soak.growth(moments) < 1.2
    assert len({moment.answer for moment in moments}) == 3


def test_the_photos_come_round_and_some_are_broken(demo: Path) -> None:
    names = [name for name, _ in soak.photos(40, samples=demo)]
    assert names[0] == names[6] == "demo x 1.0"
    assert names[9::10] == list(BROKEN)[:4]


def test_no_samples_are_told(tmp_path: Path) -> None:
    with pytest.raises(KdvisionError, match="there are no samples"):
        list(soak.photos(1, samples=tmp_path))


def test_a_leak_is_seen() -> None:
    kept: list[bytes] = []

    def leaky(_: bytes) -> str:
        kept.append(b"\1" * 6_000_000)
        return ""

    moments = list(soak.soak([("photo", b"")] * 40, answer=leaky))
    if not moments[0].held:
        pytest.skip("this system does not tell what a process holds")
    assert soak.growth(moments) > soak.GROWTH
    assert soak.quarters(moments)[3].held > soak.quarters(moments)[0].held + 60


def test_another_answer_is_seen() -> None:
    answers = iter("aab")
    moments = list(soak.soak([("x", b""), ("y", b""), ("x", b"")], answer=lambda _: next(answers)))
    assert soak.changed(moments) == ["x"]


@pytest.mark.parametrize(("answers", "code"), [("same", 0), ("else", 1)])
def test_the_run_is_a_command(
    answers: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = iter(range(100))
    monkeypatch.setattr(soak, "photos", lambda count: [("photo", b"")] * count)
    monkeypatch.setattr(soak.soak, "__kwdefaults__", {"answer": lambda _: "" if answers == "same" else str(next(said))})
    assert soak.main(["--photos", "8", "--csv", str(tmp_path / "s.csv"), "--json", str(tmp_path / "s.json")]) == code
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 9
    told = json.loads((tmp_path / "s.json").read_text())
    assert (told["photos"], len(told["quarters"]), len(told["changed_answers"])) == (8, 4, code)
    assert "quarter 4: 2 photos" in capsys.readouterr().out
