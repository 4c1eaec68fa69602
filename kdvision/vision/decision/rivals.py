"""The nearest rivals of the best answer: boards that show something else on some square, and cost little more.

Bounds tell which squares could matter. A rival of one kingdom, with the dominoes that the others leave it, comes out of
one sweep for all squares at once. Where that needs a domino twice or leaves squares detached, or where several kingdoms
could change together for less, the integer programme is asked. Another sweep asks for every domino that could
lie on such a square: where glare hides one it may be any, each of them unlikely, and all together not.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from kdvision.vision.decision.answers import Answer, Best, fresh_groups, nearest
from kdvision.vision.decision.attached import detached
from kdvision.vision.decision.candidates import IMPOSSIBLE, Floats, Ints, Mask
from kdvision.vision.decision.lists import Lists
from kdvision.vision.decision.programme import cheapest
from kdvision.vision.decision.relaxed import ascend, swept
from kdvision.vision.decision.scene import Scene
from kdvision.vision.decision.sweep import Sweep
from kdvision.vision.reading import NOTHING

_NEAR: Final = 0.7
_ENOUGH: Final = 3.0
_TOGETHER: Final = 60
_ROUNDS: Final = 15
_TRADE: Final = 4.6
"""So many rivals are looked for among kingdoms that trade dominoes, in so many rounds of prices, up to this loss."""
_HARD: Final = 3
_CUTS: Final = 4
_PIECES: Final = 250
_NODES: Final = 5
_DOMINOES: Final = 96
"""So many rivals are left to the integer programme, in so many rounds, out of so many pieces, branching so often. Of so
many dominoes it is asked what they would cost."""


def rivals(scene: Scene, best: Best, *, limit: float, most: int) -> tuple[list[Answer], Ints]:
    """Answers that lose at most `limit` more than the best one: for unsure squares the best that shows another kind.

    Beside them the squares of which it was not found out what else they could be.

    At most `most` squares are looked at in each kingdom, the least certain first; none where the bound is above the
    limit, or the reading itself is certain (beyond twice the limit).
    """
    bounds = _bounds(scene, best, limit)
    squares = _unsure(scene, best, bounds, limit, most)
    if not len(squares):
        return [], squares
    near = best.known.at_least <= limit + best.gap
    lists = Lists.of(scene.catalogue).only(near)
    found = dict(_alone(scene, best, lists, squares, limit))
    trade = min(limit, _TRADE)
    if hard := _hard(scene, best, found, squares, bounds, trade)[:_TOGETHER]:
        for square, answer in _together(scene, best, lists, np.array(hard), bounds, trade):
            found[square] = min(answer, found.get(square, answer), key=lambda known: known.loss)
    still = _hard(scene, best, found, squares, bounds, trade)
    for square in still[:_HARD]:
        if solved := _solved(scene, best, near, square):
            found[square] = min(solved, found.get(square, solved), key=lambda known: known.loss)
    left = np.array(still[_HARD:], np.intp)
    answers = [*found.values(), *_dominoes(scene, best, lists, squares, limit)]
    different = {answer.labels.tobytes(): answer for answer in sorted(answers, key=lambda one: -one.loss)}
    return [answer for answer in different.values() if answer.loss <= best.loss + limit], left


def _hard(scene: Scene, best: Best, found: dict[int, Answer], squares: Ints, bounds: Floats, limit: float) -> list[int]:
    """The squares for which an answer could be well below those that are found, the lowest bound first.

    None of kingdoms whose rivals outweigh the best answer already: it is hardly ever right there.
    """
    weights = np.zeros(len(scene.catalogue.frames))
    for square, answer in found.items():
        weights[scene.catalogue.owner[square]] += np.exp(best.loss - answer.loss)
    open_ = squares[(bounds[squares] <= limit) & (weights[scene.catalogue.owner[squares]] < _ENOUGH)]
    hard = [s for s in open_.tolist() if best.loss + bounds[s] + _NEAR < _least(best, found, s)]
    return sorted(hard, key=lambda square: float(bounds[square]))


def _least(best: Best, found: dict[int, Answer], square: int) -> float:
    """What the cheapest of the answers costs that shows something else on the square."""
    return min((a.loss for a in found.values() if a.labels[square] != best.labels[square]), default=np.inf)


def _bounds(scene: Scene, best: Best, limit: float) -> Floats:
    """For each square a lower bound on what it costs to show anything else there; infinite beyond the limit."""
    known, empty = best.known, scene.catalogue.kinds.index(NOTHING)
    near = np.flatnonzero(known.at_least <= limit + best.gap)
    pieces = scene.catalogue.pieces(near)
    bounds = np.where(best.labels == empty, np.inf, known.if_empty)
    for where, shown in ((pieces.first, pieces.kind), (pieces.second, pieces.other)):
        other = (where >= 0) & (shown != best.labels[where])
        np.minimum.at(bounds, where[other], known.at_least[near][other])
    return np.maximum(bounds - best.gap, 0.0)


def _unsure(scene: Scene, best: Best, bounds: Floats, limit: float, most: int) -> Ints:
    """The squares to look at, least certain first."""
    each = np.arange(len(best.labels))
    others = scene.losses.copy()
    others[each, best.labels] = np.inf
    unsure = bounds + np.maximum(others.min(axis=1) - scene.losses[each, best.labels], 0.0)
    order = np.argsort(unsure, kind="stable")
    order = order[(bounds[order] <= limit) & (unsure[order] <= 2 * limit)]
    owner = scene.catalogue.owner[order]
    rank = np.array([int((owner[:n] == kingdom).sum()) for n, kingdom in enumerate(owner)], np.intp)
    return np.asarray(order[rank < most])


def _alone(scene: Scene, best: Best, lists: Lists, squares: Ints, limit: float) -> Iterator[tuple[int, Answer]]:
    """For each square the cheapest answer in which it shows something else and only its own kingdom changes.

    Left out where it would need dominoes that are not there.
    """
    asked = _left_by_others(scene, best, lists).without(squares, best.labels)
    for number, answer in _own(scene, best, asked, squares, limit):
        yield int(squares[number]), answer


def _dominoes(scene: Scene, best: Best, lists: Lists, squares: Ints, limit: float) -> list[Answer]:
    """The like of `_alone` for each domino that shows something else on some of the squares, and for each bare one."""
    known, foreign = best.known, scene.catalogue.starts[0]
    numbers = np.flatnonzero(known.at_least[:foreign] <= limit + best.gap)
    pieces, asked = scene.catalogue.pieces(numbers), np.zeros(len(best.labels), bool)
    asked[squares] = True
    other = asked[pieces.first] & (pieces.kind != best.labels[pieces.first])
    other |= asked[pieces.second] & (pieces.other != best.labels[pieces.second])
    numbers = nearest(known.at_least, np.isin(np.arange(foreign), numbers[other]), _DOMINOES)
    nothing = scene.catalogue.kinds.index(NOTHING)
    bare = squares[(best.labels[squares] != nothing) & (known.if_empty[squares] <= limit + best.gap)]
    lists = _left_by_others(scene, best, lists)
    questions = (
        (lists.holding(numbers), scene.catalogue.pieces(numbers).first),
        (lists.showing(bare, np.full(len(bare), nothing)), bare),
    )
    return [answer for asked, where in questions if len(where) for _, answer in _own(scene, best, asked, where, limit)]


def _left_by_others(scene: Scene, best: Best, lists: Lists) -> Lists:
    """The lists without the dominoes that a kingdom could not have while the others stay."""
    used = np.array([scene.used(part) for part in scene.split(best.chosen)])
    return lists.lacking(scene.catalogue.stock - used.sum(axis=0) + used)


def _own(scene: Scene, best: Best, lists: Lists, squares: Ints, limit: float) -> Iterator[tuple[int, Answer]]:
    """For each question, about one of these squares, the cheapest answer in which only that one's kingdom changes."""
    parts = scene.split(best.chosen)
    used = np.array([scene.used(part) for part in parts])
    left = scene.catalogue.stock - used.sum(axis=0) + used
    room = _room(scene, best)
    own = np.array([_own_cost(scene, part, number, room) for number, part in enumerate(parts)])
    rows, windows = _entries(scene, best, squares, limit)
    sweeps = swept(scene, lists.priced(), rows, windows)
    for number, (chosen, total) in sorted(_cheapest_entries(sweeps, room).items()):
        kingdom = int(scene.catalogue.owner[squares[number]])
        if (scene.used(chosen) <= left[kingdom]).all():
            loss = best.loss + total - own[kingdom] + scene.prices.detached * _apart(scene, chosen)
            everything = np.concatenate([chosen, *(part for other, part in enumerate(parts) if other != kingdom)])
            yield number, Answer(scene.labels(everything), loss, everything)


