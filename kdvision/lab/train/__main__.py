"""The training command; see the package's docstring."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import kdvision.lab.train
from kdvision.lab.run import make_parser, parse_options, use_models
from kdvision.lab.train.context import train_context
from kdvision.lab.train.image_networks import TrainingRun, train_cells, train_detector
from kdvision.lab.train.player_colour import train_player_colour
from kdvision.lab.train.quantise import quantise_networks

STEPS: Final[Mapping[str, Callable[[TrainingRun], None]]] = {
    "detector": train_detector,
    "cells": train_cells,
    "quantise": quantise_networks,
    "context": train_context,
    "player-colour": train_player_colour,
}
"""The steps of the training; the package's docstring has their durations."""


def main() -> None:
    parser = make_parser("kdvision.lab.train", kdvision.lab.train.__doc__, work=".work")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"{', '.join(STEPS)}; all of them by default")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the networks")
    parser.add_argument(
        "--continue",
        dest="is_continued",
        action="store_true",
        help="train only the last course of detector and cells, from the weights of the model files",
    )
    options = vars(parse_options(parser))
    steps = options.pop("steps") or list(STEPS)
    if unknown := [name for name in steps if name not in STEPS]:
        parser.error(f"unknown step {unknown[0]!r}: choose from {', '.join(STEPS)}")
    run = TrainingRun(**options)
    for folder in (run.work, run.models):
        folder.mkdir(parents=True, exist_ok=True)
    use_models(run.models)
    for number, name in enumerate(steps, 1):
        print(f"step {number} of {len(steps)}: {name}", flush=True)
        start_time = time.monotonic()
        STEPS[name](run)
        print(f"{name} took {(time.monotonic() - start_time) / 60:.0f} min", flush=True)


if __name__ == "__main__":
    main()
