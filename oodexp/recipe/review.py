"""People accept or reject pairs of a run; what their verdicts come to (`experiment=review`)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from oodexp import record, table
from oodexp.metric.base import Evidence
from oodexp.predict.ranks import rank
from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.reviewing import EVIDENCE, Reviewing, tables
from oodexp.report.layout import console
from oodexp.report.review import RATES
from oodexp.report.review import tables as printed
from oodexp.review.result import changes, confirmed, result
from oodexp.review.sample import PAIR
from oodexp.tracker.base import Run


def main(run: Run, parts: Reviewing) -> bool:
    """Sample, verdicts, rates and agreement; the division without rejected pairs, measured.

    Returns:
        Whether something was left out.
    """
    desk, review = Desk(run), parts.review
    have = tables(desk, parts)
    if rank() > 0:
        return False
    with desk.stage("review"):
        sample, found = review.review(
            have["memberships"], have["images"], parts.read, parts.outline
        )
    run.tags({"review/sample": sample.digest})
    desk.problem(found.problems)
    verdicts = desk.keep("verdicts", found.verdicts)
    with desk.stage("result"):
        reviews, findings = result(sample.rows, verdicts, review.resamples, review.seed)
        desk.keep("reviews", reviews)
        kept = desk.keep("confirmed", confirmed(have["memberships"], reviews))
        findings += _measured(desk, parts, have, kept)
    desk.keep("findings", table.frame(record.Finding, findings))
    _tell(desk, parts, findings)
    return step.finish(desk)


def _measured(
    desk: Desk, parts: Reviewing, have: Mapping[str, pd.DataFrame], kept: pd.DataFrame
) -> list[record.Finding]:
    """Keeps the run's measurements without the rejected pairs; what that changes."""
    if not set(EVIDENCE) <= set(have):
        return []
    evidence = Evidence(**{name: have[name] for name in EVIDENCE} | {"memberships": kept})
    desk.keep("measurements", parts.metric.measure(evidence))
    answers = have["answers"]
    about = have["questions"][["question_id", "kind", *PAIR]]
    drawn = have["memberships"].query("drawn")[[*PAIR, "split"]]
    answered = answers[answers["reader"] == parts.reader].merge(about, on="question_id")
    answered = answered.merge(drawn, on=PAIR)
    still = pd.MultiIndex.from_frame(kept[kept["drawn"]][PAIR].astype(object))
    here = pd.MultiIndex.from_frame(answered[PAIR].astype(object)).isin(still)
    review = parts.review
    return list(changes(answered.assign(kept=here), review.resamples, review.seed))


def _tell(desk: Desk, parts: Reviewing, findings: list[record.Finding]) -> None:
    """Records the main numbers, names the run, and prints all."""
    verdicts, reviews = desk.tables["verdicts"], desk.tables["reviews"]
    metrics = {
        f"review/{one.statistic}/{one.subject}".replace(" ", "_"): one.value
        for one in findings
        if one.statistic in (*RATES, "Krippendorff's alpha", "Cohen's kappa")
    }
    counted = {"verdicts": len(verdicts), "raters": verdicts["rater"].nunique(),
               "pairs": len(reviews)}  # fmt: skip
    desk.run.metrics(metrics | {f"review/{name}": float(n) for name, n in counted.items()})
    screen = console()
    for one in printed(findings):
        screen.print(one)
    told = ", ".join(f"{n} {name}" for name, n in counted.items())
    rejected = int((reviews["annotation"] == "rejected").sum())
    desk.notes.append(f"review: {told}; {rejected} pairs rejected (table confirmed)")
    named = f"review of {parts.past.name if parts.past else ', '.join(parts.sources)}"
    accepted = [f"{f.subject}: {f.words}" for f in findings if f.statistic == RATES[0]]
    desk.run.describe(named, f"{told}; {rejected} rejected. Accepted: {'. '.join(accepted)}.")
