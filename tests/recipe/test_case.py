"""Tables of a run as the arrays of the evidence, against what is written by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from oodexp.metric.binary import FN, FP, TN, TP
from oodexp.recipe.case import assemble

ROWS = [  # source, image, category, split, drawn, mean S
    ("s", "a", "cup", "ID", True, 0.8),
    ("s", "a", "dog", "OOD-H", True, 0.1),
    ("s", "b", "cup", None, False, None),
    ("s", "b", "dog", "OOD-S", False, 0.4),
    ("t", "a", "cup", "OOD-S", True, 0.3),
]


def made():
    members = pd.DataFrame(
        [(*r[:3], r[3], r[4], True) for r in ROWS],
        columns=["source", "image_id", "category", "split", "drawn", "present"],
    )
    signals = pd.DataFrame(
        [
            (n, *r[:3], r[5] + d)
            for r in ROWS if r[5] is not None
            for n, d in (("x", -0.05), ("y", 0.05))
        ],
        columns=["scorer", "source", "image_id", "category", "score"],
    )  # fmt: skip
    asked = [r for r in ROWS if r[0] == "s" and r[3]]
    questions = pd.DataFrame(
        [
            (f"{r[1]}/{r[2]}/{p}", "s", r[1], r[2], "existence", "yes" if p == "present" else "no")
            for r in asked for p in ("present", "absent")
        ],
        columns=["question_id", "source", "image_id", "category", "kind", "target"],
    )  # fmt: skip
    reading = {"v": ["yes", "yes", None, "no", "no", "no"], "w": ["yes", "no"] * 3}
    answers = pd.concat(
        questions[["question_id"]].assign(
            vlm=v, reader="yes_no", reading=said, correct=np.array(said) == questions["target"]
        ) for v, said in reading.items()
    )  # fmt: skip
    yes = [0.9, 0.6, 0.5, 0.2, 0.3, 0.4]
    completions = pd.concat(
        [
            questions[["question_id"]].assign(vlm="v", yes_probability=yes),
            questions[["question_id"]].assign(vlm="w", yes_probability=np.nan),
        ]
    )
    tables = {
        "memberships": members, "signals": signals, "questions": questions, "answers": answers,
        "completions": completions.sample(frac=1, random_state=0),
    }  # fmt: skip
    return SimpleNamespace(tables=tables)


def world(name, images):
    rows = pd.DataFrame({"source": name, "image_id": images, "file": [f"{i}.png" for i in images]})
    return SimpleNamespace(source=SimpleNamespace(name=name), images=rows)


def case():
    parts = SimpleNamespace(
        sources={"s": None}, train={"t": None}, corpora={}, extractor=None, reader="yes_no",
        readers={},
    )  # fmt: skip
    return assemble(made(), parts, [world("s", ["b", "a", "c"]), world("t", ["a"])])


def test_pairs_in_no_split_are_left_out_and_codes_are_those_of_both_sides():
    found = case()
    assert found.test.keys == ["b", "a", "c"]
    np.testing.assert_array_equal(found.test.image, [1, 1, 0])
    np.testing.assert_array_equal(found.test.split, [0, 2, 1])
    np.testing.assert_array_equal(found.test.drawn, [True, True, False])
    assert [found.test.categories[c] for c in found.test.category] == ["cup", "dog", "dog"]
    assert found.train.categories == found.test.categories
    np.testing.assert_array_equal(found.train.split, [1])
    np.testing.assert_allclose(found.test.score, [0.8, 0.1, 0.4])


def test_answers_are_counted_by_pair_and_an_unread_one_is_wrong():
    answers = case().answers
    assert answers.vlms == ["v", "w"]
    v = answers.counts[0]
    assert v[0, TP] == 1  # yes to present
    assert v[0, FP] == 1  # yes to its negation
    assert v[1, FN] == 1  # unread
    assert v[1, TN] == 1
    assert v.sum() == 6
    np.testing.assert_array_equal(answers.unread, [[0, 1, 0], [0, 0, 0]])


def test_probabilities_are_those_of_the_right_answer_and_unknown_where_not_measured():
    answers = case().answers
    np.testing.assert_allclose(
        answers.probability[0], [(0.9 + 0.4) / 2, (0.5 + 0.8) / 2, (0.3 + 0.6) / 2]
    )
    assert np.isnan(answers.probability[1]).all()


def test_counts_by_image_hold_drawn_pairs_alone():
    found = case()
    counts = found.by_image()
    assert counts.shape == (3, 2, 3, 4)
    assert counts.sum() == 2 * 4
    assert counts[0].sum() == 0  # its pair was not drawn
