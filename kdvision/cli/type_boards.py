"""`kdvision type`: scores boards typed by hand."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.inputs import correct_boards, parse_board, parse_fixes
from kdvision.cli.options import (
    KINGDOMINO,
    Clauses,
    Fixes,
    GameName,
    ScoreOptions,
    Size,
    Strict,
)
from kdvision.cli.output import exit_with_code, print_clauses, print_message, print_result
from kdvision.cli.variant_options import NO_TOKENS, TokensByKingdom, check_variants, variant_options
from kdvision.errors import NotationError
from kdvision.game.rules import board_variants
from kdvision.game.rules.lost_treasures import LOST_TREASURES

if TYPE_CHECKING:
    from kdvision.game.board import Board
    from kdvision.game.pieces import Gem

MISSING_FACTS: Final = "coins, buildings, knights, towers and the Queen count from a game file only (kdvision game)"
TOWN_ADVICE: Final = "t is a town, and Kingdomino has none: use --game queendomino or --game royal-wedding"


@variant_options(board_variants())
def type_boards(
    boards: Annotated[list[str], typer.Argument(metavar="BOARD", help="Boards in notation, or - for one on stdin.")],
    played: Annotated[
        GameName, typer.Option("--game", help="The game whose rules and dominoes are used.")
    ] = KINGDOMINO,
    variants: tuple[str, ...] = (),
    tokens: TokensByKingdom = NO_TOKENS,
    size: Size = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    fix: Fixes = None,
    gem: Annotated[
        list[str] | None,
        typer.Option(
            metavar="K:GEM",
            help="A gem of The Lost Treasures on kingdom K, written as in a game file: \"1: kind = 'ruby', between = "
            "'B2 C3', crowns = [1, 0, 2, 0]\". Repeatable.",
        ),
    ] = None,
    strict: Strict = False,
    clauses: Clauses = False,
) -> None:
    """Score boards typed as text, such as "w w1 f / l # f1".

    w f l g s m are wheat, forest, lake, grass, swamp and mine, t is a town; a digit is the number of crowns. # is the
    castle, . no tile, ? an unknown square; / ends a row. Several boards are the kingdoms of one game. Coins, buildings,
    knights, towers and the Queen need a game file (kdvision game).
    """
    from kdvision.game.kingdom import Kingdom
    from kdvision.game.pieces import join_tokens
    from kdvision.report.build import build_board_result

    gems = _parse_gems(gem or ())
    variants = (*variants, LOST_TREASURES.id) if gems else variants
    check_variants(variants, played, option="--gem" if gems else "")
    options = ScoreOptions(played, int(size) if size else None, variants, as_json=as_json, strict=strict)
    parsed = correct_boards([parse_board(text) for text in boards], parse_fixes(fix or ()))
    highest = max((*gems, *tokens), default=0)
    if highest >= len(parsed):
        raise NotationError(f"there is no kingdom {highest + 1}", hint=f"give a number from 1 to {len(parsed)}")
    kingdoms = [
        Kingdom(
            board,
            gems=tuple(gems.get(number, ())),
            tokens=join_tokens(tokens.get(number, {})),
        )
        for number, board in enumerate(parsed)
    ]
    result = build_board_result(kingdoms, options.make_rules(parsed))
    print_result(result, options)
    if not as_json:
        if clauses:
            print_clauses(result)
        if note := _describe_limits(parsed, played):
            print_message(note)
    exit_with_code([result], options)


def _parse_gems(texts: Iterable[str]) -> "dict[int, list[Gem]]":
    """The gems of `--gem` by kingdom, from 0; without a number the first kingdom is meant. Raises NotationError."""
    from kdvision.gamefile.pieces import parse_gem
    from kdvision.gamefile.read import parse_toml

    gems: dict[int, list[Gem]] = {}
    for text in texts:
        match = re.fullmatch(r"\s*(?:([1-9][0-9]?):)?(.*)", text, re.DOTALL | re.ASCII)
        assert match is not None, "any text matches"
        gem = parse_gem(parse_toml(f"gem = {{ {match[2]} }}", name="--gem").at("gem"))
        gems.setdefault(int(match[1] or 1) - 1, []).append(gem)
    return gems


def _describe_limits(boards: Iterable["Board"], game: str) -> str:
    """What typed boards of this game leave out, in a sentence; "" if nothing."""
    from kdvision.game.board import Terrain

    if game != KINGDOMINO:
        return MISSING_FACTS
    has_towns = any(cell.terrain is Terrain.TOWN for board in boards for cell in board.values())
    return TOWN_ADVICE if has_towns else ""
