"""Score a game from a file and print who wins: `python examples/whole_game.py [FILE]`."""

import sys
from pathlib import Path

from kdvision.gamefile import model

GAME = """
variants = ["harmony"]

[[kingdom]]
player = "Ann"
board = "w w1 f / l # f1 / l l g"

[[kingdom]]
player = "Bob"
board = "m2 m w / s # w1 / s1 g g"
"""


def main(text: str = GAME) -> None:
    """Print the points of each kingdom and the standing with its reason."""
    game = model.parse_game(text)
    for place in game.standing.places:
        print(f"{place.place}. {place.player}: {place.total} points")
    print(game.standing.reason)


if __name__ == "__main__":
    main(*(Path(path).read_text(encoding="utf-8") for path in sys.argv[1:2]))
