"""One table and one photo of it with every factor as a dial: what the benchmark of rendered scenes turns.

What a stage does not fix (whose games, which way the kingdoms lie, where the camera stands, the lamp) comes from the
number of the scene alone. So one number at two settings of a dial is as nearly as possible the same photo.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.lab.games.layout import KingdomLayout, LayoutNoise, Piece, Scene, Tile, lay_out
from kdvision.lab.games.play import PlayedKingdom, play
from kdvision.lab.render import renderer
from kdvision.lab.render.camera import Camera, frame
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects.held_out_tops import HELD_OUT_TOPS
from kdvision.lab.render.renderer import Art, Picture
from kdvision.lab.render.scenes import COLOURS, Table

Floats = npt.NDArray[np.float64]

STREAM: Final = 20_260_000
"""The first word of every seed here: no training and no calibration draws from it."""
HEAPS: Final[Mapping[str, Callable[[Table], None]]] = {
    "offer": Table.offer,
    "scatter": Table.scatter,
    "backs": Table.backs,
    "men": Table.men,
    "things": Table.things,
    "slips": Table.slips,
}
"""What may lie beside the kingdoms."""
LARGEST: Final = 4000
"""Pixels of the longer side at most, a phone's 12 million."""


@dataclass(frozen=True)
class SceneFactors:
    """Where every dial stands.

    `angle`: degrees from straight above. `pixels`: a square's side, the root of its mean area. `fill`: the share of
    the picture that the kingdoms span. `gap`: squares of bare table between kingdoms at least. `crooked`: degrees that
    dominoes are turned at most; gaps grow along, to a fifth of a square at 8. `blur`: the spread of a point, in
    squares. `light`, `glare`, `noise` and `jpeg` as in `light.PhotoFactors`. `clutter`: heaps of other things. `castles`: the
    share of castles that stand on their tiles. `table`: a name in `surfaces.HELD_OUT_TOPS`, "" for any.
    """

    angle: float = 25.0
    pixels: float = 48.0
    fill: float = 0.75
    kingdoms: int = 2
    gap: float = 1.5
    crooked: float = 2.0
    light: float = 0.3
    glare: float = 0.2
    blur: float = 0.015
    noise: float = 0.3
    jpeg: float = 0.3
    clutter: int = 2
    castles: float = 0.4
    table: str = ""

    def picture(self, number: int, art: Art, *, heaps: Sequence[str] = tuple(HEAPS)) -> Picture:
        """Return the photo of scene `number` with its truth, the same every time; clutter is of these HEAPS."""
        scene = self.scene(number, heaps=heaps)
        rng = make_rng(number, "photo")
        table = self.table or str(rng.choice(list(HELD_OUT_TOPS)))
        factors = PhotoFactors(self.light, self.glare, 0.0, self.noise, self.jpeg, defocus=self.blur * self.pixels)
        return renderer.render(
            scene, self.camera(scene, number), art, rng, factors=factors, surface=HELD_OUT_TOPS[table]
        )

    def scene(self, number: int, *, heaps: Sequence[str] = tuple(HEAPS)) -> Scene:
        """Return the table of scene `number`, its clutter of these HEAPS."""
        rng = make_rng(number, "games")
        table, facing = Table(make_rng(number, "clutter")), rng.uniform(0, 2 * np.pi)
        colours, standing = rng.permutation(COLOURS), rng.random(len(COLOURS))
        for kingdom, colour, odds in zip(_dealt(rng, self.kingdoms), colours[: self.kingdoms], standing, strict=False):
            turn = facing + float(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.15)
            laid, tiles = self._seated(table, kingdom, turn, str(colour), rng)
            table.put(laid, tiles)
            if odds < self.castles:
                table.scene.pieces.append(Piece("castle", str(colour), tiles[0].centre, tiles[0].turn, 0.95))
        table.survey(margin=2.5 if self.kingdoms else 6.0)
        for heap in table.rng.permutation(list(heaps))[: self.clutter]:
            HEAPS[str(heap)](table)
        return table.scene

    def _seated(
        self, table: Table, kingdom: PlayedKingdom, turn: float, colour: str, rng: np.random.Generator
    ) -> tuple[KingdomLayout, list[Tile]]:
        """The kingdom as near to the others as the gap allows, in a direction of its own."""
        seed, way = int(rng.integers(2**32)), rng.uniform(0, 2 * np.pi)
        for reach in np.arange(0.0, 60.0, 0.1):
            at = (reach * float(np.cos(way)), reach * float(np.sin(way)))
            again = np.random.default_rng(seed)
            laid, tiles = lay_out(kingdom, again, at=at, turn=turn, colour=colour, hand=self._hand())
            if table.free(np.array([quad.mean(0) for quad in laid.squares.values()]), 1 + self.gap):
                break
        return laid, tiles

    def _hand(self) -> LayoutNoise:
        share, limit = self.crooked / 8, float(np.radians(self.crooked))
        return LayoutNoise(
            pitch=1.01 + 0.19 * share, shift=0.01 + 0.04 * share, twist=limit, shear=0.03 * share, limit=limit
        )

    def camera(self, scene: Scene, number: int) -> Camera:
        """Return the camera that sees squares of so many pixels."""
        rng = make_rng(number, "camera")
        aspect = float(rng.choice([1.0, 4 / 3, 16 / 9, 3 / 4, 9 / 16], p=[0.2, 0.3, 0.1, 0.3, 0.1]))
        room = (1 - self.fill) / 2
        azimuth, focal, bend = rng.uniform(0, 2 * np.pi), rng.uniform(0.75, 1.4), rng.normal(0, 0.015)
        roll = rng.normal(0, 0.08) if rng.random() < 0.7 else rng.uniform(0, 6.3)
        shift = rng.uniform(-room, room, 2)

        def sized(size: float) -> Camera:
            return frame(
                scene.outline(),
                tilt=float(np.radians(self.angle)),
                azimuth=float(azimuth),
                roll=float(roll),
                focal=float(focal),
                width=round(size * min(1.0, aspect)),
                height=round(size * min(1.0, 1 / aspect)),
                fill=self.fill,
                shift=(float(shift[0]), float(shift[1])),
                bend=float(bend),
            )

        return sized(min(LARGEST, 1000 * self.pixels / side(sized(1000), scene)))


def side(camera: Camera, scene: Scene) -> float:
    """Return the side of the squares in pixels, the root of the mean area: the kingdoms', else those that lie there."""
    there = [quad for k in scene.kingdoms for quad in k.squares.values()] or scene.loose
    there = there or [scene.outline().mean(0) + np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) - 0.5]
    quads = np.array([camera.project(quad) for quad in there])
    (x, y), (u, v) = np.moveaxis(quads, 2, 0), np.moveaxis(np.roll(quads, -1, axis=1), 2, 0)
    return float(np.sqrt((np.abs((x * v - u * y).sum(1)) / 2).mean()))


def make_rng(number: int, what: str) -> np.random.Generator:
    """Return the generator of one part of scene `number`."""
    return np.random.default_rng((STREAM, number, zlib.crc32(what.encode())))


def _dealt(rng: np.random.Generator, kingdoms: int) -> list[PlayedKingdom]:
    """So many kingdoms of one box, finished or not; up to two may be large ones."""
    large = rng.random() < 0.35 and kingdoms <= 2
    turns = None if rng.random() < 0.6 else int(rng.integers(3, 13))
    return list(play(rng, players=2 if large else 4, side=7 if large else 5, turns=turns))
