"""`kdvision score`: scores photos, and writes pictures and a game file."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.inputs import check_kingdom, check_stdin_once, open_photo, parse_fixes
from kdvision.cli.options import Corners, Counts, ScoreOptions, TokensByKingdom, add_options, parse_facts
from kdvision.cli.output import (
    exit_with_code,
    make_usage_error,
    print_error,
    print_line,
    print_message,
    print_new_names,
    print_result,
    print_text,
)
from kdvision.errors import KdvisionError, ModelError, NotationError
from kdvision.files import IMAGE_FORMATS, check_writable, encode_image, is_folder_name, write_atomically
from kdvision.game.legality import Problem
from kdvision.game.players import NO_PLAYERS, Players, make_names_unique
from kdvision.report.build import combine_kingdoms
from kdvision.report.result import Result
from kdvision.text import count_noun, join_words, number_repeated, quote_path

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.detect.outline import KingdomOutline

MAX_KINGDOMS: Final = 6
"""More kingdoms are not ranked as one game, unless its rules allow more players."""
OVERLAY_SUFFIX: Final = "-score.jpg"
"""The end of an overlay's file name in a folder, after the photo's name."""


@add_options()
def score(
    photos: Annotated[list[str], typer.Argument(metavar="PHOTO...", help="Photos, or - for one on stdin.")],
    options: ScoreOptions,
    tokens: TokensByKingdom,
    counts: Counts,
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
    from kdvision.vision.detect.outline import KingdomOutline

    names = NO_PLAYERS if players is None else Players.parse(players)
    options = replace(options, players=names, facts=parse_facts(options, counts, queen, tokens))
    options.players.check_colours(options.variants)
    check_game_file(game_file)
    outlines = [KingdomOutline.parse(text) for text in corners or ()]
    _check_number(photos, options, outlines, same=same)
    photos, views = (photos[:1], photos[1:]) if same else (photos, [])
    overlays = find_overlay_paths(photos, overlay, views)
    results = _score_photos(photos, views, outlines, options, overlays)
    readings = [kingdom.reading for result in results for kingdom in result.kingdoms if kingdom.reading is not None]
    has_one_game = len({result.game for result in results if result.kingdoms}) <= 1
    game_options = options.detect_game(readings) if readings and has_one_game else options
    problems = _print_game(results, game_options) if has_one_game else []
    has_warning = _print_warnings(readings, game_options, has_one_game=has_one_game)
    write_game_file(game_file, results, game_options if has_one_game else None)
    exit_with_code(results, strict=options.strict, problems=problems, has_warning=has_warning)


def _check_number(
    photos: Sequence[str], options: ScoreOptions, outlines: "Sequence[KingdomOutline]", *, same: bool
) -> None:
    """Raise a usage error for options that do not go with this number of photos."""
    if parse_fixes(options.fix) and len(photos) > 1 and not same:
        raise make_usage_error("squares can only be corrected in one photo at a time", "--fix")
    if outlines and len(photos) > 1:
        raise make_usage_error("outlines can only be given for one photo at a time", "--corners")
    check_stdin_once(photos, "PHOTO")
    if same and len(photos) < 2:
        raise make_usage_error("name at least two photos of the kingdom", "--same")


def _score_photos(
    photos: Sequence[str],
    views: Sequence[str],
    outlines: "Sequence[KingdomOutline]",
    options: ScoreOptions,
    overlays: Sequence[Path | None],
) -> list[Result]:
    """Print and return the result of each photo."""
    # Other photos may show more kingdoms of the game. The JSON of a photo does not depend on them.
    photo_options = replace(options, is_over=options.as_json or len(photos) == 1)
    results: list[Result] = []
    for photo, overlay in zip(photos, overlays, strict=True):
        new_options = photo_options.drop_numbered()
        if results and results[-1].error is not None and photo_options != new_options:
            print_message(
                f"{results[-1].photo} failed, so the numbers of the kingdoms after it are unknown: "
                "names and facts given by number are not used for them"
            )
            photo_options = new_options
        first_number = sum(len(result.kingdoms) for result in results)
        result = _score_photo(photo, views, outlines, photo_options, first_number=first_number, overlay=overlay)
        results.append(result)
        if len(results) == len(photos) and all(result.error is None for result in results):
            check_kingdom(options.facts.last_kingdom, first_number + len(result.kingdoms))
        print_result(result, as_json=options.as_json)
    return results


def _score_photo(
    name: str,
    views: Sequence[str],
    outlines: "Sequence[KingdomOutline]",
    options: ScoreOptions,
    *,
    first_number: int,
    overlay: Path | None,
) -> Result:
    """Return the result of one photo; a failed photo's result has the error.

    `views` are further photos of the same kingdoms. Writes the overlay.
    """
    from kdvision import pipeline
    from kdvision.report.overlay import draw_overlay

    failed_views: list[tuple[str, KdvisionError]] = []

    def report_failure(number: int, error: KdvisionError) -> None:
        failed_views.append((views[number - 1], error))
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
            print_message("With --same the first photo must be readable: put another one first")
        return Result(name, error=error)
    print_new_names(readings)
    result = options.score_photo(name, photo, readings, first_number)
    if overlay is not None:
        write_atomically(overlay, encode_image(draw_overlay(photo, result), overlay.suffix))
    return replace(result, failed_views=tuple(failed_views))


def _print_warnings(readings: Sequence["KingdomReading"], options: ScoreOptions, *, has_one_game: bool) -> bool:
    """Print a warning if the photos show different games, players have no kingdom or several, or there are too many.

    Return whether one was printed.
    """
    if not has_one_game:
        text = "Nobody wins: the photos show different games. If they are of one game, name it with --game"
        if options.as_json:
            print_message(text)
        else:
            print_line(f" ! {text}.")
    players, colours = options.players, [reading.colour for reading in readings]
    messages = [players.describe_unmatched(colours)] if readings else []
    if has_one_game and 0 < len(readings) <= MAX_KINGDOMS:
        messages.append(players.describe_repeated(colours))
        rules = options.make_rules([])
        if options.size is not None and players.count > rules.max_kingdoms:
            text = f"{players.count} players are named, and {rules.name} is played with at most {rules.max_kingdoms}"
            messages.append(f"{text}: check --players and --size")
    for message in filter(None, messages):
        print_message(message)
    return not has_one_game or any(messages)


def _print_game(results: Sequence[Result], options: ScoreOptions) -> Sequence[Problem]:
    """Print who wins over several photos, if their kingdoms can be one game, and return the problems of that game.

    With JSON nothing is printed, because each object is about one photo. If a photo failed, somebody leads.
    """
    from kdvision.report.table import format_combined

    entries = [entry for result in results for entry in result.kingdoms]
    if len(results) == 1 or len(entries) < 2 or (options.as_json and not options.strict):
        return ()
    rules = options.make_rules([entry.board for entry in entries])
    if len(entries) > max(MAX_KINGDOMS, rules.max_kingdoms):
        if not options.as_json:
            print_line(
                f" ! {len(entries)} kingdoms are too many for one game, so only those of one photo are compared."
                " The leader of a photo has won if that photo shows the whole game."
            )
        return ()
    places = [
        str(result.photo) if len(result.kingdoms) == 1 else f"{result.photo} {number}"
        for result in results
        for number in range(1, len(result.kingdoms) + 1)
    ]
    names = [entry.player_name or place for entry, place in zip(entries, places, strict=True)]
    failed_photos = [str(result.photo) for result in results if result.error is not None]
    is_over = not failed_photos and options.players.count <= len(entries)
    game = combine_kingdoms(entries, make_names_unique(names, places), rules, is_over=is_over)
    if game.standing is None:
        if not options.as_json:
            print_line(" Who wins is not known yet: facts are missing.")
        return ()
    if options.as_json:
        return game.shared_problems
    print_text(format_combined, game)
    if failed_photos:
        print_line(f" ! Nobody wins yet: {join_words(failed_photos)} failed, so a kingdom may be missing.")
    for place in game.standing.places:
        entry = entries[place.index]
        if place.total != entry.card.total:  # because the whole game has another side
            print_line(
                f" ! {place.player} has {count_noun(place.total, 'point')} in this game and {entry.card.total} above:"
                f" the game is scored with side {rules.side}, the photo by itself with side {entry.rule_set.side}."
            )
    return game.shared_problems


def check_game_file(path: str | None) -> None:
    """Raise a usage error for a game file that exists already, that names a folder, or whose folder does not exist."""
    if path is None:
        return
    if not path or is_folder_name(path):
        example = Path(path) / "game.toml"
        raise make_usage_error(f"{path or '.'} names a folder; name a file, for example {example}", "--game-file")
    _check_folder(Path(path).parent, "--game-file")
    if os.path.exists(path):
        text = f"{path} exists and is not overwritten, as it may have been filled in; name another file"
        raise make_usage_error(text, "--game-file")


def write_game_file(path: str | None, results: Sequence[Result], options: ScoreOptions | None) -> None:
    """Write the game file, unless a photo failed. `options` is None for photos of different games."""
    if path is None:
        return
    if options is None:
        hint = "choose the game with --game"
        raise KdvisionError(f"{path} was not written: the photos show different games", hint=hint)
    if failed_photos := [result.photo for result in results if result.error is not None]:
        print_message(f"{path} was not written, because {failed_photos[0]} failed")
        return
    from kdvision.report.game import format_game_file

    seats = options.players.count
    text = format_game_file(results, options.board_game, options.variants, side=options.size, seats=seats)
    write_atomically(Path(path), text.encode())
    print_message(f"{path} was written. Fill it in, then run kdvision game {quote_path(path)}")


def find_overlay_paths(photos: Sequence[str], overlay: str | None, views: Sequence[str]) -> Sequence[Path | None]:
    """Return the path of each photo's overlay, None without one.

    `views` are further photos of the same kingdoms. Raises a usage error if a path is impossible or would overwrite a
    photo, and KdvisionError if the folder cannot be written to.
    """
    if overlay is None:
        return [None] * len(photos)
    if not overlay:
        raise make_usage_error("the name is empty; name a file, or a folder such as ./", "--overlay")
    out = Path(overlay)
    is_folder = is_folder_name(overlay)
    if not is_folder and len(photos) > 1:
        text = f"{len(photos)} photos need a folder for their pictures, not the file {overlay}"
        raise make_usage_error(text, "--overlay")
    _check_folder(out if is_folder else out.parent, "--overlay")
    if not is_folder and out.suffix.lower() not in IMAGE_FORMATS:
        raise make_usage_error(f"{out} must end in {join_words([*IMAGE_FORMATS], 'or')}", "--overlay")
    names = number_repeated("stdin" if photo == "-" else Path(photo).stem for photo in photos)
    paths = [out / f"{name}{OVERLAY_SUFFIX}" for name in names] if is_folder else [out]
    for photo in [*photos, *views]:
        for path in paths:
            if photo != "-" and os.path.exists(path) and os.path.exists(photo) and path.samefile(photo):
                raise make_usage_error(f"{path} is one of the photos and would be overwritten", "--overlay")
    return paths


def _check_folder(folder: Path, option: str) -> None:
    """Raise a usage error if the folder of an output file is missing, KdvisionError if it cannot be written to."""
    try:
        with suppress(PermissionError):
            next(folder.iterdir(), None)
    except OSError:
        raise make_usage_error(f"there is no folder {folder}", option) from None
    check_writable(folder)
