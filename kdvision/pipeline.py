"""From photos to kingdoms: `read`, `read_views` for several photos of the same kingdoms, and `decide_again`.

Photo → detections → cell grids → class probabilities → decided boards → kingdoms. `kdvision.vision.find` holds the
stages. Scores are not part of it: `kdvision.game` computes them from the boards.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from kdvision.errors import KdvisionError, NoKingdomFound, NotationError, PhotoError
from kdvision.game.legality import Problem
from kdvision.game.rules import GAME_AUTO
from kdvision.vision.assess.diagnosis import make_no_kingdom_error
from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.decide.game_set import check_box, get_game
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.find import (
    FixedSquares,
    Networks,
    Watch,
    assemble_kingdoms,
    clear_fixed_squares,
    decide_boards,
    decide_kingdoms,
    find_kingdoms,
    observe_outlines,
)
from kdvision.vision.image.photo import Photo, PhotoSource
from kdvision.vision.multiview.fuse import fuse
from kdvision.vision.multiview.register import AlignedView, match_kingdoms
from kdvision.vision.result import KingdomReading, add_problems, build_readings

__all__ = ["KingdomReading", "decide_again", "read", "read_views"]

OnFailure: TypeAlias = Callable[[int, KdvisionError], None]
"""Called for a photo that cannot be read, with its index and the error."""


def read(
    photo: PhotoSource,
    *,
    side: int | None = None,
    fixed_squares: FixedSquares | None = None,
    corners: Iterable[KingdomOutline | Sequence[Sequence[float]]] | None = None,
    game: str = GAME_AUTO,
    report_towns: bool = False,
    watch: Watch | None = None,
) -> list[KingdomReading]:
    """Return the kingdoms of a photo (path, bytes, open file, RGB array or Photo) from left to right, row by row.

    `side` is the game's, 5 or 7; None to let the photo decide. `fixed_squares` are squares that a person has named,
    `{(0, Square(2, 1)): "w1"}`, with kingdoms counted from 0 and "." for no tile. `corners` are outlines that a person
    has drawn, four points (x, y) each, clockwise from the board's own top left, in pixels of the upright photo; then
    exactly these are the kingdoms, in this order. `game` is "kingdomino", "queendomino" or "royal-wedding"; with "auto"
    the towns in the photo decide. "+age-of-giants" behind it adds the dominoes of that expansion. Set `report_towns` if
    no person has chosen the `game`: then what looks like a town is reported in "kingdomino", too.

    Raises PhotoError, NoKingdomFound, ModelError, and NotationError for a fixed square or kingdom that does not exist,
    an impossible outline, side, or an unknown game.
    """
    check_box(game)
    networks = Networks.load()
    opened_photo, watch = Photo.open(photo), watch or (lambda *_: None)
    watch("photo", opened_photo)
    outlines = [] if corners is None else list(corners)  # an array of corners has no truth value
    if outlines:
        observations, outline_surroundings = observe_outlines(opened_photo, networks, outlines)
    else:
        observations, outline_surroundings = find_kingdoms(opened_photo, networks, watch=watch), None
    return assemble_kingdoms(
        opened_photo,
        observations,
        side=side,
        fixed_squares=fixed_squares,
        outline_surroundings=outline_surroundings,
        game=game,
        report_towns=report_towns,
        calibration=networks.calibration,
        watch=watch,
    )


def read_views(
    photos: Sequence[PhotoSource],
    *,
    side: int | None = None,
    fixed_squares: FixedSquares | None = None,
    game: str = GAME_AUTO,
    on_failure: OnFailure | None = None,
) -> list[KingdomReading]:
    """Return the kingdoms of the first photo, with everything that photos from other sides show of them.

    Squares that glare or a piece hides in one photo are read in another. A further photo is left out, with a problem
    that says so, if it cannot be read, shows none of these kingdoms, or is a duplicate; kingdoms that only it shows are
    reported too. `on_failure` is called for photos that cannot be read. Other parameters and errors as in `read`.
    """
    if not photos:
        raise NotationError("there are no photos", expected="one or more", hint="name the photos of the kingdom")
    check_box(game)
    networks, first = Networks.load(), Photo.open(photos[0])
    first_observations = find_kingdoms(first, networks)
    kingdoms, other_observations = split_kingdoms(first_observations)
    if not kingdoms:
        raise make_no_kingdom_error(first, first_observations)

    def match_view(photo: Photo) -> tuple[dict[int, AlignedView], int]:
        """Return a photo's views of the known kingdoms, and the number of its other kingdoms; raise NoKingdomFound."""
        observations = find_kingdoms(photo, networks)
        matches, other_kingdoms = match_kingdoms(kingdoms, split_kingdoms(observations)[0])
        other_count = len(decide_kingdoms(other_kingdoms, networks.calibration, side=side, game=game)[1])
        if not matches and not other_count:
            raise make_no_kingdom_error(photo, observations)
        return matches, other_count

    views, problems = _collect_views(first, photos[1:], match_view, on_failure)
    fusions = [fuse(kingdom, views[index]) for index, kingdom in enumerate(kingdoms)]
    readings = assemble_kingdoms(
        first,
        [*(observation for observation, _ in fusions), *other_observations],
        side=side,
        fixed_squares=fixed_squares,
        game=game,
        calibration=networks.calibration,
    )
    contradictions = {observation.grid: kingdom_problems for observation, kingdom_problems in fusions}
    for number, reading in enumerate(readings):
        frame = reading.frame_before_fixes or reading.frame
        named_squares = {frame.to_grid(square) for kingdom, square in fixed_squares or {} if kingdom == number}
        kingdom_problems = contradictions.get(reading.observation.grid, [])
        open_contradictions = [problem for problem in kingdom_problems if not named_squares.issuperset(problem.squares)]
        readings[number] = add_problems(reading, [*problems, *open_contradictions])
    return readings


