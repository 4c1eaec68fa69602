"""The result for one kingdom of a photo: what was read, where it lies, and how certain that is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat

from kdvision.game.board import Board, Square
from kdvision.game.legality import Problem, join_names, move_names
from kdvision.game.rules import GAME_KINGDOMINO
from kdvision.vision.assess.calibration import Calibration, clip_complement
from kdvision.vision.assess.diagnosis import COLOUR_HINT
from kdvision.vision.assess.missing import compute_completeness
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.assess.warnings import (
    RIM_WARNING,
    find_warnings,
    forces_review,
    label_misreading,
    measure_warning_strengths,
)
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.pieces import DetectedPiece, find_gems, find_pieces
from kdvision.vision.classify.probabilities import ClassProbabilities
from kdvision.vision.decide.decision import BoardFrame, Decision, Doubt, PlacedDomino
from kdvision.vision.decide.game_set import collect_deck, find_possible_towns, get_game
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo


@dataclass(frozen=True, eq=False)
class KingdomReading:
    """One kingdom of a photo.

    Row 0 of `board`, `grid` and `probabilities` is the top row in the upright photo. `probability` is that of the whole
    board, `place` its position in words ("left", "top right"). `colour` is the player's ("blue"), "" if unknown; `box`
    is the one it was decided with. `pieces` and `gems` are more probable than not; `uncertain_pieces` are those
    that a person should check.

    `observation` is everything seen on the grid, the rim of table included, and `frame` that of the board on it;
    `frame_before_fixes` is the one on which a person has named squares to correct, if any. `surroundings` is what else
    lies on the table. `board_probability` is the probability without warnings, and `warning_strengths` their strengths
    by id.
    """

    board: Board
    observation: GridObservation
    frame: BoardFrame
    doubts: tuple[Doubt, ...]
    problems: tuple[Problem, ...]
    probability: float
    place: str = ""
    dominoes: tuple[PlacedDomino, ...] = ()
    runners_up: tuple[tuple[Board, float], ...] = ()
    frame_before_fixes: BoardFrame | None = None
    surroundings: Surroundings = field(default_factory=Surroundings)
    colour: str = ""
    calibration: Calibration = field(default_factory=Calibration)
    box: str = GAME_KINGDOMINO
    pieces: tuple[DetectedPiece, ...] = ()
    gems: tuple[DetectedPiece, ...] = ()
    uncertain_pieces: tuple[DetectedPiece, ...] = ()
    board_probability: float = 0.0
    warning_strengths: Mapping[str, float] = field(default_factory=dict)

    @property
    def game(self) -> str:
        """The game that the kingdom was decided as."""
        return get_game(self.box)

    @cached_property
    def grid(self) -> Grid:
        """The cells of the board."""
        return Grid(self.observation.grid.quads[self.frame.slices])

    @cached_property
    def probabilities(self) -> ClassProbabilities:
        """The class probabilities of the board's squares, for the kinds of its box."""
        probabilities = self.observation.probabilities.select_kinds(collect_deck(self.box))
        return ClassProbabilities(probabilities.log_probs[self.frame.slices], probabilities.kinds)

    @property
    def has_renamed_squares(self) -> bool:
        """True if corrections have added a row or column before A1."""
        return self.frame_before_fixes is not None and self.frame_before_fixes.first != self.frame.first

    def accepts_fix(self, square: Square) -> bool:
        """Return True if a further correction may name this square, as one of the board before all corrections."""
        before = self.frame_before_fixes
        return before is None or (not self.has_renamed_squares and before.contains(self.frame.to_grid(square)))

    @property
    def review(self) -> bool:
        """True if a person should check the kingdom."""
        return self.needs_review()

    def needs_review(self, further_problems: Iterable[Problem] = (), *, is_open: bool = False) -> bool:
        """Return True if a person should check the kingdom.

        That is the case if its probability is below the review threshold, or a problem asks for it by itself. Once it
        is scored there are `further_problems`, and `is_open` means that facts about pieces are missing.
        """
        is_improbable = self.probability < self.calibration.review_threshold
        return is_improbable or is_open or any(map(forces_review, (*self.problems, *further_problems)))


def build_readings(
    observations: Sequence[GridObservation],
    decisions: Sequence[Decision],
    surroundings: Sequence[Surroundings],
    calibration: Calibration,
    box: str,
    *,
    report_towns: bool = True,
    frames_before: Sequence[BoardFrame] | None = None,
) -> list[KingdomReading]:
    """Return the kingdoms of one table; `box` is what they were decided with.

    With `report_towns`, squares of Kingdomino that may be towns are reported. `frames_before` are those of the boards
    before a person has corrected squares. No box has two players of one colour, so colours that occur twice are left
    out.
    """
    may_have_towns = report_towns and get_game(box) == GAME_KINGDOMINO
    towns = find_possible_towns([k.probabilities for k in observations]) if may_have_towns else repeat(())
    pairs = zip(observations, decisions, strict=True)
    colours = [k.colour if k.castle_cell in decision.board.find_castles() else "" for k, decision in pairs]
    frames = frames_before or repeat(None)
    columns = (observations, decisions, surroundings, repeat(calibration), repeat(box), frames, towns)
    colour_problem, readings = Problem((), f"the photo has no colours: {COLOUR_HINT}"), []
    for reading, colour in zip(map(build_reading, *columns), colours, strict=True):
        needs_colours = reading.surroundings.colourless and reading.review
        unique_colour = colour if colours.count(colour) == 1 else ""
        readings.append(add_problems(replace(reading, colour=unique_colour), [colour_problem] if needs_colours else []))
    return readings


