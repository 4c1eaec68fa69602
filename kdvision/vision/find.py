"""The vision pipeline on one page: from a photo to observed grids, and from these to decided kingdoms.

detect → group → refine → classify → partition → accept → classify in context → decide → accept → assess.
`detect.search` finds detections, groups them into components and refines each into a grid; `classify.observe`
classifies the cells of a grid, and `classify.partition` assigns tiles to kingdoms that lie close; `assess.kingdom`
accepts grids as kingdoms, before and after the decision; `classify.context` classifies all tiles of the photo together;
`decide.decide` decides all boards jointly; `result.build_readings` assesses each of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np

from kdvision.errors import NotationError
from kdvision.game.board import Square, parse_cell
from kdvision.game.rules import GAME_AUTO, SIDES
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.assess.diagnosis import lacks_colours, make_no_kingdom_error
from kdvision.vision.assess.kingdom import accept_all, classify_grid, is_still_kingdom, split_kingdoms
from kdvision.vision.assess.surroundings import Surroundings, describe_surroundings, mark_touching
from kdvision.vision.classify.context import ContextClassifier
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.observe import observe
from kdvision.vision.classify.partition import ObservedLattice, remove_foreign_tiles, split_by_castles
from kdvision.vision.classify.probabilities import NOTHING
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import BoardFrame, Decision
from kdvision.vision.decide.game_set import decide_game, get_game
from kdvision.vision.detect.grid import build_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.manual import build_drawn_grid
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.detect.search import search_lattices, suppress_overlapping
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.detector import SquareDetector
from kdvision.vision.networks.onnx import load_model
from kdvision.vision.result import KingdomReading, build_readings, describe_places

Watch: TypeAlias = Callable[[str, Any], None]
"""Called after each stage with its name and its result, for timings and debug pictures."""
FixedSquares: TypeAlias = Mapping[tuple[int, Square], str]
"""Squares that a person has named: kingdom and square, and the kind in notation."""


@dataclass(frozen=True)
class Networks:
    """The networks and the calibration that is stored with them; `context` is None while it is being trained."""

    detector: SquareDetector
    classifier: CellClassifier
    context: ContextClassifier | None
    calibration: Calibration

    @classmethod
    def load(cls) -> Self:
        """Return the shipped networks, each loaded once per process; raise ModelError if one is missing."""
        classifier = CellClassifier(load_model("cells"))
        return cls(
            SquareDetector(load_model("detector")),
            classifier,
            ContextClassifier(load_model("context")),
            Calibration.from_metadata(classifier.model.metadata),
        )

    def classify_context(self, photo: Photo, kingdoms: Sequence[GridObservation]) -> list[GridObservation]:
        """Return the kingdoms with all tiles classified together, unchanged without a context network."""
        return list(kingdoms) if self.context is None else self.context.classify(photo, kingdoms)


def find_kingdoms(photo: Photo, networks: Networks, *, watch: Watch = lambda *_: None) -> list[GridObservation]:
    """Return the observation of every grid in a photo; the kingdoms among them are classified with their context."""
    detections, lattices = search_lattices(photo, networks.detector)
    watch("squares", detections)
    watch("lattices", lattices)
    observations = partition_tiles(photo, networks, suppress_overlapping(lattices))
    kingdoms = split_kingdoms(observations)[0]
    in_context = dict(zip(kingdoms, networks.classify_context(photo, kingdoms), strict=True))
    return [in_context.get(observation, observation) for observation in observations]


def partition_tiles(photo: Photo, networks: Networks, hypotheses: Sequence[LatticeHypothesis]) -> list[GridObservation]:
    """Return the observations of the hypotheses after tiles are assigned to kingdoms.

    A hypothesis with several castles is replaced by its parts if one of them is a kingdom.
    """

    def observe_lattice(hypothesis: LatticeHypothesis) -> ObservedLattice:
        return ObservedLattice(hypothesis, observe(photo, networks.classifier, build_grid(hypothesis)))

    lattices: list[ObservedLattice] = []
    for lattice in map(observe_lattice, hypotheses):
        parts = list(map(observe_lattice, split_by_castles(lattice)))
        lattices += parts if any(classify_grid(part.observation).is_certain for part in parts) else [lattice]
    kingdoms = [lattice for lattice in lattices if classify_grid(lattice.observation).beside_others]
    observation_by_lattice = dict(zip(kingdoms, remove_foreign_tiles(kingdoms), strict=True))
    return [observation_by_lattice.get(lattice, lattice.observation) for lattice in lattices]


def observe_outlines(
    photo: Photo, networks: Networks, outlines: Sequence[KingdomOutline | Sequence[Sequence[float]]]
) -> tuple[list[GridObservation], list[Surroundings]]:
    """Return the observations of outlines that a person has drawn, and what lies around them; raise NotationError."""
    drawn_outlines = [KingdomOutline.of(outline) for outline in outlines]
    for outline in drawn_outlines:
        outline.check(photo)
    grids = [build_drawn_grid(photo, networks.detector, networks.classifier, outline) for outline in drawn_outlines]
    observations = networks.classify_context(photo, [observe(photo, networks.classifier, grid) for grid, _ in grids])
    return observations, [Surroundings(outside=misses_tiles) for _, misses_tiles in grids]


def assemble_kingdoms(
    photo: Photo,
    observations: Sequence[GridObservation],
    *,
    side: int | None = None,
    fixed_squares: FixedSquares | None = None,
    outline_surroundings: Sequence[Surroundings] | None = None,
    game: str = GAME_AUTO,
    report_towns: bool = False,
    calibration: Calibration | None = None,
    watch: Watch = lambda *_: None,
) -> list[KingdomReading]:
    """Return the kingdoms among the observed grids of a photo, decided jointly; raise NoKingdomFound.

    With `outline_surroundings` all of them are kingdoms, because a person has drawn their outlines. Other parameters as
    in `pipeline.read`.
    """
    calibration = calibration or Calibration()
    watch("cells", observations)
    if outline_surroundings is not None:
        kingdoms, surroundings = accept_all(observations), list(outline_surroundings)
        box, decisions = decide_boards(kingdoms, calibration, side=side, game=game)
    else:
        kingdoms = split_kingdoms(observations)[0]
        box, kingdoms, decisions = decide_kingdoms(kingdoms, calibration, side=side, game=game)
        surroundings = describe_surroundings(kingdoms, observations)
    if not kingdoms:
        raise make_no_kingdom_error(photo, observations)
    frames_before = None
    if fixed_squares:
        frames_before = [BoardFrame.of(decision.board) for decision in decisions]
        if outline_surroundings is not None:  # a person may name tiles inside the outline that the photo hides
            lasts = [Square(kingdom.grid.rows - 1, kingdom.grid.cols - 1) for kingdom in kingdoms]
            frames_before = [frame._replace(last=last) for frame, last in zip(frames_before, lasts, strict=True)]
        on_grid = _move_to_grids(fixed_squares, frames_before)
        box, decisions = decide_boards(kingdoms, calibration, side=side, game=game, fixed_squares=on_grid)
        kingdoms = clear_fixed_squares(kingdoms, on_grid)
    watch("decide", decisions)
    photo_facts = {"damaged": bool(photo.warnings), "colourless": lacks_colours(photo)}
    surroundings = mark_touching([entry._replace(**photo_facts) for entry in surroundings], kingdoms, decisions)
    report_towns |= get_game(game) == GAME_AUTO
    readings = build_readings(
        kingdoms, decisions, surroundings, calibration, box, report_towns=report_towns, frames_before=frames_before
    )
    places = describe_places([kingdom.grid for kingdom in kingdoms], photo)
    return [replace(reading, place=place) for reading, place in zip(readings, places, strict=True)]


def decide_boards(
    observations: Sequence[GridObservation],
    calibration: Calibration,
    *,
    side: int | None = None,
    game: str = GAME_AUTO,
    fixed_squares: FixedSquares | None = None,
) -> tuple[str, list[Decision]]:
    """Return the box of one table and its boards, decided jointly; `fixed_squares` are those of each whole grid.

    Raises NotationError for a side or the content of a square that no game has.
    """
    if side not in (None, *SIDES):
        raise NotationError(f"kingdoms have no side of {side} squares", expected=" or ".join(map(str, SIDES)))
    fixed_squares = {at: str(parse_cell(kind) or NOTHING) for at, kind in (fixed_squares or {}).items()}
    observations = clear_fixed_squares(observations, fixed_squares)
    solve = partial(
        decide,
        side=side,
        border_log_odds=[observation.border_log_odds for observation in observations],
        fixed_squares=fixed_squares,
        temperature=calibration.temperature,
    )
    probabilities = [observation.probabilities for observation in observations]
    return decide_game(game, probabilities, solve, named_kinds=fixed_squares.values())


def decide_kingdoms(
    kingdoms: Sequence[GridObservation], calibration: Calibration, *, side: int | None, game: str
) -> tuple[str, list[GridObservation], list[Decision]]:
    """Return box, kingdoms and decisions; the decision is repeated without grids that turn out to be no kingdoms."""
    while True:
        box, decisions = decide_boards(kingdoms, calibration, side=side, game=game)
        pairs = zip(kingdoms, decisions, strict=True)
        kept_kingdoms = [kingdom for kingdom, decision in pairs if is_still_kingdom(kingdom, decision)]
        if len(kept_kingdoms) == len(kingdoms):
            return box, kept_kingdoms, decisions
        kingdoms = kept_kingdoms


def clear_fixed_squares(observations: Sequence[GridObservation], fixed_squares: FixedSquares) -> list[GridObservation]:
    """Return the observations with the kinds that a person has named; nothing hides or cuts these squares any more.

    If the castle is another square now, the player's colour is not known: it was read from the former one.
    """
    cleared_observations = list(observations)
    for (number, square), kind in fixed_squares.items():
        observation = cleared_observations[number]
        mask = np.zeros(observation.occlusion.shape, bool)
        mask[square] = True
        new_observation = replace(
            observation,
            probabilities=observation.probabilities.set_kind(mask, str(parse_cell(kind) or NOTHING)),
            occlusion=np.where(mask, 0.0, observation.occlusion),
            visible_share=np.where(mask, 1.0, observation.visible_share),
            tile_beyond=np.where(mask, 0.0, observation.tile_beyond),
        )
        has_other_castle = new_observation.castle_cell != observation.castle_cell
        cleared_observations[number] = replace(new_observation, colour="") if has_other_castle else new_observation
    return cleared_observations


def _move_to_grids(fixed_squares: FixedSquares, frames: Sequence[BoardFrame]) -> FixedSquares:
    """Return squares that are named on the boards in these frames as squares of their grids; raise NotationError."""
    grid_squares = {}
    for (number, square), kind in fixed_squares.items():
        if not 0 <= number < len(frames):
            hint = f"its last kingdom is number {len(frames)}"
            raise NotationError(f"the photo shows no kingdom {number + 1}", expected=hint, hint=hint)
        frame = frames[number]
        on_grid = frame.to_grid(square)
        if not frame.contains(on_grid):
            expected = f"its squares are A1 to {frame.to_board(frame.last).name}"
            hint = f"{expected}; if it is larger, draw its outline (kdvision score --corners)"
            raise NotationError(f"kingdom {number + 1} has no square {square.name}", expected=expected, hint=hint)
        grid_squares[number, on_grid] = kind
    return grid_squares
