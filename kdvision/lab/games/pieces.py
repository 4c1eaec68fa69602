"""Scenes of Queendomino, of a Royal Wedding and of The Lost Treasures: kingdoms with buildings, figures or gems."""

from dataclasses import replace
from typing import Final

import numpy as np

from kdvision.game.board import Square, Terrain
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING, Deck
from kdvision.game.kingdom import can_hold_gem, list_crossing_squares
from kdvision.lab.arrays import Points, Rng
from kdvision.lab.games.layout import KingdomLayout, Piece, Scene, Tile
from kdvision.lab.games.play import play
from kdvision.lab.render.scenes import COLOURS, SceneBuilder

# The numbers of Queendomino's dominoes begin with a Q where both boxes are mixed.
_QUEENDOMINO: Final[Deck] = tuple(domino for domino in ROYAL_WEDDING if str(domino.number).startswith("Q"))
DECKS: Final = {"queendomino": _QUEENDOMINO, "royal-wedding": ROYAL_WEDDING, "lost-treasures": KINGDOMINO}
"""The dominoes of each game with pieces."""
_GAME_SHARES: Final = (0.55, 0.15, 0.3)  # of scenes, in the order of DECKS
_BUILDING_COUNT: Final = 12  # every art has at least this many pictures of buildings
_KINGS_SHARE: Final = 0.25  # of kingdoms with kings on them
_LEANING_KINDS: Final = ("castle", "king", "knight", "tower", "queen")
_LEANING_SHARE: Final = 0.3  # of the figures
_MAX_OFFSET_SQUARES: Final = 0.36  # of a figure from the middle of its square, along either side


def make_scene_with_pieces(rng: Rng, *, game: str | None = None) -> Scene:
    """Return a random scene of a game in DECKS (None: of any)."""
    game = game or str(rng.choice(list(DECKS), p=_GAME_SHARES))
    count = int(rng.choice([1, 2, 4], p=[0.75, 0.15, 0.1]))
    side = 7 if game == "royal-wedding" or (count <= 2 and rng.random() < 0.3) else 5
    turns = None if rng.random() < 0.6 else int(rng.integers(2, 13))
    kingdoms = play(rng, players=max(2, count), side=side, turns=turns, deck=DECKS[game])
    builder = SceneBuilder(rng, box=[domino.number for domino in DECKS[game]])
    builder.add_kingdoms(kingdoms, count)
    scene = builder.scene
    place = place_gems if game == "lost-treasures" else _place_buildings_and_figures
    for number, kingdom in enumerate(scene.kingdoms):
        scene.kingdoms[number] = place(rng, kingdom, scene)
    builder.add_other_objects()
    if game != "lost-treasures":
        builder.add_unbuilt()
    return scene


def _place_buildings_and_figures(rng: Rng, kingdom: KingdomLayout, scene: Scene) -> KingdomLayout:
    """Place buildings on some towns, and knights, towers and the Queen on any squares, legal or not."""
    pieces: dict[Square, str] = {}
    share = rng.choice([0.0, rng.uniform(0, 1)], p=[0.2, 0.8])
    for square, quad in kingdom.squares.items():
        if kingdom.board[square].terrain is Terrain.TOWN and rng.random() < share:
            pieces[square] = "building"
            scene.tiles.append(make_building(rng, quad))
    free_squares = [square for square in kingdom.squares if kingdom.board[square].terrain is not Terrain.CASTLE]
    rng.shuffle(free_squares)
    for kind, max_count, probability in (("knight", 5, 0.75), ("tower", 4, 0.6), ("queen", 1, 0.55)):
        for _ in range(int(rng.integers(1, max_count + 1)) if rng.random() < probability else 0):
            if free_squares and (square := free_squares.pop()) not in pieces:
                pieces[square] = kind
                scene.pieces.append(make_figure(rng, kind, kingdom.squares[square], off_centre=rng.random() < 0.5))
    return replace(kingdom, pieces=pieces)


def make_building(rng: Rng, quad: Points) -> Tile:
    """Return a finished building on a town, roughly aligned with it."""
    x, y = quad.mean(0) + rng.normal(0, 0.03, 2)
    turn = _measure_turn(quad) + int(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.06)
    return Tile("building", int(rng.integers(_BUILDING_COUNT)), (float(x), float(y)), float(turn))


def make_figure(rng: Rng, kind: str, quad: Points, *, off_centre: bool = False) -> Piece:
    """Return a figure near the middle of a square, or `off_centre`, where it leaves crowns and houses visible."""
    if off_centre:
        right, down = rng.uniform(-_MAX_OFFSET_SQUARES, _MAX_OFFSET_SQUARES, 2)
        offset = right * (quad[1] - quad[0]) + down * (quad[3] - quad[0])
    else:
        offset = np.clip(rng.normal(0, 0.13, 2), -0.25, 0.25)
    x, y = quad.mean(0) + offset
    colour = "" if rng.random() < 0.85 else str(rng.choice(COLOURS))  # most figures are of bare wood
    return Piece(kind, colour, (float(x), float(y)), rng.uniform(0, 6.3), rng.uniform(0.85, 1.15))


def add_kings(scene: Scene, rng: Rng) -> None:
    """Put kings on some squares of some kingdoms, where players put them aside; they score nothing."""
    for kingdom in scene.kingdoms:
        if rng.random() < _KINGS_SHARE:
            for square in rng.permutation(len(kingdom.squares))[: int(rng.integers(1, 3))]:
                king = make_figure(rng, "king", list(kingdom.squares.values())[square], off_centre=rng.random() < 0.5)
                scene.pieces.append(replace(king, colour=str(rng.choice(COLOURS))))


def lean_figures(scene: Scene, rng: Rng) -> None:
    """Tip some castles and figures over by up to 70 degrees, as if they leaned on something."""
    for number, piece in enumerate(scene.pieces):
        if piece.kind in _LEANING_KINDS and rng.random() < _LEANING_SHARE:
            scene.pieces[number] = replace(piece, lean=float(np.radians(rng.uniform(5, 70))))


def place_gems(rng: Rng, kingdom: KingdomLayout, scene: Scene, *, is_legal: bool = False) -> KingdomLayout:
    """Place gems on crossings of four tiles, mostly where four terrains meet.

    With `is_legal`, each crossing where four terrains meet gets a gem, and no other does.
    """
    gems = set[Square]()
    illegal_share, legal_share = (0.0, 1.0) if is_legal else (rng.choice([0.0, 0.1, 0.3]), rng.uniform(0.4, 1))
    for crossing in kingdom.squares:
        squares = list_crossing_squares(crossing)
        if not kingdom.squares.keys() >= set(squares):
            continue
        if rng.random() < (legal_share if can_hold_gem(kingdom.board, crossing) else illegal_share):
            gems.add(crossing)
            middles = np.array([kingdom.squares[square].mean(0) for square in squares])
            x, y = middles.mean(0) + rng.normal(0, 0.03, 2)
            turn = _measure_turn(kingdom.squares[crossing]) + rng.normal(0, 0.3)
            scene.pieces.append(Piece("gem", str(rng.choice(COLOURS)), (float(x), float(y)), turn))
    return replace(kingdom, gems=frozenset(gems))


def _measure_turn(quad: Points) -> float:
    x, y = quad[1] - quad[0]
    return float(np.arctan2(y, x))
