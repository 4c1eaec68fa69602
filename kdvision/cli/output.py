"""What commands print, the exit codes that results call for, and the progress of long runs."""

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import typer

from kdvision.errors import OUTLINE_HINT, ExitCode, KdvisionError
from kdvision.game.legality import Problem
from kdvision.report.result import Result
from kdvision.report.to_dict import result_to_dict
from kdvision.text import capitalise, replace_controls

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

LOG_COLUMNS: Final = 100
"""Line length where stdout is not a terminal."""
UNESCAPED_CONTROL: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""The control characters and line separators that `json.dumps` does not escape."""
LOG_INTERVAL_S: Final = 15.0
"""Time between two lines in a log."""
SPEED_PERIOD_S: Final = 600.0
"""The time left is estimated from this period: a laptop slows down as it gets warm."""


def print_result(result: Result, *, as_json: bool) -> None:
    """Print one result as a JSON line or as text; a failed photo has no text."""
    if as_json:
        print_json(result_to_dict(result))
    elif result.error is None:
        from kdvision.report.table import format_table

        print_text(format_table, result)


def exit_with_code(
    results: Sequence[Result], *, strict: bool, problems: Sequence[Problem] = (), has_warning: bool = False
) -> None:
    """Exit with the code that the results call for; return if all is well.

    `problems` are those that the results share. `has_warning` is true if a printed message names another problem.
    """
    errors = [result.error for result in results if result.error is not None]
    if errors:
        raise typer.Exit(ExitCode.PARTIAL_FAILURE if len(results) > 1 else errors[0].exit_code)
    if any(result.failed_views for result in results):
        raise typer.Exit(ExitCode.PARTIAL_FAILURE)
    if not strict or not (problems or has_warning or any(result.review for result in results)):
        return
    for result in results:
        for number, kingdom in enumerate(result.kingdoms, start=1):
            if kingdom.review:
                squares = [doubt.square.name for doubt in kingdom.doubts]
                squares += [square.name for problem in kingdom.problems for square in problem.squares]
                location = f" ({', '.join(dict.fromkeys(squares))})" if squares else ""
                print_message(f"{result.photo or 'typed'}: check kingdom {number}{location}")
    for problem in problems:
        print_message(problem.text)
    raise typer.Exit(ExitCode.NEEDS_REVIEW)


def print_error(error: KdvisionError) -> None:
    """Print an error on stderr as one line: what is wrong, then what to do."""
    hint = error.hint.replace(OUTLINE_HINT, f"{OUTLINE_HINT} (kdvision score --corners)")
    text, hint = (words.strip().rstrip(".") for words in (str(error), hint))
    print_message(f"{text}. {capitalise(hint)}" if hint else text)


def print_message(text: str) -> None:
    """Print a message on stderr as one line that starts with the program's name."""
    end = "" if text.endswith("?") else "."
    typer.echo(" ".join(replace_controls(f"kdvision: {text}{end}").split()), err=True)


def make_usage_error(text: str, option: str) -> typer.BadParameter:
    """Return the error of a wrong option, without control characters, which the name of a photo may contain."""
    return typer.BadParameter(replace_controls(text), param_hint=option)


def print_new_names(readings: Sequence["KingdomReading"]) -> None:
    """Print a message for each kingdom whose squares a correction has renamed."""
    for number, reading in enumerate(readings, start=1):
        if reading.has_renamed_squares:
            print_message(
                f"A correction adds a row or column before A1 of kingdom {number}, so its squares have new names, "
                "and --fix still uses the old ones. To correct more, outline the kingdom with --corners"
            )


def print_line(text: str) -> None:
    """Print a line on stdout without control characters, which a name may contain."""
    typer.echo(replace_controls(text))


def print_json(value: object) -> None:
    """Print a value as one line of JSON, with control characters escaped."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    typer.echo(UNESCAPED_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", line))


def print_text(make_text: Callable[..., str], *args: object, **options: object) -> None:
    """Print what a function of the report returns for these arguments and the terminal's width and colours."""
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else LOG_COLUMNS
    # https://no-color.org
    colour = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    typer.echo(make_text(*args, **options, width=width, colour=colour))


class ProgressDisplay:
    """The progress of a run over photos on stderr: a bar in a terminal, a line now and then in a log."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._is_log = not console.is_terminal
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("photos{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
            redirect_stdout=False,  # stdout has the results
            speed_estimate_period=SPEED_PERIOD_S,
            get_time=time.monotonic,
            disable=self._is_log,
        )
        self._task = self._progress.add_task("", total=None, note="")
        self._last_line_s = time.monotonic()

    def update(self, done_count: int, total: int, failure_count: int = 0) -> None:
        """Show that `done_count` of `total` photos are done, `failure_count` of them without a result."""
        note = f", {failure_count} failed" if failure_count else ""
        self._progress.update(self._task, completed=done_count, total=total, note=note)
        self._progress.start()
        if self._is_log and time.monotonic() - self._last_line_s >= LOG_INTERVAL_S:
            self._last_line_s = time.monotonic()
            seconds = self._progress.tasks[0].time_remaining
            time_left = f", {timedelta(seconds=round(seconds))} left" if seconds else ""
            print_message(f"{done_count} of {total} photos{note}{time_left}")

    def close(self) -> None:
        """Leave the bar as it is, and go to a new line, for other output. The next `update` shows it again."""
        self._progress.stop()
