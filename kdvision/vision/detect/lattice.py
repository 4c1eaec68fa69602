"""Components: connected detections with column and row numbers, none of them larger than a kingdom.

The strongest detection claims the neighbours that lie where its axes lead, each of those claims its own, and so on.
What has grown larger than a kingdom is split at its worst links. No function here looks at pixels.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple, Self

import numpy as np

from kdvision.game.board import Square
from kdvision.game.legality import MAX_SIDE
from kdvision.vision.geometry import Floats, Ints, Mask, compute_distances
from kdvision.vision.networks.detector import Detections

Link = tuple[float, int, int]
"""The gap between two neighbours in sides, and their indices."""

MIN_KINGDOM_SQUARES: Final = 3
"""A castle and one domino."""
DIAGONAL_COST_SIDES: Final = 0.5
"""Added to the gap between squares that only share a corner, because such links are less reliable."""
MAX_SAME_TILE_SIDES: Final = 0.7
"""A detection lies on a tile whose centre is closer than this; halves of two tiles look like a square."""


class Candidate(NamedTuple):
    """A possible neighbour of a square. `step` is the number of the step to it, `square` its index.

    `links` has an entry for each of the four orientations of the square's axes: the gap in sides (infinite if the
    squares do not fit together), the step in columns and rows, and the quarter turns of the neighbour's axes.
    """

    step: int
    square: int
    links: list[list[float]]


class Bounds(NamedTuple):
    """A rectangle of places: the first column and row, and the ones after the last."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def cols(self) -> int:
        return self.right - self.left

    @property
    def rows(self) -> int:
        return self.bottom - self.top

    def expand(self) -> "Bounds":
        """Return the rectangle with a rim of one cell around it."""
        return Bounds(self.left - 1, self.top - 1, self.right + 1, self.bottom + 1)

    def contain(self, places: Ints) -> Mask:
        """Return which places (n, 2) lie in the rectangle."""
        return np.asarray(((places >= self[:2]) & (places < self[2:])).all(axis=1))


@dataclass(frozen=True, eq=False)
class Component:
    """Connected detections: `places` (n, 2) are columns and rows of the `squares`, whose axes lead along them."""

    places: Ints
    squares: Detections

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def side_pixels(self) -> float:
        """The median side of the squares in pixels."""
        return float(np.median(self.squares.side_pixels))

    @property
    def bounds(self) -> Bounds:
        """The smallest rectangle that holds all places."""
        return Bounds(*self.places.min(axis=0).tolist(), *(self.places.max(axis=0) + 1).tolist())

    def select(self, selection: Ints | Mask | list[int]) -> Self:
        """Return the component of some squares, given by a mask or by indices."""
        return replace(self, places=self.places[selection], squares=self.squares.select(selection))

    def count_common_places(self, other: "Component") -> int:
        """Return the number of places that both components have."""
        return len({*map(tuple, self.places.tolist())} & {*map(tuple, other.places.tolist())})

    def find_points_on_squares(self, centres: Floats) -> Mask:
        """Return which points (n, 2) lie on the squares."""
        distance = compute_distances(centres, self.squares.centre).min(axis=1)
        return np.asarray(distance < MAX_SAME_TILE_SIDES * self.side_pixels)


def grow_components(squares: Detections) -> Iterator[Component]:
    """Yield the components of the detections, each grown from the strongest one at (0, 0), which is first.

    Columns run along its first axis. Detections on two halves of other ones are left out.
    """
    squares = squares.select(~find_overlapped(squares))
    is_free = [True] * len(squares)
    candidates = _list_candidates(squares)
    for seed in np.argsort(-squares.score, kind="stable").tolist():
        if is_free[seed]:
            members = _grow_component(seed, candidates, is_free)
            indices, turns = np.array(list(members.values())).T
            for index in indices.tolist():
                is_free[index] = False
            yield Component(np.array(list(members)), squares.select(indices).turn(turns))


