"""`kdvision type`, `fits`, `game` and `rules`: boards, dominoes and games given as text, and the rulebook's clauses."""

import re
from dataclasses import asdict, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final

import typer

from kdvision.cli.inputs import (
    check_kingdom,
    check_stdin_once,
    correct_boards,
    open_photo,
    parse_board,
    parse_fixes,
    parse_numbered,
    read_stdin_text,
)
from kdvision.cli.options import BOXES, Clauses, ScoreOptions, TokensByKingdom, add_options, check_variants
from kdvision.cli.output import (
    exit_with_code,
    make_usage_error,
    print_json,
    print_message,
    print_new_names,
    print_result,
    print_text,
)
from kdvision.errors import ExitCode, NotationError
from kdvision.game.board import Terrain
from kdvision.game.deck import parse_domino
from kdvision.game.kingdom import Gem, Kingdom, join_tokens
from kdvision.game.rules import GAME_KINGDOMINO, list_board_variants, load_clauses
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.gamefile.model import load_game, parse_game
from kdvision.gamefile.pieces import parse_gem
from kdvision.gamefile.read import parse_toml
from kdvision.report.build import build_board_result
from kdvision.report.result import Result

MISSING_FACTS: Final = "coins, buildings, knights, towers and the Queen need a game file (kdvision game)"
TOWN_ADVICE: Final = "t is a town, and Kingdomino has none: use --game queendomino or --game royal-wedding"


@add_options(list_board_variants())
def type_boards(
    boards: Annotated[list[str], typer.Argument(metavar="BOARD...", help="Boards in notation, or - for one on stdin.")],
    options: ScoreOptions,
    tokens: TokensByKingdom,
    gem: Annotated[
        list[str] | None,
        typer.Option(
            metavar="K:GEM",
            help="A gem of The Lost Treasures on kingdom K, written as in a game file: \"1: kind = 'ruby', between = "
            "'B2 C3', crowns = [1, 0, 2, 0]\". Repeatable.",
        ),
    ] = None,
    clauses: Clauses = False,
) -> None:
    """Score boards typed as text, such as "w w1 f / l # f1".

    w f l g s m are wheat, forest, lake, grass, swamp and mine, t is a town; a digit is the number of crowns. # is the
    castle, . no tile, ? an unknown square; / ends a row. Several boards are the kingdoms of one game. Coins, buildings,
    knights, towers and the Queen need a game file (kdvision game).
    """
    from kdvision.report.table import format_clauses

    if "/" in boards or (len(boards) > 1 and all(board != "-" and len(board.split()) == 1 for board in boards)):
        raise make_usage_error('put each board in quotes, such as "w w1 f / l # f1"', "BOARD")
    check_stdin_once(boards, "BOARD")
    gems: dict[int, list[Gem]] = {}
    for text in gem or ():
        number, match = parse_numbered("(.*)", text, "a gem", "KINGDOM:GEM")
        node = parse_toml(f"gem = {{ {match[2]} }}", name="--gem").get_node("gem")
        gems.setdefault(number, []).append(parse_gem(node))
    if gems:
        options = replace(options, variants=(*options.variants, LOST_TREASURES.id))
    check_variants(options.variants, options.board_game, option="--gem" if gems else "")
    corrected_boards = correct_boards([parse_board(text) for text in boards], parse_fixes(options.fix))
    check_kingdom(max((*gems, *tokens), default=0), len(corrected_boards))
    kingdoms = [
        Kingdom(board, gems=tuple(gems.get(number, ())), tokens=join_tokens(tokens.get(number, {})))
        for number, board in enumerate(corrected_boards)
    ]
    has_all_pieces = options.board_game == GAME_KINGDOMINO
    result = build_board_result(kingdoms, options.make_rules(corrected_boards), is_over=has_all_pieces)
    print_result(result, as_json=options.as_json)
    if not options.as_json:
        for kingdom in result.kingdoms if clauses else ():
            print_text(format_clauses, kingdom)
        if not has_all_pieces:
            print_message(MISSING_FACTS)
        elif any(cell.terrain is Terrain.TOWN for board in corrected_boards for cell in board.values()):
            print_message(TOWN_ADVICE)
    exit_with_code([result], strict=options.strict)


