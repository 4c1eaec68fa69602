"""The memory of this process as Linux counts it; 0 on other systems."""

from pathlib import Path
from typing import Final

STATUS: Final = Path("/proc/self/status")


def get_private_megabytes() -> float:
    """Return the memory that this process has for itself; mapped files do not count."""
    return _read_megabytes("RssAnon:")


def get_peak_megabytes(*, reset: bool = False) -> float:
    """Return the largest memory of this process so far; with `reset`, start counting anew."""
    if reset and STATUS.is_file():
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _read_megabytes("VmHWM:")


def _read_megabytes(name: str) -> float:
    if not STATUS.is_file():
        return 0.0
    lines = STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)
