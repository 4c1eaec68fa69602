"""How far the shipped models can be believed: `python -m kdvision.lab.calibrate`, the last step of `make model`.

Scenes that no training saw go through the whole runtime. From them come the weights with which the cell network and
the finder say together whether there is a tile (a logistic regression), the temperature of whole boards, how much less
likely those are about which something is odd, and the probability under which a board is shown to a person. All of it
is written into cells.onnx.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.stats import beta

from kdvision.lab import believed, rehearsal
from kdvision.lab.rehearsal import Boards, Places
from kdvision.vision.kingdom_read import log_odds
from kdvision.vision.models import model_path

Floats = npt.NDArray[np.float64]
Made = TypeVar("Made")

TEMPERATURES = np.exp(np.linspace(np.log(0.5), np.log(8), 60))
STREAM = rehearsal.STREAM
WRONG = 1 / 200
"""The share of the boards nobody is asked to look at that may be wrong."""
CONFIDENCE = 0.95


def fit_outline(found: Iterable[Places]) -> tuple[Floats, float, float]:
    """Return the weights (cell network, finder, constant), and the error rates without the finder and with it."""
    parts = list(found)
    odds, tile = np.concatenate([part.odds for part in parts]), np.concatenate([part.tile for part in parts])
    features = np.column_stack([odds, np.ones(len(odds))])
    sign = np.where(tile, 1.0, -1.0)

    def loss(weights: Floats) -> float:
        return float(np.logaddexp(0, -sign * (features @ weights)).mean() + 1e-4 * (weights**2).sum())

    weights = np.asarray(minimize(loss, np.array([1.0, 0.5, 0.0]), method="BFGS").x)
    return weights, float(((odds[:, 0] > 0) != tile).mean()), float(((features @ weights > 0) != tile).mean())


def fit_boards(found: Iterable[Boards]) -> tuple[float, list[tuple[float, bool]]]:
    """Return the temperature of whole boards, and (probability, right) of each at it, unless something is odd there."""
    rows = _boards(found, odd=False)

    def at(temperature: float) -> list[tuple[float, bool]]:
        return [(_chance(chances, temperature), right) for chances, right in rows]

    def loss(temperature: float) -> float:
        return -float(sum(np.log(max(p if right else 1 - p, 1e-4)) for p, right in at(temperature)))

    best = float(TEMPERATURES[int(np.argmin([loss(t) for t in TEMPERATURES]))])
    return best, at(best)


def fit_odd(found: Iterable[Boards], temperature: float) -> tuple[float, float]:
    """Return slope and offset of the log-odds of boards that something is odd about, at this temperature (Platt, 1999).

    What is odd speaks of a misreading, so such a board is less likely right than its squares say. Where none is odd,
    what they say stands.
    """
    rows = _boards(found, odd=True)
    odds = log_odds([_chance(chances, temperature) for chances, _ in rows])
    sign = np.where(np.array([right for _, right in rows], bool), 1.0, -1.0)

    def loss(line: Floats) -> float:
        slope, offset = line
        return float(np.logaddexp(0, -sign * (slope * odds + offset)).sum() + (slope - 1) ** 2 + offset**2)

    slope, offset = minimize(loss, np.array([1.0, 0.0]), method="BFGS").x
    return float(slope), float(offset)


def _boards(found: Iterable[Boards], *, odd: bool) -> list[tuple[Floats, bool]]:
    """The chances of each board and its rivals, and whether it is right: of the odd ones, or of the others."""
    return [
        (np.array(chances), right)
        for part in found
        for chances, right, is_odd in zip(part.chances, part.right, part.odd, strict=True)
        if is_odd == odd
    ]


def _chance(chances: Floats, temperature: float) -> float:
    """The first board's share at this temperature of what the boards had at a temperature of one."""
    warm = np.power(np.maximum(chances, 1e-12), 1 / temperature)
    return float(warm[0] / warm.sum())


