"""The page of evidence: which links hold, which do not, which were not tested and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from oodexp.report.layout import grid

if TYPE_CHECKING:
    from rich.table import Table

    from oodexp.record import Finding

MARKS = {
    "holds": "yes", "not shown": "not shown", "contradicted": "NO", "not tested": "not tested",
    "estimate": "-",
}  # fmt: skip


class Link(Protocol):
    """A link of the chain as it is shown."""

    @property
    def test(self) -> str:
        """Name."""

    @property
    def claim(self) -> str:
        """What it claims."""

    @property
    def verdict(self) -> str:
        """One of `MARKS`."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of findings by verdict."""

    @property
    def words(self) -> str:
        """What carries it, or why it does not hold."""


def chain_table(links: Iterable[Link]) -> Table:
    """One row a link."""
    table = grid(
        "The chain of evidence on this data",
        ("link", "claim", "holds", "of", "what it rests on, or what is missing"), 5,
        "of: findings that hold, of those tested. Every finding is in the table `findings`, with "
        "its null hypothesis and what would break it.",
    )  # fmt: skip
    for link in links:
        tested = sum(link.counts.values()) - link.counts["not tested"]
        told = f"{link.counts['holds']} of {tested}"
        table.add_row(link.test, link.claim, MARKS[link.verdict], told, link.words)
    return table


def finding_table(title: str, findings: Sequence[Finding]) -> Table:
    """One row a finding."""
    table = grid(title, ("subject", "statistic", "verdict", "found", "n", "images"), 4)
    for one in findings:
        table.add_row(
            one.subject, one.statistic, MARKS[one.verdict], one.words, f"{one.n:,}",
            f"{one.clusters:,}" if one.clusters else "",
        )  # fmt: skip
    return table


def page(links: Sequence[Link], findings: Sequence[Finding]) -> str:
    """The page as Markdown: the chain, then every finding with its assumptions."""
    lines = ["# The chain of evidence", ""]
    lines += [
        "| link | claim | holds | what it rests on, or what is missing |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {_cell(n.test)} | {_cell(n.claim)} | {MARKS[n.verdict]} | {_cell(n.words)} |"
        for n in links
    ]
    for test in dict.fromkeys(f.test for f in findings):
        mine = [f for f in findings if f.test == test]
        lines += ["", f"## {test}", ""]
        lines += ["| subject | statistic | null hypothesis | found | n | images | verdict |"]
        lines += ["|---|---|---|---|---|---|---|"]
        lines += [
            f"| {_cell(f.subject)} | {_cell(f.statistic)} | {_cell(f.null)} | {_cell(f.words)} | "
            f"{f.n} | {f.clusters or ''} | {MARKS[f.verdict]} |"
            for f in mine
        ]
        broken = dict.fromkeys(f.assumption for f in mine if f.assumption)
        lines += ["", *(f"It would break by: {text}." for text in broken)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
