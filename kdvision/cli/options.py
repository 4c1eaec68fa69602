"""What a person asked for on the command line, checked before any work is done."""

import re
import sys
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from kdvision.errors import NotationError, PhotoError

if TYPE_CHECKING:
    from kdvision.game.board import Board, Square
    from kdvision.game.given_facts import GivenFacts
    from kdvision.game.players import Players
    from kdvision.game.scoring import RuleSet
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.detect.manual import KingdomOutline
    from kdvision.vision.image.photo import Photo

FIX: Final = re.compile(r"(?:(?P<kingdom>[1-9][0-9]?):)?(?P<square>[^:=]+)=(?P<cell>.+)")
EXPECTED_FIX: Final = "KINGDOM:SQUARE=CELL, as in 1:C3=w1"

UNTYPED: Final = "coins, buildings, knights, towers and the Queen count from a game file only (kdvision game)"
TOWNS: Final = "t is a town, which Kingdomino does not have: --game queendomino or --game royal-wedding does"

LONGEST: Final = 1_000_000
"""Bytes of text taken from stdin; what is longer is no board and no game."""

DRAWN: Final = "-score.jpg"
"""What follows a photo's name in the name of its overlay in a folder."""


PlayersOption = Annotated[
    str | None,
    typer.Option(
        "--players",
        metavar="NAMES",
        help="Who plays: blue=Ann,pink=Bob by the colour of castles, or Ann,Bob in the order of the photos and of the "
        "kingdoms in them, from left to right, row by row.",
    ),
]
Corners = Annotated[
    list[str] | None,
    typer.Option(
        "--corners",
        metavar="OUTLINE",
        help="Read what lies in an outline drawn by hand, its corners in pixels, clockwise from the top left, as in "
        '"100,80 520,90 530,500 90,490" or "5x5: 100,80 …"; again for more kingdoms.',
    ),
]


class Size(Enum):
    """The side a game is played to."""

    FIVE = "5"
    SEVEN = "7"


class PhotoGame(Enum):
    """The same for photos, which may also tell it themselves."""

    AUTO = "auto"
    KINGDOMINO = "kingdomino"
    QUEENDOMINO = "queendomino"
    ROYAL_WEDDING = "royal-wedding"


class GameName(Enum):
    """The games, called as game files call them."""

    KINGDOMINO = "kingdomino"
    QUEENDOMINO = "queendomino"
    ROYAL_WEDDING = "royal-wedding"


SizeOption = Annotated[Size | None, typer.Option("--size", help="The game's side; by default what the board shows.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a photo, each on its own line.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 6 where a person should look.")]
Fixes = Annotated[
    list[str] | None,
    typer.Option("--fix", metavar="K:SQUARE=CELL", help="Correct a square, as in 1:C3=w1; may be given again."),
]


class Fix(NamedTuple):
    """A square that a person has named: kingdom (from 0), square, and what it shows in notation."""

    kingdom: int
    square: "Square"
    word: str


class Asked(NamedTuple):
    """The options that `score` and `type` share; `game` is None for photos that are to tell it themselves.

    `told` are the pieces beside photos, None for a game without.
    """

    size: Size | None
    variants: tuple[str, ...]
    as_json: bool
    strict: bool
    game: GameName | None = None
    players: "Players | None" = None
    told: "GivenFacts | None" = None

    @property
    def side(self) -> int | None:
        """The game's side, None where the boards are to show it."""
        return None if self.size is None else int(self.size.value)

    @property
    def to_read(self) -> str:
        """The game to read photos as, "auto" if neither the game nor a variant says it."""
        from kdvision.game.rules import VARIANTS

        if self.game is not None:
            return self.game.value
        games = [variant.games for variant in VARIANTS if variant.id in self.variants and variant.games]
        return games[0][0] if games else PhotoGame.AUTO.value

    def settled(self, reads: Sequence["KingdomReading"]) -> "Asked":
        """Return the options with what a photo shows and nobody has said: the game, and whether gems are played with."""
        from kdvision.report.pieces import find_open_facts

        shown = GameName(reads[0].game) if reads else GameName.KINGDOMINO
        game = self.game or (None if shown is GameName.KINGDOMINO else shown)
        variants, told = find_open_facts(reads, (game or shown).value, self.variants)
        return self._replace(game=game, variants=variants, told=self.told or told)

    def uncounted(self) -> "Asked":
        """The same without what goes by a kingdom's number: how many kingdoms a failed photo shows, nobody knows."""
        from kdvision.game.given_facts import GivenFacts

        players = None if self.players is not None and self.players.in_order else self.players
        return self._replace(players=players, told=None if self.told is None else GivenFacts(self.told.keys))

    @property
    def counts(self) -> bool:
        """Whether names or pieces were told by kingdoms' numbers."""
        ordered = self.players is not None and bool(self.players.in_order)
        return ordered or (self.told is not None and self.told.highest >= 0)

    def rules(self, boards: Sequence["Board"]) -> "RuleSet":
        """The rules to score these boards of one game by."""
        from kdvision.game.game import choose_rule_set

        game = None if self.game is None else self.game.value
        return choose_rule_set(game, boards, side=self.side, variants=self.variants)

    def untyped(self, boards: Sequence["Board"]) -> str:
        """What a person should know about typed boards of this game, in one sentence; often nothing."""
        from kdvision.game.board import Terrain

        if self.game is not GameName.KINGDOMINO:
            return UNTYPED
        towns = any(cell.terrain is Terrain.TOWN for board in boards for cell in board.values())
        return TOWNS if towns else ""


