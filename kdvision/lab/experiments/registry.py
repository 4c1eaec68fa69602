"""All experiments, in the order in which they run."""

from typing import Final

from kdvision.lab.experiments import ablation, factors, labelled, no_kingdom, occluders, pieces
from kdvision.lab.experiments.experiment import Experiment

EXPERIMENTS: Final[dict[str, Experiment]] = {
    experiment.name: experiment
    for experiment in (
        labelled.PHOTOS,
        labelled.STRESS,
        factors.EXPERIMENT,
        no_kingdom.EXPERIMENT,
        occluders.EXPERIMENT,
        pieces.EXPERIMENT,
        ablation.EXPERIMENT,
    )
}
