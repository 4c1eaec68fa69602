"""Art for scenes: our own drawn tiles, sets of real dominoes, crops of real photos, 3-D models; one mixture a scene.

`DrawnScene` needs no file and serves samples and tests; a `Workshop` mixes all art of a data folder for training.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.game.board import Cell
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING
from kdvision.lab import castles, clutter, meshes, tokens
from kdvision.lab.art import SIDE, ArtSet, DrawnArt, FolderArt
from kdvision.lab.meshes import Mesh
from kdvision.lab.queendomino_art import QueendominoArt, varied_print
from kdvision.lab.synth import Art

Bytes = npt.NDArray[np.uint8]

FOLDERS = {"wheat": "w", "forest": "f", "lake": "l", "grass": "g", "swamp": "s", "mine": "m"}

BUILDINGS = ("building", "unbuilt")  # the kinds of tile that are Queendomino's buildings, finished or still grey
DRAWN_PIECES = 0.2  # of a mixture's towns and buildings are our own drawn ones: there are few pictures of real ones
REAL_HALVES = 0.35  # of Queendomino's other squares are its own, where there is a picture: most are Kingdomino's

DRAWN_SHARE = 0.15  # of training scenes show our own drawn tiles
DRAWN_SEEDS = 4
MANY_BOXES = range(100, 116)
"""Boxes of drawn tiles for scenes that train what a castle or a forest is in any print; nothing is measured on them."""
DRAWN_TOWNS = 8  # different ones a box
CROP_SIDE = 64  # pixels
DRAWN_SIDE = 128  # pixels a square: as fine as training pictures show, and quick to draw

_WOODEN = {"king": meshes.king_mesh, "knight": meshes.knight_mesh, "tower": meshes.tower_mesh}


def piece_mesh(kind: str, colour: str, rng: np.random.Generator) -> Mesh:
    """Return a piece made by code: "castle", "king", "knight", "tower", "queen", "gem", or a kind of clutter.

    Knights and towers are in a player's colour, or as they come in the box where `colour` is none ("natural").
    """
    if tokens.natural(kind, colour):
        return tokens.MAKERS[kind](rng)
    if kind in clutter.MAKERS:
        return clutter.clutter_mesh(kind, rng)
    return castles.castle_mesh(colour, rng) if kind == "castle" else _WOODEN[kind](colour)


@dataclass(frozen=True)
class DrawnScene:
    """The art of one scene from a single set; `surfaces` are pictures to make tables of, none by default."""

    art: ArtSet
    surfaces: Sequence[Bytes] = ()

    def tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:  # noqa: ARG002
        """Return a domino or a back (h, 2h, 3); a castle tile or a building, finished or "unbuilt" (h, h, 3)."""
        if kind == "castle":
            return self.art.castle(str(name))
        if kind in BUILDINGS:
            return self._royal.building(int(name)) if kind == "building" else self._royal.back_of_building(int(name))
        if kind == "back":
            return self.art.back(_number(name))
        return self._royal.domino(name) if isinstance(name, str) else self.art.domino(name)

    @property
    def _royal(self) -> DrawnArt:
        """The drawn set that has Queendomino, too: sets of Kingdomino alone borrow one."""
        return self.art if isinstance(self.art, DrawnArt) else drawn_box(0)

    def mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        """Return a piece in the player's colour."""
        return piece_mesh(kind, colour, rng)

    def scraps(self) -> Sequence[Bytes]:
        """Return the surfaces."""
        return self.surfaces


