"""What every question set gives: prompts with their target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Presence:
    """What one source annotates as present and as absent."""

    source: str
    """Name of the data set."""
    image_ids: Sequence[str]
    """Rows of `presence`."""
    categories: Sequence[str]
    """Columns of `presence`."""
    presence: np.ndarray
    """Codes of `oodexp.record`, uint8, (image, category)."""


@dataclass(frozen=True, slots=True)
class Known:
    """All that questions may rest on; no model's answer is among it."""

    memberships: pd.DataFrame
    """`record.Membership` of all sources."""
    pairs: pd.DataFrame
    """`record.Pair` of all sources."""
    matrices: Sequence[Presence]
    """The annotations of each source."""


def escaped(name: str) -> str:
    """A name without a slash, so that a slash in an id does not make two questions one."""
    return name.replace("%", "%25").replace("/", "%2F")


class Questioner(Protocol):
    """Turns the pairs of a division into questions."""

    def ask(self, known: Known) -> pd.DataFrame:
        """Questions (`record.Question`) about the pairs of `known.memberships`."""


@runtime_checkable
class Parted(Protocol):
    """A questioner that need not hold all of its questions at once."""

    def parts(self, known: Known) -> Iterator[pd.DataFrame]:
        """The questions of `ask`, in parts."""


def asked_in_parts(questioner: Questioner, known: Known) -> Iterable[pd.DataFrame]:
    """The questions, in parts where the questioner can."""
    return questioner.parts(known) if isinstance(questioner, Parted) else [questioner.ask(known)]
