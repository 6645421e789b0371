"""Boxes in a pinhole camera, against hand-computed boxes and slow twins."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oodexp.source import nuscenes_geometry as geometry

K = np.array([[100.0, 0, 50], [0, 100, 50], [0, 0, 1]])
CANVAS = np.array([100.0, 100.0])
STRAIGHT = (1.0, 0.0, 0.0, 0.0)


def box(centre, size=(2.0, 2.0, 2.0), turn=STRAIGHT) -> np.ndarray:
    """Corners (8, 3) of a box given in the camera frame; size is width, length, height."""
    turned = geometry.rotations(np.array([turn], dtype=float))
    return geometry.corners(np.array([centre], float), np.array([size], float), turned)[0]


def shown(corners: np.ndarray, near: float = geometry.IN_FRONT) -> np.ndarray:
    return geometry.outline(corners, K, CANVAS, near)


def inside(corners: np.ndarray, min_depth: float = 1.0) -> int:
    pixels = geometry.project(corners[None], K[None])
    return int(geometry.corners_inside(corners[None], pixels, CANVAS[None], min_depth)[0])


def product(a, b):
    """Hamilton product of two quaternions."""
    w, x, y, z = a
    s, i, j, k = b
    return (
        w * s - x * i - y * j - z * k,
        w * i + x * s + y * k - z * j,
        w * j - x * k + y * s + z * i,
        w * k + x * j - y * i + z * s,
    )


def turn(q, v):
    """A vector turned by a quaternion of any length, one product after the other."""
    length = math.sqrt(sum(c * c for c in q))
    q = tuple(c / length for c in q)
    back = (q[0], -q[1], -q[2], -q[3])
    return product(product(q, (0.0, *v)), back)[1:]


def test_length_lies_along_x_width_along_y_and_height_along_z():
    corners = box((0, 0, 10), size=(2, 4, 6))
    assert np.ptp(corners, axis=0).tolist() == [4, 2, 6]
    assert corners.mean(axis=0).tolist() == [0, 0, 10]


def test_corners_that_differ_in_one_bit_share_an_edge():
    corners = box((0, 0, 0), size=(2, 4, 6), turn=(0.3, 0.1, -0.7, 0.4))
    lengths = [
        round(float(np.linalg.norm(corners[a] - corners[a ^ bit])), 9)
        for a in range(8)
        for bit in (1, 2, 4)
    ]
    assert sorted(lengths) == [2] * 8 + [4] * 8 + [6] * 8


def test_a_quarter_turn_about_z_swaps_length_and_width():
    half = math.sqrt(0.5)
    corners = box((0, 0, 0), size=(2, 4, 6), turn=(half, 0, 0, half))
    assert np.ptp(corners, axis=0) == pytest.approx([2, 4, 6])


def test_rotations_and_changes_of_frame_agree_with_quaternion_products():
    rng = np.random.default_rng(1)
    quaternions = rng.normal(size=(50, 4))
    points, origins = rng.normal(size=(50, 3, 3)), rng.normal(size=(50, 3))
    turned = geometry.rotations(quaternions)
    local = geometry.into(points, origins, turned)
    for n, q in enumerate(quaternions.tolist()):
        for k in range(3):
            out = turn(q, points[n, k])
            assert turned[n] @ points[n, k] == pytest.approx(out)
            # A point that lies at `local` in the inner frame is the given one in the outer frame.
            again = np.add(turn(q, local[n, k]), origins[n])
            assert again == pytest.approx(points[n, k])


def test_a_quaternion_of_length_zero_gives_nan():
    assert np.isnan(geometry.rotations(np.zeros((1, 4)))).all()


def test_projection_is_focal_length_times_slope_plus_centre():
    points = np.array([[[1.0, -2.0, 4.0], [0.0, 0.0, 9.0]]])
    assert geometry.project(points, K[None])[0].tolist() == [[75.0, 0.0], [50.0, 50.0]]


def test_the_outline_of_a_box_ahead_is_its_near_face():
    outline = shown(box((0, 0, 10)))
    side = 2 * 100 / 9  # half a side of 1 m at a depth of 9 m, in pixels, twice
    assert geometry.area(outline) == pytest.approx(side * side)
    assert outline.min(axis=0) == pytest.approx([50 - side / 2] * 2)
    assert outline.max(axis=0) == pytest.approx([50 + side / 2] * 2)


def test_the_outline_is_cut_at_the_edge_of_the_image():
    # Near face, x 4 ... 6 at depth 9: pixels 94.4 ... 116.7; far face: 86.4 ... 104.5.
    outline = shown(box((5, 0, 10)))
    assert outline[:, 0].max() == 100
    assert outline[:, 0].min() == pytest.approx(50 + 400 / 11)
    near, far = 200 / 9, 200 / 11  # heights of the near and the far face
    left, edge = 50 + 400 / 11, 50 + 400 / 9
    expected = (edge - left) * (near + far) / 2 + (100 - edge) * near
    assert geometry.area(outline) == pytest.approx(expected)


def test_a_box_around_the_camera_fills_the_image():
    assert geometry.area(shown(box((0, 0, 0), size=(20, 20, 20)))) == pytest.approx(100 * 100)


@pytest.mark.parametrize("centre", [(0, 0, -10), (30, 0, 10), (0, -30, 10), (-30, 0, 10)])
def test_a_box_behind_or_beside_the_view_has_no_outline(centre):
    assert geometry.area(shown(box(centre))) == 0.0


def test_all_corners_of_a_box_ahead_are_inside():
    assert inside(box((0, 0, 10))) == 8


def test_corners_on_the_edge_of_the_image_are_outside():
    # At depth 10 the image ends 5 m to the right of the axis.
    flat = box((0, 0, 0)) * [1, 1, 0] + [4, 0, 10]  # corners at x = 3 and exactly x = 5
    assert inside(flat) == 4


def test_corners_nearer_than_the_minimum_depth_are_not_inside():
    corners = box((0, 0, 3), size=(0.2, 0.2, 4))  # depths 1 and 5
    assert inside(corners, min_depth=0.5) == 8
    assert inside(corners, min_depth=1.0) == 4
    assert inside(corners, min_depth=5.0) == 0


def test_a_box_with_a_corner_beside_the_camera_has_no_corner_inside():
    corners = box((0, 0, 3), size=(0.2, 0.2, 6))  # depths 0 and 6
    assert inside(corners) == 0
    assert geometry.area(shown(corners)) > 0


def test_a_box_that_fills_the_view_with_all_corners_outside_has_an_outline():
    corners = box((0, 0, 10), size=(40, 40, 2))
    assert inside(corners) == 0
    assert geometry.area(shown(corners)) == pytest.approx(100 * 100)


def rays(corners: np.ndarray, near: float, step: float) -> np.ndarray:
    """Whether the ray through each point of a grid meets the box beyond `near`: three slabs."""
    axes = [corners[a] - corners[0] for a in (1, 2, 4)]
    centres = np.arange(step / 2, 100, step)
    hits = np.zeros((len(centres), len(centres)), dtype=bool)
    for row, y in enumerate(centres):
        for column, x in enumerate(centres):
            ray = np.array([(x - 50) / 100, (y - 50) / 100, 1.0])  # depth 1: t is the depth
            first, last = near, math.inf
            for axis in axes:
                slope, start = ray @ axis, -corners[0] @ axis
                low, high = -start / slope, (axis @ axis - start) / slope
                first, last = max(first, min(low, high)), min(last, max(low, high))
            hits[row, column] = first < last
    return hits


@pytest.mark.parametrize("near", [0.1, 2.0])
def test_outlines_cover_the_pixels_whose_rays_meet_the_box(near):
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(60):
        centre = rng.uniform((-6, -6, -1), (6, 6, 14))
        corners = box(centre, rng.uniform(1, 6, 3), rng.normal(size=4))
        outline, hits = shown(corners, near), rays(corners, near, step=4)
        border = np.ptp(outline, axis=0).sum() * 2 if len(outline) else 4.0
        assert geometry.area(outline) == pytest.approx(hits.sum() * 16, abs=2 * border + 16)
        rows = np.flatnonzero(hits.any(axis=1))
        if len(rows):
            seen += 1
            assert np.ptp(outline[:, 1]) >= 4 * (len(rows) - 1) - 1e-9
    assert seen > 20


def test_hulls_agree_with_scipy():
    scipy = pytest.importorskip("scipy.spatial")
    rng = np.random.default_rng(4)
    for _ in range(50):
        points = rng.normal(size=(12, 2))
        found = geometry.hull(points)
        known = scipy.ConvexHull(points)
        assert geometry.area(found) == pytest.approx(known.volume)
        assert {tuple(p) for p in found} == {tuple(p) for p in points[known.vertices]}


def test_points_on_a_line_have_no_area():
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [2.0, 2.0]])
    assert geometry.area(geometry.hull(line)) == 0.0
    assert geometry.area(geometry.clipped(geometry.hull(line), CANVAS)) == 0.0


def test_a_small_area_far_from_the_origin_is_kept():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * 1e-3 + 1e6
    assert geometry.area(square) == pytest.approx(1e-6, rel=1e-3)
