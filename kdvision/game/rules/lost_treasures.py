"""The Lost Treasures: gems on the corners between four squares, and the win by five kinds of gem."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kdvision.game.kingdom import JOKER, UNKNOWN, Kingdom, Table, can_hold_gem, list_crossing_squares
from kdvision.game.legality import Problem, join_names
from kdvision.game.rules.variant import Variant, check_each, check_supply
from kdvision.game.scoring import RuleSet
from kdvision.text import join_words

GEM_KINDS: Final = 5
"""Kinds of gem besides the joker. A kingdom with this many different ones wins at once."""

GEMS_OF_A_KIND: Final = 3
MAX_OPEN_GEMS: Final = 2
"""Gems that lie open beside the box."""


def add_outright_win(rule_set: RuleSet) -> RuleSet:
    """Return the rule set with the win by gems, whatever its other variants (lost-treasures/mix, lost-treasures/total).

    Gems add no rule: their crowns lie on squares (lost-treasures/crowns) and their skulls curse territories.
    """
    reason = "five kinds of gem win at once"
    return replace(rule_set, outright_win=lambda kingdom: reason if has_all_gems(kingdom) else "")


def has_all_gems(kingdom: Kingdom) -> bool:
    """Return whether a kingdom has five kinds of gem (lost-treasures/immediate).

    The joker counts as one more kind (lost-treasures/joker).
    """
    return len({gem.kind for gem in kingdom.gems} - {UNKNOWN}) >= GEM_KINDS


@check_each
def check_places(kingdom: Kingdom) -> Iterator[Problem]:
    """Yield problems: gems off their places, two on one crossing, and gems with the wrong crowns."""
    board = kingdom.board
    for gem in kingdom.gems:
        name = "gem" if gem.kind == UNKNOWN else f"{gem.kind} gem"
        place = ""
        if any(square not in board and square not in board.unknown for square in gem.squares):
            place = "where four squares meet"
        elif not can_hold_gem(board, gem.crossing, unknown=board.unknown):
            place = "between four different terrains"
        if place:
            text = f"the {name} does not lie {place} ({join_names(gem.squares)})"
            yield Problem(gem.squares, text, "lost-treasures/discovery")
        if gem.kind == JOKER and (sum(gem.crowns) != 1 or gem.skull is not None):
            yield Problem(gem.squares, "the joker has one crown and no skull", "lost-treasures/joker")
        elif gem.kind not in (JOKER, UNKNOWN) and not any(gem.crowns):
            text = f"the {name} between {join_names(gem.squares)} has no crowns, and every gem has some"
            yield Problem(gem.squares, text, "lost-treasures/crowns")
    for crossing, count in Counter(gem.crossing for gem in kingdom.gems).items():
        if count > 1:
            squares = list_crossing_squares(crossing)
            text = f"{count} gems lie between {join_names(squares)}"
            yield Problem(squares, text, "lost-treasures/discovery")


def check_gems(table: Table, _rules: RuleSet) -> Iterator[Problem]:
    """Yield problems: two winners, more gems than the box has, unlike ones of a kind, too many beside the box."""
    winners = [kingdom.player for kingdom in table.kingdoms if has_all_gems(kingdom)]
    if len(winners) > 1:
        text = f"{join_words(winners)} have {GEM_KINDS} kinds of gem, and the first to have them ends the game"
        yield Problem((), text, "lost-treasures/immediate")
    gems = [gem for kingdom in table.kingdoms for gem in kingdom.gems]
    kinds = Counter([*(gem.kind for gem in gems), *table.open_gems])
    yield from check_supply("gems", kinds.total(), GEM_KINDS * GEMS_OF_A_KIND + 1, "lost-treasures/tokens")
    del kinds[UNKNOWN]
    for kind, count in kinds.items():
        supply = 1 if kind == JOKER else GEMS_OF_A_KIND
        if count > supply:
            yield Problem((), f"there are {count} {kind} gems, and the box has {supply}", "lost-treasures/tokens")
        if kind != JOKER and len({(gem.crowns, gem.skull) for gem in gems if gem.kind == kind and any(gem.crowns)}) > 1:
            text = f"the {kind} gems differ in crowns or skull, and all gems of a kind are alike"
            yield Problem((), text, "lost-treasures/tokens")
    gem_kinds = [kind for kind in kinds if kind != JOKER]
    if len(gem_kinds) > GEM_KINDS:
        names = ", ".join(gem_kinds)
        text = f"there are {len(gem_kinds)} kinds of gem ({names}), and the box has {GEM_KINDS} and a joker"
        yield Problem((), text, "lost-treasures/tokens")
    if len(table.open_gems) > MAX_OPEN_GEMS:
        text = f"{len(table.open_gems)} gems lie open beside the box, and there are never more than {MAX_OPEN_GEMS}"
        yield Problem((), text, "lost-treasures/open")


LOST_TREASURES: Final[Variant] = Variant(
    "lost-treasures",
    "The Lost Treasures",
    help="The Lost Treasures' gems are played with.",
    clause="lost-treasures/mix",
    checks=(check_places, check_gems),
    change=add_outright_win,
    facts=("gems",),
    games=("kingdomino",),
)
