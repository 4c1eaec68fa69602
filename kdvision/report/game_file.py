"""The game file that asks for the rest: kingdoms as they were read, their doubts, and what no photo shows left open."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from kdvision.errors import KdvisionError, NotationError
from kdvision.game.game import Game
from kdvision.game.kingdom import Table
from kdvision.game.open_facts import close_queen
from kdvision.game.pieces import TOWNS, UNKNOWN, UNKNOWN_BUILDING
from kdvision.gamefile.model import parse_game
from kdvision.gamefile.write import write_game_text
from kdvision.report.doubt_effects import ScoredDoubt
from kdvision.report.pieces import describe_pieces
from kdvision.report.result import Result, ScoredKingdom

HEAD = (
    'A game to fill in. Write what is known in place of each "?"; what stays "?" counts as not known, and points are',
    "told as a range. A line that is taken away counts as none. Then: kdvision game and the name of this file.",
)


def format_game_file(
    results: Sequence[Result], kind: str, variants: Sequence[str] = (), *, side: int | None = None, default: int = 5
) -> str:
    """The text of a game file with the kingdoms of all photos, for a person to fill in.

    `kind` and `variants` are names of game files. `side` is written where a person has asked for it; else the number of
    kingdoms, or the boards, tell it (`default`). Raises KdvisionError where these kingdoms are no one game.
    """
    rows = [(result, number, one) for result in results for number, one in enumerate(result.kingdoms, start=1)]
    if not rows:
        raise KdvisionError("there is no kingdom to write a game file of", hint="take a photo that shows one")
    named = zip(rows, _names([_name(one) for _, _, one in rows]), strict=True)
    kingdoms = close_queen([replace(one.kingdom, player=name) for (_, _, one), name in named])
    game = Game(kind, side or default, (Table(kingdoms),), tuple(variants))
    text = write_game_text(game, head=HEAD, remarks=[[*_remarks(*row)] for row in rows], sided=side is not None)
    try:
        parse_game(text)
    except NotationError as error:
        what = str(error).partition(": ")[2] or str(error)
        raise KdvisionError(f"these kingdoms are no one game: {what}", hint="give the photos of one game") from error
    return text


def _name(scored: ScoredKingdom) -> str:
    return scored.player_name or (scored.reading.colour if scored.reading is not None else "")


def _names(given: Sequence[str]) -> Iterator[str]:
    """A name for each kingdom, none twice."""
    taken: set[str] = {""}
    for place, name in enumerate(given, start=1):
        others = (f"{name} {number}" if name else f"kingdom {number}" for number in count(2 if name else place))
        free = name not in taken
        made = name if free else next(other for other in others if other not in taken and other not in given)
        taken.add(made)
        yield made


def _remarks(result: Result, number: int, scored: ScoredKingdom) -> Iterator[str]:
    """What a person should know who compares the board with the table."""
    where = "" if scored.reading is None else f" ({scored.reading.colour or scored.reading.place})"
    yield f"Read from {result.photo}, kingdom {number}{where}."
    if TOWNS in scored.kingdom.open_facts:
        yield "Towns are not read from photos yet: another terrain stands where one lies. Compare the board."
    yield from _seen(scored)
    by_square: dict[str, list[ScoredDoubt]] = {}
    for doubt in scored.doubts:
        by_square.setdefault(doubt.square.name, []).append(doubt)
    for name, doubts in by_square.items():
        others = " or ".join(dict.fromkeys(doubt.instead for doubt in doubts))
        yield f"Unsure: {name} is {doubts[0].read} with {100 * doubts[0].probability:.0f} %, else {others}."
    if scored.reading is not None and scored.reading.review and not scored.doubts:
        yield f"Unsure: this board is right with {100 * scored.probability:.0f} %. Compare it."
    yield from (f"Odd: {problem.text}." for problem in scored.problems if problem.squares)


def _seen(scored: ScoredKingdom) -> Iterator[str]:
    """What was seen standing on the board, and how to write what no photo tells of it."""
    if words := describe_pieces(scored.reading):
        yield f"Seen: {words}."
    if any(built.building == UNKNOWN_BUILDING for built in scored.kingdom.buildings):
        yield 'Write what each building gives in place of name = "?": name = "The Guardtower", points = 3, crowns = 1.'
    if any(gem.kind == UNKNOWN for gem in scored.kingdom.gems):
        yield "Write each gem's kind, and its crowns by quarter, clockwise from the token's top left."
