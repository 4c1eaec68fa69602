"""Freeze the JSON output of many pictures, to show that a refactoring changes no byte.

    python -m scripts.freeze_outputs before.json                     # in the tree before the change
    python -m scripts.freeze_outputs after.json --compare before.json

The pictures are the samples, damaged copies of them, rendered scenes and, if the data folder is there, its labelled
photos. Pictures are made once and kept in --work, so that both trees read the same files; compare on one machine,
because the networks round differently on other processors.
"""

import argparse
import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from kdvision.evaluate.workers import map_in_processes
from kdvision.lab.experiments.labelled import SETS

ROOT: Final = Path(__file__).resolve().parents[1]
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
        except SystemExit as ended:
            code = int(ended.code or 0)
    return {"code": code, "out": out.getvalue(), "messages": errors.getvalue()}


def make_damaged(folder: Path) -> None:
    """Write truncated samples and samples with wrong bytes."""
    rng, samples = np.random.default_rng(5), sorted((ROOT / "samples").glob("*.jpg"))
    for number in range(DAMAGED_FILES):
        sample = samples[number % len(samples)]
        data = bytearray(sample.read_bytes())
        if number % 2:
            data = data[: int(len(data) * rng.uniform(0.05, 0.98))]
        else:
            for index in rng.integers(600, len(data), 3):
                data[index] ^= int(rng.integers(1, 255))
        (folder / f"{number:02}-{sample.name}").write_bytes(bytes(data))


def make_scenes(folder: Path, count: int, data: Path) -> None:
    """Write rendered scenes as PNG."""
    from PIL import Image

    from kdvision.lab.calibrate.scenes import render_scene

    for number in range(count):
        picture, _ = render_scene(data, FIRST_SEED + number)
        Image.fromarray(picture.photo).save(folder / f"{number:03}.png")


def list_pictures(work: Path, data: Path, scenes: int) -> Iterator[Path]:
    """Yield all pictures; damaged files and scenes are made if their folders do not exist."""
    yield from sorted((ROOT / "samples").glob("*.jpg"))
    if not (work / "damaged").is_dir():
        (work / "damaged").mkdir(parents=True)
        make_damaged(work / "damaged")
    yield from sorted((work / "damaged").iterdir())
    if data.is_dir():
        if not (work / "scenes").is_dir():
            (work / "scenes").mkdir(parents=True)
            make_scenes(work / "scenes", scenes, data)
        yield from sorted((work / "scenes").iterdir())
        for name in SETS:
            yield from sorted((data / name).rglob("*.jpg"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, help="file for the frozen outputs")
    parser.add_argument("--compare", type=Path, help="frozen outputs of another tree")
    parser.add_argument("--work", type=Path, default=Path("out/frozen"), help="folder of the pictures")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the labelled photos")
    parser.add_argument("--scenes", type=int, default=200, help="rendered scenes")
    given = parser.parse_args()
    pictures = list(list_pictures(given.work, given.data, given.scenes))
    outputs = map_in_processes(read_json, pictures, workers=os.cpu_count() or 1)
    frozen = dict(zip(map(str, pictures), outputs, strict=True))
    given.target.write_text(json.dumps(frozen, indent=1, sort_keys=True), encoding="utf-8")
    if given.compare:
        before = json.loads(given.compare.read_text(encoding="utf-8"))
        different = [name for name in frozen if name in before and before[name] != frozen[name]]
        print(f"{len(different)} of {len(frozen)} pictures differ", *different, sep="\n")


if __name__ == "__main__":
    main()
