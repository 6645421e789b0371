"""The kinds of run that are hit: their command lines, and where they begin."""

from __future__ import annotations

from dataclasses import dataclass

SMALL = (
    "source.limit=16", "tracker=folder", "predict.accelerator=cpu", "predict.progress=false",
    "predict.threads=1", "predict.scoring_batch=4", "predict.answering_batch=8",
)  # fmt: skip
"""The miniature in small shards, so that there is something to cut off."""

MAIN = ("experiment=main", "metric.resamples=100", "scorer=[open_clip_miniature,lit_miniature]")


@dataclass(frozen=True)
class Line:
    """A kind of run."""

    name: str
    words: tuple[str, ...]
    """Its command line beside `paths.runs`."""
    filled: bool = False
    """Whether scores and completions are there already, so that the rest of the run is hit."""
    served: bool = False
    """Whether a served VLM is asked: `{url}` is its address."""
    tracked: str = "folder"
    """Where runs are kept: `folder`, `sqlite`, or `server`: `{mlflow}` is its address."""
    study: bool = False
    """Whether it leaves an Optuna journal."""


def _line(name: str, *words: str, **more: bool | str) -> Line:
    changed = {word.partition("=")[0] for word in words}
    kept = [word for word in SMALL if word.partition("=")[0] not in changed]
    return Line(name, (*kept, *words), **more)  # type: ignore[arg-type]


SERVED = (
    "vlm=openai_api", "vlm.model=stub", "vlm.base_url={url}", "vlm.concurrency=4",
    "vlm.backoff=0.01", "vlm.price={{prompt: 5.0, completion: 15.0}}",
)  # fmt: skip

LINES = {
    line.name: line
    for line in (
        _line("main", *MAIN),
        _line("main, sqlite", *MAIN, "tracker=mlflow", tracked="sqlite"),
        _line("main, server", *MAIN, "tracker=mlflow", "tracker.uri={mlflow}", tracked="server"),
        _line("served", *MAIN, "scorer=[open_clip_miniature]", *SERVED, served=True),
        _line("polling", "experiment=polling", "metric.resamples=100", MAIN[2]),
        _line(
            "progression", "experiment=progression", "metric.resamples=100", MAIN[2], filled=True,
        ),
        _line(
            "ablation", "experiment=search", MAIN[2], "vlm=[fastvlm_miniature]",
            "ablation.space={{threshold: [0.05, 0.2], rule: [all, mean]}}",
            "ablation.resamples=100", filled=True, study=True,
        ),
        _line("export", "experiment=export", MAIN[2], "export=[lmms_eval,pope]"),
        _line(
            "evidence", "experiment=evidence", MAIN[2], "evidence=[signature]",
            "vlm=[fastvlm_miniature]", "evidence.signature.closed=[]",
            "evidence.signature.resamples=100", "evidence.signature.permutations=100", filled=True,
        ),
    )
}  # fmt: skip
"""By name. Curly brackets of a setting are doubled: the lines are formats."""
