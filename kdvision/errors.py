"""What can go wrong, each with the exit code of the command line and advice for the person who meets it.

Only the doors (command line, batch, web server) catch these; everything else lets them rise.
"""

from typing import Final

NEEDS_REVIEW: Final = 6
"""Exit code: everything was read, but a person should look (`--strict`)."""

SOME_FAILED: Final = 7
"""Exit code: of several photos some failed; their rows say why."""


class KdvisionError(Exception):
    """Base of all errors a person can do something about: `exit_code` for the shell, `hint` for the person."""

    exit_code: int = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class PhotoError(KdvisionError):
    """The photo cannot be opened or decoded, or is too small or too large."""

    exit_code = 3


class NoPicture(PhotoError):
    """What was given is no picture of a kind that can be read."""


class TooLarge(PhotoError):
    """The photo has more bytes or pixels than are read."""


class NoKingdomFound(KdvisionError):
    """The photo shows no kingdom; `stage` names the step that found nothing."""

    exit_code = 4

    def __init__(self, message: str, *, stage: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.stage = stage


class NotationError(KdvisionError, ValueError):
    """The text is no board (or square, or game file).

    `row` and `column` count from 1 as a person does (None where the whole text is meant); `expected` says what would
    have been right there.
    """

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        row: int | None = None,
        column: int | None = None,
        expected: str = "",
        hint: str = "",
    ) -> None:
        told = not expected or expected in message
        super().__init__(message, hint=hint or ("" if told else f"expected {expected}"))
        self.row = row
        self.column = column
        self.expected = expected


class ModelError(KdvisionError):
    """A model file is missing, or of a format this version does not know."""

    exit_code = 8
