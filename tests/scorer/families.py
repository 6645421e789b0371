"""A small random model of each class of dual encoder, saved with its processor and tokenizer."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.scorer.dual_encoder import DualEncoder

if TYPE_CHECKING:
    from PIL import Image

FAMILIES = ["clip", "siglip", "siglip2", "align", "groupvit", "vision-text-dual-encoder"]

WORDS = ["a", "photo", "of", "drawing", "the", "cat", "dog", "tree", "car", "big", "red", "house"]
WORDS += ["cordless", "electric", "screwdriver", "with", "spare", "battery"]

_TOWER = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
}  # fmt: skip
_IMAGE = {"image_size": 32, "patch_size": 8}


def save_family(name: str, folder: Path, strength: float = 2.0) -> Path:
    """Writes a folder as the hub holds it: weights, configuration, processor, tokenizer."""
    import torch

    torch.manual_seed(7)
    net = _NETS[name](folder)
    with torch.no_grad():
        for tensor in net.parameters():
            if tensor.ndim >= 2:
                tensor.mul_(strength)  # as drawn, all images have nearly the same vector
        _set_calibration(net)
    net.save_pretrained(folder)
    _processor(name).save_pretrained(folder)
    _tokenizer(name).save_pretrained(folder)
    return folder


def loaded(folder: Path, **settings: Any) -> DualEncoder:
    """The scorer of a saved model, ready to use."""
    scorer = DualEncoder(str(folder), **settings)
    scorer.load("cpu")
    return scorer


def logits_of(scorer: Any, images: list[Image.Image], categories: list[str]) -> np.ndarray:
    """Logits of images and categories through all of a scorer's methods."""
    import torch

    pixels = torch.stack([scorer.preprocess(image) for image in images])
    return scorer.logits(scorer.encode_images(pixels).numpy(), scorer.encode_texts(categories))


def _set_calibration(net: Any) -> None:
    if hasattr(net, "temperature"):
        net.temperature.fill_(0.07)
    else:
        net.logit_scale.fill_(3.3)
    if hasattr(net, "logit_bias"):
        net.logit_bias.fill_(-4.5)


def _clip(_: Path) -> Any:
    from transformers import CLIPConfig, CLIPModel

    text = {**_TOWER, "vocab_size": 49408, "max_position_embeddings": 77, "eos_token_id": 49407}
    return CLIPModel(
        CLIPConfig(
            text_config=text | {"bos_token_id": 49406, "pad_token_id": 49407},
            vision_config={**_TOWER, **_IMAGE}, projection_dim=16,
        )
    )  # fmt: skip


def _siglip(_: Path) -> Any:
    from transformers import SiglipConfig, SiglipModel

    text = {**_TOWER, "vocab_size": len(WORDS) + 2, "max_position_embeddings": 64}
    text |= {"eos_token_id": 1, "pad_token_id": 1, "bos_token_id": 1}
    return SiglipModel(SiglipConfig(text_config=text, vision_config={**_TOWER, **_IMAGE}))


def _siglip2(_: Path) -> Any:
    from transformers import Siglip2Config, Siglip2Model

    text = {**_TOWER, "vocab_size": 320, "max_position_embeddings": 64}
    vision = {**_TOWER, "patch_size": 8, "num_patches": 16}
    return Siglip2Model(Siglip2Config(text_config=text, vision_config=vision))


def _align(_: Path) -> Any:
    from transformers import AlignConfig, AlignModel

    vision = {
        "image_size": 32, "width_coefficient": 1.0, "depth_coefficient": 0.5, "hidden_dim": 24,
        "kernel_sizes": [3, 3], "in_channels": [32, 16], "out_channels": [16, 24],
        "strides": [1, 2], "num_block_repeats": [1, 2], "expand_ratios": [1, 6],
    }  # fmt: skip
    text = {**_TOWER, "vocab_size": len(WORDS) + 5, "max_position_embeddings": 80}
    return AlignModel(AlignConfig(text_config=text, vision_config=vision, projection_dim=24))


