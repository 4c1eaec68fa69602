"""What a report is about: the scored kingdoms of one photo, or of boards typed by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from kdvision.errors import KdvisionError, NotationError
from kdvision.game.board import Board, Square
from kdvision.game.game import GAMES, outlook
from kdvision.game.given_facts import Told
from kdvision.game.inventory import Inventory, inventory
from kdvision.game.kingdom import Kingdom
from kdvision.game.legality import Problem
from kdvision.game.open_facts import TOWNS, Extent, card_of, extent, is_open
from kdvision.game.players import NOBODY, Players, told_apart
from kdvision.game.scoring import RuleSet, Scorecard, score
from kdvision.game.standing import Standing, standing
from kdvision.game.table_check import table_problems
from kdvision.report.doubts import Ask, Chance, WhatIf, again, asks, chances, of_typed
from kdvision.report.doubts import cell_of as cell_of
from kdvision.report.doubts import of_photo as doubts_of_photo
from kdvision.report.pieces import pieces_checked, with_pieces

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.assess.calibration import Calibration

    pass


LEAST_TWIN: Final = 7
"""Squares from which two boards that are the same must be one board: three dominoes and a castle."""


@dataclass(frozen=True)
class Scored:
    """One kingdom with its scorecard; `seen` is how the photo showed it, None for a typed board.

    `name` is what a person called its player, "" where nobody did.
    """

    kingdom: Kingdom
    rule_set: RuleSet
    card: Scorecard
    problems: tuple[Problem, ...]
    doubts: tuple[WhatIf, ...] = ()
    seen: "KingdomReading | None" = None
    name: str = ""

    @property
    def board(self) -> Board:
        """The board as it lies in the photo, or as it was typed."""
        return self.kingdom.board

    @property
    def probability(self) -> float:
        """How likely the whole board is right; 1 for a typed one, 0 where some of that is not known."""
        return float(not self.board.unknown) if self.seen is None else self.seen.probability

    @cached_property
    def chances(self) -> tuple[Chance, ...]:
        """The totals it may have, each with its probability, that of the board as read in front."""
        if self.seen is None or self.open:
            return (Chance(self.card.total, self.card.points, self.probability),)
        return chances(self.kingdom, self.seen, self.rule_set)

    @cached_property
    def extent(self) -> Extent:
        """What its points lie between, and what is still to be told."""
        return extent(self.kingdom, self.rule_set)

    @cached_property
    def open(self) -> bool:
        """True where pieces are still to be told: there is no total yet, and `card` has the certain lines alone."""
        return is_open(self.kingdom)

    @property
    def total(self) -> str:
        """The total, or what it lies between."""
        return str(self.extent) if self.open else str(self.card.total)

    @property
    def points_probability(self) -> float:
        """How likely the total is right: on any of the boards that have as many points."""
        return self.chances[0].probability

    @property
    def review(self) -> bool:
        """True where a person should look: something is odd, unsure, or still to be told."""
        odd = any(self.seen is None or not problem.played for problem in self.problems)
        return self.open or odd or (self.seen is not None and self.seen.review)


class Lost(NamedTuple):
    """A further photo of the same kingdoms that could not be read, and why."""

    photo: str
    error: KdvisionError


@dataclass(frozen=True)
class Result:
    """All there is to say about one photo, or about typed boards (`photo` None); `error` says why there is nothing.

    While pieces are still to be told there is no standing, and `outlook` says what is known of who wins. `lost` are
    further photos of its kingdoms that failed.
    """

    photo: str | None
    width: int | None = None
    height: int | None = None
    kingdoms: tuple[Scored, ...] = ()
    standing: Standing | None = None
    error: KdvisionError | None = None
    outlook: str = ""
    lost: tuple[Lost, ...] = ()

    @property
    def game(self) -> str | None:
        """The game by whose rules it was scored, called as game files call it; None without kingdoms."""
        decks = {made().deck: name for name, made in GAMES.items()}
        return decks[self.kingdoms[0].rule_set.deck] if self.kingdoms else None

    @property
    def review(self) -> bool:
        """True where a person should look at one of the kingdoms."""
        return any(scored.review for scored in self.kingdoms)

    @property
    def open(self) -> bool:
        """True where pieces of some kingdom are still to be told, so that nobody has won yet."""
        return any(scored.open for scored in self.kingdoms)

    @property
    def asks(self) -> list[Ask]:
        """The doubts of all kingdoms, the one to ask first in front."""
        rule_set = self.kingdoms[0].rule_set if self.kingdoms else None
        kingdoms, doubts = [scored.kingdom for scored in self.kingdoms], [scored.doubts for scored in self.kingdoms]
        return asks(kingdoms, doubts, rule_set) if rule_set else []

    @cached_property
    def box(self) -> Inventory | None:
        """The box counted over the kingdoms; None for fewer than two, which may have left anything in it."""
        return counted(
            [scored.kingdom for scored in self.kingdoms], self.kingdoms[0].rule_set if self.kingdoms else None
        )

    @property
    def calibration(self) -> "Calibration | None":
        """What the models promise of boards without a flag; None where no photo was read."""
        return next((scored.seen.calibration for scored in self.kingdoms if scored.seen is not None), None)


@dataclass(frozen=True)
class Together:
    """The kingdoms of several photos as one game: who wins, what to ask first, and the box counted.

    `twins` are players whose boards are the same, whichever way they lie: no game has two of one.
    """

    standing: Standing
    asks: tuple[Ask, ...]
    players: tuple[str, ...]
    box: Inventory | None
    twins: tuple[tuple[str, str], ...] = ()


def of_photo(
    name: str,
    size: tuple[int, int],
    reads: Sequence["KingdomReading"],
    rule_set: RuleSet,
    *,
    players: Players = NOBODY,
    before: int = 0,
    told: Told | None = None,
) -> Result:
    """The result of a photo of `size` (width, height) and what was read in it, numbered in that order.

    `players` names who plays what, after so many kingdoms `before` in other photos. Who is not named goes by the colour
    that was seen, else by the kingdom's number; where two would be called the same, their places tell them apart.
    `told` is what counts beside what was read, numbered in the same way.
    """
    names = [players.of(before + number, seen.colour) for number, seen in enumerate(reads)]
    called = [
        named or seen.colour or f"kingdom {n}" for n, (named, seen) in enumerate(zip(names, reads, strict=True), 1)
    ]
    called = told_apart(called, [seen.place for seen in reads])
    kingdoms = [Kingdom(seen.board, player=player) for seen, player in zip(reads, called, strict=True)]
    if told is not None:
        kingdoms = with_pieces(kingdoms, reads, told, before)
    problems = pieces_checked(kingdoms, [seen.problems for seen in reads], rule_set, reads, told, before)
    ranking, doubts = placed(kingdoms, rule_set), doubts_of_photo(kingdoms, reads, rule_set)
    if ranking is None:
        doubts = [[_unranked(doubt) for doubt in own] for own in doubts]
    rows = tuple(
        Scored(kingdom, rule_set, card_of(kingdom, rule_set), odd, tuple(own), seen, named)
        for kingdom, odd, seen, own, named in zip(kingdoms, problems, reads, doubts, names, strict=True)
    )
    ahead = outlook(kingdoms, rule_set) if any(row.open for row in rows) else ""
    return Result(name, *size, rows, ranking, outlook=ahead)


def _unranked(doubt: WhatIf) -> WhatIf:
    return replace(doubt, changes_standing=None, changes_winner=None, verdict="")


def of_boards(boards: Sequence[Board], rule_set: RuleSet) -> Result:
    """The result of boards typed by hand, taken for the kingdoms of one game: they share its box.

    A problem that is about no kingdom alone stands with each of them.
    """
    kingdoms = [Kingdom(board, player=f"kingdom {number}") for number, board in enumerate(boards, start=1)]
    found, doubts = table_problems(kingdoms, rule_set), of_typed(kingdoms, rule_set)
    rows = tuple(
        Scored(
            kingdom,
            rule_set,
            score(kingdom, rule_set),
            tuple(p for p in found if p.kingdom in (None, number)),
            tuple(doubts[number]),
        )
        for number, kingdom in enumerate(kingdoms)
    )
    return Result(None, kingdoms=rows, standing=placed(kingdoms, rule_set))


def together(scored: Sequence[Scored], players: Sequence[str], rule_set: RuleSet) -> Together | None:
    """The kingdoms of several photos as one game under these names; None for fewer than two."""
    kingdoms = [replace(one.kingdom, player=player) for one, player in zip(scored, players, strict=True)]
    ranking = placed(kingdoms, rule_set)
    if ranking is None:
        return None
    doubts = again(kingdoms, [one.doubts for one in scored], rule_set)
    return Together(
        ranking,
        tuple(asks(kingdoms, doubts, rule_set)),
        tuple(players),
        counted(kingdoms, rule_set),
        tuple((one.player, two.player) for one, two in combinations(kingdoms, 2) if _twins(one.board, two.board)),
    )


def _twins(one: Board, two: Board) -> bool:
    """Whether two boards of several dominoes are the same, turned or not."""
    return len(one) >= LEAST_TWIN and any(one.trimmed() == two.turned(turns).trimmed() for turns in range(4))


def placed(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> Standing | None:
    """The standing of several kingdoms; None for a single one, which has nobody to beat, and while pieces are open."""
    return standing(kingdoms, rule_set) if len(kingdoms) > 1 and not any(map(is_open, kingdoms)) else None


def counted(kingdoms: Sequence[Kingdom], rule_set: RuleSet | None) -> Inventory | None:
    """The box counted over the kingdoms of a game; None for a single one."""
    if rule_set is None or len(kingdoms) < 2 or any(TOWNS in kingdom.untold for kingdom in kingdoms):
        return None
    boards = [kingdom.board for kingdom in kingdoms]
    return inventory(boards, rule_set.deck, drawn=rule_set.in_play.get(len(kingdoms)))


def corrected(board: Board, square: Square, word: str) -> Board:
    """The board with one square as a person names it, "." for no tile; raises NotationError off the board."""
    if square.row >= board.height or square.col >= board.width:
        hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
        raise NotationError(f"the board has no square {square.name}", expected=hint, hint=hint)
    return board.replaced({square: cell_of(word)})
