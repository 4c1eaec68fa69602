"""The integer programme behind `decide`: which pieces lie on the grids of a photo.

Columns are pieces, windows (where on its grid a kingdom of side x side lies) and ways out at a price; rows say that a
square is covered once and inside the window, that no face is used more often than the box has it, and that each kingdom
has one castle. Only pieces which the readings support enter the solver. The others are priced with the duals of the
linear relaxation, and those that could still better the answer are let in: the result is exact, while most of the
programme is never built.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from kdvision.errors import KdvisionError
from kdvision.game.deck import Deck
from kdvision.vision.candidates import (
    Bonds,
    Floats,
    Frame,
    Ints,
    Mask,
    Candidates,
    Prices,
    catalogue,
    frames_of,
    stock_of,
)

SUPPORTED: Final = 4.0
"""Candidates that lose more than this against the likeliest kinds of their squares wait outside until priced in."""

SIDES: Final = (5, 7)
"""The sides a kingdom may have where none is given."""

_ROUNDS: Final = 8
_EXACT: Final = 1e-6
_PATIENCE: Final = {"mip_rel_gap": 0.0, "time_limit": 10.0}


@dataclass(frozen=True)
class Cut:
    """One more rule: coefficients x pieces <= limit, or its price is paid. `pieces` are numbers in the catalogue."""

    pieces: Ints
    coefficients: Floats
    limit: float
    price: float


@dataclass(frozen=True)
class Solution:
    """The chosen pieces and what they cost with all prices paid.

    `at_least` bounds from below what a piece would add to the cost if it had to lie there, `if_empty` what a square
    would add if it had to stay empty; `proven` is false where the rounds ended before the last piece was priced.
    """

    chosen: Ints
    loss: float
    at_least: Floats
    if_empty: Floats
    proven: bool


@dataclass(frozen=True)
class Programme:
    """The programme of one photo: built once, solved with this or that forbidden.

    Rows are castles and windows (one equation for each kingdom each), then squares, faces, and larger sides (one for
    each kingdom) as upper limits. `fixed` are the columns that are no pieces.
    """

    pieces: Candidates
    frames: tuple[Frame, ...]
    stock: Ints
    fixed: sparse.csc_array = field(repr=False)
    fixed_cost: Floats = field(repr=False)

    @property
    def owner(self) -> Ints:
        """The kingdom of each square."""
        return np.repeat(np.arange(len(self.frames)), [frame.rows * frame.cols for frame in self.frames])

    @property
    def equations(self) -> int:
        """How many of the rows are equations; they come first."""
        return 2 * len(self.frames)

    def limits(self) -> Floats:
        """The right-hand sides of all rows."""
        ones, zeros = np.ones(self.equations), np.zeros(len(self.owner))
        return np.concatenate([ones, zeros, self.stock, np.zeros(len(self.frames))])


def build(
    losses: Sequence[Floats],
    kinds: tuple[str, ...],
    deck: Deck,
    *,
    side: int | None,
    bonds: Sequence[Bonds | None],
    prices: Prices,
) -> Programme:
    """The programme for the kingdoms of a photo; `losses` (rows, cols, kinds) are minus the log of probabilities."""
    shown, stock = stock_of(deck, kinds)
    frames = frames_of(losses)
    fixed, cost = _fixed(frames, len(stock), side, prices)
    return Programme(catalogue(losses, bonds, shown, kinds, prices), frames, stock, fixed, cost)


def _fixed(frames: Sequence[Frame], faces: int, side: int | None, prices: Prices) -> tuple[sparse.csc_array, Floats]:
    """The columns that are no pieces: no castle, each window, and that the photo's side is the larger one."""
    many = len(frames)
    squares = frames[-1].start + frames[-1].rows * frames[-1].cols
    larger = 2 * many + squares + faces
    entries: list[tuple[Ints, Floats]] = []
    costs: list[float] = []
    for number, frame in enumerate(frames):
        entries.append((np.array([number]), np.array([1.0])))
        costs.append(prices.no_castle)
        for size, price in _sizes(frame, side, prices):
            for window in frame.windows(size):
                grows = [larger + number] if side is None and size > SIDES[0] else []
                rows = np.concatenate([[many + number], 2 * many + window, grows]).astype(np.intp)
                entries.append((rows, np.concatenate([[1.0], np.full(len(window), -1.0), np.ones(len(grows))])))
                costs.append(price)
    entries.append((larger + np.arange(many), np.full(many, -1.0)))
    costs.append(prices.larger_side)
    return _columns(entries, larger + many), np.array(costs)


def _sizes(frame: Frame, side: int | None, prices: Prices) -> list[tuple[int, float]]:
    """The sides a kingdom may have on this grid, each with its price; the grid itself is the dearest way out."""
    most = max(frame.rows, frame.cols)
    sizes = [(size, 0.0) for size in (SIDES if side is None else (side,))]
    fitting = next((number for number, (size, _) in enumerate(sizes) if size >= most), None)
    return [*sizes, (most, prices.too_wide)] if fitting is None else sizes[: fitting + 1]


def _columns(entries: Sequence[tuple[Ints, Floats]], rows: int) -> sparse.csc_array:
    starts = np.cumsum([0, *(len(entry[0]) for entry in entries)])
    data, where = np.concatenate([e[1] for e in entries]), np.concatenate([e[0] for e in entries])
    return sparse.csc_array((data, where, starts), shape=(rows, len(entries)))


