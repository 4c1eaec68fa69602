"""Times of the parts: `make bench`, or `python -m kdvision.lab.bench SECTION…`. Exits with 1 where one is too slow.

A section is a function that yields rows; add it to SECTIONS. Each time is the best of several runs over fresh values,
so that nothing remembered from the run before makes it shorter.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import numpy as np

from kdvision.game.board import Board
from kdvision.game.deck import KINGDOMINO
from kdvision.game.dominoes import dominoes
from kdvision.game.legality import problems
from kdvision.game.rules import kingdomino
from kdvision.game.scoring import score
from kdvision.game.tiling import puzzle
from kdvision.lab.drafts import play

_T = TypeVar("_T")


class Row(NamedTuple):
    """One time: what was timed, milliseconds a piece, and the most it may take (None: nobody has set a limit)."""

    what: str
    milliseconds: float
    limit: float | None = None

    def __str__(self) -> str:
        limit = "" if self.limit is None else f"   at most {self.limit:g} ms" + ("  TOO SLOW" if self.slow else "")
        return f"{self.what:<44}{self.milliseconds:9.3f} ms{limit}"

    @property
    def slow(self) -> bool:
        """True for a time over its limit."""
        return self.limit is not None and self.milliseconds > self.limit


def timed(fresh: Callable[[], Sequence[_T]], work: Callable[[_T], object], *, runs: int = 5) -> float:
    """Milliseconds that `work` takes for one of the values of `fresh`, in the best of several runs."""
    best = float("inf")
    for _ in range(runs):
        values = fresh()
        start = time.perf_counter()
        for value in values:
            work(value)
        best = min(best, (time.perf_counter() - start) / len(values))
    return best * 1000


def rules() -> Iterator[Row]:
    """Boards of 7x7 from simulated games: notation, score, legality."""
    rng = np.random.default_rng(7)
    texts = [str(kingdom.board) for _ in range(40) for kingdom in play(rng, players=2, side=7)]
    rule_set = kingdomino(side=7, middle_kingdom=True, harmony=True)

    def boards() -> list[Board]:
        puzzle.cache_clear()
        return [Board.parse(text) for text in texts]

    def scored_and_checked(board: Board) -> object:
        return score(board, rule_set), problems(board, KINGDOMINO)

    yield Row("parse a 7x7 board", timed(lambda: texts, Board.parse))
    yield Row("score a 7x7 board", timed(boards, lambda board: score(board, rule_set)), 0.2)
    yield Row("score a 7x7 board, with legality", timed(boards, scored_and_checked), 2.0)
    yield Row("name the dominoes of a 7x7 board", timed(boards, lambda board: dominoes(board, KINGDOMINO)))


SECTIONS: Final[Mapping[str, Callable[[], Iterable[Row]]]] = {"rules": rules}


def main(names: Sequence[str]) -> int:
    """Print the sections asked for, all of them by default; 1 where something is too slow, 2 for an unknown name."""
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        print(f"no section {', '.join(unknown)}; there is {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    slow = False
    for name in names or SECTIONS:
        print(name)
        for row in SECTIONS[name]():
            print(f"  {row}")
            slow = slow or row.slow
    return int(slow)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
