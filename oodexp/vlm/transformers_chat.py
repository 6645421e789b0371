"""Any image-text-to-text model of transformers, asked through its own chat template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply, Tariff
from oodexp.vlm.checkpoint import QUANTIZATIONS, Placement, load_net, own_code
from oodexp.vlm.decoding import Decoder
from oodexp.vlm.memory import Fitting
from oodexp.vlm.plain import plain
from oodexp.vlm.reuse import Reuse
from oodexp.vlm.seed import question_seed
from oodexp.vlm.verdict_tokens import VerdictTokens, names_both
from oodexp.vlm.wording import SLOT, Wording
from oodexp.weights import folder_digests, locate, versions

if TYPE_CHECKING:
    from PIL.Image import Image

    from oodexp.vlm.prefix import Prepared


class _Turn(NamedTuple):
    """One question to put."""

    image: Image
    prompt: str
    text: str
    limit: int


class TransformersChat:
    """A local VLM: greedy by default, in batches padded on the left.

    Questions on one image are asked together: the image and the tokens that they share are
    computed once. A reply is the same alone, in a batch, and with reuse.

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        max_new_tokens: Length at which a reply is cut and marked `truncated`, unless a question
            has its own.
        do_sample: Sampling instead of greedy decoding; questions are then decoded one by one, each
            with a seed made of `seed`, prompt and pixels, so that a reply can be repeated.
        temperature: For sampling; null for the checkpoint's own.
        top_p: For sampling; null for the checkpoint's own.
        dtype: `float32`, `bfloat16`, `float16`, or `auto` for the checkpoint's.
        trust_remote_code: Whether code in the model's folder may run.
        system: A system message before each question.
        seed: For sampling.
        prompt: For checkpoints without a chat template, a text with `{}` for the question, such
            as `Question: {} Answer:`; where the processor wants it, with the image's placeholder.
        processor: Further arguments of the processor, such as `max_patches` or `min_pixels`.
        decode: `generate`, or `logits` for one forward pass: prompts that offer yes and no are
            answered by the more probable, with its probability; others are generated.
        reuse: `auto`, or `none` to compute the image again for every question.
        device_map: `auto` to spread the layers over all devices; null for one device.
        attn_implementation: `sdpa`, `eager`, `flash_attention_2`; null for the library's choice.
        quantization: `int8`, `int4` (needs bitsandbytes); null for weights of `dtype`.
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
        prompt: str | None = None,
        processor: Mapping[str, Any] | None = None,
        decode: str = "generate",
        reuse: str = "auto",
        device_map: str | None = None,
        attn_implementation: str | None = None,
        quantization: str | None = None,
    ) -> None:
        self.model, self.max_new_tokens, self.do_sample = model, max_new_tokens, do_sample
        self.temperature, self.top_p, self.dtype = temperature, top_p, dtype
        self.trust_remote_code, self.system, self.seed = trust_remote_code, system, seed
        self.prompt, self.decode, self.reuse = prompt, decode, reuse
        self.processor = plain(processor or {})
        self.placement = Placement(dtype, device_map, attn_implementation, quantization)
        self._check()
        self._device: str | None = None

    def _check(self) -> None:
        wrong = {
            "temperature and top_p do nothing while do_sample is false": not self.do_sample
            and (self.temperature is not None or self.top_p is not None),
            f"prompt {self.prompt!r} has no {SLOT} for the question": self.prompt is not None
            and SLOT not in self.prompt,
            "a plain prompt has no place for a system message; write it into the prompt": (
                self.prompt is not None and self.system is not None
            ),
            f"decode {self.decode!r}: generate or logits": self.decode
            not in ("generate", "logits"),
            f"reuse {self.reuse!r}: auto or none": self.reuse not in ("auto", "none"),
            f"quantization {self.placement.quantization!r}: int8, int4 or null": (
                self.placement.quantization not in QUANTIZATIONS
            ),
        }
        for message, found in wrong.items():
            if found:
                raise OodexpError(f"vlm {self.model!r}: {message}")

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.vlm.base.Vlm`; `files` covers processor, chat template and generation.

        Settings that came later are in it where they are in use, so that completions stay valid.
        """
        libraries = ["torch", "torchvision", "transformers", "tokenizers"]
        if self.placement.quantization is not None:
            self.placement.check(self.model)
            libraries.append("bitsandbytes")
        later = {
            "prompt": self.prompt,
            "processor": self.processor or None,
            "decode": None if self.decode == "generate" else self.decode,
            "attn_implementation": self.placement.attn_implementation,
            "quantization": self.placement.quantization,
        }
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
            **{name: value for name, value in later.items() if value is not None},
            "versions": versions(*libraries),
        }

    @property
    def notes(self) -> list[str]:
        """Why images are not reused, if they are not; empty before a batch shares one."""
        return self._reuse.notes

    def tariff(self) -> Tariff:
        """The limit; what an image takes is known after the first answers."""
        return Tariff(max_tokens=self.max_new_tokens)

    def load(self, device: str) -> None:
        """Loads model and processor; nothing happens where they are on the device already.

        Raises:
            OodexpError: If a weight is missing, if the processor has no chat template and there is
                no `prompt`, or if a library that a setting needs is not installed.
        """
        if self._device == device:
            return
        import transformers

        self.placement.check(self.model)
        folder, trust = locate(self.model), self.trust_remote_code
        loader: Any = transformers.AutoProcessor  # its factory methods have no types
        with own_code(self.model):
            processor = loader.from_pretrained(folder, trust_remote_code=trust)
        try:
            wording = Wording(processor, self.prompt, self.system, self.processor)
            self._verdicts = None if self.decode == "generate" else VerdictTokens(wording.tokenizer)
        except OodexpError as error:
            raise OodexpError(f"vlm {self.model!r}: {error}") from None
        net = load_net(self.model, folder, device, self.placement, trust)
        sampling = {"temperature": self.temperature, "top_p": self.top_p}
        decoder = Decoder(net, wording.tokenizer, self.do_sample, sampling)
        self._net, self._wording, self._decoder = net, wording, decoder
        self._reuse = Reuse(net, wording, decoder, auto=self.reuse == "auto")
        self._fitting, self._device = Fitting(), device

    def complete(
        self, images: Sequence[Image], prompts: Sequence[str],
        max_tokens: Sequence[int | None] | None = None,
    ) -> list[Reply]:  # fmt: skip
        """New tokens only, special tokens left out, otherwise unchanged."""
        if not prompts:
            return []
        limits = max_tokens or [None] * len(prompts)
        own = [self.max_new_tokens if limit is None else limit for limit in limits]
        texts = self._wording.texts(prompts)
        turns = [_Turn(*turn) for turn in zip(images, prompts, texts, own, strict=True)]
        judged = [self._verdicts is not None and names_both(turn.prompt) for turn in turns]
        replies: dict[int, Reply] = {}
        for work, wanted in ((self._judge, True), (self._answer, False)):
            mine = [n for n, is_judged in enumerate(judged) if is_judged == wanted]
            found = self._fitting.run([turns[n] for n in mine], work)
            replies |= dict(zip(mine, found, strict=True))
        return [replies[n] for n in range(len(turns))]

    def _answer(self, turns: Sequence[_Turn]) -> list[Reply]:
        if self.do_sample:
            return self._sample(turns)
        return self._decoder.replies(self._prepared(turns), [turn.limit for turn in turns])

    def _judge(self, turns: Sequence[_Turn]) -> list[Reply]:
        assert self._verdicts is not None
        prepared = self._prepared(turns)
        verdicts = self._verdicts.read(self._decoder.first_logits(prepared))
        return [
            Reply("Yes" if yes > 0.5 else "No", "ok", None, 1, size, yes, mass)
            for (yes, mass), size in zip(verdicts, prepared.prompt_tokens, strict=True)
        ]

    def _prepared(self, turns: Sequence[_Turn]) -> Prepared:
        images, texts = [turn.image for turn in turns], [turn.text for turn in turns]
        return self._reuse.prepare(images, texts, max(turn.limit for turn in turns))

    def _sample(self, turns: Sequence[_Turn]) -> list[Reply]:
        """One by one, as a draw depends on the rows beside it; those of an image share it."""
        replies: dict[int, Reply] = {}
        groups: dict[int, list[int]] = {}
        for n, turn in enumerate(turns):
            groups.setdefault(id(turn.image), []).append(n)
        for mine in groups.values():
            texts, most = [turns[n].text for n in mine], max(turns[n].limit for n in mine)
            prefix = self._reuse.prefix(turns[mine[0]].image, texts, most)
            for place, n in enumerate(mine):
                prepared = self._prepared([turns[n]]) if prefix is None else prefix.one(place)
                replies[n] = self._drawn(turns[n], prepared)
        return [replies[n] for n in range(len(turns))]

    def _drawn(self, turn: _Turn, prepared: Prepared) -> Reply:
        import torch

        devices = [] if self._net.device.type == "cpu" else [self._net.device]
        with torch.random.fork_rng(devices):
            torch.manual_seed(question_seed(self.seed, turn.prompt, turn.image))
            return self._decoder.replies(prepared, [turn.limit])[0]
