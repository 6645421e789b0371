"""How well a score tells two groups apart (OODConceptBench, D; conventions of OpenOOD)."""

from __future__ import annotations

import numpy as np
import pandas as pd


def auroc(score: np.ndarray, positive: np.ndarray) -> float:
    """Area under the ROC curve: the chance that a positive scores higher, ties counting half.

    Args:
        score: Larger is more positive, (n,); NaN is left out.
        positive: bool, (n,).

    Returns:
        A value in [0, 1]; NaN when one of the groups is empty.
    """
    known = ~np.isnan(score)
    value, label = score[known].astype(np.float64), positive[known]
    n, m = int(label.sum()), int((~label).sum())
    if n == 0 or m == 0:
        return float("nan")
    ranks = pd.Series(value).rank(method="average").to_numpy()
    return float((ranks[label].sum() - n * (n + 1) / 2) / (n * m))
