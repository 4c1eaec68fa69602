"""Which towns, pieces and gems are found, in rendered tables and in photos of Queendomino.

The rendered tables are of Queendomino, a Royal Wedding and The Lost Treasures, in drawn art and on tables that no
training saw. `pieces_in_photos.toml` says which pieces stand on the kingdoms of the photos.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.kingdom import GEM, list_crossing_squares
from kdvision.lab.arrays import Floats
from kdvision.lab.experiments.experiment import Experiment, Row, number_scenes, read_picture
from kdvision.lab.experiments.factors import choose_drawn_art
from kdvision.lab.experiments.judge import MAX_DISTANCE_SIDES, judge
from kdvision.lab.games import pieces as games_with_pieces
from kdvision.lab.render.renderer import Picture, RenderedKingdom
from kdvision.lab.render.scene_factors import SceneFactors, make_rng
from kdvision.pipeline import KingdomReading
from kdvision.vision.geometry import compute_side_lengths

STREAM: Final = 7_000
"""Scene numbers begin here, so that no scene of the factors has the same."""
SCENES: Final = 100
"""Scenes of each game."""
KINGDOMS: Final = "kingdoms"
TILES: Final = "tiles"
TOWNS: Final = "towns"
PIECES: Final = ("knight", "tower", "queen", "building")
PHOTOS: Final = "photos"
PHOTO_FOLDER: Final = "queendomino"


class Item(NamedTuple):
    """A tile, a town, a piece or a gem: the centre of its place and a square's side in pixels, and a tile's cell."""

    kind: str
    centre: Floats
    side: float
    cell: str = ""

    def is_among(self, items: Sequence[Item]) -> bool:
        """Return whether one of the items shows the same in the same place."""
        reach = MAX_DISTANCE_SIDES * self.side
        return any(item.cell == self.cell and np.linalg.norm(item.centre - self.centre) < reach for item in items)


def draw_factors(number: int) -> SceneFactors:
    """Return how scene `number` is photographed: at up to 45 degrees, with 30 to 80 pixels per square."""
    rng = make_rng(STREAM + number, "pieces")
    return SceneFactors(
        angle=float(rng.uniform(0, 45)),
        pixels=float(np.exp(rng.uniform(np.log(30), np.log(80)))),
        fill=float(rng.uniform(0.5, 0.9)),
        light=float(rng.uniform(0, 0.5)),
        glare=float(rng.uniform(0, 0.4)),
    )


def render_scene(game: str, number: int) -> Picture:
    stream, art = STREAM + number, choose_drawn_art(number)
    scene = games_with_pieces.make_scene_with_pieces(make_rng(stream, game), game=game)
    return draw_factors(number).photograph(scene, stream, art, make_rng(stream, f"{game} photo"))


def count_items(picture: Picture, kingdoms: Sequence[KingdomReading]) -> Iterator[Row]:
    """Yield the counts of each kind of item: true ones, true ones that were read, and others that were read."""
    true_items = [item for kingdom in picture.kingdoms for item in _list_true_items(kingdom)]
    read_items = [item for kingdom in kingdoms for item in _list_read_items(kingdom)]
    for kind in (TILES, TOWNS, *PIECES, GEM):
        truths, readings = ([item for item in items if item.kind == kind] for items in (true_items, read_items))
        hits = sum(item.is_among(readings) for item in truths)
        extra_count = sum(not item.is_among(truths) for item in readings)
        yield {"item": kind, "there": len(truths), "found": hits, "extra": extra_count}


def _list_true_items(kingdom: RenderedKingdom) -> Iterator[Item]:
    quads = {square: rendered_square.corners for square, rendered_square in kingdom.squares.items()}
    yield from _list_tile_items(kingdom.board, quads)
    for square in quads.keys() & kingdom.pieces.keys():
        yield Item(kingdom.pieces[square], quads[square].mean(0), _measure_side(quads[square]))
    for gem in kingdom.gems:
        centres = [quads[square].mean(0) for square in list_crossing_squares(gem) if square in quads]
        if len(centres) == 4:
            yield Item(GEM, np.mean(centres, axis=0), _measure_side(quads[gem]))


def _list_read_items(kingdom: KingdomReading) -> Iterator[Item]:
    quads = kingdom.grid.quads
    yield from _list_tile_items(kingdom.board, {square: quads[square] for square in kingdom.board})
    for piece in kingdom.pieces:
        if piece.is_present:
            yield Item(piece.kind, quads[piece.square].mean(0), _measure_side(quads[piece.square]))
    for gem in kingdom.gems:
        if gem.is_present:
            yield Item(GEM, quads[gem.square][2], _measure_side(quads[gem.square]))


def _measure_side(quad: Floats) -> float:
    return float(compute_side_lengths(quad).mean())


def _list_tile_items(board: Board, quads: Mapping[Square, Floats]) -> Iterator[Item]:
    """Yield each tile and, if it is one, the town on it."""
    for square, quad in quads.items():
        for kind in (TILES, TOWNS) if board[square].terrain is Terrain.TOWN else (TILES,):
            yield Item(kind, quad.mean(0), _measure_side(quad), str(board[square]))


def load_pieces_in_photos() -> dict[str, dict[str, int | list[str]]]:
    """Return the pieces on kingdoms by photo and kind: how many, or on which squares."""
    return tomllib.loads(Path(__file__).with_name("pieces_in_photos.toml").read_text(encoding="utf-8"))


def count_pieces(pieces: Sequence[tuple[str, str]], kind: str, truth: int | Sequence[str]) -> Row:
    """Return the counts of one kind among the pieces read (kind, square); `truth` is a number or squares."""
    squares = [square for name, square in pieces if name == kind]
    hits = min(len(squares), truth) if isinstance(truth, int) else len(set(squares) & set(truth))
    number = truth if isinstance(truth, int) else len(truth)
    return {"item": kind, "there": number, "found": hits, "extra": len(squares) - hits}


def _list_cases(data: Path, seed: int) -> Iterator[Row]:
    for path in sorted((data / PHOTO_FOLDER).glob("*.jpg")):
        yield {"game": PHOTOS, "picture": path.name}
    for game, number in product(games_with_pieces.DECKS, number_scenes(seed, SCENES)):
        yield {"game": game, "picture": number}


def _measure_case(data: Path, case: Row) -> list[Row]:
    if case["game"] == PHOTOS:
        return _measure_photo(data / PHOTO_FOLDER / str(case["picture"]))
    picture = render_scene(str(case["game"]), int(case["picture"]))
    reading = read_picture(picture.photo)
    verdict = judge(picture, reading)
    names = {"there": "kingdoms", "found": "exact", "extra": "invented", "silent_errors": "silent_errors"}
    kingdoms: Row = {"item": KINGDOMS, **{column: verdict[name] for column, name in names.items()}}
    return [kingdoms, *({**row, "silent_errors": 0} for row in count_items(picture, reading.kingdoms))]


def _measure_photo(path: Path) -> list[Row]:
    true_pieces = load_pieces_in_photos().get(path.name, {})
    pieces = [piece for kingdom in read_picture(path).kingdoms for piece in kingdom.pieces if piece.is_present]
    read_pieces = [(piece.kind, piece.square.name) for piece in pieces]
    return [{**count_pieces(read_pieces, kind, true_pieces.get(kind, 0)), "silent_errors": 0} for kind in PIECES]


EXPERIMENT: Final = Experiment(
    name="pieces",
    question="Which towns, pieces and gems are found? Of kingdoms, found are those whose board is exact.",
    cases=_list_cases,
    measure=_measure_case,
    groups=("game", "item"),
    counts=("there", "found", "extra", "silent_errors"),
    quick_cases=6,
)
