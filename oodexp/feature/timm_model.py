"""Pooled features of any network of timm: what its classifier would see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oodexp.feature.base import finished
from oodexp.timm_weights import (
    HUB,
    feature_net,
    settings_of,
    transform_of,
    transform_settings,
    weight_file,
)
from oodexp.weights import digests, versions

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor


class TimmModel:
    """A network of timm without its classifier, pooled as the architecture pools.

    Args:
        model: Name in timm, with a tag if wanted: `vit_base_patch16_224.dino`.
        weights: `hub`, a file, or `package:NAME/PATH` of a file or of the folder that holds it.
        normalise: Whether vectors have length 1.
    """

    def __init__(self, model: str, weights: str = HUB, normalise: bool = False) -> None:
        self.model, self.weights, self.normalise = model, weights, normalise

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.feature.base.Extractor`; the network is not built.

        Raises:
            OodexpError: If timm does not know the model, or its weights are not there.
        """
        settings = settings_of(self.model)
        return {
            "kind": "timm_model",
            "architecture": self.model,
            "weights": digests([weight_file(self.model, self.weights, settings)]),
            "preprocessing": transform_settings(settings),
            "normalise": self.normalise,
            "dtype": "float32",
            "versions": versions("torch", "torchvision", "timm"),
        }

    def load(self, device: str) -> None:
        """Builds the network with its weights.

        Raises:
            OodexpError: If the weights do not fit the architecture, or leave one of it out.
        """
        settings = settings_of(self.model)
        file = weight_file(self.model, self.weights, settings)
        self._net = feature_net(self.model, self.weights, file).to(device).eval()
        self._device = device
        self._transform = transform_of(settings)

    def preprocess(self, image: Image) -> Tensor:
        """The transform of the weights: float32, (channel, height, width)."""
        pixels: Tensor = self._transform(image)
        return pixels

    def encode_images(self, batch: Tensor) -> Tensor:
        """Pooled features, float32, (image, dimension)."""
        import torch

        with torch.inference_mode():
            return finished(self._net(batch.to(self._device)), self.normalise)
