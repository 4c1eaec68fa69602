"""The calibration command; see the package's docstring."""

import json
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

import kdvision.lab.calibrate
from kdvision.files import write_atomically
from kdvision.lab.calibrate import boards, scenes, tiles
from kdvision.lab.calibrate.scenes import FIRST_SEED, BoardOutcome
from kdvision.lab.experiments.experiment import compute_model_digests
from kdvision.lab.model_file import update_metadata
from kdvision.lab.run import Run, make_parser, parse_count, parse_options, use_models
from kdvision.vision.networks.onnx import load_model

TILE_SEED, BOARD_SEED, OCCLUSION_SEED, FRESH_SEED, OCCLUDED_SEED = (n * FIRST_SEED for n in (1, 2, 3, 5, 6))
"""First seeds of the scenes of steps 1, 4 (plain), 2, 3 and 4 (with occluders)."""
MIN_SCENES = 40
"""With fewer scenes, step 2 may see no hidden tile."""


@dataclass(frozen=True)
class CalibrationRun(Run):
    """The options of one calibration."""

    scenes: int
    keep_weights: bool

    def judge_scenes(self, name: str, first: int, count: int, *, occluders: bool = False) -> list[BoardOutcome]:
        """Return the outcomes of the boards of scenes; the work folder keeps what was observed in them."""
        folder = self.work / scenes.digest_observer("calibration") / name
        observe = partial(scenes.observe_scene, self.data, occluders=occluders)
        print_duration(f"observe {name}", count)
        observed_scenes = self.map_saved(observe, range(first, first + count), folder)
        return [outcome for outcomes in self.map(scenes.judge_boards, observed_scenes) for outcome in outcomes]


def fit_weights(run: CalibrationRun, path: Path) -> None:
    """Run steps 1 and 2: fit the weights of the evidence for tiles and hidden tiles, and write them into cells.onnx."""
    count = run.scenes // 10
    for title, first, collect, fit_evidence in (
        ("tile weights", TILE_SEED, tiles.collect_tile_evidence, tiles.fit_tile_weights),
        ("occlusion weights", OCCLUSION_SEED, tiles.collect_occlusion_evidence, tiles.fit_occlusion_weights),
    ):
        print_duration(title, count)
        evidence = run.map(partial(collect, run.data), range(first, first + count))
        update_metadata(path, fit_evidence(np.concatenate(evidence)))


def print_duration(title: str, count: int) -> None:
    print(f"{title}: {count} scenes, about {count / 100:.0f} min on two cores", flush=True)


def fit(run: CalibrationRun) -> None:
    """Run steps 3 to 5: fit the calibration, write it into cells.onnx, and write the tables."""
    fresh_boards = run.judge_scenes("fresh", FRESH_SEED, run.scenes)
    plain_boards = run.judge_scenes("plain", BOARD_SEED, run.scenes)
    occluded_boards = run.judge_scenes("occluded", OCCLUDED_SEED, run.scenes // 2, occluders=True)
    calibration = boards.fit_calibration(plain_boards, occluded_boards, fresh_boards)
    calibration = boards.measure_guarantee(boards.list_outcomes(fresh_boards, calibration), calibration)
    print(json.dumps(asdict(calibration), indent=1))
    update_metadata(run.models / "cells.onnx", {"calibration": asdict(calibration)})
    results = run.models / "results"
    results.mkdir(exist_ok=True)
    boards.write_reliability(results, plain_boards, calibration)
    settings = {"scenes": run.scenes, "models": compute_model_digests()}
    write_atomically(results / "calibration.json", f"{json.dumps(settings, indent=1)}\n".encode())


def main() -> None:
    parser = make_parser("kdvision.lab.calibrate", kdvision.lab.calibrate.__doc__, work=".work/calibrate")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the networks and of results/")
    at_least_40 = partial(parse_count, minimum=MIN_SCENES)
    parser.add_argument("--scenes", type=at_least_40, default=4000, help="scenes of steps 3 and 4; at least 40")
    parser.add_argument("--keep-weights", action="store_true", help="skip steps 1 and 2")
    run = CalibrationRun(**vars(parse_options(parser)))
    if not (run.models / "cells.onnx").is_file():
        parser.error(f"there is no cells.onnx in {run.models} to write the calibration into: copy one there")
    use_models(run.models)
    if not run.keep_weights:
        fit_weights(run, run.models / "cells.onnx")
    elif not {"tile_weights", "occlusion_weights"} <= load_model("cells").metadata.keys():
        parser.error("the cell classifier has no weights to keep: leave out --keep-weights")
    fit(run)


if __name__ == "__main__":
    main()
