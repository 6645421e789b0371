"""Present categories and as many absent ones of each image and split."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.absent import STRATEGIES
from oodexp.question.base import Known, Presence
from oodexp.question.existence import Existence
from oodexp.question.polling import Polling
from oodexp.record import PRESENT, SPLITS, UNKNOWN, Membership, Pair, Question

WORDS = {
    "present": "Does this image contain a {}? (yes or no)",
    "absent": "Does this image not contain a {}? (yes or no)",
}
NAMES = ["dog", "cat", "cup", "sofa", "kite", "boat", "tree", "lamp"]


def world(presence, split=None, drawn=None, source="s", ids=None):
    """Memberships of all present pairs; splits and draws in the order of the pairs."""
    presence = np.asarray(presence, dtype=np.uint8)
    categories = NAMES[: presence.shape[1]]
    ids = ids or [f"i{n}" for n in range(len(presence))]
    cells = [(ids[i], categories[c]) for i, c in np.argwhere(presence == PRESENT)]
    split = split or ["ID"] * len(cells)
    drawn = drawn or [True] * len(cells)
    members = [
        Membership(source, i, c, True, s, 0, 2, d, None if s else "NaN")
        for (i, c), s, d in zip(cells, split, drawn, strict=True)
    ]
    matrix = Presence(source, ids, categories, presence)
    return Known(table.frame(Membership, members), table.frame(Pair), [matrix])


def several(seed=0, images=25):
    """A source with unknown cells, all splits, and pairs that were not drawn."""
    rng = np.random.default_rng(seed)
    presence = rng.choice(3, size=(images, 8), p=[0.5, 0.3, 0.2])
    pairs = int((presence == PRESENT).sum())
    split = rng.choice(SPLITS, pairs).tolist()
    return world(presence, split, rng.choice([True, False], pairs).tolist())


def ask(known, **options):
    return Polling(WORDS, **options).ask(known)


def chosen(questions, strategy):
    mine = questions[(questions["strategy"] == strategy) & (questions["polarity"] == "present")]
    return mine.groupby(["image_id", "split"])["category"].agg(list).to_dict()


def test_the_present_categories_are_the_drawn_pairs_of_the_split():
    known = several()
    drawn = known.memberships[known.memberships["drawn"]]
    want = drawn.groupby(["image_id", "split"])["category"].agg(list).to_dict()
    assert chosen(ask(known), "present") == want


def test_all_divided_pairs_may_be_asked():
    known = several()
    want = known.memberships.groupby(["image_id", "split"])["category"].agg(list).to_dict()
    assert chosen(ask(known, population="all"), "present") == want


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_there_are_as_many_absent_categories_as_present_ones_or_all_there_are(strategy):
    known = several(images=300)
    (matrix,) = known.matrices
    questions = ask(known, population="all")
    present, absent = chosen(questions, "present"), chosen(questions, strategy)
    short = 0
    for (image, split), categories in present.items():
        there = int((matrix.presence[matrix.image_ids.index(image)] == 0).sum())
        assert len(absent.get((image, split), [])) == min(len(categories), there)
        short += there < len(categories)
    assert short > 0  # both cases are in the sample


def test_what_is_not_annotated_is_never_asked():
    known = several(images=60)
    (matrix,) = known.matrices
    for row in ask(known).itertuples():
        code = matrix.presence[
            matrix.image_ids.index(row.image_id), matrix.categories.index(row.category)
        ]
        assert code != UNKNOWN
        assert (code == PRESENT) == (row.strategy == "present")


def test_each_category_is_asked_both_ways_with_opposite_targets():
    questions = ask(several())
    for (strategy, *_), mine in questions.groupby(["strategy", "split", "image_id", "category"]):
        assert mine["polarity"].tolist() == ["present", "absent"]
        yes = ["yes", "no"] if strategy == "present" else ["no", "yes"]
        assert mine["target"].tolist() == yes


def test_the_prompts_are_those_of_the_existence_questions():
    known = several()
    there = set(Existence(WORDS).ask(known)["prompt"])
    mine = ask(known)
    assert set(mine[mine["strategy"] == "present"]["prompt"]) <= there


def test_the_configuration_that_ships_has_the_words_of_existence(request):
    from omegaconf import OmegaConf

    folder = request.config.rootpath / "conf/question"
    mine, theirs = (OmegaConf.load(folder / f"{n}.yaml") for n in ("polling", "existence"))
    assert mine.templates == theirs.templates
    assert list(mine.strategies) == list(STRATEGIES)


def test_an_image_asks_the_same_whatever_the_other_images_and_their_order():
    known = several()
    whole = ask(known)
    wanted = {"i3", "i7"}
    few = Known(
        known.memberships[known.memberships["image_id"].isin(wanted)][::-1],
        known.pairs, known.matrices,
    )  # fmt: skip
    key = ["image_id", "split", "strategy", "polarity", "category"]
    alone = ask(few).sort_values(key).reset_index(drop=True)
    among = whole[whole["image_id"].isin(wanted)].sort_values(key).reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, among)


def test_the_questions_of_an_image_stand_side_by_side():
    images = ask(several())["image_id"].tolist()
    blocks = [i for n, i in enumerate(images) if n == 0 or images[n - 1] != i]
    assert len(blocks) == len(set(blocks))


def test_another_split_of_a_pair_changes_no_prompt_of_its_image():
    """An image has one order for each strategy: a threshold that moves asks nearly nothing new."""
    one, other = (world([[1, 0, 0, 0, 0]], [split]) for split in ("ID", "OOD-H"))
    assert ask(one)["prompt"].tolist() == ask(other)["prompt"].tolist()
    assert set(ask(other)["split"]) == {"OOD-H"}


def test_absent_pairs_of_the_id_pool_are_not_taken_for_present_ones():
    known = world([[1, 0, 0]])
    absent = Membership("s", "i0", "cat", False, "ID", 0, 2, True, None)
    more = table.concat(Membership, [known.memberships, table.frame(Membership, [absent])])
    assert chosen(ask(Known(more, known.pairs, known.matrices)), "present") == {
        ("i0", "ID"): ["dog"]
    }


@given(st.sets(st.tuples(*[st.text("a/%", min_size=1, max_size=3)] * 2), min_size=1, max_size=6))
def test_every_question_has_an_id_of_its_own(names):
    sources = sorted({source for source, _ in names})
    parts = [
        world([[1, 0, 1, 0, 0]] * len(ids), ["ID", "OOD-S"] * len(ids), source=source, ids=ids)
        for source in sources
        for ids in [sorted(i for s, i in names if s == source)]
    ]
    members = table.concat(Membership, [part.memberships for part in parts])
    known = Known(members, parts[0].pairs, [part.matrices[0] for part in parts])
    found = ask(known)  # a repeated key is refused
    assert len(found) == 2 * 4 * 2 * len(names)
    pd.testing.assert_frame_equal(found, table.check(Question, found))


def test_fewer_strategies_ask_less():
    questions = ask(several(), strategies=["popular"])
    assert set(questions["strategy"]) == {"present", "popular"}


def test_a_limit_of_tokens_is_passed_on():
    assert set(ask(several(), max_tokens=5)["max_tokens"]) == {5}
    assert ask(several())["max_tokens"].isna().all()


def test_nothing_drawn_gives_no_question():
    assert len(ask(world([[1, 0]], drawn=[False]))) == 0
    assert len(ask(world([[1, 0]], split=[None], drawn=[False]), population="all")) == 0


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"population": "some"}, r"question\.population=some"),
        ({"strategies": []}, r"question\.strategies=\[\]"),
        ({"strategies": ["random", "random"]}, r"question\.strategies=.*each once"),
        ({"strategies": ["rare"]}, r"question\.strategies=.*random, popular, adversarial"),
        ({"seed": -1}, r"question\.seed=-1"),
    ],
)
def test_a_faulty_option_is_refused(option, told):
    with pytest.raises(OodexpError, match=told):
        Polling(WORDS, **option)
    with pytest.raises(OodexpError, match=r"question\.templates"):
        Polling({"present": "A {}?"})
