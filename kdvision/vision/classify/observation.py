"""What is seen on one grid, and which of the grids of a photo are kingdoms."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from kdvision.errors import NoKingdomFound
from kdvision.game.board import Square
from kdvision.vision.classify.kingdom import (
    DOMINO,
    PLAIN,
    SEEN,
    TWO_LINES,
    Mask,
    beside_a_line,
    evidence_of,
    is_line,
    may_be_one,
    may_hide_its_castle,
    shows_one,
    shows_one_beside_others,
)
from kdvision.vision.classify.probabilities import CASTLE, NOTHING, Reading
from kdvision.vision.classify.truncation import LIKELY, STRIP
from kdvision.vision.detect.grid import Grid
from kdvision.vision.detect.lattice import MIN_KINGDOM_SQUARES
from kdvision.vision.networks.cells import CERTAIN, Floats
from kdvision.vision.reading_order import Extent, sort_in_reading_order

BESIDE: Final = 1.7
"""Middles nearer than this many squares belong to tiles with less than a square of table between them."""
LEAST_TILES: Final = 2.0
ALMOST: Final = 0.99
"""What a network says is never quite certain; that nobody knows what lies there is."""
LEAST_HIDDEN: Final = 8.5
"""A line of four dominoes on offer has eight squares; without a castle only more than that is taken for a kingdom."""

BorderLogOdds = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class GridObservation:
    """One grid as it is seen.

    `border_log_odds` are log-odds that neighbours are one domino, to the right (rows, cols - 1) and down (rows - 1, cols);
    `hidden` (rows, cols) is how far to take it that something covers a tile; it is 1 where a tile was seen that a
    network doubts, and the colour is not the table's (`join_occlusion`). `inside` (rows, cols) is the share of each place that
    lies in the picture, `beyond` the probability of a tile where a place's middle does not; None where all of the grid
    lies inside. `colour` is
    the player's, as the likeliest castle shows it; "" where it does not.

    `pieces` (rows, cols, names) are log-probabilities of what stands on each square, by `piece_names`, the first of
    which is nothing; `gems` (rows + 1, cols + 1) log-odds of a token on each crossing. None where the networks do not
    know of any.
    """

    grid: Grid
    reading: Reading
    border_log_odds: BorderLogOdds
    hidden: Floats
    inside: Floats | None = None
    beyond: Floats | None = None
    colour: str = ""
    pieces: Floats | None = None
    gems: Floats | None = None
    piece_names: tuple[str, ...] = ()

    @cached_property
    def chances_of_castles(self) -> Floats:
        """The probability (rows, cols) of a castle."""
        return np.asarray(np.exp(self.reading.log_probs[..., self.reading.kinds.index(CASTLE)]))

    @cached_property
    def castle(self) -> float:
        """The probability of the likeliest castle."""
        return float(self.chances_of_castles.max())

    @property
    def castle_place(self) -> tuple[int, int]:
        """The place (row, column) of the likeliest castle."""
        chances = self.reading.log_probs[..., self.reading.kinds.index(CASTLE)]
        row, col = np.unravel_index(int(chances.argmax()), chances.shape)
        return int(row), int(col)

    @cached_property
    def tiles(self) -> float:
        """How many squares are tiles, expected."""
        return float(self.presence.sum())

    @cached_property
    def plain(self) -> Mask:
        """Of which squares (rows, cols) it is plain that they are tiles, and what they show."""
        return np.asarray(np.exp(self.reading.log_probs[..., :-1]).max(axis=-1) > PLAIN)

    @property
    def one_tile(self) -> Mask:
        """Of which squares (rows, cols) it is beyond doubt that they are tiles, and likely which.

        What is in doubt is weighed by whoever decides: a place that alone looks a little like a tile shows none, for
        tiles come in pairs. Where no photo reaches, any tile is as likely as any other, and together they are likelier
        than none.
        """
        likely = np.exp(self.reading.log_probs[..., :-1]).max(axis=-1) > SEEN
        return np.asarray((self.presence > 1 / (1 + np.exp(-CERTAIN))) & likely)

    @cached_property
    def kingdom(self) -> bool:
        """Whether this looks like a kingdom: tiles about a castle, most of them plain, and no line on offer."""
        return shows_one(self.plain, self.chances_of_castles, self.tiles) and not self._line

    @cached_property
    def castle_hidden(self) -> bool:
        """Whether this may be a kingdom whose castle is not seen: more tiles than lie on offer, most of them plain."""
        seen = may_hide_its_castle(self.plain, self.chances_of_castles, self.tiles, cut=self.cut)
        return seen and not self._line

    @property
    def may_be_kingdom(self) -> bool:
        """Whether somebody should look whether this is a kingdom."""
        return may_be_one(self.plain, self.chances_of_castles, self.tiles) and not self._line

    @cached_property
    def kingdom_beside_others(self) -> bool:
        """Whether this is a kingdom if another lies on the table, as one is that looks like a kingdom by itself.

        Where its castle is hardly seen, a person is asked.
        """
        return shows_one_beside_others(self.plain, self.chances_of_castles, self.tiles) and not self._line

    @cached_property
    def _line(self) -> bool:
        return is_line(self.presence > SEEN, self.border_log_odds)

    @cached_property
    def surely_hidden(self) -> bool:
        """Whether this is a kingdom though its castle is not seen: hidden by something, or by the picture's edge."""
        return self.castle_hidden and (self.cut or evidence_of(self.plain, self.chances_of_castles) > TWO_LINES)

    @cached_property
    def cut(self) -> bool:
        """Whether the picture's edge cuts tiles of it."""
        if self.inside is None or self.beyond is None:
            return False
        partly = (self.inside > 0) & (self.inside < 1)
        return bool(((self.presence > SEEN) & partly).any() or (self.beyond > LIKELY)[self.inside >= STRIP].any())

    def left_by(self, board: Collection[Square], *, loose: bool = False, scattered: bool = False) -> bool:
        """Whether a kingdom is left where these squares were decided to be tiles: half of what looked like them, too.

        As much of them is plain as of any kingdom, a castle and a domino at least. No box has thirty squares of wheat
        without a crown, as a grille may look. Of kingdoms nearly all is left. Where no castle is seen and the dominoes
        lie as nobody may lay them, or are of no box (`loose`), they are no more than two lines. Where half of them do
        (`scattered`), and no more lies there than a line, that is what they are, whatever looks like a castle beside
        them. People with a camera to try and no game to play lay whole kingdoms so, and in no line. What the picture
        cuts may have lain otherwise.
        """
        if loose and self.castle <= SEEN and evidence_of(self.plain, self.chances_of_castles) < TWO_LINES:
            return False
        if scattered and not self.cut and beside_a_line(self.plain) < DOMINO:
            return False
        tiles = np.zeros_like(self.plain)
        tiles[[square.row for square in board], [square.col for square in board]] = True
        seen = evidence_of(self.plain & tiles, self.chances_of_castles)
        enough = seen >= MIN_KINGDOM_SQUARES if self.kingdom_beside_others else len(board) > LEAST_HIDDEN
        return enough and len(board) > self.tiles / 2

    @cached_property
    def presence(self) -> Floats:
        """The probability (rows, cols) of a tile."""
        return np.asarray(1 - np.exp(self.reading.log_probs[..., self.reading.kinds.index(NOTHING)]))

    @cached_property
    def middles(self) -> Floats:
        """The middles (n, 2) of the places that are tiles, in pixels."""
        return np.asarray(self.grid.middles[self.presence > 0.5])

    @property
    def extent(self) -> Extent:
        """How far its tiles reach in the photo; without any, its grid."""
        tiles = self.grid.quads[self.presence > SEEN]
        corners = (tiles if len(tiles) else self.grid.quads).reshape(-1, 2)
        return Extent(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())

    @property
    def unknown(self) -> Mask:
        """Which places (rows, cols) show what is not the table, and maybe no tile either, as the networks say."""
        return np.asarray(self.hidden >= 1)

    def uncovered(self, places: Collection[Square]) -> GridObservation:
        """Return the sight with nothing on these places: a person has said what is there."""
        hidden = self.hidden.copy()
        hidden[[place.row for place in places], [place.col for place in places]] = 0.0
        return replace(self, hidden=hidden)

    def beside(self, other: GridObservation) -> bool:
        """Whether what is plainly a tile of the other grid lies less than a square away from one of this grid."""
        theirs = other.grid.middles[other.plain]
        if not len(self.middles) or not len(theirs):
            return False
        return bool(self.away(theirs).min() < BESIDE)

    def away(self, points: Floats) -> Floats:
        """Return how far points (n, 2) of the photo lie from the middle of the nearest tile (n,), in squares.

        In pixels the near side of a kingdom seen at a slant has larger squares than the far side.
        """
        tiles, there = self.grid.places_of(self.middles), self.grid.places_of(points)
        return np.asarray(np.linalg.norm(there[:, None] - tiles[None], axis=2).min(axis=1))


