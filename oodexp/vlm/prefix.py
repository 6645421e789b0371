"""What the questions on an image share: its tokens up to where the questions part, computed once.

A causal model's keys and values of these tokens are the same for all of them.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

    from oodexp.vlm.wording import Wording

_TYPES = ("token_type_ids", "mm_token_type_ids")


class Prepared(NamedTuple):
    """What a model needs to go on from."""

    inputs: dict[str, Any]
    """Arguments of its `generate`."""
    width: int
    """Number of columns of `input_ids`."""
    prompt_tokens: list[int]
    """Number of tokens of each prompt with its image, without padding."""


@dataclass(frozen=True, slots=True)
class Split:
    """The questions of a batch, cut where those of an image part."""

    inputs: Any
    """The processor's, one row an image, each with the first of its questions."""
    owner: list[int]
    """Row of each question's image."""
    heads: list[list[int]]
    """Shared tokens of each image, the image's own among them."""
    tails: list[list[int]]
    """Tokens of each question after them, at least one."""


def split(
    wording: Wording, images: Sequence[Image], texts: Sequence[str], image_token: int
) -> Split | None:
    """Finds what the questions of each image share; each image is processed once.

    The tokens of the other questions are those of the tokenizer after what they share with the
    processed one, so nothing is assumed about how an image's placeholder is written out.

    Args:
        wording: Makes inputs.
        images: Of each question; the same object where the image is the same.
        texts: Of each question.
        image_token: The token that an image is written out in.

    Returns:
        The cut; None where the tokens of some question cannot be told without its image.
    """
    rows: dict[int, int] = {}
    owner = [rows.setdefault(id(image), len(rows)) for image in images]
    firsts = [owner.index(row) for row in range(len(rows))]
    inputs = wording.batch([images[n] for n in firsts], [texts[n] for n in firsts])
    plain = wording.ids(texts)
    heads: list[list[int]] = []
    tails: list[list[int]] = [[] for _ in texts]
    for row, first in enumerate(firsts):
        full = inputs["input_ids"][row][inputs["attention_mask"][row].bool()].tolist()
        mine = [n for n, of in enumerate(owner) if of == row]
        cut = _cut(full, plain[first], [plain[n] for n in mine], image_token)
        if cut is None:
            return None
        heads.append(cut[0])
        for n, tail in zip(mine, cut[1], strict=True):
            tails[n] = tail
    return Split(inputs, owner, heads, tails)


def _cut(
    full: list[int], first: list[int], plain: list[list[int]], image_token: int
) -> tuple[list[int], list[list[int]]] | None:
    seen = [n for n, token in enumerate(full) if token == image_token]
    if not seen:
        return None
    after = full[seen[-1] + 1 :]
    same = _common(after[::-1], first[::-1])
    head, start = full[: len(full) - same], len(first) - same
    if any(tokens[:start] != first[:start] for tokens in plain):
        return None
    tails = [tokens[start:] for tokens in plain]
    shared = tails[0]
    for tail in tails[1:]:
        shared = shared[: _common(shared, tail)]
    kept = min(len(shared), min(map(len, tails)) - 1)
    if kept < 0:
        return None
    return head + tails[0][:kept], [tail[kept:] for tail in tails]


def _common(one: list[int], other: list[int]) -> int:
    for n, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return n
    return min(len(one), len(other))


