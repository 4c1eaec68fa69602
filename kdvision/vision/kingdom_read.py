"""One kingdom of a photo as it was read: what it is, where it lies, how sure that is, and in which words to say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, Final, NamedTuple

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem, names
from kdvision.vision import boxes
from kdvision.vision.covering import hidden_places
from kdvision.vision.decided import Decision, Doubt
from kdvision.vision.decode import FLAWED
from kdvision.vision.edge import cut_off, ends_here
from kdvision.vision.grid import Grid
from kdvision.vision.kinghood import SEEN
from kdvision.vision.photo import Photo
from kdvision.vision.pieces import GemSeen, PieceSeen, gems_on, pieces_on
from kdvision.vision.reading import Reading
from kdvision.vision.sight import Sight
from kdvision.vision.trust import SHORT, Trust

APART: Final = 1.4
"""Squares from middle to middle: what lies nearer to a kingdom than two fifths of a square may belong to it."""
A1: Final = Square(0, 0)
CONTENTS: Final = "kingdomino/contents"
FEW: Final = 5
"""A castle and two dominoes: fewer tiles are rather what is left of a kingdom that was not seen whole."""
AT_ITS_EDGE: Final = Problem((), "something that may be a tile lies at the kingdom's edge")
"""What lies beyond the board's frame has no name there."""


class Around(NamedTuple):
    """What else lies on the table: `crowded`, tiles beside the kingdom that do not join it; `unread`, tiles elsewhere
    that may be another kingdom; `touched`, another kingdom so near that a domino may be of either; `flawed`, all of it
    in a file that is damaged."""

    crowded: bool = False
    unread: bool = False
    touched: bool = False
    flawed: bool = False


ALONE: Final = Around()


