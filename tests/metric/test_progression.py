"""E-Acc, C-Acc and L-Acc from tables, against a loop over dictionaries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from oodexp import table
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence
from oodexp.metric.progression import Progression
from oodexp.question.base import Known
from oodexp.question.progression import Progression as Ask
from oodexp.record import Answer, Completion, Measurement, Membership, Pair

WORDS = {"present": "{}?", "absent": "no {}?", "count": "how many {}?", "compare": "{} > {}?"}
SPLITS = ("ID", "OOD-S", "OOD-H")


def known(images: int = 24, seed: int = 0) -> Known:
    """Two pairs of one split an image, in two sources."""
    rng = np.random.default_rng(seed)
    members, pairs = [], []
    for n in range(images):
        for category in ("cat", "dog"):
            key = f"s{n % 2}", str(n), category
            members.append(Membership(*key, True, SPLITS[n % 3], 0, 2, True, None))
            pairs.append(Pair(*key, int(rng.integers(1, 4)), None, None, None))
    return Known(table.frame(Membership, members), table.frame(Pair, pairs), [])


def evidence(about: Known, seed: int = 1, unread: float = 0.1) -> Evidence:
    rng = np.random.default_rng(seed)
    questions = Ask(WORDS).ask(about)
    answers = []
    for vlm in ("m", "n"):
        for q in questions.itertuples():
            right, lost = bool(rng.random() < 0.7), bool(rng.random() < unread)
            wrong = {"yes": "no", "no": "yes"}.get(q.target, "9")
            reading = None if lost else q.target if right else wrong
            status = "read" if reading else "unknown"
            for reader in ("mine", "theirs"):
                answers.append(
                    Answer(vlm, reader, q.question_id, reading, status, None, reading == q.target)
                )
    answered = table.frame(Answer, answers).sample(frac=1, random_state=3, ignore_index=True)
    completions = table.frame(Completion)
    return Evidence(about.pairs, about.memberships, questions, answered, completions)


def measure(made: Evidence, **options) -> pd.DataFrame:
    return Progression("mine", "theirs", **({"resamples": 100} | options)).measure(made)


def value(measured: pd.DataFrame, **where: str):
    keys = {"vlm": "m", "source": "pooled", "split": "ID", "contrast": "none",
            "convention": "headline"} | where  # fmt: skip
    found = measured[np.logical_and.reduce([measured[k] == v for k, v in keys.items()])]
    assert len(found) == 1, keys
    return next(found.itertuples())


def slow(made: Evidence, vlm: str, split: str) -> dict[str, list[bool]]:
    asked = made.questions[made.questions["split"] == split]
    mine = made.answers[(made.answers["vlm"] == vlm) & (made.answers["reader"] == "mine")]
    correct = dict(zip(mine["question_id"], mine["correct"], strict=True))
    points: dict[str, list[bool]] = {"e_acc": [], "c_acc": [], "l_acc": []}
    for _, of_image in asked.groupby(["source", "image_id"]):
        right = {
            (q.category, q.polarity): bool(correct[q.question_id]) for q in of_image.itertuples()
        }
        logic = of_image[of_image["polarity"] == "compare"].iloc[0]
        both = []
        for category in (logic["category"], logic["other"]):
            there = right[category, "present"] and right[category, "absent"]
            points["e_acc"].append(there)
            both.append(there and right[category, "count"])
        points["c_acc"] += both
        points["l_acc"].append(all(both) and right[logic["category"], "compare"])
    return points


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("vlm", ["m", "n"])
def test_values_are_those_of_a_slow_loop(vlm, split):
    made = evidence(known())
    measured = measure(made)
    for metric, points in slow(made, vlm, split).items():
        found = value(measured, vlm=vlm, split=split, metric=metric)
        assert found.value == pytest.approx(np.mean(points))
        assert found.n == len(points)
        assert found.lower <= found.value <= found.upper
        assert found.n_images == 8


def test_a_drop_is_id_minus_the_split():
    measured = measure(evidence(known()))
    for metric in ("e_acc", "c_acc", "l_acc"):
        drop = value(measured, split="OOD-H", contrast="ID", metric=metric).value
        own = value(measured, split="OOD-H", metric=metric).value
        assert drop == pytest.approx(value(measured, metric=metric).value - own)


def test_unread_answers_are_counted_at_their_level_and_are_wrong():
    made = evidence(known(), unread=1.0)
    measured = measure(made)
    for metric, asked in {"e_acc": 4, "c_acc": 2, "l_acc": 1}.items():
        found = value(measured, metric=metric)
        assert (found.value, found.n_unread) == (0, asked * 8)


@pytest.mark.parametrize(("level", "polarity"), [("l_acc", "compare"), ("c_acc", "count")])
def test_a_question_without_an_answer_is_unread_and_wrong(level, polarity):
    made = evidence(known(), unread=0)
    gone = made.questions.loc[made.questions["polarity"] == polarity, "question_id"]
    left = made.answers[~made.answers["question_id"].isin(gone)]
    found = value(measure(replace(made, answers=left)), metric=level)
    assert (found.value, found.n_unread) == (0, found.n)


def test_where_chains_break_adds_up_to_all_images():
    measured = measure(evidence(known()))
    names = ("break_existence", "break_counting", "break_logic", "complete")
    assert sum(value(measured, metric=m).value for m in names) == pytest.approx(1)
    assert value(measured, metric="complete").value == value(measured, metric="l_acc").value


def test_the_best_constant_answer_stands_beside_each_number():
    made = evidence(known())
    measured = measure(made)
    asked = made.questions[made.questions["split"] == "ID"]
    counts = asked.loc[asked["polarity"] == "count", "target"].value_counts(normalize=True)
    logic = asked.loc[asked["polarity"] == "compare", "target"].value_counts(normalize=True)
    want = {"e_acc": 0, "c_acc": counts.max(), "l_acc": logic.max()}
    for metric, share in want.items():
        assert value(measured, metric=metric, convention="constant").value == pytest.approx(share)


def test_sources_stand_beside_what_is_pooled():
    measured = measure(evidence(known()))
    parts = [value(measured, source=s, metric="l_acc") for s in ("s0", "s1")]
    whole = value(measured, metric="l_acc")
    assert sum(p.n for p in parts) == whole.n
    assert sum(p.n * p.value for p in parts) == pytest.approx(whole.n * whole.value)


def test_the_table_is_that_of_measurements_and_the_same_again():
    made = evidence(known())
    measured = measure(made)
    pd.testing.assert_frame_equal(measured, table.check(Measurement, measured))
    pd.testing.assert_frame_equal(measured, measure(made))


def test_no_sample_gives_no_measurement():
    nothing = known(0)
    assert len(measure(evidence(nothing))) == 0


def test_a_reader_without_answers_is_named():
    with pytest.raises(OodexpError, match=r"metric\.headline=mien.*mine, theirs"):
        Progression("mien", "theirs").measure(evidence(known()))
