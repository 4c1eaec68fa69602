"""What lies on a table, before any picture is taken: kingdoms from played games, loose dominoes, backs and pieces.

Lengths are in squares. x runs right and y runs down, as on a board; z rises from the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kdvision.game.board import Board, Square
from kdvision.lab.clutter import REACH
from kdvision.lab.drafts import PlayedKingdom, play

Points = npt.NDArray[np.float64]

COLOURS = ("blue", "green", "pink", "yellow")


@dataclass(frozen=True)
class Tile:
    """One flat piece of card: a domino (2 x 1), a castle tile (1 x 1) or a domino's back (2 x 1)."""

    kind: str  # "domino", "castle" or "back"
    name: int | str  # the domino's number, or the castle's colour
    centre: tuple[float, float]
    turn: float  # radians, clockwise on the page; the left half lies towards -x at 0

    @property
    def width(self) -> float:
        return 1.0 if self.kind == "castle" else 2.0

    def halves(self) -> list[Points]:
        """Return each square's corners (4, 2), clockwise from the picture's top left: left half, right half."""
        return [self.place(x, 1.0) for x in ((0.0,) if self.kind == "castle" else (-0.5, 0.5))]

    def outline(self) -> Points:
        return self.place(0.0, self.width)

    def place(self, x: float, width: float) -> Points:
        left, right = x - width / 2, x + width / 2
        box = np.array([[left, -0.5], [right, -0.5], [right, 0.5], [left, 0.5]])
        return np.asarray(box @ rotation(self.turn).T + np.array(self.centre))


@dataclass(frozen=True)
class Piece:
    """Something that stands on the table or on a tile."""

    kind: str  # "castle", "king", "knight", "tower", or a kind of `clutter`
    colour: str
    at: tuple[float, float]
    turn: float
    size: float = 1.0


@dataclass(frozen=True)
class LaidKingdom:
    """A played kingdom as it lies: its board, every square's corners on the table, and each square's other half.

    Corners (4, 2) run clockwise from the top left of the printed half.
    """

    board: Board
    squares: dict[Square, Points]
    partner: dict[Square, Square]


@dataclass
class Scene:
    """Everything on one table."""

    kingdoms: list[LaidKingdom] = field(default_factory=list)
    tiles: list[Tile] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    loose: list[Points] = field(default_factory=list)  # face-up squares that belong to no kingdom

    def outline(self) -> Points:
        """Return all corners of all kingdoms (n, 2), or of the loose tiles where there is no kingdom."""
        quads = [quad for kingdom in self.kingdoms for quad in kingdom.squares.values()] or self.loose
        quads = quads or [tile.outline() for tile in self.tiles] or [np.array([[-2.0, -2.0], [2.0, 2.0]])]
        return np.concatenate(quads)


def rotation(turn: float) -> Points:
    return np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


@dataclass(frozen=True)
class Hand:
    """How carefully somebody lays dominoes: gaps, drift and jitter, in squares and radians."""

    pitch: float
    shift: float
    twist: float
    shear: float

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Hand:
        careful = rng.random() < 0.6
        return cls(
            pitch=1.0 + (abs(rng.normal(0, 0.015)) if careful else rng.uniform(0, 0.12)),
            shift=abs(rng.normal(0, 0.012 if careful else 0.05)),
            twist=abs(rng.normal(0, 0.01 if careful else 0.06)),
            shear=rng.normal(0, 0.004 if careful else 0.02),
        )


