"""What an event is made of: who plays whom, which files show which kingdoms, and which are copies or broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kdvision.lab.games.play import PlayedKingdom, play
from kdvision.lab.robustness.broken import BROKEN

CARE: Final = (0.9, 1.0)
TIE_BROKEN, TIE_SHARED = 24, 615
"""Seeds of games of four: two kingdoms of equal points, and two that share the victory. A test holds them to it."""

NAMES: Final = (
    *("Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou", "Max", "Noa", "Ole", "Pia"),
    *("Zoë", "Jörg", "Łucja", "Ñico", "Олег", "Σοφία", "דנה", "ليلى", "美咲", "지우", "李雷", "अनु"),
)
COPIES, SECONDS, BROKEN_SHARE = 0.02, 0.015, 0.03
"""How many of the photos are copies of another one, second photos of a kingdom, and broken."""


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
