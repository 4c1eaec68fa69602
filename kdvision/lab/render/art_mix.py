"""All training art of a data folder, mixed anew for each scene: real dominoes, crops of photos, models, drawn boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.game.board import Cell
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING
from kdvision.lab.render.art.augment import change_crowns
from kdvision.lab.render.art.folder_art import SIDE, DrawnArt, FolderArt
from kdvision.lab.render.art.queendomino_art import QueendominoArt, vary_print
from kdvision.lab.render.art.scene_art import (
    BUILDINGS,
    TRAINING_BOX_COUNT,
    DrawnSceneArt,
    get_drawn_box,
    make_piece_mesh,
    parse_domino_number,
)
from kdvision.lab.render.objects import meshes, tokens
from kdvision.lab.render.objects.meshes import Mesh
from kdvision.lab.train.crop_folder import Crops

Bytes = npt.NDArray[np.uint8]

DRAWN_PIECES = 0.2  # of a mixture's towns and buildings are our own drawn ones: there are few pictures of real ones
REAL_HALVES = 0.35  # of Queendomino's other squares are its own, where there is a picture: most are Kingdomino's
RECROWNED = 0.4  # of Queendomino's squares with crowns were printed with another number of them
DRAWN_SHARE = 0.15  # of training scenes show our own drawn tiles
DRAWN_TOWNS = 8  # different ones a box
CROP_SIDE = 64  # pixels


def _by_kind() -> dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Where Kingdomino shows a kind of square: domino and half, those that are left halves, those that are right."""
    found: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = defaultdict(lambda: ([], []))
    for domino in KINGDOMINO:
        for side, cell in enumerate((domino.left, domino.right)):
            found[str(cell)][side].append((int(domino.number), side))
    return dict(found)


_SQUARES = _by_kind()
_DIM = {"photos": 0.65}  # sources that are darker than others, and by how much
_WEDDING = {str(domino.number): domino for domino in ROYAL_WEDDING}


class ArtMix:
    """All training art of a data folder; `mixture` gives one scene's share of it."""

    def __init__(self, folder: Path, crops: Crops) -> None:
        self.dominoes = FolderArt(folder)
        self.crops = crops
        self.models = meshes.load_models(folder / "castle_3d") if (folder / "castle_3d").is_dir() else {}
        photos = folder / "queendomino"
        self.queendomino = QueendominoArt(photos) if QueendominoArt.there(photos) else None

    def make_scene_art(
        self, rng: np.random.Generator, *, drawn: float = DRAWN_SHARE, boxes: Sequence[int] = range(TRAINING_BOX_COUNT)
    ) -> DrawnSceneArt | MixedSceneArt:
        """Return the art of one scene: tiles of our own `boxes`, one source of dominoes, or crops of one photo."""
        if rng.random() < drawn:
            return DrawnSceneArt(get_drawn_box(boxes[int(rng.integers(len(boxes)))]), self.crops.scraps)
        sources = (*self.dominoes.sources(), "crops")
        weight = np.array([{"crops": 0.3, "squares": 0.15}.get(name, 0.275) for name in sources])
        photos = self.crops.boards or sorted(self.crops.pictures)
        return MixedSceneArt(self, str(rng.choice(sources, p=weight / weight.sum())), photos[rng.integers(len(photos))])


