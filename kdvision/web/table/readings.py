"""From the readings of photos to kingdoms at a table: make, combine and decide them again."""

import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from msgspec.structs import replace

from kdvision.game.board import Square
from kdvision.game.kingdom import GEM, UNKNOWN
from kdvision.game.rules import make_rule_set
from kdvision.game.scoring import RuleSet
from kdvision.pipeline import KingdomReading, decide_again
from kdvision.report.doubt_effects import list_alternatives
from kdvision.report.pieces import find_unplayed_pieces, list_pieces
from kdvision.report.result import ScoredKingdom
from kdvision.vision.classify.pieces import DetectedPiece
from kdvision.vision.detect.grid import Grid
from kdvision.vision.find import Networks
from kdvision.vision.multiview.fuse import fuse
from kdvision.vision.multiview.register import align
from kdvision.web.limits import Refusal
from kdvision.web.table.facts import FACT_KEYS, add_piece, make_piece
from kdvision.web.table.model import (
    Facts,
    PhotoInfo,
    PieceDoubt,
    SquareDoubt,
    TableKingdom,
    TableRules,
    format_place,
    list_cells,
    parse_place,
)
from kdvision.web.table.observations import SurroundedObservation, decode_observation, encode_observation
from kdvision.web.table.storage import StoredReading


def make_reading(entry: ScoredKingdom, photo: str) -> StoredReading:
    """Return the kingdom as a photo shows it, not yet at a table."""
    reading = entry.reading
    assert reading is not None, "read from a photo"
    first, corners = reading.frame.first, describe_grid(reading.observation.grid)
    pieces = [_make_piece_doubt(piece, first) for piece in reading.uncertain_pieces]
    info = PhotoInfo(secrets.token_hex(8), photo, corners, pieces=pieces)
    cells, facts = list_cells(entry.board, first), _list_facts(entry, reading, first)
    kingdom = TableKingdom("", "", reading.colour or "", cells, facts, photo_info=info)
    kingdom = _with_review(kingdom, reading, entry.rule_set)
    return StoredReading(kingdom, encode_observation(reading.observation, reading.surroundings))


def _make_piece_doubt(piece: DetectedPiece, first: Square) -> PieceDoubt:
    return PieceDoubt(piece.kind, format_place(piece.squares[0], first), round(piece.probability, 4))


def describe_grid(grid: Grid) -> list[list[list[int]]]:
    """Return the corners of each cell of the grid, row by row: x and y clockwise from the top left, in whole pixels."""
    quads = grid.quads
    corners: list[list[list[int]]] = quads.round().astype(int).reshape(*quads.shape[:2], 8).tolist()
    return corners


def _list_facts(entry: ScoredKingdom, reading: KingdomReading, first: Square) -> Facts:
    """Return the pieces that the photo shows, and "?" for each kind of which it may not show all.

    Pieces other than gems are found only if the game has them.
    """
    uncertain_kinds, facts = {piece.kind for piece in reading.uncertain_pieces}, dict[str, Any]()
    for kind, key in FACT_KEYS.items():
        if kind == GEM or key in entry.rule_set.facts:
            squares = [piece.square for piece in list_pieces(reading) if piece.kind == kind]
            is_open = kind in uncertain_kinds or key in entry.kingdom.open_facts
            facts[key] = [make_piece(kind, format_place(square, first)) for square in squares] + [UNKNOWN] * is_open
    return facts | {"queen": True} if entry.kingdom.queen else facts


