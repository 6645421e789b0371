"""Several runs side by side on the terminal: settings, questions they share, divisions."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Protocol

from rich.table import Table

from oodexp.report.layout import PIPE_WIDTH, Plain, grid

LONGEST = 60
"""Letters of a setting that are shown."""
ALWAYS = ("run", "name", "VLM")
"""What is shown whether it differs or not."""


class Agreed(Protocol):
    """How far two divisions agree."""

    @property
    def kappa(self) -> float:
        """Cohen's kappa; NaN when undefined."""

    @property
    def same(self) -> float:
        """Share of pairs in the same split; NaN without pairs."""

    @property
    def jaccard(self) -> Mapping[str, float]:
        """By split, in [0, 1]; NaN when undefined."""

    @property
    def pairs(self) -> int:
        """Pairs that both divide."""


def setting_table(runs: Sequence[Mapping[str, object]]) -> Table:
    """What differs between the runs, a column a run: A, B, ...

    Args:
        runs: Settings and labels of each by name.
    """
    letters = [chr(ord("A") + n) for n in range(len(runs))]
    made = grid("Runs, and what differs between them", ("", *letters), 1 + len(runs))
    for name in dict.fromkeys(key for run in runs for key in run):
        values = [_short(run[name]) if name in run else "-" for run in runs]
        whole = [str(run.get(name)) for run in runs]
        if name in ALWAYS or len(set(whole)) > 1:
            made.add_row(name, *values)
    return made


def common_table(kind: str, told: Mapping[str, Sequence[int]], letters: Sequence[str]) -> Table:
    """How many questions of a kind the runs share.

    Args:
        kind: Kind of the questions.
        told: Number of questions of each run, by what is left.
        letters: Of the runs.
    """
    made = grid(
        f"Questions of {kind} that the runs share", ("", *letters), 1,
        "Models are compared on the questions of the last row: same words, image and split.",
    )  # fmt: skip
    for name, counts in told.items():
        made.add_row(name, *(f"{count:,}" for count in counts))
    return made


def agreement_table(rows: Sequence[tuple[str, Agreed]]) -> Table:
    """How far the divisions of every two runs agree.

    Args:
        rows: What each is about, and the agreement.
    """
    splits = list(rows[0][1].jaccard)
    made = grid(
        "Agreement of the divisions", ("", "pairs", "same split", "kappa", *splits), 1,
        "pairs: those that both runs divide; splits: Jaccard index.",
    )  # fmt: skip
    for subject, told in rows:
        values = (told.same, told.kappa, *(told.jaccard[split] for split in splits))
        made.add_row(subject, f"{told.pairs:,}", *("-" if v != v else f"{v:.3f}" for v in values))
    return made


def keep_text(tables: Sequence[Table]) -> str:
    """The tables as plain text."""
    sink = io.StringIO()
    screen = Plain(file=sink, width=PIPE_WIDTH)
    for one in tables:
        screen.print(one)
    return sink.getvalue()


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
