"""Small random networks that take an image in otherwise than as a stretch of a chat."""

from __future__ import annotations

from typing import Any

from tests.vlm.nets import LAYERS, SIZES, TOWER, image_of, siglip, vocabulary


def _mllama(words: Any) -> Any:
    from transformers import MllamaConfig, MllamaForConditionalGeneration

    tower = {
        "hidden_size": 32, "intermediate_size": 64, "attention_heads": 2, "num_hidden_layers": 2,
        "num_global_layers": 1, "vision_output_dim": 64, "image_size": 32, "patch_size": 8,
        "intermediate_layers_indices": [1],
    }  # fmt: skip
    text = {**LAYERS, **vocabulary(words), "cross_attention_layers": [1], "num_hidden_layers": 3}
    net = MllamaForConditionalGeneration(
        MllamaConfig(vision_config=tower, text_config=text, image_token_index=image_of(words))
    )
    for name, gate in net.named_parameters():
        if name.endswith(("attn_gate", "mlp_gate")):
            gate.data.fill_(1.0)  # at zero, as drawn, no image is seen
    return net


def _paligemma(words: Any) -> Any:
    from transformers import GemmaConfig, PaliGemmaConfig, PaliGemmaForConditionalGeneration

    text = GemmaConfig(**LAYERS, **vocabulary(words), head_dim=16, tie_word_embeddings=False)
    return PaliGemmaForConditionalGeneration(
        PaliGemmaConfig(
            vision_config=siglip(projection_dim=32, vision_use_head=False),
            text_config=text.to_dict(), projection_dim=32, tie_word_embeddings=False,
            image_token_index=image_of(words),
        )
    )  # fmt: skip


def _blip2(words: Any) -> Any:
    from transformers import OPTConfig

    text = OPTConfig(
        hidden_size=32, ffn_dim=64, num_attention_heads=2, num_hidden_layers=2,
        word_embed_proj_dim=32, **vocabulary(words),
    )  # fmt: skip
    return _blip2_of(words, text)


def _blip2_t5(words: Any) -> Any:
    from transformers import T5Config

    text = T5Config(
        d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2, vocab_size=len(words),
        decoder_start_token_id=0, eos_token_id=2, pad_token_id=0, tie_word_embeddings=False,
    )  # fmt: skip
    return _blip2_of(words, text)


def _blip2_of(words: Any, text: Any) -> Any:
    from transformers import Blip2Config, Blip2ForConditionalGeneration

    former = {**SIZES, "num_hidden_layers": 2, "encoder_hidden_size": 32, "vocab_size": 64}
    return Blip2ForConditionalGeneration(
        Blip2Config(
            vision_config={**TOWER, "initializer_range": 0.02}, qformer_config=former,
            text_config=text.to_dict(), num_query_tokens=4, image_token_index=image_of(words),
        )
    )  # fmt: skip


APART = {"mllama": _mllama, "paligemma": _paligemma, "blip2": _blip2, "blip2-t5": _blip2_t5}
