"""What people said, as it is printed."""

from __future__ import annotations

from oodexp.record import Finding
from oodexp.report.review import tables
from tests.report.printed import said


def finding(subject: str, statistic: str, value: float | None, n: int = 40) -> Finding:
    reason = "no observation" if value is None else None
    ends = (None, None) if value is None else (value - 0.1, value + 0.05)
    return Finding(
        "review", subject, "c", "", statistic, value, *ends, 0.95, None, None, None, n, 30, None,
        None, "estimate", "19 of 20; 1 tie", "a", reason,
    )  # fmt: skip


def told(findings: list[Finding]) -> str:
    return " ".join(said(one) for one in tables(findings))


def rates(rate: str, value: float | None) -> list[Finding]:
    forms = ("", ", over images", ", weighted")
    return [finding("OOD-H", rate + form, value) for form in forms]


def test_rates_reasons_agreement_and_changes_are_told() -> None:
    found = rates("acceptance rate", 0.725) + rates("annotation error rate", None)
    found += [finding("OOD-H", "reason wrong label", 0.25)]
    found += [finding("ann [/] and [bold]ben", "Cohen's kappa", 0.612)]
    found += [finding("cid [/x] and dan", "Cohen's kappa", None)]
    subject = "m, existence, OOD-H"
    found += [finding(subject, "accuracy, all pairs", 0.5, 100),
              finding(subject, "accuracy without rejected pairs", 0.55, 80),
              finding(subject, "change of accuracy without rejected pairs", 0.05, 100)]  # fmt: skip
    text = told(found)
    parts = ["72.5", "62.5..77.5", "19 of 20; 1 tie", "undefined", "no observation",
             "wrong label", "0.612", "0.512..0.662", "+5.0", "100", "80"]  # fmt: skip
    for part in [*parts, "ann [/] and [bold]ben", "cid [/x] and dan, Cohen's kappa"]:
        assert part in text, part


def test_one_rater_and_no_answers_leave_their_tables_out() -> None:
    found = rates("acceptance rate", 0.5) + rates("annotation error rate", 0.5)
    text = told(found)
    assert "Agreement" not in text
    assert "Accuracy without" not in text
