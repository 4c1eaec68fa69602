"""The result for one kingdom of a photo: what was read, where it lies, and how certain that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, Final

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem
from kdvision.vision.assess.calibration import Calibration, clip_complement
from kdvision.vision.assess.copies import find_copies
from kdvision.vision.assess.kingdom import may_be_kingdom
from kdvision.vision.assess.truncation import compute_completeness
from kdvision.vision.assess.warnings import (
    INFORMATION_IDS,
    RIM_WARNING,
    BoardFrame,
    Surroundings,
    find_warnings,
    forces_review,
    label_misreading,
    make_town_warning,
    measure_evidence,
)
from kdvision.vision.classify.observation import P_TILE, GridObservation
from kdvision.vision.classify.pieces import (
    KINGDOMINO_PIECE_LOG_ODDS,
    DetectedGem,
    DetectedPiece,
    find_gems,
    find_pieces,
)
from kdvision.vision.classify.probabilities import Reading
from kdvision.vision.decide.decision import Decision, Doubt
from kdvision.vision.decide.game_set import GAME_KINGDOMINO, choose_deck, find_possible_towns, get_game
from kdvision.vision.detect.grid import Grid
from kdvision.vision.geometry import compute_distances
from kdvision.vision.image.photo import Photo

A1: Final = Square(0, 0)
NO_SURROUNDINGS: Final = Surroundings()
MAX_TOUCHING_SIDES: Final = 1.4
"""Distance of centres below which a tile of another kingdom may belong to this one."""


@dataclass(frozen=True, eq=False)
class KingdomReading:
    """One kingdom of a photo.

    Row 0 of `board`, `grid` and `reading` is the top row in the upright photo. `probability` is that of the whole
    board, `place` its position in words ("left", "top right"). `colour` is the player's ("blue"), "" if unknown; `game`
    is the one it was decided as. `pieces` and `gems` are more probable than not; `uncertain` are those that a person
    should check.

    `observation` is everything seen on the grid, the rim of table included, and `start` the position of the board's A1
    on it; `surroundings` is what else lies on the table. `board_probability` is the probability without warnings, and
    `warning_strengths` their strengths by id.
    """

    board: Board
    grid: Grid
    reading: Reading
    doubts: tuple[Doubt, ...]
    problems: tuple[Problem, ...]
    probability: float
    place: str
    dominoes: tuple[tuple[Any, ...], ...] = ()
    runners_up: tuple[tuple[Board, float], ...] = ()
    observation: GridObservation | None = None
    start: Square = A1
    surroundings: Surroundings = NO_SURROUNDINGS
    colour: str = ""
    calibration: Calibration = field(default_factory=Calibration)
    game: str = GAME_KINGDOMINO
    pieces: tuple[DetectedPiece, ...] = ()
    gems: tuple[DetectedGem, ...] = ()
    uncertain: tuple[DetectedPiece | DetectedGem, ...] = ()
    board_probability: float = 0.0
    warning_strengths: Mapping[str, float] = field(default_factory=dict)

    @property
    def review(self) -> bool:
        """True if a person should check the kingdom.

        That is the case if its probability is below the review threshold or a problem asks for it by itself.
        """
        return self.probability < self.calibration.review_threshold or any(map(forces_review, self.problems))

    def needs_review(self, problems: Iterable[Problem], *, is_open: bool) -> bool:
        """Return True if a person should check the kingdom once it is scored.

        `problems` are all of them, those of pieces included; `is_open` means that facts about pieces are missing.
        """
        return self.review or is_open or any(map(forces_review, problems))

    @property
    def frame(self) -> BoardFrame:
        """The frame of the board on its grid."""
        return BoardFrame(
            self.start, Square(self.start.row + self.board.height - 1, self.start.col + self.board.width - 1)
        )


def build_reading(
    observation: GridObservation,
    decision: Decision,
    place: str,
    surroundings: Surroundings,
    calibration: Calibration,
    box: str,
    *,
    before: Board | None = None,
) -> KingdomReading:
    """Return the result for one kingdom, in the smallest frame around its board; `box` is what it was decided with.

    After a person has corrected squares, the frame also includes the first row and column of the board `before`, so
    that removing a tile renames no other square.
    """
    frame = _choose_frame(before, decision.board)
    warnings = list(find_warnings(observation, decision, surroundings, frame))
    misreadings = [frame.shift_problem(label_misreading(problem)) for problem in decision.problems]
    strengths = measure_evidence([*warnings, *misreadings], observation, decision)
    completeness = compute_completeness(decision.board, observation.tile_probability, observation.visible_share)
    decided = completeness * decision.probability
    board_probability = calibration.calibrate_board(
        decided,
        correction_cost=decision.correction_cost,
        side=observation.grid.side,
        breaks_rule=decision.breaks_rule,
    )
    nothing_missed = calibration.calibrate_completeness(strengths)
    probability = board_probability * nothing_missed
    is_improbable = probability < calibration.review_threshold
    reported = [one for one in warnings if is_improbable or forces_review(one) or one.warning in INFORMATION_IDS]
    doubts_outside = any(not frame.contains(doubt.square) for doubt in decision.doubts)
    if is_improbable and (completeness < 1 or doubts_outside) and RIM_WARNING not in reported:
        reported.append(RIM_WARNING)
    alternatives = nothing_missed * completeness * (1 - board_probability) / clip_complement(decided)
    reading = observation.reading.of_deck(choose_deck(box, observation.reading))
    rows, cols = (slice(low, high + 1) for low, high in zip(frame.first, frame.last, strict=True))
    board = _move_to_frame(before, decision.board)
    prior = KINGDOMINO_PIECE_LOG_ODDS if get_game(box) == GAME_KINGDOMINO else 0.0
    pieces = find_pieces(observation.pieces, observation.piece_names, frame.first, board, prior_log_odds=prior)
    gems = find_gems(observation.gems, frame.first, board)
    return KingdomReading(
        board=board,
        grid=observation.grid.crop(rows, cols),
        reading=Reading(reading.log_probs[rows, cols], reading.kinds),
        doubts=tuple(
            replace(doubt, square=frame.to_board(doubt.square))
            for doubt in decision.doubts
            if frame.contains(doubt.square)
        ),
        problems=(*misreadings, *reported),
        probability=probability,
        place=place,
        dominoes=tuple(
            domino._replace(squares=(frame.to_board(domino.squares[0]), frame.to_board(domino.squares[1])))
            for domino in decision.dominoes
        ),
        runners_up=tuple((_move_to_frame(before, other), alternatives * p) for other, p in decision.runners_up),
        observation=observation,
        start=frame.first,
        surroundings=surroundings,
        colour=observation.colour if observation.castle_cell in decision.board.castles() else "",
        calibration=calibration,
        game=get_game(box),
        pieces=tuple(piece for piece in pieces if piece.is_present),
        gems=tuple(gem for gem in gems if gem.is_present),
        uncertain=(
            *(piece for piece in pieces if piece.is_uncertain),
            *(gem for gem in gems if gem.is_uncertain),
        ),
        board_probability=board_probability,
        warning_strengths=strengths,
    )


def _choose_frame(before: Board | None, board: Board) -> BoardFrame:
    """Return the frame around a board that begins no later than the frame around the board `before`."""
    frame = BoardFrame.of(board)
    if before is None:
        return frame
    first = BoardFrame.of(before).first
    return frame._replace(first=Square(min(frame.first.row, first.row), min(frame.first.col, first.col)))


def _move_to_frame(before: Board | None, board: Board) -> Board:
    """Return the board in its frame; its first rows and columns may be empty."""
    frame = _choose_frame(before, board)
    last = frame.to_board(frame.last)
    cells = {frame.to_board(square): cell for square, cell in board.items()}
    return Board(cells, height=last.row + 1, width=last.col + 1)


def describe_surroundings(
    kingdoms: Sequence[GridObservation], observations: Sequence[GridObservation]
) -> list[Surroundings]:
    """Return what lies around each kingdom among all observations of a photo.

    Tiles beside a kingdom that show no castle may be part of it. Copies of a kingdom are none of these tiles.
    """
    copies = [pair for pair in find_copies(observations) if any(pair[1] is kingdom for kingdom in kingdoms)]
    observations = [one for one in observations if not any(one is copy for copy, _ in copies)]
    others = [one for one in observations if not any(one is kingdom for kingdom in kingdoms)]
    unread = any(may_be_kingdom(one) for one in others)
    loose = [
        one for one in observations if one.max_castle_probability <= P_TILE or any(one is other for other in others)
    ]
    crowded = (any(one.is_beside(other) for other in loose if other is not one) for one in kingdoms)
    copied = (any(one is original for _, original in copies) for one in kingdoms)
    return [
        Surroundings(is_crowded, unread, copied=is_copied)
        for is_crowded, is_copied in zip(crowded, copied, strict=True)
    ]


def mark_touching(
    surroundings: Sequence[Surroundings], grids: Sequence[Grid], boards: Sequence[Board]
) -> list[Surroundings]:
    """Return the surroundings with kingdoms marked whose decided boards almost touch.

    Dominoes there may have been assigned to the wrong one of both, and the other one looks complete without them.
    """
    pairs = zip(grids, boards, strict=True)
    tiles = [np.array([grid.centres[square] for square in board]).reshape(-1, 2) for grid, board in pairs]
    touching: set[int] = set()
    for one, other in permutations([n for n, centres in enumerate(tiles) if len(centres)], 2):
        own, others = (grids[one].to_grid_coordinates(tiles[n]) for n in (one, other))
        if compute_distances(own, others).min() < MAX_TOUCHING_SIDES:
            touching |= {one, other}
    return [around._replace(touched=n in touching) for n, around in enumerate(surroundings)]


def warn_of_possible_towns(readings: Sequence[KingdomReading]) -> list[KingdomReading]:
    """Return the kingdoms of Kingdomino with a warning on squares that may be towns."""
    probabilities = [one.observation.reading for one in readings if one.observation is not None]
    if not readings or readings[0].game != GAME_KINGDOMINO or len(probabilities) < len(readings):
        return list(readings)
    return [_warn_of_towns(*pair) for pair in zip(readings, find_possible_towns(probabilities), strict=True)]


def _warn_of_towns(reading: KingdomReading, squares: Sequence[Square]) -> KingdomReading:
    on_board = [square for square in map(reading.frame.to_board, squares) if square in reading.board]
    if not on_board:
        return reading
    warning = make_town_warning(on_board)
    strengths = {**reading.warning_strengths, warning.warning: 1.0}
    probability = reading.board_probability * reading.calibration.calibrate_completeness(strengths)
    problems = (*reading.problems, warning)
    return replace(reading, problems=problems, warning_strengths=strengths, probability=probability)


def add_problems(reading: KingdomReading, problems: Sequence[Problem]) -> KingdomReading:
    """Return the kingdom with more problems, whose squares are those of its grid."""
    return replace(reading, problems=(*reading.problems, *map(reading.frame.shift_problem, problems)))


def drop_ambiguous_colours(readings: Iterable[KingdomReading]) -> list[KingdomReading]:
    """Return the kingdoms without colours that occur twice: no box has two players of one colour."""
    kingdoms = list(readings)
    count = Counter(kingdom.colour for kingdom in kingdoms)
    return [replace(kingdom, colour="") if count[kingdom.colour] > 1 else kingdom for kingdom in kingdoms]


def describe_places(grids: Sequence[Grid], photo: Photo) -> list[str]:
    """Return the position of each kingdom in words; "the photo" for a single one."""
    if len(grids) == 1:
        return ["the photo"]
    centres = [grid.corners.mean(axis=0) for grid in grids]
    return [_describe_place(float(x) / photo.width, float(y) / photo.height) for x, y in centres]


def _describe_place(x: float, y: float) -> str:
    """Return the words for a point of the photo with coordinates from 0 to 1."""
    horizontal = "left" if x < 0.4 else "right" if x > 0.6 else ""
    vertical = "top" if y < 0.4 else "bottom" if y > 0.6 else ""
    return " ".join(word for word in (vertical, horizontal) if word) or "middle"
