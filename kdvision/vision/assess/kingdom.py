"""The kingdom classifier: which observed grids are kingdoms, and which are dominoes on offer or patterns.

A kingdom has one castle and more tiles than a row of dominoes on offer, which fills a 2 x 4 window. A castle that is
hidden or cut off is replaced by more tiles.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from kdvision.errors import NoKingdomFound
from kdvision.game.board import Square
from kdvision.vision.assess.copies import find_copies
from kdvision.vision.classify.observation import P_CONFIDENT, P_TILE, BorderLogOdds, GridObservation
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES
from kdvision.vision.geometry import Mask
from kdvision.vision.reading_order import sort_in_reading_order

P_POSSIBLE_CASTLE: Final = 0.25
"""Probability from which a castle is possible."""
MIN_CONFIDENT_SHARE: Final = 0.65
"""Share of a kingdom's tiles that are confident: nine tenths on real photos. Cloths and parquet have fewer."""
OFFER_WINDOW_CELLS: Final = (2, 4)
"""The longest row of dominoes on offer, across and along it."""
DOMINO_SQUARES: Final = 2
MIN_TILES_WITHOUT_CASTLE: Final = 12.5
"""Confident tiles from which a castle may be hidden: a row on offer covers 3 x 4 cells of a lattice not its own."""
MIN_TILES_TWO_OFFERS: Final = 16.5
"""Confident tiles that two rows on offer cannot have."""
MIN_BOARD_WITHOUT_CASTLE: Final = 8.5
"""Squares of a decided board without a castle; one row on offer has eight."""
MIN_OUTLINED_TILES: Final = 2.0
"""Expected tiles inside an outline drawn by hand."""


def is_kingdom(observation: GridObservation) -> bool:
    """Return True for a castle with a domino or more, most tiles confident, and not a row on offer.

    An uncertain castle counts if the tiles do not fit a row on offer: a king on such a row looks like a castle.
    """
    castle = observation.max_castle_probability
    likely = castle > P_CONFIDENT or (
        castle > P_TILE and count_outside_offer(observation.is_confident) >= DOMINO_SQUARES
    )
    return likely and _has_confident_tiles(observation) and not _is_offer(observation)


def is_kingdom_beside_others(observation: GridObservation) -> bool:
    """Return True if the grid is a kingdom given that another one lies on the table: a castle is only possible."""
    castle, castles = observation.max_castle_probability, observation.castle_probability
    tiles = observation.is_confident | (castles == castle)
    possible = castle > P_POSSIBLE_CASTLE and count_outside_offer(tiles) >= DOMINO_SQUARES
    return (castle > P_TILE or possible) and _has_confident_tiles(observation) and not _is_offer(observation)


def may_be_kingdom(observation: GridObservation) -> bool:
    """Return True if a person should look: the tiles do not fit a row on offer, or one may be a castle."""
    count, castle = count_evidence(observation), observation.max_castle_probability
    tiles = observation.expected_tiles
    mostly = count > MIN_CONFIDENT_SHARE * tiles or (castle > P_CONFIDENT and count > tiles / 2)
    more_than_offer = count_outside_offer(observation.is_confident) >= DOMINO_SQUARES
    possible = more_than_offer or (count >= MIN_KINGDOM_SQUARES and castle > P_POSSIBLE_CASTLE)
    return mostly and possible and not _is_offer(observation)


def may_hide_castle(observation: GridObservation) -> bool:
    """Return True if the grid may be a kingdom without a visible castle: more tiles than any row on offer has.

    If the border of the photo cuts tiles, and may have cut off the castle, one more domino than an offer is enough.
    """
    count = count_evidence(observation)
    outside = count_outside_offer(observation.is_confident)
    enough = count > MIN_TILES_WITHOUT_CASTLE or (observation.is_cut and outside >= DOMINO_SQUARES)
    return count > MIN_CONFIDENT_SHARE * observation.expected_tiles and enough and not _is_offer(observation)


def certainly_hides_castle(observation: GridObservation) -> bool:
    """Return True if the grid is a kingdom whose castle is cut off, or that is larger than two rows on offer."""
    large = count_evidence(observation) > MIN_TILES_TWO_OFFERS
    return may_hide_castle(observation) and (observation.is_cut or large)


