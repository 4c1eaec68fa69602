"""One kingdom of a photo as it was read: what it is, where it lies, how sure that is, and in which words to say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, Final

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem
from kdvision.vision.assess.calibration import SHORT, Calibration
from kdvision.vision.assess.warnings import (
    AT_ITS_EDGE,
    BoardFrame,
    Surroundings,
    find_warnings,
    measure_warnings,
    warn_of_towns,
)
from kdvision.vision.classify.kingdom import SEEN
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece, find_gems, find_pieces
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.classify.truncation import compute_completeness
from kdvision.vision.decide import game_set as boxes
from kdvision.vision.decide.decision import Decision, Doubt
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo

APART: Final = 1.4
"""Squares from middle to middle: what lies nearer to a kingdom than two fifths of a square may belong to it."""
A1: Final = Square(0, 0)
ALONE: Final = Surroundings()


@dataclass(frozen=True, eq=False)
class KingdomReading:
    """One kingdom of a photo: what was read, where it lies, and how sure that is.

    Row 0 of `board`, `grid` and `reading` is the top row as the kingdom lies in the upright photo. `probability` is
    that of the whole board; `review` is true where a person should look; `place` is in words ("left", "top right").
    `colour` is the player's, as the castle or starting tile shows it ("blue"); "" where that is not certain. `observation`
    is all that was seen there, table around the kingdom included, and `start` where on its grid the board's A1 lies;
    `around` what else lies on the table. `board_probability` is how probable the board is but for what speaks against it beside its
    squares, and `warning_strengths` how strong each sign of that is, by its name. `game` is the one it was decided as, called as
    game files call it. `pieces` and `gems` are more likely there than not; `unsure` are those of either kind of which a
    person should say whether they are there.
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
    observation: GridObservation | None = None
    start: Square = A1
    around: Surroundings = ALONE
    colour: str = ""
    calibration: Calibration = field(default_factory=Calibration)
    game: str = boxes.GAME_KINGDOMINO
    pieces: tuple[DetectedPiece, ...] = ()
    gems: tuple[DetectedGem, ...] = ()
    unsure: tuple[DetectedPiece | DetectedGem, ...] = ()
    board_probability: float = 0.0
    warning_strengths: Mapping[str, float] = field(default_factory=dict)

    def needs_review(self, problems: Iterable[Problem], *, is_open: bool) -> bool:
        """True where a person should check the kingdom once it is scored.

        That is where `review` is set, where facts about pieces are missing (`is_open`), or where one of all `problems`,
        those of pieces included, is more than an illegal play.
        """
        return self.review or is_open or any(not problem.played for problem in problems)

    @property
    def frame(self) -> BoardFrame:
        """Where on its grid the board lies, for squares of that grid that are to be called as the board calls them."""
        return BoardFrame(
            self.start, Square(self.start.row + self.board.height - 1, self.start.col + self.board.width - 1)
        )


def describe_surroundings(
    kingdoms: Sequence[GridObservation], observations: Sequence[GridObservation]
) -> list[Surroundings]:
    """What else lies around each of the kingdoms among all sights of a photo.

    Tiles beside it that show no castle may be a part of it, kingdom or not.
    """
    others = [observation for observation in observations if not any(observation is one for one in kingdoms)]
    unread = any(observation.may_be_kingdom for observation in others)
    loose = [
        observation
        for observation in observations
        if observation.castle <= SEEN or any(observation is other for other in others)
    ]
    crowded = (any(one.beside(other) for other in loose if other is not one) for one in kingdoms)
    return [Surroundings(is_crowded, unread) for is_crowded in crowded]


def mark_touching(around: Sequence[Surroundings], grids: Sequence[Grid], boards: Sequence[Board]) -> list[Surroundings]:
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


def find_board_frame(board: Board) -> BoardFrame:
    """The first and the last square of the smallest rectangle around a board."""
    rows, cols = [square.row for square in board], [square.col for square in board]
    first = Square(min(rows, default=0), min(cols, default=0))
    return BoardFrame(first, Square(max(rows, default=0), max(cols, default=0)))


