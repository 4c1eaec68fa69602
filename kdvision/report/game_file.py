"""A game file to fill in: the kingdoms as they were read, with their doubts, and "?" for each missing fact."""

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

HEADER = (
    'A game to fill in. Replace each "?" by its value; while a "?" is left, points are a range. A line that is removed',
    "counts as none. Then run kdvision game with the name of this file.",
)


def format_game_file(
    results: Sequence[Result],
    kind: str,
    variants: Sequence[str] = (),
    *,
    side: int | None = None,
    default_side: int = 5,
) -> str:
    """The text of a game file with the kingdoms of all photos, for the user to fill in.

    `kind` and `variants` are names as in game files. If the user gave no `side`, the file has none either, and
    `default_side` is used to write it. Raises KdvisionError if the kingdoms cannot be one game.
    """
    rows = [scored for result in results for scored in result.kingdoms]
    if not rows:
        raise KdvisionError("there is no kingdom to write a game file of", hint="take a photo that shows one")
    names = [scored.player_name or (scored.reading.colour if scored.reading else "") for scored in rows]
    kingdoms = [replace(one.kingdom, player=name) for one, name in zip(rows, _make_unique(names), strict=True)]
    remarks = [
        [*_list_remarks(str(result.photo), number, scored)]
        for result in results
        for number, scored in enumerate(result.kingdoms, start=1)
    ]
    game = Game(kind, side or default_side, (Table(close_queen(kingdoms)),), tuple(variants))
    text = write_game_text(game, head=HEADER, remarks=remarks, sided=side is not None)
    try:
        parse_game(text)
    except NotationError as error:
        reason = str(error).partition(": ")[2] or str(error)
        hint = "name only photos of one game"
        raise KdvisionError(f"these kingdoms cannot be one game: {reason}", hint=hint) from error
    return text


def _make_unique(names: Sequence[str]) -> Iterator[str]:
    """A different name for each kingdom: the one given, with a number added where it is taken."""
    taken: set[str] = {""}
    for place, name in enumerate(names, start=1):
        numbered = (f"{name} {number}" if name else f"kingdom {number}" for number in count(2 if name else place))
        if name in taken:
            name = next(other for other in numbered if other not in taken and other not in names)
        taken.add(name)
        yield name


def _list_remarks(photo: str, number: int, scored: ScoredKingdom) -> Iterator[str]:
    """What helps to compare the board with the table."""
    where = "" if scored.reading is None else f" ({scored.reading.colour or scored.reading.place})"
    yield f"Read from {photo}, kingdom {number}{where}."
    if TOWNS in scored.kingdom.open_facts:
        yield "Towns were not read: another terrain stands where one lies. Compare the board."
    if words := describe_pieces(scored.reading):
        yield f"Seen: {words}."
    if any(built.building == UNKNOWN_BUILDING for built in scored.kingdom.buildings):
        yield 'Write what each building gives in place of name = "?": name = "The Guardtower", points = 3, crowns = 1.'
    if any(gem.kind == UNKNOWN for gem in scored.kingdom.gems):
        yield "Write each gem's kind, and its crowns by quarter, clockwise from the token's top left."
    by_square: dict[str, list[ScoredDoubt]] = {}
    for doubt in scored.doubts:
        by_square.setdefault(doubt.square.name, []).append(doubt)
    for name, doubts in by_square.items():
        others = " or ".join(dict.fromkeys(doubt.instead for doubt in doubts))
        yield f"Uncertain: {name} is {doubts[0].read} ({100 * doubts[0].probability:.0f} % sure), otherwise {others}."
    if scored.reading is not None and scored.reading.review and not scored.doubts:
        yield f"Uncertain: this board is {100 * scored.probability:.0f} % sure. Compare it."
    yield from (f"Problem: {problem.text}." for problem in scored.problems if problem.squares)
