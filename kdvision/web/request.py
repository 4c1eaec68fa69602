"""What requests ask for, checked: options of queries and bodies, corners, squares that people have named."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import QueryParams

from kdvision.game.board import Cell, Square
from kdvision.game.rules import SIDES, VARIANTS
from kdvision.vision.decide.game_set import DECKS, GAME_AUTO
from kdvision.vision.detect.manual import KingdomOutline
from kdvision.web.limits import Refused
from kdvision.web.service import Named, Rules

MOST: Final = 8
"""Kingdoms at once: no rule set has more."""

LONGEST: Final = 200
"""Characters of an outline."""

FLAGS: Final = {"true": True, "false": False}


def rules_of_query(query: QueryParams) -> Rules:
    """The rules that a query names; raises Refused."""
    side = query.get("side")
    if side is not None and side not in map(str, SIDES):
        raise wrong(f"side is {_shown(side)}", "5 or 7")
    variants = tuple(variant.id for variant in VARIANTS if _flag(query, variant.key))
    return Rules(None if side is None else int(side), _game(query.get("game", GAME_AUTO)), variants)


def _flag(query: QueryParams, key: str) -> bool:
    value = query.get(key, "false")
    if value not in FLAGS:
        raise wrong(f"{key} is {_shown(value)}", "true or false")
    return FLAGS[value]


def corners_of(query: QueryParams) -> list[KingdomOutline]:
    """The outlines that a query gives by hand, `corners=5x5: x,y x,y x,y x,y`; raises Refused and NotationError."""
    texts = query.getlist("corners")
    if len(texts) > MOST or any(len(text) > LONGEST for text in texts):
        raise wrong("there are too many outlines, or too long ones", f"at most {MOST}")
    return [KingdomOutline.parse(text) for text in texts]


def rules_of_body(body: Mapping[str, Any]) -> Rules:
    """The rules that a JSON object names by the same words; raises Refused."""
    side = body.get("side")
    if side is not None and (isinstance(side, bool) or side not in SIDES):
        raise wrong(f"side is {_shown(side)}", "5, 7 or null")
    if not all(isinstance(body.get(variant.key, False), bool) for variant in VARIANTS):
        raise wrong("a variant is neither true nor false", "true or false")
    variants = tuple(variant.id for variant in VARIANTS if body.get(variant.key))
    return Rules(side, _game(body.get("game", GAME_AUTO)), variants)


def _game(name: Any) -> str:
    if name not in (GAME_AUTO, *DECKS):
        raise wrong(f"game is {_shown(name)}", f"{GAME_AUTO}, {', '.join(DECKS)}")
    return str(name)


def named_of(body: Mapping[str, Any]) -> list[Named]:
    """The kingdoms of a body, `[{"sight": "…", "fixes": {"B2": "w1"}}]`; raises Refused and NotationError."""
    kingdoms = body.get("kingdoms")
    if not isinstance(kingdoms, list) or not 0 < len(kingdoms) <= MOST:
        raise wrong("kingdoms is no list of them", f"1 to {MOST} kingdoms")
    return [_named(one) for one in kingdoms]


def _named(one: Any) -> Named:
    observation = one.get("sight") if isinstance(one, dict) else None
    fixes = one.get("fixes", {}) if isinstance(one, dict) else None
    if not isinstance(observation, str) or not isinstance(fixes, dict):
        raise wrong("a kingdom lacks what was seen of it", '{"sight": "…", "fixes": {"B2": "w1"}}')
    return Named(observation, {Square.parse(square): _word(word) for square, word in fixes.items()})


def _word(word: Any) -> str:
    if not isinstance(word, str):
        raise wrong(f"a square shows {_shown(word)}", 'notation such as "w1", or "." for no tile')
    return "." if word == "." else str(Cell.parse(word))


def wrong(what: str, expected: str) -> Refused:
    """The error for a value that is not what it should be."""
    return Refused(422, f"{what}; expected {expected}", hint=f"send {expected}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
