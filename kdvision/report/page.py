"""One self-contained HTML page on a whole event: standings, what needs a look, every kingdom with its rulebook lines.

It needs nothing beside it: pictures are in it, and it opens from a disk, prints, and reads on a phone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from kdvision.game.board import Square, Terrain
from kdvision.game.rules import clauses

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE: Final = "page.html.jinja"
CASTLE: Final = "castle"


@dataclass(frozen=True)
class PageRow:
    """One player in one standing; `place` and `points` are None for one without a kingdom there."""

    place: int | None
    player: str
    points: int | None
    by_round: tuple[int | None, ...]
    why: str
    note: str
    anchor: str | None = None


@dataclass(frozen=True)
class PageRanking:
    """One standing with its heading and the sentence on who wins; the widest ones are `wide`."""

    title: str
    verdict: str
    rows: tuple[PageRow, ...]
    wide: bool
    round: int = 0
    table: str = ""


@dataclass(frozen=True)
class PageLook:
    """One thing to look at."""

    changes: str
    where: str
    player: str
    why: str
    advice: str
    weight: int
    anchor: str | None = None


@dataclass(frozen=True)
class PageKingdom:
    """One kingdom: its JSON object, that of the reading if it was corrected, and its picture as a data address."""

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
    look: bool
    notes: tuple[str, ...]
    thumb: str | None
    picture: str | None

    @property
    def cells(self) -> list[list[tuple[str, str, bool]]]:
        """Rows of the board: each square's notation, its terrain's name, and whether it is doubted."""
        doubted = {doubt["square"] for doubt in self.data["doubts"]}
        return [
            [(word, _terrain(word), Square(row, col).name in doubted) for col, word in enumerate(words.split())]
            for row, words in enumerate(self.data["board"])
        ]

    @property
    def earning(self) -> list[Mapping[str, Any]]:
        """The lines with points, bonuses among them."""
        return sorted((line for line in self.data["lines"] if line["points"]), key=lambda line: -line["points"])

    @property
    def worthless(self) -> str:
        """The territories without points, by terrain: "wheat 2+1, lake 1"."""
        sizes: dict[str, list[int]] = {}
        for line in self.data["lines"]:
            if not line["points"] and line["terrain"]:
                sizes.setdefault(_terrain(line["terrain"]), []).append(len(line["squares"]))
        return ", ".join(f"{name} {'+'.join(map(str, sorted(found, reverse=True)))}" for name, found in sizes.items())


@dataclass(frozen=True)
class Page:
    """All that the page shows. `failures` are (file, reason, advice); `others` are looks that would change nothing."""

    title: str
    rules: str
    summary: str
    rankings: tuple[PageRanking, ...]
    looks: tuple[PageLook, ...]
    kingdoms: tuple[PageKingdom, ...]
    failures: tuple[tuple[str, str, str], ...]
    others: int = 0

    @property
    def notes(self) -> dict[str, int]:
        """The number of each rulebook clause that earned points somewhere, in the order of the books."""
        used = {line["clause"] for kingdom in self.kingdoms for line in kingdom.earning}
        return {clause: number for number, clause in enumerate((name for name in clauses() if name in used), start=1)}


def render_page(content: Page) -> str:
    """The text of the page."""
    seats = sorted({kingdom.round for kingdom in content.kingdoms})
    return _template().render(
        page=content,
        clauses=clauses(),
        notes=content.notes,
        rounds=seats,
        tables=_tables(content.kingdoms),
    )


def _tables(kingdoms: Iterable[PageKingdom]) -> list[str]:
    return list(dict.fromkeys(kingdom.table for kingdom in kingdoms if kingdom.table))


def _terrain(word: str) -> str:
    letter = word[:1]
    return str(Terrain(letter)) if letter in Terrain._value2member_map_ else "none"


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    surroundings = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return surroundings.from_string(files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8"))
