"""Measurements of VLMs on the splits."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import matthews_corrcoef

from oodexp import table
from oodexp.answer.judge import judge
from oodexp.answer.paper import Paper
from oodexp.answer.yes_no import YesNo
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence
from oodexp.metric.binary import METRICS
from oodexp.metric.measure import Binary
from oodexp.record import Answer, Completion, Measurement, Membership, Pair, Question

RIGHT, WRONG, YES, NO = ("yes", "no"), ("no", "yes"), ("yes", "yes"), ("no", "no")
UNREAD = (None, None)


def measure(evidence: Evidence, **options) -> pd.DataFrame:
    return Binary("mine", "theirs", **({"resamples": 200} | options)).measure(evidence)


def row(measured: pd.DataFrame, **where: str):
    """The one row of these keys; headline accuracy of the whole ID split where not said."""
    keys = {
        "source": "pooled", "split": "ID", "contrast": "none", "group": "all",
        "convention": "headline", "metric": "accuracy", "vlm": "m",
    } | where  # fmt: skip
    found = measured[np.logical_and.reduce([measured[k] == v for k, v in keys.items()])]
    assert len(found) == 1, keys
    return next(found.itertuples())


def test_values_are_those_of_the_split(desk):
    for said in (RIGHT, RIGHT, RIGHT, YES):
        desk.add("ID", said)
    for said in (RIGHT, WRONG):
        desk.add("OOD-H", said)
    measured = measure(desk.evidence())
    assert row(measured).value == 7 / 8
    assert row(measured).n == 8
    assert row(measured).n_images == 4
    assert row(measured, metric="precision").value == 4 / 5
    assert row(measured, metric="recall").value == 1
    assert row(measured, metric="f1").value == pytest.approx(8 / 9)
    want = matthews_corrcoef([1, 0] * 4, [1, 0, 1, 0, 1, 0, 1, 1])
    assert row(measured, metric="mcc").value == pytest.approx(want)
    assert row(measured, split="OOD-H").value == 0.5


def test_a_drop_is_id_minus_the_split(desk):
    for said in (RIGHT, RIGHT, RIGHT, YES):
        desk.add("ID", said)
    desk.add("OOD-S", YES)
    desk.add("OOD-H", WRONG)
    measured = measure(desk.evidence())
    for metric in METRICS:
        for split in ("OOD-S", "OOD-H"):
            drop = row(measured, split=split, metric=metric, contrast="ID")
            want = (
                row(measured, metric=metric).value - row(measured, split=split, metric=metric).value
            )
            np.testing.assert_equal(drop.value, want)
            assert drop.n == 2
    assert row(measured, split="OOD-H", contrast="ID").value == 7 / 8
    assert not ((measured["split"] == "ID") & (measured["contrast"] == "ID")).any()


def test_a_drop_is_paired_over_images(desk):
    """ID and OOD-H questions of an image are answered alike: the drop is 0 in every resample."""
    for number in range(30):
        said = RIGHT if number % 3 else WRONG
        desk.add("ID", said, image=f"i{number}", category="dog")
        desk.add("OOD-H", said, image=f"i{number}", category="cat")
    drop = row(measure(desk.evidence()), split="OOD-H", contrast="ID")
    assert (drop.value, drop.lower, drop.upper) == (0, 0, 0)
    assert drop.reason == "no variation between the resamples"


def test_the_three_conventions_differ_in_what_is_unread(desk):
    desk.add("ID", RIGHT)
    desk.add("ID", (None, "no"), paper=("no", "no"))  # a verbose text, a no by the authors' rule
    desk.add("ID", (None, "no"), paper=(None, "no"))  # a failed request
    desk.add("ID", UNREAD, paper=("yes", "no"))
    measured = measure(desk.evidence())
    headline, read, paper = (row(measured, convention=c) for c in ("headline", "read", "paper"))
    assert (headline.value, headline.n, headline.n_unread) == (4 / 8, 8, 4)
    assert (read.value, read.n, read.n_unread) == (1.0, 4, 4)
    # Both questions of the pair with the failed request are left out.
    assert (paper.value, paper.n, paper.n_unread) == (5 / 6, 6, 1)


def test_an_unread_answer_counts_as_the_wrong_one_whatever_the_target(desk):
    desk.add("ID", UNREAD, present=True)
    desk.add("ID", UNREAD, present=False)
    measured = measure(desk.evidence())
    assert row(measured).value == 0
    assert row(measured, metric="recall").value == 0
    assert row(measured, metric="precision").value == 0
    assert row(measured, metric="mcc").value == -1


def test_a_failed_request_of_one_vlm_leaves_another_vlms_answers_alone(desk):
    desk.add("ID", UNREAD, paper=UNREAD, vlm="m", image="a")
    desk.add("ID", RIGHT, vlm="n", image="a")
    measured = measure(desk.evidence())
    failed = row(measured, convention="paper", vlm="m")
    assert math.isnan(failed.value)
    assert (failed.n, failed.reason) == (0, "no data")
    assert row(measured, convention="paper", vlm="n").value == 1


@pytest.mark.parametrize("said", [YES, NO])
def test_a_constant_answer_has_half_the_accuracy_and_an_undefined_mcc(desk, said):
    for _ in range(5):
        desk.add("ID", said)
        desk.add("OOD-H", said)
    measured = measure(desk.evidence())
    assert row(measured).value == 0.5
    for where in ({}, {"split": "OOD-H"}, {"split": "OOD-H", "contrast": "ID"}):
        mcc = row(measured, metric="mcc", **where)
        assert math.isnan(mcc.value)
        assert math.isnan(mcc.lower)
        assert mcc.reason.endswith("answers")


def test_no_value_is_null_without_a_reason(desk):
    desk.add("ID", NO)
    desk.add("OOD-S", YES)
    desk.add("OOD-H", UNREAD)
    measured = measure(desk.evidence())
    holed = measured[measured[["value", "lower", "upper"]].isna().any(axis=1)]
    assert len(holed) > 0
    assert holed["reason"].notna().all()


def test_pairs_that_were_not_drawn_do_not_count(desk):
    desk.add("ID", RIGHT)
    desk.add("ID", WRONG, drawn=False)
    assert row(measure(desk.evidence())).value == 1


def test_absent_pairs_of_the_id_pool_count(desk):
    desk.add("ID", RIGHT)
    desk.add("ID", ("no", "no"), present=False)
    assert row(measure(desk.evidence())).value == 3 / 4


def test_a_group_is_measured_within_its_split(desk):
    for split, planted, said in (
        ("ID", "canonical", RIGHT), ("ID", "canonical", YES), ("ID", "secondary", WRONG),
        ("OOD-H", "secondary", RIGHT), ("OOD-H", "variant: a", WRONG),
        ("OOD-H", "variant: b", YES),
    ):  # fmt: skip
        desk.add(split, said, planted=planted)
    measured = measure(desk.evidence())
    assert row(measured, group="planted: canonical").value == 3 / 4
    assert row(measured, group="planted: secondary").value == 0
    assert row(measured, split="OOD-H", group="planted: variant").value == 1 / 4
    drop = row(measured, split="OOD-H", group="planted: secondary", contrast="ID")
    assert drop.value == -1
    assert set(measured.loc[measured["group"] != "all", "metric"]) == {"accuracy"}


def test_groups_add_up_to_the_split(desk):
    rng = np.random.default_rng(0)
    for n in range(40):
        said = tuple(rng.choice(["yes", "no"], 2))
        desk.add("ID", said, area=float(10 ** rng.uniform(2, 5)), image=f"i{n // 2}",
                 category=f"c{n}")  # fmt: skip
    measured = measure(desk.evidence())
    sizes = measured[measured["group"].str.startswith("size") & (measured["convention"] == "read")]
    assert len(sizes) == 3
    assert sizes["n"].sum() == row(measured).n == 80
    right = (sizes["value"] * sizes["n"]).sum()
    assert right == pytest.approx(row(measured).value * 80)
    counts = measured[measured["group"].str.startswith("count")]
    assert set(counts["group"]) == {"count: 1"}


def test_several_sources_are_measured_alone_and_pooled(desk):
    desk.add("ID", RIGHT, source="a", image="1")
    desk.add("ID", RIGHT, source="a", image="2")
    desk.add("ID", WRONG, source="b", image="1")  # the same image id in another source
    measured = measure(desk.evidence())
    assert row(measured, source="a").value == 1
    assert row(measured, source="b").value == 0
    assert row(measured, source="pooled").value == pytest.approx(2 / 3)
    assert row(measured, source="pooled").n_images == 3


def test_one_source_is_not_told_twice(desk):
    desk.add("ID", RIGHT)
    assert set(measure(desk.evidence())["source"]) == {"pooled"}


def test_the_order_of_answers_does_not_matter(desk):
    rng = np.random.default_rng(1)
    for n in range(30):
        said = tuple(rng.choice(["yes", "no"], 2))
        desk.add(("ID", "OOD-S", "OOD-H")[n % 3], said, image=f"i{n % 11}", category=f"c{n}")
    evidence = desk.evidence()
    turned = replace(
        evidence,
        answers=evidence.answers.sample(frac=1, random_state=0),
        questions=evidence.questions[::-1],
        pairs=evidence.pairs[::-1],
        memberships=evidence.memberships.sample(frac=1, random_state=1),
    )
    pd.testing.assert_frame_equal(measure(evidence), measure(turned))


def test_the_same_seed_gives_the_same_interval_and_another_seed_another(desk):
    rng = np.random.default_rng(1)
    for n in range(60):
        desk.add("ID", tuple(rng.choice(["yes", "no"], 2)), image=f"i{n % 17}", category=f"c{n}")
    evidence = desk.evidence()
    pd.testing.assert_frame_equal(measure(evidence, seed=1), measure(evidence, seed=1))
    one, two = (row(measure(evidence, seed=s)) for s in (1, 2))
    assert (one.lower, one.upper) != (two.lower, two.upper)
    assert one.value == two.value
    assert one.lower < one.value < one.upper


def test_another_vlm_changes_neither_value_nor_interval(desk):
    rng = np.random.default_rng(1)
    for n in range(20):
        desk.add("ID", tuple(rng.choice(["yes", "no"], 2)), image=f"i{n}", vlm="m")
    alone = measure(desk.evidence())
    for n in range(20):
        desk.add("ID", RIGHT, image=f"i{n}", vlm="n")
    among = measure(desk.evidence())
    pd.testing.assert_frame_equal(
        alone, among[among["vlm"] == "m"].reset_index(drop=True), check_dtype=False
    )


def test_predictions_of_ranks_in_any_order_are_joined_by_question(shared):
    case = shared / "cases/g29-rank-order"
    expected = json.loads((case / "expected.json").read_text())
    labels = json.loads((case / "labels.json").read_text())
    words = {1: "yes", 0: "no"}
    ranks = [
        [json.loads(line) for line in (case / f"rank{rank}.jsonl").read_text().splitlines()]
        for rank in range(3)
    ]
    said = [*ranks[1], *ranks[2], *ranks[0]]
    pairs = [Pair("s", str(i), "dog", 1, None, None, None) for i in range(len(labels))]
    members = [Membership("s", p.image_id, "dog", True, "ID", 0, 2, True, None) for p in pairs]
    questions = [
        Question(str(i), "s", str(i), "dog", "existence", "present", "?", words[label])
        for i, label in enumerate(labels)
    ]
    completions = table.frame(
        Completion,
        [Completion("m", str(r["id"]), words[r["pred"]], "ok", None, 1, None) for r in said],
    )
    asked = table.frame(Question, questions)
    evidence = Evidence(
        table.frame(Pair, pairs), table.frame(Membership, members), asked,
        judge(completions, asked, {"mine": YesNo(), "theirs": Paper()}), completions,
    )  # fmt: skip
    assert row(measure(evidence)).value == expected["joined_by_id_accuracy"]
    positions = zip([r for rank in ranks for r in rank], labels, strict=True)
    assert np.mean([r["pred"] == label for r, label in positions]) == expected["never_by_position"]


def test_refusals_and_silence_count_as_wrong_in_the_headline_only(shared):
    case = shared / "cases/g18-refusal-empty"
    expected = json.loads((case / "expected.json").read_text())
    rows = [json.loads(line) for line in (case / "replies.jsonl").read_text().splitlines()]
    ids = [str(r["id"]) for r in rows]
    present = [r["label"] == "yes" for r in rows]
    asked = table.frame(
        Question,
        [
            Question(i, "s", i, "dog", "existence", "present", "?", r["label"])
            for i, r in zip(ids, rows, strict=True)
        ],
    )
    replies = [
        Completion("m", i, r["reply"], "ok", None, 1, None) for i, r in zip(ids, rows, strict=True)
    ]
    answers = judge(table.frame(Completion, replies), asked, {"mine": YesNo(), "theirs": Paper()})
    evidence = Evidence(
        table.frame(Pair, [Pair("s", i, "dog", 1, None, None, None) for i in ids]),
        table.frame(
            Membership,
            [
                Membership("s", i, "dog", p, "ID", 0, 2, True, None)
                for i, p in zip(ids, present, strict=True)
            ],
        ),
        asked, answers, table.frame(Completion, replies),
    )  # fmt: skip
    measured = measure(evidence)
    headline, read = row(measured), row(measured, convention="read")
    assert headline.value == expected["accuracy_over_all"]
    assert read.value == pytest.approx(expected["accuracy_over_answered"], abs=1e-6)
    assert read.n / headline.n == pytest.approx(expected["answer_rate"])
    mine = answers[answers["reader"] == "mine"].set_index("question_id")
    assert mine.index[mine["status"] == "refused"].tolist() == [str(n) for n in expected["refused"]]
    assert mine.index[mine["status"] == "empty"].tolist() == [str(n) for n in expected["empty"]]
    assert mine["correct"].sum() == expected["correct"]


def test_no_answers_give_no_measurements(desk):
    desk.add("ID", RIGHT)
    evidence = replace(desk.evidence(), answers=table.frame(Answer))
    assert len(measure(evidence)) == 0


def test_a_reader_that_gave_no_answers_is_refused_by_name(desk):
    desk.add("ID", RIGHT)
    with pytest.raises(OodexpError, match=r"metric\.headline=mien: no such reader.*mine, theirs"):
        Binary("mien", "theirs").measure(desk.evidence())
    with pytest.raises(OodexpError, match=r"metric\.paper=thiers"):
        Binary("mine", "thiers").measure(desk.evidence())


@pytest.mark.parametrize("option", [{"resamples": 99}, {"resamples": 0}, {"seed": -1}])
def test_a_number_out_of_range_is_refused_at_once(option):
    ((name, value),) = option.items()
    with pytest.raises(OodexpError, match=f"metric.{name}={value}: expected"):
        Binary("mine", "theirs", **option)


def test_the_table_fits_its_record(desk):
    desk.add("ID", RIGHT)
    desk.add("OOD-H", WRONG)
    measured = measure(desk.evidence())
    pd.testing.assert_frame_equal(measured, table.check(Measurement, measured))


def test_another_kind_is_compared_with_plain_existence_on_the_same_pairs(desk):
    for image in ("a", "b", "c"):
        desk.add("ID", WRONG if image == "a" else RIGHT, image=image)
    plain = desk.evidence()
    twin = plain.questions.assign(
        question_id="cot/" + plain.questions["question_id"], kind="existence_cot"
    )
    better = plain.answers.assign(
        question_id="cot/" + plain.answers["question_id"], reading=None, correct=True
    )
    target = twin.set_index("question_id")["target"]
    better["reading"] = better["question_id"].map(target)
    both = replace(
        plain,
        questions=pd.concat([plain.questions, twin], ignore_index=True),
        answers=pd.concat([plain.answers, better], ignore_index=True),
    )
    measured = measure(both)
    assert row(measured, kind="existence").value == pytest.approx(2 / 3)
    assert row(measured, kind="existence_cot").value == 1
    gain = row(measured, kind="existence_cot", contrast="existence")
    assert gain.value == pytest.approx(1 / 3)
    assert gain.lower >= 0  # paired: no resample makes the better one worse
