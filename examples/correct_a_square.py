"""Read a photo, correct one square, and decide again: `python examples/correct_a_square.py`."""

import kdvision


def main(photo: str = "samples/hard-light.jpg") -> None:
    """Accept the alternative of the first uncertain square, and print how board and points change."""
    image = kdvision.Photo.open(photo)
    before = kdvision.read(image)[0]
    doubt = before.doubts[0]
    print(f"read: {kdvision.score(before.board).total} points, {doubt.square.name} is {doubt.kind}")

    # The correction is a fact for the decision: the other half of the domino follows if the box requires it.
    after = kdvision.read(image, fixed_squares={(0, doubt.square): doubt.other_kind})[0]
    changed_squares = [square.name for square, cell in after.board.items() if before.board.get(square) != cell]
    print(f"corrected: {kdvision.score(after.board).total} points, changed: {', '.join(changed_squares)}")


if __name__ == "__main__":
    main()
