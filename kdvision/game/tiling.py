"""Which dominoes of a box can lie under a board: an exact search over all ways to pair its squares.

Squares are numbered and sets of them are bits of an int. The search takes the square with the fewest partners left
first.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import Deck, DeckIndex, index_deck

UNLIMITED: Final = 99
"""A supply that is larger than the number of places for one face on any board."""

Pair = tuple[int, int]
"""Two squares that one domino covers, by their numbers in a Puzzle."""

Tiling = tuple[Pair, ...]
"""One way to lay a board: the pairs of squares that its dominoes cover."""


class Undecided(Exception):
    """The search was stopped because there are too many ways to look at."""


class Puzzle(NamedTuple):
    """The squares of a board to be paired: `face[i][j]` is the index of the face that a domino on i and j would show.

    `places` has, for each of these indices, the pairs of squares that would show the face. As bits,
    `beside_castle` are the squares beside a castle, `same_terrain[i]` the neighbours of i with its terrain.
    """

    board: Board
    box: DeckIndex
    squares: tuple[Square, ...]
    face: tuple[dict[int, int], ...]
    places: dict[int, list[Pair]]
    beside_castle: int
    same_terrain: tuple[int, ...]


@lru_cache(maxsize=64)
def make_puzzle(board: Board, deck: Deck) -> Puzzle:
    """Return the puzzle of a board: all squares but the castles, paired if the deck has a domino for both."""
    squares = tuple(square for square, cell in board.items() if cell.terrain is not Terrain.CASTLE)
    index = {square: i for i, square in enumerate(squares)}
    box, places = index_deck(deck), defaultdict[int, list[Pair]](list)
    face: tuple[dict[int, int], ...] = tuple({} for _ in squares)
    same_terrain = [0] * len(squares)
    for i, square in enumerate(squares):
        for neighbour in square.list_neighbours()[1:3]:
            j = index.get(neighbour)
            if j is None:
                continue
            cell, other = board[square], board[neighbour]
            if (face_index := box.face_index.get((cell, other))) is not None:
                face[i][j] = face[j][i] = face_index
                places[face_index].append((i, j))
            if other.terrain is cell.terrain:
                same_terrain[i] |= 1 << j
                same_terrain[j] |= 1 << i
    starts = {
        index[square] for castle in board.find_castles() for square in castle.list_neighbours() if square in index
    }
    return Puzzle(board, box, squares, face, dict(places), sum(1 << i for i in starts), tuple(same_terrain))


def find_tilings(puzzle: Puzzle, *, supply: Sequence[int] = (), budget: int = 100_000) -> Iterator[Tiling]:
    """Yield every way to cover all squares by dominoes in `supply`, by default those of the box.

    Raises Undecided after `budget` steps.
    """
    remaining_supply, tiling_pairs = list(supply or puzzle.box.supply), list[Pair]()
    scarce_faces = [face for face, pairs in puzzle.places.items() if len(pairs) > remaining_supply[face]]
    dead_ends = set[tuple[int, ...]]()  # positions from which no tiling was found

    def cover(free_bits: int) -> Iterator[Tiling]:
        nonlocal budget
        if not free_bits:
            yield tuple(tiling_pairs)
            return
        if not budget:
            raise Undecided
        key = (free_bits, *(remaining_supply[face] for face in scarce_faces))
        if key in dead_ends:
            return
        budget -= 1
        square, options = _find_most_constrained(puzzle, free_bits, remaining_supply)
        is_found = False
        for other in options:
            face = puzzle.face[square][other]
            remaining_supply[face] -= 1
            tiling_pairs.append((square, other) if square < other else (other, square))
            for tiling in cover(free_bits & ~(1 << square | 1 << other)):
                is_found = True
                yield tiling
            tiling_pairs.pop()
            remaining_supply[face] += 1
        if not is_found:
            dead_ends.add(key)

    return cover((1 << len(puzzle.squares)) - 1)


def _find_most_constrained(puzzle: Puzzle, free_bits: int, supply: Sequence[int]) -> tuple[int, list[int]]:
    """Return the free square that can be paired in the fewest ways, and its partners."""
    best_square, best_partners = -1, [0] * 5
    for square, row in enumerate(puzzle.face):
        if free_bits >> square & 1:
            partners = [other for other, face in row.items() if free_bits >> other & 1 and supply[face]]
            if len(partners) < len(best_partners):
                best_square, best_partners = square, partners
                if len(best_partners) < 2:
                    break
    return best_square, best_partners


def find_unreachable(puzzle: Puzzle, tiling: Tiling) -> frozenset[Square]:
    """Return the squares that no order of play can have laid; empty for a valid kingdom.

    A domino can be laid once a side of it touches the castle, or the same terrain of a domino laid before
    (kingdomino/connection). A domino that is laid never hinders another, so any order that lays all it can is the best.
    """
    links = list(puzzle.same_terrain)
    for i, j in tiling:
        links[i] |= 1 << j
        links[j] |= 1 << i
    reached_bits, pending_bits = 0, puzzle.beside_castle
    while pending_bits:
        bit = pending_bits & -pending_bits
        reached_bits |= bit
        pending_bits = (pending_bits | links[bit.bit_length() - 1]) & ~reached_bits
    return frozenset(square for i, square in enumerate(puzzle.squares) if not reached_bits >> i & 1)


def find_legal_tilings(puzzle: Puzzle) -> Iterator[Tiling]:
    """Yield every tiling that can have been laid in some order; raises Undecided."""
    return (tiling for tiling in find_tilings(puzzle) if not find_unreachable(puzzle, tiling))


def find_unpaired(puzzle: Puzzle) -> tuple[Square, ...]:
    """Return the squares left over if as many as possible are paired, whatever the supply.

    Dominoes join dark and light squares of a chessboard, so augmenting paths find a maximum matching (Berge, 1957).
    """
    mate: dict[int, int] = {}

    def augment(i: int, visited_squares: set[int]) -> bool:
        for j in puzzle.face[i]:
            if j not in visited_squares:
                visited_squares.add(j)
                if j not in mate or augment(mate[j], visited_squares):
                    mate[j] = i
                    return True
        return False

    dark_squares = [i for i, square in enumerate(puzzle.squares) if (square.row + square.col) % 2]
    single_squares = {i for i in dark_squares if not augment(i, set())}
    light_squares = set(range(len(puzzle.squares))) - set(dark_squares) - mate.keys()
    return tuple(puzzle.squares[i] for i in sorted(single_squares | light_squares))


def count_fewest(puzzle: Puzzle, face: int, limit: int) -> int:
    """Return the fewest dominoes of one face with which the board can be tiled, at most `limit` + 1."""
    supply = [UNLIMITED] * len(puzzle.box.supply)
    for count in range(limit + 1):
        supply[face] = count
        if next(find_tilings(puzzle, supply=supply), None) is not None:
            return count
    return limit + 1


def find_overused_faces(puzzles: Sequence[Puzzle]) -> Iterator[tuple[int, int]]:
    """Yield each face that the boards need more often than the box has it, with how many of it they need."""
    for face, limit in enumerate(puzzles[0].box.supply):
        if sum(len(puzzle.places.get(face, ())) for puzzle in puzzles) > limit:
            demand = sum(count_fewest(puzzle, face, limit) for puzzle in puzzles)
            if demand > limit:
                yield face, demand
