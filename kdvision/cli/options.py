"""The options that several commands share, the facts that they give, and the decorator that adds them to a command."""

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from kdvision.cli.inputs import parse_numbered
from kdvision.errors import NotationError
from kdvision.game.board import Board
from kdvision.game.game import choose_rule_set
from kdvision.game.kingdom import Token, TokenKind, TokensByKey
from kdvision.game.players import NO_PLAYERS, Players
from kdvision.game.rules import (
    GAME_AUTO,
    GAME_KINGDOMINO,
    GAMES,
    GROUPS,
    SIDES,
    TOKEN_KINDS,
    VARIANTS,
    Variant,
    find_only_game,
    infer_board_side,
    make_rule_set,
    name_box,
)
from kdvision.game.scoring import RuleSet
from kdvision.gamefile.pieces import parse_tokens
from kdvision.gamefile.read import Node
from kdvision.report.build import build_photo_result
from kdvision.report.pieces import NO_FACTS, GivenFacts, find_played_variants
from kdvision.report.result import Result

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.image.photo import Photo

TokensByKingdom = Mapping[int, TokensByKey]
Counts = Mapping[str, Sequence[str]]
COUNTS: Final = ("coins", "towers", "knights", "towns")
"""What the user counts on each kingdom. Options and facts have these names."""

BOXES: Final = {variant.id: variant for variant in VARIANTS if variant.dominoes}
"""Variants with dominoes of their own. `--game` accepts each one, and means the first game that it can be added to."""

if TYPE_CHECKING:
    GameName = str
else:
    GameName = Literal[(GAME_AUTO, *GAMES, *BOXES)]

Size = Annotated[Literal[5, 7] | None, typer.Option(help="The side; by default inferred from the kingdoms.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 6 if a person should check something.")]
Clauses = Annotated[bool, typer.Option("--clauses", help="Name the rulebook clause of each line of the score.")]
Corners = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OUTLINE",
        help="Read the kingdom inside this outline: its corners in pixels, clockwise from the top left, as in "
        '"100,80 520,90 530,500 90,490" or "5x5: 100,80 …". Repeatable.',
    ),
]


@dataclass(frozen=True)
class ScoreOptions:
    """How to score kingdoms and print them: the options that `score`, `type` and `fits` share.

    `players` and `facts` are what the user said about players and pieces. Nobody wins unless the game `is_over`, so
    that no kingdom is missing.
    """

    game: Annotated[GameName, typer.Option(help="The game; auto means Kingdomino, unless a photo shows towns.")] = (
        GAME_AUTO
    )
    variants: tuple[str, ...] = ()
    size: Size = None
    fix: Annotated[
        list[str] | None,
        typer.Option(metavar="K:SQUARE=CELL", help="Correct a square of kingdom K, as in 1:C3=w1. Repeatable."),
    ] = None
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: one object for each photo, or one for all typed boards.")
    ] = False
    strict: Strict = False
    players: Players = NO_PLAYERS
    facts: GivenFacts = NO_FACTS
    is_over: bool = True

    @property
    def board_game(self) -> str:
        """The game of typed boards."""
        return GAME_KINGDOMINO if self.game == GAME_AUTO else self.game

    @property
    def box(self) -> str:
        """The box to read photos with; its game is GAME_AUTO if neither `game` nor a variant decides it."""
        game = (find_only_game(self.variants) or GAME_AUTO) if self.game == GAME_AUTO else self.game
        return name_box(game, self.variants)

    def drop_numbered(self) -> "ScoreOptions":
        """Return the options without players and facts given by number, which need the numbers of the kingdoms."""
        facts = NO_FACTS if self.facts.last_kingdom >= 0 else self.facts
        return replace(self, players=NO_PLAYERS if self.players.in_order else self.players, facts=facts)

    def make_rules(self, boards: Sequence[Board]) -> RuleSet:
        """Return the rules for the boards of one game. Unless the game `is_over`, other boards may be missing."""
        side: int | None = self.size
        if side is None and not self.is_over:  # the number of all kingdoms is unknown
            widest_rules = make_rule_set(self.board_game, side=SIDES[-1], variants=self.variants)
            side = infer_board_side(boards) if len(boards) <= widest_rules.max_kingdoms else SIDES[0]
        return choose_rule_set(self.board_game, boards, side=side, variants=self.variants)

    def detect_game(self, readings: Sequence["KingdomReading"]) -> "ScoreOptions":
        """Return the options with the game and the gems that the photos of one game show, unless the user gave them."""
        game = readings[0].game if self.game == GAME_AUTO else self.game
        return replace(self, game=game, variants=find_played_variants(readings, game, self.variants))

    def score_photo(
        self, name: str, photo: "Photo", readings: Sequence["KingdomReading"], first_number: int = 0
    ) -> Result:
        """Return the result of a photo. `first_number` is that of its first kingdom, counted from 0 over all photos."""
        options = self.detect_game(readings)
        size, rules = (photo.width, photo.height), options.make_rules([reading.board for reading in readings])
        return build_photo_result(
            name,
            size,
            readings,
            rules,
            players=self.players,
            first_number=first_number,
            facts=self.facts,
            is_over=self.is_over,
        )


