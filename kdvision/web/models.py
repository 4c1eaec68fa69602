"""Models of results and games, from which the OpenAPI description is generated.

They only describe: kdvision.report builds the results as plain values, docs/json.md explains each field, and a test
holds them to these models. kdvision.gamefile checks the games.
"""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kdvision.game.pieces import QUARTERS
from kdvision.game.rules import GAMES, SIDES, VARIANTS
from kdvision.gamefile.model import CLAIMS

Point = Annotated[list[float], Meta(min_length=2, max_length=2)]
Origin = Annotated[list[int], Meta(description="row and column of A1 on the grid, from 0", min_length=2, max_length=2)]
Quad = Annotated[list[int], Meta(description="x, y of four corners, from the top left", min_length=8, max_length=8)]


class Line(Struct):
    label: str
    points: int
    clause: str
    squares: list[str]
    terrain: str | None


class Doubt(Struct):
    square: str
    read: str
    probability: float
    instead: str
    points_if: int | None
    total_if: int | None
    changes_standing: bool | None
    changes_winner: bool | None


class Ask(Doubt):
    kingdom: int
    verdict: str | None


class Chance(Struct):
    total: int
    points: int
    probability: float


class MissingDominoes(Struct):
    numbers: list[int | str]
    shows: str
    count: int


class RepeatedDominoes(MissingDominoes):
    kingdoms: list[int]


class Box(Struct):
    text: str
    right: bool
    dominoes: int
    of: int
    missing: list[MissingDominoes]
    twice: list[RepeatedDominoes]
    untold: list[int]


class Promise(Struct):
    wrong_at_most: float
    boards: int
    wrong: int
    upper: float | None
    confidence: float
    text: str


class Problem(Struct):
    text: str
    squares: list[str]
    clause: str | None


class Missing(Struct):
    item: str
    squares: list[str]
    text: str


class Place(Struct):
    place: int
    kingdom: int
    total: int
    reason: str | None


class Standing(Struct):
    reason: str
    winners: list[int]
    places: list[Place]


class SeenPiece(Struct):
    kind: str
    square: str
    probability: float


class SeenGem(Struct):
    between: str
    probability: float


class ScoredKingdom(Struct):
    board: list[str]
    corners: list[Point] | None
    place: str | None
    colour: str | None
    rules: str
    side: int
    points: int | None
    total: int | None
    complete: bool
    least: int
    most: int | None
    missing: list[Missing]
    lines: list[Line]
    largest: int
    crowns: int
    probability: float
    points_probability: float | None
    alternatives: list[Chance]
    review: bool
    doubts: list[Doubt]
    problems: list[Problem]
    pieces: list[SeenPiece]
    gems: list[SeenGem]


class Kingdom(ScoredKingdom):
    player: str | None


class DecidedKingdom(Kingdom):
    origin: Origin


class SeenKingdom(DecidedKingdom):
    sight: Annotated[str, Meta(description="for /api/decide; valid until the server stops")]
    squares: list[list[Quad]]
    untold: list[str]


class Error(Struct):
    error: Annotated[str, Meta(description="what is wrong")]
    hint: Annotated[str | None, Meta(description="what to do about it")]


class FailedPhoto(Error):
    photo: str


class PhotoResult(Struct):
    photo: str | None
    width: int | None
    height: int | None
    game: str | None
    standing: Standing | None
    outlook: str | None
    ask_first: Ask | None
    box: Box | None
    promise: Promise | None
    error: str | None
    hint: str | None
    failed: list[FailedPhoto]


class Result(PhotoResult):
    """What `kdvision score --json` prints."""

    kingdoms: list[Kingdom]


class SeenResult(PhotoResult):
    kingdoms: list[SeenKingdom]
    variants: list[str]


class Decided(Struct):
    kingdoms: list[DecidedKingdom]


class PlayedDomino(Struct):
    squares: list[str]
    numbers: list[int | str]
    sure: bool


class PlayedKingdom(ScoredKingdom):
    player: str
    dominoes: list[PlayedDomino] | None
    readings: int
    readings_alone: int


