"""`kdvision review`: asks about the uncertain results of a batch, and corrects them."""

import re
import sys
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.batch import print_summary
from kdvision.cli.inputs import check_correction, make_correction, parse_fixes, parse_photo_board, parse_photo_fix
from kdvision.cli.output import get_width, print_error, print_line, print_message, wants_colour
from kdvision.errors import KdvisionError, NotationError

if TYPE_CHECKING:
    from kdvision.batch.kingdoms import KingdomResult
    from kdvision.batch.outcome import EventOutcome
    from kdvision.batch.review import ReviewItem
    from kdvision.batch.run import BatchOptions
    from kdvision.batch.store.corrections import Correction, CorrectionFile
    from kdvision.batch.store.record import PhotoRecord
    from kdvision.game.board import Board

BOARD_PROMPT: Final = (
    "[Enter] the board is right · {fixes}C3=w1 correct a square · board w w1 / … type the board · o open · s skip · "
    "q quit"
)
UNREAD_PROMPT: Final = "[Enter] continue · board w w1 / … type the board · o open · q quit"
PHOTO_PROMPT: Final = "[Enter] continue · o open · q quit"
NO_PHOTO_PROMPT: Final = "[Enter] continue · q quit"
COMMAND_ADVICE: Final = ": kdvision review"
"""The end of advice to run this command, which is left out here."""