def add_options(variants: Sequence[Variant] = VARIANTS) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that replaces parameters of a command by options.

    `variants` becomes an option for each variant and for each group of variants, and receives the ids of those that
    the user names. `tokens` becomes an option for each kind of token, and adds the variants of those that are given.
    `counts` becomes an option for each of COUNTS. A parameter of type ScoreOptions becomes an option for each of its
    fields that declares one.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters = list(_list_options(signature.parameters.values(), variants))

        @wraps(command)
        def run(**arguments: Any) -> None:
            if "counts" in signature.parameters:
                arguments["counts"] = {key: arguments.pop(key) or () for key in COUNTS}
            if "tokens" in signature.parameters:
                arguments["tokens"] = _parse_tokens({key: arguments.pop(key) or () for key in TOKEN_KINDS})
            arguments["variants"] = _pop_variants(arguments, variants)
            if "options" in signature.parameters:
                fields = arguments.keys() & ScoreOptions.__dataclass_fields__.keys() - signature.parameters.keys()
                arguments["options"] = ScoreOptions(**{name: arguments.pop(name) for name in fields})
            command(**arguments)

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _list_options(parameters: Iterable[inspect.Parameter], variants: Sequence[Variant]) -> Iterator[inspect.Parameter]:
    def make_parameter(name: str, type_: Any, default: Any, option: Any) -> inspect.Parameter:
        return parameter.replace(name=name, annotation=Annotated[type_, option], default=default)

    for parameter in parameters:
        if parameter.annotation is ScoreOptions:
            fields = inspect.signature(ScoreOptions).parameters.values()
            options = (
                field for field in fields if field.name == "variants" or hasattr(field.annotation, "__metadata__")
            )
            yield from _list_options(options, variants)
        elif parameter.name == "tokens":
            for kind in TOKEN_KINDS.values():
                example = f"{_make_example(kind)}, separated by commas; 1: for none"
                text = f"The {kind.word}s on kingdom K, as in {example}. Repeatable."
                option = typer.Option(f"--{kind.key}", metavar="K:SQUARES", help=text)
                yield make_parameter(kind.key, list[str] | None, None, option)
        elif parameter.name == "counts":
            for key in COUNTS:
                text = f"The number of {key} of kingdom K, as in 1:3. Repeatable."
                yield make_parameter(key, list[str] | None, None, typer.Option(metavar="K:COUNT", help=text))
        elif parameter.name == "variants":
            for variant in variants:
                if not variant.group:
                    yield make_parameter(variant.key, bool, False, typer.Option(f"--{variant.id}", help=variant.help))
            for group in dict.fromkeys(variant.group for variant in variants if variant.group):
                names = [variant.id for variant in GROUPS[group].variants]
                text = f"A {group}: {', '.join(names)}. Repeatable."
                make_enum: Any = StrEnum
                choices: Any = make_enum(group, [(name, name) for name in names])
                yield make_parameter(group, list[choices] | None, None, typer.Option(metavar="NAME", help=text))
        else:
            yield parameter


