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

STEPS: Final[Mapping[str, tuple[Callable[[TrainingRun], None], str]]] = {
    "detector": (train_detector, "1.3 h to render, 1.6 h to train"),
    "cells": (train_cells, "0.3 h to render, 4.4 h to train"),
    "quantise": (quantise_networks, "5 min"),
    "context": (train_context, "1.5 h to render and read, 5 min to train"),
    "player-colour": (train_player_colour, "4 min"),
}
"""The steps of the training, each with its duration on two idle cores."""


def main() -> None:
    parser = make_parser("kdvision.lab.train", kdvision.lab.train.__doc__, work=".work")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"{', '.join(STEPS)}; all of them by default")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the networks")
    parser.add_argument(
        "--continue",
        dest="continued",
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
        train, duration = STEPS[name]
        print(f"step {number} of {len(steps)}, {name}: {duration} on two cores", flush=True)
        start_time = time.monotonic()
        train(run)
        print(f"{name} took {(time.monotonic() - start_time) / 60:.0f} min", flush=True)


if __name__ == "__main__":
    main()
