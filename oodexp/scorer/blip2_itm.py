"""BLIP-2's image-text matching head: the Q-Former reads a text while it looks at the image.

The head gives the probability that a pair matches, each pair by itself. Its logit is
log p / (1 - p), so that the sigmoid of the logit is the trained probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from oodexp.error import OodexpError
from oodexp.scorer.base import Link, Scorer, check_link
from oodexp.scorer.pairwise import Rows
from oodexp.scorer.precision import Precision
from oodexp.scorer.prompt import check_templates, fill
from oodexp.scorer.retrieval import Retrieval

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

_TEXTS = 128
"""Texts that are read at once beside one image."""


class Blip2Itm:
    """The matching head of `Blip2ForImageTextRetrieval`, a pairwise scorer.

    Args:
        model: Folder, `package:NAME/PATH` or hub id.
        link: `sigmoid` for the trained probability of each pair, or `softmax` over categories.
        templates: Prompts with `{}` for the category; the probabilities of several are averaged.
        precision: Number format of the vision tower; the Q-Former stays in float32.
    """

    def __init__(
        self,
        model: str,
        link: Link = "sigmoid",
        templates: Sequence[str] = ("a photo of a {}",),
        precision: Precision = "float32",
    ) -> None:
        self.model, self.link, self.templates = model, check_link(link), check_templates(templates)
        self.precision = precision
        self._model = Retrieval(model, precision)

    def exact(self) -> Self:
        """The same head in float32."""
        return type(self)(self.model, self.link, self.templates, "float32")

    def over(self, categories: list[str]) -> Scorer:
        """See `oodexp.scorer.base.Pairwise`."""
        return Rows(self, categories)

    def fingerprint(self) -> dict[str, Any]:
        """All that can change a logit besides the categories."""
        return {
            "kind": "blip2_itm",
            **self._model.fingerprint(),
            "templates": list(self.templates),
        }

    def load(self, device: str) -> None:
        """Loads model, image processor and tokenizer; see `Retrieval.load`."""
        self._model.load(device)

    def preprocess(self, image: Image) -> Tensor:
        """The processor's own transform: float32, (channel, height, width)."""
        return self._model.preprocess(image)

    def refuse(self, categories: list[str]) -> None:
        """Refuses texts that would be cut, or that the model cannot tell apart.

        Raises:
            OodexpError: Lists them.
        """
        self._model.refuse(categories, self.templates)

    def pair_logits(
        self, batch: Tensor, categories: list[str], asked: Tensor | None = None
    ) -> Tensor:
        """Logits of the cells asked for; the vision tower runs once an image.

        Args:
            batch: Preprocessed images.
            categories: Category texts.
            asked: Cells to score, bool, (image, category); None for all.

        Returns:
            float32, (image, category); NaN where not asked.

        Raises:
            OodexpError: If `asked` has another shape.
        """
        import torch

        shape = len(batch), len(categories)
        wanted = torch.ones(shape, dtype=torch.bool) if asked is None else asked.cpu()
        if wanted.shape != shape:
            raise OodexpError(f"cells asked for: {tuple(wanted.shape)}; expected {shape}")
        found = torch.full(shape, torch.nan)
        rows = wanted.any(1).nonzero()[:, 0]
        if not len(rows):
            return found
        with torch.inference_mode():
            for row, states in zip(rows.tolist(), self._model.see(batch[rows]), strict=True):
                columns = wanted[row].nonzero()[:, 0]
                texts = [categories[c] for c in columns.tolist()]
                found[row, columns] = self._beside(states[None], texts).cpu()
        return found

    def _beside(self, states: Tensor, categories: list[str]) -> Tensor:
        """Logits of one image, (1, patch, dimension), with each category: (category,)."""
        import torch
        from torch.nn.functional import logsigmoid

        parts = []
        for template in self.templates:
            texts = fill(template, categories)
            cut = range(0, len(texts), _TEXTS)
            parts.append(torch.cat([self._match(states, texts[k : k + _TEXTS]) for k in cut]))
        if len(parts) == 1:
            return parts[0]
        logits = torch.stack(parts)
        # The logit of a mean probability: its log minus that of the mean of the counterparts.
        return logsigmoid(logits).logsumexp(0) - logsigmoid(-logits).logsumexp(0)

    def _match(self, states: Tensor, texts: list[str]) -> Tensor:
        """The logit, log p / (1 - p), of one image with some texts: (text,)."""
        import torch

        net, tokens = self._model.net, self._model.tokens(texts)
        queries = net.query_tokens.expand(len(texts), -1, -1)
        seen = torch.ones(queries.shape[:2], dtype=torch.long, device=states.device)
        # The image stays one row: its keys and values are computed once for all texts.
        read = net.qformer(
            query_embeds=net.embeddings(input_ids=tokens.input_ids, query_embeds=queries),
            query_length=queries.shape[1],
            attention_mask=torch.cat([seen, tokens.attention_mask], dim=1),
            encoder_hidden_states=states,
        ).last_hidden_state
        votes = net.itm_head(read[:, : queries.shape[1]]).mean(1)
        difference: Tensor = votes[:, 1] - votes[:, 0]
        return difference
