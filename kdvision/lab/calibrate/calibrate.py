"""How far the shipped models can be believed: `python -m kdvision.lab.calibrate.calibrate`, the last step of `make model`.

Scenes that no training saw go through the whole runtime. From them come the weights with which the cell network and
the finder say together whether there is a tile, those of what may hide one, the temperature of whole boards, how far
these are believed, what each sign counts that something of a board was missed, hidden or cut off (all weights and the
belief are logistic regressions), and the probability under which a board is shown to a person. All of it is written
into cells.onnx.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.stats import beta

from kdvision.lab.calibrate import believed, rehearsal
from kdvision.lab.calibrate.rehearsal import Places, Rehearsed
from kdvision.vision.assess.calibration import ALWAYS, Calibration, compute_log_odds, smallness
from kdvision.vision.classify.observe import compute_tile_log_odds
from kdvision.vision.classify.occlusion import compute_occlusion_probability
from kdvision.vision.networks.onnx import model_path

Floats = npt.NDArray[np.float64]
Made = TypeVar("Made")

TEMPERATURES = np.exp(np.linspace(np.log(0.5), np.log(8), 60))
STREAM = rehearsal.STREAM
PROMISED = 1 / 200
"""The share of the boards nobody is asked to look at that may be wrong at a table."""
WRONG = PROMISED / 4
"""And here: no room is like another, so most is left for what rendered tables do not show."""
STREWN = 0.05
"""The share of tables that is taken to have hands and things lying about on them: most people take them away."""
MISSED = 8.0
"""A hidden tile that nobody is asked about costs as much as so many places at which a person looks in vain."""
CONFIDENCE = 0.95
FAINT = "hidden"
"""The sign that every board has, however faint."""
USUAL = 4.0
"""Log-odds that nothing was missed, where no sign speaks: from here on they are fitted."""
PULL = 0.5
"""How strongly weights of signs are held at nought, in boards."""
TINY = 1e-9
MISTAKES = 0.1
"""The share of kingdoms that is taken to be laid against a rule, because a player did not see it or did not know."""


def fit_outline(found: Iterable[Places]) -> dict[str, object]:
    """Return what a model file says of outlines (`evidence.compute_tile_log_odds`): weights, and error rates of ever more witnesses.

    Where no colour is known, the error rate with it is that without.
    """
    places = Places.join(list(found))
    said, tile = places.said, places.tile
    known = ~np.isnan(said[:, 2])
    about: dict[str, list[float]] = {
        "outline": regressed(said[:, :2], tile, np.array([1.0, 0.5, 0.0])),
        "tabletop": regressed(said[known], tile[known], np.array([1.0, 0.5, 0.0, 0.0])),
    }
    alone = {name: weights for name, weights in about.items() if name == "outline"}
    rates = {"cells": said[:, 0], "both": compute_tile_log_odds(said, alone), "all": compute_tile_log_odds(said, about)}
    return {**about, "outline_wrong": {name: float(((odds > 0) != tile).mean()) for name, odds in rates.items()}}


def fit_covering(found: Iterable[Places]) -> dict[str, object]:
    """Return what a model file says of hidden tiles (`covering.compute_occlusion_probability`): weights, and how many are told, and of what.

    `covering_told` are the share of the hidden tiles that they tell, and that of the other places, where they err.
    """
    places = Places.join(list(found))
    said, tile = places.said, places.tile
    weights = regressed(said, tile, np.zeros(said.shape[1] + 1), costs=MISSED)
    told = compute_occlusion_probability(said, {"covering": weights}) > 0.5
    rates = {"places": len(tile), "hidden": float(told[tile].mean()), "others": float(told[~tile].mean())}
    return {"covering": weights, "covering_told": rates}


def regressed(said: Floats, tile: npt.NDArray[np.bool_], start: Floats, *, costs: float = 1.0) -> list[float]:
    """The weights of what witnesses say (n, k), and a constant, by logistic regression; a tile counts as so many."""
    features, sign = np.column_stack([said, np.ones(len(said))]), np.where(tile, 1.0, -1.0)
    each = np.where(tile, costs, 1.0)

    def loss(weights: Floats) -> float:
        return float((each * np.logaddexp(0, -sign * (features @ weights))).mean() + 1e-6 * (weights**2).sum())

    return [round(float(weight), 4) for weight in minimize(loss, start, method="BFGS").x]


def plain(board: Rehearsed) -> bool:
    """Return whether nothing speaks against a board beside its squares, but that something faint may be hidden."""
    return (
        not board.odd
        and not board.cut
        and not any(strong for name, strong in board.warning_strengths.items() if name != FAINT)
    )


def fit_temperature(found: Iterable[Rehearsed]) -> float:
    """Return the temperature at which the boards' shares say best how often those that are plain are right."""
    rows = [board for board in found if plain(board)]

    def loss(temperature: float) -> float:
        likely = ((board.chance(temperature), board.right) for board in rows)
        return -float(sum(np.log(max(p if right else 1 - p, 1e-4)) for p, right in likely))

    return float(TEMPERATURES[int(np.argmin([loss(t) for t in TEMPERATURES]))])


