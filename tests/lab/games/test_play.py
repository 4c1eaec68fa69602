"""Simulated games are legal by a second implementation of the rules that shares no code with the simulation."""

from collections import Counter

import numpy as np
import pytest

from kdvision.game.board import Cell, Square, Terrain
from kdvision.game.deck import KINGDOMINO
from kdvision.lab.games.play import PlayedKingdom, play

GAMES = [(2, 5), (3, 5), (4, 5), (2, 7)]
DOMINOES_IN_PLAY = {(2, 5): 24, (3, 5): 36, (4, 5): 48, (2, 7): 48}


def replay(kingdom: PlayedKingdom, side: int) -> None:
    """Place the dominoes one by one and fail at the first illegal one."""
    table: dict[Square, Cell] = {Square(0, 0): Cell(Terrain.CASTLE)}
    for domino, left, right in kingdom.placements:
        assert abs(left.row - right.row) + abs(left.col - right.col) == 1
        assert left not in table and right not in table
        joins = [
            table[neighbour].terrain in (Terrain.CASTLE, cell.terrain)
            for square, cell in ((left, domino.left), (right, domino.right))
            for neighbour in square.list_neighbours()
            if neighbour in table
        ]
        assert any(joins), f"domino {domino} joins nothing"
        table[left], table[right] = domino.left, domino.right
        assert max(s.row for s in table) - min(s.row for s in table) < side
        assert max(s.col for s in table) - min(s.col for s in table) < side
    first_row, first_col = kingdom.top_left
    assert {Square(s.row + first_row, s.col + first_col): cell for s, cell in kingdom.board.items()} == table


@pytest.mark.parametrize(("players", "side"), GAMES)
def test_games_are_legal_and_use_each_domino_once(players: int, side: int) -> None:
    rng = np.random.default_rng(players * 10 + side)
    for _ in range(10):
        kingdoms = play(rng, players=players, side=side)
        assert len(kingdoms) == players
        for kingdom in kingdoms:
            replay(kingdom, side)
            assert len(kingdom.placements) + len(kingdom.discards) == DOMINOES_IN_PLAY[players, side] // players
        uses = Counter(d.number for k in kingdoms for d in (*(p.domino for p in k.placements), *k.discards))
        assert set(uses.values()) == {1}
        assert sum(uses.values()) == DOMINOES_IN_PLAY[players, side]
        assert set(uses) <= {domino.number for domino in KINGDOMINO}


@pytest.mark.parametrize(("players", "dominoes_a_turn"), [(2, 2), (3, 1), (4, 1)])
def test_stopping_early_leaves_the_dominoes_of_the_turns_played(players: int, dominoes_a_turn: int) -> None:
    for kingdom in play(np.random.default_rng(3), players=players, side=5, turns=3):
        assert len(kingdom.placements) + len(kingdom.discards) == 3 * dominoes_a_turn


def test_no_turns_leave_bare_castles() -> None:
    assert [str(k.board) for k in play(np.random.default_rng(0), players=2, turns=0)] == ["#", "#"]


def test_the_seed_decides_the_game() -> None:
    def play_game(seed: int) -> list[str]:
        return [str(k.board) for k in play(np.random.default_rng(seed), players=4)]

    assert play_game(5) == play_game(5)
    assert play_game(5) != play_game(6)


def test_stopping_early_is_the_start_of_the_same_game() -> None:
    early_kingdoms = play(np.random.default_rng(8), players=3, turns=5)
    late_kingdoms = play(np.random.default_rng(8), players=3)
    assert all(
        early_kingdom.placements == late_kingdom.placements[: len(early_kingdom.placements)]
        for early_kingdom, late_kingdom in zip(early_kingdoms, late_kingdoms, strict=True)
    )


def test_territories_grow_as_in_play() -> None:
    """In real kingdoms most squares touch one of their own terrain; on shuffled boards few do."""
    rng = np.random.default_rng(1)
    boards = [k.board for _ in range(10) for k in play(rng, players=4)]
    touches_own_terrain = [
        any(neighbour in board and board[neighbour].terrain is cell.terrain for neighbour in square.list_neighbours())
        for board in boards
        for square, cell in board.items()
        if cell.terrain is not Terrain.CASTLE
    ]
    assert np.mean(touches_own_terrain) > 0.75


def test_five_players_are_refused() -> None:
    with pytest.raises(ValueError, match="2 to 4 players"):
        play(np.random.default_rng(0), players=5)
