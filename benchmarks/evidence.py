"""Times and memory of the statistical evidence, against what a user would run instead.

All figures of `benchmarks.resampling`, `benchmarks.mmd` and `benchmarks.mentions`, each of which
says at its top what the work is, what the other side is, and how both are seen to agree:
`bootstrap_seconds`, `bootstrap_ratio` (SciPy's bootstrap, target >= 50), `mmd_seconds`, `mmd_gb`,
`mmd_ratio` (one kernel sum a permutation, target >= 20), `overlap_texts_per_second` (target 200,000
on one core).
"""

from __future__ import annotations

from benchmarks import mentions, mmd, resampling
from benchmarks.timing import json_file, publish


def main() -> None:
    """Prints the figures; see the top of this file."""
    json_file(__doc__ or "")  # before the work, so that --help answers at once
    rows = resampling.measure() | mmd.measure() | mentions.measure()
    publish("Evidence", rows, "processor seconds; see each benchmark", __doc__ or "")


if __name__ == "__main__":
    main()
