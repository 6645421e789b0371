"""The data card of a concept benchmark: what it is, what it was made with, what it lacks.

Markdown, written with a build; the same build gives the same text, so it holds no date. What
OODConceptBench, Table E1 asks of a release stands in it with its verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from oodexp.report.release import DECLARED, Release, Requirement, check, releasable

NOT_SAID = "not said"
"""What stands where a column is null or empty."""
MOST = 20
"""Rows of the table of licences; the others are counted together."""


class Rule(NamedTuple):
    """A threshold of the build, or a model's own."""

    name: str
    """E.g. `T1`, `Q95 of clip_b32`."""
    criterion: str
    """What is compared with it, e.g. `S_1K > T1 keeps`."""
    value: float
    """The threshold; NaN when it could not be calibrated."""
    calibration: str
    """How it was found, e.g. `95th percentile`, `fixed`."""
    n: int
    """Scores or images it was calibrated on; 0 for a given number."""
    reason: str | None = None
    """Why there is no value, or what it does not rest on."""


class Model(NamedTuple):
    """A model that the build used."""

    name: str
    """As the configuration names it."""
    role: str
    """What it did, e.g. `construction`, `near-duplicates`."""
    fingerprint: str
    """Digest of all that can change its results."""


class Card(NamedTuple):
    """All that a data card tells."""

    title: str
    """Name of the benchmark."""
    what: str
    """What it is, in a few sentences."""
    release: Release
    """Images, levels, near-duplicates, statements and waivers."""
    rules: Sequence[Rule]
    """Thresholds, in the order of the cascade."""
    models: Sequence[Model]
    """Models of the build."""
    limits: Sequence[str] = ()
    """Known limits, a sentence each."""


def data_card(card: Card) -> str:
    """The card as Markdown.

    Raises:
        OodexpError: As `release.check`.
    """
    requirements = check(card.release)
    parts = [
        [f"# {_line(card.title)}", "", card.what.strip(), "", _verdict(requirements)],
        _uses(card),
        _composition(card.release),
        _rules(card.rules),
        _models(card.models),
        _duplicates(card.release),
        _requirements(requirements),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _verdict(requirements: Sequence[Requirement]) -> str:
    missing = [each.name for each in requirements if each.verdict == "missing"]
    if not releasable(requirements):
        return f"**Not for release**: missing are {', '.join(missing)}."
    waived = [each.name for each in requirements if each.verdict == "waived"]
    text = "**Every requirement of a release is met or waived.**"
    return text + (f" Waived: {', '.join(waived)}." if waived else " None is waived.")


def _uses(card: Card) -> list[str]:
    said = card.release.declared
    lines = ["## Use and limits", ""]
    for name in ("intended use", "excluded uses", "scope"):
        text = said.get(name, "").strip() or f"nobody declared {DECLARED[name]}"
        lines.append(f"* {name}: {_line(text)}")
    return lines + [f"* limit: {_line(limit)}" for limit in card.limits]


def _composition(release: Release) -> list[str]:
    concepts, levels = release.concepts, release.levels
    everything = np.ones(len(concepts), dtype=bool)
    masks = {"collected": everything, **levels}
    lines = ["## Composition", "", "Images, and in brackets different phrases."]
    for column, most in (("category", None), ("acquisition", None), ("licence", MOST)):
        values = concepts[column].fillna("").astype(str).str.strip().replace("", NOT_SAID)
        lines += ["", *_counts(column, values, concepts["phrase"], masks, most)]
    return lines


def _counts(
    column: str, values: pd.Series, phrases: pd.Series, masks: dict[str, np.ndarray],
    most: int | None,
) -> list[str]:  # fmt: skip
    """A table of images and phrases by a column and level."""
    if most is not None and values.nunique() > most:
        often = values.value_counts()
        # By number, then by name: a tie must not depend on the order of the rows.
        order = sorted(often.index, key=lambda name: (-often[name], name))
        values = values.where(values.isin(order[: most - 1]), f"{len(order) - most + 1} others")
    rows = []
    for name in [*sorted(values.unique()), "all"]:
        mine = np.ones(len(values), dtype=bool) if name == "all" else (values == name).to_numpy()
        cells = [f"{int((mine & m).sum()):,} ({phrases[mine & m].nunique():,})"
                 for m in masks.values()]  # fmt: skip
        rows.append([name, *cells])
    return _table([column, *masks], rows)


def _rules(rules: Sequence[Rule]) -> list[str]:
    rows = [
        [rule.name, rule.criterion, NOT_SAID if math.isnan(rule.value) else f"{rule.value:.6g}",
         rule.calibration, f"{rule.n:,}", rule.reason or ""]
        for rule in rules
    ]  # fmt: skip
    head = ["threshold", "criterion", "value", "calibration", "n", "note"]
    return ["## Thresholds", "", *(_table(head, rows) if rows else ["No threshold was used."])]


def _models(models: Sequence[Model]) -> list[str]:
    rows = [[model.name, model.role, f"`{model.fingerprint}`"] for model in models]
    head = ["model", "role", "fingerprint"]
    return ["## Models", "", *(_table(head, rows) if rows else ["No model was used."])]


def _duplicates(release: Release) -> list[str]:
    found = release.duplicates
    if found is None:
        return ["## Near-duplicates", "", "Nobody looked for them: the images may hold some."]
    rows = [[f"{n:,}" for n in (found.groups, found.images, found.removed,
                                found.images - found.removed)]]  # fmt: skip
    head = ["groups", "images in them", "removed", "kept"]
    return ["## Near-duplicates", "", f"Found by {_line(found.method)}.", "", *_table(head, rows)]


def _requirements(requirements: Sequence[Requirement]) -> list[str]:
    rows = [[each.name, each.verdict, each.words] for each in requirements]
    return ["## Release check", "", *_table(["requirement", "verdict", "what was found"], rows)]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(_line(cell) for cell in line) + " |" for line in lines]


def _line(text: str) -> str:
    """Text on one line that ends no cell."""
    return " ".join(text.split()).replace("|", "\\|")
