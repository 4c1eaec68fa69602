"""The answer of `kdvision fits`: where a domino may be laid in a kingdom, or that it must be discarded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from kdvision.game.deck import Face, index_deck
from kdvision.game.legality import Placement, describe_square, find_placements
from kdvision.game.rules import SIDES, infer_board_side, load_clauses
from kdvision.report.result import Result, ScoredKingdom
from kdvision.report.table import (
    describe_reading,
    format_note,
    format_title,
    indent,
    list_board_lines,
    list_problems,
    name_cell,
    render_text,
)
from kdvision.report.to_dict import doubt_to_dict, list_names, problem_to_dict
from kdvision.text import count_noun


@dataclass(frozen=True)
class FitsAnswer:
    """Where a domino may be laid in one kingdom, including places that depend on unknown squares.

    `fits` is None if it depends on unknown squares; `fits_if` says the same for each doubt in case its other content
    is right. `notes` say how the answer depends on box and side.
    """

    entry: ScoredKingdom
    domino: Face
    placements: tuple[Placement, ...]
    fits: bool | None
    fits_if: tuple[bool | None, ...]
    notes: tuple[str, ...]

    @property
    def clause(self) -> str:
        """The rulebook clause that settles the question."""
        name = "kingdomino/discard" if self.fits is False else "kingdomino/must-lay"
        return self.entry.rule_set.own_clauses.get(name, name)

    @property
    def text(self) -> str:
        """The answer in a sentence."""
        side = self.entry.rule_set.side
        name, frame = f"{self.domino[0]} {self.domino[1]}", f"within {side} by {side} squares"
        if self.fits is False:
            return f"{name} fits nowhere {frame}: it must be discarded"
        certain_count = sum(bool(placement.joints) for placement in self.placements)
        if not certain_count:
            return f"{name} fits {frame} only if an unknown square is free or shows its terrain"
        open_count = len(self.placements) - certain_count
        suffix = f", and {open_count} more if an unknown square is free or shows its terrain" if open_count else ""
        return f"{name} fits in {count_noun(certain_count, 'place')} {frame}{suffix}: it may not be discarded"

    def describe_placement(self, placement: Placement) -> str:
        """Return the placement in words, such as "w on C1, f1 above C1"."""
        words = [describe_square(square) for square in placement[:2]]
        halves = zip(self.domino, words, strict=True)
        return ", ".join(f"{cell} {'' if ' ' in place else 'on '}{place}" for cell, place in halves)


def find_fits(result: Result, domino: Face, *, side: int | None) -> list[FitsAnswer]:
    """Return the answer for each kingdom of a result; `side` is the one that the user gave, if any."""
    is_side_open = side is None and len(result.kingdoms) <= 2  # then only the boards tell the side
    is_narrow = infer_board_side(entry.board for entry in result.kingdoms) == SIDES[0]
    answers = []
    for entry in result.kingdoms:
        game_side = entry.rule_set.side
        placements = find_placements(entry.board, domino, side=game_side)
        fits_if = tuple(_decide_fit(find_placements(doubt.board, domino, side=game_side)) for doubt in entry.doubts)
        notes = []
        if domino not in index_deck(entry.rule_set.deck).face_index:
            notes.append(f"the box of {entry.rule_set.name} has no domino {domino[0]} {domino[1]}")
        wide_placements = find_placements(entry.board, domino, side=SIDES[-1])
        if is_side_open and wide_placements and not placements:
            places = count_noun(len(wide_placements), "place")
            notes.append(f"in a game of {SIDES[-1]} by {SIDES[-1]} squares it fits in {places}")
        if is_side_open and is_narrow and placements and not find_placements(entry.board, domino, side=SIDES[0]):
            notes.append(f"in a game of {SIDES[0]} by {SIDES[0]} squares it fits nowhere")
        answers.append(FitsAnswer(entry, domino, placements, _decide_fit(placements), fits_if, tuple(notes)))
    return answers


def _decide_fit(placements: Sequence[Placement]) -> bool | None:
    """Return True if a placement is certain, None if all depend on unknown squares, False if there is none."""
    return any(placement.joints for placement in placements) or (None if placements else False)


def fits_to_dict(answer: FitsAnswer) -> dict[str, Any]:
    """Return the answer for one kingdom as plain values. Rows and columns of `first` and `second` may be negative."""
    entry = answer.entry
    return {
        "board": list(entry.board.format_rows()),
        "renamed": entry.has_renamed_squares,
        "side": entry.rule_set.side,
        "fits": answer.fits,
        "text": answer.text,
        "clause": answer.clause,
        "notes": list(answer.notes),
        "placements": [
            {
                "first": list(placement.first),
                "second": list(placement.second),
                "joints": list_names(placement.joints),
                "text": answer.describe_placement(placement),
            }
            for placement in answer.placements
        ],
        "doubts": [
            {**doubt_to_dict(doubt), "fits_if": fits} for doubt, fits in zip(entry.doubts, answer.fits_if, strict=True)
        ],
        "problems": [problem_to_dict(problem) for problem in entry.problems],
        "review": entry.review,
    }


def format_fits(answers: Sequence[FitsAnswer], *, width: int = 100, colour: bool = False) -> str:
    """Return the answers as text, in lines of at most `width`."""
    body: list[RenderableType] = []
    for number, answer in enumerate(answers, start=1):
        title = [Text(format_title(answer.entry, number), style="bold")] if len(answers) > 1 else []
        board = list_board_lines(answer.entry)
        verdict, places = Text(f"{answer.text}.", style="bold"), _list_placements(answer)
        clause = Text(str(load_clauses()[answer.clause]), style="dim")
        body.append(indent(*title, *board, Text(), verdict, *places, *map(format_note, _list_notes(answer)), clause))
    return render_text(Group(*body), width=width, colour=colour)


def _list_placements(answer: FitsAnswer) -> Iterator[Text]:
    board = answer.entry.board
    words = [answer.describe_placement(placement) for placement in answer.placements]
    width = max(map(len, words), default=0)
    for text, placement in zip(words, answer.placements, strict=True):
        joints = [f"{square.name} ({board[square].terrain})" for square in placement.joints]
        reason = f"beside {', '.join(joints)}" if joints else "on or beside an unknown square"
        yield Text.assemble(f"  {text:<{width}}  ", (reason, "dim"))


def _list_notes(answer: FitsAnswer) -> Iterator[str]:
    effect = {True: "the domino fits", False: "the domino fits nowhere", None: "it is not known whether it fits"}
    for doubt, fits in zip(answer.entry.doubts, answer.fits_if, strict=True):
        change = "the answer stays" if fits == answer.fits else effect[fits]
        yield f"? {doubt.square.name} {describe_reading(doubt)}; if it is {name_cell(doubt.other_kind)}, {change}"
    yield from (f"? {note}" for note in answer.notes)
    yield from list_problems(answer.entry)
