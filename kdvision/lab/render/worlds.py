"""The rendered scenes that training sees, each from its seed: plain tables, such with pieces, such full of shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from kdvision.lab.games.layout import Scene
from kdvision.lab.games.pieces import make_scene_with_pieces
from kdvision.lab.render import renderer, scenes
from kdvision.lab.render.art.scene_art import EXTRA_TRAINING_BOXES
from kdvision.lab.render.art_mix import ArtMix
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects.occluders import place_occluders
from kdvision.lab.render.objects.patterned_tops import make_patterned_top
from kdvision.lab.render.renderer import OccluderPlacer, Picture, RenderedSquare
from kdvision.lab.train.crop_folder import Crops
from kdvision.lab.train.examples import SceneExample, cut_cell_examples, fit_board_homography

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Maker = Callable[[np.random.Generator, ArtMix], Picture]

SCENE_SIZE = 640
WORLDS = {"scenes": (), "pieces": (23,), "busy": (29,), "lit": (31,), "strewn": (37,)}
"""What is trained on, and the words that each adds to its seeds.

Plain tables; tables of games with pieces on squares or crossings; tables full of shapes and colours, on which more
kingdoms lie, and more of them of many drawn boxes; tables under a hard or coloured light, plain ones and full ones;
tables on whose kingdoms hands and things lie, some of them in such a light.
"""
BUSY_DRAWN = 0.45
HARD_LIGHT_RANGE, HARD_GLARE_RANGE = (0.3, 1.3), (0.5, 2.5)
"""The range of two of `light.PhotoFactors` in a hard light: the glare of a lamp over the table leaves nothing but white."""
STREWN = (0.5, 0.25, 0.25)
"""How many of the tables with things are plain, full and in a hard light."""


def rectified(picture: Picture, rng: np.random.Generator) -> Picture:
    """Return one kingdom seen straight from above, cut flush with its outline or with a rim of table.

    People crop their photos, and the finder's second look sees every kingdom so.
    """
    kingdom = picture.kingdoms[rng.integers(len(picture.kingdoms))]
    matrix = fit_board_homography(kingdom)
    middle = np.array([kingdom.board.width, kingdom.board.height]) / 2
    if not matrix.any():
        return picture
    side = float(
        np.clip(
            np.median([np.ptp(s.corners, axis=0).mean() for s in kingdom.squares.values()]) * rng.uniform(0.8, 1.4),
            16,
            110,
        )
    )
    margin = rng.normal(0, 0.06, 2) if rng.random() < 0.4 else rng.uniform(0, 2.5, 2)
    size = ((2 * middle + 2 * margin) * side).round().astype(int)
    place = np.array([[side, 0, margin[0] * side], [0, side, margin[1] * side], [0, 0, 1.0]])
    moved = place @ np.linalg.inv(matrix)
    photo = np.asarray(
        cv2.warpPerspective(picture.photo, moved, (int(size[0]), int(size[1])), borderValue=(114, 114, 114)), np.uint8
    )

    def move(quad: Floats) -> Floats:
        return np.asarray(cv2.perspectiveTransform(quad[None].astype(np.float64), moved)[0])

    kingdoms = tuple(
        replace(k, squares={s: RenderedSquare(move(seen.corners), seen.hidden) for s, seen in k.squares.items()})
        for k in picture.kingdoms
    )
    return Picture(photo, kingdoms, tuple(move(quad) for quad in picture.loose))


_art_mix: ArtMix | None = None


def _start(folder: Path) -> None:
    global _art_mix  # one set of art a worker process
    cv2.setNumThreads(1)
    _art_mix = ArtMix(folder, Crops.load(folder / "tiles", mended=True).split()[0])


def make_example(seed: tuple[int, ...], *, world: str = "scenes") -> SceneExample:
    """Return the scene of one seed in one of the WORLDS, rendered and cut; equal seeds give equal examples."""
    assert _art_mix is not None
    rng = np.random.default_rng(seed)
    with_pieces = partial(_plain, deal=make_scene_with_pieces)
    makers: dict[str, Maker] = {"scenes": _plain, "pieces": with_pieces, "busy": _busy}
    makers |= {"lit": _lit, "strewn": _strewn}
    picture = makers[world](rng, _art_mix)
    if picture.kingdoms and rng.random() < 0.25:
        picture = rectified(picture, rng)
    quads = [*(s.corners for k in picture.kingdoms for s in k.squares.values()), *picture.loose]
    code = cv2.imencode(".jpg", picture.photo[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 96])[1].tobytes()
    return SceneExample(code, np.array(quads, np.float32).reshape(-1, 4, 2), cut_cell_examples(picture, rng))


def _plain(
    rng: np.random.Generator,
    art_mix: ArtMix,
    factors: PhotoFactors | None = None,
    *,
    deal: Callable[..., Scene] = scenes.make_scene,
    **given: Any,
) -> Picture:
    scene = deal(rng)
    camera = renderer.place_camera(scene, rng, size=SCENE_SIZE)
    return renderer.render(scene, camera, art_mix.make_scene_art(rng), rng, factors=factors, **given)


def _busy(
    rng: np.random.Generator,
    art_mix: ArtMix,
    factors: PhotoFactors | None = None,
    *,
    deal: Callable[..., Scene] = scenes.make_scene,
    **given: Any,
) -> Picture:
    scene = deal(rng, kingdoms=int(rng.choice(5, p=[0.08, 0.37, 0.2, 0.15, 0.2])))
    art = art_mix.make_scene_art(rng, drawn=BUSY_DRAWN, boxes=EXTRA_TRAINING_BOXES)
    camera = renderer.place_camera(scene, rng, size=SCENE_SIZE)
    return renderer.render(scene, camera, art, rng, factors=factors, surface=make_patterned_top, **given)


def _lit(rng: np.random.Generator, art_mix: ArtMix, *, occluders: OccluderPlacer | None = None) -> Picture:
    lamp = {"light": float(rng.uniform(*HARD_LIGHT_RANGE)), "glare": float(rng.uniform(*HARD_GLARE_RANGE))}
    factors = replace(PhotoFactors.draw(rng), **lamp)
    make = _busy if rng.random() < 0.4 else _plain
    return make(rng, art_mix, factors, occluders=occluders)


def _strewn(rng: np.random.Generator, art_mix: ArtMix) -> Picture:
    make: Callable[..., Picture] = (_plain, _busy, _lit)[rng.choice(3, p=STREWN)]
    return make(rng, art_mix, occluders=place_occluders)


def make_examples(
    folder: Path, *, seed: int, count: int, world: str = "scenes", workers: int = 2
) -> Iterator[SceneExample]:
    """Yield `count` examples from the art in `folder`, in order, made by several processes, of one of the WORLDS."""
    seeds = [(seed, *WORLDS[world], n) for n in range(count)]
    with get_context("spawn").Pool(workers, _start, (folder,)) as pool:
        yield from pool.imap(partial(make_example, world=world), seeds, chunksize=8)
