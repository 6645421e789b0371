"""What every scorer gives: unit vectors of images and texts, and their scaled logits.

Sign: a higher logit is a better match. A logit stays a logit here; the division turns it into a
score by the scorer's link: `softmax` over category texts (protocol of OODBench, III-D, eq. 15), or
the `sigmoid` of each pair. The scale is the model's own unless the configuration says otherwise.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from oodexp.error import OodexpError

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from torch import Tensor

Link = Literal["softmax", "sigmoid"]
"""`softmax`: categories compete; `sigmoid`: a pair is judged by itself (SigLIP, matching heads)."""


def check_link(link: Link) -> Link:
    """The name, if it is one of `Link`.

    Raises:
        OodexpError: If it is not.
    """
    if link not in ("softmax", "sigmoid"):
        raise OodexpError(f"link {link!r}: expected `softmax` or `sigmoid`")
    return link


@dataclass(frozen=True, slots=True)
class TextBank:
    """The category texts as one scorer sees them: a zero-shot classifier."""

    embeddings: np.ndarray
    """float32, (category, dimension), rows of length 1."""
    scale: float
    """Factor from cosine to logit: exp of the learned logit scale, or a configured value."""
    bias: float
    """Added to every logit (SigLIP); 0 elsewhere."""


class Scorer(Protocol):
    """A contrastive model.

    Constructors are cheap: they check names and paths, and nothing else. `fingerprint` must not
    load the model. `load` is called once before the methods below it.
    """

    @property
    def link(self) -> Link:
        """How the division turns a logit into a score; changes no vector and no logit."""

    def fingerprint(self) -> dict[str, Any]:
        """All that can change an image vector or a logit, as plain JSON values.

        Weights sha256, architecture and activation, preprocessing, tokenizer, templates, scale
        setting, dtype, library versions. Category names are not part of it.

        Raises:
            OodexpError: If weights are missing, random, or do not fit the architecture's name.
        """

    def load(self, device: str) -> None:
        """Loads weights in evaluation mode onto `device`."""

    def preprocess(self, image: Image) -> Tensor:
        """The model's own transform of an RGB image: float32, (channel, height, width)."""

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors, float32: (image, dimension), or (image, query, dimension).

        The vector of an image does not depend on its neighbours in the batch.
        """

    def encode_texts(self, categories: list[str]) -> TextBank:
        """Vectors of the category texts through the scorer's templates, with its scale.

        Raises:
            OodexpError: If two categories become the same text for the model (truncation).
        """

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scaled logits, float32, (image, category); needs no loaded model."""


@runtime_checkable
class Sighted(Protocol):
    """Optional: a loaded scorer that says what its transform of an image is.

    Scorers of one `sight` get the same tensor, made once; each must leave it as it is.
    """

    @property
    def sight(self) -> Hashable:
        """All that decides what `preprocess` gives."""


@runtime_checkable
class Worded(Protocol):
    """Optional: a scorer whose image vectors do not depend on its templates.

    Other templates then cost a pass over the category texts, and none over the images.
    """

    WORDING: ClassVar[tuple[str, ...]]
    """Keys of its fingerprint that change text vectors or logits, and never an image vector."""

    def worded(self, templates: Sequence[str]) -> Any:
        """The same scorer with other templates; not loaded."""


@runtime_checkable
class Pairwise(Protocol):
    """A model that looks at an image and a text together, so that neither has a vector alone."""

    @property
    def link(self) -> Link:
        """See `Scorer`."""

    def fingerprint(self) -> dict[str, Any]:
        """All that can change a logit besides the categories, as plain JSON values."""

    def over(self, categories: list[str]) -> Scorer:
        """A scorer of these very categories: an image's vector is its row of logits.

        Its fingerprint holds the categories, as they change that vector.
        """


@runtime_checkable
class Fast(Protocol):
    """Optional: a scorer, or a pairwise model, that can compute in a faster number format.

    Its logits are then off by rounding, and where that leaves a verdict in doubt its twin in
    float32 is asked. A scorer without these two members is exact.
    """

    @property
    def precision(self) -> str:
        """`float32`, or the faster format that it computes in."""

    def exact(self) -> Any:
        """The same scorer in float32: of another fingerprint, and not loaded."""
