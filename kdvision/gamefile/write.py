"""Writes games as game files. An open fact is "?", with a comment that asks for it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Final

from kdvision.game.game import Game
from kdvision.game.kingdom import Kingdom, Table, find_crossings, find_free_towns, name_crossing
from kdvision.game.pieces import QUARTERS, TOWNS, UNKNOWN, Built, Gem
from kdvision.game.rules import TOKEN_KINDS
from kdvision.gamefile.model import CLAIMS

_QUOTED = {name: key for key, name in CLAIMS.items()}

QUESTIONS: Final = {
    TOWNS: "how many squares of the board are towns; write t on each, with its crowns",
    "coins": "how many coins are left",
    "towers": "how many towers",
    "spare_knights": "how many knights stand beside the board",
    "knights": 'on which squares knights stand; as in ["A1", "C3"], [] for none',
    "queen": "true where the Queen is at the end, else false; she is with one player",
}
"""The comment beside an open key."""

_Remarks = Sequence[Sequence[str]]


def write_game_text(game: Game, *, head: Sequence[str] = (), remarks: _Remarks = (), sided: bool = True) -> str:
    """Return the game as the text of a game file; parsing it returns an equal game.

    `head` are comments at the top, `remarks` the comments above the board of each kingdom. Without `sided` the side is
    left out, so that it follows from the number of kingdoms.
    """
    several = len(game.rounds) > 1
    lines = [*_format_comments(head), f"game = {_quote(game.kind)}", *([f"side = {game.side}"] if sided else [])]
    lines += [f"variants = {_format_list(game.variants)}"] if game.variants else []
    lines += ["teams = true"] if game.teams else []
    lines += [f"kingdoms = {game.rounds[0].seats}"] if game.rounds[0].seats else []
    for table in game.rounds:
        lines += ["", "[[round]]"] if several else []
        lines += _format_table(table, "round.kingdom" if several else "kingdom", game, remarks)
    return "\n".join(lines) + "\n"


def _format_table(table: Table, header: str, game: Game, remarks: _Remarks) -> Iterator[str]:
    if table.open_gems:
        yield f"open_gems = {_format_list(table.open_gems)}"
    for kingdom, own in zip(table.kingdoms, chain(remarks, repeat(())), strict=False):
        yield from ("", f"[[{header}]]")
        yield from _format_kingdom(kingdom, game, own)


def _format_kingdom(kingdom: Kingdom, game: Game, remarks: Sequence[str]) -> Iterator[str]:
    yield (
        f"players = {_format_list(kingdom.player.split(' & '))}" if game.teams else f"player = {_quote(kingdom.player)}"
    )
    yield from _format_comments(remarks)
    yield from ('board = """', *kingdom.board.rows(), '"""')
    if kingdom.towns is not None:
        yield f"{TOWNS} = {kingdom.towns}"
    for key in (TOWNS, "coins", "towers", "spare_knights"):
        if key in kingdom.open_facts:
            yield f"{key} = {_quote(UNKNOWN)}  # {QUESTIONS[key]}"
        elif key != TOWNS and getattr(kingdom, key):
            yield f"{key} = {getattr(kingdom, key)}"
    knights, more = [square.name for square in kingdom.knights], "knights" in kingdom.open_facts
    if knights:
        yield f"knights = {_format_list([*knights, *([UNKNOWN] if more else [])])}"
    elif more:
        yield f"knights = {_quote(UNKNOWN)}  # {QUESTIONS['knights']}"
    if "queen" in kingdom.open_facts:
        yield f"queen = {_quote(UNKNOWN)}  # {QUESTIONS['queen']}"
    if kingdom.queen:
        yield "queen = true"
    if kingdom.discarded is not None:
        yield f"discarded = {kingdom.discarded}"
    if kingdom.claims:
        yield f"claims = {_format_list(_QUOTED[claim] for claim in kingdom.claims)}"
    yield from _format_tables(
        "buildings", map(_format_building, kingdom.buildings), kingdom, _ask_for_buildings(kingdom)
    )
    for key, kind in TOKEN_KINDS.items():
        words = [str(token) for token in kingdom.list_tokens(key)]
        if key in kingdom.open_facts:
            example = _format_list([f"C3 {next(iter(kind.crowns))}".rstrip()])
            yield f"{key} = {_format_list([*words, UNKNOWN])}  # {kind.word}s, as in {example}; [] for none"
        elif words:
            yield f"{key} = {_format_list(words)}"
    yield from _format_tables("gems", map(_format_gem, kingdom.gems), kingdom, _ask_for_gems(kingdom))


def _format_tables(key: str, entries: Iterable[str], kingdom: Kingdom, asked: str) -> Iterator[str]:
    rows = [f"    {{ {entry} }}," for entry in entries]
    if key in kingdom.open_facts and not rows:
        yield f"{key} = {_quote(UNKNOWN)}  # {asked}"
    elif rows:
        rows += (
            [f"    {_quote(UNKNOWN)},  # more {asked.partition('; as in')[0]}; take this line away if not"]
            if key in kingdom.open_facts
            else []
        )
        yield from (f"{key} = [", *rows, "]")


def _ask_for_buildings(kingdom: Kingdom) -> str:
    free = find_free_towns(kingdom)
    if not free and TOWNS not in kingdom.open_facts:
        return "tiles on towns; none can stand on this board as it is"
    where = f"on {', '.join(square.name for square in free)}" if free else "on towns"
    at = free[0].name if free else "C3"
    return f'tiles {where}; as in [{{ at = "{at}", points = 3 }}], [] for none'


def _ask_for_gems(kingdom: Kingdom) -> str:
    places = find_crossings(kingdom)
    if not places:
        return "tokens where four different landscapes meet; none can lie on this board as it is"
    where, at = f"between {', '.join(map(name_crossing, places))}", name_crossing(places[0])
    return f'tokens {where}; as in [{{ kind = "ruby", between = "{at}", crowns = [1, 0, 2, 0] }}], [] for none'


def _format_comments(lines: Iterable[str]) -> Iterator[str]:
    """Return the lines as comments, with a blank for each character that cannot be in one."""
    return (f"# {''.join(sign if sign.isprintable() else ' ' for sign in line)}".rstrip() for line in lines)


def _format_building(built: Built) -> str:
    building, parts = built.building, [f"at = {_quote(built.square.name)}"]
    parts += [f"name = {_quote(building.name)}"] if building.name else []
    numbers = {key: getattr(building, key) for key in ("points", "crowns", "per_tower", "per_knight")}
    parts += [f"{key} = {number}" for key, number in numbers.items() if number]
    parts += [f"per_territory = {_quote(str(building.per_territory))}"] if building.per_territory else []
    return ", ".join(parts)


def _format_gem(gem: Gem) -> str:
    between = _quote(name_crossing(gem.corner))
    parts = [f"kind = {_quote(gem.kind)}", f"between = {between}", f"crowns = {list(gem.crowns)}"]
    parts += [] if gem.skull is None else [f"skull = {_quote(QUARTERS[gem.skull])}"]
    parts += [f"turned = {gem.turned}"] if gem.turned else []
    return ", ".join(parts)


def _format_list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quote, texts))}]"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
