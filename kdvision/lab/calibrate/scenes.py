"""Calibration scenes: rendered tables that no training saw, the networks' observations, and the decided boards.

An observation takes seconds and a decision milliseconds, so observations are saved and decided as often as needed.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import onnx

from kdvision.evaluate.corruptions import SEVERITIES
from kdvision.game.board import Board
from kdvision.lab.arrays import Floats
from kdvision.lab.render import renderer, scenes
from kdvision.lab.render.art.art_mix import ArtMix, load_art_mix
from kdvision.lab.render.corrupted import CALIBRATED_CORRUPTIONS, corrupt_picture
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.renderer import Picture, RenderedKingdom
from kdvision.lab.run import SCENE_FILES, digest_package
from kdvision.vision.assess.calibration import CONSTANT, Calibration
from kdvision.vision.assess.kingdom import split_kingdoms
from kdvision.vision.assess.missing import compute_completeness
from kdvision.vision.assess.surroundings import Surroundings, describe_surroundings, mark_touching
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.detect.grid import Grid
from kdvision.vision.find import Networks, decide_boards, find_kingdoms
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.onnx import MODEL_NAMES, find_model
from kdvision.vision.result import build_readings

PHOTO_SIZE_PIXELS: Final = 1280
CORRUPTED_SHARE: Final = 0.5
"""Share of the calibration scenes that are corrupted."""
DRAWN_BOXES: Final = range(200, 204)
"""Boxes of drawn tiles that no training and no experiment uses."""
FIRST_SEED: Final = 2_000_000
"""Calibration seeds start at multiples of this, far from the seeds of training and of held-out examples."""
ACCEPT_ALL: Final = Calibration(review_threshold=0.0, warning_weights={CONSTANT: 100.0})
"""Calibration under which no board is flagged for its probability."""


class ObservedKingdom(NamedTuple):
    """A kingdom that was found, its true board (None if there is none), and whether the picture cuts it."""

    observation: GridObservation
    surroundings: Surroundings
    board: Board | None
    is_truncated: bool = False


@dataclass(frozen=True)
class ObservedScene:
    """What was found in one scene, and how many kingdoms were missed."""

    kingdoms: tuple[ObservedKingdom, ...]
    missed_count: int = 0

    @property
    def observations(self) -> list[GridObservation]:
        return [kingdom.observation for kingdom in self.kingdoms]


@dataclass(frozen=True)
class BoardOutcome:
    """One decided board: the quantities that its probability is computed from, and whether it is right.

    `shares` are the probabilities of the board, its runners-up and any board that continues beyond the grid.
    `always_review` is true where a fact about the photo forces a review at any probability. `side_pixels` is that of a
    square. A board is never right if the kingdom `is_truncated`, or if a grid beside it may be a kingdom and one was
    missed.
    """

    shares: tuple[float, ...]
    is_right: bool
    always_review: bool
    correction_cost: float = 0.0
    side_pixels: float = 64.0
    breaks_rule: bool = False
    warning_strengths: Mapping[str, float] = field(default_factory=dict)
    is_truncated: bool = False

    def compute_share(self, temperature: float) -> float:
        """Return the share of the decided board among all boards at a temperature."""
        scaled_shares = np.power(np.maximum(self.shares, 1e-12), 1 / temperature)
        return float(scaled_shares[0] / scaled_shares.sum())

    def compute_probability(self, calibration: Calibration) -> float:
        """Return the calibrated probability that the board is right and complete."""
        share = self.compute_share(calibration.temperature)
        squares_right = calibration.calibrate_board(
            share, correction_cost=self.correction_cost, side_pixels=self.side_pixels, breaks_rule=self.breaks_rule
        )
        return squares_right * calibration.calibrate_warnings(self.warning_strengths)


def render_scene(data: Path, seed: int, *, occluders: bool = False) -> Picture:
    """Return the picture of one scene; with `occluders`, things lie on it."""
    return render_random_scene(seed, load_art_mix(data, held_out=True), boxes=DRAWN_BOXES, occluders=occluders)


def render_random_scene(
    seed: int, art_mix: ArtMix, *, occluders: bool = False, hard_light: bool = False, **art_options: Any
) -> Picture:
    """Return the picture of a scene with kingdoms; see `ArtMix.make_scene_art`."""
    rng = np.random.default_rng(seed)
    scene = scenes.make_scene(rng, kingdoms=int(rng.choice([1, 1, 1, 2, 3, 4])))
    camera = renderer.place_camera(scene, rng, size=PHOTO_SIZE_PIXELS, fill=(0.45, 0.95))
    art = art_mix.make_scene_art(rng, **art_options)
    factors = PhotoFactors.sample_hard_light(rng) if hard_light else None
    return renderer.render(scene, camera, art, rng, factors=factors, occluders=occluders)


def corrupt_by_seed(picture: Picture, seed: int) -> Picture:
    """Return the picture, under a random corruption for a CORRUPTED_SHARE of all seeds."""
    rng = np.random.default_rng([seed, 1])
    if rng.random() >= CORRUPTED_SHARE:
        return picture
    corruption, severity = str(rng.choice(CALIBRATED_CORRUPTIONS)), int(rng.choice(SEVERITIES))
    return corrupt_picture(picture, corruption, severity, seed=seed)


def find_truth(grid: Grid, picture: Picture) -> tuple[list[str], RenderedKingdom | None]:
    """Return the true kind of each cell of a grid, and the kingdom that most of them belong to.

    The kind is "." where nothing lies and "?" where a tile of no kingdom does.
    """
    kinds, hits = ["."] * (grid.rows * grid.cols), [0] * len(picture.kingdoms)
    for number, kingdom in enumerate(picture.kingdoms):
        for square, rendered_square in kingdom.squares.items():
            if (cell := _find_cell(grid, rendered_square.corners.mean(0))) is not None:
                kinds[cell] = str(kingdom.board[square])
                hits[number] += 1
    for quad in picture.loose:
        if (cell := _find_cell(grid, quad.mean(0))) is not None:
            kinds[cell] = "?"
    return kinds, picture.kingdoms[int(np.argmax(hits))] if any(hits) else None


def _find_cell(grid: Grid, centre: Floats) -> int | None:
    """Return the index of the cell whose centre is within half a side of a point."""
    distance = np.linalg.norm(grid.quads.mean(axis=2) - centre, axis=-1).reshape(-1)
    side = float(np.median(np.linalg.norm(grid.quads[:, :, 1] - grid.quads[:, :, 0], axis=-1)))
    index = int(distance.argmin())
    return index if distance[index] < 0.5 * side else None


def observe_picture(picture: Picture, networks: Networks) -> ObservedScene:
    """Return what these networks observe in a picture, with the truth."""
    observations = find_kingdoms(Photo.open(picture.photo), networks)
    kingdoms, _ = split_kingdoms(observations)
    pairs = []
    for observation, surroundings in zip(kingdoms, describe_surroundings(kingdoms, observations), strict=True):
        truth = find_truth(observation.grid, picture)[1]
        board, is_cut = (truth.board.trim(), len(truth.squares) < len(truth.board)) if truth else (None, False)
        pairs.append((truth, ObservedKingdom(observation, surroundings, board, is_cut)))
    missed_count = sum(all(truth is not kingdom for truth, _ in pairs) for kingdom in picture.kingdoms)
    return ObservedScene(tuple(kingdom for _, kingdom in pairs), missed_count)


def observe_scene(data: Path, seed: int, *, occluders: bool) -> ObservedScene:
    """Return what the shipped networks observe in one scene."""
    picture = render_scene(data, seed, occluders=occluders)
    return observe_picture(corrupt_by_seed(picture, seed), Networks.load())


def digest_observer(*ignored_keys: str, networks: Sequence[str] = MODEL_NAMES) -> str:
    """Return a digest of all that an observation depends on: networks without these metadata, rendering and vision."""
    digest = hashlib.sha256()
    for name in networks:
        model = onnx.load(find_model(name))
        entries = sorted(
            (entry.key, entry.value) for entry in model.metadata_props if entry.key not in ("sha256", *ignored_keys)
        )
        digest.update(model.graph.SerializeToString() + repr(entries).encode())
    digest.update(digest_package(*SCENE_FILES).encode())
    return digest.hexdigest()[:12]


def judge_boards(scene: ObservedScene) -> list[BoardOutcome]:
    """Return the outcome of each board of a scene, decided without being told the game."""
    box, decisions = decide_boards(scene.observations, Calibration())
    surroundings = mark_touching([kingdom.surroundings for kingdom in scene.kingdoms], scene.observations, decisions)
    readings = build_readings(scene.observations, decisions, surroundings, ACCEPT_ALL, box)
    outcomes = []
    for reading, decision, (observation, _, truth, is_truncated) in zip(
        readings, decisions, scene.kingdoms, strict=True
    ):
        extension_share = 1 - compute_completeness(
            decision.board, observation.tile_probability, observation.visible_share
        )
        is_right = truth is not None and not is_truncated and reading.board.equals_turned(truth)
        outcomes.append(
            BoardOutcome(
                shares=(reading.board_probability, *(share for _, share in reading.runners_up), extension_share),
                is_right=is_right and not (scene.missed_count and reading.surroundings.unread),
                always_review=reading.review,
                correction_cost=decision.correction_cost,
                side_pixels=observation.grid.side_pixels,
                breaks_rule=decision.breaks_rule,
                warning_strengths=reading.warning_strengths,
                is_truncated=is_truncated,
            )
        )
    return outcomes
