"""Writes the model card models/README.md and the figures in the README: `python -m kdvision.lab.card.card`.

The template `card.md.j2` holds the prose and says which columns each table has; figures come from the metadata of the
model files and from models/results/.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from kdvision import text
from kdvision.files import write_atomically
from kdvision.lab.experiments.experiment import add_up, compute_model_digests, read_csv
from kdvision.lab.experiments.labelled import SETS
from kdvision.vision.networks.cells import locate_heads
from kdvision.vision.networks.onnx import Model

Table = Sequence[Mapping[str, str]]
Descriptions = Mapping[str, Mapping[str, Any]]

FIGURES_START: Final = (
    "<!-- figures: written by `python -m kdvision.lab.card.card` from models/results; do not edit by hand -->\n"
)
FIGURES_END: Final = "<!-- end of figures -->"


def write_card(models: Path) -> None:
    """Write README.md and results/training.csv into the folder of the models, and the figures into the README above."""
    write_atomically(models / "results" / "training.csv", format_training(load_metadata(models)).encode())
    write_atomically(models / "README.md", format_card(models).encode())
    readme = models.parent / "README.md"
    write_atomically(readme, insert_figures(readme.read_text(encoding="utf-8"), load_tables(models)).encode())


def load_metadata(models: Path) -> dict[str, Mapping[str, Any]]:
    """Return the metadata of each network in a folder; raises ModelError for a file that is not one of ours."""
    return {path.stem: Model(path).metadata for path in sorted(models.glob("*.onnx"))}


def load_tables(models: Path) -> dict[str, Table]:
    """Return the tables in models/results/ by name."""
    return {path.stem: read_csv(path) for path in sorted(models.glob("results/*.csv"))}


def load_descriptions(models: Path) -> Descriptions:
    """Return how each result in models/results/ was made, by name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(models.glob("results/*.json"))}


def format_card(models: Path) -> str:
    """Return the card of the networks in a folder and of the results in its results/."""
    metadata, tables = load_metadata(models), load_tables(models)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the card is Markdown
    )
    return environment.get_template("card.md.j2").render(
        metadata=metadata,
        sizes={name: (models / f"{name}.onnx").stat().st_size for name in metadata},
        nodes=[node for name in metadata for node in list_nodes(models / f"{name}.onnx")],
        cell_columns=describe_cell_columns(metadata["cells"]),
        photos=format_photos(tables),
        table=partial(format_result, tables),
        outdated=list_outdated(load_descriptions(models), models),
    )


def list_nodes(path: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the network's name, "input" or "output", and name, type and shape of each input and output."""
    session = Model(path).session
    for kind, nodes in (("input", session.get_inputs()), ("output", session.get_outputs())):
        for node in nodes:
            # The exporter makes up names, with an underscore, for sizes that follow from others.
            shape = ["…" if "_" in str(size) else str(size) for size in node.shape]
            yield path.stem, kind, node.name, node.type.removeprefix("tensor"), ", ".join(shape)


def format_training(metadata: Mapping[str, Mapping[str, Any]]) -> str:
    """Return settings, held-out errors and temperatures of all networks, as CSV."""
    rows = (
        (network, group, name, f"{value:.4g}" if isinstance(value, float) else value)
        for network, entries in metadata.items()
        for group in ("settings", "held_out", "temperatures", "tile_errors")
        for name, value in entries.get(group, {}).items()
    )
    return text.format_csv(("network", "group", "quantity", "value"), rows)


def format_photos(tables: Mapping[str, Table]) -> str:
    """Return the table of all labelled photos: one row a set, and two for ordinary and adversarial corruptions."""
    sums = ("pictures", "exact", "silent_errors", "false_alarms", "unflagged", "invented")
    groups = [(title, [line for line in tables["photos"] if line["set"] == name]) for name, title in SETS.items()]
    for title, adversarial in (("photos under corruptions", False), ("photos cut, covered or altered", True)):
        lines = [line for line in tables["stress"] if line["family"].endswith("(adversarial)") == adversarial]
        groups.append((title, lines))
    rows = []
    for title, lines in groups:
        for total in add_up(lines, (), sums).values():
            coverage = f"{100 * total['unflagged'] / total['pictures']:.1f} %"
            rows.append((title, *(total[name] for name in sums[:4]), coverage, total["invented"]))
    head = ("set", "pictures", "exact", "silent errors", "false alarms", "coverage", "invented kingdoms")
    return format_table(head, rows)


def insert_figures(readme: str, tables: Mapping[str, Table]) -> str:
    """Return the README with the table of labelled photos between its two marker comments."""
    introduction, remainder = readme.split(FIGURES_START)
    return f"{introduction}{FIGURES_START}{format_photos(tables)}\n{FIGURES_END}{remainder.split(FIGURES_END)[1]}"


def format_result(
    tables: Mapping[str, Table], name: str, by: Sequence[str], sums: Sequence[str], **column_values: Sequence[str]
) -> str:
    """Return a result as a table: the sums of columns by the values of others; `column_values` selects rows."""
    lines = [line for line in tables[name] if all(line[key] in values for key, values in column_values.items())]
    rows = [(*group, *total.values()) for group, total in add_up(lines, by, sums).items()]
    return format_table([name.replace("_", " ") for name in (*by, *sums)], rows)


def list_outdated(descriptions: Descriptions, models: Path) -> list[str]:
    """Return the names of results that were measured with other model files than those of a folder."""
    digests = compute_model_digests(models)
    return [
        name
        for name, description in descriptions.items()
        if "models" in description and description["models"] != digests
    ]


def describe_cell_columns(metadata: Mapping[str, Any]) -> str:
    """Return which columns of the cell network's output belong to which head."""
    heads = locate_heads(len(metadata["kinds"]) - 1, len(metadata.get("pieces", ())))
    names = (
        "kind of tile (logits)",
        "a tile or none (log-odds)",
        "hidden (log-odds)",
        "other half right, below, left, above (logits)",
        "piece (logits)",
        "gem on each corner, clockwise from top left (log-odds)",
    )
    columns = []
    for head, name in zip(heads.values(), names, strict=True):
        numbers = f"{head.start}" if head.stop == head.start + 1 else f"{head.start}–{head.stop - 1}"
        columns += [f"{numbers} {name}"] if head.stop > head.start else []
    return "; ".join(columns)


def format_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in (head, ["---"] * len(head), *rows))


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    write_card(Path("models"))
    print("wrote models/README.md and the figures in README.md")
