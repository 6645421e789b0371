"""BLIP-2: the model's own cosine, an explicit scale, texts that padding cannot change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.scorer.blip2 import Blip2

CATEGORIES = ["cat", "big red house", "dog"]


def test_a_folder_keeps_the_promises_of_a_scorer(
    blip2_folder: Path, keeps_promises: Callable[..., None]
) -> None:
    keeps_promises(Blip2(str(blip2_folder), 14.3), CATEGORIES)


def test_logits_are_the_models_own_cosine_times_the_scale(
    blip2_folder: Path, images: list[Image.Image]
) -> None:
    import torch
    from transformers import AutoTokenizer, Blip2ForImageTextRetrieval

    scorer = Blip2(str(blip2_folder), 14.3)
    scorer.load("cpu")
    pixels = torch.stack([scorer.preprocess(i) for i in images])
    ours = scorer.logits(scorer.encode_images(pixels).numpy(), scorer.encode_texts(CATEGORIES))
    net = Blip2ForImageTextRetrieval.from_pretrained(blip2_folder).eval()
    tokens = AutoTokenizer.from_pretrained(blip2_folder)(
        [f"a photo of a {c}" for c in CATEGORIES],
        padding=True,
        padding_side="right",
        return_tensors="pt",
    )
    with torch.no_grad():
        own = net(
            pixel_values=pixels,
            input_ids=tokens.input_ids,
            attention_mask=tokens.attention_mask,
            use_image_text_matching_head=False,
        ).logits_per_image
    np.testing.assert_allclose(ours, 14.3 * own.numpy(), atol=1e-4)


def test_an_image_has_one_vector_a_query(blip2_folder: Path, images: list[Image.Image]) -> None:
    scorer = Blip2(str(blip2_folder), 1.0)
    scorer.load("cpu")
    assert scorer.encode_images(scorer.preprocess(images[0])[None]).shape == (1, 4, 16)


def test_the_scale_beside_the_weights_is_read(blip2_folder: Path) -> None:
    scorer = Blip2(str(blip2_folder), "beside")
    assert scorer.fingerprint()["scale"] == 21.5
    scorer.load("cpu")
    assert scorer.encode_texts(["cat"]).scale == 21.5


def test_a_missing_scale_is_refused_with_the_alternatives(
    blip2_folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(blip2_folder, copy)
    (copy / "oodexp_scale.json").unlink()
    with pytest.raises(OodexpError, match=r"14\.3 .* 100 .* 1\.0"):
        Blip2(str(copy), "beside").fingerprint()


def test_there_is_no_scale_by_default(blip2_folder: Path) -> None:
    with pytest.raises(TypeError, match="scale"):
        Blip2(str(blip2_folder))  # type: ignore[call-arg]


def test_words_that_the_model_does_not_know_are_refused(blip2_folder: Path) -> None:
    scorer = Blip2(str(blip2_folder), 1.0)
    scorer.load("cpu")
    with pytest.raises(OodexpError, match=r"same tokens for the model: \[\['zebra', 'giraffe'\]\]"):
        scorer.encode_texts(["zebra", "cat", "giraffe"])


def test_a_text_longer_than_the_model_is_refused(blip2_folder: Path) -> None:
    scorer = Blip2(str(blip2_folder), 1.0)
    scorer.load("cpu")
    with pytest.raises(OodexpError, match="24 tokens and would be cut"):
        scorer.encode_texts(["cat " * 30, "dog"])


def test_missing_weights_are_an_error_not_random_numbers(
    blip2_folder: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "copy"
    shutil.copytree(blip2_folder, copy)
    state = load_file(copy / "model.safetensors")
    del state["text_projection.weight"]
    save_file(state, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(OodexpError, match=r"text_projection\.weight"):
        Blip2(str(copy), 1.0).load("cpu")


def test_bfloat16_agrees_with_float32(blip2_folder: Path, images: list[Image.Image]) -> None:
    import torch

    logits = []
    for precision in ("float32", "bfloat16"):
        scorer = Blip2(str(blip2_folder), 1.0, precision=precision)
        scorer.load("cpu")
        pixels = torch.stack([scorer.preprocess(i) for i in images])
        vectors, bank = scorer.encode_images(pixels), scorer.encode_texts(CATEGORIES)
        assert vectors.dtype == torch.float32
        logits.append(scorer.logits(vectors.numpy(), bank))
    np.testing.assert_allclose(logits[0], logits[1], atol=0.02)
    assert not np.array_equal(logits[0], logits[1])


def test_an_absent_hub_model_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(OodexpError, match=r"Salesforce/blip2-itm-vit-g.*where there is network"):
        Blip2("Salesforce/blip2-itm-vit-g", 14.3).fingerprint()
