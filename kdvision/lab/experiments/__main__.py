"""Run experiments and write models/results/, its plots and the model card.

    python -m kdvision.lab.experiments [NAME ...]

Without names, all experiments run. A run that was interrupted goes on where it stopped. With --quick, a fixed part of
the cases is read in about two minutes and written to out/results-quick. Another --seed, and other networks that
KDVISION_MODELS names, write to out/results-seedN. models/results and the card stay as they are then.
"""

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from kdvision.lab.card.card import write_card
from kdvision.lab.card.plots import write_plots
from kdvision.lab.experiments import ablation, factors, labelled, no_kingdom, occluders, pieces
from kdvision.lab.experiments.experiment import Experiment, Row, run
from kdvision.lab.run import make_parser, parse_count, parse_options
from kdvision.text import align_columns

EXPERIMENTS: Final[dict[str, Experiment]] = {
    experiment.name: experiment
    for experiment in (
        *(labelled.PHOTOS, labelled.STRESS),
        *(module.EXPERIMENT for module in (factors, no_kingdom, occluders, pieces, ablation)),
    )
}
"""All experiments, in the order in which they run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiments named on the command line; return the exit code."""
    parser = make_parser("kdvision.lab.experiments", __doc__, work="out/experiments")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--quick", action="store_true", help="read a fixed part of the cases; --data may be missing")
    seed = partial(parse_count, minimum=0)
    parser.add_argument("--seed", type=seed, default=0, help="other scenes and other corruptions (default: 0)")
    parser.add_argument("--results", type=Path, help="where to write the results")
    options = parse_options(parser, arguments)
    if unknown := [name for name in options.names if name not in EXPERIMENTS]:
        parser.error(f"there is no experiment {', '.join(unknown)}; choose from {', '.join(EXPERIMENTS)}")
    run_name = "quick" if options.quick else f"seed{options.seed}"
    is_shipped = run_name == "seed0" and not os.environ.get("KDVISION_MODELS")
    results = options.results or Path("models/results" if is_shipped else f"out/results-{run_name}")
    for name in options.names or EXPERIMENTS:
        print(f"\n{name}: {EXPERIMENTS[name].question}", flush=True)
        summary = run(
            EXPERIMENTS[name],
            results=results,
            work=options.work / run_name,
            data=options.data,
            seed=options.seed,
            is_quick=options.quick,
            workers=options.workers,
        )
        print(format_summary(summary))
    if results == Path("models/results"):
        write_plots(results)
        write_card(results.parent)
    return 0


def format_summary(summary: Sequence[Row]) -> str:
    if not summary:
        return "no cases: is the data folder there?"
    lines = [[str(value) for value in line] for line in (summary[0], *(row.values() for row in summary))]
    return "\n".join(align_columns(lines, gap="  "))


if __name__ == "__main__":
    sys.exit(main())
