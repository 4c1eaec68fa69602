"""Boards as text: `python examples/notation.py`."""

import kdvision


def main() -> None:
    """Parse, inspect, turn and print a board, and show what a malformed board reports."""
    # w wheat, f forest, l lake, g grass, s swamp, m mine; a digit for crowns; # castle; . empty; rows end with /
    board = kdvision.Board.parse("w w1 f / l # f1 / l l .")
    print(board.height, "rows,", len(board), "squares, castle at", board.find_castles()[0].name)
    print("C2 shows", board[kdvision.Square.parse("C2")])
    print("turned:", board.rotate())
    assert kdvision.score(board.rotate()).total == kdvision.score(board).total

    try:
        kdvision.Board.parse("w w1 / l x")
    except kdvision.NotationError as error:
        print(f"{error}; {error.hint}")


if __name__ == "__main__":
    main()
