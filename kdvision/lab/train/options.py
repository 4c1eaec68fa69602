"""The settings of a training run on its command line: an option each, with the default that they have."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any, TypeVar

Made = TypeVar("Made")


def parsed(parser: argparse.ArgumentParser, settings: type[Made]) -> tuple[Made, dict[str, Any]]:
    """Return the settings, a dataclass whose fields have defaults, as the command line says, and all that it says."""
    names = [field.name for field in fields(settings)]  # type: ignore[arg-type]
    for name in names:
        default = getattr(settings, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    given = vars(parser.parse_args())
    return settings(**{name: given[name] for name in names}), given