@add_options(tuple(BOXES.values()))  # no other variant changes where a domino may be laid
def fits(
    domino: Annotated[str, typer.Argument(metavar="DOMINO", help='The two squares of the domino, such as "w f1".')],
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A board in notation, - for one on stdin, or a photo.")],
    options: ScoreOptions,
) -> None:
    """List where a domino may be laid, or say that it must be discarded, with the rulebook clause.

    A domino that can be laid may not be discarded. It lies on free squares within the side of the game, and one of its
    halves touches the castle or its own terrain. For a photo, it also names the uncertain squares and
    says whether they change the answer.
    """
    from kdvision.report.fits import find_fits, fits_to_dict, format_fits

    halves = parse_domino(domino)
    result = _score_board(board, options)
    answers = find_fits(result, halves, side=options.size)
    if options.as_json:
        words, kingdoms = [str(cell) for cell in halves], [fits_to_dict(answer) for answer in answers]
        print_json({"domino": words, "photo": result.photo, "game": result.game, "kingdoms": kingdoms})
    else:
        print_text(format_fits, answers)
    exit_with_code([result], strict=options.strict)


def _score_board(text: str, options: ScoreOptions) -> Result:
    """Return the result of a typed board or of a photo, with corrections; raise NotationError."""
    from kdvision import pipeline

    fixes = parse_fixes(options.fix)
    try:
        board = parse_board(text)
    except NotationError:
        if text in ("", "-") or (re.search(r"\s", text.strip()) and not re.search(r"\.\w+$", text)):
            raise
    else:
        boards = correct_boards([board], fixes)
        return build_board_result(boards, options.make_rules(boards))
    photo = open_photo(text)
    readings = pipeline.read(photo, side=options.size, fixed_squares=fixes, game=options.box)
    print_new_names(readings)
    return options.score_photo(text, photo, readings)


def game(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A game file (TOML), or - for one on stdin.")],
    dominoes: Annotated[bool, typer.Option("--dominoes", help="Name the dominoes of each kingdom.")] = False,
    clauses: Clauses = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 6 if something is wrong or missing.")] = False,
) -> None:
    """Score a whole game from a file. Prints each round, who wins and why.

    A game file has players, boards, pieces and rounds; docs/rules.md describes it. A value of "?" is not known yet;
    until it is, the points are a range.
    """
    from kdvision.report.game import format_game, game_to_dict

    name = "the game on stdin" if file == "-" else file
    game = parse_game(read_stdin_text(), name=name) if file == "-" else load_game(Path(file))
    if as_json:
        print_json(game_to_dict(game, name))
    else:
        print_text(format_game, game, name, dominoes=dominoes, clauses=clauses)
    is_open = any(map(game.is_open, game.rounds))
    lacks_kingdoms = any(len(table.kingdoms) != 1 and game.describe_missing_kingdoms(table) for table in game.rounds)
    if strict and (is_open or lacks_kingdoms or any(game.find_problems(table) for table in game.rounds)):
        reason = "some kingdoms are missing" if lacks_kingdoms else "there are problems"
        print_message(f"{name}: {'some facts are missing' if is_open else reason}")
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def rules(
    clause: Annotated[str | None, typer.Option(metavar="ID", help="Show one clause, as in kingdomino/value.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per clause, each on its own line.")
    ] = False,
) -> None:
    """List the rulebook clauses in our own words. Lines of a score and problems refer to them."""
    all_clauses = load_clauses()
    if clause is not None and clause not in all_clauses:
        matches = get_close_matches(clause, all_clauses, n=3, cutoff=0.4)
        advice = f"did you mean {', '.join(matches)}?" if matches else "kdvision rules lists all of them"
        raise typer.BadParameter(f"there is no clause {clause}; {advice}", param_hint="--clause")
    for entry in all_clauses.values() if clause is None else [all_clauses[clause]]:
        if as_json:
            print_json(asdict(entry))
        else:
            typer.echo(str(entry))
