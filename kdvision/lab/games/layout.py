"""What can lie on a table, and how a person lays out a kingdom.

Lengths are in squares. x runs right and y runs down, as on a board; z rises from the table. Angles are in radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.lab.arrays import Points, Rng
from kdvision.lab.games.play import CASTLE, PlayedKingdom

Place = TypeVar("Place")


@dataclass(frozen=True)
class Tile:
    """A flat piece of cardboard: a domino or its back (2 x 1), a castle tile or a building tile (1 x 1)."""

    kind: str  # "domino", "castle", "back", "building" or "unbuilt"
    name: int | str  # the domino's number, the castle's colour or the building's number
    centre: tuple[float, float]
    turn: float  # clockwise on the page; at 0 the left half lies towards -x

    @property
    def width(self) -> float:
        return 2.0 if self.kind in ("domino", "back") else 1.0

    def compute_halves(self) -> list[Points]:
        """Return the corners (4, 2) of each square, clockwise from the top left of the print: left half, right half."""
        return [self._place(x, 1.0) for x in ((-0.5, 0.5) if self.width > 1 else (0.0,))]

    def compute_outline(self) -> Points:
        """Return the corners (4, 2) of the whole tile."""
        return self._place(0.0, self.width)

    def _place(self, x: float, width: float) -> Points:
        left, right = x - width / 2, x + width / 2
        box = np.array([[left, -0.5], [right, -0.5], [right, 0.5], [left, 0.5]])
        return np.asarray(box @ make_rotation_matrix(self.turn).T + np.array(self.centre))


@dataclass(frozen=True)
class Piece:
    """An object that stands on the table or on a tile."""

    kind: str  # "castle", "king", "knight", "tower", "queen", "gem" or a kind of household object
    colour: str
    at: tuple[float, float]
    turn: float
    size: float = 1.0
    lean: float = 0.0  # by which it is tipped over, before it is turned


@dataclass(frozen=True)
class Kingdom(Generic[Place]):
    """A played kingdom on the table or in a picture: its board, where each square lies, and each square's other half.

    `pieces` maps squares to the kind of piece on them; `gems` are the crossings with a gem, each named by the upper
    left of its four squares.
    """

    board: Board
    squares: dict[Square, Place]
    partner: dict[Square, Square]
    pieces: Mapping[Square, str] = field(default_factory=dict)
    gems: frozenset[Square] = frozenset()


KingdomLayout = Kingdom[Points]
"""A kingdom on the table: corners (4, 2) of each square, clockwise from the top left of the printed half."""


@dataclass
class Scene:
    """Everything on one table."""

    kingdoms: list[KingdomLayout] = field(default_factory=list)
    tiles: list[Tile] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    loose: list[Points] = field(default_factory=list)  # face-up squares that belong to no kingdom

    def compute_outline(self) -> Points:
        """Return the corners (n, 2) of all kingdoms, or of the loose tiles if there is no kingdom."""
        quads = [quad for kingdom in self.kingdoms for quad in kingdom.squares.values()] or self.loose
        quads = quads or [tile.compute_outline() for tile in self.tiles] or [np.array([[-2.0, -2.0], [2.0, 2.0]])]
        return np.concatenate(quads)


def make_rotation_matrix(turn: float) -> Points:
    """Return the matrix (2, 2) that turns points by an angle."""
    return np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


@dataclass(frozen=True)
class LayoutNoise:
    """How carelessly dominoes are laid, in squares and radians."""

    pitch: float  # distance between neighbouring squares
    shift: float  # standard deviation of a domino's offset
    twist: float  # standard deviation of a domino's turn
    shear: float
    limit: float = 0.14  # largest turn of a domino

    @classmethod
    def sample(cls, rng: Rng) -> LayoutNoise:
        """Return random noise: six of ten players are careful."""
        is_careful = rng.random() < 0.6
        return cls(
            pitch=1.0 + (abs(rng.normal(0, 0.015)) if is_careful else rng.uniform(0, 0.12)),
            shift=abs(rng.normal(0, 0.012 if is_careful else 0.05)),
            twist=abs(rng.normal(0, 0.01 if is_careful else 0.06)),
            shear=rng.normal(0, 0.004 if is_careful else 0.02),
        )


def lay_out(
    kingdom: PlayedKingdom,
    rng: Rng,
    *,
    at: tuple[float, float],
    turn: float,
    colour: str,
    noise: LayoutNoise | None = None,
) -> tuple[KingdomLayout, list[Tile]]:
    """Return the layout of a kingdom around a point, and its tiles, the castle's first."""
    noise = noise or LayoutNoise.sample(rng)
    middle = np.array([[s.col, s.row] for s in kingdom.board], float).mean(0)
    frame = make_rotation_matrix(turn) @ np.array([[1.0, noise.shear], [0.0, 1.0]])
    first_row, first_col = kingdom.top_left
    tiles: list[Tile] = []
    squares: dict[Square, Points] = {}
    partner: dict[Square, Square] = {}

    def put_tile(kind: str, name: int | str, heading: float, *places: Square) -> None:
        offset = np.array([[s.col, s.row] for s in places], float).mean(0) - middle
        jitter = np.clip(rng.normal(0, noise.shift, 2), -0.1, 0.1)
        x, y = frame @ (offset * noise.pitch + jitter) + np.array(at)
        twist = turn + float(np.clip(rng.normal(0, noise.twist), -noise.limit, noise.limit))
        if kind == "castle":
            heading = float(rng.integers(4)) * np.pi / 2
        tiles.append(Tile(kind, name, (x, y), twist + heading))
        squares.update(zip(places, tiles[-1].compute_halves(), strict=True))

    put_tile("castle", colour, 0.0, Square(CASTLE.row - first_row, CASTLE.col - first_col))
    for domino, *halves in kingdom.placements:
        left, right = (Square(half.row - first_row, half.col - first_col) for half in halves)
        put_tile("domino", domino.number, float(np.arctan2(right.row - left.row, right.col - left.col)), left, right)
        partner |= {left: right, right: left}
    return KingdomLayout(kingdom.board, squares, partner), tiles
