"""`kdvision score`: scores photos."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdvision.cli.inputs import Fix, load_networks, open_photo, parse_fixes, parse_outlines
from kdvision.cli.options import (
    AUTO,
    AsJson,
    Coins,
    Corners,
    Fixes,
    Knights,
    PhotoGame,
    PlayersOption,
    Queen,
    ScoreOptions,
    Size,
    Strict,
    Towers,
    Towns,
    check_facts,
    parse_facts,
)
from kdvision.cli.output import (
    exit_with_code,
    print_combined_result,
    print_error,
    print_message,
    print_result,
    warn_of_absent_players,
)
from kdvision.cli.output_files import (
    GameFile,
    check_game_file,
    find_common_options,
    find_overlay_paths,
    write_game_file,
)
from kdvision.cli.variant_options import NO_TOKENS, TokensByKingdom, variant_options
from kdvision.errors import KdvisionError, ModelError, NotationError
from kdvision.game.players import NO_PLAYERS, Players

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.report.result import FailedView, Result
    from kdvision.vision.detect.outline import KingdomOutline
    from kdvision.vision.image.photo import Photo


@variant_options()
def score(
    photos: Annotated[list[str], typer.Argument(metavar="PHOTO", help="Photos, or - for one on stdin.")],
    variants: tuple[str, ...] = (),
    tokens: TokensByKingdom = NO_TOKENS,
    size: Size = None,
    overlay: Annotated[
        str | None,
        typer.Option(metavar="OUT", help="Draw the score on the photo: a .png, .jpg or .webp file, or a folder."),
    ] = None,
    as_json: AsJson = False,
    fix: Fixes = None,
    corners: Corners = None,
    players: PlayersOption = None,
    strict: Strict = False,
    same: Annotated[bool, typer.Option("--same", help="All photos show the same kingdoms: combine them.")] = False,
    played: Annotated[
        PhotoGame, typer.Option("--game", help="The game; auto means Kingdomino, unless the photo shows towns.")
    ] = AUTO,
    coins: Coins = None,
    towers: Towers = None,
    knights: Knights = None,
    queen: Queen = None,
    towns: Towns = None,
    game_file: GameFile = None,
) -> None:
    """Score the kingdoms in photos. Prints boards, territories, bonuses, totals and who wins.

    If some of several photos fail, they are named on stderr and the others are still scored. Several kingdoms, in one
    photo or in several, are ranked as one game. With --overlay FOLDER each picture is named PHOTO-score.jpg.

    With --same all photos show the same kingdoms, from any side: what is hidden in one photo is read in another. Board,
    picture and corrections refer to the first photo, which must be readable.

    No photo shows coins and knights beside the board. Give such facts with options, kingdoms numbered over all photos,
    or fill in the file that --game-file writes and run kdvision game. Until then points are a range.
    """
    counts = {"coins": coins, "towers": towers, "knights": knights, "towns": towns}
    game = None if played == AUTO else played
    options = ScoreOptions(
        game,
        int(size) if size else None,
        variants,
        NO_PLAYERS if players is None else Players.parse(players),
        parse_facts(game, variants, counts, queen, tokens),
        as_json=as_json,
        strict=strict,
    )
    options.players.check_colours(variants)
    check_game_file(game_file)
    fixes, outlines = parse_fixes(fix or ()), parse_outlines(corners or ())
    _check_usage(photos, fixes, outlines, same=same)
    photos, views = (photos[:1], photos[1:]) if same else (photos, [])
    paths = find_overlay_paths(photos, overlay, views)
    load_networks()
    jobs = [_Job(photo, path, fixes, outlines, views) for photo, path in zip(photos, paths, strict=True)]
    results, used_options = _score_photos(jobs, options)
    game_options = find_common_options(used_options or [options])
    if game_options is not None:
        print_combined_result(results, game_options)
    warn_of_absent_players(results, options)
    write_game_file(game_file, results, game_options)
    exit_with_code(results, options)


def _check_usage(photos: list[str], fixes: list[Fix], outlines: "list[KingdomOutline]", *, same: bool) -> None:
    """Raise a usage error for options that do not fit the number of photos."""
    if fixes and len(photos) > 1 and not same:
        raise typer.BadParameter("squares can only be corrected in one photo at a time", param_hint="--fix")
    if outlines and len(photos) > 1:
        raise typer.BadParameter("outlines can only be given for one photo at a time", param_hint="--corners")
    if same and len(photos) < 2:
        raise typer.BadParameter("name at least two photos of the kingdom", param_hint="--same")


@dataclass(frozen=True)
class _Job:
    """One photo to score; `views` are further photos of the same kingdoms."""

    photo: str
    overlay_path: Path | None
    fixes: Sequence[Fix]
    outlines: "Sequence[KingdomOutline]"
    views: Sequence[str]


def _score_photos(jobs: Sequence[_Job], options: ScoreOptions) -> "tuple[list[Result], list[ScoreOptions]]":
    """Score and print each photo: the results, and the options with the detected game of each photo that was read."""
    results: list[Result] = []
    used_options: list[ScoreOptions] = []
    for job in jobs:
        if results and results[-1].error is not None and options.is_numbered:
            print_message(
                f"{results[-1].photo} failed, so the numbers of the kingdoms after it are unknown: "
                "names and facts given by number are not used for them"
            )
            options = options.drop_numbered()
        result, used = _score_photo(job, options, first_number=sum(len(result.kingdoms) for result in results))
        results.append(result)
        used_options += [] if used is None else [used]
        if len(results) == len(jobs):
            check_facts(options.facts, results)
        print_result(result, options)
    return results, used_options


def _score_photo(job: _Job, options: ScoreOptions, *, first_number: int) -> "tuple[Result, ScoreOptions | None]":
    """The result of one photo and the options with its detected game; a failed photo's result has the error.

    Writes the overlay.
    """
    from kdvision.report.build import build_photo_result
    from kdvision.report.result import Result

    failed_views: list[FailedView] = []
    try:
        photo = open_photo(job.photo)
        readings = _read(photo, job, options, failed_views)
    except (ModelError, NotationError):
        raise  # other photos would fail in the same way
    except KdvisionError as error:
        print_error(error)
        if job.views:
            print_message("With --same the first photo must be readable: name another first")
        return Result(job.photo, error=error), None
    options = options.add_detected_game(readings)
    result = build_photo_result(
        job.photo,
        (photo.width, photo.height),
        readings,
        options.make_rules([reading.board for reading in readings]),
        players=options.players,
        first_number=first_number,
        facts=options.facts,
    )
    result = replace(result, failed_views=tuple(failed_views))
    if job.overlay_path is not None:
        _write_overlay(photo, result, job.overlay_path)
    return result, options


def _read(photo: "Photo", job: _Job, options: ScoreOptions, failed_views: "list[FailedView]") -> "list[KingdomReading]":
    """The kingdoms of a photo; `failed_views` receives the views that cannot be read."""
    from kdvision import pipeline
    from kdvision.report.result import FailedView

    def report_failure(number: int, error: KdvisionError) -> None:
        failed_views.append(FailedView(job.views[number - 1], error))
        print_error(error)

    fixed_squares = {(number, square): cell for number, square, cell in job.fixes}
    side, game = options.side, options.game_to_read
    if not job.views:
        return pipeline.read(photo, side=side, fixed_squares=fixed_squares, corners=job.outlines, game=game)
    photos = [photo, *(open_photo(view) if view == "-" else view for view in job.views)]
    return pipeline.read_views(photos, side=side, fixed_squares=fixed_squares, game=game, on_failure=report_failure)


def _write_overlay(photo: "Photo", result: "Result", path: Path) -> None:
    from kdvision.files import encode_image, write_atomically
    from kdvision.report.overlay import draw_overlay

    write_atomically(path, encode_image(draw_overlay(photo, result), path.suffix))
