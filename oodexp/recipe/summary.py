"""From what a stage gave to tables and to the numbers that are tracked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from oodexp import record
from oodexp.columns import Rows
from oodexp.division.base import Matrix
from oodexp.metric.ood import auroc
from oodexp.stored import ROWS

PRESENCE = ("absent", "present", "unknown")
UNREADABLE = "unreadable: see problems"
PAIR = ["source", "image_id", "category"]
_BESIDE = re.compile(r"(\.lower|\.upper|[./]n|[./]n_unread)$")
STRATEGY = "strategy: "
"""How groups begin that are questions of their own and not a part of the others."""


def score_parts(
    matrix: Matrix, logits: np.ndarray, reasons: Mapping[str, str], fingerprint: str | np.ndarray
) -> Iterator[pd.DataFrame]:
    """The matrix of one scorer and source in long form, rows by image and category, in parts.

    Args:
        matrix: The annotations.
        logits: float32, (image, category).
        reasons: Why an image has no score at all, by id.
        fingerprint: Digest of what the logits rest on; of each image, (image,), where they differ.

    Yields:
        `record.Score` rows, some images a part.
    """
    width = max(1, len(matrix.categories))
    size = max(1, ROWS // width)
    marks, mark = pd.factorize(np.broadcast_to(np.asarray(fingerprint, object), len(logits)))
    for start in range(0, len(logits), size):
        part = slice(start, start + size)
        values, ids = logits[part], matrix.image_ids[part]
        image = np.repeat(np.arange(len(ids)), width)
        reason, why = _unscored(values, [reasons.get(i, UNREADABLE) for i in ids])
        yield pd.DataFrame(
            {
                "source": matrix.source,
                "image_id": _named(ids, image),
                "category": _named(matrix.categories, np.tile(np.arange(width), len(ids))),
                "fingerprint": _named([str(text) for text in mark], marks[part][image]),
                "presence": _named(PRESENCE, matrix.presence[part].ravel()),
                "logit": values.ravel(),
                "reason": _named(why, reason.ravel()),
            }
        )


def _unscored(logits: np.ndarray, told: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """Number of the reason of each cell, -1 where it has a logit, and the reasons."""
    why = ["NaN", *dict.fromkeys(text for text in told if text != "NaN")]
    lost = np.isnan(logits)
    code = np.where(lost, 0, -1)
    for row in np.flatnonzero(lost.all(axis=1)).tolist():
        code[row] = why.index(told[row])
    return code, why


def _named(names: Sequence[str], codes: np.ndarray) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype="str"))


def presence_auroc(matrices: Sequence[Matrix], logits: Sequence[np.ndarray]) -> float:
    """How well logits tell present from absent, over all cells annotated as either."""
    presence = np.concatenate([m.presence.ravel() for m in matrices])
    decided = presence != record.UNKNOWN
    values = np.concatenate([v.ravel() for v in logits])
    return auroc(values[decided], presence[decided] == record.PRESENT)


def planted_auroc(signals: Rows, pairs: Rows) -> dict[str, float]:
    """How well each scorer's S recovers the planted pairs; empty for photographs."""
    known = pairs[[*PAIR, "planted"]].dropna()
    if not len(known):
        return {}
    joined = signals[["scorer", *PAIR, "score"]].merge(known, on=PAIR)
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


def incomplete(completions: Rows) -> dict[str, str]:
    """VLMs that failed to answer: `2 of 8 questions failed`, by name; empty when none did."""
    said = completions[["vlm", "status"]]
    failed = (said["status"] == "error").groupby(said["vlm"]).agg(["sum", "size"])
    return {
        str(vlm): f"{lost} of {asked} questions failed"
        for vlm, lost, asked in failed.itertuples()
        if lost
    }
