"""What every vision-language model gives: a completion for each image and prompt, word for word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image


class Reply(NamedTuple):
    """One completion of a VLM."""

    text: str | None
    """The generated text, unchanged; None when there is none."""
    status: str
    """A status of `record.Completion`."""
    reason: str | None
    """What went wrong, when the status is `error`; None otherwise."""
    tokens: int | None
    """Number of generated tokens; None when the model does not say."""
    prompt_tokens: int | None = None
    """Number of tokens of prompt and image; None when the model does not say."""
    yes_probability: float | None = None
    """P(yes) / (P(yes) + P(no)) of the first token; None when it was not measured."""
    yes_no_mass: float | None = None
    """P(yes) + P(no) of the first token; None when it was not measured."""


class Vlm(Protocol):
    """A vision-language model. Constructors are cheap; `fingerprint` does not load the model."""

    def fingerprint(self) -> dict[str, Any]:
        """All that can change a completion, as plain JSON values.

        Weights sha256, processor, chat template, generation settings, dtype, library versions.
        """

    def load(self, device: str) -> None:
        """Loads weights in evaluation mode onto `device`."""

    def complete(
        self, images: Sequence[Image], prompts: Sequence[str],
        max_tokens: Sequence[int | None] | None = None,
    ) -> list[Reply]:  # fmt: skip
        """One reply per (image, prompt), in order; a reply does not depend on its neighbours.

        Args:
            images: RGB; questions on one image stand side by side and carry the same object.
            prompts: The full texts.
            max_tokens: Most new tokens of each reply; None for the VLM's own setting.
        """


@dataclass(frozen=True, slots=True)
class Calibration:
    """Annotated images from which a VLM may set its own decision value."""

    digest: str
    """sha256 over image bytes, categories and presence; part of the VLM's fingerprint."""
    images: Iterable[Image]
    """RGB images, opened one by one as they are iterated; may be iterated more than once."""
    categories: Sequence[str]
    """Category texts, columns of `presence`."""
    presence: np.ndarray
    """Codes of `oodexp.record` (ABSENT, PRESENT, UNKNOWN), uint8, (image, category)."""


@runtime_checkable
class Calibrated(Protocol):
    """A VLM that needs annotated images before it can answer."""

    def calibrate(self, calibration: Calibration) -> None:
        """Takes the images; called before `fingerprint` and `load`. The work is done in `load`."""


@dataclass(frozen=True, slots=True)
class Tariff:
    """What a question takes, for an estimate before anything is asked."""

    max_tokens: int | None = None
    """Most new tokens of a reply; None when the model sets no limit."""
    image_tokens: int | None = None
    """Tokens of an image in the prompt, estimated; None when nobody knows."""
    prompt_price: float | None = None
    """Price of a million tokens of the prompt; None when asking costs no money."""
    completion_price: float | None = None
    """Price of a million generated tokens."""


@runtime_checkable
class Estimated(Protocol):
    """A VLM that knows what it takes; one that does not takes an unknown time and no money."""

    def tariff(self) -> Tariff:
        """Known without loading the model or asking anyone."""
