"""A board and its points side by side, as text with styles for a terminal."""

from collections.abc import Iterable
from itertools import zip_longest
from textwrap import wrap
from typing import Final, TypeAlias

from rich.text import Text

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.pieces import UNKNOWN
from kdvision.report.result import ScoredKingdom
from kdvision.text import align_columns

STYLES: Final = {
    Terrain.WHEAT: "black on #e8c547",
    Terrain.FOREST: "white on #1f6b3a",
    Terrain.LAKE: "white on #2f74c8",
    Terrain.GRASS: "black on #9ccc58",
    Terrain.SWAMP: "black on #b5a382",
    Terrain.MINE: "white on #4a4346",
    Terrain.TOWN: "white on #a8483c",
    Terrain.CASTLE: "bold black on #d9d9d9",
}
"""Style of each terrain. The letters alone say everything, so no information is lost without colours."""

GAP_COLUMNS: Final = 4
"""Blank columns between a board and its points."""

StyledLine: TypeAlias = list[tuple[str, str]]
"""A line as parts, each a text and its style."""


def format_board_and_points(scored: ScoredKingdom, *, max_width: int) -> Text:
    """The board with its points at the right, wrapped to `max_width`, or below it where there is no room.

    It is a single Text, because a rich table of texts takes twenty times as long.
    """
    left = list_board_lines(scored.board, {doubt.square for doubt in scored.doubts})
    right = _list_point_lines(scored)
    start = max(map(_measure, left)) + GAP_COLUMNS
    room = max_width - start
    if room < len(right[0][0]):
        return Text("\n").join(Text.assemble(*line) for line in [*left, *([part] for part in right)])
    wrapped = [[(part, style)] for text, style in right for part in (wrap(text, room) if len(text) > room else [text])]
    lines: StyledLine = []
    nothing: StyledLine = []
    for board, points in zip_longest(left, wrapped, fillvalue=nothing):
        gap = [(" " * (start - _measure(board)), "")] if points else []
        lines += [*board, *gap, *points, ("\n", "")]
    return Text.assemble(*lines, no_wrap=True, end="")


def _measure(line: StyledLine) -> int:
    return sum(len(text) for text, _ in line)


def format_sizes(territories: Iterable[tuple[str, int]]) -> str:
    """The sizes of territories (terrain, squares) by terrain, such as "wheat 2+1, lake 1"."""
    sizes: dict[str, list[int]] = {}
    for terrain, squares in territories:
        sizes.setdefault(terrain, []).append(squares)
    return ", ".join(f"{terrain} {'+'.join(map(str, sorted(found, reverse=True)))}" for terrain, found in sizes.items())


def list_board_lines(board: Board, doubtful: set[Square]) -> list[StyledLine]:
    """The squares with their column letters and row numbers, as `--fix` names them."""
    lines: list[StyledLine] = [[("   " + "".join(f" {Square(0, col).name[0]}  " for col in range(board.width)), "dim")]]
    for row, words in enumerate(board.rows()):
        line = [(f"{row + 1:>2} ", "dim")]
        for col, word in enumerate(words.split()):
            cell = board.get(Square(row, col))
            mark = "?" * (Square(row, col) in doubtful and word != UNKNOWN)
            line.append((f" {word + mark:<3}", "dim" if cell is None else STYLES[cell.terrain]))
        lines.append(line)
    return lines


def _list_point_lines(scored: ScoredKingdom) -> StyledLine:
    """Territories with points, most points first, then bonuses and the total; other territories on one line."""
    territories = [(line.territory, line.points) for line in scored.card.lines if line.territory is not None]
    territories.sort(key=lambda pair: -pair[1])
    heading, *body, total = align_columns(
        [
            ("territory", "squares", "crowns", "points"),
            *(
                (str(territory.terrain), str(len(territory.squares)), f"× {territory.crowns}", f"= {points}")
                for territory, points in territories
                if points
            ),
            *((line.label, "", "", f"= {line.points}") for line in scored.card.lines if line.territory is None),
            ("total", "", "", scored.total),
        ],
        gap="   ",
    )
    lines = [(heading, "bold"), ("─" * len(heading), ""), *((line, "") for line in body), ("", ""), (total, "bold")]
    worthless = [(str(territory.terrain), len(territory.squares)) for territory, points in territories if not points]
    if worthless:
        lines.append((f"without points{' so far' * scored.is_open}: {format_sizes(worthless)}", "dim"))
    return lines
