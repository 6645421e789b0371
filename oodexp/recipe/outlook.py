"""What scoring will take, before it is done: time and disk of each scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from oodexp.predict.outlook import outlook
from oodexp.report.outlook import show_outlook

if TYPE_CHECKING:
    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.recipe.base import Desk
    from oodexp.recipe.world import World
    from oodexp.scorer.base import Pairwise, Scorer


def foresee(
    desk: Desk, scorers: Mapping[str, Scorer | Pairwise], worlds: Sequence[World], store: Store,
    loop: Loop,
) -> None:  # fmt: skip
    """Prints and tracks what every scorer still has to do; one that never ran is timed on a sample.

    Args:
        desk: The run's desk.
        scorers: The scorers by name.
        worlds: The sources.
        store: Keeps what the sample gives.
        loop: How to run.
    """
    rows = [
        outlook(
            name, scorer, world.source.name, world.images, world.matrix.categories,
            world.source.read, store, loop,
        )
        for name, scorer in scorers.items()
        for world in worlds
    ]  # fmt: skip
    show_outlook(rows)
    for row in rows:
        prefix = f"outlook/{row.scorer}/{row.source}"
        desk.run.metrics(
            {
                f"{prefix}/images": float(row.images - row.stored),
                f"{prefix}/seconds": row.seconds, f"{prefix}/bytes": row.size,
            }
        )  # fmt: skip
