"""The result as a person reads it in a terminal: boards, territories, bonuses, doubts, standing."""

import io
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Final, TypeAlias

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kdvision.game.board import Board, Square, Terrain
from kdvision.game.inventory import Inventory
from kdvision.game.scoring import Line
from kdvision.game.standing import Standing
from kdvision.report.doubt_effects import UNKNOWN, Question, ScoredDoubt
from kdvision.report.pieces import describe_pieces
from kdvision.report.result import CombinedResult, Result, ScoredKingdom

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
"""Colours help the eye; the letters say it all without them."""

HEADINGS: Final = ("territory", "squares", "crowns", "points")
GAP: Final = 4
"""Blanks between a board and its points."""

Parts: TypeAlias = list[tuple[str, str]]
"""A line in parts: words and their style."""

WORTH_TELLING: Final = 0.01
"""Totals less likely than this are left out of the table; the JSON has them."""


def format_table(result: Result, *, width: int = 100, colour: bool = False) -> str:
    """The text of a result, lines of at most `width`, with terminal colours if asked for."""
    several = len(result.kingdoms) > 1
    numbered = enumerate(result.kingdoms, start=1)
    parts = [_kingdom(scored, number if several else None, room=width - 1) for number, scored in numbered]
    body: list[RenderableType] = [Text(_heading(result), style="bold"), *parts]
    if result.standing is not None:
        body.append(_standing(result.standing))
        body += [
            Padding(line, (0, 0, 0, 1))
            for line in [*_first(result.questions, _players(result)), *_box(_photographed(result))]
        ]
    elif result.outlook:
        body.append(Padding(Text(_sentence(result.outlook), style="bold"), (1, 0, 0, 1)))
    if (promise := _promise(result)) is not None:
        body.append(Padding(promise, (1, 0, 0, 1)))
    return render_text(Group(*body), width=width, colour=colour)


def format_standing(standing: Standing, *, width: int = 100, colour: bool = False) -> str:
    """The text of a standing over several rounds."""
    return render_text(_standing(standing), width=width, colour=colour)


def format_combined(game: CombinedResult, *, width: int = 100, colour: bool = False) -> str:
    """The text of what kingdoms of several photos are together."""
    twins = [
        Text(f"! {one} and {two} show the same kingdom: is it one photo?", style="red") for one, two in game.identical
    ]
    lines = [*twins, *_first(game.questions, game.players), *_box(game.inventory)]
    parts = [_standing(game.standing), *(Padding(line, (0, 0, 0, 1)) for line in lines)]
    return render_text(Group(*parts), width=width, colour=colour)