def _by_kind() -> dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Where Kingdomino shows a kind of square: domino and half, those that are left halves, those that are right."""
    found: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = defaultdict(lambda: ([], []))
    for domino in KINGDOMINO:
        for side, cell in enumerate((domino.left, domino.right)):
            found[str(cell)][side].append((int(domino.number), side))
    return dict(found)


def _number(name: int | str) -> int:
    """The number of a domino of any box: 12 of 12, "K12" and "Q12"."""
    return int(str(name).lstrip("KQ"))


_SQUARES = _by_kind()
_DIM = {"photos": 0.65}  # sources that are darker than others, and by how much
_WEDDING = {str(domino.number): domino for domino in ROYAL_WEDDING}


@cache
def drawn_box(seed: int) -> DrawnArt:
    """Return one box of small drawn tiles, kept for the life of the process."""
    return DrawnArt(seed, side=DRAWN_SIDE)


def notation(folder: str) -> str | None:
    """Return the kind of cell that a crop folder such as `wheat_1` or `castle` holds; None for `not_tile`."""
    if folder == "castle":
        return "#"
    terrain, _, crowns = folder.rpartition("_")
    return FOLDERS[terrain] + crowns.replace("0", "") if terrain in FOLDERS else None


def photo_of(path: Path) -> str:
    """Return the photo that a crop was cut from: its name without the last number and the mark of a turned copy."""
    return re.sub(r"_\d+( \(\d+\))?$", "", path.stem)


@dataclass(frozen=True)
class Crops:
    """Square crops of real photos: `pictures` by photo and kind, and `scraps`, surfaces that are no tile."""

    pictures: dict[str, dict[str, list[Bytes]]]
    scraps: tuple[Bytes, ...]

    @classmethod
    def load(cls, folder: Path) -> Crops:
        pictures: dict[str, dict[str, list[Bytes]]] = defaultdict(lambda: defaultdict(list))
        scraps = []
        for path in sorted(folder.glob("*/*.jpg")):
            crop = np.asarray(cv2.imread(str(path), cv2.IMREAD_COLOR_RGB), np.uint8)
            kind = notation(path.parent.name)
            if kind is None:
                scraps.append(crop)
            else:
                pictures[photo_of(path)][kind].append(crop)
        return cls({photo: dict(kinds) for photo, kinds in pictures.items()}, tuple(scraps))

    def split(self, *, held_out: float = 0.15, seed: int = 7) -> tuple[Crops, Crops]:
        """Return crops to train on and crops held out, split by photo: squares of one photo are one sample."""
        photos = sorted(self.pictures)
        order = np.random.default_rng(seed).permutation(len(photos))
        out = {photos[i] for i in order[: round(held_out * len(photos))]}
        parts = ({p: self.pictures[p] for p in photos if (p in out) == flag} for flag in (False, True))
        train, held = parts
        cut = round((1 - held_out) * len(self.scraps))
        return Crops(train, self.scraps[:cut]), Crops(held, self.scraps[cut:])

    @cached_property
    def by_kind(self) -> dict[str, list[Bytes]]:
        found: dict[str, list[Bytes]] = defaultdict(list)
        for kinds in self.pictures.values():
            for kind, crops in kinds.items():
                found[kind] += crops
        return dict(found)


class Workshop:
    """All training art of a data folder; `mixture` gives one scene's share of it."""

    def __init__(self, folder: Path, crops: Crops) -> None:
        self.dominoes = FolderArt(folder)
        self.crops = crops
        self.models = meshes.models(folder / "castle_3d") if (folder / "castle_3d").is_dir() else {}
        photos = folder / "queendomino"
        self.queendomino = QueendominoArt(photos) if QueendominoArt.there(photos) else None

    def mixture(
        self, rng: np.random.Generator, *, drawn: float = DRAWN_SHARE, boxes: Sequence[int] = range(DRAWN_SEEDS)
    ) -> Art:
        """Return the art of one scene: tiles of our own `boxes`, one source of dominoes, or crops of one photo."""
        if rng.random() < drawn:
            return DrawnScene(drawn_box(boxes[int(rng.integers(len(boxes)))]), self.crops.scraps)
        sources = (*self.dominoes.sources(), "crops")
        weight = np.array([{"crops": 0.3, "squares": 0.15}.get(name, 0.275) for name in sources])
        photos = sorted(self.crops.pictures)
        return Mixture(self, str(rng.choice(sources, p=weight / weight.sum())), photos[rng.integers(len(photos))])


