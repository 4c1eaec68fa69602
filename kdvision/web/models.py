"""Models of results, from which the OpenAPI description is generated.

They only describe: kdvision.report builds the results as plain values, docs/json.md explains each field, and tests hold
the results to these models.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct


def make_model(name: str, /, *bases: Any, doc: str = "", **fields: Any) -> Any:
    """Return a struct with these fields and those of its bases."""
    return msgspec.defstruct(
        name, [*fields.items()], bases=bases or (Struct,), namespace={"__doc__": doc or None}, module=__name__
    )


def make_list_type(item: Any) -> Any:
    """Return the type of a list of a model."""
    return list.__class_getitem__(item)


Point = Annotated[list[float], Meta(min_length=2, max_length=2)]
Line = make_model("Line", label=str, points=int, clause=str, squares=list[str], terrain=str | None)
OtherReading = make_model("OtherReading", square=str, read=str, probability=float, instead=str)
Doubt = make_model(
    "Doubt",
    OtherReading,
    points_if=int | None,
    total_if=int | None,
    changes_standing=bool | None,
    changes_winner=bool | None,
)
Ask = make_model("Ask", Doubt, kingdom=int, verdict=str | None)
Chance = make_model("Chance", total=int, points=int, probability=float)
MissingDominoes = make_model("MissingDominoes", numbers=list[int | str], shows=str, count=int)
RepeatedDominoes = make_model("RepeatedDominoes", MissingDominoes, kingdoms=list[int])
Box = make_model(
    "Box",
    text=str,
    right=bool,
    dominoes=int,
    of=int,
    missing=make_list_type(MissingDominoes),
    twice=make_list_type(RepeatedDominoes),
    untold=list[int],
)
Promise = make_model(
    "Promise", wrong_at_most=float, boards=int, wrong=int, upper=float | None, confidence=float, text=str
)
Problem = make_model("Problem", text=str, squares=list[str], clause=str | None)
Missing = make_model("Missing", item=str, squares=list[str], text=str)
Place = make_model("Place", place=int, kingdom=int, total=int, reason=str | None)
Standing = make_model("Standing", reason=str, winners=list[int], places=make_list_type(Place))
SeenPiece = make_model("SeenPiece", kind=str, square=str, probability=float)
SeenGem = make_model("SeenGem", between=str, probability=float)
ScoredKingdom = make_model(
    "ScoredKingdom",
    board=list[str],
    renamed=bool,
    corners=make_list_type(Point) | None,
    place=str | None,
    colour=str | None,
    rules=str,
    side=int,
    points=int | None,
    total=int | None,
    complete=bool,
    least=int,
    most=int | None,
    missing=make_list_type(Missing),
    lines=make_list_type(Line),
    largest=int,
    crowns=int,
    probability=float,
    points_probability=float | None,
    alternatives=make_list_type(Chance),
    review=bool,
    doubts=make_list_type(Doubt),
    problems=make_list_type(Problem),
    pieces=make_list_type(SeenPiece),
    gems=make_list_type(SeenGem),
)
Kingdom = make_model("Kingdom", ScoredKingdom, player=str | None)
SeenKingdom = make_model(
    "SeenKingdom",
    Kingdom,
    untold=Annotated[list[str], Meta(description="keys of game files for facts that the photo does not show in full")],
)
Error = make_model(
    "Error",
    error=Annotated[str, Meta(description="what is wrong")],
    hint=Annotated[str | None, Meta(description="what to do about it")],
)
FailedPhoto = make_model("FailedPhoto", Error, photo=str)
PhotoResult = make_model(
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
    failed=make_list_type(FailedPhoto),
)
Result = make_model("Result", PhotoResult, kingdoms=make_list_type(Kingdom), doc="What `kdvision score --json` prints.")
SeenResult = make_model("SeenResult", PhotoResult, kingdoms=make_list_type(SeenKingdom), variants=list[str])
PlayedDomino = make_model("PlayedDomino", squares=list[str], numbers=list[int | str], sure=bool)
PlayedKingdom = make_model(
    "PlayedKingdom",
    ScoredKingdom,
    player=str,
    dominoes=make_list_type(PlayedDomino) | None,
    readings=int,
    readings_alone=int,
)
Round = make_model(
    "Round",
    kingdoms=make_list_type(PlayedKingdom),
    standing=Standing | None,
    outlook=str | None,
    problems=make_list_type(Problem),
    note=str | None,
)
GameResult = make_model(
    "GameResult",
    file=str,
    rules=str,
    side=int,
    complete=bool,
    rounds=make_list_type(Round),
    outlook=str | None,
    winners=list[str],
    standing=Standing | None,
    doc="What `kdvision game --json` prints.",
)
Position = Annotated[list[int], Meta(description="row and column from A1, may be negative", min_length=2, max_length=2)]
Placement = make_model("Placement", first=Position, second=Position, joints=list[str], text=str)
FitsDoubt = make_model("FitsDoubt", OtherReading, fits_if=bool | None)
FitsAnswer = make_model(
    "FitsAnswer",
    board=list[str],
    renamed=bool,
    side=int,
    fits=Annotated[bool | None, Meta(description="null if that depends on unknown squares")],
    text=str,
    clause=str,
    notes=list[str],
    placements=make_list_type(Placement),
    doubts=make_list_type(FitsDoubt),
    problems=make_list_type(Problem),
    review=bool,
    doc="What `kdvision fits --json` prints for a kingdom.",
)
Key = make_model("Key", key=Annotated[str, Meta(description="as kdvision serve printed it")])
Paired = make_model("Paired", paired=bool)
Invitation = make_model(
    "Invitation",
    link=Annotated[str | None, Meta(description="null without --lan or a network")],
    qr=Annotated[list[str], Meta(description="the QR code of the link, one text per row, 1 for dark")],
)
TableDoubt = make_model(
    "TableDoubt",
    Doubt,
    kingdom=str,
    at=str,
    points_if=int,
    total_if=int,
    verdict=str | None,
    doc="A square in doubt and what depends on it; `at` is its place, `square` its name.",
)
KingdomScore = make_model(
    "KingdomScore",
    ScoredKingdom,
    player=str,
    id=str,
    error=str | None,
    doubts=make_list_type(TableDoubt),
    doc="The score of a kingdom; `error` says what is wrong with its facts, which then do not count.",
)
Verdict = make_model(
    "Verdict",
    text=str,
    certain=bool,
    to_check=int,
    first=list[str],
    doc="Who wins, or who leads and what is left to check; `first` are the kingdoms in the first place.",
)
RoundScore = make_model(
    "RoundScore",
    Round,
    kingdoms=make_list_type(KingdomScore),
    questions=make_list_type(TableDoubt),
    verdict=Verdict,
    doc="`kingdoms` are parallel to those of the game; `questions` are all doubts, the most decisive first.",
)
Message = make_model("Message", text=str, hint=str)
TableScore = make_model(
    "TableScore",
    rules=str,
    side=int,
    rounds=make_list_type(RoundScore),
    standing=Standing | None,
    messages=make_list_type(Message),
    doc="The score of a game at a table; `messages` say what is wrong with the game.",
)
