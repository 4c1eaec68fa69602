"""Kingdoms so close to each other that their squares seem to form one lattice, told apart: each has one castle.

Between them lie squares that are none, or nothing: what the cell network takes for table does not hold a kingdom
together, and neither does a corner (kingdomino/connection: sides touch).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kdvision.vision.candidate import Candidate
from kdvision.vision.lattice import LEAST, Lattice, fit
from kdvision.vision.seams import Seam, diagonal, joined, pieces, seams
from kdvision.vision.steps import Place


@dataclass(frozen=True)
class Part:
    """A part of a lattice that may be a kingdom by itself; `cut` where it touches another, so that no gap shows."""

    candidate: Candidate
    cut: bool = False


def parted(candidate: Candidate, tiles: Collection[Place], castles: Collection[Place]) -> list[Part]:
    """Return the parts of a lattice whose `tiles` (column, row) hang together by their sides, one for each castle.

    Parts too small for a kingdom are left out. No part comes back where it is all one kingdom, or nothing can be said.
    """
    squares = candidate.squares
    members = {place: index for place, index in candidate.lattice.members.items() if place in tiles}
    met = sorted(seams(squares, members))
    whole = pieces(joined(members, [seam for seam in met if not diagonal(seam)]))
    groups = [(group, cut) for piece in whole for group, cut in _cut(piece, met, castles)]
    groups = [(group, cut) for group, cut in groups if len(group) >= LEAST]
    if len(groups) < 2:
        return []
    parts = []
    for group, cut in groups:
        own = {place: members[place] for place in sorted(group)}
        matrix = fit(squares, own)
        if matrix is not None:
            parts.append(Part(Candidate(Lattice(own, matrix), squares), cut))
    return parts


def _cut(piece: set[Place], met: Sequence[Seam], castles: Collection[Place]) -> list[tuple[set[Place], bool]]:
    """Return what is left of a piece when its castles are taken apart, and whether they were.

    Squares are joined in the order of how well they meet (Kruskal, 1956), but never two castles. Where the parts meet
    no worse than the squares within them do, it is one kingdom, and some tile only looks like a castle.
    """
    here, apart = [seam for seam in met if seam[1] in piece and seam[2] in piece], set(castles)
    group = joined(piece, here, may=lambda one, other: not (one & apart and other & apart))
    across = [seam[0] for seam in here if group[seam[1]] is not group[seam[2]]]
    within = [seam[0] for seam in here if group[seam[1]] is group[seam[2]] and not diagonal(seam)]
    if not across or min(across) <= max(within, default=0.0):
        return [(piece, False)]
    return [(part, True) for part in pieces(group)]
