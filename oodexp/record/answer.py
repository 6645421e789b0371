"""What is asked of VLMs, what they say, and what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt about one image, with its target."""

    KEY: ClassVar[tuple[str, ...]] = ("question_id",)

    question_id: str
    """Unique name of the question: source, image, category, kind and polarity."""
    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text, inserted verbatim into the prompt."""
    kind: str
    """What is asked: `existence`, `existence_cot`, `counting`, `logic`, `polling` or `concept`."""
    polarity: str
    """`present` ("... contain ..."), `absent` ("... not contain ..."), `count` (a number) or
    `compare` (is the number of `category` greater than that of `other`)."""
    prompt: str
    """The full text put to the model."""
    target: str
    """The right answer, in lower case: `yes`, `no`, or a whole number >= 0."""
    other: str | None = None
    """Second category of a comparison; null for every other question."""
    split: str | None = None
    """Split that the question counts for: that of its pair, or, for an absent category of polling,
    that of the present pair it stands beside."""
    strategy: str | None = None
    """Polling and concepts: `present`, or how an absent category or control was chosen."""
    max_tokens: int | None = None
    """Most new tokens of the reply; null for the VLM's own setting."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a VLM returned, word for word, before it is read."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "question_id")

    vlm: str
    """Name of the VLM."""
    question_id: str
    """The question that was put."""
    completion: str | None
    """The text as generated, unchanged; null when there is none."""
    status: str
    """`ok`, `truncated` (token limit reached), `refused` (by the model, in a field of its own),
    `filtered` (by a provider's content filter), `empty` (no text) or `error`."""
    reason: str | None
    """What went wrong, when the status is `error`; such a question is asked again the next time."""
    tokens: int | None
    """Number of generated tokens, reasoning included; null when the model does not say."""
    seconds: float | None
    """Wall time of the request, or of the batch divided by its size."""
    prompt_tokens: int | None = None
    """Number of tokens of prompt and image; null when the model does not say."""
    yes_probability: float | None = None
    """P(yes) / (P(yes) + P(no)) of the first token, in [0, 1]; null unless it was measured."""
    yes_no_mass: float | None = None
    """P(yes) + P(no) of the first token, in [0, 1]: small where neither is what the model says."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was sent to a VLM behind a network in this run, answered or not."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "number")

    vlm: str
    """Name of the VLM."""
    number: int
    """In the order that the requests ended in, from 0."""
    key: str
    """Names the image's bytes and the prompt."""
    attempt: int
    """From 1; more when earlier ones failed."""
    status: str
    """Status of the completion, or what went wrong: `http 503`, `timeout`, ..."""
    prompt_tokens: int | None
    """As billed; null when nobody said."""
    completion_tokens: int | None
    """As billed; null when nobody said."""
    cost: float | None
    """In the currency of the price; null when it may have been billed and nobody said."""
    most_cost: float
    """What it may have cost at the most."""
    seconds: float
    """Wall time."""
    at: str
    """When it was sent, UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A completion as one reader reads it."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "reader", "question_id")

    vlm: str
    """Name of the VLM."""
    reader: str
    """Name of the reader, e.g. `yes_no`, `paper`."""
    question_id: str
    """The question that was put."""
    reading: str | None
    """`yes`, `no` or a number, as an answer to the question as asked; null when unread."""
    status: str
    """`read`, or why there is no reading: `unknown`, `ambiguous`, `refused`, `truncated`, ..."""
    flag: str | None
    """How the reading was reached when not by an explicit word, e.g. `by_content`, `conflict`."""
    correct: bool
    """Whether the reading equals the target; an unread answer is not correct."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking one VLM about one source will take: worked out before anything is asked."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "source")

    vlm: str
    """Name of the VLM."""
    source: str
    """Name of the data set."""
    questions: int
    """Number of different questions, counted once where they are the same."""
    stored: int
    """How many of them are in the store already."""
    images: int
    """Number of images that the others are about."""
    prompt_tokens: int | None
    """Tokens of all prompts still to send, images included; null when an image's are not known."""
    new_tokens: int | None
    """Generated tokens to expect, from what the VLM said before; null when it said nothing."""
    most_tokens: int | None
    """Generated tokens if every reply is as long as it may be; null without a limit."""
    cost: float | None
    """Price to expect; null when it is not known, 0 when asking costs no money."""
    most_cost: float | None
    """Price if every reply is as long as it may be, failed requests not counted."""
    seconds: float | None
    """Time to expect, from the stored completions; null when there are none."""
    basis: str
    """What the estimate rests on."""
