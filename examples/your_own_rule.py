"""Score with a house rule: 3 points if the castle lies in a corner. `python examples/your_own_rule.py`."""

from kdvision import Board, score
from kdvision.game.kingdom import Kingdom
from kdvision.game.rules import kingdomino
from kdvision.game.rules.variant import Groups, Variant


def find_corner_castle(kingdom: Kingdom, _side: int) -> Groups:
    """Return the castle's square if it is a corner of the kingdom's smallest rectangle, else nothing."""
    top, left, bottom, right = kingdom.board.bounds
    corners = {(row, col) for row in (top, bottom) for col in (left, right)}
    return [(square,) for square in kingdom.board.find_castles() if square in corners]


CORNER_CASTLE = Variant(
    "corner-castle",
    "Corner Castle",
    help="Add 3 points for a castle in a corner.",
    clause="house/corner-castle",
    points=3,
    find_groups=find_corner_castle,
)


def main() -> None:
    """Score a board by Kingdomino's rules and the house rule."""
    scorecard = score(Board.parse("# w1 w / f f1 g"), CORNER_CASTLE.add_to(kingdomino()))
    for line in scorecard.lines:
        print(f"{line.label} = {line.points}")
    print("total", scorecard.total)


if __name__ == "__main__":
    main()
