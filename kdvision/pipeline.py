"""The whole journey on one page: a photo in, its kingdoms out.

Photo -> squares found -> a grid per kingdom -> squares read -> boards decided, all kingdoms of the photo together.
Nothing flows back. Scores are no part of it: `kdvision.game` makes them from the boards.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

from kdvision.errors import NotationError, PhotoError
from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem, names
from kdvision.vision import boxes, outline, same
from kdvision.vision.advice import no_kingdom
from kdvision.vision.cells import CellReader
from kdvision.vision.edge import cut_off
from kdvision.vision.evidence import Sight, as_named, look, search_all, sort_out
from kdvision.vision.finder import Finder
from kdvision.vision.grid import Grid
from kdvision.vision.models import shipped
from kdvision.vision.outline import Outline
from kdvision.vision.photo import Photo, PhotoSource
from kdvision.vision.pieces import GemSeen, PieceSeen, gems_on, pieces_on
from kdvision.vision.reading import Reading
from kdvision.vision.reconstruct import Decision, Doubt, decide

A1: Final = Square(0, 0)


@dataclass(frozen=True)
class Trust:
    """How far whole boards can be believed, from the calibration that travels with the models.

    A board less probable than `sure` is for a person to look at; `measured` boards stand behind that, `right` of them.
    Of the `unflagged` ones among them, `unflagged_wrong` were wrong. A share `wrong_at_most` is expected to be wrong
    at most, and with this confidence it is less than `upper` (lab/calibrate.py tells how); None where too few boards
    were measured to promise anything.
    """

    temperature: float = 1.0
    sure: float = 0.9
    measured: int = 0
    right: int = 0
    unflagged: int = 0
    unflagged_wrong: int = 0
    wrong_at_most: float | None = None
    upper: float | None = None
    confidence: float = 0.95

    @property
    def promise(self) -> str:
        """What unflagged boards promise, in a sentence; nothing where nothing is promised."""
        if self.wrong_at_most is None:
            return ""
        wrong = f"{self.unflagged_wrong} of {self.unflagged} rendered ones"
        return (
            f"at most 1 in {1 / self.wrong_at_most:.0f} boards without a flag is expected to be wrong; so were {wrong}"
        )


Watch: TypeAlias = Callable[[str, Any], None]
"""Called after each stage with its name and what it made: for timings and debug pictures."""


@dataclass(frozen=True, eq=False)
class KingdomRead:
    """One kingdom of a photo: what was read, where it lies, and how sure that is.

    Row 0 of `board`, `grid` and `reading` is the top row as the kingdom lies in the upright photo. `probability` is
    that of the whole board; `review` is true where a person should look; `place` is in words ("left", "top right").
    `colour` is the player's, as the castle or starting tile shows it ("blue"); "" where that is not certain.
    `sight` is all that was seen there, table around the kingdom included, and `start` where on its grid the board's A1
    lies; `crowded` where tiles that do not join lie beside the kingdom. `game` is the one it was decided as, called as
    game files call it. `pieces` and `gems` are more likely there than not; `unsure` are those of either kind of which
    a person should say whether they are there.
    """

    board: Board
    grid: Grid
    reading: Reading
    doubts: tuple[Doubt, ...]
    problems: tuple[Problem, ...]
    probability: float
    review: bool
    place: str
    dominoes: tuple[tuple[Any, ...], ...] = ()
    runners_up: tuple[tuple[Board, float], ...] = ()
    sight: Sight | None = None
    start: Square = A1
    crowded: bool = False
    colour: str = ""
    trust: Trust = field(default_factory=Trust)
    game: str = boxes.PLAIN
    pieces: tuple[PieceSeen, ...] = ()
    gems: tuple[GemSeen, ...] = ()
    unsure: tuple[PieceSeen | GemSeen, ...] = ()


def read(
    photo: PhotoSource,
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    corners: Sequence[Outline | Sequence[Sequence[float]]] | None = None,
    game: str = boxes.AUTO,
    watch: Watch | None = None,
) -> list[KingdomRead]:
    """The kingdoms of a photo (path, bytes, open file, RGB array or Photo), from the top left.

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
    finder, reader = Finder(shipped("finder")), CellReader(shipped("cells"))
    if corners:
        sights = [look(seen, reader, grid) for grid in outline.grids(seen, finder, reader, corners)]
    else:
        sights = search_all(seen, finder, reader, tell=tell)
    trust = _trust(reader)
    return kingdoms_of(seen, sights, side=side, clamps=clamps, named=bool(corners), game=game, trust=trust, tell=tell)


