"""The whole journey on one page: a photo in, its kingdoms out.

Photo -> squares found -> a grid per kingdom -> squares read -> boards decided, all kingdoms of the photo together.
Nothing flows back. Scores are no part of it: `kdvision.game` makes them from the boards.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from kdvision.errors import KdvisionError, NoKingdomFound, NotationError, PhotoError
from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.assess.diagnosis import explain_no_kingdom
from kdvision.vision.assess.warnings import Surroundings
from kdvision.vision.classify.context import ContextClassifier
from kdvision.vision.classify.observation import GridObservation, accept_all, split_kingdoms
from kdvision.vision.classify.observe import find_kingdoms, observe
from kdvision.vision.decide import game_set as boxes
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.detect import manual as outline
from kdvision.vision.detect.manual import KingdomOutline
from kdvision.vision.image.photo import Photo, PhotoSource
from kdvision.vision.multiview import register as same
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.detector import SquareDetector
from kdvision.vision.networks.onnx import load_model
from kdvision.vision.result import (
    KingdomReading,
    add_problems,
    build_reading,
    describe_places,
    describe_surroundings,
    drop_ambiguous_colours,
    find_board_frame,
    mark_touching,
    warn_of_possible_towns,
)

__all__ = [
    "Calibration",
    "KingdomReading",
    "Surroundings",
    "Watch",
    "assemble_kingdoms",
    "decide_again",
    "describe_places",
    "read",
    "read_views",
]

Watch: TypeAlias = Callable[[str, Any], None]
"""Called after each stage with its name and what it made: for timings and debug pictures."""
Failed: TypeAlias = Callable[[int, KdvisionError], None]
"""Called for a photo that cannot be read, with its place among the photos, from 0, and why."""


def read(
    photo: PhotoSource,
    *,
    side: int | None = None,
    fixed_squares: Mapping[tuple[int, Square], str] | None = None,
    corners: Sequence[KingdomOutline | Sequence[Sequence[float]]] | None = None,
    game: str = boxes.GAME_AUTO,
    watch: Watch | None = None,
) -> list[KingdomReading]:
    """The kingdoms of a photo (path, bytes, open file, RGB array or Photo), from left to right, row by row.

    `side` is the game's, 5 or 7, None to go by what the photo shows. `fixed_squares` holds squares that a person has named,
    `{(0, Square(2, 1)): "w1"}`, kingdoms counted from 0, "." for a place without a tile. `corners` are outlines that a
    person has drawn, four points (x, y) each, clockwise from the board's own top left, in pixels of the upright photo;
    then these are the kingdoms, in this order and as they are drawn, and no others. `game` is "kingdomino",
    "queendomino" or "royal-wedding", "auto" to go by the towns that the photo shows. Raises PhotoError, NoKingdomFound,
    ModelError, and NotationError for a clamp on a square or kingdom that is not there, for an outline that cannot be
    and for another game.
    """
    boxes.check_game(game)
    seen = Photo.open(photo)
    tell = watch or (lambda *_: None)
    tell("photo", seen)
    finder, reader, context = _networks()
    if corners:
        observations = [observe(seen, reader, grid) for grid in outline.build_grids(seen, finder, reader, corners)]
        observations = context.read(seen, observations)
    else:
        observations = find_kingdoms(seen, finder, reader, context, tell=tell)
    calibration = _trust(reader)
    return assemble_kingdoms(
        seen,
        observations,
        side=side,
        fixed_squares=fixed_squares,
        named=bool(corners),
        game=game,
        calibration=calibration,
        tell=tell,
    )


def read_views(
    photos: Sequence[PhotoSource],
    *,
    side: int | None = None,
    fixed_squares: Mapping[tuple[int, Square], str] | None = None,
    game: str = boxes.GAME_AUTO,
    watch: Watch | None = None,
    failed: Failed | None = None,
) -> list[KingdomReading]:
    """The kingdoms of the first photo, with all that other photos of them show, taken from any side.

    Where glare or a piece hides a square in one photo, another mends it. A further photo that cannot be read, shows
    none of these kingdoms or is one of the others once more is left out, and the result has a problem that says so, as
    it has of kingdoms that the first photo does not show. `failed` hears of those that cannot be read. Other
    parameters, and errors of the first photo, as in `read`.
    """
    if not photos:
        raise NotationError("there are no photos", expected="one or more", hint="name the photos of the kingdom")
    boxes.check_game(game)
    tell, (finder, reader, context) = watch or (lambda *_: None), _networks()
    search = partial(find_kingdoms, finder=finder, reader=reader, context=context, tell=tell)
    calibration = _trust(reader)
    seen = Photo.open(photos[0])
    everything = search(seen)
    if not (first := split_kingdoms(everything)[0]):
        raise explain_no_kingdom(seen, everything)
    looks: list[list[same.MatchedView]] = []
    odd: list[Problem] = []
    known = {seen.digest: 1}
    for number, source in enumerate(photos[1:], start=2):
        name = f"photo {number} of the kingdom"
        try:
            photo = Photo.open(source)
            before = known.setdefault(photo.digest, number)
            if before < number:
                odd.append(Problem((), f"{name} is the same picture as photo {before}, and counts once"))
                continue
            found = search(photo)
            own, rest = same.match_kingdoms(first, split_kingdoms(found)[0])
            others = len(_decided(rest, side, {}, calibration, game=game, named=False)[1]) if rest else 0
            if not own and not others:
                raise explain_no_kingdom(photo, found)
            looks.append(own)
            odd += [Problem((), f"{name}, {photo.name}, {text}") for text in _beside(len(own), others)]
            odd += [Problem((), f"{name}, {photo.name}: {flaw}") for flaw in photo.warnings]
        except (PhotoError, NoKingdomFound) as error:
            odd.append(Problem((), f"{name} is left out: {error}"))
            if failed is not None:
                failed(number - 1, error)
    observations, told = same.fuse_all(first, looks)
    near = describe_surroundings(first, everything)
    reads = assemble_kingdoms(
        seen,
        observations,
        side=side,
        fixed_squares=fixed_squares,
        named=True,
        near=near,
        game=game,
        calibration=calibration,
        tell=tell,
    )
    return [add_problems(kingdom, [*odd, *problems]) for kingdom, problems in zip(reads, told, strict=True)]


def _beside(own: int, others: int) -> Iterator[str]:
    """What to say of a photo that shows so many kingdoms of the first photo and so many others."""
    if others and not own:
        yield "shows another kingdom, and is left out"
    elif others:
        which = "a kingdom" if others == 1 else f"{others} kingdoms"
        yield f"also shows {which} not found in photo 1: read it by itself"


def assemble_kingdoms(
    photo: Photo,
    observations: Sequence[GridObservation],
    *,
    side: int | None = None,
    fixed_squares: Mapping[tuple[int, Square], str] | None = None,
    named: bool = False,
    near: Sequence[Surroundings] | None = None,
    game: str = boxes.GAME_AUTO,
    calibration: Calibration | None = None,
    tell: Watch = lambda *_: None,
) -> list[KingdomReading]:
    """The kingdoms among the grids of a photo, each decided from what was seen on it: the part that knows no network.

    `named` says that a person has named all of them as kingdoms; `near` what lies around them, where that is known
    better than these grids tell. Other parameters and errors as in `read`.
    """
    calibration = calibration or Calibration()
    tell("cells", observations)
    kingdoms = accept_all(observations) if named else split_kingdoms(observations)[0]
    if not kingdoms:
        raise explain_no_kingdom(photo, observations)
    played, kingdoms, decisions, before = _decided(
        kingdoms, side, fixed_squares or {}, calibration, game=game, named=named
    )
    tell("decide", decisions)
    if not kingdoms:
        raise explain_no_kingdom(photo, observations)
    where = describe_places([observation.grid for observation in kingdoms], photo)
    if near is None:
        near = [Surroundings() for _ in kingdoms] if named else describe_surroundings(kingdoms, observations)
    near = [one._replace(flawed=bool(photo.warnings)) for one in near]
    near = mark_touching(near, [observation.grid for observation in kingdoms], [made.board for made in decisions])
    reads = [
        build_reading(observation, made, place, around, calibration, played, before=board)
        for observation, made, place, around, board in zip(kingdoms, decisions, where, near, before, strict=True)
    ]
    return drop_ambiguous_colours(warn_of_possible_towns(reads) if game == boxes.GAME_AUTO else reads)


def decide_again(
    observations: Sequence[GridObservation],
    *,
    around: Sequence[Surroundings],
    side: int | None = None,
    fixed_squares: Mapping[tuple[int, Square], str] | None = None,
    game: str = boxes.GAME_AUTO,
) -> list[KingdomReading]:
    """The kingdoms of sights that `read` gave, of one photo or several of a game, decided together once more.

    As in `read`, but no photo is looked at, so that their `place` is empty, and the squares of `fixed_squares` are those of
    each sight's own grid, which stay where they are whatever is decided. Raises NotationError for a clamp off its grid.
    """
    for number, square in fixed_squares or {}:
        grid = observations[number].grid
        if not (0 <= square.row < grid.rows and 0 <= square.col < grid.cols):
            raise NotationError(
                f"{square.name} lies off the grid of kingdom {number + 1}", expected="one of its squares"
            )
    calibration, readings = (
        _trust(CellClassifier(load_model("cells"))),
        [observation.reading for observation in observations],
    )
    ask = partial(
        decide,
        side=side,
        border_log_odds=[observation.border_log_odds for observation in observations],
        fixed_squares=fixed_squares,
        temperature=calibration.temperature,
    )
    played, decisions = boxes.decide_game(boxes.check_game(game), readings, ask, named=(fixed_squares or {}).values())
    nowhere = [""] * len(observations)
    known = _uncovered(observations, fixed_squares or {})
    reads = [build_reading(*each, calibration, played) for each in zip(known, decisions, nowhere, around, strict=True)]
    return drop_ambiguous_colours(warn_of_possible_towns(reads) if game == boxes.GAME_AUTO else reads)


def _networks() -> tuple[SquareDetector, CellClassifier, ContextClassifier]:
    return (
        SquareDetector(load_model("finder")),
        CellClassifier(load_model("cells")),
        ContextClassifier(load_model("context")),
    )


def _trust(reader: CellClassifier) -> Calibration:
    return Calibration(**reader.model.about.get("boards", {}))


def _decided(
    observations: Sequence[GridObservation],
    side: int | None,
    fixed_squares: Mapping[tuple[int, Square], str],
    calibration: Calibration,
    *,
    game: str,
    named: bool,
) -> tuple[str, list[GridObservation], list[Decision], list[Board | None]]:
    """Decide, and where a person has named squares, by the names they had without, decide again; the game in front.

    The last are the boards without what a person has named, None where nobody has.

    What turns out to have hardly a tile, or to be loose dominoes, is no kingdom, unless it was `named` one.
    """
    readings = [observation.reading for observation in observations]
    ask = partial(
        decide,
        side=side,
        border_log_odds=[observation.border_log_odds for observation in observations],
        temperature=calibration.temperature,
    )
    played, decisions = boxes.decide_game(game, readings, ask, named=fixed_squares.values())
    pairs = zip(observations, decisions, strict=True)
    real = [one for one, made in pairs if named or _is_one(one, made)]
    if len(real) < len(observations):
        return _decided(real, side, fixed_squares, calibration, game=game, named=named)
    if not fixed_squares:
        return played, real, decisions, [None] * len(real)
    _check_clamps(fixed_squares, decisions)
    starts = [find_board_frame(decision.board)[0] for decision in decisions]
    moved = {(k, Square(s.row + starts[k].row, s.col + starts[k].col)): cell for (k, s), cell in fixed_squares.items()}
    again = boxes.decide_game(played, readings, partial(ask, fixed_squares=moved))[1]
    real = _uncovered(real, moved)
    return played, real, again, [decision.board for decision in decisions]


def _is_one(observation: GridObservation, made: Decision) -> bool:
    """Whether what was decided is a kingdom."""
    return observation.left_by(made.of_the_box, loose=made.broken or made.foreign > 0, scattered=made.scattered)


def _uncovered(
    observations: Sequence[GridObservation], fixed_squares: Mapping[tuple[int, Square], str]
) -> list[GridObservation]:
    """The sights, with nothing on the places of their grids that a person has named."""
    return [
        observation.uncovered([square for n, square in fixed_squares if n == number])
        for number, observation in enumerate(observations)
    ]


def _check_clamps(fixed_squares: Mapping[tuple[int, Square], str], decisions: Sequence[Decision]) -> None:
    for number, square in fixed_squares:
        if not 0 <= number < len(decisions):
            hint = f"kingdoms are numbered from 1 to {len(decisions)}"
            raise NotationError(f"the photo shows no kingdom {number + 1}", expected=hint, hint=hint)
        board = decisions[number].board.trim()
        if not (square.row < board.height and square.col < board.width):
            hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
            raise NotationError(f"kingdom {number + 1} has no square {square.name}", expected=hint, hint=hint)
