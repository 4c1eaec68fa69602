"""Which towns, pieces and gems are found: `python -m kdvision.lab.experiments.pieces_found --out models/results/pieces.csv`.

Rendered tables of Queendomino, of a Royal Wedding and of The Lost Treasures, with drawn art of boxes and on tables that
no training saw, through the program that people use. A row a photo and a kind: how many lie there, how many were found
on their square or crossing, how many were read where none lies. `squares` are the tiles themselves.

Photos of Queendomino in the data folder are read as well; `pieces_by_eye.toml` says what stands on kingdoms there.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from kdvision.errors import KdvisionError, ModelError
from kdvision.evaluate.workers import in_order
from kdvision.files import write_atomically
from kdvision.game.board import Square
from kdvision.lab.experiments.judged import judge
from kdvision.lab.games import pieces
from kdvision.lab.render import renderer
from kdvision.lab.render.art.scene_art import TRAINING_BOX_COUNT, DrawnSceneArt, get_drawn_box
from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects.held_out_tops import HELD_OUT_TOPS
from kdvision.lab.render.renderer import Picture, RenderedKingdom
from kdvision.lab.render.scene_factors import SceneFactors, make_rng
from kdvision.vision.image.photo import Photo

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

Floats = npt.NDArray[np.float64]
Spot = tuple[str, Floats, float]
"""What lies somewhere, the middle of its place in pixels, and a square's side there."""

STREAM: Final = 7_000
"""Numbers of these scenes begin here, so that no dial's scene has the same."""
NEAR: Final = 0.5
BOXES: Final = 3
KINDS: Final = ("squares", "towns", "knight", "tower", "queen", "building", "gem")
BOARDS: Final = "kingdoms"
MEN: Final = ("knight", "tower", "queen", "building")
PHOTOS: Final = "photos"


@dataclass(frozen=True)
class Row:
    """One kind of thing in one photo: how many lie there, were found, and were read where none lies.

    For kingdoms, `found` are those read exactly, `extra` those wrong without a warning.
    """

    game: str
    number: int
    what: str
    there: int
    found: int
    extra: int


def stage(number: int) -> SceneFactors:
    """Return how scene `number` is photographed: angles to 45 degrees, 30 pixels a square and more."""
    rng = make_rng(STREAM + number, "pieces")
    return SceneFactors(
        angle=float(rng.uniform(0, 45)),
        pixels=float(np.exp(rng.uniform(np.log(30), np.log(80)))),
        fill=float(rng.uniform(0.5, 0.9)),
        light=float(rng.uniform(0, 0.5)),
        glare=float(rng.uniform(0, 0.4)),
    )


def picture(game: str, number: int) -> Picture:
    """Return the photo of scene `number` of a game, with its truth."""
    stands, rng = stage(number), make_rng(STREAM + number, f"{game} photo")
    scene = pieces.make_scene_with_pieces(make_rng(STREAM + number, game), game=game)
    factors = PhotoFactors(
        stands.light, stands.glare, 0.0, stands.noise, stands.jpeg, defocus=stands.blur * stands.pixels
    )
    art = DrawnSceneArt(get_drawn_box(TRAINING_BOX_COUNT + number % BOXES))
    surface = HELD_OUT_TOPS[str(rng.choice(list(HELD_OUT_TOPS)))]
    return renderer.render(scene, stands.camera(scene, STREAM + number), art, rng, factors=factors, surface=surface)


def rows(task: tuple[str, int]) -> list[Row]:
    """Render one scene, read it, and tell of each kind what was found."""
    from kdvision import pipeline

    shown, reads, told = picture(*task), list[pipeline.KingdomReading](), False
    try:
        reads = pipeline.read(Photo.open(shown.photo))
    except ModelError:
        raise  # the other scenes would do no better
    except KdvisionError:
        told = True  # nothing was found there, and the program says so
    verdict = judge(shown, reads, error=told)
    made = [(BOARDS, verdict.kingdoms, verdict.exact, verdict.silent), *counted(shown, reads)]
    return [Row(*task, what, there, found, extra) for what, there, found, extra in made]


def counted(shown: Picture, reads: Sequence[KingdomReading]) -> Iterator[tuple[str, int, int, int]]:
    """Yield for each kind how many lie in a photo, were found, and were read where none lies."""
    true = [spot for kingdom in shown.kingdoms for spot in _true(kingdom)]
    read = [spot for one in reads for spot in _read(one)]
    for kind in KINDS:
        mine, theirs = ([spot for spot in spots if _is(spot[0], kind)] for spots in (true, read))
        found = sum(_near(spot, theirs) for spot in mine)
        yield kind, len(mine), found, sum(not _near(spot, mine) for spot in theirs)


def _is(name: str, kind: str) -> bool:
    """Whether something is of a kind: tiles have their notation after a colon."""
    if not name.startswith(":"):
        return name == kind
    return kind == "squares" or (kind == "towns" and name == ":t")


