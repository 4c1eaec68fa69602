"""The integer linear programme of one photo: the best boards and their runners-up, solved by HiGHS through scipy.

Columns are placements, kingdoms without a castle, windows (which part of its grid a kingdom may occupy), and the larger
side. The linear relaxation is solved once. Its reduced costs are lower bounds on what each placement adds, so that
placements beyond the limit are left out (reduced-cost fixing) and few remain for the integer solver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint, linprog, milp

from kdvision.game.rules import SIDES
from kdvision.vision.decide.connectivity import Cut, find_detached_groups, make_cut
from kdvision.vision.decide.placements import Frame, Ints, Penalties, Placements
from kdvision.vision.geometry import Floats, Mask

INITIAL_GAP_NATS: Final = 2.0
"""Distance above the relaxation within which the best solution is sought first."""
MAX_GAP_NATS: Final = 1e3
MAX_NODES: Final = 60
"""Limit for branch and bound; a limit on nodes gives the same result on every machine."""
MAX_CUT_ROUNDS: Final = 12
MAX_COLUMNS: Final = 1000
"""Columns from which the search for runners-up is limited; only grids across two kingdoms and noise have as many."""
MAX_SQUARES_LARGE: Final = 3
"""Squares of each kingdom for which a runner-up is sought in such a problem."""
INTEGRALITY_TOLERANCE: Final = 1e-6
PATIENCE_FACTOR: Final = 4
"""After 1, 4, 16 ... squares without a runner-up, all squares that are left are tried at once."""
INFEASIBLE: Final = 2
"""The status of `scipy.optimize.milp` for a problem without a solution."""
BOUND_TOLERANCE_NATS: Final = 0.05
"""A runner-up this close to the lower bound of a square counts as the best alternative there."""


@dataclass(frozen=True)
class Solution:
    """The kind on each square, the total loss in nats, the chosen placements, and whether it is proved optimal."""

    labels: Ints
    loss: float
    chosen: Ints
    proved: bool


@dataclass(frozen=True)
class Optimum:
    """The best solution, its runners-up, and the kingdoms for which the search for these was stopped."""

    best: Solution
    runners_up: tuple[Solution, ...]
    unfinished: frozenset[int]


class _Window(NamedTuple):
    """A part of a kingdom's grid of the size of a board: its squares, its price, and whether it has the larger side."""

    kingdom: int
    squares: Ints
    price: float
    is_larger: bool


