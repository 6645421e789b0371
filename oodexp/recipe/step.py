"""Steps that recipes share: each runs one stage and keeps what it gave."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oodexp import record, table
from oodexp.answer.judge import judge
from oodexp.division.base import Divider, Matrix
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence, Metric
from oodexp.metric.ood import auroc
from oodexp.pixel import decode
from oodexp.predict.answering import answer
from oodexp.predict.content import scan
from oodexp.predict.scoring import Scored
from oodexp.predict.scoring import score as score_images
from oodexp.predict.store import digest
from oodexp.recipe.base import Desk, Parts
from oodexp.report.terminal import show
from oodexp.vlm.base import Calibrated, Calibration

if TYPE_CHECKING:
    from PIL.Image import Image

    from oodexp.answer.base import Reader
    from oodexp.source.base import Source
    from oodexp.vlm.base import Vlm

PRESENCE = np.array(["absent", "present", "unknown"], dtype=object)


def annotate(desk: Desk, source: Source) -> Matrix:
    """Keeps `images` and `pairs`; every file has been read once when it returns.

    Raises:
        OodexpError: If the source holds no pair, or no readable image.
    """
    content = scan(source.images(), source.read)
    pairs = source.pairs()
    if not len(pairs) or content.images["sha256"].isna().all():
        raise OodexpError(
            f"source {source.name}: {len(content.images)} images, {len(pairs)} pairs, "
            f"{len(content.problems)} problems (first: {_first(content.problems)}); nothing to "
            "divide: check source.annotations and source.images"
        )
    desk.problem(source.problems())
    desk.problem(content.problems)
    images = desk.keep("images", content.images)
    desk.keep("pairs", pairs)
    return Matrix(source.name, images["image_id"].tolist(), source.categories(), source.presence())


def score(desk: Desk, parts: Parts, matrix: Matrix) -> Scored:
    """Keeps `scores/<scorer>` and each scorer's AUROC for presence."""
    images = desk.tables["images"]
    scored = score_images(
        images, matrix.categories, parts.source.read, parts.scorers, parts.store, parts.loop
    )
    files = dict(images.loc[images["sha256"].notna(), ["image_id", "file"]].to_numpy())
    rows = [
        record.Problem("decode", "", matrix.source, i, files[i], why)
        for i, why in scored.reasons.items()
    ]
    desk.problem(table.frame(record.Problem, rows))
    presence = matrix.presence.ravel()
    decided = presence != record.UNKNOWN
    metrics = {"scored_images": float(scored.scored_images)}
    for name, logits in scored.logits.items():
        fingerprint = scored.fingerprints[name]
        desk.fingerprint(name, fingerprint)
        desk.keep(
            f"scores/{name}", _score_table(matrix, logits, scored.reasons, digest(fingerprint))
        )
        positive = presence[decided] == record.PRESENT
        metrics[f"scorer/{name}/presence_auroc"] = auroc(logits.ravel()[decided], positive)
    desk.run.metrics(metrics)
    return scored


def divide(desk: Desk, divider: Divider, matrix: Matrix, scored: Scored) -> pd.DataFrame:
    """Keeps `signals` and `memberships`, and the size of each split."""
    unread = desk.tables["images"].query("sha256.isna()")["image_id"]
    reasons = dict.fromkeys(unread, "unreadable: see problems") | scored.reasons
    division = divider.divide(matrix, scored.logits, reasons)
    signals = desk.keep("signals", division.signals)
    members = desk.keep("memberships", division.memberships)
    metrics = {"division/unscored/pairs": float(members["split"].isna().sum())}
    for split in record.SPLITS:
        mine = members[members["split"] == split]
        metrics[f"division/{split}/pairs"] = float(mine["present"].sum())
        metrics[f"division/{split}/drawn"] = float(mine["drawn"].sum())
    # An image without any score is a problem of its own, listed once.
    lost = members[members["split"].isna() & ~members["image_id"].isin(list(reasons))]
    rows = [
        record.Problem("scorer", "", r.source, r.image_id, r.category, str(r.reason))
        for r in lost.itertuples()
    ]
    desk.problem(table.frame(record.Problem, rows))
    desk.run.metrics(metrics | _planted(signals, desk.tables["pairs"]))
    return members


def ask(desk: Desk, parts: Parts, matrix: Matrix, scored: Scored) -> None:
    """Keeps `completions` of all VLMs; a failed question is a row in `problems`."""
    images, questions = desk.tables["images"], desk.tables["questions"]
    found, asked = [], 0
    for name, vlm in parts.vlms.items():
        if isinstance(vlm, Calibrated):
            vlm.calibrate(_calibration(images, matrix, parts.source, scored.reasons))
        done = answer(name, vlm, questions, images, parts.source.read, parts.store, parts.loop)
        desk.fingerprint(name, done.fingerprint)
        found.append(done.completions)
        asked += done.asked_questions
    completions = desk.keep("completions", table.concat(record.Completion, found))
    failed = completions[completions["status"] == "error"].merge(questions, on="question_id")
    rows = [
        record.Problem("vlm", r.vlm, r.source, r.image_id, r.question_id, str(r.reason))
        for r in failed.itertuples()
    ]
    desk.problem(table.frame(record.Problem, rows))
    desk.run.metrics({"asked_questions": float(asked)})