@dataclass(frozen=True)
class MixedSceneArt:
    """One scene's art; crops come from one photo where it has the kind, else from those that are coloured alike."""

    art_mix: ArtMix
    source: str
    photo: str

    def tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:
        """Return a domino or a back (h, 2h, 3); a castle tile or a building, finished or "unbuilt" (h, h, 3)."""
        if kind == "back":
            return self.art_mix.dominoes.back(parse_domino_number(name))
        if kind == "castle":
            return self._castle(str(name), rng)
        if kind in BUILDINGS:
            return self._building(kind, int(name), rng)
        if isinstance(name, str) and name.startswith("Q"):
            domino = _WEDDING[name]
            return np.hstack([self._half(cell, side, rng) for side, cell in enumerate((domino.left, domino.right))])
        name = parse_domino_number(name)
        if self.source != "crops":
            return self.art_mix.dominoes.domino(name, self.source)
        domino = KINGDOMINO[name - 1]
        return np.hstack([self._crop(str(cell), rng) for cell in (domino.left, domino.right)])

    def _building(self, kind: str, number: int, rng: np.random.Generator) -> Bytes:
        art: QueendominoArt | DrawnArt | None = self.art_mix.queendomino
        if art is None or rng.random() < DRAWN_PIECES:
            art = get_drawn_box(int(rng.integers(TRAINING_BOX_COUNT)))
        return vary_print(
            art.building(number) if kind == "building" else art.back_of_building(number),
            rng,
            dim=_DIM.get(self.source, 1.0),
        )

    def _half(self, cell: Cell, side: int, rng: np.random.Generator) -> Bytes:
        """Return one square of Queendomino's, left (0) or right (1): its own, or Kingdomino's of the same kind."""
        own, kind = self.art_mix.queendomino, str(cell)
        real = own.squares(kind, side) if own else []
        if kind == "t":
            towns = [square for half in (0, 1) for square in own.halves("t", half)] if own else []
            if not towns or rng.random() < DRAWN_PIECES:
                towns = [get_drawn_box(int(rng.integers(TRAINING_BOX_COUNT))).town(int(rng.integers(DRAWN_TOWNS)))]
            half = vary_print(towns[rng.integers(len(towns))], rng, dim=_DIM.get(self.source, 1.0))
        elif cell.crowns and rng.random() < RECROWNED:
            half = self._recrowned(cell, side, rng)
        elif real and rng.random() < REAL_HALVES:
            half = vary_print(real[rng.integers(len(real))], rng, turned=False, dim=_DIM.get(self.source, 1.0))
        elif self.source == "crops":
            half = self._crop(kind, rng)
        else:
            number, place = self._square(kind, side, rng)
            half = np.hsplit(self.art_mix.dominoes.domino(number, self.source), 2)[place]
        finest = CROP_SIDE if self.source == "crops" else SIDE
        return np.asarray(cv2.resize(half, (finest, finest), interpolation=cv2.INTER_AREA), np.uint8)

    def _square(self, kind: str, side: int, rng: np.random.Generator) -> tuple[int, int]:
        """Return a domino of Kingdomino and its half that shows the kind, the asked one if any such does."""
        same = _SQUARES[kind][side] or _SQUARES[kind][1 - side]
        return same[rng.integers(len(same))]

    def _recrowned(self, cell: Cell, side: int, rng: np.random.Generator) -> Bytes:
        """Return a square of the cell's terrain that was printed with any number of crowns but none."""
        own = self.art_mix.queendomino
        printed = [kind for kind in _SQUARES if kind[0] == str(cell)[0] and kind[1:]]
        kind = printed[rng.integers(len(printed))]
        crowns = Cell.parse(kind).crowns
        real = own.halves(kind, side) if own else []
        if real and rng.random() < 0.5:
            half = vary_print(real[rng.integers(len(real))], rng, turned=False, dim=_DIM.get(self.source, 1.0))
            return change_crowns(half, crowns, cell.crowns, side=side)
        number, place = self._square(kind, side, rng)
        source = self.art_mix.dominoes.sources()[0] if self.source == "crops" else self.source
        half = np.hsplit(self.art_mix.dominoes.domino(number, source), 2)[place]
        return change_crowns(half, crowns, cell.crowns, side=place)

    def _castle(self, colour: str, rng: np.random.Generator) -> Bytes:
        if self.source == "crops" and rng.random() < 0.7:
            return self._crop("#", rng)
        sources = self.art_mix.dominoes.sources()
        return self.art_mix.dominoes.castle(colour, sources[rng.integers(len(sources))])

    def _crop(self, kind: str, rng: np.random.Generator) -> Bytes:
        choice = self.art_mix.crops.beside(self.photo)[kind]
        trim = int(rng.integers(0, 4))
        crop = choice[rng.integers(len(choice))]
        crop = crop[trim : crop.shape[0] - trim, trim : crop.shape[1] - trim]
        return np.rot90(np.asarray(cv2.resize(crop, (CROP_SIDE, CROP_SIDE)), np.uint8), int(rng.integers(4)))

    def mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        """Return a piece: from the models or drawn by code."""
        known = self.art_mix.models.get(kind)
        if tokens.natural(kind, colour):
            return self._natural(kind, known, rng)
        if known and rng.random() < (0.25 if kind == "castle" else 0.5):
            return known[rng.integers(len(known))]
        paint = str(rng.choice(list(meshes.COLOURS))) if rng.random() < 0.3 else colour
        return make_piece_mesh(kind, paint, rng)

    def _natural(self, kind: str, known: Sequence[Mesh] | None, rng: np.random.Generator) -> Mesh:
        if kind == "queen" and self.art_mix.queendomino and rng.random() < 0.6:
            return tokens.queen_mesh(rng, self.art_mix.queendomino.queen())
        if known and rng.random() < 0.3:
            return tokens.dressed(kind, known[0], rng)
        return tokens.MAKERS[kind](rng)

    def scraps(self) -> Sequence[Bytes]:
        """Return photographed surfaces for table tops."""
        return self.art_mix.crops.scraps
