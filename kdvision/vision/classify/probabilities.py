"""Class probabilities: for each cell of a grid, the probability of each kind of square."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from kdvision.game.board import Board, Cell, Square, Terrain
from kdvision.game.deck import Deck, count_kinds
from kdvision.vision.geometry import Floats, Ints, Mask

KINDS: Final[tuple[str, ...]] = (
    *("w", "w1", "f", "f1", "l", "l1", "g", "g1", "g2"),
    *("s", "s1", "s2", "m", "m1", "m2", "m3", "#", "."),
)
"""The kinds of square in Kingdomino's box, in notation; `.` is no tile."""

NOTHING: Final = "."
IMPOSSIBLE_LOG_PROBABILITY: Final = -12.0
"""Log-probability, and log-odds, of what cannot lie on a cell; finite, so that a person can overrule it."""
MIN_PROBABILITY: Final = 1e-6
"""Probabilities are clipped to this distance from 0 and 1 before log-odds are taken."""


@dataclass(frozen=True, eq=False)
class ClassProbabilities:
    """Class probabilities, which sum to 1 in each cell; `log_probs` (rows, cols, kinds) are their logarithms."""

    log_probs: Floats
    kinds: tuple[str, ...] = KINDS

    def __post_init__(self) -> None:
        shape = self.log_probs.shape
        if len(shape) != 3 or shape[2] != len(self.kinds) or 0 in shape:
            raise ValueError(f"class probabilities have shape (rows, cols, {len(self.kinds)}), not {shape}")
        if len(set(self.kinds)) != len(self.kinds) or NOTHING not in self.kinds:
            raise ValueError(f"kinds are different and one of them is {NOTHING!r}, not {self.kinds}")
        sums = np.exp(self.log_probs).sum(axis=2)
        if not (np.abs(sums - 1) < 1e-3).all():
            raise ValueError(f"probabilities of a square sum to 1, not to {sums.min():.3g} … {sums.max():.3g}")

    @classmethod
    def of_probabilities(cls, probabilities: ArrayLike, kinds: tuple[str, ...] = KINDS) -> Self:
        """Return the class probabilities of non-negative numbers (rows, cols, kinds), normalised to sum 1 per cell."""
        values = np.asarray(probabilities, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return cls(np.log(values / values.sum(axis=-1, keepdims=True)), kinds)

    @classmethod
    def of(cls, board: Board | str, *, confidence: float = 0.99, kinds: tuple[str, ...] = KINDS) -> Self:
        """Return probabilities that show this board with one confidence; other kinds share the rest; `?` is uniform.

        Raises ValueError for a square that is none of the kinds.
        """
        board = Board.parse(board) if isinstance(board, str) else board
        values = np.full((board.height, board.width, len(kinds)), 1 / len(kinds))
        for square in np.ndindex(board.height, board.width):
            if Square(*square) not in board.unknown:
                cell = board.get(Square(*square))
                values[square] = (1 - confidence) / (len(kinds) - 1)
                values[square][kinds.index(str(cell) if cell else NOTHING)] = confidence
        return cls.of_probabilities(values, kinds)

    @property
    def rows(self) -> int:
        return int(self.log_probs.shape[0])

    @property
    def cols(self) -> int:
        return int(self.log_probs.shape[1])

    @property
    def best(self) -> Board:
        """The board of each cell's most probable kind, without deck and rules."""
        return make_board(self.kinds, self.log_probs.argmax(axis=2))

    def find_likeliest(self, place: tuple[int, ...]) -> tuple[str, float]:
        """Return the most probable kind of a cell (row, column), in notation, and its probability."""
        probabilities = np.exp(self.log_probs[place])
        return self.kinds[int(probabilities.argmax())], float(probabilities.max())

    def select_kinds(self, deck: Deck) -> "ClassProbabilities":
        """Return the probabilities with the kinds of this deck.

        Without the kinds of other decks, the probability of a tile and the ratios of the remaining kinds stay the same,
        as if the network had never been trained on the others. A kind that the network was not trained on takes its
        share from the one with a crown less.
        """
        return self._drop_kinds(deck)._add_kinds(deck)

    def _drop_kinds(self, deck: Deck) -> "ClassProbabilities":
        deck_kinds = {*map(str, count_kinds(deck)), Terrain.CASTLE.value, NOTHING}
        if deck_kinds.issuperset(self.kinds):
            return self
        tiles = [n for n, kind in enumerate(self.kinds) if kind != NOTHING]
        kept_tiles = [n for n in tiles if self.kinds[n] in deck_kinds]
        log_probs = self.log_probs[..., kept_tiles]
        total = np.logaddexp.reduce(log_probs, axis=2, keepdims=True)
        is_finite = np.isfinite(total)  # it is not where there is no tile for certain
        shares = np.where(is_finite, log_probs - np.where(is_finite, total, 0.0), -np.log(len(kept_tiles)))
        values = self.log_probs.copy()
        values[..., kept_tiles] = shares + np.logaddexp.reduce(self.log_probs[..., tiles], axis=2, keepdims=True)
        columns = [n for n, kind in enumerate(self.kinds) if kind in deck_kinds]
        return ClassProbabilities(values[..., columns], tuple(self.kinds[n] for n in columns))

    def _add_kinds(self, deck: Deck) -> "ClassProbabilities":
        """Return the probabilities with more kinds: a network without w2 reads it as w1, so their counts divide w1."""
        counts, log_probs, names = count_kinds(deck), self.log_probs.copy(), list[str]()
        columns = []
        for cell, count in counts.items():
            source = Cell(cell.terrain, cell.crowns - 1) if cell.crowns else cell
            if str(cell) not in self.kinds and str(source) in self.kinds:
                index, share = self.kinds.index(str(source)), count / (count + counts[source])
                columns.append(log_probs[..., index] + np.log(share))
                log_probs[..., index] += np.log1p(-share)
                names.append(str(cell))
        return ClassProbabilities(np.dstack([log_probs, *columns]), (*self.kinds, *names)) if names else self

    def set_kind(self, cells: Mask, kind: str) -> "ClassProbabilities":
        """Return the probabilities with one kind on `cells` (rows, cols); unchanged if it is none of their kinds."""
        if kind not in self.kinds:
            return self
        log_probs = self.log_probs.copy()
        log_probs[cells] = IMPOSSIBLE_LOG_PROBABILITY
        other_probability = np.exp(IMPOSSIBLE_LOG_PROBABILITY) * (len(self.kinds) - 1)
        log_probs[cells, self.kinds.index(kind)] = np.log1p(-other_probability)
        return ClassProbabilities(log_probs, self.kinds)

    def rotate(self, quarter_turns: int = 1) -> "ClassProbabilities":
        """Return the probabilities rotated clockwise by quarter turns, as `Board.rotate` does."""
        return ClassProbabilities(np.ascontiguousarray(np.rot90(self.log_probs, -quarter_turns)), self.kinds)


def make_board(kinds: tuple[str, ...], labels: Ints) -> Board:
    """Return the board whose squares have these kinds, given by their indices (rows, cols)."""
    kind_of = {Square(*place): kinds[label] for place, label in np.ndenumerate(labels)}
    cells = {square: Cell.parse(kind) for square, kind in kind_of.items() if kind != NOTHING}
    return Board(cells, height=labels.shape[0], width=labels.shape[1])


def compute_log_odds(probability: ArrayLike) -> Floats:
    """Return the log-odds of probabilities, finite for 0 and 1 too."""
    clipped_probability = np.clip(np.asarray(probability, np.float64), MIN_PROBABILITY, 1 - MIN_PROBABILITY)
    return np.asarray(logit(clipped_probability))
