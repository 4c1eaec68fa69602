"""What a person tells of pieces on the command line, and the game file that asks for the rest."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from kdvision.cli.options import GameName, PhotoGame
from kdvision.cli.variant_options import check_variants
from kdvision.errors import KdvisionError, NotationError

if TYPE_CHECKING:
    from kdvision.cli.options import Asked
    from kdvision.game.given_facts import GivenFacts
    from kdvision.report.result import Result

COUNT: Final = re.compile(r"(?:(?P<kingdom>[1-9][0-9]?):)?(?P<count>[0-9]{1,3})", re.ASCII)
EXPECTED: Final = "KINGDOM:COUNT, as in 1:11"

Played = Annotated[
    PhotoGame,
    typer.Option("--game", help="The game that was played; auto: Kingdomino, or another where the photo shows towns."),
]
GameFile = Annotated[
    str | None,
    typer.Option("--game-file", metavar="OUT", help="Write a game file with what was read, to fill in the rest."),
]


def _counts(what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--{what}", metavar="K:COUNT", help=f"How many {what} kingdom K has, as in 1:3; may be given again."
    )
    return option


Coins = Annotated[list[str] | None, _counts("coins")]
Towers = Annotated[list[str] | None, _counts("towers")]
Knights = Annotated[list[str] | None, _counts("knights")]
Towns = Annotated[list[str] | None, _counts("towns")]
Queen = Annotated[
    int | None,
    typer.Option("--queen", metavar="K", min=0, max=99, help="The kingdom that hosts the Queen; 0 for none."),
]


class Pieces(NamedTuple):
    """The options about pieces, as they were given."""

    played: PhotoGame
    variants: tuple[str, ...]
    counts: Mapping[str, Sequence[str] | None]
    queen: int | None

    @property
    def game(self) -> GameName | None:
        """The game that was named, None where the photos are to tell it."""
        return None if self.played is PhotoGame.AUTO else GameName(self.played.value)

    def told(self) -> "GivenFacts | None":
        """What was told, None for a game without pieces; raises NotationError, and usage errors for the wrong game."""
        given = [f"--{key}" for key, texts in self.counts.items() if texts]
        given += ["--queen"] if self.queen is not None else []
        plain = self.game in (None, GameName.KINGDOMINO)
        if plain and given:
            raise typer.BadParameter(
                "Kingdomino has none: add --game queendomino or royal-wedding", param_hint=given[0]
            )
        from kdvision.game.given_facts import GivenFacts
        from kdvision.game.rules import make_rule_set

        game = (self.game or GameName.KINGDOMINO).value
        check_variants(self.variants, game)
        facts = make_rule_set(game, variants=self.variants).facts
        if not facts:
            return None
        return GivenFacts(facts, _by_kingdom(self.counts), None if self.queen is None else self.queen - 1)


def _by_kingdom(counts: Mapping[str, Sequence[str] | None]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for key, texts in counts.items():
        for number, count in _parsed(key, texts or ()):
            if key in found.setdefault(number, {}):
                raise NotationError(f"the {key} of kingdom {number + 1} are told twice", hint="tell them once")
            found[number][key] = count
    return found


def _parsed(key: str, texts: Iterable[str]) -> Iterable[tuple[int, int]]:
    for text in texts:
        match = COUNT.fullmatch(text.strip())
        if match is None:
            raise NotationError(f"{text!r} tells no {key}", expected=EXPECTED, hint=f"write {EXPECTED}")
        yield int(match["kingdom"] or 1) - 1, int(match["count"])


def check_told(told: "GivenFacts | None", results: Sequence["Result"]) -> None:
    """Raise NotationError where something is told of a kingdom that is not in the photos; failed ones may have it."""
    count = sum(len(result.kingdoms) for result in results)
    if told is None or told.highest < count or any(result.error is not None for result in results):
        return
    hint = f"give a number from 1 to {count}, in the order of the photos" if count > 1 else "there is kingdom 1 alone"
    raise NotationError(f"there is no kingdom {told.highest + 1}", hint=hint)


def check_game_file(path: str | None) -> None:
    """Raise a usage error, before anything is read, for a game file that could not be written or would be lost."""
    if path is None:
        return
    if Path(path).exists():
        text = f"{path} is there already, and what was filled in there would be lost; name another file"
        raise typer.BadParameter(text, param_hint="--game-file")
    if not Path(path).parent.is_dir():
        raise typer.BadParameter(f"there is no folder {Path(path).parent}", param_hint="--game-file")


def of_one_game(asked: Sequence["Asked"]) -> "Asked | None":
    """What was asked and what the photos have shown of a game, together; None where they show different games."""
    if len({one.game for one in asked}) != 1:
        return None
    return max(asked, key=lambda one: len(one.variants))  # one photo may show what others do not


def write_game_file(path: str | None, results: Sequence["Result"], asked: "Asked | None") -> None:
    """Write the game file that asks for the rest; where a photo failed nothing is written, and stderr says so.

    `asked` is None for photos of different games, which are none.
    """
    if path is None:
        return
    if asked is None:
        raise KdvisionError(
            f"{path} is not written, for the photos show different games", hint="name the game with --game"
        )
    if failed := [result.photo for result in results if result.error is not None]:
        typer.echo(f"kdvision: {path} is not written, for {failed[0]} has no kingdoms to put there.", err=True)
        return
    from kdvision.files import write_atomically
    from kdvision.report.game_file import format_game_file

    boards = [scored.board for result in results for scored in result.kingdoms]
    kind, side = (asked.game or GameName.KINGDOMINO).value, asked.rules(boards).side
    write_atomically(
        Path(path), format_game_file(results, kind, asked.variants, side=asked.side, default=side).encode()
    )
    typer.echo(f"kdvision: {path} is written: fill it in, then kdvision game {path}.", err=True)
