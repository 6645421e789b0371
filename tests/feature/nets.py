"""A small random model of each class of vision model, saved as the hub holds it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.feature.vision_model import VisionModel

if TYPE_CHECKING:
    from PIL import Image

SIDE = 32
PATCH = 8
"""Pixels: an image is 16 patches."""

_DEEP = {"num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 32}
_SIZE = {"image_size": SIDE, "patch_size": PATCH}
_TOWER = {**_DEEP, "intermediate_size": 64}
_TEXT = {
    **_TOWER, "vocab_size": 99, "max_position_embeddings": 16, "bos_token_id": 1,
    "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip


def save(name: str, folder: Path, strength: float = 2.0) -> Path:
    """Writes weights, configuration and image processor."""
    import torch
    import transformers

    torch.manual_seed(7)
    net = _net(name)
    with torch.no_grad():
        for tensor in net.parameters():
            if tensor.ndim >= 2:
                tensor.mul_(strength)  # as drawn, all images have nearly the same vector
    net.save_pretrained(folder)
    size = {"height": SIDE, "width": SIDE}
    if name == "ragged":
        made: Any = transformers.CLIPImageProcessor(
            size={"shortest_edge": SIDE}, do_center_crop=False
        )
    elif name == "naflex":
        made = transformers.Siglip2ImageProcessor(patch_size=PATCH, max_num_patches=16)
    elif name == "clip":
        made = transformers.CLIPImageProcessor(size={"shortest_edge": SIDE}, crop_size=size)
    else:
        made = transformers.ViTImageProcessor(size=size)
    made.save_pretrained(folder)
    return folder


def vectors(folder: Path, images: list[Image.Image], **settings: Any) -> np.ndarray:
    """Vectors of images through all methods of an extractor."""
    import torch

    extractor = VisionModel(str(folder), **settings)
    extractor.load("cpu")
    pixels = torch.stack([extractor.preprocess(image) for image in images])
    return np.asarray(extractor.encode_images(pixels))


def _net(name: str) -> Any:
    import transformers as library

    if name in ("clip", "siglip", "naflex"):
        kind = {"clip": "CLIP", "siglip": "Siglip", "naflex": "Siglip2"}[name]
        vision: dict[str, Any] = {**_TOWER, **_SIZE}
        if name == "naflex":
            vision = {**_TOWER, "patch_size": PATCH, "num_patches": 16}
        more = {"projection_dim": 16} if name == "clip" else {}
        config = getattr(library, f"{kind}Config")(text_config=_TEXT, vision_config=vision, **more)
        return getattr(library, f"{kind}Model")(config)
    kind, settings = _KINDS[name]
    stem = kind.removesuffix("Model").removesuffix("ForImageClassification")
    return getattr(library, kind)(getattr(library, f"{stem}Config")(**settings))


_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "dinov2": ("Dinov2Model", {**_DEEP, **_SIZE}),
    "registers": ("Dinov2WithRegistersModel", {**_DEEP, **_SIZE}),
    "dinov3": ("DINOv3ViTModel", {**_TOWER, **_SIZE, "num_register_tokens": 3}),
    "vit": ("ViTModel", {**_TOWER, **_SIZE}),
    "vit_classifier": ("ViTForImageClassification", {**_TOWER, **_SIZE}),
    "deit": ("DeiTModel", {**_TOWER, **_SIZE}),
    "mae": ("ViTMAEModel", {**_TOWER, **_SIZE}),
    "yolos": ("YolosModel", {**_TOWER, "image_size": [SIDE, SIDE], "patch_size": PATCH}),
    "swin": (
        "SwinModel",
        {
            "image_size": SIDE, "patch_size": 4, "embed_dim": 8, "depths": [1, 1],
            "num_heads": [1, 2], "window_size": 4,
        },
    ),
    "resnet": ("ResNetModel", {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}),
    "bert": ("BertModel", {**_TOWER, "vocab_size": 20}),
    "ragged": ("ViTModel", {**_TOWER, **_SIZE}),
}  # fmt: skip
