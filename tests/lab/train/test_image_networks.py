"""Three common bugs of training code, and samples and training of the detector and the cell classifier."""

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: make test-more installs it")

import onnx
import torch
from torch.nn import functional as F

from kdvision.lab import run
from kdvision.lab.render.worlds import WORLDS
from kdvision.lab.run import Run
from kdvision.lab.train import datasets, fitting, image_networks
from kdvision.lab.train.examples import GEMS, KIND, PARTNER, PIECE, PIECES, TILE, TILE_KINDS, CellExamples, SceneExample
from kdvision.lab.train.export import export_cells, export_detector
from kdvision.lab.train.image_networks import (
    COURSES,
    Course,
    average_weights,
    fit,
    fit_cells,
    load_weights,
    merge_batch_norms,
)
from kdvision.lab.train.networks import CellNet, DetectorNet
from kdvision.vision.networks.detector import decode_votes
from kdvision.vision.networks.onnx import Model, find_model

SHORT_COURSE = Course(1, 1, {}, 0, 60, 60, 3e-3)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def make_cell_net() -> CellNet:
    return CellNet(len(TILE_KINDS), len(PIECES))


def make_crops(count: int, seed: int = 0) -> CellExamples:
    """Return squares in one colour for each kind, and grey empty cells."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(-1, len(TILE_KINDS), count)
    hues = np.random.default_rng(99).integers(0, 256, (len(TILE_KINDS) + 1, 3))
    pictures = np.clip(hues[kind][:, None, None] + rng.normal(0, 6, (count, 64, 64, 3)), 0, 255).astype(np.uint8)
    tile = (kind >= 0).astype(np.int64)
    is_hidden, partner = np.zeros_like(tile), np.full_like(tile, -1)
    return CellExamples(pictures, np.column_stack([kind, tile, is_hidden, partner, *[tile - 1] * 5]).astype(np.int64))


def test_the_loss_of_one_batch_falls_to_about_zero() -> None:
    """One optimiser step per batch, on the gradients of that batch, with labels that belong to the pictures."""
    batch = make_crops(12)
    batch.labels[:4, [PIECE, PIECE + 1]] = 1
    labels = torch.from_numpy(batch.labels)
    pictures = torch.from_numpy(batch.crops.transpose(0, 3, 1, 2).copy())
    losses: list[float] = []

    def record_loss(output: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
        loss = fitting.compute_cell_loss(output, truth)
        losses.append(float(loss.detach()))
        return loss

    steps = 200
    torch.manual_seed(0)
    fit(make_cell_net(), [(pictures, labels)] * steps, record_loss, steps=steps, learning_rate=3e-3)
    assert len(losses) == steps
    assert losses[0] > 2.5
    assert losses[-1] < 0.3  # label smoothing keeps it above zero


def test_the_saved_weights_reproduce_the_recorded_score(tmp_path: Path) -> None:
    net = fit_cells(make_cell_net(), make_crops(300), SHORT_COURSE, batch=12)
    held_out_crops, real_crops = make_crops(80, seed=1), make_crops(40, seed=2)
    held_out_crops.labels[:, PARTNER] = 0
    # half of the labels are the network's own output: any other weights would score differently
    logits = fitting.compute_cell_logits(net, held_out_crops.crops).numpy()
    held_out_crops.labels[::2, KIND] = logits[::2, : len(TILE_KINDS)].argmax(1)
    temperatures, rates = fitting.measure_cells(net, held_out_crops, make_crops(40, seed=3), real_crops)
    path = tmp_path / "cells.onnx"
    export_cells(net, path, temperatures=temperatures, held_out=rates, settings={})
    model = Model(path)
    is_wrong = (model.run(held_out_crops.crops)[:, : len(TILE_KINDS)].argmax(1) != held_out_crops.labels[:, KIND])[
        held_out_crops.labels[:, TILE] > 0
    ]
    assert 0.2 < is_wrong.mean() < 0.8
    assert is_wrong.mean() == pytest.approx(model.metadata["held_out"]["kind_error_rendered"], abs=1e-9)


def test_the_exported_network_equals_torch_on_the_same_crops(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net, path = make_cell_net().eval(), tmp_path / "cells.onnx"
    export_cells(net, path, temperatures={}, held_out={}, settings={})
    pictures = make_crops(9, seed=3).crops
    assert np.allclose(Model(path).run(pictures), fitting.compute_cell_logits(net, pictures).numpy(), atol=1e-3)


def test_the_exported_detector_takes_any_size(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = DetectorNet().eval()
    export_detector(net, tmp_path / "detector.onnx", settings={})
    model = Model(tmp_path / "detector.onnx")
    for height, width in ((32, 64), (96, 32), (128, 160)):
        picture = np.random.default_rng(0).integers(0, 256, (1, height, width, 3), dtype=np.uint8)
        with torch.inference_mode():
            expected = net(torch.from_numpy(picture.transpose(0, 3, 1, 2).copy()).float())
        assert np.allclose(model.run(picture), expected.numpy(), atol=1e-3)


@pytest.mark.parametrize("net", [DetectorNet(), make_cell_net()], ids=["detector", "cells"])
def test_merging_batch_norms_keeps_the_output_and_all_weights_trainable(net: DetectorNet | CellNet) -> None:
    pictures = 255 * torch.rand(4, 3, 64, 64, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for _ in range(3):
            net.train()(pictures)  # gives the norms statistics of their own
        expected = net.eval()(pictures)
        merged_output = merge_batch_norms(net)(pictures)
    assert torch.allclose(merged_output, expected, atol=1e-4)
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in net.modules())
    assert all(weights.requires_grad for weights in net.parameters())


def test_a_later_course_changes_all_weights_a_little() -> None:
    net = merge_batch_norms(fit_cells(make_cell_net(), make_crops(300), SHORT_COURSE, batch=12))
    old_weights = [weights.detach().clone() for weights in net.parameters()]
    later_course = Course(2, 2, {}, 0, 0, 20, 1e-4)
    net = fit_cells(net, make_crops(300, seed=4), later_course, batch=12)
    changes = [float((w.detach() - b).abs().max()) for w, b in zip(net.parameters(), old_weights, strict=True)]
    assert min(changes) > 0 and max(changes) < 0.01


def test_no_two_courses_share_a_seed() -> None:
    first_course, *later_courses = COURSES
    assert len({course.seed for course in COURSES}) == len({course.scene_seed for course in COURSES}) == len(COURSES)
    assert all(course.learning_rate < first_course.learning_rate for course in later_courses)
    assert all(set(course.scenes) <= set(WORLDS) for course in COURSES)


def test_scenes_of_another_program_are_rendered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered_seeds: list[tuple[int, ...]] = []

    def make_example(seed: tuple[int, ...], *, folder: Path, world: str) -> SceneExample:
        rendered_seeds.append(seed)
        return SceneExample(b"", np.zeros((0, 4, 2), np.float32), make_crops(1))

    monkeypatch.setattr(image_networks, "make_example", make_example)
    monkeypatch.setattr(run, "PACKAGE", tmp_path)
    (tmp_path / "game").mkdir()
    for program, count in (("one", 2), ("one", 2), ("other", 4)):
        (tmp_path / "game" / "deck.py").write_text(program, encoding="utf-8")
        options = Run(data=tmp_path, models=tmp_path, work=tmp_path, workers=1)
        assert len(image_networks.load_scenes(options, "scenes", 1, 2)) == 2
        assert len(rendered_seeds) == count


def test_a_colour_filter_turns_colours_and_keeps_greys() -> None:
    matrix = datasets.make_colour_filter(np.random.default_rng(1))
    grey, red = np.array([[90.0, 90, 90], [200.0, 40, 40]]) @ matrix
    assert np.allclose(grey, 90) and np.isclose(red.mean(), 280 / 3)
    assert not np.allclose(red, (200, 40, 40), atol=5)


def test_averaged_weights_are_the_mean_of_both() -> None:
    net, other_net = make_cell_net(), make_cell_net()
    expected = [(a.detach() + b.detach()) / 2 for a, b in zip(net.parameters(), other_net.parameters(), strict=True)]
    averaged_net = average_weights(net, other_net)
    assert all(torch.allclose(weights, mean) for weights, mean in zip(averaged_net.parameters(), expected, strict=True))


def test_the_targets_of_the_detector_decode_to_the_squares() -> None:
    quads = np.array([[[40.0, 40], [80, 44], [76, 84], [36, 80]], [[90, 40], [130, 40], [130, 80], [90, 80]]])
    votes = datasets.make_detector_target(quads, 192)[:8].copy()
    votes[0] = np.where(votes[0] > 0, 9, -9)
    detections = decode_votes(votes)
    assert len(detections) == 2
    for quad in quads:
        assert np.linalg.norm(detections.centre - quad.mean(0), axis=1).min() < 0.5


def test_a_random_crop_and_its_target_stay_aligned() -> None:
    """The square is the only bright thing in the picture: the target must lie on it."""
    photo = np.full((300, 400, 3), 30, np.uint8)
    photo[100:160, 200:260] = 240
    quad = np.array([[[200, 100], [260, 100], [260, 160], [200, 160]]], np.float32)
    for seed in range(25):
        crop, target = datasets.make_detector_sample(photo, quad, np.random.default_rng(seed), size=192)
        is_inside = target[0] > 0
        if is_inside.sum() < 4:
            continue
        means = crop.reshape(24, 8, 24, 8, 3).mean((1, 3, 4))
        assert means[is_inside].mean() > means[~is_inside].mean() + 60


def test_partner_labels_turn_with_their_crops() -> None:
    """The right-hand side is marked: the partner must be where the mark went."""
    marked_crops = np.zeros((40, 64, 64, 3), np.uint8)
    marked_crops[:, 20:44, 54:] = 255
    crops, labels = datasets.augment_cells(marked_crops, np.zeros((40, 9), np.int64), np.random.default_rng(0))
    sides = {0: np.s_[20:44, 54:], 1: np.s_[54:, 20:44], 2: np.s_[20:44, :10], 3: np.s_[:10, 20:44]}
    for crop, partner in zip(crops, labels[:, PARTNER], strict=True):
        assert max(sides, key=lambda side: crop[sides[side]].mean()) == partner


def test_gem_labels_turn_with_their_crops() -> None:
    """The top right corner is marked: the gem must be where the mark went."""
    marked_crops = np.zeros((40, 64, 64, 3), np.uint8)
    marked_crops[:, :20, 44:] = 255
    crops, labels = datasets.augment_cells(
        marked_crops, np.tile([0] * 6 + [1, 0, 0], (40, 1)), np.random.default_rng(0)
    )
    corners = (np.s_[:20, :20], np.s_[:20, 44:], np.s_[44:, 44:], np.s_[44:, :20])
    for crop, gem in zip(crops, labels[:, GEMS], strict=True):
        assert gem.sum() == 1
        assert gem.argmax() == max(range(4), key=lambda corner: crop[corners[corner]].mean())


def test_samples_depend_on_seed_and_index_alone() -> None:
    first, second = (datasets.CellBatches(make_crops(50), seed=4, length=3, batch=8) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first[2], second[2], strict=True))
    assert not torch.equal(first[0][0], first[1][0])
    noise = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)
    jpeg = bytes(cv2.imencode(".jpg", noise)[1])
    scene = SceneExample(jpeg, np.zeros((0, 4, 2), np.float32), make_crops(1))
    samples = datasets.DetectorSamples([scene], seed=1, length=4, size=64)
    assert torch.equal(samples[3][0], samples[3][0])


def test_the_temperature_of_overconfident_logits_is_found() -> None:
    generator = torch.Generator().manual_seed(0)
    calibrated_logits = torch.randn(4000, 5, generator=generator) * 2
    labels = torch.multinomial(F.softmax(calibrated_logits, 1), 1, generator=generator)[:, 0]
    temperature = fitting.fit_temperature(lambda x: F.cross_entropy(x, labels), calibrated_logits * 2.5)
    assert temperature == pytest.approx(2.5, rel=0.08)


@pytest.mark.parametrize("name", ["detector", "cells"])
def test_a_training_can_continue_from_the_shipped_weights(name: str) -> None:
    net = load_weights(
        merge_batch_norms(DetectorNet() if name == "detector" else make_cell_net()), load_model_file(name)
    )
    noise = np.random.default_rng(3).integers(0, 256, (2, 4, 4, 3), dtype=np.uint8)
    pictures = np.stack([cv2.resize(picture, (64, 64), interpolation=cv2.INTER_CUBIC) for picture in noise])
    expected = Model(find_model(name)).run(pictures)
    with torch.inference_mode():
        output = net.eval()(torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy()).float()).numpy()
    assert np.abs(output - expected).mean() < 0.1 * np.abs(expected).mean()  # the file has eight bits


def test_weights_of_another_network_are_refused() -> None:
    with pytest.raises(RuntimeError, match="Missing key"):
        load_weights(merge_batch_norms(make_cell_net()), load_model_file("detector"))


def load_model_file(name: str) -> onnx.ModelProto:
    return onnx.load(find_model(name))
