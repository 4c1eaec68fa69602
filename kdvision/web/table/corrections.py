"""What people have set on a kingdom, moved to another reading of it."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import floor
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from kdvision.game.board import BoardAlignment, Square, count_alignments
from kdvision.game.kingdom import UNKNOWN
from kdvision.text import count_noun, join_words
from kdvision.vision.detect.grid import Grid
from kdvision.web.table.facts import FACT_KEYS, add_piece, find_place, move_piece, remove_piece, replace_pieces
from kdvision.web.table.model import PLACES, Facts, TableKingdom, format_place, parse_place

MIN_SAME_SQUARES: Final = 5
MIN_SAME_SHARE: Final = 0.7
"""Two boards show one kingdom if so many squares, and this share of the smaller board, agree in one position."""

MAX_OFFSET_SQUARES: Final = 0.35
"""How far the centre of a square may lie from that of the same square in another grid of the photo."""

LOST_TEXT: Final = "a new reading had no place for what a person had set: "
"""What a problem that names lost corrections begins with."""


def count_required_squares(kingdom: TableKingdom, other_kingdom: TableKingdom) -> float:
    """Return on how many squares two kingdoms must agree to be the same one."""
    return max(MIN_SAME_SQUARES, MIN_SAME_SHARE * min(len(kingdom.cells), len(other_kingdom.cells)))


def match_kingdoms(kingdoms: Sequence[TableKingdom], readings: Sequence[TableKingdom]) -> dict[int, int]:
    """Return the number of the kingdom that a reading shows again, by the number of the reading."""
    pairs = []
    for (number, kingdom), (index, reading) in product(enumerate(kingdoms), enumerate(readings)):
        count = kingdom.board.count_equal_squares(reading.board)
        if count >= count_required_squares(kingdom, reading):
            pairs.append((count, number, index))
    matches: dict[int, int] = {}
    for _, number, index in sorted(pairs, key=lambda pair: -pair[0]):
        if index not in matches and number not in matches.values():
            matches[index] = number
    return matches


def keep_corrections(kingdom: TableKingdom, reading: TableKingdom, old_reading: TableKingdom | None) -> TableKingdom:
    """Return the reading with what people have set on a kingdom; `old_reading` is the one that it had, None if lost.

    What has no square in the reading is named in a problem, and the kingdom is to check. Such a problem stays until a
    person has confirmed the kingdom.
    """
    info, alignment = reading.photo_info, _find_alignment(kingdom, reading)
    assert info is not None, "read from a photo"
    fixes, lost_cells = dict[str, str](), list[str]()
    for at, cell in kingdom.fixes.items() if kingdom.reading else ():  # a board that was typed is replaced
        if alignment is not None and _has_place(at, alignment, reading):
            fixes[format_place(alignment.move(parse_place(at)))] = cell
        elif alignment is None or cell != ".":  # there is nothing outside the grid
            lost_cells.append(cell)
    photo_facts = _contradict_answers(kingdom, old_reading) if old_reading is not None else {}
    facts, answers, lost_keys = _keep_facts(kingdom, reading, photo_facts, alignment)
    texts = [text for text in kingdom.unconfirmed_info.contradictions if text.startswith(LOST_TEXT)]
    if lost_cells or lost_keys:
        squares = [f"{count_noun(len(lost_cells), 'square')} ({', '.join(lost_cells)})"] if lost_cells else []
        texts.append(LOST_TEXT + join_words([*squares, *lost_keys]))
    if texts:
        contradictions, problems = [*info.contradictions, *texts], [*info.problems, *texts]
        info = replace(info, review=True, contradictions=contradictions, problems=problems)
    doubts = [doubt for doubt in info.doubts if doubt.at not in fixes]
    pieces = [
        piece for piece in info.pieces if answers.isdisjoint({(FACT_KEYS.get(piece.kind), piece.at), (piece.kind, "")})
    ]
    for kind in {piece.kind for piece in info.pieces} - {piece.kind for piece in pieces}:
        key = FACT_KEYS.get(kind, "")
        if isinstance(facts.get(key), list) and (key, UNKNOWN) not in answers:  # no question keeps the list open
            facts = replace_pieces(facts, key, UNKNOWN, [])
    cells = {at: cell for at, cell in (reading.cells | fixes).items() if cell != "."}
    info = replace(info, doubts=doubts, pieces=pieces)
    return replace(reading, cells=cells, facts=facts, fixes=fixes, photo_info=info).with_names_from(reading.top_left)


def _contradict_answers(kingdom: TableKingdom, old_reading: TableKingdom) -> Facts:
    """Return the facts of a reading, with the opposite of each answer of a person to a question about a piece.

    So they differ from those of the kingdom wherever a person has decided.
    """
    facts, info, old_info = old_reading.facts, kingdom.photo_info, old_reading.photo_info
    open_questions = {(piece.kind, piece.at) for piece in info.pieces} if info else set()
    for kind, at in [(piece.kind, piece.at) for piece in old_info.pieces] if old_info else ():
        if (kind, at) not in open_questions:
            is_present = remove_piece(kingdom.facts, kind, at) != kingdom.facts
            facts = (remove_piece if is_present else add_piece)(facts, kind, at)
    return facts


class _KeptFacts(NamedTuple):
    """The facts of a reading and of people.

    `answers` are the keys and places of pieces that people have set; the place of the Queen is "", which is any.
    """

    facts: Facts
    answers: set[tuple[str, str]]
    lost_keys: list[str]


def _keep_facts(
    kingdom: TableKingdom, reading: TableKingdom, photo_facts: Facts, alignment: BoardAlignment | None
) -> _KeptFacts:
    """Join the facts; `lost_keys` are those of pieces that have no square in the reading."""
    facts, answers, lost_keys = dict(reading.facts), set[tuple[str, str]](), list[str]()
    for key, value in kingdom.facts.items():
        photo_value = photo_facts.get(key)
        if not isinstance(value, list):
            is_answer = value not in (UNKNOWN, photo_value)
            if is_answer or key not in facts:
                facts[key] = value
            answers |= {(key, "")} if is_answer else set()
            continue
        if key not in photo_facts:
            facts.setdefault(key, [])
        for pieces, photo_pieces in _compare_pieces(value, photo_value):
            new_pieces, at = pieces or photo_pieces, find_place((pieces or photo_pieces)[0])
            if PLACES.fullmatch(at):
                if alignment is None or not _has_place(at, alignment, reading):
                    is_lost = bool(pieces) or alignment is None  # there is nothing outside the grid
                    lost_keys += [key] * (is_lost and key not in lost_keys)
                    continue
                new_pieces = [move_piece(piece, alignment) for piece in new_pieces]
            elif not pieces:
                continue  # questions of the reading decide whether it lists all pieces
            place = find_place(new_pieces[0])
            facts = replace_pieces(facts, key, place, new_pieces if pieces else [])
            answers.add((key, place))
    return _KeptFacts(facts, answers, lost_keys)


def _compare_pieces(pieces: list[Any], photo_pieces: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the pieces on each place, and those that the photo showed there, where these differ."""
    old_pieces = photo_pieces if isinstance(photo_pieces, list) else []
    for at in dict.fromkeys(map(find_place, [*pieces, *old_pieces])):
        first, second = ([piece for piece in source if find_place(piece) == at] for source in (pieces, old_pieces))
        if first != second:
            yield first, second


