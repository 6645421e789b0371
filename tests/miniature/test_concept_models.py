"""The shipped concept encoders, through the scorer that loads real ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from oodexp.miniature.concept_course import COURSES
from oodexp.miniature.concept_idea import CALIBRATION, CONCEPTS, FAMILIES, MIXED, TIME
from oodexp.miniature.concept_measure import PHRASES, Figures, figures, read_part
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import MODELS, PROMPT, open_clip_logits
from oodexp.miniature.train_concept import MOST_SCALE
from oodexp.miniature.yardstick import auroc
from oodexp.scorer.open_clip import OpenClip

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = [*PHRASES, *CATEGORIES]


@pytest.fixture(scope="module", autouse=True)
def offline():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def parts():
    return read_part("concepts", "test"), read_part("id", "test")


@pytest.fixture(scope="module")
def measured(parts) -> dict[str, Figures]:
    """What every model does, by its cosines through the scorer."""
    return {name: _measured(name, *parts) for name in COURSES}


def _measured(name: str, shown: Any, common: Any) -> Figures:
    import torch

    scorer = OpenClip(f"local-dir:{MODELS / name}", scale=1.0)
    scorer.load("cpu")
    bank = replace(scorer.encode_texts(TEXTS), bias=0.0)
    cosines = [
        np.concatenate([
            scorer.logits(
                scorer.encode_images(
                    torch.stack([scorer.preprocess(p) for p in pictures[k : k + 64]])
                ).numpy(), bank,
            ) for k in range(0, len(pictures), 64)
        ]) for pictures in (shown.pictures, common.pictures)
    ]  # fmt: skip
    assert all(np.abs(c).max() <= 1.0001 for c in cosines)
    phrase = np.array([PHRASES.index(p) for p in shown.phrase])
    category = np.array([CATEGORIES.index(p) for p in common.phrase])
    return figures(*cosines, phrase, shown.family, category)


@pytest.mark.parametrize("name", COURSES)
def test_a_model_weighs_less_than_one_and_a_half_megabytes(name):
    assert sum(p.stat().st_size for p in (MODELS / name).iterdir()) < 1.5e6


@pytest.mark.parametrize("name", COURSES)
def test_a_model_finds_the_category_of_common_objects(name, measured):
    assert measured[name].id_top1 > 0.8


@pytest.mark.parametrize("name", COURSES)
def test_the_shipped_configuration_is_that_of_the_course(name):
    import json

    from oodexp.miniature.concept_model import model_config

    described = json.loads((MODELS / name / "open_clip_config.json").read_text())
    assert described["model_cfg"] == model_config(COURSES[name])


@pytest.mark.parametrize("name", COURSES)
def test_the_scale_stays_within_its_limit_and_sigmoids_have_a_bias(name):
    scorer = OpenClip(f"local-dir:{MODELS / name}")
    scorer.load("cpu")
    bank = scorer.encode_texts(["boat", "car"])
    assert 5 < bank.scale < 1.01 * MOST_SCALE
    assert (bank.bias < -1) == (COURSES[name].loss == "sigmoid")


def test_the_measuring_script_and_the_scorer_agree(parts):
    pictures = parts[0].pictures[:8]
    texts = [PROMPT.format(text) for text in TEXTS[:9]]
    import torch

    scorer = OpenClip(f"local-dir:{MODELS / 'concept_2021'}")
    scorer.load("cpu")
    seen = scorer.encode_images(torch.stack([scorer.preprocess(p) for p in pictures]))
    found = scorer.logits(seen.numpy(), scorer.encode_texts(TEXTS[:9]))
    wanted = open_clip_logits(pictures, texts, MODELS / "concept_2021")
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_every_family_is_seen_better_in_2025_than_in_2021(measured):
    early, latest = measured["concept_2021"], measured["concept_2025"]
    for family in FAMILIES:
        assert latest.auroc[family] > early.auroc[family] - 0.03, family
    assert np.mean([*latest.auroc.values()]) > np.mean([*early.auroc.values()]) + 0.05


def test_a_year_does_not_recognise_shapes_it_never_met(measured):
    for year in ("concept_2021", "concept_2023"):
        assert measured[year].auroc[TIME] < 0.7
        assert measured[year].auroc[MIXED] > 0.75
    assert measured["concept_2025"].auroc[TIME] > 0.8


def test_the_figures_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    phrase = rng.integers(70, size=90)
    family = np.array([CONCEPTS[p].family for p in phrase])
    category = np.arange(44) % 22
    concepts, common = rng.normal(size=(90, 92)), rng.normal(size=(44, 92))
    common[:40, 70 + category[:40]] += np.eye(44)[:40, :40].sum(1) * 9
    concepts[np.arange(90), phrase] += 1.5
    found = figures(
        concepts.astype(np.float32), common.astype(np.float32), phrase, family, category
    )
    tops = sorted(float(row[:70].max()) for row in common)
    place = 0.95 * 43
    least = tops[int(place)] + (place % 1) * (tops[int(place) + 1] - tops[int(place)])
    for name in FAMILIES:
        right = [concepts[i, phrase[i]] for i in range(90) if family[i] == name]
        wrong = [
            concepts[i, j] for i in range(90) for j in range(70)
            if family[i] == name and j != phrase[i]
        ]  # fmt: skip
        hits = np.mean([(r > w) + 0.5 * (r == w) for r in right for w in wrong])
        assert found.auroc[name] == pytest.approx(hits, abs=1e-6)
        assert found.recognised[name] == pytest.approx(np.mean([r > least for r in right]))
    hit = np.mean([row[70:].argmax() == c for row, c in zip(common, category, strict=True)])
    assert found.id_top1 == pytest.approx(hit)


def test_rare_shapes_and_digits_are_no_concepts_to_any_model():
    """Chance that a concept's picture is nearer to its phrase than another is to any phrase."""
    shown = read_part("concepts", "test")
    own = np.array([PHRASES.index(p) for p in shown.phrase])
    texts = [PROMPT.format(text) for text in PHRASES]
    folder = MODELS / "concept_2025"
    mine = open_clip_logits(shown.pictures[::4], texts, folder)[np.arange(210), own[::4]]
    for part in ("long_tail", "negatives"):
        other = open_clip_logits(read_part(part, "test").pictures, texts, folder).max(1)
        scores = np.concatenate([mine, other])
        assert auroc(scores, np.arange(len(scores)) < 210) > 0.6
    assert len(CALIBRATION) == 3
