"""The in-process engine, against a fake: vLLM itself needs a GPU and pins of its own.

The fake takes the arguments and gives the objects that vLLM documents for `LLM.chat`: a list of
conversations, one SamplingParams each, and per conversation a RequestOutput with
`prompt_token_ids` and `outputs[0]` (`text`, `token_ids`, `finish_reason`).
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from omegaconf import OmegaConf
from PIL import Image

from oodexp.error import OodexpError
from oodexp.vlm.base import Reply
from oodexp.vlm.vllm import Vllm


@dataclass
class SamplingParams:
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int | None = 16
    seed: int | None = None


@dataclass
class LLM:
    """Says the prompt back, a token a word, until its limit."""

    model: str
    dtype: str = "auto"
    trust_remote_code: bool = False
    tensor_parallel_size: int = 1
    enable_prefix_caching: bool | None = None
    limit_mm_per_prompt: dict[str, int] | None = None
    mm_processor_kwargs: dict[str, Any] | None = None
    seed: int | None = None
    max_model_len: int | None = None
    hf_overrides: dict[str, Any] | None = None
    asked: list[Any] = field(default_factory=list)

    def chat(
        self, messages: list[Any], sampling_params: list[SamplingParams], use_tqdm: bool = True,
        chat_template: str | None = None,
    ) -> list[Any]:  # fmt: skip
        self.asked.append((messages, sampling_params, chat_template))
        return [self._one(m, s) for m, s in zip(messages, sampling_params, strict=True)]

    def _one(self, messages: list[Any], how: SamplingParams) -> Any:
        (image,) = [c for c in messages[-1]["content"] if c["type"] == "image_pil"]
        (text,) = [c["text"] for c in messages[-1]["content"] if c["type"] == "text"]
        words = f"{image['image_pil'].size[0]} {text}".split()
        said = [] if text == "nothing" else words[: how.max_tokens]
        reason = "length" if len(said) < len(words) else "stop"
        reason = {"abort me": "abort", "nothing": "stop"}.get(text, reason)
        out = SimpleNamespace(
            text=" ".join(said), token_ids=list(range(len(said))), finish_reason=reason
        )
        return SimpleNamespace(prompt_token_ids=[0] * (len(words) + 5), outputs=[out])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("vllm")
    module.LLM, module.SamplingParams = LLM, SamplingParams  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", module)
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda n: "0.99" if n == "vllm" else version(n))
    return module


def made(folder: Path, **settings: Any) -> Vllm:
    vlm = Vllm(str(folder), **settings)
    vlm.load("cuda")
    return vlm


def test_replies_are_in_order_with_their_tokens(
    fake: ModuleType, llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm = made(llava_folder, max_new_tokens=4)
    prompts = ["a b", "a b c d e", "a b c d e", "nothing", "abort me"]
    replies = vlm.complete(images[:5], prompts, [None, None, 2, None, None])
    assert replies == [
        Reply("32 a b", "ok", None, 3, 8),
        Reply("32 a b c", "truncated", None, 4, 11),
        Reply("32 a", "truncated", None, 2, 11),
        Reply("", "empty", None, 0, 7),
        Reply(None, "error", "vLLM ended with 'abort'", 3, 8),
    ]
    assert vlm.complete([], []) == []


def test_the_engine_is_made_for_one_image_a_question_with_prefix_caching(
    fake: ModuleType, llava_folder: Path
) -> None:
    engine = OmegaConf.create({"max_model_len": 4096, "hf_overrides": {"architectures": ["Deep"]}})
    processor = OmegaConf.create({"max_dynamic_patch": 12})
    vlm = made(
        llava_folder, dtype="bfloat16", trust_remote_code=True, tensor_parallel_size=2,
        engine=engine, processor=processor,
    )  # fmt: skip
    assert vlm._llm == LLM(
        str(llava_folder.resolve()), "bfloat16", True, 2, True, {"image": 1},
        {"max_dynamic_patch": 12}, 0, 4096, {"architectures": ["Deep"]},
    )  # fmt: skip
    assert type(vlm._llm.hf_overrides["architectures"]) is list


def test_the_engine_is_started_once(fake: ModuleType, llava_folder: Path) -> None:
    vlm = made(llava_folder)
    before = vlm._llm
    vlm.load("cuda")
    assert vlm._llm is before


def test_greedy_decoding_has_no_seed_and_sampling_one_for_each_question(
    fake: ModuleType, llava_folder: Path, images: list[Image.Image]
) -> None:
    def seeds(order: list[int], **settings: Any) -> list[int | None]:
        vlm = made(llava_folder, **settings)
        prompts = ["a", "b", "a"]
        vlm.complete([images[n] for n in order], [prompts[n] for n in order])
        ((_, sampling, _),) = vlm._llm.asked
        assert {s.temperature for s in sampling} == {settings.get("temperature", 0)}
        return [s.seed for s in sampling]

    assert seeds([0, 1, 2]) == [None] * 3
    drawn = seeds([0, 1, 2], temperature=0.7)
    assert len(set(drawn)) == 3
    assert seeds([2, 1, 0], temperature=0.7) == drawn[::-1]
    assert set(seeds([0, 1, 2], temperature=0.7, seed=1)) & set(drawn) == set()


def test_system_message_and_template_are_handed_on(
    fake: ModuleType, llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm = made(llava_folder, system="Be brief.", chat_template="{{ messages }}")
    vlm.complete(images[:1], ["a"])
    (((messages,), _, template),) = vlm._llm.asked
    assert messages[0] == {"role": "system", "content": "Be brief."}
    assert messages[1]["content"][0] == {"type": "image_pil", "image_pil": images[0]}
    assert template == "{{ messages }}"


def test_fewer_replies_than_questions_are_an_error(
    fake: ModuleType, llava_folder: Path, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    vlm = made(llava_folder)
    monkeypatch.setattr(LLM, "chat", lambda *_, **__: [])
    with pytest.raises(OodexpError, match="0 replies to 2 questions"):
        vlm.complete(images[:2], ["a", "b"])


@pytest.mark.parametrize(
    "changes",
    [
        {"max_new_tokens": 8}, {"system": "Be brief."}, {"dtype": "float16"}, {"temperature": 0.5},
        {"processor": {"max_dynamic_patch": 6}}, {"engine": {"max_model_len": 99}},
        {"chat_template": "{{ messages }}"},
    ],
)  # fmt: skip
def test_a_setting_changes_the_fingerprint(
    fake: ModuleType, llava_folder: Path, changes: dict[str, Any]
) -> None:
    before, after = (Vllm(str(llava_folder), **c).fingerprint() for c in ({}, changes))
    assert json.dumps(before) != json.dumps(after)
    assert before["versions"]["vllm"] == "0.99"


@pytest.mark.skipif(
    any(d.name == "vllm" for d in metadata.distributions()), reason="vLLM is installed"
)
@pytest.mark.parametrize("method", ["fingerprint", "load"])
def test_without_vllm_both_ways_to_have_it_are_named(llava_folder: Path, method: str) -> None:
    vlm = Vllm(str(llava_folder))
    with pytest.raises(OodexpError, match=r"pip install vllm.*vllm serve.*vlm=openai_api"):
        vlm.fingerprint() if method == "fingerprint" else vlm.load("cuda")


def test_a_share_of_tokens_without_sampling_is_refused() -> None:
    with pytest.raises(OodexpError, match="top_p does nothing"):
        Vllm("org/name", top_p=0.9)
