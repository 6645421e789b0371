"""What the concept encoders are trained on, and how: words, lessons, captions, losses."""

from __future__ import annotations

from hashlib import sha256
from math import exp, log

import numpy as np
import pytest

from oodexp.miniature.concept_course import (
    COURSES,
    TEMPLATES,
    USUAL,
    WHOLE,
    captions,
    draw_lessons,
)
from oodexp.miniature.concept_idea import CALIBRATION, COMMON, CONCEPTS, TIME, VIEW, WORD
from oodexp.miniature.concept_vocabulary import concept_words, make_concept_tokenizer
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.train import main
from oodexp.miniature.train_concept import sigmoid_loss, train_concept
from oodexp.miniature.vocabulary import UNKNOWN, words

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def latest():
    return draw_lessons(COURSES["concept_2025"], 300)


def test_every_phrase_has_tokens_of_its_own_and_none_is_unknown():
    tokenizer = make_concept_tokenizer(16)
    phrases = [i.phrase for part in (CONCEPTS, *CALIBRATION.values()) for i in part]
    ids = tokenizer([TEMPLATES[0].format(phrase) for phrase in phrases])["input_ids"]
    assert len({tuple(row) for row in ids}) == len(phrases)
    unknown = concept_words().index(UNKNOWN)
    assert not any(unknown in row for row in ids)
    assert max(map(len, ids)) <= 16
    assert unknown in tokenizer("a zebra")["input_ids"]


def test_the_words_of_the_miniature_keep_their_numbers():
    assert concept_words()[: len(words())] == words()


def test_the_years_learn_more_and_more_families():
    early, later, latest = (COURSES[f"concept_{year}"] for year in (2021, 2023, 2025))
    assert set(early.shares) < set(later.shares) < set(latest.shares)
    assert set(early.known) < set(later.known) < set(latest.known)
    assert early.pictures < later.pictures < latest.pictures
    assert {TIME, WORD}.isdisjoint(later.shares)
    assert VIEW not in early.shares


def test_lessons_hold_what_their_concepts_say(latest):
    names = np.array(latest.phrases)
    for row in range(300):
        said = set(names[latest.holds[row]])
        assert names[latest.whole[row]] in said
        assert said == {names[latest.whole[row]], names[latest.part[row]]}
        assert len(said) == 1 or names[latest.part[row]] in CATEGORIES


def test_pictures_do_not_depend_on_how_many_are_drawn(latest):
    few = draw_lessons(COURSES["concept_2025"], 20)
    assert np.array_equal(few.images, latest.images[:20])


def test_an_early_year_never_meets_the_words_of_later_concepts():
    seen = " ".join(draw_lessons(COURSES["concept_2021"], 400).phrases).split()
    assert {"drone", "labelled", "upside"}.isdisjoint(seen)
    assert set(CATEGORIES) <= set(seen)


def test_captions_hold_where_the_phrase_holds(latest):
    rng = np.random.default_rng(1)
    rows = rng.permutation(300)[:64]
    texts, fits = captions(latest, rows, rng)
    assert fits.diagonal().all()
    names = sorted(latest.phrases, key=len, reverse=True)
    for column, text in enumerate(texts):
        phrase = next(p for p in names if text in {form.format(p) for form in TEMPLATES})
        for line, row in enumerate(rows):
            assert fits[line, column] == latest.holds[row, latest.phrases.index(phrase)]


def test_the_usual_wording_and_whole_phrases_have_their_shares(latest):
    rng = np.random.default_rng(2)
    two = np.flatnonzero(latest.whole != latest.part)
    texts = [t for _ in range(40) for t in captions(latest, two, rng)[0]]
    usual = np.mean([text.startswith("a photo of a ") for text in texts])
    assert usual == pytest.approx(USUAL + (1 - USUAL) / len(TEMPLATES), abs=0.02)
    names = {form.format(name) for form in TEMPLATES for name in CATEGORIES}
    assert np.mean([text in names for text in texts]) == pytest.approx(1 - WHOLE, abs=0.03)


def test_the_sigmoid_loss_is_the_papers_sum():
    import torch

    rng = np.random.default_rng(3)
    logits, fits = rng.normal(size=(5, 5)) * 3, rng.random((5, 5)) < 0.4
    total = 0.0
    for i in range(5):
        for j in range(5):
            sign = 1 if fits[i, j] else -1
            total -= log(1 / (1 + exp(-sign * logits[i, j])))
    found = sigmoid_loss(torch.from_numpy(logits).float(), fits)
    assert found.item() == pytest.approx(total / 5, rel=1e-5)


@pytest.mark.parametrize("name", COURSES)
def test_a_few_steps_change_every_weight_that_is_used(name):
    lessons = draw_lessons(COURSES[name], 40)
    one, two = (train_concept(COURSES[name], lessons, 5, steps) for steps in (0, 2))
    still = [k for (k, a), b in zip(one.state_dict().items(), two.state_dict().values(),
                                    strict=True) if bool((a == b).all())]  # fmt: skip
    assert all("attn_mask" in k or "bias" in k for k in still), still
    kind = "CustomTextCLIP" if COURSES[name].loss == "sigmoid" else "CLIP"
    assert type(two).__name__ == kind


def test_only_common_objects_have_a_share_in_every_year():
    shared = set.intersection(*(set(course.shares) for course in COURSES.values()))
    assert COMMON in shared


@pytest.mark.slow
def test_training_twice_from_one_seed_gives_the_same_files(tmp_path):
    found = []
    for name, seed in (("one", "3"), ("two", "3"), ("other", "4")):
        line = f"--only concept --seed {seed} --scenes 96 --steps 3 --out {tmp_path / name}"
        main(line.split())
        files = sorted((tmp_path / name / "models").glob("concept_*/*.safetensors"))
        assert [file.parent.name for file in files] == sorted(COURSES)
        found.append([sha256(file.read_bytes()).hexdigest() for file in files])
    assert found[0] == found[1]
    assert all(a != b for a, b in zip(found[0], found[2], strict=True))
