"""A sentence encoder of the sentence-transformers format: BERT, pooled, length 1."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.scorer.cosine import mean_direction, unit
from oodexp.scorer.prompt import fill, refuse_lost
from oodexp.transformers_folder import read_part
from oodexp.weights import fit_loading_bar, folder_digests, locate, weight_files

if TYPE_CHECKING:
    from torch import Tensor

_BATCH = 64


class SentenceEncoder:
    """Texts to unit vectors by the mean of the token vectors (or the first), as the folder says.

    Args:
        model: Folder, `package:NAME/PATH` or hub id of a sentence-transformers model.
    """

    def __init__(self, model: str) -> None:
        self.model = model

    def fingerprint(self) -> dict[str, Any]:
        """sha256 of weights and tokenizer, and the pooling."""
        folder = locate(self.model)
        return {**folder_digests(folder), "pooling": _pooling(folder), "limit": _limit(folder)}

    def load(self, device: str) -> None:
        """Loads encoder and tokenizer in evaluation mode."""
        from transformers import AutoModel, AutoTokenizer

        folder = locate(self.model)
        weight_files(folder)
        fit_loading_bar(folder)
        self._pooling, self._limit, self._device = _pooling(folder), _limit(folder), device
        self._tokenizer = read_part(AutoTokenizer, folder)
        self._net = read_part(AutoModel, folder).to(device).eval()

    def encode(self, texts: Sequence[str], templates: Sequence[str]) -> Tensor:
        """Unit vectors, float32, (text, dimension), averaged over templates."""
        return mean_direction([self._all(fill(t, list(texts))) for t in templates])

    def refuse(self, texts: Sequence[str], templates: Sequence[str]) -> None:
        """Refuses texts that the model would cut, or cannot tell apart.

        Raises:
            OodexpError: Lists them.
        """
        ids = [self._tokenizer(fill(t, texts), truncation=False).input_ids for t in templates]
        rows = list(zip(*ids, strict=True))
        keys = [tuple(tuple(part) for part in row) for row in rows]
        refuse_lost(texts, keys, [max(map(len, r)) > self._limit for r in rows], self._limit)

    def _all(self, texts: list[str]) -> Tensor:
        import torch

        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # little padding
        parts = [
            self._some([texts[i] for i in order[k : k + _BATCH]])
            for k in range(0, len(order), _BATCH)
        ]
        vectors = torch.cat(parts)
        return vectors[torch.argsort(torch.tensor(order))]

    def _some(self, texts: list[str]) -> Tensor:
        import torch

        # Padding on the left would shift the positions of the shorter texts.
        tokens = self._tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")
        tokens = tokens.to(self._device)
        with torch.inference_mode():
            hidden = self._net(**tokens).last_hidden_state.float()
            if self._pooling == "cls":
                return unit(hidden[:, 0])
            kept = tokens["attention_mask"][..., None]
            return unit((hidden * kept).sum(1) / kept.sum(1))


def _pooling(folder: Path) -> str:
    file = folder / "1_Pooling" / "config.json"
    settings = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    modes = [
        name for name, on in settings.items() if name.startswith("pooling_mode") and on is True
    ]
    if modes in ([], ["pooling_mode_mean_tokens"]):
        return "mean"
    if modes == ["pooling_mode_cls_token"]:
        return "cls"
    raise OodexpError(f"{file}: pooling {modes} is not supported; use a model with mean or cls")


def _limit(folder: Path) -> int:
    file = folder / "sentence_bert_config.json"
    if file.is_file():
        return int(json.loads(file.read_text("utf-8"))["max_seq_length"])
    config = json.loads((folder / "config.json").read_text("utf-8"))
    return int(config["max_position_embeddings"])