def solve(
    programme: Programme, *, cuts: Sequence[Cut] = (), banned: Mask | None = None, bonus: Floats | None = None
) -> Solution:
    """The cheapest choice of pieces; `banned` pieces stay out, `bonus` is taken from the pieces' costs."""
    pieces = programme.pieces
    cost = pieces.cost if bonus is None else pieces.cost - bonus
    allowed = np.ones(len(cost), bool) if banned is None else ~banned
    inside = ((pieces.excess <= SUPPORTED) | pieces.foreign) & allowed
    for _ in range(_ROUNDS):
        active = np.flatnonzero(inside)
        chosen, loss, bound, duals = _solve_over(programme, active, cost, cuts)
        at_least = bound - loss + _reduced(programme, cost, duals, cuts)
        missed = allowed & ~inside & (at_least < -_EXACT)
        if not missed.any():
            break
        inside |= missed
    first = programme.equations
    if_empty = -duals[first : first + len(programme.owner)] + bound - loss
    return Solution(chosen, loss, at_least, if_empty, proven=not missed.any())


def _solve_over(
    programme: Programme, active: Ints, cost: Floats, cuts: Sequence[Cut]
) -> tuple[Ints, float, float, Floats]:
    """Best choice among the active pieces, its cost, and bound and duals of the linear relaxation."""
    matrix = sparse.csr_array(_matrix(programme, active, cuts))
    limits = np.concatenate([programme.limits(), [cut.limit for cut in cuts]])
    costs = np.concatenate([cost[active], programme.fixed_cost, [cut.price for cut in cuts]])
    eq = programme.equations
    relaxed = linprog(costs, A_ub=matrix[eq:], b_ub=limits[eq:], A_eq=matrix[:eq], b_eq=limits[:eq], method="highs-ds")
    if relaxed.x is None:
        raise KdvisionError(f"the boards could not be decided: {relaxed.message}")
    duals = np.concatenate([relaxed.eqlin.marginals, relaxed.ineqlin.marginals])
    values, loss = relaxed.x[: len(active)], float(relaxed.fun)
    if np.abs(values - values.round()).max(initial=0) > _EXACT:
        values, loss = _whole(costs, matrix, limits, eq, len(active))
    return active[values > 0.5], loss, float(relaxed.fun), duals


def _whole(costs: Floats, matrix: sparse.csr_array, limits: Floats, eq: int, pieces: int) -> tuple[Floats, float]:
    """The same with whole pieces, for the scenes where the linear relaxation cuts some in two."""
    lower = np.concatenate([limits[:eq], np.full(len(limits) - eq, -np.inf)])
    whole = np.concatenate([np.ones(pieces), np.zeros(len(costs) - pieces)])
    rules = LinearConstraint(matrix, lower, limits)
    result = milp(costs, constraints=rules, integrality=whole, bounds=Bounds(0, np.inf), options=_PATIENCE)
    if result.x is None:
        raise KdvisionError(f"the boards could not be decided: {result.message}")
    return result.x[:pieces], float(result.fun)


def _matrix(programme: Programme, active: Ints, cuts: Sequence[Cut]) -> sparse.csc_array:
    """Rows of the programme and of the cuts; columns of the active pieces, the fixed ones, the cuts' slacks."""
    rows, columns = _entries(programme, active)
    height = programme.fixed.shape[0]
    body = sparse.csc_array((np.ones(len(rows)), (rows, columns)), shape=(height, len(active)))
    top = sparse.hstack([body, programme.fixed])
    if not cuts:
        return sparse.csc_array(top)
    bottom = sparse.hstack(
        [_cut_rows(programme, cuts)[:, active], sparse.csr_array((len(cuts), len(programme.fixed_cost)))]
    )
    slack = sparse.vstack([sparse.csr_array((height, len(cuts))), -sparse.eye_array(len(cuts))])
    return sparse.csc_array(sparse.hstack([sparse.vstack([top, bottom]), slack]))


def _entries(programme: Programme, active: Ints) -> tuple[Ints, Ints]:
    """Where the ones of the active pieces stand: (rows, columns)."""
    pieces, base = programme.pieces, programme.equations
    owner, columns = programme.owner, np.arange(len(active))
    first, second, face = pieces.first[active], pieces.second[active], pieces.face[active]
    two, faced, castle = second >= 0, face >= 0, pieces.castle[active]
    rows = [base + first, base + second[two], base + len(owner) + face[faced], owner[first[castle]]]
    return np.concatenate(rows), np.concatenate([columns, columns[two], columns[faced], columns[castle]])


def _cut_rows(programme: Programme, cuts: Sequence[Cut]) -> sparse.csr_array:
    starts = np.cumsum([0, *(len(cut.pieces) for cut in cuts)])
    data, where = np.concatenate([c.coefficients for c in cuts]), np.concatenate([c.pieces for c in cuts])
    return sparse.csr_array((data, where, starts), shape=(len(cuts), len(programme.pieces.cost)))


def _reduced(programme: Programme, cost: Floats, duals: Floats, cuts: Sequence[Cut]) -> Floats:
    """The reduced cost of every piece of the catalogue, active or not."""
    pieces, owner, base = programme.pieces, programme.owner, programme.equations
    squares = np.append(duals[base : base + len(owner)], 0.0)  # the last stands for "no second square"
    stock = np.append(duals[base + len(owner) : base + len(owner) + len(programme.stock)], 0.0)
    reduced = cost - squares[pieces.first] - squares[pieces.second] - stock[pieces.face]
    reduced = reduced - np.where(pieces.castle, duals[owner[pieces.first]], 0)
    if cuts:
        reduced = reduced - _cut_rows(programme, cuts).T @ duals[-len(cuts) :]
    return np.asarray(reduced)
