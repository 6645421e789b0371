"""What every vision-language model gives: a completion for each image and prompt, word for word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    from oodexp.error import OodexpError


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


CHARACTERS_A_TOKEN = 4
"""Of English text, as providers state it."""

AROUND = 10
"""Tokens that a chat template puts around a prompt, estimated."""


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


class Request(NamedTuple):
    """One question as a VLM behind a network gets it."""

    key: str
    """Names the question in the ledger."""
    content: bytes
    """The image file."""
    prompt: str
    """The full text."""
    max_tokens: int | None
    """Most new tokens of the reply; None for the VLM's setting."""


class Attempt(NamedTuple):
    """One request that was sent, answered or not."""

    key: str
    """Of the question."""
    attempt: int
    """From 1."""
    status: str
    """Of the reply, or what went wrong: `http 503`, `timeout`, ..."""
    prompt_tokens: int | None
    """As billed; None when nobody said."""
    completion_tokens: int | None
    """As billed; None when nobody said."""
    cost: float | None
    """In the currency of the price; None when it may have been billed and nobody said."""
    most_cost: float
    """What it may have cost at the most."""
    seconds: float
    """Wall time."""
    at: str
    """When it was sent, UTC, ISO 8601."""


class Ledger(Protocol):
    """Keeps what was spent, on disk before the next request is sent."""

    @property
    def committed(self) -> float:
        """Spent so far by all runs; what is on its way, and what nobody knows, at its most."""
        ...

    def begin(self, key: str, attempt: int, most_cost: float, at: str) -> str:
        """Notes that a request is sent now; gives its name in the ledger."""

    async def end(self, name: str, attempt: Attempt) -> None:
        """Notes how a request ended; it is on the disk when this returns."""


class Session(Protocol):
    """An open connection to a VLM."""

    def end(self, why: OodexpError) -> None:
        """Lets nobody send any more; who waits for a turn gets `why`, who waits for a reply it."""

    async def ask(self, request: Request) -> Reply:
        """The reply, after as many attempts as it takes and is allowed.

        Raises:
            Paused: If nobody may go on: the quota is exhausted, or the budget would be passed.
            OodexpError: If every question would meet the same mistake, such as a wrong key.
        """
        ...


@runtime_checkable
class Remote(Protocol):
    """A VLM that is asked through a network, many questions at a time."""

    @property
    def concurrency(self) -> int:
        """Most questions in flight."""
        ...

    def fingerprint(self) -> dict[str, Any]:
        """As of `Vlm`; asks nobody."""

    def payee(self) -> dict[str, Any]:
        """Who is paid, as plain JSON values: the same for all decoding settings."""

    def session(self, ledger: Ledger) -> AbstractAsyncContextManager[Session]:
        """Opens a connection, within a running event loop."""
