"""All that the eyes say about one grid, put together for `decide`: reading, and which halves belong together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from kdvision.errors import NoKingdomFound
from kdvision.vision.cells import CellReader, Floats, Look, crops_of
from kdvision.vision.edge import LIKELY, STRIP, visible
from kdvision.vision.finder import FINER, Finder, Squares
from kdvision.vision.grid import Grid
from kdvision.vision.kinghood import (
    PLAIN,
    SEEN,
    TWO_LINES,
    Mask,
    evidence_of,
    is_line,
    may_be_one,
    may_hide_its_castle,
    shows_one,
)
from kdvision.vision.lattice import LEAST
from kdvision.vision.livery import shipped
from kdvision.vision.parting import parted
from kdvision.vision.photo import Photo
from kdvision.vision.pieces import on_crossings
from kdvision.vision.reading import CASTLE, NOTHING, Reading
from kdvision.vision.search import found_in, searched, worth_a_finer_look
from kdvision.vision.second import Candidate

NO_CHANCE: Final = -12.0
"""The log-probability of a tile where the picture does not reach: not nought, so that a person can still say so."""
CELLS_ALONE: Final = (1.0, 0.0, 0.0)
UNINFORMED: Final = np.log(0.25)
"""The log-probability of each of four partners where nothing is known."""

BESIDE: Final = 1.7
"""Centres nearer than this many sides belong to tiles with less than a square of table between them."""
REACH: Final = 2.5
"""And nearer than this may lie tiles of a row or column that a lattice has lost."""
COVERED: Final = 0.7
"""A square lies on a tile whose middle is nearer than so many sides: halves of two tiles look like a square."""
LIKE: Final = 0.4
"""Squares of one kingdom differ by less than this in the logarithm of their sides."""
LEAST_TILES: Final = 2.0
LEAST_HIDDEN: Final = 8.5
"""A line of four dominoes on offer has eight squares; without a castle only more than that is taken for a kingdom."""
LARGEST: Final = 7
"""No kingdom has more columns or rows (kingdomino/mighty-duel)."""

Bonds = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class Sight:
    """One grid as it is seen.

    `bonds` are log-odds that neighbours are one domino, to the right (rows, cols - 1) and down (rows - 1, cols);
    `hidden` (rows, cols) is the probability that something covers the square. `inside` (rows, cols) is the share of
    each place that lies in the picture, `beyond` the probability of a tile where a place's middle does not; None where
    all of the grid lies inside. `colour` is the player's, as the likeliest castle shows it; "" where it does not.
    `crowded` says that tiles lie beside it which are on no grid, or may be another kingdom's.

    `pieces` (rows, cols, names) are log-probabilities of what stands on each square, by `piece_names`, the first of
    which is nothing; `gems` (rows + 1, cols + 1) log-odds of a token on each crossing. None where the networks do not
    know of any.
    """

    grid: Grid
    reading: Reading
    bonds: Bonds
    hidden: Floats
    inside: Floats | None = None
    beyond: Floats | None = None
    colour: str = ""
    crowded: bool = False
    pieces: Floats | None = None
    gems: Floats | None = None
    piece_names: tuple[str, ...] = ()

    @property
    def chances_of_castles(self) -> Floats:
        """The probability (rows, cols) of a castle."""
        return np.asarray(np.exp(self.reading.log_probs[..., self.reading.kinds.index(CASTLE)]))

    @property
    def castle(self) -> float:
        """The probability of the likeliest castle."""
        return float(np.exp(self.reading.log_probs[..., self.reading.kinds.index(CASTLE)].max()))

    @property
    def castle_place(self) -> tuple[int, int]:
        """The place (row, column) of the likeliest castle."""
        chances = self.reading.log_probs[..., self.reading.kinds.index(CASTLE)]
        row, col = np.unravel_index(int(chances.argmax()), chances.shape)
        return int(row), int(col)

    @property
    def tiles(self) -> float:
        """How many squares are tiles, expected."""
        return float(self.presence.sum())

    @property
    def plain(self) -> Mask:
        """Of which squares (rows, cols) it is plain that they are tiles, and what they show."""
        return np.asarray(np.exp(self.reading.log_probs[..., :-1]).max(axis=-1) > PLAIN)

    @property
    def kingdom(self) -> bool:
        """Whether this looks like a kingdom: tiles about a castle, most of them plain, and no line on offer."""
        return shows_one(self.plain, self.chances_of_castles, self.tiles) and not self._line

    @property
    def castle_hidden(self) -> bool:
        """Whether this may be a kingdom whose castle is not seen: more tiles than lie on offer, most of them plain."""
        seen = may_hide_its_castle(self.plain, self.chances_of_castles, self.tiles, cut=self.cut)
        return seen and not self._line

    @property
    def may_be_kingdom(self) -> bool:
        """Whether somebody should look whether this is a kingdom."""
        return may_be_one(self.plain, self.chances_of_castles, self.tiles) and not self._line

    @property
    def _line(self) -> bool:
        return is_line(self.presence > SEEN, self.bonds)

    @property
    def surely_hidden(self) -> bool:
        """Whether this is a kingdom though its castle is not seen: hidden by something, or by the picture's edge."""
        return self.castle_hidden and (self.cut or evidence_of(self.plain, self.chances_of_castles) > TWO_LINES)

    @property
    def cut(self) -> bool:
        """Whether the picture's edge cuts tiles of it."""
        if self.inside is None or self.beyond is None:
            return False
        partly = (self.inside > 0) & (self.inside < 1)
        return bool(((self.presence > SEEN) & partly).any() or (self.beyond > LIKELY)[self.inside >= STRIP].any())

    def left_by(self, board: Collection[object]) -> bool:
        """Whether a kingdom is left where these squares were decided to be tiles: half of what looked like them, too.

        No box has thirty squares of wheat without a crown, as a grille may look. Of kingdoms nearly all is left.
        """
        enough = len(board) >= LEAST if self.kingdom else len(board) > LEAST_HIDDEN
        return enough and len(board) > self.tiles / 2

    @property
    def presence(self) -> Floats:
        """The probability (rows, cols) of a tile."""
        return np.asarray(1 - np.exp(self.reading.log_probs[..., self.reading.kinds.index(NOTHING)]))

    @property
    def middles(self) -> Floats:
        """The middles (n, 2) of the places that are tiles, in pixels."""
        return np.asarray(self.grid.quads.mean(axis=2)[self.presence > 0.5])

    def beside(self, other: Sight) -> bool:
        """Whether a tile of the other grid lies less than a square away from one of this grid."""
        ours, theirs = self.middles, other.middles
        if not len(ours) or not len(theirs):
            return False
        side = float(
            np.sqrt(
                np.linalg.norm(np.diff(self.grid.corners, axis=0), axis=1)[:2].prod()
                / (self.grid.rows * self.grid.cols)
            )
        )
        return bool(np.linalg.norm(ours[:, None] - theirs[None], axis=2).min() < BESIDE * side)