def split_kingdoms(observations: Sequence[GridObservation]) -> tuple[list[GridObservation], list[GridObservation]]:
    """Return the kingdoms in reading order, and the other grids, among them smaller copies of a kingdom.

    If no castle is visible anywhere, the largest grid that may hide one is the only kingdom.
    """
    if any(is_kingdom(one) or certainly_hides_castle(one) for one in observations):
        kingdoms = [one for one in observations if is_kingdom_beside_others(one) or certainly_hides_castle(one)]
    else:
        hiding = [one for one in observations if may_hide_castle(one)]
        kingdoms = sorted(hiding, key=lambda one: -one.expected_tiles)[:1]
    copies = [copy for copy, _ in find_copies(kingdoms)]
    kingdoms = [one for one in kingdoms if not any(one is copy for copy in copies)]
    kingdoms = [kingdoms[n] for n in sort_in_reading_order([one.extent for one in kingdoms])]
    return kingdoms, [one for one in observations if not any(one is kingdom for kingdom in kingdoms)]


def accept_all(observations: Sequence[GridObservation]) -> list[GridObservation]:
    """Return the observations of outlines drawn by hand; raise NoKingdomFound for one without tiles."""
    for number, observation in enumerate(observations, start=1):
        if observation.expected_tiles <= MIN_OUTLINED_TILES:
            hint = "check its corners: pixels of the upright photo, clockwise from the top left"
            raise NoKingdomFound(f"outline {number} shows no tiles", stage="cells", hint=hint)
    return list(observations)


def is_still_kingdom(
    observation: GridObservation, board: Collection[Square], *, irregular: bool, scattered: bool
) -> bool:
    """Return True if the decided `board` (castles and dominoes of the box) still counts as a kingdom.

    1. Without a visible castle, an `irregular` board (against the rules, or with foreign dominoes) must be larger than
       two rows on offer.
    2. A `scattered` board, half of whose dominoes do not connect, must be more than a row on offer.
    3. Its confident squares are a castle and a domino, or it is larger than a row on offer.
    4. It keeps more than half of the expected tiles.
    """
    castle_visible = observation.max_castle_probability > P_TILE
    if irregular and not castle_visible and count_evidence(observation) < MIN_TILES_TWO_OFFERS:
        return False
    if scattered and not observation.is_cut and count_outside_offer(observation.is_confident) < DOMINO_SQUARES:
        return False
    on_board = np.zeros_like(observation.is_confident)
    on_board[[square.row for square in board], [square.col for square in board]] = True
    if is_kingdom_beside_others(observation):
        enough = _count_evidence(observation.is_confident & on_board, observation) >= MIN_KINGDOM_SQUARES
    else:
        enough = len(board) > MIN_BOARD_WITHOUT_CASTLE
    return enough and len(board) > observation.expected_tiles / 2


def count_evidence(observation: GridObservation) -> int:
    """Return the number of confident squares, with at most one castle: diamonds in a carpet look like castles."""
    return _count_evidence(observation.is_confident, observation)


def _count_evidence(confident: Mask, observation: GridObservation) -> int:
    castles = int((observation.castle_probability > P_CONFIDENT).sum())
    return int(confident.sum()) - max(castles - 1, 0)


def _has_confident_tiles(observation: GridObservation) -> bool:
    count = count_evidence(observation)
    return count >= MIN_KINGDOM_SQUARES and count > MIN_CONFIDENT_SHARE * observation.expected_tiles


def _is_offer(observation: GridObservation) -> bool:
    return fills_offer(observation.is_tile, observation.border_log_odds)


def fills_offer(tiles: Mask, border_log_odds: BorderLogOdds) -> bool:
    """Return True if `tiles` (rows, cols) are exactly a row of dominoes side by side, of any length.

    The tiles fill a rectangle two squares across, and each pair across is a domino by `border_log_odds`.
    """
    rows, cols = np.flatnonzero(tiles.any(axis=1)), np.flatnonzero(tiles.any(axis=0))
    if not tiles.any() or not tiles[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1].all():
        return False
    right, down = border_log_odds
    horizontal = len(rows) == DOMINO_SQUARES and (down[rows[0], cols] > 0).all()
    vertical = len(cols) == DOMINO_SQUARES and (right[rows, cols[0]] > 0).all()
    return bool(horizontal or vertical)


def count_outside_offer(tiles: Mask) -> int:
    """Return the smallest number of `tiles` (rows, cols) outside a row on offer, wherever that lies."""
    padded = np.pad(tiles, max(OFFER_WINDOW_CELLS))
    shapes = (OFFER_WINDOW_CELLS, OFFER_WINDOW_CELLS[::-1])
    windows = (np.lib.stride_tricks.sliding_window_view(padded, shape) for shape in shapes)
    return int(tiles.sum()) - max(int(window.sum(axis=(2, 3)).max()) for window in windows)
