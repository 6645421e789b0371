"""The LiT-like scorer: how it is trained, and the shipped one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import MODELS, PROMPT, lit_logits, open_clip_logits, read_images
from oodexp.miniature.train_lit import MOST_SCALE, locked_features, train_lit
from oodexp.miniature.truth import read_truth
from oodexp.miniature.world import World, draw_many, to_world
from oodexp.miniature.yardstick import auroc, kappa, signal

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = [PROMPT.format(name) for name in CATEGORIES]


@pytest.fixture(scope="module", autouse=True)
def offline():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def world() -> World:
    return to_world(draw_many(23, 40, 1))


@pytest.fixture(scope="module")
def tuned(world) -> tuple[Any, Any]:
    """Models of one seed before and after the text tower learned."""
    return train_lit(world, 5, (2, 0)), train_lit(world, 5, (2, 3))


def _same(one: Any, two: Any) -> bool:
    rows = zip(one.state_dict().values(), two.state_dict().values(), strict=True)
    return all(bool((a == b).all()) for a, b in rows)


def test_the_image_tower_is_locked_while_the_text_tower_learns(tuned):
    before, after = tuned
    assert _same(before.vision_model, after.vision_model)
    assert not _same(before.text_model, after.text_model)
    assert not _same(before.text_projection, after.text_projection)
    assert not _same(before.visual_projection, after.visual_projection)


def test_the_image_tower_learns_in_the_first_step(world, tuned):
    untrained = train_lit(world, 5, (0, 0))
    assert not _same(untrained.vision_model, tuned[0].vision_model)


def test_kept_features_are_those_of_the_images_and_of_their_mirror_images(world, tuned):
    import torch

    tower = tuned[1].vision_model
    kept = locked_features(tower, world)
    assert kept.shape[:2] == (2, len(world.images))
    for images, found in ((world.images, kept[0]), (world.images[:, :, ::-1], kept[1])):
        pixels = torch.from_numpy(images[7:8] / 127.5 - 1).permute(0, 3, 1, 2).float()
        with torch.inference_mode():
            wanted = tower(pixels).pooler_output[0]
        np.testing.assert_allclose(found[7], wanted, rtol=1e-4, atol=1e-5)


def test_the_shipped_scale_stays_within_its_limit():
    import torch
    from transformers import VisionTextDualEncoderModel

    model = VisionTextDualEncoderModel.from_pretrained(MODELS / "lit", dtype=torch.float32)
    assert 5 < model.logit_scale.exp().item() < 1.01 * MOST_SCALE


def test_the_scorer_of_real_models_gives_the_same_logits():
    import torch

    from oodexp.scorer.dual_encoder import DualEncoder

    pictures = read_images("dev", 6)
    scorer = DualEncoder(str(MODELS / "lit"))
    scorer.load("cpu")
    seen = scorer.encode_images(torch.stack([scorer.preprocess(p) for p in pictures]))
    logits = scorer.logits(seen.numpy(), scorer.encode_texts(list(CATEGORIES)))
    np.testing.assert_allclose(logits, lit_logits(pictures, TEXTS), atol=1e-4)


@pytest.fixture(scope="module")
def scored():
    """The test split, and this scorer's and open_clip's scores and flags."""
    truth = read_truth("test")
    present = truth.counts > 0
    found = [
        signal(score(truth.pictures, TEXTS), present) for score in (lit_logits, open_clip_logits)
    ]
    return truth, found


def test_the_shipped_scorer_recovers_what_was_planted(scored):
    truth, ((score, flagged), _) = scored
    present, canonical = truth.counts > 0, truth.reasons == "canonical"
    assert auroc(-score[present], ~canonical[present]) > 0.93
    assert flagged[canonical].mean() < 0.1
    assert flagged[present & ~canonical].mean() > 0.6


def test_its_flags_agree_with_open_clips_within_the_range_of_two_scorers(scored):
    truth, ((_, mine), (_, others)) = scored
    present = truth.counts > 0
    assert 0.4 < kappa(mine[present], others[present]) < 0.8
