"""Where a model of open_clip has its weights, and what belongs to them; builds no model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.scorer import activation as gelu
from oodexp.trust import refuse_programs
from oodexp.weights import weight_files

FOLDER, HUB = "local-dir:", "hf-hub:"
"""How open_clip marks a folder, and a repository of the hub."""


class Found(NamedTuple):
    """A checkpoint."""

    weights: list[Path]
    """Its files."""
    config: dict[str, Any]
    """The architecture that is built for it."""
    preprocessing: dict[str, Any]
    """What differs from the architecture's default transform."""


def find(model: str, pretrained: str | None, stated: gelu.Activation | None) -> Found:
    """The checkpoint that a scorer's settings name; downloaded if need be.

    Args:
        model: Architecture name, `local-dir:FOLDER` or `hf-hub:ORG/NAME`.
        pretrained: For an architecture name: a tag or a checkpoint file.
        stated: The setting `activation`.

    Raises:
        OodexpError: If there is none, if it holds more than tensors, or if its activation is not
            the architecture's.
    """
    if model.startswith(FOLDER):
        found = _in_folder(Path(model.removeprefix(FOLDER)))
    elif model.startswith(HUB):
        found = _on_hub(model.removeprefix(HUB))
    else:
        return _by_name(model, str(pretrained), stated)
    if stated is not None:
        gelu.refuse_mismatch(
            model, gelu.of_config(found.config), stated, "the setting `activation`"
        )
    return found


def _in_folder(folder: Path) -> Found:
    described = folder / "open_clip_config.json"
    if not described.is_file():
        raise OodexpError(f"open_clip folder {folder}: no open_clip_config.json in it")
    weights = weight_files(folder)
    if len(weights) > 1:
        # open_clip takes one of them by a list of preferred names; we do not guess with it.
        raise OodexpError(f"open_clip folder {folder}: keep one of {[w.name for w in weights]}")
    return _described(described, weights)


def _on_hub(name: str) -> Found:
    from open_clip.pretrained import download_pretrained_from_hf

    try:
        described = Path(download_pretrained_from_hf(name, filename="open_clip_config.json"))
        weights = Path(download_pretrained_from_hf(name))
    except Exception as error:
        raise _unreachable(f"{HUB}{name}", error) from error
    refuse_programs([weights])
    return _described(described, [weights])


def _described(file: Path, weights: list[Path]) -> Found:
    described = json.loads(file.read_text("utf-8"))
    if "model_cfg" not in described:
        raise OodexpError(f"{file}: no `model_cfg` in it; it must hold model_cfg, preprocess_cfg")
    return Found(weights, described["model_cfg"], described.get("preprocess_cfg", {}))


def _by_name(model: str, pretrained: str, stated: gelu.Activation | None) -> Found:
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
        refuse_programs([weights])
        kept = ("mean", "std", "interpolation", "resize_mode")
        return Found([weights], config, {k: tag[k] for k in kept if k in tag})
    weights = Path(pretrained)
    if not weights.is_file():
        raise OodexpError(
            f"open_clip model {model!r}: {pretrained!r} is neither a file nor one of its tags "
            f"{open_clip.list_pretrained_tags_by_model(model)}"
        )
    refuse_programs([weights])
    both = f"{model}-quickgelu" in open_clip.list_models()
    gelu.check_file(model, built, weights, stated, both)
    return Found([weights], config, {})


def _unreachable(name: str, error: Exception) -> OodexpError:
    return OodexpError(
        f"open_clip weights {name!r} are not in the cache and could not be downloaded "
        f"({type(error).__name__}); run once where there is network, or name a checkpoint file "
        f"in `pretrained` or a folder as `model={FOLDER}FOLDER`"
    )


def tokenizer_digest(model: str) -> str:
    """sha256 of all that a model's tokenizer knows, and of its text length.

    Raises:
        OodexpError: If it cannot be had.
    """
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
