"""The text of a game file, as `gamefile.parse` reads it."""

import json
from collections.abc import Iterable, Iterator

from kdvision.game.board import Square
from kdvision.game.gamefile import CLAIMS
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.pieces import QUARTERS, Built, Gem
from kdvision.game.record import Game

_QUOTED = {name: key for key, name in CLAIMS.items()}


def text_of(game: Game) -> str:
    """The game as the text of a game file: reading it gives the same game again."""
    several = len(game.rounds) > 1
    lines = [f"game = {_quoted(game.kind)}", f"side = {game.side}"]
    lines += [f"variants = {_list(game.variants)}"] if game.variants else []
    lines += ["teams = true"] if game.teams else []
    lines += [f"kingdoms = {game.rounds[0].seats}"] if game.rounds[0].seats else []
    for table in game.rounds:
        lines += ["", "[[round]]"] if several else []
        lines += _table(table, "round.kingdom" if several else "kingdom", game)
    return "\n".join(lines) + "\n"


def _table(table: Table, header: str, game: Game) -> Iterator[str]:
    if table.open_gems:
        yield f"open_gems = {_list(table.open_gems)}"
    for kingdom in table.kingdoms:
        yield from ("", f"[[{header}]]")
        yield from _kingdom(kingdom, game)


def _kingdom(kingdom: Kingdom, game: Game) -> Iterator[str]:
    yield f"players = {_list(kingdom.player.split(' & '))}" if game.teams else f"player = {_quoted(kingdom.player)}"
    yield from ('board = """', *kingdom.board.rows(), '"""')
    for key in ("coins", "towers", "spare_knights"):
        if getattr(kingdom, key):
            yield f"{key} = {getattr(kingdom, key)}"
    if kingdom.knights:
        yield f"knights = {_list(square.name for square in kingdom.knights)}"
    if kingdom.queen:
        yield "queen = true"
    if kingdom.discarded is not None:
        yield f"discarded = {kingdom.discarded}"
    if kingdom.claims:
        yield f"claims = {_list(_QUOTED[claim] for claim in kingdom.claims)}"
    yield from _tables("buildings", map(_building, kingdom.buildings))
    yield from _tables("gems", map(_gem, kingdom.gems))


def _tables(key: str, entries: Iterable[str]) -> Iterator[str]:
    rows = [f"    {{ {entry} }}," for entry in entries]
    yield from (f"{key} = [", *rows, "]") if rows else ()


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