def build_reading(
    observation: GridObservation,
    decision: Decision,
    place: str,
    around: Surroundings,
    calibration: Calibration,
    game: str,
    *,
    before: Board | None = None,
) -> KingdomReading:
    """The kingdom in the smallest frame around its board, so that its squares have the names a player gives them.

    Where a person has corrected squares, the frame begins no later than around the board as it was `before`: that no
    tile lies where one was seen renames no other square.
    """
    inside = _frame_since(before, decision.board)
    rows, cols = (slice(low, high + 1) for low, high in zip(inside.first, inside.last, strict=True))
    found = list(find_warnings(observation, decision, around, inside))
    speaking = measure_warnings(found, observation, decision)
    ends = compute_completeness(decision.board, observation.presence, observation.inside)
    chance, whole = ends * decision.probability, calibration.of_whole(speaking)
    board_probability = calibration.of_board(
        chance, correction_cost=decision.correction_cost, side=observation.grid.side, broken=decision.broken
    )
    others = whole * ends * (1 - board_probability) / max(1 - chance, SHORT)
    unlikely = board_probability * whole < calibration.sure
    told = [sign for sign in found if unlikely or not calibration.weighs(sign.sign)]
    strange = bool(told) or not decision.certain(0.0)
    beyond = ends < 1 or any(not inside.holds(doubt.square) for doubt in decision.doubts)
    if unlikely and beyond and AT_ITS_EDGE not in told:
        told.append(AT_ITS_EDGE)  # a doubt like those inside, but of no square that the board has a name for
    reading = observation.reading.of_deck(boxes.choose_deck(game, observation.reading))
    board = _shown(before, decision.board)
    pieces = find_pieces(observation.pieces, observation.piece_names, inside.first, board)
    gems = find_gems(observation.gems, inside.first, board)
    anything: list[DetectedPiece | DetectedGem] = [*pieces, *gems]
    return KingdomReading(
        board=board,
        grid=observation.grid.part(rows, cols),
        reading=Reading(reading.log_probs[rows, cols], reading.kinds),
        doubts=tuple(
            replace(doubt, square=inside.name(doubt.square)) for doubt in decision.doubts if inside.holds(doubt.square)
        ),
        problems=(*map(inside.moved, decision.problems), *told),
        probability=board_probability * whole,
        review=strange or unlikely,
        place=place,
        dominoes=tuple(
            laid._replace(squares=(inside.name(laid.squares[0]), inside.name(laid.squares[1])))
            for laid in decision.dominoes
        ),
        runners_up=tuple((_shown(before, other), others * chance) for other, chance in decision.runners_up),
        observation=observation,
        start=inside.first,
        around=around,
        colour=observation.colour if Square(*observation.castle_place) in decision.board.castles() else "",
        calibration=calibration,
        game=game,
        pieces=tuple(piece for piece in pieces if piece.there),
        gems=tuple(gem for gem in gems if gem.there),
        unsure=tuple(one for one in anything if one.doubtful),
        board_probability=board_probability,
        warning_strengths=speaking,
    )


def _frame_since(before: Board | None, board: Board) -> BoardFrame:
    """The frame around a board that begins no later than the one around the board as it was before."""
    own = find_board_frame(board)
    if before is None:
        return own
    first = find_board_frame(before).first
    return BoardFrame(Square(min(own.first.row, first.row), min(own.first.col, first.col)), own.last)


def _shown(before: Board | None, board: Board) -> Board:
    """The board in that frame, of which the first rows and columns may be empty."""
    around = _frame_since(before, board)
    size = around.name(around.last)
    cells = {around.name(square): cell for square, cell in board.items()}
    return Board(cells, height=size.row + 1, width=size.col + 1)


def warn_of_possible_towns(reads: Sequence[KingdomReading]) -> list[KingdomReading]:
    """The kingdoms, those of Kingdomino with a problem where something may be a town after all."""
    observations = [read.observation.reading for read in reads if read.observation is not None]
    if not reads or reads[0].game != boxes.GAME_KINGDOMINO or len(observations) < len(reads):
        return list(reads)
    return [
        _maybe_towns(read, squares)
        for read, squares in zip(reads, boxes.find_possible_towns(observations), strict=True)
    ]


def _maybe_towns(read: KingdomReading, squares: Sequence[Square]) -> KingdomReading:
    inside = [square for square in map(read.frame.name, squares) if square in read.board]
    if not inside:
        return read
    sign = warn_of_towns(inside)
    known = {**read.warning_strengths, sign.sign: 1.0}
    chance = read.board_probability * read.calibration.of_whole(known)
    return replace(read, problems=(*read.problems, sign), review=True, warning_strengths=known, probability=chance)


def add_problems(read: KingdomReading, problems: Sequence[Problem]) -> KingdomReading:
    """The kingdom with more problems, whose squares are those of its grid; a person should look where there are any."""
    moved = tuple(map(read.frame.moved, problems))
    return replace(read, problems=(*read.problems, *moved), review=read.review or bool(moved))


def drop_ambiguous_colours(reads: Iterable[KingdomReading]) -> list[KingdomReading]:
    """The kingdoms, without the colours that two of them are said to have: no box has two of a colour."""
    kingdoms = list(reads)
    seen = Counter(kingdom.colour for kingdom in kingdoms)
    return [replace(kingdom, colour="") if seen[kingdom.colour] > 1 else kingdom for kingdom in kingdoms]


def describe_places(grids: Sequence[Grid], photo: Photo) -> list[str]:
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
