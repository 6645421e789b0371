"""SigLIP through open_clip: the width and the cleaning that it was trained with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.scorer.open_clip import OpenClip
from tests.scorer.families import word_tokenizer


@pytest.fixture(scope="module")
def siglip_folder(make_open_clip: Callable[..., Path]) -> Path:
    """Text side as in open_clip's SigLIP: 64 tokens without a mask, the last one is the vector."""
    tokenizer = word_tokenizer()
    tokenizer.padding_side = "right"
    text = {
        "context_length": 64, "vocab_size": len(tokenizer), "width": 32, "heads": 2, "layers": 2,
        "hf_tokenizer_name": "beside the weights", "tokenizer_kwargs": {"clean": "canonicalize"},
        "no_causal_mask": True, "proj_bias": True, "pool_type": "last",
    }  # fmt: skip
    folder = make_open_clip(init_logit_bias=-10.0, custom_text=True, text_cfg=text)
    tokenizer.save_pretrained(folder)
    return folder


def test_every_siglip_text_has_the_trained_width(
    siglip_folder: Path, shared: Path, images: list[Image.Image]
) -> None:
    import torch

    prompts = json.loads((shared / "cases" / "g13-siglip-width" / "prompts.json").read_text())
    scorer = OpenClip(f"local-dir:{siglip_folder}", templates=["{}"], link="sigmoid")
    scorer.load("cpu")
    assert [scorer._tokenizer([p]).shape for p in prompts] == [(1, 64), (1, 64)]
    pixels = torch.stack([scorer.preprocess(i) for i in images])
    vectors = scorer.encode_images(pixels).numpy()
    alone, pair = (scorer.logits(vectors, scorer.encode_texts(p)) for p in (prompts[:1], prompts))
    np.testing.assert_allclose(alone[:, 0], pair[:, 0], atol=1e-5)


def test_siglip_texts_are_canonical(siglip_folder: Path) -> None:
    scorer = OpenClip(f"local-dir:{siglip_folder}")
    scorer.load("cpu")
    plain, odd = (scorer.encode_texts([c]).embeddings for c in ("big red house", "Big_RED  house!"))
    np.testing.assert_array_equal(plain, odd)


def test_a_siglip_text_that_would_be_cut_is_refused(siglip_folder: Path) -> None:
    # Its padding is its end mark: the last token of a cut text looks like padding.
    scorer = OpenClip(f"local-dir:{siglip_folder}", templates=["{}"])
    scorer.load("cpu")
    scorer.encode_texts(["cat " * 62 + "dog", "dog"])
    for words in (63, 64, 65, 100):
        with pytest.raises(OodexpError, match="64 tokens and would be cut"):
            scorer.encode_texts(["cat " * words + "dog", "dog"])
