"""Doors under fire: `python -m kdvision.lab.robustness.fuzz notation|game|photo [SECONDS]`, guided by the code that is reached.

Each target takes bytes and raises where a person would meet a bug: any exception but a KdvisionError with advice, or an
answer that contradicts itself. Atheris (pip install atheris) turns the bytes; it is no dependency, and tests turn them
with hypothesis.
"""

import gc
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Final

from kdvision.errors import KdvisionError
from kdvision.game.board import Board
from kdvision.game.rules import board_variants, make_rule_set
from kdvision.game.scoring import score
from kdvision.gamefile.model import parse_game
from kdvision.lab.robustness.hostile import good_files
from kdvision.report.build import build_board_result
from kdvision.report.game import format_game, game_to_dict
from kdvision.report.table import format_table
from kdvision.report.to_dict import result_to_dict
from kdvision.vision.image.photo import Photo

SECONDS: Final = 60
GAME: Final = b"""game = "queendomino"
variants = ["harmony"]
[[kingdom]]
player = "Ann"
board = '''
w w1 t
l #  t
'''
coins = 11
knights = ["A1"]
buildings = [{ at = "C1", name = "The Statue" }, { at = "C2", per_territory = "forest" }]
"""


def notation(content: bytes) -> None:
    """A board typed by hand: parsed, printed, scored and shown."""
    try:
        board = Board.parse(_text(content))
    except KdvisionError as error:
        return answered(error)
    assert Board.parse(str(board)) == board
    assert score(board, make_rule_set()).total >= 0
    result = build_board_result([board, board], make_rule_set(variants=[variant.id for variant in board_variants()]))
    json.dumps(result_to_dict(result), allow_nan=False)
    assert format_table(result)
    return None


def game(content: bytes) -> None:
    """A game file: read, scored, ranked and shown."""
    try:
        played = parse_game(_text(content))
        assert format_game(played, "the game", dominoes=True, clauses=True, width=100)
        json.dumps(game_to_dict(played, "the game"))
    except KdvisionError as error:
        answered(error)


def photo(content: bytes) -> None:
    """A picture file: opened, and all of its pixels looked at."""
    try:
        opened = Photo.open(content)
        assert opened.pixels.shape == (opened.height, opened.width, 3)
    except KdvisionError as error:
        answered(error)


def answered(error: KdvisionError) -> None:
    """Raise AssertionError for an error that leaves a person alone: without words, without advice, over many lines."""
    assert error.exit_code > 0
    assert str(error).strip()
    assert "\n" not in str(error).strip()
    assert error.hint or "expected" in str(error), str(error)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {"notation": notation, "game": game, "photo": photo}


def seeds(name: str) -> list[bytes]:
    """Good inputs to begin with."""
    if name == "photo":
        return list(good_files((96, 80)).values())
    return [GAME] if name == "game" else [b"w w1 f / l # f1 / l l g", b"t # g2 . ?"]


def _instrument(instrument: Callable[[FunctionType], object]) -> None:
    """Have it told which branches are taken in our own code and in the readers of pictures; elsewhere it would tell of
    Python's own library, at a tenth of the speed."""
    for function in [found for found in gc.get_objects() if isinstance(found, FunctionType)]:
        if (function.__module__ or "").startswith(("kdvision.", "PIL.", "tomllib")):
            instrument(function)


def main(arguments: Sequence[str]) -> int:
    """Fuzz one target for some seconds; 2 for wrong usage, 1 without atheris. A bug ends with atheris's own report."""
    if not arguments or arguments[0] not in TARGETS:
        print(f"usage: python -m kdvision.lab.robustness.fuzz {'|'.join(TARGETS)} [SECONDS]", file=sys.stderr)
        return 2
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install atheris", file=sys.stderr)
        return 1
    seconds = int(arguments[1]) if len(arguments) > 1 else SECONDS
    _instrument(atheris.instrument_func)
    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(seeds(arguments[0])):
            (Path(folder) / str(number)).write_bytes(content)
        options = [f"-max_total_time={seconds}", "-timeout=5", "-rss_limit_mb=1000", "-close_fd_mask=0", folder]
        atheris.Setup([sys.argv[0], *options], TARGETS[arguments[0]], enable_python_coverage=True)
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
