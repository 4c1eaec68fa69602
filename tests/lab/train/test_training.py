"""The three bugs that good authors make in training code, and the answers that training is given."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: make test-lab installs it")

import onnx
import torch
from torch.nn import functional as F

from kdvision.lab.render.worlds import WORLDS
from kdvision.lab.train import batches, measure, train
from kdvision.lab.train.examples import PIECES, TILE_KINDS, CellExamples, SceneExample
from kdvision.lab.train.export import export_cells, export_finder
from kdvision.lab.train.folding import folded
from kdvision.lab.train.losses import cell_loss
from kdvision.lab.train.net import CellNet, FinderNet
from kdvision.lab.train.targets import cell_batch, finder_sample, finder_target
from kdvision.lab.train.weights import loaded
from kdvision.vision.networks.detector import decode_votes
from kdvision.vision.networks.onnx import Model, model_path

SETTINGS = train.Settings(cell_steps=60, cell_batch=12, finder_steps=60, rate=3e-3)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def crops(count: int, seed: int = 0) -> CellExamples:
    """Plain squares: a colour for each kind, bare table grey."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(-1, len(TILE_KINDS), count)
    hues = np.random.default_rng(99).integers(0, 256, (len(TILE_KINDS) + 1, 3))
    pictures = np.clip(hues[kind][:, None, None] + rng.normal(0, 6, (count, 64, 64, 3)), 0, 255).astype(np.uint8)
    tile = (kind >= 0).astype(np.int64)
    none, unknown = np.zeros_like(tile), np.full_like(tile, -1)
    return CellExamples(pictures, kind.astype(np.int64), tile, none, unknown, tile - 1, np.stack([tile - 1] * 4, 1))


def test_the_loss_of_one_batch_falls_to_nothing() -> None:
    """One optimiser step a batch, on the gradients of that batch, with labels that belong to the pictures."""
    batch = crops(12)
    batch.piece[:4], batch.gems[:4, 0] = 1, 1
    labels = [
        torch.from_numpy(x) for x in (batch.kind, batch.tile, batch.hidden, batch.partner, batch.piece, batch.gems)
    ]
    pictures = torch.from_numpy(batch.crops.transpose(0, 3, 1, 2).copy())
    losses: list[float] = []

    def watched(output: torch.Tensor, *truth: torch.Tensor) -> torch.Tensor:
        loss = cell_loss(output, *truth)
        losses.append(float(loss.detach()))
        return loss

    steps = 200
    torch.manual_seed(0)
    endless = iter([(pictures, *labels)] * steps)
    net = CellNet(len(TILE_KINDS), len(PIECES))
    train.fit(net, endless, watched, steps=steps, settings=SETTINGS, say=lambda _: None)
    assert len(losses) == steps
    assert losses[0] > 2.5
    assert losses[-1] < 0.3  # label smoothing keeps it above nothing


def test_the_kept_weights_reproduce_the_recorded_score(tmp_path: Path) -> None:
    net = train.train_cells(crops(300), SETTINGS, lambda _: None)
    held, real = crops(80, seed=1), crops(40, seed=2)
    held.partner[:] = 0
    # half of the labels are what the network says: any other weights would score otherwise
    held.kind[::2] = measure.cell_logits(net, held.crops).numpy()[::2, : len(TILE_KINDS)].argmax(1)
    temperatures, rates = measure.measure_cells(net, held, crops(40, seed=3), real)
    path = export_cells(net, tmp_path / "cells.onnx", temperatures=temperatures, rates=rates, settings={})
    model = Model(path)
    logits = model.run(held.crops)
    tiles = held.tile > 0
    wrong = (logits[:, : len(TILE_KINDS)].argmax(1) != held.kind)[tiles]
    assert 0.2 < wrong.mean() < 0.8
    assert wrong.mean() == pytest.approx(model.about["held_out"]["kind_error_rendered"], abs=1e-9)


