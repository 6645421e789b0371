"""The processor of each class of VLM, small, with a tokenizer that all share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.vlm.nets import PINS

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}IMAGE{% else %}{{ c['text'] }}{% endif %}{% endfor %}"
    "{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
)
_SQUARE = {"height": 32, "width": 32}

Makers = dict[str, Callable[[], Any]]


def make_processor(name: str, words: Any) -> Any:
    """The processor of a family.

    Args:
        name: Of the family.
        words: A tokenizer.
    """
    marks = {"gemma3": "<boi>", "internvl": "<ctx>"}
    chat = {"chat_template": TEMPLATE.replace("IMAGE", marks.get(name, "<image>"))}
    groups = (_llava, _tiled, _qwen, _whole)
    made: Makers = _plain(words)
    for group in groups:
        made |= group(words, chat)
    return made[name]()


def _llava(words: Any, chat: dict[str, str]) -> Makers:
    import transformers as t

    full = {"vision_feature_select_strategy": "full", "num_additional_image_tokens": 0}
    default = {"vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}

    def make(tokens: dict[str, Any]) -> Any:
        crop = t.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=_SQUARE)
        return t.LlavaProcessor(crop, words, patch_size=8, **chat, **tokens)

    return {"llava": lambda: make(default), "fast_vlm": lambda: make(full)}


def _tiled(words: Any, chat: dict[str, str]) -> Makers:
    """Images cut into tiles by their shape."""
    import transformers as t

    return {
        "llava_next": lambda: t.LlavaNextProcessor(
            t.LlavaNextImageProcessor(
                size={"shortest_edge": 32}, crop_size=_SQUARE, image_grid_pinpoints=PINS
            ),
            words, patch_size=8, vision_feature_select_strategy="default",
            num_additional_image_tokens=1, **chat,
        ),
        "llava_onevision": lambda: t.LlavaOnevisionProcessor(
            t.LlavaOnevisionImageProcessor(size=_SQUARE, image_grid_pinpoints=PINS), words,
            t.LlavaOnevisionVideoProcessor(), num_image_tokens=16,
            vision_feature_select_strategy="full", **chat,
        ),
        "internvl": lambda: t.InternVLProcessor(
            t.GotOcr2ImageProcessor(size=_SQUARE, crop_to_patches=True, max_patches=4), words,
            t.InternVLVideoProcessor(), image_seq_length=4, **chat,
        ),
        "mllama": lambda: t.MllamaProcessor(
            t.MllamaImageProcessor(size=_SQUARE, max_image_tiles=4), words, **chat
        ),
        "idefics3": lambda: t.Idefics3Processor(
            t.Idefics3ImageProcessor(
                size={"longest_edge": 64}, max_image_size={"longest_edge": 32}
            ),
            words, image_seq_len=4, **chat,
        ),
        "smolvlm": lambda: t.SmolVLMProcessor(
            t.SmolVLMImageProcessor(size={"longest_edge": 64}, max_image_size={"longest_edge": 32}),
            words, t.SmolVLMVideoProcessor(), image_seq_len=4, **chat,
        ),
    }  # fmt: skip


def _qwen(words: Any, chat: dict[str, str]) -> Makers:
    """Images of as many patches as they have."""
    import transformers as t

    qwen = {"patch_size": 8, "min_pixels": 256, "max_pixels": 4096}
    return {
        "qwen2_vl": lambda: t.Qwen2VLProcessor(
            t.Qwen2VLImageProcessor(**qwen), words, t.Qwen2VLVideoProcessor(), **chat
        ),
        "qwen2_5_vl": lambda: t.Qwen2_5_VLProcessor(
            t.Qwen2VLImageProcessor(**qwen), words, t.Qwen2VLVideoProcessor(), **chat
        ),
        "qwen3_vl": lambda: t.Qwen3VLProcessor(
            t.Qwen2VLImageProcessor(**qwen), words, t.Qwen3VLVideoProcessor(), **chat
        ),
    }  # fmt: skip


def _whole(words: Any, chat: dict[str, str]) -> Makers:
    """Images of one size."""
    import transformers as t

    return {
        "deepseek_vl": lambda: t.DeepseekVLProcessor(
            t.DeepseekVLImageProcessor(size=_SQUARE, min_size=8), words, num_image_tokens=16, **chat
        ),
        "deepseek_vl_hybrid": lambda: t.DeepseekVLHybridProcessor(
            t.DeepseekVLHybridImageProcessor(
                size=_SQUARE, high_res_size={"height": 64, "width": 64}, min_size=8
            ),
            words, num_image_tokens=16, **chat,
        ),
        "gemma3": lambda: t.Gemma3Processor(
            t.Gemma3ImageProcessor(size=_SQUARE), words, image_seq_length=4, **chat
        ),
    }  # fmt: skip


def _plain(words: Any) -> Makers:
    """Processors without a chat template."""
    import transformers as t

    siglip = t.SiglipImageProcessor(size=_SQUARE)
    siglip.image_seq_length = 16
    return {
        "paligemma": lambda: t.PaliGemmaProcessor(siglip, words),
        "blip2": lambda: t.Blip2Processor(
            t.BlipImageProcessor(size=_SQUARE), words, num_query_tokens=4
        ),
        "blip2-t5": lambda: t.Blip2Processor(
            t.BlipImageProcessor(size=_SQUARE), words, num_query_tokens=4
        ),
    }  # fmt: skip
