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

    from kdvision.batch.corrections import Book, Correction
    from kdvision.batch.options import Plan
    from kdvision.batch.outputs import Told
    from kdvision.batch.record import Data, Held
    from kdvision.batch.review import Look
    from kdvision.batch.seating import Entry
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
    from kdvision.batch.corrections import Book
    from kdvision.batch.options import Plan
    from kdvision.batch.result_folder import REPORT, Place
    from kdvision.batch.review import decisive

    plan = Plan.of_memo(out, Place(out).memo())
    if page:
        report = (out / REPORT).resolve()
        typer.echo(str(report))
        webbrowser.open(report.as_uri())
        return
    book = Book(out)
    book.refreshed()
    told, held = _told(plan, book)
    given = [*map(_fix, fix or ()), *map(_board, board or ())]
    if given:
        book.add([_checked(one, held) for one in given])
    else:
        Walk(plan, book, told, held).all(told.looks if everything else decisive(told.looks))
    _follow(plan)


class Walk:
    """A walk through everything to look at, one question each."""

    def __init__(self, plan: "Plan", book: "Book", told: "Told", held: "dict[str, Held]") -> None:
        self.plan, self.book, self.told, self.held = plan, book, told, held

    def all(self, looks: "Sequence[Look]") -> None:
        """Ask about all of these, until the person stops."""
        more = len(self.told.looks) - len(looks)
        if not looks:
            typer.echo("Nothing needs a look.")
        if more:
            typer.echo(f"{more} unsure kingdoms would change nothing, as far as is known: --all shows them too.")
        for number, look in enumerate(looks, start=1):
            changes = f" · may change {look.changes}" if look.changes else ""
            typer.echo(f"\n{number} of {len(looks)}{changes}")
            if not self._one(look):
                break

    def _one(self, look: "Look") -> bool:
        """Ask about one thing; False to stop."""
        spot = look.spot
        where = [spot.player, f"round {spot.round}" if spot.round else "", f"table {spot.table}" if spot.table else ""]
        typer.echo(" · ".join(part for part in (*where, spot.photo) if part))
        if look.entry is not None:
            self._show(look.entry)
        typer.echo(f"{look.why[:1].upper()}{look.why[1:]}.")
        advice = look.advice.replace(HERE, "")
        typer.echo(f"{advice[:1].upper()}{advice[1:]}.")
        choices, board = list(look.fixes), None if look.entry is None else look.entry.board
        while True:
            fixes = "".join(f"{number} {fix} · " for number, fix in enumerate(choices, start=1))
            typer.echo(ASK.format(fixes=fixes) if board else self._prompt(spot.photo))
            answer = _line()
            if answer is None or answer.lower() == "q":
                return False
            if answer.isdecimal() and 1 <= int(answer) <= len(choices):
                answer = choices[int(answer) - 1]
            try:
                done, board = self._answered(look, answer, board)
            except KdvisionError as error:
                complain(error)
                continue
            if done:
                return True

    def _prompt(self, photo: str) -> str:
        """What may be answered about a photo as a whole: its board, where none was read."""
        held = self.held.get(photo)
        return GO_ON if held is None else SEE if held.reading.data["kingdoms"] else TYPE

    def _answered(self, look: "Look", answer: str, board: "Board | None") -> "tuple[bool, Board | None]":
        """Do what a person answered; whether that is all there is to ask, and the board with what was said."""
        if answer.lower() == "o":
            self._open(look)
            return False, board
        held = self.held.get(look.spot.photo)
        if held is None or answer.lower() == "s" or (not answer and board is None):
            return True, board
        from kdvision.report.build import correct_board

        kingdom = look.spot.kingdom or 1
        if held.reading.data["kingdoms"] and not look.spot.kingdom and not re.match(r"\d+:", answer):
            hint = f"say which one: kdvision review {self.plan.out} --board {held.photo}:K=BOARD"
            raise NotationError(f"kingdoms were read in {held.photo}, and this is about none of them", hint=hint)
        if not answer or answer.lower().startswith("board "):
            words = answer[len("board ") :] or str(board)
            self._say(_correction(held.photo, kingdom, board=words))
            return True, board
        for number, square, cell in fixes_of([answer if ":" in answer else f"{kingdom}:{answer}"]):
            self._say(_correction(held.photo, number + 1, square.name, cell))
            typer.echo(f"{square.name} is {cell}.")
            if board is not None and number + 1 == kingdom:
                board = correct_board(board, square, cell)
        return False, board

    def _say(self, correction: "Correction") -> None:
        self.book.add([_checked(correction, self.held)])

    def _show(self, entry: "Entry") -> None:
        from kdvision.game.scoring import score
        from kdvision.report.result import Result, ScoredKingdom
        from kdvision.report.table import format_table

        rule_set = self.told.room.rule_set(entry)
        scored = ScoredKingdom(entry.kingdom, rule_set, score(entry.kingdom, rule_set), ())
        typer.echo(format_table(Result(None, kingdoms=(scored,)), width=width(), colour=colour()))

    def _open(self, look: "Look") -> None:
        from kdvision.batch.result_folder import REPORT

        picture = look.entry.picture if look.entry is not None else None
        webbrowser.open((self.plan.out / (picture or REPORT)).resolve().as_uri())


def _told(plan: "Plan", book: "Book") -> "tuple[Told, dict[str, Held]]":
    """What is known of the event now, and of each photo, as the last run wrote it; nothing is written."""
    from kdvision.batch.joint import Boxes
    from kdvision.batch.journal import lines_of
    from kdvision.batch.outputs import told
    from kdvision.batch.record import Held
    from kdvision.batch.result_folder import RESULTS, Place

    held = [Held.of(line) for line in lines_of(plan.out / RESULTS) if "content" in line]
    by_name = {one.photo: one for one in held}
    return told(plan.told(), by_name.values(), book, boxes=Boxes(Place(plan.out).tables())), by_name


def _follow(plan: "Plan") -> None:
    """Let the results follow the corrections; a run that is writing there will do it itself."""
    from kdvision.batch.lock import Taken
    from kdvision.batch.pool import Here
    from kdvision.batch.result_folder import Place
    from kdvision.batch.run import Night

    try:
        with Place(plan.out).held():
            night = Night(plan, Here(), say=lambda text: typer.echo(f"kdvision: {text}.", err=True))
            try:
                written = night.again()
            finally:
                night.close()
    except Taken:
        typer.echo("kdvision: a run is writing there, and takes the corrections up before it ends.", err=True)
        return
    put_written(written, plan.out)


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


def _checked(one: "Correction", held: "dict[str, Held]") -> "Correction":
    """The correction tied to its photo's content; raises NotationError where it fits no kingdom that was read."""
    from dataclasses import replace
    from difflib import get_close_matches

    from kdvision.batch.corrections import check

    photo = held.get(one.photo)
    if photo is None:
        close = get_close_matches(one.photo, held, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}?" if close else "name it as results.csv does"
        raise NotationError(f"there is no photo {one.photo} among the results", hint=hint)
    kingdoms: list[Data] = list(photo.reading.data["kingdoms"])
    check(kingdoms, one)
    return replace(one, content=photo.content)


def _line() -> str | None:
    """What a person typed, None at the end of all input."""
    typer.echo("> ", nl=False)
    line = sys.stdin.readline() if sys.stdin is not None else ""
    return line.strip() if line else None