@dataclass(frozen=True)
class Mixture:
    """One scene's art; crops come from one photo where it has the kind, else from any."""

    workshop: Workshop
    source: str
    photo: str

    def tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:
        """Return a domino or a back (h, 2h, 3); a castle tile or a building, finished or "unbuilt" (h, h, 3)."""
        if kind == "back":
            return self.workshop.dominoes.back(_number(name))
        if kind == "castle":
            return self._castle(str(name), rng)
        if kind in BUILDINGS:
            return self._building(kind, int(name), rng)
        if isinstance(name, str) and name.startswith("Q"):
            domino = _WEDDING[name]
            return np.hstack([self._half(cell, side, rng) for side, cell in enumerate((domino.left, domino.right))])
        name = _number(name)
        if self.source != "crops":
            return self.workshop.dominoes.domino(name, self.source)
        domino = KINGDOMINO[name - 1]
        return np.hstack([self._crop(str(cell), rng) for cell in (domino.left, domino.right)])

    def _building(self, kind: str, number: int, rng: np.random.Generator) -> Bytes:
        art: QueendominoArt | DrawnArt | None = self.workshop.queendomino
        if art is None or rng.random() < DRAWN_PIECES:
            art = drawn_box(int(rng.integers(DRAWN_SEEDS)))
        return varied_print(
            art.building(number) if kind == "building" else art.back_of_building(number),
            rng,
            dim=_DIM.get(self.source, 1.0),
        )

    def _half(self, cell: Cell, side: int, rng: np.random.Generator) -> Bytes:
        """Return one square of Queendomino's, left (0) or right (1): its own, or Kingdomino's of the same kind."""
        own, kind = self.workshop.queendomino, str(cell)
        real = own.squares(kind, side) if own else []
        if kind == "t":
            towns = [square for half in (0, 1) for square in own.squares("t", half)] if own else []
            if not towns or rng.random() < DRAWN_PIECES:
                towns = [drawn_box(int(rng.integers(DRAWN_SEEDS))).town(int(rng.integers(DRAWN_TOWNS)))]
            half = varied_print(towns[rng.integers(len(towns))], rng, dim=_DIM.get(self.source, 1.0))
        elif real and rng.random() < REAL_HALVES:
            half = varied_print(real[rng.integers(len(real))], rng, turned=False, dim=_DIM.get(self.source, 1.0))
        elif self.source == "crops":
            half = self._crop(kind, rng)
        else:
            same = _SQUARES[kind][side] or _SQUARES[kind][1 - side]
            number, place = same[rng.integers(len(same))]
            half = np.hsplit(self.workshop.dominoes.domino(number, self.source), 2)[place]
        finest = CROP_SIDE if self.source == "crops" else SIDE
        return np.asarray(cv2.resize(half, (finest, finest), interpolation=cv2.INTER_AREA), np.uint8)

    def _castle(self, colour: str, rng: np.random.Generator) -> Bytes:
        if self.source == "crops" and rng.random() < 0.7:
            return self._crop("#", rng)
        sources = self.workshop.dominoes.sources()
        return self.workshop.dominoes.castle(colour, sources[rng.integers(len(sources))])

    def _crop(self, kind: str, rng: np.random.Generator) -> Bytes:
        own = self.workshop.crops.pictures[self.photo].get(kind)
        choice = own or self.workshop.crops.by_kind[kind]
        trim = int(rng.integers(0, 4))
        crop = choice[rng.integers(len(choice))]
        crop = crop[trim : crop.shape[0] - trim, trim : crop.shape[1] - trim]
        return np.rot90(np.asarray(cv2.resize(crop, (CROP_SIDE, CROP_SIDE)), np.uint8), int(rng.integers(4)))

    def mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        """Return a piece: from the models or drawn by code."""
        known = self.workshop.models.get(kind)
        if tokens.natural(kind, colour):
            return self._natural(kind, known, rng)
        if known and rng.random() < (0.25 if kind == "castle" else 0.5):
            return known[rng.integers(len(known))]
        paint = str(rng.choice(list(meshes.COLOURS))) if rng.random() < 0.3 else colour
        return piece_mesh(kind, paint, rng)

    def _natural(self, kind: str, known: Sequence[Mesh] | None, rng: np.random.Generator) -> Mesh:
        if kind == "queen" and self.workshop.queendomino and rng.random() < 0.6:
            return tokens.queen_mesh(rng, self.workshop.queendomino.queen())
        if known and rng.random() < 0.3:
            return tokens.dressed(kind, known[0], rng)
        return tokens.MAKERS[kind](rng)

    def scraps(self) -> Sequence[Bytes]:
        """Return photographed surfaces for table tops."""
        return self.workshop.crops.scraps
