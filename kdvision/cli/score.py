"""`kdvision score`: scores photos."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.inputs import load_networks, open_photo, parse_fixes, parse_outlines
from kdvision.cli.options import (
    NO_COUNTS,
    NO_TOKENS,
    Corners,
    Counts,
    ScoreOptions,
    TokensByKingdom,
    add_options,
    parse_facts,
)
from kdvision.cli.output import exit_with_code, print_error, print_line, print_message, print_result, print_text
from kdvision.cli.output_files import check_game_file, find_overlay_paths, write_game_file
from kdvision.errors import KdvisionError, ModelError, NotationError
from kdvision.game.players import NO_PLAYERS, Players, make_names_unique
from kdvision.text import count_noun

if TYPE_CHECKING:
    from kdvision.report.result import Result
    from kdvision.vision.detect.outline import KingdomOutline

MAX_KINGDOMS: Final = 6
"""More kingdoms are not ranked as one game, unless its rules allow more players."""


@add_options()
def score(
    photos: Annotated[list[str], typer.Argument(metavar="PHOTO", help="Photos, or - for one on stdin.")],
    options: ScoreOptions,
    tokens: TokensByKingdom = NO_TOKENS,
    counts: Counts = NO_COUNTS,
    queen: Annotated[
        int | None, typer.Option(metavar="K", min=0, max=99, help="The kingdom that hosts the Queen; 0 for none.")
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The players: blue=Ann,pink=Bob by castle colour, or Ann,Bob in the order of the kingdoms (photo by "
            "photo, left to right, row by row).",
        ),
    ] = None,
    corners: Corners = None,
    same: Annotated[bool, typer.Option("--same", help="All photos show the same kingdoms: combine them.")] = False,
    overlay: Annotated[
        str | None,
        typer.Option(metavar="OUT", help="Draw the score on the photo: a .png, .jpg or .webp file, or a folder."),
    ] = None,
    game_file: Annotated[
        str | None, typer.Option(metavar="OUT", help="Write a game file with what was read, to fill in the rest.")
    ] = None,
) -> None:
    """Score the kingdoms in photos. Prints boards, territories, bonuses, totals and who wins.

    If some of several photos fail, they are named on stderr and the others are still scored. Several kingdoms, in one
    photo or in several, are ranked as one game. With --overlay FOLDER each picture is named PHOTO-score.jpg.

    With --same all photos show the same kingdoms, from any side: what is hidden in one photo is read in another. Board,
    picture and corrections refer to the first photo, which must be readable.

    No photo shows coins and knights beside the board. Give such facts with options, kingdoms numbered over all photos,
    or fill in the file that --game-file writes and run kdvision game. Until then points are a range.
    """
    options = replace(
        options,
        players=NO_PLAYERS if players is None else Players.parse(players),
        facts=parse_facts(options, counts, queen, tokens),
    )
    options.players.check_colours(options.variants)
    check_game_file(game_file)
    outlines = parse_outlines(corners)
    if parse_fixes(options.fix) and len(photos) > 1 and not same:
        raise typer.BadParameter("squares can only be corrected in one photo at a time", param_hint="--fix")
    if outlines and len(photos) > 1:
        raise typer.BadParameter("outlines can only be given for one photo at a time", param_hint="--corners")
    if same and len(photos) < 2:
        raise typer.BadParameter("name at least two photos of the kingdom", param_hint="--same")
    photos, views = (photos[:1], photos[1:]) if same else (photos, [])
    paths = find_overlay_paths(photos, overlay, views)
    load_networks()
    photo_options = options
    results: list[Result] = []
    used_options: list[ScoreOptions] = []
    for photo, path in zip(photos, paths, strict=True):
        if results and results[-1].error is not None and photo_options != (others := photo_options.drop_numbered()):
            print_message(
                f"{results[-1].photo} failed, so the numbers of the kingdoms after it are unknown: "
                "names and facts given by number are not used for them"
            )
            photo_options = others
        first_number = sum(len(result.kingdoms) for result in results)
        result, used = _score_photo(photo, views, outlines, photo_options, first_number=first_number, overlay=path)
        results.append(result)
        used_options += [] if used is None else [used]
        if len(results) == len(photos):
            _check_facts(photo_options, results)
        print_result(result, as_json=options.as_json)
    game_options: ScoreOptions | None = None  # of photos of different games
    if len({used.game for used in used_options}) <= 1:  # one photo may show variants that the others do not
        game_options = max(used_options, key=lambda used: len(used.variants), default=options)
        _print_game(results, game_options)
    colours = [scored.reading.colour for result in results for scored in result.kingdoms if scored.reading is not None]
    if colours and (warning := options.players.describe_unmatched(colours)):
        print_message(warning)
    write_game_file(game_file, results, game_options)
    exit_with_code(results, strict=options.strict)


def _score_photo(
    name: str,
    views: Sequence[str],
    outlines: "Sequence[KingdomOutline]",
    options: ScoreOptions,
    *,
    first_number: int,
    overlay: Path | None,
) -> "tuple[Result, ScoreOptions | None]":
    """The result of one photo and the options with its detected game; a failed photo's result has the error.

    `views` are further photos of the same kingdoms. Writes the overlay.
    """
    from kdvision import pipeline
    from kdvision.files import encode_image, write_atomically
    from kdvision.report.overlay import draw_overlay
    from kdvision.report.result import FailedView, Result

    failed_views: list[FailedView] = []

    def report_failure(number: int, error: KdvisionError) -> None:
        failed_views.append(FailedView(views[number - 1], error))
        print_error(error)

    fixes, side, game = parse_fixes(options.fix), options.size, options.box
    try:
        photo = open_photo(name)
        if views:
            photos = [photo, *(open_photo(view) if view == "-" else view for view in views)]
            readings = pipeline.read_views(photos, side=side, fixed_squares=fixes, game=game, on_failure=report_failure)
        else:
            readings = pipeline.read(photo, side=side, fixed_squares=fixes, corners=outlines, game=game)
    except (ModelError, NotationError):
        raise  # other photos would fail in the same way
    except KdvisionError as error:
        print_error(error)
        if views:
            print_message("With --same the first photo must be readable: name another first")
        return Result(name, error=error), None
    result, used_options = options.score_photo(name, photo, readings, first_number)
    if overlay is not None:
        write_atomically(overlay, encode_image(draw_overlay(photo, result), overlay.suffix))
    return replace(result, failed_views=tuple(failed_views)), used_options


def _check_facts(options: ScoreOptions, results: Sequence["Result"]) -> None:
    """Raise NotationError if a fact is given for a kingdom that no photo shows, unless a photo failed."""
    count = sum(len(result.kingdoms) for result in results)
    if options.facts is None or options.facts.highest < count or any(result.error is not None for result in results):
        return
    hint = f"give a number from 1 to {count}, in the order of the photos" if count > 1 else "there is only kingdom 1"
    raise NotationError(f"there is no kingdom {options.facts.highest + 1}", hint=hint)


def _print_game(results: Sequence["Result"], options: ScoreOptions) -> None:
    """Print who wins over several photos, if their kingdoms can be one game. JSON has one object per photo only."""
    from kdvision.report.build import combine_kingdoms
    from kdvision.report.table import format_combined

    rows = [
        (scored, str(result.photo) if len(result.kingdoms) == 1 else f"{result.photo} {number}")
        for result in results
        for number, scored in enumerate(result.kingdoms, start=1)
    ]
    if options.as_json or len(results) == 1 or len(rows) < 2:
        return
    rules = options.make_rules([scored.board for scored, _ in rows])
    if len(rows) > max(MAX_KINGDOMS, rules.max_kingdoms):
        return
    if any(result.is_open for result in results):
        typer.echo(" Who wins is not known yet: facts are missing.")
        return
    kingdoms, places = zip(*rows, strict=True)
    players = make_names_unique([scored.player_name or place for scored, place in rows], places)
    game = combine_kingdoms(kingdoms, players, rules)
    print_text(format_combined, game)
    for place in game.standing.places if game.standing is not None else ():
        alone = kingdoms[place.index]
        if place.total != alone.card.total:  # because the whole game has another side
            print_line(
                f" ! {place.player} has {count_noun(place.total, 'point')} in this game and {alone.card.total} above:"
                f" the game is scored with side {rules.side}, the photo by itself with side {alone.rule_set.side}."
            )