def join_occlusion(hidden: Floats, things: Mask) -> Floats:
    """Return the probability (rows, cols) that something covers a square, by the network and by what lies there."""
    return np.where(things, 1.0, np.minimum(hidden, ALMOST))


def split_kingdoms(observations: Sequence[GridObservation]) -> tuple[list[GridObservation], list[GridObservation]]:
    """Return the kingdoms as people read, and what else lies on the table: every kingdom has a castle.

    Where no castle is seen at all, the largest grid of several dominoes is a kingdom whose castle is hidden; beside
    others, one that has more tiles than lie on offer, or that the picture's edge cuts, or in which a castle is not out
    of the question.
    """
    if any(observation.kingdom or observation.surely_hidden for observation in observations):
        real = [
            observation
            for observation in observations
            if observation.kingdom_beside_others or observation.surely_hidden
        ]
    else:
        real = sorted(
            (observation for observation in observations if observation.castle_hidden),
            key=lambda observation: -observation.tiles,
        )[:1]
    kingdoms = [real[place] for place in sort_in_reading_order([observation.extent for observation in real])]
    return kingdoms, [observation for observation in observations if not any(observation is one for one in real)]


def accept_all(observations: Sequence[GridObservation]) -> list[GridObservation]:
    """Return the sights, which a person has said are kingdoms; raises NoKingdomFound for one without tiles."""
    for number, observation in enumerate(observations, start=1):
        if observation.tiles <= LEAST_TILES:
            hint = "check its corners: pixels of the upright photo, clockwise from the top left"
            raise NoKingdomFound(f"outline {number} shows no tiles", stage="cells", hint=hint)
    return list(observations)
