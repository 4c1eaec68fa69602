"""The integer programme behind `decide`, over the few pieces that an answer can hold, solved by HiGHS.

Columns are pieces, windows (where on its grid a kingdom lies) and ways out at a price; rows say that a square is
covered once and inside the window, that no face is used more often than the box has it, that each kingdom has one
castle, and which groups of squares must not lie detached.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import highspy
import numpy as np
import numpy.typing as npt

from kdvision.vision.decision.attached import Group, row
from kdvision.vision.decision.candidates import Candidates, Floats, Ints
from kdvision.vision.decision.scene import Scene

_NODES: Final = 60
"""What ends by a count ends alike on every machine. Readings that say anything need no branching, or a little."""

_SLACK: Final = 1e-3
"""So far beyond its limits HiGHS may put a sum without breaking them; it takes 1e-6 itself."""

_Entries = tuple[Ints, Ints, Floats]
"""Rows, columns and values of a part of the matrix."""


class Found(NamedTuple):
    """The pieces chosen, and whether it is proved that no others cost less."""

    chosen: Ints
    proved: bool


def cheapest(
    scene: Scene, numbers: Ints, groups: Sequence[Group], *, must: int | None = None, nodes: int = _NODES
) -> Found | None:
    """The pieces, out of these, that cost least together; None where HiGHS finds nothing within its patience.

    `groups` must not lie detached, `must` is a square that has to be covered; HiGHS branches into so many `nodes`.
    """
    pieces = scene.catalogue.pieces(numbers)
    entries = [*_pieces(scene, pieces), *_ways_out(scene, len(numbers)), *_groups(scene, pieces, groups)]
    lower, upper = _limits(scene, groups)
    if must is not None:
        over = np.flatnonzero((pieces.first == must) | (pieces.second == must))
        entries.append((np.full(len(over), len(upper)), over, np.ones(len(over))))
        lower, upper = np.append(lower, 1.0), np.append(upper, 1.0)
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    free = np.zeros(len(groups))  # the columns by which a group is what a kingdom without a castle begins with
    cost = np.concatenate([pieces.cost, _prices(scene), np.full(len(groups), scene.prices.detached), free])
    whole = np.arange(len(cost)) < len(numbers)
    answer, proved = _solved(cost, whole, (rows, columns, values), lower, upper, nodes)
    if answer is None:
        return None
    sums: Floats = np.bincount(rows, values * answer[columns], len(upper)).astype(np.float64)
    if not _within(sums, lower, upper):
        return None
    return Found(numbers[answer[: len(numbers)] > 0.5], proved)


def _solved(
    cost: Floats, whole: npt.NDArray[np.bool_], entries: _Entries, lower: Floats, upper: Floats, nodes: int
) -> tuple[Floats | None, bool]:
    """What HiGHS makes of each column, None where it has no answer; and whether it proves that none costs less.

    Columns are never less than 0, and whole numbers where `whole` says so; rows keep to their limits.
    """
    rows, columns, values = entries
    order = np.argsort(columns, kind="stable")
    solver = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("mip_max_nodes", nodes)):
        solver.setOptionValue(option, value)
    solver.passModel(
        len(cost),
        len(upper),
        len(values),
        int(highspy.MatrixFormat.kColwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        cost,
        np.zeros(len(cost)),
        np.full(len(cost), np.inf),
        lower,
        upper,
        np.searchsorted(columns[order], np.arange(len(cost) + 1)).astype(np.int32),
        rows[order].astype(np.int32),
        values[order],
        whole.astype(np.int32),
    )
    solver.run()
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None, False
    proved = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return np.array(solver.getSolution().col_value), proved


def _within(sums: Floats, lower: Floats, upper: Floats) -> bool:
    """Whether an answer keeps to its limits: HiGHS has called optimal what did not (scipy/scipy#24141)."""
    return bool(((sums > lower - _SLACK) & (sums < upper + _SLACK)).all())


def _starts(scene: Scene) -> tuple[int, int, int, int]:
    """The first rows of squares, faces, larger sides and groups; castles come first, then windows."""
    kingdoms, squares, faces = len(scene.catalogue.frames), scene.catalogue.squares, len(scene.catalogue.stock)
    start = 2 * kingdoms
    return start, start + squares, start + squares + faces, start + squares + faces + kingdoms


def _pieces(scene: Scene, pieces: Candidates) -> list[_Entries]:
    """A one in the rows of each piece's squares, of its face, and, for castles, of its kingdom's castle."""
    squares, faces, _, _ = _starts(scene)
    numbers, two, faced, castle = np.arange(len(pieces.cost)), pieces.second >= 0, pieces.face >= 0, pieces.castle
    where = [
        (squares + pieces.first, numbers),
        (squares + pieces.second[two], numbers[two]),
        (faces + pieces.face[faced], numbers[faced]),
        (scene.catalogue.owner[pieces.first[castle]], numbers[castle]),
    ]
    return [(rows, columns, np.ones(len(rows))) for rows, columns in where]


def _ways_out(scene: Scene, column: int) -> list[_Entries]:
    """The columns that are no pieces, from this one on: no castle, each window, and that the larger side is played."""
    kingdoms, (squares, _, wide, _) = len(scene.catalogue.frames), _starts(scene)
    each, windows = np.arange(kingdoms), column + kingdoms + np.arange(len(scene.windows))
    inside = [squares + window.squares.ravel() for window in scene.windows]
    sizes = [len(part) for part in inside]
    larger, last = np.flatnonzero(scene.larger), windows[-1] + 1
    return [
        (each, column + each, np.ones(kingdoms)),
        (kingdoms + scene.kingdom, windows, np.ones(len(windows))),
        (np.concatenate(inside), np.repeat(windows, sizes), np.full(sum(sizes), -1.0)),
        (wide + scene.kingdom[larger], windows[larger], np.ones(len(larger))),
        (wide + each, np.full(kingdoms, last), np.full(kingdoms, -1.0)),
    ]


def _prices(scene: Scene) -> Floats:
    """What the columns that are no pieces cost."""
    return np.array([scene.prices.no_castle] * len(scene.catalogue.frames) + [*scene.price, scene.prices.larger_side])


def _groups(scene: Scene, pieces: Candidates, groups: Sequence[Group]) -> list[_Entries]:
    """The row of each group that must not lie detached, the column that pays where it does, and the one that need not.

    Of a kingdom without a castle one group is where all else is joined to, and lies detached from nothing.
    """
    first, column = _starts(scene)[3], len(pieces.cost) + len(_prices(scene))
    numbers = np.arange(len(groups))
    rows = np.array([row(scene.catalogue, pieces, group) for group in groups]).reshape(len(groups), len(pieces.cost))
    at, of = np.nonzero(rows)
    homes, kingdom = column + len(groups) + numbers, np.array([group.kingdom for group in groups], np.intp)
    home, some = first + len(groups), np.unique(kingdom)
    return [
        (first + at, of, rows[at, of]),
        (first + numbers, column + numbers, np.full(len(groups), -1.0)),
        (first + numbers, homes, np.full(len(groups), -1.0)),
        (home + kingdom, homes, np.ones(len(groups))),
        (home + some, len(pieces.cost) + some, np.full(len(some), -1.0)),  # as often as there is no castle
    ]


def _limits(scene: Scene, groups: Sequence[Group]) -> tuple[Floats, Floats]:
    """The limits of all rows, from below and from above."""
    kingdoms, (squares, faces, wide, _) = len(scene.catalogue.frames), _starts(scene)
    upper = np.zeros(wide + kingdoms + len(groups) + kingdoms)
    upper[:squares], upper[faces:wide] = 1.0, scene.catalogue.stock
    upper[wide + kingdoms : wide + kingdoms + len(groups)] = [len(group.squares) - 1 for group in groups]
    lower = np.full(len(upper), -np.inf)
    lower[:squares] = 1.0
    return lower, upper
