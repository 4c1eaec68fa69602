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
from kdvision.vision.assess.calibration import Trust
from kdvision.vision.assess.diagnosis import no_kingdom
from kdvision.vision.assess.warnings import Around
from kdvision.vision.classify.context import Context
from kdvision.vision.classify.observation import Sight, as_named, sort_out
from kdvision.vision.classify.observe import look, search_all
from kdvision.vision.decide import game_set as boxes
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.detect import manual as outline
from kdvision.vision.detect.manual import Outline
from kdvision.vision.image.photo import Photo, PhotoSource
from kdvision.vision.multiview import register as same
from kdvision.vision.networks.cells import CellReader
from kdvision.vision.networks.detector import Finder
from kdvision.vision.networks.onnx import shipped
from kdvision.vision.result import (
    KingdomRead,
    asking_for_towns,
    frame,
    kingdom_read,
    of_one_table,
    places,
    surroundings,
    touching,
    with_problems,
)

__all__ = ["Around", "KingdomRead", "Trust", "Watch", "decide_again", "kingdoms_of", "places", "read", "read_same"]

Watch: TypeAlias = Callable[[str, Any], None]
"""Called after each stage with its name and what it made: for timings and debug pictures."""
Failed: TypeAlias = Callable[[int, KdvisionError], None]
"""Called for a photo that cannot be read, with its place among the photos, from 0, and why."""


def read(
    photo: PhotoSource,
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    corners: Sequence[Outline | Sequence[Sequence[float]]] | None = None,
    game: str = boxes.AUTO,
    watch: Watch | None = None,
) -> list[KingdomRead]:
    """The kingdoms of a photo (path, bytes, open file, RGB array or Photo), from left to right, row by row.

    `side` is the game's, 5 or 7, None to go by what the photo shows. `clamps` holds squares that a person has named,
    `{(0, Square(2, 1)): "w1"}`, kingdoms counted from 0, "." for a place without a tile. `corners` are outlines that a
    person has drawn, four points (x, y) each, clockwise from the board's own top left, in pixels of the upright photo;
    then these are the kingdoms, in this order and as they are drawn, and no others. `game` is "kingdomino",
    "queendomino" or "royal-wedding", "auto" to go by the towns that the photo shows. Raises PhotoError, NoKingdomFound,
    ModelError, and NotationError for a clamp on a square or kingdom that is not there, for an outline that cannot be
    and for another game.
    """
    boxes.checked(game)
    seen = Photo.open(photo)
    tell = watch or (lambda *_: None)
    tell("photo", seen)
    finder, reader, context = _networks()
    if corners:
        sights = [look(seen, reader, grid) for grid in outline.grids(seen, finder, reader, corners)]
        sights = context.read(seen, sights)
    else:
        sights = search_all(seen, finder, reader, context, tell=tell)
    trust = _trust(reader)
    return kingdoms_of(seen, sights, side=side, clamps=clamps, named=bool(corners), game=game, trust=trust, tell=tell)


def read_same(
    photos: Sequence[PhotoSource],
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    game: str = boxes.AUTO,
    watch: Watch | None = None,
    failed: Failed | None = None,
) -> list[KingdomRead]:
    """The kingdoms of the first photo, with all that other photos of them show, taken from any side.

    Where glare or a piece hides a square in one photo, another mends it. A further photo that cannot be read, shows
    none of these kingdoms or is one of the others once more is left out, and the result has a problem that says so, as
    it has of kingdoms that the first photo does not show. `failed` hears of those that cannot be read. Other
    parameters, and errors of the first photo, as in `read`.
    """
    if not photos:
        raise NotationError("there are no photos", expected="one or more", hint="name the photos of the kingdom")
    boxes.checked(game)
    tell, (finder, reader, context) = watch or (lambda *_: None), _networks()
    search = partial(search_all, finder=finder, reader=reader, context=context, tell=tell)
    trust = _trust(reader)
    seen = Photo.open(photos[0])
    everything = search(seen)
    if not (first := sort_out(everything)[0]):
        raise no_kingdom(seen, everything)
    looks: list[list[same.Look]] = []
    odd: list[Problem] = []
    known = {seen.content: 1}
    for number, source in enumerate(photos[1:], start=2):
        name = f"photo {number} of the kingdom"
        try:
            photo = Photo.open(source)
            before = known.setdefault(photo.content, number)
            if before < number:
                odd.append(Problem((), f"{name} is the same picture as photo {before}, and counts once"))
                continue
            found = search(photo)
            own, rest = same.paired(first, sort_out(found)[0])
            others = len(_decided(rest, side, {}, trust, game=game, named=False)[1]) if rest else 0
            if not own and not others:
                raise no_kingdom(photo, found)
            looks.append(own)
            odd += [Problem((), f"{name}, {photo.name}, {text}") for text in _beside(len(own), others)]
            odd += [Problem((), f"{name}, {photo.name}: {flaw}") for flaw in photo.flaws]
        except (PhotoError, NoKingdomFound) as error:
            odd.append(Problem((), f"{name} is left out: {error}"))
            if failed is not None:
                failed(number - 1, error)
    sights, told = same.joined(first, looks)
    near = surroundings(first, everything)
    reads = kingdoms_of(
        seen, sights, side=side, clamps=clamps, named=True, near=near, game=game, trust=trust, tell=tell
    )
    return [with_problems(kingdom, [*odd, *problems]) for kingdom, problems in zip(reads, told, strict=True)]


def _beside(own: int, others: int) -> Iterator[str]:
    """What to say of a photo that shows so many kingdoms of the first photo and so many others."""
    if others and not own:
        yield "shows another kingdom, and is left out"
    elif others:
        which = "a kingdom" if others == 1 else f"{others} kingdoms"
        yield f"also shows {which} not found in photo 1: read it by itself"


