"""A trial of an ablation: other settings over stored scores and answers, no model.

Made-up data of COCO's form: 100,000 pairs of 80 categories, 2.9 an image, 4 scorers, 4 VLMs with
two answers a pair. A trial divides, draws, and gives all metrics of all VLMs and their differences.
`trial_seconds` is the median over trials that touch every option, `trial_worst_seconds` the most;
`tracked_trial_seconds` adds a child run with the trial's numbers in MLflow on sqlite.
`stock_seconds` is paid once a study, `draws_seconds` once for all intervals (2,000 resamples of the
images), `interval_seconds` for each reported trial without a cap. All are processor seconds;
target: trial_seconds < 0.5.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from benchmarks.timing import json_file, of_call, publish

if TYPE_CHECKING:
    from oodexp.ablation.regroup import Setting
    from oodexp.ablation.stock import Stock
    from oodexp.division.base import Matrix

PAIRS, CATEGORIES, SCORERS, VLMS, PER_IMAGE = 100_000, 80, 4, 4, 2.9
RESAMPLES = 2000
TRACKED = 15
"""Trials that are tracked, after a first one that opens the database."""


def main() -> None:
    """Prints the figures; see the top of this file."""
    from oodexp.ablation.band import bands, resample
    from oodexp.ablation.regroup import named, regroup
    from oodexp.metric.bootstrap import resample_weights

    json_file(__doc__ or "")  # before the work, so that --help answers at once
    rows: dict[str, float] = {}
    made: list[Stock] = []
    rows["stock_seconds"] = of_call(lambda: made.append(stocked(PAIRS))).cpu
    (stock,) = made
    settings = trials()
    regroup(stock, settings[0])
    costs = [of_call(lambda s=s: named(stock, regroup(stock, s))).cpu for s in settings]  # type: ignore[misc]
    rows["trial_seconds"], rows["trial_worst_seconds"] = median(costs), max(costs)
    with tempfile.TemporaryDirectory(prefix="oodexp-bench-") as folder:
        tracked = _tracked(Path(folder), lambda s: named(stock, regroup(stock, s)), settings)
    rows["tracked_trial_seconds"] = tracked
    rng, drawn = np.random.default_rng(0), list[np.ndarray]()
    rows["draws_seconds"] = of_call(
        lambda: drawn.append(resample_weights(stock.images, RESAMPLES, rng))
    ).cpu
    found = regroup(stock, next(s for s in settings if s.division.cap is None))
    rows["interval_seconds"] = of_call(lambda: bands(resample(stock, found, drawn[0]))).cpu
    notes = (
        f"{len(settings)} trials, {PAIRS:,} pairs, {stock.images:,} images, {SCORERS} scorers, "
        f"{VLMS} VLMs"
    )
    publish("A trial of an ablation", rows, notes, __doc__ or "")


def trials() -> list[Setting]:
    """Settings that touch every option that matters for time."""
    from oodexp.ablation.regroup import Setting
    from oodexp.division.cross_validation import CrossValidation

    names = tuple(f"s{k}" for k in range(SCORERS))
    grid = itertools.product(
        (0.05, 0.01, 0.005), ("all", "majority", "mean", "parity"), (3000, None),
        ("larger", "all"), range(1, SCORERS + 1),
    )  # fmt: skip
    found = [
        Setting(names[:k], CrossValidation(t, rule=rule, cap=cap, id_size=size))
        for t, rule, cap, size, k in grid
    ]
    pools = ("random", "balanced")
    return found + [Setting(names, CrossValidation(0.05, id_pool=pool)) for pool in pools]


def stocked(pairs: int) -> Stock:
    """The stock of a made-up run."""
    from oodexp.ablation.lot import lot
    from oodexp.ablation.stock import stock
    from oodexp.division.base import Matrix

    rng = np.random.default_rng(0)
    images = round(pairs / PER_IMAGE)
    presence = np.zeros((images, CATEGORIES), np.uint8)
    presence.ravel()[rng.choice(presence.size, pairs, replace=False)] = 1
    names = [f"category {n}" for n in range(CATEGORIES)]
    matrix = Matrix("made", [f"{n:012d}" for n in range(images)], names, presence)
    # What is hard for one scorer is hard for the others: all three splits are well filled.
    seen, logits = presence * rng.normal(3.5, 1.5, presence.shape).astype(np.float32), {}
    for k in range(SCORERS):
        noise = rng.standard_normal(presence.shape, dtype=np.float32)
        cosine = np.float32(0.25) + np.float32(0.03) * (seen + noise)
        logits[f"s{k}"] = np.asarray(100 * cosine, np.float32)
    return stock([lot(matrix, logits)], *_tables(matrix, rng))


def _tables(
    matrix: Matrix, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Pairs, questions and answers, with the columns that a stock is made of."""
    rows, columns = np.nonzero(matrix.presence)
    n = len(rows)
    pairs = pd.DataFrame(
        {
            "source": matrix.source,
            "image_id": pd.Series(np.array(matrix.image_ids)[rows], dtype="str"),
            "category": pd.Series(np.array(matrix.categories)[columns], dtype="str"),
            "count": pd.array(rng.integers(1, 9, n), dtype="Int64"),
            "area": rng.lognormal(8, 2, n), "planted": pd.Series([None] * n, dtype="str"),
        }
    )  # fmt: skip
    questions = pairs.loc[np.repeat(np.arange(n), 2), ["source", "image_id", "category"]]
    questions = questions.reset_index(drop=True).assign(
        kind="existence", polarity=np.tile(["present", "absent"], n),
        target=np.tile(["yes", "no"], n), question_id=[str(q) for q in range(2 * n)],
    )  # fmt: skip
    reading = rng.choice(np.array(["yes", "no", None], object), 2 * n * VLMS, p=[0.5, 0.48, 0.02])
    answers = pd.DataFrame(
        {
            "vlm": np.repeat([f"v{k}" for k in range(VLMS)], 2 * n), "reader": "yes_no",
            "question_id": np.tile(questions["question_id"], VLMS),
            "reading": pd.Series(reading, dtype="str"),
        }
    )  # fmt: skip
    return pairs, questions, answers


def _tracked(
    folder: Path, trial: Callable[[Setting], dict[str, float]], settings: list[Setting]
) -> float:
    """Median processor seconds of a trial with its child run."""
    from oodexp.tracker.mlflow import Mlflow

    with Mlflow(folder).open(experiment="trial", config={"pairs": PAIRS}) as run:

        def one(number: int) -> None:
            with run.child(f"trial {number}", {"trial": str(number)}) as child:
                child.metrics(trial(settings[number % len(settings)]))

        one(0)
        return median(of_call(lambda n=n: one(n)).cpu for n in range(1, 1 + TRACKED))  # type: ignore[misc]


if __name__ == "__main__":
    main()