@pytest.mark.parametrize("net", [FinderNet(), CellNet(len(TILE_KINDS), len(PIECES))], ids=["finder", "cells"])
def test_batch_norms_in_the_convolutions_change_nothing(net: FinderNet | CellNet) -> None:
    """Neither what the net says nor what else the second course may change of it."""
    pictures = torch.rand(4, 3, 64, 64, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for _ in range(3):
            net.train()(pictures)  # norms that have measured something
        expected = net.eval()(pictures)
        got = train.merged(net)(pictures)
    assert torch.allclose(got, expected, atol=1e-4)
    assert not any(isinstance(part, torch.nn.BatchNorm2d) for part in net.modules())
    assert all(weights.requires_grad for weights in net.parameters())


def test_the_second_course_goes_on_from_the_first() -> None:
    settings = replace(SETTINGS, tuned_cell_steps=20, tuned_rate=1e-4)
    first = train.train_cells(crops(300), settings, lambda _: None)
    before = {name: weights.detach().clone() for name, weights in train.merged(first).named_parameters()}
    second = train.train_cells(crops(300, seed=4), settings.later(1), lambda _: None, net=first)
    moved = [float((weights.detach() - before[name]).abs().max()) for name, weights in second.named_parameters()]
    assert min(moved) > 0 and max(moved) < 0.01  # a low rate: it forgets nothing


def test_no_course_sees_what_another_saw() -> None:
    first = train.Settings()
    courses = [first, *(first.later(number + 1) for number in range(len(train.LATER)))]
    assert len({course.seed for course in courses}) == len({course.scene_seed for course in courses}) == 3
    assert all(course.rate < first.rate and course.scenes < first.scenes for course in courses[1:])
    assert set(train.LATER) <= set(WORLDS)


def test_halfway_lies_between_both() -> None:
    one, other = CellNet(len(TILE_KINDS), len(PIECES)), CellNet(len(TILE_KINDS), len(PIECES))
    expected = [(a.detach() + b.detach()) / 2 for a, b in zip(one.parameters(), other.parameters(), strict=True)]
    kept = train.halfway(one, other)
    assert all(torch.allclose(weights, mean) for weights, mean in zip(kept.parameters(), expected, strict=True))


def test_the_exported_network_equals_torch_on_prepared_crops(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = CellNet(len(TILE_KINDS), len(PIECES)).eval()
    path = export_cells(net, tmp_path / "cells.onnx", temperatures={}, rates={}, settings={})
    pictures = crops(9, seed=3).crops
    assert np.allclose(Model(path).run(pictures), measure.cell_logits(net, pictures).numpy(), atol=1e-3)


def test_the_exported_finder_takes_any_size(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = FinderNet().eval()
    model = Model(export_finder(net, tmp_path / "finder.onnx", settings={}))
    for height, width in ((32, 64), (96, 32), (128, 160)):
        picture = np.random.default_rng(0).integers(0, 256, (1, height, width, 3), dtype=np.uint8)
        with torch.inference_mode():
            expected = net(torch.from_numpy(picture.transpose(0, 3, 1, 2).copy()).float() / 255)
        assert np.allclose(model.run(picture), expected.numpy(), atol=1e-3)


def test_the_answers_of_the_finder_are_the_squares_themselves() -> None:
    quads = np.array([[[40.0, 40], [80, 44], [76, 84], [36, 80]], [[90, 40], [130, 40], [130, 80], [90, 80]]])
    answer = finder_target(quads, 192)
    votes = answer[:8].copy()
    votes[0] = np.where(votes[0] > 0, 9, -9)
    found = decode_votes(votes)
    assert len(found) == 2
    for quad in quads:
        assert np.linalg.norm(found.centre - quad.mean(0), axis=1).min() < 0.5


def test_a_random_piece_keeps_picture_and_answer_together() -> None:
    """The square is the only bright thing in the picture: the answer's votes must point into it."""
    photo = np.full((300, 400, 3), 30, np.uint8)
    photo[100:160, 200:260] = 240
    quad = np.array([[[200, 100], [260, 100], [260, 160], [200, 160]]], np.float32)
    for seed in range(25):
        piece, answer = finder_sample(photo, quad, np.random.default_rng(seed), size=192)
        inside = answer[0] > 0
        if inside.sum() < 4:
            continue
        means = piece.reshape(24, 8, 24, 8, 3).mean((1, 3, 4))
        assert means[inside].mean() > means[~inside].mean() + 60


def test_partners_turn_with_their_crops() -> None:
    """The right-hand side is marked: after any turn the partner must be where the mark went."""
    marked = np.zeros((40, 64, 64, 3), np.uint8)
    marked[:, 20:44, 54:] = 255
    made, partner, _ = cell_batch(marked, np.zeros(40, np.int64), np.zeros((40, 4), np.int64), np.random.default_rng(0))
    sides = {0: np.s_[20:44, 54:], 1: np.s_[54:, 20:44], 2: np.s_[20:44, :10], 3: np.s_[:10, 20:44]}
    for crop, where in zip(made, partner, strict=True):
        assert max(sides, key=lambda side: crop[sides[side]].mean()) == where


def test_gems_turn_with_their_crops() -> None:
    """The top right corner is marked: after any turn the gem must be where the mark went."""
    marked = np.zeros((40, 64, 64, 3), np.uint8)
    marked[:, :20, 44:] = 255
    gems = np.tile([0, 1, 0, 0], (40, 1))
    made, _, corners = cell_batch(marked, np.zeros(40, np.int64), gems, np.random.default_rng(0))
    places = (np.s_[:20, :20], np.s_[:20, 44:], np.s_[44:, 44:], np.s_[44:, :20])
    for crop, lies in zip(made, corners, strict=True):
        assert lies.sum() == 1
        assert lies.argmax() == max(range(4), key=lambda corner: crop[places[corner]].mean())


def test_equal_seeds_give_equal_batches_and_pieces() -> None:
    first, second = (batches.CellBatches(crops(50), seed=4, length=3, batch=8) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first[2], second[2], strict=True))
    assert not torch.equal(first[0][0], first[1][0])
    scene = SceneExample(_jpeg(), np.zeros((0, 4, 2), np.float32), crops(1))
    pieces = batches.ScenePieces([scene], seed=1, length=4, size=64)
    assert torch.equal(pieces[3][0], pieces[3][0])


def _jpeg() -> bytes:
    import cv2

    return bytes(cv2.imencode(".jpg", np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8))[1])


def test_the_temperature_of_overconfident_logits_is_found() -> None:
    generator = torch.Generator().manual_seed(0)
    honest = torch.randn(4000, 5, generator=generator) * 2
    labels = torch.multinomial(F.softmax(honest, 1), 1, generator=generator)[:, 0]
    fitted = measure.temperature(lambda x: F.cross_entropy(x, labels), honest * 2.5)
    assert fitted == pytest.approx(2.5, rel=0.08)


@pytest.mark.parametrize("name", ["finder", "cells"])
def test_a_course_goes_on_from_the_weights_in_a_file(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    net: FinderNet | CellNet = FinderNet() if name == "finder" else CellNet(len(TILE_KINDS), len(PIECES))
    fresh = deepcopy(net)
    train.merged(net)
    path = tmp_path / f"{name}.onnx"
    if isinstance(net, FinderNet):
        export_finder(net, path, settings={})
    else:
        export_cells(net, path, temperatures={}, rates={}, settings={})
    path.write_bytes(folded(onnx.load(path)).SerializeToString())
    again = loaded(train.merged(fresh), path)
    for (part, weights), others in zip(again.named_parameters(), net.parameters(), strict=True):
        assert torch.allclose(weights, others, atol=1e-5), part


@pytest.mark.parametrize("name", ["finder", "cells"])
def test_the_shipped_networks_say_the_same_in_torch(name: str) -> None:
    """Whole numbers tell the weights closely enough to train on from."""
    fresh: FinderNet | CellNet = FinderNet() if name == "finder" else CellNet(len(TILE_KINDS), len(PIECES))
    net = loaded(train.merged(fresh), model_path(name))
    pictures = crops(6, seed=5).crops
    with torch.inference_mode():
        got = net.eval()(torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255).numpy()
    expected = Model(model_path(name)).run(pictures)
    assert np.corrcoef(got.ravel(), expected.ravel())[0, 1] > 0.98


def test_weights_of_another_network_are_refused() -> None:
    with pytest.raises(ValueError, match="has no weights"):
        loaded(train.merged(CellNet(3, 2)), model_path("cells"))
