"""Measure times and memory, and write them to benchmarks/results: `make bench`.

    python -m benchmarks [SECTION ...]

Times are processor times, the best of several runs, unless the function of a section says otherwise. Exits with 1 if a
limit is exceeded.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import batch, decide, page, photos, rules, textures
from benchmarks.measurement import Measurement, describe_machine
from kdvision.errors import KdvisionError
from kdvision.files import write_atomically

RESULTS: Final = Path(__file__).with_name("results")
SECTIONS: Final[Mapping[str, Callable[[], Iterable[Measurement]]]] = {
    "rules": rules.measure_rules,
    "decide": decide.measure_decision,
    "stages": photos.measure_stages,
    "textures": textures.measure_textures,
    "memory": photos.measure_memory,
    "start": photos.measure_start,
    "batch": batch.measure_batch,
    "page": page.measure_page,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections named on the command line, by default all; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write SECTION.json")
    options = parser.parse_args(arguments)
    if unknown_names := [name for name in options.names if name not in SECTIONS]:
        parser.error(f"there is no section {', '.join(unknown_names)}; choose from {', '.join(SECTIONS)}")
    names = options.names or list(SECTIONS)
    if len(names) > 1:  # in processes of their own: some sections keep theirs on one core
        command = [sys.executable, "-m", "benchmarks", "--results", str(options.results)]
        return max((subprocess.run([*command, name], check=False).returncode for name in names), key=abs)
    try:
        return int(run_section(names[0], options.results))
    except KdvisionError as error:
        print(f"{error}: {error.hint}", file=sys.stderr)
        return error.exit_code


def run_section(name: str, results: Path) -> bool:
    """Print the measurements of a section and write its JSON; return whether a limit was exceeded."""
    print(name)
    measurements = []
    for measurement in SECTIONS[name]():
        print(f"  {measurement}", flush=True)
        measurements.append(measurement)
    if not measurements:
        print("  nothing can be measured here, so the earlier results stay")
        return False
    results.mkdir(parents=True, exist_ok=True)
    values = [measurement._asdict() | {"value": round(measurement.value, 4)} for measurement in measurements]
    text = json.dumps({"machine": describe_machine(), "measurements": values}, indent=1)
    write_atomically(results / f"{name}.json", f"{text}\n".encode())
    return any(measurement.exceeds_limit for measurement in measurements)


if __name__ == "__main__":
    sys.exit(main())
