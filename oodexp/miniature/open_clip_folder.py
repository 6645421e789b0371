"""A trained model as the folder that open_clip loads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast


def save_open_clip(
    model: torch.nn.Module, config: Mapping[str, Any], tokenizer: PreTrainedTokenizerFast,
    folder: Path,
) -> None:  # fmt: skip
    """Keeps the model as the folder that ``local-dir:`` loads; weights as half floats.

    Args:
        model: The trained model.
        config: Its ``model_cfg``.
        tokenizer: Its tokenizer.
        folder: Where to; made if missing.
    """
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    state = {
        name: (value.half() if value.is_floating_point() else value).contiguous()
        for name, value in model.state_dict().items()
    }
    save_file(state, folder / "open_clip_model.safetensors")
    half = [0.5, 0.5, 0.5]
    sight = {"mean": half, "std": half, "interpolation": "bicubic", "resize_mode": "shortest"}
    described = {"model_cfg": config, "preprocess_cfg": sight}
    (folder / "open_clip_config.json").write_text(json.dumps(described, indent=1) + "\n")
    tokenizer.save_pretrained(folder)
