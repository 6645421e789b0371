"""Models of several runs held against each other (`experiment=compare runs=[ID,ID]`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Self

import pandas as pd

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.evidence.base import finding
from oodexp.evidence.link.comparison import Comparison
from oodexp.metric.agreement import agreement
from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.lineup import IMAGE, Line, Model, common, counted, kinds, load, models
from oodexp.recipe.summary import PAIR
from oodexp.report.layout import console
from oodexp.report.runs import agreement_table, common_table, keep_text, setting_table
from oodexp.tracker.base import Past, Run
from oodexp.tracker.settings import leaves, settings

if TYPE_CHECKING:
    from rich.table import Table

    from oodexp.recipe.base import Build
    from oodexp.record import Finding

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_TOLD = 20
"""Findings in the description of the run; all are in its table."""
OWN = ", each by its own division"


@dataclass(frozen=True, slots=True)
class Compared:
    """Earlier runs, and the test that compares their models."""

    pasts: list[Past]
    test: Comparison

    @classmethod
    def of(cls, build: Build) -> Self:
        """The runs that `runs` names, and `evidence.comparison`.

        Raises:
            OodexpError: If there are fewer than two different runs, or one cannot be read.
        """
        ids = [str(run_id) for run_id in build("runs")]
        if not 2 <= len(set(ids)) == len(ids) <= len(LETTERS):
            raise OodexpError(
                f"runs={ids}: expected the ids of 2 to {len(LETTERS)} different runs, as in "
                "runs=[ID,ID]"
            )
        tests = [test for test in build("evidence").values() if isinstance(test, Comparison)]
        if not tests:
            raise OodexpError("evidence: expected the test comparison, as in evidence=[comparison]")
        tracker = build("tracker")
        return cls([tracker.past(run_id) for run_id in ids], tests[0])


def main(run: Run, parts: Compared) -> bool:
    """What differs between the runs; all their models on the questions that they share.

    Returns:
        Whether something was left out.
    """
    desk, named = Desk(run), parts.pasts
    with desk.stage("read"):
        lines = [load(past, LETTERS[n]) for n, past in enumerate(named)]
        chosen = models(lines)
        asked = kinds(lines, [past.run_id for past in named])
    findings, shown = _divisions(lines)
    with desk.stage("compare"):
        for kind in asked:
            mine, tables = _compared(lines, chosen, kind, parts.test)
            findings, shown = [*findings, *mine], [*shown, *tables]
    desk.keep("findings", table.frame(record.Finding, findings))
    run.metrics(dict(_metrics(findings)))
    run.tags({"runs": ", ".join(past.run_id for past in named)})
    told = [f"{one.subject}: {one.words}" for one in findings if one.test == "comparison"]
    run.describe(", ".join(model.name for model in chosen), "\n\n".join(told[:MOST_TOLD]))
    screen = [setting_table([_about(past, lines[n]) for n, past in enumerate(named)]), *shown]
    for one in screen:
        console().print(one)
    run.text("comparison.txt", keep_text(screen))
    return step.finish(desk)


def _about(past: Past, line: Line) -> dict[str, object]:
    """Everything in which a run may differ from another one."""
    told = {"run": past.run_id, "name": past.name, "VLM": ", ".join(line.vlms)}
    config = {
        name: value
        for name, value in leaves(settings(past.config)).items()
        if name not in ("run", "runs")
    }
    return told | config | dict(past.provenance)


def _compared(
    lines: list[Line], chosen: list[Model], kind: str, test: Comparison
) -> tuple[list[Finding], list[Table]]:
    """One kind of question: on what all share, and by each run's own division if that differs."""
    ids, told = common(lines, kind)
    _can_be_measured(lines, kind, test.metric)
    names = [model.name for model in chosen]
    about = "" if kind == "existence" else f" of {kind}"
    shown: list[Table] = [common_table(kind, told, [line.label for line in lines])]
    findings: list[Finding] = []
    if len(ids):
        found = test.among(names, counted(lines, chosen, kind, ids), about)
        findings, shown = list(found.findings), [*shown, *found.tables]
    if len({*told["questions about drawn pairs"], len(ids)}) > 1:
        own = test.among(names, counted(lines, chosen, kind), f"{about}{OWN}")
        findings, shown = [*findings, *own.findings], [*shown, *own.tables]
    return findings, shown


def _can_be_measured(lines: Iterable[Line], kind: str, metric: str) -> None:
    if metric == "accuracy":
        return
    for line in lines:
        targets = line.asked.loc[line.asked["kind"] == kind, "target"]
        if not targets.isin(["yes", "no"]).all():
            raise OodexpError(
                f"evidence.comparison.metric={metric}: the right answers of {kind} are numbers, "
                "which have no such metric; expected accuracy"
            )


def _divisions(lines: list[Line]) -> tuple[list[Finding], list[Table]]:
    """How far the divisions of every two runs agree, on the pairs that both have."""
    findings, rows = [], []
    for first, second in combinations(lines, 2):
        both = first.members.merge(second.members, on=PAIR, suffixes=("", "_other"))
        codes = [
            pd.Index(record.SPLITS).get_indexer(both[name]) for name in ("split", "split_other")
        ]
        told = agreement(codes[0], codes[1])
        subject = f"divisions of {first.label} and {second.label}"
        images = len(both[IMAGE].drop_duplicates())
        values = {"kappa": told.kappa, "same split": told.same} | {
            f"Jaccard of {split}": value for split, value in told.jaccard.items()
        }
        findings += [
            finding("agreement", subject, name, value=value, n=told.pairs, clusters=images,
                    verdict="estimate", words=f"{name} {value:.3f} on {told.pairs} pairs",
                    reason="no pairs that both divide" if value != value else None)
            for name, value in values.items()
        ]  # fmt: skip
        rows.append((subject, told))
    return findings, [agreement_table(rows)]


def _metrics(findings: Iterable[Finding]) -> Iterator[tuple[str, float | None]]:
    for one in findings:
        name = f"{one.statistic}/{one.subject.replace(', ', '/')}"
        yield name, one.value
        if one.lower is not None:
            yield f"{name}.lower", one.lower
            yield f"{name}.upper", one.upper
