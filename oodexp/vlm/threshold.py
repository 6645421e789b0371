"""A dual encoder that answers: an object is there if its cosine exceeds a calibrated value.

The rule of OODConceptBench (recognised if the cosine is above the model's 95th percentile) put to
the questions of OODBench, so that a contrastive model can sit the same examination as a VLM.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from oodexp.error import OodexpError
from oodexp.record import ABSENT
from oodexp.vlm.base import Calibration, Reply
from oodexp.vlm.pixels import pixel_digest

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

_BATCH = 32

_QUESTION = re.compile(
    r"Does this image (?P<negated>not )?contain "
    r"(?:a (?P<plain>.+?) ?\? ?\( ?yes or no ?\)|(?P<stepwise>.+?) ?\? ?Yes or No ?\?.*)",
    re.IGNORECASE | re.DOTALL,
)


class _Bank(Protocol):
    @property
    def scale(self) -> float: ...
    @property
    def bias(self) -> float: ...


class DualEncoder(Protocol):
    """What is needed of a scorer; any part of the group `scorer` fits."""

    def fingerprint(self) -> dict[str, Any]:
        """All that can change a cosine."""

    def load(self, device: str) -> None:
        """Loads weights."""

    def preprocess(self, image: Image) -> Tensor:
        """Pixels for the network."""

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors of images."""

    def encode_texts(self, categories: list[str]) -> Any:
        """Unit vectors of categories, with scale and bias."""

    def logits(self, images: np.ndarray, bank: Any) -> np.ndarray:
        """`scale * cosine + bias`, (image, category)."""


class Threshold:
    """Answers existence questions by a scorer's cosine; reads the category from the prompt.

    The value is a quantile of the cosine over pairs annotated as absent. No image is judged by a
    value it helped to set: calibration images are cut into folds by their pixels, and each is
    judged by the other folds; every other image by all of them.

    Args:
        scorer: The dual encoder.
        quantile: Share of absent pairs that stay unrecognised; 0.95 in the paper.
        threshold: A fixed cosine instead of a calibrated one.
        folds: Number of parts, at least 2.
    """

    def __init__(
        self,
        scorer: DualEncoder,
        quantile: float = 0.95,
        threshold: float | None = None,
        folds: int = 2,
    ) -> None:
        if not 0 < quantile < 1:
            raise OodexpError(f"quantile {quantile}: expected a number between 0 and 1")
        if folds < 2:
            raise OodexpError(f"folds {folds}: at least 2, or images are judged by themselves")
        self.scorer, self.quantile, self.threshold, self.folds = scorer, quantile, threshold, folds
        self._calibration: Calibration | None = None
        self._banks: dict[str, _Bank] = {}
        self._seen: dict[bytes, np.ndarray] = {}

    def calibrate(self, calibration: Calibration) -> None:
        """Takes annotated images; a fixed `threshold` makes no use of them."""
        self._calibration = calibration

    def fingerprint(self) -> dict[str, Any]:
        """The scorer's fingerprint, and how the value is set.

        Raises:
            OodexpError: If there is neither a fixed value nor a calibration.
        """
        fixed = self.threshold is not None
        return {
            "kind": "threshold",
            "scorer": self.scorer.fingerprint(),
            "threshold": self.threshold,
            "quantile": None if fixed else self.quantile,
            "folds": None if fixed else self.folds,
            "calibration": None if fixed else self._calibrated().digest,
        }

    def load(self, device: str) -> None:
        """Loads the scorer and sets the values: every calibration image is encoded once."""
        self.scorer.load(device)
        if self.threshold is not None:
            self._values = dict.fromkeys([None, *range(self.folds)], float(self.threshold))
            return
        calibration = self._calibrated()
        bank = self.scorer.encode_texts(list(calibration.categories))
        cosines, folds = [], []
        for some in _batches(iter(calibration.images)):
            keys = [pixel_digest(image) for image in some]
            vectors = self._encode(some)
            self._seen.update(zip(keys, vectors, strict=True))
            cosines.append(self._cosine(vectors, bank))
            folds += [self._fold(key) for key in keys]
        absent = np.asarray(calibration.presence) == ABSENT
        self._values = _values(
            np.concatenate(cosines), absent, np.array(folds), self.folds, self.quantile
        )

    def complete(
        self, images: Sequence[Image], prompts: Sequence[str],
        max_tokens: Sequence[int | None] | None = None,
    ) -> list[Reply]:  # fmt: skip
        """`Yes` or `No` to the question as asked, negated or not."""
        keys = [pixel_digest(image) for image in images]
        new = {k: i for k, i in zip(keys, images, strict=True) if k not in self._seen}
        vectors = dict(zip(new, self._encode(list(new.values())), strict=True)) if new else {}
        return [
            self._answer(key, self._seen[key] if key in self._seen else vectors[key], prompt)
            for key, prompt in zip(keys, prompts, strict=True)
        ]

    def _answer(self, key: bytes, vector: np.ndarray, prompt: str) -> Reply:
        asked = _QUESTION.fullmatch(prompt.strip())
        if asked is None:
            return Reply("I cannot answer this question.", "ok", None, None)
        category = asked["plain"] or asked["stepwise"]
        try:
            cosine = float(self._cosine(vector[None], self._bank(category))[0, 0])
        except OodexpError as error:
            return Reply(None, "error", str(error), None)
        if not np.isfinite(cosine):
            return Reply(None, "error", f"the scorer gives {cosine} for {category!r}", None)
        value = self._values[self._fold(key) if key in self._seen else None]
        present = cosine > value
        return Reply("Yes" if present != bool(asked["negated"]) else "No", "ok", None, None)

    def _bank(self, category: str) -> _Bank:
        if category not in self._banks:
            self._banks[category] = self.scorer.encode_texts([category])
        return self._banks[category]

    def _encode(self, images: list[Image]) -> np.ndarray:
        import torch

        pixels = torch.stack([self.scorer.preprocess(image) for image in images])
        return np.asarray(self.scorer.encode_images(pixels).cpu().numpy())

    def _cosine(self, vectors: np.ndarray, bank: _Bank) -> np.ndarray:
        return (self.scorer.logits(vectors, bank) - bank.bias) / bank.scale

    def _fold(self, key: bytes) -> int:
        return int.from_bytes(key[:8], "big") % self.folds

    def _calibrated(self) -> Calibration:
        if self._calibration is None:
            raise OodexpError(
                "vlm threshold: there is neither a fixed value nor annotated images to set one "
                "from; give `threshold` as a cosine, or ask about a source with annotations"
            )
        return self._calibration


def _batches(images: Iterator[Image]) -> Iterator[list[Image]]:
    while some := list(islice(images, _BATCH)):
        yield some


def _values(
    cosines: np.ndarray, absent: np.ndarray, folds: np.ndarray, count: int, quantile: float
) -> dict[int | None, float]:
    values: dict[int | None, float] = {}
    for fold in (None, *range(count)):
        used = absent & (folds != (-1 if fold is None else fold))[:, None] & np.isfinite(cosines)
        if not used.any():
            raise OodexpError(
                f"vlm threshold: no absent pair outside fold {fold} of {len(folds)} images; give "
                "more annotated images, fewer folds, or a fixed `threshold`"
            )
        values[fold] = float(np.quantile(cosines[used], quantile))
    return values
