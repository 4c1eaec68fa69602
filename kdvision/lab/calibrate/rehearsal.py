"""Rendered tables that no training saw, and what the networks see on them: seen once, decided as often as wanted."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.game.board import Board
from kdvision.lab.render import scenes, synth
from kdvision.lab.render.art_mix import Workshop
from kdvision.lab.render.objects.things import strew
from kdvision.lab.render.synth import Picture, SeenKingdom, Strewing
from kdvision.lab.train.crop_folder import Crops
from kdvision.vision.assess.calibration import ALWAYS, Calibration
from kdvision.vision.assess.warnings import Surroundings
from kdvision.vision.classify.background import Background
from kdvision.vision.classify.context import ContextClassifier
from kdvision.vision.classify.observation import GridObservation, split_kingdoms
from kdvision.vision.classify.observe import classify_cells, compute_tile_features, find_kingdoms
from kdvision.vision.classify.occlusion import compute_occlusion_features
from kdvision.vision.classify.truncation import (
    WHOLE,
    can_grow,
    compute_completeness,
    compute_visible_share,
    find_neighbours,
)
from kdvision.vision.decide import game_set as boxes
from kdvision.vision.decide.decide import decide
from kdvision.vision.decide.decision import Decision
from kdvision.vision.detect import search
from kdvision.vision.detect.grid import Grid
from kdvision.vision.image.photo import Photo
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.detector import SquareDetector
from kdvision.vision.networks.onnx import load_model
from kdvision.vision.result import build_reading, describe_surroundings, mark_touching, warn_of_possible_towns

Floats = npt.NDArray[np.float64]

ANY: Final = Calibration(sure=0.0, whole={ALWAYS: 100.0})
"""No board is flagged for its probability, nor for what counts in that."""
SIZE = 1280
STREAM = 2_000_000
"""Seeds of calibration scenes start here, far from those of training and of held-out crops."""


@dataclass(frozen=True)
class Places:
    """All places of one scene's grids: what speaks for a tile there (n, 3), and whether there is one (n,)."""

    said: Floats
    tile: npt.NDArray[np.bool_]

    @classmethod
    def join(cls, parts: Sequence[Places]) -> Places:
        """Return the places of several scenes."""
        return cls(np.concatenate([part.said for part in parts]), np.concatenate([part.tile for part in parts]))


@dataclass(frozen=True)
class Rehearsed:
    """One kingdom found: the probabilities of the board decided and of its rivals, and whether the first is `right`.

    The last rival is any board that goes on beyond the grid. `odd` is what a person should look at however probable
    it is, and `compute_occlusion_features` are those that speak against it, by name, each as strong as it is. `correction_cost` is the decision's,
    `side` that of the kingdom's squares in pixels. `broken` says whether the first breaks a rule of play, as no kingdom
    does that is dealt. `art` is where the pictures of its tiles come from. The picture cuts a kingdom that is `cut`,
    and no reading of it can be right.
    """

    chances: tuple[float, ...]
    right: bool
    odd: bool
    correction_cost: float = 0.0
    side: float = 64.0
    broken: bool = False
    art: str = ""
    warning_strengths: Mapping[str, float] = field(default_factory=dict)
    cut: bool = False

    def chance(self, temperature: float) -> float:
        """Return the first board's share at this temperature of what the boards had at a temperature of one."""
        warm = np.power(np.maximum(self.chances, 1e-12), 1 / temperature)
        return float(warm[0] / warm.sum())

    def believed(self, calibration: Calibration) -> float:
        """Return how probable the first board is called, but for what speaks against it beside its squares."""
        chance = self.chance(calibration.temperature)
        return calibration.of_board(chance, correction_cost=self.correction_cost, side=self.side, broken=self.broken)

    def judged(self, calibration: Calibration) -> float:
        """Return how probable the first board is called."""
        return self.believed(calibration) * calibration.of_whole(self.warning_strengths)