def _make_example(kind: TokenKind) -> str:
    return f"1:C3 {next(iter(kind.crowns))}".rstrip()


def _pop_variants(arguments: dict[str, Any], variants: Sequence[Variant]) -> tuple[str, ...]:
    """Remove the options of variants from `arguments`; return the variants chosen, or implied by box and tokens."""
    ids = {name for group in {variant.group for variant in variants} - {""} for name in arguments.pop(group) or ()}
    ids |= {variant.id for variant in variants if not variant.group and arguments.pop(variant.key)}
    keys = {key for tokens in arguments.get("tokens", {}).values() for key in tokens}
    ids |= {variant.id for variant in VARIANTS if not keys.isdisjoint(variant.facts)}
    if (box := BOXES.get(arguments.get("game", ""))) is not None:
        arguments["game"] = box.games[0]
        ids.add(box.id)
    return tuple(variant.id for variant in VARIANTS if variant.id in ids)


def _parse_tokens(texts: Mapping[str, Iterable[str]]) -> TokensByKingdom:
    """Return the tokens of the options, by kingdom, from 0, and by key; raise NotationError."""
    tokens: dict[int, dict[str, list[Token]]] = {}
    for key, kind in TOKEN_KINDS.items():
        for text in texts[key]:
            form = f"KINGDOM:SQUARES, as in --{key} {_make_example(kind)}"
            number, match = parse_numbered("([^:?]*)", text, "a list of squares", form)
            entries = [word.strip() for word in match[2].split(",") if word.strip()]
            new_tokens = parse_tokens(Node({key: entries}, f"--{key}"), kind)
            tokens.setdefault(number, {}).setdefault(key, []).extend(new_tokens)
    return tokens


def check_variants(variants: Collection[str], game: str, *, option: str = "") -> None:
    """Raise a usage error for a variant that cannot be added to the game; it names `option` or the variant's own."""
    for variant in VARIANTS:
        if variant.id in variants and not variant.fits(game):
            text = f"{variant.name} cannot be added to {game}, only to {' or '.join(variant.games)}"
            variant_option = f"--{variant.group} {variant.id}" if variant.group else f"--{variant.id}"
            raise typer.BadParameter(text, param_hint=option or variant_option)


def parse_facts(options: ScoreOptions, counts: Counts, queen: int | None, tokens: TokensByKingdom) -> GivenFacts:
    """Return the facts that the user gives. Which facts the game needs follows from the photos.

    `counts` are the texts of the options by their names. Raises NotationError for a malformed text, and a usage error
    for a fact or variant that the game does not have.
    """
    game = options.board_game
    names = [f"--{key}" for key, texts in counts.items() if texts] + (["--queen"] if queen is not None else [])
    if names and game == GAME_KINGDOMINO:
        raise typer.BadParameter("Kingdomino has none: add --game queendomino or royal-wedding", param_hint=names[0])
    check_variants(options.variants, game)
    counts_by_kingdom: dict[int, dict[str, int]] = {}
    for key, texts in counts.items():
        for text in texts:
            number, match = parse_numbered("([0-9]{1,3})", text, f"a number of {key}", "KINGDOM:COUNT, as in 1:11")
            if key in counts_by_kingdom.setdefault(number, {}):
                raise NotationError(f"the {key} of kingdom {number + 1} are given twice", hint="give them once")
            counts_by_kingdom[number][key] = int(match[2])
    return GivenFacts(counts_by_kingdom, None if queen is None else queen - 1, tokens)
