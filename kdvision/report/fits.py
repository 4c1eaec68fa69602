"""The answer of `kdvision fits`: where a domino may be laid in a kingdom, or that it must be discarded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from kdvision.game.board import Board
from kdvision.game.deck import Face, face, index_deck
from kdvision.game.pieces import UNKNOWN
from kdvision.game.placements import Placement, describe_square, find_placements
from kdvision.game.rules import SIDES, clauses
from kdvision.report.board_text import list_board_lines
from kdvision.report.doubt_effects import ScoredDoubt
from kdvision.report.result import Result, ScoredKingdom
from kdvision.report.table import format_problems, format_title, name_cell, render_text
from kdvision.report.to_dict import problem_to_dict
from kdvision.text import count_noun


@dataclass(frozen=True)
class FitsAnswer:
    """Where a domino may be laid in one kingdom. `is_side_open` is true if nothing but the board tells the side."""

    scored: ScoredKingdom
    domino: Face
    is_side_open: bool

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """All places, including those that depend on unknown squares."""
        return self.find_placements(self.scored.board)

    @property
    def fits(self) -> bool | None:
        """True if the domino can be laid, None if that depends on unknown squares."""
        return judge_placements(self.placements)

    @property
    def clause(self) -> str:
        """The rulebook clause that settles the question."""
        name = "kingdomino/discard" if self.fits is False else "kingdomino/must-lay"
        return self.scored.rule_set.own_clauses.get(name, name)

    @property
    def text(self) -> str:
        """The answer in a sentence."""
        side = self.scored.rule_set.side
        name, frame = f"{self.domino[0]} {self.domino[1]}", f"within {side} by {side} squares"
        if self.fits is False:
            return f"{name} fits nowhere {frame}: it must be discarded"
        certain = sum(bool(placement.joints) for placement in self.placements)
        if not certain:
            return f"{name} fits {frame} only if an unknown square shows its terrain"
        more = len(self.placements) - certain
        perhaps = f", and {more} more if an unknown square shows its terrain" if more else ""
        return f"{name} fits in {count_noun(certain, 'place')} {frame}{perhaps}: it may not be discarded"

    def list_notes(self) -> Iterator[str]:
        """Yield what the answer takes for granted: a box without this domino, a side that the board does not tell."""
        if face(*self.domino) not in index_deck(self.scored.rule_set.deck).faces:
            yield f"the box of {self.scored.rule_set.name} has no domino {self.domino[0]} {self.domino[1]}"
        if self.is_side_open and self.fits is False and self.scored.rule_set.side < SIDES[-1]:
            wide = len(find_placements(self.scored.board, self.domino, side=SIDES[-1]))
            if wide:
                yield f"in a game of {SIDES[-1]} by {SIDES[-1]} squares it fits in {count_noun(wide, 'place')}"

    def find_placements(self, board: Board) -> tuple[Placement, ...]:
        """The places on this board of the kingdom."""
        return find_placements(board, self.domino, side=self.scored.rule_set.side)

    def fits_if(self, doubt: ScoredDoubt) -> bool | None:
        """Whether the domino can be laid if a doubtful square shows its other content."""
        return judge_placements(self.find_placements(doubt.board))

    def describe_placement(self, placement: Placement) -> str:
        """A place in words, such as "w on C1, f1 on C2"."""
        halves = zip(self.domino, placement[:2], strict=True)
        return ", ".join(f"{cell} {_prefix_square(describe_square(square))}" for cell, square in halves)


def judge_placements(placements: Sequence[Placement]) -> bool | None:
    """True if one of the places is certain, None if all depend on unknown squares, False without any."""
    return any(placement.joints for placement in placements) or (None if placements else False)


def find_fits(result: Result, domino: Face, *, side: int | None) -> list[FitsAnswer]:
    """The answer for each kingdom of a result; `side` is the one that the user gave, if any."""
    is_side_open = side is None and len(result.kingdoms) <= 2
    return [FitsAnswer(scored, domino, is_side_open) for scored in result.kingdoms]


def format_fits(answers: Sequence[FitsAnswer], *, width: int = 100, colour: bool = False) -> str:
    """The answers as text, in lines of at most `width`."""
    parts = [_format_answer(answer, number, len(answers) > 1) for number, answer in enumerate(answers, start=1)]
    return render_text(Group(*parts), width=width, colour=colour)


def fits_to_dict(answer: FitsAnswer) -> dict[str, Any]:
    """The answer for one kingdom as plain values. Rows and columns of `first` and `second` may be negative."""
    return {
        "board": list(answer.scored.board.rows()),
        "side": answer.scored.rule_set.side,
        "fits": answer.fits,
        "text": answer.text,
        "clause": answer.clause,
        "notes": list(answer.list_notes()),
        "placements": [_placement_to_dict(answer, placement) for placement in answer.placements],
        "doubts": [_doubt_to_dict(answer, doubt) for doubt in answer.scored.doubts],
        "problems": [problem_to_dict(problem) for problem in answer.scored.problems],
        "review": answer.scored.review,
    }


def _placement_to_dict(answer: FitsAnswer, placement: Placement) -> dict[str, Any]:
    return {
        "first": list(placement.first),
        "second": list(placement.second),
        "joints": [square.name for square in placement.joints],
        "text": answer.describe_placement(placement),
    }


def _doubt_to_dict(answer: FitsAnswer, doubt: ScoredDoubt) -> dict[str, Any]:
    return {
        "square": doubt.square.name,
        "read": doubt.read,
        "probability": round(doubt.probability, 4),
        "instead": doubt.instead,
        "fits_if": answer.fits_if(doubt),
    }


def _format_answer(answer: FitsAnswer, number: int, is_one_of_several: bool) -> RenderableType:
    scored = answer.scored
    title = [Text(format_title(scored, number), style="bold")] if is_one_of_several else []
    board = [Text.assemble(*line) for line in list_board_lines(scored.board, {d.square for d in scored.doubts})]
    verdict = Text(f"{answer.text}.", style="bold")
    notes = [
        *(Text(f"? {_describe_doubt(answer, doubt)}", style="yellow") for doubt in scored.doubts),
        *(Text(f"? {note}", style="yellow") for note in answer.list_notes()),
        *format_problems(scored),
    ]
    clause = Text(str(clauses()[answer.clause]), style="dim")
    return Padding(Group(*title, *board, Text(), verdict, *_list_placements(answer), *notes, clause), (1, 0, 0, 1))


def _list_placements(answer: FitsAnswer) -> list[Text]:
    words = [answer.describe_placement(placement) for placement in answer.placements]
    width = max(map(len, words), default=0)
    return [
        Text.assemble(f"  {text:<{width}}  ", (f"beside {_describe_joints(answer, placement)}", "dim"))
        for text, placement in zip(words, answer.placements, strict=True)
    ]


def _describe_joints(answer: FitsAnswer, placement: Placement) -> str:
    board = answer.scored.board
    words = [f"{square.name} ({board[square].terrain})" for square in placement.joints]
    return ", ".join(words) or "an unknown square"


def _describe_doubt(answer: FitsAnswer, doubt: ScoredDoubt) -> str:
    sure = f"looks like {name_cell(doubt.read)} ({100 * doubt.probability:.0f} % sure)"
    content = "is not known" if doubt.read == UNKNOWN else sure
    effect = {True: "the domino fits", False: "the domino fits nowhere", None: "it is not known whether it fits"}
    fits = answer.fits_if(doubt)
    change = "the answer stays" if fits == answer.fits else effect[fits]
    return f"{doubt.square.name} {content}; if it is {name_cell(doubt.instead)}, {change}"


def _prefix_square(words: str) -> str:
    return words if " " in words else f"on {words}"
