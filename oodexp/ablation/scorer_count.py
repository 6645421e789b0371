"""The number of scorers K and how their verdicts are combined (OODBench, V-H and Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from oodexp.ablation.base import Plan, check_resampling
from oodexp.ablation.chosen import check_objectives, setting
from oodexp.ablation.regroup import Setting
from oodexp.division.verdict import RULES
from oodexp.error import OodexpError
from oodexp.search.space import Space

OBJECTIVES = {"mean/OOD-H/accuracy": "minimize", "division/OOD-H/pairs": "maximize"}


class ScorerCount:
    """1 ... K scorers, by each rule.

    Args:
        order: The scorers in the order in which they are added; null for that of `scorer=[...]`.
        rules: How verdicts are combined: `all`, `majority`, `mean`, `parity`.
        over: `order` for the one order; `subsets` for every subset once, and with it every order.
        objectives: `maximize` or `minimize` by number of a trial; null for
            `OBJECTIVES`.
        resamples: Bootstrap resamples over images.
        seed: Seed of the bootstrap.

    Raises:
        OodexpError: If a value is not as it should be.
    """

    def __init__(
        self, order: Sequence[str] | None = None, rules: Sequence[str] = tuple(RULES),
        over: str = "order", objectives: Mapping[str, str] | None = None,
        resamples: int = 2000, seed: int = 0,
    ) -> None:  # fmt: skip
        check_resampling(resamples, seed)
        unknown = sorted(set(rules) - set(RULES))
        if unknown or not rules or len(set(rules)) < len(rules):
            raise OodexpError(
                f"ablation.rules={list(rules)}: expected one or more of {', '.join(RULES)}"
            )
        if over not in ("order", "subsets"):
            raise OodexpError(f"ablation.over={over}: expected order or subsets")
        self.resamples, self.seed = resamples, seed
        self.templates: Sequence[str] = ()
        self.uncalibrated: Sequence[str] = ()
        self.rules, self.over = list(rules), over
        self._order = None if order is None else list(order)
        self._objectives = dict(OBJECTIVES if objectives is None else objectives)

    def order(self, base: Setting) -> list[str]:
        """The scorers in the order in which they are added.

        Raises:
            OodexpError: If one is not chosen, or stands twice.
        """
        order = self._order or list(base.scorers)
        unknown = sorted(set(order) - set(base.scorers))
        if unknown or len(set(order)) < len(order):
            raise OodexpError(
                f"ablation.order={order}: expected scorers of {', '.join(base.scorers)}, each once"
            )
        return order

    def plans(self, base: Setting, vlms: Sequence[str]) -> list[Plan]:
        """See `base.Ablation`: one study."""
        order = self.order(base)
        chosen: list[Any] = [order[:k] for k in range(1, len(order) + 1)]
        if self.over == "subsets":
            # Within a subset scorers keep their order: a division does not depend on it, but a
            # mean of float32 scores adds up in one order only.
            chosen = [list(c) for k in range(1, len(order) + 1) for c in combinations(order, k)]
        return [
            Plan(
                f"scorer-count-{self.over}", "number of scorers and rule",
                Space.of({"rule": self.rules, "scorers": chosen}),
                check_objectives(self._objectives, vlms), partial(setting, base),
                lambda chosen: f"{chosen['rule']}: {' + '.join(chosen['scorers'])}",
            )
        ]  # fmt: skip