def read(desk: Desk, readers: Mapping[str, Reader]) -> None:
    """Keeps `answers`."""
    desk.keep("answers", judge(desk.tables["completions"], desk.tables["questions"], readers))


def measure(desk: Desk, metric: Metric) -> None:
    """Keeps `measurements`."""
    tables = desk.tables
    evidence = Evidence(
        tables["pairs"], tables["memberships"], tables["questions"], tables["answers"]
    )
    desk.keep("measurements", metric.measure(evidence))


def report(desk: Desk, vlms: Mapping[str, Vlm]) -> bool:
    """A child run per VLM, the table `problems`, and what a person reads.

    Returns:
        Whether something was left out; notes do not count.
    """
    measured = desk.tables["measurements"]
    for name in vlms:
        with desk.run.child(name, {"vlm": name}) as child:
            child.metrics(_named(measured[measured["vlm"] == name]))
    problems = desk.keep("problems", desk.problems)
    desk.run.metrics({f"seconds/{stage}": s for stage, s in desk.seconds.items()})
    show(desk.tables, desk.seconds, desk.run.where)
    return bool((~problems["reason"].str.startswith("note:")).any())


def _first(problems: pd.DataFrame) -> str:
    if not len(problems):
        return "none"
    return f"{problems['subject'].iloc[0]}: {problems['reason'].iloc[0]}"


def _score_table(
    matrix: Matrix, logits: np.ndarray, reasons: Mapping[str, str], fingerprint: str
) -> pd.DataFrame:
    ids = np.array(matrix.image_ids, dtype=object)
    why = np.array([reasons.get(i, "unreadable: see problems") for i in ids], dtype=object)
    lost = np.isnan(logits)
    reason = np.full(logits.shape, None, dtype=object)
    reason[lost] = "NaN"
    whole = np.flatnonzero(lost.all(axis=1))
    reason[whole] = why[whole, None]
    columns = {
        "source": [matrix.source] * logits.size,
        "image_id": np.repeat(ids, len(matrix.categories)),
        "category": np.tile(np.array(matrix.categories, dtype=object), len(ids)),
        "fingerprint": fingerprint,
        "presence": PRESENCE[matrix.presence.ravel()],
        "logit": logits.ravel(),
        "reason": reason.ravel(),
    }
    return pd.DataFrame(columns)


def _planted(signals: pd.DataFrame, pairs: pd.DataFrame) -> dict[str, float]:
    """How well each scorer's S recovers the planted pairs; empty for photographs."""
    if pairs["planted"].isna().all():
        return {}
    key = ["source", "image_id", "category"]
    joined = signals.merge(pairs[[*key, "planted"]].dropna(), on=key)
    return {
        f"scorer/{name}/planted_auroc": auroc(
            -mine["score"].to_numpy(), (mine["planted"] != "canonical").to_numpy()
        )
        for name, mine in joined.groupby("scorer", sort=False)
    }


def _calibration(
    images: pd.DataFrame, matrix: Matrix, source: Source, unreadable: Mapping[str, str]
) -> Calibration:
    whole = images["sha256"].notna() & ~images["image_id"].isin(list(unreadable))
    presence = matrix.presence[whole.to_numpy()]
    content = hashlib.sha256("\n".join([*images.loc[whole, "sha256"], *matrix.categories]).encode())
    content.update(presence.tobytes())
    opened = _Opened(source, images.loc[whole, "image_id"].tolist())
    return Calibration(content.hexdigest(), opened, matrix.categories, presence)


class _Opened:
    """Images opened one by one, as often as they are asked for."""

    def __init__(self, source: Source, image_ids: list[str]) -> None:
        self._source = source
        self._ids = image_ids

    def __iter__(self) -> Iterator[Image]:
        return (decode(self._source.read(image_id)) for image_id in self._ids)


def _named(measured: pd.DataFrame) -> dict[str, float]:
    """Headline measurements under the names `<split>/<metric>` and `drop/<split>/<metric>`."""
    head = measured.query("source == 'pooled' and group == 'all' and convention == 'headline'")
    named: dict[str, float] = {}
    for row in head.itertuples():
        prefix = "" if row.contrast == "none" else "drop/"
        name = f"{prefix}{row.split}/{row.metric}"
        named |= {name: row.value, f"{name}.lower": row.lower, f"{name}.upper": row.upper}
        if not prefix:
            named |= {f"{row.split}/n": row.n, f"{row.split}/n_unread": row.n_unread}
    return named