def _with_review(kingdom: TableKingdom, reading: KingdomReading, rule_set: RuleSet) -> TableKingdom:
    """Return the kingdom with what a decision tells about its photo.

    Only a board that needs a review has doubts, and squares that a person has set are in doubt no longer. A confirmed
    kingdom has no doubts. Contradictions of photos stay, whatever is decided.
    """
    first, info = _locate_board(reading, kingdom), kingdom.photo_info
    assert info is not None, "read from a photo"
    unplayed_pieces = [*find_unplayed_pieces(reading, rule_set)]
    needs_review = reading.needs_review(unplayed_pieces) or bool(info.contradictions)
    cells, doubts = list_cells(reading.board, first), []
    for alternative in list_alternatives(reading):
        other_cells = list_cells(alternative.board, first)
        changes = {
            at: other_cells.get(at, ".") for at in {**cells, **other_cells} if cells.get(at) != other_cells.get(at)
        }
        at, probability = format_place(alternative.square, first), round(alternative.probability, 4)
        doubts.append(SquareDoubt(at, alternative.kind, alternative.other_kind, probability, changes))
    info = replace(
        info,
        probability=round(reading.probability, 4),
        review=needs_review,
        problems=[*(problem.text for problem in (*reading.problems, *unplayed_pieces)), *info.contradictions],
        doubts=[doubt for doubt in doubts if needs_review and not kingdom.checked and doubt.at not in kingdom.fixes],
    )
    return replace(kingdom, photo_info=info)


def decode_reading(stored_reading: StoredReading) -> SurroundedObservation:
    """Return the observation of a stored reading; raise Refusal if networks of other classes made it."""
    cells = Networks.load().classifier
    try:
        return decode_observation(stored_reading.observation, cells.kinds, piece_names=cells.pieces)
    except ValueError as error:
        message = "this kingdom was read by another version of the program"
        raise Refusal(409, message, hint="take the photo again") from error


def decide_kingdoms(
    observed_kingdoms: Sequence[tuple[TableKingdom, SurroundedObservation]], rules: TableRules
) -> list[TableKingdom]:
    """Return the kingdoms, decided together, with the squares that people have set."""
    decisions = zip(observed_kingdoms, _decide(observed_kingdoms, rules), strict=True)
    return [_with_decision(kingdom, reading, rules) for (kingdom, _), reading in decisions]


def _decide(
    observed_kingdoms: Sequence[tuple[TableKingdom, SurroundedObservation]], rules: TableRules
) -> list[KingdomReading]:
    fixed_squares = {}
    for number, (kingdom, (observation, _)) in enumerate(observed_kingdoms):
        assert kingdom.photo_info is not None, "read from a photo"
        for place, cell in kingdom.fixes.items():
            square = parse_place(place, kingdom.photo_info.first)
            if cell != UNKNOWN and 0 <= square.row < observation.grid.rows and 0 <= square.col < observation.grid.cols:
                fixed_squares[number, square] = cell
    return decide_again(
        [view.observation for _, view in observed_kingdoms],
        surroundings=[view.surroundings for _, view in observed_kingdoms],
        side=rules.side,
        fixed_squares=fixed_squares,
        game=rules.box,
        report_towns=True,
    )


def _locate_board(reading: KingdomReading, kingdom: TableKingdom) -> Square:
    """Return the place of the board's A1 at the table, whose places do not change with a new decision."""
    assert kingdom.photo_info is not None, "read from a photo"
    (row, col), (grid_row, grid_col) = reading.frame.first, kingdom.photo_info.first
    return Square(row + grid_row, col + grid_col)


def _with_decision(kingdom: TableKingdom, reading: KingdomReading, rules: TableRules) -> TableKingdom:
    """Return the kingdom with a new decision, which is to be confirmed again if it changes the board.

    Squares that people have set stay, also those outside the grid.
    """
    first = _locate_board(reading, kingdom)
    cells = list_cells(reading.board, first) | kingdom.fixes
    cells = {place: cell for place, cell in cells.items() if cell != "."}
    decided_kingdom = replace(kingdom, cells=cells, checked=kingdom.checked and cells == kingdom.cells)
    rule_set = make_rule_set(rules.game, variants=rules.variants)
    return _with_review(decided_kingdom, reading, rule_set).with_names_from(first)


def list_views(reading: StoredReading) -> list[str]:
    """Return a hash of the observation of each photo that a reading combines."""
    assert reading.kingdom.photo_info is not None, "read from a photo"
    return reading.kingdom.photo_info.views or [sha256(reading.observation).hexdigest()]


