"""`kdvision score`: photos scored, and the game file that asks for what they do not show."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdvision.cli.options import (
    AsJson,
    Asked,
    Corners,
    Fix,
    Fixes,
    PhotoGame,
    PlayersOption,
    SizeOption,
    Strict,
    fixes_of,
    opened,
    outlines_of,
    players_of,
    targets_of,
)
from kdvision.cli.output import complain, finish, put, put_absent, put_together
from kdvision.cli.pieces_options import (
    Coins,
    GameFile,
    Knights,
    Pieces,
    Played,
    Queen,
    Towers,
    Towns,
    check_game_file,
    check_told,
    of_one_game,
    write_game_file,
)
from kdvision.cli.variant_options import variant_options
from kdvision.errors import KdvisionError, ModelError, NotationError

if TYPE_CHECKING:
    from kdvision.report.result import Result
    from kdvision.vision.detect.manual import KingdomOutline
    from kdvision.vision.image.photo import Photo


@variant_options()
def score(
    photos: Annotated[list[str], typer.Argument(metavar="PHOTO", help="Photos, or - for one on stdin.")],
    variants: tuple[str, ...] = (),
    size: SizeOption = None,
    overlay: Annotated[
        str | None,
        typer.Option(metavar="OUT", help="Draw the score on the photo: a .png, .jpg or .webp file, or a folder."),
    ] = None,
    as_json: AsJson = False,
    fix: Fixes = None,
    corners: Corners = None,
    players: PlayersOption = None,
    strict: Strict = False,
    same: Annotated[bool, typer.Option("--same", help="All photos show the same kingdom: read them together.")] = False,
    played: Played = PhotoGame.AUTO,
    coins: Coins = None,
    towers: Towers = None,
    knights: Knights = None,
    queen: Queen = None,
    towns: Towns = None,
    game_file: GameFile = None,
) -> None:
    """Score the kingdoms in photos: boards, territories, bonuses, total, and who wins.

    Of several photos those that fail are named on stderr and the others go on. Several kingdoms, in one photo or one in
    each, are ranked as one game. With --overlay FOLDER each picture is called PHOTO-score.jpg.

    With --same every photo shows the same kingdoms, from any side: what is dazzled or covered in one is read in
    another. Board, picture and corrections are those of the first photo, which has to be one that can be read.

    Coins, knights and the like no photo shows. They are told by options, kingdoms numbered over all photos, or in the
    file that --game-file writes for filling in (kdvision game scores it); until then points are a range.
    """
    pieces = {"coins": coins, "towers": towers, "knights": knights, "towns": towns}
    given = Pieces(played, variants, pieces, queen)
    asked = Asked(
        size,
        variants,
        as_json,
        strict,
        given.game,
        players_of(players),
        told=given.told(),
    )
    check_game_file(game_file)
    fixes = fixes_of(fix or ())
    if fixes and len(photos) > 1 and not same:
        raise typer.BadParameter("squares can be corrected in one photo at a time", param_hint="--fix")
    outlines = outlines_of(corners or ())
    if outlines and len(photos) > 1:
        raise typer.BadParameter("outlines can be drawn in one photo at a time", param_hint="--corners")
    if same and len(photos) < 2:
        raise typer.BadParameter("name two photos of the kingdom or more", param_hint="--same")
    photos, also = (photos[:1], photos[1:]) if same else (photos, [])
    results: list[Result] = []
    settled: list[Asked] = []
    for photo, target in zip(photos, targets_of(photos, overlay, also), strict=True):
        before = sum(len(result.kingdoms) for result in results)
        if asked.counts and results and results[-1].error is not None:
            typer.echo(
                f"kdvision: {results[-1].photo} failed, so how the kingdoms after it are numbered is not known: they go"
                " without the names and pieces that were told by number.",
                err=True,
            )
            asked = asked.uncounted()
        results.append(_scored(photo, target, fixes, outlines, asked, before, also, settled.append))
        if len(results) == len(photos):
            check_told(asked.told, results)
        put(results[-1], asked)
    game = of_one_game(settled or [asked])
    if game is not None:
        put_together(results, game)
    put_absent(results, asked)
    write_game_file(game_file, results, game)
    finish(results, asked)


def _scored(
    photo: str,
    target: Path | None,
    fixes: Sequence[Fix],
    outlines: Sequence["KingdomOutline"],
    asked: Asked,
    before: int,
    also: Sequence[str] = (),
    settle: Callable[[Asked], None] = lambda _: None,
) -> "Result":
    """The result of one photo, its overlay written; a photo that fails is a result too, with its error.

    `also` are further photos of the same kingdoms; `settle` hears what is asked where the photo told the game itself.
    """
    from kdvision import pipeline
    from kdvision.game.players import NO_PLAYERS
    from kdvision.report.build import build_photo_result
    from kdvision.report.result import FailedView, Result

    lost: list[FailedView] = []

    def failed(number: int, error: KdvisionError) -> None:
        lost.append(FailedView(also[number - 1], error))
        complain(error)

    try:
        seen = opened(photo)
        fixed_squares = {(number, square): word for number, square, word in fixes}
        game = asked.to_read
        if also:
            photos = [seen, *(opened(one) if one == "-" else one for one in also)]
            reads = pipeline.read_views(photos, side=asked.side, fixed_squares=fixed_squares, game=game, failed=failed)
        else:
            reads = pipeline.read(seen, side=asked.side, fixed_squares=fixed_squares, corners=outlines, game=game)
    except (ModelError, NotationError):
        raise  # not this photo's fault: the others would do no better
    except KdvisionError as error:
        complain(error)
        if also:
            typer.echo(
                "kdvision: With --same the first photo has to be one that can be read: name another first.", err=True
            )
        return Result(photo, error=error)
    asked = asked.settled(reads)
    settle(asked)
    rules = asked.rules([read.board for read in reads])
    result = build_photo_result(
        photo,
        (seen.width, seen.height),
        reads,
        rules,
        players=asked.players or NO_PLAYERS,
        first_number=before,
        facts=asked.told,
    )
    result = replace(result, failed_views=tuple(lost))
    if target is not None:
        _draw(seen, result, target)
    return result


def _draw(seen: "Photo", result: "Result", target: Path) -> None:
    from kdvision.files import encode_image, write_atomically
    from kdvision.report.overlay import draw_overlay

    write_atomically(target, encode_image(draw_overlay(seen, result), target.suffix))
