"""A process that serves a review of drawn scenes: `python -m tests.browser.review_of_miniature`.

The splits are made up from the numbers of the images, so that no model has to run. Its first
argument is the folder of verdicts, the others are settings of `Local` as JSON. When the review is
finished, the last line that it prints are its findings as JSON.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from oodexp import record, table
from oodexp.predict.content import scan
from oodexp.record import SPLITS
from oodexp.review.local import Local
from oodexp.review.result import result
from oodexp.source.miniature import Miniature


def main(folder: str, settings: str) -> None:
    source = Miniature(limit=24)
    images = scan(source.images(), source.read).images
    members = [
        record.Membership("miniature", p.image_id, p.category, True, SPLITS[int(p.image_id) % 3],
                          0, 2, True, None)
        for p in source.pairs().itertuples()
    ]  # fmt: skip
    local = Local(folder, **{"per_stratum": 7, "resamples": 100} | json.loads(settings))
    sample, found = local.review(
        table.frame(record.Membership, members), images, lambda _, i: source.read(i),
        lambda _, i, category: source.boxes(i, category),
    )  # fmt: skip
    findings = result(sample.rows, found.verdicts, 100, 0).findings
    sys.stdout.write(json.dumps([asdict(one) for one in findings]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