class Prefix:
    """The heads of a batch's images as keys and values, to be gone on from.

    Args:
        net: The model.
        cut: The questions.
        compute: Gives the cache of a model's inputs.
        pad: The padding token.
    """

    def __init__(self, net: Any, cut: Split, compute: Any, pad: int) -> None:
        self._net, self._cut, self._pad = net, cut, pad
        self.inputs = _heads(cut, pad)
        self._cache = compute(self.inputs)

    def all(self) -> Prepared:
        """Every question of the batch; may be asked for once, for it takes the cache."""
        return self._prepared(range(len(self._cut.owner)), self._cache)

    def one(self, number: int) -> Prepared:
        """One question alone; needs a prefix of a single image."""
        return self._prepared([number], copy.deepcopy(self._cache))

    def _prepared(self, numbers: Sequence[int], cache: Any) -> Prepared:
        import torch

        head = self.inputs["input_ids"]
        rows = torch.tensor([self._cut.owner[n] for n in numbers], device=head.device)
        tails = [self._cut.tails[n] for n in numbers]
        cache.batch_select_indices(rows)
        ids, mask = _padded(tails, self._pad, head)
        inputs = {
            "input_ids": torch.cat([head[rows], ids], dim=1),
            "attention_mask": torch.cat([self.inputs["attention_mask"][rows], mask], dim=1),
        }
        inputs |= _positions(self._net, self.inputs, inputs, rows)
        for name in _alongside(self.inputs):
            if name not in (*inputs, *_TYPES):
                # Each new token sees of the image what the head's last token sees.
                mine = self.inputs[name][rows]
                tail = mine[:, -1:].expand(-1, ids.shape[1], *mine.shape[2:])
                inputs[name] = torch.cat([mine, tail], dim=1)
        lengths = [
            len(self._cut.heads[self._cut.owner[n]]) + len(self._cut.tails[n]) for n in numbers
        ]
        return Prepared({**inputs, "cache": cache}, inputs["input_ids"].shape[1], lengths)


def _alongside(inputs: dict[str, Any]) -> list[str]:
    """Names of the inputs that have one entry a token."""
    shape = inputs["input_ids"].shape
    return [n for n, v in inputs.items() if getattr(v, "shape", ())[:2] == shape]


def _heads(cut: Split, pad: int) -> dict[str, Any]:
    """The inputs of the heads alone, moved to the right end of their rows."""
    import torch

    inputs = dict(cut.inputs)
    mask = inputs["attention_mask"]
    sizes = torch.tensor([len(head) for head in cut.heads], device=mask.device)
    width = int(sizes.max())
    places = torch.arange(width, device=mask.device) - (width - sizes)[:, None]
    # Tokens in their order behind the padding, wherever the processor put that.
    order = mask.argsort(dim=1, stable=True)
    starts = mask.shape[1] - mask.sum(1)
    columns = order.gather(1, (places.clamp_min(0) + starts[:, None]))
    rows = torch.arange(len(mask), device=mask.device)[:, None]
    for name in _alongside(inputs):
        value = inputs[name][rows, columns]
        fill = pad if name == "input_ids" else 0
        there = (places >= 0).view(*places.shape, *[1] * (value.ndim - 2))
        inputs[name] = torch.where(there, value, fill)
    return inputs


def _padded(tails: list[list[int]], pad: int, like: Tensor) -> tuple[Tensor, Tensor]:
    width = max(map(len, tails))
    ids = [[pad] * (width - len(tail)) + tail for tail in tails]
    mask = [[0] * (width - len(tail)) + [1] * len(tail) for tail in tails]
    return like.new_tensor(ids), like.new_tensor(mask)


def _positions(
    net: Any, heads: dict[str, Any], inputs: dict[str, Any], rows: Tensor
) -> dict[str, Any]:
    """Places of the tokens in models that place an image's tokens by their row and column.

    All others count along the attention mask, which `generate` does by itself.
    """
    import torch

    if "image_grid_thw" not in heads:
        return {}
    types = heads["mm_token_type_ids"][rows]
    text = types.new_zeros(len(rows), inputs["input_ids"].shape[1] - types.shape[1])
    known = {
        **inputs,
        "mm_token_type_ids": torch.cat([types, text], dim=1),
        "image_grid_thw": heads["image_grid_thw"][rows],
    }
    place = net._prepare_position_ids_for_generation
    return {"position_ids": place(inputs["input_ids"], known)}
