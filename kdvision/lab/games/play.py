"""Simulated games of Kingdomino.

The boards of real games differ from random boards: territories grow, all kingdoms share 48 dominoes, and some dominoes
are discarded. So whole games are drafted, with players who choose greedily on most turns and at random on others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import KINGDOMINO, Deck, Domino
from kdvision.lab.arrays import Rng

_DOMINOES_PER_PLAYER = 12
CASTLE = Square(0, 0)
_MIGHTY_DUEL = (2, 7)  # players, side: the only game of two players that uses all dominoes


class Placement(NamedTuple):
    """A placed domino. Squares are relative to the castle, so rows and columns may be negative."""

    domino: Domino
    left: Square
    right: Square


@dataclass(frozen=True)
class PlayedKingdom:
    """One player's kingdom. The castle lies on (0, 0); `placements` are in the order of play."""

    placements: tuple[Placement, ...]
    discards: tuple[Domino, ...] = ()

    @cached_property
    def top_left(self) -> Square:
        """The top left of the bounding rectangle; subtract it to get squares of `board`."""
        squares = [CASTLE, *(square for p in self.placements for square in (p.left, p.right))]
        return Square(min(s.row for s in squares), min(s.col for s in squares))

    @cached_property
    def board(self) -> Board:
        """The board, framed by the bounding rectangle."""
        cells = {CASTLE: Cell(Terrain.CASTLE)}
        for domino, left, right in self.placements:
            cells[left], cells[right] = domino.left, domino.right
        first_row, first_col = self.top_left
        return Board({Square(s.row - first_row, s.col - first_col): cell for s, cell in cells.items()})


def play(
    rng: Rng,
    *,
    players: int,
    side: int = 5,
    turns: int | None = None,
    deck: Deck = KINGDOMINO,
    care: tuple[float, float] = (0.35, 1.0),
) -> list[PlayedKingdom]:
    """Return the kingdoms of one simulated game, in seat order. Equal generators give equal games.

    Two players place two dominoes a turn, of 24 (5x5) or of all 48 (7x7, The Mighty Duel); three players share 36
    dominoes, four share 48. The game ends after `turns` rounds (None: with the last domino). `care` is the range of the
    share of moves that a player optimises; the other moves are random.
    """
    if not 2 <= players <= 4:
        raise ValueError(f"a game has 2 to 4 players, not {players}")
    count = len(deck) if (players, side) == _MIGHTY_DUEL else min(len(deck), players * _DOMINOES_PER_PLAYER)
    width = 3 if players == 3 else 4
    drawn_indices = [int(i) for i in rng.permutation(len(deck))[:count]]
    lines = [[deck[i] for i in sorted(drawn_indices[start : start + width])] for start in range(0, count, width)]
    return play_draft(rng, lines, kingdoms=players, kings=2 if players == 2 else 1, side=side, turns=turns, care=care)


def play_draft(
    rng: Rng,
    lines: Sequence[Sequence[Domino]],
    *,
    kingdoms: int,
    kings: int,
    side: int,
    turns: int | None = None,
    care: tuple[float, float] = (0.35, 1.0),
) -> list[PlayedKingdom]:
    """Return the kingdoms after the first `turns` lines of dominoes were chosen, by `kings` kings each, and placed."""
    players = [
        _Player(side, care=float(rng.uniform(*care)), draw=_generate_uniform(rng).__next__) for _ in range(kingdoms)
    ]
    order: list[tuple[int, Domino | None]] = [(int(k), None) for k in rng.permutation([*range(kingdoms)] * kings)]
    for line in [*lines, ()][: None if turns is None else turns + 1]:
        player_by_slot: dict[int, int] = {}
        for number, domino in order:  # each king places its domino and chooses one of the new line
            if domino is not None:
                players[number].place(domino)
            if free_slots := [slot for slot in range(len(line)) if slot not in player_by_slot]:
                player_by_slot[players[number].choose_slot(line, free_slots)] = number
        order = [(player_by_slot[slot], line[slot]) for slot in sorted(player_by_slot)]
    return [PlayedKingdom(tuple(player.placements), tuple(player.discards)) for player in players]


def _generate_uniform(rng: Rng) -> Iterator[float]:
    """Yield uniform numbers in [0, 1), drawn a thousand at a time for speed."""
    while True:
        yield from rng.random(1000).tolist()


@dataclass(eq=False)
class _Territory:
    terrain: Terrain
    squares: list[int]
    crowns: int


