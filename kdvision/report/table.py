"""Results as text for a terminal: boards, points, doubts, problems and the standing."""

import io
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from kdvision.game.inventory import Inventory
from kdvision.game.pieces import UNKNOWN
from kdvision.game.standing import Standing
from kdvision.report.board_text import format_board_and_points
from kdvision.report.doubt_effects import Question, ScoredDoubt
from kdvision.report.pieces import describe_pieces
from kdvision.report.result import CombinedResult, Result, ScoredKingdom
from kdvision.text import count_noun, replace_controls

MIN_TOTAL_PROBABILITY: Final = 0.01
"""Less probable totals are left out of the text; the JSON has them."""


def format_table(result: Result, *, width: int = 100, colour: bool = False) -> str:
    """The text of a result in lines of at most `width`, with terminal colours if `colour` is set."""
    numbers = range(1, len(result.kingdoms) + 1) if len(result.kingdoms) > 1 else [None]
    body: list[RenderableType] = [Text(_format_heading(result), style="bold")]
    body += [
        _format_kingdom(scored, number, max_width=width - 1)
        for scored, number in zip(result.kingdoms, numbers, strict=False)
    ]
    if result.standing is not None:
        notes = [
            *_first_question(result.questions, _name_players(result)),
            *_format_inventory(_photo_inventory(result)),
        ]
        body += [_format_places(result.standing), *(Padding(note, (0, 0, 0, 1)) for note in notes)]
    elif result.outlook:
        body.append(Padding(Text(_capitalise(result.outlook), style="bold"), (1, 0, 0, 1)))
    if (guarantee := _format_guarantee(result)) is not None:
        body.append(Padding(guarantee, (1, 0, 0, 1)))
    return render_text(Group(*body), width=width, colour=colour)


def format_standing(standing: Standing, *, width: int = 100, colour: bool = False) -> str:
    """The text of a standing over several rounds."""
    return render_text(_format_places(standing), width=width, colour=colour)


def format_combined(game: CombinedResult, *, width: int = 100, colour: bool = False) -> str:
    """The text of a game whose kingdoms are in several photos."""
    notes = [
        Text(f"! {one} and {two} show the same kingdom: leave one of them out", style="red")
        for one, two in game.identical
    ]
    notes += [*_first_question(game.questions, game.players), *_format_inventory(game.inventory)]
    parts = [_format_places(game.standing), *(Padding(note, (0, 0, 0, 1)) for note in notes)]
    return render_text(Group(*parts), width=width, colour=colour)


def format_clauses(scored: ScoredKingdom, *, width: int = 100, colour: bool = False) -> str:
    """The text of a scorecard line by line: points, what they are for, and the rulebook clause."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(justify="right")
    for line in scored.card.lines:
        rows.add_row(str(line.points), line.label, Text(line.clause, style="dim"))
    rows.add_row(*(Text(word, style="bold") for word in (scored.total, "total", "")))
    heading = Text(f"{scored.kingdom.player}, line by line", style="bold")
    return render_text(Padding(Group(heading, rows), (1, 0, 0, 1)), width=width, colour=colour)


def render_text(renderable: RenderableType, *, width: int, colour: bool) -> str:
    """The text that rich makes of a renderable, without blanks at the ends of lines."""
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
    console.print(_WithoutControls(renderable))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


class _WithoutControls:
    """A renderable without the control characters that names may contain; line ends stay."""

    def __init__(self, renderable: RenderableType) -> None:
        self.renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(self.renderable, options):
            yield Segment("\n".join(map(replace_controls, text.split("\n"))), style, control)


def _format_heading(result: Result) -> str:
    kingdoms = count_noun(len(result.kingdoms), "kingdom")
    rules = result.kingdoms[0].rule_set.name if result.kingdoms else ""
    return " · ".join(part for part in (result.photo, kingdoms, rules) if part)


def _name_players(result: Result) -> list[str]:
    return [scored.player_name or f"kingdom {number}" for number, scored in enumerate(result.kingdoms, start=1)]


def _format_kingdom(scored: ScoredKingdom, number: int | None, *, max_width: int) -> RenderableType:
    notes = [
        *_format_pieces(scored),
        *(Text(_format_doubt(doubt, number or 1, scored.is_open), style="yellow") for doubt in scored.doubts),
        *_format_other_totals(scored),
        *format_problems(scored),
        *_format_missing_facts(scored),
    ]
    title = [] if number is None else [Text(format_title(scored, number), style="bold")]
    return Padding(Group(*title, format_board_and_points(scored, max_width=max_width), *notes), (1, 0, 0, 1))


def format_title(scored: ScoredKingdom, number: int) -> str:
    """The name of a kingdom: its player's, or its number with its colour or place in the photo."""
    if scored.reading is None:
        return scored.kingdom.player
    where = f"kingdom {number} ({scored.reading.colour or scored.reading.place})"
    return f"{scored.player_name}: {where}" if scored.player_name else where


