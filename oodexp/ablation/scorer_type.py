"""The kind of scorers: whether another group of models finds another benchmark (Table III)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from oodexp.ablation.base import OBJECTIVES, Plan, check_resampling
from oodexp.ablation.chosen import check_objectives, setting
from oodexp.ablation.regroup import Setting
from oodexp.error import OodexpError
from oodexp.search.space import Space


class ScorerType:
    """Groups of scorers against the first group.

    Args:
        groups: Scorers by name of the group, the reference first; null for every pair of the chosen
            scorers, that of the first two first.
        objectives: `maximize` or `minimize` by number of a trial; null for
            `OBJECTIVES`.
        resamples: Bootstrap resamples over images.
        seed: Seed of the bootstrap.

    Raises:
        OodexpError: If a value is not as it should be.
    """

    def __init__(
        self, groups: Mapping[str, Sequence[str]] | None = None,
        objectives: Mapping[str, str] | None = None, resamples: int = 2000, seed: int = 0,
    ) -> None:  # fmt: skip
        check_resampling(resamples, seed)
        self.resamples, self.seed = resamples, seed
        self.templates: Sequence[str] = ()
        self.uncalibrated: Sequence[str] = ()
        self._groups = None if groups is None else {str(k): list(v) for k, v in groups.items()}
        self._objectives = dict(OBJECTIVES if objectives is None else objectives)

    def plans(self, base: Setting, vlms: Sequence[str]) -> list[Plan]:
        """See `base.Ablation`: one study."""
        groups = self._groups
        if groups is None:
            groups = {" and ".join(pair): list(pair) for pair in combinations(base.scorers, 2)}
        known = {tuple(members): name for name, members in groups.items()}
        if len(groups) < 2 or len(known) < len(groups):
            raise OodexpError(
                f"ablation.groups={groups}: expected two groups or more, each of other scorers; "
                f"have the scorers {', '.join(base.scorers)}"
            )
        for name, members in groups.items():
            unknown = sorted(set(members) - set(base.scorers))
            if unknown or not members:
                raise OodexpError(
                    f"ablation.groups.{name}: no scorer {unknown or ''}; choose it, as in "
                    f"scorer=[{','.join([*base.scorers, *unknown])}]"
                )
        return [
            Plan(
                "scorer-type", "groups of scorers",
                Space.of({"scorers": list(groups.values())}),
                check_objectives(self._objectives, vlms), partial(setting, base),
                lambda chosen: known[tuple(chosen["scorers"])],
            )
        ]  # fmt: skip
