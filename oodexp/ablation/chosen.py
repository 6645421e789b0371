"""What a trial may choose, by name, and the setting that comes of it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oodexp.ablation.regroup import MEAN, ROWS, Setting
from oodexp.error import OodexpError
from oodexp.metric.binary import METRICS
from oodexp.record import SPLITS

OF_SCORER = "threshold."
"""How the threshold of one scorer begins: `threshold.<scorer>`."""
DIVISION = (
    "threshold", "criterion", "combine", "rule", "competitors", "unknown", "id_pool", "id_size",
    "cap", "seed",
)  # fmt: skip
"""Names that are arguments of the division."""
OTHERS = ("scorers", "template", "reader", "convention")
"""Names that are not: which scorers divide, their prompt template, how answers are read."""


def variant(scorer: str, template: str) -> str:
    """Name of a scorer with another prompt template."""
    return f"{scorer} [{template}]"


def setting(base: Setting, chosen: Mapping[str, Any]) -> Setting:
    """The base setting with what was chosen.

    A chosen threshold holds for all scorers but those that have one chosen by name; thresholds of
    single scorers in the base do not outlive it.

    Args:
        base: What holds where nothing is chosen.
        chosen: Value by name, see `DIVISION`, `OTHERS`, `OF_SCORER`.
    """
    scorers = tuple(chosen.get("scorers", base.scorers))
    limits = {} if "threshold" in chosen else dict(base.division.settings["thresholds"])
    limits |= {k.removeprefix(OF_SCORER): v for k, v in chosen.items() if k.startswith(OF_SCORER)}
    limits = {name: value for name, value in limits.items() if name in scorers}
    if "template" in chosen:
        limits = {variant(name, chosen["template"]): value for name, value in limits.items()}
        scorers = tuple(variant(name, chosen["template"]) for name in scorers)
    arguments = {name: value for name, value in chosen.items() if name in DIVISION}
    division = base.division.changed(**arguments, thresholds=limits)
    others = {name: chosen[name] for name in ("reader", "convention") if name in chosen}
    return replace(base, scorers=scorers, division=division, **others)


def check_space(names: Iterable[str], scorers: Sequence[str]) -> None:
    """Refuses a dimension that a trial cannot choose.

    Raises:
        OodexpError: Names the dimension, the nearest one and all there are.
    """
    known = [*DIVISION, *OTHERS, *(f"{OF_SCORER}{name}" for name in scorers)]
    for name in names:
        if name not in known:
            raise OodexpError(
                f"ablation.space.{name}: no setting that regroups stored results"
                f"{_nearest(name, known)}; expected one of {', '.join(known)}"
            )


def check_objectives(objectives: Mapping[str, str], vlms: Sequence[str]) -> dict[str, str]:
    """The objectives, if a trial has these numbers.

    Raises:
        OodexpError: If there is none, or one is no number of `regroup.named`.
    """
    rows = [f"{row}/{metric}" for row in ROWS for metric in METRICS]
    known = [f"division/{split}/{what}" for split in SPLITS for what in ("pairs", "drawn")]
    known += [f"{vlm}/{name}" for vlm in (MEAN, *vlms) for name in rows]
    known += [f"{vlm}/{split}/n_unread" for vlm in vlms for split in SPLITS]
    if not objectives:
        raise OodexpError(f"ablation.objectives: none given; expected e.g. {known[0]}: maximize")
    for name in objectives:
        if name not in known:
            raise OodexpError(
                f"ablation.objectives.{name}: no number of a trial{_nearest(name, known)}; "
                "expected division/<split>/pairs or drawn, <vlm>/<row>/<metric> or "
                f"mean/<row>/<metric>, rows: {', '.join(ROWS)}, metrics: {', '.join(METRICS)}, "
                f"VLMs: {', '.join(vlms)}"
            )
    return dict(objectives)


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""
