"""What every exporter gets and gives: the tables of a run in, a folder of files out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from oodexp import record, table
from oodexp.error import OodexpError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Sheet:
    """The annotations of one source, and what scorers say of them, as matrices."""

    source: str
    """Name of the data set."""
    image_ids: Sequence[str]
    """Rows: all images of the source."""
    categories: Sequence[str]
    """Columns."""
    presence: np.ndarray
    """Codes of `record`, uint8, (image, category)."""
    logits: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Scaled logits by scorer, float32, (image, category); NaN where unscored."""
    licences: Mapping[str, str] = field(default_factory=dict)
    """Licence by image id, where it is known."""
    labels_sha256: str | None = None
    """Digest of the renaming table of its categories."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a run asked, and the images that it asked about."""

    questions: pd.DataFrame
    """`record.Question` rows, in the order of the run."""
    memberships: pd.DataFrame
    """`record.Membership` rows: which pairs were drawn."""
    pairs: pd.DataFrame
    """`record.Pair` rows."""
    images: pd.DataFrame
    """`record.Image` rows, with the sha256 that each file had in the run."""
    read: Callable[[str, str], bytes]
    """The bytes of an image file by (source, image_id); raises OSError if it cannot be read."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Lines of the data card by title, such as the run, the commit and the licence of images."""
    signals: pd.DataFrame = field(default_factory=lambda: table.frame(record.Signal))
    """`record.Signal` rows."""
    problems: pd.DataFrame = field(default_factory=lambda: table.frame(record.Problem))
    """`record.Problem` rows: what the run had left out until then."""
    sheets: Sequence[Sheet] = ()
    """Each source of the run, in order."""
    scorers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """`link` and `fingerprint` by scorer, in order."""


class Exporter(Protocol):
    """A format. The bytes of an image file leave as they came, in every format.

    An export holds `index.jsonl`, which says where each question went and lets `vlm=recorded` read
    predictions back, and `README.md`, a data card with the number of questions of each part and of
    what was left out. The index is written last, but for a bundle's checksums: a folder without one
    is not a whole export.
    """

    def write(self, folder: Path, content: Content) -> list[Path]:
        """Writes the export; the same content gives the same bytes.

        Args:
            folder: Where to; made if it is not there.
            content: What is exported.

        Returns:
            All files, in order of their paths.

        Raises:
            OodexpError: If the folder is not empty, an image is not what it was in the run, or
                nothing of the content fits the format.
        """


def opened(folder: Path) -> Path:
    """The folder, made if it is not there.

    Raises:
        OodexpError: If it holds something: files of another export would mix with these.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        first = next(folder.iterdir(), None)
    except OSError as error:
        raise OodexpError(f"export folder {folder}: {error.strerror}; give another one") from error
    if first is not None:
        raise OodexpError(f"export folder {folder} holds {first.name}: give an empty or new one")
    return folder


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, in order of their paths."""
    return sorted(path for path in folder.rglob("*") if path.is_file())
