"""The calibration command; see the package's docstring."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import kdvision.lab.calibrate
from kdvision.evaluate.workers import map_in_processes
from kdvision.files import write_atomically
from kdvision.lab.calibrate import boards, quantities, reliability, scenes, tiles
from kdvision.lab.calibrate.reliability import JudgedBoard
from kdvision.lab.calibrate.scenes import FIRST_SEED, BoardOutcome, ObservedScene
from kdvision.lab.model_file import update_metadata
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.networks.onnx import find_model

Result = TypeVar("Result")

TILE_SEED, BOARD_SEED, OCCLUSION_SEED, FRESH_SEED, OCCLUDED_SEED = (n * FIRST_SEED for n in (1, 2, 3, 5, 6))
"""First seeds of the scenes of steps 1, 3 (plain), 2, 5 and 3 (with occluders)."""


MIN_FIT_SCENES = 20
"""With fewer scenes, step 2 may see no hidden tile."""


@dataclass(frozen=True)
class Run:
    """The options of one calibration."""

    data: Path
    models: Path
    work: Path
    scenes: int
    workers: int

    @property
    def results(self) -> Path:
        """The folder of the tables."""
        return self.models / "results"

    def map_seeds(self, function: Callable[[int], Result], first: int, count: int, title: str) -> list[Result]:
        """Return the function's result for `count` seeds from `first` on, computed by parallel processes."""
        started = time.monotonic()
        print(f"{title}: {count} scenes, about {count / 60:.0f} min on two cores", flush=True)
        results = list(map_in_processes(function, range(first, first + count), workers=self.workers))
        print(f"{title} took {(time.monotonic() - started) / 60:.0f} min", flush=True)
        return results

    def observe(self, name: str, first: int, count: int, *, occluders: bool = False) -> list[ObservedScene]:
        """Return what the networks observe in scenes; saved in the work folder as they are made."""
        folder = self.work / scenes.digest_observer("calibration") / name
        folder.mkdir(parents=True, exist_ok=True)
        function = partial(scenes.observe_scene, self.data, folder, occluders=occluders)
        return self.map_seeds(function, first, count, f"observe {name}")

    def judge(self, observed: list[ObservedScene]) -> list[BoardOutcome]:
        """Return the outcomes of all boards, decided by parallel processes."""
        outcomes = map_in_processes(scenes.judge_boards, observed, workers=self.workers)
        return [outcome for scene in outcomes for outcome in scene]

    def write_tables(
        self, name: str, judged: list[JudgedBoard], observed: list[ObservedScene], calibration: Calibration
    ) -> None:
        """Write NAME-groups.csv and NAME-quantities.csv, and print them."""
        groups = reliability.format_groups(judged, threshold=calibration.review_threshold)
        collect = partial(quantities.collect_quantities, calibration=calibration)
        table = quantities.format_quantities(list(map_in_processes(collect, observed, workers=self.workers)))
        write_atomically(self.results / f"{name}-groups.csv", groups.encode())
        write_atomically(self.results / f"{name}-quantities.csv", table.encode())
        print(groups, table, sep="\n", flush=True)


def fit(run: Run) -> Calibration:
    """Run steps 1 to 4: fit everything, write it into cells.onnx, and write the tables."""
    path = find_model("cells")
    evidence = run.map_seeds(partial(tiles.collect_tile_evidence, run.data), TILE_SEED, run.scenes // 5, "tile weights")
    update_metadata(path, tiles.fit_tile_weights(evidence))
    collect = partial(tiles.collect_occlusion_evidence, run.data)
    evidence = run.map_seeds(collect, OCCLUSION_SEED, run.scenes // 5, "occlusion weights")
    update_metadata(path, tiles.fit_occlusion_weights(evidence))
    observed = run.observe("plain", BOARD_SEED, run.scenes)
    plain = run.judge(observed)
    occluded = run.judge(run.observe("occluded", OCCLUDED_SEED, run.scenes // 2, occluders=True))
    about, calibration = boards.fit_calibration(plain, occluded)
    print(json.dumps(about, indent=1))
    update_metadata(path, {"calibration": about})
    reliability.write_reliability(
        run.results,
        boards.list_outcomes(plain, calibration),
        always_reviewed=sum(board.always_review for board in plain if not board.truncated),
        threshold=calibration.review_threshold,
    )
    judged = reliability.judge_outcomes(plain, calibration)
    judged += reliability.judge_outcomes(occluded, calibration, group=reliability.OCCLUDED)
    run.write_tables("calibration", judged, observed, calibration)
    return calibration


def validate(run: Run, calibration: Calibration) -> None:
    """Run step 5: write the tables of fresh scenes."""
    observed = run.observe("fresh", FRESH_SEED, run.scenes)
    judged = reliability.judge_outcomes(run.judge(observed), calibration)
    run.write_tables("calibration-fresh", judged, observed, calibration)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m kdvision.lab.calibrate",
        description=kdvision.lab.calibrate.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the training pictures")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the networks and of results/")
    parser.add_argument("--work", type=Path, default=Path(".work/calibrate"), help="folder of the saved observations")
    parser.add_argument("--scenes", type=int, default=2000, help="scenes of steps 3 and 5; at least 20 to fit")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="parallel processes")
    parser.add_argument("--validate-only", action="store_true", help="run step 5 alone, with the shipped calibration")
    options = vars(parser.parse_args())
    validate_only = options.pop("validate_only")
    run = Run(**options)
    if run.scenes < MIN_FIT_SCENES and not validate_only:
        parser.error(f"a fit needs at least {MIN_FIT_SCENES} scenes")
    os.environ["KDVISION_MODELS"] = str(run.models)  # for the runtime and the worker processes
    run.results.mkdir(parents=True, exist_ok=True)
    validate(run, scenes.load_calibration() if validate_only else fit(run))


if __name__ == "__main__":
    main()
