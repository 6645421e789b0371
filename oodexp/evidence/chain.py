"""The chain of evidence of OODBench: its links, and which of them hold on the data at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from oodexp.evidence.base import CONTRADICTED, HOLDS, NOT_SHOWN, NOT_TESTED

if TYPE_CHECKING:
    from oodexp.record import Finding

LINKS = {
    "overlap": "models have not been taught the OOD pairs of the training split",
    "equivalence": "those pairs are distributed as the OOD pairs of the test split",
    "difference": "ID and OOD pairs are distributed differently",
    "degradation": "open models lose from ID to OOD",
    "signature": "every open model does, within one band",
    "permutation": "closed models lose from ID to OOD",
    "tost": "closed models lose as much as open ones",
    "hard_vs_ood": "OOD samples are not merely hard ones",
    "comparison": "models can be told apart",
}
"""What each link claims, by `Finding.test`, in the order of the argument."""

CARRYING = {
    "overlap": ("overlap rate", " OOD"),
    "permutation": ("labels permuted by images", ""),
    "equivalence": ("valid", ""),
    "difference": ("images", ""),
    "hard_vs_ood": ("", "exchanged"),
}
"""Findings that a link rests on: text in the statistic, and in the subject. Others of the link are
estimates, or forms as the paper writes them that are known to reject too often."""


class Link(NamedTuple):
    """One link on the data at hand."""

    test: str
    """Name, as in `Finding.test`."""
    claim: str
    """What it claims."""
    verdict: str
    """`holds` when all that was tested holds, `contradicted` when anything speaks for the opposite,
    `not tested` when nothing was, else `not shown`."""
    counts: dict[str, int]
    """Number of findings it rests on by verdict."""
    words: str
    """What carries it, or why it does not hold, in the words of one finding."""


def links(findings: Sequence[Finding]) -> list[Link]:
    """The links that findings speak of, in the order of the argument.

    Args:
        findings: Of all tests that ran.
    """
    found = []
    for test, claim in LINKS.items():
        mine = [f for f in findings if f.test == test and f.claim and carries(f)]
        if mine:
            found.append(_link(test, claim, mine))
    return found


def carries(finding: Finding) -> bool:
    """Whether its link rests on a finding."""
    statistic, subject = CARRYING.get(finding.test, ("", ""))
    return statistic in finding.statistic and subject in finding.subject


def _link(test: str, claim: str, findings: Sequence[Finding]) -> Link:
    counts = dict.fromkeys((HOLDS, NOT_SHOWN, CONTRADICTED, NOT_TESTED), 0)
    for one in findings:
        counts[one.verdict] += 1
    if counts[CONTRADICTED]:
        verdict = CONTRADICTED
    elif counts[NOT_SHOWN]:
        verdict = NOT_SHOWN
    else:
        verdict = HOLDS if counts[HOLDS] else NOT_TESTED
    telling = next(f for f in findings if f.verdict == verdict)
    return Link(test, claim, verdict, counts, f"{telling.subject}: {telling.words}")
