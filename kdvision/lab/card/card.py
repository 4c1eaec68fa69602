"""Writes the model card models/README.md: `python -m kdvision.lab.card.card`.

The template `card.md.j2` holds the prose; figures come from the metadata of the model files and from models/results/.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from kdvision.files import write_atomically
from kdvision.lab.experiments.experiment import compute_model_digests
from kdvision.vision.networks.cells import OutputLayout
from kdvision.vision.networks.onnx import Model

Line = Mapping[str, str]
Table = Sequence[Line]

MEGABYTE: Final = 1_000_000
SETS: Final = {"photos": "photos", "boards": "straightened boards", "queendomino": "photos of Queendomino"}
"""The sets of labelled photos and their titles."""
TASKS: Final = {
    "detector": "square detector: where squares lie, how they are turned and how large they are",
    "cells": "cell classifier: what one square shows",
    "context": "context network: the terrain of each tile beside all other tiles of the photo",
}


@dataclass(frozen=True)
class Columns:
    """How the card shows a result: a row for each value of `by` with `sums`, from lines with `only` these values."""

    by: tuple[str, ...]
    sums: tuple[str, ...]
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


COLUMNS: Final[Mapping[str, Columns]] = {
    "stress": Columns(("corruption",), ("pictures", "exact", "silent_errors", "false_alarms")),
    "factors": Columns(
        ("art", "setting"),
        ("kingdoms", "found", "exact", "silent_errors", "false_alarms"),
        {"factor": ("all at random",)},
    ),
    "no_kingdom": Columns(("kind",), ("pictures", "invented", "silent_errors")),
    "occluders": Columns(("occluder",), ("kingdoms", "exact", "silent_errors"), {"set": ("photos", "boards")}),
    "pieces": Columns(("item",), ("there", "found", "extra")),
    "ablation": Columns(
        ("left_out",), ("exact", "silent_errors", "unflagged"), {"kept": ("yes",), "pictures": ("80",)}
    ),
}
"""The results that the card shows."""


@dataclass(frozen=True)
class ModelFile:
    """One model file: its name, metadata, size in bytes, and (name, type, shape) of its inputs and outputs."""

    name: str
    metadata: Mapping[str, Any]
    size: int
    inputs: Sequence[tuple[str, str, Sequence[int | str]]]
    outputs: Sequence[tuple[str, str, Sequence[int | str]]]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of its training."""
        settings: Mapping[str, Any] = self.metadata.get("settings", {})
        return settings


def write_card(models: Path) -> None:
    """Write README.md and results/training.csv into the folder of the models."""
    files = load_model_files(models)
    write_atomically(models / "results" / "training.csv", format_training(files).encode())
    write_atomically(models / "README.md", format_card(files, load_results(models)).encode())


def load_model_files(models: Path) -> list[ModelFile]:
    """Return the model files of a folder; raises ModelError for a file that is not one of ours."""
    files = []
    for path in sorted(models.glob("*.onnx")):
        model = Model(path)
        inputs, outputs = (
            [(node.name, node.type, _plain_shape(node.shape)) for node in nodes]
            for nodes in (model.session.get_inputs(), model.session.get_outputs())
        )
        files.append(ModelFile(path.stem, model.metadata, path.stat().st_size, inputs, outputs))
    return files


def _plain_shape(shape: Sequence[int | str]) -> list[int | str]:
    """Return a shape without the names that the exporter makes up for sizes that follow from others."""
    return [size if isinstance(size, int) or "_" not in size else "…" for size in shape]


@dataclass(frozen=True)
class Results:
    """What lies in models/results/: tables and descriptions by name, and the names of the plots."""

    tables: Mapping[str, Table]
    descriptions: Mapping[str, Mapping[str, Any]]
    plots: Sequence[str]


def load_results(models: Path) -> Results:
    """Return the results beside the models."""
    folder = models / "results"
    tables: dict[str, Table] = {}
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.stem] = list(csv.DictReader(file))
    descriptions = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    return Results(tables, descriptions, sorted(path.stem for path in folder.glob("*.svg")))


