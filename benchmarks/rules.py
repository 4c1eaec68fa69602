"""Boards of 7x7 from simulated games: notation, score, legality."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.measurement import Measurement, time_best
from benchmarks.photos import time_decoding
from kdvision.game.board import Board, Terrain
from kdvision.game.deck import KINGDOMINO
from kdvision.game.dominoes import name_game_dominoes
from kdvision.game.kingdom import Kingdom, Token
from kdvision.game.legality import find_problems
from kdvision.game.rules import VARIANTS, make_rule_set
from kdvision.game.rules.age_of_giants import GIANTS
from kdvision.game.rules.the_court import RESOURCE_TOKENS, TILES
from kdvision.game.scoring import score
from kdvision.game.tiling import make_puzzle
from kdvision.lab.games.play import play


def place_tokens(board: Board) -> Kingdom:
    """Return a kingdom full of giants, court tiles and resources."""
    crowned_squares = [square for square, cell in board.items() if cell.crowns]
    plain_squares = [square for square, cell in board.items() if not cell.crowns and cell.terrain is not Terrain.CASTLE]
    tokens = [Token(GIANTS.key, square, crowns=-1) for square in crowned_squares[: GIANTS.count]]
    tokens += [
        Token(TILES.key, square, name, crowns)
        for square, (name, crowns) in zip(plain_squares, TILES.crowns.items(), strict=False)
    ]
    tokens += [Token(RESOURCE_TOKENS.key, square) for square in plain_squares[len(TILES.crowns) :]]
    return Kingdom(board, tokens=tuple(tokens))


def measure_rules() -> Iterator[Measurement]:
    """Yield the times for one board. Each run parses the boards anew, so that no cache helps."""
    rng = np.random.default_rng(7)
    texts = [str(kingdom.board) for _ in range(40) for kingdom in play(rng, players=2, side=7)]
    rules = make_rule_set(side=7, variants=["middle-kingdom", "harmony"])
    expansion_rules = make_rule_set(side=7, variants=[variant.id for variant in VARIANTS])

    def time_boards(task: Callable[[Board], object]) -> float:
        def run() -> None:
            make_puzzle.cache_clear()
            for text in texts:
                task(Board.parse(text))

        return time_best(run) / len(texts)

    parsing = time_boards(lambda board: board)
    for name, limit, task in (
        ("score", 0.2, lambda board: score(board, rules)),
        ("score and check", 2.0, lambda board: (score(board, rules), find_problems(board, KINGDOMINO))),
        ("name the dominoes of", None, lambda board: name_game_dominoes([board], KINGDOMINO)),
        ("score with giants and the court", 0.5, lambda board: score(place_tokens(board), expansion_rules)),
    ):
        value = max(0.0, time_boards(task) - parsing)
        yield Measurement(f"{name} a 7x7 board", value, limit=limit, ratio=value / time_decoding())
    yield Measurement("parse a 7x7 board", parsing, ratio=parsing / time_decoding())
