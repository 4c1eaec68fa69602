"""`kdvision review`: looking through what a batch was not sure of, and correcting it."""

import re
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.batch import put_written
from kdvision.cli.options import EXPECTED_FIX, fixes_of
from kdvision.cli.output import colour, complain, width
from kdvision.errors import KdvisionError, NotationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kdvision.batch.corrections import Correction, CorrectionFile
    from kdvision.batch.outputs import EventOutcome
    from kdvision.batch.record import Data, PhotoRecord
    from kdvision.batch.review import ReviewItem
    from kdvision.batch.run import BatchOptions
    from kdvision.batch.seating import KingdomResult
    from kdvision.game.board import Board

FIX: Final = re.compile(r"(?P<photo>.+?):(?P<fix>(?:\d+:)?[A-Za-z]\d{1,2}=\S+)")
BOARD: Final = re.compile(r"(?P<photo>.+?):(?P<kingdom>\d{1,2})=(?P<board>.+)", re.DOTALL)
ASK: Final = "[Enter] it is right now · {fixes}C3=w1 a square · board w w1 / … all of it · o open · s later · q stop"

TYPE: Final = "[Enter] go on · board w w1 / … what it should show · o open · q stop"
HERE: Final = ": kdvision review"
"""What advice says to people who are not here yet."""
SEE: Final = "[Enter] go on · o open · q stop"
GO_ON: Final = "[Enter] go on · q stop"


def review(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder that kdvision batch has written.")],
    fix: Annotated[
        list[str] | None,
        typer.Option(metavar="PHOTO:K:SQUARE=CELL", help="Correct a square, as in round1/table3/ann.jpg:1:C3=w1."),
    ] = None,
    board: Annotated[
        list[str] | None, typer.Option(metavar="PHOTO:K=BOARD", help="Give the whole board of kingdom K of a photo.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show what would change nothing, as far as is known, too.")
    ] = False,
    page: Annotated[bool, typer.Option("--page", help="Open the report in the browser instead.")] = False,
) -> None:
    """Look through what a batch was not sure of, most decisive first, and correct it; standings follow.

    Corrections are kept in OUT/corrections.jsonl, apart from what was read. With --fix and --board nothing is asked.
    """
    from kdvision.batch.corrections import CorrectionFile
    from kdvision.batch.result_folder import REPORT, ResultFolder
    from kdvision.batch.review import select_with_impact
    from kdvision.batch.run import BatchOptions

    options = BatchOptions.of_settings(out, ResultFolder(out).load_settings())
    if page:
        report = (out / REPORT).resolve()
        typer.echo(str(report))
        webbrowser.open(report.as_uri())
        return
    corrections = CorrectionFile(out)
    corrections.reload()
    outcome, records = _load_outcome(options, corrections)
    given = [*map(_fix, fix or ()), *map(_board, board or ())]
    if given:
        corrections.add([_checked(one, records) for one in given])
    else:
        items = outcome.review_items
        Walk(options, corrections, outcome, records).all(items if everything else select_with_impact(items))
    _follow(options)


class Walk:
    """A walk through everything to look at, one question each."""

    def __init__(
        self,
        options: "BatchOptions",
        corrections: "CorrectionFile",
        outcome: "EventOutcome",
        records: "dict[str, PhotoRecord]",
    ) -> None:
        self.options, self.corrections, self.outcome, self.records = options, corrections, outcome, records

    def all(self, items: "Sequence[ReviewItem]") -> None:
        """Ask about all of these, until the person stops."""
        more = len(self.outcome.review_items) - len(items)
        if not items:
            typer.echo("Nothing needs a look.")
        if more:
            typer.echo(f"{more} unsure kingdoms would change nothing, as far as is known: --all shows them too.")
        for number, item in enumerate(items, start=1):
            changes = f" · may change {item.changes}" if item.changes else ""
            typer.echo(f"\n{number} of {len(items)}{changes}")
            if not self._one(item):
                break

    def _one(self, item: "ReviewItem") -> bool:
        """Ask about one thing; False to stop."""
        spot = item.spot
        where = [spot.player, f"round {spot.round}" if spot.round else "", f"table {spot.table}" if spot.table else ""]
        typer.echo(" · ".join(part for part in (*where, spot.photo) if part))
        if item.kingdom is not None:
            self._show(item.kingdom)
        typer.echo(f"{item.why[:1].upper()}{item.why[1:]}.")
        advice = item.advice.replace(HERE, "")
        typer.echo(f"{advice[:1].upper()}{advice[1:]}.")
        choices, board = list(item.fixes), None if item.kingdom is None else item.kingdom.board
        while True:
            fixes = "".join(f"{number} {fix} · " for number, fix in enumerate(choices, start=1))
            typer.echo(ASK.format(fixes=fixes) if board else self._prompt(spot.photo))
            answer = _line()
            if answer is None or answer.lower() == "q":
                return False
            if answer.isdecimal() and 1 <= int(answer) <= len(choices):
                answer = choices[int(answer) - 1]
            try:
                done, board = self._answered(item, answer, board)
            except KdvisionError as error:
                complain(error)
                continue
            if done:
                return True

    def _prompt(self, photo: str) -> str:
        """What may be answered about a photo as a whole: its board, where none was read."""
        record = self.records.get(photo)
        return GO_ON if record is None else SEE if record.reading.data["kingdoms"] else TYPE

    def _answered(self, item: "ReviewItem", answer: str, board: "Board | None") -> "tuple[bool, Board | None]":
        """Do what a person answered; whether that is all there is to ask, and the board with what was said."""
        if answer.lower() == "o":
            self._open(item)
            return False, board
        record = self.records.get(item.spot.photo)
        if record is None or answer.lower() == "s" or (not answer and board is None):
            return True, board
        from kdvision.report.build import correct_board

        kingdom = item.spot.kingdom or 1
        if record.reading.data["kingdoms"] and not item.spot.kingdom and not re.match(r"\d+:", answer):
            hint = f"say which one: kdvision review {self.options.out} --board {record.photo}:K=BOARD"
            raise NotationError(f"kingdoms were read in {record.photo}, and this is about none of them", hint=hint)
        if not answer or answer.lower().startswith("board "):
            words = answer[len("board ") :] or str(board)
            self._say(_correction(record.photo, kingdom, board=words))
            return True, board
        for number, square, cell in fixes_of([answer if ":" in answer else f"{kingdom}:{answer}"]):
            self._say(_correction(record.photo, number + 1, square.name, cell))
            typer.echo(f"{square.name} is {cell}.")
            if board is not None and number + 1 == kingdom:
                board = correct_board(board, square, cell)
        return False, board

    def _say(self, correction: "Correction") -> None:
        self.corrections.add([_checked(correction, self.records)])

    def _show(self, kingdom: "KingdomResult") -> None:
        from kdvision.game.scoring import score
        from kdvision.report.result import Result, ScoredKingdom
        from kdvision.report.table import format_table

        rule_set = self.outcome.standings.rule_set(kingdom)
        scored = ScoredKingdom(kingdom.kingdom, rule_set, score(kingdom.kingdom, rule_set), ())
        typer.echo(format_table(Result(None, kingdoms=(scored,)), width=width(), colour=colour()))

    def _open(self, item: "ReviewItem") -> None:
        from kdvision.batch.result_folder import REPORT

        picture = item.kingdom.picture if item.kingdom is not None else None
        webbrowser.open((self.options.out / (picture or REPORT)).resolve().as_uri())


