"""A small random model of each class of VLM, saved with its processor and tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.vlm.nets import NETS
from tests.vlm.nets_apart import APART
from tests.vlm.processors import make_processor

FAMILIES = [*NETS, *APART]

PLAIN = {"paligemma": "<image>answer en {}", "blip2": "Question: {} Answer:", "blip2-t5": "{}"}
"""Families without a chat template, and the prompt they are asked with."""

_NAMED = {
    "image_token": "<image>", "video_token": "<video>", "start_image_token": "<img>",
    "end_image_token": "</img>", "context_image_token": "<ctx>", "vision_start_token": "<vs>",
    "vision_end_token": "<ve>", "boi_token": "<boi>", "eoi_token": "<eoi>",
    "fake_image_token": "<fake_token_around_image>", "global_image_token": "<global-img>",
    "end_of_utterance_token": "<end_of_utterance>",
}  # fmt: skip
_TILES = [f"<row_{i}_col_{j}>" for i in (1, 2, 3) for j in (1, 2, 3)]
_MARKS = ["<pad>", "<s>", "</s>", *_NAMED.values(), *_TILES]
_WORDS = ["Ye", "Yes", "ye", "yes", "No", "no", "Ġyes", "ĠNo"]
_MERGES = [("Y", "e"), ("Ye", "s"), ("y", "e"), ("ye", "s"), ("N", "o"), ("n", "o")]
_MERGES += [("Ġ", "yes"), ("Ġ", "No")]


def save_family(name: str, folder: Path, strength: float = 8.0) -> Path:
    """Writes a folder as the hub holds it: weights, configuration, processor, tokenizer."""
    import torch

    torch.manual_seed(11)
    words = tokenizer(named=not name.startswith("blip2"))
    processor = make_processor(name, words)
    net = {**NETS, **APART}[name](words)
    with torch.no_grad():
        for tensor in net.parameters():
            if tensor.ndim >= 2 and not tensor.any():
                tensor.normal_(0, 0.02)  # a projection that starts at zero sees no image
            if tensor.ndim >= 2:
                tensor.mul_(strength)  # as drawn, logits are nearly ties and images nearly one
    net.generation_config.eos_token_id, net.generation_config.pad_token_id = 2, 0
    net.generation_config.bos_token_id = 1
    net.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def tokenizer(named: bool = True) -> Any:
    """Bytes, yes and no, and every mark that a family needs, as attributes if `named`."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE
    from transformers import PreTrainedTokenizerFast

    listed = [*_MARKS, *sorted(pre_tokenizers.ByteLevel.alphabet()), *_WORDS]
    raw = Tokenizer(BPE({c: i for i, c in enumerate(listed)}, _MERGES))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    marks = {**_NAMED, **{f"tile_{n}_token": mark for n, mark in enumerate(_TILES)}}
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        extra_special_tokens=marks if named else {},
    )  # fmt: skip
