"""The shapes of all that the API takes and gives, as JSON Schema: docs/json.md and docs/rules.md in another form."""

from typing import Final

from kdvision.game.pieces import QUARTERS, UNTOLD
from kdvision.game.rules import GAMES, SIDES, VARIANTS
from kdvision.gamefile.model import CLAIMS
from kdvision.web.shapes import Schema, flag, listed, maybe, number, ref, text, thing, whole

PHOTO_GAMES: Final = ["auto", *GAMES]
CELL: Final = r"^(#|\.|[wflgstmWFLGSTM][0-9]?)$"
SQUARE: Final = r"^[A-Za-z]([1-9]|1[0-9]|2[0-6])$"
SIGHT: Final = 40_000


POINT: Final = listed(number(), minItems=2, maxItems=2)
SQUARES: Final = listed(text(), "names of squares, as in C3")
SIDE: Final = {"type": ["integer", "null"], "enum": [*SIDES, None], "description": "the game's; null: what is shown"}

LINE: Final = thing(
    {
        "label": text("what the points are for"),
        "points": whole(),
        "clause": text("an id of /api/rules"),
        "squares": SQUARES,
        "terrain": maybe(text("the letter of the territory's terrain; null for a bonus")),
    }
)
DOUBTED: Final[dict[str, Schema]] = {
    "square": text(),
    "read": text("what it was taken for, in notation"),
    "probability": number(),
    "instead": text("what it would be otherwise"),
    "points_if": maybe(whole()),
    "total_if": maybe(whole("null while pieces are still to be told")),
    "changes_standing": maybe(flag("whether some place would change; null for a single kingdom")),
    "changes_winner": maybe(flag("whether another would win; null for a single kingdom")),
}
DOUBT: Final = thing(DOUBTED)
ASK: Final = thing({"kingdom": whole("its number, from 1"), **DOUBTED, "verdict": maybe(text("who would win then"))})
CHANCE: Final = thing({"total": whole(), "points": whole(), "probability": number()})
NUMBERS: Final = listed({"type": ["integer", "string"]}, "of dominoes that look alike")
COUNTED: Final[dict[str, Schema]] = {"numbers": NUMBERS, "shows": text(), "count": whole()}
BOX: Final = thing(
    {
        "text": text("what was counted, in a sentence"),
        "right": flag("whether the box can have laid these kingdoms, as far as they can be told"),
        "dominoes": whole(),
        "of": whole(),
        "missing": listed(thing(COUNTED)),
        "twice": listed(thing(COUNTED | {"kingdoms": listed(whole())})),
        "untold": listed(whole(), "kingdoms whose dominoes cannot be told"),
    },
    description="the box counted over the kingdoms",
)
PROMISE: Final = thing(
    {
        "wrong_at_most": number("the share expected to be wrong at most"),
        "boards": whole("how many it was measured on"),
        "wrong": whole("how many of those were wrong"),
        "upper": maybe(number("the share that is wrong at most, with this confidence")),
        "confidence": number(),
        "text": text(),
    },
    description="what kingdoms without a flag promise",
)
PROBLEM: Final = thing({"text": text(), "squares": SQUARES, "clause": maybe(text())})
PLACE: Final = thing({"place": whole(), "kingdom": whole(), "total": whole(), "reason": maybe(text())})
STANDING: Final = thing({"reason": text(), "winners": listed(whole()), "places": listed(ref("Place"))})

MISSING: Final = thing({"item": text("a key of game files"), "squares": SQUARES, "text": text()})

