"""Which game's box is on the table: the game that a person names, or the one whose dominoes the photo shows.

Towns distinguish Queendomino's box from Kingdomino's. Networks know towns; for Kingdomino the probabilities are
restricted to the kinds of its deck. A box is a game, or "auto", and the expansions that add dominoes to it, joined by
"+": "kingdomino+age-of-giants".
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from kdvision.errors import NotationError
from kdvision.game.board import Square, Terrain
from kdvision.game.deck import Deck
from kdvision.game.rules import GAME_AUTO, GAME_KINGDOMINO, GAMES, VARIANTS, make_rule_set
from kdvision.vision.classify.observation import P_PRESENT
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.decide.decision import Decision
from kdvision.vision.geometry import Floats


def check_box(box: str) -> str:
    """Return the name of a box; raise NotationError for an unknown game, or an expansion unknown or repeated."""
    game, *expansions = box.split("+")
    with_dominoes = [variant.id for variant in VARIANTS if variant.dominoes]  # no photo is examined for them
    for name, names in ((game, [GAME_AUTO, *GAMES]), *((name, with_dominoes) for name in expansions)):
        if name not in names:
            choices = ", ".join(names)
            raise NotationError(f"there is no game {name!r}", expected=choices, hint=f"name one of {choices}")
    if len(set(expansions)) < len(expansions):
        raise NotationError(f"{box!r} has an expansion twice", expected="each once", hint="name each expansion once")
    return box


def get_game(box: str) -> str:
    """Return the game of a box, without expansions."""
    return box.partition("+")[0]


def collect_deck(box: str) -> Deck:
    """Return the dominoes of a box."""
    game, *expansions = box.split("+")
    return make_rule_set(game, variants=expansions).deck


def compute_town_probability(kingdom: ClassProbabilities) -> Floats:
    """Return the probability (rows, cols) of a town."""
    towns = [n for n, kind in enumerate(kingdom.kinds) if _is_town(kind)]
    return np.asarray(np.exp(kingdom.log_probs[..., towns]).sum(axis=2))


def decide_game(
    box: str,
    kingdoms: Sequence[ClassProbabilities],
    decide: Callable[[Sequence[ClassProbabilities], Deck], list[Decision]],
    *,
    named_kinds: Iterable[str] = (),
) -> tuple[str, list[Decision]]:
    """Return the box and the boards of the `kingdoms`, decided with its deck.

    With "auto" it is Kingdomino as long as fewer than `min_contradictions` towns are expected and none of the
    `named_kinds`, which a person has entered, is a town. Otherwise it is Queendomino, or a Royal Wedding of both boxes
    if that has at least `min_contradictions` fewer contradictions. Fewer towns or contradictions may be misreadings.
    """
    min_contradictions = 3
    game, *expansions = box.split("+")

    def decide_with(name: str) -> tuple[str, list[Decision]]:
        expanded_box = "+".join((name, *expansions))
        deck = collect_deck(expanded_box)
        return expanded_box, decide([kingdom.select_kinds(deck) for kingdom in kingdoms], deck)

    if game != GAME_AUTO:
        return decide_with(game)
    expected_towns = sum(float(compute_town_probability(kingdom).sum()) for kingdom in kingdoms)
    if not any(map(_is_town, named_kinds)) and round(expected_towns) < min_contradictions:
        return decide_with(GAME_KINGDOMINO)
    single_box, both_boxes = decide_with("queendomino"), decide_with("royal-wedding")
    limit = _count_contradictions(single_box[1]) - min_contradictions
    return both_boxes if _count_contradictions(both_boxes[1]) <= limit else single_box


def find_possible_towns(kingdoms: Sequence[ClassProbabilities]) -> list[tuple[Square, ...]]:
    """Return for each kingdom the squares that may be towns; none if less than half a town is expected in all."""
    probabilities = [compute_town_probability(kingdom) for kingdom in kingdoms]
    if sum(float(p.sum()) for p in probabilities) < P_PRESENT:
        return [() for _ in kingdoms]
    threshold = min(P_PRESENT, max(float(p.max()) for p in probabilities))
    return [tuple(Square(int(row), int(col)) for row, col in np.argwhere(p >= threshold)) for p in probabilities]


def _count_contradictions(decisions: Sequence[Decision]) -> float:
    """Return the number of overruled squares, of foreign dominoes, and of dominoes used more often than they exist."""
    use_counts = Counter(domino.numbers for decision in decisions for domino in decision.dominoes)
    excess = sum(max(count - len(numbers), 0) for numbers, count in use_counts.items())
    return sum(len(decision.overruled_squares) + decision.foreign_dominoes for decision in decisions) + excess


def _is_town(kind: str) -> bool:
    return kind.startswith(Terrain.TOWN.value)
