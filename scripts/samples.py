"""Render the photos of `samples/` and write the truth beside them: `python -m scripts.samples`."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from kdvision.game.board import Terrain
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games import pieces as game_pieces
from kdvision.lab.games.layout import KingdomLayout, LayoutNoise, Piece, Scene, lay_out
from kdvision.lab.games.play import PlayedKingdom, play
from kdvision.lab.render import renderer
from kdvision.lab.render.art.scene_art import DrawnSceneArt
from kdvision.lab.render.camera import fit_camera
from kdvision.lab.render.cards import PrintStyle
from kdvision.lab.render.drawn.tiles import DrawnArt
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scenes import COLOURS, OTHER_OBJECTS, SceneBuilder
from scripts.sample_shots import SHOTS, Shot
from scripts.sample_truth import describe_picture

_OBJECTS = {**OTHER_OBJECTS, "unbuilt": SceneBuilder.add_unbuilt}
SIZE_PX = (1600, 1200)
JPEG_QUALITY = 88
EMPTY_VIEW_SQUARES = np.array([[-4.5, -3.5], [4.5, 3.5]])  # the view of a photo without kingdoms, in squares
README = """# Samples

Photos to try `kdvision` on. All are rendered with artwork of this project, so they are free to use.
`python -m scripts.samples` renders them again. The JSON beside each photo holds the truth: the boards as
they lie in the photo, the points of the territories without bonuses, each kingdom's corners in pixels, clockwise from
the top left, pieces with their square, and gems with two of the four squares around them.

| photo | shows | seeds of game and light; angle from above |
|---|---|---|"""


def play_kingdoms(shot: Shot, rng: np.random.Generator) -> list[PlayedKingdom]:
    """Play games until one has the kingdoms that the shot needs, and return them."""
    players = 2 if shot.side == 7 else max(2, shot.kingdoms)
    while True:
        deck = game_pieces.DECKS.get(shot.game, KINGDOMINO)
        played_kingdoms = play(rng, players=players, side=shot.side, deck=deck, care=(0.9, 1.0))
        suitable_kingdoms = [kingdom for kingdom in played_kingdoms if shot.side**2 - len(kingdom.board) in shot.holes]
        if len(suitable_kingdoms) >= shot.kingdoms:
            return suitable_kingdoms[: shot.kingdoms]


_KINGDOM_CENTRES = {
    1: [(0.0, 0.0)],
    2: [(-3.2, 0.3), (3.2, -0.3)],
    4: [(-4, -3.3), (3.9, -3.5), (-3.8, 3.6), (4.1, 3.3)],
    5: [(-7, -3.4), (0.1, -3.5), (7, -3.3), (-3.6, 3.6), (3.7, 3.5)],
}


def make_shot_scene(shot: Shot, rng: np.random.Generator, kingdoms: Sequence[PlayedKingdom] | None = None) -> Scene:
    """Return the table of a shot, with these kingdoms or with new ones."""
    builder = SceneBuilder(rng)
    colours = [*rng.permutation(COLOURS), "brown"]
    if shot.kingdoms:
        shot_kingdoms = kingdoms or play_kingdoms(shot, rng)
        for kingdom, at, colour in zip(shot_kingdoms, _KINGDOM_CENTRES[shot.kingdoms], colours, strict=False):
            turn = np.radians(shot.turn + rng.normal(0, 3)) + float(rng.integers(4)) * np.pi / 2
            noise = LayoutNoise(pitch=1.025, shift=0.012, twist=0.012, shear=0.0)
            layout, tiles = lay_out(kingdom, rng, at=at, turn=turn, colour=str(colour), noise=noise)
            builder.add_layout(layout, tiles)
            if shot.castles:
                builder.scene.pieces.append(Piece("castle", str(colour), tiles[0].centre, tiles[0].turn, 0.95))
            if shot.game:
                builder.scene.kingdoms[-1] = add_game_pieces(shot.game, rng, layout, builder.scene)
    builder.set_reach(margin=shot.margin)
    for name in shot.objects:
        _OBJECTS[name](builder)
    return builder.scene


def add_game_pieces(game: str, rng: np.random.Generator, kingdom: KingdomLayout, scene: Scene) -> KingdomLayout:
    """Place the game's pieces on a kingdom and return the kingdom with them."""
    if game == "lost-treasures":
        return game_pieces.place_gems(rng, kingdom, scene, is_legal=True)
    towns = [square for square in kingdom.squares if kingdom.board[square].terrain is Terrain.TOWN]
    pieces = dict.fromkeys(towns[::2], "building")
    scene.tiles += [game_pieces.make_building(rng, kingdom.squares[square]) for square in pieces]
    excluded_terrains = (Terrain.TOWN, Terrain.CASTLE)
    free_squares = [square for square in kingdom.squares if kingdom.board[square].terrain not in excluded_terrains]
    knights = [free_squares[i] for i in rng.permutation(len(free_squares))[:3]]
    scene.pieces += [game_pieces.make_figure(rng, "knight", kingdom.squares[square]) for square in knights]
    return replace(kingdom, pieces=pieces | dict.fromkeys(knights, "knight"))


