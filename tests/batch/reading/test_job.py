"""Reading one photo: the same bytes give the same result, and an error is a result, too."""

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from kdvision import pipeline
from kdvision.batch.event import Rules, parse_event
from kdvision.batch.reading import job as job_module
from kdvision.batch.reading.job import Job, JobResult, hash_inputs, read_photo, unpack_observation
from kdvision.errors import ModelError
from kdvision.game.board import Square
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.decide.decision import BoardFrame
from kdvision.vision.find import assemble_kingdoms
from tests.broken_files import BROKEN_FILES
from tests.kingdoms import (
    SMALL,
    get_probability,
    make_plain_observation,
    make_reading,
    override_squares,
    png,
    table_photo,
)
from tests.paths import SAMPLES

DEMO = (SAMPLES / "demo.jpg").read_bytes()
HARMONY = Rules(("harmony",))


def read(data: bytes, *options: Any) -> JobResult:
    return read_photo(Job("", "", data, *options))


@pytest.fixture(scope="module")
def demo() -> JobResult:
    return read(DEMO, HARMONY)


def test_a_photo_is_read_and_drawn(demo: JobResult) -> None:
    (kingdom,) = demo.data["kingdoms"]
    assert (demo.data["photo"], demo.data["error"], kingdom["rules"]) == (None, None, "Kingdomino, Harmony")
    assert (demo.data["width"], demo.data["height"]) == (1600, 1200)
    assert demo.models == job_module.hash_models() and demo.is_final
    assert demo.picture is not None
    with Image.open(io.BytesIO(demo.picture)) as picture:
        assert picture.format == "JPEG" and max(picture.size) == job_module.MAX_PICTURE_SIDE


def test_a_fixed_square_is_kept(demo: JobResult) -> None:
    corrected_result = read(DEMO, HARMONY, ((1, "A1", "w1"),))
    assert corrected_result.data["kingdoms"][0]["board"][0].startswith("w1")
    assert not demo.data["kingdoms"][0]["board"][0].startswith("w1")


def test_a_joint_decision_knows_the_squares_that_a_person_has_fixed() -> None:
    """Otherwise it doubts them again."""
    (observation,) = read(DEMO, HARMONY, ((1, "A1", "w1"),)).observations
    assert unpack_observation(observation).probabilities.best.trim().format_rows()[0].startswith("w1")


def test_a_joint_decision_is_certain_of_no_square_that_only_has_the_name_of_a_fixed_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other half of the forest on A1 lies above it, and is A1 from then on."""
    shares = {"A1": {".": 0.5, "f": 0.49}, "A2": {".": 0.6, "f": 0.39}}
    observation = make_plain_observation(override_squares(ClassProbabilities.of(". . . . / . # g g / w w . ."), shares))
    fixed_squares = {(0, Square.parse("A1")): "f"}  # the second row is the first one of the board
    readings = assemble_kingdoms(table_photo(), [observation], fixed_squares=fixed_squares)
    assert (str(readings[0].board), readings[0].has_renamed_squares) == ("f . . . / f # g g / w w . .", True)
    monkeypatch.setattr(pipeline, "read", lambda *_, **__: readings)
    (packed_observation,) = read(png(table_photo().pixels), Rules(), ((1, "A1", "f"),)).observations
    probabilities = unpack_observation(packed_observation).probabilities
    chances = [get_probability(probabilities, Square.parse(name), "f") for name in ("A1", "A2")]
    assert chances == pytest.approx([0.49, 1.0], abs=0.001)


def test_a_joint_decision_has_the_side_of_the_grid_that_the_probability_is_calibrated_for() -> None:
    data = (SAMPLES / "castle.jpg").read_bytes()
    (reading,), (observation,) = pipeline.read(data), read(data, Rules()).observations
    grid_side, board_side = (round(grid.side_pixels, 1) for grid in (reading.observation.grid, reading.grid))
    assert unpack_observation(observation).side == grid_side != board_side


def test_towns_are_read_and_reported() -> None:
    """Kingdomino's rules alone would read towns as wheat."""
    (kingdom,) = read((SAMPLES / "queendomino.jpg").read_bytes(), Rules()).data["kingdoms"]
    assert kingdom["review"] and "t" in kingdom["board"][0]
    assert kingdom["problems"][0]["text"].startswith("towns lie on A1, A2, B2")
    assert "Kingdomino has none" in kingdom["problems"][0]["text"]