def _near(spot: Spot, others: Iterable[Spot]) -> bool:
    """Whether one of the others is the same thing in the same place."""
    name, at, side = spot
    return any(name == other and float(np.linalg.norm(at - place)) < NEAR * side for other, place, _ in others)


def _true(kingdom: RenderedKingdom) -> Iterator[Spot]:
    quads = {square: seen.corners for square, seen in kingdom.squares.items()}
    for square, quad in quads.items():
        yield f":{kingdom.board[square]}", quad.mean(0), _side(quad)
        if square in kingdom.pieces:
            yield kingdom.pieces[square], quad.mean(0), _side(quad)
    for row, col in kingdom.gems:
        around = [quads.get(Square(row + down, col + right)) for down in (0, 1) for right in (0, 1)]
        seen = [quad for quad in around if quad is not None]
        if len(seen) == len(around):
            yield "gem", np.mean([quad.mean(0) for quad in seen], axis=0), _side(seen[0])


def _read(kingdom: KingdomReading) -> Iterator[Spot]:
    for square, cell in kingdom.board.items():
        quad = kingdom.grid.quad(square)
        yield f":{cell}", quad.mean(0), _side(quad)
    for piece in filter(lambda piece: piece.there, kingdom.pieces):
        quad = kingdom.grid.quad(piece.square)
        yield piece.kind, quad.mean(0), _side(quad)
    for gem in filter(lambda gem: gem.there, kingdom.gems):
        quad = kingdom.grid.quad(gem.corner)
        yield "gem", quad[2], _side(quad)


def _side(quad: Floats) -> float:
    return float(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).mean())


def as_csv(made: Iterable[Row]) -> str:
    """Return the rows as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(Row.__annotations__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in made)
    return out.getvalue()


def summary(made: Sequence[Row]) -> str:
    """Return a line for each game and kind: how many there are, recall and precision."""
    lines = [f"{'game':16}{'what':10}{'there':>8}{'found':>8}{'extra':>8}{'recall':>11}{'precision':>11}"]
    for game in dict.fromkeys(row.game for row in made):
        for what in (BOARDS, *KINDS):
            mine = [row for row in made if (row.game, row.what) == (game, what)]
            there, found, extra = (sum(getattr(row, name) for row in mine) for name in ("there", "found", "extra"))
            if there + extra:
                shares = "" if what == BOARDS else f"{_share(found, there)}{_share(found, found + extra)}"
                lines.append(f"{game:16}{what:10}{there:8}{found:8}{extra:8}{shares}")
    return "\n".join(lines)


def by_eye() -> dict[str, dict[str, int | list[str]]]:
    """Return what stands on kingdoms in photos, as somebody counted: photo, kind, how many or on which squares."""
    return tomllib.loads(Path(__file__).with_name("pieces_by_eye.toml").read_text(encoding="utf-8"))


def photographed(path: Path) -> list[Row]:
    """Return what was found of the pieces in a photo that somebody has counted; one not named has none."""
    from kdvision import pipeline

    reads = list[pipeline.KingdomReading]()
    with suppress(KdvisionError):  # most of them show no kingdom
        reads = pipeline.read(path)
    seen = [(piece.kind, piece.square.name) for read in reads for piece in read.pieces if piece.there]
    told = by_eye().get(path.name, {})
    return [Row(PHOTOS, int(path.stem), kind, *_met(seen, kind, told.get(kind, 0))) for kind in MEN]


def _met(seen: Sequence[tuple[str, str]], kind: str, told: int | Sequence[str]) -> tuple[int, int, int]:
    """How many there are, were found and are extra, among the pieces seen (kind, square)."""
    mine = [square for name, square in seen if name == kind]
    found = min(len(mine), told) if isinstance(told, int) else len(set(mine) & set(told))
    return told if isinstance(told, int) else len(told), found, len(mine) - found


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:9.1f} %" if whole else " " * 11


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("models/results/pieces.csv"))
    parser.add_argument("--scenes", type=int, default=100, help="scenes of each game")
    parser.add_argument("--games", nargs="+", choices=list(pieces.DECKS), default=list(pieces.DECKS))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with photos")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    tasks = [(game, number) for game in given.games for number in range(given.scenes)]
    photos = sorted((given.data / "queendomino").glob("*.jpg"))
    made: list[Row] = [row for found in in_order(photographed, photos, workers=given.workers) for row in found]
    for done, found in enumerate(in_order(rows, tasks, workers=given.workers), start=1):
        made += found
        if done % 10 == 0:
            print(f"{done} of {len(tasks)} scenes", file=sys.stderr, flush=True)
    write_atomically(given.out, as_csv(made).encode())
    print(summary(made))


if __name__ == "__main__":
    main()
