"""Models of results, from which the OpenAPI description is generated.

They only describe: kdvision.report builds the results as plain values, docs/json.md explains each field, and tests hold
the results to these models.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct


def model(name: str, /, *bases: Any, doc: str = "", **fields: Any) -> Any:
    """A struct with these fields and those of its bases."""
    return msgspec.defstruct(
        name, [*fields.items()], bases=bases or (Struct,), namespace={"__doc__": doc or None}, module=__name__
    )


def many(item: Any) -> Any:
    """The type of a list of a model."""
    return list.__class_getitem__(item)


Point = Annotated[list[float], Meta(min_length=2, max_length=2)]
Line = model("Line", label=str, points=int, clause=str, squares=list[str], terrain=str | None)
OtherReading = model("OtherReading", square=str, read=str, probability=float, instead=str)
Doubt = model(
    "Doubt",
    OtherReading,
    points_if=int | None,
    total_if=int | None,
    changes_standing=bool | None,
    changes_winner=bool | None,
)
Ask = model("Ask", Doubt, kingdom=int, verdict=str | None)
Chance = model("Chance", total=int, points=int, probability=float)
MissingDominoes = model("MissingDominoes", numbers=list[int | str], shows=str, count=int)
RepeatedDominoes = model("RepeatedDominoes", MissingDominoes, kingdoms=list[int])
Box = model(
    "Box",
    text=str,
    right=bool,
    dominoes=int,
    of=int,
    missing=many(MissingDominoes),
    twice=many(RepeatedDominoes),
    untold=list[int],
)
Promise = model("Promise", wrong_at_most=float, boards=int, wrong=int, upper=float | None, confidence=float, text=str)
Problem = model("Problem", text=str, squares=list[str], clause=str | None)
Missing = model("Missing", item=str, squares=list[str], text=str)
Place = model("Place", place=int, kingdom=int, total=int, reason=str | None)
Standing = model("Standing", reason=str, winners=list[int], places=many(Place))
SeenPiece = model("SeenPiece", kind=str, square=str, probability=float)
SeenGem = model("SeenGem", between=str, probability=float)
ScoredKingdom = model(
    "ScoredKingdom",
    board=list[str],
    corners=many(Point) | None,
    place=str | None,
    colour=str | None,
    rules=str,
    side=int,
    points=int | None,
    total=int | None,
    complete=bool,
    least=int,
    most=int | None,
    missing=many(Missing),
    lines=many(Line),
    largest=int,
    crowns=int,
    probability=float,
    points_probability=float | None,
    alternatives=many(Chance),
    review=bool,
    doubts=many(Doubt),
    problems=many(Problem),
    pieces=many(SeenPiece),
    gems=many(SeenGem),
)
Kingdom = model("Kingdom", ScoredKingdom, player=str | None)
SeenKingdom = model(
    "SeenKingdom",
    Kingdom,
    untold=Annotated[list[str], Meta(description="keys of game files for facts that the photo does not show in full")],
)
Error = model(
    "Error",
    error=Annotated[str, Meta(description="what is wrong")],
    hint=Annotated[str | None, Meta(description="what to do about it")],
)
FailedPhoto = model("FailedPhoto", Error, photo=str)
PhotoResult = model(
    "PhotoResult",
    photo=str | None,
    width=int | None,
    height=int | None,
    game=str | None,
    standing=Standing | None,
    outlook=str | None,
    ask_first=Ask | None,
    box=Box | None,
    promise=Promise | None,
    error=str | None,
    hint=str | None,
    failed=many(FailedPhoto),
)
Result = model("Result", PhotoResult, kingdoms=many(Kingdom), doc="What `kdvision score --json` prints.")
SeenResult = model("SeenResult", PhotoResult, kingdoms=many(SeenKingdom), variants=list[str])
PlayedDomino = model("PlayedDomino", squares=list[str], numbers=list[int | str], sure=bool)
PlayedKingdom = model(
    "PlayedKingdom", ScoredKingdom, player=str, dominoes=many(PlayedDomino) | None, readings=int, readings_alone=int
)
Round = model(
    "Round",
    kingdoms=many(PlayedKingdom),
    standing=Standing | None,
    outlook=str | None,
    problems=many(Problem),
    note=str | None,
)
GameResult = model(
    "GameResult",
    file=str,
    rules=str,
    side=int,
    complete=bool,
    rounds=many(Round),
    outlook=str | None,
    winners=list[str],
    standing=Standing | None,
    doc="What `kdvision game --json` prints.",
)
Position = Annotated[list[int], Meta(description="row and column from A1, may be negative", min_length=2, max_length=2)]
Placement = model("Placement", first=Position, second=Position, joints=list[str], text=str)
FitsDoubt = model("FitsDoubt", OtherReading, fits_if=bool | None)
FitsAnswer = model(
    "FitsAnswer",
    board=list[str],
    side=int,
    fits=Annotated[bool | None, Meta(description="null if that depends on unknown squares")],
    text=str,
    clause=str,
    notes=list[str],
    placements=many(Placement),
    doubts=many(FitsDoubt),
    problems=many(Problem),
    review=bool,
    doc="What `kdvision fits --json` prints for a kingdom.",
)
Key = model("Key", key=Annotated[str, Meta(description="as kdvision serve printed it")])
Paired = model("Paired", paired=bool)
Invitation = model(
    "Invitation",
    link=Annotated[str | None, Meta(description="null without --lan or a network")],
    qr=Annotated[list[str], Meta(description="the QR code of the link, one text per row, 1 for dark")],
)
TableDoubt = model(
    "TableDoubt",
    Doubt,
    kingdom=str,
    at=str,
    points_if=int,
    total_if=int,
    verdict=str | None,
    doc="A square in doubt and what depends on it; `at` is its place, `square` its name.",
)
KingdomScore = model(
    "KingdomScore",
    ScoredKingdom,
    player=str,
    id=str,
    error=str | None,
    doubts=many(TableDoubt),
    doc="The score of a kingdom; `error` says what is wrong with its facts, which then do not count.",
)
Verdict = model(
    "Verdict",
    text=str,
    certain=bool,
    to_check=int,
    first=list[str],
    doc="Who wins, or who leads and what is left to check; `first` are the kingdoms in the first place.",
)
RoundScore = model(
    "RoundScore",
    Round,
    kingdoms=many(KingdomScore),
    questions=many(TableDoubt),
    verdict=Verdict,
    doc="`kingdoms` are parallel to those of the game; `questions` are all doubts, the most decisive first.",
)
Message = model("Message", text=str, hint=str)
TableScore = model(
    "TableScore",
    rules=str,
    side=int,
    rounds=many(RoundScore),
    standing=Standing | None,
    messages=many(Message),
    doc="The score of a game at a table; `messages` say what is wrong with the game.",
)
