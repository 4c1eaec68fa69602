"""What a process holds in memory, as the system counts it; 0 where it does not tell."""

from pathlib import Path
from typing import Final

STATUS: Final = Path("/proc/self/status")


def held_now() -> float:
    """Megabytes that this process holds for itself, files it has mapped left out."""
    return _megabytes("RssAnon:")


def peak_so_far(*, reset: bool = False) -> float:
    """Megabytes that this process has held at most, since the last reset where the system can forget."""
    if reset and STATUS.is_file():
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _megabytes("VmHWM:")


def _megabytes(name: str) -> float:
    if not STATUS.is_file():
        return 0.0
    lines = STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)
