"""The options of variants, of groups of variants, and of the tokens that they put on squares."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, Final, Literal, get_args

import typer

from kdvision.errors import NotationError
from kdvision.game.pieces import Token, TokenKind, TokensByKey
from kdvision.game.rules import GROUPS, TOKEN_KINDS, VARIANTS, Variant

Command = Callable[..., None]
TokensByKingdom = Mapping[int, TokensByKey]
NO_TOKENS: Final[TokensByKingdom] = {}

BOXES: Final = {variant.id: variant for variant in VARIANTS if variant.dominoes}
"""Variants with dominoes of their own. Each can be named as a game, which then is the first that it is added to."""


def variant_options(offered: Sequence[Variant] = VARIANTS) -> Callable[[Command], Command]:
    """Return a decorator that gives a command an option for each variant, and one for each group of variants.

    The options take the place of the command's parameter `variants`, which receives the ids of the chosen ones. If the
    command has a parameter `tokens`, there is an option for each kind of token; it receives the tokens that are given,
    which add their variants. A parameter `played` takes the names of BOXES, too.
    """
    groups = {variant.group for variant in offered} & GROUPS.keys()

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)

        @wraps(command)
        def run(**given: Any) -> None:
            chosen = {name for group in groups for name in given.pop(group) or ()}
            chosen |= {variant.id for variant in offered if not variant.group and given.pop(variant.key)}
            if "tokens" in signature.parameters:
                given["tokens"] = _parse_tokens({key: given.pop(key) or () for key in TOKEN_KINDS})
                keys = {key for tokens in given["tokens"].values() for key in tokens}
                chosen |= {variant.id for variant in VARIANTS if not keys.isdisjoint(variant.facts)}
            if (box := BOXES.get(given.get("played", ""))) is not None:
                given["played"] = box.games[0]
                chosen.add(box.id)
            command(**given, variants=tuple(variant.id for variant in VARIANTS if variant.id in chosen))

        parameters = list(_replace_variants(signature.parameters.values(), offered))
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _replace_variants(
    parameters: Collection[inspect.Parameter], offered: Sequence[Variant]
) -> Iterator[inspect.Parameter]:
    for parameter in parameters:
        if parameter.name == "tokens":
            yield from _list_token_options(parameter)
        elif parameter.name == "variants":
            yield from _list_variant_options(parameter, offered)
        elif parameter.name == "played":
            names, option = get_args(parameter.annotation)
            choices: Any = Literal[(*get_args(names), *BOXES)]
            yield parameter.replace(annotation=Annotated[choices, option])
        else:
            yield parameter


def _list_token_options(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    for kind in TOKEN_KINDS.values():
        text = (
            f"The {kind.word}s on kingdom K, as in {_make_example(kind)}, separated by commas; 1: for none. Repeatable."
        )
        option = typer.Option(f"--{kind.key}", metavar="K:SQUARES", help=text)
        yield parameter.replace(name=kind.key, annotation=Annotated[list[str] | None, option], default=None)


def _make_example(kind: TokenKind) -> str:
    return f"1:C3 {next(iter(kind.crowns))}".rstrip()


def _list_variant_options(parameter: inspect.Parameter, offered: Sequence[Variant]) -> Iterator[inspect.Parameter]:
    for variant in offered:
        if not variant.group:
            option = Annotated[bool, typer.Option(f"--{variant.id}", help=variant.help)]
            yield parameter.replace(name=variant.key, annotation=option, default=False)
    for group in dict.fromkeys(variant.group for variant in offered if variant.group):
        names = tuple(variant.id for variant in GROUPS[group].variants)
        named = typer.Option(f"--{group}", metavar="NAME", help=f"A {group}: {', '.join(names)}. Repeatable.")
        choices: Any = _make_choices(group, names)
        yield parameter.replace(name=group, annotation=Annotated[list[choices] | None, named], default=None)


def _make_choices(name: str, words: Sequence[str]) -> Any:
    """Return the type of an option that takes one of these words."""
    make_enum: Any = StrEnum
    return make_enum(name, [(word, word) for word in words])


def _parse_tokens(texts: Mapping[str, Iterable[str]]) -> TokensByKingdom:
    """The tokens of the options, by kingdom, from 0, and by key; raises NotationError.

    Without a number the first kingdom is meant.
    """
    from kdvision.gamefile.pieces import parse_tokens
    from kdvision.gamefile.read import Node

    found: dict[int, dict[str, list[Token]]] = {}
    for key, kind in TOKEN_KINDS.items():
        for text in texts[key]:
            number, _, words = text.rpartition(":")
            if re.fullmatch(r"\s*([1-9][0-9]?\s*)?", number, re.ASCII) is None:
                expected = f"KINGDOM:SQUARES, as in --{key} {_make_example(kind)}"
                raise NotationError(
                    f"{number!r} is not a number of a kingdom", expected=expected, hint=f"write {expected}"
                )
            entries = [word.strip() for word in words.split(",") if word.strip()]
            own = found.setdefault(int(number.strip() or 1) - 1, {}).setdefault(key, [])
            own += parse_tokens(Node({key: entries}, f"--{key}"), kind)
    return found


def check_variants(variants: Collection[str], game: str, *, option: str = "") -> None:
    """Raise a usage error for a variant that cannot be added to the game; it names the variant's `option`."""
    for variant in VARIANTS:
        if variant.id in variants and not variant.fits(game):
            text = f"{variant.name} cannot be added to {game}, only to {' or '.join(variant.games)}"
            own = f"--{variant.group} {variant.id}" if variant.group else f"--{variant.id}"
            raise typer.BadParameter(text, param_hint=option or own)
