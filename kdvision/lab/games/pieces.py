"""Tables of Queendomino, of a Royal Wedding and of The Lost Treasures: towns, buildings, men on squares, gems.

A plain table is dealt as `scenes` does it; then what these games put on kingdoms is laid there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from kdvision.game.board import Square, Terrain
from kdvision.game.deck import KINGDOMINO, ROYAL_WEDDING, Deck
from kdvision.game.pieces import Gem
from kdvision.lab.games.layout import KingdomLayout, Piece, Points, Scene, Tile
from kdvision.lab.games.play import play
from kdvision.lab.render.scenes import COLOURS, Table

QUEENDOMINO: Final[Deck] = tuple(domino for domino in ROYAL_WEDDING if str(domino.number).startswith("Q"))
"""Queendomino's box, its numbers told from Kingdomino's by their letter."""

DECKS: Final = {"queendomino": QUEENDOMINO, "royal-wedding": ROYAL_WEDDING, "lost-treasures": KINGDOMINO}
ODDS: Final = (0.55, 0.15, 0.3)
BUILDINGS: Final = 12
"""So many pictures of buildings there are at least."""
ASIDE: Final = 0.36
"""How far from the middle of his square a man may stand along either side, in sides of it."""


def make_scene_with_pieces(rng: np.random.Generator, *, game: str | None = None, kingdoms: int | None = None) -> Scene:
    """Return one random table of a game ("queendomino", "royal-wedding", "lost-treasures"; None for any)."""
    game = game or str(rng.choice(list(DECKS), p=ODDS))
    deck = DECKS[game]
    count = int(rng.choice([1, 2, 4], p=[0.75, 0.15, 0.1])) if kingdoms is None else kingdoms
    side = 7 if game == "royal-wedding" or (count <= 2 and rng.random() < 0.3) else 5
    turns = None if rng.random() < 0.6 else int(rng.integers(2, 13))
    played = play(rng, players=max(2, count), side=side, turns=turns, deck=deck)
    order, colours = rng.permutation(len(played)), rng.permutation(COLOURS)
    facing = rng.uniform(0, 2 * np.pi)
    table = Table(rng, box=[domino.number for domino in deck])
    for k in range(count):
        table.seat(played[order[k]], facing + float(rng.integers(4)) * np.pi / 2, str(colours[k]))
    for number, kingdom in enumerate(table.scene.kingdoms):
        furnish = place_gems if game == "lost-treasures" else _with_men
        table.scene.kingdoms[number] = furnish(rng, kingdom, table.scene)
    table.place_occluders()
    if game != "lost-treasures":
        table.unbuilt()
    return table.scene


def _with_men(rng: np.random.Generator, kingdom: KingdomLayout, scene: Scene) -> KingdomLayout:
    """Buildings on some of the towns, and knights, towers and the Queen on some squares."""
    pieces: dict[Square, str] = {}
    built = rng.choice([0.0, rng.uniform(0, 1)], p=[0.2, 0.8])
    for square, quad in kingdom.squares.items():
        if kingdom.board[square].terrain is Terrain.TOWN and rng.random() < built:
            pieces[square] = "building"
            scene.tiles.append(make_building(rng, quad))
    # nobody has to know the rules by heart: men stand where they should not, too
    free = [square for square in kingdom.squares if kingdom.board[square].terrain is not Terrain.CASTLE]
    rng.shuffle(free)
    for kind, most, odds in (("knight", 5, 0.75), ("tower", 4, 0.6), ("queen", 1, 0.55)):
        for _ in range(int(rng.integers(1, most + 1)) if rng.random() < odds else 0):
            if free and (square := free.pop()) not in pieces:
                pieces[square] = kind
                scene.pieces.append(make_figure(rng, kind, kingdom.squares[square], aside=rng.random() < 0.5))
    return replace(kingdom, pieces=pieces)


def make_building(rng: np.random.Generator, quad: Points) -> Tile:
    """A finished building on a town, more or less straight."""
    x, y = quad.mean(0) + rng.normal(0, 0.03, 2)
    turn = _turn(quad) + int(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.06)
    return Tile("building", int(rng.integers(BUILDINGS)), (float(x), float(y)), float(turn))


def make_figure(rng: np.random.Generator, kind: str, quad: Points, *, aside: bool = False) -> Piece:
    """Return a man near the middle of a square, or `aside`, beside its crowns and houses, so that they can be seen."""
    x, y = quad.mean(0) + (_aside(quad, rng) if aside else np.clip(rng.normal(0, 0.13, 2), -0.25, 0.25))
    # most are of bare wood, some of a player's colour
    colour = "" if rng.random() < 0.85 else str(rng.choice(COLOURS))
    return Piece(kind, colour, (float(x), float(y)), rng.uniform(0, 6.3), rng.uniform(0.85, 1.15))


def _aside(quad: Points, rng: np.random.Generator) -> Points:
    """Return how far from the middle of a square somewhere in it is, (2,)."""
    along, down = quad[1] - quad[0], quad[3] - quad[0]
    right, below = rng.uniform(-ASIDE, ASIDE, 2)
    return np.asarray(right * along + below * down)


def _turn(quad: Points) -> float:
    along = quad[1] - quad[0]
    return float(np.arctan2(along[1], along[0]))


def place_gems(
    rng: np.random.Generator, kingdom: KingdomLayout, scene: Scene, *, by_the_book: bool = False
) -> KingdomLayout:
    """Gems on some crossings of four tiles: mostly where four landscapes meet, at times where they may not lie.

    `by_the_book` puts one on each crossing where it may lie, and on no other.
    """
    gems = set[Square]()
    anywhere, discovered = (0.0, 1.0) if by_the_book else (rng.choice([0.0, 0.1, 0.3]), rng.uniform(0.4, 1))
    for corner, around in _crossings(kingdom):
        lands = {kingdom.board[square].terrain for square in around} - {Terrain.CASTLE}
        if rng.random() < (discovered if len(lands) == len(around) else anywhere):
            gems.add(corner)
            middles = np.array([kingdom.squares[square].mean(0) for square in around])
            x, y = middles.mean(0) + rng.normal(0, 0.03, 2)
            turn = _turn(kingdom.squares[corner]) + rng.normal(0, 0.3)
            scene.pieces.append(Piece("gem", str(rng.choice(COLOURS)), (float(x), float(y)), turn))
    return replace(kingdom, gems=frozenset(gems))


def _crossings(kingdom: KingdomLayout) -> Iterator[tuple[Square, tuple[Square, ...]]]:
    for corner in kingdom.squares:
        around = Gem("", corner).squares
        if all(square in kingdom.squares for square in around):
            yield corner, around
