"""The architecture of the tiny FastVLM: a residual tower of 16 tokens, three Llama layers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.miniature.vocabulary import END, IMAGE, PAD, START, make_tokenizer, words

if TYPE_CHECKING:
    import torch

WIDTH = 128
TOKENS = 16
CONTEXT = 256
TEMPLATE = (
    "{% for message in messages %}<start> {{ message['role'] }} "
    "{% if message['content'] is string %}{{ message['content'] }} "
    "{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image> {% else %}{{ part['text'] }} {% endif %}"
    "{% endfor %}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<start> assistant{% endif %}"
)


def _tower() -> Any:
    """Describes the tower: 64 by 64 pixels become 4 by 4 tokens."""
    from transformers import TimmWrapperConfig

    describe: Any = TimmWrapperConfig
    tower = describe(
        architecture="resnet18",
        do_pooling=False,
        hidden_size=WIDTH,
        initializer_range=0.02,
        model_args={
            "layers": [1, 1, 1, 1],
            "channels": [24, 48, 96, WIDTH],
            "stem_width": 24,
            "stem_type": "",
            "output_stride": 16,
        },
    )
    tower.num_labels = 2
    return tower


def _language() -> Any:
    """Describes the language model."""
    from transformers import LlamaConfig

    listed = words()
    return LlamaConfig(
        vocab_size=len(listed),
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=CONTEXT,
        initializer_range=0.05,
        tie_word_embeddings=False,
        rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        bos_token_id=listed.index(START),
        eos_token_id=listed.index(END),
        pad_token_id=listed.index(PAD),
    )


def fresh_model() -> torch.nn.Module:
    """Makes an untrained ``FastVlmForConditionalGeneration``.

    Keys start as queries do, so that attention begins as "look at what is like me"; without it
    the model stays at chance for long.

    Returns:
        The model, with weights drawn from torch's generator.
    """
    import torch
    from transformers import FastVlmConfig, FastVlmForConditionalGeneration

    config = FastVlmConfig(
        vision_config=_tower(),
        text_config=_language(),
        image_token_index=words().index(IMAGE),
        image_seq_length=TOKENS,
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
        tie_word_embeddings=False,
    )
    model: Any = FastVlmForConditionalGeneration(config)
    with torch.no_grad():
        for layer in model.model.language_model.layers:
            layer.self_attn.k_proj.weight.copy_(layer.self_attn.q_proj.weight)
    made: torch.nn.Module = model
    return made


def make_processor() -> Any:
    """Makes the processor: images to 64 by 64 pixels, and the chat template.

    Returns:
        A ``LlavaProcessor``.
    """
    from transformers import CLIPImageProcessor, LlavaProcessor

    sight = CLIPImageProcessor(
        size={"height": 64, "width": 64},
        crop_size={"height": 64, "width": 64},
        do_center_crop=False,
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    maker: Any = LlavaProcessor
    return maker(
        image_processor=sight,
        tokenizer=make_tokenizer("chat", CONTEXT),
        patch_size=16,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=0,
        chat_template=TEMPLATE,
    )


def save_fastvlm(model: Any, folder: Path) -> None:
    """Keeps model, generation settings and processor as a transformers folder.

    Args:
        model: The trained model; kept as half floats.
        folder: Where to; made if missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = words()
    settings = model.generation_config
    settings.bos_token_id, settings.eos_token_id = listed.index(START), listed.index(END)
    settings.pad_token_id, settings.do_sample, settings.max_new_tokens = listed.index(PAD), False, 4
    model.half().save_pretrained(folder)
    model.float()
    make_processor().save_pretrained(folder)
