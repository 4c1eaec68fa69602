"""The report of a whole event as one self-contained HTML page.

It has the standings, what to review, and every kingdom with the rulebook clause of each line. Pictures are embedded, so
it opens from a disk and prints.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from PIL import Image

from kdvision.game.board import Square, Terrain
from kdvision.game.rules import clauses
from kdvision.report.board_text import format_sizes
from kdvision.text import replace_controls

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE: Final = "page.html.jinja"

THUMBNAIL_PIXELS: Final = 288
"""Longer side: crowns are visible, and a page of four hundred kingdoms stays below ten megabytes."""

THUMBNAIL_MARGIN: Final = 0.06
"""Margin around a kingdom, as a share of its longer side."""


@dataclass(frozen=True)
class PageRow:
    """One player in one standing; `place` and `points` are None if the player has no kingdom there."""

    place: int | None
    player: str
    points: int | None
    by_round: tuple[int | None, ...]
    why: str
    note: str
    anchor: str | None = None


@dataclass(frozen=True)
class PageRanking:
    """One standing with its heading and a sentence on who wins; `wide` ones take the whole width of the page."""

    title: str
    verdict: str
    rows: tuple[PageRow, ...]
    wide: bool
    round: int = 0
    table: str = ""


@dataclass(frozen=True)
class PageReviewItem:
    """One kingdom or photo to review."""

    changes: str
    where: str
    player: str
    why: str
    advice: str
    weight: int
    anchor: str | None = None


@dataclass(frozen=True)
class PageKingdom:
    """One kingdom.

    `data` is its JSON object, `read` that of the reading if it was corrected, `thumb` its picture as a `data:` address.
    """

    anchor: str
    player: str
    photo: str
    number: int
    round: int
    table: str
    data: Mapping[str, Any]
    read: Mapping[str, Any] | None
    counts: bool
    corrected: bool
    review: bool
    notes: tuple[str, ...]
    thumb: str | None
    picture: str | None

    @property
    def cells(self) -> list[list[tuple[str, str, bool]]]:
        """Rows of the board: for each square its notation, its terrain's name, and whether it is doubtful."""
        doubtful = {doubt["square"] for doubt in self.data["doubts"]}
        return [
            [(word, _name_terrain(word), Square(row, col).name in doubtful) for col, word in enumerate(words.split())]
            for row, words in enumerate(self.data["board"])
        ]

    @property
    def lines_with_points(self) -> list[Mapping[str, Any]]:
        """The lines with points, most points first."""
        return sorted((line for line in self.data["lines"] if line["points"]), key=lambda line: -line["points"])

    @property
    def sizes_without_points(self) -> str:
        """The sizes of the territories without points, such as "wheat 2+1, lake 1"."""
        lines = (line for line in self.data["lines"] if line["terrain"] and not line["points"])
        return format_sizes((_name_terrain(line["terrain"]), len(line["squares"])) for line in lines)


@dataclass(frozen=True)
class Page:
    """The content of the page. `failures` are (file, reason, advice); `others` counts reviews without known effect."""

    title: str
    rules: str
    summary: str
    rankings: tuple[PageRanking, ...]
    review_items: tuple[PageReviewItem, ...]
    kingdoms: tuple[PageKingdom, ...]
    failures: tuple[tuple[str, str, str], ...]
    others: int = 0

    @property
    def notes(self) -> dict[str, int]:
        """The footnote number of each rulebook clause that earned points, in the order of the books."""
        used = {line["clause"] for kingdom in self.kingdoms for line in kingdom.lines_with_points}
        return {clause: number for number, clause in enumerate((name for name in clauses() if name in used), start=1)}


def render_page(content: Page) -> str:
    """The HTML of the page."""
    return _load_template().render(
        page=content,
        clauses=clauses(),
        notes=content.notes,
        rounds=sorted({kingdom.round for kingdom in content.kingdoms}),
        tables=list(dict.fromkeys(kingdom.table for kingdom in content.kingdoms if kingdom.table)),
    )


def _name_terrain(word: str) -> str:
    letter = word[:1]
    return str(Terrain(letter)) if letter in Terrain._value2member_map_ else "none"


def _finalise(value: object) -> object:
    """The value of an expression in the template, without control characters."""
    return replace_controls(value) if type(value) is str else value


@cache
def _load_template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, finalize=_finalise, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8"))


def make_thumbnail(picture: bytes, corners: Sequence[Sequence[float]] | None, photo_width: int) -> str:
    """A `data:` address with the part of a JPEG that shows a kingdom, or with all of it if `corners` is None.

    `corners` are pixels (x, y) of the original photo, which is `photo_width` pixels wide; the JPEG may be smaller.
    """
    with Image.open(io.BytesIO(picture)) as image:
        box = _find_box(corners, image.width / photo_width, image.size) if corners else (0, 0, *image.size)
        side = max(box[2] - box[0], box[3] - box[1])
        width = image.width
        # Decode the JPEG at the smallest scale that is large enough.
        image.draft(
            "RGB",
            (round(width * THUMBNAIL_PIXELS / side), round(image.height * THUMBNAIL_PIXELS / side)),
        )
        scale = image.width / width
        part = image.crop(tuple(round(value * scale) for value in box))  # type: ignore[arg-type]
    part.thumbnail((THUMBNAIL_PIXELS, THUMBNAIL_PIXELS), Image.Resampling.BOX)
    out = io.BytesIO()
    part.convert("RGB").save(out, "WEBP", quality=55, method=1)  # method 6 takes three times as long
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"


def _find_box(
    corners: Sequence[Sequence[float]], factor: float, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the part to show, inside the picture."""
    xs, ys = [corner[0] * factor for corner in corners], [corner[1] * factor for corner in corners]
    margin = THUMBNAIL_MARGIN * max(max(xs) - min(xs), max(ys) - min(ys))
    left, top = max(0.0, min(xs) - margin), max(0.0, min(ys) - 2 * margin)  # the total is drawn above the kingdom
    right, bottom = min(float(size[0]), max(xs) + margin), min(float(size[1]), max(ys) + margin)
    return left, top, max(right, left + 1), max(bottom, top + 1)
