"""What every step of a training run gets."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """The options of one training run: folders, and the number of parallel processes."""

    data: Path
    models: Path
    work: Path
    workers: int
