"""The rules that an event's boards are scored by, and boards that these rules cannot score.

Photos of an event are scored by Kingdomino's rules. A board with towns belongs to another game, where a photo does not
show everything that counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kdvision.game.board import Board
from kdvision.game.game import choose_rule_set
from kdvision.game.kingdom import Kingdom, find_towns
from kdvision.game.legality import Problem, join_names
from kdvision.game.pieces import TokenKind, TokensByKey, join_tokens
from kdvision.game.rules import VARIANTS, board_variants, infer_board_side, make_rule_set, name_box
from kdvision.game.scoring import RuleSet

GAME: Final = "kingdomino"
NO_TOWNS: Final = "Kingdomino has none, and a batch scores by its rules alone"
OTHER_KINGDOM_HAS_TOWNS: Final = Problem((), f"another kingdom of the photo has towns: {NO_TOWNS}")
SCORE_ELSEWHERE: Final = "score its photo with kdvision score, which detects the game"

EVENT_VARIANTS: Final = board_variants(GAME)
"""The variants that events can be played with: the event file has the tokens that no photo shows."""


@dataclass(frozen=True)
class Rules:
    """The rules of an event; `side` is None if the boards of each game determine it.

    As the rules for one photo they have the `tokens` on each of its kingdoms by their keys, which no photo shows.
    """

    variants: tuple[str, ...] = ()
    side: int | None = None
    tokens: tuple[TokensByKey, ...] = ()

    @property
    def box(self) -> str:
        """The name of the box, as `pipeline.read` takes it."""
        return name_box(GAME, self.variants)

    @property
    def token_kinds(self) -> tuple[TokenKind, ...]:
        """The kinds of token that these variants put on squares."""
        return tuple(kind for variant in VARIANTS if variant.id in self.variants for kind in variant.tokens)

    def kingdom(self, board: Board, number: int, player: str = "") -> Kingdom:
        """The kingdom with this number, from 1, and its tokens."""
        tokens = self.tokens[number - 1] if number <= len(self.tokens) else {}
        return Kingdom(board, player, tokens=join_tokens(tokens))

    def rule_set(self, boards: Iterable[Board]) -> RuleSet:
        """The rules for the boards of one photo on its own."""
        return make_rule_set(GAME, side=self.side or infer_board_side(boards), variants=self.variants)

    def game_rule_set(self, boards: Iterable[Board]) -> RuleSet:
        """The rules for all boards of one game: a game of more than two kingdoms has a side of five."""
        return choose_rule_set(GAME, list(boards), side=self.side, variants=self.variants)


def towns_problem(board: Board) -> Problem | None:
    """The problem of a board with towns; None for a board without."""
    squares = find_towns(board)
    if not squares:
        return None
    verb = "towns lie" if len(squares) > 1 else "a town lies"
    return Problem(squares, f"{verb} on {join_names(squares)}: {NO_TOWNS}", "kingdomino/contents")
