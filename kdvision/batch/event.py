"""`event.toml`: what an organiser knows and no photo shows.

    name = "Spring Cup"
    variants = ["harmony"]
    rounds = 3
    dynasty = true
    players = ["Ann", "Bo", "Cy", "Di"]

    [[photo]]
    file = "IMG_0012.jpg"
    round = 1
    table = 3
    players = ["Ann"]

docs/events.md lists every key.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kdvision.batch.naming import Seat, key_of, name_of, seat_of
from kdvision.game.board import Board
from kdvision.game.game import ROUNDS, Game, usual_side
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.rules import SIDES, board_variants, side_of
from kdvision.game.scoring import RuleSet
from kdvision.gamefile.read import Node, document, text_at

FILE: Final = "event.toml"
TOP: Final = ("name", "game", "variants", "side", "rounds", "dynasty", "players", "team", "table", "photo")
GAMES: Final = ("kingdomino",)
MOST_ROUNDS: Final = 1000


@dataclass(frozen=True)
class Rules:
    """What an event's boards are scored by; `side` is None where each game's boards show it."""

    variants: tuple[str, ...] = ()
    side: int | None = None

    def rule_set(self, boards: Iterable[Board]) -> RuleSet:
        """The rules for the boards of one photo, by themselves."""
        return self._of_side(self.side or side_of(boards))

    def of_game(self, boards: Iterable[Board]) -> RuleSet:
        """The rules for all boards of one game: more than two kingdoms are played to a side of five."""
        return self._of_side(self.side or usual_side("kingdomino", [Table(tuple(map(Kingdom, boards)))]))

    def _of_side(self, side: int) -> RuleSet:
        return Game("kingdomino", side, (), self.variants).rule_set


@dataclass(frozen=True)
class Event:
    """All that is known of an event before a photo is read. `tables` are those told, `photos` the seats told by file.

    `rounds` is 0 where nobody told how many there are; `players` and `teams` are empty likewise.
    """

    name: str = ""
    rules: Rules = Rules()
    rounds: int = 0
    dynasty: bool = False
    players: tuple[str, ...] = ()
    teams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: tuple[Seat, ...] = ()
    photos: Mapping[str, Seat] = field(default_factory=dict)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of which somebody has told the players, whether or not there is a photo of them."""
        told = (seat for file, seat in self.photos.items() if seat.players != seat_of(file).players)
        return (*told, *self.tables)

    def seat(self, photo: str) -> Seat:
        """Where a photo belongs: as the event's file says, else by its name; at a told table, with its players."""
        seat = self.photos.get(photo) or seat_of(photo)
        if seat.players:
            return seat
        told = next((one for one in self.tables if (one.round, one.table) == (seat.round, seat.table)), None)
        return told or seat


def load(path: Path) -> Event:
    """The event of a file; raises NotationError with file, line and what was expected."""
    return parse(text_at(path, what="an event file"), name=str(path))


def parse(text: str, *, name: str = FILE) -> Event:
    """The event of a text; `name` is what errors call it. Raises NotationError with line and what was expected."""
    top = document(text, name=name)
    top.only(TOP, of="an event file")
    top.choice("game", GAMES, default=GAMES[0])
    side = top.one_of("side", SIDES, default=SIDES[0]) if "side" in top else None
    rules = Rules(
        tuple(dict.fromkeys(top.choices("variants", [variant.id for variant in board_variants(GAMES[0])]))), side
    )
    dynasty = top.flag("dynasty")
    rounds = _rounds(top, dynasty=dynasty)
    players = _names(top, "players")
    event = Event(
        name=top.text("name"),
        rules=rules,
        rounds=rounds,
        dynasty=dynasty,
        players=players,
        teams=_teams(top, players),
        tables=_tables(top, rounds, players, rules),
        photos=_photos(top, rounds, players),
    )
    _check_seats(top, event)
    return event


def _rounds(top: Node, *, dynasty: bool) -> int:
    rounds = top.number("rounds", default=ROUNDS if dynasty else 0, most=MOST_ROUNDS)
    if "rounds" in top and not rounds:
        top.at("rounds").fail("rounds is 0", "how many rounds are played")
    if dynasty and rounds != ROUNDS:
        top.at("rounds").fail(f"a Dynasty of {rounds} rounds", f"{ROUNDS} rounds, or dynasty = false")
    return rounds