def truth_at(grid: Grid, picture: Picture) -> tuple[list[str], SeenKingdom | None]:
    """Return the kind of cell that lies at each place of a grid ("." nothing, "?" a loose tile), and the kingdom."""
    counts = []
    kinds = ["."] * (grid.rows * grid.cols)
    for kingdom in picture.kingdoms:
        hits = 0
        for square, seen in kingdom.squares.items():
            place = _place(grid, seen.corners.mean(0))
            if place is not None:
                kinds[place] = str(kingdom.board[square])
                hits += 1
        counts.append(hits)
    for quad in picture.loose:
        place = _place(grid, quad.mean(0))
        if place is not None:
            kinds[place] = "?"
    best = int(np.argmax(counts)) if counts and max(counts) > 0 else -1
    return kinds, picture.kingdoms[best] if best >= 0 else None


def _place(grid: Grid, centre: Floats) -> int | None:
    away = np.linalg.norm(grid.quads.mean(axis=2) - centre, axis=-1).reshape(-1)
    side = float(np.median(np.linalg.norm(grid.quads[:, :, 1] - grid.quads[:, :, 0], axis=-1)))
    nearest = int(away.argmin())
    return nearest if away[nearest] < 0.5 * side else None


_workshop: Workshop | None = None


def start(data: Path) -> None:
    global _workshop  # one set of art a worker process
    cv2.setNumThreads(1)
    _workshop = Workshop(data, Crops.load(data / "tiles", mended=True).split()[1])


def picture_at(seed: int) -> Picture:
    return _taken(seed)[0]


def _taken(seed: int, strewing: Strewing | None = None) -> tuple[Picture, str]:
    """The picture of one scene, and where the pictures of its tiles come from."""
    assert _workshop is not None
    rng = np.random.default_rng(seed)
    scene = scenes.deal(rng, kingdoms=int(rng.choice([1, 1, 1, 2, 3, 4])))
    camera = synth.snap(scene, rng, size=SIZE, fill=(0.45, 0.95))
    art = _workshop.mixture(rng)
    return synth.render(scene, camera, art, rng, strewing=strewing), art.source


def places(seed: int) -> Places:
    """Return what both networks and the colour of the table say of every place in one scene."""
    picture = picture_at(seed)
    photo, reader = Photo.open(picture.photo), CellClassifier(load_model("cells", 1))
    said: list[Floats] = []
    tile: list[bool] = []
    for grid in search.find_grids(photo, SquareDetector(load_model("finder", 1))):
        kinds, kingdom = truth_at(grid, picture)
        if kingdom is None:
            continue
        seen = compute_tile_features(
            reader.look(photo, grid.quads.reshape(-1, 4, 2)), grid, Background.seen(photo, grid)
        )
        inside = ((grid.quads.mean(2) > 0) & (grid.quads.mean(2) < (photo.width, photo.height))).all(-1).reshape(-1)
        for k, kind in enumerate(kinds):
            if kind != "?" and inside[k]:
                said.append(seen[k])
                tile.append(kind != ".")
    return Places(np.array(said).reshape(-1, 3), np.array(tile, bool))


def beside_boards(seed: int) -> Places:
    """Return what is seen on the places beside the boards of one scene with things on it, and whether a tile is there.

    Only where the board could go on, and where no tile of another kingdom or a loose one lies.
    """
    picture, _ = _taken(seed, strew)
    photo, (finder, reader, context) = Photo.open(picture.photo), networks()
    observations = split_kingdoms(find_kingdoms(photo, finder, reader, context))[0]
    _, decisions = _decided(observations)
    said: list[Floats] = [np.zeros((0, 6))]
    tile: list[bool] = []
    for observation, decision in zip(observations, decisions, strict=True):
        grid, share = observation.grid, compute_visible_share(observation.grid, photo)
        kinds, kingdom = truth_at(grid, picture)
        looks = classify_cells(photo, reader, grid, share)
        seen = compute_occlusion_features(looks, compute_tile_features(looks, grid, Background.seen(photo, grid)))
        for place in find_neighbours(decision.board, grid.rows, grid.cols):
            n = place.row * grid.cols + place.col
            if kingdom and kinds[n] != "?" and share[place] >= WHOLE and can_grow(decision.board, place):
                said.append(seen[n : n + 1])
                tile.append(kinds[n] != ".")
    return Places(np.concatenate(said), np.array(tile, bool))


