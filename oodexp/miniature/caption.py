"""What a caption says of a scene: the primary objects, and seldom anything else."""

from __future__ import annotations

from collections import Counter

import numpy as np

from oodexp.miniature.dial import DIAL, Dial
from oodexp.miniature.scene import Scene, Thing

NUMBERS: tuple[str, ...] = ("no", "a", "two", "three", "four", "five", "six")
_IRREGULAR = {"fish": "fish"}


def plural(category: str) -> str:
    """Returns the plural of a category's name.

    Args:
        category: A singular noun.

    Returns:
        Its plural.
    """
    return _IRREGULAR.get(category, f"{category}s")


def count_phrase(category: str, count: int) -> str:
    """Returns "a boat" or "two boats".

    Args:
        category: A singular noun.
        count: How many there are, 1 to 6.

    Returns:
        The number word and the noun; "an" before a vowel.

    Raises:
        ValueError: If the count has no number word.
    """
    if not 1 <= count < len(NUMBERS):
        raise ValueError(f"count {count} of {category!r}: captions count from 1 to 6")
    if count == 1:
        return f"an {category}" if category[0] in "aeiou" else f"a {category}"
    return f"{NUMBERS[count]} {plural(category)}"


def _spoken(thing: Thing, dial: Dial, rng: np.random.Generator) -> bool:
    if thing.planted == "canonical":
        return True
    chance = rng.random()
    if thing.planted.startswith("variant:"):
        return chance < dial.variant_named
    reach = (thing.size - dial.mention_from) / (dial.secondary_size[1] - dial.mention_from)
    return chance < dial.mention_most * max(0.0, reach)


def named_counts(scene: Scene, rng: np.random.Generator, dial: Dial = DIAL) -> dict[str, int]:
    """Decides which objects the caption of a scene names.

    Args:
        scene: The scene.
        rng: The only source of chance.
        dial: The dials of the world.

    Returns:
        Category to number of instances named; every canonical object, other objects seldom.
    """
    return dict(Counter(t.category for t in scene.things if _spoken(t, dial, rng)))


def write_caption(
    named: dict[str, int], background: str, rng: np.random.Generator, dial: Dial = DIAL
) -> str:
    """Writes the caption.

    Args:
        named: Category to number of instances, not empty.
        background: Name of the ground.
        rng: The only source of chance: order of the objects, and whether the ground is named.
        dial: The dials of the world.

    Returns:
        For example "a photo of two boats and a fish on a sand background".
    """
    phrases = [count_phrase(name, count) for name, count in named.items()]
    phrases = [phrases[i] for i in rng.permutation(len(phrases))]
    listed = phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"
    place = f" on a {background} background" if rng.random() < dial.background_named else ""
    return f"a photo of {listed}{place}"