def _room(scene: Scene, best: Best) -> Floats:
    """What each window costs a kingdom while the others stay: the larger side is free where another one needs it."""
    around = scene.around(scene.catalogue.pieces(best.chosen).covered)
    needs = scene.by_kingdom(np.where(scene.larger, IMPOSSIBLE, around)) > scene.by_kingdom(around)
    others = np.array([np.delete(needs, kingdom).any() for kingdom in range(len(needs))])
    return np.asarray(scene.price + scene.prices.larger_side * (scene.larger & ~others[scene.kingdom]))


def _own_cost(scene: Scene, part: Ints, kingdom: int, room: Floats) -> float:
    """What one kingdom's pieces cost it, with the way out if it has no castle, its window, and what lies detached."""
    pieces = scene.catalogue.pieces(part)
    fits = (scene.kingdom == kingdom) & (scene.around(pieces.covered) < IMPOSSIBLE)
    out = 0.0 if pieces.castle.any() else scene.prices.no_castle
    return float(pieces.cost.sum() + room[fits].min() + out + scene.prices.detached * _apart(scene, part))


def _apart(scene: Scene, chosen: Ints) -> int:
    return len(detached(scene.catalogue, scene.catalogue.pieces(chosen)))


def _entries(scene: Scene, best: Best, squares: Ints, limit: float) -> tuple[Ints, Ints]:
    """For each square (by its place in the list) the windows of its kingdom that could matter, one after another."""
    open_ = best.known.window <= limit + best.gap
    rows, windows = np.nonzero((scene.catalogue.owner[squares][:, None] == scene.kingdom) & open_)
    return rows, windows


