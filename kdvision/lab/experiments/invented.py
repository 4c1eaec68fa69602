"""How many kingdoms are seen where none lies: `python -m kdvision.lab.experiments.invented` writes models/results/invented.csv.

Rendered tables with clutter only, rendered tables with loose dominoes (the line on offer, some scattered), and the
photographed surfaces of a data folder where it is there. Not one should show a kingdom. A run that was broken off goes
on where it stopped; rows of other models are measured again.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from kdvision.errors import ModelError, NoKingdomFound
from kdvision.evaluate.summary import aligned, interval
from kdvision.evaluate.workers import completed
from kdvision.files import encode_image, write_atomically
from kdvision.lab.experiments.dials import BOXES, fingerprint
from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, DrawnSceneArt, get_drawn_box
from kdvision.lab.render.scene_factors import SceneFactors, make_rng
from kdvision.vision.image.photo import Photo

HEAPS: Final[Mapping[str, Sequence[str]]] = {
    "clutter": ("backs", "men", "things", "slips"),
    "loose dominoes": ("offer", "scatter", "men", "backs"),
}
"""What lies on the rendered tables of each kind."""
SURFACES: Final = "surfaces"
"""What photographed surfaces are called."""
HEAD: Final = ("kind", "picture", "models", "kingdoms", "flagged", "error")


@dataclass(frozen=True)
class Nothing:
    """A picture without a kingdom: its kind, and its number or its file."""

    kind: str
    picture: str

    def photo(self) -> Photo:
        """Return it rendered or opened."""
        if self.kind == SURFACES:
            return Photo.open(Path(self.picture))
        number = int(self.picture)
        art = DrawnSceneArt(get_drawn_box(TRAINING_BOX_COUNT + number % BOXES))
        heaps = HEAPS[self.kind]
        return Photo.open(stage(number).picture(number, art, heaps=heaps).photo)


@dataclass(frozen=True)
class Row:
    """What was read of one: kingdoms, how many of them with a warning, and the error unless it was NoKingdomFound."""

    kind: str
    picture: str
    models: str
    kingdoms: int
    flagged: int
    error: str = ""


def stage(number: int) -> SceneFactors:
    """Return a table without a kingdom, everything else as photos come."""
    rng = make_rng(number, "nothing")
    return replace(
        SceneFactors(kingdoms=0, clutter=4),
        angle=float(rng.uniform(0, 60)),
        pixels=float(np.exp(rng.uniform(np.log(24), np.log(96)))),
        fill=float(rng.uniform(0.4, 0.95)),
        light=float(rng.beta(1.0, 2.2)),
        glare=float(rng.beta(1.0, 2.2)),
    )


def read(nothing: Nothing, *, models: str) -> Row:
    """Read one picture through the program that people use; a crash is a row too."""
    from kdvision import pipeline

    reads, error = list[pipeline.KingdomReading](), ""
    try:
        reads = pipeline.read(nothing.photo())
    except ModelError:
        raise  # the others would do no better
    except NoKingdomFound:
        pass
    except Exception as failure:  # noqa: BLE001 - a crash is a row too: the others go on
        error = f"{type(failure).__name__}: {failure}"
    name = Path(nothing.picture).name
    return Row(nothing.kind, name, models, len(reads), sum(read.review for read in reads), error)


def as_csv(rows: Iterable[Row]) -> str:
    """The rows as a table for other programs."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows((r.kind, r.picture, r.models, r.kingdoms, r.flagged, r.error) for r in rows)
    return out.getvalue()


def rows_of(text: str) -> list[Row]:
    """The rows that `as_csv` wrote; raises ValueError where the columns are others."""
    table = csv.DictReader(io.StringIO(text))
    if tuple(table.fieldnames or ()) != HEAD:
        raise ValueError(f"this table has the columns {', '.join(HEAD)}, not {table.fieldnames}")
    return [Row(r["kind"], r["picture"], r["models"], int(r["kingdoms"]), int(r["flagged"]), r["error"]) for r in table]


def measure(
    pictures: Iterable[Nothing],
    path: Path,
    models: str,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Row]:
    """Return the rows of the pictures, in their order, reading those that the file lacks; it is kept up to date."""
    work = {(nothing.kind, Path(nothing.picture).name): nothing for nothing in pictures}
    rows = rows_of(path.read_text(encoding="utf-8")) if path.is_file() else []
    known = {(row.kind, row.picture): row for row in rows if row.models == models}

    def save(made: Mapping[tuple[str, str], Row]) -> None:
        write_atomically(path, as_csv(made.values()).encode())

    made = completed(partial(read, models=models), work, known, save=save, workers=workers, progress=progress)
    return [made[key] for key in work]


def summary(rows: Sequence[Row]) -> str:
    """A line for each kind of picture: how many, kingdoms invented in how many, the share's upper limit."""
    lines = [("no kingdom lies among", "pictures", "with one read", "at most, %", "without a warning", "errors")]
    for kind in dict.fromkeys(row.kind for row in rows):
        mine = [row for row in rows if row.kind == kind]
        wrong = sum(row.kingdoms > 0 for row in mine)
        silent = sum(row.kingdoms > row.flagged for row in mine)
        errors = sum(bool(row.error) for row in mine)
        most = f"{100 * interval(wrong, len(mine))[1]:.1f}"
        lines.append((kind, str(len(mine)), str(wrong), most, str(silent), str(errors)))
    return aligned(lines)


def _say(done: int, of: int) -> None:
    if done % 20 == 0 or done == of:
        print(f"{done} of {of} pictures", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("models/results/invented.csv"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="holds tiles/not_tile/*.jpg")
    parser.add_argument("--scenes", type=int, default=300, help="rendered tables of each kind")
    parser.add_argument("--surfaces", type=int, default=1200, help="photographed surfaces at most")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--show", type=Path, metavar="DIR", help="write the rendered tables here instead")
    given = parser.parse_args()
    wanted = [Nothing(kind, str(number)) for kind in HEAPS for number in range(given.scenes)]
    if given.show:
        given.show.mkdir(parents=True, exist_ok=True)
        for each in wanted:
            write_atomically(given.show / f"{each.kind}-{each.picture}.jpg", encode_image(each.photo().pixels, ".jpg"))
        return
    surfaces = sorted((given.data / "tiles" / "not_tile").glob("*.jpg"))[: given.surfaces]
    wanted += [Nothing(SURFACES, str(path)) for path in surfaces]
    print(summary(measure(wanted, given.out, fingerprint(), workers=given.workers, progress=_say)))


if __name__ == "__main__":
    main()
