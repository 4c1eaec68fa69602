"""Training of the context network: what it must learn from other tiles, and that the exported file equals torch."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: make test-more installs it")

import torch

from kdvision.lab import run as run_module
from kdvision.lab.render import renderer, scenes
from kdvision.lab.render.art.scene_art import DrawnSceneArt, get_drawn_box
from kdvision.lab.run import Run
from kdvision.lab.train import context
from kdvision.lab.train.context import IGNORED_LABEL, KINDS, MIN_TILES, LabelledTiles
from kdvision.lab.train.export import export_context
from kdvision.lab.train.networks import OWN_EVIDENCE_SHARE, ContextNet
from kdvision.vision.networks.onnx import Model


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def make_photos(count: int, seed: int = 0) -> list[LabelledTiles]:
    """Return photos in which wheat and grass look alike; wheat is a little redder, and the light varies."""
    rng, photos = np.random.default_rng(seed), []
    for _ in range(count):
        truth = rng.choice([KINDS.index("w"), KINDS.index("g")], 24)
        probabilities = np.full((24, len(KINDS)), 1e-4)
        probabilities[:, [KINDS.index("w"), KINDS.index("g")]] = 0.5
        colours = rng.normal(0, 0.1, (24, 6)) + rng.normal(0, 3, 6)
        colours[:, 1] += np.where(truth == KINDS.index("w"), 1.0, 0.0)
        log_probs = np.log(probabilities / probabilities.sum(axis=1, keepdims=True)).astype(np.float32)
        photos.append(LabelledTiles(log_probs, colours.astype(np.float32), truth))
    return photos


def test_collected_tiles_match_the_picture() -> None:
    rng = np.random.default_rng(4)
    scene = scenes.make_scene(rng, kingdoms=2)
    picture = renderer.render(
        scene, renderer.place_camera(scene, rng, size=1000), DrawnSceneArt(get_drawn_box(301)), rng
    )
    tiles = context.collect_tiles(picture)
    assert tiles.log_probs.shape == (len(tiles.labels), len(KINDS)) and tiles.colours.shape == (len(tiles.labels), 6)
    assert np.allclose(np.exp(tiles.log_probs).sum(axis=1), 1, atol=1e-3)
    true_kinds = sorted(str(cell) for kingdom in picture.kingdoms for cell in kingdom.board.values())
    labelled_kinds = sorted(KINDS[kind] for kind in tiles.labels if kind != IGNORED_LABEL)
    assert sum((Counter(true_kinds) - Counter(labelled_kinds)).values()) <= 2
    assert (tiles.log_probs.argmax(axis=1) == tiles.labels).mean() > 0.8


def test_collecting_continues_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, photos, seeds = Run(tmp_path, tmp_path, tmp_path, workers=1), make_photos(5), list[int]()
    broken_seeds = [13]

    def collect(seed: int, **_: object) -> LabelledTiles:
        seeds.append(seed)
        if seed in broken_seeds:
            raise KeyboardInterrupt
        return photos[seed - 10]

    monkeypatch.setattr(context, "collect_scene", collect)
    monkeypatch.setattr(run_module, "SAVED_TOGETHER", 2)
    with pytest.raises(KeyboardInterrupt):
        context.load_tiles(run, 10, 5)
    broken_seeds.clear()
    tiles = context.load_tiles(run, 10, 5)
    assert seeds == [10, 11, 12, 13, 12, 13, 14]
    assert [photo.labels.tolist() for photo in tiles] == [photo.labels.tolist() for photo in photos]


@pytest.fixture(scope="module")
def trained_net() -> ContextNet:
    return context.fit_context(make_photos(160), epochs=12, batch=8, learning_rate=5e-3)


def test_it_learns_from_other_tiles_what_no_tile_shows_alone(trained_net: ContextNet) -> None:
    temperature, rates = context.measure_context(trained_net, make_photos(40, seed=1))
    assert rates["kind_error_alone"] > 0.3
    assert rates["kind_error_in_context"] < 0.03
    assert rates["log_loss_in_context"] < rates["log_loss_alone"] / 4
    assert 0.3 < temperature < 4


def test_before_training_it_changes_nothing() -> None:
    (photo,) = make_photos(1)
    log_probs, colours, _, _ = context.make_batch([photo])
    with torch.inference_mode():
        assert torch.allclose(ContextNet(len(KINDS))(log_probs, colours), log_probs, atol=1e-5)


def test_equal_seeds_give_equal_weights() -> None:
    net, other_net = (context.fit_context(make_photos(16), epochs=1, batch=8) for _ in range(2))
    for weights, other_weights in zip(net.parameters(), other_net.parameters(), strict=True):
        assert torch.equal(weights, other_weights)


def test_padding_has_no_effect(trained_net: ContextNet) -> None:
    short_photo, long_photo = make_photos(2)
    short_photo = LabelledTiles(
        short_photo.log_probs[:MIN_TILES], short_photo.colours[:MIN_TILES], short_photo.labels[:MIN_TILES]
    )
    with torch.inference_mode():
        single_output = trained_net(*context.make_batch([short_photo])[:2])
        log_probs, colours, _, is_missing = context.make_batch([short_photo, long_photo])
        padded_output = trained_net(log_probs, colours, is_missing)
    assert is_missing[0].sum() == 20
    assert torch.allclose(single_output[0], padded_output[0, :MIN_TILES], atol=1e-4)


def test_false_tiles_add_nothing_to_the_loss() -> None:
    (photo,) = make_photos(1)
    photo.labels[:] = IGNORED_LABEL
    photo.labels[3] = KINDS.index("w")
    log_probs, _, labels, _ = context.make_batch([photo])
    assert float(context.compute_log_loss(log_probs, labels)) == pytest.approx(
        -float(log_probs[0, 3, KINDS.index("w")])
    )


def test_the_exported_network_equals_torch_for_any_number_of_tiles(trained_net: ContextNet, tmp_path: Path) -> None:
    path = tmp_path / "context.onnx"
    export_context(trained_net, path, kinds=KINDS, temperature=2.0, held_out={}, settings={})
    model = Model(path)
    assert tuple(model.metadata["kinds"]) == KINDS
    many_tiles, other_tiles = make_photos(2)
    single_tile = LabelledTiles(other_tiles.log_probs[:1], other_tiles.colours[:1], other_tiles.labels[:1])
    for photo in (many_tiles, single_tile):
        log_probs, colours, _, _ = context.make_batch([photo])
        with torch.inference_mode():
            mixture = (1 - OWN_EVIDENCE_SHARE) * torch.softmax(trained_net(log_probs, colours)[0] / 2, -1)
        own_probabilities = log_probs[0].exp()
        mixture = mixture + OWN_EVIDENCE_SHARE * own_probabilities
        expected = np.zeros_like(photo.log_probs)
        for terrain in dict.fromkeys(kind[0] for kind in KINDS):
            columns = [n for n, kind in enumerate(KINDS) if kind[0] == terrain]
            crowns = own_probabilities[:, columns] / own_probabilities[:, columns].sum(1, keepdim=True)
            expected[:, columns] = torch.log(crowns * mixture[:, columns].sum(1, keepdim=True)).numpy()
        output = model.run_inputs(log_probs=photo.log_probs, colours=photo.colours)
        np.testing.assert_allclose(output, expected, atol=1e-3)
