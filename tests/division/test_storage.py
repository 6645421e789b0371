"""What was compared with T before storage compares the same after it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from oodexp import table
from oodexp.division.base import Matrix
from oodexp.division.cross_validation import CrossValidation
from oodexp.record import Membership, Score, Signal

T = 0.05


def tied(images: int = 64) -> tuple[Matrix, dict[str, np.ndarray]]:
    """Pairs whose S lies on T or a few float32 steps beside it, by either scorer."""
    own = np.float64(np.log(T / (1 - T)))
    steps = np.float32(own) + np.spacing(np.float32(own)) * np.arange(-images // 2, images // 2)
    logits = np.stack([steps, np.zeros(images)], axis=1).astype(np.float32)
    presence = np.tile(np.uint8([1, 0]), (images, 1))
    matrix = Matrix("tied", [f"{n:03d}" for n in range(images)], ["fox", "hen"], presence)
    return matrix, {"one": logits, "two": logits[::-1].copy()}


def test_the_flags_follow_from_the_stored_scores_in_every_last_digit(tmp_path):
    found = CrossValidation(T, criterion="score").divide(*tied(), {})
    back = table.read(Signal, table.write(Signal, found.signals, tmp_path / "signals.parquet"))
    assert back["score"].dtype == np.float32
    low = back["score"].to_numpy() < np.float32(T)
    np.testing.assert_array_equal(low, found.signals["flagged"].to_numpy(bool))
    np.testing.assert_array_equal(back["score"], found.signals["score"])
    steps = np.unique(np.abs(back["score"].to_numpy() - np.float32(T)))
    assert steps[0] == 0  # one score is T itself
    assert 0 < low.mean() < 1


@pytest.mark.parametrize("threshold", [T, 0.01, 0.005, 0.1])
def test_a_division_of_stored_logits_is_the_division_of_those_in_memory(tmp_path, threshold):
    matrix, logits = tied()
    stored = {}
    for name, values in logits.items():
        rows = pd.DataFrame(
            {
                "source": "tied", "image_id": np.repeat(matrix.image_ids, 2),
                "category": np.tile(matrix.categories, len(values)), "fingerprint": "f",
                "presence": np.tile(["present", "absent"], len(values)),
                "logit": values.ravel(), "reason": None,
            }
        )  # fmt: skip
        back = table.read(Score, table.write(Score, rows, tmp_path / f"{name}.parquet"))
        assert back["logit"].dtype == np.float32
        stored[name] = back["logit"].to_numpy().reshape(values.shape)
    divider = CrossValidation(threshold, criterion="score")
    before, after = divider.divide(matrix, logits, {}), divider.divide(matrix, stored, {})
    pd.testing.assert_frame_equal(before.signals, after.signals)
    path = table.write(Membership, before.memberships, tmp_path / "memberships.parquet")
    pd.testing.assert_frame_equal(table.read(Membership, path), after.memberships)
