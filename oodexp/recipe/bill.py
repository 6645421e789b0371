"""What asking will take: tokens, money and time of the questions that no store answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from oodexp.record import Estimate
from oodexp.vlm.base import AROUND, CHARACTERS_A_TOKEN, Tariff

if TYPE_CHECKING:
    import pandas as pd


def estimate(
    vlm: str, source: str, to_ask: pd.DataFrame, stored: pd.DataFrame, tariff: Tariff | None
) -> Estimate:
    """What the questions of one source will take.

    Args:
        vlm: Name of the VLM.
        source: Name of the data set.
        to_ask: Different questions without a completion: `image_id`, `prompt`, `max_tokens`.
        stored: Completions of this VLM to the other ones: `tokens`, `prompt_tokens`, `seconds`.
        tariff: What the VLM says of itself; None when it says nothing.
    """
    known = tariff or Tariff()
    prompt = _prompt_tokens(to_ask, stored, known.image_tokens)
    said = stored["tokens"].dropna()
    new = _whole(said.mean() * len(to_ask)) if len(said) else None
    most = _most(to_ask, known.max_tokens)
    pace = stored["seconds"].dropna()
    return Estimate(
        vlm, source, len(to_ask) + len(stored), len(stored), to_ask["image_id"].nunique(),
        prompt, new, most, _cost(prompt, new, known), _cost(prompt, most, known),
        float(pace.mean() * len(to_ask)) if len(pace) else None,
        _basis(len(said), known.image_tokens),
    )  # fmt: skip


def bound(vlm: str, source: str, questions: int, tariff: Tariff | None) -> Estimate:
    """What `questions` questions would take at the most, before the data are at hand.

    Prompts count as long as the longest that OODBench puts.
    """
    known = tariff or Tariff()
    words = AROUND + 30
    prompt = None if known.image_tokens is None else questions * (words + known.image_tokens)
    most = None if known.max_tokens is None else questions * known.max_tokens
    return Estimate(
        vlm, source, questions, 0, questions // 2, prompt, None, most, _cost(prompt, None, known),
        _cost(prompt, most, known), None, "the caps of the division: an upper bound",
    )  # fmt: skip


def _prompt_tokens(to_ask: pd.DataFrame, stored: pd.DataFrame, image: int | None) -> int | None:
    counted = stored["prompt_tokens"].dropna()
    if len(counted):
        return _whole(counted.mean() * len(to_ask))
    if image is None:
        return None
    letters = to_ask["prompt"].str.len().to_numpy(dtype=np.int64)
    return int((-(-letters // CHARACTERS_A_TOKEN) + AROUND + image).sum())


def _most(to_ask: pd.DataFrame, limit: int | None) -> int | None:
    own = to_ask["max_tokens"].astype("Float64")
    limits = own if limit is None else own.fillna(limit)
    return None if limits.isna().any() else int(limits.sum())


def _cost(prompt: int | None, new: int | None, tariff: Tariff) -> float | None:
    if tariff.prompt_price is None or tariff.completion_price is None:
        return 0.0
    if prompt is None or new is None:
        return None
    return (prompt * tariff.prompt_price + new * tariff.completion_price) / 1e6


def _whole(value: float) -> int:
    return math.ceil(value)


def _basis(said: int, image: int | None) -> str:
    if said:
        return f"{said} stored completions"
    text = f"{CHARACTERS_A_TOKEN} characters a token"
    return text if image is None else f"{text}, {image} tokens an image"


def together(estimates: Sequence[Estimate]) -> dict[str, float]:
    """Known cost and number of questions to ask, over all VLMs and sources."""
    return {
        "estimate/questions": float(sum(e.questions - e.stored for e in estimates)),
        "estimate/most_cost": sum(e.most_cost or 0.0 for e in estimates),
    }
