"""`kdvision fits`: where a domino may be laid, or that it must be discarded."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdvision.cli.inputs import correct_boards, load_networks, open_photo, parse_board, parse_fixes
from kdvision.cli.options import AUTO, Fixes, PhotoGame, ScoreOptions, Size, Strict
from kdvision.cli.output import exit_with_code, get_width, print_json, wants_colour
from kdvision.cli.variant_options import BOXES, variant_options
from kdvision.errors import NotationError

if TYPE_CHECKING:
    from kdvision.game.board import Board
    from kdvision.report.result import Result


# No other variant changes where a domino may be laid.
@variant_options(tuple(BOXES.values()))
def fits(
    domino: Annotated[str, typer.Argument(metavar="DOMINO", help='The two squares of the domino, such as "w f1".')],
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A board in notation, - for one on stdin, or a photo.")],
    played: Annotated[
        PhotoGame, typer.Option("--game", help="The game; auto means Kingdomino, unless a photo shows towns.")
    ] = AUTO,
    variants: tuple[str, ...] = (),
    size: Size = None,
    fix: Fixes = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    strict: Strict = False,
) -> None:
    """List where a domino may be laid, or say that it must be discarded, with the rulebook clause.

    A domino that can be laid may not be discarded. It lies on free squares within the side of the game, and one of its
    halves touches the castle or its own terrain. From a photo, the uncertain squares are named, and whether they change
    the answer.
    """
    from kdvision.game.deck import parse_domino
    from kdvision.report.fits import find_fits, fits_to_dict, format_fits

    halves = parse_domino(domino)
    options = ScoreOptions(None if played == AUTO else played, int(size) if size else None, variants, strict=strict)
    result = _score_board(board, options, fix or [])
    answers = find_fits(result, halves, side=options.side)
    if as_json:
        words, kingdoms = [str(cell) for cell in halves], [fits_to_dict(answer) for answer in answers]
        print_json({"domino": words, "photo": result.photo, "game": result.game, "kingdoms": kingdoms})
    else:
        typer.echo(format_fits(answers, width=get_width(), colour=wants_colour()))
    exit_with_code([result], options)


def _score_board(text: str, options: ScoreOptions, fixes: list[str]) -> "Result":
    """The result of a typed board or of a photo, with corrections."""
    from kdvision import pipeline
    from kdvision.report.build import build_board_result, build_photo_result

    corrections = parse_fixes(fixes)
    board = _find_board(text)
    if board is not None:
        boards = correct_boards([board], corrections)
        return build_board_result(boards, options.make_rules(boards))
    load_networks()
    photo = open_photo(text)
    fixed_squares = {(number, square): cell for number, square, cell in corrections}
    readings = pipeline.read(photo, side=options.side, fixed_squares=fixed_squares, game=options.game_to_read)
    rule_set = options.add_detected_game(readings).make_rules([reading.board for reading in readings])
    return build_photo_result(text, (photo.width, photo.height), readings, rule_set)


def _find_board(text: str) -> "Board | None":
    """The board of a notation; None for a text that is the path of a photo. Raises NotationError."""
    try:
        return parse_board(text)
    except NotationError:
        if text not in ("", "-") and (Path(text).suffix or not re.search(r"\s", text.strip())):
            return None
        raise
