"""Results as text for a terminal: boards, points, doubts, problems and the standing."""

import io
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from textwrap import wrap
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from kdvision.game.board import Square, Terrain
from kdvision.game.kingdom import UNKNOWN
from kdvision.game.standing import Standing
from kdvision.report.doubt_effects import ScoredDoubt
from kdvision.report.pieces import describe_pieces
from kdvision.report.result import Result, ScoredKingdom
from kdvision.text import align_columns, capitalise, count_noun, replace_controls

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


MIN_TOTAL_PROBABILITY: Final = 0.01
"""Less probable totals are left out of the text; the JSON has them."""


def format_table(result: Result, *, width: int = 100, colour: bool = False) -> str:
    """Return the text of a result in lines of at most `width`, with terminal colours if `colour` is set."""
    count, rules = len(result.kingdoms), result.kingdoms[0].rule_set.name if result.kingdoms else ""
    heading = " · ".join(text for text in (result.photo, count_noun(count, "kingdom"), rules) if text)
    body: list[RenderableType] = [Text(heading, style="bold")]
    for number, entry in enumerate(result.kingdoms, start=1):
        title = [Text(format_title(entry, number), style="bold")] if count > 1 else []
        board = format_board_and_points(entry, max_width=width - 1)
        body.append(indent(*title, board, *map(format_note, _list_notes(entry, number))))
    if result.standing is not None:
        body.append(indent(*_format_places(result.standing), *map(format_note, _list_game_notes(result))))
    elif result.outlook:
        body.append(indent(Text(capitalise(result.outlook), style="bold")))
    has_unflagged = any(entry.reading is not None and not entry.review for entry in result.kingdoms)
    if has_unflagged and result.calibration is not None and result.calibration.guarantee:
        body.append(indent(Text(capitalise(result.calibration.guarantee), style="dim")))
    return render_text(Group(*body), width=width, colour=colour)


def format_combined(result: Result, *, width: int = 100, colour: bool = False) -> str:
    """Return the text of a game in several photos or rounds: its standing and what to check."""
    notes = [f"! {problem.text}" for problem in result.shared_problems]
    places = [] if result.standing is None else _format_places(result.standing)
    body = indent(*places, *map(format_note, [*notes, *_list_game_notes(result)]))
    return render_text(body, width=width, colour=colour)


def format_clauses(entry: ScoredKingdom, *, width: int = 100, colour: bool = False) -> str:
    """Return the text of a scorecard line by line: points, what they are for, and the rulebook clause."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(justify="right")
    for line in entry.point_range.lines:
        rows.add_row(str(line.points), line.label, Text(line.clause, style="dim"))
    rows.add_row(*(Text(word, style="bold") for word in (entry.total, "total", "")))
    heading = Text(f"{entry.kingdom.player}, line by line", style="bold")
    return render_text(indent(heading, rows), width=width, colour=colour)


def render_text(renderable: RenderableType, *, width: int, colour: bool) -> str:
    """Return the text that rich makes of a renderable, without trailing blanks and without control characters."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="256" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    segments = [
        Segment("\n".join(map(replace_controls, text.split("\n"))), style, control)
        for text, style, control in console.render(renderable)
    ]
    console.print(Segments(segments))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def format_board_and_points(entry: ScoredKingdom, *, max_width: int) -> Text:
    """Return the board with its points at the right, wrapped to `max_width`, or below it where there is no room.

    It is a single Text, because a rich table of texts takes twenty times as long.
    """
    board_lines, point_lines = list_board_lines(entry), _list_point_lines(entry)
    start = max(map(len, board_lines)) + GAP_COLUMNS
    room = max_width - start
    if room < len(point_lines[0]):
        return Text("\n").join([*board_lines, *point_lines])
    wrapped_lines = [Text(text, line.style) for line in point_lines for text in wrap(line.plain, room) or [""]]
    lines = [
        Text.assemble(board, " " * (start - len(board)), points)
        for board, points in zip_longest(board_lines, wrapped_lines, fillvalue=Text())
    ]
    return Text("\n", no_wrap=True).join(lines)


def format_sizes(territories: Iterable[tuple[str, int]]) -> str:
    """Return the sizes of territories (terrain, squares) by terrain, such as "wheat 2+1, lake 1"."""
    sizes: dict[str, list[int]] = {}
    for terrain, squares in territories:
        sizes.setdefault(terrain, []).append(squares)
    return ", ".join(
        f"{terrain} {'+'.join(map(str, sorted(counts, reverse=True)))}" for terrain, counts in sizes.items()
    )


def list_board_lines(entry: ScoredKingdom) -> list[Text]:
    """Return the squares with their column letters and row numbers, as `--fix` names them."""
    board, doubt_squares = entry.board, {doubt.square for doubt in entry.doubts}
    lines = [Text("   " + "".join(f" {Square(0, col).name[0]}  " for col in range(board.width)), "dim")]
    for row, words in enumerate(board.format_rows()):
        line = Text.assemble((f"{row + 1:>2} ", "dim"))
        for col, word in enumerate(words.split()):
            cell = board.get(Square(row, col))
            mark = "?" * (Square(row, col) in doubt_squares and word != UNKNOWN)
            line.append(f" {word + mark:<3}", "dim" if cell is None else STYLES[cell.terrain])
        lines.append(line)
    return lines


