"""The model card, wholly from what the runs left: `python -m kdvision.lab.card.card` writes models/README.md.

Its sources are what the model files say of themselves, the results of `kdvision evaluate --csv` as
`models/results/SET-seedN.csv`, and the training's own output as `models/results/NETWORK-seedN.log`.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kdvision.evaluate.summary import COLUMNS, Row, rows_of
from kdvision.files import write_atomically
from kdvision.lab.card import card_extras
from kdvision.lab.card.card_extras import Extras, markdown
from kdvision.lab.card.card_text import DATA, HEAD, LIMITS, REPRODUCE
from kdvision.vision.assess.calibration import ALWAYS
from kdvision.vision.networks.onnx import Model

MEGABYTE: Final = 1_000_000
WITNESSES: Final = {"cells": "cell network alone", "both": "both networks", "all": "both and the table's colour"}
LAMPS: Final = {"without": "by the other networks", "alone": "by this one alone", "all": "by all three"}


@dataclass(frozen=True)
class Network:
    """One model file: what it says of itself, and its size in bytes."""

    name: str
    about: Mapping[str, Any]
    size: int

    @property
    def seed(self) -> int | None:
        """The seed it was trained with, None where it does not say."""
        seed = self.about.get("settings", {}).get("seed")
        return None if seed is None else int(seed)


@dataclass(frozen=True)
class Runs:
    """All that the runs left: results by set and seed, settings by network and seed, and what is there besides."""

    networks: Sequence[Network]
    results: Mapping[str, Mapping[int, Sequence[Row]]] = field(default_factory=dict)
    trainings: Mapping[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)
    extras: Extras = field(default_factory=Extras)

    @property
    def seed(self) -> int | None:
        """The seed of the shipped models."""
        return next((network.seed for network in self.networks if network.seed is not None), None)

    @property
    def shipped(self) -> dict[str, Sequence[Row]]:
        """The results of the shipped models by set."""
        return {name: rows for name, seeds in self.results.items() for seed, rows in seeds.items() if seed == self.seed}


def gathered(folder: Path) -> Runs:
    """What lies in the models' folder; raises ModelError for a file that is no model, ValueError for a bad result."""
    networks = [Network(path.stem, Model(path).about, path.stat().st_size) for path in sorted(folder.glob("*.onnx"))]
    results: dict[str, dict[int, Sequence[Row]]] = {}
    for (name, seed), path in _by_seed(folder / "results", "csv"):
        results.setdefault(name, {})[seed] = rows_of(path.read_text(encoding="utf-8"))
    told = {key: path.read_text(encoding="utf-8") for key, path in _by_seed(folder / "results", "json")}
    trainings = {key: json.loads(text) for key, text in told.items()}
    return Runs(networks, results, trainings, Extras.of(folder / "results"))


def _by_seed(folder: Path, suffix: str) -> Iterator[tuple[tuple[str, int], Path]]:
    """The files NAME-seedN with a suffix, by name and seed."""
    found = [(re.fullmatch(r"(.+)-seed(\d+)", path.stem), path) for path in folder.glob(f"*.{suffix}")]
    named = [((match[1], int(match[2])), path) for match, path in found if match]
    return iter(sorted(named))


def card(runs: Runs) -> str:
    """The text of the model card."""
    sections = (HEAD, *_networks(runs), DATA, *_held_out(runs), *_measured(runs), *_more(runs), *_spread(runs))
    return "\n\n".join((*sections, *_misses(runs), LIMITS, REPRODUCE, *_settings(runs))) + "\n"


def _more(runs: Runs) -> Iterator[str]:
    """The sections that only some results give."""
    yield from card_extras.stress(runs.shipped, runs.extras.pictures, runs.seed)
    yield from card_extras.dials(runs.extras)
    yield from card_extras.without(runs.extras, runs.shipped)
    yield from card_extras.others(runs.extras)


def _networks(runs: Runs) -> Iterator[str]:
    rows = [
        (f"`{n.name}.onnx`", n.about.get("input", ""), f"{n.size / MEGABYTE:.2f} MB", n.seed, _trained(n))
        for n in runs.networks
    ]
    total = sum(network.size for network in runs.networks) / MEGABYTE
    yield markdown(("file", "takes", "size", "seed", "trained in"), rows) + f"\n\nTogether {total:.1f} MB."


