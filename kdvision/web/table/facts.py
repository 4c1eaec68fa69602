"""The facts of a kingdom beside its squares, with the keys of game files."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Required, TypedDict

import msgspec
from msgspec import Meta

from kdvision.game.board import BoardAlignment
from kdvision.game.kingdom import UNKNOWN
from kdvision.game.rules import TOKEN_KINDS
from kdvision.report.pieces import VISIBLE_KINDS
from kdvision.web.limits import Refusal
from kdvision.web.table.model import PLACES, Facts, format_place, parse_place

FACT_KEYS: Final = {kind: key for key, kind in VISIBLE_KINDS.items()}
"""The key in game files of each kind of piece on the board."""

MAX_FACTS_BYTES: Final = 20_000
"""Many times the facts of any kingdom, as JSON."""

MAX_FACTS_DEPTH: Final = 6
"""Lists and objects within each other; a gem has a list in an object in a list."""


class TableBuilding(TypedDict, total=False):
    """A building at a table; `kdvision.gamefile` checks its other keys."""

    at: Required[str]
    name: str


class TableGem(TypedDict, total=False):
    """A gem at a table; `between` are two of its places."""

    between: Required[str]
    kind: str
    crowns: Annotated[list[Annotated[int, Meta(ge=0, le=9)]], Meta(min_length=4, max_length=4)]
    skull: str | None
    turned: int


PIECE_LISTS: Final[dict[str, Any]] = {
    **dict.fromkeys(("knights", *TOKEN_KINDS), list[str] | Literal["?"] | None),
    "buildings": list[TableBuilding | str] | Literal["?"] | None,
    "gems": list[TableGem | Literal["?"]] | Literal["?"] | None,
}
"""What the facts may hold that list pieces: the page has to show it, also if it is wrong by the rules."""


def make_piece(kind: str, at: str) -> Any:
    """Return a knight, building or gem on a place as a photo shows it: a gem and a building without their names."""
    if kind == "knight":
        return at
    if kind == "building":
        return {"at": at, "name": UNKNOWN}
    return {"kind": UNKNOWN, "between": f"{at} {format_place((1, 1), parse_place(at))}"}


def add_piece(facts: Facts, kind: str, at: str) -> Facts:
    """Return the facts with one more piece. A piece that is there already stays as it is."""
    if kind == "queen":
        return facts | {"queen": True}
    if kind not in FACT_KEYS or remove_piece(facts, kind, at) != facts:
        return facts
    return replace_pieces(facts, FACT_KEYS[kind], at, [make_piece(kind, at)])


def remove_piece(facts: Facts, kind: str, at: str) -> Facts:
    """Return the facts without a piece on a place."""
    if kind == "queen":
        return facts | {"queen": False}
    key = FACT_KEYS.get(kind, "")
    return replace_pieces(facts, key, at, []) if isinstance(facts.get(key), list) else facts


def replace_pieces(facts: Facts, key: str, at: str, pieces: list[Any]) -> Facts:
    """Return the facts with these pieces of a kind on a place, instead of those that are there."""
    old_pieces = facts.get(key, [])
    all_pieces = old_pieces if isinstance(old_pieces, list) else [UNKNOWN]
    return facts | {key: [*pieces, *(piece for piece in all_pieces if find_place(piece) != at)]}


def find_place(piece: Any) -> str:
    """Return the place of a piece; of a gem the upper left of its four, and "?" for pieces that are not listed."""
    text = str(piece.get("at") or piece.get("between") if isinstance(piece, dict) else piece)
    match = PLACES.fullmatch(text)
    if match is None:
        return text
    rows, cols = zip(*map(parse_place, match["places"].split()), strict=True)
    return format_place((min(rows), min(cols)))


def move_piece(piece: Any, alignment: BoardAlignment) -> Any:
    """Return a piece as the alignment moves it; a gem turns with its kingdom. Values without a place stay."""
    if isinstance(piece, dict):
        key = "at" if piece.get("at") else "between"
        moved_piece, turns = piece | {key: move_piece(piece.get(key), alignment)}, piece.get("turned", 0)
        if key == "at" or not isinstance(turns, int):
            return moved_piece
        at = find_place(moved_piece)
        between = f"{at} {format_place((1, 1), parse_place(at))}"
        return moved_piece | {"between": between, "turned": (turns + alignment.quarter_turns) % 4}
    match = PLACES.fullmatch(piece) if isinstance(piece, str) else None
    if match is None:
        return piece
    places = [format_place(alignment.move(parse_place(place))) for place in match["places"].split()]
    return " ".join(places) + match["words"]


def check_facts(facts: Facts) -> Facts:
    """Return the facts, if they are short and flat and list pieces as in game files; raise Refusal."""
    depth, values = 0, [facts]
    while values and depth <= MAX_FACTS_DEPTH:
        lists = [item.values() if isinstance(item, dict) else item for item in values if isinstance(item, dict | list)]
        depth, values = depth + 1, [item for items in lists for item in items]
    hint = "send the keys of a kingdom in game files"
    if depth > MAX_FACTS_DEPTH or len(msgspec.json.encode(facts)) > MAX_FACTS_BYTES:
        raise Refusal(422, "the facts of this kingdom are too long", hint=hint)
    for key, flaw in _find_flaws(facts):
        raise Refusal(422, f"the {key} of this kingdom are no list of pieces: {flaw}", hint=hint)
    return facts


def open_malformed_facts(facts: Facts) -> Facts:
    """Return the facts with "?" for those that list no pieces as in game files; an older version did not check them."""
    return facts | {key: UNKNOWN for key, _ in _find_flaws(facts)}


def _find_flaws(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the keys of facts that should list pieces and do not, each with what is wrong."""
    for key in facts.keys() & PIECE_LISTS.keys():
        try:
            msgspec.convert(facts[key], PIECE_LISTS[key])
        except msgspec.ValidationError as error:
            yield key, str(error)
