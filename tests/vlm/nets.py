"""A small random network of each class of VLM."""

from __future__ import annotations

from typing import Any

SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2}
TOWER = {**SIZES, "num_hidden_layers": 2, "image_size": 32, "patch_size": 8}
LAYERS = {**SIZES, "num_hidden_layers": 2, "num_key_value_heads": 2}
PINS = [[32, 64], [64, 32], [64, 64]]
"""Shapes that images are cut into tiles at."""


def llama(words: Any, **more: Any) -> dict[str, Any]:
    from transformers import LlamaConfig

    return LlamaConfig(**LAYERS, **vocabulary(words), **more).to_dict()


def vocabulary(words: Any) -> dict[str, Any]:
    marks = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    return {"vocab_size": len(words), "max_position_embeddings": 1024, **marks}


def clip() -> dict[str, Any]:
    from transformers import CLIPVisionConfig

    return CLIPVisionConfig(**TOWER).to_dict()


def siglip(**more: Any) -> dict[str, Any]:
    from transformers import SiglipVisionConfig

    return SiglipVisionConfig(**TOWER, **more).to_dict()


def image_of(words: Any) -> int:
    return int(words.convert_tokens_to_ids("<image>"))


def _llava(words: Any) -> Any:
    from transformers import LlavaConfig, LlavaForConditionalGeneration

    return LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=clip(), text_config=llama(words), image_token_index=image_of(words),
            vision_feature_layer=-1,
        )
    )  # fmt: skip


def _llava_next(words: Any) -> Any:
    from transformers import LlavaNextConfig, LlavaNextForConditionalGeneration

    return LlavaNextForConditionalGeneration(
        LlavaNextConfig(
            vision_config=clip(), text_config=llama(words), image_token_index=image_of(words),
            image_grid_pinpoints=PINS,
        )
    )  # fmt: skip


def _llava_onevision(words: Any) -> Any:
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        Qwen2Config,
    )

    return LlavaOnevisionForConditionalGeneration(
        LlavaOnevisionConfig(
            vision_config=siglip(vision_use_head=False),
            text_config=Qwen2Config(**LAYERS, **vocabulary(words)).to_dict(),
            image_token_index=image_of(words), video_token_index=words.video_token_id,
            image_grid_pinpoints=PINS,
        )
    )  # fmt: skip


def _internvl(words: Any) -> Any:
    from transformers import (
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLVisionConfig,
        Qwen2Config,
    )

    tower = {**TOWER, "image_size": [32, 32], "patch_size": [8, 8]}
    return InternVLForConditionalGeneration(
        InternVLConfig(
            vision_config=InternVLVisionConfig(**tower).to_dict(),
            text_config=Qwen2Config(**LAYERS, **vocabulary(words)).to_dict(),
            image_token_id=words.context_image_token_id, image_seq_length=4,
        )
    )  # fmt: skip


def _qwen_marks(words: Any) -> dict[str, int]:
    return {
        "image_token_id": words.image_token_id, "video_token_id": words.video_token_id,
        "vision_start_token_id": words.vision_start_token_id,
        "vision_end_token_id": words.vision_end_token_id,
    }  # fmt: skip


def _rope(**more: Any) -> dict[str, Any]:
    return {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3], **more}