def _names(node: Node, key: str, among: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of a list, none twice; spelled as in `among`, where all of them have to be if that is told."""
    known = {key_of(name): name for name in among}
    found: dict[str, str] = {}
    for place, text in enumerate(node.texts(key)):
        name = name_of(text)
        if key_of(name) in found:
            node.at(key, place).fail(f"{name} stands here twice", "each name once")
        if among and key_of(name) not in known:
            node.at(key, place).fail(f"{name} is not among the players", "a name of the list `players` at the top")
        found[key_of(name)] = known.get(key_of(name), name)
    return tuple(found.values())


def _teams(top: Node, players: Sequence[str]) -> dict[str, tuple[str, ...]]:
    teams: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    for node in top.tables("team"):
        node.only(("name", "players"), of="a team")
        name, members = name_of(node.text("name", default=f"team {len(teams) + 1}")), _names(node, "players", players)
        if not members:
            node.fail(f"{name} has no players", "players = and a list of names")
        if name in teams:
            node.at("name").fail(f"two teams are called {name}", "another name for each team")
        for place, member in enumerate(members):
            if key_of(member) in taken:
                node.at("players", place).fail(
                    f"{member} is in {taken[key_of(member)]} too", "one team for each player"
                )
            taken[key_of(member)] = name
        teams[name] = members
    return teams


def _tables(top: Node, rounds: int, players: Sequence[str], rules: Rules) -> tuple[Seat, ...]:
    most = rules.of_game([]).most
    seats: list[Seat] = []
    for node in top.tables("table"):
        node.only(("round", "table", "players"), of="a table")
        seat = Seat(_round(node, rounds), _table(node), _names(node, "players", players))
        if not seat.players:
            node.fail("a table without players", "players = and a list of names")
        if len(seat.players) > most:
            node.at("players", most).fail(f"a table of {len(seat.players)}", f"at most {most} players")
        for other in seats:
            if (other.round, other.table) == (seat.round, seat.table):
                node.fail(f"table {seat.table} of round {seat.round} stands here twice", "each table once")
            for name in (name for name in seat.players if name in other.players and other.round == seat.round):
                node.at("players").fail(
                    f"{name} sits at table {other.table} in that round", "one table for each player"
                )
        seats.append(seat)
    return tuple(seats)


def _photos(top: Node, rounds: int, players: Sequence[str]) -> dict[str, Seat]:
    photos: dict[str, Seat] = {}
    for node in top.tables("photo"):
        node.only(("file", "round", "table", "players"), of="a photo")
        file = node.text("file").replace("\\", "/").removeprefix("./")
        if not file:
            node.fail("a photo without its file", 'file = and a path below the folder, as in "IMG_0012.jpg"')
        if file in photos:
            node.at("file").fail(f"{file} stands here twice", "each file once")
        usual = seat_of(file)
        round_ = _round(node, rounds) if "round" in node else usual.round
        table = _table(node) if "table" in node else usual.table
        photos[file] = Seat(round_, table, _names(node, "players", players) if "players" in node else usual.players)
    return photos


def _round(node: Node, rounds: int) -> int:
    number = node.number("round", default=1, most=MOST_ROUNDS)
    if not number or number > (rounds or MOST_ROUNDS):
        node.at("round").fail(f"round is {number}", f"a round from 1 to {rounds or MOST_ROUNDS}")
    return number


def _table(node: Node) -> str:
    value = node.value.get("table", "")
    return str(node.number("table")) if isinstance(value, int) else name_of(node.text("table"))


def _check_seats(top: Node, event: Event) -> None:
    """A player told at one table in [[table]] is not told at another one by [[photo]]."""
    seated = {(seat.round, key_of(name)): seat.table for seat in event.tables for name in seat.players}
    for place, seat in enumerate(event.photos.values()):
        for name in seat.players:
            table = seated.get((seat.round, key_of(name)), seat.table)
            if table != seat.table:
                what = f"{name} is at table {seat.table} here and at table {table} in [[table]]"
                top.at("photo", place).fail(what, "one table for each player and round")
