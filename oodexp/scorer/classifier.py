"""An ImageNet classifier of timm: its transform, its probabilities, the names of its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.timm_weights import (
    classifier_net,
    settings_of,
    transform_of,
    transform_settings,
    weight_file,
)
from oodexp.weights import digests

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor


class Classifier:
    """A timm classifier of one of ImageNet's class lists.

    Args:
        architecture: Name in timm, with a tag if wanted: `tf_efficientnet_lite0`.
        weights: `hub`, a file, or `package:NAME/PATH` of a file or of the folder that holds it.
    """

    def __init__(self, architecture: str, weights: str) -> None:
        self.architecture, self.weights = architecture, weights

    def fingerprint(self) -> dict[str, Any]:
        """Weights, architecture and transform; the network is not built."""
        settings = settings_of(self.architecture)
        return {
            "architecture": self.architecture,
            "weights": digests([weight_file(self.architecture, self.weights, settings)]),
            "preprocessing": transform_settings(settings),
            "classes": _subset(self.architecture, settings),
        }

    def load(self, device: str) -> None:
        """Builds the network with its weights.

        Raises:
            OodexpError: If the weights do not fit the architecture.
        """
        settings = settings_of(self.architecture)
        file = weight_file(self.architecture, self.weights, settings)
        net = classifier_net(self.architecture, self.weights, file)
        self._net, self._device = net.to(device).eval(), device
        self.transform = transform_of(settings)
        info = _data().ImageNetInfo(_subset(self.architecture, settings))
        # WordNet's synonyms are parted by commas; the first is the most common name.
        self.names = [
            info.index_to_description(i).split(",")[0].strip() for i in range(info.num_classes())
        ]

    def preprocess(self, image: Image) -> Tensor:
        """Float32, (channel, height, width)."""
        pixels: Tensor = self.transform(image)
        return pixels

    def probabilities(self, batch: Tensor) -> Tensor:
        """Softmax over the classes, (image, class)."""
        import torch

        with torch.inference_mode():
            found: Tensor = self._net(batch.to(self._device)).float().softmax(-1)
        return found


def _subset(architecture: str, settings: dict[str, Any]) -> str:
    found = _data().infer_imagenet_subset(settings)
    if found is None:
        raise OodexpError(
            f"timm classifier {architecture!r} has {settings.get('num_classes')} classes: no known "
            "ImageNet list, so its classes have no names"
        )
    return str(found)


def _data() -> Any:
    import timm.data

    return timm.data