def _find_alignment(kingdom: TableKingdom, reading: TableKingdom) -> BoardAlignment | None:
    """Return how the places of a kingdom lie on those of a reading: by a photo that both have, else by the boards."""
    for pairs in (_pair_in_photo(kingdom, reading), _pair_equal_squares(kingdom, reading)):
        (alignment, count), *others = [*count_alignments(pairs).most_common(2), (None, 0)]
        if count >= count_required_squares(kingdom, reading) and count > others[0][1]:
            return alignment
    return None


def _pair_equal_squares(kingdom: TableKingdom, reading: TableKingdom) -> Iterator[tuple[Square, list[Square]]]:
    """Yield each place of the kingdom with those of the reading that hold the same."""
    for at, cell in kingdom.cells.items():
        if cell != UNKNOWN:
            yield parse_place(at), [parse_place(place) for place, new_cell in reading.cells.items() if new_cell == cell]


def _pair_in_photo(kingdom: TableKingdom, reading: TableKingdom) -> Iterator[tuple[Square, list[Square]]]:
    """Yield each place of the kingdom with that of the reading whose centre lies there in the same photo."""
    info, new_info = kingdom.photo_info, reading.photo_info
    if not (info and new_info and info.photo and info.photo == new_info.photo and info.squares and new_info.squares):
        return
    grid, new_grid = (Grid(np.reshape(view.squares, (len(view.squares), -1, 4, 2))) for view in (info, new_info))
    places = [parse_place(at, info.first) for at in kingdom.cells]
    squares = [square for square in places if 0 <= square.row < grid.rows and 0 <= square.col < grid.cols]
    points = new_grid.to_grid_coordinates(np.array([grid.centres[square] for square in squares]).reshape(-1, 2))
    for (row, col), (x, y) in zip(squares, points.tolist(), strict=True):
        new_row, new_col = floor(y), floor(x)
        if max(abs(y - new_row - 0.5), abs(x - new_col - 0.5)) <= MAX_OFFSET_SQUARES:
            (top, left), (new_top, new_left) = info.first, new_info.first
            yield Square(row + top, col + left), [Square(new_row + new_top, new_col + new_left)]


def _has_place(at: str, alignment: BoardAlignment, reading: TableKingdom) -> bool:
    """Return True if a place lies on the grid of the reading, or beside it."""
    assert reading.photo_info is not None, "read from a photo"
    squares, (top, left) = reading.photo_info.squares, reading.photo_info.first
    row, col = alignment.move(parse_place(at))
    return -1 <= row - top <= len(squares) and -1 <= col - left <= len(next(iter(squares), []))
