"""Things laid on rendered kingdoms: they cover what they are laid on, nothing far away, and the same every time."""

import numpy as np
import pytest

from kdvision.evaluate.evaluate import labelled
from kdvision.lab.experiments import covered
from kdvision.lab.experiments.covered import NOTHING, REACH, THINGS, laid, rows, verdict
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scene_factors import SceneFactors
from tests.paths import SAMPLES

AT, SIDE = np.array([300.0, 200.0]), 20.0
TABLE = np.full((400, 600, 3), (120, 60, 200), np.uint8)


@pytest.mark.parametrize("thing", THINGS)
def test_a_thing_covers_the_place_it_is_laid_on(thing: str) -> None:
    made, again = (laid(TABLE, thing, AT, SIDE, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(made, again)
    changed = np.abs(made.astype(int) - TABLE).max(axis=2) > 20
    assert changed[190:210, 290:310].mean() > 0.25
    away = np.abs(np.mgrid[0:400, 0:600] - AT[::-1, None, None]).max(axis=0) > REACH * SIDE + 1
    assert not changed[away].any()


def test_a_thing_beyond_the_picture_is_cut_by_its_edge() -> None:
    made = laid(TABLE, "a phone", np.array([2.0, 3.0]), SIDE, np.random.default_rng(3))
    assert made.shape == TABLE.shape
    assert (made[0, 0] != TABLE[0, 0]).any()


def test_a_photo_that_is_refused_is_no_wrong_score(drawn_picture: Picture) -> None:
    found, marked = verdict(drawn_picture, np.zeros((200, 200, 3), np.uint8))
    assert (found.found, found.silent, marked) == (0, 0, 0)
    found, _ = verdict(drawn_picture, drawn_picture.photo)
    assert found.found == found.kingdoms == 1


def test_a_sample_is_read_with_each_of_the_things_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covered, "DRAWS", 1)
    (demo,) = (truth for truth in labelled(SAMPLES) if truth.path.stem == "demo")
    made = rows(demo)
    assert [row.way for row in made] == [NOTHING, *THINGS]
    assert made[0].exact and not made[0].review
    hidden = [row for row in made if row.way != "a king" and row is not made[0]]
    assert sum(row.exact for row in hidden) < len(hidden) and not any(row.silent for row in hidden)


@pytest.fixture(scope="module")
def drawn_picture() -> Picture:
    from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, DrawnSceneArt, get_drawn_box

    return SceneFactors(kingdoms=1, pixels=40, clutter=0, table="oak").picture(
        3, DrawnSceneArt(get_drawn_box(TRAINING_BOX_COUNT))
    )
