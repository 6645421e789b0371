"""Links of the chain: what a link rests on, and what it comes to (OODBench, IV; no formula)."""

from __future__ import annotations

import pytest

from oodexp.evidence.base import CONTRADICTED, HOLDS, NOT_SHOWN, NOT_TESTED, finding, p_words
from oodexp.evidence.chain import LINKS, links
from oodexp.report.evidence import page


def one(test, verdict, subject="s", statistic="t", claim="c"):
    return finding(test, subject, statistic, claim=claim, verdict=verdict, words=f"says {verdict}")


def test_a_link_holds_when_all_that_was_tested_holds():
    (link,) = links([one("degradation", HOLDS), one("degradation", NOT_TESTED)])
    assert link.verdict == HOLDS
    assert link.counts == {HOLDS: 1, NOT_SHOWN: 0, CONTRADICTED: 0, NOT_TESTED: 1}


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([HOLDS, NOT_SHOWN], NOT_SHOWN),
        ([HOLDS, NOT_SHOWN, CONTRADICTED], CONTRADICTED),
        ([NOT_TESTED, NOT_TESTED], NOT_TESTED),
        ([NOT_TESTED, NOT_SHOWN], NOT_SHOWN),
    ],
)
def test_the_weakest_finding_decides_and_is_told(verdicts, whole):
    (link,) = links([one("signature", v) for v in verdicts])
    assert link.verdict == whole
    assert link.words == f"s: says {whole}"


def test_forms_as_the_paper_writes_them_and_estimates_carry_nothing():
    found = [
        one("permutation", NOT_SHOWN, statistic="loss, labels permuted by images"),
        one("permutation", HOLDS, statistic="loss, labels permuted by pairs"),
        one("overlap", HOLDS, subject="m, OOD", statistic="overlap rate"),
        one("overlap", HOLDS, subject="m, ID", statistic="overlap rate", claim=""),
    ]
    overlap, permutation = links(found)
    assert (permutation.verdict, sum(permutation.counts.values())) == (NOT_SHOWN, 1)
    assert sum(overlap.counts.values()) == 1


def test_links_stand_in_the_order_of_the_argument():
    found = [one(t, HOLDS, statistic="valid, images, labels permuted by images, overlap rate",
                 subject="x, OOD exchanged") for t in reversed(LINKS)]  # fmt: skip
    assert [link.test for link in links(found)] == list(LINKS)


def test_no_p_is_printed_as_zero():
    assert p_words(1 / 2001, 1 / 2001) == "p <= 0.0005"
    assert p_words(2 / 2001, 1 / 2001) == "p = 0.001"
    assert p_words(float("nan")) == "no p"


def test_the_page_names_null_hypotheses_and_assumptions_and_keeps_its_columns():
    made = finding("tost", "a | b", "t", claim="c", null="H0: a|b", verdict=HOLDS, words="w",
                   assumption="clusters", n=3)  # fmt: skip
    text = page(links([made]), [made])
    assert "It would break by: clusters." in text
    assert "H0: a\\|b" in text
    rows = [line for line in text.splitlines() if line.startswith("| a")]
    assert all(row.replace("\\|", "").count("|") == 8 for row in rows)