class _Player:
    """A player's board during the game. A square is one integer, row * stride + column."""

    def __init__(self, side: int, *, care: float, draw: Callable[[], float]) -> None:
        self.side, self.care, self.draw = side, care, draw
        self.stride = 2 * side + 1
        self.steps = (-self.stride, 1, self.stride, -1)
        self.cells: dict[int, Cell] = {side * self.stride + side: Cell(Terrain.CASTLE)}
        self.territories: dict[int, _Territory] = {}
        self.bounds = (side, side, side, side)  # top, bottom, left, right
        self.placements: list[Placement] = []
        self.discards: list[Domino] = []

    def choose_slot(self, line: Sequence[Domino], free_slots: Sequence[int]) -> int:
        if self.draw() > self.care:
            return free_slots[int(self.draw() * len(free_slots))]
        return max(free_slots, key=lambda slot: self._find_best(line[slot])[0])

    def place(self, domino: Domino) -> None:
        """Place the domino, or discard it if it fits nowhere."""
        if self.draw() > self.care:
            spots = list(self._find_spots(domino))
            spot = spots[int(self.draw() * len(spots))] if spots else None
        else:
            spot = self._find_best(domino)[1]
        if spot is None:
            self.discards.append(domino)
            return
        for at, cell in zip(spot, (domino.left, domino.right), strict=True):
            self._put_cell(at, cell)
        left, right = (Square(at // self.stride - self.side, at % self.stride - self.side) for at in spot)
        self.placements.append(Placement(domino, left, right))

    def _find_best(self, domino: Domino) -> tuple[float, tuple[int, int] | None]:
        rated_spots = [(self._rate(domino, spot) + 0.5 * self.draw(), spot) for spot in self._find_spots(domino)]
        return max(rated_spots, default=(-1.0, None))

    def _find_spots(self, domino: Domino) -> Iterator[tuple[int, int]]:
        """Yield every legal placement: (square of the left half, square of the right half)."""
        left, right = (self._find_matches(half.terrain) for half in (domino.left, domino.right))
        for at in sorted(left):
            yield from ((at, at + step) for step in self.steps if self._has_room(at, at + step))
        for at in sorted(right):
            for step in self.steps:
                if at + step not in left and self._has_room(at, at + step):
                    yield at + step, at

    def _find_matches(self, terrain: Terrain) -> set[int]:
        """Return the empty squares that touch the castle or the terrain."""
        hosts = [at for at, cell in self.cells.items() if cell.terrain in (terrain, Terrain.CASTLE)]
        return {at + step for at in hosts for step in self.steps} - self.cells.keys()

    def _has_room(self, square: int, neighbour: int) -> bool:
        """Return whether two squares beside each other are empty and keep the kingdom within the side."""
        if square in self.cells or neighbour in self.cells:
            return False
        top, bottom, left, right = self._extend_bounds(square, neighbour)
        return bottom - top < self.side and right - left < self.side

    def _extend_bounds(self, *squares: int) -> tuple[int, int, int, int]:
        top, bottom, left, right = self.bounds
        for row, col in (divmod(at, self.stride) for at in squares):
            top, bottom, left, right = min(top, row), max(bottom, row), min(left, col), max(right, col)
        return top, bottom, left, right

    def _rate(self, domino: Domino, spot: tuple[int, int]) -> float:
        """Return the points gained at once, plus a little for joined territories and for few gaps."""
        left, right = domino.left, domino.right
        left_territories = self._find_touching(spot[0], left.terrain)
        right_territories = self._find_touching(spot[1], right.terrain)
        if left.terrain is right.terrain:
            gain = _compute_gain(left_territories | right_territories, squares=2, crowns=left.crowns + right.crowns)
        else:
            gain = _compute_gain(left_territories, squares=1, crowns=left.crowns)
            gain += _compute_gain(right_territories, squares=1, crowns=right.crowns)
        contacts = sum(at + step in self.cells for at in spot for step in self.steps)
        return gain + 0.8 * (len(left_territories) + len(right_territories)) + 0.15 * contacts

    def _find_touching(self, at: int, terrain: Terrain) -> set[_Territory]:
        neighbours = (self.territories.get(at + step) for step in self.steps)
        return {territory for territory in neighbours if territory is not None and territory.terrain is terrain}

    def _put_cell(self, at: int, cell: Cell) -> None:
        territory = _Territory(cell.terrain, [at], cell.crowns)
        for neighbour in self._find_touching(at, cell.terrain):
            territory.squares += neighbour.squares
            territory.crowns += neighbour.crowns
        self.cells[at] = cell
        self.territories.update(dict.fromkeys(territory.squares, territory))
        self.bounds = self._extend_bounds(at)


def _compute_gain(territories: set[_Territory], *, squares: int, crowns: int) -> float:
    old_points = sum(len(t.squares) * t.crowns for t in territories)
    new_points = (sum(len(t.squares) for t in territories) + squares) * (sum(t.crowns for t in territories) + crowns)
    return new_points - old_points
