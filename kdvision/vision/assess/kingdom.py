"""The kingdom classifier: which observed grids are kingdoms, and which are dominoes on offer or patterns.

A kingdom has a castle and a domino. A grid without a visible castle needs more tiles. A row of dominoes on offer fills
a 2 x 4 window; it is not a kingdom.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from kdvision.errors import NoKingdomFound
from kdvision.vision.assess.copies import find_copies
from kdvision.vision.classify.observation import P_CONFIDENT, P_PRESENT, BorderLogOdds, BoundingBox, GridObservation
from kdvision.vision.decide.decision import Decision
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES
from kdvision.vision.geometry import Mask

OFFER_CELLS: Final = (2, 4)
"""The longest row of dominoes on offer, across and along it. A shifted lattice covers it with 3 x 4 cells."""


class GridClass(NamedTuple):
    """What a grid may be.

    `is_certain`: a kingdom. `beside_others`: a kingdom if another one lies on the table, because a castle is possible.
    `can_be_alone`: a kingdom if no other one lies there, because its castle may be hidden. `is_possible`: a person
    should look.
    """

    is_certain: bool = False
    beside_others: bool = False
    can_be_alone: bool = False
    is_possible: bool = False


def classify_grid(observation: GridObservation) -> GridClass:
    """Return what a grid may be; a complete row of dominoes on offer is nothing.

    Most tiles of a kingdom are confident: nine tenths on real photos, fewer than `min_confident_share` on cloths and
    parquet. From `p_possible` on a castle is possible, and an uncertain one counts if the tiles do not fit a row on
    offer: a king on such a row looks like a castle. Without a castle, a kingdom has more tiles than any row on offer,
    or one domino more if the border of the photo cuts tiles and may have cut off the castle.
    """
    p_possible, min_confident_share = 0.25, 0.65
    if fills_offer(observation.is_tile, observation.border_log_odds):
        return GridClass()
    castle, count = observation.max_castle_probability, count_confident_squares(observation)
    expected_tiles, is_cut, (across, along) = observation.expected_tiles, observation.is_cut, OFFER_CELLS
    with_castle = observation.is_confident | (observation.castle_probability == castle)
    exceeds_offer = count_outside_offer(observation.is_confident) > 1
    is_castle_visible = castle > P_CONFIDENT or (castle > P_PRESENT and exceeds_offer)
    is_castle_possible = castle > P_PRESENT or (castle > p_possible and count_outside_offer(with_castle) > 1)
    is_mostly_confident, is_large = count > min_confident_share * expected_tiles, count >= MIN_KINGDOM_SQUARES
    is_kingdom = is_mostly_confident and is_large
    can_be_alone = is_mostly_confident and (count > (across + 1) * along or (is_cut and exceeds_offer))
    hides_castle = can_be_alone and (is_cut or count > 2 * across * along)
    return GridClass(
        is_certain=(is_kingdom and is_castle_visible) or hides_castle,
        beside_others=(is_kingdom and is_castle_possible) or hides_castle,
        can_be_alone=can_be_alone,
        is_possible=(is_mostly_confident or (castle > P_CONFIDENT and count > expected_tiles / 2))
        and (exceeds_offer or (is_large and castle > p_possible)),
    )


def split_kingdoms(observations: Sequence[GridObservation]) -> tuple[list[GridObservation], list[GridObservation]]:
    """Return the kingdoms in reading order, and the other grids, among them smaller copies of a kingdom.

    If no castle is visible anywhere, the largest grid that may hide one is the only kingdom.
    """
    classes = [(observation, classify_grid(observation)) for observation in observations]
    kingdoms = [observation for observation, grid_class in classes if grid_class.beside_others]
    if not any(grid_class.is_certain for _, grid_class in classes):
        possible_kingdoms = [observation for observation, grid_class in classes if grid_class.can_be_alone]
        kingdoms = sorted(possible_kingdoms, key=lambda kingdom: -kingdom.expected_tiles)[:1]
    copies = [copy for copy, _ in find_copies(kingdoms)]
    kingdoms = [kingdom for kingdom in kingdoms if kingdom not in copies]
    kingdoms = [kingdoms[n] for n in sort_in_reading_order([kingdom.bounding_box for kingdom in kingdoms])]
    return kingdoms, [observation for observation in observations if observation not in kingdoms]


def sort_in_reading_order(bounding_boxes: Sequence[BoundingBox]) -> list[int]:
    """Return the indices of the boxes in reading order; a row shares a third of the smaller box's height."""
    rows: list[list[int]] = []
    for index in sorted(range(len(bounding_boxes)), key=lambda n: bounding_boxes[n][1] + bounding_boxes[n][3]):
        _, first_top, _, first_bottom = bounding_boxes[rows[-1][0] if rows else index]
        _, top, _, bottom = bounding_boxes[index]
        common_height = min(first_bottom, bottom) - max(first_top, top)
        if rows and common_height > min(first_bottom - first_top, bottom - top) / 3:
            rows[-1].append(index)
        else:
            rows.append([index])
    return [n for row in rows for n in sorted(row, key=lambda n: bounding_boxes[n][0] + bounding_boxes[n][2])]


