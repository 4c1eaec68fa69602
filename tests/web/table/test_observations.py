"""Observations as bytes: what comes back is what was encoded, as far as a decision depends on it."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from kdvision.game.board import Board
from kdvision.pipeline import decide_again
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.assess.surroundings import Surroundings
from kdvision.vision.classify.observation import GridObservation
from kdvision.vision.classify.probabilities import KINDS, ClassProbabilities
from kdvision.vision.find import assemble_kingdoms
from kdvision.vision.networks.onnx import load_model
from kdvision.web.limits import Refusal
from kdvision.web.table.model import TableKingdom
from kdvision.web.table.observations import decode_observation, encode_observation
from kdvision.web.table.readings import decode_reading
from kdvision.web.table.storage import StoredReading
from tests.kingdoms import make_grid, make_plain_observation, override_squares, table_photo

PIECES = ("", "knight")
"""The piece names of `make_plain_observation`."""


def make_observation(text: str = ". . . . / . w w1 . / . # f . / . . . .") -> GridObservation:
    board = Board.parse(text)
    log_probs = override_squares(
        ClassProbabilities.of(board, confidence=0.97), {"B2": {"w": 0.7, "w1": 0.25}}
    ).log_probs
    rng = np.random.default_rng(5)
    border_log_odds = rng.normal(size=(board.height, board.width - 1)), rng.normal(size=(board.height - 1, board.width))
    observation = make_plain_observation(ClassProbabilities(log_probs), make_grid(board, slant=0.2))
    return replace(observation, border_log_odds=border_log_odds)


def test_an_observation_comes_back() -> None:
    original = make_observation()
    decoded_observation = decode_observation(
        encode_observation(original, Surroundings(colourless=True)), KINDS, piece_names=PIECES
    )
    assert decoded_observation.surroundings == Surroundings(colourless=True)
    decoded_log_probs = decoded_observation.observation.probabilities.log_probs
    assert np.abs(decoded_log_probs - original.probabilities.log_probs).max() < 0.01
    for decoded_log_odds, original_log_odds in zip(
        decoded_observation.observation.border_log_odds, original.border_log_odds, strict=True
    ):
        assert np.abs(decoded_log_odds - original_log_odds).max() < 0.01
    assert np.abs(decoded_observation.observation.grid.quads - original.grid.quads).max() <= 0.5


def test_an_observation_that_the_previous_version_stored_comes_back() -> None:
    """It has no `pictured`, and stores the visible share of cells only if the edge of the photo cuts the grid."""
    surroundings = Surroundings(colourless=True, outside=True)
    arrays = msgspec.msgpack.decode(encode_observation(make_observation(), surroundings))
    flags = np.array([False, False, False, False, False, True, True])  # by position, without `pictured`
    arrays["around"] = (flags.dtype.str, flags.shape, flags.tobytes())
    del arrays["visible_share"], arrays["tile_beyond"]
    decoded_observation = decode_observation(msgspec.msgpack.encode(arrays), KINDS, piece_names=PIECES)
    assert decoded_observation.surroundings == surroundings
    observation = decoded_observation.observation
    assert (observation.visible_share == 1).all() and not observation.tile_beyond.any()


def test_cells_at_the_edge_of_the_picture_come_back() -> None:
    shape = (4, 4)
    observation = replace(make_observation(), visible_share=np.full(shape, 0.5), tile_beyond=np.full(shape, 0.25))
    surroundings = Surroundings(False, True, True, True)
    decoded_observation = decode_observation(encode_observation(observation, surroundings), KINDS, piece_names=PIECES)
    assert decoded_observation.surroundings == surroundings
    assert (decoded_observation.observation.visible_share == 0.5).all()
    assert (decoded_observation.observation.tile_beyond == 0.25).all()


def test_pieces_and_gems_come_back() -> None:
    names, rng = ("", "knight", "tower"), np.random.default_rng(3)
    probabilities = rng.dirichlet(np.ones(3), (4, 4))
    observation = replace(
        make_observation(), pieces=np.log(probabilities), gems=rng.normal(0, 4, (5, 5)), piece_names=names
    )
    decoded_observation = decode_observation(
        encode_observation(observation, Surroundings()), KINDS, piece_names=names
    ).observation
    assert decoded_observation.piece_names == names
    assert np.abs(np.exp(decoded_observation.pieces) - probabilities).max() < 0.01
    assert np.abs(decoded_observation.gems - observation.gems).max() < 0.01


def test_a_decoded_observation_gives_the_same_decision() -> None:
    calibration = Calibration.from_metadata(load_model("cells").metadata)
    (original,) = assemble_kingdoms(table_photo(), [make_observation()], calibration=calibration)
    assert original.surroundings == Surroundings(colourless=True)
    text = encode_observation(original.observation, original.surroundings)
    decoded_observation = decode_observation(text, KINDS, piece_names=PIECES)
    (second_kingdom,) = decide_again([decoded_observation.observation], surroundings=[decoded_observation.surroundings])
    assert (second_kingdom.board, second_kingdom.frame) == (original.board, original.frame)
    assert [doubt.square for doubt in second_kingdom.doubts] == [doubt.square for doubt in original.doubts]


def test_an_observation_of_other_classes_is_refused() -> None:
    content = encode_observation(make_observation(), Surroundings()).replace(b"\x12", b"\x11", 1)
    with pytest.raises(Refusal, match="another version"):
        decode_reading(StoredReading(TableKingdom("k1", "Ann", "", {}), content))
