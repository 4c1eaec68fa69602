"""Whether what lies on a grid is a kingdom: it has one castle, and more beside it than a line of dominoes on offer.

Nothing here knows a picture: `plain` (rows, cols) are the squares of which it is plain what tile they are, `castles`
(rows, cols) the probabilities of castles, `tiles` how many squares are tiles, expected.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES
from kdvision.vision.networks.cells import Floats

Mask = npt.NDArray[np.bool_]

SEEN: Final = 0.5
"""The probability from which something is taken to lie there."""
PLAIN: Final = 0.7
"""The probability from which it is plain what a tile shows."""
FAINT: Final = 0.25
"""The probability from which a castle is not out of the question."""
MOSTLY: Final = 0.65
"""Of a kingdom's tiles more than this share are plain: nine tenths, on real photos however spoiled. Patterned cloths,
parquet and the squares of other games look somewhat like many things."""
LINE: Final = (2, 4)
"""The squares of the longest line on offer, across and along it: four dominoes side by side."""
DOMINO: Final = 2
ASKEW: Final = 12.5
"""On a lattice that is not its own, a line lies on three by four places, each of which may look like a tile."""
TWO_LINES: Final = 16.5
"""Two lines on offer have sixteen squares: more are a kingdom, whatever hides its castle."""


def evidence_of(plain: Mask, castles: Floats) -> int:
    """Return how many of the plain squares speak for a kingdom: of castles one, for no kingdom has more.

    Diamonds in a carpet look like castles, row after row.
    """
    return int(plain.sum()) - max(int((castles > PLAIN).sum()) - 1, 0)


def shows_one(plain: Mask, castles: Floats, tiles: float) -> bool:
    """Return whether a castle and a domino at least lie here, and most tiles are plain.

    A castle that is not plain, hardly likelier than not, is one where tiles lie as in no line on offer: beside a line a
    king or a shadow looks so, too.
    """
    seen, castle = evidence_of(plain, castles), float(castles.max())
    likely = castle > PLAIN or (castle > SEEN and beside_a_line(plain) >= DOMINO)
    return likely and seen >= MIN_KINGDOM_SQUARES and seen > MOSTLY * tiles


def shows_one_beside_others(plain: Mask, castles: Floats, tiles: float) -> bool:
    """Return whether this is a kingdom if another lies on the table: a castle is not out of the question.

    With it the plain tiles lie as in no line on offer; or it is likelier than not.
    """
    seen, castle = evidence_of(plain, castles), float(castles.max())
    if seen < MIN_KINGDOM_SQUARES or seen <= MOSTLY * tiles:
        return False
    return castle > SEEN or (castle > FAINT and beside_a_line(plain | (castles == castle)) >= DOMINO)


def may_be_one(plain: Mask, castles: Floats, tiles: float) -> bool:
    """Return whether somebody should look: plain tiles lie as in no line, or one may be a castle."""
    seen, castle = evidence_of(plain, castles), float(castles.max())
    mostly = seen > MOSTLY * tiles or (castle > PLAIN and seen > tiles / 2)
    return mostly and (beside_a_line(plain) >= DOMINO or (seen >= MIN_KINGDOM_SQUARES and castle > FAINT))


def may_hide_its_castle(plain: Mask, castles: Floats, tiles: float, *, cut: bool) -> bool:
    """Return whether this may be a kingdom though no castle is seen: more than any line, and most tiles are plain.

    Where the picture's edge, which may have `cut` the castle off, explains that none is seen, a domino more is enough.
    """
    seen = evidence_of(plain, castles)
    return seen > MOSTLY * tiles and (seen > ASKEW or (cut and beside_a_line(plain) >= DOMINO))


def is_line(tiles: Mask, border_log_odds: tuple[Floats, Floats]) -> bool:
    """Return whether the places that are `tiles` (rows, cols) are just dominoes side by side, however many.

    They fill two squares across, so their number is even, as no kingdom's is that shows its castle; and each pair
    across is a domino: `border_log_odds` are log-odds of that for neighbours, right (rows, cols - 1) and down (rows - 1, cols).
    """
    rows, cols = np.flatnonzero(tiles.any(axis=1)), np.flatnonzero(tiles.any(axis=0))
    if not tiles.any() or not tiles[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1].all():
        return False
    right, down = border_log_odds
    lying = len(rows) == DOMINO and (down[rows[0], cols] > 0).all()
    standing = len(cols) == DOMINO and (right[rows, cols[0]] > 0).all()
    return bool(lying or standing)


def beside_a_line(plain: Mask) -> int:
    """Return how many of these squares are left over by a line on offer, wherever it lies among them."""
    padded = np.pad(plain, max(LINE))
    windows = (np.lib.stride_tricks.sliding_window_view(padded, shape) for shape in (LINE, LINE[::-1]))
    return int(plain.sum()) - max(int(window.sum(axis=(2, 3)).max()) for window in windows)
