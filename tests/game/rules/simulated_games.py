"""Simulated games of every kind, with their pieces, for tests of the rules.

`lab.games.play` drafts and places the dominoes; the functions here add the pieces. Every table is a legal end of a
game.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.deck import QUEENDOMINO, ROYAL_WEDDING, Deck, Domino
from kdvision.game.game import Game
from kdvision.game.kingdom import JOKER, Building, Gem, Kingdom, PlacedBuilding, Table, Token
from kdvision.game.rules import list_board_variants, make_rule_set
from kdvision.game.rules.age_of_giants import AGE_OF_GIANTS
from kdvision.game.rules.harmony import HARMONY
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.rules.queendomino import BUILDINGS, KNIGHTS, TOWERS
from kdvision.game.rules.quests import QUEST_GROUP
from kdvision.game.rules.the_court import BUILDINGS as COURT_BUILDINGS
from kdvision.game.rules.the_court import CHARACTERS, RESOURCE_TOKENS, RESOURCES, THE_COURT, TILES
from kdvision.lab.games.play import PlayedKingdom, play, play_draft

CARELESS_PLAY: Final = (0.0, 0.0)
PLAYERS: Final = ("Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal")
TOKENS: Final = (*(kind for kind in ("ruby", "emerald", "sapphire", "topaz", "opal") for _ in range(3)), JOKER)

_T = TypeVar("_T")


def make_kingdomino_game(rng: np.random.Generator) -> Game:
    """Return a game for two to four players, or a Mighty Duel, with any of the variants."""
    players, side = _pick(rng, ((2, 5), (3, 5), (4, 5), (2, 7)))
    played_kingdoms = play(rng, players=players, side=side, care=CARELESS_PLAY)
    variants = [
        variant.id
        for variant in list_board_variants()
        if not variant.group and not variant.facts and rng.random() < 0.5
    ]
    return Game("kingdomino", side, (Table(_make_kingdoms(played_kingdoms)),), tuple(variants))


def make_dynasty_game(rng: np.random.Generator) -> Game:
    """Return three rounds of the same players."""
    players = int(rng.integers(2, 5))
    rounds = tuple(Table(_make_kingdoms(play(rng, players=players, care=CARELESS_PLAY))) for _ in range(3))
    return Game("kingdomino", 5, rounds, (HARMONY.id,))


def make_treasure_game(rng: np.random.Generator) -> Game:
    """Return Kingdomino with gems on some of the crossings where four terrains meet."""
    game = make_kingdomino_game(rng)
    tokens = [TOKENS[i] for i in rng.permutation(len(TOKENS))]
    open_gems, tokens = tuple(tokens[:2]), tokens[2:]
    gem_of_kind = {kind: _make_gem(rng, kind) for kind in sorted({*TOKENS})}
    kingdoms = []
    for kingdom in game.rounds[0].kingdoms:
        crossings = [crossing for crossing in kingdom.board if _joins_four_terrains(kingdom.board, crossing)]
        gems = tuple(
            replace(gem_of_kind[tokens.pop()], crossing=crossing, turned=int(rng.integers(4)))
            for crossing in crossings
            if tokens and rng.random() < 0.5
        )
        kingdoms.append(Kingdom(kingdom.board, kingdom.player, gems=gems, discarded=kingdom.discarded))
    return Game("kingdomino", game.side, (Table(tuple(kingdoms), open_gems),), (*game.variants, LOST_TREASURES.id))


def make_giants_game(rng: np.random.Generator) -> Game:
    """Return a game of Age of Giants for two to five players, with two quests or none."""
    players, side = _pick(rng, ((2, 7), (3, 5), (4, 5), (5, 5)))
    deck = make_rule_set(variants=[AGE_OF_GIANTS.id]).deck
    removed_places = {2: (2,), 3: (1, 3), 4: (2,), 5: ()}[players]
    lines = [
        [domino for place, domino in enumerate(line) if place not in removed_places]
        for line in _draw_lines(rng, deck, 5)
    ]
    played_kingdoms = play_draft(
        rng, lines, kingdoms=players, kings=2 if players == 2 else 1, side=side, care=CARELESS_PLAY
    )
    giant_count = sum(
        str(placement.domino.number).isalpha()
        for played_kingdom in played_kingdoms
        for placement in played_kingdom.placements
    )
    crowns = [
        (number, square)
        for number, played_kingdom in enumerate(played_kingdoms)
        for square, cell in played_kingdom.board.items()
        for _ in range(cell.crowns)
    ]
    giant_crowns = [crowns[i] for i in rng.permutation(len(crowns))[:giant_count]]
    kingdoms = tuple(
        replace(
            kingdom, tokens=tuple(Token("giants", square, "", -1) for owner, square in giant_crowns if owner == number)
        )
        for number, kingdom in enumerate(_make_kingdoms(played_kingdoms))
    )
    quests = [variant.id for variant in QUEST_GROUP.variants]
    drawn_quests = [quests[i] for i in rng.permutation(len(quests))[: _pick(rng, (0, 2))]]
    return Game("kingdomino", side, (Table(kingdoms),), (AGE_OF_GIANTS.id, *drawn_quests))


def make_queendomino_game(rng: np.random.Generator) -> Game:
    """Return Queendomino for two to four players: all dominoes, four at a time."""
    players = int(rng.integers(2, 5))
    side = 7 if players == 2 else 5
    lines = _draw_lines(rng, QUEENDOMINO, 4)
    played_kingdoms = play_draft(
        rng, lines, kingdoms=players, kings=2 if players == 2 else 1, side=side, care=CARELESS_PLAY
    )
    return Game("queendomino", side, (Table(_deal_pieces(rng, _make_kingdoms(played_kingdoms))),))


def make_court_game(rng: np.random.Generator) -> Game:
    """Return Kingdomino, Age of Giants or Queendomino with court tiles, each paid with two or four resources."""
    game = _pick(rng, (make_kingdomino_game, make_giants_game, make_queendomino_game))(rng)
    pile = [*CHARACTERS, *(name for name, count in COURT_BUILDINGS.items() for _ in range(count))]
    pile = [pile[i] for i in rng.permutation(len(pile))]
    kingdoms, resources_left = [], RESOURCE_TOKENS.count
    for kingdom in game.rounds[0].kingdoms:
        tiles, resources = _buy_court_tiles(rng, kingdom, pile)
        kingdoms.append(replace(kingdom, tokens=(*kingdom.tokens, *tiles, *resources[:resources_left])))
        resources_left = max(0, resources_left - len(resources))
    return replace(game, rounds=(Table(tuple(kingdoms)),), variants=(*game.variants, THE_COURT.id))


def make_wedding_game(rng: np.random.Generator) -> Game:
    """Return a Royal Wedding for three to eight players, or for three or four pairs."""
    single_formats = [(players, 7 if players < 5 else 5, False) for players in range(3, 9)]
    seats, side, teams = _pick(rng, [*single_formats, (3, 7, True), (4, 7, True)])
    width = 4 if side == 7 and not teams else 8
    kings, queens = _draw_lines(rng, ROYAL_WEDDING[:48], width), _draw_lines(rng, ROYAL_WEDDING[48:], width)
    lines = [line for line_pair in zip(queens, kings, strict=True) for line in line_pair]
    played_kingdoms = play_draft(rng, lines, kingdoms=seats, kings=2 if teams else 1, side=side, care=CARELESS_PLAY)
    table = Table(_deal_pieces(rng, _make_kingdoms(played_kingdoms, teams=teams)))
    return Game("royal-wedding", side, (table,), teams=teams)


KINDS: Final[Mapping[str, Callable[[np.random.Generator], Game]]] = {
    "kingdomino": make_kingdomino_game,
    "dynasty": make_dynasty_game,
    "lost treasures": make_treasure_game,
    "the court": make_court_game,
    "age of giants": make_giants_game,
    "queendomino": make_queendomino_game,
    "royal wedding": make_wedding_game,
}
"""The kinds of game, each a function of a random generator."""


def _draw_lines(rng: np.random.Generator, deck: Deck, width: int) -> list[list[Domino]]:
    order = rng.permutation(len(deck))
    return [[deck[i] for i in sorted(order[start : start + width])] for start in range(0, len(deck), width)]


def _make_kingdoms(played_kingdoms: Sequence[PlayedKingdom], *, teams: bool = False) -> tuple[Kingdom, ...]:
    names = [" & ".join(pair) for pair in zip(PLAYERS[::2], PLAYERS[1::2], strict=True)] if teams else PLAYERS
    return tuple(
        Kingdom(played_kingdom.board, name, discarded=len(played_kingdom.discards))
        for played_kingdom, name in zip(played_kingdoms, names, strict=False)
    )


def _joins_four_terrains(board: Board, corner: Square) -> bool:
    cells = [board.get(square) for square in Gem(JOKER, corner).squares]
    terrains = {cell.terrain for cell in cells if cell is not None} - {Terrain.CASTLE}
    return len(terrains) == len(cells)


def _make_gem(rng: np.random.Generator, kind: str) -> Gem:
    """Return the gem of a kind, with random crowns and a random skull; the joker has one crown and no skull."""
    if kind == JOKER:
        return Gem(kind, Square(0, 0), (1, 0, 0, 0))
    second, third, fourth = (int(n) for n in rng.integers(0, 3, 3))
    return Gem(kind, Square(0, 0), (1, second, third, fourth), int(rng.integers(4)))


def _buy_court_tiles(rng: np.random.Generator, kingdom: Kingdom, pile: list[str]) -> tuple[list[Token], list[Token]]:
    """Return the court tiles of a kingdom, taken from the pile, and the resources that are left."""
    board, building_squares = kingdom.board, {building.square for building in kingdom.buildings}
    land = [square for square, cell in board.items() if cell.terrain is not Terrain.CASTLE]
    free_squares = [square for square in land if not board[square].crowns and square not in building_squares]
    free_squares = [free_squares[i] for i in rng.permutation(len(free_squares))]
    resources = [square for square in free_squares if board[square].terrain in RESOURCES]
    tiles: dict[Square, str] = {}
    for _ in range(int(rng.integers(0, 6))):
        by_kind = {board[square].terrain: square for square in resources}
        price = [*by_kind.values()][: _pick(rng, (2, 4))]
        if len(price) not in (2, 4) or not pile:
            break
        resources = [square for square in resources if square not in price]
        tile_squares = [square for square in free_squares if square not in resources and square not in tiles]
        places = [
            square for square in tile_squares if pile[-1] in CHARACTERS or board[square].terrain.value == pile[-1][0]
        ]
        if places:
            tiles[places[0]] = pile.pop()
    return (
        [Token(TILES.key, square, name, TILES.crowns[name]) for square, name in tiles.items()],
        [Token(RESOURCE_TOKENS.key, square) for square in resources],
    )


def _deal_pieces(rng: np.random.Generator, kingdoms: Sequence[Kingdom]) -> tuple[Kingdom, ...]:
    """Return the kingdoms with buildings, knights, coins and towers, and the Queen for the most towers."""
    tiles = [tile for tile in BUILDINGS for _ in range(tile.count)]
    tiles = [tiles[i] for i in rng.permutation(len(tiles))]
    share = len(kingdoms)
    dealt_kingdoms = [_deal_kingdom_pieces(rng, kingdom, tiles, share) for kingdom in kingdoms]
    max_towers = max(kingdom.towers for kingdom in dealt_kingdoms)
    host = _pick(rng, [i for i, kingdom in enumerate(dealt_kingdoms) if kingdom.towers == max_towers])
    return tuple(
        Kingdom(
            k.board, k.player, k.buildings, k.knights, k.spare_knights, k.towers, k.coins, i == host and max_towers > 0
        )
        for i, k in enumerate(dealt_kingdoms)
    )


def _deal_kingdom_pieces(rng: np.random.Generator, kingdom: Kingdom, tiles: list[Building], share: int) -> Kingdom:
    towns = [square for square, cell in kingdom.board.items() if cell.terrain is Terrain.TOWN]
    land = [square for square, cell in kingdom.board.items() if cell.terrain is not Terrain.CASTLE]
    buildings = []
    for square in towns:
        if tiles and rng.random() < 0.6:
            tile = tiles.pop()
            # Of several tiles of one effect only one has the known name.
            buildings.append(PlacedBuilding(square, replace(tile, name="")))
    placed_knight_count = int(rng.integers(0, KNIGHTS // share // 2 + 1))
    knights = tuple(land[i] for i in sorted(rng.permutation(len(land))[:placed_knight_count]))
    spare_knights, towers = int(rng.integers(0, KNIGHTS // share // 2 + 1)), int(rng.integers(0, TOWERS // share + 1))
    if not buildings:  # towers and further knights come from buildings
        knights, towers = knights[:1], 0
        spare_knights = 0 if knights else min(spare_knights, 1)
    elif not knights:
        spare_knights = max(spare_knights, 1)
    coins = int(rng.integers(0, 174 // share + 1))
    return Kingdom(kingdom.board, kingdom.player, tuple(buildings), knights, spare_knights, towers, coins)


def _pick(rng: np.random.Generator, choices: Sequence[_T]) -> _T:
    return choices[int(rng.integers(len(choices)))]
