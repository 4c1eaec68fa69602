"""The encoding of axes and the decoding of votes; no network runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdvision.lab.axes import compute_axes, encode_axes
from kdvision.vision.geometry import Floats
from kdvision.vision.networks.detector import STRIDE_PIXELS, decode_axes, decode_votes

SQUARE = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def make_quad(angle: float, side: float, squeeze: float = 1.0, centre: tuple[float, float] = (100.0, 80.0)) -> Floats:
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(side / 2 * SQUARE @ np.diag([1.0, squeeze]) @ rotation.T + centre)


def make_votes(quads: Floats, cells: int) -> np.ndarray:
    """Return perfect votes, computed independently from the definition."""
    output = np.zeros((8, cells, cells), np.float32)
    output[0] = -8
    centre, alpha, beta = compute_axes(quads)
    codes = encode_axes(alpha, beta)
    for row in range(cells):
        for col in range(cells):
            point = (col + 0.5) * STRIDE_PIXELS + 1j * (row + 0.5) * STRIDE_PIXELS
            for k, code in enumerate(codes):
                # inside if the point lies on the same side of every edge
                corners = quads[k, :, 0] + 1j * quads[k, :, 1] - point
                if (np.imag(np.conj(corners) * np.roll(corners, -1)) > 0).all():
                    offset = (centre[k] - point) / abs(alpha[k])
                    output[:, row, col] = [8, offset.real, offset.imag, *code]
    return output


@given(st.floats(0, 6.28), st.floats(8, 150), st.floats(0.45, 1.0), st.integers(0, 3))
def test_encoded_axes_are_decoded_up_to_a_quarter_turn(angle: float, side: float, squeeze: float, start: int) -> None:
    corners = np.roll(make_quad(angle, side, squeeze), start, axis=0)[None]
    _, alpha, beta = compute_axes(corners)
    decoded_alpha, decoded_beta = decode_axes(encode_axes(alpha, beta))
    ratio = decoded_alpha / alpha
    assert np.isclose(ratio**4, 1, atol=1e-6)
    assert np.isclose(decoded_beta * ratio, beta, atol=1e-6 * side)


def test_a_mirrored_square_has_the_axes_of_the_square_itself() -> None:
    corners = make_quad(0.3, 40)
    for code in (encode_axes(*compute_axes(c[None])[1:]) for c in (corners, corners[::-1])):
        assert np.allclose(code, encode_axes(*compute_axes(corners[None])[1:]), atol=1e-9)


@pytest.mark.parametrize("side", [14, 30, 60, 110])
@pytest.mark.parametrize("angle", [0.0, 0.4, 0.785, 2.9])
def test_perfect_votes_are_decoded_to_their_squares(side: float, angle: float) -> None:
    step = 1.05 * side * np.array([np.cos(angle), np.sin(angle)])
    quads = np.array([make_quad(angle, side, 0.8, centre=(150 + k * step[0], 150 + k * step[1])) for k in (-1, 0, 1)])
    detections = decode_votes(make_votes(quads, 40))
    assert len(detections) == 3
    for corners in quads:
        index = int(np.linalg.norm(detections.centre - corners.mean(0), axis=1).argmin())
        assert np.linalg.norm(detections.centre[index] - corners.mean(0)) < 0.02 * side
        assert detections.side_pixels[index] == pytest.approx(side * np.sqrt(0.8), rel=0.01)


def test_no_votes_give_no_detections() -> None:
    assert len(decode_votes(np.full((8, 5, 6), -9, np.float32))) == 0
