"""A kingdom: a board, what lies on it or beside it, and the territories that follow."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.pieces import Built, Gem


@dataclass(frozen=True, slots=True)
class Territory:
    """Squares of one terrain that hang together, and the crowns on them; a skull makes it worthless.

    Clauses: kingdomino/territory, kingdomino/value, kingdomino/no-crowns, lost-treasures/skull.
    """

    terrain: Terrain
    squares: tuple[Square, ...]
    crowns: int = 0
    cursed: bool = False

    @property
    def points(self) -> int:
        """Squares times crowns; 0 under a skull."""
        return 0 if self.cursed else len(self.squares) * self.crowns


@dataclass(frozen=True)
class Kingdom:
    """One player's (or team's) kingdom at the end: the board, and the facts a camera does not tell.

    `knights` stand on squares, `spare_knights` were not placed; `queen` is true where she is hosted, which follows from
    the course of the game, not from the board. `discarded` is how many dominoes were thrown away, None if nobody
    remembers; `claims` are the bonuses its player counts on; `towns` is how many town squares a person has counted.
    None of these scores: they are compared with the board.

    `untold` names the facts that nobody has told yet, or not all of: what stands there is the least of it
    (`kdvision.game.open_facts`).
    """

    board: Board
    player: str = ""
    buildings: tuple[Built, ...] = ()
    knights: tuple[Square, ...] = ()
    spare_knights: int = 0
    towers: int = 0
    coins: int = 0
    queen: bool = False
    gems: tuple[Gem, ...] = ()
    discarded: int | None = None
    claims: tuple[str, ...] = ()
    towns: int | None = None
    open_facts: frozenset[str] = frozenset()

    @cached_property
    def territories(self) -> tuple[Territory, ...]:
        """The territories with every crown on them, from the top left."""
        bare = [Territory(*region, _crowns(self.board, region[1])) for region in _regions(self.board)]
        if self.buildings or self.gems:
            crowns, skulls = self._added_crowns(), {gem.skull_square for gem in self.gems}
            bare = [_with(territory, crowns, skulls) for territory in bare]
        return tuple(_crowned(bare) if self.queen else bare)

    @property
    def all_knights(self) -> int:
        """Placed and unplaced knights together."""
        return len(self.knights) + self.spare_knights

    def _added_crowns(self) -> Counter[Square]:
        crowns = Counter[Square]()
        for built in self.buildings:
            crowns[built.square] += built.building.crowns
        for gem in self.gems:
            crowns.update(gem.crowns_by_square())
        return crowns


@dataclass(frozen=True)
class Table:
    """The kingdoms of one game or round, and the gems that lie open beside the box, by kind.

    `seats` is how many kingdoms were played where not all of them are here; 0 where nobody told.
    """

    kingdoms: tuple[Kingdom, ...]
    open_gems: tuple[str, ...] = ()
    seats: int = 0

    @property
    def whole(self) -> bool:
        """True where no kingdom is known to be missing."""
        return self.seats <= len(self.kingdoms)


def find_territories(kingdom: Kingdom | Board) -> tuple[Territory, ...]:
    """The territories of a kingdom or a bare board, from the top left; squares touch by their sides only."""
    return to_kingdom(kingdom).territories


def to_kingdom(kingdom: Kingdom | Board) -> Kingdom:
    """The kingdom itself, or the bare kingdom of a board."""
    return kingdom if isinstance(kingdom, Kingdom) else Kingdom(kingdom)


def measure_largest(kingdom: Kingdom) -> int:
    """The number of squares of the largest territory, crowned or not, cursed or not (lost-treasures/skull-ties)."""
    return max((len(territory.squares) for territory in kingdom.territories), default=0)


def count_crowns(kingdom: Kingdom) -> int:
    """All crowns of the kingdom: printed ones and those of gems, buildings and the Queen."""
    return sum(territory.crowns for territory in kingdom.territories)


def _regions(board: Board) -> Iterator[tuple[Terrain, tuple[Square, ...]]]:
    """Yield each group of side-touching squares of one terrain; the castle belongs to none (kingdomino/castle)."""
    left = {square: cell.terrain for square, cell in board.items() if cell.terrain is not Terrain.CASTLE}
    for start in list(left):
        terrain = left.pop(start, None)
        if terrain is None:
            continue
        group = [start]
        for square in group:
            for near in square.neighbours():
                if left.get(near) is terrain:
                    del left[near]
                    group.append(near)
        yield terrain, tuple(sorted(group))


def _crowns(board: Board, squares: Iterable[Square]) -> int:
    return sum([board[square].crowns for square in squares])


def _with(bare: Territory, crowns: Counter[Square], skulls: set[Square | None]) -> Territory:
    total = bare.crowns + sum(crowns[square] for square in bare.squares)
    return replace(bare, crowns=total, cursed=not skulls.isdisjoint(bare.squares))


def _crowned(bare: list[Territory]) -> list[Territory]:
    """The territories with the Queen on the largest one, towns included (queendomino/queen).

    Of equally large ones she takes the best for her host (queendomino/queen-choice).
    """
    if not bare:
        return bare
    place = max(range(len(bare)), key=lambda i: (len(bare[i].squares), not bare[i].cursed))
    chosen = bare[place]
    crowned = replace(chosen, crowns=chosen.crowns + 1)
    return [*bare[:place], crowned, *bare[place + 1 :]]