def _cheapest_entries(sweeps: tuple[Sweep, ...], room: Floats) -> dict[int, tuple[Ints, float]]:
    """For each row the pieces of its cheapest window, and what they cost with the window."""
    rows, totals = (
        np.concatenate(part) for part in zip(*((s.row, s.totals + room[s.windows]) for s in sweeps), strict=True)
    )
    starts = np.cumsum([0, *(len(one.row) for one in sweeps)])
    order = np.lexsort((totals, rows))
    winners = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    winners = winners[totals[winners] < IMPOSSIBLE / 2]
    found = {}
    for number, one in enumerate(sweeps):
        mine = winners[(winners >= starts[number]) & (winners < starts[number + 1])]
        for entry, chosen in zip(mine.tolist(), one.traced(mine - starts[number]), strict=True):
            found[int(rows[entry])] = chosen, float(totals[entry])
    return found


def _together(
    scene: Scene, best: Best, lists: Lists, squares: Ints, bounds: Floats, limit: float
) -> Iterator[tuple[int, Answer]]:
    """Answers in which a square shows something else and kingdoms trade dominoes; `bounds` rise to what is proved."""
    windows = np.flatnonzero(best.known.window <= limit + best.gap)
    prices = np.repeat(best.known.prices, len(squares), axis=0)
    enough = best.loss + limit
    found = ascend(
        scene, lists.without(squares, best.labels), prices, windows, rounds=_ROUNDS, enough=enough, reach=limit + 1
    )
    bounds[squares] = np.maximum(bounds[squares], found.bound - best.loss)
    for square, chosen, loss in zip(squares.tolist(), found.chosen, found.loss.tolist(), strict=True):
        labels = best.labels if chosen is None else scene.labels(chosen)
        if chosen is not None and labels[square] != best.labels[square]:
            yield square, Answer(labels, loss, chosen)


def _solved(scene: Scene, best: Best, near: Mask, square: int) -> Answer | None:
    """The cheapest answer of all that shows something else on the square, by the integer programme."""
    label, empty = int(best.labels[square]), scene.catalogue.kinds.index(NOTHING)
    numbers = nearest(best.known.at_least, near, _PIECES)
    pieces = scene.catalogue.pieces(numbers)
    shows = ((pieces.first == square) & (pieces.kind == label)) | ((pieces.second == square) & (pieces.other == label))
    groups = list(best.groups)
    answer = None
    for _ in range(_CUTS):
        found = cheapest(scene, numbers[~shows], groups, must=square if label == empty else None, nodes=_NODES)
        if found is None:
            break
        answer = Answer(scene.labels(found.chosen), scene.loss(found.chosen), found.chosen)
        fresh = fresh_groups(scene, found.chosen, groups)
        groups += fresh
        if not fresh:
            break
    return answer
