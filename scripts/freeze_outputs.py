"""Freeze the JSON output of many pictures, to show that a refactoring changes no byte.

    python -m scripts.freeze_outputs before.json                     # in the tree before the change
    python -m scripts.freeze_outputs after.json --compare before.json

The pictures are the samples, damaged copies of them, rendered scenes and, if the data folder is there, its labelled
photos. Scenes are rendered once and kept in --work, so that both trees read the same files; compare on one machine,
because the networks round differently on other processors.
"""

import argparse
import contextlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from kdvision.evaluate.workers import map_in_processes
from kdvision.files import encode_image, write_atomically
from kdvision.lab.calibrate import scenes
from kdvision.lab.experiments.labelled import SETS

ROOT: Final = Path(os.path.relpath(Path(__file__).resolve().parents[1]))
"""The checkout, relative to the working folder, so that the outputs of two checkouts hold the same paths."""
FIRST_SEED: Final = 7_700_000
"""Seeds of the rendered scenes; training and calibration use others."""
DAMAGED_FILES: Final = 40


def read_json(path: Path) -> dict[str, object]:
    """Return exit code, output and messages of `kdvision score PATH --json`."""
    os.environ["KDVISION_THREADS"] = "1"
    from kdvision.cli import main

    out, errors, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            main(["score", str(path), "--json"])
        except SystemExit as error:
            code = int(error.code or 0)
    return {"code": code, "out": out.getvalue(), "messages": errors.getvalue()}


def make_damaged_files(folder: Path) -> Iterator[Path]:
    """Write truncated samples and samples with wrong bytes; yield their paths."""
    rng, samples = np.random.default_rng(5), sorted((ROOT / "samples").glob("*.jpg"))
    for number in range(DAMAGED_FILES):
        sample = samples[number % len(samples)]
        data = bytearray(sample.read_bytes())
        if number % 2:
            data = data[: int(len(data) * rng.uniform(0.05, 0.98))]
        else:
            for index in rng.integers(600, len(data), 3):
                data[index] ^= int(rng.integers(1, 255))
        path = folder / f"{number:02}-{sample.name}"
        write_atomically(path, bytes(data))
        yield path


def make_scenes(folder: Path, count: int, data: Path) -> Iterator[Path]:
    """Write rendered scenes as PNG, unless they are there; yield their paths."""
    for number in range(count):
        path = folder / f"{number:03}.png"
        if not path.is_file():
            write_atomically(path, encode_image(scenes.render_scene(data, FIRST_SEED + number).photo, ".png"))
        yield path


def list_pictures(work: Path, data: Path, scene_count: int) -> Iterator[Path]:
    """Yield all pictures; write the damaged files anew, and render the scenes that are missing."""
    for name in ("damaged", "scenes"):
        (work / name).mkdir(parents=True, exist_ok=True)
    yield from sorted((ROOT / "samples").glob("*.jpg"))
    yield from make_damaged_files(work / "damaged")
    if data.is_dir():
        yield from make_scenes(work / "scenes", scene_count, data)
        for name in SETS:
            yield from sorted((data / name).rglob("*.jpg"))


def compare_outputs(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """Return how many pictures differ, and their names; a picture that only one side has differs."""
    names = sorted(before.keys() | after.keys())
    differing_names = [name for name in names if before.get(name) != after.get(name)]
    return "\n".join([f"{len(differing_names)} of {len(names)} pictures differ", *differing_names])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, help="file for the frozen outputs")
    parser.add_argument("--compare", type=Path, help="frozen outputs of another tree")
    parser.add_argument("--work", type=Path, default=Path("out/frozen"), help="folder of the pictures")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the labelled photos")
    parser.add_argument("--scenes", type=int, default=200, help="rendered scenes")
    options = parser.parse_args()
    if options.compare and not options.compare.is_file():
        parser.error(f"there is no file {options.compare} to compare with")
    pictures = list(list_pictures(options.work, options.data, options.scenes))
    outputs = map_in_processes(read_json, pictures, workers=os.cpu_count() or 1)
    outputs_by_picture = dict(zip(map(str, pictures), outputs, strict=True))
    options.target.write_text(json.dumps(outputs_by_picture, indent=1, sort_keys=True), encoding="utf-8")
    if options.compare:
        print(compare_outputs(json.loads(options.compare.read_text(encoding="utf-8")), outputs_by_picture))


if __name__ == "__main__":
    main()
