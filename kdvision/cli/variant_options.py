"""One option for each variant that the rules offer."""

import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import wraps
from typing import Annotated, Any

import typer

from kdvision.game.rules import VARIANTS, Variant

Command = Callable[..., None]


def variant_options(offered: Sequence[Variant] = VARIANTS) -> Callable[[Command], Command]:
    """Return a decorator that gives a command an option for each variant.

    The options take the place of the command's parameter `variants`, which receives the ids of the chosen ones.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**given: Any) -> None:
            chosen = tuple(variant.id for variant in offered if given.pop(variant.key))
            command(**given, variants=chosen)

        signature = inspect.signature(command, eval_str=True)
        parameters = list(_replace_variants(signature.parameters.values(), offered))
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _replace_variants(
    parameters: Collection[inspect.Parameter], offered: Sequence[Variant]
) -> Iterator[inspect.Parameter]:
    for parameter in parameters:
        if parameter.name != "variants":
            yield parameter
            continue
        for variant in offered:
            option = Annotated[bool, typer.Option(f"--{variant.id}", help=variant.help)]
            yield parameter.replace(name=variant.key, annotation=option, default=False)


def check_variants(variants: Collection[str], game: str, *, option: str = "") -> None:
    """Raise a usage error for a variant that cannot be added to the game; it names the variant's `option`."""
    for variant in VARIANTS:
        if variant.id in variants and not variant.fits(game):
            text = f"{variant.name} cannot be added to {game}, only to {' or '.join(variant.games)}"
            raise typer.BadParameter(text, param_hint=option or f"--{variant.id}")
