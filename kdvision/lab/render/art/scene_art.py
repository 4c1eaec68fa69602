"""Art of scenes from a single set, by default from drawn boxes. Samples and tests use it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from kdvision.lab.arrays import Bytes, Rng
from kdvision.lab.render.art.folder_art import FolderArt
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.objects import household, meshes, tokens
from kdvision.lab.render.raster import Mesh

TRAINING_BOX_COUNT = 4  # the drawn boxes 0 to 3 are for training; experiments use later ones
EXTRA_TRAINING_BOXES = range(100, 140)
"""More drawn boxes for training, which show castles and terrains in many prints; no experiment uses them."""
DRAWN_SIDE_PX = 128  # of a square: as fine as training pictures show, and quick to draw


def make_piece_mesh(kind: str, colour: str, rng: Rng) -> Mesh:
    """Return the mesh of a piece or a household object; if `colour` is no player's, figures are of bare wood."""
    if tokens.has_own_colour(kind, colour):
        return tokens.MAKERS[kind](rng)
    if kind in household.MAKERS:
        return household.MAKERS[kind](rng)
    return meshes.make_castle_mesh(colour, rng) if kind == "castle" else meshes.make_wooden_mesh(kind, colour)


@dataclass(frozen=True)
class DrawnSceneArt:
    """The art of a scene from a single set; `scraps` are photographed surfaces for table tops."""

    art: DrawnArt | FolderArt
    scraps: Sequence[Bytes] = ()

    def draw_tile(self, kind: str, name: int | str, rng: Rng) -> Bytes:  # noqa: ARG002
        """Return the picture of a tile; see `renderer.SceneArt`. Only drawn sets have Queendomino's tiles."""
        return self.art.draw_tile(kind, name)

    def build_mesh(self, kind: str, colour: str, rng: Rng) -> Mesh:
        return make_piece_mesh(kind, colour, rng)


@cache
def get_drawn_box(seed: int) -> DrawnArt:
    """Return a box of small drawn tiles, drawn once per process."""
    return DrawnArt(seed, side=DRAWN_SIDE_PX)
