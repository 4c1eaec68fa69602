"""Training the glare network: white places, as many tiles as bare ones; weights fitted on some, measured on others."""

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: make test-lab installs it")

import torch

from kdvision.lab import glare
from kdvision.lab.calibrate import write
from kdvision.lab.examples import PIECES, TILE_KINDS, CellExamples, SceneExample
from kdvision.lab.export import export_glare
from kdvision.lab.glare import Settings, WhiteBatches, WhiteExamples, is_white
from kdvision.lab.net import CellNet, GlareNet
from kdvision.lab.rehearsal import Places
from kdvision.vision.glare import INNER, Glare
from kdvision.vision.models import Model
from kdvision.vision.photo import Photo


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def scene() -> SceneExample:
    """Blue tiles in a ring on a bright table."""
    photo = np.full((400, 400, 3), 215, np.uint8)
    corners = [(col, row) for row in range(3) for col in range(3) if (row, col) != (1, 1)]
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    quads = np.array([100 + 60 * (box + at) for at in corners], np.float32)
    for quad in quads:
        cv2.fillConvexPoly(photo, (quad + (quad.mean(0) - quad) * 0.03).astype(np.int32), (30, 50, 140))
    code = cv2.imencode(".jpg", photo[..., ::-1])[1].tobytes()
    none = np.zeros(0, np.int64)
    cells = CellExamples(np.zeros((0, 64, 64, 3), np.uint8), none, none, none, none, none, np.zeros((0, 4), np.int64))
    return SceneExample(code, quads, cells)


def examples() -> WhiteExamples:
    return WhiteExamples.of([scene()] * 3, places=8, seed=1)


def test_places_amid_tiles_are_cut_first() -> None:
    found = WhiteExamples.of([scene()], places=1, seed=1)
    assert found.tile.tolist() == [True, False]
    inside, hole = (crop[32 - INNER // 4 : 32 + INNER // 4, 32 - INNER // 4 : 32 + INNER // 4] for crop in found.crops)
    assert inside.mean(axis=(0, 1))[0] < 60 and hole.mean() > 200
    assert (
        found.crops[1][2:4, 20:44].mean() < 110 and found.crops[1][-4:-2, 20:44].mean() < 110
    )  # tiles around the hole


def test_a_batch_is_half_tiles_and_nearly_all_white_and_always_the_same() -> None:
    one, again = (WhiteBatches(examples(), seed=4, length=3, batch=64) for _ in range(2))
    crops, tile = one[1]
    assert tile.tolist() == [0.0, 1.0] * 32
    assert torch.equal(crops, again[1][0]) and not torch.equal(crops, one[2][0])
    white = [is_white(crop) for crop in crops.numpy().transpose(0, 2, 3, 1)]
    assert np.mean(white) > 0.6


def test_training_goes_on_from_the_cell_network_and_tells_white_places_apart(tmp_path: Path) -> None:
    torch.manual_seed(0)
    cells = CellNet(len(TILE_KINDS), len(PIECES))
    settings = Settings(steps=60, batch=32, rate=2e-3)
    net = glare.train(examples(), settings, cells, lambda _: None)
    rates = glare.measured(net, examples(), seed=9, count=4)
    assert rates["tiles_missed"] + rates["tiles_invented"] < 0.9  # 1 is chance
    path = export_glare(net, tmp_path / "glare.onnx", rates=rates, settings={})
    crops = examples().crops[:6]
    with torch.inference_mode():
        expected = net(torch.from_numpy(crops.transpose(0, 3, 1, 2).copy()).float() / 255).numpy()
    assert np.allclose(Model(path).run(crops), expected, atol=2e-2)
    photo, quads = Photo.open(scene().photo()), scene().quads.astype(float)
    said = np.tile([2.0, -1.0], (len(quads), 1))
    write(path, under_lamps=[0.5, 0.25, 2.0, 0.125])
    seen = Glare(Model(path)).seen(photo, quads)
    assert Glare(Model(path)).odds(photo, quads, said) == pytest.approx(0.5 * seen - 2.0 + 0.125)


def test_weights_are_fitted_on_some_scenes_and_measured_on_others() -> None:
    rng = np.random.default_rng(0)

    def places(flipped: bool) -> Places:
        tile = rng.random(40) < 0.5
        own = np.where(tile, 1.5, -1.5) * (-1 if flipped else 1) + rng.normal(0, 1, 40)
        return Places(np.column_stack([own, rng.normal(0, 3, (40, 2))]), tile)

    told = glare.weighed([places(False) for _ in range(40)], {"outline": [1.0, 0.0, 0.0]})
    own, cells, finder, _ = told["under_lamps"]
    assert own > 1.5 and abs(cells) < 0.5 and abs(finder) < 0.5
    wrong = told["under_lamps_wrong"]
    assert wrong["places"] == 800
    assert wrong["all"] < 0.12 and wrong["alone"] < 0.12 and 0.4 < wrong["without"] < 0.6
    turned = glare.weighed([places(n % 2 == 1) for n in range(40)], {"outline": [1.0, 0.0, 0.0]})
    assert turned["under_lamps_wrong"]["all"] > 0.85  # those that were not fitted on say the opposite


def test_the_network_begins_with_what_the_cell_network_sees() -> None:
    cells = CellNet(len(TILE_KINDS), len(PIECES)).eval()
    net = GlareNet(cells).eval()
    assert net.body is cells.body and net.squeeze is cells.squeeze
    assert net(torch.zeros(2, 3, 64, 64)).shape == (2, 1)