def _load_outcome(
    options: "BatchOptions", corrections: "CorrectionFile"
) -> "tuple[EventOutcome, dict[str, PhotoRecord]]":
    """The outcome of the event, and the record of each photo, as the last run stored them. Nothing is written."""
    from kdvision.batch.joint import TableCache
    from kdvision.batch.journal import read_lines
    from kdvision.batch.outputs import evaluate_event
    from kdvision.batch.record import PhotoRecord, is_record
    from kdvision.batch.result_folder import RESULTS, ResultFolder

    lines = read_lines(options.out / RESULTS)
    records = {record.photo: record for line in lines if is_record(line) for record in [PhotoRecord.of_line(line)]}
    cache = TableCache(ResultFolder(options.out).load_table_cache())
    return evaluate_event(options.load_event(), records.values(), corrections, cache=cache), records


def _follow(options: "BatchOptions") -> None:
    """Write the results after corrections, unless a run is writing there, which does it itself."""
    from kdvision.batch.journal import LockedError
    from kdvision.batch.result_folder import ResultFolder
    from kdvision.batch.run import BatchRun
    from kdvision.batch.workers import SerialExecutor

    def say(text: str) -> None:
        typer.echo(f"kdvision: {text}.", err=True)

    try:
        with ResultFolder(options.out).lock():
            run = BatchRun(options, SerialExecutor(), on_message=say)
            try:
                written = run.apply_corrections()
            finally:
                run.close()
    except LockedError:
        typer.echo("kdvision: a run is writing there, and applies the corrections before it ends.", err=True)
        return
    put_written(written, options.out)


def _fix(text: str) -> "Correction":
    found = FIX.fullmatch(text.strip())
    if found is None:
        expected = f"PHOTO:{EXPECTED_FIX.replace('1:C3=w1', 'ann.jpg:1:C3=w1')}"
        raise NotationError(f"{text!r} corrects no square", expected=expected, hint=f"write {expected}")
    number, square, cell = fixes_of([found["fix"]])[0]
    return _correction(found["photo"], number + 1, square.name, cell)


def _board(text: str) -> "Correction":
    found = BOARD.fullmatch(text.strip())
    if found is None:
        expected = "PHOTO:KINGDOM=BOARD, as in ann.jpg:1=w w1 / l #"
        raise NotationError(f"{text!r} is no board of a photo", expected=expected, hint=f"write {expected}")
    return _correction(found["photo"], int(found["kingdom"]), board=found["board"])


def _correction(photo: str, kingdom: int, square: str = "", cell: str = "", *, board: str = "") -> "Correction":
    from kdvision.batch.corrections import Correction
    from kdvision.game.board import Board

    text = str(Board.parse(board)) if board else ""
    return Correction(photo=photo, content="", kingdom=kingdom, square=square, cell=cell, board=text)


def _checked(one: "Correction", records: "dict[str, PhotoRecord]") -> "Correction":
    """The correction tied to its photo's content; raises NotationError where it fits no kingdom that was read."""
    from dataclasses import replace
    from difflib import get_close_matches

    record = records.get(one.photo)
    if record is None:
        close = get_close_matches(one.photo, records, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}?" if close else "name it as results.csv does"
        raise NotationError(f"there is no photo {one.photo} among the results", hint=hint)
    kingdoms: list[Data] = list(record.reading.data["kingdoms"])
    one.check(kingdoms)
    return replace(one, content=record.content)


def _line() -> str | None:
    """What a person typed, None at the end of all input."""
    typer.echo("> ", nl=False)
    line = sys.stdin.readline() if sys.stdin is not None else ""
    return line.strip() if line else None