def kingdoms_of(
    photo: Photo,
    sights: Sequence[Sight],
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    named: bool = False,
    near: Sequence[Around] | None = None,
    game: str = boxes.AUTO,
    trust: Trust | None = None,
    tell: Watch = lambda *_: None,
) -> list[KingdomRead]:
    """The kingdoms among the grids of a photo, each decided from what was seen on it: the part that knows no network.

    `named` says that a person has named all of them as kingdoms; `near` what lies around them, where that is known
    better than these grids tell. Other parameters and errors as in `read`.
    """
    trust = trust or Trust()
    tell("cells", sights)
    kingdoms = as_named(sights) if named else sort_out(sights)[0]
    if not kingdoms:
        raise no_kingdom(photo, sights)
    played, kingdoms, decisions, before = _decided(kingdoms, side, clamps or {}, trust, game=game, named=named)
    tell("decide", decisions)
    if not kingdoms:
        raise no_kingdom(photo, sights)
    where = places([sight.grid for sight in kingdoms], photo)
    if near is None:
        near = [Around() for _ in kingdoms] if named else surroundings(kingdoms, sights)
    near = [one._replace(flawed=bool(photo.flaws)) for one in near]
    near = touching(near, [sight.grid for sight in kingdoms], [made.board for made in decisions])
    reads = [
        kingdom_read(sight, made, place, around, trust, played, before=board)
        for sight, made, place, around, board in zip(kingdoms, decisions, where, near, before, strict=True)
    ]
    return of_one_table(asking_for_towns(reads) if game == boxes.AUTO else reads)


def decide_again(
    sights: Sequence[Sight],
    *,
    around: Sequence[Around],
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    game: str = boxes.AUTO,
) -> list[KingdomRead]:
    """The kingdoms of sights that `read` gave, of one photo or several of a game, decided together once more.

    As in `read`, but no photo is looked at, so that their `place` is empty, and the squares of `clamps` are those of
    each sight's own grid, which stay where they are whatever is decided. Raises NotationError for a clamp off its grid.
    """
    for number, square in clamps or {}:
        grid = sights[number].grid
        if not (0 <= square.row < grid.rows and 0 <= square.col < grid.cols):
            raise NotationError(
                f"{square.name} lies off the grid of kingdom {number + 1}", expected="one of its squares"
            )
    trust, readings = _trust(CellReader(shipped("cells"))), [sight.reading for sight in sights]
    ask = partial(
        decide, side=side, bonds=[sight.bonds for sight in sights], clamps=clamps, temperature=trust.temperature
    )
    played, decisions = boxes.decided(boxes.checked(game), readings, ask, named=(clamps or {}).values())
    nowhere = [""] * len(sights)
    known = _uncovered(sights, clamps or {})
    reads = [kingdom_read(*each, trust, played) for each in zip(known, decisions, nowhere, around, strict=True)]
    return of_one_table(asking_for_towns(reads) if game == boxes.AUTO else reads)


def _networks() -> tuple[Finder, CellReader, Context]:
    return Finder(shipped("finder")), CellReader(shipped("cells")), Context(shipped("context"))


def _trust(reader: CellReader) -> Trust:
    return Trust(**reader.model.about.get("boards", {}))


def _decided(
    sights: Sequence[Sight],
    side: int | None,
    clamps: Mapping[tuple[int, Square], str],
    trust: Trust,
    *,
    game: str,
    named: bool,
) -> tuple[str, list[Sight], list[Decision], list[Board | None]]:
    """Decide, and where a person has named squares, by the names they had without, decide again; the game in front.

    The last are the boards without what a person has named, None where nobody has.

    What turns out to have hardly a tile, or to be loose dominoes, is no kingdom, unless it was `named` one.
    """
    readings = [sight.reading for sight in sights]
    ask = partial(decide, side=side, bonds=[sight.bonds for sight in sights], temperature=trust.temperature)
    played, decisions = boxes.decided(game, readings, ask, named=clamps.values())
    pairs = zip(sights, decisions, strict=True)
    real = [one for one, made in pairs if named or _is_one(one, made)]
    if len(real) < len(sights):
        return _decided(real, side, clamps, trust, game=game, named=named)
    if not clamps:
        return played, real, decisions, [None] * len(real)
    _check_clamps(clamps, decisions)
    starts = [frame(decision.board)[0] for decision in decisions]
    moved = {(k, Square(s.row + starts[k].row, s.col + starts[k].col)): cell for (k, s), cell in clamps.items()}
    again = boxes.decided(played, readings, partial(ask, clamps=moved))[1]
    real = _uncovered(real, moved)
    return played, real, again, [decision.board for decision in decisions]


def _is_one(sight: Sight, made: Decision) -> bool:
    """Whether what was decided is a kingdom."""
    return sight.left_by(made.of_the_box, loose=made.broken or made.foreign > 0, scattered=made.scattered)


def _uncovered(sights: Sequence[Sight], clamps: Mapping[tuple[int, Square], str]) -> list[Sight]:
    """The sights, with nothing on the places of their grids that a person has named."""
    return [sight.uncovered([square for n, square in clamps if n == number]) for number, sight in enumerate(sights)]


def _check_clamps(clamps: Mapping[tuple[int, Square], str], decisions: Sequence[Decision]) -> None:
    for number, square in clamps:
        if not 0 <= number < len(decisions):
            hint = f"kingdoms are numbered from 1 to {len(decisions)}"
            raise NotationError(f"the photo shows no kingdom {number + 1}", expected=hint, hint=hint)
        board = decisions[number].board.trimmed()
        if not (square.row < board.height and square.col < board.width):
            hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
            raise NotationError(f"kingdom {number + 1} has no square {square.name}", expected=hint, hint=hint)
