"""All that the eyes say about one grid, put together for `decide`: reading, and which halves belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from kdvision.game.legality import LONGEST
from kdvision.vision.candidate import COVERED, Bounds, Candidate, around
from kdvision.vision.cells import BARE, CellReader, Floats, Look, crops_of
from kdvision.vision.claims import each_its_own
from kdvision.vision.context import Context
from kdvision.vision.covering import covered, missed, signs
from kdvision.vision.edge import WHOLE, visible
from kdvision.vision.finder import FINER, Finder, Squares
from kdvision.vision.glare import shipped as lamps
from kdvision.vision.grid import Grid
from kdvision.vision.kinghood import PLAIN, SEEN, Mask
from kdvision.vision.livery import shipped
from kdvision.vision.parting import parted
from kdvision.vision.photo import Photo
from kdvision.vision.pieces import on_crossings
from kdvision.vision.reading import Reading
from kdvision.vision.search import found_in, hanging, in_one_plane, searched, worth_a_finer_look
from kdvision.vision.second import look_wider
from kdvision.vision.sight import BESIDE, Bonds, Sight, hiding, sort_out
from kdvision.vision.strays import look_like_tiles, strays
from kdvision.vision.tabletop import Tabletop

CELLS_ALONE: Final = (1.0, 0.0, 0.0)
UNINFORMED: Final = np.log(0.25)
"""The log-probability of each of four partners where nothing is known."""

REACH: Final = 2.5
"""Nearer than so many squares to a kingdom may lie tiles of the second row that its lattice has lost."""
IN_LINE: Final = 0.25
"""A square no further off a lattice's places than this, in squares, may lie in a row of it, or on such a place."""
DOUBTED: Final = float(np.log(0.9 / 0.1))
"""Log-odds of a tile up to which the networks together leave room for another thing: nine in ten."""
NEAR: Final = 4.0
"""Colours less far apart than this (CIE L*a*b*) hardly differ."""
FAR: Final = 60.0
"""Colours this far apart differ altogether."""
LIKE: Final = 0.4
"""Squares of one kingdom differ by less than this in the logarithm of their sides."""


def search_all(
    photo: Photo,
    finder: Finder,
    reader: CellReader,
    context: Context | None = None,
    *,
    tell: Callable[[str, object], None] = lambda *_: None,
) -> list[Sight]:
    """Return what the networks see on every grid they find in a photo; with `context`, kingdoms beside each other.

    It is looked over more finely, which takes longer, where that shows no kingdom or only small ones. `tell` hears of
    the squares seen in each look, and of the lattices found.
    """
    looks, found = searched(photo, finder)
    sights = {candidate: look(photo, reader, candidate.grid) for candidate in found.kept}
    if worth_a_finer_look(photo, [kingdom.grid.side for kingdom in sort_out(list(sights.values()))[0]]):
        looks = [*finder.find(photo, (FINER,)), *looks]
        first = hanging(looks[0])
        found = in_one_plane(photo, finder, first, found_in(photo, finder, first, known=found))
        sights = {one: sights[one] if one in sights else look(photo, reader, one.grid) for one in found.kept}
    tell("squares", looks)
    tell("lattices", found)
    grown = [whole(photo, finder, reader, c, sights) for c in sights]
    apart = [(one, c) for c, sight in each_its_own(grown) for one in _told_apart(photo, reader, c, sight)]
    everything = [sight for sight, _ in apart]
    marked = [crowded(photo, reader, sight, (candidate.squares, looks[0]), everything) for sight, candidate in apart]
    if strays(photo, reader, looks, everything):
        marked = [replace(sight, strays=True) for sight in marked]
    kingdoms = sort_out(marked)[0] if context else []
    told = dict(zip(kingdoms, context.read(photo, kingdoms), strict=True)) if context else {}
    return [told.get(sight, sight) for sight in marked]


def whole(
    photo: Photo, finder: Finder, reader: CellReader, candidate: Candidate, sights: Mapping[Candidate, Sight]
) -> tuple[Candidate, Sight]:
    """Return a lattice and what is seen on it, grown while tiles lie at its rim: their other halves may lie beyond.

    A tile at the rim was missed by the finder, and so may be the ones that only it leads to. Those of other lattices
    do not count.
    """
    sight = sights[candidate]
    theirs = [other.squares.centre[other.chosen] for other in sights if other is not candidate]
    others = np.concatenate([np.zeros((0, 2)), *theirs])
    while (bounds := _with_rim(candidate, sight, others)) != candidate.bounds:
        candidate = look_wider(photo, finder, candidate, bounds)
        sight = look(photo, reader, candidate.grid)
    return candidate, sight


