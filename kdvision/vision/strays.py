"""Squares that lie on no grid: where several lie together, a kingdom may have been missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from kdvision.vision.candidate import COVERED
from kdvision.vision.cells import CellReader, Floats
from kdvision.vision.finder import Squares
from kdvision.vision.kinghood import PLAIN, SEEN, Mask
from kdvision.vision.photo import Photo
from kdvision.vision.sight import BESIDE, Sight

SEVERAL: Final = 5
"""A castle and two dominoes. Of a loose domino there are two squares, and nobody knows which lie beside it."""


def strays(photo: Photo, reader: CellReader, looks: Sequence[Squares], sights: Sequence[Sight]) -> bool:
    """Return whether in one of these looks several squares on no grid lie together, and the reader sees tiles there."""
    known = np.concatenate([np.zeros((0, 2)), *[sight.middles for sight in sights]])
    return any(len(cluster) >= SEVERAL for squares in looks for cluster in _together(photo, reader, squares, known))


def look_like_tiles(photo: Photo, reader: CellReader, corners: Floats) -> Mask:
    """Return which squares (n, 4, 2) the reader takes for tiles, and plainly for one kind of them."""
    seen = reader.look(photo, corners)
    return np.asarray((seen.presence > 0) & (seen.kind.max(axis=1) > np.log(PLAIN)))


def _together(photo: Photo, reader: CellReader, squares: Squares, known: Floats) -> Iterator[list[int]]:
    """The squares that look like tiles, a square or more from the `known` middles (m, 2), by which lie together."""
    if not len(squares):
        return
    away = np.linalg.norm(squares.centre[:, None] - known[None], axis=2).min(axis=1, initial=np.inf)
    left = np.flatnonzero((squares.score > SEEN) & (away > squares.side))
    if len(left) < SEVERAL:
        return
    left = left[look_like_tiles(photo, reader, squares.corners[left])]
    apart = np.linalg.norm(squares.centre[:, None] - squares.centre[None], axis=2) / squares.side[:, None]
    todo: list[int] = []
    for one in left[np.argsort(-squares.score[left], kind="stable")].tolist():
        if all(apart[one, other] > COVERED for other in todo):  # halves of two tiles look like a square
            todo.append(one)
    while todo:
        cluster = [todo.pop()]
        for one in cluster:
            near = [other for other in todo if apart[one, other] < BESIDE]
            cluster += near
            todo = [other for other in todo if other not in near]
        yield cluster