def format_clauses(scored: ScoredKingdom, *, width: int = 100, colour: bool = False) -> str:
    """The text of one scorecard line by line: points, what for, and the clause of the rulebooks."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(justify="right")
    for line in scored.card.lines:
        rows.add_row(str(line.points), line.label, Text(line.clause, style="dim"))
    rows.add_row(*(Text(word, style="bold") for word in (scored.total, "total", "")))
    heading = Text(f"{scored.kingdom.player}, line by line", style="bold")
    return render_text(Padding(Group(heading, rows), (1, 0, 0, 1)), width=width, colour=colour)


def render_text(what: RenderableType, *, width: int, colour: bool) -> str:
    """The text that rich makes of something, without blanks at the ends of lines where there are no colours."""
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
    console.print(what)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _heading(result: Result) -> str:
    count = len(result.kingdoms)
    kingdoms = f"{count} kingdom{'s' * (count != 1)}"
    rules = result.kingdoms[0].rule_set.name if result.kingdoms else ""
    return " · ".join(part for part in (result.photo, kingdoms, rules) if part)


def _players(result: Result) -> list[str]:
    return [scored.player_name or f"kingdom {number}" for number, scored in enumerate(result.kingdoms, start=1)]


def _kingdom(scored: ScoredKingdom, number: int | None, *, room: int) -> RenderableType:
    sides = _sides(_board(scored.board, {doubt.square for doubt in scored.doubts}), _points(scored), room=room)
    notes = [*_seen(scored), *_doubts(scored, number or 1), *_total(scored), *_problems(scored), *_missing(scored)]
    title = [] if number is None else [Text(_title(scored, number), style="bold")]
    return Padding(Group(*title, sides, *notes), (1, 0, 0, 1))


def _sides(left: Sequence[Parts], right: Parts, *, room: int) -> Text:
    """The lines beside each other, the right ones wrapped; where there is no room for the first, below each other.

    One text, for a table of texts takes rich twenty times longer.
    """
    widths = [sum(len(word) for word, _ in line) for line in left]
    start = max(widths) + GAP
    if (rest := room - start) < len(right[0][0]):
        return Text("\n").join(Text.assemble(*line) for line in [*left, *([part] for part in right)])
    wrapped = [(part, style) for word, style in right for part in (wrap(word, rest) if len(word) > rest else [word])]
    parts: list[tuple[str, str] | str] = []
    for at in range(max(len(left), len(wrapped))):
        parts += left[at] if at < len(left) else []
        if at < len(wrapped):
            parts += [" " * (start - (widths[at] if at < len(left) else 0)), wrapped[at]]
        parts.append("\n")
    return Text.assemble(*parts, no_wrap=True, end="")


def _title(scored: ScoredKingdom, number: int) -> str:
    if scored.reading is None:
        return scored.kingdom.player
    where = f"kingdom {number} ({scored.reading.colour or scored.reading.place})"
    return f"{scored.player_name}: {where}" if scored.player_name else where


def _board(board: Board, doubted: set[Square]) -> list[Parts]:
    """The squares as they lie, named as `--fix` names them: columns A, B, … and rows 1, 2, …"""
    lines = [[("   " + "".join(f" {Square(0, col).name[0]}  " for col in range(board.width)), "dim")]]
    for row, words in enumerate(board.rows()):
        squares = [_square(board, Square(row, col), word, doubted) for col, word in enumerate(words.split())]
        lines.append([(f"{row + 1:>2} ", "dim"), *squares])
    return lines


def _square(board: Board, square: Square, word: str, doubted: set[Square]) -> tuple[str, str]:
    """The word of a square, and its style."""
    cell = board.get(square)
    mark = "?" if square in doubted and word != UNKNOWN else ""
    return f" {word + mark:<3}", "dim" if cell is None else STYLES[cell.terrain]


def _points(scored: ScoredKingdom) -> Parts:
    """Territories with crowns, most points first, then bonuses and the total; the other territories in one line."""
    lands = [line for line in scored.card.lines if line.territory is not None]
    rows = [HEADINGS]
    for line in sorted(lands, key=lambda line: -line.points):
        if line.territory is not None and line.points:
            squares, crowned = len(line.territory.squares), line.territory.crowns
            rows.append((str(line.territory.terrain), str(squares), f"× {crowned}", f"= {line.points}"))
    rows += [(line.label, "", "", f"= {line.points}") for line in scored.card.lines if line.territory is None]
    rows.append(("total", "", "", scored.total))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = [
        "   ".join(
            word.rjust(wide) if at else word.ljust(wide)
            for at, (word, wide) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    heading, *body, total = words
    lines = [(heading, "bold"), ("─" * len(heading), ""), *((line, "") for line in body), ("", ""), (total, "bold")]
    if any(not line.points for line in lands):
        lines.append((f"without points{' so far' * scored.is_open}: {_worthless(lands)}", "dim"))
    return lines


def _worthless(lands: Iterable[Line]) -> str:
    """The sizes of the territories that are worth nothing, by terrain: "wheat 2+1, lake 1"."""
    sizes: dict[str, list[int]] = {}
    for line in lands:
        if line.territory is not None and not line.points:
            sizes.setdefault(str(line.territory.terrain), []).append(len(line.territory.squares))
    words = [f"{terrain} {'+'.join(map(str, sorted(found, reverse=True)))}" for terrain, found in sizes.items()]
    return ", ".join(words)


def _seen(scored: ScoredKingdom) -> list[Text]:
    """The pieces that were seen on the board."""
    words = describe_pieces(scored.reading)
    return [Text(f"seen: {words}", style="dim")] if words else []


def _doubts(scored: ScoredKingdom, number: int) -> list[Text]:
    return [Text(_doubt(doubt, number, scored.is_open), style="yellow") for doubt in scored.doubts]


def _doubt(doubt: ScoredDoubt, number: int, no_total: bool) -> str:
    name, other = doubt.square.name, _word(doubt.instead)
    fix = f"--fix {number}:{name}={doubt.instead}"
    if no_total:
        sure = f" ({100 * doubt.probability:.0f} % sure)" * (doubt.read != UNKNOWN)
        return f"? {name} looks like {_word(doubt.read)}{sure}; it may be {other}: {fix}"
    if doubt.read == UNKNOWN:
        return f"? {name} is not known; as {other} the total would be {doubt.total}{_effect(doubt)}: {fix}"
    sure = f"{100 * doubt.probability:.0f} % sure"
    total = f"the total is {doubt.total}{_effect(doubt)}"
    return f"? {name} looks like {_word(doubt.read)} ({sure}); if it is {other}, {total}: {fix}"


def _effect(doubt: ScoredDoubt) -> str:
    """What the other reading would do to the standing, in words."""
    if doubt.changes_winner:
        return f" and {doubt.verdict}"
    return " and the places change" if doubt.changes_standing else ""


def _word(word: str) -> str:
    return "nothing" if word == "." else word


def _total(scored: ScoredKingdom) -> list[Text]:
    """How sure the total is, and what else it may be, where it may."""
    others = [chance for chance in scored.possible_totals[1:] if chance.probability >= WORTH_TELLING]
    if not others:
        return []
    words = ", ".join(f"{chance.total} ({_percent(chance.probability)})" for chance in others[:3])
    text = f"? the total is {scored.card.total} with {_percent(scored.points_probability)}; else {words}"
    return [Text(text, style="yellow")]


def _percent(share: float) -> str:
    """A probability in whole percent; never all or nothing."""
    return f"{min(max(round(100 * share), 1), 99)} %"


def _first(asks: Sequence[Question], players: Sequence[str] = ()) -> list[Text]:
    """The square that decides the game, if one does."""
    if not asks or not asks[0].doubt.changes_standing:
        return []
    ask, doubt = asks[0], asks[0].doubt
    where = f"{players[ask.kingdom] if players else f'kingdom {ask.kingdom + 1}'}, {doubt.square.name}"
    then = doubt.verdict if doubt.changes_winner else "the places change"
    decides = "decides the game" if doubt.changes_winner else "decides a place"
    return [Text(f"? Look first at {where}: it {decides}. If it is {_word(doubt.instead)}, {then}", style="yellow")]


def _box(counted: Inventory | None) -> list[Text]:
    """The box counted over all kingdoms."""
    if counted is None:
        return []
    text = _sentence(str(counted))
    return [Text(text, style="dim") if counted.right or not counted.twice else Text(f"! {text}", style="red")]


def _photographed(result: Result) -> Inventory | None:
    """The box counted over a photo's kingdoms; boards that were typed are held against the box by their problems."""
    return result.inventory if any(scored.reading is not None for scored in result.kingdoms) else None


