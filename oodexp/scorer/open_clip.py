"""CLIP and its relatives through open_clip: by hub tag, by checkpoint file, or from a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.scorer import activation as gelu
from oodexp.scorer.base import TextBank
from oodexp.scorer.cosine import cosine_logits, mean_direction, unit
from oodexp.scorer.precision import Precision, check_precision, dtype
from oodexp.scorer.prompt import check_templates, fill, refuse_lost
from oodexp.weights import digests, versions, weight_files

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from torch import Tensor

_FOLDER, _HUB = "local-dir:", "hf-hub:"


class OpenClip:
    """A contrastive model of open_clip, with its own transform, tokenizer and learned scale.

    Args:
        model: Architecture name (`ViT-B-32-quickgelu`), `local-dir:FOLDER` or `hf-hub:ORG/NAME`.
        pretrained: For an architecture name: the tag of its weights, or a checkpoint file.
        templates: Prompts with `{}` for the category; several are averaged as directions.
        scale: `learned` for exp of the model's logit scale, or a number.
        precision: Number format of the forward pass; vectors are normalised in float32.
        activation: What a checkpoint file was trained with, where neither it nor the name tells.

    Raises:
        OodexpError: If model and weights are not named in one of these ways.
    """

    def __init__(
        self,
        model: str,
        pretrained: str | None = None,
        templates: Sequence[str] = ("a photo of a {}",),
        scale: str | float = "learned",
        precision: Precision = "float32",
        activation: gelu.Activation | None = None,
    ) -> None:
        if model.startswith((_FOLDER, _HUB)) == bool(pretrained):
            raise OodexpError(
                f"open_clip model {model!r} with pretrained={pretrained!r}: an architecture name "
                "needs a tag or a checkpoint file, else its weights are random; "
                f"{_FOLDER} and {_HUB} carry their own"
            )
        if isinstance(scale, str) and scale != "learned":
            raise OodexpError(f"scale {scale!r}: expected `learned` or a number")
        self.model, self.pretrained, self.activation = model, pretrained, activation
        self.templates, self.scale = check_templates(templates), scale
        self.precision = check_precision(precision)

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.scorer.base.Scorer`; checks the activation, builds no model."""
        found = _find(self.model, self.pretrained, self.activation)
        return {
            "kind": "open_clip",
            "weights": digests(found.weights),
            "architecture": found.config,
            "activation": gelu.of_config(found.config),
            "preprocessing": found.preprocessing,
            "tokenizer": _tokenizer_digest(self.model),
            "templates": list(self.templates),
            "scale": self.scale,
            "dtype": self.precision,
            "versions": versions("torch", "torchvision", "open_clip_torch", "timm", "transformers"),
        }

    def load(self, device: str) -> None:
        """Builds the model with its weights, or fails: never with random ones."""
        import open_clip
        from open_clip.transform import PreprocessCfg, image_transform_v2

        weights = _find(self.model, self.pretrained, self.activation).weights
        self._net = open_clip.create_model(
            self.model,
            self.pretrained,
            precision="pure_bf16" if self.precision == "bfloat16" else "fp32",
            device=device,
            require_pretrained=True,
            weights_only=not any(map(gelu.is_torchscript, weights)),
        ).eval()
        self._device, self._dtype = device, dtype(self.precision)
        self._transform = image_transform_v2(
            PreprocessCfg(**self._net.visual.preprocess_cfg), is_train=False
        )
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
            self._too_long(categories),
            self._tokenizer.context_length,
        )
        with torch.inference_mode():
            parts = [unit(self._net.encode_text(t.to(self._device))) for t in tokens]
            return TextBank(mean_direction(parts).cpu().numpy(), *self._scale_and_bias())

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scaled cosines, float32, (image, category)."""
        return cosine_logits(images, bank)

    def _too_long(self, categories: list[str]) -> list[bool]:
        limit = self._tokenizer.context_length
        padding = self._tokenizer([""], context_length=limit + 1)[0, limit]
        cut = [
            self._tokenizer(fill(t, categories), context_length=limit + 1)[:, limit] != padding
            for t in self.templates
        ]
        return [any(row) for row in zip(*(c.tolist() for c in cut), strict=True)]

    def _scale_and_bias(self) -> tuple[float, float]:
        bias = getattr(self._net, "logit_bias", None)
        if isinstance(self.scale, str):
            factor = float(self._net.logit_scale.float().exp())
        else:
            factor = float(self.scale)
        return factor, 0.0 if bias is None else float(bias)


class _Found(NamedTuple):
    weights: list[Path]
    config: dict[str, Any]
    preprocessing: dict[str, Any]


def _find(model: str, pretrained: str | None, stated: gelu.Activation | None) -> _Found:
    if model.startswith(_FOLDER):
        found = _in_folder(Path(model.removeprefix(_FOLDER)))
    elif model.startswith(_HUB):
        found = _on_hub(model.removeprefix(_HUB))
    else:
        return _by_name(model, str(pretrained), stated)
    if stated is not None:
        gelu.refuse_mismatch(
            model, gelu.of_config(found.config), stated, "the setting `activation`"
        )
    return found


def _in_folder(folder: Path) -> _Found:
    described = folder / "open_clip_config.json"
    if not described.is_file():
        raise OodexpError(f"open_clip folder {folder}: no open_clip_config.json in it")
    weights = weight_files(folder)
    if len(weights) > 1:
        # open_clip takes one of them by a list of preferred names; we do not guess with it.
        raise OodexpError(f"open_clip folder {folder}: keep one of {[w.name for w in weights]}")
    return _described(described, weights)


def _on_hub(name: str) -> _Found:
    from open_clip.pretrained import download_pretrained_from_hf

    try:
        described = Path(download_pretrained_from_hf(name, filename="open_clip_config.json"))
        weights = Path(download_pretrained_from_hf(name))
    except Exception as error:
        raise _unreachable(f"{_HUB}{name}", error) from error
    return _described(described, [weights])


def _described(file: Path, weights: list[Path]) -> _Found:
    described = json.loads(file.read_text("utf-8"))
    if "model_cfg" not in described:
        raise OodexpError(f"{file}: no `model_cfg` in it; it must hold model_cfg, preprocess_cfg")
    return _Found(weights, described["model_cfg"], described.get("preprocess_cfg", {}))


def _by_name(model: str, pretrained: str, stated: gelu.Activation | None) -> _Found:
    import open_clip
    from open_clip.pretrained import download_pretrained, get_pretrained_cfg

    config = open_clip.get_model_config(model)
    if config is None:
        raise OodexpError(f"open_clip knows no architecture {model!r}; see open_clip.list_models()")
    built, tag = gelu.of_config(config), get_pretrained_cfg(model, pretrained)
    if tag:
        trained: gelu.Activation = gelu.of_config(tag)
        gelu.refuse_mismatch(model, built, trained, f"the tag {pretrained!r}")
        try:
            weights = Path(download_pretrained(tag))
        except Exception as error:
            raise _unreachable(f"{model}/{pretrained}", error) from error
        kept = ("mean", "std", "interpolation", "resize_mode")
        return _Found([weights], config, {k: tag[k] for k in kept if k in tag})
    weights = Path(pretrained)
    if not weights.is_file():
        raise OodexpError(
            f"open_clip model {model!r}: {pretrained!r} is neither a file nor one of its tags "
            f"{open_clip.list_pretrained_tags_by_model(model)}"
        )
    both = f"{model}-quickgelu" in open_clip.list_models()
    gelu.check_file(model, built, weights, stated, both)
    return _Found([weights], config, {})


def _unreachable(name: str, error: Exception) -> OodexpError:
    return OodexpError(
        f"open_clip weights {name!r} are not in the cache and could not be downloaded "
        f"({type(error).__name__}); run once where there is network, or name a checkpoint file "
        f"in `pretrained` or a folder as `model={_FOLDER}FOLDER`"
    )


def _tokenizer_digest(model: str) -> str:
    import open_clip

    try:
        tokenizer = open_clip.get_tokenizer(model)
    except Exception as error:
        raise _unreachable(f"{model} (tokenizer)", error) from error
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    backend = getattr(inner, "backend_tokenizer", None)
    if backend is not None:
        text = backend.to_str()
    else:
        text = json.dumps(sorted((getattr(inner, "encoder", None) or inner.get_vocab()).items()))
    return hashlib.sha256(f"{tokenizer.context_length}\n{text}".encode()).hexdigest()
