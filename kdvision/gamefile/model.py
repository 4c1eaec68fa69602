"""Game files: a whole game as a small TOML text that a person can write and read.

    game = "queendomino"

    [[kingdom]]
    player = "Ann"
    board = '''
    w w1 t
    l #  t
    '''
    coins = 11
    buildings = [{ at = "C1", name = "The Statue" }, { at = "C2", per_territory = "forest" }]

A fact about a kingdom that is not known is "?". docs/rules.md lists every key.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from kdvision.game.game import DYNASTY_ROUNDS, Game, make_game
from kdvision.game.kingdom import QUEENDOMINO_FACTS, Kingdom, Table
from kdvision.game.open_facts import close_queen
from kdvision.game.rules import GAMES, SIDES, TOKEN_KINDS, VARIANTS, make_rule_set
from kdvision.gamefile.pieces import parse_building, parse_gem, parse_tokens
from kdvision.gamefile.read import Node, parse_toml, read_text
from kdvision.text import count_noun, join_words

TOP_KEYS: Final = ("game", "side", "variants", "teams", "kingdoms", "open_gems", "kingdom", "round")
KINGDOM_KEYS: Final = ("player", "players", "board", "questions", "discarded", "claims")
FACTS: Final = (*QUEENDOMINO_FACTS, *(fact for variant in VARIANTS for fact in variant.facts))
CLAIMS: Final = {variant.id: variant.name for variant in VARIANTS if variant.points}
OTHER_SETTINGS: Final = {"dynasty": "three [[round]] for a Dynasty", "mighty-duel": "side = 7 for the Mighty Duel"}
"""Variants of the rulebook that are not written in `variants`, and what to write instead."""


def load_game(path: Path) -> Game:
    """Return the game of a file; raise NotationError with the file, the path of the mistake and what was expected."""
    return parse_game(read_text(path, description="a game file"), name=str(path))


def parse_game(text: str, *, name: str = "the game") -> Game:
    """Return the game of a text, which errors call `name`; raise NotationError as `load_game` does."""
    return _parse_game(parse_toml(text, name=name))


def game_from_dict(data: Mapping[str, Any], *, name: str = "the game") -> Game:
    """Return the game of plain values with the keys of a game file; raise NotationError as `load_game` does."""
    return _parse_game(Node(data, name))


def _parse_game(top: Node) -> Game:
    top.check_keys(TOP_KEYS)
    for variant in VARIANTS:
        if top.value.get("game") == variant.id:  # as `--game age-of-giants` of the command line
            top.get_node("game").fail(f"{variant.name} is added to a game", f'variants = ["{variant.id}"]')
    kind = top.get_choice("game", GAMES, default="kingdomino")
    variants = _parse_variants(top, kind)
    teams = top.get_flag("teams")
    if teams and kind != "royal-wedding":
        top.get_node("teams").fail("teams play the Royal Wedding", 'game = "royal-wedding"')
    facts = make_rule_set(kind, variants=variants).facts
    tables = tuple(_parse_tables(top, facts, teams=teams))
    side = top.get_one_of("side", (7,) if teams else SIDES)
    game = make_game(kind, tables, side=side, variants=variants, teams=teams)
    _check_kingdoms(game, top)
    return game


def _parse_variants(top: Node, kind: str) -> tuple[str, ...]:
    for index, name in enumerate(top.get_texts("variants")):
        if name in OTHER_SETTINGS:
            top.get_node("variants", index).fail(f"variants has {name!r}", OTHER_SETTINGS[name])
    variants = tuple(dict.fromkeys(top.get_texts("variants", [variant.id for variant in VARIANTS])))
    for variant in VARIANTS:
        if variant.id in variants and not variant.fits(kind):
            top.get_node("variants").fail(f"{variant.name} cannot be added to {kind}", _join_games(variant.games))
    return variants


def _join_games(games: Iterable[str]) -> str:
    return "game = " + " or ".join(f'"{game}"' for game in games)


def _find_setting(fact: str) -> str:
    """Return the line of a game file that makes a fact part of the game."""
    for variant in VARIANTS:
        if fact in variant.facts:
            return f'variants = ["{variant.id}"]'
    return _join_games(game for game, make_rules in GAMES.items() if fact in make_rules().facts)


def _parse_tables(top: Node, facts: Sequence[str], *, teams: bool) -> Iterator[Table]:
    rounds = top.get_tables("round")
    if rounds and "kingdom" in top:
        top.get_node("kingdom", 0).fail("a kingdom stands outside the rounds", "[[round.kingdom]] under its [[round]]")
    if rounds and "open_gems" in top:
        top.get_node("open_gems").fail("open_gems stands outside the rounds", "open_gems under each [[round]]")
    if rounds and len(rounds) != DYNASTY_ROUNDS:
        expected = f"{DYNASTY_ROUNDS} rounds, a Dynasty, or none"
        top.get_node("round", len(rounds) - 1).fail(f"the game has {count_noun(len(rounds), 'round')}", expected)
    if isinstance(top.value.get("kingdoms"), list):
        top.get_node("kingdoms", 0).fail("kingdoms is a list", "[[kingdom]] for each, or how many were played")
    seats, team_names = top.get_number("kingdoms"), dict[frozenset[str], str]()
    for table in rounds or [top]:
        if rounds:
            table.check_keys(("kingdom", "open_gems"), of="a round")
        open_gems = tuple(kind.casefold() for kind in table.get_texts("open_gems"))
        if open_gems and "gems" not in facts:
            table.get_node("open_gems").fail("gems are not part of this game", _find_setting("gems"))
        nodes = enumerate(table.get_tables("kingdom"), start=1)
        kingdoms = [_parse_kingdom(node, facts, number, teams=teams) for number, node in nodes]
        if teams:  # the two names may come in another order in a later round
            keys = [frozenset(kingdom.player.casefold().split(" & ")) for kingdom in kingdoms]
            names = [team_names.setdefault(key, kingdom.player) for key, kingdom in zip(keys, kingdoms, strict=True)]
            kingdoms = [replace(kingdom, player=name) for kingdom, name in zip(kingdoms, names, strict=True)]
        yield Table(close_queen(kingdoms), open_gems, seats)


def _parse_kingdom(node: Node, facts: Sequence[str], number: int, *, teams: bool) -> Kingdom:
    for key in node.value:
        if key in FACTS and key not in facts:
            node.get_node(key).fail(f"{key} is no part of this game", f"{_find_setting(key)} at the top")
    node.check_keys((*KINGDOM_KEYS, *facts), of="a kingdom of this game")
    node, open_facts = node.split_unknown(FACTS)
    return Kingdom(
        board=node.get_board("board"),
        player=_parse_player(node, number, teams=teams),
        buildings=tuple(map(parse_building, node.get_tables("buildings", may_be_unknown=True, may_be_text=True))),
        knights=tuple(item.parse_square(item.value) for item in node.list_text_nodes("knights", may_be_unknown=True)),
        spare_knights=node.get_number("spare_knights"),
        towers=node.get_number("towers"),
        coins=node.get_number("coins"),
        queen=node.get_flag("queen"),
        gems=tuple(map(parse_gem, node.get_tables("gems", may_be_unknown=True))),
        tokens=tuple(token for kind in TOKEN_KINDS.values() for token in parse_tokens(node, kind)),
        discarded=node.get_number("discarded") if "discarded" in node else None,
        claims=tuple(CLAIMS[claim] for claim in node.get_texts("claims", CLAIMS)),
        towns=node.get_number("towns") if "towns" in node else None,
        questions=tuple(node.get_texts("questions")),
        open_facts=open_facts,
    )


def _parse_player(node: Node, number: int, *, teams: bool) -> str:
    if not teams:
        if "players" in node:
            node.get_node("players").fail("only teams share a kingdom", "player = and one name, or teams = true")
        return node.get_text("player", default=f"kingdom {number}")
    if "player" in node:
        node.get_node("player").fail("a kingdom of a team has two players", "players = and two names")
    names, players = node.get_texts("players"), node.get_node("players")
    if names and len(names) != 2:
        players.fail(f"a team of {len(names)}", "two names")
    if any("&" in name for name in names):
        players.fail("& joins the names of a team", "names without it")
    if len(set(map(str.casefold, names))) < len(names):
        players.fail(f"{names[0]} twice in one team", "two different names")
    return " & ".join(names) or f"kingdom {number}"


def _check_kingdoms(game: Game, top: Node) -> None:
    """Fail for a number of kingdoms that cannot be, for a name used twice, and for rounds with different players."""
    rules, seats, first_players = game.rule_set, game.rounds[0].seats, set[str]()
    for number, table in enumerate(game.rounds):
        node = top.get_node("round", number) if len(game.rounds) > 1 else top
        count, limit = len(table.kingdoms), rules.max_kingdoms
        if not count and number == 0:
            node.fail("there is no kingdom", "at least one, under [[kingdom]]")
        if count > limit:
            node.get_node("kingdom", limit).fail(f"{rules.name} with {count} kingdoms", f"at most {limit} of them")
        if "kingdoms" in top and seats < count:
            top.get_node("kingdoms").fail(f"kingdoms is {seats}", f"no fewer than the {count} entered")
        if "kingdoms" in top and seats not in rules.dominoes_drawn:
            counts = [str(count) for count in sorted(rules.dominoes_drawn)]
            top.get_node("kingdoms").fail(f"{rules.name} with {seats} kingdoms", f"{join_words(counts, 'or')} of them")
        _check_names(table, node, teams=game.teams)
        players = {kingdom.player.casefold() for kingdom in table.kingdoms}
        first_players = first_players or players
        if players and players != first_players:
            node.fail("other players than in the first round", "the same names in every round")


def _check_names(table: Table, node: Node, *, teams: bool) -> None:
    """Fail if a person has two kingdoms, or is in two teams."""
    names = set[str]()
    for index, kingdom in enumerate(table.kingdoms):
        for name in kingdom.player.split(" & ") if teams else [kingdom.player]:
            if name.casefold() in names:
                message = f"{name} is in two teams" if teams else f"two kingdoms of {name}"
                expected = "each person in one team" if teams else "another name for each kingdom"
                node.get_node("kingdom", index).fail(message, expected)
            names.add(name.casefold())
