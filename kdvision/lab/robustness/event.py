"""Makes an event of rendered photos, and its truth beside it: `python -m kdvision.lab.robustness.event FOLDER --photos 400`.

Rounds and tables of the same players, most kingdoms in a photo of their own and some two in one; second photos of a
kingdom, copies of files, files that are broken in twelve ways, and ties: of the first two tables of a round one is won
by a tie-break, the other is shared. `--check OUT` compares what `kdvision batch` has written with that truth.

The camera does what people do who photograph their own kingdom for an organiser: they stand over it, hold the phone in
line with it, and let it fill the picture. A hall has one light, and a table stays the same in all rounds; what photos
differ in is the phone, its exposure and its colours. One photo in twenty is taken from a chair, under a bad lamp.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kdvision.game.kingdom import Kingdom
from kdvision.game.rules import make_rule_set
from kdvision.game.standing import Standing, rank_dynasty, rank_kingdoms
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects import held_out_tops
from kdvision.lab.robustness.broken import BROKEN
from kdvision.lab.robustness.event_judged import check, correct, tally
from kdvision.lab.robustness.event_plan import File, Plan, plan
from scripts import samples
from scripts.sample_shots import FAIR, Shot

RULES: Final = make_rule_set(variants=["harmony"])
SURFACES: Final = (held_out_tops.oak, held_out_tops.linen, held_out_tops.felt, held_out_tops.stone)
HALL: Final = replace(FAIR, light=0.05)
"""The light of one hall: even, with no more than the tints that phones make of it, and a shadow here and there."""
CORNER: Final = PhotoFactors(light=0.5, glare=0.5, blur=0.25, noise=0.4, jpeg=0.2)
"""That of a seat under a bad lamp."""
HARD_SHARE: Final = 0.05
"""How many of the photos are taken there, and from a chair."""


@cache
def _art() -> DrawnArt:
    return DrawnArt(seed=3)


def photo(file: File, size: tuple[int, int]) -> bytes:
    """The JPEG of a file's kingdoms on a table."""
    picture = samples.take(shot_of(file), _art(), kingdoms=file.kingdoms, size=size)
    pixels = np.ascontiguousarray(picture.photo[..., ::-1])
    return bytes(cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, samples.QUALITY])[1])


def shot_of(file: File) -> Shot:
    """How a file's photo is taken: by a player who stands over the kingdom, or now and then as badly as some are."""
    rng = np.random.default_rng(file.seed)
    shot = Shot(
        name="",
        shows="",
        seed=file.seed,
        table_top=SURFACES[file.table % len(SURFACES)],
        hour=file.seed,
        kingdoms=len(file.kingdoms),
        tilt=float(rng.uniform(0, 18)),
        azimuth=float(rng.normal(90, 6)),
        fill=float(rng.uniform(0.75, 0.92)),
        turn=float(rng.normal(0, 3)),
        factors=HALL,
    )
    if rng.random() >= HARD_SHARE:
        return shot
    return replace(shot, tilt=float(rng.uniform(28, 42)), azimuth=float(rng.uniform(60, 120)), factors=CORNER)


def make(event: Plan, folder: Path, *, size: tuple[int, int] = (1280, 960), workers: int = 1) -> None:
    """Write the photos of an event, its event.toml, and its truth beside the folder; files that are there stay."""
    new = [file for file in event.files if file.kingdoms and not (folder / file.name).exists()]
    if workers > 1:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            made = pool.map(photo, new, [size] * len(new))
            for file, data in zip(new, made, strict=True):
                _put(folder / file.name, data)
    else:
        for file in new:
            _put(folder / file.name, photo(file, size))
    first = next(folder / file.name for file in event.files if file.kingdoms).read_bytes()
    for file in event.files:
        if file.broken:
            _put(folder / file.name, BROKEN[file.broken](first))
        elif file.copy_of:
            _put(folder / file.name, (folder / file.copy_of).read_bytes())
    _put(folder / "event.toml", event_text(event).encode())
    truth_path(folder).write_text(json.dumps(truth(event), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def event_text(event: Plan) -> str:
    """The event's file."""
    rounds = max(game.round for game in event.games)
    players = dict.fromkeys(name for game in event.games for name in game.players)
    lines = ['name = "The rendered event"', 'variants = ["harmony"]', f"rounds = {rounds}"]
    lines += ["dynasty = true"] if rounds == 3 else []
    return "\n".join([*lines, f"players = {json.dumps(list(players), ensure_ascii=False)}", ""])


def truth_path(folder: Path) -> Path:
    """Where the truth lies."""
    return folder.with_name(f"{folder.name}.truth.json")


def truth(event: Plan) -> dict[str, Any]:
    """What batch should find: each player's board in each round, every standing, and the broken files."""
    kingdoms = {
        (game.round, game.table): [
            Kingdom(kingdom.board, player=name)
            for name, kingdom in zip(game.players, game.kingdoms, strict=True)
            if (game.round, name) not in event.lost
        ]
        for game in event.games
    }
    rounds = sorted({number for number, _ in kingdoms})
    by_round = [[one for (number, _), own in kingdoms.items() if number == r for one in own] for r in rounds]
    rows = [row for key, own in kingdoms.items() for row in _rows("table", *key, rank_kingdoms(own, RULES))]
    for number, own in zip(rounds, by_round, strict=True):
        if sum(key[0] == number for key in kingdoms) > 1:
            rows += _rows("round", number, "", rank_kingdoms(own, RULES))
    if len(rounds) > 1:
        rows += _rows("total", "", "", rank_dynasty(by_round, RULES))
    boards = {f"{number}/{one.player}": str(one.board) for (number, _), own in kingdoms.items() for one in own}
    return {"boards": boards, "standings": rows, "broken": sorted(file.name for file in event.files if file.broken)}


def _rows(level: str, round_: object, table: object, found: Standing) -> list[list[str]]:
    return [[level, str(round_), str(table), str(one.place), one.player, str(one.total)] for one in found.places]


def shown(event: Plan) -> dict[str, list[str]]:
    """The true boards of each photo, by its name."""
    return {file.name: [str(kingdom.board) for kingdom in file.kingdoms] for file in event.files if file.kingdoms}


def main(arguments: Sequence[str]) -> int:
    """Make an event, or check what was read in it; 1 where that is not the truth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", default="1280x960", metavar="WIDTHxHEIGHT")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--check", type=Path, metavar="OUT", help="compare what batch has written there")
    parser.add_argument("--correct", type=Path, metavar="OUT", help="correct there what review.csv asks about")
    given = parser.parse_args(arguments)
    if given.correct:
        fixed = correct(shown(plan(given.photos, rounds=given.rounds, seed=given.seed)), given.correct)
        print("\n".join([*fixed, f"{len(fixed)} photos corrected"]))
        return 0
    if given.check:
        wrong = check(truth_path(given.folder), given.check)
        print("\n".join([*wrong, f"{len(wrong)} differences", tally(truth_path(given.folder), given.check)]))
        return int(bool(wrong))
    width, height = map(int, given.size.split("x"))
    event = plan(given.photos, rounds=given.rounds, seed=given.seed)
    make(event, given.folder, size=(width, height), workers=given.workers)
    print(f"{len(event.files)} files, {len(event.games)} games, {sum(bool(f.broken) for f in event.files)} broken")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
