"""The options that several commands share: what they are, and what they mean."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from kdvision.cli.variant_options import TokensByKingdom, check_variants
from kdvision.errors import NotationError
from kdvision.game.board import Board
from kdvision.game.game import choose_rule_set
from kdvision.game.players import NO_PLAYERS, Players
from kdvision.game.rules import VARIANTS, make_rule_set, name_box
from kdvision.game.scoring import RuleSet
from kdvision.report.pieces import GivenFacts, find_open_facts

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.report.result import Result

GameName = Literal["kingdomino", "queendomino", "royal-wedding"]
PhotoGame = Literal["auto", "kingdomino", "queendomino", "royal-wedding"]
KINGDOMINO: Final = "kingdomino"
AUTO: Final = "auto"
"""As the game of a photo: the photo decides it."""

COUNT_PATTERN: Final = re.compile(r"(?:(?P<kingdom>[1-9][0-9]?):)?(?P<count>[0-9]{1,3})", re.ASCII)
COUNT_FORMAT: Final = "KINGDOM:COUNT, as in 1:11"


Size = Annotated[
    Literal["5", "7"] | None, typer.Option("--size", help="The side of the game; by default the boards decide it.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object per photo, each on its own line.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 6 if a person should check something.")]
Clauses = Annotated[bool, typer.Option("--clauses", help="Name the rulebook clause of each line of the score.")]
Fixes = Annotated[
    list[str] | None,
    typer.Option("--fix", metavar="K:SQUARE=CELL", help="Correct a square of kingdom K, as in 1:C3=w1. Repeatable."),
]
Corners = Annotated[
    list[str] | None,
    typer.Option(
        "--corners",
        metavar="OUTLINE",
        help="Read the kingdom inside this outline: its corners in pixels, clockwise from the top left, as in "
        '"100,80 520,90 530,500 90,490" or "5x5: 100,80 …". Repeatable.',
    ),
]
PlayersOption = Annotated[
    str | None,
    typer.Option(
        "--players",
        metavar="NAMES",
        help="The players: blue=Ann,pink=Bob by castle colour, or Ann,Bob in the order of the kingdoms (photo by "
        "photo, left to right, row by row).",
    ),
]


def _count_option(what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--{what}", metavar="K:COUNT", help=f"The number of {what} of kingdom K, as in 1:3. Repeatable."
    )
    return option


Coins = Annotated[list[str] | None, _count_option("coins")]
Towers = Annotated[list[str] | None, _count_option("towers")]
Knights = Annotated[list[str] | None, _count_option("knights")]
Towns = Annotated[list[str] | None, _count_option("towns")]
Queen = Annotated[
    int | None,
    typer.Option("--queen", metavar="K", min=0, max=99, help="The kingdom that hosts the Queen; 0 for none."),
]


@dataclass(frozen=True)
class ScoreOptions:
    """How to score kingdoms and print them.

    `game` is None if the photos decide it, `side` if the boards do. `facts` are what the user gave about pieces; None
    for a game without pieces.
    """

    game: str | None = None
    side: int | None = None
    variants: tuple[str, ...] = ()
    players: Players = NO_PLAYERS
    facts: GivenFacts | None = None
    as_json: bool = False
    strict: bool = False

    @property
    def game_to_read(self) -> str:
        """The box to read photos with; its game is AUTO if neither `game` nor a variant decides it."""
        games = [variant.games for variant in VARIANTS if variant.id in self.variants and len(variant.games) == 1]
        return name_box(self.game or (games[0][0] if games else AUTO), self.variants)

    @property
    def is_numbered(self) -> bool:
        """True if players or facts are given by the numbers of kingdoms."""
        return bool(self.players.in_order) or (self.facts is not None and self.facts.highest >= 0)

    def add_detected_game(self, readings: Sequence["KingdomReading"]) -> "ScoreOptions":
        """The options with what a photo shows and the user did not say: the game, and whether gems are played with."""
        game = self.game or (readings[0].game if readings else KINGDOMINO)
        variants, facts = find_open_facts(readings, game, self.variants)
        return replace(self, game=game, variants=variants, facts=self.facts or facts)

    def drop_numbered(self) -> "ScoreOptions":
        """The options without players and facts given by number, for when the numbers of kingdoms are unknown."""
        players = NO_PLAYERS if self.players.in_order else self.players
        return replace(self, players=players, facts=None if self.facts is None else GivenFacts(self.facts.keys))

    def make_rules(self, boards: Sequence[Board]) -> RuleSet:
        """The rules for the boards of one game."""
        return choose_rule_set(self.game, boards, side=self.side, variants=self.variants)


def parse_facts(
    game: str | None,
    variants: tuple[str, ...],
    counts: Mapping[str, Sequence[str] | None],
    queen: int | None,
    tokens: TokensByKingdom,
) -> GivenFacts | None:
    """The facts that the game needs beside its photos, with those given; None if it needs none.

    `counts` are the texts of the options by their names. Raises NotationError for a malformed text, and a usage error
    for a fact or variant that the game does not have.
    """
    given = [f"--{key}" for key, texts in counts.items() if texts] + (["--queen"] if queen is not None else [])
    if given and game in (None, KINGDOMINO):
        raise typer.BadParameter("Kingdomino has none: add --game queendomino or royal-wedding", param_hint=given[0])
    check_variants(variants, game or KINGDOMINO)
    facts = make_rule_set(game or KINGDOMINO, variants=variants).facts
    if not facts:
        return None
    return GivenFacts(facts, _group_by_kingdom(counts), None if queen is None else queen - 1, tokens)


def _group_by_kingdom(counts: Mapping[str, Sequence[str] | None]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for key, texts in counts.items():
        for number, count in _parse_counts(key, texts or ()):
            if key in found.setdefault(number, {}):
                raise NotationError(f"the {key} of kingdom {number + 1} are given twice", hint="give them once")
            found[number][key] = count
    return found


def _parse_counts(key: str, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Each text as the number of a kingdom, from 0, and a count."""
    for text in texts:
        match = COUNT_PATTERN.fullmatch(text.strip())
        if match is None:
            hint = f"write {COUNT_FORMAT}"
            raise NotationError(f"{text!r} is not a number of {key}", expected=COUNT_FORMAT, hint=hint)
        yield int(match["kingdom"] or 1) - 1, int(match["count"])


def check_facts(facts: GivenFacts | None, results: Sequence["Result"]) -> None:
    """Raise NotationError if a fact is given for a kingdom that no photo shows, unless a photo failed."""
    count = sum(len(result.kingdoms) for result in results)
    if facts is None or facts.highest < count or any(result.error is not None for result in results):
        return
    hint = f"give a number from 1 to {count}, in the order of the photos" if count > 1 else "there is only kingdom 1"
    raise NotationError(f"there is no kingdom {facts.highest + 1}", hint=hint)
