"""Renders the photos of `samples/` with our own art, and the truth beside them: `python -m kdvision.lab.samples`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from kdvision.game.board import Terrain
from kdvision.game.deck import KINGDOMINO
from kdvision.lab import furnished, surfaces, synth
from kdvision.lab.art import DrawnArt
from kdvision.lab.camera import frame
from kdvision.lab.cards import Print
from kdvision.lab.drafts import PlayedKingdom, play
from kdvision.lab.laying import Hand, LaidKingdom, Piece, Scene, lay
from kdvision.lab.light import Dials
from kdvision.lab.scenes import Table
from kdvision.lab.sources import DrawnScene
from kdvision.lab.synth import Picture, Surface
from kdvision.lab.truth import truth

SIZE = (1600, 1200)
QUALITY = 88
EMPTY = np.array([[-4.5, -3.5], [4.5, 3.5]])  # what a photo without kingdoms shows, in squares
FAIR = Dials(light=0.12, glare=0.0, blur=0.1, noise=0.15, jpeg=0.1)
README = """# Samples

Photos to try `kdvision` on. Every one is drawn: the tiles are our own art, and tables, pieces and light come from the
renderer in `kdvision/lab`, so anybody may use them. `python -m kdvision.lab.samples` makes them all again, the same
every time. Beside each lies its truth: boards as they lie in the photo, territory points without bonuses, and the
corners of each kingdom's frame in pixels (top left, top right, bottom right, bottom left); pieces by their square, gems
by two of the four squares around them.

