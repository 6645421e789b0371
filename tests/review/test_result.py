"""What verdicts come to: counts by hand, other libraries, known answers on drawn data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from oodexp import record, table
from oodexp.record import SPLITS, VERDICTS, Finding, Verdict
from oodexp.review.result import changes, confirmed, result
from oodexp.review.sample import PAIR


@pytest.fixture
def rows() -> pd.DataFrame:
    """120 pairs on 60 images, three splits of unlike weight."""
    n = np.arange(120)
    split = np.array(SPLITS)[n % 3]
    sizes = {"ID": 9000, "OOD-S": 300, "OOD-H": 60}
    return pd.DataFrame(
        {
            "source": "s", "image_id": (n // 2).astype(str), "category": np.where(n % 2, "b", "a"),
            "split": split, "stratum": split, "population": [sizes[s] for s in split],
        }
    )  # fmt: skip


def judged(rows: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Two raters, who see fewer objects the farther the split is out; some gaps."""
    rng = np.random.default_rng(seed)
    sound = rng.random(len(rows)) < rows["split"].map({"ID": 0.98, "OOD-S": 0.8, "OOD-H": 0.5})
    said = []
    for rater, gaps in (("ann", 0.1), ("ben", 0.3)):
        for row, good in zip(rows.itertuples(), sound, strict=True):
            if rng.random() < gaps:
                continue
            verdict = "unsure" if rng.random() < 0.1 else ("yes" if good else "no")
            reason = "wrong label" if verdict == "no" and rng.random() < 0.5 else None
            said.append(Verdict(rater, row.source, row.image_id, row.category, verdict, reason,
                                None, 1.0, None, None, None))  # fmt: skip
    return table.frame(Verdict, said)


def find(findings: list[Finding], subject: str, statistic: str) -> Finding:
    (found,) = [f for f in findings if (f.subject, f.statistic) == (subject, statistic)]
    return found


def test_acceptance_is_what_counting_pair_by_pair_gives(rows: pd.DataFrame) -> None:
    verdicts = judged(rows)
    reviews, findings = result(rows, verdicts, 200, 0)
    for split in SPLITS:
        tally = {"yes": 0, "no": 0}
        for row in rows[rows["split"] == split].itertuples():
            mine = verdicts[(verdicts["image_id"] == row.image_id)
                            & (verdicts["category"] == row.category)]["verdict"]  # fmt: skip
            votes = mine.value_counts()
            top = votes[votes == votes.max()].index.tolist() if len(votes) else []
            if len(top) == 1 and top[0] in tally:
                tally[top[0]] += 1
        found = find(findings, split, "acceptance rate")
        n = sum(tally.values())
        assert (found.value, found.n) == (tally["yes"] / n, n)
        ends = binomtest(tally["yes"], n).proportion_ci(0.95, "exact")
        assert (found.lower, found.upper) == pytest.approx((ends.low, ends.high))
    outcomes = reviews["outcome"].value_counts()
    words = find(findings, "all splits", "acceptance rate").words
    assert f"{outcomes['unsure']} unsure" in words
    assert f"{outcomes['unrated']} unrated" in words
    assert outcomes.sum() == len(rows)


def test_the_weighted_rate_is_that_of_the_population(rows: pd.DataFrame) -> None:
    _, findings = result(rows, judged(rows), 500, 0)
    by_split = [find(findings, s, "acceptance rate").value for s in SPLITS]
    weighted = find(findings, "all splits", "acceptance rate, weighted")
    assert weighted.value == pytest.approx(np.average(by_split, weights=[9000, 300, 60]))
    assert weighted.lower < weighted.value < weighted.upper or weighted.value == weighted.upper
    assert weighted.value > find(findings, "all splits", "acceptance rate").value
    assert "for 9360 of 9360 pairs" in weighted.words


def test_weighted_intervals_hold_the_truth_as_often_as_they_say(rows: pd.DataFrame) -> None:
    truth = np.average([0.98, 0.8, 0.5], weights=[4000, 4000, 4000])
    even = rows.assign(population=4000)
    held = 0
    for seed in range(100):
        _, findings = result(even, judged(even, seed), 200, 0)
        one = find(findings, "all splits", "acceptance rate, weighted")
        held += one.lower <= truth <= one.upper
    assert held >= 87  # 95 expected, a bootstrap of 60 images is a little short


def test_kappa_is_that_of_scikit_learn_on_what_both_judged(rows: pd.DataFrame) -> None:
    verdicts = judged(rows)
    _, findings = result(rows, verdicts, 300, 0)
    wide = verdicts.pivot_table(index=PAIR, columns="rater", values="verdict", aggfunc="first")
    both = wide.dropna()
    found = find(findings, "ann and ben", "Cohen's kappa")
    assert found.value == pytest.approx(cohen_kappa_score(both["ann"], both["ben"]))
    assert found.n == len(both)
    assert found.lower < found.value < found.upper
    sure = both[(both != "unsure").all(axis=1)]
    strict = find(findings, "ann and ben", "Cohen's kappa, yes and no alone")
    assert strict.value == pytest.approx(cohen_kappa_score(sure["ann"], sure["ben"]))


