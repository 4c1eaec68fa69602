"""All training art of a data folder, mixed anew for each scene: dominoes, crops of photos, models, drawn boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kdvision.game.board import Cell
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING
from kdvision.lab.arrays import Bytes, Rng
from kdvision.lab.render.art.folder_art import SIDE_PX, SOURCES, FolderArt, QueendominoArt, parse_domino_number
from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, DrawnSceneArt, get_drawn_box, make_piece_mesh
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.objects import meshes, tokens
from kdvision.lab.render.raster import Mesh
from kdvision.lab.train.crop_folder import Crops

_DRAWN_SCENE_SHARE = 0.15  # of the scenes of calibration show drawn tiles
_DRAWN_PIECE_SHARE = 0.2  # of towns and buildings in a mix are drawn: there are few pictures of real ones
_QUEENDOMINO_SHARE = 0.35  # of Queendomino's other squares are its own if there is a picture; the rest is Kingdomino's
_CHANGED_CROWNS_SHARE = 0.4  # of Queendomino's squares with crowns were printed with another number
_DRAWN_TOWN_COUNT = 8  # different drawn towns of a box
_CROP_SIDE_PX = 64
_CROPS = "crops"  # the source of scenes made of crops of photos
_SOURCE_WEIGHTS = {_CROPS: 0.3, "squares": 0.15, "photos": 0.275, "scans": 0.275}
_BRIGHTNESS = {"photos": 0.65}  # of sources that are darker than others


_HALVES: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = defaultdict(lambda: ([], []))
"""The (domino, half) of Kingdomino that show each kind of square, as left halves and as right halves."""
for _domino in KINGDOMINO:
    for _side, _cell in enumerate((_domino.left, _domino.right)):
        _HALVES[str(_cell)][_side].append((int(_domino.number), _side))
_WEDDING = {str(domino.number): domino for domino in ROYAL_WEDDING}
MAX_CROWNS: Final = 3
# A crown with its rim, in sides of a square. Crowns stand along the upper edge, from the left in a left half and from
# the right in a right half.
_CROWN_LEFTS: Final = (0.05, 0.345, 0.64)
_CROWN_TOP, _CROWN_WIDTH, _CROWN_HEIGHT = 0.03, 0.31, 0.25


class ArtMix:
    """All training art of a data folder."""

    def __init__(self, folder: Path, crops: Crops) -> None:
        self.dominoes = {source: FolderArt(folder, source) for source in SOURCES}
        self.crops = crops
        self.models = meshes.load_models(folder / "castle_3d")
        self.queendomino = QueendominoArt(folder / "queendomino")

    def make_scene_art(
        self, rng: Rng, *, boxes: Sequence[int], drawn_share: float = _DRAWN_SCENE_SHARE
    ) -> DrawnSceneArt | MixedSceneArt:
        """Return the art of a scene: one of the drawn `boxes`, one source of dominoes, or crops of one photo."""
        if rng.random() < drawn_share:
            return DrawnSceneArt(get_drawn_box(boxes[int(rng.integers(len(boxes)))]), self.crops.scraps)
        sources = (*self.dominoes, _CROPS)
        weight = np.array([_SOURCE_WEIGHTS[name] for name in sources])
        source, photos = str(rng.choice(sources, p=weight / weight.sum())), self.crops.boards
        return MixedSceneArt(self, source, photos[rng.integers(len(photos))])


@cache
def load_art_mix(folder: Path, *, held_out: bool = False) -> ArtMix:
    """Return the art of a data folder with the crops for training or the held-out ones; loaded once per process."""
    return ArtMix(folder, Crops.load(folder / "tiles").split()[held_out])


@dataclass(frozen=True)
class MixedSceneArt:
    """The art of a scene; crops come from one photo if it has the kind, else from photos of similar colours."""

    mix: ArtMix
    source: str
    photo: str

    @property
    def scraps(self) -> Sequence[Bytes]:
        return self.mix.crops.scraps

    @property
    def _folder_art(self) -> FolderArt:
        """The dominoes of the source; for crops, those of the first one."""
        return self.mix.dominoes.get(self.source) or next(iter(self.mix.dominoes.values()))

    def draw_tile(self, kind: str, name: int | str, rng: Rng) -> Bytes:
        if kind == "castle":
            if self.source == _CROPS and rng.random() < 0.7:
                return self._choose_crop("#", rng)
            sources = list(self.mix.dominoes.values())
            return sources[rng.integers(len(sources))].draw_tile("castle", name)
        if kind in ("building", "unbuilt"):
            if rng.random() < _DRAWN_PIECE_SHARE:
                return self._vary(_choose_drawn_box(rng).draw_tile(kind, name), rng)
            return self._vary(self.mix.queendomino.load_building(kind, int(name)), rng)
        if kind == "domino" and str(name).startswith("Q"):
            domino = _WEDDING[str(name)]
            halves = enumerate((domino.left, domino.right))
            return np.hstack([self._make_queendomino_half(cell, side, rng) for side, cell in halves])
        if kind == "domino" and self.source == _CROPS:
            domino = KINGDOMINO[parse_domino_number(name) - 1]
            return np.hstack([self._choose_crop(str(cell), rng) for cell in (domino.left, domino.right)])
        return self._folder_art.draw_tile(kind, name)

    def _vary(self, picture: Bytes, rng: Rng, *, turn: bool = True) -> Bytes:
        return vary_print(picture, rng, turn=turn, brightness=_BRIGHTNESS.get(self.source, 1.0))

    def _make_queendomino_half(self, cell: Cell, side: int, rng: Rng) -> Bytes:
        """Return a left (0) or right (1) square of Queendomino: its own, or Kingdomino's of the same kind."""
        art, kind = self.mix.queendomino, str(cell)
        real_halves = art.list_halves(kind, side) or art.list_halves(kind, 1 - side)
        if kind == "t":
            towns = [*art.list_halves("t", 0), *art.list_halves("t", 1)]
            if rng.random() < _DRAWN_PIECE_SHARE:
                half = _choose_drawn_box(rng).draw_tile("town", int(rng.integers(_DRAWN_TOWN_COUNT)))
            else:
                half = towns[rng.integers(len(towns))]
            half = self._vary(half, rng)
        elif cell.crowns and rng.random() < _CHANGED_CROWNS_SHARE:
            half = self._change_crowns(cell, side, rng)
        elif real_halves and rng.random() < _QUEENDOMINO_SHARE:
            half = self._vary(real_halves[rng.integers(len(real_halves))], rng, turn=False)
        elif self.source == _CROPS:
            half = self._choose_crop(kind, rng)
        else:
            half, _ = self._choose_half(kind, side, rng)
        half_side = _CROP_SIDE_PX if self.source == _CROPS else SIDE_PX
        return np.asarray(cv2.resize(half, (half_side, half_side), interpolation=cv2.INTER_AREA), np.uint8)

    def _choose_half(self, kind: str, side: int, rng: Rng) -> tuple[Bytes, int]:
        """Return a half of Kingdomino that shows the kind, on the wanted side if there is one, and its side."""
        halves = _HALVES[kind][side] or _HALVES[kind][1 - side]
        number, place = halves[rng.integers(len(halves))]
        return np.hsplit(self._folder_art.draw_tile("domino", number), 2)[place], place

    def _change_crowns(self, cell: Cell, side: int, rng: Rng) -> Bytes:
        """Return a square of the cell's terrain that was printed with any other number of crowns but none."""
        kinds = [kind for kind in _HALVES if kind[0] == str(cell)[0] and kind[1:]]
        kind = kinds[rng.integers(len(kinds))]
        real_halves = self.mix.queendomino.list_halves(kind, side)
        if real_halves and rng.random() < 0.5:
            half, place = self._vary(real_halves[rng.integers(len(real_halves))], rng, turn=False), side
        else:
            half, place = self._choose_half(kind, side, rng)
        return change_crowns(half, Cell.parse(kind).crowns, cell.crowns, side=place)

    def _choose_crop(self, kind: str, rng: Rng) -> Bytes:
        choice = self.mix.crops.find_matching(self.photo)[kind]
        trim = int(rng.integers(0, 4))
        crop = choice[rng.integers(len(choice))]
        crop = crop[trim : crop.shape[0] - trim, trim : crop.shape[1] - trim]
        crop = np.asarray(cv2.resize(crop, (_CROP_SIDE_PX, _CROP_SIDE_PX)), np.uint8)
        return np.rot90(crop, int(rng.integers(4)))

    def build_mesh(self, kind: str, colour: str, rng: Rng) -> Mesh:
        models = self.mix.models.get(kind)
        if tokens.has_own_colour(kind, colour):
            if kind == "queen" and rng.random() < 0.6:
                return tokens.make_queen_mesh(rng, self.mix.queendomino.load_queen())
            if models and rng.random() < 0.3:
                return tokens.make_wooden(kind, models[0], rng)
            return tokens.MAKERS[kind](rng)
        if models and rng.random() < (0.25 if kind == "castle" else 0.5):
            return models[rng.integers(len(models))]
        return make_piece_mesh(kind, str(rng.choice(list(meshes.COLOURS))) if rng.random() < 0.3 else colour, rng)


