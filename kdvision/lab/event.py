"""Makes an event of rendered photos, and its truth beside it: `python -m kdvision.lab.event FOLDER --photos 400`.

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
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kdvision.game.kingdom import Kingdom
from kdvision.game.rules import kingdomino
from kdvision.game.standing import Standing, dynasty, standing
from kdvision.lab import samples, surfaces
from kdvision.lab.art import DrawnArt
from kdvision.lab.broken import BROKEN
from kdvision.lab.drafts import PlayedKingdom, play
from kdvision.lab.event_judged import check, correct, tally
from kdvision.lab.light import Dials
from kdvision.lab.samples import Shot

RULES: Final = kingdomino(harmony=True)
CARE: Final = (0.9, 1.0)
TIE_BROKEN, TIE_SHARED = 24, 615
"""Seeds of games of four: two kingdoms of equal points, and two that share the victory. A test holds them to it."""

NAMES: Final = (
    *("Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou", "Max", "Noa", "Ole", "Pia"),
    *("Zoë", "Jörg", "Łucja", "Ñico", "Олег", "Σοφία", "דנה", "ليلى", "美咲", "지우", "李雷", "अनु"),
)
SURFACES: Final = (surfaces.oak, surfaces.linen, surfaces.felt, surfaces.stone)
COPIES, SECONDS, BROKEN_SHARE = 0.02, 0.015, 0.03
"""How many of the photos are copies of another one, second photos of a kingdom, and broken."""

HALL: Final = replace(samples.FAIR, light=0.05)
"""The light of one hall: even, with no more than the tints that phones make of it, and a shadow here and there."""
CORNER: Final = Dials(light=0.5, glare=0.5, blur=0.25, noise=0.4, jpeg=0.2)
"""That of a seat under a bad lamp."""
HARD_SHARE: Final = 0.05
"""How many of the photos are taken there, and from a chair."""


@dataclass(frozen=True)
class Game:
    """One table of one round: its players, and the kingdom of each."""

    round: int
    table: int
    players: tuple[str, ...]
    kingdoms: tuple[PlayedKingdom, ...]

    @property
    def folder(self) -> str:
        """Where its photos lie."""
        return f"round{self.round}/table{self.table}"


@dataclass(frozen=True)
class File:
    """One file of the event: players and kingdoms that it shows, or of which file it is a copy, or how it is broken."""

    name: str
    players: tuple[str, ...]
    kingdoms: tuple[PlayedKingdom, ...] = ()
    seed: int = 0
    table: int = 0
    copy_of: str = ""
    broken: str = ""
    alone: bool = True


@dataclass(frozen=True)
class Plan:
    """All of an event: its games and its files."""

    games: tuple[Game, ...]
    files: tuple[File, ...]

    @property
    def lost(self) -> set[tuple[int, str]]:
        """Rounds and players of whom there is no photo but a broken one."""
        return {(int(f.name.split("/")[0][5:]), f.players[0]) for f in self.files if f.broken and f.alone}


def plan(photos: int, *, rounds: int = 3, seed: int = 1) -> Plan:
    """An event of so many files, the same every time."""
    broken = max(1, round(photos * BROKEN_SHARE))
    copies, seconds = max(1, round(photos * COPIES)), round(photos * SECONDS)
    lost = (broken + 1) // 2  # the other broken files are second photos, of which nobody needs to know
    shots = (photos - copies - seconds - (broken - lost)) // rounds
    games = tuple(_games(rounds, shots, seed))
    files = [file for game in games for file in _files(game, seed)]
    rng = np.random.default_rng(seed)
    singles = [i for i in rng.permutation(len(files)) if len(files[i].players) == 1]
    ways = [way for _, way in zip(range(broken), _cycled(BROKEN), strict=False)]
    for i, way in zip(singles, ways[:lost], strict=False):
        files[i] = File(files[i].name, files[i].players, broken=way)
    spare = photos - len(files) - copies - (broken - lost)
    for k, i in enumerate(singles[lost : lost + spare]):
        files.append(_again(files[i], 2, seed=files[i].seed + 50_000 + k))
    for i, way in zip(singles[lost + spare :], ways[lost:], strict=False):
        files.append(File(_numbered(files[i].name, 3), files[i].players, broken=way, alone=False))
    for i in singles[lost + spare : lost + spare + copies]:
        files.append(File(_numbered(files[i].name, 2), files[i].players, copy_of=files[i].name))
    return Plan(games, tuple(sorted(files, key=lambda file: file.name)))


def _games(rounds: int, shots: int, seed: int) -> Iterator[Game]:
    """Tables until each round has so many photos; the same players sit together in every round."""
    for number in range(1, rounds + 1):
        left, table, first = shots, 1, 0
        while left >= 2:
            pairs = _in_pairs(table)
            seats = 4 if pairs else min(4, left)
            game_seed = {1: TIE_BROKEN, 2: TIE_SHARED}.get(table, seed * 1_000_000 + number * 1000 + table)
            game_seed += 0 if table > 2 or number == 1 else 7000 * number
            yield _game(number, table, first, seats, game_seed)
            left, table, first = left - (2 if pairs else seats), table + 1, first + seats


def _in_pairs(table: int) -> bool:
    """Whether a table's kingdoms are photographed two at a time."""
    return table % 6 == 2


def _game(number: int, table: int, first: int, seats: int, seed: int) -> Game:
    players = tuple(player(first + seat) for seat in range(seats))
    kingdoms = play(np.random.default_rng(seed), players=max(2, seats), care=CARE)[:seats]
    return Game(number, table, players, tuple(kingdoms))


def player(number: int) -> str:
    """The name of a player."""
    name = NAMES[number % len(NAMES)]
    return name if number < len(NAMES) else f"{name} {number // len(NAMES) + 1}"


def _files(game: Game, seed: int) -> Iterator[File]:
    step = 2 if _in_pairs(game.table) else 1
    for seat in range(0, len(game.players), step):
        players, kingdoms = game.players[seat : seat + step], game.kingdoms[seat : seat + step]
        shot_seed = seed * 1_000_000 + game.round * 10_000 + game.table * 10 + seat
        yield File(f"{game.folder}/{'+'.join(players)}.jpg", players, kingdoms, shot_seed, game.table)


def _again(file: File, number: int, seed: int) -> File:
    return File(_numbered(file.name, number), file.players, file.kingdoms, seed, file.table)


def _numbered(name: str, number: int) -> str:
    return f"{name.removesuffix('.jpg')} ({number}).jpg"


def _cycled(ways: Sequence[str] | Iterable[str]) -> Iterator[str]:
    known = tuple(ways)
    while True:
        yield from known


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
        surface=SURFACES[file.table % len(SURFACES)],
        hour=file.seed,
        kingdoms=len(file.kingdoms),
        tilt=float(rng.uniform(0, 18)),
        azimuth=float(rng.normal(90, 6)),
        fill=float(rng.uniform(0.75, 0.92)),
        turn=float(rng.normal(0, 3)),
        dials=HALL,
    )
    if rng.random() >= HARD_SHARE:
        return shot
    return replace(shot, tilt=float(rng.uniform(28, 42)), azimuth=float(rng.uniform(60, 120)), dials=CORNER)


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
    rows = [row for key, own in kingdoms.items() for row in _rows("table", *key, standing(own, RULES))]
    for number, own in zip(rounds, by_round, strict=True):
        if sum(key[0] == number for key in kingdoms) > 1:
            rows += _rows("round", number, "", standing(own, RULES))
    if len(rounds) > 1:
        rows += _rows("total", "", "", dynasty(by_round, RULES))
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
