"""Answers of several runs lined up: what is common, and counts against a plain loop."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.recipe.lineup import Line, common, counted, kinds, load, models

YES_NO = ("yes", "no")


def asked(rows):
    names = [
        "vlm", "question_id", "correct", "kind", "prompt", "target", "sha256", "split", "source",
        "image_id",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=names)


def row(n, vlm="v", correct=True, kind="existence", prompt="p", target="yes", sha="a", split="ID"):
    return vlm, f"q{n}", correct, kind, prompt, target, sha, split, "coco", str(n // 2)


def line(label, rows):
    return Line(label, pd.DataFrame(), asked(rows))


def test_only_the_same_questions_are_common_and_each_difference_is_counted():
    first = line("A", [row(n) for n in range(8)])
    second = line(
        "B",
        [row(1, prompt="other"), row(2, target="no"), row(3, sha="b"), row(4, split="OOD-H"),
         row(5), row(6), row(9)],
    )  # fmt: skip
    ids, told = common([first, second], "existence")
    assert list(ids) == ["q5", "q6"]
    assert told == {
        "questions about drawn pairs": [8, 7],
        "asked in every run": [6, 6],
        "left without another prompt": [5, 5],
        "left without another right answer": [4, 4],
        "left without other image bytes": [3, 3],
        "left without another split": [2, 2],
    }


def test_a_question_that_a_model_of_the_run_was_not_asked_is_not_common():
    both = line("A", [row(0), row(1), row(0, vlm="w")])
    ids, told = common([both, line("B", [row(0), row(1)])], "existence")
    assert (list(ids), told["questions about drawn pairs"]) == (["q0"], [1, 2])


def test_a_model_is_named_by_its_run_only_where_several_runs_have_it():
    first = line("A", [row(0), row(0, vlm="w")])
    second = line("B", [row(0)])
    assert [m.name for m in models([first, second])] == ["v A", "w", "v B"]


def test_kinds_that_not_all_runs_asked_are_left_and_none_at_all_is_named():
    first = line("A", [row(0), row(1, kind="counting")])
    assert kinds([first, line("B", [row(0)])], ["1", "2"]) == ["existence"]
    with pytest.raises(OodexpError, match=r"1 asked \['existence', 'counting'\]; 2 asked \['logic"):
        kinds([first, line("B", [row(0, kind="logic")])], ["1", "2"])


def test_counts_are_those_of_a_loop():
    rng = np.random.default_rng(3)
    lines = [
        line(label, [
            row(n, vlm, bool(rng.integers(2)), target=YES_NO[n % 2], split=record.SPLITS[n % 3])
            for vlm, n in itertools.product(vlms, range(start, 24))
        ])
        for label, vlms, start in (("A", ("v", "w"), 0), ("B", ("v",), 6))
    ]  # fmt: skip
    chosen = models(lines)
    ids = pd.Index([f"q{n}" for n in range(6, 20)])
    counts = counted(lines, chosen, "existence", ids)
    assert counts.shape == (12, 3, 3, 4)
    expected = np.zeros((3, 3, 4), dtype=int)
    for number, model in enumerate(chosen):
        for r in lines[model.line].asked.itertuples():
            if r.vlm == model.vlm and r.question_id in ids:
                cell = {("yes", True): 0, ("no", False): 1, ("yes", False): 2, ("no", True): 3}
                split = record.SPLITS.index(r.split)
                expected[number, split, cell[r.target, r.correct]] += 1
    assert (counts.sum(axis=0) == expected).all()
    assert counts.sum() == 3 * 14
    assert counted(lines, chosen, "existence").sum() == 24 + 24 + 18


class Kept:
    """A past run of given tables."""

    run_id, name, config = "7", "main-1", {"answer": {"reader": "yes_no"}}

    def __init__(self, **tables):
        self._tables = tables

    def table(self, name, kind):
        return table.frame(kind, self._tables[name])


def made(drawn=True):
    question = record.Question(
        "q0", "coco", "1", "chair", "existence", "present", "p", "yes", split=None
    )
    member = record.Membership("coco", "1", "chair", True, "OOD-H", 2, 2, drawn, None)
    answers = [
        record.Answer("v", reader, "q0", "no", "read", None, False)
        for reader in ("yes_no", "paper")
    ]
    image = record.Image("coco", "1", "1.jpg", None, None, None, 1)
    return Kept(questions=[question], memberships=[member], answers=answers, images=[image])


def test_the_headline_reader_and_the_split_of_the_pair_count():
    loaded = load(made(), "A")
    (only,) = loaded.asked.to_dict("records")
    assert (only["split"], only["correct"], only["sha256"]) == ("OOD-H", False, "")
    assert loaded.vlms == ["v"]


def test_a_run_without_answers_about_drawn_pairs_is_named():
    with pytest.raises(OodexpError, match=r"run=7 \(main-1\): no answer about a drawn pair"):
        load(made(drawn=False), "A")
