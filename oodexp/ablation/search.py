"""A search over settings of the user's own choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from oodexp.ablation.base import OBJECTIVES, Plan, check_resampling, short
from oodexp.ablation.chosen import OF_SCORER, check_objectives, check_space, setting
from oodexp.ablation.regroup import Setting
from oodexp.error import OodexpError
from oodexp.search.space import Choices, Space

SPACE: dict[str, Any] = {
    "threshold": [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005],
    "criterion": ["either", "score", "rank", "both"],
    "rule": ["all", "mean"],
}
"""What is searched where nothing else is said."""


class Search:
    """Any settings that regroup stored results, by any numbers of a trial.

    Args:
        space: A list of choices, or a range `{low, high, log, step}`, by name: `threshold`,
            `threshold.<scorer>`, `criterion`, `combine`, `rule`, `competitors`, `unknown`,
            `id_pool`, `id_size`, `cap`, `seed`, `scorers`, `template` (of the scorers), `reader`,
            `convention`; null for `SPACE`.
        objectives: `maximize` or `minimize` by number of a trial, e.g. `mean/gap/accuracy`;
            null for `OBJECTIVES`.
        name: Name of the study; another space or objective is another study all the same.
        resamples: Bootstrap resamples over images.
        seed: Seed of the bootstrap.

    Raises:
        OodexpError: If the space or a value is not as it should be.
    """

    def __init__(
        self, space: Mapping[str, Any] | None = None, objectives: Mapping[str, str] | None = None,
        name: str = "search", resamples: int = 2000, seed: int = 0,
    ) -> None:  # fmt: skip
        check_resampling(resamples, seed)
        self._space, self._name = Space.of(SPACE if space is None else space), name
        self._objectives = dict(OBJECTIVES if objectives is None else objectives)
        self.resamples, self.seed = resamples, seed
        dimension = self._space.dimensions.get("template")
        if dimension is not None and not isinstance(dimension, Choices):
            raise OodexpError("ablation.space.template: expected a list of texts with {}")
        self.templates: Sequence[str] = () if dimension is None else dimension.values
        self.uncalibrated: Sequence[str] = ()

    def plans(self, base: Setting, vlms: Sequence[str]) -> list[Plan]:
        """See `base.Ablation`: one study."""
        check_space(self._space.dimensions, base.scorers)
        dimension = self._space.dimensions.get("scorers")
        for members in () if dimension is None else dimension.cells() or ():
            _check_scorers(members, base.scorers)
        return [
            Plan(
                self._name, ", ".join(self._space.dimensions), self._space,
                check_objectives(self._objectives, vlms), partial(setting, base), _label,
            )
        ]  # fmt: skip


def _check_scorers(members: Any, scorers: Sequence[str]) -> None:
    if not isinstance(members, list) or not members or set(members) - set(scorers):
        raise OodexpError(
            f"ablation.space.scorers: {members!r} is no list of the chosen scorers "
            f"{', '.join(scorers)}; expected e.g. [[{scorers[0]}]]"
        )


def _label(chosen: Mapping[str, Any]) -> str:
    return " ".join(f"{k.removeprefix(OF_SCORER)}={short(v)}" for k, v in chosen.items())
