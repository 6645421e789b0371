"""The landscape of concepts: where a group of models recognises them, and where it does not.

OODConceptBench, Figures 2 and C3: concepts are points of a disc, the better recognised the nearer
to its centre. The text fixes that much; in our drawing a concept stands at 1 - its mean rate over
the models, in the sector of its category. Angles hang on categories and names alone, so the same
concepts stand in the same directions for every group of models and level.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError

_UNSEEN = "no image that a model of the group has scored"


class Landscape(NamedTuple):
    """Coordinates of concepts, all float64, (concept,)."""

    x: np.ndarray
    """radius cos(angle), in [-1, 1]."""
    y: np.ndarray
    """radius sin(angle), in [-1, 1]."""
    angle: np.ndarray
    """Radians in (0, 2 pi), counted from the x axis to the y axis."""
    radius: np.ndarray
    """1 - mean rate, in [0, 1]; larger is recognised less."""
    rate: np.ndarray
    """Mean over the models that have a rate, in [0, 1]; NaN where none has."""
    models: np.ndarray
    """How many models have a rate, int64."""
    reasons: tuple[str | None, ...]
    """Why a concept has no place; None where it has one."""


def landscape(rates: np.ndarray, category: np.ndarray, names: Sequence[str]) -> Landscape:
    """Places concepts by their mean recognition.

    Args:
        rates: Of each model on each concept, in [0, 1], (model, concept); NaN where it has none.
        category: Code of each concept's category, (concept,).
        names: Phrases of the concepts.

    Raises:
        OodexpError: As `angles`; or if the rates are of other concepts.
    """
    if rates.shape[1] != len(names):
        raise OodexpError(
            f"rates of {rates.shape[1]} concepts, {len(names)} names; expected as many"
        )
    angle = angles(category, names)
    known = ~np.isnan(rates)
    models = known.sum(axis=0)
    total = np.where(known, rates, 0).sum(axis=0)
    mean = np.divide(total, models, out=np.full(len(names), np.nan), where=models > 0)
    reasons = tuple(None if n else _UNSEEN for n in models)
    radius = 1 - mean
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    return Landscape(x, y, angle, radius, mean, models, reasons)


def angles(category: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Direction of each concept in radians, (concept,): alike for any order of the rows.

    Categories have sectors in the order of their codes, as wide as their share of the concepts;
    within a sector concepts stand in alphabetical order, half a step off its borders.

    Args:
        category: Code of each concept's category, (concept,).
        names: Phrases of the concepts; different ones within a category.

    Raises:
        OodexpError: If there is not one category for each name, or a category has a name twice.
    """
    if len(category) != len(names):
        raise OodexpError(
            f"{len(category)} categories for {len(names)} concepts; expected one each"
        )
    keys = [(int(code), str(name)) for code, name in zip(category, names, strict=True)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    for one, other in pairwise(order):
        if keys[one] == keys[other]:
            raise OodexpError(
                f"concept {names[one]!r} is there twice in one category; expected once"
            )
    found = np.empty(len(keys))
    found[order] = 2 * np.pi * (np.arange(len(keys)) + 0.5) / max(len(keys), 1)
    return found