def _with_rim(candidate: Candidate, sight: Sight, others: Floats) -> Bounds:
    """Return the bounds of a lattice with the places at its rim that are tiles and touch another tile of its own."""
    left, top, right, bottom = bounds = candidate.bounds
    rows, cols = np.mgrid[top - 1 : bottom + 1, left - 1 : right + 1]
    middles = cv2.perspectiveTransform(np.stack([cols, rows], -1).reshape(1, -1, 2) + 0.5, candidate.lattice.matrix)[0]
    nearest = sight.grid.nearest(middles)
    tiles = (sight.presence.reshape(-1)[nearest] > SEEN).reshape(rows.shape)
    if len(others):
        away = np.linalg.norm(middles[:, None] - others[None], axis=2).min(axis=1)
        tiles &= (away > COVERED * sight.grid.side).reshape(rows.shape)
    for row, col in np.argwhere(tiles & ~_inner(tiles) & _touching(tiles & _inner(tiles))).tolist():
        wider = around(bounds, (left - 1 + col, top - 1 + row))
        if max(wider[2] - wider[0], wider[3] - wider[1]) <= LONGEST:
            bounds = wider
    return bounds


def _inner(places: Mask) -> Mask:
    """Return which places (rows, cols) are not at the rim."""
    return np.pad(np.ones((places.shape[0] - 2, places.shape[1] - 2), bool), 1)


def _touching(tiles: Mask) -> Mask:
    """Return which places (rows, cols) have a tile beside them."""
    padded = np.pad(tiles, 1)
    return np.asarray(padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:])


def crowded(photo: Photo, reader: CellReader, sight: Sight, looks: Sequence[Squares], sights: Sequence[Sight]) -> Sight:
    """Return the sight, marked where these looks show squares beside it that lie on no grid, and the reader sees tiles.

    A lattice that lost a row is a smaller kingdom, and looks as sure as a whole one.
    """
    if not sight.kingdom and not sight.castle_hidden:
        return sight
    known = np.concatenate([one.middles for one in sights])
    loose = np.concatenate([squares.corners[_loose(squares, sight, known)] for squares in looks])
    if not len(loose):
        return sight
    return replace(sight, crowded=True) if look_like_tiles(photo, reader, loose).any() else sight


def _loose(squares: Squares, sight: Sight, known: Floats) -> Mask:
    """Return which squares (n,) lie beside the tiles of a sight, are as large, and are none of the `known` (m, 2).

    What lies on a place of its own grid is weighed there, be it a tile or not.
    """
    if not len(squares):
        return np.zeros(0, bool)
    grid, side, away = sight.grid, sight.grid.side, sight.away(squares.centre)
    place = grid.middles.reshape(-1, 2)[grid.nearest(squares.centre)]
    off = np.linalg.norm(grid.places_of(squares.centre) - grid.places_of(place), axis=1) > IN_LINE
    alone = np.linalg.norm(squares.centre[:, None] - known[None], axis=2).min(axis=1)
    corners = grid.places_of(squares.corners.reshape(-1, 2))
    in_line = np.abs(corners - np.rint(corners)).reshape(len(squares), -1).max(axis=1) < IN_LINE
    near = (away < BESIDE) | (in_line & (away < REACH))
    like = np.abs(np.log(squares.side / side)) < LIKE
    return np.asarray((squares.score > SEEN) & like & near & off & (alone > COVERED * side))


def _told_apart(photo: Photo, reader: CellReader, candidate: Candidate, sight: Sight) -> list[Sight]:
    """Return the sights of a candidate: several where it shows several castles, or is too large for one kingdom."""
    places = list(candidate.lattice.members)
    nearest = sight.grid.nearest(candidate.squares.centre[candidate.chosen])
    tiles = [places[n] for n in np.flatnonzero(sight.presence.reshape(-1)[nearest] > SEEN)]
    castles = [places[n] for n in np.flatnonzero(sight.chances_of_castles.reshape(-1)[nearest] > PLAIN)]
    if not tiles or (len(castles) < 2 and np.ptp(tiles, axis=0).max() < LONGEST):
        return [sight]
    parts = parted(candidate, tiles, castles)
    seen = [replace(look(photo, reader, part.candidate.grid), crowded=part.cut) for part in parts]
    return seen if any(part.kingdom for part in seen) else [sight]


def look(photo: Photo, reader: CellReader, grid: Grid, *, turns: int = 4) -> Sight:
    """Return what the networks see on a grid; places outside the picture show nothing."""
    share, about = visible(grid, photo), reader.model.about
    seen = cells_on(photo, reader, grid, share, turns=turns)
    table = Tabletop.seen(photo, grid)
    said = witnesses(seen, grid, table)
    odds = under_lamps(photo, grid, table, said, outline(said, about))
    log_probs = probabilities(seen, odds)
    centres = grid.middles.reshape(-1, 2)
    outside = ~((centres >= 0) & (centres < (photo.width, photo.height))).all(axis=-1)
    shape = (grid.rows, grid.cols)
    reading = Reading(log_probs.reshape(*shape, -1), reader.kinds).without(outside.reshape(shape))
    tile, whole_place = (odds > 0).reshape(shape), share >= WHOLE
    things = things_on(table, said, outline(said, about, colour=False)) & tile & whole_place
    under = np.where(tile, seen.hidden.reshape(shape), whole_place * missed(signs(seen, said), about).reshape(shape))
    sight = Sight(grid, reading, _bonds(seen, shape), hiding(under, things), white=table.white)
    if sight.castle > SEEN:
        sight = replace(sight, colour=shipped().colour(crops_of(photo, grid.quad(sight.castle_place)[None])[0]))
    if reader.pieces:
        gems = on_crossings(seen.gems.reshape(*shape, -1), sight.presence > SEEN)
        sight = replace(sight, pieces=seen.pieces.reshape(*shape, -1), gems=gems, piece_names=reader.pieces)
    if share.min() == 1:
        return sight
    beyond = np.where(outside, 1 / (1 + np.exp(-seen.presence)), 0.0)
    return replace(sight, inside=share, beyond=beyond.reshape(shape))


