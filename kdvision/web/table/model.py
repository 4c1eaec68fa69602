"""The game at a table as it is stored and sent: rules, and rounds of kingdoms. All values are immutable."""

import re
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from kdvision.game.board import Board, Cell, Square
from kdvision.game.kingdom import UNKNOWN
from kdvision.game.legality import move_names
from kdvision.game.rules import GAMES, SIDES, VARIANTS, find_only_game, make_rule_set, name_box
from kdvision.web.games import allow_values
from kdvision.web.limits import Refusal

PLACE: Final = r"(?:0|-?[1-9][0-9]?),(?:0|-?[1-9][0-9]?)"
"""Each square has one place: without zeros in front, and without a minus before 0."""
ID: Final = r"^[A-Za-z0-9-]{1,40}$(?!\n)"
PLACES: Final = re.compile(f"(?P<places>{PLACE}( {PLACE})*)(?P<words>( .+)?)", re.ASCII)
"""One place, or several that touch, in the facts of a kingdom; words may follow, as in "2,3 Farmer"."""

MAX_NAME_CHARS: Final = 60
MAX_ROUNDS: Final = 3
MAX_KINGDOMS_PER_ROUND: Final = 16
"""Twice as many as any game has: the table photographed again, before one of both is removed."""

Place = Annotated[str, Meta(pattern=rf"^{PLACE}$(?!\n)", description="row,col on the kingdom's grid")]
CellText = Annotated[str, Meta(pattern=r"^(#|\.|\?|[wflgstmWFLGSTM][0-9]?)$(?!\n)")]
KingdomId = Annotated[str, Meta(pattern=ID)]
PlayerName = Annotated[str, Meta(max_length=MAX_NAME_CHARS)]
Facts = Annotated[dict[str, Any], Meta(description="keys of a kingdom in game files, with places for squares")]


class PartialRules(Struct, frozen=True):
    """Rules of which some may not be given: the game keeps its own ones."""

    game: Annotated[str, allow_values(GAMES)] | UnsetType = UNSET
    variants: list[Annotated[str, allow_values(variant.id for variant in VARIANTS)]] | UnsetType = UNSET
    side: Annotated[int | None, allow_values((*SIDES, None))] | UnsetType = UNSET
    seats: Annotated[int, Meta(ge=1, le=9)] | UnsetType | None = UNSET
    dynasty: bool | UnsetType = UNSET
    teams: bool | UnsetType = UNSET
    open_gems: Annotated[list[PlayerName], Meta(max_length=9)] | UnsetType = UNSET


class TableRules(PartialRules, frozen=True):
    """The rules of a game; `seats` is how many kingdoms were played, if some are not entered."""

    game: Annotated[str, allow_values(GAMES)] = "kingdomino"
    variants: list[Annotated[str, allow_values(variant.id for variant in VARIANTS)]] = []
    side: Annotated[int | None, allow_values((*SIDES, None))] = None
    seats: Annotated[int, Meta(ge=1, le=9)] | None = None
    dynasty: bool = False
    teams: bool = False
    open_gems: Annotated[list[PlayerName], Meta(max_length=9)] = []

    @property
    def box(self) -> str:
        """The name of the box for `pipeline.read`."""
        return name_box(self.game, self.variants)

    @property
    def facts(self) -> set[str]:
        """The keys of game files for the facts that a kingdom needs beside its board."""
        return {*make_rule_set(self.game, variants=self.variants).facts}


class SquareDoubt(Struct, frozen=True):
    """A square that may hold something else; `changes` are all squares that differ then."""

    at: Place
    read: str
    instead: str
    probability: float
    changes: dict[Place, str]


class PieceDoubt(Struct, frozen=True):
    """A piece that may stand on a square, or a gem that may lie at its lower right corner."""

    kind: str
    at: Place
    probability: float


class PhotoInfo(Struct, frozen=True):
    """What a photo showed of a kingdom.

    `reading` is the id of the stored observation, empty for the questions of a shared link. `photo` is the id that the
    client chose. `first` is the place of `squares[0][0]`. `contradictions` are the problems between its photos, and
    corrections that it has no square for; a new decision leaves them. `views` are hashes of the observations that a
    reading of several photos combines.
    """

    reading: str = ""
    photo: str = ""
    squares: list[list[list[int]]] = []
    first: tuple[int, int] = (0, 0)
    probability: float = 0.0
    review: bool = False
    doubts: list[SquareDoubt] = []
    pieces: list[PieceDoubt] = []
    problems: list[str] = []
    contradictions: list[str] = []
    views: list[str] = []


class TableKingdom(Struct, frozen=True, rename={"photo_info": "seen"}):
    """A kingdom. `fixes` are the squares that a person has set; `checked` is true if a person has confirmed it."""

    id: str
    player: str
    colour: str
    cells: dict[Place, str]
    facts: Facts = {}
    fixes: dict[Place, str] = {}
    photo_info: PhotoInfo | None = None
    checked: bool = False

    @property
    def reading(self) -> str:
        """The id of the stored observation; empty without one."""
        return self.photo_info.reading if self.photo_info is not None else ""

    @property
    def unconfirmed_info(self) -> PhotoInfo:
        """What a photo showed and no person has confirmed; an empty value if there is nothing."""
        return PhotoInfo() if self.photo_info is None or self.checked else self.photo_info

    @property
    def top_left(self) -> Square:
        """The place of the board's A1: the first row and column with a tile."""
        rows, cols = zip(*map(parse_place, self.cells), strict=True) if self.cells else ((0,), (0,))
        return Square(min(rows), min(cols))

    def with_names_from(self, first: Square) -> "TableKingdom":
        """Return the kingdom with problems that name squares from its A1 instead of from the place `first`."""
        if self.photo_info is None:
            return self
        row, col = self.top_left
        problems = [move_names(text, first.row - row, first.col - col) for text in self.photo_info.problems]
        return msgspec.structs.replace(self, photo_info=msgspec.structs.replace(self.photo_info, problems=problems))

    @property
    def board(self) -> Board:
        """The board in the smallest frame."""
        top_left = self.top_left
        squares = {parse_place(place, top_left): cell for place, cell in self.cells.items()}
        known_cells = {square: Cell.parse(cell) for square, cell in squares.items() if cell != UNKNOWN}
        return Board(known_cells, unknown=squares.keys() - known_cells.keys())


