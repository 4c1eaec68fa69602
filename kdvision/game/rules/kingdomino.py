"""Kingdomino: territories, and the variants Mighty Duel, Middle Kingdom and Harmony."""

from collections.abc import Iterator
from dataclasses import dataclass

from kdvision.game.board import Board, Square
from kdvision.game.deck import KINGDOMINO
from kdvision.game.kingdom import Kingdom, crowns, largest
from kdvision.game.scoring import Line, RuleSet, Territories, TieBreak

LARGEST = TieBreak("the largest territory", "kingdomino/tie-largest", largest)
CROWNS = TieBreak("crowns", "kingdomino/tie-crowns", crowns)

IN_PLAY = {2: 24, 3: 36, 4: 48}
"""Players: dominoes drawn in a 5x5 game (kingdomino/in-play)."""

ALL_IN_PLAY = {2: 48}
"""Players: dominoes drawn in a 7x7 game, the Mighty Duel (kingdomino/mighty-duel)."""


@dataclass(frozen=True)
class MiddleKingdom:
    """A bonus for the castle on the centre square of the kingdom's smallest surrounding rectangle."""

    points: int = 10

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """One line, of 0 points where the castle lies elsewhere."""
        castles = kingdom.board.castles()
        earned = castles if castles == (centre(kingdom.board),) else ()
        yield Line("Middle Kingdom", self.points if earned else 0, "kingdomino/middle-kingdom", earned)


@dataclass(frozen=True)
class Harmony:
    """A bonus for a complete kingdom: a full square of `side` without holes, so no domino was discarded."""

    side: int
    points: int = 5

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """One line, of 0 points where a square is missing."""
        board = kingdom.board
        earned = complete(board, self.side)
        yield Line("Harmony", self.points if earned else 0, "kingdomino/harmony", tuple(board) if earned else ())


def kingdomino(*, side: int = 5, middle_kingdom: bool = False, harmony: bool = False) -> RuleSet:
    """The rules of a Kingdomino game: 5x5, or 7x7 as the Mighty Duel; variants mix freely (kingdomino/mix)."""
    duel = side > 5
    name = "Kingdomino, Mighty Duel" if duel else "Kingdomino"
    in_play = ALL_IN_PLAY if duel else IN_PLAY
    plain = RuleSet(name, side, KINGDOMINO, (Territories(),), (LARGEST, CROWNS), in_play)
    return with_variants(plain, middle_kingdom=middle_kingdom, harmony=harmony)


def with_variants(rule_set: RuleSet, *, middle_kingdom: bool = False, harmony: bool = False) -> RuleSet:
    """The rule set with the bonuses asked for."""
    if middle_kingdom:
        rule_set = rule_set.plus("Middle Kingdom", MiddleKingdom())
    return rule_set.plus("Harmony", Harmony(rule_set.side)) if harmony else rule_set


def centre(board: Board) -> Square | None:
    """The centre square of the smallest rectangle around the board's squares; None where a side is even.

    This is the ruling kingdomino/centre.
    """
    if board.bounds is None:
        return None
    top, left, bottom, right = board.bounds
    odd = (bottom - top) % 2 == 0 and (right - left) % 2 == 0
    return Square((top + bottom) // 2, (left + right) // 2) if odd else None


def complete(board: Board, side: int) -> bool:
    """True for a full square of side times side, castle included: no domino was discarded (kingdomino/complete)."""
    return len(board) + len(board.unknown) == side * side and board.extent == (side, side)
