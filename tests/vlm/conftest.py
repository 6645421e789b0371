"""A tiny chat model of a real class, images, and a dual encoder of known cosines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

os.environ.setdefault("HF_HUB_OFFLINE", "1")

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<image>{% else %}{{ c['text'] }}{% endif %}{% endfor %}"
    "{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def images() -> list[Image.Image]:
    """Six images of one size, all different."""
    rng = np.random.default_rng(6)
    return [Image.fromarray(rng.integers(0, 256, (32, 32, 3), np.uint8)) for _ in range(6)]


@pytest.fixture(scope="session")
def llava_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Llava of some 40,000 parameters with a byte tokenizer and a chat template."""
    import torch
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
        PreTrainedTokenizerFast,
    )

    folder = tmp_path_factory.mktemp("llava")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {c: i for i, c in enumerate(["<pad>", "<s>", "</s>", "<image>", *alphabet])}
    raw = Tokenizer(BPE(vocabulary, []))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        extra_special_tokens={"image_token": "<image>"},
    )  # fmt: skip
    LlavaProcessor(
        image_processor=CLIPImageProcessor(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
        ),
        tokenizer=tokenizer,
        patch_size=16,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2}
    torch.manual_seed(3)
    net = LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=CLIPVisionConfig(
                num_hidden_layers=2, image_size=32, patch_size=16, **sizes
            ).to_dict(),
            text_config=LlamaConfig(
                num_hidden_layers=2, num_key_value_heads=2, vocab_size=len(vocabulary),
                max_position_embeddings=512, bos_token_id=1, eos_token_id=2, pad_token_id=0,
                initializer_range=0.3, **sizes,
            ).to_dict(),
            image_token_index=vocabulary["<image>"],
            vision_feature_layer=-1,
        )
    )  # fmt: skip
    # As real checkpoints do: sampling settings that a greedy run must not warn about.
    net.generation_config.update(do_sample=True, temperature=0.7, top_p=0.9, top_k=20)
    net.generation_config.eos_token_id = [2]
    net.generation_config.pad_token_id = 0
    net.save_pretrained(folder)
    return folder


class KnownCosines:
    """A dual encoder whose cosine of image and category is the image's red value / 255."""

    scale, bias = 10.0, -3.0

    def __init__(self) -> None:
        self.encoded = 0

    def fingerprint(self) -> dict[str, Any]:
        return {"kind": "known"}

    def load(self, device: str) -> None:
        self.device = device

    def preprocess(self, image: Image.Image) -> Any:
        import torch

        return torch.tensor(np.asarray(image, np.float32).transpose(2, 0, 1))

    def encode_images(self, batch: Any) -> Any:
        import torch

        self.encoded += len(batch)
        cosine = batch[:, 0, 0, 0] / 255
        return torch.stack([cosine, (1 - cosine**2).clamp_min(0).sqrt()], dim=1)

    def encode_texts(self, categories: list[str]) -> Any:
        from oodexp.scorer.base import TextBank

        return TextBank(np.tile(np.float32([[1, 0]]), (len(categories), 1)), self.scale, self.bias)

    def logits(self, images: np.ndarray, bank: Any) -> np.ndarray:
        return (bank.scale * images @ bank.embeddings.T + bank.bias).astype(np.float32)


@pytest.fixture
def known() -> KnownCosines:
    return KnownCosines()