def sure_above(rows: Sequence[tuple[float, bool]], *, wrong: float) -> float:
    """Return the least probability from which on at most a share `wrong` of boards is expected to be wrong.

    One more error counts than was seen (conformal risk control, Angelopoulos et al., 2022), so few boards promise
    little: fewer than 1 / wrong of them promise nothing, and the answer is over 1.
    """
    ranked = sorted(rows, key=lambda row: -row[0])
    errors, threshold = 0, 1.1
    for n, (chance, right) in enumerate(ranked, 1):
        errors += not right
        last_of_its_chance = n == len(ranked) or ranked[n][0] < chance
        if last_of_its_chance and (errors + 1) / (n + 1) <= wrong:
            threshold = chance
    return threshold


def promised(rows: Sequence[tuple[float, bool]], sure: float, *, wrong: float) -> dict[str, object]:
    """Return what boards from this probability on promise, for the model file; of none nothing is promised.

    `wrong_at_most` holds in expectation, as `sure_above` chose it. `upper` is the share that is wrong at most with the
    confidence beside it, from those counted (Clopper and Pearson, 1934).
    """
    believed = [right for chance, right in rows if chance >= sure]
    if not believed:
        return {"unflagged": 0, "unflagged_wrong": 0, "wrong_at_most": None, "upper": None, "confidence": CONFIDENCE}
    errors = len(believed) - sum(believed)
    upper = float(beta.ppf(CONFIDENCE, errors + 1, len(believed) - errors)) if errors < len(believed) else 1.0
    return {
        "unflagged": len(believed),
        "unflagged_wrong": errors,
        "wrong_at_most": wrong,
        "upper": round(upper, 5),
        "confidence": CONFIDENCE,
    }


def write(path: Path, **about: object) -> None:
    """Add to what a model file says of itself; the file is replaced whole."""
    import onnx  # all else here does without

    model = onnx.load(path)
    for key, value in about.items():
        for entry in [entry for entry in model.metadata_props if entry.key == key]:
            model.metadata_props.remove(entry)
        added = model.metadata_props.add()
        added.key, added.value = key, json.dumps(value)
    draft = path.with_suffix(".part")
    onnx.save(model, draft)
    draft.replace(path)


def _each(do: Callable[[int], Made], data: Path, first: int, count: int, workers: int) -> Iterator[Made]:
    with get_context("spawn").Pool(workers, rehearsal.start, (data,)) as pool:
        yield from pool.imap(do, range(first, first + count), chunksize=4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--scenes", type=int, default=1200, help="scenes for whole boards")
    parser.add_argument("--outline-scenes", type=int, default=240)
    parser.add_argument("--work", type=Path, help="keep what is seen on each scene here, for the next time")
    parser.add_argument("--boards-only", action="store_true", help="leave the outline's weights as they are")
    parser.add_argument("--results", type=Path, help="folder for the tables and the picture of the model card")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    path = model_path("cells")
    if given.work:
        given.work.mkdir(parents=True, exist_ok=True)
    if not given.boards_only:
        weights, alone, both = fit_outline(
            _each(rehearsal.places, given.data, STREAM, given.outline_scenes, given.workers)
        )
        print(
            f"outline {weights.round(3).tolist()}: wrong {alone:.4f} with the cell network alone, {both:.4f} with both"
        )
        write(path, outline=[round(float(w), 4) for w in weights], outline_wrong={"cells": alone, "both": both})
    looked = partial(rehearsal.boards, kept=given.work)
    found = list(_each(looked, given.data, 2 * STREAM, given.scenes, given.workers))
    temperature, rows = fit_boards(found)
    sure = sure_above(rows, wrong=WRONG)
    right = sum(ok for _, ok in rows)
    print(
        f"boards: {right} of {len(rows)} right without problems; temperature {temperature:.2f}; sure above {sure:.4f}"
    )
    if given.results:
        believed.write(given.results, rows, odd=sum(map(sum, (part.odd for part in found))), sure=sure)
    odd = [round(part, 4) for part in fit_odd(found, temperature)]
    print(f"boards about which something is odd: slope {odd[0]}, offset {odd[1]} of their log-odds")
    about = {"temperature": temperature, "sure": sure, "odd": odd, "measured": len(rows), "right": right}
    write(path, boards=about | promised(rows, sure, wrong=WRONG))


if __name__ == "__main__":
    main()