class BoardProgramme:
    """The integer programme over the placements of one photo, with boards limited to `side` squares a side."""

    def __init__(self, placements: Placements, side: int | None, penalties: Penalties) -> None:
        self.placements, self.penalties = placements, penalties
        self._cuts: list[Cut] = []
        windows = [
            window for n, frame in enumerate(placements.frames) for window in _list_windows(n, frame, side, penalties)
        ]
        kingdoms = len(placements.frames)
        blocks, upper = _build_rows(placements, windows)
        self._rows = sparse.csc_array(sparse.block_array(blocks))
        self._upper = upper
        self._inequalities = len(upper) - 2 * kingdoms
        self._kingdoms = np.repeat(np.arange(kingdoms), [frame.rows * frame.cols for frame in placements.frames])
        no_castle, prices = np.full(kingdoms, penalties.no_castle), [window.price for window in windows]
        self._cost = np.r_[placements.cost, no_castle, prices, penalties.larger_side]

    def solve(self, *, limit: float, max_squares: int) -> Optimum:
        """Return the best solution and runners-up with a loss of at most `limit` nats more.

        A runner-up is the best solution that shows something else on one square; at most `max_squares` uncertain
        squares of each kingdom are tried.
        """
        split = self._inequalities
        relaxation = linprog(
            self._cost,
            A_ub=self._rows[:split],
            b_ub=self._upper[:split],
            A_eq=self._rows[split:],
            b_eq=self._upper[split:],
            method="highs",
        )
        reduced = np.asarray(relaxation.lower.marginals)
        best = self._solve_best(float(relaxation.fun), reduced)
        gap = max(best.loss - float(relaxation.fun), 0.0)
        is_near = reduced <= gap + limit
        bounds = self._bound_alternatives(best, reduced, is_near, -np.asarray(relaxation.ineqlin.marginals)) - gap
        squares = self._list_uncertain(best, np.maximum(bounds, 0.0), limit, max_squares)
        max_tries = MAX_SQUARES_LARGE if is_near.sum() > MAX_COLUMNS else max_squares
        found, unfinished = self._solve_alternatives(best, squares, is_near, best.loss + limit, max_tries)
        if found and (first := min(found, key=lambda one: one.loss)).loss < best.loss:
            found, best = [*(one for one in found if one is not first), best], first
        return Optimum(best, tuple(found), frozenset(unfinished))

    def _solve_best(self, bound: float, reduced: Floats) -> Solution:
        """Return the best solution; the gap widens until the solution lies within it."""
        gap = INITIAL_GAP_NATS
        best = None
        while gap <= MAX_GAP_NATS and (best is None or best.loss > bound + gap):
            gap = gap if best is None else best.loss - bound + 1e-3
            best = self._solve_columns(reduced <= gap)
            gap = 2 * gap if best is None else gap
        if best is None:
            raise RuntimeError("the integer programme of a photo has no solution")
        return best

    def _bound_alternatives(self, best: Solution, reduced: Floats, is_near: Mask, duals: Floats) -> Floats:
        """Return for each square a lower bound on the extra loss of showing something else than `best` does."""
        p = self.placements
        bounds = np.where(best.labels == p.nothing, np.inf, duals[: len(best.labels)])
        for squares, kinds in ((p.first, p.kind_a), (p.second, p.kind_b)):
            other = np.flatnonzero((squares >= 0) & is_near[: len(p.cost)] & (kinds != best.labels[squares]))
            np.minimum.at(bounds, squares[other], reduced[other])
        return bounds

    def _solve_alternatives(
        self, best: Solution, squares: Mapping[int, float], is_near: Mask, max_loss: float, max_tries: int
    ) -> tuple[list[Solution], set[int]]:
        """Return the best solution without the decided kind for each of the squares with their lower bounds.

        After squares without one up to `max_loss`, one problem asks for all squares that are left: clear kingdoms need
        no other. Where it has a solution, it is asked again ever later. Also returned are the kingdoms of which squares
        were left out after `max_tries`.
        """
        found, unfinished, tries = list[Solution](), set[int](), Counter[int]()
        waiting, clear_squares, patience = list(squares), 0, 1
        while waiting:
            if clear_squares == patience:
                if not self._may_differ(best, waiting, is_near, max_loss):
                    break
                clear_squares, patience = 0, patience * PATIENCE_FACTOR
            square = waiting.pop(0)
            kingdom = int(self._kingdoms[square])
            known = [one.loss for one in found if one.labels[square] != best.labels[square]]
            if min(known, default=np.inf) <= best.loss + squares[square] + BOUND_TOLERANCE_NATS:
                continue
            tries[kingdom] += 1
            solution = None
            if tries[kingdom] <= max_tries:
                solution = self._solve_columns(is_near, self._require_difference(best, [square]), max_loss=max_loss)
            if solution is None:
                unfinished.add(kingdom)
            elif solution.loss <= max_loss:
                found.append(solution)
            else:
                clear_squares += 1
        return found, unfinished

    def _list_uncertain(self, best: Solution, bounds: Floats, limit: float, max_squares: int) -> dict[int, float]:
        """Return the squares that may show something else with the lower bounds of that, most uncertain first."""
        p, listed = self.placements, list[int]()
        squares, others = np.arange(len(best.labels)), p.losses.copy()
        others[squares, best.labels] = np.inf
        uncertainty = bounds + np.maximum(others.min(axis=1) - p.losses[squares, best.labels], 0.0)
        for frame in p.frames:
            order = frame.start + np.argsort(uncertainty[frame.start : frame.end], kind="stable")
            order = order[(bounds[order] <= limit) & (uncertainty[order] <= 2 * limit)]
            listed += order[:max_squares].tolist()
        return {
            square: float(bounds[square]) for square in sorted(listed, key=lambda square: float(uncertainty[square]))
        }

    def _require_difference(self, best: Solution, squares: Sequence[int]) -> tuple[Floats, float]:
        """Return a constraint, weights of the columns and their least sum: one square shows something else than `best`.

        A placement counts 1 for each empty square that it covers, and -1 for each square that it leaves unchanged.
        """
        p, labels = self.placements, best.labels
        weights, listed = np.zeros(len(self._cost)), np.isin(np.arange(len(labels) + 1), squares)
        for at, kinds in ((p.first, p.kind_a), (p.second, p.kind_b)):  # the last entries stand for no second square
            empty, same = np.r_[labels == p.nothing, False][at], kinds == np.r_[labels, -1][at]
            weights[: len(p.cost)] += np.where(listed[at] & (empty | same), np.where(empty, 1.0, -1.0), 0.0)
        return weights, 1.0 - float((labels[list(squares)] != p.nothing).sum())

    def _may_differ(self, best: Solution, squares: Sequence[int], keep: Mask, max_loss: float) -> bool:
        """Return False if no solution up to `max_loss` shows something else on any of the squares."""
        columns = self._select_columns(keep)
        weights, least = self._require_difference(best, squares)
        problem = self._state_problem(columns, (weights, least), max_loss=max_loss)
        return bool(problem(node_limit=1).status != INFEASIBLE)

    def _select_columns(self, keep: Mask) -> Ints:
        """Return the columns to keep among the placements, and all others."""
        keep = keep.copy()
        keep[len(self.placements.cost) :] = True
        return np.flatnonzero(keep)

    def _solve_columns(
        self, keep: Mask, requirement: tuple[Floats, float] | None = None, *, max_loss: float = np.inf
    ) -> Solution | None:
        """Return the best solution with some columns, adding connectivity cuts; None if there is none.

        Above `max_loss` any solution may be returned. `requirement` is a constraint on all columns.
        """
        p, columns = self.placements, self._select_columns(keep)
        best: Solution | None = None
        for _ in range(MAX_CUT_ROUNDS):
            result = self._run(columns, requirement, max_loss)
            if result.x is None:
                return best
            is_placement = columns < len(p.cost)
            chosen = columns[is_placement][result.x[: is_placement.sum()] > 0.5]
            labels, known = p.label_squares(chosen), {cut.group for cut in self._cuts}
            new = [(kingdom, group) for kingdom, group in find_detached_groups(p, labels) if group not in known]
            loss = float(result.fun) + self.penalties.detached_group * len(new)  # not yet priced by a cut
            solution = Solution(labels, loss, chosen, result.status == 0 and not new)
            if best is None or loss <= best.loss + 1e-9:
                best = solution
            if not new or loss > max_loss:
                break
            self._cuts += [make_cut(p, kingdom, group) for kingdom, group in new]
        return best

    def _run(self, columns: Ints, requirement: tuple[Floats, float] | None, max_loss: float) -> Any:
        """Return the solver's result for some columns and all cuts.

        The linear relaxation comes first. It suffices if it is integral or exceeds `max_loss`.
        """
        solve = self._state_problem(columns, requirement)
        relaxed = solve()
        if relaxed.x is None or relaxed.fun > max_loss:
            return relaxed
        placed = relaxed.x[: (columns < len(self.placements.cost)).sum()]
        if np.abs(placed - np.round(placed)).max(initial=0.0) < INTEGRALITY_TOLERANCE:
            return relaxed
        return solve(node_limit=MAX_NODES)

    def _state_problem(
        self, columns: Ints, requirement: tuple[Floats, float] | None, *, max_loss: float = np.inf
    ) -> Callable[..., Any]:
        """Return a function that solves the problem of some columns and all cuts; without a `node_limit`, relaxed.

        Each cut has a slack at the price of a detached group. In a kingdom without a castle one group is free.
        """
        cuts, base = len(self._cuts), self._rows[:, columns]
        is_placement, none = columns < len(self.placements.cost), np.zeros(2 * cuts)
        cost = np.r_[self._cost[columns], np.full(cuts, self.penalties.detached_group), np.zeros(cuts)]
        empty = sparse.csc_array((base.shape[0], 2 * cuts))
        lower = np.r_[np.full(self._inequalities, -np.inf), self._upper[self._inequalities :]]
        constraints = [LinearConstraint(sparse.hstack([base, empty]), lower, self._upper)]
        if cuts:
            constraints += self._constrain_cuts(columns, is_placement)
        if requirement is not None:
            weights, least = requirement
            constraints.append(LinearConstraint(np.r_[weights[columns], none][None], least, np.inf))
        if max_loss < np.inf:
            constraints.append(LinearConstraint(cost[None], -np.inf, max_loss))

        def solve(node_limit: int | None = None) -> Any:
            if node_limit is None:
                return milp(
                    cost, constraints=constraints, options={"presolve": False}
                )  # presolve costs more than it saves
            options = {"mip_rel_gap": 0.0, "node_limit": node_limit}
            return milp(cost, integrality=np.r_[is_placement, none], constraints=constraints, options=options)

        return solve

    def _constrain_cuts(self, columns: Ints, is_placement: Mask) -> list[LinearConstraint]:
        cuts, kingdoms = len(self._cuts), len(self.placements.frames)
        weights = np.zeros((cuts, len(columns)))
        weights[:, is_placement] = np.array([cut.weights[columns[is_placement]] for cut in self._cuts])
        sizes = np.array([cut.size for cut in self._cuts])
        slack = -np.eye(cuts)
        free = np.zeros((kingdoms, len(columns) + 2 * cuts))
        for kingdom in range(kingdoms):
            free[kingdom, np.flatnonzero(columns == len(self.placements.cost) + kingdom)] = -1.0
            free[kingdom, len(columns) + cuts :] = [cut.kingdom == kingdom for cut in self._cuts]
        return [
            LinearConstraint(np.hstack([weights, slack, slack]), -np.inf, sizes - 1),
            LinearConstraint(free, -np.inf, 0),
        ]