def take_photo(
    shot: Shot, art: DrawnArt, *, kingdoms: Sequence[PlayedKingdom] | None = None, size: tuple[int, int] = SIZE_PX
) -> Picture:
    """Render the photo of a shot; the same shot gives the same pixels."""
    scene = make_shot_scene(shot, np.random.default_rng(shot.seed), kingdoms)
    width, height = size
    camera = fit_camera(
        scene.compute_outline() if shot.kingdoms else EMPTY_VIEW_SQUARES,
        tilt=np.radians(shot.tilt),
        azimuth=-np.radians(shot.azimuth),
        focal=1.0,
        width=width,
        height=height,
        fill=shot.fill,
        bend=-0.008,
    )
    style = PrintStyle(0.045, np.ones(3, np.float32), 0.015, 0.03, 0.08, np.array([196, 186, 168], np.float32), 0.015)
    rng, scene_art = np.random.default_rng(shot.light_seed), DrawnSceneArt(art)
    return renderer.render(
        scene, camera, scene_art, rng, factors=shot.factors, print_style=style, lamp=shot.lamp, table_top=shot.table_top
    )


def write_sample(shot: Shot, picture: Picture, folder: Path) -> None:
    pixels = np.ascontiguousarray(picture.photo[..., ::-1])
    cv2.imwrite(str(folder / f"{shot.name}.jpg"), pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    text = json.dumps({"photo": f"{shot.name}.jpg", **describe_picture(picture)}, indent=1)
    (folder / f"{shot.name}.json").write_text(text + "\n", encoding="utf-8")


def make_readme() -> str:
    rows = [
        f"| [{shot.name}.jpg]({shot.name}.jpg) | {shot.description} | {shot.seed}, {shot.light_seed}; {shot.tilt:g}° |"
        for shot in SHOTS
    ]
    return "\n".join([README, *rows, ""])


def main() -> None:
    """Render the named samples, by default all, into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="which samples to render; by default all")
    parser.add_argument("--folder", type=Path, default=Path("samples"))
    options = parser.parse_args()
    if unknown_names := set(options.names) - {shot.name for shot in SHOTS}:
        parser.error(f"there is no sample {', '.join(sorted(unknown_names))}: see {options.folder / 'README.md'}")
    options.folder.mkdir(exist_ok=True)
    art = DrawnArt(seed=3)
    for shot in SHOTS:
        if not options.names or shot.name in options.names:
            write_sample(shot, take_photo(shot, art), options.folder)
            print(shot.name)
    (options.folder / "README.md").write_text(make_readme(), encoding="utf-8")


if __name__ == "__main__":
    main()