def _collect_views(
    first: Photo,
    other_photos: Sequence[PhotoSource],
    match_view: Callable[[Photo], tuple[dict[int, AlignedView], int]],
    on_failure: OnFailure | None,
) -> tuple[defaultdict[int, list[AlignedView]], list[Problem]]:
    """Return the views of each known kingdom in the photos after the first, and problems with these photos."""
    views, problems = defaultdict[int, list[AlignedView]](list), list[Problem]()
    numbers_by_digest = {first.digest: 1}
    for number, source in enumerate(other_photos, start=2):
        name = f"photo {number} of the kingdom"
        try:
            photo = Photo.open(source)
            original = numbers_by_digest.get(photo.digest)
            if original is not None:
                problems.append(Problem((), f"{name} is the same picture as photo {original}, and counts once"))
                continue
            matches, unknown_kingdoms = match_view(photo)
            numbers_by_digest[photo.digest] = number
        except (PhotoError, NoKingdomFound) as error:
            problems.append(Problem((), f"{name} is left out: {error}"))
            if on_failure is not None:
                on_failure(number - 1, error)
            continue
        for index, view in matches.items():
            views[index].append(view)
        texts = [f": {warning}" for warning in photo.warnings]
        if unknown_kingdoms and not matches:
            texts.insert(0, ", shows another kingdom, and is left out")
        elif unknown_kingdoms:
            phrase = "a kingdom" if unknown_kingdoms == 1 else f"{unknown_kingdoms} kingdoms"
            texts.insert(0, f", also shows {phrase} not found in photo 1: read it by itself")
        problems += [Problem((), f"{name}, {photo.name}{text}") for text in texts]
    return views, problems


def decide_again(
    observations: Sequence[GridObservation],
    *,
    surroundings: Sequence[Surroundings],
    side: int | None = None,
    fixed_squares: FixedSquares | None = None,
    game: str = GAME_AUTO,
    report_towns: bool = False,
) -> list[KingdomReading]:
    """Return the kingdoms of observations from earlier results, of one photo or several of a game, decided jointly.

    No photo is needed, and `place` is empty. The squares of `fixed_squares` are those of each observation's own grid.
    Raises NotationError for a square off its grid, and as `read`.
    """
    calibration, fixed_squares = Networks.load().calibration, fixed_squares or {}
    for number, square in fixed_squares:
        if not 0 <= number < len(observations):
            raise NotationError(f"there is no kingdom {number + 1}", expected=f"1 to {len(observations)}")
        grid = observations[number].grid
        if not (0 <= square.row < grid.rows and 0 <= square.col < grid.cols):
            text = f"{square.name} lies off the grid of kingdom {number + 1}"
            raise NotationError(text, expected="one of its squares")
    box, decisions = decide_boards(
        observations, calibration, side=side, game=check_box(game), fixed_squares=fixed_squares
    )
    cleared_observations = clear_fixed_squares(observations, fixed_squares)
    report_towns |= get_game(game) == GAME_AUTO
    return build_readings(cleared_observations, decisions, surroundings, calibration, box, report_towns=report_towns)
