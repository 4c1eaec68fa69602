"""The errors that the program reports, each with its exit code and a hint on what to do.

The entry points (command line, batch, web server) report them.
"""

from enum import IntEnum
from typing import Final


class ExitCode(IntEnum):
    """The exit codes of the command line. Scripts rely on the numbers, so they never change."""

    OK = 0
    ERROR = 1
    USAGE = 2
    PHOTO = 3
    NO_KINGDOM = 4
    NOTATION = 5
    NEEDS_REVIEW = 6
    """Everything was read, but a person should check it (`--strict`)."""
    PARTIAL_FAILURE = 7
    """At least one of several photos failed."""
    MODEL = 8


class KdvisionError(Exception):
    """Base of all errors a person can do something about: `exit_code` for the shell, `hint` for the person."""

    exit_code = ExitCode.ERROR

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class PhotoError(KdvisionError):
    """The photo cannot be opened or decoded, or it is too small or too large."""

    exit_code = ExitCode.PHOTO


class UnsupportedImageError(PhotoError):
    """The content is not an image in a supported format."""


class PhotoTooLargeError(PhotoError):
    """The photo has more bytes or pixels than the limit."""


OUTLINE_HINT: Final = "if a kingdom is visible, draw its outline"
"""Part of the hint of many photos without a kingdom. The command line adds its option."""


class NoKingdomFound(KdvisionError):
    """The photo shows no kingdom."""

    exit_code = ExitCode.NO_KINGDOM


class NotationError(KdvisionError, ValueError):
    """The text is not a valid board, square, outline, correction, game file or event file.

    `row` and `column` count from 1; None where the whole text is meant. `expected` describes valid text.
    """

    exit_code = ExitCode.NOTATION

    def __init__(
        self, message: str, *, row: int | None = None, column: int | None = None, expected: str = "", hint: str = ""
    ) -> None:
        if not hint and expected and expected not in message:
            hint = f"expected {expected}"
        super().__init__(message, hint=hint)
        self.row = row
        self.column = column
        self.expected = expected


class ModelError(KdvisionError):
    """A model file is missing, damaged or of an unknown format."""

    exit_code = ExitCode.MODEL
