"""Art for scenes that needs no file: our own drawn tiles, and pieces made by code. Samples and tests are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kdvision.lab.render.art.folder_art import ArtSet, DrawnArt
from kdvision.lab.render.objects import castles, household, meshes, tokens
from kdvision.lab.render.objects.meshes import Mesh

Bytes = npt.NDArray[np.uint8]

BUILDINGS = ("building", "unbuilt")  # the kinds of tile that are Queendomino's buildings, finished or still grey
TRAINING_BOX_COUNT = 4
EXTRA_TRAINING_BOXES = range(100, 116)
"""Boxes of drawn tiles for scenes that train what a castle or a forest is in any print; nothing is measured on them."""
DRAWN_SIDE_PX = 128  # pixels a square: as fine as training pictures show, and quick to draw

_WOODEN = {"king": meshes.king_mesh, "knight": meshes.knight_mesh, "tower": meshes.tower_mesh}


def make_piece_mesh(kind: str, colour: str, rng: np.random.Generator) -> Mesh:
    """Return a piece made by code: "castle", "king", "knight", "tower", "queen", "gem", or a kind of clutter.

    Knights and towers are in a player's colour, or as they come in the box where `colour` is none ("natural").
    """
    if tokens.natural(kind, colour):
        return tokens.MAKERS[kind](rng)
    if kind in household.MAKERS:
        return household.clutter_mesh(kind, rng)
    return castles.castle_mesh(colour, rng) if kind == "castle" else _WOODEN[kind](colour)


@dataclass(frozen=True)
class DrawnSceneArt:
    """The art of one scene from a single set; `surfaces` are pictures to make tables of, none by default."""

    art: ArtSet
    surfaces: Sequence[Bytes] = ()
    source: ClassVar[str] = "drawn"

    def tile(self, kind: str, name: int | str, rng: np.random.Generator) -> Bytes:  # noqa: ARG002
        """Return a domino or a back (h, 2h, 3); a castle tile or a building, finished or "unbuilt" (h, h, 3)."""
        if kind == "castle":
            return self.art.castle(str(name))
        if kind in BUILDINGS:
            return self._royal.building(int(name)) if kind == "building" else self._royal.back_of_building(int(name))
        if kind == "back":
            return self.art.back(parse_domino_number(name))
        return self._royal.domino(name) if isinstance(name, str) else self.art.domino(name)

    @property
    def _royal(self) -> DrawnArt:
        """The drawn set that has Queendomino, too: sets of Kingdomino alone borrow one."""
        return self.art if isinstance(self.art, DrawnArt) else get_drawn_box(0)

    def mesh(self, kind: str, colour: str, rng: np.random.Generator) -> Mesh:
        """Return a piece in the player's colour."""
        return make_piece_mesh(kind, colour, rng)

    def scraps(self) -> Sequence[Bytes]:
        """Return the surfaces."""
        return self.surfaces


def parse_domino_number(name: int | str) -> int:
    """Return the number of a domino of any box: 12 of 12, "K12" and "Q12"."""
    return int(str(name).lstrip("KQ"))


@cache
def get_drawn_box(seed: int) -> DrawnArt:
    """Return one box of small drawn tiles, kept for the life of the process."""
    return DrawnArt(seed, side=DRAWN_SIDE_PX)
