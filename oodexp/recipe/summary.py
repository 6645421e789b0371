"""From what a stage gave to tables and to the numbers that are tracked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from oodexp import record
from oodexp.division.base import Matrix
from oodexp.metric.ood import auroc

PRESENCE = np.array(["absent", "present", "unknown"], dtype=object)
PAIR = ["source", "image_id", "category"]
_BESIDE = re.compile(r"(\.lower|\.upper|[./]n|[./]n_unread)$")
STRATEGY = "strategy: "
"""How groups begin that are questions of their own and not a part of the others."""


def score_table(
    matrix: Matrix, logits: np.ndarray, reasons: Mapping[str, str], fingerprint: str | np.ndarray
) -> pd.DataFrame:
    """The matrix of one scorer and source in long form, rows by image and category.

    Args:
        matrix: The annotations.
        logits: float32, (image, category).
        reasons: Why an image has no score at all, by id.
        fingerprint: Digest of what the logits rest on; of each image, (image,), where they differ.

    Returns:
        `record.Score` rows.
    """
    ids = np.array(matrix.image_ids, dtype=object)
    why = np.array([reasons.get(i, "unreadable: see problems") for i in ids], dtype=object)
    lost = np.isnan(logits)
    reason = np.full(logits.shape, None, dtype=object)
    reason[lost] = "NaN"
    whole = np.flatnonzero(lost.all(axis=1))
    reason[whole] = why[whole, None]
    return pd.DataFrame(
        {
            "source": matrix.source,
            "image_id": np.repeat(ids, len(matrix.categories)),
            "category": np.tile(np.array(matrix.categories, dtype=object), len(ids)),
            "fingerprint": np.repeat(
                np.broadcast_to(np.asarray(fingerprint, dtype=object), len(ids)),
                len(matrix.categories),
            ),
            "presence": PRESENCE[matrix.presence.ravel()],
            "logit": logits.ravel(),
            "reason": reason.ravel(),
        }
    )


def presence_auroc(matrices: Sequence[Matrix], logits: Sequence[np.ndarray]) -> float:
    """How well logits tell present from absent, over all cells annotated as either."""
    presence = np.concatenate([m.presence.ravel() for m in matrices])
    decided = presence != record.UNKNOWN
    values = np.concatenate([v.ravel() for v in logits])
    return auroc(values[decided], presence[decided] == record.PRESENT)


def planted_auroc(signals: pd.DataFrame, pairs: pd.DataFrame) -> dict[str, float]:
    """How well each scorer's S recovers the planted pairs; empty for photographs."""
    joined = signals.merge(pairs[[*PAIR, "planted"]].dropna(), on=PAIR)
    return {
        f"scorer/{name}/planted_auroc": auroc(
            -mine["score"].to_numpy(), (mine["planted"] != "canonical").to_numpy()
        )
        for name, mine in joined.groupby("scorer", sort=False)
    }


def split_sizes(members: pd.DataFrame) -> dict[str, float]:
    """Pairs of each split by the division, and how many of them were drawn."""
    sizes = {"division/unscored/pairs": float(members["split"].isna().sum())}
    for split in record.SPLITS:
        mine = members[members["split"] == split]
        sizes[f"division/{split}/pairs"] = float(mine["present"].sum())
        sizes[f"division/{split}/drawn"] = float(mine["drawn"].sum())
    return sizes


def headline(measured: pd.DataFrame) -> dict[str, float]:
    """One VLM's measurements by name: `[<kind>/][drop/]<split>/[<strategy>/]<metric>`.

    Plain existence has no kind in its names. `change/` is a kind minus plain existence.
    """
    pooled = measured.query("source == 'pooled' and convention == 'headline'")
    of_strategy = pooled["group"].str.startswith(STRATEGY)
    named: dict[str, float] = {}
    for row in pooled[(pooled["group"] == "all") | of_strategy].itertuples():
        kind = "" if row.kind == "existence" else f"{row.kind}/"
        contrast = {"none": "", record.SPLITS[0]: "drop/"}.get(row.contrast, "change/")
        group = "" if row.group == "all" else row.group.removeprefix(STRATEGY) + "/"
        name = f"{kind}{contrast}{row.split}/{group}{row.metric}"
        named |= {name: row.value, f"{name}.lower": row.lower, f"{name}.upper": row.upper}
        if not contrast:
            # The metrics of existence questions rest on the same answers; others may not.
            within = f"{row.split}/" if row.kind == "existence" else f"{name}."
            named |= {f"{within}n": row.n, f"{within}n_unread": row.n_unread}
    return named


def together(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """What a run shows beside other runs: its only VLM's numbers, or `mean/<name>` over its VLMs.

    Args:
        found: `headline` of each VLM; a mean leaves out intervals and counts, and a number that
            some VLM does not have.
    """
    if len(found) < 2:
        return dict(*found.values())
    shared = set.intersection(*(set(numbers) for numbers in found.values()))
    first = next(iter(found.values()))
    plain = [n for n in first if n in shared and not _BESIDE.search(n)]
    return {f"mean/{n}": float(np.mean([numbers[n] for numbers in found.values()])) for n in plain}


def incomplete(completions: pd.DataFrame) -> dict[str, str]:
    """VLMs that failed to answer: `2 of 8 questions failed`, by name; empty when none did."""
    failed = (completions["status"] == "error").groupby(completions["vlm"]).agg(["sum", "size"])
    return {
        str(vlm): f"{lost} of {asked} questions failed"
        for vlm, lost, asked in failed.itertuples()
        if lost
    }
