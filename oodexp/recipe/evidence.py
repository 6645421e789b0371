"""Statistical evidence: what the chosen tests need, then each of them (OODBench, IV)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from oodexp import record, table
from oodexp.evidence.base import ANSWERS, CORPORA, FEATURES, TRAIN, Choosy
from oodexp.evidence.chain import links
from oodexp.predict.ranks import rank
from oodexp.recipe import step
from oodexp.recipe.asking import ask
from oodexp.recipe.base import Desk, Parts, each_source, judges
from oodexp.recipe.case import assemble
from oodexp.recipe.page import keep_page
from oodexp.report.evidence import chain_table, finding_table, page
from oodexp.report.layout import console
from oodexp.tracker.base import Run

if TYPE_CHECKING:
    from oodexp.corpus.base import Corpus
    from oodexp.evidence.base import Case, Found, Test
    from oodexp.feature.base import Extractor
    from oodexp.recipe.base import Build
    from oodexp.source.base import Source


@dataclass(frozen=True, slots=True)
class Audit(Parts):
    """All parts of the main line, and what the evidence takes; unneeded ones are not made."""

    tests: dict[str, Test]
    train: dict[str, Source]
    corpora: dict[str, Corpus]
    extractor: Extractor | None
    needs: frozenset[str]

    @classmethod
    def of(cls, build: Build) -> Self:
        """The tests, and the parts that any of them needs."""
        tests: dict[str, Test] = build("evidence")
        needs = frozenset[str]().union(*(test.NEEDS for test in tests.values()))
        answer = build("answer")
        vlms = build("vlm") if ANSWERS in needs else {}
        for test in tests.values():
            if isinstance(test, Choosy):
                test.check(list(vlms))
        return cls(
            each_source(build("source")), *judges(build), build("question"),
            vlms, answer["readers"], build("metric"),
            build("predict"), build("store"), answer["reader"], tests,
            each_source(build("train")) if TRAIN in needs else {},
            build("corpus") if CORPORA in needs else {},
            next(iter(build("feature").values())) if FEATURES in needs else None, needs,
        )  # fmt: skip


def main(run: Run, parts: Audit) -> bool:
    """The main line as far as it is needed, on both splits; tests, findings, one page.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    case = _case(desk, parts)
    for name, corpus in parts.corpora.items():
        desk.fingerprint(f"corpus-{name}", corpus.fingerprint())
    if rank() > 0:
        return False
    found: dict[str, Found] = {}
    for name, test in parts.tests.items():
        with desk.stage(name):
            found[name] = test.run(case)
            desk.problem(table.frame(record.Problem, found[name].problems))
            for figure, drawn in found[name].figures.items():
                desk.figure(f"{name}/{figure}", drawn)
    lost = _report(desk, found)
    keep_page(desk, parts)
    return lost


def _case(desk: Desk, parts: Audit) -> Case:
    with desk.stage("check"):
        step.at_hand(parts)
    with desk.stage("source"):
        worlds = step.annotate(desk, step.beside(parts.sources, parts.train))
    with desk.stage("score"):
        scored = step.score(desk, parts, worlds)
    with desk.stage("divide"):
        step.divide(desk, parts, worlds, scored)
    tests = worlds[: len(parts.sources)]
    if ANSWERS in parts.needs:
        with desk.stage("ask"):
            step.question(desk, parts.question, tests)
            ask(desk, parts, tests, scored[: len(tests)])
        with desk.stage("read"):
            step.read(desk, parts.readers)
    with desk.stage("assemble"):
        return assemble(desk, parts, worlds)


def _report(desk: Desk, found: dict[str, Found]) -> bool:
    """Keeps `findings` and the page `evidence.md`, prints the chain and the findings."""
    findings = [one for each in found.values() for one in each.findings]
    desk.keep("findings", table.frame(record.Finding, findings))
    chain = links(findings)
    desk.run.text("evidence.md", page(chain, findings))
    desk.run.tags({f"link/{link.test}": link.verdict for link in chain})
    screen = console()
    for name, each in found.items():
        screen.print(finding_table(name, each.findings))
        for one in each.tables:
            screen.print(one)
    screen.print(chain_table(chain))
    return step.finish(desk)
