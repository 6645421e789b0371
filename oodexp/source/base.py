"""What every source gives: images, present pairs, and a presence for every (image, category)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Box = tuple[float, float, float, float]
"""Left, top, width and height in pixels of the image as annotated, before any orientation tag."""


class Source(Protocol):
    """An annotated image set.

    Constructors are cheap but check that the named files and folders exist. Rows of `images` and
    `presence` and columns of `presence` and `categories` are in the same order, which depends on
    the annotations alone.
    """

    name: str
    labels_sha256: str | None = None
    """Digest of the renaming table (`source.labels.Labels.sha256`): other texts are other
    questions. None where the texts are the annotated names."""

    def images(self) -> pd.DataFrame:
        """All listed images whose path is safe (`record.Image`, `sha256` of the file's bytes)."""

    def categories(self) -> list[str]:
        """Category texts as shown to the models, each once."""

    def pairs(self) -> pd.DataFrame:
        """All present pairs (`record.Pair`) of the listed images."""

    def presence(self) -> np.ndarray:
        """Codes of `record` (ABSENT, PRESENT, UNKNOWN), uint8, (image, category)."""

    def problems(self) -> pd.DataFrame:
        """What was left out while reading the annotations (`record.Problem`)."""

    def read(self, image_id: str) -> bytes:
        """The bytes of the image file.

        Raises:
            OSError: If the file cannot be read.
        """


@runtime_checkable
class Licensed(Protocol):
    """Optional: a source that knows the licence of images."""

    def licences(self) -> Mapping[str, str]:
        """Licence by image id, as the data set words it; images of unknown licence are not in."""


@runtime_checkable
class Several(Protocol):
    """Optional: a part that may hold more than one source, such as a bundle of a run over two."""

    def each(self) -> Sequence[Source]:
        """The sources, in order; the part itself where it is only one."""


@runtime_checkable
class Outlined(Protocol):
    """Optional: a source that knows where in an image its objects are."""

    def boxes(self, image_id: str, category: str) -> list[Box]:
        """Boxes of the annotated objects of a pair, crowd regions included; empty for none."""
