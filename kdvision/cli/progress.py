"""How far a long run is, on stderr: one line that changes in a terminal, plain lines elsewhere."""

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from kdvision.batch.run import Progress

SELDOM: Final = 15.0
"""Seconds between two plain lines."""

OFTEN: Final = 0.2
"""Seconds between two changes of the line in a terminal."""

RECENT: Final = 200
"""So many photos tell the rate: a night slows down when the laptop is warm."""


class Ticker:
    """Prints how far a run is when it is called with that; `end` leaves the line."""

    def __init__(self, *, terminal: bool | None = None) -> None:
        self.terminal = sys.stderr.isatty() if terminal is None else terminal
        self._printed = -OFTEN if self.terminal else time.monotonic()
        self._reads: deque[tuple[float, int]] = deque([(time.monotonic(), 0)], maxlen=RECENT)
        self._width = 0

    def __call__(self, progress: "Progress") -> None:
        """Print a line, if the last one is old enough."""
        now = time.monotonic()
        if progress.read != self._reads[-1][1]:
            self._reads.append((now, progress.read))
        last = progress.done == progress.total
        if now - self._printed < (OFTEN if self.terminal else SELDOM) and not (last and self.terminal):
            return
        self._printed = now
        text = words(progress, self._rate())
        if self.terminal:
            typer.echo(f"\r{text:<{self._width}}", nl=False, err=True)
            self._width = len(text)
        else:
            typer.echo(f"kdvision: {text}", err=True)

    def end(self) -> None:
        """Go to a new line, so that what is printed next stands alone."""
        if self.terminal and self._width:
            typer.echo(err=True)
        self._width = 0

    def _rate(self) -> float:
        """Photos a second, 0 where nothing was read yet."""
        (first, before), (last, after) = self._reads[0], self._reads[-1]
        return (after - before) / (last - first) if last > first else 0.0


def words(progress: "Progress", rate: float) -> str:
    """How far a run is, in words; `rate` in photos a second."""
    parts = [f"{progress.done} of {progress.total} photos"]
    if rate:
        parts.append(f"{60 * rate:.0f} a minute" if rate * 60 >= 10 else f"{60 * rate:.1f} a minute")
        if left := progress.total - progress.done:
            parts.append(f"{duration(left / rate)} left")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """A time in words, no more exact than anybody needs."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
