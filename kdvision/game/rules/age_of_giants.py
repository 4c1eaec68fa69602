"""Age of Giants: twelve more dominoes, a fifth player, and giants that cover crowns. Its quests are in `quests.py`.

Giants change no rule: `Kingdom.crowns_on` leaves out the crowns that they cover, for territories and for quests
(age-of-giants/covered, age-of-giants/covered-quests), and ties count the crowns that are left (age-of-giants/ties).
Who moved a giant does not matter (age-of-giants/moves).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kdvision.game.board import Cell, Terrain
from kdvision.game.deck import parse_deck
from kdvision.game.kingdom import TOWNS, UNKNOWN, UNKNOWN_BUILDING, Kingdom, TokenKind
from kdvision.game.legality import Problem
from kdvision.game.rules.variant import Variant, check_each
from kdvision.game.scoring import Line, RuleSet
from kdvision.text import count_noun

DOMINOES: Final = parse_deck(
    """
     A f  w      B f  w      C l  w      D m  g      E s  g      F l  g
    49 w2 f1    50 f2 l1    51 l2 g1    52 g2 s1    53 s2 m1    54 m2 s1
    """
)
"""The dominoes that bring giants, A to F, and those that move them, 49 to 54 (age-of-giants/box)."""

CASTLE: Final = Cell(Terrain.CASTLE)

GIANTS: Final = TokenKind("giants", "giant", {"": -1}, count=6, clause="age-of-giants/giants")

DOMINOES_DRAWN: Final = {5: {3: 36, 4: 48, 5: 60}, 7: {2: 48}}
"""By side, the dominoes that a number of kingdoms gets (age-of-giants/in-play, age-of-giants/two-players).

The others of the box are thrown away.
"""

OWN_CLAUSES: Final = {
    "kingdomino/box": "age-of-giants/box",
    "kingdomino/in-play": "age-of-giants/in-play",
    "kingdomino/mighty-duel": "age-of-giants/two-players",
    "kingdomino/must-lay": "age-of-giants/must-lay",
}


def list_giant_lines(kingdom: Kingdom) -> Iterator[Line]:
    """Yield a line of 0 points for each giant; territories count the crowns that are left."""
    for giant in kingdom.list_tokens(GIANTS.key):
        label = f"giant on {giant.square.name}: covers a crown"
        yield Line(label, 0, "age-of-giants/covered", (giant.square,))


def add_fifth_player(rule_set: RuleSet) -> RuleSet:
    """Return the rule set for up to five kingdoms (age-of-giants/fifth-player), with the clauses of this book."""
    own_clauses = {**rule_set.own_clauses, **OWN_CLAUSES}
    return replace(rule_set, dominoes_drawn=DOMINOES_DRAWN[rule_set.side], own_clauses=own_clauses)


@check_each
def check_crowns(kingdom: Kingdom) -> Iterator[Problem]:
    """Yield the squares with more giants than crowns."""
    # Open buildings, also those of The Court, and gems may have crowns (age-of-giants/any-crown).
    has_open_building = any(place.building == UNKNOWN_BUILDING for place in kingdom.buildings)
    has_open_gem = any(gem.kind == UNKNOWN for gem in kingdom.gems)
    if has_open_building or has_open_gem or not kingdom.open_facts.isdisjoint((TOWNS, "buildings", "gems", "court")):
        return
    other_tokens = tuple(token for token in kingdom.tokens if token.key != GIANTS.key)
    crowns_on = replace(kingdom, tokens=other_tokens).crowns_on
    for square, giants in Counter(giant.square for giant in kingdom.list_tokens(GIANTS.key)).items():
        crowns = crowns_on.get(square, 0)
        if giants > crowns and kingdom.board.get(square, CASTLE) != CASTLE:
            verb = "stands" if giants == 1 else "stand"
            words = f"which has {count_noun(crowns, 'crown')}: each giant covers one"
            text = f"{count_noun(giants, 'giant')} {verb} on {square.name}, {words}"
            yield Problem((square,), text, "age-of-giants/giants")


AGE_OF_GIANTS: Final = Variant(
    "age-of-giants",
    "Age of Giants",
    help="The dominoes and giants of Age of Giants are played with.",
    clause="age-of-giants/base",
    rules=(list_giant_lines,),
    checks=(check_crowns,),
    change=add_fifth_player,
    facts=(GIANTS.key,),
    games=("kingdomino", "queendomino"),
    tokens=(GIANTS,),
    colours=("brown",),
    dominoes=DOMINOES,
)
