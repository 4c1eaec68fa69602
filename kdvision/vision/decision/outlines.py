"""The likeliest outline, and in it the likeliest board: where a lamp leaves nothing of a domino it may be any.

Each of them is unlikely then, less so than none at all, and all together are likelier. What lies there is decided first
and what it shows after that. A board that is likelier than not has the likeliest outline as well.
"""

from collections.abc import Sequence

import numpy as np

from kdvision.vision.decision.answers import Answer
from kdvision.vision.decision.candidates import Catalogue, Floats
from kdvision.vision.reading import NOTHING


def likeliest(answers: Sequence[Answer], catalogue: Catalogue, *, temperature: float) -> Answer:
    """Return that of the answers whose kingdoms have the likeliest outlines; of several such, the one that costs least.

    How likely an outline of a kingdom is, is told by all boards within it, each as likely as the best answer that holds
    it. Differences of loss are divided by `temperature`.
    """
    losses = np.array([answer.loss for answer in answers])
    weights = np.exp((losses.min() - losses) / temperature)
    labels = np.stack([answer.labels for answer in answers])
    score = np.zeros(len(answers))
    for frame in catalogue.frames:
        boards, board = np.unique(labels[:, frame.start : frame.end], axis=0, return_inverse=True)
        tiles = boards != catalogue.kinds.index(NOTHING)
        outlines, outline = np.unique(tiles, axis=0, return_inverse=True)
        each: Floats = np.zeros(len(boards))
        np.maximum.at(each, board.reshape(-1), weights)
        whole = np.bincount(outline.reshape(-1), each, minlength=len(outlines))
        score += np.log(whole / whole.sum())[outline.reshape(-1)[board.reshape(-1)]]
    first = np.lexsort((losses, -np.round(score, 9)))[0]  # equal outlines sum up equally but for rounding
    return answers[int(first)]