def review(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The result folder of kdvision batch.")],
    fix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PHOTO:K:SQUARE=CELL", help="Correct a square, as in round1/table3/ann.jpg:1:C3=w1. Repeatable."
        ),
    ] = None,
    board: Annotated[
        list[str] | None,
        typer.Option(metavar="PHOTO:K=BOARD", help="Replace the board of kingdom K of a photo. Repeatable."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also ask about what has no known effect.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Open the report in the browser instead.")] = False,
) -> None:
    """Check and correct the results of a batch. Asks about the most decisive ones first.

    Corrections are stored in OUT/corrections.jsonl, and standings and report are updated. With --fix or --board nothing
    is asked.
    """
    from kdvision.batch.run import BatchOptions
    from kdvision.batch.store.corrections import CorrectionFile
    from kdvision.batch.store.folder import REPORT

    options = BatchOptions.load(out)
    if page:
        report = (out / REPORT).resolve()
        print_line(str(report))
        webbrowser.open(report.as_uri())
        return
    corrections = CorrectionFile(out)
    corrections.reload()
    outcome, records = _load_outcome(options, corrections)
    given = [*map(parse_photo_fix, fix or ()), *map(parse_photo_board, board or ())]
    if given:
        corrections.add([check_correction(one, records) for one in given])
    else:
        dialogue = ReviewDialogue(out, corrections, outcome, records)
        dialogue.ask_all(outcome.review_items if everything else outcome.decisive_items)
    _update_results(options)


@dataclass(frozen=True)
class ReviewDialogue:
    """Asks about review items in the terminal, and stores the corrections."""

    out: Path
    corrections: "CorrectionFile"
    outcome: "EventOutcome"
    records: "dict[str, PhotoRecord]"

    def ask_all(self, items: "Sequence[ReviewItem]") -> None:
        """Ask about all items until the user quits."""
        others = len(self.outcome.review_items) - len(items)
        if not items:
            print_line("Nothing needs to be checked.")
        if others:
            print_line(f"{others} uncertain results have no known effect on the points: --all asks about them too.")
        for number, item in enumerate(items, start=1):
            changes = f" · may change {item.changes}" if item.changes else ""
            typer.echo()
            print_line(f"{number} of {len(items)}{changes}")
            if not self._ask(item):
                break

    def _ask(self, item: "ReviewItem") -> bool:
        """Ask about one item; False if the user quits."""
        self._print_item(item)
        board = None if item.kingdom is None else item.kingdom.board
        fixes = "".join(f"{number} {fix} · " for number, fix in enumerate(item.fixes, start=1))
        while True:
            print_line(BOARD_PROMPT.format(fixes=fixes) if board else self._get_photo_prompt(item.photo))
            answer = _read_answer()
            if answer is None or answer.lower() == "q":
                return False
            if answer.isdecimal() and 1 <= int(answer) <= len(item.fixes):
                answer = item.fixes[int(answer) - 1]
            try:
                done, board = self._apply_answer(item, answer, board)
            except KdvisionError as error:
                print_error(error)
                continue
            if done:
                return True

    def _print_item(self, item: "ReviewItem") -> None:
        print_line(" · ".join(filter(None, (item.player, *item.seat_words, item.photo))))
        if item.kingdom is not None:
            self._print_kingdom(item.kingdom)
        for sentence in (item.why, item.advice.replace(COMMAND_ADVICE, "")):
            print_line(f"{sentence[:1].upper()}{sentence[1:]}.")

    def _get_photo_prompt(self, photo: str) -> str:
        """The prompt for an item that is not about a single kingdom."""
        record = self.records.get(photo)
        if record is None:
            return NO_PHOTO_PROMPT
        return PHOTO_PROMPT if record.reading.kingdoms else UNREAD_PROMPT

    def _apply_answer(self, item: "ReviewItem", answer: str, board: "Board | None") -> "tuple[bool, Board | None]":
        """Do what the user answered: whether the item is done, and the board with the corrections so far."""
        if answer.lower() == "o":
            self._open(item)
            return False, board
        record = self.records.get(item.photo)
        if record is None or answer.lower() == "s" or (not answer and board is None):
            return True, board
        kingdom = item.number or 1
        if record.reading.kingdoms and not item.number and not re.match(r"\d+:", answer):
            hint = f"name the kingdom: kdvision review {self.out} --board {record.name}:K=BOARD"
            raise NotationError(f"{record.name} has kingdoms, and this question is about none of them", hint=hint)
        if not answer or answer.lower().startswith("board "):
            self._store(make_correction(record.name, kingdom, board=answer[len("board ") :] or str(board)))
            return True, board
        return False, self._apply_fix(record.name, kingdom, answer, board)

    def _apply_fix(self, photo: str, kingdom: int, answer: str, board: "Board | None") -> "Board | None":
        """Store the correction of a square, and return the board with it."""
        from kdvision.report.build import correct_board

        for number, square, cell in parse_fixes([answer if ":" in answer else f"{kingdom}:{answer}"]):
            self._store(make_correction(photo, number + 1, square.name, cell))
            print_line(f"{square.name} is {cell}.")
            if board is not None and number + 1 == kingdom:
                board = correct_board(board, square, cell)
        return board

    def _store(self, correction: "Correction") -> None:
        self.corrections.add([check_correction(correction, self.records)])

    def _print_kingdom(self, kingdom: "KingdomResult") -> None:
        from kdvision.report.result import Result, ScoredKingdom
        from kdvision.report.table import format_table

        rule_set = self.outcome.standings.rule_set(kingdom)
        scored = ScoredKingdom(kingdom.kingdom, rule_set)
        typer.echo(format_table(Result(None, kingdoms=(scored,)), width=get_width(), colour=wants_colour()))

    def _open(self, item: "ReviewItem") -> None:
        """Open the kingdom's picture, or else the report, in the browser."""
        from kdvision.batch.store.folder import REPORT

        picture = item.kingdom.photo.picture if item.kingdom is not None else None
        webbrowser.open((self.out / (picture or REPORT)).resolve().as_uri())


def _load_outcome(
    options: "BatchOptions", corrections: "CorrectionFile"
) -> "tuple[EventOutcome, dict[str, PhotoRecord]]":
    """The outcome of the event, and the record of each photo, as the last run stored them. Nothing is written."""
    from kdvision.batch.joint import TableCache
    from kdvision.batch.outcome import evaluate_event
    from kdvision.batch.store.folder import ResultFolder
    from kdvision.batch.store.record import load_records

    records, _ = load_records(options.out)
    cache = TableCache.load(ResultFolder(options.out))
    return evaluate_event(options.load_event(), records.values(), corrections, cache=cache), records


def _update_results(options: "BatchOptions") -> None:
    """Write the results after corrections, unless another run has locked the folder, which applies them itself."""
    from kdvision.batch.reading.workers import read_in_process
    from kdvision.batch.run import BatchRun
    from kdvision.batch.store.folder import LockedError, ResultFolder

    try:
        with ResultFolder(options.out).lock():
            outcome = BatchRun(options, read_in_process, on_message=print_message).apply_corrections()
    except LockedError:
        print_message("a run is writing there, and applies the corrections before it ends")
        return
    print_summary(outcome, options.out)


def _read_answer() -> str | None:
    """A line from stdin, None at its end."""
    typer.echo("> ", nl=False)
    line = sys.stdin.readline() if sys.stdin is not None else ""
    return line.strip() if line else None
