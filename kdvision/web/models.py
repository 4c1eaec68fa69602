"""Models of results, from which the OpenAPI description is generated.

They only describe: kdvision.report builds the results as plain values, docs/json.md explains each field, and tests hold
the results to these models.
"""

from typing import Annotated

from msgspec import Meta, Struct

Point = Annotated[list[float], Meta(min_length=2, max_length=2)]


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


class SeenKingdom(Kingdom):
    untold: Annotated[list[str], Meta(description="keys of game files for facts that the photo does not show in full")]


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
    outlook: str | None
    winners: list[str]
    standing: Standing | None


Position = Annotated[list[int], Meta(description="row and column from A1, may be negative", min_length=2, max_length=2)]


class Placement(Struct):
    first: Position
    second: Position
    joints: list[str]
    text: str


class FitsDoubt(Struct):
    square: str
    read: str
    probability: float
    instead: str
    fits_if: bool | None


class FitsAnswer(Struct):
    """What `kdvision fits --json` prints for a kingdom."""

    board: list[str]
    side: int
    fits: Annotated[bool | None, Meta(description="null if that depends on unknown squares")]
    text: str
    clause: str
    notes: list[str]
    placements: list[Placement]
    doubts: list[FitsDoubt]
    problems: list[Problem]
    review: bool


class Key(Struct):
    key: Annotated[str, Meta(description="as kdvision serve printed it")]


class Paired(Struct):
    paired: bool


class Invitation(Struct):
    link: Annotated[str | None, Meta(description="null without --lan")]
    qr: Annotated[list[str], Meta(description="the QR code of the link, one text per row, 1 for dark")]


class TableDoubt(Struct):
    """A square in doubt and what depends on it; `at` is its place, `square` its name."""

    kingdom: str
    at: str
    square: str
    read: str
    instead: str
    probability: float
    points_if: int
    total_if: int
    changes_standing: bool | None
    changes_winner: bool | None
    verdict: str | None


class KingdomScore(ScoredKingdom):
    """The score of a kingdom; `error` says what is wrong with its facts, which then do not count."""

    player: str
    id: str
    error: str | None
    doubts: list[TableDoubt]  # type: ignore[assignment]


class Verdict(Struct):
    """Who wins, or who leads and what is left to check; `first` are the kingdoms in the first place."""

    text: str
    certain: bool
    to_check: int
    first: list[str]


class RoundScore(Struct):
    """`kingdoms` are parallel to those of the game; `questions` are all doubts, the most decisive first."""

    kingdoms: list[KingdomScore]
    standing: Standing | None
    outlook: str | None
    problems: list[Problem]
    note: str | None
    questions: list[TableDoubt]
    verdict: Verdict


class Message(Struct):
    text: str
    hint: str


class TableScore(Struct):
    """The score of a game at a table; `messages` say what is wrong with the game."""

    rules: str
    side: int
    rounds: list[RoundScore]
    standing: Standing | None
    messages: list[Message]
