"""From a model's inputs to replies: generation settings, limits, and where a reply ends."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oodexp.vlm.base import Reply
from oodexp.vlm.prefix import Prepared

if TYPE_CHECKING:
    from torch import Tensor

_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "typical_p")


class Decoder:
    """Generates with one model: the checkpoint's settings, with ours in place of its decoding.

    Args:
        net: The model.
        tokenizer: Its tokenizer.
        do_sample: Sampling instead of greedy decoding.
        sampling: Settings that replace the checkpoint's; those that are null do not.
    """

    def __init__(
        self, net: Any, tokenizer: Any, do_sample: bool, sampling: dict[str, float | None]
    ) -> None:
        self._net, self._tokenizer = net, tokenizer
        own = net.generation_config
        ends = own.eos_token_id if own.eos_token_id is not None else tokenizer.eos_token_id
        self._ends = set(ends if isinstance(ends, list) else [ends])
        kept = {k: v for k, v in own.to_diff_dict().items() if k not in ("max_length", "do_sample")}
        kept["eos_token_id"] = ends
        if kept.get("pad_token_id") is None:
            kept["pad_token_id"] = tokenizer.pad_token_id
        # Left in, they do nothing but warn at every call.
        greedy = {k: v for k, v in kept.items() if k not in _SAMPLING}
        first = {**greedy, "max_new_tokens": 1, "return_dict_in_generate": True}
        if do_sample:
            kept.update({k: v for k, v in sampling.items() if v is not None})
        self._settings = _config({**(kept if do_sample else greedy), "do_sample": do_sample})
        self._first = _config({**first, "do_sample": False, "output_logits": True})
        inner = getattr(net, "language_model", None)
        # A model whose generate is only a way into its language model's cannot go on from a cache.
        self._inner = inner if type(net).generate is not _mixin().generate else net

    def cache(self, inputs: dict[str, Any]) -> Any:
        """Keys and values of the tokens of some inputs."""
        return self._run(self._net, inputs, self._first).cache

    def first_logits(self, prepared: Prepared) -> Tensor:
        """Logits at the first position of each answer, float32, (question, vocabulary)."""
        return self._run(self._of(prepared), prepared.inputs, self._first).logits[0].float()

    def replies(self, prepared: Prepared, limits: Sequence[int]) -> list[Reply]:
        """A reply to each question.

        Args:
            prepared: The questions.
            limits: Most new tokens of each.
        """
        settings = copy.copy(self._settings)
        settings.max_new_tokens = max(limits)
        net = self._of(prepared)
        start = 1 if net.config.is_encoder_decoder else prepared.width
        more = {} if len(set(limits)) == 1 else {"stopping_criteria": [_Limits(start, limits)]}
        ids = self._run(net, prepared.inputs, settings, **more)[:, start:].tolist()
        each = zip(ids, limits, prepared.prompt_tokens, strict=True)
        return [self.reply(row, limit)._replace(prompt_tokens=size) for row, limit, size in each]

    def reply(self, ids: list[int], limit: int) -> Reply:
        """New tokens as a reply, special ones left out, the text otherwise unchanged.

        Args:
            ids: New tokens, padding after the end.
            limit: Number of them from which a reply without an end is `truncated`.
        """
        ids = ids[:limit]
        length = next((n + 1 for n, token in enumerate(ids) if token in self._ends), None)
        text = self._tokenizer.decode(
            ids[:length], skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        if length is None and len(ids) >= limit:
            return Reply(text, "truncated", None, limit)
        return Reply(text, "ok" if text.strip() else "empty", None, length or len(ids))

    def _of(self, prepared: Prepared) -> Any:
        return self._inner if "cache" in prepared.inputs else self._net

    def _run(self, net: Any, inputs: dict[str, Any], settings: Any, **more: Any) -> Any:
        import torch

        if (settings.repetition_penalty or 1.0) != 1.0:
            inputs = _without_padding_token(inputs)
        with torch.inference_mode():
            return net.generate(**inputs, generation_config=settings, **more)


class _Limits:
    """Ends each row at its own limit, so that no batch goes on for rows that are cut anyway."""

    def __init__(self, start: int, limits: Sequence[int]) -> None:
        self._ends = [start + limit for limit in limits]

    def __call__(self, input_ids: Tensor, scores: Any, **_: Any) -> Tensor:
        import torch

        return torch.tensor(self._ends, device=input_ids.device) <= input_ids.shape[1]


def _without_padding_token(inputs: dict[str, Any]) -> dict[str, Any]:
    """Repeats the last token where there is padding: a penalty on repeated tokens sees no more.

    Without it the penalty of the padding token, which ends a reply in some models, would depend
    on whether a neighbour is longer. Nothing attends to padding, so nothing else changes.
    """
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    return {**inputs, "input_ids": ids.where(mask.bool(), ids[:, -1:])}


def _config(settings: dict[str, Any]) -> Any:
    import transformers

    make: Any = transformers.GenerationConfig  # its constructor has no types
    return make(**settings)


def _mixin() -> Any:
    from transformers import GenerationMixin

    return GenerationMixin
