"""Renders `age_of_giants.jpg`, a finished game of Age of Giants for five: `python -m tests.rulebook.giants_photo`."""

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kdvision.game.rules import make_rule_set
from kdvision.lab.games.play import PlayedKingdom, play_draft
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.objects import held_out_tops
from scripts import samples
from scripts.sample_shots import Shot

PHOTO: Final = Path(__file__).with_name("age_of_giants.jpg")
SIZE_PX: Final = (1200, 780)
SEED: Final = 5


def play_game() -> list[PlayedKingdom]:
    """Return the kingdoms of five players, who took five of the 60 dominoes in each round."""
    rng, deck = np.random.default_rng(SEED), make_rule_set(variants=["age-of-giants"]).deck
    order = rng.permutation(len(deck))
    lines = [[deck[i] for i in sorted(order[start : start + 5])] for start in range(0, len(deck), 5)]
    return play_draft(rng, lines, kingdoms=5, kings=1, side=5, care=(0.9, 1.0))


def main() -> None:
    """Write the photo."""
    shot = Shot("age-of-giants", "", SEED, held_out_tops.oak, SEED, kingdoms=5, tilt=8, fill=0.92)
    picture = samples.take_photo(shot, DrawnArt(seed=3), kingdoms=play_game(), size=SIZE_PX)
    pixels = np.ascontiguousarray(picture.photo[..., ::-1])
    cv2.imwrite(str(PHOTO), pixels, [cv2.IMWRITE_JPEG_QUALITY, 85])


if __name__ == "__main__":
    main()
