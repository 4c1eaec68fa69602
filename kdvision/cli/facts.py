"""The options for facts that no photo shows: coins, towers, knights, towns and the Queen."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.options import GameName
from kdvision.cli.variant_options import check_variants
from kdvision.errors import NotationError

if TYPE_CHECKING:
    from kdvision.game.open_facts import GivenFacts
    from kdvision.report.result import Result

COUNT_PATTERN: Final = re.compile(r"(?:(?P<kingdom>[1-9][0-9]?):)?(?P<count>[0-9]{1,3})", re.ASCII)
COUNT_FORMAT: Final = "KINGDOM:COUNT, as in 1:11"


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


def parse_facts(
    game: GameName | None, variants: tuple[str, ...], counts: Mapping[str, Sequence[str] | None], queen: int | None
) -> "GivenFacts | None":
    """The facts that the game needs beside its photos, with those given; None if it needs none.

    `counts` are the texts of the options by their names. Raises NotationError for a malformed text, and a usage error
    for a fact or variant that the game does not have.
    """
    from kdvision.game.open_facts import GivenFacts
    from kdvision.game.rules import make_rule_set

    given = [f"--{key}" for key, texts in counts.items() if texts] + (["--queen"] if queen is not None else [])
    if given and game in (None, GameName.KINGDOMINO):
        raise typer.BadParameter("Kingdomino has none: add --game queendomino or royal-wedding", param_hint=given[0])
    name = (game or GameName.KINGDOMINO).value
    check_variants(variants, name)
    facts = make_rule_set(name, variants=variants).facts
    if not facts:
        return None
    return GivenFacts(facts, _group_by_kingdom(counts), None if queen is None else queen - 1)


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


def check_facts(facts: "GivenFacts | None", results: Sequence["Result"]) -> None:
    """Raise NotationError if a fact is given for a kingdom that no photo shows, unless a photo failed."""
    count = sum(len(result.kingdoms) for result in results)
    if facts is None or facts.highest < count or any(result.error is not None for result in results):
        return
    hint = f"give a number from 1 to {count}, in the order of the photos" if count > 1 else "there is only kingdom 1"
    raise NotationError(f"there is no kingdom {facts.highest + 1}", hint=hint)
