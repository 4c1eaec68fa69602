"""The Royal Wedding: Queendomino with the dominoes of both boxes, for more players or for teams."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kdvision.game.deck import KINGDOMINO, QUEENDOMINO, ROYAL_WEDDING, count_faces
from kdvision.game.dominoes import MAX_READINGS, list_readings
from kdvision.game.kingdom import Table
from kdvision.game.legality import Problem
from kdvision.game.rules.queendomino import queendomino
from kdvision.game.scoring import RuleSet
from kdvision.game.tiling import make_puzzle

OWN_CLAUSES: Final = {
    "kingdomino/box": "royal-wedding/box",
    "kingdomino/grid": "royal-wedding/five",
    "kingdomino/mighty-duel": "royal-wedding/seven",
    "kingdomino/in-play": "royal-wedding/box",
}


def check_turns(table: Table, rule_set: RuleSet) -> Iterator[Problem]:
    """Yield the kingdoms with more dominoes of one box than they draw (royal-wedding/turns)."""
    limit = 12 if rule_set.side > 5 else 6
    for number, kingdom in enumerate(table.kingdoms):
        puzzle = make_puzzle(kingdom.board, ROYAL_WEDDING)
        readings = list_readings(puzzle) if len(puzzle.squares) > 2 * limit else []
        used_faces = [Counter(puzzle.box.faces[puzzle.face[i][j]] for i, j in reading) for reading in readings]
        for name, other in (("Queendomino", KINGDOMINO), ("Kingdomino", QUEENDOMINO)):
            other_faces = count_faces(other)
            needs = [(face_counts - other_faces).total() for face_counts in used_faces]
            if 0 < len(readings) < MAX_READINGS and min(needs) > limit:
                text = f"at least {min(needs)} dominoes of {name} lie here, and a kingdom draws {limit} of each box"
                yield Problem((), text, "royal-wedding/turns", number)


def royal_wedding(*, side: int = 7, teams: bool = False) -> RuleSet:
    """Return the rules of both boxes together: 7x7 for 3 or 4 kingdoms, 5x5 for 5 to 8.

    With `teams` three or four pairs of players share a 7x7 kingdom, its coins and its score (royal-wedding/teams).
    """
    rule_set = queendomino(side=7 if teams else side)
    return replace(
        rule_set,
        name="Royal Wedding, teams" if teams else "Royal Wedding",
        deck=ROYAL_WEDDING,
        dominoes_drawn=dict.fromkeys((3, 4) if rule_set.side > 5 else (5, 6, 7, 8), 96),
        checks=(*rule_set.checks, check_turns),
        own_clauses={**rule_set.own_clauses, **OWN_CLAUSES},
    )