@dataclass(frozen=True, eq=False)
class KingdomRead:
    """One kingdom of a photo: what was read, where it lies, and how sure that is.

    Row 0 of `board`, `grid` and `reading` is the top row as the kingdom lies in the upright photo. `probability` is
    that of the whole board; `review` is true where a person should look; `place` is in words ("left", "top right").
    `colour` is the player's, as the castle or starting tile shows it ("blue"); "" where that is not certain. `sight`
    is all that was seen there, table around the kingdom included, and `start` where on its grid the board's A1 lies;
    `around` what else lies on the table. `seems` is how probable the board is but for what is odd. `game` is the one
    it was decided as, called as game files call it. `pieces` and `gems` are more likely there than not; `unsure` are
    those of either kind of which a person should say whether they are there.
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
    around: Around = ALONE
    colour: str = ""
    trust: Trust = field(default_factory=Trust)
    game: str = boxes.PLAIN
    pieces: tuple[PieceSeen, ...] = ()
    gems: tuple[GemSeen, ...] = ()
    unsure: tuple[PieceSeen | GemSeen, ...] = ()
    seems: float = 0.0


class Odd(NamedTuple):
    """What is odd about a board that was read: how many problems are told, and whether no box allows the board.

    What was played against a rule is no problem of the reading.
    """

    problems: int
    illegal: bool

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Odd:
        """Return it of all problems. What the photo shows besides breaks no clause; what the box holds it shares."""
        told = [problem for problem in problems if not problem.played]
        return cls(len(told), any(problem.clause not in ("", CONTENTS) for problem in told))


def surroundings(kingdoms: Sequence[Sight], sights: Sequence[Sight]) -> list[Around]:
    """What else lies around each of the kingdoms among all sights of a photo.

    Tiles beside it that show no castle may be a part of it, kingdom or not.
    """
    others = [sight for sight in sights if not any(sight is one for one in kingdoms)]
    unread = any(sight.may_be_kingdom for sight in others) or any(sight.strays for sight in kingdoms)
    loose = [sight for sight in sights if sight.castle <= SEEN or any(sight is other for other in others)]
    crowded = (one.crowded or any(one.beside(other) for other in loose if other is not one) for one in kingdoms)
    return [Around(is_crowded, unread) for is_crowded in crowded]


def touching(around: Sequence[Around], grids: Sequence[Grid], boards: Sequence[Board]) -> list[Around]:
    """What lies around each of the kingdoms of a photo, with those told that nearly touch as they were decided.

    Dominoes there were given to one of both, and the other may look whole without them.
    """
    pairs = zip(grids, boards, strict=True)
    tiles = [np.array([grid.middles[square] for square in board]).reshape(-1, 2) for grid, board in pairs]
    near: set[int] = set()
    for ours, theirs in permutations([n for n, middles in enumerate(tiles) if len(middles)], 2):
        own, others = (grids[ours].places_of(tiles[n]) for n in (ours, theirs))
        if np.linalg.norm(own[:, None] - others[None], axis=2).min() < APART:
            near |= {ours, theirs}
    return [one._replace(touched=n in near) for n, one in enumerate(around)]


def frame(board: Board) -> tuple[Square, Square]:
    """The first and the last square of the smallest rectangle around a board."""
    rows, cols = [square.row for square in board], [square.col for square in board]
    return Square(min(rows, default=0), min(cols, default=0)), Square(max(rows, default=0), max(cols, default=0))


def kingdom_read(
    sight: Sight,
    decision: Decision,
    place: str,
    around: Around,
    trust: Trust,
    game: str,
    *,
    before: Board | None = None,
) -> KingdomRead:
    """The kingdom in the smallest frame around its board, so that its squares have the names a player gives them.

    Where a person has corrected squares, the frame begins no later than around the board as it was `before`: that no
    tile lies where one was seen renames no other square.
    """
    first, last = _frame_since(before, decision.board)
    rows, cols = slice(first.row, last.row + 1), slice(first.col, last.col + 1)

    def inside(square: Square) -> bool:
        return first.row <= square.row <= last.row and first.col <= square.col <= last.col

    doubts = tuple(
        replace(doubt, square=_from(first, doubt.square)) for doubt in decision.doubts if inside(doubt.square)
    )
    problems = [_moved(problem, first) for problem in decision.problems]
    left_out = any(Square(*place) not in decision.board for place in np.argwhere(sight.one_tile).tolist())
    if left_out:
        problems.append(AT_ITS_EDGE)
    if sight.inside is not None and sight.beyond is not None:
        cut = cut_off(decision.board.keys(), sight.inside, sight.beyond)
        problems += [_moved(problem, first) for problem in cut]
    if covered := hidden_places(decision.board, sight.hidden > SEEN):
        inner = tuple(square for square in covered if inside(square))
        where = f"on {names([_from(first, square) for square in inner])}" if inner else "beside this kingdom"
        problems.append(_moved(Problem(inner, f"something lies {where} that may hide a domino: look under it"), first))
    if unknown := [square for square in decision.board if sight.unknown[square]]:
        told = f"what lies on {names([_from(first, square) for square in unknown])} may be no tile: see what it is"
        problems.append(_moved(Problem(tuple(unknown), told), first))
    if len(decision.board) < FEW:
        problems.append(Problem((), "hardly a domino is seen of this kingdom: see that it is all there"))
    if sight.castle <= SEEN and decision.board.castles():
        problems.append(Problem((), "its castle is hardly seen: see that this is a kingdom"))
    if not decision.proved:
        problems.append(Problem((), "what else it may show could not all be weighed: compare it with the table"))
    if around.crowded:
        problems.append(Problem((), "tiles lie beside this kingdom that do not join it"))
    if around.touched:
        problems.append(Problem((), "another kingdom all but touches this one: see that each has its own dominoes"))
    if around.flawed:
        problems.append(Problem((), FLAWED))
    if around.unread:
        problems.append(Problem((), "other tiles in the photo may be a kingdom, too: look"))
    reading = sight.reading.of_deck(boxes.box_of(game, sight.reading))
    board = _shown(before, decision.board)
    pieces, gems = pieces_on(sight.pieces, sight.piece_names, first, board), gems_on(sight.gems, first, board)
    anything: list[PieceSeen | GemSeen] = [*pieces, *gems]
    odd = Odd.of(problems)
    strange = odd.problems > 0 or not decision.certain(0.0)
    ends = ends_here(decision.board, sight.presence, sight.inside)
    chance = ends * decision.probability
    seems = trust.of_board(chance, strain=decision.strain, side=sight.grid.side, broken=decision.broken)
    others = ends * (1 - seems) / max(1 - chance, SHORT)
    unlikely = seems < trust.sure
    if unlikely and not left_out and (ends < 1 or any(not inside(doubt.square) for doubt in decision.doubts)):
        problems.append(AT_ITS_EDGE)  # a doubt like those inside, but of no square that the board has a name for
    return KingdomRead(
        board=board,
        grid=sight.grid.part(rows, cols),
        reading=Reading(reading.log_probs[rows, cols], reading.kinds),
        doubts=doubts,
        problems=tuple(problems),
        probability=trust.of_odd(seems, **odd._asdict()) if strange else seems,
        review=strange or unlikely,
        place=place,
        dominoes=tuple(
            laid._replace(squares=(_from(first, laid.squares[0]), _from(first, laid.squares[1])))
            for laid in decision.dominoes
        ),
        runners_up=tuple((_shown(before, other), others * chance) for other, chance in decision.runners_up),
        sight=sight,
        start=first,
        around=around,
        colour=sight.colour if Square(*sight.castle_place) in decision.board.castles() else "",
        trust=trust,
        game=game,
        pieces=tuple(piece for piece in pieces if piece.there),
        gems=tuple(gem for gem in gems if gem.there),
        unsure=tuple(one for one in anything if one.doubtful),
        seems=seems,
    )


def _frame_since(before: Board | None, board: Board) -> tuple[Square, Square]:
    """The frame around a board that begins no later than the one around the board as it was before."""
    first, last = frame(board)
    if before is not None:
        top, left = frame(before)[0]
        first = Square(min(first.row, top), min(first.col, left))
    return first, last


def _shown(before: Board | None, board: Board) -> Board:
    """The board in that frame, of which the first rows and columns may be empty."""
    first, last = _frame_since(before, board)
    cells = {_from(first, square): cell for square, cell in board.items()}
    return Board(cells, height=last.row - first.row + 1, width=last.col - first.col + 1)


def asking_for_towns(reads: Sequence[KingdomRead]) -> list[KingdomRead]:
    """The kingdoms, those of Kingdomino with a problem where something may be a town after all."""
    sights = [read.sight.reading for read in reads if read.sight is not None]
    if not reads or reads[0].game != boxes.PLAIN or len(sights) < len(reads):
        return list(reads)
    return [_maybe_towns(read, squares) for read, squares in zip(reads, boxes.like_towns(sights), strict=True)]


def _maybe_towns(read: KingdomRead, squares: Sequence[Square]) -> KingdomRead:
    inside = [square for square in squares if _from(read.start, square) in read.board]
    if not inside:
        return read
    named = names([_from(read.start, square) for square in inside])
    text = f"something like a town lies on {named}: say --game queendomino if it is one"
    told = with_problems(read, [Problem(tuple(inside), text, CONTENTS)])
    return replace(told, probability=read.trust.of_odd(read.seems, **Odd.of(told.problems)._asdict()))


def with_problems(read: KingdomRead, problems: Sequence[Problem]) -> KingdomRead:
    """The kingdom with more problems, whose squares are those of its grid; a person should look where there are any."""
    moved = tuple(_moved(problem, read.start) for problem in problems)
    return replace(read, problems=(*read.problems, *moved), review=read.review or bool(moved))


def _from(start: Square, square: Square) -> Square:
    """A square of the grid as the board calls it, whose A1 lies at `start`."""
    return Square(square.row - start.row, square.col - start.col)


def _moved(problem: Problem, start: Square) -> Problem:
    return replace(problem, squares=tuple(_from(start, square) for square in problem.squares))


def of_one_table(reads: Iterable[KingdomRead]) -> list[KingdomRead]:
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