def _list_point_lines(entry: ScoredKingdom) -> list[Text]:
    """Return territories with points, most points first, then bonuses and the total; other territories on one line."""
    territories = [(line.territory, line.points) for line in entry.point_range.lines if line.territory is not None]
    territories.sort(key=lambda pair: -pair[1])
    rows = [("territory", "squares", "crowns", "points")]
    zero_sizes = []
    for territory, points in territories:
        terrain, size = str(territory.terrain), len(territory.squares)
        if points:
            rows.append((terrain, str(size), f"× {territory.crowns}", f"= {points}"))
        else:
            zero_sizes.append((terrain, size))
    rows += [(line.label, "", "", f"= {line.points}") for line in entry.point_range.lines if line.territory is None]
    heading, *body, total = align_columns([*rows, ("total", "", "", entry.total)], gap="   ")
    lines = [Text(heading, "bold"), Text("─" * len(heading)), *map(Text, body), Text(), Text(total, "bold")]
    if zero_sizes:
        lines.append(
            Text(f"without points{' so far' * (not entry.point_range.is_exact)}: {format_sizes(zero_sizes)}", "dim")
        )
    return lines


def indent(*renderables: RenderableType) -> RenderableType:
    """Return the renderables one below the other, after a blank line and one column to the right."""
    return Padding(Group(*renderables), (1, 0, 0, 1))


def format_note(note: str) -> Text:
    """Return the note in the colour of its kind: "?" begins what is uncertain, "!" a problem."""
    return Text(note, style={"?": "yellow", "!": "red"}.get(note[0], "dim"))


def format_title(entry: ScoredKingdom, number: int) -> str:
    """Return the name of a kingdom: its player's, or its number with its colour or place in the photo."""
    if entry.reading is None:
        return entry.kingdom.player
    label = f"kingdom {number} ({entry.reading.colour or entry.reading.place})"
    return f"{entry.player_name}: {label}" if entry.player_name else label


def _list_notes(entry: ScoredKingdom, number: int) -> Iterator[str]:
    """Yield what the photo shows of pieces, and what is uncertain, odd or missing in a kingdom."""
    if words := describe_pieces(entry.reading):
        yield f"seen: {words}"
    for doubt in entry.doubts:
        yield _describe_doubt(doubt, entry, number)
    first, *other_totals = entry.possible_totals
    total_texts = [f"{total} ({_format_percent(p)})" for total, _, p in other_totals if p >= MIN_TOTAL_PROBABILITY]
    if total_texts:
        percent = _format_percent(first.probability)
        yield f"? the total is {first.total} ({percent} sure); otherwise {', '.join(total_texts[:3])}"
    yield from list_problems(entry)
    if entry.is_open:
        yield f"? still missing: {'; '.join(fact.text for fact in entry.point_range.open_facts)}"


def _describe_doubt(doubt: ScoredDoubt, entry: ScoredKingdom, number: int) -> str:
    """Return the doubt and, if `--fix` knows its square by this name, the option that corrects it."""
    name, other, reading = doubt.square.name, name_cell(doubt.other_kind), entry.reading
    verb = "add " * (reading is not None and reading.frame_before_fixes is not None)
    has_fix = reading is None or reading.accepts_fix(doubt.square)
    fix = f": {verb}--fix {number}:{name}={doubt.other_kind}" if has_fix else ""
    effect = (
        f" and {doubt.verdict}" if doubt.changes_winner else " and the places change" * bool(doubt.changes_standing)
    )
    statement = f"? {name} {describe_reading(doubt)}"
    if entry.is_open:
        return f"{statement}; it may be {other}{fix}"
    if doubt.kind == UNKNOWN:
        more = " or more" * bool(doubt.board.unknown)
        return f"{statement}; as {other} the total would be {doubt.total}{more}{effect}{fix}"
    return f"{statement}; if it is {other}, the total is {doubt.total}{effect}{fix}"


def describe_reading(doubt: ScoredDoubt) -> str:
    """Return what is known of a doubtful square, in words."""
    if doubt.kind == UNKNOWN:
        return "is not known"
    return f"looks like {name_cell(doubt.kind)} ({100 * doubt.probability:.0f} % sure)"


def name_cell(word: str) -> str:
    """Return the content of a square in words."""
    return "nothing" if word == "." else word


def _format_percent(probability: float) -> str:
    """Return the probability in whole percent, from 1 % to 99 %."""
    return f"{min(max(round(100 * probability), 1), 99)} %"


def list_problems(entry: ScoredKingdom) -> list[str]:
    """Return the problems of a kingdom, or the advice to compare the board with the table."""
    if entry.reading is not None and entry.reading.review and not entry.doubts and not entry.problems:
        return [f"? this board is only {100 * entry.probability:.0f} % sure: compare it with the table"]
    return [f"! {problem.text}" for problem in entry.problems]


def _list_game_notes(result: Result) -> Iterator[str]:
    """Yield the doubtful square that decides the game or a place, and the count of the dominoes."""
    doubt = result.first_question
    if doubt is not None and doubt.changes_standing:
        effect = doubt.verdict if doubt.changes_winner else "the places change"
        consequence = "decides the game" if doubt.changes_winner else "decides a place"
        player = result.kingdoms[doubt.kingdom].player_name or f"kingdom {doubt.kingdom + 1}"
        yield (
            f"? Look first at {player}, {doubt.square.name}: it {consequence}."
            f" If it is {name_cell(doubt.other_kind)}, {effect}"
        )
    inventory = result.inventory
    is_typed = all(entry.reading is None for entry in result.kingdoms)
    # The problems of typed boards, and of the kingdoms of several photos, say what is wrong.
    if inventory is not None and not is_typed and not (inventory.excess and result.photo is None):
        yield f"{'! ' if inventory.excess else ''}{capitalise(str(inventory))}"


def _format_places(standing: Standing) -> list[RenderableType]:
    """Return the verdict, and the players from first to last."""
    rows = Table.grid(padding=(0, 2))
    for place in standing.places:
        rows.add_row(f"{place.place}.", place.player, count_noun(place.total, "point"), Text(place.reason, style="dim"))
    return [Text(capitalise(standing.reason), style="bold"), rows]
