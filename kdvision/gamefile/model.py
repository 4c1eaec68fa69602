"""Game files: a whole game as a small TOML text that a person can write and read.

    game = "queendomino"
    variants = ["harmony"]

    [[kingdom]]
    player = "Ann"
    board = '''
    w w1 t
    l #  t
    '''
    coins = 11
    buildings = [{ at = "C1", name = "The Statue" }, { at = "C2", per_territory = "forest" }]

What lies on a kingdom or beside it may be left open as "?": it counts as not known. docs/rules.md lists every key.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kdvision.game.game import ROUNDS, Game, infer_side
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.open_facts import close_queen
from kdvision.game.pieces import QUEENDOMINO_FACTS, TREASURE_FACTS
from kdvision.game.rules import GAMES, SIDES, VARIANTS, make_rule_set
from kdvision.gamefile.pieces import parse_building, parse_gem
from kdvision.gamefile.read import Node, parse_toml, read_text

TOP: Final = ("game", "side", "variants", "teams", "kingdoms", "open_gems", "kingdom", "round")
ROUND: Final = ("kingdom", "open_gems")
KINGDOM: Final = ("player", "players", "board", "discarded", "claims")

FACTS: Final = (*QUEENDOMINO_FACTS, *TREASURE_FACTS)
CLAIMS: Final = {variant.id: variant.name for variant in VARIANTS if variant.has_claim}
ELSEWHERE: Final = {"dynasty": "three [[round]] for a Dynasty", "mighty-duel": "side = 7 for the Mighty Duel"}
"""How a game file tells the variants that are no words of its `variants`."""


def load_game(path: Path) -> Game:
    """The game of a file; raises NotationError with file, line and what was expected."""
    return parse_game(read_text(path, what="a game file"), name=str(path))


def parse_game(text: str, *, name: str = "the game") -> Game:
    """The game of a text; `name` is what errors call it. Raises NotationError with line and what was expected."""
    return _game(parse_toml(text, name=name))


def game_from_dict(data: Mapping[str, Any], *, name: str = "the game") -> Game:
    """The game of plain values with the keys of a game file; raises NotationError with the way to the mistake."""
    return _game(Node(data, None, name))


def _game(top: Node) -> Game:
    top.only(TOP)
    kind = top.choice("game", GAMES, default="kingdomino")
    for place, name in enumerate(top.texts("variants")):
        if name in ELSEWHERE:
            top.at("variants", place).fail(f"variants has {name!r}", ELSEWHERE[name])
    variants = tuple(dict.fromkeys(top.choices("variants", [variant.id for variant in VARIANTS])))
    for variant in VARIANTS:
        if variant.id in variants and not variant.fits(kind):
            top.at("variants").fail(f"{variant.name} cannot be added to {kind}", _game_named(variant.games))
    teams = top.flag("teams")
    if teams and kind != "royal-wedding":
        top.at("teams").fail("teams play the Royal Wedding", 'game = "royal-wedding"')
    keys = (*KINGDOM, *make_rule_set(kind, variants=variants).facts)
    tables = tuple(_tables(top, keys, teams=teams))
    side = top.one_of("side", (7,) if teams else SIDES, default=infer_side(kind, tables, teams=teams))
    game = Game(kind, side, tables, variants, teams)
    _check_kingdoms(game, top)
    return game


def _game_named(games: Iterable[str]) -> str:
    quoted = [f'"{game}"' for game in games]
    return f"game = {' or '.join(quoted)}"


def _setting_with(fact: str) -> str:
    """Return the line of a game file that makes a fact part of the game."""
    variant = next((variant for variant in VARIANTS if fact in variant.facts), None)
    if variant is not None:
        return f'variants = ["{variant.id}"]'
    return _game_named(game for game, make in GAMES.items() if fact in make().facts)


def _tables(top: Node, keys: tuple[str, ...], *, teams: bool) -> Iterable[Table]:
    rounds = top.tables("round")
    if rounds and "kingdom" in top:
        top.at("kingdom", 0).fail("a kingdom stands outside the rounds", "[[round.kingdom]] under its [[round]]")
    if rounds and len(rounds) != ROUNDS:
        top.at("round", len(rounds) - 1).fail(f"there are {len(rounds)} rounds", f"{ROUNDS} rounds, a Dynasty, or none")
    seats = _seats(top)
    for table in rounds or [top]:
        if rounds:
            table.only(ROUND, of="a round")
        open_gems = tuple(_open_gems(table, keys))
        kingdoms = tuple(
            _kingdom(node, keys, number, teams=teams) for number, node in enumerate(table.tables("kingdom"), start=1)
        )
        yield Table(close_queen(kingdoms), open_gems, seats)


def _seats(top: Node) -> int:
    if isinstance(top.value.get("kingdoms"), list):
        top.at("kingdoms", 0).fail("kingdoms is a list", "[[kingdom]] for each, or how many were played")
    return top.number("kingdoms")


def _open_gems(table: Node, keys: tuple[str, ...]) -> list[str]:
    kinds = table.texts("open_gems")
    if kinds and "gems" not in keys:
        table.at("open_gems").fail("gems are not part of this game", _setting_with("gems"))
    return [kind.lower() for kind in kinds]  # as those on boards are called


def _kingdom(node: Node, keys: tuple[str, ...], number: int, *, teams: bool) -> Kingdom:
    for key in node.value:
        if key in FACTS and key not in keys:
            node.at(key).fail(f"{key} is no part of this game", f"{_setting_with(key)} at the top")
    node.only(keys, of="a kingdom of this game")
    return Kingdom(
        board=node.board("board"),
        player=_player(node, number, teams=teams),
        buildings=tuple(parse_building(entry) for entry in node.tables("buildings", may_be_open=True)),
        knights=tuple(node.squares("knights", may_be_open=True)),
        spare_knights=_count(node, "spare_knights"),
        towers=_count(node, "towers"),
        coins=_count(node, "coins"),
        queen=not node.left_open("queen") and node.flag("queen"),
        gems=tuple(parse_gem(entry) for entry in node.tables("gems", may_be_open=True)),
        discarded=node.number("discarded") if "discarded" in node else None,
        claims=tuple(CLAIMS[claim] for claim in node.choices("claims", CLAIMS)),
        towns=node.number("towns") if "towns" in node and not node.left_open("towns") else None,
        open_facts=frozenset(key for key in FACTS if node.in_part_open(key)),
    )


def _count(node: Node, key: str) -> int:
    return 0 if node.left_open(key) else node.number(key)


def _player(node: Node, number: int, *, teams: bool) -> str:
    if not teams:
        if "players" in node:
            node.at("players").fail("only teams share a kingdom", "player = and one name, or teams = true")
        return node.text("player", default=f"kingdom {number}")
    if "player" in node:
        node.at("player").fail("a kingdom of a team has two players", "players = and two names")
    names = node.texts("players")
    if names and len(names) != 2:
        node.at("players").fail(f"a team of {len(names)}", "two names")
    if any("&" in name for name in names):
        node.at("players").fail("& joins the names of a team", "names without it")
    return " & ".join(names) or f"kingdom {number}"


def _check_seats(game: Game, table: Table, top: Node) -> None:
    """How many kingdoms were played, if told, is as many as the rules know, and all that are entered are among them."""
    if "kingdoms" not in top:
        return
    if table.seats < len(table.kingdoms):
        top.at("kingdoms").fail(f"kingdoms is {table.seats}", f"no fewer than the {len(table.kingdoms)} entered")
    allowed = sorted(game.rule_set.dominoes_drawn)
    if table.seats not in allowed:
        top.at("kingdoms").fail(f"{game.rule_set.name} with {table.seats} kingdoms", f"{_either(allowed)} of them")


def _either(numbers: Sequence[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}" if first else last


def _check_kingdoms(game: Game, top: Node) -> None:
    most = game.rule_set.most
    for number, table in enumerate(game.rounds):
        where = top.at("round", number) if len(game.rounds) > 1 else top
        count = len(table.kingdoms)
        if not count:
            where.fail("there is no kingdom", "at least one, under [[kingdom]]")
        if count > most:
            where.at("kingdom", most).fail(f"{game.rule_set.name} with {count} kingdoms", f"at most {most} of them")
        _check_seats(game, table, top)
        names = [kingdom.player for kingdom in table.kingdoms]
        for place, name in enumerate(names):
            if name in names[:place]:
                where.at("kingdom", place).fail(f"two kingdoms of {name}", "another name for each kingdom")
        if set(names) != {kingdom.player for kingdom in game.rounds[0].kingdoms}:
            where.fail("other players than in the first round", "the same names in every round")
