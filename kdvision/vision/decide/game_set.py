"""Which game lies on the table: the one that a person names, or the one whose dominoes the photo shows.

Towns tell Queendomino's box from Kingdomino's. Readings may know of towns; kingdoms of Kingdomino are decided from what
they say of the other terrains, as if they did not.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from kdvision.errors import NotationError
from kdvision.game.board import Square, Terrain
from kdvision.game.deck import KINGDOMINO, QUEENDOMINO, ROYAL_WEDDING, Deck
from kdvision.vision.classify.pieces import LIKELIER, Floats
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.decide.decision import Decision

GAME_AUTO: Final = "auto"
GAME_KINGDOMINO: Final = "kingdomino"
GAME_QUEENDOMINO: Final = "queendomino"
GAME_ROYAL_WEDDING: Final = "royal-wedding"
DECKS: Final[Mapping[str, Deck]] = {
    GAME_KINGDOMINO: KINGDOMINO,
    GAME_QUEENDOMINO: QUEENDOMINO,
    GAME_ROYAL_WEDDING: ROYAL_WEDDING,
}

STRANGE: Final = 3
"""So many confident squares overruled, dominoes of no box, or towns, are no misreading any more."""

Ask = Callable[[Sequence[Reading], Deck], "list[Decision]"]
"""Decides kingdoms together, laid from one box."""


def check_game(game: str) -> str:
    """The name of a game as game files call it, or "auto"; raises NotationError for another."""
    if game != GAME_AUTO and game not in DECKS:
        expected = f"{GAME_AUTO}, {', '.join(DECKS)}"
        raise NotationError(f"there is no game {game!r}", expected=expected, hint=f"name one of {expected}")
    return game


def knows_towns(reading: Reading) -> bool:
    """Whether the network that made this reading knows towns."""
    return any(map(_is_town, reading.kinds))


def choose_deck(game: str, reading: Reading) -> Deck:
    """The box to decide with: Kingdomino's for readings that know no towns, whatever is played."""
    return DECKS[game] if knows_towns(reading) else KINGDOMINO


def compute_town_probability(reading: Reading) -> Floats:
    """The probability (rows, cols) that a square is a town."""
    of = [n for n, kind in enumerate(reading.kinds) if _is_town(kind)]
    return np.asarray(np.exp(reading.log_probs[..., of]).sum(axis=2))


def decide_game(
    game: str, readings: Sequence[Reading], ask: Ask, *, named: Iterable[str] = ()
) -> tuple[str, list[Decision]]:
    """The game that is played, and its kingdoms decided with its box.

    Where nobody has said ("auto") it is Kingdomino as long as fewer towns are expected than could be misread, and
    nobody has `named` a square one. Else it is Queendomino, if its box can lay the kingdoms; else both boxes are mixed.
    """
    if game == GAME_AUTO and not _surely_towns(readings, named):
        game = GAME_KINGDOMINO
    if game != GAME_AUTO:
        return game, _asked(game, readings, ask)
    one, both = (_asked(box, readings, ask) for box in (GAME_QUEENDOMINO, GAME_ROYAL_WEDDING))
    mixed = _odd(one) >= STRANGE and _odd(both) + STRANGE <= _odd(one)
    return (GAME_ROYAL_WEDDING, both) if mixed else (GAME_QUEENDOMINO, one)


def find_possible_towns(readings: Sequence[Reading]) -> list[tuple[Square, ...]]:
    """For each reading the squares that may be towns; none where all of them together are likelier to have none."""
    chances = [compute_town_probability(reading) for reading in readings]
    if sum(float(chance.sum()) for chance in chances) < LIKELIER:
        return [() for _ in readings]
    least = min(LIKELIER, max(float(chance.max()) for chance in chances))
    return [tuple(Square(int(row), int(col)) for row, col in np.argwhere(chance >= least)) for chance in chances]


def _surely_towns(readings: Sequence[Reading], named: Iterable[str]) -> bool:
    if not readings or not knows_towns(readings[0]):
        return False
    return (
        any(map(_is_town, named))
        or round(sum(float(compute_town_probability(reading).sum()) for reading in readings)) >= STRANGE
    )


def _asked(game: str, readings: Sequence[Reading], ask: Ask) -> list[Decision]:
    if not readings:
        return []
    deck = choose_deck(game, readings[0])
    return ask([reading.of_deck(deck) for reading in readings], deck)


def _odd(decisions: Sequence[Decision]) -> float:
    """How many squares and dominoes speak against the box: overruled, of no box, or more often than it has them."""
    used = Counter(laid.numbers for decision in decisions for laid in decision.dominoes)
    twice = sum(max(count - len(numbers), 0) for numbers, count in used.items())
    return sum(map(strange, decisions)) + twice


def _is_town(kind: str) -> bool:
    return kind.startswith(Terrain.TOWN.value)


def strange(decision: Decision) -> float:
    """How many confident squares were overruled, and how many dominoes of no box were needed."""
    return len(decision.overruled) + decision.foreign
