"""`event.toml`: what an organiser knows and no photo shows, and the rules of the event.

docs/events.md explains the keys. Photos of an event are scored by Kingdomino's rules. A board with towns belongs to
another game, whose photos do not show everything that counts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final
from unicodedata import normalize

from kdvision.batch.photos import Seat, clean_name, make_name_key, parse_seat, parse_table
from kdvision.game.board import Board
from kdvision.game.game import DYNASTY_ROUNDS, choose_rule_set
from kdvision.game.kingdom import Kingdom, TokenKind, TokensByKey, find_towns, join_tokens
from kdvision.game.legality import Problem, join_names
from kdvision.game.rules import SIDES, VARIANTS, infer_board_side, list_board_variants, make_rule_set
from kdvision.game.scoring import RuleSet
from kdvision.gamefile.pieces import parse_tokens
from kdvision.gamefile.read import Node, parse_toml

EVENT_FILE: Final = "event.toml"
KEYS: Final = ("name", "game", "variants", "side", "rounds", "dynasty", "players", "team", "table", "photo")
MAX_ROUNDS: Final = 1000

GAME: Final = "kingdomino"
NO_TOWNS: Final = "Kingdomino has none, and a batch scores by its rules alone"
OTHER_KINGDOM_HAS_TOWNS: Final = Problem((), f"another kingdom of the photo has towns: {NO_TOWNS}")
SCORE_ELSEWHERE: Final = "move its photo elsewhere, and score it with kdvision score, which detects the game"

EVENT_VARIANTS: Final = list_board_variants(GAME)
"""The variants of events. Some have tokens, which no photo shows; the event file lists them."""


@dataclass(frozen=True)
class Rules:
    """The rules of an event; `side` is None if the boards of each game determine it.

    The rules for one photo also have the `tokens` on each of its kingdoms, by key.
    """

    variants: tuple[str, ...] = ()
    side: int | None = None
    tokens: tuple[TokensByKey, ...] = ()

    @property
    def token_kinds(self) -> tuple[TokenKind, ...]:
        """The kinds of token that these variants put on squares."""
        return tuple(kind for variant in VARIANTS if variant.id in self.variants for kind in variant.tokens)

    def build_kingdom(self, board: Board, number: int, player: str = "") -> Kingdom:
        """Return the kingdom with this number, from 1, and its tokens."""
        return Kingdom(board, player, tokens=join_tokens(self.list_tokens(number)))

    def list_tokens(self, number: int) -> TokensByKey:
        """Return the tokens on the kingdom with this number, from 1; none of any kind if they are not listed."""
        return self.tokens[number - 1] if number <= len(self.tokens) else {kind.key: () for kind in self.token_kinds}

    def choose_photo_rule_set(self, boards: Iterable[Board]) -> RuleSet:
        """Return the rules for the boards of one photo on its own."""
        return make_rule_set(GAME, side=self.side or infer_board_side(boards), variants=self.variants)

    def choose_game_rule_set(self, boards: Iterable[Board]) -> RuleSet:
        """Return the rules for all boards of one game: a game of more than two kingdoms has a side of five."""
        return choose_rule_set(GAME, list(boards), side=self.side, variants=self.variants)


def find_towns_problem(board: Board) -> Problem | None:
    """Return the problem of a board with towns; None for a board without."""
    squares = find_towns(board)
    verb = "towns lie" if len(squares) > 1 else "a town lies"
    text = f"{verb} on {join_names(squares)}: {NO_TOWNS}"
    return Problem(squares, text, "kingdomino/box") if squares else None


@dataclass(frozen=True)
class Event:
    """What is known of an event before any photo is read.

    `tables` has the seats under [[table]] by round and key of the table's name, `photos` the seats under [[photo]] by
    file, and `tokens` the tokens on the kingdoms of a photo by file. Files are in composed Unicode letters. If the
    event file does not give them, `rounds` is 0, and `players` and `teams` are empty.
    """

    name: str = ""
    rules: Rules = field(default_factory=Rules)
    rounds: int = 0
    dynasty: bool = False
    players: tuple[str, ...] = ()
    teams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: Mapping[tuple[int, str], Seat] = field(default_factory=dict)
    photos: Mapping[str, Seat] = field(default_factory=dict)
    tokens: Mapping[str, tuple[TokensByKey, ...]] = field(default_factory=dict)

    def find_photo_rules(self, photo: str) -> Rules:
        """Return the rules for a photo, with the tokens on its kingdoms."""
        return replace(self.rules, tokens=self.tokens.get(photo, ()))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats whose players the event file gives, whether or not there is a photo of them."""
        seats = (self.find_seat(file) for file, seat in self.photos.items() if seat.players != parse_seat(file).players)
        return (*seats, *self.tables.values())

    @cached_property
    def table_of(self) -> Mapping[tuple[int, str], str]:
        """The table of each player under [[table]], by round and key of the name."""
        return {(seat.round, make_name_key(name)): seat.table for seat in self.tables.values() for name in seat.players}

    def find_seat(self, photo: str) -> Seat:
        """Return the seat of a photo from [[photo]] or its name; [[table]] gives the spelling, and what is missing."""
        seat = self.photos.get(photo) or parse_seat(photo)
        tables = {self.table_of.get((seat.round, make_name_key(name)), "") for name in seat.players}
        if not seat.table and len(tables) == 1:
            seat = replace(seat, table=tables.pop())
        table = self.tables.get((seat.round, make_name_key(seat.table)), seat)
        return replace(seat, table=table.table, players=seat.players or table.players)