def test_two_raters_without_gaps_have_nearly_the_kappa_as_alpha(rows: pd.DataFrame) -> None:
    verdicts = judged(rows)
    counts = verdicts.groupby(PAIR)["rater"].transform("nunique")
    whole = verdicts[counts == 2].reset_index(drop=True)
    _, findings = result(rows, whole, 200, 0)
    alpha = find(findings, "all raters", "Krippendorff's alpha").value
    kappa = find(findings, "ann and ben", "Cohen's kappa").value
    assert alpha == pytest.approx(kappa, abs=0.02)


def test_one_rater_agrees_with_nobody(rows: pd.DataFrame) -> None:
    alone = judged(rows).query("rater == 'ann'").reset_index(drop=True)
    _, findings = result(rows, alone, 200, 0)
    assert not [f for f in findings if "kappa" in f.statistic or "alpha" in f.statistic]


def test_no_verdict_leaves_reasons_and_no_numbers(rows: pd.DataFrame) -> None:
    reviews, findings = result(rows, table.frame(Verdict), 200, 0)
    assert set(reviews["outcome"]) == {"unrated"}
    assert all(f.value is None and f.reason for f in findings)


def test_a_wrong_label_is_an_error_of_the_source_whatever_the_verdict(rows) -> None:
    first = rows.iloc[[0, 3, 6]]
    said = [("yes", None), ("yes", "wrong label"), ("no", None)]
    verdicts = table.frame(Verdict, [
        Verdict("ann", r.source, r.image_id, r.category, v, why, None, None, None, None, None)
        for r, (v, why) in zip(first.itertuples(), said, strict=True)
    ])  # fmt: skip
    reviews, findings = result(rows, verdicts, 200, 0)
    error = find(findings, "ID", "annotation error rate")
    assert (error.value, error.n) == (2 / 3, 3)
    assert find(findings, "ID", "acceptance rate").value == 2 / 3
    rated = reviews[reviews["annotation"] != "unrated"]
    assert rated["annotation"].tolist() == ["accepted", "rejected", "rejected"]
    assert find(findings, "ID", "reason wrong label").value == 1 / 3


def test_reasons_of_a_pair_are_those_most_raters_gave(rows: pd.DataFrame) -> None:
    row = rows.iloc[0]
    for given, reason in (
        (["other", "other", "wrong label"], "other"), (["other", "wrong label"], "several"),
        ([None, "other"], "other"), ([None, None], None),
    ):  # fmt: skip
        verdicts = table.frame(Verdict, [
            Verdict(f"r{n}", row.source, row.image_id, row.category, "yes", why, None, None, None,
                    None, None) for n, why in enumerate(given)
        ])  # fmt: skip
        found = result(rows, verdicts, 200, 0).reviews["reason"].iloc[0]
        assert (None if pd.isna(found) else found) == reason


def test_rejected_pairs_leave_the_benchmark_with_a_reason(division, sample) -> None:
    key = sample.rows[PAIR].iloc[0].tolist()
    verdicts = table.frame(Verdict, [
        Verdict(rater, *key, "no", None, None, None, None, None, None) for rater in ("ann", "ben")
    ])  # fmt: skip
    reviews = result(sample.rows, verdicts, 200, 0).reviews
    before = division.memberships
    after = table.check(record.Membership, confirmed(before, reviews))
    hit = (before[PAIR] == key).all(axis=1)
    assert hit.sum() == 1
    assert after.loc[hit, "reason"].tolist() == ["rejected by review: yes 0, no 2, unsure 0"]
    assert not after.loc[hit, "drawn"].any()
    pd.testing.assert_frame_equal(after[~hit], before[~hit])
    assert after["split"].equals(before["split"])


def test_changes_are_those_of_plain_means() -> None:
    rng = np.random.default_rng(5)
    n = 200
    answered = pd.DataFrame({
        "vlm": rng.choice(["m", "w"], n), "kind": "existence", "split": rng.choice(SPLITS, n),
        "source": "s", "image_id": rng.integers(40, size=n).astype(str),
        "correct": rng.random(n) < 0.6, "kept": rng.random(n) < 0.9,
    })  # fmt: skip
    findings = list(changes(answered, 300, 0))
    table.frame(Finding, findings)
    assert len(findings) == 2 * len(SPLITS) * 3
    for (vlm, split), rows in answered.groupby(["vlm", "split"]):
        subject = f"{vlm}, existence, {split}"
        before, after = rows["correct"].mean(), rows[rows["kept"]]["correct"].mean()
        assert find(findings, subject, "accuracy, all pairs").value == pytest.approx(before)
        one = find(findings, subject, "change of accuracy without rejected pairs")
        assert one.value == pytest.approx(after - before)
        assert one.lower <= one.value <= one.upper


def test_findings_are_rows_of_the_table(rows: pd.DataFrame) -> None:
    _, findings = result(rows, judged(rows), 200, 0)
    kept = table.frame(Finding, findings)
    assert (kept["verdict"] == "estimate").all()
    assert set(VERDICTS) == {"yes", "no", "unsure"}