def lay(
    kingdom: PlayedKingdom, rng: np.random.Generator, *, at: tuple[float, float], turn: float, colour: str
) -> tuple[LaidKingdom, list[Tile]]:
    """Return the kingdom as somebody would lay it around `at`, and its tiles."""
    hand = Hand.draw(rng)
    middle = np.array([[s.col, s.row] for s in kingdom.board], float).mean(0)
    frame = rotation(turn) @ np.array([[1.0, hand.shear], [0.0, 1.0]])

    def spot(*squares: Square) -> Points:
        local = np.array([[s.col, s.row] for s in squares], float).mean(0) - middle
        jitter = np.clip(rng.normal(0, hand.shift, 2), -0.1, 0.1)
        return np.asarray(frame @ (local * hand.pitch + jitter) + np.array(at))

    def twist() -> float:
        return turn + float(np.clip(rng.normal(0, hand.twist), -0.14, 0.14))

    tiles: list[Tile] = []
    squares: dict[Square, Points] = {}
    partner: dict[Square, Square] = {}

    def put(tile: Tile, *where: Square) -> None:
        tiles.append(tile)
        squares.update(zip(where, tile.halves(), strict=True))

    top, first = kingdom.top_left

    def on_board(square: Square) -> Square:
        return Square(square.row - top, square.col - first)

    castle = on_board(kingdom.castle)
    x, y = spot(castle)
    put(Tile("castle", colour, (x, y), twist() + float(rng.integers(4)) * np.pi / 2), castle)
    for domino, *halves in kingdom.placements:
        left, right = (on_board(half) for half in halves)
        x, y = spot(left, right)
        along = np.arctan2(right.row - left.row, right.col - left.col)
        put(Tile("domino", int(domino.number), (x, y), twist() + float(along)), left, right)
        partner |= {left: right, right: left}
    return LaidKingdom(kingdom.board, squares, partner), tiles


class Crowd:
    """Keeps things on the table from lying on each other, with circles about sample points."""

    def __init__(self) -> None:
        self.taken: Points = np.zeros((0, 2))

    def free(self, points: Points, gap: float) -> bool:
        if not len(self.taken):
            return True
        return bool(np.min(np.linalg.norm(self.taken[:, None] - points[None], axis=2)) > gap)

    def add(self, points: Points) -> None:
        self.taken = np.concatenate([self.taken, points])


def _centres(quads: Iterable[Points]) -> Points:
    return np.array([quad.mean(0) for quad in quads])


def deal(
    rng: np.random.Generator, *, kingdoms: int | None = None, side: int | None = None, finished: bool | None = None
) -> Scene:
    """Return one random table. Games are drafted and played; unless told otherwise most tables hold one kingdom."""
    count = int(rng.choice([0, 1, 2, 3, 4], p=[0.05, 0.6, 0.14, 0.07, 0.14])) if kingdoms is None else kingdoms
    scene, crowd = Scene(), Crowd()
    side = side or int(rng.choice([5, 7], p=[0.55, 0.45]))
    players = 2 if side == 7 else int(rng.integers(max(2, count), 5))
    if count > players:
        players, side = count, 5
    done = rng.random() < 0.55 if finished is None else finished
    turns = None if done else int(rng.integers(1, 13))
    game = list(play(rng, players=players, side=side, turns=turns))
    order = rng.permutation(len(game))
    colours = rng.permutation(COLOURS)
    facing = rng.uniform(0, 2 * np.pi)
    for k in range(count):
        _seat(scene, crowd, game[order[k]], rng, facing + float(rng.integers(4)) * np.pi / 2, str(colours[k]), k)
    _clutter(scene, crowd, rng)
    return scene


def _seat(
    scene: Scene, crowd: Crowd, kingdom: PlayedKingdom, rng: np.random.Generator, turn: float, colour: str, k: int
) -> None:
    turn += rng.normal(0, 0.15)
    for reach in np.linspace(0 if k == 0 else 3, 16, 60):
        angle = rng.uniform(0, 2 * np.pi)
        at = (reach * float(np.cos(angle)), reach * float(np.sin(angle)))
        laid, tiles = lay(kingdom, rng, at=at, turn=turn, colour=colour)
        centres = _centres(laid.squares.values())
        if crowd.free(centres, 1.95):
            break
    else:
        return
    crowd.add(centres)
    scene.kingdoms.append(laid)
    scene.tiles += tiles
    if rng.random() < 0.45:
        castle = tiles[0]
        offset = rng.normal(0, 0.06, 2)
        turned = castle.turn + (rng.normal(0, 0.1) if rng.random() < 0.7 else rng.uniform(0, 6.3))
        scene.pieces.append(
            Piece(
                "castle",
                colour,
                (castle.centre[0] + offset[0], castle.centre[1] + offset[1]),
                turned,
                rng.uniform(0.85, 1.05),
            )
        )


def _clutter(scene: Scene, crowd: Crowd, rng: np.random.Generator) -> None:
    reach = 3.0 + float(np.abs(scene.outline()).max())
    used = {tile.name for tile in scene.tiles if tile.kind == "domino"}
    spare = [n for n in range(1, 49) if n not in used]
    rng.shuffle(spare)
    for add, odds in ((_offer, 0.2), (_scatter, 0.35), (_backs, 0.25), (_men, 0.3), (_things, 0.3), (_slips, 0.2)):
        if rng.random() < (odds if scene.kingdoms else 0.6):
            add(scene, crowd, rng, reach, spare)


