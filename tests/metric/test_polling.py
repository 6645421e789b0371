"""Missing and inventing by split and strategy, beside a loop over the answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from oodexp import table
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence
from oodexp.metric.polling import Polling
from oodexp.record import (
    SPLITS,
    Answer,
    Completion,
    Measurement,
    Membership,
    Pair,
    Question,
)

STRATEGIES = ("random", "popular", "adversarial")
POLARITIES = ("present", "absent")


class Poll:
    """Collects categories asked both ways, with what the VLM read as."""

    def __init__(self):
        self.questions, self.answers = [], []

    def add(self, split, strategy, said, *, image=None, vlm="m", source="s", category=None):
        """Adds the two questions of a category; `said` by polarity, None is unread."""
        number = len(self.answers)
        key = source, image or f"i{number}", category or f"c{number}"
        for polarity, word in zip(POLARITIES, said, strict=True):
            name = "/".join((*key, split, strategy, polarity))
            target = "yes" if (strategy == "present") == (polarity == "present") else "no"
            if name not in {q.question_id for q in self.questions}:
                self.questions.append(
                    Question(name, *key, "polling", polarity, "?", target, None, split, strategy)
                )
            status = "read" if word else "unknown"
            self.answers.append(Answer(vlm, "mine", name, word, status, None, word == target))

    def evidence(self):
        return Evidence(
            table.frame(Pair), table.frame(Membership), table.frame(Question, self.questions),
            table.frame(Answer, self.answers[::-1]), table.frame(Completion),
        )  # fmt: skip


THERE, GONE, YES, UNREAD = ("yes", "no"), ("no", "yes"), ("yes", "yes"), (None, None)
"""Presence asserted twice, absence asserted twice, yes to both, and nothing."""


@pytest.fixture
def poll():
    return Poll()


def measure(evidence, **options):
    return Polling("mine", **({"resamples": 200} | options)).measure(evidence)


def row(measured, metric, group="random", **where):
    keys = {
        "source": "pooled", "split": "ID", "contrast": "none", "convention": "headline",
        "vlm": "m", "kind": "polling", "metric": metric, "group": f"strategy: {group}",
    } | where  # fmt: skip
    found = measured[np.logical_and.reduce([measured[k] == v for k, v in keys.items()])]
    assert len(found) == 1, keys
    return next(found.itertuples())


def noise(poll, seed=0, vlms=("m", "n"), sources=("s", "t"), count=200):
    rng = np.random.default_rng(seed)
    for number in range(count):
        split, strategy = SPLITS[rng.integers(3)], ("present", *STRATEGIES)[rng.integers(4)]
        image, source = f"i{rng.integers(20)}", sources[rng.integers(len(sources))]
        for vlm in vlms:
            said = [[None, "yes", "no"][n] for n in rng.choice(3, 2, p=[0.1, 0.5, 0.4])]
            poll.add(split, strategy, said, image=image, source=source, vlm=vlm,
                     category=f"c{number}")  # fmt: skip


def wrong_share(poll, *, source, split, strategy, vlm, polarities, read):
    asked = {q.question_id: q for q in poll.questions}
    wrong = total = 0
    for answer in poll.answers:
        q = asked[answer.question_id]
        if (q.split, q.strategy, answer.vlm) != (split, strategy, vlm):
            continue
        if q.polarity not in polarities or source not in ("pooled", q.source):
            continue
        if read and answer.reading is None:
            continue
        total += 1
        wrong += answer.reading != q.target
    return wrong / total, total


@pytest.mark.parametrize("convention", ["headline", "read"])
@pytest.mark.parametrize(
    ("suffix", "polarities"), [("", POLARITIES), (", as POPE asks", ["present"])]
)
def test_rates_are_those_of_a_loop_over_the_answers(poll, convention, suffix, polarities):
    noise(poll)
    measured = measure(poll.evidence())
    for source in ("pooled", "s", "t"):
        for split in SPLITS:
            for vlm in ("m", "n"):
                where = {"source": source, "split": split, "vlm": vlm}
                of = where | {"polarities": polarities, "read": convention == "read"}
                miss, n = wrong_share(poll, strategy="present", **of)
                where |= {"convention": convention}
                found = row(measured, "miss_rate", f"present{suffix}", **where)
                assert (found.value, found.n) == (pytest.approx(miss), n)
                for strategy in STRATEGIES:
                    invented, m = wrong_share(poll, strategy=strategy, **of)
                    group = strategy + suffix
                    found = row(measured, "invention_rate", group, **where)
                    assert (found.value, found.n) == (pytest.approx(invented), m)
                    found = row(measured, "accuracy", group, **where)
                    assert found.value == pytest.approx(1 - (miss + invented) / 2)
                    assert found.n == n + m


def test_a_drop_is_the_sum_of_missing_more_and_inventing_more(poll):
    noise(poll, count=400)
    measured = measure(poll.evidence())
    for split in SPLITS[1:]:
        for strategy in STRATEGIES:
            where = {"split": split, "contrast": "ID"}
            drop, missing, inventing = (
                row(measured, name, strategy, **where).value
                for name in ("accuracy", "drop_by_missing", "drop_by_inventing")
            )
            assert missing + inventing == pytest.approx(drop)
            values = {
                (name, s): row(measured, name, strategy, split=s).value
                for name in ("accuracy", "miss_rate", "invention_rate")
                for s in ("ID", split)
            }
            assert drop == pytest.approx(values["accuracy", "ID"] - values["accuracy", split])
            more = values["miss_rate", split] - values["miss_rate", "ID"]
            assert missing == pytest.approx(more / 2)
            more = values["invention_rate", split] - values["invention_rate", "ID"]
            assert inventing == pytest.approx(more / 2)


def test_the_share_of_missing_is_told_where_there_is_a_drop(poll):
    for _ in range(20):
        for split, lost, gained in (("ID", THERE, GONE), ("OOD-H", GONE, GONE)):
            poll.add(split, "present", lost)
            poll.add(split, "random", gained)
    for n in range(20):
        poll.add("OOD-S", "present", THERE if n else GONE)
        poll.add("OOD-S", "random", GONE)
    measured = measure(poll.evidence())
    share = row(measured, "missing_share", split="OOD-H", contrast="ID")
    assert (share.value, share.lower, share.upper) == (1, 1, 1)
    small = row(measured, "missing_share", split="OOD-S", contrast="ID")
    assert np.isnan([small.value, small.lower, small.upper]).all()
    assert small.reason == "the interval of the drop contains 0"
    assert row(measured, "drop_by_missing", split="OOD-S", contrast="ID").value == 1 / 40


def test_a_gain_has_no_share_of_missing(poll):
    for _ in range(20):
        poll.add("ID", "present", GONE)
        poll.add("OOD-H", "present", THERE)
        for split in ("ID", "OOD-H"):
            poll.add(split, "random", GONE)
    share = row(measure(poll.evidence()), "missing_share", split="OOD-H", contrast="ID")
    assert np.isnan(share.value)
    assert share.reason == "no drop: accuracy is higher than on ID"


def test_yes_to_everything_is_half_missed_and_half_invented_asked_both_ways(poll):
    for split in ("ID", "OOD-H"):
        for _ in range(4):
            poll.add(split, "present", YES)
            poll.add(split, "random", YES)
    measured = measure(poll.evidence())
    want = {"miss_rate": 0.5, "invention_rate": 0.5, "accuracy": 0.5, "yes_ratio": 0.5}
    assert {name: row(measured, name).value for name in want} == want
    want = {"miss_rate": 0, "invention_rate": 1, "accuracy": 0.5, "yes_ratio": 1, "recall": 1}
    found = {name: row(measured, name, "random, as POPE asks").value for name in want}
    assert found == want
    share = row(measured, "missing_share", split="OOD-H", contrast="ID")
    assert share.reason == "the interval of the drop contains 0"


def test_an_unread_answer_is_wrong_in_the_headline_and_left_out_of_read(poll):
    poll.add("ID", "present", THERE)
    poll.add("ID", "present", UNREAD)
    poll.add("ID", "random", (None, "yes"))
    measured = measure(poll.evidence())
    miss, invented = row(measured, "miss_rate", "present"), row(measured, "invention_rate")
    assert (miss.value, miss.n, miss.n_unread) == (0.5, 4, 2)
    assert (invented.value, invented.n, invented.n_unread) == (0.5, 2, 1)
    whole = row(measured, "accuracy")
    assert (whole.n, whole.n_unread, whole.n_images) == (6, 3, 3)
    read = [row(measured, m, convention="read") for m in ("miss_rate", "invention_rate")]
    assert [(r.value, r.n) for r in read] == [(0, 2), (0, 1)]


def test_what_was_not_asked_is_undefined_with_its_reason(poll):
    poll.add("ID", "present", THERE)
    poll.add("ID", "random", GONE)
    poll.add("OOD-H", "present", GONE)  # an image without an absent category
    measured = measure(poll.evidence())
    found = row(measured, "accuracy", split="OOD-H")
    assert np.isnan(found.value)
    assert found.reason == "no answers about absent categories"
    assert row(measured, "miss_rate", split="OOD-H").value == 1
    assert row(measured, "drop_by_missing", split="OOD-H", contrast="ID").value == 0.5
    drop = row(measured, "accuracy", split="OOD-H", contrast="ID")
    assert drop.reason == "no answers about absent categories"
    holed = measured[measured[["value", "lower", "upper"]].isna().any(axis=1)]
    assert holed["reason"].notna().all()


def test_a_drop_is_paired_over_images(poll):
    for number in range(30):
        for split in ("ID", "OOD-H"):
            said = THERE if number % 3 else GONE
            poll.add(split, "present", said, image=f"i{number}")
            poll.add(split, "random", said, image=f"i{number}")
    drop = row(measure(poll.evidence()), "accuracy", split="OOD-H", contrast="ID")
    assert (drop.value, drop.lower, drop.upper) == (0, 0, 0)


def test_the_interval_is_that_of_images_drawn_again(poll):
    """Beside a bootstrap that draws images one by one: the same width but for its noise."""
    noise(poll, vlms=("m",), sources=("s",), count=400)
    evidence = poll.evidence()
    found = row(measure(evidence, resamples=4000), "miss_rate", "present")
    rows = evidence.questions.merge(evidence.answers, on="question_id")
    images = sorted(rows["image_id"].unique())
    mine = rows[(rows["split"] == "ID") & (rows["strategy"] == "present")]
    wrong = {i: (~g["correct"]).tolist() for i, g in mine.groupby("image_id")}
    rng = np.random.default_rng(9)
    slow = []
    for _ in range(4000):
        drawn = [w for i in rng.choice(images, len(images)) for w in wrong.get(i, [])]
        slow.append(np.mean(drawn))
    assert found.lower == pytest.approx(np.percentile(slow, 2.5), abs=0.02)
    assert found.upper == pytest.approx(np.percentile(slow, 97.5), abs=0.02)


def test_another_vlm_changes_neither_value_nor_interval(poll):
    noise(poll, vlms=("m",))
    alone = measure(poll.evidence())
    other = Poll()
    noise(other, vlms=("m",))
    for question in list(other.questions):
        other.answers.append(Answer("n", "mine", question.question_id, "yes", "read", None, True))
    among = measure(other.evidence())
    pd.testing.assert_frame_equal(
        alone, among[among["vlm"] == "m"].reset_index(drop=True), check_dtype=False
    )


def test_the_order_of_the_tables_does_not_matter(poll):
    noise(poll)
    evidence = poll.evidence()
    turned = replace(
        evidence, answers=evidence.answers.sample(frac=1, random_state=0),
        questions=evidence.questions[::-1],
    )  # fmt: skip
    pd.testing.assert_frame_equal(measure(evidence), measure(turned))


def test_other_kinds_of_questions_do_not_count(poll):
    noise(poll)
    evidence = poll.evidence()
    other = Question("x", "s", "i0", "dog", "existence", "present", "?", "yes")
    more = replace(
        evidence,
        questions=table.concat(Question, [evidence.questions, table.frame(Question, [other])]),
        answers=table.concat(
            Answer,
            [evidence.answers,
             table.frame(Answer, [Answer("m", "mine", "x", "no", "read", None, False)])],
        ),
    )  # fmt: skip
    pd.testing.assert_frame_equal(measure(evidence), measure(more))


def test_one_source_is_not_told_twice(poll):
    noise(poll, sources=("s",))
    assert set(measure(poll.evidence())["source"]) == {"pooled"}


def test_the_table_fits_its_record_and_is_empty_without_answers(poll):
    noise(poll)
    measured = measure(poll.evidence())
    pd.testing.assert_frame_equal(measured, table.check(Measurement, measured))
    assert len(measure(replace(poll.evidence(), answers=table.frame(Answer)))) == 0


def test_a_reader_that_gave_no_answers_is_refused_by_name(poll):
    noise(poll)
    with pytest.raises(OodexpError, match=r"metric\.headline=mien: no such reader.*mine"):
        Polling("mien").measure(poll.evidence())


@pytest.mark.parametrize("option", [{"resamples": 99}, {"seed": -1}])
def test_a_number_out_of_range_is_refused_at_once(option):
    ((name, value),) = option.items()
    with pytest.raises(OodexpError, match=f"metric.{name}={value}"):
        Polling("mine", **option)
