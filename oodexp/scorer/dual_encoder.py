"""The dual encoders of transformers: CLIP, SigLIP, SigLIP 2, ALIGN, GroupViT and pairs of towers.

Each gives `scale * cosine + bias` with its own learned values, equal to its class's own forward.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from oodexp.error import OodexpError
from oodexp.scorer.base import Link, TextBank, check_link
from oodexp.scorer.canonical import Cleaning, check_cleaning, cleaned
from oodexp.scorer.cosine import cosine_logits, mean_direction, unit
from oodexp.scorer.family import Family, activations, family_of, text_length
from oodexp.scorer.folder import image_processor, tokenizer
from oodexp.scorer.naflex import pack, unpack
from oodexp.scorer.precision import Precision, check_precision, dtype
from oodexp.scorer.prompt import check_templates, fill, refuse_lost
from oodexp.transformers_folder import read_part
from oodexp.weights import fit_loading_bar, folder_digests, locate, versions

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from torch import Tensor

_TEXTS = 256
"""Texts a forward pass: over 1,203 categories all at once would take gigabytes."""


class DualEncoder:
    """A dual encoder of transformers, with its own processor, tokenizer, scale and bias.

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        templates: Prompts with `{}` for the category; several are averaged as directions.
        scale: `learned` for the model's own factor from cosine to logit, or a number.
        link: How a logit becomes a score: `softmax` over categories, or the `sigmoid` of each pair
            that SigLIP was trained with.
        precision: Number format of the weights; vectors are normalised in float32.
        text_length: Longest text in tokens, None for the trained one; SigLIP pads every text to it.
        clean: How prompts are cleaned; `family` makes SigLIP's canonical and leaves others alone.
    """

    WORDING: ClassVar[tuple[str, ...]] = ("templates", "scale")

    def __init__(
        self,
        model: str,
        templates: Sequence[str] = ("a photo of a {}",),
        scale: str | float = "learned",
        link: Link = "softmax",
        precision: Precision = "float32",
        text_length: int | None = None,
        clean: Cleaning = "family",
    ) -> None:
        if isinstance(scale, str) and scale != "learned":
            raise OodexpError(f"scale {scale!r}: expected `learned` or a number")
        if text_length is not None and text_length < 1:
            raise OodexpError(f"text_length {text_length}: expected a number >= 1, or null")
        self.model, self.scale, self.text_length = model, scale, text_length
        self.templates, self.precision = check_templates(templates), check_precision(precision)
        self.link, self.clean = check_link(link), check_cleaning(clean)

    def worded(self, templates: Sequence[str]) -> Self:
        """The same scorer with other templates."""
        return type(self)(
            self.model, templates, self.scale, self.link, self.precision, self.text_length,
            self.clean,
        )  # fmt: skip

    def exact(self) -> Self:
        """The same scorer in float32."""
        return type(self)(
            self.model, self.templates, self.scale, self.link, "float32", self.text_length,
            self.clean,
        )  # fmt: skip

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.scorer.base.Scorer`; reads the configuration, builds no model.

        Raises:
            OodexpError: If it is no dual encoder, or one that bfloat16 would change.
        """
        folder = locate(self.model)
        digests = folder_digests(folder)
        config, family = self._family(folder)
        return {
            "kind": "dual_encoder",
            "class": family.kind,
            **digests,
            "activation": activations(config),
            "templates": list(self.templates),
            "clean": self._cleaning(family),
            "text_length": self.text_length,
            "scale": self.scale,
            "dtype": self.precision,
            "versions": versions("torch", "torchvision", "transformers", "tokenizers"),
        }

    def load(self, device: str) -> None:
        """Loads model, image processor and tokenizer.

        Raises:
            OodexpError: If a weight of the class is not in the files, or a part cannot be read.
        """
        import transformers

        library: Any = transformers  # its factory methods have no types
        folder = locate(self.model)
        config, self._of = self._family(folder)
        fit_loading_bar(folder)
        net, seen = getattr(library, self._of.kind).from_pretrained(
            folder, dtype=dtype("float32"), output_loading_info=True, trust_remote_code=False
        )
        lost = sorted({*seen["missing_keys"], *(row[0] for row in seen["mismatched_keys"])})
        if lost:
            raise OodexpError(
                f"{folder}: {lost[:5]} of {self._of.kind} are not in its weights and would be "
                "random; use a checkpoint of the whole model"
            )
        # Read before the weights are rounded: 100 would become 98.9 in bfloat16.
        self._own_scale, self._own_bias = _calibration(net)
        self._net = net.to(device, dtype(self.precision)).eval()
        self._device = device
        self._pixels = image_processor(folder)
        self._tokenizer = tokenizer(folder)
        self._limit = self.text_length or text_length(self._of, config, self._tokenizer)

    def preprocess(self, image: Image) -> Tensor:
        """The processor's own transform: float32, (channel, height, width), or packed (NaFlex)."""
        processed = self._pixels(images=image, return_tensors="pt")
        if "spatial_shapes" in processed:
            return pack(processed)
        pixels: Tensor = processed["pixel_values"][0]
        return pixels.float()

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors, float32, (image, dimension)."""
        import torch

        kind = dtype(self.precision)
        with torch.inference_mode():
            batch = batch.to(self._device)
            packed = batch.ndim == 3
            given = unpack(batch, kind) if packed else {"pixel_values": batch.to(kind)}
            return unit(self._net.get_image_features(**given).pooler_output).cpu()

    def encode_texts(self, categories: list[str]) -> TextBank:
        """Category vectors averaged over templates; refuses texts that would be cut or are equal.

        Raises:
            OodexpError: Lists them.
        """
        import torch

        prompts = [self._prompts(t, categories) for t in self.templates]
        ids = [self._tokenizer(texts, truncation=False).input_ids for texts in prompts]
        rows = list(zip(*ids, strict=True))
        refuse_lost(
            categories,
            [tuple(tuple(part) for part in row) for row in rows],
            [max(map(len, row)) > self._limit for row in rows],
            self._limit,
        )
        parts = [
            torch.cat([self._encode(t[k : k + _TEXTS]) for k in range(0, len(t), _TEXTS)])
            for t in prompts
        ]
        scale = self._own_scale if isinstance(self.scale, str) else float(self.scale)
        return TextBank(mean_direction(parts).cpu().numpy(), scale, self._own_bias)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scaled cosines, float32, (image, category)."""
        return cosine_logits(images, bank)

    def tokens(self, texts: list[str]) -> dict[str, Tensor]:
        """What the model's text side is given: of one width in every call, where it was trained so.

        Args:
            texts: Prompts, cleaned.
        """
        fixed = self._of.fixed_width
        # On the right whatever the file says: vectors are read at fixed positions.
        width = {"padding": "max_length", "max_length": self._limit} if fixed else {"padding": True}
        made = self._tokenizer(
            texts, **width, padding_side="right", truncation=False, return_tensors="pt"
        )
        kept = ("input_ids",) if fixed else ("input_ids", "attention_mask")
        return {name: made[name].to(self._device) for name in kept}

    def _encode(self, texts: list[str]) -> Tensor:
        import torch

        with torch.inference_mode():
            return unit(self._net.get_text_features(**self.tokens(texts)).pooler_output)

    def _prompts(self, template: str, categories: list[str]) -> list[str]:
        return cleaned(fill(template, categories), self._cleaning(self._of))

    def _cleaning(self, family: Family) -> str:
        return family.cleaning if self.clean == "family" else self.clean

    def _family(self, folder: Path) -> tuple[Any, Family]:
        from transformers import AutoConfig

        config: Any = read_part(AutoConfig, folder)
        family = family_of(config, folder)
        if self.precision != "float32" and not family.bfloat16:
            raise OodexpError(
                f"{folder}: precision {self.precision!r} would move whole image regions of "
                f"{family.kind} to another group; use precision=float32"
            )
        return config, family


def _calibration(net: Any) -> tuple[float, float]:
    """Scale and bias of the logits: ALIGN divides by a temperature, the others learn a log."""
    bias = getattr(net, "logit_bias", None)
    if hasattr(net, "temperature"):
        scale = 1.0 / float(net.temperature.detach())
    else:
        scale = float(net.logit_scale.detach().exp())
    return scale, 0.0 if bias is None else float(bias.detach())