def _build_rows(p: Placements, windows: list[_Window]) -> tuple[list[list[Any]], Floats]:
    """Return the constraint blocks, inequalities first, and their right-hand sides.

    Rows: each square is covered once and only inside the window; each face at most as often as in the box; the larger
    side is paid once; each kingdom has a castle or pays for none; each kingdom has one window.
    """
    count, squares, kingdoms, faces = len(p.cost), p.frames[-1].end, len(p.frames), len(p.stock)
    each, is_pair, has_face = np.arange(count), p.second >= 0, p.face >= 0
    cover = sparse.coo_array(
        (np.ones(count + is_pair.sum()), (np.r_[p.first, p.second[is_pair]], np.r_[each, each[is_pair]])),
        (squares, count),
    )
    inside, owner, larger = (
        np.zeros((squares, len(windows))),
        np.zeros((kingdoms, len(windows))),
        np.zeros(len(windows)),
    )
    for n, window in enumerate(windows):
        inside[window.squares, n], owner[window.kingdom, n], larger[n] = -1.0, 1.0, window.is_larger
    kingdom_of = np.repeat(np.arange(kingdoms), [frame.rows * frame.cols for frame in p.frames])
    castles = np.flatnonzero(p.is_castle)
    castle = sparse.coo_array((np.ones(len(castles)), (kingdom_of[p.first[castles]], castles)), (kingdoms, count))
    usage = sparse.coo_array((np.ones(has_face.sum()), (p.face[has_face], each[has_face])), (faces, count))
    blocks = [
        [cover, None, inside, None],
        [usage, None, None, np.zeros((faces, 1))],
        [None, None, owner * larger, np.full((kingdoms, 1), -1.0)],
        [castle, np.eye(kingdoms), None, None],
        [None, None, owner, None],
    ]
    return blocks, np.r_[np.zeros(squares), p.stock, np.zeros(kingdoms), np.ones(2 * kingdoms)]


def _list_windows(kingdom: int, frame: Frame, side: int | None, penalties: Penalties) -> list[_Window]:
    """Return every position of a board on a grid; without a `side`, of both sides."""
    longest = max(frame.rows, frame.cols)
    sizes = [(size, 0.0) for size in (SIDES if side is None else (side,))]
    fitting = next((n for n, (size, _) in enumerate(sizes) if size >= longest), None)
    sizes = [*sizes, (longest, penalties.oversize)] if fitting is None else sizes[: fitting + 1]
    return [
        _Window(
            kingdom,
            frame.numbers[top : top + size, left : left + size].ravel(),
            price,
            side is None and size > SIDES[0],
        )
        for size, price in sizes
        for top in range(max(frame.rows - size, 0) + 1)
        for left in range(max(frame.cols - size, 0) + 1)
    ]
