"""The vision pipeline on one page: from a photo to observed grids, and from these to decided kingdoms.

detect → group → refine → classify → partition → decide → assess. `detect.search` finds detections, groups them into
components and refines each into a grid; `classify.observe` classifies the cells of a grid, `classify.partition` assigns
tiles to kingdoms that lie close, `classify.context` classifies all tiles of the photo together; `decide.decide` decides
all boards jointly; `result.build_reading` assesses each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from kdvision.errors import NotationError
from kdvision.game.board import Board, Square
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.assess.diagnosis import make_no_kingdom_error
from kdvision.vision.assess.kingdom import (
    accept_all,
    is_kingdom,
    is_kingdom_beside_others,
    is_still_kingdom,
    split_kingdoms,
)
from kdvision.vision.assess.warnings import BoardFrame, Surroundings
from kdvision.vision.classify.context import ContextClassifier
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.observe import observe
from kdvision.vision.classify.partition import ObservedLattice, remove_foreign_tiles, split_by_castles
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.decide.game_set import GAME_AUTO, decide_game, get_game
from kdvision.vision.detect.grid import build_grid
from kdvision.vision.detect.hypothesis import LatticeHypothesis
from kdvision.vision.detect.manual import build_grids
from kdvision.vision.detect.outline import KingdomOutline
from kdvision.vision.detect.search import search_lattices
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.detector import SquareDetector
from kdvision.vision.networks.onnx import load_model
from kdvision.vision.result import (
    KingdomReading,
    build_reading,
    describe_places,
    describe_surroundings,
    drop_ambiguous_colours,
    mark_touching,
    warn_of_possible_towns,
)

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
    def load(cls, threads: int | None = None) -> Networks:
        """Return the shipped networks, each loaded once a process; raise ModelError if one is missing."""
        classifier = CellClassifier(load_model("cells", threads))
        return cls(
            SquareDetector(load_model("detector", threads)),
            classifier,
            ContextClassifier(load_model("context", threads)),
            Calibration.from_metadata(classifier.model.metadata),
        )

    def classify_context(self, photo: Photo, kingdoms: Sequence[GridObservation]) -> list[GridObservation]:
        """Return the kingdoms with all tiles classified together, unchanged without a context network."""
        return list(kingdoms) if self.context is None else self.context.classify(photo, kingdoms)


@dataclass(frozen=True)
class DecidedKingdoms:
    """The kingdoms of a photo with their decisions, and the box that they were decided with.

    `before` are the boards without the squares that a person has named; None where nobody has.
    """

    box: str
    observations: Sequence[GridObservation]
    decisions: Sequence[Decision]
    before: Sequence[Board | None]


def find_kingdoms(photo: Photo, networks: Networks, *, watch: Watch = lambda *_: None) -> list[GridObservation]:
    """Return the observation of every grid in a photo; the kingdoms among them are classified with their context."""
    detections, lattices = search_lattices(photo, networks.detector)
    watch("squares", detections)
    watch("lattices", lattices)
    observations = partition(photo, networks, lattices.best_hypotheses)
    kingdoms = split_kingdoms(observations)[0]
    in_context = dict(zip(map(id, kingdoms), networks.classify_context(photo, kingdoms), strict=True))
    return [in_context.get(id(observation), observation) for observation in observations]


def partition(photo: Photo, networks: Networks, hypotheses: Sequence[LatticeHypothesis]) -> list[GridObservation]:
    """Return the observations of the hypotheses after tiles are assigned to kingdoms.

    A hypothesis with several castles is replaced by its parts if one of them is a kingdom.
    """
    lattices: list[ObservedLattice] = []
    for hypothesis in hypotheses:
        whole = _observe_lattice(photo, networks, hypothesis)
        parts = [_observe_lattice(photo, networks, part) for part in split_by_castles(whole)]
        lattices += parts if any(is_kingdom(part.observation) for part in parts) else [whole]
    kingdoms = [one for one in lattices if is_kingdom_beside_others(one.observation)]
    resolved = dict(zip(map(id, kingdoms), remove_foreign_tiles(kingdoms), strict=True))
    return [resolved.get(id(one), one.observation) for one in lattices]


def _observe_lattice(photo: Photo, networks: Networks, hypothesis: LatticeHypothesis) -> ObservedLattice:
    return ObservedLattice(hypothesis, observe(photo, networks.classifier, build_grid(hypothesis)))


def observe_outlines(
    photo: Photo, networks: Networks, outlines: Sequence[KingdomOutline | Sequence[Sequence[float]]]
) -> list[GridObservation]:
    """Return the observations of kingdoms whose outlines a person has drawn; raise NotationError."""
    grids = build_grids(photo, networks.detector, networks.classifier, outlines)
    return networks.classify_context(photo, [observe(photo, networks.classifier, grid) for grid in grids])


def assemble_kingdoms(
    photo: Photo,
    observations: Sequence[GridObservation],
    *,
    side: int | None = None,
    fixed_squares: FixedSquares | None = None,
    is_manual: bool = False,
    surroundings: Sequence[Surroundings] | None = None,
    game: str = GAME_AUTO,
    calibration: Calibration | None = None,
    watch: Watch = lambda *_: None,
) -> list[KingdomReading]:
    """Return the kingdoms among the observed grids of a photo, decided jointly; raise NoKingdomFound.

    With `is_manual` all of them are kingdoms, because a person has said so. `surroundings` replaces what these
    observations tell about the table. Other parameters as in `pipeline.read`.
    """
    calibration = calibration or Calibration()
    watch("cells", observations)
    kingdoms = accept_all(observations) if is_manual else split_kingdoms(observations)[0]
    if kingdoms:
        decided = decide_kingdoms(kingdoms, side, fixed_squares or {}, calibration, game=game, is_manual=is_manual)
        watch("decide", decided.decisions)
        kingdoms = list(decided.observations)
    if not kingdoms:
        raise make_no_kingdom_error(photo, observations)
    grids, boards = [one.grid for one in kingdoms], [one.board for one in decided.decisions]
    if surroundings is None:
        surroundings = [Surroundings()] * len(kingdoms) if is_manual else describe_surroundings(kingdoms, observations)
    surroundings = [around._replace(damaged=bool(photo.warnings)) for around in surroundings]
    surroundings = mark_touching(surroundings, grids, boards)
    places = describe_places(grids, photo)
    readings = [
        build_reading(observation, decision, place, around, calibration, decided.box, before=board)
        for observation, decision, place, around, board in zip(
            kingdoms, decided.decisions, places, surroundings, decided.before, strict=True
        )
    ]
    return finish_readings(readings, game)


def finish_readings(readings: Sequence[KingdomReading], game: str) -> list[KingdomReading]:
    """Return the kingdoms of one table after the checks that need all of them: towns and colours."""
    return drop_ambiguous_colours(warn_of_possible_towns(readings) if get_game(game) == GAME_AUTO else readings)


def decide_kingdoms(
    observations: Sequence[GridObservation],
    side: int | None,
    fixed_squares: FixedSquares,
    calibration: Calibration,
    *,
    game: str,
    is_manual: bool,
) -> DecidedKingdoms:
    """Return the decided kingdoms; a grid whose decided board is no kingdom is dropped and the rest decided again.

    `fixed_squares` are named on the boards that are decided without them, and then decided again with them.
    """
    readings = [one.reading for one in observations]
    solve = partial(
        decide,
        side=side,
        border_log_odds=[one.border_log_odds for one in observations],
        temperature=calibration.temperature,
    )
    played, decisions = decide_game(game, readings, solve, named_kinds=fixed_squares.values())
    pairs = zip(observations, decisions, strict=True)
    remaining = [one for one, decision in pairs if is_manual or _is_kingdom(one, decision)]
    if len(remaining) < len(observations):
        return decide_kingdoms(remaining, side, fixed_squares, calibration, game=game, is_manual=is_manual)
    if not fixed_squares:
        return DecidedKingdoms(played, remaining, decisions, [None] * len(remaining))
    _check_fixed_squares(fixed_squares, decisions)
    starts = [BoardFrame.of(decision.board).first for decision in decisions]
    on_grid = {
        (n, Square(square.row + starts[n].row, square.col + starts[n].col)): kind
        for (n, square), kind in fixed_squares.items()
    }
    again = decide_game(played, readings, partial(solve, fixed_squares=on_grid))[1]
    return DecidedKingdoms(
        played, clear_occlusion(remaining, on_grid), again, [decision.board for decision in decisions]
    )


def _is_kingdom(observation: GridObservation, decision: Decision) -> bool:
    irregular = decision.breaks_rule or decision.foreign_dominoes > 0
    return is_still_kingdom(observation, decision.box_squares, irregular=irregular, scattered=decision.is_scattered)


def clear_occlusion(observations: Sequence[GridObservation], fixed_squares: FixedSquares) -> list[GridObservation]:
    """Return the observations without occlusion on squares that a person has named."""
    return [
        observation.clear_occlusion([square for n, square in fixed_squares if n == number])
        for number, observation in enumerate(observations)
    ]


def _check_fixed_squares(fixed_squares: FixedSquares, decisions: Sequence[Decision]) -> None:
    for number, square in fixed_squares:
        if not 0 <= number < len(decisions):
            hint = f"kingdoms are numbered from 1 to {len(decisions)}"
            raise NotationError(f"the photo shows no kingdom {number + 1}", expected=hint, hint=hint)
        board = decisions[number].board.trim()
        if not (square.row < board.height and square.col < board.width):
            hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
            raise NotationError(f"kingdom {number + 1} has no square {square.name}", expected=hint, hint=hint)
