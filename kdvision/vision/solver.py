"""Solves the programme exactly while building little of it.

Only pieces which the readings support enter the solver. The others are priced with the duals of the linear relaxation,
and those that could still better the answer are let in. The relaxation mostly has whole pieces and is the answer; where
it cuts some in two, HiGHS branches, and pieces are priced once more against the gap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from kdvision.errors import KdvisionError
from kdvision.vision.candidates import Floats, Ints, Mask
from kdvision.vision.programme import Programme

SUPPORTED: Final = 9.0
"""Pieces that lose more than this against the likeliest kinds of their squares wait outside until priced in."""

_NEAR: Final = 1.0
_EXACT: Final = 1e-6
_MUST: Final = 100.0
_PATIENCE: Final = {"mip_rel_gap": 0.0, "node_limit": 300, "time_limit": 60.0}
_LITTLE_PATIENCE: Final = {"mip_rel_gap": 0.0, "node_limit": 30, "time_limit": 3.0}
"""Nodes first: what ends by a count ends alike on every machine. Readings that say anything need none or a few."""


@dataclass(frozen=True)
class Cut:
    """One more rule: coefficients x pieces <= limit, or its price is paid. `pieces` are numbers in the catalogue."""

    pieces: Ints
    coefficients: Floats
    limit: float
    price: float

    @property
    def name(self) -> tuple[bytes, bytes]:
        """What tells cuts apart."""
        return self.pieces.tobytes(), self.coefficients.tobytes()


@dataclass(frozen=True)
class Solution:
    """The chosen pieces and what they cost with all prices paid.

    `at_least` bounds from below what each piece would add to the cost if it had to lie there, `if_empty` what each
    square would add if it had to stay empty.
    """

    chosen: Ints
    loss: float
    at_least: Floats
    if_empty: Floats


def solve(programme: Programme, cuts: Sequence[Cut] = ()) -> Solution:
    """The cheapest choice of pieces; raises KdvisionError where HiGHS gives up."""
    cost = programme.pieces.cost
    inside = programme.pieces.excess <= SUPPORTED
    while True:
        system = _system(programme, np.flatnonzero(inside), cost, cuts)
        values, bound, duals = _relaxed(system)
        reduced = cost - _worth(programme, duals, cuts)
        if (~inside & (reduced < -_EXACT)).any():
            inside |= reduced < _NEAR
            continue
        values, loss = (values, bound) if _is_whole(values) else _branched(system, _PATIENCE)
        missed = ~inside & (bound + reduced < loss - _EXACT)
        if not missed.any():
            break
        inside |= missed
    squares = duals[programme.equations :][: programme.frames[-1].end]
    return Solution(system.active[values > 0.5], loss, reduced + bound - loss, bound - loss - squares)


def solve_with(
    programme: Programme, cuts: Sequence[Cut], *, banned: Mask, must: int | None, at_most: float
) -> tuple[Ints, float] | None:
    """The cheapest choice without the banned pieces that covers the square `must`, and what it costs.

    None where it costs more than `at_most`, or is too hard to find. All pieces go to HiGHS: leave out before what
    cannot matter.
    """
    extra = 0.0 if must is None else _MUST
    cost = programme.pieces.cost if must is None else programme.pieces.cost - extra * programme.pieces.covering(must)
    system = _system(programme, np.flatnonzero(~banned), cost, cuts)
    found = _least(system, _LITTLE_PATIENCE, whole=False)
    if found and found[1] + extra <= at_most and not _is_whole(found[0]):
        found = _least(system, _LITTLE_PATIENCE, whole=True)
    if found is None or found[1] + extra > at_most:
        return None
    return system.active[found[0] > 0.5], found[1] + extra


def _is_whole(values: Floats) -> bool:
    return bool(np.abs(values - values.round()).max(initial=0) < _EXACT)


@dataclass(frozen=True)
class _System:
    """What goes to HiGHS: the columns of the active pieces, the fixed ones, a slack for each cut."""

    active: Ints
    matrix: sparse.csr_array
    limits: Floats
    costs: Floats
    equations: int


def _system(programme: Programme, active: Ints, cost: Floats, cuts: Sequence[Cut]) -> _System:
    fixed = np.arange(len(cost), programme.matrix.shape[1])
    matrix = sparse.csr_array(programme.matrix[:, np.concatenate([active, fixed])])
    if cuts:
        rows = _cut_rows(programme, cuts)[:, active]
        slack = sparse.csr_array((len(programme.limits), len(cuts)))
        below = [rows, sparse.csr_array((len(cuts), len(fixed))), -sparse.csr_array(sparse.eye(len(cuts)))]
        matrix = sparse.csr_array(sparse.vstack([sparse.hstack([matrix, slack]), sparse.hstack(below)]))
    limits = np.concatenate([programme.limits, [cut.limit for cut in cuts]])
    costs = np.concatenate([cost[active], programme.fixed_cost, [cut.price for cut in cuts]])
    return _System(active, matrix, limits, costs, programme.equations)


def _cut_rows(programme: Programme, cuts: Sequence[Cut]) -> sparse.csr_array:
    starts = np.cumsum([0, *(len(cut.pieces) for cut in cuts)])
    data, where = np.concatenate([c.coefficients for c in cuts]), np.concatenate([c.pieces for c in cuts])
    return sparse.csr_array((data, where, starts), shape=(len(cuts), len(programme.pieces.cost)))


def _relaxed(system: _System) -> tuple[Floats, float, Floats]:
    """The linear relaxation: how much of each active piece, the cost, and the duals of all rows."""
    eq, matrix, limits = system.equations, system.matrix, system.limits
    result = linprog(
        system.costs, A_ub=matrix[eq:], b_ub=limits[eq:], A_eq=matrix[:eq], b_eq=limits[:eq], method="highs-ds"
    )
    if result.x is None:
        raise KdvisionError(f"the boards could not be decided: {result.message}")
    duals = np.concatenate([result.eqlin.marginals, result.ineqlin.marginals])
    return result.x[: len(system.active)], float(result.fun), duals


def _branched(system: _System, patience: dict[str, float]) -> tuple[Floats, float]:
    """Which of the active pieces, none of them cut in two, and the cost."""
    found = _least(system, patience, whole=True)
    if found is None:
        raise KdvisionError("the boards could not be decided", hint="take a sharper photo, from above")
    return found


def _least(system: _System, patience: dict[str, float], *, whole: bool) -> tuple[Floats, float] | None:
    """How much of each active piece, or with `whole` which pieces, and the cost; None where patience ends first."""
    lower = np.where(np.arange(len(system.limits)) < system.equations, system.limits, -np.inf)
    pieces, columns = len(system.active), len(system.costs)
    result = milp(
        system.costs,
        constraints=LinearConstraint(system.matrix, lower, system.limits),
        integrality=(np.arange(columns) < pieces) & whole,
        bounds=Bounds(0, np.inf),
        options=patience,
    )
    return None if result.x is None else (result.x[:pieces], float(result.fun))


def _worth(programme: Programme, duals: Floats, cuts: Sequence[Cut]) -> Floats:
    """What the rows that each piece of the catalogue takes part in are worth: cost minus this is its reduced cost."""
    rows, pieces = len(programme.limits), len(programme.pieces.cost)
    worth = (programme.transposed @ duals[:rows])[:pieces]
    return np.asarray(worth + _cut_rows(programme, cuts).T @ duals[rows:] if cuts else worth)
