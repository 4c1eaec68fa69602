"""What a batch has made of a rendered event, beside its truth."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kdvision.game.board import Board


def check(truth: Path, out: Path) -> list[str]:
    """What of batch's results differs from the truth of the event, one line each."""
    true = json.loads(truth.read_text(encoding="utf-8"))
    names = ("standing", "round", "table", "place", "player", "points")
    read = [[row[name] for name in names] for row in _sheet(out / "standings.csv") if row["place"]]
    wrong = [f"missing: {row}" for row in true["standings"] if row not in read]
    wrong += [f"too much: {row}" for row in read if row not in true["standings"]]
    broken = sorted(row["file"] for row in _sheet(out / "errors.csv"))
    wrong += [] if broken == true["broken"] else [f"errors.csv: {sorted(set(broken) ^ set(true['broken']))}"]
    for row, board in _wrong(true["boards"], out):
        wrong.append(f"{row['photo']}: read {row['board']}, true {board}, review {row['review']}")
    return wrong


def tally(truth: Path, out: Path) -> str:
    """How many boards are right, how many of the wrong ones a person is asked about, and how many in all."""
    wrong = [row for row, _ in _wrong(json.loads(truth.read_text(encoding="utf-8"))["boards"], out)]
    asked = {row["photo"] for row in _sheet(out / "review.csv")}
    counting = [row for row in _sheet(out / "results.csv") if row["counts"] == "yes"]
    flagged = sum(row["review"] == "yes" for row in counting)
    seen = sum(row["photo"] in asked for row in wrong)
    right = f"{len(counting) - len(wrong)} of {len(counting)} boards are right"
    return f"{right}; {seen} of {len(wrong)} wrong ones are in review.csv; {flagged} boards are flagged"


def _wrong(boards: Mapping[str, str], out: Path) -> Iterator[tuple[dict[str, str], str | None]]:
    """Yield the rows of boards that count and are not the true ones, each with what is true."""
    for row in _sheet(out / "results.csv"):
        board = boards.get(f"{row['round']}/{row['player']}")
        if row["counts"] == "yes" and (board is None or not _alike(board, row["board"])):
            yield row, board


def correct(shown: Mapping[str, Sequence[str]], out: Path) -> list[str]:
    """Do what a person does who looks at everything in review.csv and sees the truth; the photos that were wrong.

    `shown` are the true boards of each photo. What is said goes into corrections.jsonl, as `kdvision review` writes it;
    the next run follows.
    """
    asked = {row["photo"] for row in _sheet(out / "review.csv")}
    said = []
    for line in map(json.loads, (out / "results.jsonl").read_text(encoding="utf-8").splitlines()):
        boards = shown.get(line["photo"], ())
        read = [" / ".join(kingdom["board"]) for kingdom in line["kingdoms"]]
        if line["photo"] in asked and not _same(read, boards):
            photo = {"photo": line["photo"], "content": line["content"]}
            numbers = _numbers(read, boards)
            said += [
                {**photo, "kingdom": number, "board": board} for number, board in zip(numbers, boards, strict=True)
            ]
    with (out / "corrections.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in said)
    return list(dict.fromkeys(str(one["photo"]) for one in said))


def _same(read: Sequence[str], true: Sequence[str]) -> bool:
    """Whether the same kingdoms were read, in whatever order."""
    return len(read) == len(true) and all(any(_alike(one, other) for other in read) for one in true)


def _numbers(read: Sequence[str], true: Sequence[str]) -> list[int]:
    """Which of the kingdoms that were read each true one is, from 1; numbers behind them for those that are none."""
    left = list(range(len(read)))
    numbers: list[int] = []
    for board in true:
        nearest = min(left, key=lambda i: _apart(read[i], board), default=None)
        numbers.append(max([len(read), *numbers]) + 1 if nearest is None else nearest + 1)
        left = [i for i in left if i != nearest]
    return numbers


def _apart(one: str, other: str) -> int:
    """How many squares two boards differ in, turned as they are most alike."""
    board = Board.parse(one).trim()
    turns = [Board.parse(other).trim().rotate(quarters) for quarters in range(4)]
    return min(sum(board.get(s) != turn.get(s) for s in {*board, *turn}) for turn in turns)


def _sheet(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _alike(one: str, other: str) -> bool:
    """True for one board seen from two sides."""
    return any(Board.parse(one).rotate(quarters) == Board.parse(other) for quarters in range(4))
