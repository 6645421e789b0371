"""Boxes in space as a pinhole camera sees them: turned, projected, cut at the edge of the image.

Metres and pixels; camera frame x right, y down, z depth. Functions on arrays, N boxes at once; the
last three take one box or polygon.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

IN_FRONT = 0.1
"""Depth in metres beyond which a corner is in front of the camera (nuScenes `box_in_image`)."""

_SIGNS = np.array(list(product((1.0, -1.0), repeat=3)))
_EDGES = np.array([(a, b) for a, b in combinations(range(8), 2) if (a ^ b).bit_count() == 1])


def rotations(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices.

    Args:
        quaternions: (N, 4) as w, x, y, z; of any length but zero.

    Returns:
        (N, 3, 3); NaN for a quaternion of length zero.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def corners(centres: np.ndarray, sizes: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """The eight corners of each box, (N, 8, 3).

    Corners a and b share an edge when their numbers differ in one bit.

    Args:
        centres: (N, 3).
        sizes: (N, 3) as width, length, height: along the box's own y, x, z.
        turned: (N, 3, 3), the boxes' rotation matrices.
    """
    own = _SIGNS * (sizes[:, None, [1, 0, 2]] / 2)
    return np.einsum("nij,nkj->nki", turned, own) + centres[:, None]


def into(points: np.ndarray, origins: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """Points (N, K, 3) of the outer frame in frames that have these origins (N, 3) and rotations.

    Args:
        points: Coordinates in the outer frame.
        origins: Where each inner frame's origin lies in the outer frame.
        turned: (N, 3, 3), inner to outer.
    """
    return np.einsum("nji,nkj->nki", turned, points - origins[:, None])


def project(points: np.ndarray, intrinsics: np.ndarray) -> np.ndarray:
    """Pixel coordinates (N, K, 2) of points (N, K, 3) of the camera frame.

    Points at or behind the camera get values without meaning (infinite or NaN at depth zero).

    Args:
        points: Coordinates in the camera frame.
        intrinsics: (N, 3, 3) camera matrices.
    """
    image = np.einsum("nij,nkj->nki", intrinsics, points)
    with np.errstate(invalid="ignore", divide="ignore"):
        return image[..., :2] / image[..., 2:]


def corners_inside(
    points: np.ndarray, pixels: np.ndarray, canvas: np.ndarray, min_depth: float
) -> np.ndarray:
    """Number of corners strictly inside the image and deeper than `min_depth`, (N,).

    0 for a box of which any corner is not `IN_FRONT` of the camera.

    Args:
        points: (N, 8, 3) in the camera frame.
        pixels: (N, 8, 2), their projection.
        canvas: (N, 2), width and height of the image.
        min_depth: Metres.
    """
    within = ((pixels > 0) & (pixels < canvas[:, None])).all(axis=2)
    deep = points[..., 2] > min_depth
    in_front = (points[..., 2] > IN_FRONT).all(axis=1)
    return np.where(in_front, (within & deep).sum(axis=1), 0)


def outline(
    points: np.ndarray, intrinsic: np.ndarray, canvas: np.ndarray, near: float
) -> np.ndarray:
    """What the image shows of one box, as a convex polygon (M, 2) in pixels.

    The part of the box deeper than `near` is projected and cut at the edges of the image. Unlike
    the projection of the corners in front alone, this is exact for boxes beside the camera.

    Args:
        points: (8, 3) in the camera frame, in the order of `corners`.
        intrinsic: (3, 3).
        canvas: Width and height of the image.
        near: Metres, above 0.

    Returns:
        (0, 2) when nothing of the box is in the image.
    """
    start, end = points[_EDGES[:, 0]], points[_EDGES[:, 1]]
    crossing = (start[:, 2] > near) != (end[:, 2] > near)
    start, end = start[crossing], end[crossing]
    share = (near - start[:, 2:]) / (end[:, 2:] - start[:, 2:])
    kept = np.concatenate([points[points[:, 2] > near], start + share * (end - start)])
    if not len(kept):
        return np.empty((0, 2))
    return clipped(hull(project(kept[None], intrinsic[None])[0]), canvas)


def hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points (K, 2), in a turn; fewer than three when degenerate."""
    ordered = sorted({(x, y) for x, y in points.tolist()})
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)
    half = [_chain(ordered), _chain(ordered[::-1])]
    return np.array(half[0][:-1] + half[1][:-1])


def clipped(polygon: np.ndarray, canvas: np.ndarray) -> np.ndarray:
    """The part of a convex polygon (M, 2) between (0, 0) and `canvas` (width, height)."""
    kept = polygon.tolist()
    for axis, limit, sign in ((0, 0.0, 1), (1, 0.0, 1), (0, canvas[0], -1), (1, canvas[1], -1)):
        kept = _cut(kept, axis, float(limit), sign)
    return np.array(kept).reshape(-1, 2)


def area(polygon: np.ndarray) -> float:
    """Square pixels of a simple polygon (M, 2), >= 0."""
    if len(polygon) < 3:
        return 0.0
    # From the first corner: far from the origin the products would swallow a small area.
    x, y = (polygon - polygon[0]).T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def _chain(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for x, y in ordered:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2], chain[-1]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            chain.pop()
        chain.append((x, y))
    return chain


def _cut(polygon: list[list[float]], axis: int, limit: float, sign: int) -> list[list[float]]:
    """What of the polygon lies at `limit` or on its side `sign` along an axis."""
    kept = []
    for last, point in zip(polygon[-1:] + polygon[:-1], polygon, strict=True):
        before, after = sign * (last[axis] - limit), sign * (point[axis] - limit)
        if (before < 0) != (after < 0):
            share = before / (before - after)
            other = last[1 - axis] + share * (point[1 - axis] - last[1 - axis])
            kept.append([limit, other] if axis == 0 else [other, limit])
        if after >= 0:
            kept.append(point)
    return kept
