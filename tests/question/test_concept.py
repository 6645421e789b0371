"""A concept set as yes/no questions: an image's own phrase, and one of another concept.

OODConceptBench asks dual encoders only; that VLMs are asked, and the control, are this project's.
Its controls rest on the assumption that an image collected for one concept shows no other one.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.question.base import Known, Presence
from oodexp.question.concept import Concept, KnownConcepts
from oodexp.question.existence import Existence
from oodexp.record import PRESENT, UNKNOWN, Membership, Pair, Question

WORDS = {
    "present": "Does this image contain a {}? (yes or no)",
    "absent": "Does this image not contain a {}? (yes or no)",
}
FAMILIES = {
    "fog": ["foggy car", "foggy boat", "foggy cup"],
    "texture": ["woven basket", "knitted scarf", "cracked glaze", "brushed steel"],
}
PHRASES = [phrase for phrases in FAMILIES.values() for phrase in phrases]
FAMILY = {phrase: family for family, phrases in FAMILIES.items() for phrase in phrases}


def world(phrases, source="s", ids=None, split=None, drawn=None, also=()):
    """One image for each phrase; what is not an image's own phrase is unknown.

    Args:
        also: Further present cells, (row, phrase).
    """
    ids = ids or [f"i{n}" for n in range(len(phrases))]
    split = split or ["L2"] * len(ids)
    drawn = drawn or [True] * len(ids)
    names = list(dict.fromkeys([*PHRASES, *phrases]))
    presence = np.full((len(ids), len(names)), UNKNOWN, dtype=np.uint8)
    for row, phrase in [*enumerate(phrases), *also]:
        presence[row, names.index(phrase)] = PRESENT
    members = [
        Membership(source, i, p, True, s, 0, 1, d, None if s else "NaN")
        for i, p, s, d in zip(ids, phrases, split, drawn, strict=True)
    ]
    concepts = [
        record.Concept(source, i, p, FAMILY.get(p, "other"), "crawled", None, None)
        for i, p in zip(ids, phrases, strict=True)
    ]
    matrix = Presence(source, ids, names, presence)
    return KnownConcepts(
        table.frame(Membership, members), table.frame(Pair), [matrix],
        table.frame(record.Concept, concepts),
    )  # fmt: skip


def many(images=60, seed=0):
    rng = np.random.default_rng(seed)
    # Every phrase occurs, so every phrase has its family.
    return world([*PHRASES, *rng.choice(PHRASES, images - len(PHRASES)).tolist()])


def ask(known, **options):
    return Concept(WORDS, **options).ask(known)


def controls(questions):
    """Control phrase of each image."""
    mine = questions[(questions["strategy"] != "present") & (questions["polarity"] == "present")]
    return dict(zip(mine["image_id"], mine["category"], strict=True))


def test_the_own_phrase_is_asked_as_existence_asks():
    known = many()
    theirs = Existence(WORDS).ask(known)
    mine = ask(known)
    mine = mine[mine["strategy"] == "present"].reset_index(drop=True)
    columns = ["source", "image_id", "category", "polarity", "prompt", "target", "split"]
    pd.testing.assert_frame_equal(mine[columns], theirs[columns])
    assert set(mine["kind"]) == {"concept"}


def test_a_control_is_another_phrase_of_the_family_and_is_not_there():
    known = many()
    own = dict(zip(known.concepts["image_id"], known.concepts["phrase"], strict=True))
    questions = ask(known)
    chosen = controls(questions)
    assert chosen.keys() == own.keys()
    for image, phrase in chosen.items():
        assert phrase != own[image]
        assert FAMILY[phrase] == FAMILY[own[image]]
    beside = questions[questions["strategy"] == "family"]
    assert set(zip(beside["polarity"], beside["target"], strict=True)) == {
        ("present", "no"), ("absent", "yes"),
    }  # fmt: skip


def test_every_phrase_of_the_family_is_drawn_about_as_often():
    known = world([*PHRASES, *["foggy car"] * 4000])
    drawn = pd.Series(list(controls(ask(known)).values())[len(PHRASES) :]).value_counts()
    assert set(drawn.index) == {"foggy boat", "foggy cup"}
    # 4000 fair draws of two: five standard deviations are 158.
    assert abs(drawn["foggy boat"] - 2000) < 160


def test_any_control_comes_from_all_families_and_needs_none():
    known = many(300)
    bare = Known(known.memberships, known.pairs, known.matrices)
    questions = ask(bare, control="any")
    own = dict(zip(known.concepts["image_id"], known.concepts["phrase"], strict=True))
    crossed = {FAMILY[p] == FAMILY[own[i]] for i, p in controls(questions).items()}
    assert crossed == {True, False}
    assert set(questions["strategy"]) == {"present", "any"}


def test_without_control_only_the_own_phrases_are_asked():
    known = many()
    bare = Known(known.memberships, known.pairs, known.matrices)
    questions = ask(bare, control="none")
    assert len(questions) == 2 * len(known.memberships)
    assert set(questions["strategy"]) == {"present"}


def test_a_constant_answer_is_right_half_of_the_time():
    questions = ask(many())
    assert (questions["target"] == "yes").mean() == 0.5
    by_form = questions.groupby("polarity")["target"].agg(lambda t: (t == "yes").mean())
    assert by_form.tolist() == [0.5, 0.5]


def test_what_is_annotated_as_present_is_no_control():
    known = world([*PHRASES, *["foggy car"] * 200], also=[(n, "foggy cup") for n in range(7, 207)])
    assert set(list(controls(ask(known)).values())[7:]) == {"foggy boat"}


def test_a_phrase_that_holds_the_words_of_the_other_is_no_control(monkeypatch):
    monkeypatch.setitem(FAMILY, "Foggy old car", "fog")
    known = world([*PHRASES, "Foggy old car", *["foggy car"] * 200])
    drawn = controls(ask(known))
    assert set(list(drawn.values())[8:]) == {"foggy boat", "foggy cup"}
    assert drawn["i7"] in {"foggy boat", "foggy cup"}


def test_an_image_asks_the_same_whatever_the_other_images_and_their_order():
    known = many()
    wanted = {"i3", "i17"}
    few = KnownConcepts(
        known.memberships[known.memberships["image_id"].isin(wanted)][::-1],
        known.pairs, known.matrices, known.concepts[::-1],
    )  # fmt: skip
    key = ["image_id", "question_id"]
    alone = ask(few).sort_values(key).reset_index(drop=True)
    whole = ask(known)
    among = whole[whole["image_id"].isin(wanted)].sort_values(key).reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, among)


def test_the_order_in_which_a_source_lists_its_phrases_changes_no_control():
    known = many()
    (matrix,) = known.matrices
    turned = Presence("s", matrix.image_ids, matrix.categories[::-1], matrix.presence[:, ::-1])
    other = KnownConcepts(known.memberships, known.pairs, [turned], known.concepts)
    assert controls(ask(other)) == controls(ask(known))


def test_a_seed_is_repeated_and_another_one_draws_otherwise():
    known = many(200)
    first, again, other = (controls(ask(known, seed=s)) for s in (0, 0, 1))
    assert first == again
    assert 0.2 < np.mean([first[i] != other[i] for i in first]) < 0.95


def test_the_population_is_what_is_in_a_level_or_what_was_drawn():
    known = world(PHRASES, split=[None, *["L1"] * 6], drawn=[True, False, *[True] * 5])
    assert set(ask(known)["image_id"]) == {f"i{n}" for n in range(1, 7)}
    assert set(ask(known, population="drawn")["image_id"]) == {f"i{n}" for n in range(2, 7)}
    assert set(ask(known)["split"]) == {"L1"}


def test_absent_pairs_are_not_taken_for_own_phrases():
    known = world(PHRASES)
    absent = Membership("s", "i0", "foggy cup", False, "L2", 0, 1, True, None)
    more = table.concat(Membership, [known.memberships, table.frame(Membership, [absent])])
    pd.testing.assert_frame_equal(
        ask(KnownConcepts(more, known.pairs, known.matrices, known.concepts)), ask(known)
    )


def texts(letters):
    return st.text(letters, min_size=1, max_size=3)


@given(
    st.sets(st.tuples(texts("a/%"), texts("b/%")), min_size=1, max_size=6),
    st.sampled_from(["family", "any"]),
)
def test_every_question_has_an_id_of_its_own(names, control):
    by_source = {s: [*sorted(i for t, i in names if t == s), "last"] for s, _ in sorted(names)}
    parts = [
        world(["foggy car", *["foggy boat"] * (len(ids) - 1)], source=source, ids=ids)
        for source, ids in by_source.items()
    ]
    known = KnownConcepts(
        table.concat(Membership, [part.memberships for part in parts]), parts[0].pairs,
        [part.matrices[0] for part in parts],
        table.concat(record.Concept, [part.concepts for part in parts]),
    )  # fmt: skip
    found = ask(known, control=control)  # a repeated key is refused
    assert len(found) == 4 * len(known.memberships)
    pd.testing.assert_frame_equal(found, table.check(Question, found))


def test_phrases_with_slashes_do_not_make_two_questions_one():
    names = ["a", "a/concept/control: any", "a/concept", "b"]
    known = world(names)
    ids = [ask(known, control="any")["question_id"].tolist()]
    assert len(set(itertools.chain(*ids))) == 16


def test_a_limit_of_tokens_is_passed_on():
    assert set(ask(many(), max_tokens=5)["max_tokens"]) == {5}
    assert ask(many())["max_tokens"].isna().all()


def test_nothing_in_a_level_gives_no_question():
    assert len(ask(world(PHRASES, split=[None] * 7))) == 0


def test_a_family_of_one_phrase_and_unknown_families_are_refused():
    known = world(["foggy car", "woven basket", "knitted scarf"])
    with pytest.raises(OodexpError, match=r"i0: no other phrase of its family .* 'foggy car'"):
        ask(known)
    with pytest.raises(OodexpError, match=r"question\.control=family: nothing says"):
        ask(Known(known.memberships, known.pairs, known.matrices))


def test_the_configuration_that_ships_has_the_words_of_existence(request):
    from omegaconf import OmegaConf

    folder = request.config.rootpath / "conf/question"
    mine, theirs = (OmegaConf.load(folder / f"{n}.yaml") for n in ("concept", "existence"))
    assert mine.templates == theirs.templates
    options = {k: v for k, v in OmegaConf.to_container(mine).items() if k != "_target_"}
    pd.testing.assert_frame_equal(Concept(**options).ask(many()), ask(many()))


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"population": "some"}, r"question\.population=some"),
        ({"control": "near"}, r"question\.control=near.*family, any, none"),
        ({"seed": -1}, r"question\.seed=-1"),
        ({"templates": {"present": "A {}?"}}, r"question\.templates"),
    ],
)
def test_a_faulty_option_is_refused(option, told):
    with pytest.raises(OodexpError, match=told):
        Concept(**{"templates": WORDS} | option)
