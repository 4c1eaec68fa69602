"""What counts as a piece found, by where it lies in the picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdvision.errors import NoKingdomFound
from kdvision.game.board import Board, Square
from kdvision.lab.experiments.pieces_found import Row, _met, as_csv, by_eye, counted, rows, summary
from kdvision.lab.render.renderer import Picture, RenderedKingdom, RenderedSquare
from kdvision.pipeline import KingdomReading
from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece
from kdvision.vision.image.photo import Photo
from tests.kingdoms import grid_of, seen

BOARD = "w1 t t / # f f1 / . l l"
B1, C1, A2, B3 = (Square.parse(name) for name in ("B1", "C1", "A2", "B3"))


def picture() -> Picture:
    """A building on B1, a knight on B3, a gem between A1 and B2."""
    board = Board.parse(BOARD)
    grid = grid_of(board, left=40)
    quads = {square: RenderedSquare(grid.quad(square), 0.0) for square in board}
    on = {B1: "building", B3: "knight"}
    kingdom = RenderedKingdom(board, quads, {}, on, frozenset({Square(0, 0)}))
    return Picture(np.zeros((600, 900, 3), np.uint8), (kingdom,), ())


def read(*pieces: tuple[str, Square, float], gems: tuple[Square, ...] = (), board: str = BOARD) -> KingdomReading:
    shown = tuple(DetectedPiece(*piece) for piece in pieces)
    plain = seen(board.replace("t", "w"))  # what the reading says is no matter here
    return replace(
        plain, board=Board.parse(board), pieces=shown, gems=tuple(DetectedGem(corner, 0.9) for corner in gems)
    )


def test_pieces_on_their_squares_and_gems_on_their_crossings_are_found() -> None:
    told = read(("building", B1, 0.99), ("knight", B3, 0.7), gems=(Square(0, 0),))
    found = {what: counts for what, *counts in counted(picture(), [told])}
    assert found["squares"] == [8, 8, 0]
    assert found["towns"] == [2, 2, 0]
    assert found["building"] == found["knight"] == found["gem"] == [1, 1, 0]
    assert found["tower"] == found["queen"] == [0, 0, 0]


def test_a_piece_elsewhere_is_missed_and_extra_and_an_unlikely_one_is_none() -> None:
    told = read(("building", C1, 0.99), ("knight", B3, 0.3), ("tower", A2, 0.8), gems=(Square(1, 1),))
    found = {what: counts for what, *counts in counted(picture(), [told])}
    assert found["building"] == found["gem"] == [1, 0, 1]
    assert found["knight"] == [1, 0, 0]
    assert found["tower"] == [0, 0, 1]


def test_a_misread_town_is_missed_and_what_was_read_there_is_extra() -> None:
    found = {what: counts for what, *counts in counted(picture(), [read(board=BOARD.replace("t t", "t w"))])}
    assert found["squares"] == [8, 7, 1]
    assert found["towns"] == [2, 1, 0]


def test_nothing_read_is_nothing_found() -> None:
    assert {tuple(counts[1:]) for _, *counts in counted(picture(), [])} == {(0, 0)}


@pytest.mark.parametrize("told", [True, False])
def test_a_kingdom_of_which_an_error_tells_was_not_passed_over_in_silence(
    told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(photo: Photo) -> list[KingdomReading]:
        if told:
            raise NoKingdomFound("no castle was seen", stage="lattice", hint="take it from above")
        return []

    monkeypatch.setattr("kdvision.pipeline.read", nothing)
    monkeypatch.setattr("kdvision.lab.experiments.pieces_found.picture", lambda *_: picture())
    (kingdoms,) = (row for row in rows(("queendomino", 0)) if row.what == "kingdoms")
    assert (kingdoms.there, kingdoms.found, kingdoms.extra) == (1, 0, 0 if told else 1)


def test_what_was_counted_by_eye_stands_beside_what_was_seen() -> None:
    seen = [("knight", "C1"), ("knight", "B2"), ("knight", "A1"), ("tower", "A1")]
    assert _met(seen, "knight", ["C1", "B2", "C2"]) == (3, 2, 1)
    assert _met(seen, "knight", 2) == (2, 2, 1)
    assert _met(seen, "tower", 0) == (0, 0, 1)
    assert set(by_eye()["18.jpg"]) == {"knight"}


def test_rows_are_summed_by_game_and_kind() -> None:
    rows = [Row("queendomino", n, "knight", 4, 3, 1) for n in range(2)]
    assert "queendomino     knight           8       6       2     75.0 %     75.0 %" in summary(rows)
    assert as_csv(rows).splitlines()[1] == "queendomino,0,knight,4,3,1"