def format_card(files: Sequence[ModelFile], results: Results) -> str:
    """Return the text of the model card."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the card is Markdown
    )
    return environment.get_template("card.md.j2").render(
        files={file.name: file for file in files},
        networks=format_table(
            ("file", "what it does", "size", "seed", "training, two cores"), map(_network_row, files)
        ),
        interfaces=format_table(
            ("file", "", "name", "type", "shape"), [row for f in files for row in _interface_rows(f)]
        ),
        cell_columns=describe_cell_columns(next(file for file in files if file.name == "cells")),
        tables={name: _format_result(name, table) for name, table in results.tables.items() if name in COLUMNS},
        photos=format_photos(results.tables),
        descriptions=results.descriptions,
        plots=results.plots,
        names=sorted(results.tables),
        outdated=list_outdated(results),
    )


def _network_row(file: ModelFile) -> tuple[object, ...]:
    minutes = file.settings.get("minutes")
    duration = f"{minutes:.0f} min" if minutes else ""
    return (
        f"`{file.name}.onnx`",
        TASKS[file.name],
        f"{file.size / MEGABYTE:.2f} MB",
        file.settings.get("seed"),
        duration,
    )


def _interface_rows(file: ModelFile) -> list[tuple[str, ...]]:
    return [
        (f"`{file.name}`", kind, f"`{name}`", tensor.removeprefix("tensor"), f"({', '.join(map(str, shape))})")
        for kind, nodes in (("input", file.inputs), ("output", file.outputs))
        for name, tensor, shape in nodes
    ]


def format_training(files: Sequence[ModelFile]) -> str:
    """Return settings, held-out errors and temperatures of all networks, as CSV."""
    lines = ["network,group,quantity,value"]
    for file in files:
        for group in ("settings", "held_out", "temperatures", "tile_errors"):
            for name, value in file.metadata.get(group, {}).items():
                lines.append(f"{file.name},{group},{name},{f'{value:.4g}' if isinstance(value, float) else value}")
    return "\n".join([*lines, ""])


def format_photos(tables: Mapping[str, Table]) -> str:
    """Return the table of all labelled photos: one row a set, and one for all corruptions of the photos."""
    sets = [(title, select(tables["photos"], set=name)) for name, title in SETS.items()]
    rows = [(title, lines) for title, lines in [*sets, ("photos under corruptions", tables["stress"])] if lines]
    head = ("set", "pictures", "exact", "silent errors", "false alarms", "coverage", "invented kingdoms")
    return format_table(head, [(title, *_selective_counts(lines)) for title, lines in rows])


def _selective_counts(lines: Table, total: str = "pictures") -> tuple[object, ...]:
    counts = [sum_column(lines, name) for name in (total, "exact", "silent_errors", "false_alarms")]
    coverage = format_share(sum_column(lines, "unflagged"), counts[0])
    return (*counts, coverage, sum_column(lines, "invented"))


def _format_result(name: str, table: Table) -> str:
    """Return the table of one experiment: the lines that are equal in its first columns are added up."""
    columns = COLUMNS[name]
    lines = [line for line in table if all(line[key] in values for key, values in columns.only.items())]
    groups = dict.fromkeys(tuple(line[key] for key in columns.by) for line in lines)
    rows = []
    for group in groups:
        mine = [line for line in lines if tuple(line[key] for key in columns.by) == group]
        rows.append((*group, *(sum_column(mine, column) for column in columns.sums)))
    head = [name.replace("_", " ") for name in (*columns.by, *columns.sums)]
    return format_table(head, rows)


def list_outdated(results: Results) -> list[str]:
    """Return the names of results that were measured with other model files than the shipped ones."""
    shipped = compute_model_digests()
    return [name for name, about in results.descriptions.items() if "models" in about and about["models"] != shipped]


def describe_cell_columns(file: ModelFile) -> str:
    """Return which columns of the cell network's output belong to which head."""
    layout = OutputLayout(len(file.metadata["kinds"]) - 1, tuple(file.metadata.get("pieces", ())))
    heads = {
        "kind of tile (logits)": layout.kind,
        "a tile or none (log-odds)": slice(layout.presence, layout.presence + 1),
        "hidden (log-odds)": slice(layout.occlusion, layout.occlusion + 1),
        "other half right, below, left, above (logits)": layout.partner,
        "piece (logits)": layout.piece,
        "gem on each corner, clockwise from top left (log-odds)": layout.gem,
    }
    return "; ".join(f"{_format_columns(part)} {name}" for name, part in heads.items() if part.stop > part.start)


def _format_columns(columns: slice) -> str:
    return f"{columns.start}" if columns.stop == columns.start + 1 else f"{columns.start}–{columns.stop - 1}"


def format_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; None is an empty cell."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join('' if cell is None else str(cell) for cell in line)} |" for line in lines)


def select(table: Table, **values: object) -> list[Line]:
    """Return the lines that have these values in these columns."""
    return [line for line in table if all(line[name] == str(value) for name, value in values.items())]


def sum_column(lines: Iterable[Line], name: str) -> int:
    """Return the sum of a column; empty cells count as zero."""
    return sum(int(line[name] or 0) for line in lines)


def format_share(part: int, whole: int) -> str:
    """Return a share in per cent; empty where there is nothing."""
    return f"{100 * part / whole:.1f} %" if whole else ""


def main() -> None:
    """Write the card of the models in this checkout."""
    write_card(Path("models"))
    print("wrote models/README.md")


if __name__ == "__main__":
    main()
