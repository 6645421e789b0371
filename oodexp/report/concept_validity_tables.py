"""Tables of the validity of a concept benchmark, after Tables D1 to D5 of OODConceptBench.

Rates come in as fractions and are printed in percent; distances and gaps of cosines are printed as
they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from oodexp.report.concept_value import Value, below, percent, plain, signed
from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table


class Detected(NamedTuple):
    """Telling the benchmark from a fixed ID data set by the maximum cosine."""

    baseline: str
    """Name of the ID data set."""
    level: str
    """E.g. `L1`."""
    id_images: int
    """Images of the ID data set."""
    images: int
    """Images of the level, the OOD side."""
    confidence: Value
    """Mean confidence of the level's images, in [0, 1]."""
    auroc: Value
    """Chance that an OOD image scores more OOD than an ID image."""
    fpr95_out: Value
    """Share of ID images that are called OOD where 95 % of the OOD images are found."""
    fpr95_in: Value
    """Share of OOD images that are called ID where 95 % of the ID images are kept."""
    aupr_in: Value
    """Area under precision and recall, ID positive."""
    aupr_out: Value
    """The same, OOD positive."""
    ece: Value
    """Expected calibration error."""


class Probed(NamedTuple):
    """A few-shot classifier of benchmark against control, over the categories of a level."""

    level: str
    """E.g. `L1`."""
    shots: int
    """Training images of each class."""
    accuracy: Value
    """Mean accuracy over the categories."""
    least: Value
    """Accuracy on the worst category."""
    largest: Value
    """Accuracy on the best category."""


class Acquired(NamedTuple):
    """Images of two ways of acquisition beside each other."""

    level: str
    """E.g. `L1`."""
    category: str
    """Family of the concepts, or `all`."""
    images: tuple[int, int]
    """Images of the first and of the second way."""
    centroid: Value
    """Cosine distance of the mean features, in [0, 2]."""
    frechet: Value
    """Fréchet distance of the features, >= 0."""
    target_gap: Value
    """Mean target cosine, second minus first."""
    confidence_gap: Value
    """Mean confidence, second minus first."""


def detection_table(rows: Sequence[Detected], ece: str = "15 bins") -> Table:
    """Fixed-ID OOD detection with the orientation of every number in its header (Table D1).

    Args:
        rows: ID data sets and levels.
        ece: How the calibration error was computed.
    """
    names = (
        "ID set", "level", "N ID", "N OOD", "mean\nconf.", "AUROC\nOOD scores\nhigher",
        "FPR95-out\nID called\nOOD, at\n95 % OOD", "FPR95-in\nOOD called\nID, at\n95 % ID",
        "AUPR-in\nID\npositive\n(chance)", "AUPR-out\nOOD\npositive\n(chance)", f"ECE\n{ece}",
    )  # fmt: skip
    values = [
        (f"{row.baseline}, {row.level}", value)
        for row in rows
        for value in (row.auroc, row.fpr95_out, row.fpr95_in, row.aupr_in, row.aupr_out, row.ece)
    ]
    table = grid(
        "OOD detection against a fixed ID set", names, 2,
        below(values, "in %; the OOD score is minus the confidence. Chance of an AUPR: the share "
                      "of its positives."),
    )  # fmt: skip
    for row in rows:
        total = row.id_images + row.images
        table.add_row(
            row.baseline, row.level, f"{row.id_images:,}", f"{row.images:,}",
            *map(percent, (row.confidence, row.auroc, row.fpr95_out, row.fpr95_in)),
            _with_chance(row.aupr_in, row.id_images, total),
            _with_chance(row.aupr_out, row.images, total), percent(row.ece),
        )  # fmt: skip
    return table


def protocol_table(elements: Mapping[str, str]) -> Table:
    """What a probe was: encoder, task, classifier, classes, shots, repeats (Table D2).

    Args:
        elements: Specification by element, in order.
    """
    table = grid("The few-shot probe", ("element", "specification"), 2)
    for element, specification in elements.items():
        table.add_row(element, specification)
    return table


def probe_table(rows: Sequence[Probed]) -> Table:
    """Accuracy of the probe by level and shots (Table D3)."""
    values = [(f"{row.level}, {row.shots} shots", row.accuracy) for row in rows]
    table = grid(
        "Benchmark against control from a few shots",
        ("level", "shots", "mean accuracy", "worst category", "best category"), 1,
        below(values, "in %; mean over the categories, chance is 50"),
    )  # fmt: skip
    for row in rows:
        told = map(percent, (row.accuracy, row.least, row.largest))
        table.add_row(row.level, str(row.shots), *told)
    return table


def acquisition_table(ways: tuple[str, str], rows: Sequence[Acquired]) -> Table:
    """Two ways of acquisition by level and category (Tables D4, D5).

    Args:
        ways: Names of the first and the second way, e.g. `crawled`, `generated`.
        rows: Levels and categories.
    """
    values = [
        (f"{row.level}, {row.category}", value)
        for row in rows
        for value in (row.centroid, row.frechet, row.target_gap, row.confidence_gap)
    ]
    names = ("level", "category", *ways, "centroid cos. dist.", "Fréchet dist.",
             "target cos. gap", "confidence gap")  # fmt: skip
    table = grid(
        f"{ways[0]} beside {ways[1]}", names, 2,
        below(values, f"gaps: mean of {ways[1]} minus mean of {ways[0]}; distances and gaps are "
                      "no percentages"),
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.level, row.category, *(f"{n:,}" for n in row.images), plain(row.centroid),
            plain(row.frechet), signed(row.target_gap), signed(row.confidence_gap),
        )  # fmt: skip
    return table


def _with_chance(value: Value, positives: int, total: int) -> str:
    chance = f"{100 * positives / total:.1f}" if total else "-"
    return f"{percent(value)}\n({chance})"