KINGDOM: Final[dict[str, Schema]] = {
    "board": listed(text(), "notation, one text a row"),
    "corners": maybe(listed(POINT, "outline of the board in the upright photo, clockwise from the top left")),
    "place": maybe(text("where it lies in the photo, in words")),
    "colour": maybe(text("the player's, as castle or starting tile show it")),
    "player": maybe(text("the name that was given")),
    "rules": text(),
    "side": whole(),
    "points": maybe(whole("those of the territories alone; null while pieces are still to be told")),
    "total": maybe(whole("null while pieces are still to be told")),
    "complete": flag("whether all is told that scores"),
    "least": whole("the points it has at least"),
    "most": maybe(whole("the points it has at most; null where nothing bounds them")),
    "missing": listed(ref("Missing"), "what is still to be told"),
    "lines": listed(ref("Line")),
    "largest": whole("squares of the largest territory"),
    "crowns": whole(),
    "probability": number("how likely the whole board is right"),
    "points_probability": maybe(number("how likely the total is right; null without one")),
    "alternatives": listed(ref("Chance"), "other totals it may have, likeliest first"),
    "review": flag("whether a person should look"),
    "doubts": listed(ref("Doubt")),
    "problems": listed(ref("Problem")),
    "pieces": listed(
        thing({"kind": text("knight, tower, queen or building"), "square": text(), "probability": number()}),
        "what was seen standing on the board",
    ),
    "gems": listed(
        thing({"between": text("two of the four squares, as in B2 C3"), "probability": number()}),
        "gems that were seen where squares meet",
    ),
}
ORIGIN: Final = listed(whole(), "row and column of the board's A1 on the grid, from 0", minItems=2, maxItems=2)
SEEN: Final = KINGDOM | {
    "origin": ORIGIN,
    "sight": text("what was seen, for /api/decide; good as long as the server runs"),
    "squares": listed(
        listed(listed(whole(), "x and y of four corners, clockwise from the top left", minItems=8, maxItems=8)),
        "every place of the grid, a rim of table included, row by row",
    ),
    "untold": listed(text(), "keys of game files of which the photo does not tell all"),
}
ERROR: Final = {"error": text("what is wrong, in one sentence"), "hint": maybe(text("what to do about it"))}
RESULT: Final = {
    "photo": maybe(text()),
    "width": maybe(whole("pixels of the upright photo")),
    "height": maybe(whole()),
    "game": maybe(text("by whose rules it was scored, as game files call it; null without kingdoms")),
    "standing": maybe(ref("Standing")),
    "outlook": maybe(text("who wins, as far as it is known, while pieces are still to be told")),
    "ask_first": maybe(ref("Ask")),
    "box": maybe(ref("Box")),
    "promise": maybe(ref("Promise")),
    "error": maybe(ERROR["error"]),
    "hint": ERROR["hint"],
    "failed": listed(thing(ERROR | {"photo": text()}), "of several photos read as one; here always empty"),
}
DOMINO: Final = thing({"squares": SQUARES, "numbers": listed({"type": ["integer", "string"]}), "sure": flag()})
PLAYED: Final = KINGDOM | {
    "player": text(),
    "dominoes": maybe(listed(ref("Domino"))),
    "readings": whole(),
    "readings_alone": whole(),
}
ROUND: Final = {
    "kingdoms": listed(ref("PlayedKingdom")),
    "standing": maybe(ref("Standing")),
    "outlook": maybe(text("who wins, as far as it is known, while pieces are still to be told")),
    "problems": listed(ref("Problem")),
    "note": maybe(text()),
}


def left_open(schema: Schema) -> Schema:
    """The same, or what stands for something that nobody has told yet."""
    return {"anyOf": [schema, text("not told yet", enum=[UNTOLD])]}


NAME: Final = text(minLength=1, maxLength=60)
COUNT: Final = whole(minimum=0, maximum=1000)
BOARD: Final = {
    "anyOf": [listed(text(), "one text a row", minItems=1), text("rows separated by /")],
    "examples": [["w1 w", "# f"]],
}
BUILDING: Final = thing(
    {
        "at": text("its square", pattern=SQUARE),
        "name": text("a known name, or any beside what it gives"),
        "points": COUNT,
        "crowns": COUNT,
        "per_territory": text("a terrain's name"),
        "per_tower": COUNT,
        "per_knight": COUNT,
    },
    needs=("at",),
)
GEM: Final = thing(
    {
        "kind": NAME,
        "between": text("two squares that touch at its corner, as in B2 C3"),
        "crowns": listed(whole(minimum=0, maximum=9), "clockwise from the top left", minItems=4, maxItems=4),
        "skull": text(enum=list(QUARTERS)),
        "turned": whole(minimum=0, maximum=3),
    },
    needs=("kind", "between"),
)
GIVEN: Final = thing(
    {
        "player": NAME,
        "players": listed(NAME, "of a team", minItems=2, maxItems=2),
        "board": BOARD,
        "discarded": COUNT,
        "claims": listed(text(enum=list(CLAIMS))),
        "towns": left_open(COUNT),
        "coins": left_open(COUNT),
        "towers": left_open(COUNT),
        "queen": left_open(flag()),
        "knights": left_open(listed(left_open(text(pattern=SQUARE)))),
        "spare_knights": left_open(COUNT),
        "buildings": left_open(listed(left_open(ref("Building")))),
        "gems": left_open(listed(left_open(ref("Gem")))),
    },
    needs=("board",),
)
GAME: Final = thing(
    {
        "game": text(enum=list(GAMES)),
        "variants": listed(text(enum=[variant.id for variant in VARIANTS])),
        "side": whole(enum=list(SIDES)),
        "teams": flag(),
        "kingdoms": whole("how many were played, where not all are here", minimum=0, maximum=1000),
        "open_gems": listed(NAME),
        "kingdom": listed(ref("GivenKingdom")),
        "round": listed(thing({"kingdom": listed(ref("GivenKingdom")), "open_gems": listed(NAME)}, needs=("kingdom",))),
    },
    needs=(),
    description="A game as a game file tells it: either `kingdom`, or `round` three times.",
)

