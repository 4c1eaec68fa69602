"""The search behind deciding, against an oracle that lays every possible board of small kingdoms sharing one box."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from kdvision.game.board import Cell, Square
from kdvision.game.deck import Deck, Domino, Face, face, faces
from kdvision.vision.decision import programme
from kdvision.vision.decision.answers import best_answer
from kdvision.vision.decision.candidates import Floats, Prices
from kdvision.vision.decision.relaxed import relaxed
from kdvision.vision.decision.rivals import rivals
from kdvision.vision.decision.scene import Scene

KINDS = ("w", "w1", "l", "#", ".")
PRICES = Prices(foreign_domino=500, lone_half=500, no_castle=500, too_wide=500)
DECK: Deck = tuple(
    Domino(number, Cell.parse(left), Cell.parse(right))
    for number, (left, right) in enumerate([("w", "w"), ("w", "l"), ("w1", "l"), ("l", "l")], start=1)
)

Laying = tuple[dict[Square, str], Counter[Face]]


def layings(squares: Sequence[Square], left: Mapping[Face, int], castle: bool) -> Iterator[Laying]:
    """Every way to lay dominoes that are left and, if it is not there yet, the castle: labels and dominoes used."""
    if not squares:
        if castle:
            yield {}, Counter()
        return
    first, rest = squares[0], squares[1:]
    for labels, used in layings(rest, left, castle):
        yield labels | {first: "."}, used
    if not castle:
        for labels, used in layings(rest, left, True):
            yield labels | {first: "#"}, used
    for second in {Square(first.row, first.col + 1), Square(first.row + 1, first.col)}.intersection(rest):
        for one, two in {pair for known in left for pair in (known, known[::-1])}:
            if left[face(one, two)]:
                fewer = {**left, face(one, two): left[face(one, two)] - 1}
                for labels, used in layings([square for square in rest if square != second], fewer, castle):
                    yield labels | {first: str(one), second: str(two)}, used + Counter([face(one, two)])


def apart(labels: Mapping[Square, str]) -> int:
    """How many groups of squares hang together without the castle."""
    left, groups = {square for square, kind in labels.items() if kind != "."}, 0
    while left:
        group = [left.pop()]
        for square in group:
            near = left.intersection(square.neighbours())
            left -= near
            group += near
        groups += all(labels[square] != "#" for square in group)
    return groups


Kinds = tuple[int, ...]


def all_boards(losses: Floats) -> Iterator[tuple[Kinds, Kinds, float]]:
    """Every board of one kingdom: its kinds as numbers, row by row, the dominoes used of each face, and its loss."""
    squares, order = [Square(*at) for at in np.ndindex(losses.shape[:2])], sorted(faces(DECK), key=str)
    for labels, used in layings(squares, faces(DECK), False):
        kinds = tuple(KINDS.index(labels[square]) for square in squares)
        loss = sum(losses[square][kind] for square, kind in zip(squares, kinds, strict=True))
        yield kinds, tuple(used[known] for known in order), float(loss) + PRICES.detached * apart(labels)


def by_trying(losses: Sequence[Floats]) -> dict[Kinds, float]:
    """What every choice of boards loses that one box can lay, all kingdoms' kinds one after another."""
    stock = [faces(DECK)[known] for known in sorted(faces(DECK), key=str)]
    found: dict[Kinds, float] = {}
    for parts in product(*map(list, map(all_boards, losses))):
        if all(sum(counts) <= most for *counts, most in zip(*(used for _, used, _ in parts), stock, strict=True)):
            kinds = sum((kinds for kinds, _, _ in parts), ())
            found[kinds] = min(found.get(kinds, np.inf), sum(loss for _, _, loss in parts))
    return found


def spread(seed: int, shapes: Sequence[tuple[int, int]]) -> list[Floats]:
    """Losses that say little, so that the box and the rules decide."""
    rng = np.random.default_rng(seed)
    return [-np.log(rng.dirichlet(np.full(len(KINDS), 0.5), size=shape) + 1e-4) for shape in shapes]


def scene_of(losses: Sequence[Floats]) -> Scene:
    return Scene.of(losses, KINDS, DECK, side=5, bonds=[None] * len(losses), prices=PRICES)


@pytest.mark.parametrize("seed", range(6))
def test_kingdoms_that_share_a_box_are_the_likeliest_of_all_that_can_be_laid(seed: int) -> None:
    losses = spread(seed, [(2, 2), (2, 3)])
    scene, tried = scene_of(losses), by_trying(losses)
    best, bound = best_answer(scene), relaxed(scene).bound
    empty = sum(float(loss[..., KINDS.index(".")].sum()) for loss in losses)
    assert best.exact
    assert best.loss + empty == pytest.approx(min(tried.values()), abs=1e-6)
    assert tried[tuple(best.labels.tolist())] == pytest.approx(min(tried.values()), abs=1e-6)
    assert bound <= best.loss + 1e-6


@pytest.mark.parametrize("shapes", [[(2, 3)], [(2, 2), (2, 3)], [(2, 2), (1, 3), (2, 2)]])
def test_rivals_are_the_best_boards_that_show_something_else_on_a_square(
    shapes: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oracle's for every square, where there is time for all: deciding itself gives up early on such readings."""
    for name in ("_HARD", "_TOGETHER", "_ENOUGH", "_NODES", "_CUTS", "_TRADE"):
        monkeypatch.setattr(f"kdvision.vision.decision.rivals.{name}", 1000)
    losses, limit = spread(20, shapes), 4.0
    scene, tried = scene_of(losses), by_trying(losses)
    best = best_answer(scene)
    found, left = rivals(scene, best, limit=limit, most=99)
    assert not len(left)
    least = min(tried.values())
    for answer in found:
        assert tried[tuple(answer.labels.tolist())] - least == pytest.approx(answer.loss - best.loss, abs=1e-6)
    for square, label in enumerate(best.labels.tolist()):
        others = min(loss for kinds, loss in tried.items() if kinds[square] != label) - least
        mine = min((a.loss - best.loss for a in found if a.labels[square] != label), default=np.inf)
        assert mine >= others - 1e-6
        assert mine <= others + 0.7 or others > limit  # one that is so little worse than another's bound is not sought


def test_pieces_that_an_answer_holds_are_never_ruled_out() -> None:
    losses = spread(3, [(2, 2), (2, 3)])
    scene, tried = scene_of(losses), by_trying(losses)
    known, least = relaxed(scene), sum(float(loss[..., KINDS.index(".")].sum()) for loss in losses)
    for kinds, loss in tried.items():
        for square, kind in enumerate(kinds):
            if KINDS[kind] == "#":
                assert known.at_least[scene.catalogue.starts[2] + square] <= loss - least - known.bound + 1e-6
            if KINDS[kind] == ".":
                assert known.if_empty[square] <= loss - least - known.bound + 1e-6


def test_an_answer_that_breaks_its_limits_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver says that all is well, and a square is covered twice."""
    scene = scene_of(spread(3, [(2, 2), (2, 3)]))
    every = np.arange(scene.catalogue.starts[-1])
    assert programme.cheapest(scene, every, []) is not None

    solved = programme._solved

    def broken(*arguments: Any) -> tuple[Floats | None, bool]:
        answer, proved = solved(*arguments)
        assert answer is not None
        answer[: len(every)] = 1.0
        return answer, proved

    monkeypatch.setattr(programme, "_solved", broken)
    assert programme.cheapest(scene, every, []) is None
