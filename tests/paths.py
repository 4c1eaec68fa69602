"""Where the checkout, its samples and the shared pictures lie."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SAMPLES: Final = ROOT / "samples"
MODELS: Final = ROOT / "models"
SHARED: Final = ROOT.parent / "shared"
