"""How far the shipped models can be believed: `python -m kdvision.lab.calibrate`, the last step of `make model`.

Scenes that no training saw go through the whole runtime. From them come the weights with which the cell network and
the finder say together whether there is a tile, those of the signs that something hides one, the temperature of whole
boards, how far these are believed (all weights and the belief are logistic regressions), how much less likely those are
about which something is odd, and the probability under which a board is shown to a person. All of it is written into
cells.onnx.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.stats import beta

from kdvision.lab import believed, rehearsal
from kdvision.lab.rehearsal import Places, Rehearsed
from kdvision.vision.covering import missed
from kdvision.vision.evidence import outline
from kdvision.vision.models import model_path
from kdvision.vision.trust import Belief, Trust, log_odds, smallness

Floats = npt.NDArray[np.float64]
Made = TypeVar("Made")

TEMPERATURES = np.exp(np.linspace(np.log(0.5), np.log(8), 60))
STREAM = rehearsal.STREAM
PROMISED = 1 / 200
"""The share of the boards nobody is asked to look at that may be wrong at a table."""
WRONG = PROMISED / 4
"""And here: no hand lies on a rendered kingdom, and no room is like another, so most is left for what is not seen."""
MISSED = 8.0
"""A hidden tile that nobody is asked about costs as much as so many places at which a person looks in vain."""
CONFIDENCE = 0.95
MISTAKES = 0.1
"""The share of kingdoms that is taken to be laid against a rule, because a player did not see it or did not know."""


def fit_outline(found: Iterable[Places]) -> dict[str, object]:
    """Return what a model file says of outlines (`evidence.outline`): weights, and error rates of ever more witnesses.

    Where no colour is known, the error rate with it is that without.
    """
    parts = list(found)
    said, tile = np.concatenate([part.said for part in parts]), np.concatenate([part.tile for part in parts])
    known = ~np.isnan(said[:, 2])
    about: dict[str, list[float]] = {
        "outline": _weights(said[:, :2], tile, np.array([1.0, 0.5, 0.0])),
        "tabletop": _weights(said[known], tile[known], np.array([1.0, 0.5, 0.0, 0.0])),
    }
    alone = {name: weights for name, weights in about.items() if name == "outline"}
    rates = {"cells": said[:, 0], "both": outline(said, alone), "all": outline(said, about)}
    return {**about, "outline_wrong": {name: float(((odds > 0) != tile).mean()) for name, odds in rates.items()}}


def fit_covering(found: Iterable[Places]) -> dict[str, object]:
    """Return what a model file says of hidden tiles (`covering.missed`): weights, and how many are told, and of what.

    `covering_told` are the share of the hidden tiles that they tell, and that of the other places, where they err.
    """
    parts = list(found)
    said, tile = np.concatenate([part.said for part in parts]), np.concatenate([part.tile for part in parts])
    weights = _weights(said, tile, np.zeros(said.shape[1] + 1), costs=MISSED)
    told = missed(said, {"covering": weights}) > 0.5
    rates = {"places": len(tile), "hidden": float(told[tile].mean()), "others": float(told[~tile].mean())}
    return {"covering": weights, "covering_told": rates}


def _weights(said: Floats, tile: npt.NDArray[np.bool_], start: Floats, *, costs: float = 1.0) -> list[float]:
    """The weights of what witnesses say (n, k), and a constant, by logistic regression; a tile counts as so many."""
    features, sign = np.column_stack([said, np.ones(len(said))]), np.where(tile, 1.0, -1.0)
    each = np.where(tile, costs, 1.0)

    def loss(weights: Floats) -> float:
        return float((each * np.logaddexp(0, -sign * (features @ weights))).mean() + 1e-6 * (weights**2).sum())

    return [round(float(weight), 4) for weight in minimize(loss, start, method="BFGS").x]


def fit_boards(found: Iterable[Rehearsed]) -> tuple[float, Belief]:
    """Return the temperature of whole boards, and what is to be believed of each at it, of those that are not odd."""
    rows = [board for board in found if not board.odd]

    def loss(temperature: float) -> float:
        likely = ((board.chance(temperature), board.right) for board in rows)
        return -float(sum(np.log(max(p if right else 1 - p, 1e-4)) for p, right in likely))

    best = float(TEMPERATURES[int(np.argmin([loss(t) for t in TEMPERATURES]))])
    inputs = np.array(
        [(log_odds(board.chance(best)), board.strain, smallness(board.side), 1.0) for board in rows], float
    )
    return best, _line(inputs, _sign(rows), Trust.belief, pull=0.05)


def fit_rule(found: Iterable[Rehearsed]) -> tuple[float, float]:
    """Return what a board's log-odds gain if it breaks a rule of play, and if not (Bayes).

    No rendered kingdom breaks one, real ones may (MISTAKES), and misread ones do as often as they did here.
    """
    wrong = [board.broken for board in found if not board.odd and not board.right]
    share = (sum(wrong) + 1) / (len(wrong) + 2)
    return float(np.log(MISTAKES / share)), float(np.log((1 - MISTAKES) / (1 - share)))


def believed_of(found: Iterable[Rehearsed], trust: Trust) -> list[tuple[float, bool]]:
    """Return (probability, right) of each board, unless something is odd there."""
    return [(board.believed(trust), board.right) for board in found if not board.odd]


def judged_of(found: Iterable[Rehearsed], trust: Trust) -> list[believed.Judged]:
    """Return for each board, odd or not, where its tiles come from, how probable it is called, whether right, odd."""
    return [(board.art, board.judged(trust), board.right, board.odd) for board in found]


def fit_odd(found: Iterable[Rehearsed], trust: Trust) -> Belief:
    """Return what to believe of boards that something is odd about, a logistic regression (Platt, 1999).

    What is odd speaks of a misreading, so such a board is less likely right than its squares say; less so the more is
    odd, and where no box allows what was read. Where nothing is odd, what they say stands.
    """
    rows = [board for board in found if board.odd]
    odds = log_odds([board.believed(trust) for board in rows])
    inputs = np.array(
        [(likely, board.problems, board.illegal, 1.0) for likely, board in zip(odds, rows, strict=True)], float
    ).reshape(-1, 4)
    return _line(inputs, _sign(rows), Trust.odd, pull=1.0)


def _line(inputs: Floats, sign: Floats, start: Belief, *, pull: float) -> Belief:
    """Return the weights of a logistic regression, pulled towards where they start."""

    def unlikely(weights: Floats) -> float:
        away = weights - np.array(start)
        return float(np.logaddexp(0, -sign * (inputs @ weights)).sum() + pull * (away**2).sum())

    likely, second, third, constant = minimize(unlikely, np.array(start), method="BFGS").x.tolist()
    return likely, second, third, constant


def _sign(rows: Sequence[Rehearsed]) -> Floats:
    return np.where(np.array([board.right for board in rows], bool), 1.0, -1.0)


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
    parser.add_argument("--scenes", type=int, default=2000, help="scenes for whole boards")
    parser.add_argument("--outline-scenes", type=int, default=400)
    parser.add_argument("--work", type=Path, help="keep what is seen on each scene here, for the next time")
    parser.add_argument("--boards-only", action="store_true", help="leave the weights of places as they are")
    parser.add_argument("--results", type=Path, help="folder for the tables and the picture of the model card")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    path = model_path("cells")
    if given.work:
        given.work.mkdir(parents=True, exist_ok=True)
    if not given.boards_only:
        about = fit_outline(_each(rehearsal.places, given.data, STREAM, given.outline_scenes, given.workers))
        print(f"tile or none: {about}")
        write(path, **about)
        seeds = 3 * STREAM, given.outline_scenes
        about = fit_covering(_each(rehearsal.beside_boards, given.data, *seeds, given.workers))
        print(f"what hides tiles: {about}")
        write(path, **about)
    looked = partial(rehearsal.boards, kept=given.work)
    scenes = _each(looked, given.data, 2 * STREAM, given.scenes, given.workers)
    found = [board for boards in scenes for board in boards]
    temperature, belief = fit_boards(found)
    rule = fit_rule(found)
    trust = Trust(temperature, belief=belief, rule=rule)
    rows = believed_of(found, trust)
    sure = sure_above(rows, wrong=WRONG)
    right = sum(ok for _, ok in rows)
    print(
        f"boards: {right} of {len(rows)} right without problems; temperature {temperature:.2f}; sure above {sure:.4f}"
    )
    if given.results:
        believed.write(given.results, rows, odd=sum(board.odd for board in found), sure=sure)
    print(f"belief: {np.round(belief, 3).tolist()} of log-odds, strain, smallness, one")
    print(f"log-odds where a rule is broken, and where none is: {np.round(rule, 3).tolist()} more")
    odd = fit_odd(found, trust)
    if given.results:
        judged = judged_of(found, replace(trust, odd=odd))
        believed.write_by_art(given.results / "calibration-art.csv", judged, sure=sure)
    print(f"where something is odd: {np.round(odd, 3).tolist()} of log-odds, problems told, no box allows it, one")
    boards = {
        "temperature": temperature,
        "sure": sure,
        "belief": belief,
        "rule": rule,
        "odd": [round(weight, 4) for weight in odd],
        "measured": len(rows),
        "right": right,
    }
    write(path, boards=boards | promised(rows, sure, wrong=PROMISED))


if __name__ == "__main__":
    main()