def _choose_drawn_box(rng: Rng) -> DrawnArt:
    return get_drawn_box(int(rng.integers(TRAINING_BOX_COUNT)))


def vary_print(picture: Bytes, rng: Rng, *, turn: bool = True, brightness: float = 1.0) -> Bytes:
    """Return a square print (h, h, 3) as another copy and another camera would show it.

    Brightness (around the given mean), tint and sharpness vary; with `turn` it is also mirrored and turned by quarters.
    """
    if turn:
        picture = np.rot90(picture[:, ::-1] if rng.random() < 0.5 else picture, int(rng.integers(4)))
    gain = brightness * rng.normal(1, 0.12) * rng.normal(1, 0.05, 3)
    shades = 255 * np.clip(gain * (picture / 255) ** rng.uniform(0.8, 1.25), 0, 1)
    blur = float(rng.choice([0, rng.uniform(0.3, 2.5)]))
    return np.asarray(cv2.GaussianBlur(shades, (0, 0), blur) if blur else shades, np.uint8)


def change_crowns(square: Bytes, printed_crowns: int, wanted_crowns: int, *, side: int) -> Bytes:
    """Return a left (0) or right (1) half (h, h, 3), upright as printed, with the wanted number of crowns.

    Every print of a mine with two crowns shows the same mine, so a network would take that mine for two crowns. A
    crown is removed by inpainting and added as a copy of the first: there must be one.
    """
    places = range(MAX_CROWNS) if side == 0 else range(MAX_CROWNS - 1, -1, -1)
    length, top = square.shape[0], round(_CROWN_TOP * square.shape[0])
    lefts = [round(_CROWN_LEFTS[place] * length) for place in places]
    down = slice(top, top + round(_CROWN_HEIGHT * length))
    boxes = [(down, slice(left, left + round(_CROWN_WIDTH * length))) for left in lefts]
    result = square.copy()
    first = square[boxes[0]]
    mask = np.zeros(first.shape[:2], np.float32)
    rim = max(2, first.shape[0] // 16)
    mask[rim:-rim, rim:-rim] = 1
    opacity = np.asarray(cv2.GaussianBlur(mask, (0, 0), rim / 2), np.float32)[..., None]
    for box in boxes[printed_crowns:wanted_crowns]:
        result[box] = (result[box] * (1 - opacity) + first * opacity).astype(np.uint8)
    surplus = np.zeros(square.shape[:2], np.uint8)
    for box in boxes[wanted_crowns:printed_crowns]:
        surplus[box] = 255
    return np.asarray(cv2.inpaint(result, surplus, 5, cv2.INPAINT_TELEA), np.uint8) if surplus.any() else result
