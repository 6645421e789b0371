"""How a question and its image become the inputs of a model of transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError

if TYPE_CHECKING:
    from PIL.Image import Image

SLOT = "{}"
"""Where the question stands in a plain prompt."""


class Wording:
    """The text around a question, and the processor that turns text and image into tensors.

    Args:
        processor: A processor of transformers; its tokenizer is made to pad on the left.
        prompt: A plain text with `{}` for the question; null for the processor's chat template.
        system: A system message before each question.
        extra: Further arguments of the processor.

    Raises:
        OodexpError: If there is neither a chat template nor a plain prompt.
    """

    def __init__(
        self, processor: Any, prompt: str | None, system: str | None, extra: Mapping[str, Any]
    ) -> None:
        if prompt is None and not getattr(processor, "chat_template", None):
            raise OodexpError(
                "its processor has no chat template, so nobody knows how its prompts look; use an "
                "instruction-tuned checkpoint, add chat_template.jinja, or give `prompt`, a text "
                "with {} where the question goes, such as 'Question: {} Answer:'"
            )
        self.processor, self.tokenizer = processor, processor.tokenizer
        self._prompt, self._system, self._extra = prompt, system, dict(extra)
        self.tokenizer.padding_side = "left"
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def texts(self, prompts: Sequence[str]) -> list[str]:
        """What the processor reads for each question, the image a placeholder."""
        if self._prompt is not None:
            return [self._prompt.replace(SLOT, prompt) for prompt in prompts]
        return self.processor.apply_chat_template(
            [self._messages(prompt) for prompt in prompts], add_generation_prompt=True
        )

    def batch(self, images: Sequence[Image], texts: Sequence[str]) -> Any:
        """The model's inputs for each (image, text), padded on the left.

        Args:
            images: RGB.
            texts: Of `texts`.
        """
        return self.processor(
            text=list(texts),
            images=[[image] for image in images],
            padding=True,
            return_tensors="pt",
            **self._marks(texts),
            **self._extra,
        )

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokens of each text by the tokenizer alone: an image is one placeholder, or nothing."""
        return self.tokenizer(list(texts), **self._marks(texts))["input_ids"]

    def _marks(self, texts: Sequence[str]) -> dict[str, bool]:
        """As in transformers' own chats: no second mark where the template writes the first."""
        bos = self.tokenizer.bos_token
        written = self._prompt is None and bos is not None and texts[0].startswith(bos)
        return {"add_special_tokens": False} if written else {}

    def _messages(self, prompt: str) -> list[dict[str, Any]]:
        user = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": prompt}]}
        if self._system is None:
            return [user]
        return [{"role": "system", "content": [{"type": "text", "text": self._system}]}, user]
