"""What can lie on a table, and how somebody lays a kingdom there, more or less carefully.

Lengths are in squares. x runs right and y runs down, as on a board; z rises from the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from kdvision.game.board import Board, Square
from kdvision.lab.games.play import PlayedKingdom

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tile:
    """One flat piece of card: a domino or its back (2 x 1), a castle tile or a building, finished or not (1 x 1)."""

    kind: str  # "domino", "castle", "back", "building" or "unbuilt"
    name: int | str  # the domino's number, the castle's colour, or which building
    centre: tuple[float, float]
    turn: float  # radians, clockwise on the page; the left half lies towards -x at 0

    @property
    def width(self) -> float:
        return 2.0 if self.kind in ("domino", "back") else 1.0

    def halves(self) -> list[Points]:
        """Return each square's corners (4, 2), clockwise from the picture's top left: left half, right half."""
        return [self.place(x, 1.0) for x in ((-0.5, 0.5) if self.width > 1 else (0.0,))]

    def outline(self) -> Points:
        return self.place(0.0, self.width)

    def place(self, x: float, width: float) -> Points:
        left, right = x - width / 2, x + width / 2
        box = np.array([[left, -0.5], [right, -0.5], [right, 0.5], [left, 0.5]])
        return np.asarray(box @ rotation(self.turn).T + np.array(self.centre))


@dataclass(frozen=True)
class Piece:
    """Something that stands on the table or on a tile."""

    kind: str  # "castle", "king", "knight", "tower", "queen", "gem", or a kind of `clutter`
    colour: str
    at: tuple[float, float]
    turn: float
    size: float = 1.0


@dataclass(frozen=True)
class KingdomLayout:
    """A played kingdom as it lies: its board, every square's corners on the table, and each square's other half.

    Corners (4, 2) run clockwise from the top left of the printed half. `pieces` are what stands or lies on squares,
    by name; `gems` the crossings with a token, each by the upper left of its four squares.
    """

    board: Board
    squares: dict[Square, Points]
    partner: dict[Square, Square]
    pieces: Mapping[Square, str] = field(default_factory=dict)
    gems: frozenset[Square] = frozenset()


@dataclass
class Scene:
    """Everything on one table."""

    kingdoms: list[KingdomLayout] = field(default_factory=list)
    tiles: list[Tile] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    loose: list[Points] = field(default_factory=list)  # face-up squares that belong to no kingdom

    def outline(self) -> Points:
        """Return all corners of all kingdoms (n, 2), or of the loose tiles where there is no kingdom."""
        quads = [quad for kingdom in self.kingdoms for quad in kingdom.squares.values()] or self.loose
        quads = quads or [tile.outline() for tile in self.tiles] or [np.array([[-2.0, -2.0], [2.0, 2.0]])]
        return np.concatenate(quads)

    def without(self, kingdom: KingdomLayout, domino: frozenset[Square]) -> KingdomLayout:
        """Take a domino, its two squares, out of a kingdom that lies here, and return what is left of that."""
        halves = np.array([kingdom.squares[square].mean(0) for square in domino])
        away = [float(np.linalg.norm(np.array(tile.centre) - halves.mean(0))) for tile in self.tiles]
        del self.tiles[int(np.argmin(away))]
        board = Board(
            {s: cell for s, cell in kingdom.board.items() if s not in domino},
            height=kingdom.board.height,
            width=kingdom.board.width,
        )
        squares = {square: corners for square, corners in kingdom.squares.items() if square not in domino}
        partner = {square: other for square, other in kingdom.partner.items() if square not in domino}
        left = replace(kingdom, board=board, squares=squares, partner=partner)
        self.kingdoms = [left if one is kingdom else one for one in self.kingdoms]
        return left


def rotation(turn: float) -> Points:
    return np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


@dataclass(frozen=True)
class LayoutNoise:
    """How carefully somebody lays dominoes: gaps, drift and jitter, in squares and radians.

    `twist` is the spread of how far dominoes are turned; none is turned further than `limit`.
    """

    pitch: float
    shift: float
    twist: float
    shear: float
    limit: float = 0.14

    @classmethod
    def draw(cls, rng: np.random.Generator) -> LayoutNoise:
        careful = rng.random() < 0.6
        return cls(
            pitch=1.0 + (abs(rng.normal(0, 0.015)) if careful else rng.uniform(0, 0.12)),
            shift=abs(rng.normal(0, 0.012 if careful else 0.05)),
            twist=abs(rng.normal(0, 0.01 if careful else 0.06)),
            shear=rng.normal(0, 0.004 if careful else 0.02),
        )


def lay_out(
    kingdom: PlayedKingdom,
    rng: np.random.Generator,
    *,
    at: tuple[float, float],
    turn: float,
    colour: str,
    hand: LayoutNoise | None = None,
) -> tuple[KingdomLayout, list[Tile]]:
    """Return the kingdom as somebody would lay it around `at`, and its tiles, the castle's first."""
    hand = hand or LayoutNoise.draw(rng)
    middle = np.array([[s.col, s.row] for s in kingdom.board], float).mean(0)
    frame = rotation(turn) @ np.array([[1.0, hand.shear], [0.0, 1.0]])

    def spot(*squares: Square) -> Points:
        local = np.array([[s.col, s.row] for s in squares], float).mean(0) - middle
        jitter = np.clip(rng.normal(0, hand.shift, 2), -0.1, 0.1)
        return np.asarray(frame @ (local * hand.pitch + jitter) + np.array(at))

    def twist() -> float:
        return turn + float(np.clip(rng.normal(0, hand.twist), -hand.limit, hand.limit))

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
        put(Tile("domino", domino.number, (x, y), twist() + float(along)), left, right)
        partner |= {left: right, right: left}
    return KingdomLayout(kingdom.board, squares, partner), tiles
