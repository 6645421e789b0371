"""BLIP-2's retrieval model, as both of its heads use it: one vision tower, one Q-Former."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.scorer.folder import image_processor, tokenizer
from oodexp.scorer.precision import Precision, check_precision, dtype
from oodexp.scorer.prompt import fill, refuse_lost
from oodexp.weights import fit_loading_bar, folder_digests, locate, versions

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

_PARTS = ("vision_config", "qformer_config")


class Retrieval:
    """`Blip2ForImageTextRetrieval` with its image processor and tokenizer.

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        precision: Number format of the vision tower; the Q-Former stays in float32.
    """

    def __init__(self, model: str, precision: Precision) -> None:
        self.model, self.precision = model, check_precision(precision)
        self._device: str | None = None

    def fingerprint(self) -> dict[str, Any]:
        """Weights, files, activations, number format and versions; no network is built."""
        folder = locate(self.model)
        digests = folder_digests(folder)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        return {
            **digests,
            "activation": [config.get(part, {}).get("hidden_act") for part in _PARTS],
            "dtype": self.precision,
            "versions": versions("torch", "torchvision", "transformers"),
        }

    def load(self, device: str) -> None:
        """Loads model, image processor and tokenizer; once for a device.

        Raises:
            OodexpError: If a weight of the class is not in the files.
        """
        import transformers

        if self._device == device:
            return
        library: Any = transformers  # its factory methods have no types
        folder = locate(self.model)
        fit_loading_bar(folder)
        net, seen = library.Blip2ForImageTextRetrieval.from_pretrained(
            folder, dtype=dtype("float32"), output_loading_info=True, trust_remote_code=False
        )
        if seen["missing_keys"] or seen["mismatched_keys"]:
            raise OodexpError(
                f"{folder}: no retrieval model of BLIP-2: {sorted(seen['missing_keys'])[:5]} are "
                "not in its weights; use a checkpoint of the image-text matching kind"
            )
        net.vision_model.to(dtype(self.precision))
        self.net, self._device = net.to(device).eval(), device
        self._pixels = image_processor(folder)
        self._tokenizer = tokenizer(folder)

    def preprocess(self, image: Image) -> Tensor:
        """The processor's own transform: float32, (channel, height, width)."""
        pixels: Tensor = self._pixels(images=image, return_tensors="pt")["pixel_values"][0]
        return pixels

    def see(self, batch: Tensor) -> Tensor:
        """What the Q-Former looks at, float32, (image, patch, dimension)."""
        pixels = batch.to(self._device, dtype(self.precision))
        states: Tensor = self.net.vision_model(pixel_values=pixels).last_hidden_state
        return states.float()

    def tokens(self, texts: list[str]) -> Any:
        """`input_ids` and `attention_mask` on the model's device."""
        # The text vector is the first token's: padding on the left would put it under the padding.
        made = self._tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")
        return made.to(self._device)

    def refuse(self, categories: list[str], templates: Sequence[str]) -> None:
        """Refuses texts that would be cut, or that the model cannot tell apart.

        Raises:
            OodexpError: Lists them.
        """
        limit = self.net.config.qformer_config.max_position_embeddings
        ids = [self._tokenizer(fill(t, categories)).input_ids for t in templates]
        rows = list(zip(*ids, strict=True))
        refuse_lost(
            categories,
            [tuple(tuple(part) for part in row) for row in rows],
            [max(map(len, row)) > limit for row in rows],
            limit,
        )
