"""The files and models in the package."""

from __future__ import annotations

import re

import numpy as np
import pytest

from oodexp.miniature.annotation import reasons_by_pair
from oodexp.miniature.dial import SPLIT_SEED, SPLIT_SIZE
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import (
    DATA,
    HOME,
    MODELS,
    PROMPT,
    Answerer,
    blip2_logits,
    lit_logits,
    open_clip_logits,
    read_annotations,
    read_images,
)
from oodexp.miniature.quiz import COMPARE, CONTAIN, COUNT, NOT_CONTAIN, STEPWISE
from oodexp.miniature.world import captioned

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = [PROMPT.format(name) for name in CATEGORIES]


@pytest.fixture(scope="module", autouse=True)
def offline():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def single():
    """Thirty test images with one present category, and its number."""
    coco = read_annotations("test")
    found: dict[int, list[int]] = {}
    for image_id, category_id in reasons_by_pair(coco):
        found.setdefault(image_id, []).append(category_id - 1)
    chosen = [i for i in sorted(found) if len(found[i]) == 1][:30]
    pictures = read_images("test", chosen[-1])
    return [pictures[i - 1] for i in chosen], np.array([found[i][0] for i in chosen])


@pytest.fixture(scope="module")
def vlm():
    return Answerer()


def test_data_and_models_stay_below_24_megabytes():
    sizes = [p.stat().st_size for root in (DATA, MODELS) for p in root.rglob("*") if p.is_file()]
    assert len(sizes) >= 15
    assert sum(sizes) < 24e6


def test_no_file_names_a_folder_of_the_machine_it_was_made_on():
    for path in MODELS.rglob("*.json"):
        assert not re.search(r'"/\w+/', path.read_text()), path.relative_to(HOME)


@pytest.mark.parametrize("split", list(SPLIT_SIZE))
def test_each_split_has_its_size(split):
    assert len(read_annotations(split)["images"]) == SPLIT_SIZE[split]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_shipped_images_are_what_the_package_draws(split):
    for index, picture in enumerate(read_images(split, 8)):
        drawn, _, _ = captioned(SPLIT_SEED[split], index)
        difference = np.abs(np.asarray(picture, int) - drawn.image.astype(int))
        assert difference.mean() < 1.0


@pytest.mark.parametrize("split", list(SPLIT_SIZE))
def test_shipped_annotations_are_what_the_package_draws(split):
    coco = read_annotations(split)
    for index in (0, 17, SPLIT_SIZE[split] - 1):
        scene, _, text = captioned(SPLIT_SEED[split], index)
        rows = [a for a in coco["annotations"] if a["image_id"] == index + 1]
        assert [(CATEGORIES[a["category_id"] - 1], a["planted"]) for a in rows] == [
            (t.category, t.planted) for t in scene.things
        ]
        assert coco["images"][index]["caption"] == text


@pytest.mark.parametrize("score", [open_clip_logits, blip2_logits, lit_logits])
def test_a_scorer_finds_the_only_category_of_most_images(score, single):
    pictures, wanted = single
    assert (score(pictures, TEXTS).argmax(1) == wanted).mean() > 0.6


@pytest.mark.parametrize("score", [open_clip_logits, blip2_logits, lit_logits])
def test_a_scorer_takes_any_prompt(score, single):
    texts = ["boat", "a photo of the boat", "a zebra, by a cafe!", "a photo of a boat " * 9]
    logits = score(single[0][:2], texts)
    assert logits.shape == (2, 4)
    assert np.isfinite(logits).all()


def test_the_vlm_tells_present_from_absent_in_both_wordings(vlm, single):
    pictures, there = single
    absent = (there + 7) % len(CATEGORIES)
    right = []
    for wording, present_answer, absent_answer in (
        (CONTAIN, "yes", "no"),
        (NOT_CONTAIN, "no", "yes"),
    ):
        said = vlm.answer(pictures, [wording.format(CATEGORIES[c]) for c in there])
        right += [answer == present_answer for answer in said]
        said = vlm.answer(pictures, [wording.format(CATEGORIES[c]) for c in absent])
        right += [answer == absent_answer for answer in said]
    assert np.mean(right) > 0.85


def test_the_vlm_answers_how_many_with_a_digit(vlm, single):
    pictures, there = single
    said = vlm.answer(pictures, [COUNT.format(CATEGORIES[c]) for c in there])
    assert all(re.fullmatch(r"[0-4]", answer) for answer in said)


def test_the_vlm_answers_comparisons_with_yes_or_no(vlm, single):
    pictures, there = single
    questions = [COMPARE.format(CATEGORIES[c], CATEGORIES[(c + 5) % 22]) for c in there]
    assert set(vlm.answer(pictures, questions)) <= {"yes", "no"}


def test_the_vlm_survives_words_and_prompts_it_never_saw(vlm, single):
    picture = single[0][0]
    prompts = [STEPWISE.format("boat"), "Is there a zebra?", "boat", "¿?", "Describe it. " * 12]
    assert all(isinstance(text, str) for text in vlm.answer([picture] * len(prompts), prompts))


def test_answers_do_not_depend_on_the_batch_they_stand_in(vlm, single):
    pictures, there = single
    questions = [
        (CONTAIN if place % 2 else COUNT).format(CATEGORIES[c]) for place, c in enumerate(there)
    ]
    one_by_one = [vlm.answer([p], [q])[0] for p, q in zip(pictures[:8], questions, strict=False)]
    assert vlm.answer(pictures, questions)[:8] == one_by_one
