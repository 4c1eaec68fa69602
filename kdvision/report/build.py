"""Builds results: kingdoms that were read or typed, scored, checked and ranked."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from kdvision.errors import NotationError
from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.game import describe_outlook
from kdvision.game.kingdom import Kingdom, to_kingdom
from kdvision.game.open_facts import has_open_facts
from kdvision.game.players import NO_PLAYERS, Players, make_names_unique
from kdvision.game.scoring import RuleSet
from kdvision.game.standing import Standing, rank_kingdoms
from kdvision.game.table_check import find_table_problems
from kdvision.report.doubt_effects import (
    ScoredDoubt,
    rank_questions,
    rescore_doubts,
    score_photo_doubts,
    score_unknown_squares,
)
from kdvision.report.pieces import GivenFacts, add_pieces, check_pieces
from kdvision.report.result import CombinedResult, Result, ScoredKingdom, count_dominoes

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading

MIN_IDENTICAL_SQUARES: Final = 7
"""Two equal boards with at least this many squares (three dominoes and a castle) are taken for the same kingdom."""


def build_photo_result(
    photo: str,
    size: tuple[int, int],
    readings: Sequence["KingdomReading"],
    rule_set: RuleSet,
    *,
    players: Players = NO_PLAYERS,
    first_number: int = 0,
    facts: GivenFacts | None = None,
) -> Result:
    """The result of a photo of `size` (width, height).

    `first_number` is the number of its first kingdom, counted from 0 over all photos; `players` and `facts` go by these
    numbers. A kingdom without a player's name is called by its colour, else by its number; its place in the photo is
    added where two kingdoms would be called the same. `facts` are what the user said about pieces.
    """
    names = [players.name_of(first_number + number, reading.colour) for number, reading in enumerate(readings)]
    kingdoms = _name_kingdoms(readings, names)
    if facts is not None:
        kingdoms = add_pieces(kingdoms, readings, facts, first_number)
    problems = check_pieces(kingdoms, readings, rule_set, facts, first_number)
    ranking, doubts = rank_if_known(kingdoms, rule_set), score_photo_doubts(kingdoms, readings, rule_set)
    if ranking is None:
        doubts = [tuple(map(_drop_standing, kingdom_doubts)) for kingdom_doubts in doubts]
    rows = tuple(
        ScoredKingdom(kingdom, rule_set, found, kingdom_doubts, reading, name)
        for kingdom, found, kingdom_doubts, reading, name in zip(
            kingdoms, problems, doubts, readings, names, strict=True
        )
    )
    sentence = describe_outlook(kingdoms, rule_set) if any(row.is_open for row in rows) else ""
    return Result(photo, *size, rows, ranking, outlook=sentence)


def _name_kingdoms(readings: Sequence["KingdomReading"], names: Sequence[str]) -> list[Kingdom]:
    """The boards as kingdoms, each with a player's name of its own."""
    called = [
        name or reading.colour or f"kingdom {number}"
        for number, (name, reading) in enumerate(zip(names, readings, strict=True), start=1)
    ]
    called = make_names_unique(called, [reading.place for reading in readings])
    return [Kingdom(reading.board, player=player) for reading, player in zip(readings, called, strict=True)]


def _drop_standing(doubt: ScoredDoubt) -> ScoredDoubt:
    return replace(doubt, changes_standing=None, changes_winner=None, verdict="")


def build_board_result(boards: Sequence[Board | Kingdom], rule_set: RuleSet) -> Result:
    """The result of typed boards, taken as the kingdoms of one game, with their pieces if there are some.

    A problem of the whole game is listed with each kingdom.
    """
    kingdoms = [replace(to_kingdom(one), player=f"kingdom {number}") for number, one in enumerate(boards, start=1)]
    problems, doubts = find_table_problems(kingdoms, rule_set), score_unknown_squares(kingdoms, rule_set)
    rows = tuple(
        ScoredKingdom(kingdom, rule_set, tuple(p for p in problems if p.kingdom in (None, number)), doubts[number])
        for number, kingdom in enumerate(kingdoms)
    )
    return Result(None, kingdoms=rows, standing=rank_if_known(kingdoms, rule_set))


def combine_kingdoms(
    scored: Sequence[ScoredKingdom], players: Sequence[str], rule_set: RuleSet
) -> CombinedResult | None:
    """The kingdoms of several photos as one game with these players; None if they cannot be ranked."""
    kingdoms = [replace(one.kingdom, player=player) for one, player in zip(scored, players, strict=True)]
    ranking = rank_if_known(kingdoms, rule_set)
    if ranking is None:
        return None
    doubts = rescore_doubts(kingdoms, [one.doubts for one in scored], rule_set)
    return CombinedResult(
        ranking,
        tuple(rank_questions(kingdoms, doubts, rule_set)),
        tuple(players),
        count_dominoes(kingdoms, rule_set),
        tuple(
            (one.player, two.player) for one, two in combinations(kingdoms, 2) if _are_identical(one.board, two.board)
        ),
    )


def _are_identical(one: Board, two: Board) -> bool:
    """True if two boards of several dominoes are equal, turned or not."""
    return len(one) >= MIN_IDENTICAL_SQUARES and any(one.trim() == two.rotate(turns).trim() for turns in range(4))


def rank_if_known(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> Standing | None:
    """The standing; None for fewer than two kingdoms, and while facts about pieces are missing."""
    return rank_kingdoms(kingdoms, rule_set) if len(kingdoms) > 1 and not any(map(has_open_facts, kingdoms)) else None


def correct_board(board: Board, square: Square, word: str) -> Board:
    """The board with one square as the user gives it, "." for no tile; raises NotationError off the board."""
    if square.row >= board.height or square.col >= board.width:
        hint = f"its squares are A1 to {Square(board.height - 1, board.width - 1).name}"
        raise NotationError(f"the board has no square {square.name}", expected=hint, hint=hint)
    return board.with_cells({square: parse_cell(word)})
