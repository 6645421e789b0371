"""Confusion counts of many groups at once, as a torchmetrics metric.

torchmetrics keeps and adds the counts, also across ranks; the values come from
`binary.from_counts`, since torchmetrics' own MCC is wrong for a model that gives one answer only.
"""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics import Metric

from oodexp.metric.binary import FN, FP, TN, TP


class GroupedConfusion(Metric):
    """Counts tp, fp, fn, tn of each group of binary answers.

    Args:
        groups: Number of groups; each has four counts.
    """

    higher_is_better = None
    is_differentiable = False
    full_state_update = False
    counts: torch.Tensor

    def __init__(self, groups: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.add_state("counts", torch.zeros(groups * 4, dtype=torch.float64), dist_reduce_fx="sum")

    def update(self, group: torch.Tensor, answer: torch.Tensor, target: torch.Tensor) -> None:
        """Adds answers.

        Args:
            group: Group of each answer, int64 in [0, groups), (answer,).
            answer: Whether the answer is yes, bool, (answer,).
            target: Whether yes is right, bool, (answer,).
        """
        kind = torch.where(target, torch.where(answer, TP, FN), torch.where(answer, FP, TN))
        size = self.counts.numel()
        self.counts += torch.bincount(group * 4 + kind, minlength=size).to(self.counts.dtype)

    def compute(self) -> torch.Tensor:
        """Counts as float64, (group, 4)."""
        return self.counts.reshape(-1, 4)
