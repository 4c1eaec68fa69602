"""Scenes and photos with every factor under control, for experiments that vary one factor at a time.

All else (the games, the directions, the camera's position, the lamp) depends only on the number of the scene. So one
number with two settings of a factor gives nearly the same photo.
"""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kdvision.lab.arrays import Points, Rng
from kdvision.lab.games.layout import KingdomLayout, LayoutNoise, Piece, Scene, Tile, lay_out
from kdvision.lab.games.play import PlayedKingdom, play
from kdvision.lab.render import renderer
from kdvision.lab.render.camera import Camera, fit_camera
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects.held_out_tops import HELD_OUT_TOPS
from kdvision.lab.render.renderer import ASPECT_RATIOS, ASPECT_SHARES, Picture, SceneArt
from kdvision.lab.render.scenes import COLOURS, OTHER_OBJECTS, SceneBuilder
from kdvision.vision.geometry import UNIT_SQUARE

_FIRST_SEED_WORD: Final = 20_260_000  # no training and no calibration draws from a seed that begins with this word
_MAX_SIDE_PX: Final = 4000  # of the photo's longer side: a phone with 12 megapixels


@dataclass(frozen=True)
class SceneFactors:
    """The setting of every factor. `light`, `glare`, `noise` and `jpeg` are as in `light.PhotoFactors`."""

    angle: float = 25.0  # degrees from straight above
    pixels: float = 48.0  # side of a square: the root of the mean area of the squares
    fill: float = 0.75  # share of the photo that the kingdoms span
    kingdoms: int = 2
    gap: float = 1.5  # squares of bare table between kingdoms, at least
    twist: float = 2.0  # largest turn of a domino in degrees; at 8 the gaps between dominoes are 0.2 squares
    light: float = 0.3
    glare: float = 0.2
    blur: float = 0.015  # standard deviation of the point spread, in squares
    noise: float = 0.3
    jpeg: float = 0.3
    clutter: int = 2  # how many of OTHER_OBJECTS there are
    castles: float = 0.4  # share of castles that stand on their tiles
    table: str = ""  # a name in HELD_OUT_TOPS; "" for a random one

    def render_picture(self, number: int, art: SceneArt, *, objects: Sequence[str] = tuple(OTHER_OBJECTS)) -> Picture:
        """Return the photo of scene `number` with its truth; `objects` limits the other objects."""
        return self.photograph(self.build_scene(number, objects=objects), number, art, make_rng(number, "photo"))

    def photograph(self, scene: Scene, number: int, art: SceneArt, rng: Rng) -> Picture:
        """Return the photo of a scene with its truth, from the camera of scene `number`."""
        table = self.table or str(rng.choice(list(HELD_OUT_TOPS)))
        factors = PhotoFactors(self.light, self.glare, 0.0, self.noise, self.jpeg, defocus=self.blur * self.pixels)
        camera, table_top = self.make_camera(scene, number), HELD_OUT_TOPS[table]
        return renderer.render(scene, camera, art, rng, factors=factors, table_top=table_top)

    def build_scene(self, number: int, *, objects: Sequence[str] = tuple(OTHER_OBJECTS)) -> Scene:
        """Return scene `number`; `objects` limits the other objects."""
        rng = make_rng(number, "games")
        builder, direction = SceneBuilder(make_rng(number, "clutter")), rng.uniform(0, 2 * np.pi)
        colours, castle_draws = rng.permutation(COLOURS), rng.random(len(COLOURS))
        is_large = rng.random() < 0.35 and self.kingdoms <= 2  # one or two kingdoms may be 7x7
        turns = None if rng.random() < 0.6 else int(rng.integers(3, 13))
        played_kingdoms = play(rng, players=2 if is_large else 4, side=7 if is_large else 5, turns=turns)
        for k, kingdom in enumerate(played_kingdoms[: self.kingdoms]):
            turn = direction + float(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.15)
            layout, tiles = self._lay_out(builder, kingdom, turn, str(colours[k]), rng)
            builder.add_layout(layout, tiles)
            if castle_draws[k] < self.castles:
                castle = Piece("castle", str(colours[k]), tiles[0].centre, tiles[0].turn, 0.95)
                builder.scene.pieces.append(castle)
        builder.set_reach(margin=2.5 if self.kingdoms else 6.0)
        for name in builder.rng.permutation(list(objects))[: self.clutter]:
            OTHER_OBJECTS[str(name)](builder)
        return builder.scene

    def _lay_out(
        self, builder: SceneBuilder, kingdom: PlayedKingdom, turn: float, colour: str, rng: Rng
    ) -> tuple[KingdomLayout, list[Tile]]:
        """Return the kingdom as close to the others as the gap allows, in a random direction from the middle."""
        seed, way = int(rng.integers(2**32)), rng.uniform(0, 2 * np.pi)
        share, limit = self.twist / 8, float(np.radians(self.twist))
        noise = LayoutNoise(
            1.01 + 0.19 * share, shift=0.01 + 0.04 * share, twist=limit, shear=0.03 * share, limit=limit
        )
        for reach in np.arange(0.0, 60.0, 0.1):
            at = (reach * float(np.cos(way)), reach * float(np.sin(way)))
            same_rng = np.random.default_rng(seed)
            layout, tiles = lay_out(kingdom, same_rng, at=at, turn=turn, colour=colour, noise=noise)
            if builder.is_free(np.array([quad.mean(0) for quad in layout.squares.values()]), 1 + self.gap):
                break
        return layout, tiles

    def make_camera(self, scene: Scene, number: int) -> Camera:
        """Return the camera in which squares have the wanted side in pixels."""
        rng = make_rng(number, "camera")
        aspect = float(rng.choice(ASPECT_RATIOS, p=ASPECT_SHARES))
        room = (1 - self.fill) / 2
        azimuth, focal, bend = rng.uniform(0, 2 * np.pi), rng.uniform(0.75, 1.4), rng.normal(0, 0.015)
        roll = rng.normal(0, 0.08) if rng.random() < 0.7 else rng.uniform(0, 6.3)
        shift = (rng.uniform(-room, room), rng.uniform(-room, room))

        def fit(longer_side: float) -> Camera:
            width, height = (round(longer_side * min(1.0, share)) for share in (aspect, 1 / aspect))
            view = {"tilt": np.radians(self.angle), "azimuth": azimuth, "roll": roll, "focal": focal, "bend": bend}
            return fit_camera(scene.compute_outline(), width=width, height=height, fill=self.fill, shift=shift, **view)

        return fit(min(_MAX_SIDE_PX, 1000 * self.pixels / measure_square_side(fit(1000), scene)))


def measure_square_side(camera: Camera, scene: Scene) -> float:
    """Return the side in pixels (the root of the mean area) of the kingdoms' squares, or else of the loose squares."""
    squares = [quad for k in scene.kingdoms for quad in k.squares.values()] or scene.loose
    squares = squares or [scene.compute_outline().mean(0) + UNIT_SQUARE - 0.5]
    return measure_side([camera.project(quad) for quad in squares])


def measure_side(quads: Iterable[Points]) -> float:
    """Return the mean side of squares (4, 2 each): the root of their mean area."""
    return float(np.sqrt(np.mean([cv2.contourArea(quad.astype(np.float32)) for quad in quads])))


def make_rng(number: int, part: str) -> Rng:
    """Return the generator of one part of scene `number`."""
    return np.random.default_rng((_FIRST_SEED_WORD, number, zlib.crc32(part.encode())))
