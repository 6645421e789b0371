"""Features of the vision models of transformers: DINOv2, ViT, CLIP's vision tower, and others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.feature.base import finished
from oodexp.feature.pooling import Pooling, check_pooling, pooled
from oodexp.precision import Precision, check_precision, dtype
from oodexp.transformers_folder import image_processor, read_part, whole_net
from oodexp.weights import folder_digests, locate, versions

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

_PROBES = ((48, 64), (96, 32))
"""Sizes of two images that a transform must bring to one size."""


class VisionModel:
    """A vision model of transformers with its own image processor.

    Of a model of images and texts the vision tower is taken.

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        pooling: `cls` for the class token of the last hidden state, `mean` for the mean of its
            patches, `pooler` for what the class itself pools.
        normalise: Whether vectors have length 1.
        precision: Number format of the weights.
    """

    def __init__(
        self,
        model: str,
        pooling: Pooling = "cls",
        normalise: bool = False,
        precision: Precision = "float32",
    ) -> None:
        self.model, self.normalise = model, normalise
        self.pooling, self.precision = check_pooling(pooling), check_precision(precision)

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.feature.base.Extractor`; reads the configuration, builds no network.

        Raises:
            OodexpError: If it is no vision model, or its weights are not there.
        """
        folder = locate(self.model)
        digests = folder_digests(folder)
        return {
            "kind": "vision_model",
            "class": _vision_class(folder)[0].__name__,
            **digests,
            "pooling": self.pooling,
            "normalise": self.normalise,
            "dtype": self.precision,
            "versions": versions("torch", "torchvision", "transformers"),
        }

    def load(self, device: str) -> None:
        """Loads network and image processor.

        Raises:
            OodexpError: If a weight that the vectors depend on is not in the files, or the image
                processor does not bring all images to one size.
        """
        folder = locate(self.model)
        kind, config = _vision_class(folder)
        # Checkpoints of a classifier, and of DINO's first version, come without the pooler.
        net = whole_net(kind, folder, config, self._unused)
        self._net = net.to(device, dtype(self.precision)).eval()
        self._device = device
        self._pixels = image_processor(folder)
        _check_one_size(self._pixels, folder)

    def preprocess(self, image: Image) -> Tensor:
        """The processor's own transform: float32, (channel, height, width)."""
        pixels: Tensor = self._pixels(images=image, return_tensors="pt")["pixel_values"][0]
        return pixels.float()

    def encode_images(self, batch: Tensor) -> Tensor:
        """Pooled features, float32, (image, dimension).

        Raises:
            OodexpError: If the model has nothing to pool in that way.
        """
        import torch

        with torch.inference_mode():
            seen = self._net(pixel_values=batch.to(self._device, dtype(self.precision)))
            return finished(pooled(self._net, seen, batch.shape[-2:], self.pooling), self.normalise)

    def _unused(self, weight: str) -> bool:
        return self.pooling != "pooler" and weight.startswith("pooler.")


def _vision_class(folder: Path) -> tuple[Any, Any]:
    """Class and configuration of the vision model, or of the vision tower, in a folder."""
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    library: Any = transformers
    config: Any = read_part(library.AutoConfig, folder)
    config = getattr(config, "vision_config", config)
    name = MODEL_MAPPING_NAMES.get(config.model_type)
    kind = getattr(library, name, None) if isinstance(name, str) else None
    if getattr(kind, "main_input_name", None) != "pixel_values":
        raise OodexpError(
            f"{folder}: config.json says model_type {config.model_type!r}, which transformers has "
            "no vision model for; choose one that takes images alone, or one with a vision tower"
        )
    return kind, config


def _check_one_size(processor: Any, folder: Path) -> None:
    from PIL import Image

    made = [processor(images=Image.new("RGB", s), return_tensors="pt") for s in _PROBES]
    shapes = [tuple(one["pixel_values"].shape[1:]) for one in made]
    if shapes[0] != shapes[1] or len(shapes[0]) != 3:
        raise OodexpError(
            f"{folder}: its image processor gives {shapes[0]} and {shapes[1]} for two images of "
            "different shape; expected one (channel, height, width), so set a crop or a fixed size "
            "in preprocessor_config.json"
        )
