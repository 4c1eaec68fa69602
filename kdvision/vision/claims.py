"""Squares that two lattices claim: a tile lies in one kingdom, the one whose squares it meets better.

Where kingdoms lie close to each other, the lattice of one goes on over tiles of the next: they are nearly where its own
would be, and squares of the table between them seem to lead there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from kdvision.vision.candidate import COVERED, Candidate, Mask
from kdvision.vision.finder import Floats
from kdvision.vision.kinghood import SEEN
from kdvision.vision.seams import weakness
from kdvision.vision.sight import Sight
from kdvision.vision.steps import Place

MUCH: Final = 0.3
"""A lattice of which more than this share lies on tiles of another is no kingdom beside it."""
MOST: Final = 0.5
"""A lattice of which more than this share lies on squares of another is a view of the same tiles, whose they may be."""
EVEN: Final = 0.5
"""The chance from which a tile is rather theirs than ours."""

Shared = dict[Place, Place]
"""Places of one lattice and, of the same tiles, places on another."""


def shared(ours: Candidate, theirs: Candidate) -> Shared:
    """Return the places of our squares that lie on theirs, each with the place of theirs."""
    names = list(theirs.lattice.members)
    apart = np.linalg.norm(ours.patch.middles[:, None] - theirs.patch.middles[None], axis=2)
    near = apart.min(axis=1) < COVERED * theirs.patch.side
    pairs = zip(ours.lattice.members, apart.argmin(axis=1).tolist(), near.tolist(), strict=True)
    return {place: names[n] for place, n, there in pairs if there}


def lost(ours: Candidate, theirs: Candidate, both: Shared) -> frozenset[Place]:
    """Return which of the places that `both` have hold tiles of theirs.

    Squares that only one of them has are its own. Each of the others goes where a walk from it comes first, from square
    to square, the likelier the better two meet (random walker: Grady, 2006).
    """
    number = {place: n for n, place in enumerate(both)}
    names: dict[Place, list[int]] = {}
    for place, name in both.items():
        names.setdefault(name, []).append(number[place])
    walk, theirs_next = np.zeros((len(both), len(both))), np.zeros(len(both))
    for who, candidate in ((0, ours), (1, theirs)):
        for apart, *ends in weakness(candidate.squares, candidate.lattice.members):
            hold = max(0.0, 1 - apart)
            one, other = (names.get(end, []) if who else [number[end]] if end in number else [] for end in ends)
            for here, there in ((one, other), (other, one)):
                walk[here, here] += hold * max(1, len(there))
                walk[np.ix_(here, there)] -= hold
                theirs_next[here] += hold * who * (not there)
    chance = np.linalg.lstsq(walk, theirs_next, rcond=None)[0]
    return frozenset(place for place, n in number.items() if chance[n] > EVEN)


def same_tiles(ours: Candidate, theirs: Candidate) -> bool:
    """Whether much of our lattice lies on tiles of theirs: a view of what is known already, not a kingdom beside it."""
    if not ours.patch.on(theirs):
        return False
    both, count = shared(ours, theirs), len(ours.chosen)
    return len(both) > MOST * count or len(lost(ours, theirs, both)) > MUCH * count


def each_its_own(seen: Sequence[tuple[Candidate, Sight]]) -> list[tuple[Candidate, Sight]]:
    """Return lattices and what is seen on them, no place of theirs a tile that is a square of another kingdom."""
    kingdoms = [n for n, (_, sight) in enumerate(seen) if sight.kingdom_beside_others]
    held = {n: set(seen[n][0].lattice.members) for n in kingdoms}
    for one, other in combinations(kingdoms, 2):
        ours, theirs = seen[one][0], seen[other][0]
        if not (both := shared(ours, theirs)):
            continue
        gone = lost(ours, theirs, both)
        held[one] -= gone
        held[other] -= {name for place, name in both.items() if place not in gone}
    tiles = {n: _middles(*seen[n], held[n]) for n in kingdoms}
    found = list(seen)
    for n in kingdoms:
        candidate, sight = seen[n]
        others = np.concatenate([np.zeros((0, 2)), *(tiles[other] for other in kingdoms if other != n)])
        found[n] = candidate, _without(sight, others, _on_grid(candidate, sight, held[n]))
    return found


def _on_grid(candidate: Candidate, sight: Sight, places: Collection[Place]) -> Mask:
    """Return which places (rows, cols) of the grid are these of the lattice."""
    middles = candidate.squares.centre[[candidate.lattice.members[place] for place in places]].reshape(-1, 2)
    found = np.zeros(sight.presence.shape, bool)
    found.reshape(-1)[sight.grid.nearest(middles)] = True
    return found


def _middles(candidate: Candidate, sight: Sight, places: Collection[Place]) -> Floats:
    """Return the middles (n, 2) of the tiles, in pixels, that lie on these places of the lattice."""
    tiles = _on_grid(candidate, sight, places) & (sight.presence > SEEN)
    return np.asarray(sight.grid.middles[tiles])


def _without(sight: Sight, others: Floats, own: Mask) -> Sight:
    """Return what is seen where no tile of `others` (n, 2) lies; those places of the grid that are `own` keep it."""
    if not len(others):
        return sight
    centres = sight.grid.middles
    away = np.linalg.norm(centres[:, :, None] - others, axis=-1).min(axis=-1)
    taken = (away < COVERED * sight.grid.side) & ~own
    return replace(sight, reading=sight.reading.without(taken)) if taken.any() else sight
