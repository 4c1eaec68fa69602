"""The rendered scenes of training, each from its seed, in several worlds."""

from pathlib import Path

import cv2
import numpy as np

from kdvision.lab.arrays import Rng
from kdvision.lab.games.pieces import add_kings, lean_figures, make_scene_with_pieces
from kdvision.lab.render import renderer
from kdvision.lab.render.art.art_mix import ArtMix, load_art_mix
from kdvision.lab.render.art.scene_art import EXTRA_TRAINING_BOXES
from kdvision.lab.render.corrupted import corrupt_randomly
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects.table_tops import make_patterned_top
from kdvision.lab.render.renderer import Picture
from kdvision.lab.render.scenes import make_scene
from kdvision.lab.train.examples import SceneExample, cut_cell_examples, fit_board_homography

SCENE_SIZE_PX = 640  # the longer side of a photo
WORLDS = {"scenes": (), "pieces": (23,), "patterned": (29,), "lit": (31,), "occluded": (37,), "corrupted": (41,)}
"""The worlds, and the words that each adds to its seeds.

- scenes: plain tables.
- pieces: games with pieces on squares or crossings.
- patterned: patterned tables, with more kingdoms and more drawn tiles.
- lit: plain and patterned tables under hard or coloured light.
- occluded: hands and things on the kingdoms, on plain and patterned tables and in hard light.
- corrupted: all of these, with kings on kingdoms and figures that lean, under one or two corruptions.
"""
_DRAWN_SHARE, _PATTERNED_DRAWN_SHARE = 0.3, 0.45  # of scenes on plain and patterned tables show drawn tiles
_PATTERNED_KINGDOM_SHARES = (0.08, 0.37, 0.2, 0.15, 0.2)  # of these scenes have 0, 1, 2, 3 and 4 kingdoms
_LIT_PATTERNED_SHARE = 0.4  # of scenes in hard light have a patterned table
_OCCLUDED_SHARES = (0.5, 0.25, 0.25)  # of occluded scenes: plain, patterned, in hard light
_CORRUPTED_SHARES = {"scenes": 0.25, "pieces": 0.2, "patterned": 0.25, "lit": 0.1, "occluded": 0.2}
_UNTOUCHED_SHARE = 0.2  # of the corrupted world has no corruption
_RECTIFIED_SHARE = 0.25


def rectify(picture: Picture, rng: Rng) -> Picture:
    """Return one kingdom seen from straight above, cropped to its outline or with a margin of table.

    People crop their photos, and the detector's second pass sees every kingdom so.
    """
    kingdom = picture.kingdoms[rng.integers(len(picture.kingdoms))]
    matrix = fit_board_homography(kingdom)
    middle = np.array([kingdom.board.width, kingdom.board.height]) / 2
    if not matrix.any():
        return picture
    side = np.median([np.ptp(square.corners, axis=0).mean() for square in kingdom.squares.values()])
    side = float(np.clip(side * rng.uniform(0.8, 1.4), 16, 110))
    margin = rng.normal(0, 0.06, 2) if rng.random() < 0.4 else rng.uniform(0, 2.5, 2)
    width, height = ((2 * middle + 2 * margin) * side).round().astype(int).tolist()
    place = np.array([[side, 0, margin[0] * side], [0, side, margin[1] * side], [0, 0, 1.0]])
    warp = place @ np.linalg.inv(matrix)
    photo = cv2.warpPerspective(picture.photo, warp, (width, height), borderValue=(114, 114, 114))
    return picture.transform(np.asarray(photo, np.uint8), warp)


def render_world(rng: Rng, art_mix: ArtMix, world: str) -> Picture:
    """Return a random picture of one of WORLDS."""
    if world == "corrupted":
        base = str(rng.choice(list(_CORRUPTED_SHARES), p=list(_CORRUPTED_SHARES.values())))
        picture = _render_table(rng, art_mix, base, with_leaning_figures=True)
        return picture if rng.random() < _UNTOUCHED_SHARE else corrupt_randomly(picture, rng)
    return _render_table(rng, art_mix, world)


def _render_table(rng: Rng, art_mix: ArtMix, world: str, *, with_leaning_figures: bool = False) -> Picture:
    occluders, factors = world == "occluded", None
    if occluders:
        world = ("scenes", "patterned", "lit")[rng.choice(3, p=_OCCLUDED_SHARES)]
    if world == "lit":
        factors = PhotoFactors.sample_hard_light(rng)
        world = "patterned" if rng.random() < _LIT_PATTERNED_SHARE else "scenes"
    if world == "patterned":
        scene = make_scene(rng, kingdoms=int(rng.choice(5, p=_PATTERNED_KINGDOM_SHARES)))
        art = art_mix.make_scene_art(rng, drawn_share=_PATTERNED_DRAWN_SHARE, boxes=EXTRA_TRAINING_BOXES)
        camera, table_top = renderer.place_camera(scene, rng, size=SCENE_SIZE_PX), make_patterned_top
    else:
        scene = make_scene_with_pieces(rng) if world == "pieces" else make_scene(rng)
        camera, table_top = renderer.place_camera(scene, rng, size=SCENE_SIZE_PX), None
        art = art_mix.make_scene_art(rng, drawn_share=_DRAWN_SHARE, boxes=EXTRA_TRAINING_BOXES)
    if with_leaning_figures:
        add_kings(scene, rng)
        lean_figures(scene, rng)
    return renderer.render(scene, camera, art, rng, factors=factors, table_top=table_top, occluders=occluders)


def make_example(seed: tuple[int, ...], *, folder: Path, world: str = "scenes") -> SceneExample:
    """Return the scene of one seed with its crops, in the art of a data folder; equal seeds give equal examples."""
    rng = np.random.default_rng(seed)
    picture = render_world(rng, load_art_mix(folder), world)
    if picture.kingdoms and rng.random() < _RECTIFIED_SHARE:
        picture = rectify(picture, rng)
    code = cv2.imencode(".jpg", picture.photo[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 96])[1].tobytes()
    return SceneExample(code, np.array(picture.quads, np.float32).reshape(-1, 4, 2), cut_cell_examples(picture, rng))
