"""BLIP-2's image-text contrast: the stage-1 Q-Former's query vectors against a text vector.

The transformers class returns a bare cosine: the learned temperature of the original is dropped in
conversion (protocol of OODBench: hypothesis H2 is that the paper's scores come of just that). So
the scale is a setting without a default here, and a bare cosine must be asked for by `scale: 1.0`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from oodexp.error import OodexpError
from oodexp.scorer.base import Link, TextBank
from oodexp.scorer.cosine import cosine_logits, mean_direction, unit
from oodexp.scorer.precision import Precision
from oodexp.scorer.prompt import check_templates, fill
from oodexp.scorer.retrieval import Retrieval
from oodexp.weights import locate

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

    link: Link = "softmax"

    WORDING: ClassVar[tuple[str, ...]] = ("templates", "scale")

    def __init__(
        self,
        model: str,
        scale: float | str,
        templates: Sequence[str] = ("a photo of a {}",),
        precision: Precision = "float32",
    ) -> None:
        if isinstance(scale, str) and scale != "beside":
            raise OodexpError(f"scale {scale!r}: expected a number or `beside`")
        self.model, self.scale, self.templates = model, scale, check_templates(templates)
        self.precision = precision
        self._model = Retrieval(model, precision)

    def worded(self, templates: Sequence[str]) -> Self:
        """The same scorer with other templates."""
        return type(self)(self.model, self.scale, templates, self.precision)

    def exact(self) -> Self:
        """The same scorer in float32."""
        return type(self)(self.model, self.scale, self.templates, "float32")

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.scorer.base.Scorer`."""
        return {
            "kind": "blip2",
            **self._model.fingerprint(),
            "templates": list(self.templates),
            "scale": self._factor(locate(self.model)),
        }

    def load(self, device: str) -> None:
        """Loads model, image processor and tokenizer; see `Retrieval.load`."""
        self._model.load(device)
        self._loaded_scale = self._factor(locate(self.model))

    def preprocess(self, image: Image) -> Tensor:
        """The processor's own transform: float32, (channel, height, width)."""
        return self._model.preprocess(image)

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors of the queries, float32, (image, query, dimension)."""
        import torch

        net = self._model.net
        with torch.inference_mode():
            seen = self._model.see(batch)
            found = net.qformer(
                query_embeds=net.query_tokens.expand(len(seen), -1, -1),
                encoder_hidden_states=seen,
                encoder_attention_mask=torch.ones(seen.shape[:2], dtype=torch.long).to(seen.device),
            ).last_hidden_state
            return unit(net.vision_projection(found)).cpu()

    def encode_texts(self, categories: list[str]) -> TextBank:
        """Vectors of the first token, averaged over templates; refuses texts that would be cut."""
        self._model.refuse(categories, self.templates)
        parts = [self._encode(fill(t, categories)) for t in self.templates]
        return TextBank(mean_direction(parts).cpu().numpy(), self._loaded_scale, 0.0)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scale times the best query's cosine, float32, (image, category)."""
        return cosine_logits(images, bank)

    def _encode(self, texts: list[str]) -> Tensor:
        import torch

        net, tokens = self._model.net, self._model.tokens(texts)
        with torch.inference_mode():
            found = net.qformer(
                query_embeds=net.embeddings(input_ids=tokens.input_ids),
                query_length=0,
                attention_mask=tokens.attention_mask,
            ).last_hidden_state
            return unit(net.text_projection(found[:, 0]))

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