def read_same(
    photos: Sequence[PhotoSource],
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    game: str = boxes.AUTO,
    watch: Watch | None = None,
) -> list[KingdomRead]:
    """The kingdoms of the first photo, with all that other photos of them show, taken from any side.

    Where glare or a piece hides a square in one photo, another mends it. A further photo that cannot be opened or shows
    none of these kingdoms is left out, and the result has a problem that says so. Other parameters, and errors of the
    first photo, as in `read`.
    """
    if not photos:
        raise NotationError("there are no photos", expected="one or more", hint="name the photos of the kingdom")
    boxes.checked(game)
    tell, finder, reader = watch or (lambda *_: None), Finder(shipped("finder")), CellReader(shipped("cells"))
    seen = Photo.open(photos[0])
    everything = search_all(seen, finder, reader, tell=tell)
    if not (first := sort_out(everything)[0]):
        raise no_kingdom(seen, everything)
    others: dict[str, list[Sight]] = {}
    lost: list[Problem] = []
    for number, source in enumerate(photos[1:], start=2):
        try:
            photo = Photo.open(source)
        except PhotoError as error:
            lost.append(Problem((), f"photo {number} of the kingdom is left out: {error}"))
        else:
            name = photo.name if photo.name not in {*others, seen.name} else f"photo {number}"
            others[name] = sort_out(search_all(photo, finder, reader, tell=tell))[0]
    sights, told = same.joined(first, list(others.values()), list(others))
    trust = _trust(reader)
    reads = kingdoms_of(seen, sights, side=side, clamps=clamps, named=True, game=game, trust=trust, tell=tell)
    return [_with_problems(kingdom, [*lost, *problems]) for kingdom, problems in zip(reads, told, strict=True)]


def _with_problems(kingdom: KingdomRead, problems: Sequence[Problem]) -> KingdomRead:
    """The kingdom with more problems, whose squares are those of its grid."""
    moved = [
        replace(
            problem,
            squares=tuple(Square(s.row - kingdom.start.row, s.col - kingdom.start.col) for s in problem.squares),
        )
        for problem in problems
    ]
    return replace(kingdom, problems=(*kingdom.problems, *moved), review=kingdom.review or bool(moved))


def kingdoms_of(
    photo: Photo,
    sights: Sequence[Sight],
    *,
    side: int | None = None,
    clamps: Mapping[tuple[int, Square], str] | None = None,
    named: bool = False,
    game: str = boxes.AUTO,
    trust: Trust | None = None,
    tell: Watch = lambda *_: None,
) -> list[KingdomRead]:
    """The kingdoms among the grids of a photo, each decided from what was seen on it: the part that knows no network.

    `named` says that a person has named all of them as kingdoms. Other parameters and errors as in `read`.
    """
    trust = trust or Trust()
    tell("cells", sights)
    kingdoms, others = (as_named(sights), []) if named else sort_out(sights)
    if not kingdoms:
        raise no_kingdom(photo, sights)
    played, kingdoms, decisions = _decided(kingdoms, side, clamps or {}, trust, game=game, named=named)
    tell("decide", decisions)
    if not kingdoms:
        raise no_kingdom(photo, sights)
    where = places([sight.grid for sight in kingdoms], photo)
    near = [sight.crowded or any(sight.beside(other) for other in others) for sight in kingdoms]
    reads = [_kingdom(*each, trust, played) for each in zip(kingdoms, decisions, where, near, strict=True)]
    return _of_one_table(_asking_for_towns(reads) if game == boxes.AUTO else reads)


def decide_again(
    sights: Sequence[Sight],
    *,
    crowded: Sequence[bool],
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
    reads = [_kingdom(*each, trust, played) for each in zip(sights, decisions, nowhere, crowded, strict=True)]
    return _of_one_table(_asking_for_towns(reads) if game == boxes.AUTO else reads)


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
) -> tuple[str, list[Sight], list[Decision]]:
    """Decide, and where a person has named squares, by the names they had without, decide again; the game in front.

    What turns out to have hardly a tile is no kingdom, unless it was `named` one, and is left out.
    """
    readings = [sight.reading for sight in sights]
    ask = partial(decide, side=side, bonds=[sight.bonds for sight in sights], temperature=trust.temperature)
    played, decisions = boxes.decided(game, readings, ask, named=clamps.values())
    real = [sight for sight, decision in zip(sights, decisions, strict=True) if named or sight.left_by(decision.board)]
    if len(real) < len(sights):
        return _decided(real, side, clamps, trust, game=game, named=named)
    if not clamps:
        return played, real, decisions
    _check_clamps(clamps, decisions)
    starts = [_frame(decision.board)[0] for decision in decisions]
    moved = {(k, Square(s.row + starts[k].row, s.col + starts[k].col)): cell for (k, s), cell in clamps.items()}
    return played, real, boxes.decided(played, readings, partial(ask, clamps=moved))[1]


def _check_clamps(clamps: Mapping[tuple[int, Square], str], decisions: Sequence[Decision]) -> None:
    for number, square in clamps:
        if not 0 <= number < len(decisions):
            hint = f"kingdoms are numbered from 1 to {len(decisions)}"
            raise NotationError(f"the photo shows no kingdom {number + 1}", expected=hint, hint=hint)
        board = decisions[number].board.trimmed()
        if not (square.row < board.height and square.col < board.width):
            hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
            raise NotationError(f"kingdom {number + 1} has no square {square.name}", expected=hint, hint=hint)


