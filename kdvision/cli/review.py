"""`kdvision review`: asks about the uncertain results of a batch, and corrects them."""

import re
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from unicodedata import normalize

import typer

from kdvision.cli.batch import print_summary
from kdvision.cli.inputs import FIX_FORMAT, correct_boards, match_text, parse_fix, parse_path
from kdvision.cli.output import print_error, print_line, print_message, print_result
from kdvision.errors import KdvisionError, NotationError
from kdvision.game.board import Board, Square, parse_cell
from kdvision.report.result import Result, ScoredKingdom
from kdvision.text import capitalise, count_noun, quote_path

if TYPE_CHECKING:
    from kdvision.batch.outcome import EventOutcome
    from kdvision.batch.review import ReviewItem
    from kdvision.batch.store.record import Correction, PhotoRecord

PHOTO_FIX_FORMAT: Final = f"PHOTO:{FIX_FORMAT.replace('1:C3=w1', 'ann.jpg:1:C3=w1')}"
BOARD_FORMAT: Final = "PHOTO:KINGDOM=BOARD, as in ann.jpg:1=w w1 / l #"

SQUARE_PROMPT: Final = "C3=w1 correct a square"
TYPE_PROMPT: Final = "board w w1 / … type the board"
BOARD_ANSWER: Final = "board "
COMMAND: Final = "kdvision review"
COMMAND_ADVICE: Final = f": {COMMAND}"
"""The end of an advice to run this command. The dialogue leaves it out."""


def review(
    out: Annotated[
        Path, typer.Argument(parser=parse_path, metavar="RESULTS", help="The result folder of kdvision batch.")
    ],
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
    page: Annotated[bool, typer.Option("--page", help="Open the report in the browser; ask nothing.")] = False,
) -> None:
    """Check and correct the results of a batch. Asks about the most decisive ones first.

    Corrections are stored in RESULTS/corrections.jsonl, and standings and report are updated. With --fix or --board
    nothing is asked.
    """
    from kdvision.batch.reading.workers import read_in_process
    from kdvision.batch.run import BatchOptions, BatchRun
    from kdvision.batch.store.folder import LockedError, ResultFolder

    options = BatchOptions.load(out)
    if page and not (fix or board):
        _open_report(out)
        return
    outcome = BatchRun(options, read_in_process).evaluate()
    dialogue = ReviewDialogue(out, outcome)
    new_corrections = _parse_corrections(board or (), fix or ())
    if new_corrections:
        dialogue.store(new_corrections)
    else:
        with suppress(KeyboardInterrupt):
            dialogue.ask_all(outcome.review_items if everything else outcome.decisive_items)
    try:
        with ResultFolder(out).lock():
            outcome = BatchRun(options, read_in_process, on_message=print_message).apply_corrections()
    except LockedError:
        print_message("another run is writing to this folder; it applies the corrections before it ends")
    else:
        print_summary(outcome, out)
    if page:
        _open_report(out)


def _open_report(out: Path) -> None:
    from kdvision.batch.store.folder import REPORT

    report = (out / REPORT).resolve()
    print_line(str(report))
    webbrowser.open(report.as_uri())


def _parse_corrections(boards: Sequence[str], fixes: Sequence[str]) -> "list[Correction]":
    """Return the corrections of `--board`, with the fixes of these boards, and of `--fix`; raise NotationError."""
    from kdvision.batch.store.record import Correction

    typed_boards: dict[tuple[str, int], Board] = {}
    cells: dict[tuple[str, int, Square], str] = {}
    once = "leave one of them out"
    for text in boards:
        match = match_text(r"(.+?):(\d{1,2})=(.+)", text, "the board of a photo", BOARD_FORMAT)
        photo, kingdom, board = normalize("NFC", match[1]), int(match[2]), Board.parse(match[3])
        if typed_boards.setdefault((photo, kingdom), board) != board:
            raise NotationError(f"kingdom {kingdom} of {photo} is given two boards", expected=once, hint=once)
    for text in fixes:
        match = match_text(r"(.+?):((?:\d+:)?[A-Za-z]\d{1,2}=\S+)", text, "a correction", PHOTO_FIX_FORMAT)
        number, square, cell = parse_fix(match[2])
        photo, kingdom = normalize("NFC", match[1]), number + 1
        if cells.setdefault((photo, kingdom, square), cell) != cell:
            message = f"{square.name} of kingdom {kingdom} of {photo} is corrected twice"
            raise NotationError(message, expected=once, hint=once)
    corrections = []
    for (photo, kingdom, square), cell in cells.items():
        if (key := (photo, kingdom)) in typed_boards:
            (typed_boards[key],) = correct_boards([typed_boards[key]], {(0, square): cell})
        else:
            corrections.append(Correction(photo, "", kingdom, square.name, cell))
    board_corrections = [
        Correction(photo, "", kingdom, board=str(board)) for (photo, kingdom), board in typed_boards.items()
    ]
    return [*board_corrections, *corrections]