def parse_event(text: str, *, name: str = EVENT_FILE) -> Event:
    """Return the event of a TOML text, which errors call `name`; raise NotationError with line and expected value."""
    top = parse_toml(text, name=name)
    top.check_keys(KEYS, of="an event file")
    top.get_choice("game", (GAME,), default=GAME)
    variants = top.get_texts("variants", [variant.id for variant in EVENT_VARIANTS])
    dynasty = top.get_flag("dynasty")
    rounds = top.get_number("rounds", default=DYNASTY_ROUNDS if dynasty else 0, maximum=MAX_ROUNDS)
    if "rounds" in top and not rounds:
        top.get_node("rounds").fail("rounds is 0", "the number of rounds")
    if dynasty and rounds != DYNASTY_ROUNDS:
        top.get_node("rounds").fail(f"a Dynasty of {rounds} rounds", f"{DYNASTY_ROUNDS} rounds, or dynasty = false")
    rules = Rules(tuple(dict.fromkeys(variants)), top.get_one_of("side", SIDES))
    event = Event(top.get_text("name"), rules, rounds, dynasty, _parse_names(top))
    event = replace(event, teams=_parse_teams(top, event.players), tables=_parse_tables(top, event))
    photos, tokens = _parse_photos(top, event)
    return replace(event, photos=photos, tokens=tokens)