def cells_on(photo: Photo, reader: CellReader, grid: Grid, share: Floats, *, turns: int = 4) -> Look:
    """Return what the cell network sees on a grid, of whose places `share` (rows, cols) lies in the picture."""
    bare = None if grid.bare is None else (grid.bare & (share == 1)).reshape(-1)
    return reader.look(photo, grid.quads.reshape(-1, 4, 2), turns=turns, bare=bare)


def witnesses(seen: Look, grid: Grid, table: Tabletop) -> Floats:
    """Return what speaks for a tile at each place, (n, 3): cell network, finder, colour.

    Log-odds by each of the networks, and the logarithm of how far its colour is from the table's; not a number where
    that is not known, or the light has left nothing of it. Table is what neither network takes for tiles.
    """
    finder = finder_odds(grid)
    bare = (seen.presence + finder <= 0).reshape(grid.rows, grid.cols)
    apart = np.where(table.white, np.nan, table.apart(bare))
    away = np.log1p(np.minimum(apart, FAR) / NEAR)
    return np.stack([seen.presence, finder, away.reshape(-1)], axis=1)


def outline(said: Floats, about: Mapping[str, Sequence[float]], *, colour: bool = True) -> Floats:
    """Return the log-odds (n,) that there is a tile, of what the witnesses say (n, 3), weighed together.

    The weights are in what the model file says of itself: `tabletop` (cell network, finder, colour, constant), and
    `outline`, those without colour, for places of which no colour is known. Both come from logistic regressions on
    held-out scenes; without them the cell network decides alone. `colour` false asks the networks alone everywhere.
    """
    cells, finder, constant = about.get("outline", CELLS_ALONE)
    alone = cells * said[:, 0] + finder * said[:, 1] + constant
    if "tabletop" not in about or not colour:
        return np.asarray(alone)
    *weights, constant = about["tabletop"]
    return np.asarray(np.where(np.isnan(said[:, 2]), alone, said @ np.array(weights) + constant))


def under_lamps(photo: Photo, grid: Grid, table: Tabletop, said: Floats, odds: Floats) -> Floats:
    """Return the log-odds (n,) that there is a tile, those of white places by the glare network's word as well.

    It is not asked about what the cell network was not asked about: there the finder is sure, as on a white table.
    """
    white = table.white.reshape(-1) & (said[:, 0] > BARE)
    if not white.any():
        return odds
    told = odds.copy()
    told[white] = lamps().odds(photo, grid.quads.reshape(-1, 4, 2)[white], said[white, :2])
    return told


def things_on(table: Tabletop, said: Floats, alone: Floats) -> Mask:
    """Return which places (rows, cols) show what is not the table, and maybe no tile either.

    Of what the witnesses say (n, 3) one network sees no tile, and together (`alone`, (n,)) they are not sure of one. A
    plain field or water is little to see, but both say tile.
    """
    doubted = (alone <= DOUBTED) & (said[:, :2].min(axis=1) <= 0)
    shape = table.places.shape[:2]
    return np.asarray(covered(table, (alone <= 0).reshape(shape)) & doubted.reshape(shape))


def finder_odds(grid: Grid) -> Floats:
    """Return the finder's evidence for each place (n,) as log-odds, bounded."""
    share = np.zeros(grid.rows * grid.cols) if grid.evidence is None else grid.evidence.reshape(-1)
    return np.asarray(np.log((share + 0.05) / (1.05 - share)))


def probabilities(seen: Look, odds: Floats) -> Floats:
    """Return log-probabilities (n, kinds), no tile last, from each tile's kind and the log-odds that there is one."""
    return np.concatenate([seen.kind - np.logaddexp(0, -odds)[:, None], -np.logaddexp(0, odds)[:, None]], axis=1)


def _bonds(seen: Look, shape: tuple[int, int]) -> Bonds:
    """A domino on two squares explains what both say of their other half; other neighbours explain nothing.

    Both look at the one border between them, so what they say is one thing said twice, and the mean of it counts.
    """
    partner = np.maximum(seen.partner, -4.0).reshape(*shape, 4) - UNINFORMED
    right, down, left, up = (partner[..., k] for k in range(4))
    return (right[:, :-1] + left[:, 1:]) / 2, (down[:-1] + up[1:]) / 2