def _format_pieces(scored: ScoredKingdom) -> list[Text]:
    words = describe_pieces(scored.reading)
    return [Text(f"seen: {words}", style="dim")] if words else []


def _format_doubt(doubt: ScoredDoubt, number: int, is_open: bool) -> str:
    name, other = doubt.square.name, name_cell(doubt.instead)
    fix = f"--fix {number}:{name}={doubt.instead}"
    is_unknown = doubt.read == UNKNOWN
    sure = "" if is_unknown else f" ({100 * doubt.probability:.0f} % sure)"
    if is_open:
        return f"? {name} looks like {name_cell(doubt.read)}{sure}; it may be {other}: {fix}"
    if is_unknown:
        return f"? {name} is not known; as {other} the total would be {doubt.total}{_format_effect(doubt)}: {fix}"
    total = f"the total is {doubt.total}{_format_effect(doubt)}"
    return f"? {name} looks like {name_cell(doubt.read)}{sure}; if it is {other}, {total}: {fix}"


def _format_effect(doubt: ScoredDoubt) -> str:
    """What the other reading would change in the standing."""
    if doubt.changes_winner:
        return f" and {doubt.verdict}"
    return " and the places change" if doubt.changes_standing else ""


def name_cell(word: str) -> str:
    """The content of a square in words."""
    return "nothing" if word == "." else word


def _format_other_totals(scored: ScoredKingdom) -> list[Text]:
    others = [total for total in scored.possible_totals[1:] if total.probability >= MIN_TOTAL_PROBABILITY]
    if not others:
        return []
    words = ", ".join(f"{total.total} ({_format_percent(total.probability)})" for total in others[:3])
    sure = _format_percent(scored.points_probability)
    return [Text(f"? the total is {scored.card.total} ({sure} sure); otherwise {words}", style="yellow")]


def _format_percent(probability: float) -> str:
    """A probability in whole percent, from 1 % to 99 %."""
    return f"{min(max(round(100 * probability), 1), 99)} %"


def _first_question(questions: Sequence[Question], players: Sequence[str]) -> list[Text]:
    """The doubtful square that decides the game or a place, if there is one."""
    if not questions or not questions[0].doubt.changes_standing:
        return []
    question, doubt = questions[0], questions[0].doubt
    then = doubt.verdict if doubt.changes_winner else "the places change"
    decides = "decides the game" if doubt.changes_winner else "decides a place"
    where = f"{players[question.kingdom]}, {doubt.square.name}"
    text = f"? Look first at {where}: it {decides}. If it is {name_cell(doubt.instead)}, {then}"
    return [Text(text, style="yellow")]


def _format_inventory(inventory: Inventory | None) -> list[Text]:
    if inventory is None:
        return []
    text = _capitalise(str(inventory))
    is_fine = inventory.is_possible or not inventory.excess
    return [Text(text, style="dim") if is_fine else Text(f"! {text}", style="red")]


def _photo_inventory(result: Result) -> Inventory | None:
    """The dominoes of a photo; for typed boards their problems say what is wrong."""
    return result.inventory if any(scored.reading is not None for scored in result.kingdoms) else None


def _format_guarantee(result: Result) -> Text | None:
    """The expected error rate of kingdoms that need no review, if there is such a kingdom."""
    has_unflagged = any(scored.reading is not None and not scored.review for scored in result.kingdoms)
    if result.calibration is None or not result.calibration.guarantee or not has_unflagged:
        return None
    return Text(_capitalise(result.calibration.guarantee), style="dim")


def _format_missing_facts(scored: ScoredKingdom) -> list[Text]:
    if not scored.is_open:
        return []
    return [Text(f"? still missing: {'; '.join(fact.text for fact in scored.extent.missing)}", style="yellow")]


def format_problems(scored: ScoredKingdom) -> list[Text]:
    """The problems of a kingdom, or the advice to compare the board with the table, one line each."""
    lines = [Text(f"! {problem.text}", style="red") for problem in scored.problems]
    if scored.reading is not None and scored.reading.review and not scored.doubts and not lines:
        text = f"? this board is only {100 * scored.probability:.0f} % sure: compare it with the table"
        lines.append(Text(text, style="yellow"))
    return lines


def _format_places(standing: Standing) -> RenderableType:
    rows = Table.grid(padding=(0, 2))
    for place in standing.places:
        rows.add_row(f"{place.place}.", place.player, count_noun(place.total, "point"), Text(place.reason, style="dim"))
    verdict = Text(_capitalise(standing.reason), style="bold")
    return Padding(Group(verdict, rows), (1, 0, 0, 1))


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
