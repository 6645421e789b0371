"""Any VLM that vLLM runs, in this process: models without a class in transformers, many GPUs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply, Tariff
from oodexp.vlm.plain import plain
from oodexp.vlm.seed import question_seed
from oodexp.weights import folder_digests, locate, versions

if TYPE_CHECKING:
    from PIL.Image import Image


class Vllm:
    """A local VLM behind vLLM's own batching; prefix caching reuses an image over its questions.

    vLLM chooses its devices itself (CUDA_VISIBLE_DEVICES, `tensor_parallel_size`).

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        max_new_tokens: Length at which a reply is cut and marked `truncated`, unless a question
            has its own.
        temperature: 0 for greedy decoding; above it each question has a seed made of `seed`,
            prompt and pixels.
        top_p: For sampling; null for all tokens.
        dtype: `bfloat16`, `float16`, `float32`, or `auto` for the checkpoint's.
        trust_remote_code: Whether code in the model's folder may run.
        system: A system message before each question.
        seed: For sampling.
        chat_template: A template in place of the checkpoint's.
        tensor_parallel_size: Number of GPUs that share the model.
        processor: Arguments of the image processor (`mm_processor_kwargs`).
        engine: Further arguments of `vllm.LLM`, such as `max_model_len` or `hf_overrides`.
    """

    def __init__(
        self,
        model: str,
        max_new_tokens: int = 16,
        temperature: float = 0.0,
        top_p: float | None = None,
        dtype: str = "auto",
        trust_remote_code: bool = False,
        system: str | None = None,
        seed: int = 0,
        chat_template: str | None = None,
        tensor_parallel_size: int = 1,
        processor: Mapping[str, Any] | None = None,
        engine: Mapping[str, Any] | None = None,
    ) -> None:
        if temperature == 0 and top_p is not None:
            raise OodexpError(f"vlm {model!r}: top_p does nothing while temperature is 0")
        self.model, self.max_new_tokens, self.temperature = model, max_new_tokens, temperature
        self.top_p, self.dtype, self.trust_remote_code = top_p, dtype, trust_remote_code
        self.system, self.seed, self.chat_template = system, seed, chat_template
        self.tensor_parallel_size = tensor_parallel_size
        self.processor, self.engine = plain(processor or {}), plain(engine or {})
        self._llm: Any = None

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.vlm.base.Vlm`; `files` covers processor, chat template and generation.

        Raises:
            OodexpError: If vLLM is not installed.
        """
        _installed(self.model)
        return {
            "kind": "vllm",
            **folder_digests(locate(self.model)),
            "max_new_tokens": self.max_new_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed if self.temperature > 0 else None,
            "system": self.system,
            "chat_template": self.chat_template,
            "dtype": self.dtype,
            "processor": self.processor,
            "engine": self.engine,
            "versions": versions("vllm", "torch", "transformers", "tokenizers"),
        }

    def tariff(self) -> Tariff:
        """The limit; what an image takes is known after the first answers."""
        return Tariff(max_tokens=self.max_new_tokens)

    def load(self, device: str) -> None:
        """Starts the engine; nothing happens where it runs already.

        Raises:
            OodexpError: If vLLM is not installed.
        """
        if self._llm is not None:
            return
        _installed(self.model)
        self._llm = _library().LLM(
            **{
                "model": str(locate(self.model)),
                "dtype": self.dtype,
                "trust_remote_code": self.trust_remote_code,
                "tensor_parallel_size": self.tensor_parallel_size,
                "enable_prefix_caching": True,
                "limit_mm_per_prompt": {"image": 1},
                "mm_processor_kwargs": self.processor or None,
                "seed": self.seed,
                **self.engine,
            }
        )

    def complete(
        self, images: Sequence[Image], prompts: Sequence[str],
        max_tokens: Sequence[int | None] | None = None,
    ) -> list[Reply]:  # fmt: skip
        """New tokens only, special tokens left out, otherwise unchanged."""
        if not prompts:
            return []
        limits = max_tokens or [None] * len(prompts)
        turns = list(zip(images, prompts, limits, strict=True))
        found = self._llm.chat(
            [self._messages(image, prompt) for image, prompt, _ in turns],
            sampling_params=[self._sampling(*turn) for turn in turns],
            use_tqdm=False,
            chat_template=self.chat_template,
        )
        if len(found) != len(turns):
            raise OodexpError(
                f"vlm {self.model!r}: vLLM gave {len(found)} replies to {len(turns)} questions"
            )
        return [_reply(one) for one in found]

    def _sampling(self, image: Image, prompt: str, limit: int | None) -> Any:
        sampled = self.temperature > 0
        return _library().SamplingParams(
            temperature=self.temperature,
            top_p=1.0 if self.top_p is None else self.top_p,
            max_tokens=self.max_new_tokens if limit is None else limit,
            seed=question_seed(self.seed, prompt, image) if sampled else None,
        )

    def _messages(self, image: Image, prompt: str) -> list[dict[str, Any]]:
        content = [{"type": "image_pil", "image_pil": image}, {"type": "text", "text": prompt}]
        user = {"role": "user", "content": content}
        return [user] if self.system is None else [{"role": "system", "content": self.system}, user]


def _reply(request: Any) -> Reply:
    out = request.outputs[0]
    asked = len(request.prompt_token_ids or []) or None
    tokens = len(out.token_ids)
    if out.finish_reason not in ("stop", "length"):
        return Reply(None, "error", f"vLLM ended with {out.finish_reason!r}", tokens, asked)
    status = "ok" if out.text.strip() else "empty"
    return Reply(
        out.text, "truncated" if out.finish_reason == "length" else status, None, tokens, asked
    )


def _library() -> Any:
    return importlib.import_module("vllm")  # by name, for it is installed where it is wanted only


def _installed(model: str) -> None:
    try:
        metadata.version("vllm")
    except metadata.PackageNotFoundError as error:
        raise OodexpError(
            f"vlm {model!r}: vLLM is not installed; `pip install vllm` in an environment with its "
            f"own pins and a GPU, or start `vllm serve {model}` anywhere and ask it through "
            "vlm=openai_api with its address"
        ) from error