| photo | shows | made from (seeds of the game and of the light; angle from straight above) |
|---|---|---|"""


@dataclass(frozen=True)
class Shot:
    """One sample photo: who plays, how the kingdoms lie, where the camera stands, what the light is like."""

    name: str
    shows: str
    seed: int  # of the games and of how the kingdoms lie
    surface: Surface
    hour: int = 0  # seed of the light, the table and the camera's noise
    kingdoms: int = 1
    game: str = ""  # a game of `furnished.DECKS` with its pieces; else plain Kingdomino
    side: int = 5
    holes: range = range(1)  # how many squares of the full side may be empty
    castles: bool = False
    beside: tuple[str, ...] = ()  # what else lies there: methods of `Table`
    room: float = 1.2  # squares around the kingdoms where that may lie
    tilt: float = 20.0  # degrees from straight above
    azimuth: float = 90.0  # degrees; 90 looks from the bottom edge of the table
    roll: float = 0.0
    fill: float = 0.8
    turn: float = 3.0  # degrees that the kingdom lies askew
    dials: Dials = FAIR
    lamp: tuple[float, float, float] = (-0.5, -0.4, 1.0)


SHOTS = (
    Shot("demo", "a finished 5x5 kingdom on oak boards, from a little to one side", 4, surfaces.oak, 4, tilt=24),
    Shot(
        "seven",
        "a 7x7 kingdom of the Mighty Duel on linen",
        2,
        surfaces.linen,
        0,
        side=7,
        holes=range(3),
        tilt=15,
        azimuth=70,
        turn=-4,
        fill=0.9,
    ),
    Shot(
        "holes",
        "a kingdom with gaps in it, on a checked cloth",
        8,
        surfaces.gingham,
        4,
        holes=range(4, 9),
        beside=("backs",),
        tilt=18,
        azimuth=110,
        turn=5,
    ),
    Shot(
        "castle",
        "the castle stands on its tile, wooden pieces beside the kingdom",
        9,
        surfaces.felt,
        10,
        castles=True,
        beside=("men",),
        tilt=30,
        azimuth=60,
        turn=-7,
    ),
    Shot(
        "two-kingdoms",
        "two kingdoms and their castles on one table",
        5,
        surfaces.oak,
        5,
        kingdoms=2,
        holes=range(6),
        castles=True,
        beside=("men",),
        tilt=25,
        azimuth=95,
        fill=0.92,
    ),
    Shot(
        "four-kingdoms",
        "the whole table at the end of a game of four, from above",
        6,
        surfaces.stone,
        2,
        kingdoms=4,
        holes=range(10),
        tilt=14,
        azimuth=80,
        fill=0.92,
    ),
    Shot(
        "hard-light",
        "uneven light, shine on the cards and the shadow of a hand",
        4,
        surfaces.felt,
        10,
        holes=range(3),
        tilt=22,
        azimuth=120,
        dials=Dials(light=0.6, glare=0.75, blur=0.15, noise=0.3, jpeg=0.2),
    ),
    Shot(
        "oblique",
        "seen from a player's chair, 50 degrees from straight above",
        7,
        surfaces.oak,
        0,
        holes=range(3),
        beside=("men", "men"),
        room=1.6,
        tilt=50,
        azimuth=75,
        turn=12,
        fill=0.72,
    ),
    Shot(
        "queendomino",
        "a kingdom of Queendomino: towns, buildings on some, knights",
        24,
        surfaces.oak,
        4,
        game="queendomino",
        holes=range(5),
        beside=("unbuilt",),
        tilt=20,
        azimuth=80,
        turn=-5,
    ),
    Shot(
        "lost-treasures",
        "gems of The Lost Treasures where four landscapes meet",
        89,
        surfaces.stone,
        2,
        game="lost-treasures",
        holes=range(3),
        tilt=22,
        azimuth=100,
        turn=6,
    ),
    Shot(
        "no-kingdom",
        "no kingdom at all: cards face down, pieces and what else lies about",
        5,
        surfaces.linen,
        4,
        kingdoms=0,
        beside=("backs", "men", "things", "men", "things", "slips"),
        room=3.5,
        tilt=30,
        fill=0.9,
    ),
)


def kingdoms_of(shot: Shot, rng: np.random.Generator) -> list[PlayedKingdom]:
    """Return played kingdoms as the shot wants them, by one game after another until one has them."""
    players = 2 if shot.side == 7 else max(2, shot.kingdoms)
    while True:
        deck = furnished.DECKS.get(shot.game, KINGDOMINO)
        played = play(rng, players=players, side=shot.side, deck=deck, care=(0.9, 1.0))
        fit = [kingdom for kingdom in played if shot.side**2 - len(kingdom.board) in shot.holes]
        if len(fit) >= shot.kingdoms:
            return fit[: shot.kingdoms]


PLACES = {1: [(0.0, 0.0)], 2: [(-3.2, 0.3), (3.2, -0.3)], 4: [(-4, -3.3), (3.9, -3.5), (-3.8, 3.6), (4.1, 3.3)]}


def compose(shot: Shot, rng: np.random.Generator, kingdoms: Sequence[PlayedKingdom] | None = None) -> Scene:
    """Return the table of a shot, with these kingdoms or with some that fit."""
    table = Table(rng)
    colours = rng.permutation(["blue", "green", "pink", "yellow"])
    if shot.kingdoms:
        chosen = kingdoms or kingdoms_of(shot, rng)
        for kingdom, at, colour in zip(chosen, PLACES[shot.kingdoms], colours, strict=False):
            turn = np.radians(shot.turn + rng.normal(0, 3)) + float(rng.integers(4)) * np.pi / 2
            hand = Hand(pitch=1.025, shift=0.012, twist=0.012, shear=0.0)
            laid, tiles = lay(kingdom, rng, at=at, turn=turn, colour=str(colour), hand=hand)
            table.put(laid, tiles)
            if shot.castles:
                table.scene.pieces.append(Piece("castle", str(colour), tiles[0].centre, tiles[0].turn, 0.95))
            if shot.game:
                table.scene.kingdoms[-1] = furnish(shot.game, rng, laid, table.scene)
    table.survey(margin=shot.room)
    for heap in shot.beside:
        getattr(table, heap)()
    return table.scene


def furnish(game: str, rng: np.random.Generator, kingdom: LaidKingdom, scene: Scene) -> LaidKingdom:
    """Lay down what the game puts on a kingdom, by the book; returns the kingdom that knows of it."""
    if game == "lost-treasures":
        return furnished.with_gems(rng, kingdom, scene, by_the_book=True)
    towns = [square for square in kingdom.squares if kingdom.board[square].terrain is Terrain.TOWN]
    pieces = dict.fromkeys(towns[::2], "building")
    scene.tiles += [furnished.building(rng, kingdom.squares[square]) for square in pieces]
    knightly = (Terrain.TOWN, Terrain.CASTLE)
    free = [square for square in kingdom.squares if kingdom.board[square].terrain not in knightly]
    knights = [free[i] for i in rng.permutation(len(free))[:3]]
    scene.pieces += [furnished.man(rng, "knight", kingdom.squares[square]) for square in knights]
    return replace(kingdom, pieces=pieces | dict.fromkeys(knights, "knight"))


def take(
    shot: Shot, art: DrawnArt, *, kingdoms: Sequence[PlayedKingdom] | None = None, size: tuple[int, int] = SIZE
) -> Picture:
    """Return the photo of a shot, the same every time."""
    scene = compose(shot, np.random.default_rng(shot.seed), kingdoms)
    width, height = size
    camera = frame(
        scene.outline() if shot.kingdoms else EMPTY,
        tilt=np.radians(shot.tilt),
        azimuth=-np.radians(shot.azimuth),
        roll=np.radians(shot.roll),
        focal=1.0,
        width=width,
        height=height,
        fill=shot.fill,
        bend=-0.008,
    )
    made = Print(0.045, np.ones(3, np.float32), 0.015, 0.03, 0.08, np.array([196, 186, 168], np.float32), 0.015)
    rng, drawn = np.random.default_rng(shot.hour), DrawnScene(art)
    return synth.render(scene, camera, drawn, rng, dials=shot.dials, made=made, lamp=shot.lamp, surface=shot.surface)


def write(shot: Shot, picture: Picture, folder: Path) -> None:
    """Write a photo, and its truth beside it."""
    pixels = np.ascontiguousarray(picture.photo[..., ::-1])
    cv2.imwrite(str(folder / f"{shot.name}.jpg"), pixels, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    text = json.dumps({"photo": f"{shot.name}.jpg", **truth(picture)}, indent=1)
    (folder / f"{shot.name}.json").write_text(text + "\n", encoding="utf-8")


def readme() -> str:
    """Return the folder's README."""
    rows = [
        f"| [{shot.name}.jpg]({shot.name}.jpg) | {shot.shows} | seeds {shot.seed} and {shot.hour}, {shot.tilt:g}° |"
        for shot in SHOTS
    ]
    return "\n".join([README, *rows, ""])


def main() -> None:
    """Render the samples that are named, or all of them, into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="which samples to render; by default all")
    parser.add_argument("--folder", type=Path, default=Path("samples"))
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    art = DrawnArt(seed=3)
    for shot in SHOTS:
        if not given.names or shot.name in given.names:
            write(shot, take(shot, art), given.folder)
            print(shot.name)
    (given.folder / "README.md").write_text(readme(), encoding="utf-8")


if __name__ == "__main__":
    main()
