"""Score with a house rule: 3 points if the castle lies in a corner. `python examples/your_own_rule.py`."""

from collections.abc import Iterator
from dataclasses import dataclass

from kdvision import Board, score
from kdvision.game.kingdom import Kingdom
from kdvision.game.rules import kingdomino
from kdvision.game.scoring import Line


@dataclass(frozen=True)
class CornerCastle:
    """A bonus for a castle in a corner of the kingdom's smallest rectangle."""

    points: int = 3

    def lines(self, kingdom: Kingdom) -> Iterator[Line]:
        """One line, of 0 points if the castle lies elsewhere."""
        board = kingdom.board.trimmed()
        corners = {(row, col) for row in (0, board.height - 1) for col in (0, board.width - 1)}
        earned = tuple(square for square in board.castles() if square in corners)
        yield Line("Corner Castle", self.points if earned else 0, "house/corner-castle", earned)


def main() -> None:
    """Score a board by Kingdomino's rules and the house rule."""
    rule_set = kingdomino().plus("Corner Castle", CornerCastle())
    scorecard = score(Board.parse("# w1 w / f f1 g"), rule_set)
    for line in scorecard.lines:
        print(f"{line.label} = {line.points}")
    print("total", scorecard.total)


if __name__ == "__main__":
    main()
