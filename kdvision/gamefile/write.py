"""The text of a game file, as `gamefile.parse` reads it; what is not told yet is left open, with a line that asks."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Final

from kdvision.game.board import Square
from kdvision.game.game import Game
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.open_facts import find_crossings, find_free_towns, name_crossing
from kdvision.game.pieces import QUARTERS, TOWNS, UNKNOWN, Built, Gem
from kdvision.gamefile.model import CLAIMS

_QUOTED = {name: key for key, name in CLAIMS.items()}

ASKED: Final = {
    TOWNS: "how many squares of the board are towns; write t on each, with its crowns",
    "coins": "how many coins are left",
    "towers": "how many towers",
    "spare_knights": "how many knights stand beside the board",
    "knights": 'on which squares knights stand; as in ["A1", "C3"], [] for none',
    "queen": "true where the Queen is at the end, else false; she is with one player",
}
"""What an open key asks for, in one line."""

_Remarks = Sequence[Sequence[str]]


def write_game_text(game: Game, *, head: Sequence[str] = (), remarks: _Remarks = (), sided: bool = True) -> str:
    """The game as the text of a game file: reading it gives the same game again.

    `head` are comments above all, `remarks` comments above the board of each kingdom, a line each. Without `sided` the
    side is left to what the number of kingdoms calls for.
    """
    several = len(game.rounds) > 1
    lines = [*_comments(head), f"game = {_quoted(game.kind)}", *([f"side = {game.side}"] if sided else [])]
    lines += [f"variants = {_list(game.variants)}"] if game.variants else []
    lines += ["teams = true"] if game.teams else []
    lines += [f"kingdoms = {game.rounds[0].seats}"] if game.rounds[0].seats else []
    for table in game.rounds:
        lines += ["", "[[round]]"] if several else []
        lines += _table(table, "round.kingdom" if several else "kingdom", game, remarks)
    return "\n".join(lines) + "\n"


def _table(table: Table, header: str, game: Game, remarks: _Remarks) -> Iterator[str]:
    if table.open_gems:
        yield f"open_gems = {_list(table.open_gems)}"
    for kingdom, own in zip(table.kingdoms, chain(remarks, repeat(())), strict=False):
        yield from ("", f"[[{header}]]")
        yield from _kingdom(kingdom, game, own)


def _kingdom(kingdom: Kingdom, game: Game, remarks: Sequence[str]) -> Iterator[str]:
    yield f"players = {_list(kingdom.player.split(' & '))}" if game.teams else f"player = {_quoted(kingdom.player)}"
    yield from _comments(remarks)
    yield from ('board = """', *kingdom.board.rows(), '"""')
    if kingdom.towns is not None:
        yield f"{TOWNS} = {kingdom.towns}"
    for key in (TOWNS, "coins", "towers", "spare_knights"):
        if key in kingdom.open_facts:
            yield f"{key} = {_quoted(UNKNOWN)}  # {ASKED[key]}"
        elif key != TOWNS and getattr(kingdom, key):
            yield f"{key} = {getattr(kingdom, key)}"
    knights, more = [square.name for square in kingdom.knights], "knights" in kingdom.open_facts
    if knights:
        yield f"knights = {_list([*knights, *([UNKNOWN] if more else [])])}"
    elif more:
        yield f"knights = {_quoted(UNKNOWN)}  # {ASKED['knights']}"
    if "queen" in kingdom.open_facts:
        yield f"queen = {_quoted(UNKNOWN)}  # {ASKED['queen']}"
    if kingdom.queen:
        yield "queen = true"
    if kingdom.discarded is not None:
        yield f"discarded = {kingdom.discarded}"
    if kingdom.claims:
        yield f"claims = {_list(_QUOTED[claim] for claim in kingdom.claims)}"
    yield from _tables("buildings", map(_building, kingdom.buildings), kingdom, _ask_buildings(kingdom))
    yield from _tables("gems", map(_gem, kingdom.gems), kingdom, _ask_gems(kingdom))


def _tables(key: str, entries: Iterable[str], kingdom: Kingdom, asked: str) -> Iterator[str]:
    rows = [f"    {{ {entry} }}," for entry in entries]
    if key in kingdom.open_facts and not rows:
        yield f"{key} = {_quoted(UNKNOWN)}  # {asked}"
    elif rows:
        rows += (
            [f"    {_quoted(UNKNOWN)},  # more {asked.partition('; as in')[0]}; take this line away if not"]
            if key in kingdom.open_facts
            else []
        )
        yield from (f"{key} = [", *rows, "]")


def _ask_buildings(kingdom: Kingdom) -> str:
    free = find_free_towns(kingdom)
    if not free and TOWNS not in kingdom.open_facts:
        return "tiles on towns; none can stand on this board as it is"
    where = f"on {', '.join(square.name for square in free)}" if free else "on towns"
    at = free[0].name if free else "C3"
    return f'tiles {where}; as in [{{ at = "{at}", points = 3 }}], [] for none'


def _ask_gems(kingdom: Kingdom) -> str:
    places = find_crossings(kingdom)
    if not places:
        return "tokens where four different landscapes meet; none can lie on this board as it is"
    where, at = f"between {', '.join(map(name_crossing, places))}", name_crossing(places[0])
    return f'tokens {where}; as in [{{ kind = "ruby", between = "{at}", crowns = [1, 0, 2, 0] }}], [] for none'


def _comments(lines: Iterable[str]) -> Iterator[str]:
    """The lines as comments, of characters that can stand in one."""
    return (f"# {''.join(sign if sign.isprintable() else ' ' for sign in line)}".rstrip() for line in lines)


def _building(built: Built) -> str:
    building, parts = built.building, [f"at = {_quoted(built.square.name)}"]
    parts += [f"name = {_quoted(building.name)}"] if building.name else []
    numbers = {key: getattr(building, key) for key in ("points", "crowns", "per_tower", "per_knight")}
    parts += [f"{key} = {number}" for key, number in numbers.items() if number]
    parts += [f"per_territory = {_quoted(str(building.per_territory))}"] if building.per_territory else []
    return ", ".join(parts)


def _gem(gem: Gem) -> str:
    row, col = gem.corner
    between = f"{gem.corner.name} {Square(row + 1, col + 1).name}"
    parts = [f"kind = {_quoted(gem.kind)}", f"between = {_quoted(between)}", f"crowns = {list(gem.crowns)}"]
    parts += [] if gem.skull is None else [f"skull = {_quoted(QUARTERS[gem.skull])}"]
    parts += [f"turned = {gem.turned}"] if gem.turned else []
    return ", ".join(parts)


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
