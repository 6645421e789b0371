"""Unit vectors and logits against a slow loop."""

from __future__ import annotations

import numpy as np
import torch

from oodexp.scorer.base import TextBank
from oodexp.scorer.cosine import cosine_logits, mean_direction, unit


def random_units(*shape: int) -> np.ndarray:
    return unit(torch.randn(*shape, generator=torch.Generator().manual_seed(0))).numpy()


def test_rows_have_length_one_in_float32_from_bfloat16() -> None:
    rows = unit(torch.randn(4, 7).bfloat16())
    assert rows.dtype == torch.float32
    torch.testing.assert_close(rows.norm(dim=-1), torch.ones(4))


def test_a_zero_row_is_not_a_direction() -> None:
    assert unit(torch.zeros(1, 3)).isnan().all()


def test_logits_equal_a_slow_loop() -> None:
    images, texts = random_units(300, 8), random_units(5, 8)
    logits = cosine_logits(images, TextBank(texts, 12.5, -3.0))
    for i in (0, 255, 256, 299):
        for c in range(5):
            assert abs(logits[i, c] - (12.5 * float(images[i] @ texts[c]) - 3)) < 1e-5


def test_the_best_query_counts() -> None:
    images, texts = random_units(270, 4, 8), random_units(3, 8)
    logits = cosine_logits(images, TextBank(texts, 2.0, 0.0))
    slow = [[max(2 * float(q @ t) for q in image) for t in texts] for image in images]
    np.testing.assert_allclose(logits, slow, atol=1e-5)


def test_a_nan_query_makes_the_image_nan() -> None:
    images = random_units(2, 4, 8)
    images[0, 2] = np.nan
    logits = cosine_logits(images, TextBank(random_units(3, 8), 1.0, 0.0))
    assert np.isnan(logits[0]).all()
    assert np.isfinite(logits[1]).all()


def test_the_mean_of_directions_has_length_one() -> None:
    parts = [torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])]
    torch.testing.assert_close(mean_direction(parts), torch.tensor([[0.5**0.5, 0.5**0.5]]))
