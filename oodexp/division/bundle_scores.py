"""Division anew by the logits that a bundle holds: other settings, no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from oodexp.bundle.folder import BundleFolder
from oodexp.division.base import Division, Matrix
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError


class BundleScores:
    """`CrossValidation` by the scorers of a bundle.

    Args:
        folder: The bundle.
        scorers: Names of the scorers that judge, in order; None for all of the bundle.
        **settings: Those of `CrossValidation`.

    Raises:
        OodexpError: If the folder is no whole bundle, lacks the scorers, or a setting is not one.
    """

    NEEDS_SCORERS: ClassVar[bool] = False

    def __init__(
        self, folder: str, scorers: Sequence[str] | None = None, **settings: Any
    ) -> None:  # fmt: skip
        self._bundle = BundleFolder(folder)
        try:
            self._division = CrossValidation(**settings)
        except TypeError as error:
            raise OodexpError(f"division=bundle_scores: {error}; see division=cross_validation") \
                from error  # fmt: skip
        self._links = {scorer.name: scorer.link for scorer in self._bundle.manifest.scorers}
        self._scorers = list(self._links if scorers is None else scorers)
        unknown = [name for name in self._scorers if name not in self._links]
        if unknown or not self._scorers:
            raise OodexpError(
                f"division.scorers={self._scorers}: bundle {folder} holds logits of "
                f"{list(self._links)}; without any, only division=bundle divides"
            )

    def divide(
        self, matrix: Matrix, logits: Mapping[str, np.ndarray], reasons: Mapping[str, str],
        links: Mapping[str, str] | None = None,
    ) -> Division:  # fmt: skip
        """See `base.Divider`; the bundle's logits and links are taken instead of those given.

        Raises:
            OodexpError: If images or categories of the source are not those of the bundle.
        """
        source = self._bundle.source(matrix.source)
        readable = ~np.isin(matrix.image_ids, list(reasons))
        found = {}
        for name, (ids, values) in self._bundle.logits(source).items():
            if ids != matrix.image_ids or source.categories != matrix.categories:
                raise OodexpError(
                    f"division of {self._bundle.path}: source {matrix.source} has other images or "
                    "categories; choose source=bundle, or the annotations that the run had"
                )
            found[name] = np.where(readable[:, None], values, np.float32(np.nan))
        chosen = {name: found[name] for name in self._scorers}
        of_chosen = {name: self._links[name] for name in self._scorers}
        return self._division.divide(matrix, chosen, reasons, of_chosen)
