"""Tiny models of the real classes, and the promises that every scorer keeps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

os.environ.setdefault("HF_HUB_OFFLINE", "1")

OPEN_CLIP = {
    "embed_dim": 32,
    "vision_cfg": {
        "image_size": 32, "layers": 2, "width": 32, "head_width": 16, "patch_size": 16,
    },
    "text_cfg": {
        "context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2,
    },
}  # fmt: skip

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "photo", "of", "drawing", "the"]
WORDS += ["cat", "dog", "tree", "car", "big", "red", "house"]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def images() -> list[Image.Image]:
    """Five images of different sizes and content."""
    rng = np.random.default_rng(5)
    sizes = [(40, 30), (64, 64), (31, 57), (90, 40), (33, 33)]
    return [Image.fromarray(rng.integers(0, 256, (h, w, 3), np.uint8)) for w, h in sizes]


@pytest.fixture(scope="session")
def make_open_clip(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A folder of open_clip: `make(**changes of the configuration)`."""

    def make(**changes: Any) -> Path:
        import torch
        from open_clip import CLIP, CustomTextCLIP
        from safetensors.torch import save_file

        folder = tmp_path_factory.mktemp("open_clip")
        config = {**OPEN_CLIP, **changes}
        torch.manual_seed(1)
        kind = CustomTextCLIP if config.get("custom_text") else CLIP
        net = kind(**{k: v for k, v in config.items() if k != "custom_text"})
        save_file(
            {k: v.contiguous() for k, v in net.state_dict().items()},
            folder / "open_clip_model.safetensors",
        )
        described = {"model_cfg": config, "preprocess_cfg": {"mean": [0.5] * 3, "std": [0.25] * 3}}
        (folder / "open_clip_config.json").write_text(json.dumps(described))
        return folder

    return make


@pytest.fixture(scope="session")
def open_clip_folder(make_open_clip: Callable[..., Path]) -> Path:
    return make_open_clip()


def _word_tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
        sep_token="[SEP]", padding_side="left", model_max_length=24,
    )  # fmt: skip
    made.save_pretrained(folder)
    return made


@pytest.fixture(scope="session")
def blip2_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Blip2ForImageTextRetrieval, its tokenizer padding on the (wrong) left."""
    import torch
    from transformers import (
        Blip2Config,
        Blip2ForImageTextRetrieval,
        Blip2QFormerConfig,
        Blip2VisionConfig,
        BlipImageProcessor,
        OPTConfig,
    )

    folder = tmp_path_factory.mktemp("blip2")
    _word_tokenizer(folder)
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 2}
    config = Blip2Config(
        vision_config=Blip2VisionConfig(
            hidden_size=32, intermediate_size=64, image_size=32, patch_size=8,
            initializer_range=0.2, **sizes,
        ).to_dict(),
        qformer_config=Blip2QFormerConfig(
            hidden_size=32, intermediate_size=64, encoder_hidden_size=32, vocab_size=len(WORDS),
            max_position_embeddings=24, use_qformer_text_input=True, cross_attention_frequency=1,
            initializer_range=0.2, **sizes,
        ).to_dict(),
        text_config=OPTConfig(
            hidden_size=16, ffn_dim=16, num_hidden_layers=1, num_attention_heads=1, vocab_size=32,
            word_embed_proj_dim=16,
        ).to_dict(),
        image_text_hidden_size=16,
        num_query_tokens=4,
    )  # fmt: skip
    torch.manual_seed(2)
    net = Blip2ForImageTextRetrieval(config)
    torch.nn.init.normal_(net.query_tokens)
    net.save_pretrained(folder)
    BlipImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    (folder / "oodexp_scale.json").write_text('{"scale": 21.5}')
    return folder


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The saved model of a family."""
    from tests.scorer.families import save_family

    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = save_family(name, tmp_path_factory.mktemp(name))
        return made[name]

    return of


@pytest.fixture(scope="session")
def sentence_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT in the format of sentence-transformers, mean pooling."""
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("sentence")
    _word_tokenizer(folder)
    torch.manual_seed(3)
    BertModel(
        BertConfig(
            vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=64, max_position_embeddings=24, initializer_range=0.3,
        )
    ).save_pretrained(folder)  # fmt: skip
    return folder


@pytest.fixture
def keeps_promises(images: list[Image.Image]) -> Callable[[Any, list[str]], None]:
    """Checks what `oodexp.scorer.base.Scorer` promises of a scorer that is not yet loaded."""

    def check(scorer: Any, categories: list[str]) -> None:
        import torch

        text = json.dumps(scorer.fingerprint(), sort_keys=True)
        scorer.load("cpu")
        assert json.dumps(scorer.fingerprint(), sort_keys=True) == text
        pixels = torch.stack([scorer.preprocess(image) for image in images])
        assert pixels.dtype == torch.float32
        together = scorer.encode_images(pixels)
        alone = torch.cat([scorer.encode_images(one[None]) for one in pixels])
        assert together.dtype == torch.float32
        torch.testing.assert_close(alone, together, rtol=0, atol=1e-5)
        torch.testing.assert_close(
            together.norm(dim=-1), torch.ones(together.shape[:-1]), rtol=0, atol=1e-5
        )
        bank = scorer.encode_texts(categories)
        assert bank.embeddings.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(bank.embeddings, axis=-1), 1, atol=1e-5)
        for row, category in zip(bank.embeddings, categories, strict=True):
            own = scorer.encode_texts([category]).embeddings[0]
            np.testing.assert_allclose(own, row, atol=1e-5)
        logits = scorer.logits(together.numpy(), bank)
        assert logits.shape == (len(images), len(categories))
        assert logits.dtype == np.float32
        one = scorer.logits(together[2:3].numpy(), bank)[0]
        np.testing.assert_allclose(one, logits[2], atol=1e-3)
        assert not np.allclose(logits[0], logits[1])
        hurt = pixels.clone()
        hurt[1] = torch.nan
        logits_hurt = scorer.logits(scorer.encode_images(hurt).numpy(), bank)
        assert np.isnan(logits_hurt[1]).all()
        np.testing.assert_allclose(logits_hurt[[0, 2, 3, 4]], logits[[0, 2, 3, 4]], atol=1e-3)

    return check