def sort_out(sights: Sequence[Sight]) -> tuple[list[Sight], list[Sight]]:
    """Return the kingdoms, from the top left, and what else lies on the table: every kingdom has a castle.

    Where no castle is seen at all, the largest grid of several dominoes is a kingdom whose castle is hidden; beside
    others, one that has more tiles than lie on offer, or that the picture's edge cuts.
    """
    real = [sight for sight in sights if sight.kingdom or sight.surely_hidden]
    if not real:
        real = sorted((sight for sight in sights if sight.castle_hidden), key=lambda sight: -sight.tiles)[:1]
    kingdoms = sorted(real, key=lambda sight: tuple(sight.grid.corners.mean(axis=0)[::-1].tolist()))
    return kingdoms, [sight for sight in sights if not any(sight is one for one in real)]


def search_all(
    photo: Photo, finder: Finder, reader: CellReader, *, tell: Callable[[str, object], None] = lambda *_: None
) -> list[Sight]:
    """Return what the networks see on every grid they find in a photo.

    It is looked over more finely, which takes longer, where that shows no kingdom or only small ones. `tell` hears of
    the squares seen in each look, and of the lattices found.
    """
    looks, found = searched(photo, finder)
    sights = {candidate: look(photo, reader, candidate.grid) for candidate in found.kept}
    if worth_a_finer_look(photo, [kingdom.grid.side for kingdom in sort_out(list(sights.values()))[0]]):
        looks = [*finder.find(photo, (FINER,)), *looks]
        found = found_in(photo, finder, looks[:1], known=found)
        sights = {one: sights[one] if one in sights else look(photo, reader, one.grid) for one in found.kept}
    tell("squares", looks)
    tell("lattices", found)
    apart = [(one, c) for c, sight in sights.items() for one in _told_apart(photo, reader, c, sight)]
    everything = [sight for sight, _ in apart]
    return [crowded(photo, reader, sight, candidate.squares, everything) for sight, candidate in apart]


def crowded(photo: Photo, reader: CellReader, sight: Sight, squares: Squares, sights: Sequence[Sight]) -> Sight:
    """Return the sight, marked where the finder saw squares beside it that lie on no grid, and the reader sees tiles.

    A lattice that lost a row is a smaller kingdom, and looks as sure as a whole one.
    """
    tiles = sight.middles
    if not sight.kingdom and not sight.castle_hidden:
        return sight
    side = sight.grid.side
    known = np.concatenate([one.middles for one in sights])
    away, alone = (np.linalg.norm(squares.centre[:, None] - them[None], axis=2).min(axis=1) for them in (tiles, known))
    like = np.abs(np.log(squares.side / side)) < LIKE
    loose = (squares.score > SEEN) & like & (away < REACH * side) & (alone > COVERED * side)
    if not loose.any():
        return sight
    u, v, centre = squares.u[loose], squares.v[loose], squares.centre[loose]
    seen = reader.look(photo, np.stack([centre - u - v, centre + u - v, centre + u + v, centre - u + v], axis=1))
    return (
        replace(sight, crowded=True) if ((seen.presence > 0) & (seen.kind.max(axis=1) > np.log(PLAIN))).any() else sight
    )


