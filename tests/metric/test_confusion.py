"""Confusion counts of many groups."""

from __future__ import annotations

import numpy as np
import torch

from oodexp.metric.confusion import GroupedConfusion


def drawn(seed: int, size: int = 500, groups: int = 7):
    rng = np.random.default_rng(seed)
    return rng.integers(0, groups, size), rng.random(size) < 0.6, rng.random(size) < 0.3


def looped(group, answer, target, groups: int = 7):
    counts = np.zeros((groups, 4))
    for g, said, right in zip(group, answer, target, strict=True):
        counts[g, {(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}[int(said), int(right)]] += 1
    return counts


def test_counts_are_those_of_a_loop():
    confusion = GroupedConfusion(7)
    confusion.update(*map(torch.tensor, drawn(0)))
    np.testing.assert_array_equal(confusion.compute().numpy(), looped(*drawn(0)))


def test_updates_add_up():
    confusion = GroupedConfusion(7)
    for seed in (0, 1):
        confusion.update(*map(torch.tensor, drawn(seed)))
    np.testing.assert_array_equal(
        confusion.compute().numpy(), looped(*drawn(0)) + looped(*drawn(1))
    )


def test_nothing_counted_is_all_zero():
    confusion = GroupedConfusion(3)
    confusion.update(*(torch.zeros(0, dtype=t) for t in (torch.int64, torch.bool, torch.bool)))
    assert confusion.compute().shape == (3, 4)
    assert confusion.compute().sum() == 0


def test_a_reset_forgets():
    confusion = GroupedConfusion(7)
    confusion.update(*map(torch.tensor, drawn(0)))
    confusion.reset()
    confusion.update(*map(torch.tensor, drawn(1)))
    np.testing.assert_array_equal(confusion.compute().numpy(), looped(*drawn(1)))
