"""What the eyes say about one kingdom: for each square of its grid, the probability of each kind of cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdvision.game.board import Board, Cell, Square
from kdvision.game.deck import Deck, kinds

KINDS: Final[tuple[str, ...]] = (
    *("w", "w1", "f", "f1", "l", "l1", "g", "g1", "g2"),
    *("s", "s1", "s2", "m", "m1", "m2", "m3", "#", "."),
)
"""The kinds of square of Kingdomino's box, in notation; `.` is the bare table."""

NOTHING: Final = "."
CASTLE: Final = "#"
NO_CHANCE: Final = -12.0
"""The log-probability of each kind of tile where none can be: not nought, so that a person can still say so."""


@dataclass(frozen=True, eq=False)
class Reading:
    """`log_probs` (rows, cols, kinds): natural logarithms of probabilities that sum to 1 over the last axis."""

    log_probs: NDArray[np.float64]
    kinds: tuple[str, ...] = KINDS

    def __post_init__(self) -> None:
        shape = self.log_probs.shape
        if len(shape) != 3 or shape[2] != len(self.kinds) or 0 in shape:
            raise ValueError(f"a reading has shape (rows, cols, {len(self.kinds)}), not {shape}")
        if len(set(self.kinds)) != len(self.kinds) or NOTHING not in self.kinds:
            raise ValueError(f"kinds are different and one of them is {NOTHING!r}, not {self.kinds}")
        sums = np.exp(self.log_probs).sum(axis=2)
        if not (np.abs(sums - 1) < 1e-3).all():
            raise ValueError(f"probabilities of a square sum to 1, not to {sums.min():.3g} … {sums.max():.3g}")

    @classmethod
    def of_probabilities(cls, probabilities: ArrayLike, kinds: tuple[str, ...] = KINDS) -> Self:
        """The reading of an array (rows, cols, kinds) of numbers from 0 up, brought to sum 1 for each square."""
        values = np.asarray(probabilities, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return cls(np.log(values / values.sum(axis=-1, keepdims=True)), kinds)

    @classmethod
    def of(
        cls,
        board: Board | str,
        *,
        confidence: float = 0.99,
        spoiled: Mapping[str, Mapping[str, float]] | None = None,
        kinds: tuple[str, ...] = KINDS,
    ) -> Self:
        """The reading that sees this board with one confidence, the rest shared by all other kinds; `?` is uniform.

        `spoiled` gives some squares their own probabilities, `{"C3": {"w1": 0.6, "w": 0.3}}`; what they leave goes to
        the kinds not mentioned.
        """
        board = Board.parse(board) if isinstance(board, str) else board
        values = np.full((board.height, board.width, len(kinds)), 1 / len(kinds))
        for square in np.ndindex(board.height, board.width):
            if Square(*square) not in board.unknown:
                cell = board.get(Square(*square))
                values[square] = _spread({str(cell) if cell else NOTHING: confidence}, kinds)
        for name, shares in (spoiled or {}).items():
            values[Square.parse(name)] = _spread(shares, kinds)
        return cls.of_probabilities(values, kinds)

    @property
    def rows(self) -> int:
        """How many rows of squares the reading has."""
        return int(self.log_probs.shape[0])

    @property
    def cols(self) -> int:
        """How many columns of squares the reading has."""
        return int(self.log_probs.shape[1])

    @property
    def best(self) -> Board:
        """The board of each square's likeliest kind taken alone: no deck, no rules."""
        cells = {
            Square(row, col): Cell.parse(self.kinds[kind])
            for (row, col), kind in np.ndenumerate(self.log_probs.argmax(axis=2))
            if self.kinds[kind] != NOTHING
        }
        return Board(cells, height=self.rows, width=self.cols)

    def probability(self, square: Square, kind: str) -> float:
        """How likely the square shows this kind (notation), before any rule is asked; 0 for a kind unknown here."""
        if kind not in self.kinds:
            return 0.0
        return float(np.exp(self.log_probs[square.row, square.col, self.kinds.index(kind)]))

    def likeliest(self, place: tuple[int, ...]) -> tuple[str, float]:
        """The likeliest kind at a place (row, column), in notation, and its probability."""
        chances = np.exp(self.log_probs[place])
        return self.kinds[int(chances.argmax())], float(chances.max())

    def of_deck(self, deck: Deck) -> "Reading":
        """The reading where a square shows nothing but what this box has: other kinds are left out.

        How probable a tile is stays the same, and so do the proportions of the kinds that are left: exactly what a
        network that has never heard of the others would say.
        """
        held = {*map(str, kinds(deck)), CASTLE, NOTHING}
        if held.issuperset(self.kinds):
            return self
        tiles = [n for n, kind in enumerate(self.kinds) if kind != NOTHING]
        kept = [n for n in tiles if self.kinds[n] in held]
        among = self.log_probs[..., kept]
        of_kept = np.logaddexp.reduce(among, axis=2, keepdims=True)
        known = np.isfinite(of_kept)
        shares = np.where(known, among - np.where(known, of_kept, 0.0), -np.log(len(kept)))
        made = self.log_probs.copy()
        made[..., kept] = shares + np.logaddexp.reduce(self.log_probs[..., tiles], axis=2, keepdims=True)
        left = [n for n, kind in enumerate(self.kinds) if kind in held]
        return Reading(made[..., left], tuple(self.kinds[n] for n in left))

    def without(self, places: NDArray[np.bool_]) -> "Reading":
        """The reading where `places` (rows, cols) show no tile."""
        made = self.log_probs.copy()
        made[places] = NO_CHANCE
        made[places, self.kinds.index(NOTHING)] = np.log1p(-np.exp(NO_CHANCE) * (len(self.kinds) - 1))
        return Reading(made, self.kinds)

    def rotate(self, quarters: int = 1) -> "Reading":
        """The reading turned clockwise by so many quarters, as `Board.rotate` does."""
        return Reading(np.ascontiguousarray(np.rot90(self.log_probs, -quarters)), self.kinds)


def _spread(shares: Mapping[str, float], kinds: tuple[str, ...]) -> NDArray[np.float64]:
    """The shares as a vector over kinds; what is left of 1 goes evenly to the kinds not mentioned."""
    unknown = shares.keys() - set(kinds)
    if unknown or sum(shares.values()) > 1 + 1e-9:
        raise ValueError(f"shares {dict(shares)} name kinds {sorted(unknown)} that are not read, or exceed 1")
    rest = (1 - sum(shares.values())) / max(1, len(kinds) - len(shares))
    return np.array([shares.get(kind, max(rest, 0.0)) for kind in kinds])
