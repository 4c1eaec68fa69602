"""The integer linear programme of one photo: the best boards and their runners-up, solved by HiGHS through scipy.

Columns are placements, kingdoms without a castle, windows (which part of its grid a kingdom may occupy), the larger
side, and two for each group of tiles that may lie detached. The linear relaxation of all columns comes first. Its
reduced costs are lower bounds on what each placement adds, so placements beyond the limit are left out (reduced-cost
fixing).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import ndimage, sparse
from scipy.optimize import LinearConstraint, linprog, milp

from kdvision.game.board import Terrain
from kdvision.game.rules import SIDES
from kdvision.vision.decide.placements import Penalties, Placements
from kdvision.vision.geometry import Floats, Ints, Mask

Requirement = tuple[Floats, float]
"""A constraint: weights of the first columns and their least sum."""


class Solution(NamedTuple):
    """The kind on each square, the total loss in nats, the chosen placements, and whether it is proved optimal."""

    labels: Ints
    loss: float
    placement_ids: Ints
    is_proved: bool


class _Window(NamedTuple):
    """A part of a kingdom's grid of the size of a board: its squares, its price, and whether it has the larger side."""

    kingdom: int
    squares: Ints
    price: float
    is_larger: bool


class BoardProgramme:
    """The integer programme over the placements of one photo, with boards limited to `side` squares a side."""

    def __init__(self, placements: Placements, side: int | None) -> None:
        self.placements = placements
        self._windows = [window for n, grid in enumerate(placements.grids) for window in _list_windows(n, grid, side)]
        self._rows, self._upper = _build_rows(placements, self._windows)
        kingdoms = len(placements.grids)
        self._lower = np.full(len(self._upper), -np.inf)
        self._lower[-2 * kingdoms :] = 1.0
        prices = [window.price for window in self._windows]
        self._cost = np.r_[placements.cost, np.full(kingdoms, Penalties.no_castle), prices, Penalties.larger_side]
        self._cuts = set[tuple[int, ...]]()
        self._remaining_integer_runs = 8 * kingdoms  # patterns without a castle need more, which takes seconds

    def solve(self, *, limit: float) -> tuple[list[Solution], set[int]]:
        """Return the best solution with runners-up of at most `limit` nats more, best first, and unfinished kingdoms.

        A runner-up is the best solution that shows something else on one square. A kingdom is unfinished if the search
        for its runners-up was stopped.
        """
        p, is_equal = self.placements, self._lower == self._upper
        inequalities = {"A_ub": self._rows[~is_equal], "b_ub": self._upper[~is_equal]}
        equalities = {"A_eq": self._rows[is_equal], "b_eq": self._upper[is_equal]}
        relaxation = linprog(self._cost, **inequalities, **equalities, options={"presolve": False})
        reduced_costs = np.asarray(relaxation.lower.marginals[: len(p.cost)])
        is_within_limit = reduced_costs <= limit
        max_columns = 1000  # only noise and large grids have more placements within the limit
        is_solvable = is_within_limit.sum() <= max_columns
        best = self._solve_columns(is_within_limit, relaxation=relaxation) if is_solvable else None
        best = best or self._round_relaxation(relaxation.x)
        if not best.is_proved or best.loss > relaxation.fun + limit:
            return self._replace_uncertain(best, limit), set(range(len(p.grids)))
        gap = max(best.loss - float(relaxation.fun), 0.0)
        is_near = reduced_costs <= gap + limit
        bounds = np.where(best.labels == p.nothing, np.inf, -relaxation.ineqlin.marginals[: len(best.labels)])
        for squares, kinds in ((p.first, p.kind_a), (p.second, p.kind_b)):
            other_ids = np.flatnonzero((squares >= 0) & is_near & (kinds != best.labels[squares]))
            np.minimum.at(bounds, squares[other_ids], reduced_costs[other_ids])
        alternatives, unfinished_kingdoms = self._solve_alternatives(
            best, np.maximum(bounds - gap, 0.0), is_near, limit
        )
        return sorted([best, *alternatives], key=lambda solution: solution.loss), unfinished_kingdoms

    def _round_relaxation(self, values: Floats) -> Solution:
        """Return placements that fit together, chosen in the order of their values in the relaxation; not the best."""
        p, placement_ids = self.placements, list[int]()
        item = np.where(p.is_castle, len(p.stock) + p.kingdom_of[p.first], p.face)
        supply = np.r_[p.stock, np.ones(len(p.grids)), np.inf]  # the last entry is for what no box explains
        is_free = np.ones(len(p.losses) + 1, bool)  # the last entry stands for a missing second square
        shares = values[len(p.cost) + len(p.grids) :]
        for kingdom, grid in enumerate(p.grids):
            _, best = max((shares[n], n) for n, window in enumerate(self._windows) if window.kingdom == kingdom)
            is_free[grid] = np.isin(grid, self._windows[best].squares)
        count = np.count_nonzero(values[: len(p.cost)] > 1e-6)
        for n in np.argsort(-values[: len(p.cost)], kind="stable")[:count].tolist():
            squares = [p.first[n], p.second[n]]
            if is_free[squares].all() and supply[item[n]] > 0:
                placement_ids.append(n)
                is_free[squares], is_free[-1] = False, True
                supply[item[n]] -= 1
        indices = np.array(placement_ids, np.intp)
        return Solution(p.label_squares(indices), float(p.cost[indices].sum()), indices, is_proved=False)

    def _replace_uncertain(self, best: Solution, limit: float) -> list[Solution]:
        """Return the solution, then with each uncertain square read otherwise, whether or not that is legal."""
        solutions = [best._replace(is_proved=False)]
        other_labels, excess = self._find_other_kinds(best)
        for square in np.flatnonzero(excess <= limit).tolist():
            labels = best.labels.copy()
            labels[square] = other_labels[square]
            solutions.append(Solution(labels, best.loss + float(excess[square]), best.placement_ids, is_proved=False))
        return sorted(solutions, key=lambda solution: solution.loss)

    def _find_other_kinds(self, best: Solution) -> tuple[Ints, Floats]:
        """Return the most probable other kind (squares,) of each square, and how much it adds to the loss."""
        other_losses, squares = self.placements.losses.copy(), np.arange(len(best.labels))
        other_losses[squares, best.labels] = np.inf
        excess = np.maximum(other_losses.min(axis=1) - self.placements.losses[squares, best.labels], 0.0)
        return other_losses.argmin(axis=1), excess

    def _solve_alternatives(
        self, best: Solution, bounds: Floats, is_near: Mask, limit: float
    ) -> tuple[list[Solution], set[int]]:
        """Return the best solution that shows something else on each uncertain square, and unfinished kingdoms.

        `bounds` are lower bounds on the extra loss for each square. One relaxation tests a group of squares together:
        first all of one colour of a chessboard, because clear kingdoms need no other test. If some may differ, squares
        are solved one by one; after one without an alternative, the next 4 are tested together, then 16, and so on. No
        domino covers two squares of one colour, so half a domino is no change.
        """
        max_loss, tolerance, is_black = best.loss + limit, 0.05, self.placements.is_black
        uncertain_squares = self._list_uncertain(best, bounds, limit)
        solutions, unfinished_kingdoms = list[Solution](), set[int]()
        for colour in (True, False):
            squares = [square for square in uncertain_squares if is_black[square] == colour]
            size = len(squares)
            while squares:
                group, remaining_squares = squares[:size], squares[size:]
                if len(group) > 1:
                    may_differ = self._may_differ(best, group, is_near, max_loss)
                    squares, size = (squares, 1) if may_differ else (remaining_squares, 4 * size)
                    continue
                squares, size, square = remaining_squares, 1, group[0]
                losses = [other.loss for other in solutions if other.labels[square] != best.labels[square]]
                if min(losses, default=np.inf) <= best.loss + bounds[square] + tolerance:
                    continue
                solution = self._solve_columns(is_near, self._require_difference(best, group), max_loss=max_loss)
                if solution is None:
                    unfinished_kingdoms.add(int(self.placements.kingdom_of[square]))
                elif solution.loss <= max_loss:
                    solutions.append(solution)
                else:
                    size = 4
        return solutions, unfinished_kingdoms

    def _list_uncertain(self, best: Solution, bounds: Floats, limit: float) -> list[int]:
        """Return up to 12 squares of each kingdom that may show something else, most uncertain first."""
        uncertain_squares, uncertainty = list[int](), bounds + self._find_other_kinds(best)[1]
        for grid in self.placements.grids:
            order = grid.ravel()[np.argsort(uncertainty[grid.ravel()], kind="stable")]
            is_uncertain = (bounds[order] <= limit) & (uncertainty[order] <= 2 * limit)
            uncertain_squares += order[is_uncertain][:12].tolist()
        return sorted(uncertain_squares, key=lambda square: float(uncertainty[square]))

    def _require_difference(self, best: Solution, squares: list[int]) -> Requirement:
        """Return the constraint that one of the squares shows something else than `best`.

        A placement counts 1 for each empty square that it covers, and -1 for each square that it leaves unchanged.
        """
        p, weights = self.placements, np.zeros(len(self.placements.cost))
        is_listed = np.isin(np.arange(len(best.labels) + 1), squares)  # the last entry stands for no second square
        labels = np.append(best.labels, -1)
        for at, kinds in ((p.first, p.kind_a), (p.second, p.kind_b)):
            change = np.where(labels[at] == p.nothing, 1.0, np.where(kinds == labels[at], -1.0, 0.0))
            weights += np.where(is_listed[at], change, 0.0)
        return weights, 1.0 - float((best.labels[squares] != p.nothing).sum())

    def _may_differ(self, best: Solution, squares: list[int], is_near: Mask, max_loss: float) -> bool:
        """Return False if the linear relaxation proves that all solutions up to `max_loss` have these squares."""
        result = self._run(is_near, self._require_difference(best, squares))
        return result.x is not None and bool(result.fun <= max_loss)

    def _solve_columns(
        self, is_near: Mask, *requirements: Requirement, max_loss: float = np.inf, relaxation: Any = None
    ) -> Solution | None:
        """Return the best solution with some placements, adding connectivity cuts; None if none is found.

        The linear relaxation comes first; `relaxation` is its result where it is known. It suffices if it is integral
        or exceeds `max_loss`: then any solution may be returned. Limits on nodes and on integer programmes give the
        same result on every machine.
        """
        best, count, max_rounds, max_nodes = None, len(is_near), 4, 60
        for _ in range(max_rounds):
            result = relaxation or self._run(is_near, *requirements)
            relaxation = None  # the cuts of later rounds change it
            is_integral = result.x is None or np.allclose(result.x[:count], result.x[:count].round(), atol=1e-6)
            if not is_integral and result.fun <= max_loss:
                if self._remaining_integer_runs == 0:
                    return None
                self._remaining_integer_runs -= 1
                result = self._run(is_near, *requirements, max_nodes=max_nodes)
            if result.x is None:
                return best
            placement_ids = np.flatnonzero(result.x[:count] > 0.5)
            labels = self.placements.label_squares(placement_ids)
            new_groups = [(n, group) for n, group in self._find_detached(labels) if group not in self._cuts]
            loss = float(result.fun) + Penalties.detached_group * len(new_groups)  # not yet priced by a cut
            if best is None or loss <= best.loss + 1e-9:
                best = Solution(labels, loss, placement_ids, result.status == 0 and not new_groups)
            if not new_groups or result.fun > max_loss or result.status:
                break
            for kingdom, group in new_groups:
                self._add_cut(kingdom, group)
        return best

    def _run(self, is_near: Mask, *requirements: Requirement, max_nodes: int | None = None) -> Any:
        """Return the solver's result for the near placements; `x` holds the values of all columns, 0 for the others.

        Without `max_nodes`, the linear relaxation is solved.
        """
        columns = np.append(np.flatnonzero(is_near), np.arange(len(is_near), len(self._cost)))
        constraints = [LinearConstraint(self._rows[:, columns], self._lower, self._upper)]
        for weights, least_sum in requirements:
            padded_weights = np.pad(weights, (0, len(self._cost) - len(weights)))  # cuts add columns
            constraints.append(LinearConstraint(padded_weights[columns][None], least_sum, np.inf))
        if max_nodes is None:  # presolve costs more than it saves
            result = milp(self._cost[columns], constraints=constraints, options={"presolve": False})
        else:
            is_whole, options = columns < len(is_near), {"mip_rel_gap": 0.0, "node_limit": max_nodes}
            result = milp(self._cost[columns], integrality=is_whole, constraints=constraints, options=options)
        if result.x is not None:
            values = np.zeros(len(self._cost))
            values[columns] = result.x
            result.x = values
        return result

    def _find_detached(self, labels: Ints) -> list[tuple[int, tuple[int, ...]]]:
        """Return kingdom and squares of each group without the castle, of all groups if a kingdom has none."""
        p, result = self.placements, list[tuple[int, tuple[int, ...]]]()
        for kingdom, grid in enumerate(p.grids):
            groups, count = ndimage.label(labels[grid] != p.nothing)
            if count > 1:
                castles = groups[labels[grid] == p.kinds.index(Terrain.CASTLE.value)]
                detached_groups = (n for n in range(1, count + 1) if n not in castles)
                result += [(kingdom, tuple(grid[groups == n].tolist())) for n in detached_groups]
        return result

    def _add_cut(self, kingdom: int, group: tuple[int, ...]) -> None:
        """Add the row that only solutions with the group detached violate, and columns that pay for it.

        In the row, squares of the group count 1 and squares beside it minus the group's size, as does a castle in the
        group; the sum exceeds size - 1 only if the group lies detached. The first column has the price of a detached
        group; the second is free, once in a kingdom without a castle.
        """
        p, size, (rows, columns) = self.placements, len(group), self._rows.shape
        is_inside = np.isin(p.grids[kingdom], group)
        weight = np.zeros(len(p.losses) + 1)  # the last entry stands for a missing second square
        weight[p.grids[kingdom][ndimage.binary_dilation(is_inside) & ~is_inside]] = -size
        weight[list(group)] = 1.0
        cut = weight[p.first] + weight[p.second] - size * (p.is_castle & np.isin(p.first, group))
        payment = np.zeros((rows, 2))
        payment[len(p.losses) + len(p.stock) + kingdom, 1] = 1.0
        row = np.r_[cut, np.zeros(columns - len(cut)), -1.0, -1.0]
        self._rows = sparse.csc_array(sparse.vstack([sparse.hstack([self._rows, payment]), row[None]]))
        self._lower, self._upper = np.append(self._lower, -np.inf), np.append(self._upper, size - 1.0)
        self._cost = np.append(self._cost, [Penalties.detached_group, 0.0])
        self._cuts.add(group)


