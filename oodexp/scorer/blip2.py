"""BLIP-2's image-text contrast: the stage-1 Q-Former's query vectors against a text vector.

The transformers class returns a bare cosine: the learned temperature of the original is dropped in
conversion (protocol of OODBench: hypothesis H2 is that the paper's scores come of just that). So
the scale is a setting without a default here, and a bare cosine must be asked for by `scale: 1.0`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.scorer.base import TextBank
from oodexp.scorer.cosine import cosine_logits, mean_direction, unit
from oodexp.scorer.precision import Precision, check_precision, dtype
from oodexp.scorer.prompt import check_templates, fill, refuse_lost
from oodexp.weights import fit_loading_bar, folder_digests, locate, versions

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from torch import Tensor

SCALE_FILE = "oodexp_scale.json"
"""`{"scale": number}` beside the weights, for a model whose temperature is known."""


class Blip2:
    """`Blip2ForImageTextRetrieval` as a scorer: scale times the best query's cosine.

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        scale: Factor from cosine to logit, or `beside` to read `oodexp_scale.json` in the folder.
            1.0 is a bare cosine, over 80 classes almost uniform (H2); 1/0.07 = 14.3 the value that
            training starts from; 100 that of CLIP.
        templates: Prompts with `{}` for the category; several are averaged as directions.
        precision: Number format of the vision tower; the Q-Former stays in float32.
    """

    def __init__(
        self,
        model: str,
        scale: float | str,
        templates: Sequence[str] = ("a photo of a {}",),
        precision: Precision = "float32",
    ) -> None:
        if isinstance(scale, str) and scale != "beside":
            raise OodexpError(f"scale {scale!r}: expected a number or `beside`")
        self.model, self.scale = model, scale
        self.templates, self.precision = check_templates(templates), check_precision(precision)

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.scorer.base.Scorer`."""
        folder = locate(self.model)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        return {
            "kind": "blip2",
            **folder_digests(folder),
            "activation": [config.get(part, {}).get("hidden_act") for part in _PARTS],
            "templates": list(self.templates),
            "scale": self._factor(folder),
            "dtype": self.precision,
            "versions": versions("torch", "torchvision", "transformers"),
        }

    def load(self, device: str) -> None:
        """Loads model, image processor and tokenizer.

        Raises:
            OodexpError: If a weight of the class is not in the files.
        """
        import transformers

        library: Any = transformers  # its factory methods have no types
        folder = locate(self.model)
        fit_loading_bar(folder)
        net, seen = library.Blip2ForImageTextRetrieval.from_pretrained(
            folder, dtype=dtype("float32"), output_loading_info=True
        )
        if seen["missing_keys"] or seen["mismatched_keys"]:
            raise OodexpError(
                f"{folder}: no retrieval model of BLIP-2: {sorted(seen['missing_keys'])[:5]} are "
                "not in its weights; use a checkpoint of the image-text matching kind"
            )
        net.vision_model.to(dtype(self.precision))
        self._net, self._device = net.to(device).eval(), device
        self._pixels = library.AutoImageProcessor.from_pretrained(folder)
        self._tokenizer = library.AutoTokenizer.from_pretrained(folder)
        self._loaded_scale = self._factor(folder)

    def preprocess(self, image: Image) -> Tensor:
        """The processor's own transform: float32, (channel, height, width)."""
        pixels: Tensor = self._pixels(images=image, return_tensors="pt")["pixel_values"][0]
        return pixels

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors of the queries, float32, (image, query, dimension)."""
        import torch

        with torch.inference_mode():
            pixels = batch.to(self._device, dtype(self.precision))
            seen = self._net.vision_model(pixel_values=pixels).last_hidden_state.float()
            found = self._net.qformer(
                query_embeds=self._net.query_tokens.expand(len(seen), -1, -1),
                encoder_hidden_states=seen,
                encoder_attention_mask=torch.ones(seen.shape[:2], dtype=torch.long).to(seen.device),
            ).last_hidden_state
            return unit(self._net.vision_projection(found)).cpu()

    def encode_texts(self, categories: list[str]) -> TextBank:
        """Vectors of the first token, averaged over templates; refuses texts that would be cut."""
        limit = self._net.config.qformer_config.max_position_embeddings
        ids = [self._tokenizer(fill(t, categories)).input_ids for t in self.templates]
        rows = list(zip(*ids, strict=True))
        refuse_lost(
            categories,
            [tuple(tuple(part) for part in row) for row in rows],
            [max(map(len, row)) > limit for row in rows],
            limit,
        )
        parts = [self._encode(fill(t, categories)) for t in self.templates]
        return TextBank(mean_direction(parts).cpu().numpy(), self._loaded_scale, 0.0)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scale times the best query's cosine, float32, (image, category)."""
        return cosine_logits(images, bank)

    def _encode(self, texts: list[str]) -> Tensor:
        import torch

        # The text vector is the first token's: padding on the left would put it under the padding.
        tokens = self._tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")
        tokens = tokens.to(self._device)
        with torch.inference_mode():
            found = self._net.qformer(
                query_embeds=self._net.embeddings(input_ids=tokens.input_ids),
                query_length=0,
                attention_mask=tokens.attention_mask,
            ).last_hidden_state
            return unit(self._net.text_projection(found[:, 0]))

    def _factor(self, folder: Path) -> float:
        if not isinstance(self.scale, str):
            return float(self.scale)
        beside = folder / SCALE_FILE
        if not beside.is_file():
            raise OodexpError(
                f"{folder}: scale=beside, but {SCALE_FILE} is not there; give scale as a number "
                "(14.3 = 1/0.07, 100 as in CLIP, 1.0 for bare cosines)"
            )
        return float(json.loads(beside.read_text("utf-8"))["scale"])


_PARTS = ("vision_config", "qformer_config")
