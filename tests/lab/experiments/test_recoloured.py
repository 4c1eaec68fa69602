"""Tables dyed in the colour of tiles: the tiles stay as they are, and so does the table's texture."""

import numpy as np
import pytest

from kdvision.evaluate.evaluate import labelled
from kdvision.lab.experiments import altered
from kdvision.lab.experiments.recoloured import dyed, rows
from tests.paths import SAMPLES

PLACES = np.array([[[x, 60.0], [x + 40, 60], [x + 40, 100], [x, 100]] for x in (60, 140)])


def photo() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A brown table with a light stripe, on it a green tile and a blue one."""
    pixels = np.full((160, 240, 3), (150, 110, 70), np.uint8)
    pixels[10:20] = (180, 140, 100)
    pixels[60:100, 60:100], pixels[60:100, 140:180] = (60, 140, 50), (50, 80, 170)
    return pixels


def test_all_but_the_tiles_takes_their_colour_and_keeps_its_own_texture() -> None:
    made = dyed(photo(), PLACES, PLACES[:1])
    assert made[130, 120] == pytest.approx([60, 140, 50], abs=3)
    assert made[80, 160] == pytest.approx([50, 80, 170], abs=3)
    assert made[15, 120].mean() > made[130, 120].mean() + 15


def test_a_sample_is_read_on_tables_of_each_of_its_terrains() -> None:
    (demo,) = (truth for truth in labelled(SAMPLES) if truth.path.stem == "demo")
    made = rows(demo)
    assert [row.way for row in made] == ["wheat", "forest", "lake", "grass"]
    assert not any(row.silent for row in made) and sum(row.shape for row in made) >= 3
    lines = altered.table(made, way="table like").splitlines()
    assert lines[0].startswith("table like,photos,")
    assert lines[1].startswith("wheat,1,") and lines[-1].startswith("all,4,")