def _told_apart(photo: Photo, reader: CellReader, candidate: Candidate, sight: Sight) -> list[Sight]:
    """Return the sights of a candidate: several where it shows several castles, or is too large for one kingdom."""
    places = list(candidate.lattice.members)
    middles = candidate.squares.centre[candidate.chosen]
    centres = sight.grid.quads.mean(axis=2).reshape(-1, 2)
    nearest = np.linalg.norm(middles[:, None] - centres[None], axis=2).argmin(axis=1)
    tiles = [places[n] for n in np.flatnonzero(sight.presence.reshape(-1)[nearest] > SEEN)]
    castles = [places[n] for n in np.flatnonzero(sight.chances_of_castles.reshape(-1)[nearest] > PLAIN)]
    if not tiles or (len(castles) < 2 and np.ptp(tiles, axis=0).max() < LARGEST):
        return [sight]
    parts = parted(candidate, tiles, castles)
    seen = [replace(look(photo, reader, part.candidate.grid), crowded=part.cut) for part in parts]
    return seen if any(part.kingdom for part in seen) else [sight]


def as_named(sights: Sequence[Sight]) -> list[Sight]:
    """Return the sights, which a person has said are kingdoms; raises NoKingdomFound for one without tiles."""
    for number, sight in enumerate(sights, start=1):
        if sight.tiles <= LEAST_TILES:
            hint = "check its corners: pixels of the upright photo, clockwise from the top left"
            raise NoKingdomFound(f"outline {number} shows no tiles", stage="cells", hint=hint)
    return list(sights)


def look(photo: Photo, reader: CellReader, grid: Grid, *, turns: int = 4) -> Sight:
    """Return what the networks see on a grid; places outside the picture show nothing."""
    share = visible(grid, photo)
    bare = None if grid.bare is None else (grid.bare & (share == 1)).reshape(-1)
    seen = reader.look(photo, grid.quads.reshape(-1, 4, 2), turns=turns, bare=bare)
    log_probs = probabilities(seen, outline(seen, grid, reader.model.about.get("outline", CELLS_ALONE)))
    centres = grid.quads.mean(axis=2).reshape(-1, 2)
    outside = ~((centres >= 0) & (centres < (photo.width, photo.height))).all(axis=-1)
    log_probs[outside, :-1] = NO_CHANCE
    log_probs[outside, -1] = np.log1p(-np.exp(NO_CHANCE) * (len(reader.kinds) - 1))
    shape = (grid.rows, grid.cols)
    reading = Reading(log_probs.reshape(*shape, -1), reader.kinds)
    sight = Sight(grid, reading, _bonds(seen, shape), seen.hidden.reshape(shape))
    if sight.castle > SEEN:
        sight = replace(sight, colour=shipped().colour(crops_of(photo, grid.quad(sight.castle_place)[None])[0]))
    if reader.pieces:
        gems = on_crossings(seen.gems.reshape(*shape, -1), sight.presence > SEEN)
        sight = replace(sight, pieces=seen.pieces.reshape(*shape, -1), gems=gems, piece_names=reader.pieces)
    if share.min() == 1:
        return sight
    beyond = np.where(outside, 1 / (1 + np.exp(-seen.presence)), 0.0)
    return replace(sight, inside=share, beyond=beyond.reshape(shape))


def outline(seen: Look, grid: Grid, weights: Sequence[float]) -> Floats:
    """Return the log-odds (n,) that there is a tile: what the cell network and the finder say, weighed together.

    The weights (cell network, finder, constant) come from a logistic regression on held-out scenes.
    """
    return np.asarray(weights[0] * seen.presence + weights[1] * finder_odds(grid) + weights[2])


def finder_odds(grid: Grid) -> Floats:
    """Return the finder's evidence for each place (n,) as log-odds, bounded."""
    share = np.zeros(grid.rows * grid.cols) if grid.evidence is None else grid.evidence.reshape(-1)
    return np.asarray(np.log((share + 0.05) / (1.05 - share)))


def probabilities(seen: Look, odds: Floats) -> Floats:
    """Return log-probabilities (n, kinds), no tile last, from each tile's kind and the log-odds that there is one."""
    return np.concatenate([seen.kind - np.logaddexp(0, -odds)[:, None], -np.logaddexp(0, odds)[:, None]], axis=1)


def _bonds(seen: Look, shape: tuple[int, int]) -> Bonds:
    """A domino on two squares explains what both say of their other half; other neighbours explain nothing."""
    partner = np.maximum(seen.partner, -4.0).reshape(*shape, 4) - UNINFORMED
    right, down, left, up = (partner[..., k] for k in range(4))
    return right[:, :-1] + left[:, 1:], down[:-1] + up[1:]
