"""Random scenes: kingdoms from played games, and the other objects on the table. Lengths are in squares."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kdvision.lab.arrays import Points, Rng
from kdvision.lab.games.layout import KingdomLayout, Piece, Scene, Tile, lay_out, make_rotation_matrix
from kdvision.lab.games.play import PlayedKingdom, play
from kdvision.lab.render.objects.household import MAX_REACH_SQUARES

COLOURS = ("blue", "green", "pink", "yellow")
MIN_KINGDOM_GAP_SQUARES = 1.95
"""Least distance between the middles of squares of different kingdoms, and of loose dominoes and anything else.

At a smaller distance it is not clear where a kingdom ends.
"""
_MIN_TILE_GAP_SQUARES = 1.35  # between the middles of face-down dominoes or unbuilt buildings and anything else


def make_scene(
    rng: Rng, *, kingdoms: int | None = None, side: int | None = None, is_finished: bool | None = None
) -> Scene:
    """Return a random scene. What is None is chosen at random; most scenes hold one kingdom."""
    count = int(rng.choice([0, 1, 2, 3, 4], p=[0.05, 0.6, 0.14, 0.07, 0.14])) if kingdoms is None else kingdoms
    side = side or int(rng.choice([5, 7], p=[0.55, 0.45]))
    players = 2 if side == 7 else int(rng.integers(max(2, count), 5))
    if count > players:
        players, side = count, 5
    is_finished = rng.random() < 0.55 if is_finished is None else is_finished
    turns = None if is_finished else int(rng.integers(1, 13))
    builder = SceneBuilder(rng)
    builder.add_kingdoms(play(rng, players=players, side=side, turns=turns), count)
    builder.add_other_objects()
    return builder.scene


def _compute_centres(quads: Iterable[Points]) -> Points:
    return np.array([quad.mean(0) for quad in quads])


@dataclass
class SceneBuilder:
    """A scene under construction. No object may come closer to the `object_points` than its minimum gap."""

    rng: Rng
    scene: Scene = field(default_factory=Scene)
    object_points: Points = field(default_factory=lambda: np.zeros((0, 2)))
    reach: float = 5.0  # largest coordinate of objects beside the kingdoms
    box: Sequence[int | str] = range(1, 49)  # numbers of all dominoes
    spare_numbers: list[int | str] = field(default_factory=lambda: list(range(1, 49)))  # dominoes not placed yet

    def is_free(self, points: Points, gap: float) -> bool:
        """Return whether points (n, 2) keep a distance from all objects."""
        if not len(self.object_points):
            return True
        return bool(np.min(np.linalg.norm(self.object_points[:, None] - points[None], axis=2)) > gap)

    def add_kingdoms(self, played_kingdoms: Sequence[PlayedKingdom], count: int) -> None:
        """Add `count` of the kingdoms of one game, in random colours, parallel or at right angles.

        Each lies at the first free place from the middle outwards, if there is one, often with its castle.
        """
        rng = self.rng
        order, colours = rng.permutation(len(played_kingdoms)), rng.permutation(COLOURS)
        direction = rng.uniform(0, 2 * np.pi)
        for k in range(count):
            colour = str(colours[k])
            turn = direction + float(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.15)
            for reach in np.linspace(3 if self.scene.kingdoms else 0, 16, 60):
                angle = rng.uniform(0, 2 * np.pi)
                at = (reach * float(np.cos(angle)), reach * float(np.sin(angle)))
                layout, tiles = lay_out(played_kingdoms[order[k]], rng, at=at, turn=turn, colour=colour)
                if self.is_free(_compute_centres(layout.squares.values()), MIN_KINGDOM_GAP_SQUARES):
                    break
            else:
                continue
            self.add_layout(layout, tiles)
            if rng.random() < 0.45:
                x, y = np.array(tiles[0].centre) + rng.normal(0, 0.06, 2)
                turn = tiles[0].turn + (rng.normal(0, 0.1) if rng.random() < 0.7 else rng.uniform(0, 6.3))
                self.scene.pieces.append(Piece("castle", colour, (x, y), turn, rng.uniform(0.85, 1.05)))

    def add_layout(self, layout: KingdomLayout, tiles: list[Tile]) -> None:
        """Add a kingdom exactly as it was laid out."""
        self.object_points = np.concatenate([self.object_points, _compute_centres(layout.squares.values())])
        self.scene.kingdoms.append(layout)
        self.scene.tiles += tiles

    def set_reach(self, *, margin: float) -> None:
        """Let other objects lie up to `margin` squares beyond the kingdoms; find the spare dominoes."""
        self.reach = margin + float(np.abs(self.scene.compute_outline()).max())
        used_names = {tile.name for tile in self.scene.tiles if tile.kind == "domino"}
        self.spare_numbers = [name for name in self.box if name not in used_names]
        self.rng.shuffle(self.spare_numbers)

    def add_other_objects(self) -> None:
        """Add a random choice of other objects; more of them if there is no kingdom."""
        self.set_reach(margin=3.0)
        for add_objects, probability in zip(OTHER_OBJECTS.values(), (0.2, 0.35, 0.25, 0.3, 0.3, 0.2), strict=True):
            if self.rng.random() < (probability if self.scene.kingdoms else 0.6):
                add_objects(self)

    def add_offer(self) -> None:
        """Add the line of three or four dominoes to choose from, some with a king on them."""
        rng = self.rng
        step, turn = rng.uniform(1.02, 1.35), rng.uniform(0, 2 * np.pi)
        numbers = self.spare_numbers[-int(rng.integers(3, 5)) :]
        down = make_rotation_matrix(turn) @ np.array([0.0, step])
        for _ in range(12):
            x, y = self._choose_place()
            line = [
                Tile("domino", number, (x + i * down[0], y + i * down[1]), turn + rng.normal(0, 0.03))
                for i, number in enumerate(numbers)
            ]
            if line and self._add_tiles(line, MIN_KINGDOM_GAP_SQUARES):
                del self.spare_numbers[-len(line) :]
                for tile in [tile for tile in line if rng.random() < 0.4]:
                    self.scene.pieces.append(Piece("king", self._choose_colour(), tile.centre, rng.uniform(0, 6.3)))
                return

    def add_face_up_dominoes(self) -> None:
        for _ in range(int(self.rng.integers(1, 6))):
            turn = self.rng.uniform(0, 6.3)
            if self.spare_numbers:
                tile = Tile("domino", self.spare_numbers[-1], self._choose_place(), turn)
                if self._add_tiles([tile], MIN_KINGDOM_GAP_SQUARES):
                    self.spare_numbers.pop()

    def add_face_down_dominoes(self) -> None:
        turn = self.rng.uniform(0, 6.3)
        for _ in range(int(self.rng.integers(1, 8))):
            number, at = int(self.rng.integers(1, 49)), self._choose_place()
            self._add_tiles([Tile("back", number, at, turn + self.rng.normal(0, 0.2))], _MIN_TILE_GAP_SQUARES)

    def add_unbuilt(self) -> None:
        """Add building tiles with their unfinished side up."""
        for _ in range(int(self.rng.integers(0, 6))):
            number, at = int(self.rng.integers(12)), self._choose_place()
            self._add_tiles([Tile("unbuilt", number, at, self.rng.uniform(0, 6.3))], _MIN_TILE_GAP_SQUARES)

    def add_figures(self) -> None:
        for _ in range(int(self.rng.integers(1, 6))):
            kind = str(self.rng.choice(["king", "knight", "tower", "castle"], p=[0.5, 0.15, 0.15, 0.2]))
            self._add_piece(kind, self._choose_place(), gap=1.2)

    def add_household_objects(self) -> None:
        """Add cups, coins and other things that people put down beside a game."""
        for _ in range(int(self.rng.integers(1, 6))):
            kind = str(self.rng.choice(["cup", "bottle", "coin", "plate", "box", "pencil", "die"]))
            self._add_piece(kind, self._choose_place(), gap=MAX_REACH_SQUARES[kind] + 0.6)

    def add_paper(self) -> None:
        """Add plain cards and slips of paper, which look like tiles, some of them close to the kingdoms."""
        for _ in range(int(self.rng.integers(1, 6))):
            x, y = self._choose_place()
            factor = self.rng.uniform(0.5, 1)
            self._add_piece("card", (x * factor, y * factor), gap=MAX_REACH_SQUARES["card"] + 0.6)

    def _choose_colour(self) -> str:
        return str(self.rng.choice(COLOURS))

    def _choose_place(self) -> tuple[float, float]:
        x, y = self.rng.uniform(-self.reach, self.reach, 2)
        return float(x), float(y)

    def _add_tiles(self, tiles: list[Tile], gap: float) -> bool:
        """Add tiles if all of them are free; return whether they are."""
        centres = _compute_centres(half for tile in tiles for half in tile.compute_halves())
        if not self.is_free(centres, gap):
            return False
        self.object_points = np.concatenate([self.object_points, centres])
        self.scene.tiles += tiles
        self.scene.loose += [half for tile in tiles if tile.kind == "domino" for half in tile.compute_halves()]
        return True

    def _add_piece(self, kind: str, at: tuple[float, float], *, gap: float) -> None:
        if self.is_free(np.array([at]), gap):
            self.object_points = np.concatenate([self.object_points, [at]])
            self.scene.pieces.append(Piece(kind, self._choose_colour(), at, self.rng.uniform(0, 6.3)))


OTHER_OBJECTS: Final[Mapping[str, Callable[[SceneBuilder], None]]] = {
    "offer": SceneBuilder.add_offer,
    "face-up dominoes": SceneBuilder.add_face_up_dominoes,
    "face-down dominoes": SceneBuilder.add_face_down_dominoes,
    "figures": SceneBuilder.add_figures,
    "household objects": SceneBuilder.add_household_objects,
    "paper": SceneBuilder.add_paper,
}
"""What may lie beside the kingdoms."""