def fit_rule(found: Iterable[Rehearsed]) -> tuple[float, float]:
    """Return what a board's log-odds gain if it breaks a rule of play, and if not (Bayes).

    No rendered kingdom breaks one, real ones may (MISTAKES), and misread ones do as often as they did here.
    """
    wrong = [board.broken for board in found if plain(board) and not board.right]
    share = (sum(wrong) + 1) / (len(wrong) + 2)
    return float(np.log(MISTAKES / share)), float(np.log((1 - MISTAKES) / (1 - share)))


def believed_of(found: Iterable[Rehearsed], calibration: Calibration) -> list[tuple[float, bool]]:
    """Return (probability, right) of each board of a kingdom that is all in the picture, unless a person is asked about
    it however probable it is."""
    return [(board.judged(calibration), board.right) for board in found if not board.odd and not board.cut]


def judged_of(found: Iterable[Rehearsed], calibration: Calibration) -> list[believed.Judged]:
    """Return for each board where its tiles come from, how probable it is called, whether it is right, and odd.

    Those that the picture cuts are told apart: no reading of them can be right.
    """
    return [(believed.CUT if b.cut else b.art, b.judged(calibration), b.right, b.odd) for b in found]


def fit_belief(found: Sequence[Rehearsed], strewn: Sequence[Rehearsed], calibration: Calibration) -> Calibration:
    """Return the trust with what is to be believed of boards: of their squares, and that nothing of them was missed.

    A board is right where its squares are read right, and nothing was missed, hidden or cut off. So what is said of it
    is a product of two logistic regressions, fitted together on all boards, those that the picture cuts among them, and
    those of `strewn` tables, as many as STREWN says. No sign speaks for a board.
    """
    rows, weight = [*found, *strewn], weights_of(found, strewn)
    names = sorted({name for board in rows for name in board.warning_strengths})
    chances = compute_log_odds([board.chance(calibration.temperature) for board in rows])
    known = np.array([(board.correction_cost, smallness(board.side), 1.0) for board in rows], float)
    squares = np.column_stack([chances, known])
    signs = np.array([[1.0, *(board.warning_strengths.get(name, 0.0) for name in names)] for board in rows])
    split = len(Calibration.belief)
    shift = np.array([calibration.rule[0 if board.broken else 1] for board in rows])
    right = np.array([board.right for board in rows], bool)
    start = np.array([*Calibration.belief, USUAL, *(0.0 for _ in names)])
    pull = np.array([*(0.05 for _ in Calibration.belief), 0.0, *(PULL for _ in names)])

    def loss(weights: Floats) -> tuple[float, Floats]:
        read = _chance(squares @ weights[:split] + shift)
        whole = _chance(signs @ weights[split:])
        said = np.clip(read * whole, TINY, 1 - TINY)
        slope = np.where(right, -1 / said, 1 / (1 - said)) * weight * said
        steps = np.concatenate([squares.T @ (slope * (1 - read)), signs.T @ (slope * (1 - whole))])
        away = weights - start
        unlikely = -np.log(np.where(right, said, 1 - said))
        return float(weight @ unlikely + pull @ away**2), steps + 2 * pull * away

    bounds = [*[(None, None)] * (split + 1), *((None, 0.0) for _ in names)]
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x.tolist()
    likely, strained, small, constant, *rest = (round(one, 4) for one in best)
    named = dict(zip((ALWAYS, *names), rest, strict=True))
    return replace(calibration, belief=(likely, strained, small, constant), whole=named)


def _chance(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)))


