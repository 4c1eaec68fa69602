"""The options that several commands share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from kdvision.game.board import Board
    from kdvision.game.open_facts import GivenFacts
    from kdvision.game.players import Players
    from kdvision.game.scoring import RuleSet
    from kdvision.pipeline import KingdomReading


class Size(Enum):
    """The side that a game is played to."""

    FIVE = "5"
    SEVEN = "7"

    @property
    def side(self) -> int:
        """The side in squares."""
        return int(self.value)


class GameName(Enum):
    """The games, by their names in game files."""

    KINGDOMINO = "kingdomino"
    QUEENDOMINO = "queendomino"
    ROYAL_WEDDING = "royal-wedding"


class PhotoGame(Enum):
    """The games that photos can be read as; with AUTO the photo decides."""

    AUTO = "auto"
    KINGDOMINO = "kingdomino"
    QUEENDOMINO = "queendomino"
    ROYAL_WEDDING = "royal-wedding"

    @property
    def game_name(self) -> GameName | None:
        """The game, None if the photo decides."""
        return None if self is PhotoGame.AUTO else GameName(self.value)


SizeOption = Annotated[
    Size | None, typer.Option("--size", help="The side of the game; by default the boards decide it.")
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


@dataclass(frozen=True)
class ScoreOptions:
    """How to score kingdoms and print them.

    `game` is None if the photos decide it, `side` if the boards do. `facts` are what the user gave about pieces; None
    for a game without pieces.
    """

    game: GameName | None = None
    side: int | None = None
    variants: tuple[str, ...] = ()
    players: "Players | None" = None
    facts: "GivenFacts | None" = None
    as_json: bool = False
    strict: bool = False

    @property
    def game_to_read(self) -> str:
        """The game to read photos as; "auto" if neither `game` nor a variant decides it."""
        from kdvision.game.rules import VARIANTS

        if self.game is not None:
            return self.game.value
        games = [variant.games for variant in VARIANTS if variant.id in self.variants and variant.games]
        return games[0][0] if games else PhotoGame.AUTO.value

    @property
    def is_numbered(self) -> bool:
        """True if players or facts are given by the numbers of kingdoms."""
        has_player_order = self.players is not None and bool(self.players.in_order)
        return has_player_order or (self.facts is not None and self.facts.highest >= 0)

    def add_detected_game(self, readings: Sequence["KingdomReading"]) -> "ScoreOptions":
        """The options with what a photo shows and the user did not say: the game, and whether gems are played with."""
        from kdvision.report.pieces import find_open_facts

        detected = GameName(readings[0].game) if readings else GameName.KINGDOMINO
        game = self.game or (None if detected is GameName.KINGDOMINO else detected)
        variants, facts = find_open_facts(readings, (game or detected).value, self.variants)
        return replace(self, game=game, variants=variants, facts=self.facts or facts)

    def drop_numbered(self) -> "ScoreOptions":
        """The options without players and facts given by number, for when the numbers of kingdoms are unknown."""
        from kdvision.game.open_facts import GivenFacts

        players = None if self.players is not None and self.players.in_order else self.players
        return replace(self, players=players, facts=None if self.facts is None else GivenFacts(self.facts.keys))

    def make_rules(self, boards: Sequence["Board"]) -> "RuleSet":
        """The rules for the boards of one game."""
        from kdvision.game.game import choose_rule_set

        game = None if self.game is None else self.game.value
        return choose_rule_set(game, boards, side=self.side, variants=self.variants)