class Round(Struct):
    kingdoms: list[PlayedKingdom]
    standing: Standing | None
    outlook: str | None
    problems: list[Problem]
    note: str | None


class GameResult(Struct):
    """What `kdvision game --json` prints."""

    file: str
    rules: str
    side: int
    complete: bool
    rounds: list[Round]
    winners: list[str]
    standing: Standing | None


class Paired(Struct):
    paired: bool


class Invitation(Struct):
    link: Annotated[str | None, Meta(description="null without --lan")]
    qr: Annotated[list[str], Meta(description="the QR code of the link, one text per row, 1 for dark")]


SQUARE: Final = r"[A-Za-z]([1-9]|1[0-9]|2[0-6])"


def one_of(values: Any) -> Meta:
    """The values that a field may have, as the rules list them."""
    return Meta(extra_json_schema={"enum": list(values)})


NotGiven = Literal["?"]
Count = Annotated[int, Meta(ge=0, le=1000)]
Name = Annotated[str, Meta(min_length=1, max_length=60)]
SquareOrNotGiven = Annotated[str, Meta(pattern=rf"^(\?|{SQUARE})$")]
Players = Annotated[list[Name], Meta(min_length=2, max_length=2)]
Quarters = Annotated[list[int], Meta(description="clockwise from the top left", min_length=4, max_length=4)]
Board = Annotated[list[str] | str, Meta(description="one text per row, or rows separated by /", examples=[["w1 w"]])]


class Building(Struct):
    at: Annotated[str, Meta(pattern=f"^{SQUARE}$")]
    name: str | UnsetType = UNSET
    points: Count | UnsetType = UNSET
    crowns: Count | UnsetType = UNSET
    per_territory: str | UnsetType = UNSET
    per_tower: Count | UnsetType = UNSET
    per_knight: Count | UnsetType = UNSET


class Gem(Struct):
    kind: Name
    between: Annotated[str, Meta(description="two squares that touch at its corner, such as B2 C3")]
    crowns: Quarters | UnsetType = UNSET
    skull: Annotated[str, one_of(QUARTERS)] | UnsetType = UNSET
    turned: Annotated[int, Meta(ge=0, le=3)] | UnsetType = UNSET


class GivenKingdom(Struct):
    board: Board
    player: Name | UnsetType = UNSET
    players: Players | UnsetType = UNSET
    discarded: Count | UnsetType = UNSET
    claims: list[Annotated[str, one_of(CLAIMS)]] | UnsetType = UNSET
    towns: Count | NotGiven | UnsetType = UNSET
    coins: Count | NotGiven | UnsetType = UNSET
    towers: Count | NotGiven | UnsetType = UNSET
    queen: bool | NotGiven | UnsetType = UNSET
    knights: list[SquareOrNotGiven] | NotGiven | UnsetType = UNSET
    spare_knights: Count | NotGiven | UnsetType = UNSET
    buildings: list[Building | NotGiven] | NotGiven | UnsetType = UNSET
    gems: list[Gem | NotGiven] | NotGiven | UnsetType = UNSET


class GivenRound(Struct):
    kingdom: list[GivenKingdom]
    open_gems: list[Name] | UnsetType = UNSET


class Game(Struct):
    """A game as in a game file: either `kingdom`, or `round` three times."""

    game: Annotated[str, one_of(GAMES)] | UnsetType = UNSET
    variants: list[Annotated[str, one_of(variant.id for variant in VARIANTS)]] | UnsetType = UNSET
    side: Annotated[int, one_of(SIDES)] | UnsetType = UNSET
    teams: bool | UnsetType = UNSET
    kingdoms: Annotated[Count, Meta(description="how many were played, if some are not listed")] | UnsetType = UNSET
    open_gems: list[Name] | UnsetType = UNSET
    kingdom: list[GivenKingdom] | UnsetType = UNSET
    round: list[GivenRound] | UnsetType = UNSET


class Key(Struct):
    key: Annotated[str, Meta(description="as kdvision serve printed it")]
