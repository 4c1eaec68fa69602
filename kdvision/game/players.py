"""Who plays which kingdom, as a person says it: by the colour of the starting tile, or by the order of the kingdoms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kdvision.errors import NotationError

COLOURS: Final = ("blue", "green", "pink", "yellow", "orange", "purple", "white", "red")
"""The colours of starting tiles, castles and kings: the first four of Kingdomino, the last four of later boxes."""

EXPECTED: Final = "blue=Ann,pink=Bob, or Ann,Bob in the order of the kingdoms"
LONGEST: Final = 40
"""Letters in a name, at most."""


@dataclass(frozen=True)
class Players:
    """Names by the order of kingdoms, or by colour: one of the two, or neither."""

    in_order: tuple[str, ...] = ()
    by_colour: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Players:
        """The players of a text such as "blue=Ann,pink=Bob" or "Ann,Bob"; raises NotationError."""
        words = [word.strip() for word in text.split(",")]
        pairs = [tuple(part.strip() for part in word.split("=")) for word in words]
        if len({len(pair) for pair in pairs}) != 1 or len(pairs[0]) > 2:
            raise _error(f"{text!r} names players by colour and by order at once, or neither way")
        names = [pair[-1] for pair in pairs]
        for name in names:
            if not name or len(name) > LONGEST or not name.isprintable():
                raise _error(f"{name!r} is no name of a player")
        _once(names, "the name")
        if len(pairs[0]) == 1:
            return cls(in_order=tuple(names))
        colours = [pair[0].lower() for pair in pairs]
        for colour in colours:
            if colour not in COLOURS:
                hint = f"there are {', '.join(COLOURS[:-1])} and {COLOURS[-1]}"
                raise NotationError(f"{colour!r} is no player's colour", expected=hint, hint=hint)
        _once(colours, "the colour")
        return cls(by_colour=dict(zip(colours, names, strict=True)))

    def of(self, number: int, colour: str = "") -> str:
        """The name of a kingdom's player, `number` counted from 0; "" where nobody has said."""
        if self.in_order:
            return self.in_order[number] if number < len(self.in_order) else ""
        return self.by_colour.get(colour, "")

    def absent(self, colours: Sequence[str]) -> str:
        """What a person should know who named players of kingdoms with these colours, in a sentence; often nothing."""
        if len(self.in_order) > len(colours):
            return f"there is no kingdom for {' and '.join(self.in_order[len(colours) :])}"
        unseen = [f"{colour} ({name})" for colour, name in self.by_colour.items() if colour not in colours]
        return f"no kingdom was seen to be {' or '.join(unseen)}: name players in the order of the kingdoms" * bool(
            unseen
        )


NO_PLAYERS: Final = Players()
"""Where nobody has said who plays."""


def make_names_unique(names: Sequence[str], places: Sequence[str]) -> list[str]:
    """The names, those that two have with the place of each behind them; where that tells nothing, with its number."""
    shared = Counter(names)
    made = [name if shared[name] == 1 else f"{name} ({place})" for name, place in zip(names, places, strict=True)]
    left = Counter(made)
    return [
        name if shared[name] == 1 else one if left[one] == 1 else f"{name} (kingdom {number})"
        for number, (name, one) in enumerate(zip(names, made, strict=True), start=1)
    ]


def _once(words: Sequence[str], what: str) -> None:
    """Raise NotationError where something is said of two."""
    twice = [word for word, count in Counter(words).items() if count > 1]
    if twice:
        raise _error(f"{what} {twice[0]!r} stands there twice")


def _error(message: str) -> NotationError:
    return NotationError(message, expected=EXPECTED, hint=f"write {EXPECTED}")
