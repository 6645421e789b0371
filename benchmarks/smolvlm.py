"""A model of the shape of SmolVLM-256M with random weights, saved as a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}"
    "<end>{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"
)
IMAGE_SIDE = 512
VOCABULARY = 49_280
SPECIAL = 6
"""Tokens beside the words: begin, end, pad, image and two that surround an image."""


def save(folder: Path, seed: int = 0) -> Path:
    """Writes model and processor; 256 million random parameters, 64 tokens an image, no tiles."""
    import torch
    import transformers

    library: Any = transformers
    torch.manual_seed(seed)
    tokenizer = _tokenizer()
    config = library.SmolVLMConfig(
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"), scale_factor=4,
        tie_word_embeddings=False,
        vision_config={
            "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
            "num_attention_heads": 12, "patch_size": 16, "image_size": IMAGE_SIDE,
        },
        text_config={
            "model_type": "llama", "hidden_size": 576, "intermediate_size": 1536,
            "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3,
            "vocab_size": VOCABULARY, "max_position_embeddings": 8192,
            "pad_token_id": tokenizer.pad_token_id,
        },
    )  # fmt: skip
    model: Any = library.SmolVLMForConditionalGeneration(config)
    with torch.no_grad():
        model.lm_head.weight.mul_(20)  # flat logits would make ties of all answers
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    size = {"longest_edge": IMAGE_SIDE}
    pictures = library.SmolVLMImageProcessor(
        size=size, max_image_size=size, do_image_splitting=False, do_resize=True
    )
    library.SmolVLMProcessor(
        pictures,
        tokenizer,
        image_seq_len=64,
        chat_template=TEMPLATE,
        video_processor=library.SmolVLMVideoProcessor(),
    ).save_pretrained(folder)
    return folder


def parameters(folder: Path) -> int:
    """Number of parameters that the folder's weights hold."""
    from safetensors import safe_open

    total = 0
    for file in folder.glob("*.safetensors"):
        with safe_open(file, "pt") as weights:
            for name in weights.keys():  # noqa: SIM118 - not a mapping
                shape = weights.get_slice(name).get_shape()
                count = 1
                for side in shape:
                    count *= side
                total += count
    return total


def _tokenizer() -> Any:
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    words = ["Does this image contain a boat? (yes or no)", "Does this image not contain a dog?"]
    bare.train_from_iterator(
        words * 4, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet)
    )
    # Entries that no merge leads to: every token that a random model chooses has a text.
    described = json.loads(bare.to_str())
    known = described["model"]["vocab"]
    known |= {f"\u0120w{n}": n for n in range(len(known), VOCABULARY - SPECIAL)}
    bare = Tokenizer.from_str(json.dumps(described))
    special = {"fake_image_token": "<fake>", "global_image_token": "<global>"}
    library: Any = transformers
    return library.PreTrainedTokenizerFast(
        tokenizer_object=bare, bos_token="<s>", eos_token="<end>", pad_token="<pad>",
        padding_side="left",
        extra_special_tokens={
            "image_token": "<image>", "end_of_utterance_token": "<end>", **special,
        },
    )  # fmt: skip
