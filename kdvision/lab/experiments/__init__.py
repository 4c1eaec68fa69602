"""Experiments that measure the shipped models: `python -m kdvision.lab.experiments` writes models/results/."""
