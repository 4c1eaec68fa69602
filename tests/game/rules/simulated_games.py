"""Simulated whole games of every kind, with their pieces, for tests of the rules.

`lab.games.play` drafts and places the dominoes; the pieces are added afterwards. Every table could be the end of a real
game, although hardly anybody would play so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import QUEENDOMINO, ROYAL_WEDDING, Deck, Domino
from kdvision.game.game import Game
from kdvision.game.kingdom import JOKER, Building, Gem, Kingdom, PlacedBuilding, Table, Token
from kdvision.game.rules import board_variants, make_rule_set
from kdvision.game.rules.age_of_giants import AGE_OF_GIANTS
from kdvision.game.rules.harmony import HARMONY
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.rules.queendomino import BUILDINGS, KNIGHTS, TOWERS
from kdvision.game.rules.quests import QUEST_GROUP
from kdvision.game.rules.the_court import BUILDINGS as COURT_BUILDINGS
from kdvision.game.rules.the_court import CHARACTERS, RESOURCE_TOKENS, RESOURCES, THE_COURT, TILES
from kdvision.lab.games.play import PlayedKingdom, draft, play

CARELESS: Final = (0.0, 0.0)
PLAYERS: Final = ("Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal")
TOKENS: Final = (*(kind for kind in ("ruby", "emerald", "sapphire", "topaz", "opal") for _ in range(3)), JOKER)

_T = TypeVar("_T")


def kingdomino_game(rng: np.random.Generator) -> Game:
    """Return a game for two to four players, or a Mighty Duel, with any of the variants."""
    players, side = _pick(rng, ((2, 5), (3, 5), (4, 5), (2, 7)))
    kept = play(rng, players=players, side=side, care=CARELESS)
    variants = [
        variant.id for variant in board_variants() if not variant.group and not variant.facts and rng.random() < 0.5
    ]
    return Game("kingdomino", side, (Table(_kingdoms(kept)),), tuple(variants))


def dynasty_game(rng: np.random.Generator) -> Game:
    """Return three rounds of the same players."""
    players = int(rng.integers(2, 5))
    rounds = tuple(Table(_kingdoms(play(rng, players=players, care=CARELESS))) for _ in range(3))
    return Game("kingdomino", 5, rounds, (HARMONY.id,))


def treasure_game(rng: np.random.Generator) -> Game:
    """Return Kingdomino with gems on some of the corners where four terrains meet."""
    game = kingdomino_game(rng)
    tokens = [TOKENS[i] for i in rng.permutation(len(TOKENS))]
    opened, tokens = tuple(tokens[:2]), tokens[2:]
    gem_of_kind = {kind: _gem(rng, kind) for kind in sorted({*TOKENS})}
    kingdoms = []
    for kingdom in game.rounds[0].kingdoms:
        corners = [corner for corner in kingdom.board if _four_terrains(kingdom.board, corner)]
        gems = tuple(
            replace(gem_of_kind[tokens.pop()], corner=corner, turned=int(rng.integers(4)))
            for corner in corners
            if tokens and rng.random() < 0.5
        )
        kingdoms.append(Kingdom(kingdom.board, kingdom.player, gems=gems, discarded=kingdom.discarded))
    return Game("kingdomino", game.side, (Table(tuple(kingdoms), opened),), (*game.variants, LOST_TREASURES.id))


def giants_game(rng: np.random.Generator) -> Game:
    """Return a game of Age of Giants for two to five players, with two quests or none."""
    players, side = _pick(rng, ((2, 7), (3, 5), (4, 5), (5, 5)))
    deck = make_rule_set(variants=[AGE_OF_GIANTS.id]).deck
    thrown_away = {2: (2,), 3: (1, 3), 4: (2,), 5: ()}[players]
    lines = [[one for place, one in enumerate(line) if place not in thrown_away] for line in _lines(rng, deck, 5)]
    kept = draft(rng, lines, kingdoms=players, kings=2 if players == 2 else 1, side=side, care=CARELESS)
    arrived = sum(str(placed.domino.number).isalpha() for played in kept for placed in played.placements)
    crowns = [
        (number, square)
        for number, played in enumerate(kept)
        for square, cell in played.board.items()
        for _ in range(cell.crowns)
    ]
    stands_on = [crowns[i] for i in rng.permutation(len(crowns))[:arrived]]
    kingdoms = tuple(
        replace(kingdom, tokens=tuple(Token("giants", square, "", -1) for at, square in stands_on if at == number))
        for number, kingdom in enumerate(_kingdoms(kept))
    )
    quests = [variant.id for variant in QUEST_GROUP.variants]
    chosen = [quests[i] for i in rng.permutation(len(quests))[: _pick(rng, (0, 2))]]
    return Game("kingdomino", side, (Table(kingdoms),), (AGE_OF_GIANTS.id, *chosen))


def queendomino_game(rng: np.random.Generator) -> Game:
    """Return Queendomino for two to four players: all dominoes, four at a time."""
    players = int(rng.integers(2, 5))
    side = 7 if players == 2 else 5
    lines = _lines(rng, QUEENDOMINO, 4)
    kept = draft(rng, lines, kingdoms=players, kings=2 if players == 2 else 1, side=side, care=CARELESS)
    return Game("queendomino", side, (Table(_with_pieces(rng, _kingdoms(kept))),))


def court_game(rng: np.random.Generator) -> Game:
    """Return Kingdomino, Age of Giants or Queendomino with court tiles, each paid with two or four resources."""
    game = _pick(rng, (kingdomino_game, giants_game, queendomino_game))(rng)
    pile = [*CHARACTERS, *(name for name, count in COURT_BUILDINGS.items() for _ in range(count))]
    pile = [pile[i] for i in rng.permutation(len(pile))]
    kingdoms, left = [], RESOURCE_TOKENS.count
    for kingdom in game.rounds[0].kingdoms:
        tiles, resources = _hold_court(rng, kingdom, pile)
        kingdoms.append(replace(kingdom, tokens=(*kingdom.tokens, *tiles, *resources[:left])))
        left = max(0, left - len(resources))
    return replace(game, rounds=(Table(tuple(kingdoms)),), variants=(*game.variants, THE_COURT.id))


def wedding_game(rng: np.random.Generator) -> Game:
    """Return a Royal Wedding for three to eight players, or for three or four pairs."""
    own_kingdoms = [(players, 7 if players < 5 else 5, False) for players in range(3, 9)]
    seats, side, teams = _pick(rng, [*own_kingdoms, (3, 7, True), (4, 7, True)])
    width = 4 if side == 7 and not teams else 8
    kings, queens = _lines(rng, ROYAL_WEDDING[:48], width), _lines(rng, ROYAL_WEDDING[48:], width)
    lines = [line for both in zip(queens, kings, strict=True) for line in both]
    kept = draft(rng, lines, kingdoms=seats, kings=2 if teams else 1, side=side, care=CARELESS)
    table = Table(_with_pieces(rng, _kingdoms(kept, teams=teams)))
    return Game("royal-wedding", side, (table,), teams=teams)


KINDS: Final[Mapping[str, Callable[[np.random.Generator], Game]]] = {
    "kingdomino": kingdomino_game,
    "dynasty": dynasty_game,
    "lost treasures": treasure_game,
    "the court": court_game,
    "age of giants": giants_game,
    "queendomino": queendomino_game,
    "royal wedding": wedding_game,
}
"""The kinds of game, each a function of a random generator."""


def _lines(rng: np.random.Generator, deck: Deck, width: int) -> list[list[Domino]]:
    order = rng.permutation(len(deck))
    return [[deck[i] for i in sorted(order[at : at + width])] for at in range(0, len(deck), width)]


def _kingdoms(kept: Sequence[PlayedKingdom], *, teams: bool = False) -> tuple[Kingdom, ...]:
    names = [f"{one} & {other}" for one, other in zip(PLAYERS[::2], PLAYERS[1::2], strict=True)] if teams else PLAYERS
    return tuple(
        Kingdom(played.board, name, discarded=len(played.discarded)) for played, name in zip(kept, names, strict=False)
    )


def _four_terrains(board: Board, corner: Square) -> bool:
    cells = [board.get(square) for square in Gem(JOKER, corner).squares]
    terrains = {cell.terrain for cell in cells if cell is not None} - {Terrain.CASTLE}
    return len(terrains) == len(cells)


def _gem(rng: np.random.Generator, kind: str) -> Gem:
    """Return a gem as all of its kind are printed."""
    if kind == JOKER:
        return Gem(kind, Square(0, 0), (1, 0, 0, 0))
    one, two, three = (int(n) for n in rng.integers(0, 3, 3))
    return Gem(kind, Square(0, 0), (1, one, two, three), int(rng.integers(4)))


def _hold_court(rng: np.random.Generator, kingdom: Kingdom, pile: list[str]) -> tuple[list[Token], list[Token]]:
    """Return the court tiles of a kingdom, taken from the pile, and the resources that are left."""
    board, built_on = kingdom.board, {built.square for built in kingdom.buildings}
    land = [square for square, cell in board.items() if cell.terrain is not Terrain.CASTLE]
    plain = [square for square in land if not board[square].crowns and square not in built_on]
    plain = [plain[i] for i in rng.permutation(len(plain))]
    resources = [square for square in plain if board[square].terrain in RESOURCES]
    tiles: dict[Square, str] = {}
    for _ in range(int(rng.integers(0, 6))):
        by_kind = {board[square].terrain: square for square in resources}
        price = [*by_kind.values()][: _pick(rng, (2, 4))]
        if len(price) not in (2, 4) or not pile:
            break
        resources = [square for square in resources if square not in price]
        free = [square for square in plain if square not in resources and square not in tiles]
        places = [one for one in free if pile[-1] in CHARACTERS or board[one].terrain.value == pile[-1][0]]
        if places:
            tiles[places[0]] = pile.pop()
    return (
        [Token(TILES.key, square, name, TILES.crowns[name]) for square, name in tiles.items()],
        [Token(RESOURCE_TOKENS.key, square) for square in resources],
    )


def _with_pieces(rng: np.random.Generator, kingdoms: Sequence[Kingdom]) -> tuple[Kingdom, ...]:
    """Return the kingdoms with buildings, knights, coins and towers, and the Queen for the most towers."""
    tiles = [tile for tile in BUILDINGS for _ in range(tile.count)]
    tiles = [tiles[i] for i in rng.permutation(len(tiles))]
    share = len(kingdoms)
    dealt = [_dealt(rng, kingdom, tiles, share) for kingdom in kingdoms]
    most = max(kingdom.towers for kingdom in dealt)
    host = _pick(rng, [i for i, kingdom in enumerate(dealt) if kingdom.towers == most])
    return tuple(
        Kingdom(k.board, k.player, k.buildings, k.knights, k.spare_knights, k.towers, k.coins, i == host and most > 0)
        for i, k in enumerate(dealt)
    )


def _dealt(rng: np.random.Generator, kingdom: Kingdom, tiles: list[Building], share: int) -> Kingdom:
    towns = [square for square, cell in kingdom.board.items() if cell.terrain is Terrain.TOWN]
    land = [square for square, cell in kingdom.board.items() if cell.terrain is not Terrain.CASTLE]
    built = []
    for square in towns:
        if tiles and rng.random() < 0.6:
            tile = tiles.pop()
            # Of several tiles of one effect only one has the known name.
            built.append(PlacedBuilding(square, replace(tile, name="")))
    standing = int(rng.integers(0, KNIGHTS // share // 2 + 1))
    knights = tuple(land[i] for i in sorted(rng.permutation(len(land))[:standing]))
    spare, towers = int(rng.integers(0, KNIGHTS // share // 2 + 1)), int(rng.integers(0, TOWERS // share + 1))
    if not built:  # towers and further knights come from buildings
        knights, towers = knights[:1], 0
        spare = 0 if knights else min(spare, 1)
    elif not knights:
        spare = max(spare, 1)
    coins = int(rng.integers(0, 174 // share + 1))
    return Kingdom(kingdom.board, kingdom.player, tuple(built), knights, spare, towers, coins)


def _pick(rng: np.random.Generator, choices: Sequence[_T]) -> _T:
    return choices[int(rng.integers(len(choices)))]
