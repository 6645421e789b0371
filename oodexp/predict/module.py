"""The Lightning modules: scorers and feature extractors over images, a VLM over questions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pyarrow as pa
from pytorch_lightning import LightningModule

from oodexp.error import OodexpError
from oodexp.predict.completion import rows_of
from oodexp.vlm.base import Reply

if TYPE_CHECKING:
    from oodexp.feature.base import Extractor
    from oodexp.predict.answering import Asked
    from oodexp.predict.serving import Desk, Sent
    from oodexp.predict.shot import Shown
    from oodexp.vlm.base import Vlm


class _Module(LightningModule):
    def __init__(self) -> None:
        super().__init__()
        # With fewer chunks than processes, some have nothing to do.
        self.allow_zero_length_dataloader_with_multiple_devices = True


class ScoringModule(_Module):
    """Image vectors of several models from one decode of each image.

    Args:
        models: Scorers by name.
        loaded: Whether they are on their device already; else each process loads them in `setup`.
    """

    _KIND: ClassVar[str] = "scorer"
    _SHAPES: ClassVar[dict[int, str]] = {
        2: "(image, dimension)", 3: "(image, query, dimension)",
    }  # fmt: skip

    def __init__(self, models: Mapping[str, Extractor], loaded: bool) -> None:
        super().__init__()
        self._models = dict(models)
        self._loaded = loaded

    def setup(self, stage: str) -> None:
        """Loads the models onto this process's device."""
        if not self._loaded:
            for model in self._models.values():
                model.load(str(self.trainer.strategy.root_device))

    def predict_step(self, batch: Shown, batch_idx: int) -> dict[str, pa.Table]:
        """Rows `key`, `vector`, `shape`, `reason`, `seconds` of each model."""
        return {name: self._rows(name, model, batch) for name, model in self._models.items()}

    def _rows(self, name: str, model: Extractor, batch: Shown) -> pa.Table:
        vectors: list[np.ndarray] = []
        seconds = 0.0
        if name in batch.tensors:
            tensors = batch.tensors[name]
            start = time.perf_counter()
            encoded = model.encode_images(tensors)
            if encoded.ndim not in self._SHAPES or len(encoded) != len(tensors):
                raise OodexpError(
                    f"{self._KIND} {name}: image vectors of shape {tuple(encoded.shape)} for "
                    f"{len(tensors)} images; expected {' or '.join(self._SHAPES.values())}"
                )
            vectors = list(encoded.float().cpu().numpy())  # waits for the device, too
            seconds = (time.perf_counter() - start) / len(vectors)
        queue = iter(vectors)
        found = [next(queue) if reason is None else None for reason in batch.reasons]
        shapes = [None if v is None else "x".join(map(str, v.shape)) for v in found]
        return pa.table(
            {
                "key": pa.array(batch.keys, pa.string()),
                "vector": pa.array([None if v is None else v.ravel() for v in found],
                                   pa.list_(pa.float32())),
                "shape": pa.array(shapes, pa.string()),
                "reason": pa.array(batch.reasons, pa.string()),
                "seconds": pa.array([None if v is None else seconds for v in found], pa.float64()),
            }
        )  # fmt: skip


class FeatureModule(ScoringModule):
    """Image features of one extractor: one vector an image.

    Args:
        models: The extractor by name.
        loaded: Whether it is on its device already; else each process loads it in `setup`.
    """

    _KIND = "feature"
    _SHAPES: ClassVar[dict[int, str]] = {2: "(image, dimension)"}


class ServingModule(_Module):
    """Hands questions to a VLM behind a network; replies go to its journal as they come.

    Args:
        desk: Asks.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    def predict_step(self, batch: Sequence[Sent], batch_idx: int) -> dict[str, pa.Table]:
        """Hands a batch on; there is nothing to write."""
        for sent in batch:
            self._desk.put(sent)
        return {}

    def on_predict_end(self) -> None:
        """Waits for the last replies."""
        self._desk.finish()


class AnsweringModule(_Module):
    """Completions of one VLM.

    Args:
        vlm: The model; each process loads it in `setup`.
        shelf: Name of the shelf that the rows go to.
    """

    def __init__(self, vlm: Vlm, shelf: str) -> None:
        super().__init__()
        self._vlm = vlm
        self._shelf = shelf

    def setup(self, stage: str) -> None:
        """Loads the VLM onto this process's device."""
        self._vlm.load(str(self.trainer.strategy.root_device))

    def predict_step(self, batch: Sequence[Asked], batch_idx: int) -> dict[str, pa.Table]:
        """Rows of `completion.rows_of`."""
        start = time.perf_counter()
        shown = [(a.image, a.prompt, a.max_tokens) for a in batch if a.image is not None]
        told = self._vlm.complete(*map(list, zip(*shown, strict=True))) if shown else []
        if len(told) != len(shown):
            raise OodexpError(
                f"vlm {self._shelf}: {len(told)} replies to {len(shown)} questions; expected one a "
                "question"
            )
        replies = iter(told)
        rows = [
            next(replies) if a.image is not None else Reply(None, "error", a.reason, None)
            for a in batch
        ]
        seconds = (time.perf_counter() - start) / len(batch)
        return {self._shelf: rows_of([a.key for a in batch], rows, [seconds] * len(batch))}