SCHEMAS: Final[dict[str, Schema]] = {
    "Line": LINE,
    "Doubt": DOUBT,
    "Ask": ASK,
    "Chance": CHANCE,
    "Box": BOX,
    "Promise": PROMISE,
    "Problem": PROBLEM,
    "Missing": MISSING,
    "Place": PLACE,
    "Standing": STANDING,
    "Kingdom": thing(KINGDOM),
    "DecidedKingdom": thing(KINGDOM | {"origin": ORIGIN}),
    "SeenKingdom": thing(SEEN),
    "Result": thing(RESULT | {"kingdoms": listed(ref("Kingdom"))}, description="what `kdvision score --json` prints"),
    "SeenResult": thing(
        RESULT
        | {
            "kingdoms": listed(ref("SeenKingdom")),
            "variants": listed(
                text(enum=[variant.id for variant in VARIANTS]), "played with, as the photo shows or as was asked"
            ),
        }
    ),
    "Error": thing(ERROR),
    "Domino": DOMINO,
    "PlayedKingdom": thing(PLAYED),
    "Round": thing(ROUND),
    "GameResult": thing(
        {
            "file": text(),
            "rules": text(),
            "side": whole(),
            "complete": flag("whether all is told that scores"),
            "rounds": listed(ref("Round")),
            "winners": listed(text()),
            "standing": maybe(ref("Standing")),
        },
        description="what `kdvision game --json` prints",
    ),
    "Building": BUILDING,
    "Gem": GEM,
    "GivenKingdom": GIVEN,
    "Game": GAME,
    "Key": thing({"key": text("as kdvision serve printed it")}),
    "Paired": thing({"paired": flag()}),
    "Invitation": thing(
        {
            "link": maybe(text("the address with the key; null where the server is for this machine alone")),
            "qr": listed(text(), "the link's QR code, a row a text, 1 for dark"),
        }
    ),
    "Rules": thing(
        {
            "games": listed(
                thing(
                    {
                        "game": text(),
                        "name": text(),
                        "cells": listed(text(), "the squares that its box has, in notation"),
                        "variants": listed(text()),
                        "seats": {"type": "object", "additionalProperties": listed(whole())},
                        "pieces": flag("whether it has coins, towers, knights, buildings and a Queen"),
                        "teams": flag(),
                    }
                )
            ),
            "variants": listed(
                thing(
                    {
                        "id": text("as game files call it"),
                        "name": text("as people call it"),
                        "help": text(),
                        "clause": text(),
                        "facts": listed(text(), "keys of a kingdom that it needs"),
                    }
                )
            ),
            "rounds": whole("of a Dynasty"),
            "terrains": {"type": "object", "additionalProperties": text()},
            "buildings": listed(
                thing({"name": maybe(text()), "gives": text(), "count": whole(), "as": {"type": "object"}})
            ),
            "joker": text(),
            "quarters": listed(text()),
            "clauses": {"type": "object", "additionalProperties": ref("Clause")},
            "keeps": flag("whether photos are kept on the server"),
        }
    ),
    "Clause": thing(
        {"id": text(), "book": text(), "section": text(), "text": text(), "ruling": flag(), "house": flag()}
    ),
    "Decided": thing({"kingdoms": listed(ref("DecidedKingdom"))}),
    "Decide": thing(
        {
            "kingdoms": listed(
                thing(
                    {
                        "sight": text("as /api/read gave it", maxLength=SIGHT),
                        "fixes": {"type": "object", "additionalProperties": text(pattern=CELL)},
                    },
                    needs=("sight",),
                ),
                "of one game, from one photo or several; fixes name squares of the grid, as in C3",
                minItems=1,
                maxItems=8,
            ),
            "side": SIDE,
            **{variant.key: flag(variant.help) for variant in VARIANTS},
            "game": text("auto: what the photo shows", enum=PHOTO_GAMES),
        },
        needs=("kingdoms",),
    ),
}
