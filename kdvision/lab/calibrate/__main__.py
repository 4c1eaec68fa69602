"""The calibration command; see the package's docstring."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

import kdvision.lab.calibrate
from kdvision.files import write_atomically
from kdvision.lab.calibrate import boards, quantities, reliability, scenes, tiles
from kdvision.lab.calibrate.scenes import FIRST_SEED, BoardOutcome, ObservedScene
from kdvision.lab.experiments.experiment import compute_model_digests
from kdvision.lab.model_file import update_metadata
from kdvision.lab.run import Run, make_parser, parse_count, parse_options, use_models
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.networks.onnx import load_model

Result = TypeVar("Result")

TILE_SEED, BOARD_SEED, OCCLUSION_SEED, FRESH_SEED, OCCLUDED_SEED = (n * FIRST_SEED for n in (1, 2, 3, 5, 6))
"""First seeds of the scenes of steps 1, 4 (plain), 2, 3 and 4 (with occluders)."""
MIN_FIT_SCENES = 20
"""With fewer scenes, step 2 may see no hidden tile."""


@dataclass(frozen=True)
class CalibrationRun(Run):
    """The options of one calibration."""

    scenes: int
    keep_weights: bool
    results: Path

    def map_seeds(self, function: Callable[[int], Result], first: int, count: int, title: str) -> list[Result]:
        """Return the function's result for `count` seeds from `first` on."""
        start_time = time.monotonic()
        print(f"{title}: {count} scenes, about {count / 60:.0f} min on two cores", flush=True)
        results = self.map(function, range(first, first + count))
        print(f"{title} took {(time.monotonic() - start_time) / 60:.0f} min", flush=True)
        return results

    def observe(self, name: str, first: int, count: int, *, occluders: bool = False) -> list[ObservedScene]:
        """Return what the networks observe in scenes; saved in the work folder as they are made."""
        folder = self.work / scenes.digest_observer("calibration") / name
        folder.mkdir(parents=True, exist_ok=True)
        function = partial(scenes.observe_scene, self.data, folder, occluders=occluders)
        return self.map_seeds(function, first, count, f"observe {name}")

    def judge(self, observed_scenes: Sequence[ObservedScene]) -> list[BoardOutcome]:
        return [outcome for scene in self.map(scenes.judge_boards, observed_scenes) for outcome in scene]

    def write_tables(
        self,
        name: str,
        outcomes: Sequence[BoardOutcome],
        observed_scenes: Sequence[ObservedScene],
        calibration: Calibration,
    ) -> None:
        """Write NAME-groups.csv and NAME-quantities.csv, and print them."""
        groups = reliability.format_groups(outcomes, calibration)
        collect = partial(quantities.collect_quantities, calibration=calibration)
        table = quantities.format_quantities(self.map(collect, observed_scenes))
        write_atomically(self.results / f"{name}-groups.csv", groups.encode())
        write_atomically(self.results / f"{name}-quantities.csv", table.encode())
        print(groups, table, sep="\n", flush=True)


def fit_weights(run: CalibrationRun, path: Path) -> None:
    """Run steps 1 and 2: fit the weights of the evidence for tiles and hidden tiles, and write them into cells.onnx."""
    evidence = run.map_seeds(partial(tiles.collect_tile_evidence, run.data), TILE_SEED, run.scenes // 5, "tile weights")
    update_metadata(path, tiles.fit_tile_weights(np.concatenate(evidence)))
    collect = partial(tiles.collect_occlusion_evidence, run.data)
    evidence = run.map_seeds(collect, OCCLUSION_SEED, run.scenes // 5, "occlusion weights")
    update_metadata(path, tiles.fit_occlusion_weights(np.concatenate(evidence)))


def fit(run: CalibrationRun, fresh_boards: Sequence[BoardOutcome]) -> Calibration:
    """Run steps 4 and 5: fit the calibration, write it into cells.onnx, and write the tables."""
    observed_scenes = run.observe("plain", BOARD_SEED, run.scenes)
    plain_boards = run.judge(observed_scenes)
    occluded_boards = run.judge(run.observe("occluded", OCCLUDED_SEED, run.scenes // 2, occluders=True))
    calibration = boards.fit_calibration(plain_boards, occluded_boards, fresh_boards)
    calibration = boards.measure_guarantee(boards.list_outcomes(fresh_boards, calibration), calibration)
    print(json.dumps(asdict(calibration), indent=1))
    update_metadata(run.models / "cells.onnx", {"calibration": asdict(calibration)})
    reliability.write_reliability(run.results, plain_boards, calibration)
    run.write_tables("calibration", [*plain_boards, *occluded_boards], observed_scenes, calibration)
    return calibration


def main() -> None:
    parser = make_parser("kdvision.lab.calibrate", kdvision.lab.calibrate.__doc__, work=".work/calibrate")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the networks and of results/")
    parser.add_argument("--scenes", type=parse_count, default=2000, help="scenes of steps 3 and 4; at least 20 to fit")
    parser.add_argument("--keep-weights", action="store_true", help="skip steps 1 and 2")
    parser.add_argument(
        "--validate-only", action="store_true", help="run step 3 and its tables alone, with the shipped calibration"
    )
    parser.add_argument("--results", type=Path, help="where to write the tables (default: results/ of the models)")
    options = vars(parse_options(parser))
    validate_only = options.pop("validate_only")
    results = options.pop("results") or options["models"] / "results"
    run = CalibrationRun(results=results, **options)
    if run.scenes < MIN_FIT_SCENES and not validate_only:
        parser.error(f"a fit needs at least {MIN_FIT_SCENES} scenes")
    if not (validate_only or (run.models / "cells.onnx").is_file()):
        parser.error(f"there is no cells.onnx in {run.models} to write the calibration into: copy one there")
    use_models(run.models)
    metadata = load_model("cells", 1).metadata
    if run.keep_weights and not {"tile_weights", "occlusion_weights"} <= metadata.keys():
        parser.error("the cell classifier has no weights to keep: leave out --keep-weights")
    if validate_only and "calibration" not in metadata:
        parser.error("the cell classifier has no calibration to validate: leave out --validate-only")
    run.results.mkdir(parents=True, exist_ok=True)
    if not (run.keep_weights or validate_only):
        fit_weights(run, run.models / "cells.onnx")
    observed_scenes = run.observe("fresh", FRESH_SEED, run.scenes)
    fresh_boards = run.judge(observed_scenes)
    calibration = Calibration.from_metadata(metadata) if validate_only else fit(run, fresh_boards)
    run.write_tables("calibration-fresh", fresh_boards, observed_scenes, calibration)
    about = {"scenes": run.scenes, "models": compute_model_digests()}
    write_atomically(run.results / "calibration-fresh.json", f"{json.dumps(about, indent=1)}\n".encode())


if __name__ == "__main__":
    main()