class Answer(Struct, frozen=True):
    """An answer to a proposal, and the changes that it makes."""

    text: str
    changes: list[dict[str, Any]]


class Proposal(Struct, frozen=True):
    """A question about a photo that shows kingdoms which are at the table already; `kingdoms` are their ids.

    Its id is that of the photo, if the client chose one. `round` is the one that the photo was taken for.
    """

    id: str
    question: str
    kingdoms: list[str]
    answers: list[Answer]
    round: int = 0


class Player(Struct, frozen=True):
    """The name and the colour of a player."""

    player: str
    colour: str


class TableGame(Struct, frozen=True):
    """A game at a table. `number` counts the games of the table, `last_players` are those of the game before.

    `id` is the one that the client chose who started the game, if any.
    `proposals` are questions that anybody may answer, `deciding` are the rounds to decide again. Photos add none
    of the `removed_variants`, which people have removed.
    """

    number: int = 1
    rules: TableRules = TableRules()
    rounds: list[list[TableKingdom]] = msgspec.field(default_factory=lambda: [[]])
    last_players: list[Player] = []
    proposals: list[Proposal] = []
    deciding: list[int] = []
    id: str = ""
    removed_variants: list[str] = []

    @property
    def kingdoms(self) -> list[TableKingdom]:
        return [kingdom for kingdoms in self.rounds for kingdom in kingdoms]

    @property
    def is_open(self) -> bool:
        """True if the first photo decides which game it is: no person or variant has, and there is no kingdom yet."""
        is_default = self.rules.game == TableRules().game
        return is_default and find_only_game(self.rules.variants) is None and not self.kingdoms

    def list_round(self, number: int) -> list[TableKingdom]:
        """Return the kingdoms of a round; none if the game has no such round."""
        return self.rounds[number] if number < len(self.rounds) else []

    def find(self, kingdom_id: str, reading: str | None = None) -> TableKingdom:
        """Return the kingdom with this id; raise Refusal, also if its reading is not the given one."""
        for kingdom in self.kingdoms:
            if kingdom.id == kingdom_id:
                if reading not in (None, kingdom.reading):
                    message = f"{kingdom.player}'s kingdom has been read again since"
                    raise Refusal(409, message, hint="look at its board again")
                return kingdom
        raise Refusal(404, "this kingdom is not at the table any more", hint="somebody may have removed it: look again")

    def with_round(self, number: int, kingdoms: list[TableKingdom]) -> "TableGame":
        """Return the game with other kingdoms in one round."""
        return msgspec.structs.replace(self, rounds=[*self.rounds[:number], kingdoms, *self.rounds[number + 1 :]])

    def with_kingdom(self, kingdom: TableKingdom) -> "TableGame":
        """Return the game with a kingdom in place of the one with the same id."""
        rounds = [[kingdom if entry.id == kingdom.id else entry for entry in kingdoms] for kingdoms in self.rounds]
        return msgspec.structs.replace(self, rounds=rounds)

    @property
    def players(self) -> list[Player]:
        """The players, each once."""
        return list({kingdom.player: Player(kingdom.player, kingdom.colour) for kingdom in self.kingdoms}.values())


def format_place(square: tuple[int, int], first: tuple[int, int] = (0, 0)) -> str:
    """Return the place of a square; `first` is the place of A1."""
    return f"{square[0] + first[0]},{square[1] + first[1]}"


def parse_place(place: str, first: tuple[int, int] = (0, 0)) -> Square:
    """Return the square at a place; `first` is the place of A1."""
    row, col = map(int, place.split(","))
    return Square(row - first[0], col - first[1])


def list_cells(board: Board, first: tuple[int, int] = (0, 0)) -> dict[str, str]:
    """Return the squares of a board by their places; `first` is the place of its A1."""
    words = {square: str(cell) for square, cell in board.items()} | dict.fromkeys(board.unknown, UNKNOWN)
    return {format_place(square, first): word for square, word in words.items()}


def name_squares(facts: Facts, kingdom: TableKingdom) -> Facts:
    """Return the facts with names of squares instead of places, as in game files. Pieces off the board are left out."""
    top_left, board = kingdom.top_left, kingdom.board

    def name(value: Any) -> Any:
        if isinstance(value, dict):
            named_values = {key: name(item) for key, item in value.items()}
            return None if None in named_values.values() else named_values
        if isinstance(value, list):
            return [item for item in map(name, value) if item is not None]
        match = PLACES.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            return value
        squares = [parse_place(place, top_left) for place in match["places"].split()]
        if not all(0 <= row < board.height and 0 <= col < board.width for row, col in squares):
            return None
        return " ".join(square.name for square in squares) + match["words"]

    return {key: named_value for key, value in facts.items() if (named_value := name(value)) is not None}
