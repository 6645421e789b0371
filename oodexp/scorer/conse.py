"""ConSE: a classifier made zero-shot by the names of its classes (Norouzi et al., arXiv 1312.5650).

An image's vector is the mean of the class-name embeddings of its most probable classes, weighted
by their probabilities; a category's vector is the embedding of its prompt. Any ImageNet classifier
and any sentence encoder make a scorer, without a model trained on image-text pairs.

The paper leaves no scale: it ranks by cosine. A softmax needs one, and 15 is the value at which the
mean confidence over the classifier's own 1,000 class names equals the classifier's own mean
confidence (.37 and .36, EfficientNet-Lite 0, 1 and 2 with MiniLM, 128 unlabelled photographs of
COCO). Neither annotations nor a division were looked at for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.scorer.base import Link, TextBank
from oodexp.scorer.classifier import Classifier
from oodexp.scorer.cosine import cosine_logits, unit
from oodexp.scorer.prompt import check_templates
from oodexp.scorer.sentence import SentenceEncoder
from oodexp.weights import versions

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from torch import Tensor


class Conse:
    """A convex combination of semantic embeddings as a scorer.

    Args:
        classifier: Architecture in timm, trained on one of ImageNet's class lists.
        weights: Its weights: `hub`, a file, or `package:NAME/PATH`.
        sentence_encoder: Folder, `package:NAME/PATH` or hub id of a sentence-transformers model.
        top: Number T of classes that an image is a mean of; 10 in the paper.
        scale: Factor from cosine to logit.
        templates: Prompts with `{}`, for class names and categories alike.
    """

    link: Link = "softmax"

    def __init__(
        self,
        classifier: str,
        weights: str,
        sentence_encoder: str,
        top: int = 10,
        scale: float = 15.0,
        templates: Sequence[str] = ("a photo of a {}",),
    ) -> None:
        if top < 1:
            raise OodexpError(f"top {top}: an image is the mean of at least 1 class")
        self.top, self.scale, self.templates = top, float(scale), check_templates(templates)
        self._classifier = Classifier(classifier, weights)
        self._sentences = SentenceEncoder(sentence_encoder)

    def fingerprint(self) -> dict[str, Any]:
        """See `oodexp.scorer.base.Scorer`."""
        return {
            "kind": "conse",
            "classifier": self._classifier.fingerprint(),
            "sentence_encoder": self._sentences.fingerprint(),
            "top": self.top,
            "scale": self.scale,
            "templates": list(self.templates),
            "dtype": "float32",
            "versions": versions("torch", "torchvision", "timm", "transformers"),
        }

    def load(self, device: str) -> None:
        """Loads both networks and embeds the class names (a few seconds on a CPU)."""
        self._classifier.load(device)
        self._sentences.load(device)
        # Three names belong to two classes each (`crane`, the bird and the machine): so be it.
        self._classes = self._sentences.encode(self._classifier.names, self.templates)

    def preprocess(self, image: Image) -> Tensor:
        """The classifier's transform: float32, (channel, height, width)."""
        return self._classifier.preprocess(image)

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors in the space of the sentence encoder, float32, (image, dimension)."""
        weights, classes = self._classifier.probabilities(batch).topk(self.top, dim=-1)
        return unit((weights[..., None] * self._classes[classes]).sum(1)).cpu()

    def encode_texts(self, categories: list[str]) -> TextBank:
        """Sentence vectors of the category prompts; refuses prompts that would be cut."""
        self._sentences.refuse(categories, self.templates)
        vectors = self._sentences.encode(categories, self.templates)
        return TextBank(vectors.cpu().numpy(), self.scale, 0.0)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scaled cosines, float32, (image, category)."""
        return cosine_logits(images, bank)
