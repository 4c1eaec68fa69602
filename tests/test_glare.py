"""White places: what a lamp leaves is weighed by where its white ends, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdvision import pipeline
from kdvision.errors import ModelError
from kdvision.game.board import Board, Square
from kdvision.lab import scenes, synth
from kdvision.lab.examples import bare_places
from kdvision.lab.light import Dials, dazzle
from kdvision.lab.sources import DrawnScene, drawn_box
from kdvision.vision import glare
from kdvision.vision.cells import BARE, CellReader
from kdvision.vision.evidence import cells_on, look, under_lamps, witnesses
from kdvision.vision.glare import Glare
from kdvision.vision.models import model_path, shipped
from kdvision.vision.photo import Photo
from kdvision.vision.reading import KINDS, NOTHING, Reading
from kdvision.vision.sight import Sight, sort_out
from kdvision.vision.tabletop import WHITE, Tabletop
from tests.kingdoms import grid_of

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
TILES = [kind for kind in KINDS if kind != NOTHING]
FAIR = Dials(0.1, 0.0, 0.1, 0.1, 0.1)


@pytest.fixture(scope="module")
def network() -> Glare:
    try:
        model_path("glare")
    except ModelError as error:
        pytest.skip(f"no models: {error}")
    return glare.shipped()


def lit(seed: int) -> tuple[Photo, Floats, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """A kingdom of drawn dominoes with gaps and lamps over it, its places (n, 4, 2), and which of them are tiles."""
    rng = np.random.default_rng(seed)
    scene = scenes.deal_with_gaps(rng, kingdoms=1)
    camera = synth.snap(scene, rng, size=800, fill=(0.6, 0.8))
    picture = synth.render(scene, camera, DrawnScene(drawn_box(301)), rng, dials=FAIR)
    tiles = np.array([square.corners for square in picture.kingdoms[0].squares.values()])
    bare, _ = bare_places(tiles)
    side, photo = float(np.median(np.linalg.norm(np.roll(tiles, -1, 1) - tiles, axis=2))), picture.photo
    for _ in range(4):
        photo = dazzle(
            photo, side, np.concatenate([tiles, bare]).mean(1)[rng.integers(len(tiles) + len(bare), size=2)], rng
        )
    quads, tile = np.concatenate([tiles, bare]), np.arange(len(tiles) + len(bare)) < len(tiles)
    return Photo.open(photo), quads, tile


def test_tiles_and_bare_places_are_told_apart_where_nothing_of_either_is_left(network: Glare) -> None:
    seen, truth = list[float](), list[bool]()
    for seed in range(10):
        photo, quads, tile = lit(seed)
        middle = [
            np.median(photo.pixels[tuple(np.s_[y - 3 : y + 4] for y in at[::-1])]) for at in _middles(photo, quads)
        ]
        white = np.array(middle) > 253
        seen += network.seen(photo, quads[white]).tolist() if white.any() else []
        truth += tile[white].tolist()
    odds, is_tile = np.array(seen), np.array(truth)
    assert min(is_tile.sum(), (~is_tile).sum()) > 20
    above = (odds[is_tile][:, None] > odds[~is_tile][None]).mean()
    assert above > 0.7  # of a tile and a bare place, both white, the tile is the likelier one


def _middles(photo: Photo, quads: Floats) -> list[tuple[int, int]]:
    inside = np.clip(quads.mean(1), 4, (photo.width - 5, photo.height - 5))
    return [(int(x), int(y)) for x, y in np.rint(inside)]


def test_only_white_places_are_asked_about(network: Glare) -> None:
    pixels = np.full((300, 400, 3), 120, np.uint8)
    pixels[100:150, 150:200] = 255
    photo, grid = Photo.open(pixels), grid_of(Board.parse("w w w w"), left=100, top=100, side=50)
    table = Tabletop.seen(photo, grid)
    said, odds = np.tile([5.0, 3.0, np.nan], (4, 1)), np.array([1.0, 2.0, 3.0, 4.0])
    told = under_lamps(photo, grid, table, said, odds)
    assert table.white.tolist() == [[False, True, False, False]]
    assert told[[0, 2, 3]].tolist() == [1.0, 3.0, 4.0]
    quad = grid.quads.reshape(-1, 4, 2)[[1]]
    assert told[1] == pytest.approx(network.odds(photo, quad, said[[1], :2])[0])
    assert odds[1] == 2.0


def test_what_is_seen_on_a_grid_goes_by_the_networks_word_where_it_is_white(network: Glare) -> None:
    pixels = np.full((300, 400, 3), 120, np.uint8)
    pixels[100:150, 150:200] = 255
    photo, grid = Photo.open(pixels), grid_of(Board.parse("w w w w"), left=100, top=100, side=50)
    reader = CellReader(shipped("cells"))
    sight = look(photo, reader, grid)
    seen = cells_on(photo, reader, grid, np.ones((1, 4)))
    said = witnesses(seen, grid, Tabletop.seen(photo, grid))[[1], :2]
    odds = network.odds(photo, grid.quads.reshape(-1, 4, 2)[[1]], said)[0]
    assert sight.white is not None and sight.white.tolist() == [[False, True, False, False]]
    assert sight.presence[0, 1] == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)


def test_a_kingdom_whose_castle_a_lamp_may_hide_is_one_to_look_at_and_kept() -> None:
    alike = {kind: 0.5 / len(TILES) for kind in TILES} | {NOTHING: 0.5}
    reading = Reading.of(". . f . / l f1 f . / . . . w", spoiled={"B3": alike, "C3": alike})
    bonds, none = (np.zeros((3, 3)), np.zeros((2, 4))), np.zeros((3, 4))
    plain = Sight(grid_of(Board.parse("w w w w / w w w w / w w w w")), reading, bonds, none)
    assert not plain.castle_hidden and not plain.kingdom
    white = np.zeros((3, 4), bool)
    white[2, 1:3] = True
    lamp = replace(plain, white=white)
    assert lamp.castle_hidden and not lamp.kingdom and not lamp.surely_hidden
    board = {Square(0, 2), Square(1, 0), Square(1, 1), Square(1, 2), Square(2, 1), Square(2, 2), Square(2, 3)}
    assert lamp.left_by(board) and not plain.left_by(board)
    assert sort_out([lamp]) == ([lamp], []) and sort_out([plain]) == ([], [plain])


def test_what_the_finder_is_sure_of_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kdvision.vision.evidence.lamps", lambda: 1 / 0)
    photo, grid = (
        Photo.open(np.full((300, 400, 3), 255, np.uint8)),
        grid_of(Board.parse("w w"), left=100, top=100, side=50),
    )
    table, odds = Tabletop.seen(photo, grid), np.array([-6.0, -6.0])
    assert table.white.all()
    assert under_lamps(photo, grid, table, np.full((2, 3), BARE), odds) is odds


def test_without_white_places_the_network_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Glare:
        raise AssertionError("asked")

    monkeypatch.setattr("kdvision.vision.evidence.lamps", missing)
    photo = Photo.open(np.full((300, 400, 3), 120, np.uint8))
    grid = grid_of(Board.parse("w w"), left=100, top=100, side=50)
    table, odds = Tabletop.seen(photo, grid), np.array([1.0, 2.0])
    assert under_lamps(photo, grid, table, np.zeros((2, 3)), odds) is odds
    brighter = replace(table, places=np.where(np.isnan(table.places), np.nan, WHITE + 0.5))
    with pytest.raises(AssertionError, match="asked"):
        under_lamps(photo, grid, brighter, np.zeros((2, 3)), odds)


def test_what_others_say_for_a_tile_does_not_count_and_what_they_say_against_one_does() -> None:
    weighed = glare.evidence(np.array([1.5, 1.5, 1.5]), np.array([[3.0, 3.0], [-2.0, 3.0], [3.0, -1.0]]))
    assert weighed.tolist() == [[1.5, 0.0, 0.0, 1.0], [1.5, -2.0, 0.0, 1.0], [1.5, 0.0, -1.0, 1.0]]


def test_that_the_network_is_missing_is_told_of_any_photo(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModelError(f"The model {name}.onnx is missing", hint="Install kdvision again.")

    monkeypatch.setattr("kdvision.pipeline.model_path", missing)
    with pytest.raises(ModelError, match="glare"):
        pipeline.read(Photo.open(np.full((300, 400, 3), 120, np.uint8)))


def test_a_place_looks_alike_whichever_way_the_photo_is_turned(network: Glare) -> None:
    photo, quads, _ = lit(1)
    turned = Photo.open(np.ascontiguousarray(np.rot90(photo.pixels)))
    around = np.stack([quads[..., 1], photo.width - 1 - quads[..., 0]], axis=-1)
    assert network.seen(turned, around) == pytest.approx(network.seen(photo, quads), abs=0.6)