def _qwen2_vl(words: Any) -> Any:
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    tower = {"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "patch_size": 8}
    return Qwen2VLForConditionalGeneration(
        Qwen2VLConfig(
            vision_config={**tower, "mlp_ratio": 2},
            text_config={**LAYERS, **vocabulary(words), "rope_parameters": _rope()},
            **_qwen_marks(words),
        )
    )  # fmt: skip


def _qwen2_5_vl(words: Any) -> Any:
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    tower = {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 2, "patch_size": 8,
        "intermediate_size": 64, "window_size": 32, "fullatt_block_indexes": [1],
    }  # fmt: skip
    return Qwen2_5_VLForConditionalGeneration(
        Qwen2_5_VLConfig(
            vision_config=tower,
            text_config={**LAYERS, **vocabulary(words), "rope_parameters": _rope()},
            **_qwen_marks(words),
        )
    )  # fmt: skip


def _qwen3_vl(words: Any) -> Any:
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    tower = {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 2, "patch_size": 8,
        "intermediate_size": 64, "num_position_embeddings": 16, "deepstack_visual_indexes": [0],
    }  # fmt: skip
    text = {**LAYERS, **vocabulary(words), "head_dim": 16}
    return Qwen3VLForConditionalGeneration(
        Qwen3VLConfig(
            vision_config=tower,
            text_config={**text, "rope_parameters": _rope(mrope_interleaved=True)},
            **_qwen_marks(words),
        )
    )  # fmt: skip


def _deepseek_vl(words: Any) -> Any:
    from transformers import DeepseekVLConfig, DeepseekVLForConditionalGeneration

    return DeepseekVLForConditionalGeneration(
        DeepseekVLConfig(
            vision_config=siglip(vision_use_head=False), text_config=llama(words),
            image_token_id=image_of(words),
        )
    )  # fmt: skip


def _deepseek_vl_hybrid(words: Any) -> Any:
    from transformers import DeepseekVLHybridConfig, DeepseekVLHybridForConditionalGeneration

    sharp = {
        "model_type": "sam_vision_model", "hidden_size": 32, "output_channels": 8, "mlp_dim": 64,
        "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 64, "patch_size": 8,
        "window_size": 4, "global_attn_indexes": [1],
    }  # fmt: skip
    return DeepseekVLHybridForConditionalGeneration(
        DeepseekVLHybridConfig(
            vision_config=siglip(vision_use_head=False), high_res_vision_config=sharp,
            text_config=llama(words), image_token_id=image_of(words), tie_word_embeddings=False,
        )
    )  # fmt: skip


def _idefics3(words: Any) -> Any:
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration

    return Idefics3ForConditionalGeneration(
        Idefics3Config(
            vision_config=TOWER, text_config=llama(words), scale_factor=2,
            image_token_id=image_of(words), pad_token_id=0,
        )
    )  # fmt: skip


def _smolvlm(words: Any) -> Any:
    from transformers import SmolVLMConfig, SmolVLMForConditionalGeneration

    return SmolVLMForConditionalGeneration(
        SmolVLMConfig(
            vision_config=TOWER, text_config=llama(words), scale_factor=2,
            image_token_id=image_of(words), pad_token_id=0,
        )
    )  # fmt: skip


def _gemma3(words: Any) -> Any:
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3TextConfig

    text = Gemma3TextConfig(
        **LAYERS, **vocabulary(words), head_dim=16, sliding_window=512, tie_word_embeddings=False,
        layer_types=["sliding_attention", "full_attention"],
    )  # fmt: skip
    return Gemma3ForConditionalGeneration(
        Gemma3Config(
            vision_config=siglip(vision_use_head=False), text_config=text.to_dict(),
            mm_tokens_per_image=4, tie_word_embeddings=False, image_token_id=image_of(words),
            boi_token_id=words.boi_token_id, eoi_token_id=words.eoi_token_id,
        )
    )  # fmt: skip


def _fast_vlm(words: Any) -> Any:
    from transformers import FastVlmConfig, FastVlmForConditionalGeneration, TimmWrapperConfig

    tower = TimmWrapperConfig(
        architecture="resnet18", do_pooling=False, hidden_size=32, initializer_range=0.02,
        model_args={
            "layers": [1, 1, 1, 1], "channels": [8, 8, 16, 32], "stem_width": 8, "stem_type": "",
            "output_stride": 8,
        },
    )  # fmt: skip
    tower.num_labels = 2
    return FastVlmForConditionalGeneration(
        FastVlmConfig(
            vision_config=tower, text_config=llama(words), image_token_index=image_of(words),
            image_seq_length=16, tie_word_embeddings=False,
        )
    )  # fmt: skip


NETS = {
    "llava": _llava, "llava_next": _llava_next, "llava_onevision": _llava_onevision,
    "internvl": _internvl, "qwen2_vl": _qwen2_vl, "qwen2_5_vl": _qwen2_5_vl,
    "qwen3_vl": _qwen3_vl, "deepseek_vl": _deepseek_vl, "deepseek_vl_hybrid": _deepseek_vl_hybrid,
    "idefics3": _idefics3, "smolvlm": _smolvlm, "gemma3": _gemma3,
    "fast_vlm": _fast_vlm,
}  # fmt: skip
