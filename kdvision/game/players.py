"""The names of players, by the colour of the starting tile or by the order of the kingdoms."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from kdvision.errors import NotationError
from kdvision.game.rules import VARIANTS
from kdvision.text import join_words

ADDED_COLOURS: Final = {colour: variant for variant in VARIANTS for colour in variant.colours}
"""The colours that expansions add, with their expansions."""

COLOURS: Final = ("blue", "green", "pink", "yellow", "orange", "purple", "white", "red", *ADDED_COLOURS)
"""The colours of starting tiles: the first four of Kingdomino, then those of later boxes and of expansions."""

EXPECTED: Final = "blue=Ann,pink=Bob, or Ann,Bob in the order of the kingdoms"
MAX_NAME_CHARS: Final = 40


@dataclass(frozen=True)
class Players:
    """Names by the order of kingdoms, or by colour: one of the two, or neither."""

    in_order: tuple[str, ...] = ()
    by_colour: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the players of a text such as "blue=Ann,pink=Bob" or "Ann,Bob"; raise NotationError."""
        pairs = [tuple(map(str.strip, word.split("="))) for word in text.split(",")]
        if len({len(pair) for pair in pairs}) != 1 or len(pairs[0]) > 2:
            raise _make_error(f"{text!r} names players by colour and by order at once, or neither way")
        names = [pair[-1] for pair in pairs]
        for name in names:
            if not name or len(name) > MAX_NAME_CHARS or not name.isprintable():
                text = (
                    f"{name!r} is no name of a player: it needs 1 to {MAX_NAME_CHARS} characters, without line breaks"
                )
                raise _make_error(text)
        _check_unique(names, "the name")
        if len(pairs[0]) == 1:
            return cls(in_order=tuple(names))
        for colour, _ in pairs:
            if colour.lower() not in COLOURS:
                hint = f"there are {join_words(COLOURS)}"
                raise NotationError(f"{colour!r} is no player's colour", expected=hint, hint=hint)
        colours = [pair[0].lower() for pair in pairs]
        _check_unique(colours, "the colour")
        return cls(by_colour=dict(zip(colours, names, strict=True)))

    def check_colours(self, variants: Collection[str]) -> None:
        """Raise NotationError for a player's colour that belongs to an expansion which is not among the variants."""
        for colour in self.by_colour:
            variant = ADDED_COLOURS.get(colour)
            if variant is not None and variant.id not in variants:
                text = f"{colour} ({self.by_colour[colour]}) is a colour of {variant.name}, which is not played"
                raise NotationError(text, expected=EXPECTED, hint=f"add --{variant.id}, or name another colour")

    @property
    def count(self) -> int:
        """The number of players."""
        return len(self.in_order or self.by_colour)

    def name_of(self, number: int, colour: str = "") -> str:
        """Return the player's name of a kingdom, `number` counted from 0; empty if it is not given."""
        if self.in_order:
            return self.in_order[number] if number < len(self.in_order) else ""
        return self.by_colour.get(colour, "")

    def describe_unmatched(self, colours: Sequence[str]) -> str:
        """Return a sentence on the players for whom there is no kingdom with one of these colours; often empty."""
        if len(self.in_order) > len(colours):
            return f"there is no kingdom for {join_words(self.in_order[len(colours) :])}"
        absent_players = [f"{colour} ({name})" for colour, name in self.by_colour.items() if colour not in colours]
        words = join_words(absent_players, "or")
        return f"no kingdom was seen to be {words}: name players in the order of the kingdoms" if words else ""

    def describe_repeated(self, colours: Sequence[str]) -> str:
        """Return a sentence on the players who have several of the kingdoms with these colours; mostly empty."""
        repeated_players = [
            f"{colour} ({name})" for colour, name in self.by_colour.items() if colours.count(colour) > 1
        ]
        words = join_words(repeated_players)
        return f"several kingdoms were seen to be {words}: name players in the order of the kingdoms" if words else ""


NO_PLAYERS: Final = Players()


def make_names_unique(names: Sequence[str], places: Sequence[str]) -> list[str]:
    """Return the names; equal ones are followed by their places, or by their numbers if the places are equal too."""
    count = Counter(names)
    with_places = [name if count[name] == 1 else f"{name} ({place})" for name, place in zip(names, places, strict=True)]
    count_with_places = Counter(with_places)
    return [
        full_name if count[name] == 1 or count_with_places[full_name] == 1 else f"{name} (kingdom {number})"
        for number, (name, full_name) in enumerate(zip(names, with_places, strict=True), start=1)
    ]


def _check_unique(words: Sequence[str], noun: str) -> None:
    count = Counter(map(str.casefold, words))
    for word in words:
        if count[word.casefold()] > 1:
            raise _make_error(f"{noun} {word!r} stands there twice")


def _make_error(message: str) -> NotationError:
    return NotationError(message, expected=EXPECTED, hint=f"write {EXPECTED}")
