"""Simulated whole games of every kind end with tables that have no problems."""

import os
from collections import Counter
from functools import cache

import numpy as np
import pytest

from kdvision.game.board import Board, Cell, Terrain
from kdvision.game.game import Game
from kdvision.game.legality import find_problems
from kdvision.game.rules.the_court import TILES
from kdvision.gamefile.model import parse_game
from kdvision.gamefile.write import write_game_text
from tests.game.rules.simulated_games import KINDS

GAME_COUNT = int(os.environ.get("KDVISION_GAMES", "100"))
"""The number of games of each kind. A thousand pass too, but take longer than all other tests of rules."""


@cache
def play_games(kind: str) -> list[Game]:
    rng = np.random.default_rng(20161029)
    return [KINDS[kind](rng) for _ in range(GAME_COUNT)]


@pytest.mark.parametrize("kind", KINDS)
def test_whole_games_have_no_problems(kind: str) -> None:
    for game in play_games(kind):
        for table in game.rounds:
            problems = game.find_problems(table)
            assert not problems, f"{problems}\n{write_game_text(game)}"


@pytest.mark.parametrize("kind", KINDS)
def test_whole_games_survive_their_files(kind: str) -> None:
    for game in play_games(kind)[:40]:
        assert parse_game(write_game_text(game)) == game


@pytest.mark.parametrize("kind", KINDS)
def test_whole_games_have_winners(kind: str) -> None:
    for game in play_games(kind)[:100]:
        places = game.standing.places
        assert game.standing.winners
        assert sorted(place.index for place in places) == list(range(len(places)))
        if len(game.rounds) == 1 and not any(map(game.rule_set.outright_win, game.rounds[0].kingdoms)):
            assert [place.total for place in places] == sorted((place.total for place in places), reverse=True)


def test_the_games_cover_all_cases() -> None:
    sides = Counter((game.side, len(game.rounds[0].kingdoms)) for game in play_games("kingdomino"))
    assert sides.keys() == {(5, 2), (5, 3), (5, 4), (7, 2)}
    weddings = Counter((game.side, len(game.rounds[0].kingdoms), game.teams) for game in play_games("royal wedding"))
    assert len(weddings) == 8
    kingdoms = [kingdom for game in play_games("queendomino") for kingdom in game.rounds[0].kingdoms]
    assert {len(kingdom.buildings) > 2 for kingdom in kingdoms} == {True, False}
    assert any(kingdom.queen and kingdom.knights and kingdom.spare_knights for kingdom in kingdoms)
    gems = [gem for game in play_games("lost treasures") for kingdom in game.rounds[0].kingdoms for gem in kingdom.gems]
    assert len({gem.kind for gem in gems}) == 6
    giants = Counter(
        (game.side, len(game.rounds[0].kingdoms), len(game.variants)) for game in play_games("age of giants")
    )
    assert len(giants) == 8
    assert any(len(kingdom.tokens) > 1 for game in play_games("age of giants") for kingdom in game.rounds[0].kingdoms)
    assert {gem.turned for gem in gems} == {0, 1, 2, 3}
    court_games = play_games("the court")
    assert {(game.kind, "age-of-giants" in game.variants) for game in court_games} == {
        ("kingdomino", False),
        ("kingdomino", True),
        ("queendomino", False),
    }
    tiles = {
        token.name
        for game in court_games
        for kingdom in game.rounds[0].kingdoms
        for token in kingdom.list_tokens("court")
    }
    assert tiles == TILES.crowns.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_rotated_and_mirrored_boards_have_no_problems(kind: str) -> None:
    for game in play_games(kind)[:60]:
        for kingdom in game.rounds[0].kingdoms:
            for board in (kingdom.board.rotate(), kingdom.board.mirror(), kingdom.board.rotate(3).mirror()):
                assert find_problems(board, game.rule_set.deck, side=game.side) == ()


def make_illegal_boards(board: Board) -> list[Board]:
    """Return boards with one square changed to a cell that no box has beside its neighbours."""
    illegal_cells = (Cell(Terrain.MINE, 9), Cell(Terrain.WHEAT, 7), Cell(Terrain.CASTLE), None)
    squares = [square for square, cell in board.items() if cell.terrain is not Terrain.CASTLE][::7]
    return [board.with_cells({square: cell}) for square in squares for cell in illegal_cells]


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_square_that_no_box_has_is_reported(kind: str) -> None:
    for game in play_games(kind)[:20]:
        for illegal_board in make_illegal_boards(game.rounds[0].kingdoms[0].board):
            assert find_problems(illegal_board, game.rule_set.deck, side=game.side)
