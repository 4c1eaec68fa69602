"""The training command; see the package's docstring."""

import argparse
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import kdvision.lab.train
from kdvision.lab.train.context import train_context
from kdvision.lab.train.image_networks import train_cells, train_detector
from kdvision.lab.train.player_colour import train_player_colour
from kdvision.lab.train.quantise import quantise_networks
from kdvision.lab.train.run import Run


@dataclass(frozen=True)
class Step:
    """One step of the training, and its duration on two idle cores."""

    execute: Callable[[Run], None]
    duration: str


STEPS: Final[Mapping[str, Step]] = {
    "detector": Step(train_detector, "1.1 h to render, 1.6 h to train"),
    "cells": Step(train_cells, "0.2 h to render, 1.9 h to train"),
    "quantise": Step(quantise_networks, "5 min"),
    "context": Step(train_context, "1.5 h to render and read, 5 min to train"),
    "player-colour": Step(train_player_colour, "4 min"),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m kdvision.lab.train",
        description=kdvision.lab.train.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"{', '.join(STEPS)}; all of them by default")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the training pictures")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder of the networks")
    parser.add_argument("--work", type=Path, default=Path(".work"), help="folder of rendered scenes, kept for reuse")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="parallel processes")
    options = vars(parser.parse_args())
    steps = options.pop("steps") or list(STEPS)
    if unknown := [name for name in steps if name not in STEPS]:
        parser.error(f"unknown step {unknown[0]!r}: choose from {', '.join(STEPS)}")
    run = Run(**options)
    run.work.mkdir(parents=True, exist_ok=True)
    os.environ["KDVISION_MODELS"] = str(run.models)  # for the runtime and the worker processes
    for number, name in enumerate(steps, 1):
        print(f"step {number} of {len(steps)}, {name}: {STEPS[name].duration} on two cores", flush=True)
        started = time.monotonic()
        STEPS[name].execute(run)
        print(f"{name} took {(time.monotonic() - started) / 60:.0f} min", flush=True)


if __name__ == "__main__":
    main()
