"""The Lost Treasures: gems on the corners between four squares, and the win by five kinds of gem."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kdvision.game.board import Terrain
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem, join_names
from kdvision.game.pieces import JOKER, TREASURE_FACTS, UNKNOWN, Gem
from kdvision.game.rules.variant import Variant
from kdvision.game.scoring import OutrightWin, RuleSet
from kdvision.text import join_words

GEM_KINDS: Final = 5
"""Kinds of gem besides the joker. A kingdom with this many different ones wins at once."""

GEMS_OF_A_KIND: Final = 3
MAX_OPEN_GEMS: Final = 2
"""Gems that lie open beside the box."""


def add_gems(rule_set: RuleSet) -> RuleSet:
    """Return the rule set with gems, whatever its other variants (lost-treasures/mix, lost-treasures/total).

    Gems change no rule: their crowns lie on squares (lost-treasures/crowns) and their skulls curse territories.
    """
    outright = OutrightWin("five kinds of gem win at once", has_all_gems)
    return replace(rule_set, outright=outright, checks=(*rule_set.checks, check_gems))


def has_all_gems(kingdom: Kingdom) -> bool:
    """Return whether a kingdom has five kinds of gem (lost-treasures/immediate).

    The joker counts as one more kind (lost-treasures/joker).
    """
    return len({gem.kind for gem in kingdom.gems} - {UNKNOWN}) >= GEM_KINDS


def check_gems(table: Table) -> Iterator[Problem]:
    """Yield problems: gems off their places, jokers with the wrong crowns, two winners, too many tokens."""
    for number, kingdom in enumerate(table.kingdoms):
        for gem in kingdom.gems:
            yield from _check_place(number, kingdom, gem)
        for corner, count in Counter(gem.corner for gem in kingdom.gems).items():
            if count > 1:
                squares = next(gem.squares for gem in kingdom.gems if gem.corner == corner)
                text = f"{count} gems lie between {join_names(squares)}"
                yield Problem(squares, text, "lost-treasures/discovery", number)
    winners = [kingdom.player for kingdom in table.kingdoms if has_all_gems(kingdom)]
    if len(winners) > 1:
        text = f"{join_words(winners)} have {GEM_KINDS} kinds of gem, and the first to have them ends the game"
        yield Problem((), text, "lost-treasures/immediate")
    yield from _check_tokens(table)


def _check_place(number: int, kingdom: Kingdom, gem: Gem) -> Iterator[Problem]:
    around = [kingdom.board.get(square) for square in gem.squares]
    # The castle is no landscape (lost-treasures/no-castle).
    terrains = {cell.terrain for cell in around if cell is not None} - {Terrain.CASTLE}
    if None in around:
        text = f"the {_name_gem(gem)} does not lie where four squares meet ({join_names(gem.squares)})"
        yield Problem(gem.squares, text, "lost-treasures/discovery", number)
    elif len(terrains) < len(around):
        text = f"the {_name_gem(gem)} does not lie between four different terrains ({join_names(gem.squares)})"
        yield Problem(gem.squares, text, "lost-treasures/discovery", number)
    if gem.kind == JOKER and (sum(gem.crowns) != 1 or gem.skull is not None):
        yield Problem(gem.squares, "the joker has one crown and no skull", "lost-treasures/joker", number)


def _name_gem(gem: Gem) -> str:
    return "gem" if gem.kind == UNKNOWN else f"{gem.kind} gem"


def _check_tokens(table: Table) -> Iterator[Problem]:
    kinds = Counter(gem.kind for kingdom in table.kingdoms for gem in kingdom.gems)
    kinds.update(table.open_gems)
    tokens = GEM_KINDS * GEMS_OF_A_KIND + 1
    if kinds.total() > tokens:
        text = f"there are {kinds.total()} gems in the game, and the box has {tokens}"
        yield Problem((), text, "lost-treasures/tokens")
    del kinds[UNKNOWN]
    for kind, count in kinds.items():
        held = 1 if kind == JOKER else GEMS_OF_A_KIND
        if count > held:
            yield Problem((), f"there are {count} {kind} gems, and the box has {held}", "lost-treasures/tokens")
    different = [kind for kind in kinds if kind != JOKER]
    if len(different) > GEM_KINDS:
        text = (
            f"there are {len(different)} kinds of gem ({', '.join(different)}), and the box has {GEM_KINDS} and a joker"
        )
        yield Problem((), text, "lost-treasures/tokens")
    if len(table.open_gems) > MAX_OPEN_GEMS:
        text = f"{len(table.open_gems)} gems lie open beside the box, and there are never more than {MAX_OPEN_GEMS}"
        yield Problem((), text, "lost-treasures/open")


LOST_TREASURES: Final[Variant] = Variant(
    "lost-treasures",
    "The Lost Treasures",
    help="The Lost Treasures' gems are played with.",
    clause="lost-treasures/mix",
    change=add_gems,
    facts=TREASURE_FACTS,
    games=("kingdomino",),
)