def test_no_advice_names_options_that_a_batch_does_not_have() -> None:
    results = [read((SAMPLES / f"{name}.jpg").read_bytes(), Rules()).data for name in ("queendomino", "lost-treasures")]
    texts = [problem["text"] for data in results for kingdom in data["kingdoms"] for problem in kingdom["problems"]]
    hint = read((SAMPLES / "no-kingdom.jpg").read_bytes(), Rules()).data["hint"]
    assert any("a gem lies" in text for text in texts) and any("a knight stands" in text for text in texts)
    assert not any("--" in text for text in [*texts, hint])
    assert hint == "show the castle or starting tile, and nothing that hides it"


def test_a_fixed_square_outside_the_grid_is_a_failure() -> None:
    assert "has no square Z9" in read(DEMO, HARMONY, ((1, "Z9", "w"),)).data["error"]


@pytest.mark.parametrize("kind", BROKEN_FILES)
def test_every_broken_file_has_an_error_and_a_hint(kind: str) -> None:
    result = read(BROKEN_FILES[kind](DEMO), Rules())
    assert result.data["kingdoms"] == [] and result.data["error"] and result.data["hint"] and result.picture is None
    assert result.is_final


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "not enough memory"),
        (IndexError("list index out of range"), "the program failed on it (IndexError"),
    ],
)
def test_an_unexpected_error_fails_one_photo_and_is_tried_again(
    error: Exception, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "read", make_failing_reader(error))
    result = read(png(table_photo().pixels), Rules())
    assert message in result.data["error"] and not result.is_final


@pytest.mark.parametrize(("has_renamed_squares", "giants"), [(True, '"A1"'), (True, ""), (False, '"A1"')])
def test_tokens_on_squares_with_new_names_are_reviewed(
    giants: str, monkeypatch: pytest.MonkeyPatch, *, has_renamed_squares: bool
) -> None:
    """Without tokens there is nothing to move."""
    text = f'variants = ["age-of-giants"]\n[[photo]]\nfile = "a.jpg"\n[[photo.kingdom]]\ngiants = [{giants}]'
    reading = replace(make_reading(SMALL), frame_before_fixes=BoardFrame(Square(0, int(has_renamed_squares))))
    monkeypatch.setattr(pipeline, "read", lambda *_, **__: [reading])
    (kingdom,) = read(png(table_photo().pixels), parse_event(text).find_photo_rules("a.jpg")).data["kingdoms"]
    is_reviewed = has_renamed_squares and bool(giants)
    assert kingdom["review"] == is_reviewed
    assert ["have new names" in problem["text"] for problem in kingdom["problems"]] == [True] * is_reviewed


def test_missing_models_are_not_blamed_on_a_photo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "read", make_failing_reader(ModelError("the model detector.onnx is missing")))
    with pytest.raises(ModelError):
        read(png(table_photo().pixels), Rules())


def make_failing_reader(error: Exception) -> Any:
    def read(*_: object, **__: object) -> Iterator[None]:
        raise error

    return read


def test_the_key_depends_on_content_models_program_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {
        hash_inputs("a", Rules()),
        hash_inputs("b", Rules()),
        hash_inputs("a", HARMONY),
        hash_inputs("a", Rules(side=5)),
        hash_inputs("a", Rules(), ((1, "A1", "w"),)),
    }
    monkeypatch.setattr(job_module, "hash_models", lambda: "others")
    keys.add(hash_inputs("a", Rules()))
    monkeypatch.setattr("kdvision.__version__", "99")
    keys.add(hash_inputs("a", Rules()))
    assert len(keys) == 7
    assert Job("ann.jpg", "a", b"").key == Job("bo.jpg", "a", b"").key


def test_results_of_the_previous_version_keep_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A photo with another key would be read again."""
    monkeypatch.setattr(job_module, "hash_models", lambda: "models")
    monkeypatch.setattr("kdvision.__version__", "0.1.0")
    assert hash_inputs("content", Rules()) == "f44c86a9dea1d2a80f2a6bb9f845c3bf"
    assert hash_inputs("content", Rules(("harmony",), 5), ((1, "A1", "w"),)) == "77b40a6c881fc5a96374d5ca03329935"