def _frame(board: Board) -> tuple[Square, Square]:
    """The first and the last square of the smallest rectangle around a board."""
    rows, cols = [square.row for square in board], [square.col for square in board]
    return Square(min(rows, default=0), min(cols, default=0)), Square(max(rows, default=0), max(cols, default=0))


def _kingdom(sight: Sight, decision: Decision, place: str, crowded: bool, trust: Trust, game: str) -> KingdomRead:
    """The kingdom in the smallest frame around its board, so that its squares have the names a player gives them."""
    first, last = _frame(decision.board)
    rows, cols = slice(first.row, last.row + 1), slice(first.col, last.col + 1)

    def moved(square: Square) -> Square:
        return Square(square.row - first.row, square.col - first.col)

    def inside(square: Square) -> bool:
        return first.row <= square.row <= last.row and first.col <= square.col <= last.col

    doubts = tuple(replace(doubt, square=moved(doubt.square)) for doubt in decision.doubts if inside(doubt.square))
    problems = [replace(problem, squares=tuple(map(moved, problem.squares))) for problem in decision.problems]
    if any(not inside(doubt.square) for doubt in decision.doubts):
        problems.append(Problem((), "something that may be a tile lies at the kingdom's edge"))
    if sight.inside is not None and sight.beyond is not None:
        cut = cut_off(decision.board.keys(), sight.inside, sight.beyond)
        problems += [replace(problem, squares=tuple(map(moved, problem.squares))) for problem in cut]
    if crowded:
        problems.append(Problem((), "tiles lie beside this kingdom that do not join it"))
    reading = sight.reading.of_deck(boxes.box_of(game, sight.reading))
    board = decision.board.trimmed()
    pieces, gems = pieces_on(sight.pieces, sight.piece_names, first, board), gems_on(sight.gems, first, board)
    anything: list[PieceSeen | GemSeen] = [*pieces, *gems]
    return KingdomRead(
        board=board,
        grid=sight.grid.part(rows, cols),
        reading=Reading(reading.log_probs[rows, cols], reading.kinds),
        doubts=doubts,
        problems=tuple(problems),
        probability=decision.probability,
        review=any(not problem.played for problem in problems) or not decision.certain(trust.sure),
        place=place,
        dominoes=tuple(
            laid._replace(squares=(moved(laid.squares[0]), moved(laid.squares[1]))) for laid in decision.dominoes
        ),
        runners_up=tuple((board.trimmed(), chance) for board, chance in decision.runners_up),
        sight=sight,
        start=first,
        crowded=crowded,
        colour=sight.colour if Square(*sight.castle_place) in decision.board.castles() else "",
        trust=trust,
        game=game,
        pieces=tuple(piece for piece in pieces if piece.there),
        gems=tuple(gem for gem in gems if gem.there),
        unsure=tuple(one for one in anything if one.doubtful),
    )


def _asking_for_towns(reads: Sequence[KingdomRead]) -> list[KingdomRead]:
    """The kingdoms, those of Kingdomino with a problem where something may be a town after all."""
    sights = [read.sight.reading for read in reads if read.sight is not None]
    if not reads or reads[0].game != boxes.PLAIN or len(sights) < len(reads):
        return list(reads)
    return [_maybe_towns(read, squares) for read, squares in zip(reads, boxes.like_towns(sights), strict=True)]


def _maybe_towns(read: KingdomRead, squares: Sequence[Square]) -> KingdomRead:
    own = [Square(square.row - read.start.row, square.col - read.start.col) for square in squares]
    if not (inside := tuple(square for square in own if square in read.board)):
        return read
    text = f"something like a town lies on {names(inside)}: say --game queendomino if it is one"
    return replace(read, problems=(*read.problems, Problem(inside, text, "kingdomino/contents")), review=True)


def _of_one_table(reads: Iterable[KingdomRead]) -> list[KingdomRead]:
    """The kingdoms, without the colours that two of them are said to have: no box has two of a colour."""
    kingdoms = list(reads)
    seen = Counter(kingdom.colour for kingdom in kingdoms)
    return [replace(kingdom, colour="") if seen[kingdom.colour] > 1 else kingdom for kingdom in kingdoms]


def places(grids: Sequence[Grid], photo: Photo) -> list[str]:
    """Where each kingdom lies in the photo, in words; a single one is just "the photo"."""
    if len(grids) == 1:
        return ["the photo"]
    centres = [grid.corners.mean(axis=0) for grid in grids]
    return [_place(float(x) / photo.width, float(y) / photo.height) for x, y in centres]


def _place(x: float, y: float) -> str:
    """The words for a point of the photo, both coordinates from 0 to 1."""
    across = "left" if x < 0.4 else "right" if x > 0.6 else ""
    down = "top" if y < 0.4 else "bottom" if y > 0.6 else ""
    return " ".join(word for word in (down, across) if word) or "middle"
