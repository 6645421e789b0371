"""One image, many questions: how a batch is computed, and the proof that it may be so."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oodexp.vlm.prefix import Prefix, Prepared, split

if TYPE_CHECKING:
    from PIL.Image import Image

    from oodexp.vlm.decoding import Decoder
    from oodexp.vlm.wording import Wording

_WHOLE_PROMPT = ("paligemma",)
"""Models in which image and question attend to one another, so that no prefix stands by itself."""


class Reuse:
    """Prepares batches, each image computed once where the model allows it.

    `prefix` keeps keys and values up to where the questions on an image part, `features` keeps
    the image tower's output, `plain` computes every question for itself. Before a way is used its
    first logits are compared with the plain ones, on one image with two questions.

    Args:
        net: The model.
        wording: Makes its inputs.
        decoder: Runs it.
        auto: Whether to reuse at all.
    """

    def __init__(self, net: Any, wording: Wording, decoder: Decoder, auto: bool) -> None:
        self._net, self._wording, self._decoder = net, wording, decoder
        self._image_token = _image_token(net.config)
        self._left = self._ways() if auto else []
        if net.config.get_text_config(decoder=True).is_encoder_decoder:
            # An encoder counts distances over padding between image and question.
            wording.tokenizer.padding_side = "right"
        self._proven = False
        self._accepted = set(inspect.signature(net.forward).parameters)
        self.notes: list[str] = []

    @property
    def way(self) -> str:
        """`prefix`, `features` or `plain`: how questions that share an image are computed."""
        return self._left[0] if self._left else "plain"

    def prepare(self, images: Sequence[Image], texts: Sequence[str], most: int) -> Prepared:
        """The inputs of a batch.

        Args:
            images: Of each question; the same object where the image is the same.
            texts: Of each question, as `Wording.texts` gives them.
            most: Most new tokens.
        """
        if len({id(image) for image in images}) < len(images):
            self._prove(images, texts)
            prepared = self._by(self.way, images, texts, most) if self._proven else None
            if prepared is not None:
                return prepared
        return self._plain(images, texts)

    def prefix(self, image: Image, texts: Sequence[str], most: int) -> Prefix | None:
        """The shared tokens of one image's questions; None where they are not to be shared."""
        if len(texts) > 1:
            self._prove([image] * len(texts), texts)
            if self.way == "prefix" and self._proven:
                return self._prefix([image] * len(texts), texts, most)
        return None

    def _ways(self) -> list[str]:
        config = self._net.config
        kind, text = config.model_type, config.get_text_config(decoder=True)
        whole = kind in _WHOLE_PROMPT or text.is_encoder_decoder or self._image_token is None
        return ["features"] if whole else ["prefix", "features"]

    def _by(
        self, way: str, images: Sequence[Image], texts: Sequence[str], most: int
    ) -> Prepared | None:
        if way == "prefix":
            prefix = self._prefix(images, texts, most)
            return None if prefix is None else prefix.all()
        return self._features(images, texts) if way == "features" else None

    def _prefix(self, images: Sequence[Image], texts: Sequence[str], most: int) -> Prefix | None:
        cut = split(self._wording, images, texts, self._image_token or 0)
        if cut is None:
            return None
        # Windows count padding between head and tail, which a question alone does not have.
        window = getattr(self._net.config.get_text_config(), "sliding_window", None)
        width = max(map(len, cut.heads)) + max(map(len, cut.tails)) + most
        if window is not None and width > window:
            return None
        cut.inputs.update(self._moved(cut.inputs))
        pad = self._wording.tokenizer.pad_token_id
        return Prefix(self._net, cut, self._decoder.cache, pad)

    def _plain(self, images: Sequence[Image], texts: Sequence[str]) -> Prepared:
        inputs = dict(self._moved(self._wording.batch(images, texts)))
        return _prepared(inputs)

    def _features(self, images: Sequence[Image], texts: Sequence[str]) -> Prepared | None:
        """Every prompt computed, the image tower run once an image; None where it cannot be."""
        import torch
        from transformers.modeling_outputs import BaseModelOutputWithPooling

        if "mm_encoder_outputs" not in self._accepted:
            return None
        inputs = dict(self._moved(self._wording.batch(images, texts)))
        pixels = inputs.pop("pixel_values")
        rows: dict[int, int] = {}
        owner = [rows.setdefault(id(image), len(rows)) for image in images]
        if set(inputs) - {"input_ids", "attention_mask", "token_type_ids"} or len(pixels) != len(
            owner
        ):
            return None
        firsts = [owner.index(row) for row in range(len(rows))]
        with torch.inference_mode():
            found = self._net.get_image_features(pixel_values=pixels[firsts]).pooler_output
        # One tensor, or one an image.
        repeated: Any = found[owner] if hasattr(found, "shape") else [found[row] for row in owner]
        outputs = BaseModelOutputWithPooling(pooler_output=repeated)
        return _prepared({**inputs, "mm_encoder_outputs": {"image": outputs}})

    def _moved(self, inputs: Any) -> Any:
        unwanted = {"labels"} | ({"token_type_ids"} - self._accepted)
        for name in unwanted:
            inputs.pop(name, None)
        return inputs.to(self._net.device, dtype=self._net.dtype)

    def _prove(self, images: Sequence[Image], texts: Sequence[str]) -> None:
        """Tries the ways left on two questions of one image until one gives the plain logits."""
        while self._left and not self._proven:
            pair = _pair(images, texts)
            if pair is None:
                return
            image, two = pair
            fault = self._fault(self.way, [image, image], two)
            self._proven = fault is None
            if fault is not None:
                self._note(f"{type(self._net).__name__}: no reuse by {self.way}: {fault}")
                self._left.pop(0)

    def _fault(self, way: str, images: list[Image], texts: list[str]) -> str | None:
        import torch

        plain = self._plain(images, texts)
        expected = self._decoder.first_logits(plain)
        try:
            prepared = self._by(way, images, texts, 1)
            if prepared is None:
                return "its tokens or its image tower's output cannot be told apart"
            if prepared.prompt_tokens != plain.prompt_tokens:
                return "another number of tokens"
            found = self._decoder.first_logits(prepared)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # whatever an architecture does not go along with
            return f"{type(error).__name__}: {error}"
        allowed = torch.finfo(self._net.dtype).eps ** 0.5 * expected.abs().max().item()
        apart = (found - expected).abs().max().item()
        return None if apart <= allowed else f"first logits differ by {apart:.2g}"

    def _note(self, text: str) -> None:
        self.notes.append(text)
        logging.getLogger(__name__).warning(text)


def _prepared(inputs: dict[str, Any]) -> Prepared:
    sizes = inputs["attention_mask"].sum(1).tolist()
    return Prepared(inputs, inputs["input_ids"].shape[1], sizes)


def _image_token(config: Any) -> int | None:
    names = ("image_token_id", "image_token_index")
    return next((v for n in names if (v := getattr(config, n, None)) is not None), None)


def _pair(images: Sequence[Image], texts: Sequence[str]) -> tuple[Image, list[str]] | None:
    """An image with two questions, as different in length as they come."""
    by_image: dict[int, list[int]] = {}
    for n, image in enumerate(images):
        by_image.setdefault(id(image), []).append(n)
    mine = max(by_image.values(), key=len)
    short, long = (pick(mine, key=lambda n: (len(texts[n]), texts[n])) for pick in (min, max))
    if len(mine) < 2 or texts[short] == texts[long]:
        return None
    return images[short], [texts[short], texts[long]]