def _grow_component(
    seed: int, candidates: Sequence[Sequence[Candidate]], is_free: Sequence[bool]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the places of a component, each with the square there and the quarter turns by which its axes turn."""
    members: dict[tuple[int, int], tuple[int, int]] = {}
    joined_squares = set[int]()
    queue = [(0.0, seed, 0, 0, 0)]
    while queue:
        _, index, col, row, turn = heapq.heappop(queue)
        if index in joined_squares or (col, row) in members:
            continue
        members[col, row] = index, turn
        joined_squares.add(index)
        nearest: dict[int, Candidate] = {}
        for candidate in candidates[index]:
            if is_free[candidate.square]:
                nearest.setdefault(candidate.step, candidate)
        for candidate in nearest.values():
            gap, dc, dr, quarter_turns = candidate.links[turn]
            if gap < np.inf and candidate.square not in joined_squares:
                heapq.heappush(queue, (gap, candidate.square, col + int(dc), row + int(dr), int(quarter_turns)))
    return members


def _list_candidates(squares: Detections) -> list[list[Candidate]]:
    """Return for each square those that lie where its axes lead, nearest first."""
    side_ratios, min_axis_cosine = (0.65, 1.5), 0.93
    # The largest distance between edges, or corners, that meet; gaps between tiles reach 0.2 sides.
    steps = np.array(Square(0, 0).list_surroundings())  # columns and rows; the set is symmetric
    diagonal: Mask = np.asarray(steps.all(axis=1))
    max_gap: Floats = 0.35 * np.where(diagonal, 1.3, 1.0)
    # Perspective changes sizes: a neighbour lies further from where one square's axes lead.
    max_deviation = 1.6 * max_gap
    centre, u, v = (points[:, 0] + 1j * points[:, 1] for points in (squares.centre, squares.axis_u, squares.axis_v))
    expected_offset, offset = 2 * np.stack([u, v], axis=1) @ steps.T, centre - centre[:, None]
    reach = np.abs(expected_offset).max(axis=1, initial=0) + max_deviation.max() * squares.side_pixels
    i, j = np.nonzero(np.abs(offset) <= reach[:, None])
    deviation = np.abs(offset[i, j, None] - expected_offset[i]) / squares.side_pixels[i, None]
    pair, step = np.nonzero(deviation <= max_deviation)
    order = np.argsort(deviation[pair, step], kind="stable")
    i, j, step = i[pair][order], j[pair][order], step[order]

    axes = np.stack([u, v, -u, -v])
    u, v = axes[:, i], np.roll(axes, -1, axis=0)[:, i]
    cosines = (np.conj(u)[:, None] * axes[:, j]).real / (np.abs(u)[:, None] * np.abs(axes[:, j]) + 1e-9)
    quarter_turns = cosines.argmax(axis=1)
    dc, dr = steps[step].T
    dc, dr = np.stack([dc, dr, -dc, -dr]), np.stack([dr, -dc, -dr, dc])
    # The axes of both squares lead to the edge or corner where they meet, also where perspective shortens steps.
    meeting = dc * (u + axes[quarter_turns, j]) + dr * (v + axes[(quarter_turns + 1) % 4, j])
    gap = np.abs(offset[i, j] - meeting) / squares.side_pixels[i]
    ratio = squares.side_pixels[j] / squares.side_pixels[i]
    fits = np.asarray(ratio > side_ratios[0]) & (ratio < side_ratios[1]) & (gap <= max_gap[step])
    fits &= cosines.max(axis=1) >= min_axis_cosine
    gap = np.where(fits, gap + DIAGONAL_COST_SIDES * diagonal[step], np.inf)
    links = np.stack([gap, dc, dr, quarter_turns], axis=-1).swapaxes(0, 1).tolist()
    candidates: list[list[Candidate]] = [[] for _ in range(len(squares))]
    for index, number, neighbour, links_by_turn in zip(i.tolist(), step.tolist(), j.tolist(), links, strict=True):
        candidates[index].append(Candidate(number, neighbour, links_by_turn))
    return candidates


def find_overlapped(squares: Detections, *, max_score_ratio: float = 0.5, max_half_sides: float = 1.4) -> Mask:
    """Return which detections (n,) overlap much stronger ones; halves of two adjacent tiles look like a square.

    Weaker ones have less than `max_score_ratio` of the other's score. Two squares overlap if their centres are closer
    than `max_half_sides` along both axes of one of them; neighbours are 2 apart.
    """
    score, is_overlapped = squares.score, np.zeros(len(squares), bool)
    # Strong ones are compared with weak ones only: noise has more than a thousand detections, and all pairs are slow.
    weak = np.flatnonzero(score < max_score_ratio * score.max(initial=0))
    order = np.argsort(-score, kind="stable")
    strong = order[max_score_ratio * score[order] > score.min(initial=1)]
    inverse = np.linalg.pinv(np.stack([squares.axis_u[strong], squares.axis_v[strong]], axis=-1))
    axis_distance = np.abs((squares.centre[weak] - squares.centre[strong, None]) @ inverse.swapaxes(1, 2)).max(axis=2)
    covers = (axis_distance < max_half_sides) & (score[weak] < max_score_ratio * score[strong, None])
    for index, is_covered in zip(strong.tolist(), covers, strict=True):
        if not is_overlapped[index]:
            is_overlapped[weak] |= is_covered
    return is_overlapped


def split_component(component: Component) -> list[Component]:
    """Return the component in parts that are no larger than a kingdom, the largest first.

    Kruskal's algorithm (1956) with a size limit: links are used from the best to the worst, so that detections on the
    table between two kingdoms join last.
    """

    def fits_kingdom(indices: list[int]) -> bool:
        return bool(np.ptp(component.places[indices], axis=0).max() < MAX_SIDE)

    if fits_kingdom([*range(len(component))]):
        return [component]
    score = component.squares.score
    costs = [(gap + 1 - min(score[i], score[j]), i, j) for gap, i, j in list_links(component)]
    parts = join_squares(len(component), costs, may_join=lambda a, b: fits_kingdom([*a, *b]))
    return sorted((component.select(sorted(part)) for part in parts), key=len, reverse=True)


def list_links(component: Component) -> list[Link]:
    """Return a link between each two neighbours, with `DIAGONAL_COST_SIDES` for those that share a corner."""
    places, squares = component.places, component.squares
    steps = places[None] - places[:, None]
    i, j = np.nonzero((np.abs(steps).max(axis=2) == 1) & (steps @ (2, 1) > 0))
    steps = steps[i, j]
    u, v = squares.axis_u[i] + squares.axis_u[j], squares.axis_v[i] + squares.axis_v[j]
    meeting = steps[:, :1] * u + steps[:, 1:] * v  # as in `_list_candidates`
    gaps = np.linalg.norm(squares.centre[j] - squares.centre[i] - meeting, axis=1) / squares.side_pixels[i]
    gaps += DIAGONAL_COST_SIDES * steps.all(axis=1)
    return list(zip(gaps.tolist(), i.tolist(), j.tolist(), strict=True))


def join_squares(
    count: int, links: Iterable[Link], *, may_join: Callable[[set[int], set[int]], bool] = lambda *_: True
) -> list[set[int]]:
    """Return the parts of `count` squares that links connect, best links first, where two parts `may_join`."""
    part_of = {index: {index} for index in range(count)}
    for _, i, j in sorted(links):
        if part_of[i] is not part_of[j] and may_join(part_of[i], part_of[j]):
            union = part_of[i] | part_of[j]
            part_of.update(dict.fromkeys(union, union))
    return list({id(part): part for part in part_of.values()}.values())