def fixes_of(texts: Iterable[str]) -> list[Fix]:
    """The corrections of `--fix`; raises NotationError. Without a number the first kingdom is meant."""
    from kdvision.game.board import Cell, Square

    found = []
    for text in texts:
        match = FIX.fullmatch(text.strip())
        if match is None:
            raise NotationError(f"{text!r} corrects no square", expected=EXPECTED_FIX, hint=f"write {EXPECTED_FIX}")
        word = match["cell"].strip()
        if word == "?":
            raise NotationError(
                f"{text!r} does not say what lies there", expected=EXPECTED_FIX, hint="say it, or leave it as it is"
            )
        cell = "." if word == "." else str(Cell.parse(word))
        found.append(Fix(int(match["kingdom"] or 1) - 1, Square.parse(match["square"]), cell))
    return found


def opened(photo: str) -> "Photo":
    """The photo at a path, or on stdin for "-"; raises PhotoError."""
    from kdvision.vision.image.photo import Photo

    if photo != "-":
        return Photo.open(photo)
    if sys.stdin is None or sys.stdin.isatty():
        raise PhotoError("there is no photo on stdin", hint="pipe one in: kdvision score - < photo.jpg")
    return Photo.open(sys.stdin.buffer, name="the photo on stdin")


def outlines_of(texts: Iterable[str]) -> "list[KingdomOutline]":
    """The outlines of `--corners`; raises NotationError."""
    if not (given := list(texts)):
        return []
    from kdvision.vision.detect.manual import KingdomOutline

    return [KingdomOutline.parse(text) for text in given]


def players_of(text: str | None) -> "Players":
    """The players of `--players`; raises NotationError."""
    from kdvision.game.players import NO_PLAYERS, Players

    return NO_PLAYERS if text is None else Players.parse(text)


def text_on_stdin() -> str:
    """All of stdin as text, whatever the terminal's encoding; raises NotationError where it is none in UTF-8."""
    if sys.stdin is None:
        raise NotationError("there is no text on stdin", hint="pipe one in")
    try:
        return sys.stdin.buffer.read(LONGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotationError("what came on stdin is not a text in UTF-8", hint="pipe in a text in UTF-8") from error


def targets_of(photos: Sequence[str], overlay: str | None, also: Sequence[str] = ()) -> list[Path | None]:
    """For each photo where its overlay goes, None without one; raises typer's usage error before anything is read.

    No overlay may take the place of a photo, also of those that show the same kingdoms.
    """
    if overlay is None:
        return [None] * len(photos)
    out = Path(overlay)
    folder = out.is_dir() or overlay.endswith(("/", "\\"))
    targets: list[Path | None] = list(_in_folder(photos, out)) if folder else [out]
    if len(targets) != len(photos):
        raise _usage(f"{len(photos)} photos need a folder for their pictures, not the file {overlay}")
    if not (out if folder else out.parent).is_dir():
        raise _usage(f"there is no folder {out if folder else out.parent}")
    if not folder:
        _check_picture(out)
    _check_lost(targets, [*photos, *also])
    return targets


def _in_folder(photos: Sequence[str], folder: Path) -> list[Path]:
    """One name for each photo, a number added where two photos have the same."""
    names: list[str] = []
    for photo in photos:
        stem = "stdin" if photo == "-" else Path(photo).stem
        numbered = (f"{stem} {number}" for number in count(2))
        names.append(stem if stem not in names else next(name for name in numbered if name not in names))
    return [folder / f"{name}{DRAWN}" for name in names]


def _check_picture(out: Path) -> None:
    from kdvision.files import IMAGE_FORMATS

    if out.suffix.lower() not in IMAGE_FORMATS:
        raise _usage(f"{out} ends in none of {' '.join(IMAGE_FORMATS)}")


def _check_lost(targets: Sequence[Path | None], photos: Sequence[str]) -> None:
    there = [target for target in targets if target is not None and target.exists()]
    for photo in photos:
        for target in there:
            if photo != "-" and Path(photo).exists() and target.samefile(photo):
                raise _usage(f"{target} is the photo itself, and it would be lost")


def _usage(text: str) -> typer.BadParameter:
    return typer.BadParameter(text, param_hint="--overlay")