@dataclass(frozen=True)
class Seen:
    """The kingdoms seen in one scene and what lies around each, and the true boards; None where there is none or the
    picture cuts it. `art` is where the pictures of the tiles come from."""

    observations: tuple[GridObservation, ...]
    around: tuple[Surroundings, ...]
    truth: tuple[Board | None, ...]
    cut: tuple[bool, ...]
    art: str = ""


def seen(seed: int, *, strewn: bool = False) -> Seen:
    """Return what the models at hand see in one scene."""
    picture, art = _taken(seed, strew if strewn else None)
    return replace(seen_in(picture, *networks()), art=art)


def networks() -> tuple[SquareDetector, CellClassifier, ContextClassifier]:
    """The shipped networks, each on one thread: processes work side by side."""
    return (
        SquareDetector(load_model("finder", 1)),
        CellClassifier(load_model("cells", 1)),
        ContextClassifier(load_model("context", 1)),
    )


def seen_in(
    picture: Picture, finder: SquareDetector, reader: CellClassifier, context: ContextClassifier | None = None
) -> Seen:
    """Return what these networks see in a picture, and what is true of it."""
    everything = find_kingdoms(Photo.open(picture.photo), finder, reader, context)
    kingdoms, _ = split_kingdoms(everything)
    truth = [truth_at(observation.grid, picture)[1] for observation in kingdoms]
    return Seen(
        tuple(kingdoms),
        tuple(describe_surroundings(kingdoms, everything)),
        tuple(None if one is None else one.board.trimmed() for one in truth),
        tuple(one is not None and len(one.squares) < len(one.board) for one in truth),
    )


def boards(seed: int, kept: Path | None = None, *, strewn: bool = False) -> list[Rehearsed]:
    """Return how sure the runtime is of each board of one scene; what was seen there stays in the folder `kept`.

    On `strewn` tables things lie on and beside the kingdoms.
    """
    return boards_of(looked(seed, kept, strewn=strewn))


def looked(seed: int, kept: Path | None = None, *, strewn: bool = False) -> Seen:
    """Return what was seen in one scene, from the folder `kept` if it was seen before."""
    path = kept / f"{seed}.pickle" if kept else None
    if path is not None and path.is_file():
        kept_before: Seen = pickle.loads(path.read_bytes())
        return kept_before
    found = seen(seed, strewn=strewn)
    if path is not None:
        path.write_bytes(pickle.dumps(found))
    return found


def boards_of(found: Seen) -> list[Rehearsed]:
    """Return how sure `decide` is of each board, and whether it is right: of any photo of which nobody says what is
    played."""
    played, decisions = _decided(found.observations)
    around = mark_touching(found.around, [one.grid for one in found.observations], [how.board for how in decisions])
    reads = [
        build_reading(one, how, "", near, ANY, played)
        for one, how, near in zip(found.observations, decisions, around, strict=True)
    ]
    made = []
    all_of_it = zip(warn_of_possible_towns(reads), decisions, found.observations, found.truth, found.cut, strict=True)
    for read, decision, observation, truth, cut in all_of_it:
        unseen = 1 - compute_completeness(decision.board, observation.presence, observation.inside)
        chances = (read.board_probability, *(chance for _, chance in read.runners_up), unseen)
        right = truth is not None and not cut and is_of(read.board, truth)
        how = (decision.correction_cost, observation.grid.side, decision.broken, found.art)
        made.append(Rehearsed(chances, right, read.review, *how, warning_strengths=read.warning_strengths, cut=cut))
    return made


def _decided(observations: Sequence[GridObservation]) -> tuple[str, list[Decision]]:
    """The game that is likeliest played, and the kingdoms of one photo decided together."""
    ask = partial(decide, border_log_odds=[observation.border_log_odds for observation in observations])
    return boxes.decide_game(boxes.GAME_AUTO, [observation.reading for observation in observations], ask)


def is_of(board: Board, truth: Board) -> bool:
    """Return whether a board is the true one, whichever way it lies."""
    return any(board.turned(turn) == truth for turn in range(4))