def join_readings(
    kingdom: TableKingdom, first_reading: StoredReading, second_reading: StoredReading, rules: TableRules
) -> tuple[TableKingdom, StoredReading]:
    """Return the kingdom as two photos and people show it, and the reading of both photos, with facts of photos only.

    Raises Refusal if the second photo shows another kingdom.
    """
    assert kingdom.photo_info is not None, "read from a photo"
    view, other_view = decode_reading(first_reading), decode_reading(second_reading)
    alignment = align(view.observation, other_view.observation)
    if not alignment.is_same_kingdom:
        raise Refusal(422, f"this photo does not show {kingdom.player}'s kingdom", hint="add it as a new kingdom")
    fusion, problems = fuse(view.observation, [(other_view.observation, alignment)])
    # Fusing adds rows and columns before the first ones; places stay as they are.
    (row, col), *_ = np.argwhere((fusion.grid.quads == view.observation.grid.quads[0, 0]).all(axis=(2, 3))).tolist()
    info, reading_id = kingdom.photo_info, secrets.token_hex(8)
    first, corners = (info.first[0] - row, info.first[1] - col), describe_grid(fusion.grid)
    contradictions = [*info.contradictions, *(problem.text for problem in problems)]
    views = [*list_views(first_reading), *list_views(second_reading)]
    info = replace(info, reading=reading_id, first=first, squares=corners, contradictions=contradictions, views=views)
    joined_kingdom = replace(kingdom, photo_info=info, checked=False)
    surroundings = view.surroundings._replace(damaged=view.surroundings.damaged or other_view.surroundings.damaged)
    observed_kingdom = joined_kingdom, SurroundedObservation(fusion, surroundings)
    (reading,) = _decide([observed_kingdom], rules)
    decided_kingdom, first_kingdom = _with_decision(joined_kingdom, reading, rules), first_reading.kingdom
    assert decided_kingdom.photo_info is not None and first_kingdom.photo_info is not None, "read from photos"
    info = replace(decided_kingdom.photo_info, pieces=first_kingdom.photo_info.pieces)
    photo_kingdom = replace(decided_kingdom, id=first_kingdom.id, facts=first_kingdom.facts, photo_info=info)
    # Not the observation of the decided reading: corrections as if photographed would contradict a further photo.
    content = encode_observation(fusion, surroundings)
    kingdoms = [_add_pieces(version, first_kingdom, reading) for version in (decided_kingdom, photo_kingdom)]
    return kingdoms[0], StoredReading(kingdoms[1], content)


def _add_pieces(kingdom: TableKingdom, first_kingdom: TableKingdom, reading: KingdomReading) -> TableKingdom:
    """Return the kingdom with the pieces and questions about pieces that its first photo alone did not show."""
    assert kingdom.photo_info is not None and first_kingdom.photo_info is not None, "read from photos"
    facts, doubts = kingdom.facts, [*kingdom.photo_info.pieces]
    first_questions = {(doubt.kind, doubt.at) for doubt in first_kingdom.photo_info.pieces}
    first = _locate_board(reading, kingdom)
    for piece in (*reading.pieces, *reading.gems, *reading.uncertain_pieces):
        doubt = _make_piece_doubt(piece, first)
        kind, at, key = doubt.kind, doubt.at, FACT_KEYS.get(doubt.kind, "")
        is_known = (kind, at) in first_questions or add_piece(first_kingdom.facts, kind, at) == first_kingdom.facts
        if is_known or facts.get(kind) is False:  # a person has said that the Queen is not here
            continue
        is_closed = UNKNOWN in (first_kingdom.facts.get(key) or ()) and UNKNOWN not in (facts.get(key) or ())
        if not piece.is_uncertain and not is_closed:
            facts = add_piece(facts, kind, at)
        elif doubt not in doubts:
            doubts.append(doubt)
            if key and (pieces := facts.get(key, [])) != UNKNOWN and UNKNOWN not in pieces:
                facts = facts | {key: [*pieces, UNKNOWN]}
    return replace(kingdom, facts=facts, photo_info=replace(kingdom.photo_info, pieces=doubts))
