"""Training the context network: what it must learn from others, and that the file does what torch does."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: make test-lab installs it")

import torch

from kdvision.lab.render import renderer, scenes
from kdvision.lab.render.art.scene_art import DrawnSceneArt, get_drawn_box
from kdvision.lab.train import context
from kdvision.lab.train.context import KINDS, LEAST, UNKNOWN, Settings, Table
from kdvision.lab.train.export import export_context
from kdvision.lab.train.net import BY_ITSELF, ContextNet
from kdvision.vision.networks.onnx import Model


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def tables(count: int, seed: int = 0) -> list[Table]:
    """Wheat and grass look alike; in a light that shifts all colours, wheat is a little redder than grass."""
    rng, made = np.random.default_rng(seed), []
    for _ in range(count):
        truth = rng.choice([KINDS.index("w"), KINDS.index("g")], 24)
        said = np.full((24, len(KINDS)), 1e-4)
        said[:, [KINDS.index("w"), KINDS.index("g")]] = 0.5
        colours = rng.normal(0, 0.1, (24, 6)) + rng.normal(0, 3, 6)
        colours[:, 1] += np.where(truth == KINDS.index("w"), 1.0, 0.0)
        log_probs = np.log(said / said.sum(axis=1, keepdims=True)).astype(np.float32)
        made.append(Table(log_probs, colours.astype(np.float32), truth))
    return made


def test_what_is_learned_from_is_what_the_runtime_sees_and_what_lies_there() -> None:
    rng = np.random.default_rng(3)
    scene = scenes.make_scene(rng, kingdoms=2)
    picture = renderer.render(
        scene, renderer.place_camera(scene, rng, size=1000), DrawnSceneArt(get_drawn_box(301)), rng
    )
    table = context.seen_in(picture)
    assert table.log_probs.shape == (len(table.truth), len(KINDS)) and table.colours.shape == (len(table.truth), 6)
    assert np.allclose(np.exp(table.log_probs).sum(axis=1), 1, atol=1e-3)
    laid = sorted(str(cell) for kingdom in picture.kingdoms for cell in kingdom.board.values())
    told = sorted(KINDS[kind] for kind in table.truth if kind != UNKNOWN)
    assert sum((Counter(laid) - Counter(told)).values()) <= 2
    assert (table.log_probs.argmax(axis=1) == table.truth).mean() > 0.8


QUICK = Settings(epochs=12, batch=8, rate=5e-3)


@pytest.fixture(scope="module")
def trained() -> ContextNet:
    return context.train(tables(160), QUICK, lambda _: None)


def test_it_learns_from_the_others_what_no_square_shows_alone(trained: ContextNet) -> None:
    temperature, rates = context.measured(trained, tables(40, seed=1))
    assert rates["kind_error_alone"] > 0.3
    assert rates["kind_error_in_context"] < 0.03
    assert rates["log_loss_in_context"] < rates["log_loss_alone"] / 4
    assert 0.3 < temperature < 4


def test_before_training_it_changes_nothing() -> None:
    (table,) = tables(1)
    log_probs, colours, _, _ = context.batch_of([table])
    with torch.inference_mode():
        assert torch.allclose(ContextNet(len(KINDS))(log_probs, colours), log_probs, atol=1e-5)


def test_equal_seeds_give_equal_weights() -> None:
    quick = Settings(epochs=1, batch=8)
    one, other = (context.train(tables(16), quick, lambda _: None) for _ in range(2))
    for left, right in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(left, right)


def test_missing_places_are_seen_by_nobody(trained: ContextNet) -> None:
    short, long = tables(2)
    short = Table(short.log_probs[:LEAST], short.colours[:LEAST], short.truth[:LEAST])
    with torch.inference_mode():
        alone = trained(*context.batch_of([short])[:2])
        log_probs, colours, _, missing = context.batch_of([short, long])
        beside = trained(log_probs, colours, missing)
    assert missing[0].sum() == 20
    assert torch.allclose(alone[0], beside[0, :LEAST], atol=1e-4)


def test_what_is_no_tile_of_a_kingdom_is_not_asked_for() -> None:
    (table,) = tables(1)
    table.truth[:] = UNKNOWN
    table.truth[3] = KINDS.index("w")
    log_probs, _, labels, _ = context.batch_of([table])
    assert float(context.loss_of(log_probs, labels)) == pytest.approx(-float(log_probs[0, 3, KINDS.index("w")]))


def test_the_file_says_what_torch_says_of_any_number_of_tiles(trained: ContextNet, tmp_path: Path) -> None:
    path = tmp_path / "context.onnx"
    export_context(trained, path, kinds=KINDS, temperature=2.0, rates={}, settings={})
    model = Model(path)
    assert tuple(model.about["kinds"]) == KINDS
    for table in tables(2)[:1] + [Table(one.log_probs[:1], one.colours[:1], one.truth[:1]) for one in tables(1)]:
        log_probs, colours, _, _ = context.batch_of([table])
        with torch.inference_mode():
            mixed = (1 - BY_ITSELF) * torch.softmax(trained(log_probs, colours)[0] / 2, -1)
        alone = log_probs[0].exp()
        mixed = mixed + BY_ITSELF * alone
        expected = np.zeros_like(table.log_probs)
        for terrain in dict.fromkeys(kind[0] for kind in KINDS):
            of_it = [n for n, kind in enumerate(KINDS) if kind[0] == terrain]
            crowns = alone[:, of_it] / alone[:, of_it].sum(1, keepdim=True)
            expected[:, of_it] = torch.log(crowns * mixed[:, of_it].sum(1, keepdim=True)).numpy()
        np.testing.assert_allclose(model.ask(log_probs=table.log_probs, colours=table.colours), expected, atol=1e-3)
