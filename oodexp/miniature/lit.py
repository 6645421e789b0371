"""The tiny LiT-like scorer: a ResNet and a two-layer Bert, and how its folder is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.miniature.vocabulary import PAD, make_tokenizer, words

if TYPE_CHECKING:
    import torch

CONTEXT = 24
WIDTH = 128


def _tower() -> Any:
    """Describes the image tower: four ResNet blocks and a mean over its 4 by 4 places."""
    from transformers import TimmWrapperConfig

    describe: Any = TimmWrapperConfig
    tower = describe(
        architecture="resnet18",
        hidden_size=WIDTH,
        model_args={
            "layers": [1, 1, 1, 1],
            "channels": [24, 48, 96, WIDTH],
            "stem_width": 24,
            "stem_type": "",
            "output_stride": 16,
        },
    )
    tower.num_labels = 2  # else the configuration would list the labels of ImageNet
    return tower


def _reader() -> Any:
    """Describes the text tower."""
    from transformers import BertConfig

    listed = words()
    return BertConfig(
        vocab_size=len(listed),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=CONTEXT,
        type_vocab_size=1,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=listed.index(PAD),
    )


def fresh_model() -> torch.nn.Module:
    """Makes an untrained ``VisionTextDualEncoderModel``.

    Returns:
        The model, with weights drawn from torch's generator and a logit scale of 10.
    """
    from math import log

    from transformers import VisionTextDualEncoderConfig, VisionTextDualEncoderModel

    config = VisionTextDualEncoderConfig.from_vision_text_configs(
        _tower(), _reader(), projection_dim=64, logit_scale_init_value=log(10.0)
    )
    maker: Any = VisionTextDualEncoderModel
    made: torch.nn.Module = maker(config)
    return made


def save_lit(model: Any, folder: Path) -> None:
    """Keeps model, image processor and tokenizer as a transformers folder.

    Args:
        model: The trained model; kept as half floats.
        folder: Where to; made if missing.
    """
    from transformers import CLIPImageProcessor

    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)
    model.float()
    CLIPImageProcessor(
        size={"height": 64, "width": 64},
        crop_size={"height": 64, "width": 64},
        do_center_crop=False,
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    ).save_pretrained(folder)
    make_tokenizer("caption", CONTEXT).save_pretrained(folder)
