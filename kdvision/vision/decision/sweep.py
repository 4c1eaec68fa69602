"""The cheapest layings of single kingdoms, window by window: exact, as long as nobody counts the box's dominoes.

A sweep goes over a window square by square and keeps, for every way the next squares may be covered already (and
whether the castle lies yet), the least that the rest costs: dynamic programming over the broken profile. Many windows
and many price lists go through one sweep together, as arrays. What dominoes cost may hold a price for their face: that
is how `solver` makes kingdoms share a box, and how rivals of an answer are looked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kdvision.vision.decision.candidates import IMPOSSIBLE, Catalogue, Floats, Ints
from kdvision.vision.decision.windows import Window

_EMPTY, _LONE, _CASTLE, _DOWN, _RIGHT = range(5)


@dataclass(frozen=True)
class Costs:
    """Price lists: what each square costs empty, under a lone half, under the castle (lists, squares), each pair under
    its cheapest domino and the number of that piece (lists, pairs + 1; the last is no pair)."""

    catalogue: Catalogue
    empty: Floats
    lone: Floats
    castle: Floats
    pair: Floats
    piece: Ints


@dataclass(frozen=True)
class Stack:
    """Windows of one shape on top of each other: their numbers, and their squares and pairs (windows, tall, wide).

    They lie on their side where that makes them narrower: what is `right` then is down in the photo.
    """

    windows: Ints
    squares: Ints
    right: Ints
    down: Ints


def stacks(catalogue: Catalogue, windows: Sequence[Window]) -> tuple[Stack, ...]:
    """All windows, by shape."""
    right, down = _pairs_of(catalogue)
    shapes: dict[tuple[int, ...], list[int]] = {}
    for number, window in enumerate(windows):
        shapes.setdefault(window.squares.shape, []).append(number)
    return tuple(_stack(numbers, windows, right, down, len(catalogue.pairs)) for numbers in shapes.values())


def _pairs_of(catalogue: Catalogue) -> tuple[Ints, Ints]:
    """For each square the pair with its right neighbour and that with the one below; the last number for none."""
    right, down = (np.full(catalogue.squares, len(catalogue.pairs)) for _ in range(2))
    start = 0
    for frame in catalogue.frames:
        across, below = frame.numbers[:, :-1].ravel(), frame.numbers[:-1].ravel()
        right[across] = np.arange(start, start + len(across))
        down[below] = np.arange(start + len(across), start + len(across) + len(below))
        start += len(across) + len(below)
    return right, down


def _stack(numbers: Sequence[int], windows: Sequence[Window], right: Ints, down: Ints, none: int) -> Stack:
    squares = np.stack([windows[number].squares for number in numbers])
    across, below = right[squares], down[squares]
    across[:, :, -1], below[:, -1] = none, none
    if squares.shape[1] < squares.shape[2]:
        squares, across, below = (part.transpose(0, 2, 1) for part in (squares, below, across))
    return Stack(np.array(numbers), squares, across, below)


@dataclass(frozen=True)
class Sweep:
    """Windows swept with price lists: entry e is the scene's window `windows[e]`, the stack's `place[e]`, under list
    `row[e]`.

    `cells` (squares, ways, entries) are the costs of each square's ways in sweeping order; `rest` (squares + 1,
    entries, castle lies, profile) what the squares from there on cost at least.
    """

    stack: Stack
    costs: Costs
    row: Ints
    windows: Ints
    place: Ints
    cells: Floats
    rest: Floats

    @property
    def totals(self) -> Floats:
        """What each entry costs at least."""
        return np.asarray(self.rest[0, :, 0, 0])

    def traced(self, entries: Ints) -> list[Ints]:
        """The numbers of the pieces of the cheapest laying of each of these entries."""
        return [self._traced(entry) for entry in entries.tolist()]

    def _traced(self, entry: int) -> Ints:
        """One laying; plain numbers, because a step of it is too little for arrays."""
        half, place, starts = self.rest.shape[3] // 2, int(self.place[entry]), self.costs.catalogue.starts
        squares = self.stack.squares[place].ravel().tolist()
        pairs = [part[place].ravel() for part in (self.stack.down, self.stack.right)]
        down, right = (self.costs.piece[self.row[entry], pair].tolist() for pair in pairs)
        found, castle, profile = [], 0, 0
        for number, costs in enumerate(self.cells[:, :, entry].tolist()):
            free, after = profile >> 1, self.rest[number + 1]
            if profile & 1:
                profile = free
                continue
            empty, lone, throne, below, beside = costs
            plain = after.item(entry, castle, free)
            ways = [
                (empty + plain, free, castle, -1),
                (lone + plain, free, castle, starts[1] + squares[number]),
                (below + after.item(entry, castle, free | half), free | half, castle, down[number]),
            ]
            if not castle:
                ways.append((throne + after.item(entry, 1, free), free, 1, starts[2] + squares[number]))
            if not free & 1:
                ways.append((beside + after.item(entry, castle, free | 1), free | 1, castle, right[number]))
            _, profile, castle, piece = min(ways)
            found.append(piece)
        return np.array([piece for piece in found if piece >= 0], np.intp)

    def margins(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The least that each entry costs if a square is empty, a lone half, the castle, or if a pair is one domino.

        Shapes (entries, squares) three times and (entries, pairs + 1), counted over all grids; a square outside the
        window is empty at no more cost, and everything else there is impossible.
        """
        entries, catalogue = len(self.row), self.costs.catalogue
        single = np.full((3, entries, catalogue.squares), IMPOSSIBLE)
        single[_EMPTY] = self.totals[:, None]
        pair = np.full((entries, len(catalogue.pairs) + 1), IMPOSSIBLE)
        each, least = (
            np.arange(entries)[:, None],
            _least(_onwards(self.cells, self.rest[0].shape), self.rest, self.cells),
        )
        squares, right, down = (
            part[self.place].reshape(entries, -1) for part in (self.stack.squares, self.stack.right, self.stack.down)
        )
        single[:, each, squares] = least[:3]
        pair[each, down], pair[each, right] = least[_DOWN], least[_RIGHT]
        pair[:, -1] = IMPOSSIBLE
        return single[0], single[1], single[2], pair


