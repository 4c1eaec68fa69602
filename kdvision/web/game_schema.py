"""Model of the game that /api/score takes. It only describes games: kdvision.gamefile checks them."""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kdvision.game.pieces import QUARTERS
from kdvision.game.rules import GAMES, SIDES, VARIANTS
from kdvision.gamefile.model import CLAIMS

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