def _promise(result: Result) -> Text | None:
    """What a kingdom without a flag promises, where there is one."""
    unflagged = any(scored.reading is not None and not scored.review for scored in result.kingdoms)
    if result.calibration is None or not result.calibration.promise or not unflagged:
        return None
    return Text(_sentence(result.calibration.promise), style="dim")


def _missing(scored: ScoredKingdom) -> list[Text]:
    """What is still to be told, so that there is a total."""
    gaps = [gap.text for gap in scored.extent.missing]
    return [Text(f"? still to be told: {'; '.join(gaps)}", style="yellow")] if scored.is_open else []


def _problems(scored: ScoredKingdom) -> list[Text]:
    lines = [Text(f"! {problem.text}", style="red") for problem in scored.problems]
    if scored.reading is not None and scored.reading.review and not scored.doubts and not lines:
        lines.append(Text(f"? this board is only {100 * scored.probability:.0f} % sure: compare it", style="yellow"))
    return lines


def _standing(standing: Standing) -> RenderableType:
    rows = Table.grid(padding=(0, 2))
    for place in standing.places:
        rows.add_row(f"{place.place}.", place.player, f"{place.total} points", Text(place.reason, style="dim"))
    verdict = Text(_sentence(standing.reason), style="bold")
    return Padding(Group(verdict, rows), (1, 0, 0, 1))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