def weights_of(found: Sequence[Rehearsed], strewn: Sequence[Rehearsed]) -> Floats:
    """Return what each board counts, so that strewn tables are as frequent among all as STREWN says."""
    each = STREWN / (1 - STREWN) * len(found) / max(len(strewn), 1)
    return np.concatenate([np.ones(len(found)), np.full(len(strewn), each)])


def sure_above(rows: Sequence[tuple[float, bool]], *, wrong: float, weights: Floats | None = None) -> float:
    """Return the least probability from which on at most a share `wrong` of boards is expected to be wrong.

    One more error counts than was seen (conformal risk control, Angelopoulos et al., 2022), so few boards promise
    little: fewer than 1 / wrong of them promise nothing, and the answer is over 1. Boards may count differently.
    """
    each = np.ones(len(rows)) if weights is None else weights
    order = sorted(range(len(rows)), key=lambda n: -rows[n][0])
    errors, count, threshold = 0.0, 0.0, 1.1
    for n, at in enumerate(order, 1):
        chance, right = rows[at]
        errors, count = errors + each[at] * (not right), count + each[at]
        last_of_its_chance = n == len(order) or rows[order[n]][0] < chance
        if last_of_its_chance and (errors + 1) / (count + 1) <= wrong:
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
    parser.add_argument("--strewn-scenes", type=int, default=1000, help="scenes with hands and things on the tables")
    parser.add_argument("--outline-scenes", type=int, default=400)
    parser.add_argument("--work", type=Path, help="keep what is seen on each scene here, for the next time")
    parser.add_argument("--boards-only", action="store_true", help="leave the weights of places as they are")
    parser.add_argument("--results", type=Path, help="folder for the tables and the picture of the model card")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    path = model_path("cells")
    if not given.boards_only:
        about = fit_outline(_each(rehearsal.places, given.data, STREAM, given.outline_scenes, given.workers))
        print(f"tile or none: {about}")
        write(path, **about)
        seeds = 3 * STREAM, given.outline_scenes
        about = fit_covering(_each(rehearsal.beside_boards, given.data, *seeds, given.workers))
        print(f"what hides tiles: {about}")
        write(path, **about)
    found = _boards(given, 2 * STREAM, given.scenes)
    strewn = _boards(given, 6 * STREAM, given.strewn_scenes, strewn=True)
    fitted, calibration = fitted_of(found, strewn)
    print(json.dumps(fitted, indent=1))
    if given.results:
        believed.write(given.results, believed_of(found, calibration), odd=_asked(found), sure=calibration.sure)
        apart = [(believed.STREWN, chance, right, odd) for _, chance, right, odd in judged_of(strewn, calibration)]
        judged = [*judged_of(found, calibration), *apart]
        believed.write_by_art(given.results / "calibration-art.csv", judged, sure=calibration.sure)
    write(path, boards=fitted)


def fitted_of(found: Sequence[Rehearsed], strewn: Sequence[Rehearsed]) -> tuple[Mapping[str, object], Calibration]:
    """Return what a model file says of whole boards, and the same as trust."""
    calibration = fit_belief(found, strewn, Calibration(fit_temperature(found), rule=fit_rule(found)))
    everything = [*found, *strewn]
    kept = np.array([not board.odd for board in everything])
    rows = [(board.judged(calibration), board.right) for board in everything if not board.odd]
    calibration = replace(calibration, sure=sure_above(rows, wrong=WRONG, weights=weights_of(found, strewn)[kept]))
    plain_rows = believed_of(found, calibration)
    about = {
        "temperature": calibration.temperature,
        "sure": calibration.sure,
        "belief": calibration.belief,
        "rule": calibration.rule,
        "whole": calibration.whole,
        "measured": len(plain_rows),
        "right": sum(right for _, right in plain_rows),
    }
    return about | promised(plain_rows, calibration.sure, wrong=PROMISED), calibration


def _asked(found: Iterable[Rehearsed]) -> int:
    """How many of the kingdoms that are all in the picture a person is asked about however probable they are."""
    return sum(board.odd for board in found if not board.cut)


def _boards(given: argparse.Namespace, first: int, count: int, *, strewn: bool = False) -> list[Rehearsed]:
    """The boards of so many scenes; what was seen on strewn tables is kept in a folder of its own."""
    kept = given.work / "strewn" if given.work and strewn else given.work
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
    looked = partial(rehearsal.boards, kept=kept, strewn=strewn)
    return [board for boards in _each(looked, given.data, first, count, given.workers) for board in boards]


if __name__ == "__main__":
    main()
