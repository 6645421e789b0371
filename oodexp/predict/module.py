"""The two Lightning modules: scorers over images, a VLM over questions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pytorch_lightning import LightningModule

from oodexp.error import OodexpError
from oodexp.predict.completion import rows_of
from oodexp.vlm.base import Reply

if TYPE_CHECKING:
    from oodexp.predict.answering import Asked
    from oodexp.predict.scoring import Shown
    from oodexp.predict.serving import Desk, Sent
    from oodexp.scorer.base import Scorer
    from oodexp.vlm.base import Vlm


class _Module(LightningModule):
    def __init__(self) -> None:
        super().__init__()
        # With fewer chunks than processes, some have nothing to do.
        self.allow_zero_length_dataloader_with_multiple_devices = True


class ScoringModule(_Module):
    """Image vectors of several scorers from one decode of each image.

    Args:
        scorers: Scorers by name.
        loaded: Whether they are on their device already; else each process loads them in `setup`.
    """

    def __init__(self, scorers: Mapping[str, Scorer], loaded: bool) -> None:
        super().__init__()
        self._scorers = dict(scorers)
        self._loaded = loaded

    def setup(self, stage: str) -> None:
        """Loads the scorers onto this process's device."""
        if not self._loaded:
            for scorer in self._scorers.values():
                scorer.load(str(self.trainer.strategy.root_device))

    def predict_step(self, batch: Shown, batch_idx: int) -> dict[str, pa.Table]:
        """Rows `key`, `vector`, `shape`, `reason`, `seconds` of each scorer."""
        return {name: self._rows(name, scorer, batch) for name, scorer in self._scorers.items()}

    def _rows(self, name: str, scorer: Scorer, batch: Shown) -> pa.Table:
        vectors: list[np.ndarray] = []
        seconds = 0.0
        if name in batch.tensors:
            tensors = batch.tensors[name]
            start = time.perf_counter()
            encoded = scorer.encode_images(tensors)
            if encoded.ndim not in (2, 3) or len(encoded) != len(tensors):
                raise OodexpError(
                    f"scorer {name}: image vectors of shape {tuple(encoded.shape)} for "
                    f"{len(tensors)} images; expected (image, dimension) or (image, query, "
                    "dimension)"
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