@dataclass(frozen=True)
class ReviewDialogue:
    """Asks about review items in the terminal, and stores the corrections in the result folder `out`."""

    out: Path
    outcome: "EventOutcome"

    @cached_property
    def records(self) -> "dict[str, PhotoRecord]":
        """The records by photo, with their corrections."""
        return {photo.name: photo for photo in self.outcome.photos}

    @cached_property
    def boards(self) -> dict[tuple[str, int], Board]:
        """The boards by kingdom, with the corrections so far."""
        return {kingdom.id: kingdom.board for kingdom in self.outcome.standings.kingdoms}

    def store(self, corrections: "Sequence[Correction]") -> None:
        """Store corrections with the content hashes of their photos; raise NotationError if one fits no kingdom.

        Prints the problems of whole boards, because these are not reviewed again.
        """
        from kdvision.batch.kingdoms import score_typed_board
        from kdvision.batch.review import GIVE_ORDER
        from kdvision.batch.store.record import CorrectionFile

        attached_corrections = []
        for correction in corrections:
            record = self.records.get(correction.photo)
            if record is None:
                matches = get_close_matches(correction.photo, self.records, n=1, cutoff=0.5)
                hint = f"did you mean {matches[0]}?" if matches else "use a name from results.csv"
                raise NotationError(f"there is no photo {correction.photo} in the results", hint=hint)
            typed_numbers = {entry.kingdom for entry in corrections if entry.board and entry.photo == correction.photo}
            attached_corrections.append(correction.attach(record, typed_numbers))
            if record.gone:
                print_message(f"{record.name} is not in the folder: its correction counts when it is back")
            if correction.board:
                data = score_typed_board(Board.parse(correction.board), correction.kingdom, record.rules)
                for problem in data["problems"]:
                    print_message(f"{correction.photo}, kingdom {correction.kingdom}: {problem['text']}")
                if correction.kingdom > len(record.reading.kingdoms) > 0 and len(record.seat.players) > 1:
                    print_message(f"{correction.photo}, kingdom {correction.kingdom}: {GIVE_ORDER}")
        CorrectionFile(self.out).add(attached_corrections)

    def ask_all(self, items: "Sequence[ReviewItem]") -> None:
        """Ask about all items until the user quits."""
        other_count = len(self.outcome.review_items) - len(items)
        if not items:
            print_line("Nothing needs to be checked.")
        if other_count:
            results = count_noun(other_count, "uncertain result")
            print_line(f"--all also asks about {results} without a known effect on the points.")
        for number, item in enumerate(items, start=1):
            changes = f" · may change {item.changes}" if item.changes else ""
            typer.echo()
            print_line(f"{number} of {len(items)}{changes}")
            print_line(" · ".join(filter(None, (item.player, *item.seat_words, item.photo))))
            if (kingdom := item.kingdom) is not None:
                board = self.boards[kingdom.id]
                rule_set = self.outcome.standings.get_rule_set(kingdom, board)
                scored_kingdom = ScoredKingdom(replace(kingdom.kingdom, board=board), rule_set)
                print_result(Result(None, kingdoms=(scored_kingdom,)), as_json=False)
            sentences = [item.why, item.advice.replace(COMMAND_ADVICE, "")]
            if item.impact and item.kingdom is None and COMMAND not in item.advice:
                sentences.append("nothing changes here: do that, then run kdvision batch again")
            for sentence in sentences:
                print_line(f"{capitalise(sentence)}.")
            if not self._ask(item):
                break

    def _ask(self, item: "ReviewItem") -> bool:
        """Ask about one item; return False if the user quits."""
        from kdvision.batch.store.folder import REPORT

        record = self.records.get(item.photo)
        if item.kingdom is not None:
            fixes = [f"{number} {fix}" for number, fix in enumerate(item.fixes, start=1)]
            prompts = ["[Enter] the board is right", *fixes, SQUARE_PROMPT, TYPE_PROMPT, "o open", "s skip"]
        else:
            prompts, is_kingdom_known = ["[Enter] continue"], bool(item.number) and COMMAND_ADVICE in item.advice
            if record is not None and (is_kingdom_known or not record.kingdoms):
                prompts += [SQUARE_PROMPT] * ((item.number or 1) <= len(record.kingdoms)) + [TYPE_PROMPT]
            prompts += ["o open"] if record is not None else []
        while True:
            print_line(" · ".join([*prompts, "q quit"]))
            typer.echo("> ", nl=False)
            line = sys.stdin.readline() if sys.stdin is not None else ""
            answer = line.strip()
            if not line or answer.lower() == "q":
                return False
            if answer.isdecimal() and 1 <= int(answer) <= len(item.fixes):
                answer = item.fixes[int(answer) - 1]
            if answer.lower() == "o":
                picture = item.kingdom.photo.picture if item.kingdom is not None else None
                webbrowser.open((self.out / (picture or REPORT)).resolve().as_uri())
                continue
            if record is None or answer.lower() == "s" or (not answer and item.kingdom is None):
                return True
            try:
                self._correct(item, record, answer)
            except KdvisionError as error:
                print_error(error)
                continue
            if not answer or answer.lower().startswith(BOARD_ANSWER):
                return True

    def _correct(self, item: "ReviewItem", record: "PhotoRecord", answer: str) -> None:
        """Store what the user answered, and keep the board with the corrections so far; raise NotationError."""
        from kdvision.batch.store.record import Correction

        kingdom = item.number or 1
        if record.kingdoms and not item.number and not re.match(r"\d+:", answer):
            board_option = quote_path(f"{record.name}:K=BOARD")
            numbers = f"K is its number in the picture, or {len(record.kingdoms) + 1} if it was not read"
            hint = f"name the kingdom: kdvision review {quote_path(self.out)} --board {board_option}; {numbers}"
            raise NotationError(f"it is not clear which kingdom of {record.name} is meant", hint=hint)
        if not answer or answer.lower().startswith(BOARD_ANSWER):
            board = Board.parse(answer[len(BOARD_ANSWER) :]) if answer else self.boards[record.name, kingdom]
            self.store([Correction(record.name, "", kingdom, board=str(board))])
            self.boards[record.name, kingdom] = board
            return
        number, square, cell = parse_fix(answer)
        number = number + 1 if ":" in answer else kingdom
        self.store([Correction(record.name, "", number, square.name, cell)])
        print_line(f"{square.name} is {cell}.")
        if (place := (record.name, number)) in self.boards:
            self.boards[place] = self.boards[place].with_cells({square: parse_cell(cell)})
