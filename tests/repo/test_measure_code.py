"""scripts/measure_code.py counts what it says."""

from pathlib import Path

import pytest

from scripts import measure_code


@pytest.mark.parametrize("name", ["told", "_seen", "finished", "broken", "beside", "plain", "without"])
def test_participles_and_adjectives_are_bare_words(name: str) -> None:
    assert measure_code.is_bare_word(name)


@pytest.mark.parametrize("name", ["load_model", "find_hidden_squares", "open", "is_broken", "seed", "score", "_feed"])
def test_verbs_nouns_and_phrases_are_not(name: str) -> None:
    assert not measure_code.is_bare_word(name)


def test_functions_constants_and_mentions_are_listed(tmp_path: Path) -> None:
    package = tmp_path / "kdvision"
    for folder in ("vision", "game/rules"):
        (package / folder).mkdir(parents=True)
    (package / "vision" / "a.py").write_text('MAX_SIZE: int = 3\nsize = 4\n\ndef told():\n    """Harmony"""\n')
    (package / "game" / "rules" / "harmony.py").write_text("HARMONY = 5\n")
    assert measure_code.list_constants(package / "vision" / "a.py") == ["MAX_SIZE"]
    assert list(measure_code.list_bare_functions(package)) == ["vision/a.py:4: told"]
    assert list(measure_code.list_variant_mentions(package)) == ['vision/a.py:5: """Harmony"""']


def test_the_checkout_can_be_measured() -> None:
    assert len(measure_code.measure(measure_code.ROOT)) == len(measure_code.AIMS)
