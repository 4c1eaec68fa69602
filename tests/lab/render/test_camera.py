"""Cameras have the wanted fill and tilt, and distort pictures and points alike."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from kdvision.lab.render.camera import Camera, fit_camera

BOARD = np.array([[x, y] for x in range(6) for y in range(6)], float)
CAMERA_DEFAULTS: dict[str, Any] = {"tilt": 0.0, "azimuth": 0.0, "focal": 1.0, "width": 640, "height": 480, "fill": 0.8}


def make_camera(**changes: Any) -> Camera:
    return fit_camera(BOARD, **CAMERA_DEFAULTS | changes)


@pytest.mark.parametrize("fill", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("tilt", [0.0, 30.0, 60.0])
def test_the_points_span_the_wanted_share(fill: float, tilt: float) -> None:
    for azimuth in (0.0, 1.0, 4.0):
        pixels = make_camera(fill=fill, tilt=np.radians(tilt), azimuth=azimuth).project(BOARD)
        share = np.ptp(pixels, axis=0) / (640, 480)
        assert share.max() == pytest.approx(fill, rel=0.02)
        assert (pixels.max(0) + pixels.min(0)) / 2 == pytest.approx((320, 240), abs=1)


def test_a_shift_moves_the_view() -> None:
    offsets = make_camera(fill=0.4, shift=(0.2, -0.1)).project(BOARD) - make_camera(fill=0.4).project(BOARD)
    assert offsets == pytest.approx(np.broadcast_to((128, -48), offsets.shape))


def test_from_straight_above_squares_are_square() -> None:
    x_axis, y_axis = np.diff(make_camera(azimuth=-np.pi / 2).project(np.array([[1.0, 0], [0, 0], [0, 1.0]])), axis=0)
    assert np.hypot(*x_axis) == pytest.approx(np.hypot(*y_axis))
    assert abs(x_axis @ y_axis) < 1e-6 * (x_axis @ x_axis)


@pytest.mark.parametrize("tilt", [20.0, 45.0, 60.0])
def test_a_tilt_foreshortens(tilt: float) -> None:
    camera = make_camera(tilt=np.radians(tilt), azimuth=0.0, focal=50.0)  # nearly a parallel projection
    origin, x_point, y_point = camera.project(np.array([[2.5, 2.5], [3.5, 2.5], [2.5, 3.5]]))
    ratio = np.linalg.norm(x_point - origin) / np.linalg.norm(y_point - origin)
    assert ratio == pytest.approx(np.cos(np.radians(tilt)), rel=0.01)


def test_the_picture_is_not_mirrored() -> None:
    origin, x_point, y_point = make_camera(azimuth=2.0, roll=0.7).project(np.array([[0.0, 0], [1, 0], [0, 1]]))
    (a, b), (c, d) = x_point - origin, y_point - origin
    assert a * d - b * c > 0


def test_height_leans_away_from_the_viewer() -> None:
    camera = make_camera(tilt=0.8, azimuth=0.0)
    spot = np.array([[2.5, 2.5]])
    depth_offset = camera.project(spot - (1.0, 0.0)) - camera.project(spot)  # the camera stands towards +x
    height_offset = camera.project(spot, 0.5) - camera.project(spot)
    assert float((depth_offset * height_offset).sum()) > 0


@pytest.mark.parametrize("bend", [-0.08, -0.02, 0.0, 0.03])
def test_the_lens_moves_points_and_pictures_alike(bend: float) -> None:
    camera = make_camera(tilt=0.5, azimuth=1.0, bend=bend)
    ideal_camera = make_camera(tilt=0.5, azimuth=1.0)
    for point in BOARD[::5]:
        ideal_point, real_point = ideal_camera.project(point[None])[0], camera.project(point[None])[0]
        picture = np.zeros((480, 640), np.float32)
        cv2.circle(picture, (round(ideal_point[0] * 16), round(ideal_point[1] * 16)), 4 * 16, 1.0, -1, cv2.LINE_AA, 4)
        distorted_picture = np.asarray(cv2.remap(picture, *camera.compute_lens_maps(), cv2.INTER_LINEAR))
        y, x = np.mgrid[0:480, 0:640]
        centroid = np.array([(x * distorted_picture).sum(), (y * distorted_picture).sum()]) / distorted_picture.sum()
        assert centroid == pytest.approx(real_point, abs=0.3)


def test_barrel_bends_inwards() -> None:
    corner = np.array([[0.0, 0.0]])
    assert make_camera(bend=-0.05).distort(corner)[0, 0] > 1
    assert make_camera(bend=0.05).distort(corner)[0, 0] < -1
    assert make_camera(bend=0.05).distort(np.array([[320.0, 240.0]]))[0] == pytest.approx((320, 240))
