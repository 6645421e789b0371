"""Any image-text-to-text model of transformers, asked through its own chat template."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply
from oodexp.vlm.pixels import pixel_digest
from oodexp.weights import fit_loading_bar, folder_digests, locate, versions

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "typical_p")


class TransformersChat:
    """A local VLM: greedy by default, in batches padded on the left.

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        max_new_tokens: Length at which a reply is cut and marked `truncated`.
        do_sample: Sampling instead of greedy decoding; questions are then decoded one by one, each
            with a seed made of `seed`, prompt and pixels, so that a reply can be repeated.
        temperature: For sampling; null for the checkpoint's own.
        top_p: For sampling; null for the checkpoint's own.
        dtype: `float32`, `bfloat16`, `float16`, or `auto` for the checkpoint's.
        trust_remote_code: Whether code in the model's folder may run.
        system: A system message before each question.
        seed: For sampling.
    """

    def __init__(
        self,
        model: str,
        max_new_tokens: int = 16,
        do_sample: bool = False,
        temperature: float | None = None,
        top_p: float | None = None,
        dtype: str = "float32",
        trust_remote_code: bool = False,
        system: str | None = None,
        seed: int = 0,
    ) -> None:
        if not do_sample and (temperature is not None or top_p is not None):
            raise OodexpError(
                f"vlm {model!r}: temperature and top_p do nothing while do_sample is false"
            )
        self.model, self.max_new_tokens, self.do_sample = model, max_new_tokens, do_sample
        self.temperature, self.top_p, self.dtype = temperature, top_p, dtype
        self.trust_remote_code, self.system, self.seed = trust_remote_code, system, seed

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.vlm.base.Vlm`; `files` covers processor, chat template and generation."""
        return {
            "kind": "transformers_chat",
            **folder_digests(locate(self.model)),
            "max_new_tokens": self.max_new_tokens,
            "do_sample": self.do_sample,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed if self.do_sample else None,
            "system": self.system,
            "dtype": self.dtype,
            "versions": versions("torch", "torchvision", "transformers", "tokenizers"),
        }

    def load(self, device: str) -> None:
        """Loads model and processor.

        Raises:
            OodexpError: If a weight is missing, or the processor has no chat template.
        """
        library = _transformers()
        folder, trust = locate(self.model), self.trust_remote_code
        processor = library.AutoProcessor.from_pretrained(folder, trust_remote_code=trust)
        if not getattr(processor, "chat_template", None):
            raise OodexpError(
                f"vlm {self.model!r}: its processor has no chat template, so nobody knows how its "
                "prompts look; use an instruction-tuned checkpoint or add chat_template.jinja"
            )
        fit_loading_bar(folder)
        net, seen = library.AutoModelForImageTextToText.from_pretrained(
            folder, dtype=self.dtype, trust_remote_code=trust, output_loading_info=True
        )
        if seen["missing_keys"] or seen["mismatched_keys"]:
            missing = sorted(seen["missing_keys"])[:5]
            raise OodexpError(f"vlm {self.model!r}: {missing} are not in its weights (or differ)")
        processor.tokenizer.padding_side = "left"
        if processor.tokenizer.pad_token is None:
            processor.tokenizer.pad_token = processor.tokenizer.eos_token
        self._net, self._processor, self._device = net.to(device).eval(), processor, device
        self._generation = self._settings(net.generation_config)

    def complete(
        self, images: Sequence[Image], prompts: Sequence[str],
        max_tokens: Sequence[int | None] | None = None,
    ) -> list[Reply]:  # fmt: skip
        """New tokens only, special tokens left out, otherwise unchanged."""
        pairs = list(zip(images, prompts, strict=True))
        if not pairs:
            return []
        if not self.do_sample:
            return self._generate(pairs)
        return [self._sample(image, prompt) for image, prompt in pairs]

    def _sample(self, image: Image, prompt: str) -> Reply:
        import torch

        text = f"{self.seed}\n{prompt}\n".encode()
        seed = int.from_bytes(hashlib.sha256(text + pixel_digest(image)).digest()[:8], "big")
        devices = [] if self._device == "cpu" else [self._net.device]
        with torch.random.fork_rng(devices):
            torch.manual_seed(seed >> 1)
            return self._generate([(image, prompt)])[0]

    def _generate(self, pairs: list[tuple[Image, str]]) -> list[Reply]:
        import torch

        inputs = self._processor.apply_chat_template(
            [self._messages(image, prompt) for image, prompt in pairs],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )
        inputs.pop("token_type_ids", None)
        inputs = inputs.to(self._device, dtype=self._net.dtype)
        with torch.inference_mode():
            ids = self._net.generate(**inputs, generation_config=self._generation)
        return [self._reply(row) for row in ids[:, inputs["input_ids"].shape[1] :]]

    def _messages(self, image: Image, prompt: str) -> list[dict[str, Any]]:
        content = [{"type": "image", "image": image}, {"type": "text", "text": prompt}]
        user = {"role": "user", "content": content}
        if self.system is None:
            return [user]
        return [{"role": "system", "content": [{"type": "text", "text": self.system}]}, user]

    def _reply(self, row: Tensor) -> Reply:
        ids = row.tolist()
        ends = [i for i, token in enumerate(ids) if token in self._ends]
        length = ends[0] + 1 if ends else len(ids)
        text = self._processor.tokenizer.decode(
            ids[:length], skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        cut = not ends and length >= self.max_new_tokens
        return Reply(text, "truncated" if cut else "ok", None, length)

    def _settings(self, own: Any) -> Any:
        """The checkpoint's generation settings, with ours in place of its decoding."""
        tokenizer = self._processor.tokenizer
        ends = own.eos_token_id if own.eos_token_id is not None else tokenizer.eos_token_id
        self._ends = set(ends if isinstance(ends, list) else [ends])
        kept = {k: v for k, v in own.to_diff_dict().items() if k != "max_length"}
        if not self.do_sample:
            # Left in, they do nothing but warn at every call.
            kept = {k: v for k, v in kept.items() if k not in _SAMPLING}
        ours = {"temperature": self.temperature, "top_p": self.top_p}
        kept.update({k: v for k, v in ours.items() if v is not None})
        kept.update(do_sample=self.do_sample, max_new_tokens=self.max_new_tokens, eos_token_id=ends)
        if kept.get("pad_token_id") is None:
            kept["pad_token_id"] = tokenizer.pad_token_id
        return _transformers().GenerationConfig(**kept)


def _transformers() -> Any:
    import transformers

    return transformers  # as Any: its factory methods have no types
