"""Shows the progress of a long run on stderr: a bar in a terminal, a line now and then in a log."""

import time
from datetime import timedelta
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kdvision.cli.output import print_message

LOG_INTERVAL_S: Final = 15.0
"""Time between two lines in a log."""
SPEED_PERIOD_S: Final = 600.0
"""The time left is estimated from this period: a laptop slows down as it gets warm."""


class ProgressDisplay:
    """The progress of a run over photos. Use it as a context manager, or call `close` before other output."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("photos{task.fields[note]}"),
            TimeRemainingColumn(),
            console=self._console,
            redirect_stdout=False,  # stdout has the results
            speed_estimate_period=SPEED_PERIOD_S,
            get_time=time.monotonic,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("", total=None, note="")
        self._last_line_s = time.monotonic()

    def __enter__(self) -> "ProgressDisplay":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, done: int, total: int, failed: int = 0) -> None:
        """Show that `done` of `total` photos are done, `failed` of them without a result."""
        note = f", {failed} failed" if failed else ""
        self._progress.update(self._task, completed=done, total=total, note=note)
        self._progress.start()
        if not self._console.is_terminal and time.monotonic() - self._last_line_s >= LOG_INTERVAL_S:
            self._last_line_s = time.monotonic()
            print_message(f"{done} of {total} photos{note}{self._format_time_left()}")

    def close(self) -> None:
        """Leave the bar as it is, and go to a new line. The next `update` shows it again."""
        self._progress.stop()

    def _format_time_left(self) -> str:
        seconds = self._progress.tasks[0].time_remaining
        return f", {timedelta(seconds=round(seconds))} left" if seconds else ""
