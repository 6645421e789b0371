"""CLIP and its relatives through open_clip: by hub tag, by checkpoint file, or from a folder."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from oodexp.error import OodexpError
from oodexp.scorer import activation as gelu
from oodexp.scorer.base import Link, TextBank, check_link
from oodexp.scorer.cosine import cosine_logits, mean_direction, unit
from oodexp.scorer.open_clip_files import FOLDER, HUB, find, tokenizer_digest
from oodexp.scorer.packed import ready
from oodexp.scorer.precision import Precision, check_precision, dtype
from oodexp.scorer.prompt import check_templates, fill, refuse_lost
from oodexp.weights import digests, versions

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from torch import Tensor

_TEXTS = 256
"""Texts a forward pass: over 1,203 categories all at once would take gigabytes."""


class OpenClip:
    """A contrastive model of open_clip, with its own transform, tokenizer and learned scale.

    Args:
        model: Architecture name (`ViT-B-32-quickgelu`), `local-dir:FOLDER` or `hf-hub:ORG/NAME`.
        pretrained: For an architecture name: the tag of its weights, or a checkpoint file.
        templates: Prompts with `{}` for the category; several are averaged as directions.
        scale: `learned` for exp of the model's logit scale, or a number.
        precision: Number format of the forward pass; vectors are normalised in float32.
        activation: What a checkpoint file was trained with, where neither it nor the name tells.
        link: How a logit becomes a score: `softmax` over categories, or the `sigmoid` of each pair
            that SigLIP was trained with.

    Raises:
        OodexpError: If model and weights are not named in one of these ways.
    """

    WORDING: ClassVar[tuple[str, ...]] = ("templates", "scale")

    def __init__(
        self,
        model: str,
        pretrained: str | None = None,
        templates: Sequence[str] = ("a photo of a {}",),
        scale: str | float = "learned",
        precision: Precision = "float32",
        activation: gelu.Activation | None = None,
        link: Link = "softmax",
    ) -> None:
        if model.startswith((FOLDER, HUB)) == bool(pretrained):
            raise OodexpError(
                f"open_clip model {model!r} with pretrained={pretrained!r}: an architecture name "
                "needs a tag or a checkpoint file, else its weights are random; "
                f"{FOLDER} and {HUB} carry their own"
            )
        if isinstance(scale, str) and scale != "learned":
            raise OodexpError(f"scale {scale!r}: expected `learned` or a number")
        self.model, self.pretrained, self.activation = model, pretrained, activation
        self.templates, self.scale = check_templates(templates), scale
        self.precision, self.link = check_precision(precision), check_link(link)

    def worded(self, templates: Sequence[str]) -> Self:
        """The same scorer with other templates."""
        return type(self)(
            self.model, self.pretrained, templates, self.scale, self.precision, self.activation,
            self.link,
        )  # fmt: skip

    def exact(self) -> Self:
        """The same scorer in float32."""
        return type(self)(
            self.model, self.pretrained, self.templates, self.scale, "float32", self.activation,
            self.link,
        )  # fmt: skip

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.scorer.base.Scorer`; checks the activation, builds no model."""
        found = find(self.model, self.pretrained, self.activation)
        return {
            "kind": "open_clip",
            "weights": digests(found.weights),
            "architecture": found.config,
            "activation": gelu.of_config(found.config),
            "preprocessing": found.preprocessing,
            "tokenizer": tokenizer_digest(self.model),
            "templates": list(self.templates),
            "scale": self.scale,
            "dtype": self.precision,
            "versions": versions("torch", "torchvision", "open_clip_torch", "timm", "transformers"),
        }

    def load(self, device: str) -> None:
        """Builds the model with its weights, or fails: never with random ones."""
        import open_clip
        from open_clip.transform import PreprocessCfg, image_transform_v2

        find(self.model, self.pretrained, self.activation)  # refuses what holds a program
        net = open_clip.create_model(
            self.model,
            self.pretrained,
            precision="fp32",
            device=device,
            require_pretrained=True,
            weights_only=True,
        )
        # Read before the weights are rounded: 100 would become 98.9 in bfloat16.
        self._own_scale, self._own_bias = _scale_and_bias(net)
        self._device, self._net = device, net.eval()
        self._dtype = ready(self._net, dtype(self.precision))
        self._transform = image_transform_v2(
            PreprocessCfg(**self._net.visual.preprocess_cfg), is_train=False
        )
        self.sight: Hashable = ("open_clip", json.dumps(self._net.visual.preprocess_cfg))
        self._tokenizer = open_clip.get_tokenizer(self.model)

    def preprocess(self, image: Image) -> Tensor:
        """The transform that belongs to the weights: float32, (channel, height, width)."""
        pixels: Tensor = self._transform(image)
        return pixels

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors, float32, (image, dimension)."""
        import torch

        with torch.inference_mode():
            return unit(self._net.encode_image(batch.to(self._device, self._dtype))).cpu()

    def encode_texts(self, categories: list[str]) -> TextBank:
        """Category vectors averaged over templates; refuses texts that truncation makes equal."""
        import torch

        tokens = [self._tokenizer(fill(t, categories)) for t in self.templates]
        refuse_lost(
            categories,
            [tuple(torch.cat(rows).tolist()) for rows in zip(*tokens, strict=True)],
            self._too_long(categories, tokens),
            self._tokenizer.context_length,
        )
        with torch.inference_mode():
            parts = [torch.cat([self._encode(p) for p in t.split(_TEXTS)]) for t in tokens]
        scale = self._own_scale if isinstance(self.scale, str) else float(self.scale)
        return TextBank(mean_direction(parts).cpu().numpy(), scale, self._own_bias)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scaled cosines, float32, (image, category)."""
        return cosine_logits(images, bank)

    def _encode(self, tokens: Tensor) -> Tensor:
        return unit(self._net.encode_text(tokens.to(self._device)))

    def _too_long(self, categories: list[str], tokens: list[Tensor]) -> list[bool]:
        # One token more: a text that fits gains padding at its end, and no other token changes.
        # (The last token tells nothing: SigLIP's padding is its end mark.)
        limit = self._tokenizer.context_length
        cut = [
            self._tokenizer(fill(t, categories), context_length=limit + 1)[:, :limit] != own
            for t, own in zip(self.templates, tokens, strict=True)
        ]
        return [any(row) for row in zip(*(c.any(1).tolist() for c in cut), strict=True)]


def _scale_and_bias(net: Any) -> tuple[float, float]:
    bias = getattr(net, "logit_bias", None)
    return float(net.logit_scale.detach().exp()), 0.0 if bias is None else float(bias.detach())
