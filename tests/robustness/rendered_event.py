"""A rendered event: tables of several rounds, their photos, copies and broken files, and the true standings."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kdvision.game.kingdom import Kingdom
from kdvision.game.rules import make_rule_set
from kdvision.game.standing import Standing, rank_dynasty, rank_kingdoms
from kdvision.lab.games.play import PlayedKingdom, play
from kdvision.lab.render.art.scene_art import DRAWN_SIDE_PX
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.objects import held_out_tops
from scripts import samples
from scripts.sample_shots import Shot
from tests.broken_files import BROKEN_FILES

RULES: Final = make_rule_set(variants=["harmony"])
PLAYERS: Final = ("Ann", "Bo", "Zoë", "Łucja", "Олег", "דנה", "美咲", "अनु")
"""Two tables of four players."""
CARE: Final = (0.9, 1.0)
BROKEN_TIE_SEED, SHARED_TIE_SEED = 24, 615
"""Seeds of games of four whose two best kingdoms have equal points: decided by a tie-break, and a shared victory."""
SURFACES: Final = (held_out_tops.oak, held_out_tops.felt)


@dataclass(frozen=True)
class Table:
    """One table of one round; with `pairs`, its kingdoms are photographed two at a time."""

    round: int
    number: int
    players: tuple[str, ...]
    kingdoms: tuple[PlayedKingdom, ...]
    has_pairs: bool

    def list_photos(self) -> Iterator[tuple[str, tuple[PlayedKingdom, ...]]]:
        """Yield the file name of each photo and the kingdoms that it shows."""
        step = 2 if self.has_pairs else 1
        for seat in range(0, len(self.players), step):
            names = "+".join(self.players[seat : seat + step])
            yield f"round{self.round}/table{self.number}/{names}.jpg", self.kingdoms[seat : seat + step]


def make_tables(rounds: int) -> list[Table]:
    """Return two tables for each round; the first round has a tie that is broken and one that is shared."""
    tables = []
    for number in range(1, rounds + 1):
        for table, tie_seed in ((1, BROKEN_TIE_SEED), (2, SHARED_TIE_SEED)):
            seed = tie_seed if number == 1 else 1000 * number + table
            kingdoms = tuple(play(np.random.default_rng(seed), players=4, care=CARE)[:4])
            players = PLAYERS[4 * (table - 1) : 4 * table]
            tables.append(Table(number, table, players, kingdoms, has_pairs=table == 2))
    return tables


def write_event(folder: Path, *, rounds: int = 1, size: tuple[int, int] = (800, 600)) -> None:
    """Write the photos of an event, a copy of a photo, broken files beside good ones, and its event.toml."""
    photos = [photo for table in make_tables(rounds) for photo in table.list_photos()]
    for seed, (name, kingdoms) in enumerate(photos):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_photo(kingdoms, seed, size))
    first_photo = folder / photos[0][0]
    first_photo.with_stem(f"{first_photo.stem} (2)").write_bytes(first_photo.read_bytes())
    for (name, _), make_broken in zip(photos, list(BROKEN_FILES.values())[:rounds], strict=False):
        path = folder / name
        path.with_stem(f"{path.stem} (3)").write_bytes(make_broken(first_photo.read_bytes()))
    lines = ['name = "The rendered event"', 'variants = ["harmony"]', f"rounds = {rounds}"]
    lines += ["dynasty = true"] if rounds > 1 else []
    lines += [f"players = {json.dumps(PLAYERS, ensure_ascii=False)}", ""]
    (folder / "event.toml").write_text("\n".join(lines), encoding="utf-8")


def render_photo(kingdoms: tuple[PlayedKingdom, ...], seed: int, size: tuple[int, int]) -> bytes:
    """Return the JPEG of kingdoms on a table, as a player takes it: from above, in line with the kingdom."""
    rng = np.random.default_rng(seed)
    shot = Shot(
        name="",
        description="",
        seed=seed,
        light_seed=seed,
        table_top=SURFACES[seed % len(SURFACES)],
        kingdoms=len(kingdoms),
        tilt=float(rng.uniform(0, 18)),
        azimuth=float(rng.normal(90, 6)),
        fill=float(rng.uniform(0.75, 0.92)),
        turn=float(rng.normal(0, 3)),
    )
    picture = samples.take_photo(shot, _load_art(), kingdoms=kingdoms, size=size)
    pixels = np.ascontiguousarray(picture.photo[..., ::-1])
    return bytes(cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, samples.JPEG_QUALITY])[1])


@cache
def _load_art() -> DrawnArt:
    return DrawnArt(seed=3, side=DRAWN_SIDE_PX)


def list_true_standings(rounds: int = 1) -> list[list[str]]:
    """Return the rows (standing, round, table, place, player, points) that standings.csv must have."""
    kingdoms = {
        (table.round, table.number): [
            Kingdom(kingdom.board, player=player) for player, kingdom in zip(table.players, table.kingdoms, strict=True)
        ]
        for table in make_tables(rounds)
    }
    rows = [row for key, group in kingdoms.items() for row in _format_rows("table", *key, rank_kingdoms(group, RULES))]
    by_round = [kingdoms[number, 1] + kingdoms[number, 2] for number in range(1, rounds + 1)]
    for number, group in enumerate(by_round, 1):
        rows += _format_rows("round", number, "", rank_kingdoms(group, RULES))
    if rounds > 1:
        rows += _format_rows("total", "", "", rank_dynasty(by_round, RULES))
    return rows


def _format_rows(level: str, round_: object, table: object, standing: Standing) -> list[list[str]]:
    return [
        [level, str(round_), str(table), str(place.place), place.player, str(place.total)] for place in standing.places
    ]