def build_reading(
    observation: GridObservation,
    decision: Decision,
    surroundings: Surroundings,
    calibration: Calibration,
    box: str,
    frame_before_fixes: BoardFrame | None = None,
    possible_towns: Sequence[Square] = (),
) -> KingdomReading:
    """Return the result for one kingdom without its colour, in the smallest frame around its board.

    After a person has corrected squares, it also includes the first row and column of `frame_before_fixes`, so that
    removing a tile renames no other square.
    """
    frame = BoardFrame.of(decision.board, frame_before_fixes)
    on_board = _move_to_board(decision, frame, frame_before_fixes)
    warnings = list(find_warnings(observation, decision, surroundings, frame, possible_towns))
    strengths = measure_warning_strengths([*warnings, *on_board.problems], observation, decision)
    p_complete = compute_completeness(
        decision.board, observation.tile_probability, observation.visible_share, decision.side
    )
    p_decided = p_complete * decision.probability
    board_probability = calibration.calibrate_board(
        p_decided,
        correction_cost=decision.correction_cost,
        side_pixels=observation.grid.side_pixels,
        breaks_rule=decision.breaks_rule,
    )
    p_nothing_missed = calibration.calibrate_warnings(strengths)
    probability = board_probability * p_nothing_missed
    is_improbable = probability < calibration.review_threshold
    may_continue = p_complete < 1 or len(on_board.doubts) < len(decision.doubts)
    runner_up_factor = p_nothing_missed * p_complete * (1 - board_probability) / clip_complement(p_decided)
    board, is_rare = on_board.board, get_game(box) == GAME_KINGDOMINO
    pieces = find_pieces(observation.pieces, observation.piece_names, frame.first, board, is_rare=is_rare)
    gems = find_gems(observation.gems, frame.first, board)
    return KingdomReading(
        board=board,
        observation=observation,
        frame=frame,
        doubts=on_board.doubts,
        problems=(*on_board.problems, *_select_warnings(warnings, is_improbable, may_continue)),
        probability=probability,
        dominoes=on_board.dominoes,
        runners_up=tuple((other, runner_up_factor * p) for other, p in on_board.runners_up),
        frame_before_fixes=frame_before_fixes,
        surroundings=surroundings,
        calibration=calibration,
        box=box,
        pieces=tuple(piece for piece in pieces if piece.is_present),
        gems=tuple(gem for gem in gems if gem.is_present),
        uncertain_pieces=tuple(piece for piece in (*pieces, *gems) if piece.is_uncertain),
        board_probability=board_probability,
        warning_strengths=strengths,
    )


def _move_to_board(decision: Decision, frame: BoardFrame, frame_before_fixes: BoardFrame | None) -> Decision:
    """Return a decision with the squares of its board, whose frame this is; doubts beyond the frame are left out.

    Runners-up that lie in the frame keep it, so that their squares have the same names.
    """

    def crop(other: Board) -> Board:
        own_frame = BoardFrame.of(other, frame_before_fixes)
        return (frame if frame.contains(own_frame.first) and frame.contains(own_frame.last) else own_frame).crop(other)

    dominoes = [PlacedDomino(numbers, (frame.to_board(a), frame.to_board(b))) for numbers, (a, b) in decision.dominoes]
    doubts = [doubt for doubt in decision.doubts if frame.contains(doubt.square)]
    row, col = frame.first
    labelled_problems = map(label_misreading, decision.problems)
    problems = [replace(problem, text=move_names(problem.text, -row, -col)) for problem in labelled_problems]
    return replace(
        decision,
        board=frame.crop(decision.board),
        dominoes=tuple(dominoes),
        doubts=tuple(replace(doubt, square=frame.to_board(doubt.square)) for doubt in doubts),
        problems=tuple(map(frame.shift_problem, problems)),
        runners_up=tuple((crop(other), p) for other, p in decision.runners_up),
    )


def _select_warnings(warnings: Sequence[Problem], is_improbable: bool, may_continue: bool) -> list[Problem]:
    """Return the warnings to show: all of an improbable board, otherwise those that ask for a review by themselves.

    A copy and possible towns are always shown. An improbable board that may continue beyond its frame has the warning
    about its rim.
    """
    always_shown = ("copied", "towns")
    shown_warnings = [w for w in warnings if is_improbable or forces_review(w) or w.warning in always_shown]
    if is_improbable and may_continue and RIM_WARNING not in shown_warnings:
        shown_warnings.append(RIM_WARNING)
    return shown_warnings


def add_problems(reading: KingdomReading, problems: Sequence[Problem]) -> KingdomReading:
    """Return the kingdom with more problems, whose squares are those of its grid; their texts name them."""
    frame, new_problems = reading.frame, []
    for problem in problems:
        inside = [frame.to_board(square) for square in problem.squares if frame.contains(square)]
        names = f" ({join_names(inside)})" if inside else ""
        new_problems.append(replace(frame.shift_problem(problem), text=f"{problem.text}{names}"))
    return replace(reading, problems=(*reading.problems, *new_problems))


def describe_places(grids: Sequence[Grid], photo: Photo) -> list[str]:
    """Return the position of each kingdom in words; "the photo" for a single one."""
    if len(grids) == 1:
        return ["the photo"]
    places = []
    for x, y in [grid.corners.mean(axis=0) / (photo.width, photo.height) for grid in grids]:
        words = ["top" if y < 0.4 else "bottom" if y > 0.6 else "", "left" if x < 0.4 else "right" if x > 0.6 else ""]
        places.append(" ".join(filter(None, words)) or "middle")
    return places
