"""Standard errors of T_ID - T_OOD with images as clusters, for many labellings at once.

To first order the sampling error of a metric is the sum of the images' influences, so its variance
is the sum of their squares: the sandwich variance of clustered data (CR0), times n / (n - 1). An
image that holds ID and OOD pairs enters once, with the difference of its two influences, so that
their covariance is in.
"""

from __future__ import annotations

import numpy as np

from oodexp.evidence.influence import gradient
from oodexp.metric.binary import METRICS

FLAT = 1e-18
"""A variance below this is rounding error: that of one error in 10^7 questions is 10^-14."""


def standard_errors(parts: np.ndarray) -> np.ndarray:
    """Standard errors of T_ID - T_OOD over images.

    Args:
        parts: tp, fp, fn, tn of each image in ID and in OOD, (..., image, 2, 4); every image holds
            a question in one of them.

    Returns:
        float64, (..., 5) by `METRICS`: exactly 0 where no image has influence (all right in both),
        NaN where the difference is undefined or there is one image.
    """
    whole, images = parts.sum(axis=-3), parts.shape[-3]
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.stack([gradient(whole, metric) for metric in METRICS], axis=-1)
        # The influence of an image is linear in its eight counts: (..., 8, 5).
        joined = np.concatenate([slopes[..., 0, :, :], -slopes[..., 1, :, :]], axis=-2)
        flat = parts.reshape(*parts.shape[:-2], 8).astype(np.float64, copy=False)
        variance = np.square(flat @ joined).sum(axis=-2)
        variance *= images / (images - 1) if images > 1 else np.nan
    return np.sqrt(np.where(variance < FLAT, 0.0, variance))