def _trained(network: Network) -> str:
    minutes = network.about.get("settings", {}).get("minutes")
    return f"{minutes:.0f} min" if minutes else ""


def _held_out(runs: Runs) -> Iterator[str]:
    """What the files say was measured on examples that no training saw."""
    rows = [row for network in runs.networks for row in _sayings(network.about)]
    if rows:
        yield "## On examples held out"
        yield markdown(("figure", "value"), rows)


def _sayings(about: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    of = "white places: " if about.get("name") == "glare" else ""
    for name, rate in about.get("held_out", {}).items():
        yield of + name.replace("_", " "), f"{rate:.4f}" if name.startswith("log_loss") else f"{100 * rate:.2f} %"
    for name, value in about.get("temperatures", {}).items():
        yield f"temperature, {name.replace('_', ' ')}", f"{value:.2f}"
    if weights := about.get("outline"):
        yield (
            "tile or none, no colour known: weights of cell network, finder, constant",
            ", ".join(f"{w:.2f}" for w in weights),
        )
    if weights := about.get("tabletop"):
        told = "tile or none: weights of cell network, finder, the table's colour, constant"
        yield told, ", ".join(f"{w:.2f}" for w in weights)
    for name, rate in about.get("outline_wrong", {}).items():
        yield f"tile or none wrong, {WITNESSES[name]}", f"{100 * rate:.2f} %"
    if weights := about.get("under_lamps"):
        told = "tile or none, white places: weights of this network, cell network, finder, constant"
        yield told, ", ".join(f"{w:.2f}" for w in weights)
        wrong = dict(about["under_lamps_wrong"])
        for name, rate in [one for one in wrong.items() if one[0] != "places"]:
            yield f"{wrong['places']} white places, tile or none wrong, {LAMPS[name]}", f"{100 * rate:.2f} %"
    if weights := about.get("covering"):
        signs = "cell network, finder, colour, colour unknown, covered, unlike any tile, constant"
        yield f"a tile is hidden: weights of {signs}", ", ".join(f"{w:.2f}" for w in weights)
        told = about["covering_told"]
        yield "places beside boards with things about: hidden tiles told", f"{100 * told['hidden']:.1f} %"
        yield f"other ones of these {told['places']} places told", f"{100 * told['others']:.1f} %"
    if boards := about.get("boards"):
        yield "temperature of whole boards", f"{boards['temperature']:.2f}"
        if "belief" in boards:
            named = ", ".join(f"{weight:.2f}" for weight in boards["belief"])
            yield "log-odds of a whole board: weights of what squares and deck say, strain, smallness; constant", named
        if "rule" in boards:
            named = ", ".join(f"{gain:+.2f}" for gain in boards["rule"])
            yield "log-odds of boards on which a rule of play is broken, of others: so much more", named
        if whole := dict(boards.get("whole", {})):
            yield "nothing of a board was missed, hidden or cut off: log-odds", f"{whole.pop(ALWAYS):+.2f}"
            yield (
                "less for each sign of it",
                ", ".join(f"{name} {weight:.2f}" for name, weight in whole.items() if weight),
            )
        yield "a person should look below a probability of", f"{boards['sure']:.3f}"
        told = "rendered kingdoms right, of those that a person is asked about only where they are not sure"
        yield told, f"{boards['right']} of {boards['measured']}"


def _measured(runs: Runs) -> Iterator[str]:
    """A table by room for each set, by the shipped models."""
    plain = {name: rows for name, rows in runs.shipped.items() if not any(row.way for row in rows)}
    if plain:
        yield f"## On photos\n\nThe shipped models (seed {runs.seed}) through the whole program, a table for each set."
    for name, rows in plain.items():
        yield f"### {name}\n\n{_by(rows)}"


def _by(rows: Sequence[Row]) -> str:
    """The columns of an evaluation by room and for all."""
    parts = [(room, [row for row in rows if row.room == room]) for room in dict.fromkeys(row.room for row in rows)]
    lines = [(name, *(of(part) for _, of in COLUMNS)) for name, part in [*parts, ("all", list(rows))]]
    return markdown(("room", *(name for name, _ in COLUMNS)), lines)


FIGURES: Final[tuple[tuple[str, Callable[[Sequence[Row]], float]], ...]] = (
    ("shape right", lambda rows: sum(row.shape for row in rows)),
    ("boards exact", lambda rows: sum(row.exact for row in rows)),
    ("points exact", lambda rows: sum(row.points_exact for row in rows)),
    ("squares right, %", lambda rows: 100 * sum(row.after for row in rows) / max(1, sum(row.squares for row in rows))),
    ("wrong without a warning", lambda rows: sum(row.silent for row in rows)),
    ("flagged", lambda rows: sum(row.review for row in rows)),
)


def _spread(runs: Runs) -> Iterator[str]:
    """How far models of other seeds differ."""
    lines = [
        (
            name,
            label,
            len(next(iter(seeds.values()))),
            *(f"{of(seeds[s]):.4g}" if s in seeds else "" for s in _seeds(runs)),
        )
        for name, seeds in runs.results.items()
        if len(seeds) > 1
        for label, of in FIGURES
    ]
    if lines:
        yield "## Spread over seeds\n\nModels of other seeds are not shipped."
        yield markdown(("set", "figure", "of", *(f"seed {seed}" for seed in _seeds(runs))), lines)
        yield "\n".join(_others(runs))
        for name, seeds in runs.results.items():
            for seed in sorted(seeds.keys() - {runs.seed}):
                if not any(row.way for row in seeds[seed]):
                    yield f"### {name}, seed {seed}"
                    yield _by(seeds[seed])


def _others(runs: Runs) -> Iterator[str]:
    """A line for each network of another seed: how its training differed from that of the shipped one."""
    for seed in [seed for seed in _seeds(runs) if seed != runs.seed]:
        for network in runs.networks:
            training = runs.trainings.get((network.name, seed))
            told = "nothing tells that it was trained, or how" if training is None else _unlike(network, training)
            yield f"- seed {seed}, {network.name}: {told}."


def _unlike(network: Network, training: Mapping[str, Any]) -> str:
    """The settings that count for a network and were others than the shipped one's."""
    foreign = {"finder": ("cell_", "mosaics", "piece_", "held_out_"), "cells": ("finder_",)}.get(network.name, ())
    shipped = network.about.get("settings", {})
    unlike = [
        f"{name.replace('_', ' ')} {training.get(name, 'none')} (shipped: {shipped.get(name, 'none')})"
        for name in {**shipped, **training}
        if name not in ("seed", "minutes") and not name.removeprefix("tuned_").startswith(foreign)
        if (training.get(name) or None) != (shipped.get(name) or None)
    ]
    return "trained from nothing, " + (", ".join(unlike) or "all settings but the seed the same")


def _seeds(runs: Runs) -> list[int]:
    return sorted({seed for seeds in runs.results.values() for seed in seeds})


def _misses(runs: Runs) -> Iterator[str]:
    """Every photo that the shipped models read wrong, but for those made hard on purpose."""
    rows = [
        (f"{row.room}/{row.photo}", row.squares - row.after, row.score_error, "yes" if row.review else "no", row.error)
        for rows in runs.shipped.values()
        for row in rows
        if not row.exact and not row.way
    ]
    if rows:
        yield "## What they read wrong\n\nEvery photo whose boards are not exact, with the shipped models."
        yield markdown(("photo", "squares wrong", "points off by", "flagged", "error"), rows)


def _settings(runs: Runs) -> Iterator[str]:
    settings = {network.name: network.about.get("settings", {}) for network in runs.networks}
    names = dict.fromkeys(name for given in settings.values() for name in given)
    lines = [(name.replace("_", " "), *(given.get(name, "") for given in settings.values())) for name in names]
    if lines:
        yield "The settings of the shipped models:"
        yield markdown(("setting", *settings), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=Path("models"), help="the folder of the models")
    given = parser.parse_args()
    write_atomically(given.models / "README.md", card(gathered(given.models)).encode())
    print(f"wrote {given.models / 'README.md'}")


if __name__ == "__main__":
    main()
