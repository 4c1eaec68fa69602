"""Read a photo and print each kingdom with its points: `python examples/score_a_photo.py PHOTO`."""

import sys

import kdvision


def main(photo: str) -> None:
    """Print board, points and uncertain squares of each kingdom in the photo."""
    for kingdom in kdvision.read(photo):
        scorecard = kdvision.score(kingdom.board)
        print(kingdom.board)
        for line in scorecard.lines:
            print(f"  {line.label} = {line.points}")
        print(f"  total {scorecard.total}; the board is right with {kingdom.probability:.1%}")
        for doubt in kingdom.doubts:
            print(f"  {doubt.square.name} may be {doubt.other_kind} instead of {doubt.kind}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "samples/demo.jpg")
