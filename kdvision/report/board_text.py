"""A board and its points side by side, as text with styles for a terminal."""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Final, TypeAlias

from rich.text import Text

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.pieces import UNKNOWN
from kdvision.report.result import ScoredKingdom

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

HEADINGS: Final = ("territory", "squares", "crowns", "points")
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
    widths = [sum(len(text) for text, _ in line) for line in left]
    start = max(widths) + GAP_COLUMNS
    room = max_width - start
    if room < len(right[0][0]):
        return Text("\n").join(Text.assemble(*line) for line in [*left, *([part] for part in right)])
    wrapped = [(part, style) for text, style in right for part in (wrap(text, room) if len(text) > room else [text])]
    parts: list[tuple[str, str] | str] = []
    for row in range(max(len(left), len(wrapped))):
        parts += left[row] if row < len(left) else []
        if row < len(wrapped):
            parts += [" " * (start - (widths[row] if row < len(left) else 0)), wrapped[row]]
        parts.append("\n")
    return Text.assemble(*parts, no_wrap=True, end="")


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
        squares = [_format_square(board, Square(row, col), word, doubtful) for col, word in enumerate(words.split())]
        lines.append([(f"{row + 1:>2} ", "dim"), *squares])
    return lines


def _format_square(board: Board, square: Square, word: str, doubtful: set[Square]) -> tuple[str, str]:
    cell = board.get(square)
    mark = "?" if square in doubtful and word != UNKNOWN else ""
    return f" {word + mark:<3}", "dim" if cell is None else STYLES[cell.terrain]


def _list_point_lines(scored: ScoredKingdom) -> StyledLine:
    """Territories with points, most points first, then bonuses and the total; other territories on one line."""
    territories = [(line.territory, line.points) for line in scored.card.lines if line.territory is not None]
    rows: list[tuple[str, ...]] = [HEADINGS]
    rows += [
        (str(territory.terrain), str(len(territory.squares)), f"× {territory.crowns}", f"= {points}")
        for territory, points in sorted(territories, key=lambda pair: -pair[1])
        if points
    ]
    rows += [(line.label, "", "", f"= {line.points}") for line in scored.card.lines if line.territory is None]
    rows.append(("total", "", "", scored.total))
    heading, *body, total = _align_columns(rows)
    lines = [(heading, "bold"), ("─" * len(heading), ""), *((line, "") for line in body), ("", ""), (total, "bold")]
    worthless = [(str(territory.terrain), len(territory.squares)) for territory, points in territories if not points]
    if worthless:
        lines.append((f"without points{' so far' * scored.is_open}: {format_sizes(worthless)}", "dim"))
    return lines


def _align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as texts: the first column aligned left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(
            [row[0].ljust(widths[0]), *(word.rjust(wide) for word, wide in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
