"""What the commands of the lab share: folders, the number of processes, the options for them, a digest of the code."""

import argparse
import hashlib
import os
import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Final, TypeVar

import kdvision
from kdvision.evaluate.workers import map_in_processes
from kdvision.files import write_atomically

Item = TypeVar("Item")
Result = TypeVar("Result")

PACKAGE: Final = Path(kdvision.__file__).resolve().parent
SCENE_FILES: Final = (
    *("game/**/*", "vision/**/*", "evaluate/corruptions/*", "lab/games/*", "lab/render/**/*"),
    *("lab/calibrate/scenes.py", "lab/train/context.py", "lab/train/examples.py"),
    *("lab/train/crop_folder.py", "lab/train/mislabelled_crops.json"),
)
"""The code and the data that rendered scenes, examples cut from them and observations of them depend on."""
SAVED_TOGETHER: Final = 250
"""Results of `Run.map_saved` in one file."""


@dataclass(frozen=True)
class Run:
    """The options of one run of training or calibration: folders, and the number of parallel processes."""

    data: Path
    models: Path
    work: Path
    workers: int

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        return list(map_in_processes(function, items, workers=self.workers))

    def map_saved(self, function: Callable[[Item], Result], items: Sequence[Item], folder: Path) -> list[Result]:
        """Return the function's results; they are saved in a folder in parts, and read from there the next time.

        An interrupted run continues after the last part.
        """
        folder.mkdir(parents=True, exist_ok=True)
        parts = [items[start : start + SAVED_TOGETHER] for start in range(0, len(items), SAVED_TOGETHER)]
        paths = {folder / f"{n}-{len(part)}.pickle": part for n, part in enumerate(parts)}
        missing_parts = {path: part for path, part in paths.items() if not path.is_file()}
        results = map_in_processes(function, chain.from_iterable(missing_parts.values()), workers=self.workers)
        for path, part in missing_parts.items():
            write_atomically(path, pickle.dumps([*islice(results, len(part))]))
            print(f"saved {path}, one of {len(parts)}", flush=True)
        return [result for path in paths for result in pickle.loads(path.read_bytes())]


def make_parser(package: str, doc: str | None, *, work: str) -> argparse.ArgumentParser:
    """Return a parser with the options --data, --work and --workers; `work` is the default of the second."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {package}", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="labelled photos, tile pictures")
    parser.add_argument("--work", type=Path, default=Path(work), help="folder of what is kept for the next run")
    parser.add_argument("--workers", type=parse_count, default=os.cpu_count() or 1, help="parallel processes")
    return parser


def parse_count(text: str, *, minimum: int = 1) -> int:
    """Return the number that the value of an option gives; raises ArgumentTypeError below the minimum."""
    if not text.isdecimal() or int(text) < minimum:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least {minimum}")
    return int(text)


def parse_options(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `work` becomes a folder for these data, since what the work folder keeps depends on them."""
    options = parser.parse_args(arguments)
    if not options.data.is_dir() and not vars(options).get("quick"):
        parser.error(f"there is no data folder {options.data}: name it with --data")
    options.work /= digest_folder(options.data)[:12]
    return options


def use_models(folder: Path) -> None:
    """Let the runtime and the worker processes read the networks of this folder."""
    os.environ["KDVISION_MODELS"] = str(folder)


def digest_folder(folder: Path) -> str:
    """Return a digest of the names, sizes and times of the files below a folder."""
    files = [(path.relative_to(folder), path.stat()) for path in sorted(folder.rglob("*")) if path.is_file()]
    return hashlib.sha256(
        repr([(name, status.st_size, status.st_mtime_ns) for name, status in files]).encode()
    ).hexdigest()


def digest_package(*patterns: str) -> str:
    """Return a digest of the code and the data files of the package that match one of these patterns."""
    paths = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    files = sorted(path for path in paths if path.suffix in (".py", ".toml", ".json"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