def sweep(stack: Stack, costs: Costs, rows: Ints, windows: Ints, *, no_castle: float) -> Sweep:
    """Sweep these windows of the scene, all in this stack, each under the price list of its row."""
    wide = stack.squares.shape[2]
    place = np.searchsorted(stack.windows, windows)
    squares, right, down = (part[place].reshape(len(place), -1) for part in (stack.squares, stack.right, stack.down))
    at = rows[:, None]
    parts = [part[at, squares] for part in (costs.empty, costs.lone, costs.castle)]
    cells = np.stack([*parts, costs.pair[at, down], costs.pair[at, right]]).transpose(2, 0, 1).copy()
    rest = _before(cells, (len(windows), 2, 2**wide), no_castle)
    return Sweep(stack, costs, rows, windows, place, cells, rest)


def _before(cells: Floats, shape: tuple[int, ...], no_castle: float) -> Floats:
    """What everything from a square on costs (squares + 1, entries, castle, profile), from the last square backwards.

    A profile's lowest bit tells whether the square itself is covered already, the next bits the squares that follow.
    """
    half, rest = shape[2] // 2, np.empty((len(cells) + 1, *shape))
    rest[-1] = IMPOSSIBLE
    rest[-1, :, 0, 0], rest[-1, :, 1, 0] = no_castle, 0.0
    plain, castle, down, right = _ways(cells)
    for number in reversed(range(len(cells))):
        here, after = rest[number], rest[number + 1]
        low, high = after[..., :half], after[..., half:]
        free = low + plain[number]
        np.minimum(free, high + down[number], out=free)
        np.minimum(free[:, 0], low[:, 1] + castle[number], out=free[:, 0])
        if half > 1:
            np.minimum(free[..., 0::2], low[..., 1::2] + right[number], out=free[..., 0::2])
        here[..., 0::2], here[..., 1::2] = free, low
    return rest


def _onwards(cells: Floats, shape: tuple[int, ...]) -> Floats:
    """What everything before a square costs (squares, entries, castle, profile), from the first square onwards."""
    half, ahead = shape[2] // 2, np.empty((len(cells), *shape))
    ahead[0] = IMPOSSIBLE
    ahead[0, :, 0, 0] = 0.0
    plain, castle, down, right = _ways(cells)
    for number in range(len(cells) - 1):
        before, here = ahead[number], ahead[number + 1]
        free, covered = before[..., 0::2], before[..., 1::2]
        low = np.minimum(covered, free + plain[number], out=here[..., :half])
        np.minimum(low[:, 1], free[:, 0] + castle[number], out=low[:, 1])
        if half > 1:
            np.minimum(low[..., 1::2], free[..., 0::2] + right[number], out=low[..., 1::2])
        np.add(free, down[number], out=here[..., half:])
    return ahead


def _ways(cells: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """What each square costs if nothing more than itself is settled, under the castle, and under a pair down or right.

    Each but the castle's (squares, entries, 1) has the shape (squares, entries, 1, 1).
    """
    plain = np.minimum(cells[:, _EMPTY], cells[:, _LONE])[..., None, None]
    return plain, cells[:, _CASTLE, :, None], cells[:, _DOWN, :, None, None], cells[:, _RIGHT, :, None, None]


def _least(before: Floats, rest: Floats, cells: Floats) -> Floats:
    """What everything costs at least with each way on a square (ways, entries, squares)."""
    half = rest.shape[3] // 2
    free, low, high = before[..., 0::2], rest[1:, ..., :half], rest[1:, ..., half:]
    plain = (free + low).min(axis=(2, 3))
    throne = (free[:, :, 0] + low[:, :, 1]).min(axis=2)
    down = (free + high).min(axis=(2, 3))
    right = (free[..., 0::2] + low[..., 1::2]).min(axis=(2, 3)) if half > 1 else np.full_like(plain, IMPOSSIBLE)
    return np.asarray((cells.transpose(1, 0, 2) + np.stack([plain, plain, throne, down, right])).transpose(0, 2, 1))