def _parse_names(node: Node, event_players: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the `players`, each once. Only names of `event_players` are valid, in its spelling, unless it is empty."""
    spelling = {make_name_key(name): name for name in event_players}
    names: dict[str, str] = {}
    for place, text in enumerate(node.get_texts("players")):
        name = clean_name(text)
        if make_name_key(name) in names:
            node.get_node("players", place).fail(f"{name} is listed twice", "each name once")
        if spelling and make_name_key(name) not in spelling:
            hint = "a name from the list `players` at the top"
            node.get_node("players", place).fail(f"{name} is not among the players", hint)
        names[make_name_key(name)] = spelling.get(make_name_key(name), name)
    return tuple(names.values())


def _parse_teams(top: Node, players: Sequence[str]) -> dict[str, tuple[str, ...]]:
    teams: dict[str, tuple[str, ...]] = {}
    team_of: dict[str, str] = {}
    for node in top.get_tables("team"):
        node.check_keys(("name", "players"), of="a team")
        name = clean_name(node.get_text("name", default=f"team {len(teams) + 1}"))
        members = _parse_names(node, players)
        if not members:
            node.fail(f"{name} has no players", "players = and a list of names")
        if make_name_key(name) in map(make_name_key, teams):
            node.get_node("name").fail(f"two teams are called {name}", "another name for each team")
        for place, member in enumerate(members):
            if (other_team := team_of.setdefault(make_name_key(member), name)) != name:
                node.get_node("players", place).fail(f"{member} is in {other_team} too", "one team for each player")
        teams[name] = members
    return teams


def _parse_tables(top: Node, event: Event) -> dict[tuple[int, str], Seat]:
    max_players = event.rules.choose_game_rule_set([]).max_kingdoms
    tables: dict[tuple[int, str], Seat] = {}
    table_of: dict[tuple[int, str], str] = {}
    for node in top.get_tables("table"):
        node.check_keys(("round", "table", "players"), of="a table")
        seat = _parse_seat(node, event, Seat())
        if not seat.players:
            node.fail("a table without players", "players = and a list of names")
        if len(seat.players) > max_players:
            message = f"a table of {len(seat.players)}"
            node.get_node("players", max_players).fail(message, f"at most {max_players} players")
        key = seat.round, make_name_key(seat.table)
        if key in tables:
            node.fail(f"table {seat.table} of round {seat.round} is listed twice", "each table once")
        for name in seat.players:
            if (table := table_of.setdefault((seat.round, make_name_key(name)), seat.table)) != seat.table:
                message = f"{name} sits at table {table} in that round"
                node.get_node("players").fail(message, "one table for each player")
        tables[key] = seat
    return tables


def _parse_photos(top: Node, event: Event) -> tuple[dict[str, Seat], dict[str, tuple[TokensByKey, ...]]]:
    """Return the seat of each photo under [[photo]], and the tokens on its kingdoms if they are listed."""
    photos: dict[str, Seat] = {}
    tokens: dict[str, tuple[TokensByKey, ...]] = {}
    for node in top.get_tables("photo"):
        node.check_keys(("file", "round", "table", "players", "kingdom"), of="a photo")
        file = normalize("NFC", node.get_text("file")).replace("\\", "/").removeprefix("./")
        if not file:
            node.fail("a photo without its file", 'file = and a path below the folder, as in "IMG_0012.jpg"')
        if file in photos:
            node.get_node("file").fail(f"{file} is listed twice", "each file once")
        seat = photos[file] = _parse_seat(node, event, parse_seat(file))
        for name in seat.players:
            table = event.table_of.get((seat.round, make_name_key(name)))
            if table and seat.table and make_name_key(table) != make_name_key(seat.table):
                message = f"{name} is at table {seat.table} here and at table {table} in [[table]]"
                node.fail(message, "one table for each player and round")
        if "kingdom" in node:
            tokens[file] = tuple(_parse_tokens(node, event.rules))
    return photos, tokens


def _parse_seat(node: Node, event: Event, default: Seat) -> Seat:
    """Return the round, the table and the players that are given, else those of `default`."""
    round_, table, players = default.round, default.table, default.players
    if "round" in node:
        round_, max_round = node.get_number("round", maximum=MAX_ROUNDS), event.rounds or MAX_ROUNDS
        if not 1 <= round_ <= max_round:
            node.get_node("round").fail(f"round is {round_}", f"a round from 1 to {max_round}")
    if "table" in node:
        is_number = isinstance(node.value["table"], int)
        table = str(node.get_number("table")) if is_number else parse_table(node.get_text("table"))
    if "players" in node:
        players = _parse_names(node, event.players)
    return Seat(round_, table, players, has_listed_players="players" in node)


def _parse_tokens(photo: Node, rules: Rules) -> Iterator[TokensByKey]:
    """Yield the tokens on each kingdom of a photo; a key that is missing means none."""
    kinds = {kind.key: kind for kind in rules.token_kinds}
    variant_ids = {kind.key: variant.id for variant in EVENT_VARIANTS for kind in variant.tokens}
    for node in photo.get_tables("kingdom"):
        for key in node.value:
            if key not in kinds:
                setting = f'variants = ["{variant_ids[key]}"] at the top' if key in variant_ids else ""
                expected = setting or f"one of {', '.join(kinds or variant_ids)}"
                node.get_node(key).fail(f"{key} is no part of this event", expected)
            if key in node.split_unknown([key])[1]:
                node.get_node(key).fail(f'{key} has "?"', "all of them, [] for none")
        yield {key: tuple(parse_tokens(node, kind)) for key, kind in kinds.items()}