def _build_rows(p: Placements, windows: list[_Window]) -> tuple[sparse.csc_array, Floats]:
    """Return the matrix of the constraints, those with an equals sign last, and their right-hand sides.

    Rows: each square is covered once and only inside the window; each face at most as often as in the box; one group is
    free in a kingdom without a castle; the larger side is paid once; each kingdom has a castle or pays for none; each
    kingdom has one window.
    """
    count, kingdoms, all_placements = len(p.cost), len(p.grids), np.arange(len(p.cost))
    is_pair, has_face, all_kingdoms = p.second >= 0, p.face >= 0, np.arange(len(p.grids))
    faces, free, larger, castle, owner = np.cumsum([len(p.losses), len(p.stock), kingdoms, kingdoms, kingdoms])
    no_castle, larger_side_column = count + all_kingdoms, count + kingdoms + len(windows)
    entries: list[tuple[Any, Any, Any]] = [
        (p.first, all_placements, 1.0),
        (p.second[is_pair], all_placements[is_pair], 1.0),
        (faces + p.face[has_face], all_placements[has_face], 1.0),
        (free + all_kingdoms, no_castle, -1.0),
        (larger + all_kingdoms, larger_side_column, -1.0),
        (castle + p.kingdom_of[p.first[p.is_castle]], all_placements[p.is_castle], 1.0),
        (castle + all_kingdoms, no_castle, 1.0),
    ]
    for n, window in enumerate(windows, start=count + kingdoms):
        entries.append((window.squares, n, -1.0))
        entries.append(([larger + window.kingdom, owner + window.kingdom], n, [float(window.is_larger), 1.0]))
    row, column, value = (
        np.concatenate(arrays) for arrays in zip(*(np.broadcast_arrays(*entry) for entry in entries), strict=True)
    )
    matrix = sparse.csc_array((value, (row, column)), (owner + kingdoms, larger_side_column + 1))
    return matrix, np.r_[np.zeros(len(p.losses)), p.stock, np.zeros(2 * kingdoms), np.ones(2 * kingdoms)]


def _list_windows(kingdom: int, grid: Ints, side: int | None) -> list[_Window]:
    """Return every position of a board on a grid; without a `side`, of both sides."""
    rows, cols = grid.shape
    sizes = [(size, 0.0) for size in (SIDES if side is None else (side,))]
    fitting_index = next((n for n, (size, _) in enumerate(sizes) if size >= max(rows, cols)), None)
    sizes = [*sizes, (max(rows, cols), Penalties.oversize)] if fitting_index is None else sizes[: fitting_index + 1]
    return [
        _Window(kingdom, grid[top : top + size, left : left + size].ravel(), price, side is None and size > SIDES[0])
        for size, price in sizes
        for top in range(max(rows - size, 0) + 1)
        for left in range(max(cols - size, 0) + 1)
    ]