def _groupvit(_: Path) -> Any:
    from transformers import GroupViTConfig, GroupViTModel

    vision = {
        **_TOWER, **_IMAGE, "depths": [1, 1], "num_group_tokens": [4, 0],
        "num_output_groups": [4, 4],
    }  # fmt: skip
    text = {**_TOWER, "vocab_size": 49408, "max_position_embeddings": 77, "eos_token_id": 49407}
    return GroupViTModel(
        GroupViTConfig(
            text_config=text | {"bos_token_id": 49406, "pad_token_id": 49407},
            vision_config=vision, projection_dim=16, projection_intermediate_dim=32,
        )
    )  # fmt: skip


def _pair(_: Path) -> Any:
    from transformers import (
        BertConfig,
        VisionTextDualEncoderConfig,
        VisionTextDualEncoderModel,
        ViTConfig,
    )

    text = BertConfig(**_TOWER, vocab_size=len(WORDS) + 5, max_position_embeddings=40)
    config = VisionTextDualEncoderConfig.from_vision_text_configs(
        ViTConfig(**_TOWER, **_IMAGE), text, projection_dim=16
    )
    return VisionTextDualEncoderModel(config)


_NETS = {
    "clip": _clip, "siglip": _siglip, "siglip2": _siglip2, "align": _align,
    "groupvit": _groupvit, "vision-text-dual-encoder": _pair,
}  # fmt: skip


def _processor(name: str) -> Any:
    import transformers

    square = {"height": 32, "width": 32}
    if name in ("clip", "groupvit"):
        return transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=square)
    if name == "siglip2":
        return transformers.Siglip2ImageProcessor(patch_size=8, max_num_patches=24)
    if name == "align":
        return transformers.EfficientNetImageProcessor(size=square, crop_size=square)
    kind = "SiglipImageProcessor" if name == "siglip" else "ViTImageProcessor"
    return getattr(transformers, kind)(size=square)


def _tokenizer(name: str) -> Any:
    if name in ("clip", "groupvit"):
        return clip_tokenizer()
    return {"siglip": word_tokenizer, "siglip2": _letter_tokenizer}.get(name, _bert_tokenizer)()


@cache
def clip_tokenizer() -> Any:
    """CLIP's own tokenizer, its vocabulary taken from open_clip's package."""
    from open_clip.tokenizer import SimpleTokenizer
    from transformers import CLIPTokenizer

    own = SimpleTokenizer()
    marks = {"<start_of_text>": "<|startoftext|>", "<end_of_text>": "<|endoftext|>"}
    vocabulary = {marks.get(word, word): number for word, number in own.encoder.items()}
    return CLIPTokenizer(vocab=vocabulary, merges=list(own.bpe_ranks), model_max_length=77)


def word_tokenizer() -> Any:
    """Whole words, case and punctuation kept; like SigLIP's it pads with its end mark."""
    from tokenizers import Tokenizer, pre_tokenizers, processors
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    vocabulary = {w: n for n, w in enumerate(["<unk>", "</s>", *WORDS])}
    words = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="<unk>", eos_token="</s>", pad_token="</s>",
        padding_side="left", model_max_length=64,
    )  # fmt: skip


def _letter_tokenizer() -> Any:
    from transformers import Siglip2Tokenizer

    marks = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "▁", *"abcdefghijklmnopqrstuvwxyz"]
    bytes_ = [f"<0x{n:02X}>" for n in range(256)]
    vocabulary = {mark: n for n, mark in enumerate([*marks, *bytes_])}
    return Siglip2Tokenizer(
        vocab=vocabulary, merges=[], padding_side="left", model_max_length=64
    )  # fmt: skip


def _bert_tokenizer() -> Any:
    from transformers import BertTokenizer

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return BertTokenizer(
        vocab={word: n for n, word in enumerate([*marks, *WORDS])}, padding_side="left"
    )
