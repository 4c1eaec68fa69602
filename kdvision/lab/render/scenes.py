"""Whole tables, before any picture is taken: kingdoms from played games, and what else lies about.

Lengths are in squares, as in `laying`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kdvision.lab.games.layout import KingdomLayout, Piece, Points, Scene, Tile, lay_out, rotation
from kdvision.lab.games.play import PlayedKingdom, play
from kdvision.lab.render.objects.household import REACH

COLOURS = ("blue", "green", "pink", "yellow")
APART = 1.95
"""Squares at least between the middles of squares of different kingdoms, and of loose dominoes and all others.

Nearer, nobody could say where one kingdom ends.
"""


def make_scene(
    rng: np.random.Generator, *, kingdoms: int | None = None, side: int | None = None, finished: bool | None = None
) -> Scene:
    """Return one random table. Games are drafted and played; unless told otherwise most tables hold one kingdom."""
    count = int(rng.choice([0, 1, 2, 3, 4], p=[0.05, 0.6, 0.14, 0.07, 0.14])) if kingdoms is None else kingdoms
    side = side or int(rng.choice([5, 7], p=[0.55, 0.45]))
    players = 2 if side == 7 else int(rng.integers(max(2, count), 5))
    if count > players:
        players, side = count, 5
    done = rng.random() < 0.55 if finished is None else finished
    turns = None if done else int(rng.integers(1, 13))
    game = list(play(rng, players=players, side=side, turns=turns))
    order, colours = rng.permutation(len(game)), rng.permutation(COLOURS)
    facing = rng.uniform(0, 2 * np.pi)
    table = Table(rng)
    for k in range(count):
        table.seat(game[order[k]], facing + float(rng.integers(4)) * np.pi / 2, str(colours[k]))
    table.place_occluders()
    return table.scene


def make_scene_with_gaps(rng: np.random.Generator, *, kingdoms: int | None = None) -> Scene:
    """Return one random table, with gaps in its kingdoms: dominoes lie there no more, and rather such amid others.

    Nobody plays so, but bare table is seen amid tiles then, as often as in kingdoms of which nothing fits any more.
    """
    scene = make_scene(rng, kingdoms=kingdoms)
    for kingdom in scene.kingdoms:
        left = kingdom
        for _ in range(int(rng.integers(0, 1 + len(kingdom.partner) // 6))):
            dominoes = sorted({frozenset(pair) for pair in left.partner.items()}, key=sorted)
            amid = np.array([sum(near in left.squares for s in one for near in s.neighbours()) for one in dominoes])
            odds = amid.astype(float) ** 2
            left = scene.without(left, dominoes[rng.choice(len(dominoes), p=odds / odds.sum())])
    return scene


def _centres(quads: Iterable[Points]) -> Points:
    return np.array([quad.mean(0) for quad in quads])


@dataclass
class Table:
    """A table being laid: what lies on it so far, and where no more may lie."""

    rng: np.random.Generator
    scene: Scene = field(default_factory=Scene)
    taken: Points = field(default_factory=lambda: np.zeros((0, 2)))
    reach: float = 5.0
    box: Sequence[int | str] = range(1, 49)
    spare: list[int | str] = field(default_factory=lambda: list(range(1, 49)))

    def free(self, points: Points, gap: float) -> bool:
        """Return whether points (n, 2) keep their distance from all that lies here."""
        if not len(self.taken):
            return True
        return bool(np.min(np.linalg.norm(self.taken[:, None] - points[None], axis=2)) > gap)

    def seat(self, kingdom: PlayedKingdom, turn: float, colour: str) -> None:
        """Lay a kingdom where there is room, nearest the middle first, with or without its castle standing."""
        rng = self.rng
        turn += rng.normal(0, 0.15)
        for reach in np.linspace(3 if self.scene.kingdoms else 0, 16, 60):
            angle = rng.uniform(0, 2 * np.pi)
            at = (reach * float(np.cos(angle)), reach * float(np.sin(angle)))
            laid, tiles = lay_out(kingdom, rng, at=at, turn=turn, colour=colour)
            centres = _centres(laid.squares.values())
            if self.free(centres, APART):
                break
        else:
            return
        self.put(laid, tiles)
        if rng.random() < 0.45:
            self.scene.pieces.append(self._castle_on(tiles[0], colour))

    def put(self, laid: KingdomLayout, tiles: list[Tile]) -> None:
        """Put down a kingdom just where it was laid."""
        self.taken = np.concatenate([self.taken, _centres(laid.squares.values())])
        self.scene.kingdoms.append(laid)
        self.scene.tiles += tiles

    def _castle_on(self, tile: Tile, colour: str) -> Piece:
        rng = self.rng
        x, y = np.array(tile.centre) + rng.normal(0, 0.06, 2)
        turn = tile.turn + (rng.normal(0, 0.1) if rng.random() < 0.7 else rng.uniform(0, 6.3))
        return Piece("castle", colour, (x, y), turn, rng.uniform(0.85, 1.05))

    def survey(self, *, margin: float) -> None:
        """Note how far things may lie about, so many squares beyond the kingdoms, and which dominoes are left."""
        self.reach = margin + float(np.abs(self.scene.outline()).max())
        used = {tile.name for tile in self.scene.tiles if tile.kind == "domino"}
        self.spare = [name for name in self.box if name not in used]
        self.rng.shuffle(self.spare)

    def place_occluders(self) -> None:
        """Put down what lies beside the kingdoms, or most of it all over a table without one."""
        self.survey(margin=3.0)
        heaps = {
            self.offer: 0.2,
            self.scatter: 0.35,
            self.backs: 0.25,
            self.men: 0.3,
            self.things: 0.3,
            self.slips: 0.2,
        }
        for add, odds in heaps.items():
            if self.rng.random() < (odds if self.scene.kingdoms else 0.6):
                add()

    def offer(self) -> None:
        """The line of dominoes to choose from: three or four below each other, kings on some."""
        rng = self.rng
        step, turn = rng.uniform(1.02, 1.35), rng.uniform(0, 2 * np.pi)
        numbers = self.spare[-int(rng.integers(3, 5)) :]
        down = rotation(turn) @ np.array([0.0, step])
        for _ in range(12):
            x, y = self._somewhere()
            line = [
                Tile("domino", number, (x + i * down[0], y + i * down[1]), turn + rng.normal(0, 0.03))
                for i, number in enumerate(numbers)
            ]
            if line and self._drop(line, APART):
                del self.spare[-len(line) :]
                self._crown([tile for tile in line if rng.random() < 0.4])
                return

    def _crown(self, tiles: list[Tile]) -> None:
        for tile in tiles:
            self.scene.pieces.append(Piece("king", self._colour(), tile.centre, self.rng.uniform(0, 6.3)))

    def scatter(self) -> None:
        """Single dominoes, face up."""
        for _ in range(int(self.rng.integers(1, 6))):
            turn = self.rng.uniform(0, 6.3)
            if self.spare and self._drop([Tile("domino", self.spare[-1], self._somewhere(), turn)], APART):
                self.spare.pop()

    def backs(self) -> None:
        """Dominoes face down."""
        turn = self.rng.uniform(0, 6.3)
        for _ in range(int(self.rng.integers(1, 8))):
            number = int(self.rng.integers(1, 49))
            self._drop([Tile("back", number, self._somewhere(), turn + self.rng.normal(0, 0.2))], 1.35)

    def unbuilt(self) -> None:
        """Building tiles with their unfinished side up."""
        for _ in range(int(self.rng.integers(0, 6))):
            self._drop([Tile("unbuilt", int(self.rng.integers(12)), self._somewhere(), self.rng.uniform(0, 6.3))], 1.35)

    def men(self) -> None:
        """Kings, knights, towers and castles that stand about."""
        for _ in range(int(self.rng.integers(1, 6))):
            kind = str(self.rng.choice(["king", "knight", "tower", "castle"], p=[0.5, 0.15, 0.15, 0.2]))
            self._put_down(kind, self._somewhere(), gap=1.2)

    def things(self) -> None:
        """What people put down beside a game."""
        for _ in range(int(self.rng.integers(1, 6))):
            kind = str(self.rng.choice(["cup", "bottle", "coin", "plate", "box", "pencil", "die"]))
            self._put_down(kind, self._somewhere(), gap=REACH[kind] + 0.6)

    def slips(self) -> None:
        """Plain cards and slips of paper, near the kingdoms too: what looks like a tile and is none."""
        for _ in range(int(self.rng.integers(1, 6))):
            x, y = self._somewhere()
            near = self.rng.uniform(0.5, 1)
            self._put_down("card", (x * near, y * near), gap=REACH["card"] + 0.6)

    def _colour(self) -> str:
        return str(self.rng.choice(COLOURS))

    def _somewhere(self) -> tuple[float, float]:
        x, y = self.rng.uniform(-self.reach, self.reach, 2)
        return float(x), float(y)

    def _drop(self, tiles: list[Tile], gap: float) -> bool:
        centres = _centres(half for tile in tiles for half in tile.halves())
        if not self.free(centres, gap):
            return False
        self.taken = np.concatenate([self.taken, centres])
        self.scene.tiles += tiles
        self.scene.loose += [half for tile in tiles if tile.kind == "domino" for half in tile.halves()]
        return True

    def _put_down(self, kind: str, at: tuple[float, float], *, gap: float) -> None:
        spot = np.array([at])
        if self.free(spot, gap):
            self.taken = np.concatenate([self.taken, spot])
            self.scene.pieces.append(Piece(kind, self._colour(), at, self.rng.uniform(0, 6.3)))
