"""The games and variants that boards are scored by. Everything that offers a game or a variant loops over these two.

How to add a variant or a house rule:

1. Write one file in this folder that defines a `Variant`. `harmony.py` is an example of a bonus, which game files can
   claim, `lost_treasures.py` of a variant that adds pieces.
2. Import it below and add it to `VARIANTS`.
3. Add its clause to `clauses.toml`: under its book and section, or as `[house.NAME]` with a `text` if it is from no
   book. Its id is book and name with a slash: `house/NAME`.
4. Write a test of its points in `tests/rulebook/`, marked with `@pytest.mark.clause("house/NAME")`, and add the
   variant's name, help and games to the table in `docs/rules.md`. Tests fail until both are there.

The command line, game files, event files, the server and its page then offer the variant.

What an expansion adds, all in its one file (`age_of_giants.py` and `quests.py` are examples):

- Tokens on squares: a `TokenKind` for each kind in `Variant.tokens`, its key in `facts`. `Kingdom.tokens` holds them,
  `Kingdom.crowns_on` counts their crowns, `check_tokens` checks their places and number, and a rule in `Variant.rules`
  yields their lines.
- Dominoes: `Variant.dominoes`; `change` sets the number of `dominoes_drawn`.
- What is drawn for the whole table: a variant for each, with the same `group` (`--quest bleak-king`).
- Other problems: functions of the table in `Variant.checks`.
- Players' colours: `Variant.colours`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from kdvision.game.board import Board
from kdvision.game.kingdom import TokenKind
from kdvision.game.rules.age_of_giants import AGE_OF_GIANTS
from kdvision.game.rules.clauses import Clause as Clause
from kdvision.game.rules.clauses import load_clauses as load_clauses
from kdvision.game.rules.harmony import HARMONY
from kdvision.game.rules.kingdomino import kingdomino as kingdomino
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.rules.middle_kingdom import MIDDLE_KINGDOM
from kdvision.game.rules.queendomino import queendomino as queendomino
from kdvision.game.rules.quests import QUEST_GROUP, QUESTS
from kdvision.game.rules.royal_wedding import royal_wedding as royal_wedding
from kdvision.game.rules.the_court import THE_COURT
from kdvision.game.rules.variant import Group
from kdvision.game.rules.variant import Variant as Variant
from kdvision.game.scoring import RuleSet

GAME_AUTO: Final = "auto"
"""The name of the game that the photo decides; typed boards are Kingdomino's."""
GAME_KINGDOMINO: Final = "kingdomino"

GAMES: Final[Mapping[str, Callable[..., RuleSet]]] = {
    GAME_KINGDOMINO: kingdomino,
    "queendomino": queendomino,
    "royal-wedding": royal_wedding,
}
"""The games by their names in game files; each function takes `side`, and `royal_wedding` takes `teams`."""

VARIANTS: Final[tuple[Variant, ...]] = (
    MIDDLE_KINGDOM,
    HARMONY,
    LOST_TREASURES,
    AGE_OF_GIANTS,
    THE_COURT,
    *QUESTS,
)
"""All variants, in the order in which their lines follow on a scorecard."""

GROUPS: Final[Mapping[str, Group]] = {"quest": QUEST_GROUP}
"""The groups of variants that are drawn, by the options that take their names."""

TOKEN_KINDS: Final[Mapping[str, TokenKind]] = {kind.key: kind for variant in VARIANTS for kind in variant.tokens}
"""The kinds of token that expansions put on squares, by their keys in game files."""

SIDES: Final = (5, 7)
"""The sides a kingdom can be played to."""


def make_rule_set(
    game: str = GAME_KINGDOMINO, *, side: int = SIDES[0], variants: Collection[str] = (), teams: bool = False
) -> RuleSet:
    """Return the rules of a game with variants in any order, all by their names in game files.

    Raises ValueError for an unknown variant.
    """
    rule_set = GAMES[game](side=side, teams=True) if teams else GAMES[game](side=side)
    if unknown := {*variants} - {variant.id for variant in VARIANTS}:
        raise ValueError(f"there is no variant {min(unknown)!r}")
    for variant in VARIANTS:
        if variant.id in variants:
            rule_set = variant.add_to(rule_set)
    return rule_set


def name_box(game: str, variants: Collection[str]) -> str:
    """Return the name of a box for `pipeline.read`: a game, and the variants that add dominoes, joined by "+"."""
    return "+".join((game, *(variant.id for variant in VARIANTS if variant.id in variants and variant.dominoes)))


def find_only_game(variants: Collection[str]) -> str | None:
    """Return the game of a variant that can be added to no other game; None without such a variant."""
    return next((v.games[0] for v in VARIANTS if v.id in variants and len(v.games) == 1), None)


def list_board_variants(game: str | None = None) -> tuple[Variant, ...]:
    """Return the variants that need nothing but boards and tokens, of one game if it is named."""
    return tuple(v for v in VARIANTS if TOKEN_KINDS.keys() >= set(v.facts) and (game is None or v.fits(game)))


def infer_board_side(boards: Iterable[Board]) -> int:
    """Return the side a game was played to, as its boards show it: 7 if one spans more than 5 squares, else 5."""
    longest_side = max((max(board.extent) for board in boards), default=0)
    return next((side for side in SIDES if longest_side <= side), SIDES[-1])