def _drop(scene: Scene, crowd: Crowd, tiles: list[Tile], gap: float = 1.35) -> bool:
    centres = _centres(half for tile in tiles for half in tile.halves())
    if not crowd.free(centres, gap):
        return False
    crowd.add(centres)
    scene.tiles += tiles
    scene.loose += [half for tile in tiles if tile.kind == "domino" for half in tile.halves()]
    return True


def _somewhere(rng: np.random.Generator, reach: float) -> tuple[float, float]:
    return float(rng.uniform(-reach, reach)), float(rng.uniform(-reach, reach))


def _offer(scene: Scene, crowd: Crowd, rng: np.random.Generator, reach: float, spare: list[int]) -> None:
    """The line of dominoes on offer: three or four below each other, kings on some."""
    count, step, turn = int(rng.integers(3, 5)), rng.uniform(1.02, 1.35), rng.uniform(0, 2 * np.pi)
    for _ in range(12):
        x, y = _somewhere(rng, reach)
        down = rotation(turn) @ np.array([0.0, step])
        line = [
            Tile("domino", spare[-1 - i], (x + i * down[0], y + i * down[1]), turn + rng.normal(0, 0.03))
            for i in range(min(count, len(spare)))
        ]
        if line and _drop(scene, crowd, line, 1.9):
            del spare[-len(line) :]
            scene.pieces += [
                Piece("king", str(rng.choice(COLOURS)), t.centre, rng.uniform(0, 6.3))
                for t in line
                if rng.random() < 0.4
            ]
            return


def _scatter(scene: Scene, crowd: Crowd, rng: np.random.Generator, reach: float, spare: list[int]) -> None:
    for _ in range(int(rng.integers(1, 6))):
        if spare and _drop(scene, crowd, [Tile("domino", spare[-1], _somewhere(rng, reach), rng.uniform(0, 6.3))], 1.9):
            spare.pop()


def _backs(scene: Scene, crowd: Crowd, rng: np.random.Generator, reach: float, spare: list[int]) -> None:  # noqa: ARG001
    turn = rng.uniform(0, 6.3)
    for _ in range(int(rng.integers(1, 8))):
        _drop(scene, crowd, [Tile("back", int(rng.integers(1, 49)), _somewhere(rng, reach), turn + rng.normal(0, 0.2))])


def _men(scene: Scene, crowd: Crowd, rng: np.random.Generator, reach: float, spare: list[int]) -> None:  # noqa: ARG001
    kinds = ("king", "knight", "tower", "castle")
    for _ in range(int(rng.integers(1, 6))):
        at = _somewhere(rng, reach)
        if crowd.free(np.array([at]), 1.2):
            scene.pieces.append(
                Piece(
                    str(rng.choice(kinds, p=[0.5, 0.15, 0.15, 0.2])), str(rng.choice(COLOURS)), at, rng.uniform(0, 6.3)
                )
            )


def _things(scene: Scene, crowd: Crowd, rng: np.random.Generator, reach: float, spare: list[int]) -> None:  # noqa: ARG001
    """What people put down beside a game."""
    for _ in range(int(rng.integers(1, 6))):
        kind = str(rng.choice(["cup", "bottle", "coin", "plate", "box", "pencil", "die"]))
        _put_down(scene, crowd, kind, rng, reach, gap=REACH[kind] + 0.6)


def _slips(scene: Scene, crowd: Crowd, rng: np.random.Generator, reach: float, spare: list[int]) -> None:  # noqa: ARG001
    """Plain cards and slips of paper, near the kingdoms too: what looks like a tile and is none."""
    for _ in range(int(rng.integers(1, 6))):
        _put_down(scene, crowd, "card", rng, reach * rng.uniform(0.5, 1), gap=1.45)


def _put_down(scene: Scene, crowd: Crowd, kind: str, rng: np.random.Generator, reach: float, *, gap: float) -> None:
    at = _somewhere(rng, reach)
    if crowd.free(np.array([at]), gap):
        crowd.add(np.array([at]))
        scene.pieces.append(Piece(kind, "blue", at, rng.uniform(0, 6.3)))


Dealer = Callable[[np.random.Generator], Scene]
