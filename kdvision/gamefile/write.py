"""Writes games as game files. An open fact is "?", with a comment that asks for it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Final

from kdvision.game.game import Game
from kdvision.game.kingdom import (
    QUARTERS,
    TOWNS,
    UNKNOWN,
    Gem,
    Kingdom,
    PlacedBuilding,
    find_crossings,
    find_free_towns,
    name_crossing,
)
from kdvision.game.open_facts import FACT_WORDS
from kdvision.game.rules import TOKEN_KINDS
from kdvision.gamefile.model import CLAIMS

CLAIM_KEYS: Final = {name: key for key, name in CLAIMS.items()}


def write_game_text(
    game: Game, *, head: Sequence[str] = (), remarks: Sequence[Sequence[str]] = (), has_side: bool = True
) -> str:
    """Return the game as the text of a game file; parsing it returns an equal game.

    `head` are comments at the top, `remarks` the comments above the board of each kingdom. Without `has_side` the
    side is left out, so that it follows from the number of kingdoms.
    """
    has_rounds, seats = len(game.rounds) > 1, game.rounds[0].seats
    top = {"game": game.kind, "side": game.side if has_side else None, "variants": game.variants}
    lines = [*_format_comments(head), *_format_pairs({**top, "teams": game.teams, "kingdoms": seats})]
    for table in game.rounds:
        lines += ["", "[[round]]"] if has_rounds else []
        lines += _format_pairs({"open_gems": table.open_gems})
        for kingdom, comments in zip(table.kingdoms, chain(remarks, repeat(())), strict=False):
            lines += ["", "[[round.kingdom]]" if has_rounds else "[[kingdom]]"]
            lines += _format_kingdom(kingdom, game, comments)
    return "\n".join(lines) + "\n"


def _format_kingdom(kingdom: Kingdom, game: Game, remarks: Sequence[str]) -> Iterator[str]:
    team = kingdom.player.split(" & ")
    if not game.teams:
        yield f"player = {_to_toml(kingdom.player)}"
    elif len(team) > 1:
        yield f"players = {_to_toml(team)}"
    yield from _format_comments(remarks)
    if kingdom.questions:
        yield from ("questions = [", *(f"    {_to_toml(question)}," for question in kingdom.questions), "]")
    yield from ('board = """', *kingdom.board.format_rows(), '"""')
    facts = {
        TOWNS: kingdom.towns,
        "coins": kingdom.coins or None,
        "towers": kingdom.towers or None,
        "spare_knights": kingdom.spare_knights or None,
        "knights": [square.name for square in kingdom.knights],
        "queen": kingdom.queen or None,
        "discarded": kingdom.discarded,
        "claims": [CLAIM_KEYS[claim] for claim in kingdom.claims],
    }
    for key, value in facts.items():
        if key in kingdom.open_facts and isinstance(value, list) and value:
            yield f"{key} = {_to_toml([*value, UNKNOWN])}"
        elif key in kingdom.open_facts:
            yield f"{key} = {_to_toml(UNKNOWN)}  # {FACT_WORDS[key][1]}"
        elif value not in (None, []):
            yield f"{key} = {_to_toml(value)}"
    yield from _format_tables("buildings", map(_list_values, kingdom.buildings), kingdom, _ask_for_buildings(kingdom))
    for key, kind in TOKEN_KINDS.items():
        words = [str(token) for token in kingdom.list_tokens(key)]
        if key in kingdom.open_facts:
            example = _to_toml([f"C3 {next(iter(kind.crowns))}".rstrip()])
            yield f"{key} = {_to_toml([*words, UNKNOWN])}  # {kind.word}s, as in {example}; [] for none"
        else:
            yield from _format_pairs({key: words})
    yield from _format_tables("gems", map(_list_values, kingdom.gems), kingdom, _ask_for_gems(kingdom))


def _format_tables(key: str, entries: Iterable[Mapping[str, object]], kingdom: Kingdom, question: str) -> Iterator[str]:
    rows = [f"    {{ {', '.join(_format_pairs(entry))} }}," for entry in entries]
    if key in kingdom.open_facts and not rows:
        yield f"{key} = {_to_toml(UNKNOWN)}  # {question}"
    elif rows:
        open_row = f"    {_to_toml(UNKNOWN)},  # more {question.partition('; as in')[0]}; take this line away if not"
        yield from (f"{key} = [", *rows, *([open_row] if key in kingdom.open_facts else []), "]")


def _ask_for_buildings(kingdom: Kingdom) -> str:
    free_towns = find_free_towns(kingdom)
    if not free_towns and TOWNS not in kingdom.open_facts:
        return "tiles on towns; none can stand on this board as it is"
    location = f"on {', '.join(square.name for square in free_towns)}" if free_towns else "on towns"
    site = free_towns[0].name if free_towns else "C3"
    return f'tiles {location}; as in [{{ at = "{site}", points = 3 }}], [] for none'


def _ask_for_gems(kingdom: Kingdom) -> str:
    places = find_crossings(kingdom)
    if not places:
        return "tokens where four different landscapes meet; none can lie on this board as it is"
    location, crossing = f"between {', '.join(map(name_crossing, places))}", name_crossing(places[0])
    return f'tokens {location}; as in [{{ kind = "ruby", between = "{crossing}", crowns = [1, 0, 2, 0] }}], [] for none'


def _list_values(piece: PlacedBuilding | Gem) -> dict[str, object]:
    """Return the keys of a building or gem with their values."""
    if isinstance(piece, Gem):
        skull = "" if piece.skull is None else QUARTERS[piece.skull]
        place = {"kind": piece.kind, "between": name_crossing(piece.crossing)}
        return {**place, "crowns": piece.crowns, "skull": skull, "turned": piece.turned}
    tile = piece.building
    numbers = {key: getattr(tile, key) for key in ("points", "crowns", "per_tower", "per_knight")}
    terrain = str(tile.per_territory) if tile.per_territory else ""
    return {"at": piece.square.name, "name": tile.name, **numbers, "per_territory": terrain}


def _format_comments(lines: Iterable[str]) -> Iterator[str]:
    """Return the lines as comments, with a blank for each character that cannot be in one."""
    return (f"# {''.join(sign if sign.isprintable() else ' ' for sign in line)}".rstrip() for line in lines)


def _format_pairs(values: Mapping[str, object]) -> list[str]:
    """Return the keys with their values, without those that are empty, 0 or false."""
    return [f"{key} = {_to_toml(value)}" for key, value in values.items() if value]


def _to_toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML allows no DEL
