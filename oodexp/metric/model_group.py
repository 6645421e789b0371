"""Recognition by groups of models: release years, families, variants.

OODConceptBench, Tables C5 to C8: every model weighs the same in its group, whatever its size. A
difference of two groups is of their unrounded means, and describes the models that were chosen: the
groups differ in data, objective, resolution and backbone at once, and no interval turns a handful
of models into a sample of all.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from oodexp.error import OodexpError

Group = TypeVar("Group", bound=Hashable)


class Summary(NamedTuple):
    """Rates of a group of models on two levels (a row of Table C5); all values NaN without any."""

    n: int
    """Models with a rate on both levels."""
    mean_l1: float
    """In [0, 1]."""
    median_l1: float
    """In [0, 1]."""
    mean_l2: float
    """In [0, 1]."""
    median_l2: float
    """In [0, 1]."""
    mean_difference: float
    """L1 minus L2, in [-1, 1]: the difference of the means."""
    median_difference: float
    """Median of the models' own differences, in general not the difference of the medians."""
    reason: str | None
    """Why there are no values, or how many models are left aside."""


class Comparison(NamedTuple):
    """Two groups of models side by side (Tables C6 to C8), all (scope,)."""

    reference: np.ndarray
    """Mean of the reference models, in [0, 1]; NaN without any."""
    compared: np.ndarray
    """Mean of the compared models, in [0, 1]; NaN without any."""
    difference: np.ndarray
    """Compared minus reference, in [-1, 1]."""
    n_reference: np.ndarray
    """Reference models with a rate, int64."""
    n_compared: np.ndarray
    """Compared models with a rate, int64."""
    reasons: tuple[str | None, ...]
    """Of each scope: why there is no difference, or which models it does without."""


def summarise(l1: np.ndarray, l2: np.ndarray) -> Summary:
    """The summary of one group.

    Args:
        l1: Rate of each model on L1, in [0, 1], (model,); NaN leaves the model aside.
        l2: On L2, of the same models.

    Raises:
        OodexpError: If the levels are not of the same models.
    """
    if l1.shape != l2.shape:
        raise OodexpError(f"rates of {l1.shape} and {l2.shape} models; expected the same models")
    both = ~(np.isnan(l1) | np.isnan(l2))
    n, lost = int(both.sum()), int((~both).sum())
    note = f"{lost} of {len(both)} models without a rate on both levels" if lost else None
    if not n:
        none = float("nan")
        return Summary(0, none, none, none, none, none, none, note or "no model")
    (first, first_median), (second, second_median), (fall, fall_median) = (
        (float(np.mean(rates)), float(np.median(rates)))
        for rates in (l1[both], l2[both], l1[both] - l2[both])
    )
    return Summary(n, first, first_median, second, second_median, fall, fall_median, note)


def by_group(groups: Sequence[Group], l1: np.ndarray, l2: np.ndarray) -> dict[Group, Summary]:
    """The summary of each group, in the order in which groups first occur.

    Args:
        groups: Group of each model, for example its year.
        l1: As in `summarise`.
        l2: As in `summarise`.

    Raises:
        OodexpError: As `summarise`; or if there is not one group for each model.
    """
    if len(groups) != len(l1):
        raise OodexpError(f"{len(groups)} groups for {len(l1)} models; expected one each")
    found: dict[Group, Summary] = {}
    for group in dict.fromkeys(groups):
        mine = np.array([g == group for g in groups], dtype=bool)
        found[group] = summarise(l1[mine], l2[mine])
    return found


def compare(rates: np.ndarray, reference: np.ndarray, compared: np.ndarray) -> Comparison:
    """Two groups of models in each scope.

    Args:
        rates: In [0, 1], (model, scope): levels, or categories of a level; NaN where a model has
            none.
        reference: Models of the first group, bool, (model,).
        compared: Models of the second, bool, (model,).

    Raises:
        OodexpError: If a model is in both groups.
    """
    if np.any(reference & compared):
        row = int(np.argmax(reference & compared))
        raise OodexpError(f"model {row} is in both groups; expected groups without a common model")
    (first, n_first), (second, n_second) = _means(rates[reference]), _means(rates[compared])
    sizes = int(reference.sum()), int(compared.sum())
    reasons = [_reason(counts, sizes) for counts in zip(n_first, n_second, strict=True)]
    return Comparison(first, second, second - first, n_first, n_second, tuple(reasons))


def _means(rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = ~np.isnan(rates)
    n = known.sum(axis=0)
    total = np.where(known, rates, 0).sum(axis=0)
    return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0), n


def _reason(counts: tuple[int, int], sizes: tuple[int, int]) -> str | None:
    named = zip(("reference", "compared"), counts, sizes, strict=True)
    notes = [f"{size - n} of {size} {name} models without a rate" if size else f"no {name} model"
             for name, n, size in named if n < size or not size]  # fmt: skip
    return "; ".join(notes) or None
