"""Measurements, the clock, and a description of the machine."""

import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

INT8_INSTRUCTIONS: Final = {"avx512_vnni", "avx_vnni", "asimddp", "i8mm"}
"""Dot products of bytes, as Linux names them; two for x86, two for ARM."""


class Measurement(NamedTuple):
    """A value in a unit, and its largest allowed value, None if there is no limit.

    `ratio` compares a time with the decoding of a 12-megapixel JPEG on the same machine, or of the photo itself. It
    depends on the machine much less than the time does.
    """

    name: str
    value: float
    unit: str = "ms"
    limit: float | None = None
    ratio: float | None = None

    @property
    def exceeds_limit(self) -> bool:
        return self.limit is not None and self.value > self.limit

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:9.3f} x"
        limit = "" if self.limit is None else f"   at most {self.limit:.4g} {self.unit}"
        mark = "  EXCEEDED" if self.exceeds_limit else ""
        return f"{self.name:<56}{self.value:10.3f} {self.unit}{ratio}{limit}{mark}"


def time_call(call: Callable[[], object]) -> float:
    """Return the processor time of a call in milliseconds: other work on the machine does not count."""
    start = time.process_time()
    call()
    return 1000 * (time.process_time() - start)


def time_best(call: Callable[[], object]) -> float:
    """Return the processor time of a call in milliseconds, the best of five runs."""
    return min(time_call(call) for _ in range(5))


def time_in_turns(calls: Mapping[str, Callable[[], object]], *, runs: int = 7) -> dict[str, float]:
    """Return the best time of each call; the calls take turns, so that they share the machine's slow moments."""
    rounds = [{name: time_call(call) for name, call in calls.items()} for _ in range(runs)]
    return {name: min(times[name] for times in rounds) for name in calls}


def describe_machine() -> dict[str, Any]:
    """Return what times depend on: the networks run in eight bits, which some processors have instructions for."""
    return {
        "processor": get_processor(),
        "int8_instructions": sorted(INT8_INSTRUCTIONS & set(read_cpu_info("flags", "Features").split())),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def get_processor() -> str:
    return read_cpu_info("model name") or platform.processor() or platform.machine()


def read_cpu_info(*names: str) -> str:
    """Return the first entry of /proc/cpuinfo with one of these names; it is empty where there is none."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    entries = (line.partition(":")[::2] for line in lines)
    return next((value.strip() for name, value in entries if name.strip() in names), "")
