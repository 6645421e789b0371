"""BAP's samples and questions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.base import Known
from oodexp.question.existence import Existence
from oodexp.question.progression import Progression
from oodexp.record import Membership, Pair
from oodexp.source.coco import Coco

WORDS = {"present": "{}?", "absent": "no {}?", "count": "how many {}?", "compare": "{} > {}?"}
SPLITS = ("ID", "OOD-S", "OOD-H")

Cell = tuple[str, str, str, int | None]
"""Image, category, split, count."""


def known(cells: list[Cell], drawn: bool = True) -> Known:
    members = [Membership("s", i, c, True, s, 0, 2, drawn, None) for i, c, s, _ in cells]
    pairs = [Pair("s", i, c, n, None if n else "crowd", None, None) for i, c, _, n in cells]
    return Known(table.frame(Membership, members), table.frame(Pair, pairs), [])


def ask(cells: list[Cell], **options):
    return Progression(WORDS, **options).ask(known(cells))


def worlds(seed: int, images: int = 60) -> list[Cell]:
    rng = np.random.default_rng(seed)
    return [
        (
            str(i),
            c,
            SPLITS[rng.integers(3)],
            int(rng.integers(1, 4)) if rng.random() < 0.9 else None,
        )
        for i in range(images)
        for c in "abcdef"[: rng.integers(1, 7)]
    ]


def test_a_sample_has_seven_questions_with_their_targets():
    found = ask([("1", "cat", "ID", 3), ("1", "dog", "ID", 1)])
    assert len(found) == 7
    by = {(q.category, q.polarity): q for q in found.itertuples()}
    for category, number in (("cat", "3"), ("dog", "1")):
        assert by[category, "present"].target == "yes"
        assert by[category, "absent"].target == "no"
        assert by[category, "count"].target == number
        assert by[category, "count"].prompt == f"how many {category}?"
    (logic,) = found[found["polarity"] == "compare"].itertuples()
    assert {logic.category, logic.other} == {"cat", "dog"}
    assert logic.prompt == f"{logic.category} > {logic.other}?"
    assert logic.target == ("yes" if logic.category == "cat" else "no")
    assert set(found["split"]) == {"ID"}


def test_existence_is_asked_in_the_words_of_the_main_line(request):
    folder = request.config.rootpath / "conf/question"
    mine, main = (
        OmegaConf.to_container(OmegaConf.load(folder / f"{name}.yaml"))
        for name in ("progression", "existence")
    )
    about = known([("1", "cat", "ID", 3), ("1", "dog", "ID", 1)])
    mine.pop("_target_"), main.pop("_target_")
    wanted = set(Existence(**main).ask(about)["prompt"])
    found = Progression(**mine).ask(about)
    assert set(found.loc[found["kind"] == "existence", "prompt"]) == wanted


@pytest.mark.parametrize("seed", range(5))
def test_both_categories_belong_to_the_split_and_no_image_is_used_twice(seed):
    cells = worlds(seed)
    split_of = {(i, c): s for i, c, s, _ in cells}
    count_of = {(i, c): n for i, c, _, n in cells}
    logic = ask(cells)[lambda rows: rows["polarity"] == "compare"]
    assert not logic.duplicated(["image_id", "split"]).any()
    for q in logic.itertuples():
        for category in (q.category, q.other):
            assert split_of[q.image_id, category] == q.split
            assert count_of[q.image_id, category] is not None
        more = count_of[q.image_id, q.category] > count_of[q.image_id, q.other]
        assert q.target == ("yes" if more else "no")
    usable = {
        (i, s) for i, _, s, n in cells if n is not None
        if sum(m is not None and t == s and j == i for j, _, t, m in cells) >= 2
    }  # fmt: skip
    assert set(zip(logic["image_id"], logic["split"], strict=True)) == usable


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_yes_and_no_are_balanced_as_far_as_ties_allow(seed):
    cells = worlds(seed, 40)
    count_of = {(i, c): n for i, c, _, n in cells}
    logic = ask(cells, seed=seed)[lambda rows: rows["polarity"] == "compare"]
    for _, mine in logic.groupby("split"):
        tied = sum(count_of[q.image_id, q.category] == count_of[q.image_id, q.other]
                   for q in mine.itertuples())  # fmt: skip
        assert (mine["target"] == "yes").sum() == min(len(mine) // 2, len(mine) - tied)


def test_ties_are_no_or_are_dropped():
    cells = [("1", "cat", "ID", 2), ("1", "dog", "ID", 2)]
    assert ask(cells)[lambda rows: rows["polarity"] == "compare"]["target"].tolist() == ["no"]
    assert len(ask(cells, ties="drop")) == 0


def test_a_sample_does_not_depend_on_other_images():
    cells = worlds(3)
    all_of = ask(cells)[lambda rows: rows["polarity"] == "compare"].set_index(["image_id", "split"])
    half = [cell for cell in cells if int(cell[0]) % 2]
    some = ask(half)[lambda rows: rows["polarity"] == "compare"]
    for q in some.itertuples():
        whole = all_of.loc[q.image_id, q.split]
        assert {q.category, q.other} == {whole["category"], whole["other"]}


def test_the_cap_holds_for_each_split():
    logic = ask(worlds(4), cap=3)[lambda rows: rows["polarity"] == "compare"]
    assert logic.groupby("split").size().to_dict() == dict.fromkeys(SPLITS, 3)


def test_the_second_label_may_be_any_present_category():
    cells = [("1", "cat", "ID", 3), ("1", "dog", "OOD-H", 1)]
    assert len(ask(cells)) == 0
    logic = ask(cells, labels="any")[lambda rows: rows["polarity"] == "compare"]
    assert sorted(logic["split"]) == ["ID", "OOD-H"]


def test_a_crowd_has_no_count_and_is_in_no_sample(shared):
    case = shared / "cases/g01-crowd"
    pairs = Coco(annotations=str(case / "instances.json"), images=str(case / "images")).pairs()
    assert len(pairs) == 2
    members = [
        Membership("coco", r.image_id, r.category, True, "ID", 0, 2, True, None)
        for r in pairs.itertuples()
    ]
    about = Known(table.frame(Membership, members), pairs, [])
    assert len(Progression(WORDS).ask(about)) == 0


def test_undrawn_pairs_are_left_out_if_only_drawn_ones_are_asked():
    cells = [("1", "cat", "ID", 3), ("1", "dog", "ID", 1)]
    assert len(Progression(WORDS, population="drawn").ask(known(cells, drawn=False))) == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"labels": "all"}, r"question\.labels=all.*split or any"),
        ({"ties": "yes"}, r"question\.ties=yes"),
        ({"cap": 0}, r"question\.cap=0"),
        ({"population": "some"}, r"question\.population=some"),
        ({"templates": {**WORDS, "compare": "more {}?"}}, "twice in compare"),
    ],
)
def test_a_wrong_option_is_named(option, message):
    with pytest.raises(OodexpError, match=message):
        Progression(**({"templates": WORDS} | option))