def accept_all(observations: Sequence[GridObservation]) -> list[GridObservation]:
    """Return the observations of outlines drawn by hand; raise NoKingdomFound for one without tiles."""
    for number, observation in enumerate(observations, start=1):
        if observation.expected_tiles <= MIN_KINGDOM_SQUARES - 1:
            pixels = "--corners takes pixels of the upright photo, clockwise from the top left"
            hint = f"move its corners to those of the kingdom ({pixels})"
            raise NoKingdomFound(f"outline {number} shows no tiles", hint=hint)
    return list(observations)


def is_still_kingdom(observation: GridObservation, decision: Decision) -> bool:
    """Return True if the castles and the box's dominoes of the decided board still count as a kingdom.

    1. Without a visible castle, a board against the rules or with foreign dominoes must be larger than two rows on
       offer.
    2. A board half of whose dominoes do not connect must be more than a row on offer.
    3. It has as many confident squares as a castle and a domino, or it is larger than a row on offer.
    4. It keeps more than half of the expected tiles.
    """
    offer_squares, board = OFFER_CELLS[0] * OFFER_CELLS[1], decision.box_squares
    is_irregular = decision.breaks_rule or decision.foreign_dominoes > 0
    is_castle_visible = observation.max_castle_probability > P_PRESENT
    if is_irregular and not is_castle_visible and count_confident_squares(observation) <= 2 * offer_squares:
        return False
    if decision.is_scattered and not observation.is_cut and count_outside_offer(observation.is_confident) <= 1:
        return False
    on_board = np.zeros_like(observation.is_confident)
    on_board[[square.row for square in board], [square.col for square in board]] = True
    if classify_grid(observation).beside_others:
        is_large_enough = count_confident_squares(observation, cell_mask=on_board) >= MIN_KINGDOM_SQUARES
    else:
        is_large_enough = len(board) > offer_squares
    return is_large_enough and len(board) > observation.expected_tiles / 2


def count_confident_squares(observation: GridObservation, cell_mask: Mask | bool = True) -> int:
    """Return the number of confident squares, with at most one castle: diamonds in a carpet look like castles."""
    castles = int((observation.castle_probability > P_CONFIDENT).sum())
    return int((observation.is_confident & cell_mask).sum()) - max(castles - 1, 0)


def fills_offer(tiles: Mask, border_log_odds: BorderLogOdds) -> bool:
    """Return True if `tiles` (rows, cols) are exactly a row of dominoes side by side, of any length.

    The tiles fill a rectangle two squares across, and each pair across is a domino by `border_log_odds`.
    """
    rows, cols = np.flatnonzero(tiles.any(axis=1)), np.flatnonzero(tiles.any(axis=0))
    if not tiles.any() or not tiles[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1].all():
        return False
    right, down = border_log_odds
    horizontal = len(rows) == OFFER_CELLS[0] and (down[rows[0], cols] > 0).all()
    vertical = len(cols) == OFFER_CELLS[0] and (right[rows, cols[0]] > 0).all()
    return bool(horizontal or vertical)


def count_outside_offer(tiles: Mask) -> int:
    """Return the smallest number of `tiles` (rows, cols) outside a row on offer, wherever that lies."""
    mask = np.pad(tiles, max(OFFER_CELLS))
    windows = (np.lib.stride_tricks.sliding_window_view(mask, shape) for shape in (OFFER_CELLS, OFFER_CELLS[::-1]))
    return int(tiles.sum()) - max(int(window.sum(axis=(2, 3)).max()) for window in windows)
